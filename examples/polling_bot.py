"""A bot that asks for news of its games, and moves where a move of its own is awaited.

    .venv/bin/python examples/polling_bot.py http://127.0.0.1:8000 bt_...

It opens a practice game against a bot of the server, and plays that to its end, and meanwhile all others in which its
token has a seat: as Mr. X far from the detectives, as a detective towards the places where Mr. X can be.
"""

import argparse
import random
from collections import defaultdict
from functools import lru_cache

from blackticket.standalone.client import Client, Game, LegalMove, Problem


def main() -> None:
    parser = argparse.ArgumentParser(description="Plays the games that wait for you.")
    parser.add_argument("url", help="where the server is")
    parser.add_argument("token", help="with the scopes read and play, and host to open a practice game")
    parser.add_argument("--until-over", metavar="GAME", help="play until this game is over, and open none")
    given = parser.parse_args()
    bot, seen = Bot(Client(given.url, given.token)), None
    game_id = given.until_over or bot.practise()
    while not (outcome := bot.client.game(game_id)["outcome"]):
        for game in bot.client.waiting():
            bot.play(game["id"])
        news = bot.client.wait_for_events(seen)
        seen = news["next"] if news else seen
    print(f"The game is over: {outcome['winner']}, {outcome['reason']}")


class Bot:
    def __init__(self, client: Client) -> None:
        self.client = client

    def practise(self) -> str:
        me, mr_x = {"role": "detective", "player": self.client.me()["id"]}, {"role": "mr_x", "bot": "fugitive"}
        return self.client.start(self.client.open_game("condensed", seats=[mr_x, me])["id"])["id"]

    def play(self, game_id: str) -> None:
        """Make every move that can be made now: a detective may have several pawns."""
        while True:
            legal, game = self.client.legal_moves(game_id), self.client.game(game_id)
            moves = [move for move in legal["moves"] if move["pawn"] not in [kept["pawn"] for kept in game["ahead"]]]
            if not moves:
                return
            move = self.choose(game, moves)
            try:
                self.client.move(game_id, legal["turn"], move["notation"])
            except Problem as problem:
                if problem.type not in ("stale-turn", "not-your-turn", "game-not-running", "illegal"):
                    raise
                return  # somebody was quicker; there is a next look
            print(f"{game['name']}: {move['notation']}", flush=True)

    def choose(self, game: Game, moves: list[LegalMove]) -> LegalMove:
        away = distances(self.client, game["options"]["board"])
        if moves[0]["pawn"] == "mr_x":
            pawns = game["pawns"].items()
            hunters = [station for pawn, facts in pawns if pawn != "mr_x" and (station := facts["station"])]
            # A double move, which has no "to", is for who is in danger.
            return max(moves, key=lambda m: (min(away[end(m)][s] for s in hunters), "to" in m, random.random()))
        # The stations where Mr. X can be, if the server tells; else the one where he was last seen.
        seen = game["pawns"]["mr_x"].get("last_seen")
        known = [seen["station"]] if seen else []
        suspects = self.client.deduction(game["id"]) if game["options"]["deduction"] else known
        return min(moves, key=lambda move: (sum(away[end(move)][station] for station in suspects), random.random()))


def end(move: LegalMove) -> int:
    return move["double"][1]["to"] if "double" in move else move["to"]


@lru_cache
def distances(client: Client, board: str) -> dict[int, dict[int, int]]:
    stops = defaultdict[int, set[int]](set)
    for line in client.board(board)["lines"]:
        stops[line["from"]].add(line["to"])
        stops[line["to"]].add(line["from"])
    return {station: spread(stops, station) for station in stops}


def spread(stops: dict[int, set[int]], origin: int) -> dict[int, int]:
    away, frontier = {origin: 0}, [origin]
    for station in frontier:
        frontier += (new := stops[station] - away.keys())
        away |= dict.fromkeys(new, away[station] + 1)
    return away


if __name__ == "__main__":
    try:
        main()
    except Problem as problem:
        raise SystemExit(f"The bot ends, as it was refused. {problem}") from None
