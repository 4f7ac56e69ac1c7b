"""A bot that receives events by webhook, and makes a move if one of its own is awaited.

    .venv/bin/python examples/webhook_bot.py http://127.0.0.1:8000 bt_... --listen 127.0.0.1:8080

It has its events sent to itself, and takes the webhook away again when it ends; for that its token needs the scopes
read, play and admin. Where the server reaches it, if that is elsewhere, says --public. It moves at random.
"""

import argparse
import base64
import hashlib
import hmac
import json
import random
import time
from http.server import BaseHTTPRequestHandler, HTTPServer

from blackticket.standalone.client import Client, Problem

OLDEST = 300  # seconds: what was signed longer ago is somebody's second try
LARGEST = 1_000_000
TOO_LATE = ("stale-turn", "not-your-turn", "game-not-running", "illegal", "not-found")


def main() -> None:
    parser = argparse.ArgumentParser(description="Plays when it is told that something happened.")
    parser.add_argument("url", help="where the server is")
    parser.add_argument("token", help="with the scopes read, play and admin")
    parser.add_argument("--listen", default="127.0.0.1:8080", help="host and port to listen on")
    parser.add_argument("--public", help="the URL under which the server reaches that")
    parser.add_argument("--until-over", metavar="GAME", help="stop when this game is over")
    given = parser.parse_args()
    host, _, port = given.listen.rpartition(":")
    with Client(given.url, given.token) as client, Listener((host, int(port)), client) as listener:
        webhook = client.add_webhook(given.public or f"http://{given.listen}/")
        listener.secret = webhook["secret"]
        try:
            for game in client.waiting():  # what happened before it listened
                play(client, game["id"])
            while not (given.until_over and client.game(given.until_over)["status"] == "over"):
                listener.handle_request()
        finally:
            client.delete(f"/webhooks/{webhook['id']}")


class Listener(HTTPServer):
    def __init__(self, address: tuple[str, int], client: Client) -> None:
        super().__init__(address, Handler)
        self.client, self.secret = client, ""


class Handler(BaseHTTPRequestHandler):
    server: Listener

    def do_POST(self) -> None:
        """Check the signature, answer at once, and move afterwards: the server does not wait for long."""
        body = self.rfile.read(min(int(self.headers["Content-Length"] or 0), LARGEST))
        is_ours = is_signed(self.server.secret, dict(self.headers.items()), body)
        self.send_response(204 if is_ours else 400)
        self.end_headers()
        self.wfile.flush()
        message = json.loads(body) if is_ours else {}
        if message.get("type") == "game.event":
            play(self.server.client, message["data"]["game"])

    def log_message(self, *_: object) -> None:
        """Log nothing, as only moves are worth a line."""


def is_signed(secret: str, headers: dict[str, str], body: bytes) -> bool:
    """Return True if the server sent this recently; the signature is that of the Standard Webhooks specification."""
    told = {name.lower(): value for name, value in headers.items()}
    name, when = told.get("webhook-id", ""), told.get("webhook-timestamp", "")
    if not when.isdecimal() or abs(time.time() - int(when)) > OLDEST:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    right = "v1," + base64.b64encode(hmac.digest(key, f"{name}.{when}.".encode() + body, hashlib.sha256)).decode()
    return any(
        hmac.compare_digest(right.encode(), given.encode()) for given in told.get("webhook-signature", "").split()
    )


def play(client: Client, game_id: str) -> None:
    """Make a move if it is our turn; a message that comes twice or late does no harm."""
    try:
        legal = client.legal_moves(game_id)
        if legal["moves"]:
            notation = random.choice(legal["moves"])["notation"]
            print(f"{client.move(game_id, legal['turn'], notation).game['name']}: {notation}", flush=True)
    except Problem as problem:
        if problem.type not in TOO_LATE:
            raise


if __name__ == "__main__":
    main()
