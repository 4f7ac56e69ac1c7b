"""A bot that checks now and then if a move of its own is awaited, and makes it.

    .venv/bin/python examples/polling_bot.py http://127.0.0.1:8000 bt_...

It plays every game its token has a seat in: as Mr. X far from the detectives, as a detective towards the places where
Mr. X can be. While nothing has changed, its requests are answered with 304. It needs the client and nothing else.
"""

import argparse
import random
import time
from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache

from server.standalone.client import Client, Game, LegalMove, Problem

TOO_LATE = ("stale-turn", "not-your-turn", "game-not-running", "illegal")


def main() -> None:
    parser = argparse.ArgumentParser(description="Plays the games that wait for you.")
    parser.add_argument("url", help="where the server is")
    parser.add_argument("token", help="with the scopes read and play")
    parser.add_argument("--every", type=float, default=60, help="seconds between two looks")
    parser.add_argument("--until-over", metavar="GAME", help="stop when this game is over")
    given = parser.parse_args()
    bot = Bot(Client(given.url, given.token))
    while not (given.until_over and bot.client.game(given.until_over)["status"] == "over"):
        for game in bot.client.waiting():
            bot.play(game["id"])
        time.sleep(given.every)


class Bot:
    def __init__(self, client: Client) -> None:
        self.client = client

    def play(self, game_id: str) -> None:
        """Make every move that can be made now: a detective may have several pawns."""
        while True:
            legal, game = self.client.legal_moves(game_id), self.client.game(game_id)
            kept = {one["pawn"] for one in game["ahead"]}
            moves = [move for move in legal["moves"] if move["pawn"] not in kept]
            if not moves:
                return
            move = self.choose(game, moves)
            try:
                self.client.move(game_id, legal["turn"], move["notation"])
            except Problem as problem:
                if problem.type not in TOO_LATE:
                    raise
                return  # somebody was quicker; there is a next look
            print(f"{game['name']}: {move['notation']}", flush=True)

    def choose(self, game: Game, moves: list[LegalMove]) -> LegalMove:
        """Return the move of the greatest worth, with a little chance among equal ones."""
        away = distances(self.client, game["options"]["board"])
        if moves[0]["pawn"] == "mr_x":
            pawns = game["pawns"].items()
            hunters = [station for pawn, facts in pawns if pawn != "mr_x" and (station := facts["station"])]
            # A double move, which has no "to", is for who is in danger.
            return max(moves, key=lambda m: (min(away[end(m)][s] for s in hunters), "to" in m, random.random()))
        suspects = self.suspects(game)
        return min(moves, key=lambda move: (sum(away[end(move)][station] for station in suspects), random.random()))

    def suspects(self, game: Game) -> Iterable[int]:
        """Return the stations where Mr. X can be, if the server tells; else the one where he was last seen."""
        if game["options"]["deduction"]:
            return self.client.deduction(game["id"])
        seen = game["pawns"]["mr_x"].get("last_seen")
        return [seen["station"]] if seen else []


def end(move: LegalMove) -> int:
    return move["double"][1]["to"] if "double" in move else move["to"]


@lru_cache
def distances(client: Client, board: str) -> dict[int, dict[int, int]]:
    """Return how many lines apart any two stations are."""
    stops = defaultdict[int, set[int]](set)
    for line in client.board(board)["lines"]:
        stops[line["from"]].add(line["to"])
        stops[line["to"]].add(line["from"])
    return {station: spread(stops, station) for station in stops}


def spread(stops: dict[int, set[int]], origin: int) -> dict[int, int]:
    away, frontier = {origin: 0}, [origin]
    for station in frontier:
        for stop in stops[station] - away.keys():
            away[stop] = away[station] + 1
            frontier.append(stop)
    return away


if __name__ == "__main__":
    main()
