"""Transcripts of games played at random, as an honest server writes them and as a dishonest one might."""

import copy
import json
import random
from datetime import UTC, datetime, timedelta
from functools import lru_cache

from server.engine import Board, Moved, PassedOver
from server.sealing import commitments, hash_chain
from tests.engine.playing import MIXES, any_move, crowded, dealt

# Options that meet each other nowhere among the mixes of the tests of the engine.
MORE_MIXES = [
    ("milton-bradley-1985", 6, {"voluntary_surfacing": True, "mr_x_onto_detective": "loses"}),
    ("milton-bradley-1985", 5, {"voluntary_surfacing": True, "mr_x_supply": "unlimited"}),
    ("milton-bradley-1985", 3, {"max_rounds": 4, "full_log_wins": "at_once", "surfacing": [1, 2, 6]}),
    ("condensed", 4, {"both_stuck": "detectives", "mr_x_tickets": {"taxi": 1, "bus": 0}}),
    ("ravensburger-2013", 6, {"mr_x_onto_detective": "loses", "turn_order": "seats", "voluntary_surfacing": True}),
]
MIXES = [*MIXES, *MORE_MIXES]
# How a game that is not over by play yet goes on after a move.
RUNNING, OUT_OF_TIME, FINAL_OUT_OF_TIME, REINSTATED, RESIGNED = (
    "running", "out of time", "out of time, then final", "out of time, then reinstated", "resigned",
)  # fmt: skip


class Book:
    """Keeps the events of an engine's game with the seal on them, as the server does."""

    def __init__(self, game, rng, game_id="7vq4m2x6kd3t5hpa"):
        self.game, self.rng, self.id = game, rng, game_id
        self.key = rng.randbytes(32)
        self.at = datetime(2026, 11, 22, 18, 0, tzinfo=UTC)
        self.first = rng.randrange(1, 12)
        self.events = []
        deck = [list(cards) for cards in game.deck] if game.deck else None
        self.deck = deck
        starts = {pawn: station for pawn, station in game.starts.items() if pawn != "mr_x"}
        self.header = {
            "format": commitments.FORMAT,
            "game": game_id,
            "edition": game.edition.name,
            "options": game.edition.options,
            "board": board_digest(game.edition.board.name),
            "seats": [list(pawns) for pawns in game.seats],
            "starts": starts,
            "position": public_position(game),
            "start": self.commit(commitments.STATION, 0, game.starts["mr_x"]),
            "deck": deck and self.commit(commitments.DECK, 0, [card for cards in deck for card in cards]),
            "first": self.first,
        }
        self.happened("started", starts=starts)
        self._end_by_play("player")

    def commit(self, field, window, value):
        return commitments.commitment(self.key, self.id, field, window, value)

    def happened(self, kind, **data):
        self.at += timedelta(seconds=self.rng.choice([0, 0, 7, 3600]))
        number = self.first + len(self.events)
        self.events.append({"number": number, "kind": kind, "at": f"{self.at:%Y-%m-%dT%H:%M:%SZ}", "data": data})

    def play(self, move, by="player"):
        happenings = self.game.play(move)
        windows = next(event.windows for event in happenings if isinstance(event, Moved))
        passed_over = [event.pawn for event in happenings if isinstance(event, PassedOver)]
        shown = {window.number: window.station for window in windows if window.surfaced}
        if self.game.outcome is not None and self.game.outcome.reason == "captured":
            shown[self.game.log[-1].number if self.game.log else 0] = self.game.station("mr_x")
        data = {
            "sealed": [self.sealed(window.number, window.station, window.transport) for window in windows],
            "opened": [self.opened(window, station) for window, station in shown.items()],
        }
        notation = self.game.view("spectator")["history"][-1]
        told = {"pawn": move.pawn, "notation": notation, "by": by, "passed_over": passed_over}
        self.happened("moved", **told, **{name: value for name, value in data.items() if value})
        self._end_by_play(by)

    def sealed(self, window, station, transport):
        return {
            "window": window,
            "station": self.commit(commitments.STATION, window, station),
            "transport": self.commit(commitments.TRANSPORT, window, transport),
        }

    def opened(self, window, station):
        return {
            "window": window,
            "station": station,
            "salt": commitments.salt(self.key, commitments.STATION, window).hex(),
        }

    def _end_by_play(self, by):
        if self.game.outcome is not None:
            outcome = self.game.outcome
            self.end(outcome.winner, outcome.reason, final=by != "house")

    def end(self, winner, reason, final):
        opening = {"opening": self.opening()} if final else {}
        self.happened("ended", winner=winner, reason=reason, final=final, **opening)

    def opening(self):
        return {
            "key": self.key.hex(),
            "stations": [self.game.starts["mr_x"], *(window.station for window in self.game.log)],
            "transports": [window.transport for window in self.game.log],
            "deck": self.deck,
        }

    def become_final(self):
        self.happened("final", opening=self.opening())

    def transcript(self):
        data = {"format": commitments.FORMAT, "name": "Foggy Thames", "header": self.header, "events": self.events}
        return relinked(copy.deepcopy(data))


def honest(seed):
    """A transcript of a random game that an honest server might have written; all of it follows from `seed`."""
    return json.loads(_honest(seed))


@lru_cache(1000)
def _honest(seed):
    return json.dumps(kept(seed).transcript())


def kept(seed, mix=None, ending=None, crowd=None):
    """The book of such a game."""
    rng = random.Random(f"transcript {seed}")
    mix = mix or MIXES[seed % len(MIXES)]
    ending = ending or rng.choice([None, None, None, RUNNING, OUT_OF_TIME, FINAL_OUT_OF_TIME, REINSTATED, RESIGNED])
    begin = crowded if (rng.random() < 0.3 if crowd is None else crowd) else dealt
    book = Book(begin(mix, rng), rng)
    interrupted = rng.randrange(60) if ending else 10**6
    while book.game.outcome is None:
        if len(book.events) >= interrupted and not _goes_on(book, ending):
            return book
        if len(book.events) >= interrupted:
            interrupted = 10**6
        _one_move(book, rng)
    if not book.events[-1]["data"]["final"] and ending != OUT_OF_TIME:
        book.become_final()
    return book


def _one_move(book, rng):
    if rng.random() < 0.05:
        book.happened("granted", due_at="2026-11-24T18:00:00+00:00")
    his = book.game.to_move == ("mr_x",)
    book.play(any_move(book.game, rng), "player" if his else rng.choice(["player", "player", "ahead", "house"]))


def _goes_on(book, ending):
    """Interrupt the game; whether it goes on afterwards."""
    if ending == RUNNING:
        return False
    if ending == RESIGNED:
        book.happened("resigned", seat=2)
    book.end("detectives", "resigned" if ending == RESIGNED else "out_of_time", final=False)
    if ending == REINSTATED:
        book.happened("reinstated", reason="The mail of Mr. X had been lost.")
        return True
    if ending != OUT_OF_TIME:
        book.become_final()
    return False


def relinked(transcript):
    """The same with the chain computed anew, as whoever owns the server can."""
    head = hash_chain.first_link(transcript["header"])
    for event in transcript["events"]:
        head = hash_chain.link(head, event)
    return transcript | {"event": transcript["events"][-1]["number"], "head": head}


def opening_of(transcript):
    """The opening within a transcript, to be read or changed; None where there is none."""
    found = (event["data"]["opening"] for event in transcript["events"] if "opening" in event["data"])
    return next(found, None)


def opened_of(event):
    """Return the openings that came with an event."""
    return event["data"].get("opened", [])


def resealed(transcript):
    """The same with every commitment, salt and shown station made to fit the opening, and the chain anew.

    It is what an operator can do who rewrites all of a game after it is over.
    """
    opening, header = opening_of(transcript), transcript["header"]
    key = bytes.fromhex(opening["key"])
    before = header["position"]["log_used"] if header["position"] else 0
    stations = {0: opening["stations"][0]} | dict(enumerate(opening["stations"][1:], before + 1))
    transports = dict(enumerate(opening["transports"], before + 1))

    def commit(field, window, value):
        return commitments.commitment(key, header["game"], field, window, value)

    header["start"] = commit(commitments.STATION, 0, stations[0])
    if header["deck"]:
        header["deck"] = commit(commitments.DECK, 0, [card for cards in opening["deck"] for card in cards])
    for event in transcript["events"]:
        for sealed in event["data"].get("sealed", ()):
            window = sealed["window"]
            sealed["station"] = commit(commitments.STATION, window, stations[window])
            sealed["transport"] = commit(commitments.TRANSPORT, window, transports[window])
        for opened in event["data"].get("opened", ()):
            opened["station"] = stations[opened["window"]]
            opened["salt"] = commitments.salt(key, commitments.STATION, opened["window"]).hex()
        if event["data"].get("pawn") == "mr_x":
            _show(event["data"])
    return relinked(transcript)


def _show(move):
    """Write the stations that a move of Mr. X's opens into its notation."""
    opened = {opened["window"]: opened["station"] for opened in move.get("opened", ())}
    windows = [sealed["window"] for sealed in move["sealed"]]
    words = move["notation"].split()
    places = [place for place, word in enumerate(words) if word == "?" or word.isdigit()]
    for place, window in zip(places, windows, strict=False):
        words[place] = str(opened.get(window, "?"))
    move["notation"] = " ".join(words)


def board_digest(name):
    board = Board.named(name)
    over = ((way, a, b, between) for (way, a, b), between in board.passes_over.items() if a < b)
    return commitments.board_digest(board.lines, over)


def public_position(game):
    """The position a game was set up from, without Mr. X's station; None if it was dealt."""
    position = copy.deepcopy(game.position)
    if position:
        del position["mr_x"]["station"]
    return position
