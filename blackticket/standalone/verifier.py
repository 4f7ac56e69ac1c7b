#!/usr/bin/env python3
"""Check the sealed log of a game of Scotland Yard that was played on a Black Ticket server. Trust nobody: read this.

    python3 verifier.py transcript.json            the file from /api/v1/games/{id}/transcript
    python3 verifier.py transcript.json mails/     the same, compared with the mails you got
    python3 verifier.py mine.mbox hers/ his.mbox   the mails of several players, compared with each other

Mails are read from mbox files, Maildir folders and single saved mails. Exit status: 0 the log holds; 1 it does not, and
one line names the first event that fails; 2 the input cannot be read. With --json it prints facts instead of sentences.

This is one file, because players download it, read it and run it; it needs Python 3.9 or later and nothing else. It has
its own board and rules and shares no code with the server. Compare its checksum with the one in the release notes:

    sha256sum verifier.py          (macOS: shasum -a 256 verifier.py; Windows: certutil -hashfile verifier.py SHA256)

It reads from top to bottom: the command line, the transcript, the events one by one, the rules, the hashes, the mails,
the forms, the boards. docs/seal-format.md of the project defines the format.
"""
# ruff: noqa: B905  it runs on Python 3.9, where zip has no strict

from __future__ import annotations

import argparse
import base64
import email
import email.header
import hashlib
import hmac
import html
import json
import re
import struct
import sys
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, Optional

FORMAT = "blackticket-seal-1"
MR_X, DETECTIVES = "mr_x", "detectives"
PAWNS = ("purple", "red", "green", "yellow", "blue")
PLAIN = ("taxi", "bus", "underground")
TRANSPORTS = (*PLAIN, "ferry")
HIS_TICKETS = (*PLAIN, "black", "double")
# A winner and a reason, or None if the game goes on.
End = Optional["tuple[str, str]"]
CAPTURED = (DETECTIVES, "captured")
BY_PLAY = ("captured", "log_full", "rounds_over", "detectives_stranded", "mr_x_trapped", "both_stuck")
# A transcript has some 100 KB, a mail some 5 KB. A larger file is not read, or not to its end.
MOST_OF_A_TRANSCRIPT = 2 * 2**20
MOST_OF_A_MAIL = 2**18


class Refused(Exception):
    """A check that failed. `where` is the event at fault, unless it is the one being checked."""

    def __init__(self, why: str, where: str = "", number: int | None = None) -> None:
        super().__init__(why)
        self.why, self.where, self.number = why, where, number

    def __str__(self) -> str:
        return f"{self.where}: {self.why}" if self.where else self.why


class Unreadable(Exception):
    """A path that is no transcript and no mailbox."""


def need(holds: bool, why: str) -> None:
    if not holds:
        raise Refused(why)


# What is asked for ---------------------------------------------------------------------------------------------------


def main(arguments: Sequence[str] | None = None) -> int:
    """Verify the paths in `arguments` (those of the command line), print the result, return the exit status."""
    parser = argparse.ArgumentParser(
        description="Check the sealed log of a Black Ticket game: a transcript, mailboxes, or both.",
        epilog="Exit status: 0 all holds; 1 something does not; 2 the input cannot be read.",
    )
    parser.add_argument("paths", nargs="+", metavar="PATH", help="a transcript (JSON), an mbox file or a Maildir")
    parser.add_argument("--json", action="store_true", help="print facts instead of sentences")
    asked = parser.parse_args(arguments)
    status, facts, sentences = examine(asked.paths)
    text = json.dumps(facts, indent=2) if asked.json else sentences
    # No name in a transcript or mail may write control characters or what the terminal cannot show.
    print(
        text.encode("ascii", "backslashreplace").decode(), file=sys.stderr if status == 2 and not asked.json else None
    )
    return status


def examine(paths: Sequence[str]) -> tuple[int, dict[str, Any], str]:
    """Return the exit status, the facts, and the same in sentences."""
    try:
        facts = verify(paths)
    except Refused as refused:
        found = {"holds": False, "event": refused.number, "where": refused.where, "why": refused.why}
        return 1, found, str(refused)
    except Unreadable as unreadable:
        return 2, {"holds": None, "why": str(unreadable)}, str(unreadable)
    return 0, facts, sentences_of(facts)


def verify(paths: Sequence[str]) -> dict[str, Any]:
    """Return the facts that hold; raise `Refused` or `Unreadable`."""
    kinds = {path: kind_of(path) for path in paths}
    transcripts = [path for path, kind in kinds.items() if kind == "transcript"]
    mailboxes = [path for path, kind in kinds.items() if kind != "transcript"]
    if len(transcripts) > 1:
        raise Unreadable(f"{shown(transcripts[1])} is a second transcript; one at a time is checked.")
    if not transcripts:
        return {"holds": True, **compare_with_each_other(mailboxes)}
    checked = Transcript(read_transcript(transcripts[0]))
    facts = checked.check()
    if mailboxes:
        facts.update(compare_with_transcript(mailboxes, checked))
    return {"holds": True, **facts}


def sentences_of(facts: dict[str, Any]) -> str:
    lines = []
    if "game" in facts:
        lines += _about_the_game(facts)
    if "mails" in facts:
        lines.append(_about_the_mails(facts))
    lines.append(
        "What the seal does not prove: that the operator kept the secret to himself, or that chance dealt the cards."
    )
    return "\n".join(lines)


def _about_the_game(facts: dict[str, Any]) -> list[str]:
    log = f"{facts['windows']} window{'s' * (facts['windows'] != 1)}"
    lines = [f"The log of {shown(facts['name'])} ({facts['game']}) holds: {facts['events']} events, {log}."]
    if facts["opened"]:
        lines.append(
            "It is open. Every station, transport and start card fits what was sealed; every step and ticket was legal;"
            " he showed himself when he had to; nobody who ended a move on his station was missed; the end is right."
        )
    elif facts["outcome"] and facts["outcome"]["final"]:
        lines.append(
            "The operator ended it as damaged, and it was not opened. Chain, turns, tickets, the detectives' moves and"
            " what he showed are right as far as everybody can see; his hidden stations cannot be checked."
        )
    else:
        lines.append(
            "It is not open yet. Chain, turns, tickets, the detectives' moves and what he showed are right as far as"
            " everybody can see; his hidden stations can be checked when the result is final."
        )
    if "mails" not in facts:
        lines.append("No mails were compared: that others were shown the same log is checked with their mails.")
    return lines


def _about_the_mails(facts: dict[str, Any]) -> str:
    if "game" in facts:
        return f"{facts['lines']} seal lines in {facts['mails']} mails agree with it."
    return (
        f"{facts['lines']} seal lines in {facts['mails']} mails about {facts['games']} game(s) do not contradict each"
        f" other; {facts['compared']} of them tell of an event that another mail tells of. The games themselves are"
        " checked with their transcripts."
    )


# The transcript ------------------------------------------------------------------------------------------------------


class Transcript:
    """A transcript in the right form; `check` checks its events in order."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.name, self.header, self.events, self.head = data["name"], data["header"], data["events"], data["head"]
        self.last = data["event"]
        # By event: the head of the chain after it and the number of windows filled by then.
        self.heads: dict[int, tuple[str, int]] = {}

    @property
    def game(self) -> str:
        return str(self.header["game"])

    def check(self) -> dict[str, Any]:
        """Return the facts; raise `Refused` for the first event that fails a check."""
        board = naming("header", None, check_header, self.header)
        walk = Walk(self.header, board, first_opening(self.events))
        head = first_link(self.header)
        for place, event in enumerate(self.events):
            previous = self.events[place - 1] if place else None
            number = self.header["first"] + place
            naming(title(event), number, check_order, event, number, previous)
            naming(title(event), number, walk.take, event)
            head = link(head, event)
            self.heads[number] = (written(head), walk.table.log_used)
        where, number = title(self.events[-1]), self.events[-1]["number"]
        naming(where, number, walk.goes_on)
        naming(where, number, self._check_head, written(head))
        return self._facts(walk)

    def _check_head(self, head: str) -> None:
        need(self.last == self.events[-1]["number"], f"the transcript says that event {self.last} is the last")
        need(self.head == head, "the chain up to here has another head than the transcript says; something was changed")

    def _facts(self, walk: Walk) -> dict[str, Any]:
        return {
            "game": self.game,
            "name": self.name,
            "edition": self.header["edition"],
            "events": len(self.events),
            "windows": walk.table.log_used - walk.table.log_before,
            "opened": walk.over == "final" and walk.opening is not None,
            "outcome": walk.end and {"winner": walk.end[0], "reason": walk.end[1], "final": walk.over == "final"},
            "head": self.head,
        }


def naming(where: str, number: int | None, check: Any, *arguments: Any) -> Any:
    """Run a check; if it refuses, add where."""
    try:
        return check(*arguments)
    except Refused as refused:
        raise Refused(refused.why, refused.where or where, refused.number or number) from None


def title(event: dict[str, Any]) -> str:
    """Return an event in words: `event 31 (red bus 58)`."""
    notation = event["data"].get("notation")
    what = notation if event["kind"] == "moved" and isinstance(notation, str) else event["kind"]
    return f"event {event['number']} ({shown(what, quoted=False)})"


def check_order(event: dict[str, Any], number: int, previous: dict[str, Any] | None) -> None:
    need(event["number"] == number, f"event {number} was expected here; events are numbered without gaps")
    need((event["kind"] == "started") == (previous is None), "a chain begins with the start of the game, once")
    need(is_time(event["at"]), f"{shown(event['at'])} is no time in UTC")
    need(previous is None or previous["at"] <= event["at"], "it happened before the event before it")


def check_header(header: dict[str, Any]) -> Board:
    """Check that the game began as its edition and options say; return its board."""
    options = header["options"]
    wrong = [name for name, form in OPTIONS.items() if name not in options or not has_form(options[name], form)]
    need(not wrong, f"the option {' and '.join(wrong)} is missing, or has a value that there is not")
    need(header["first"] > 0, "the first event has no number")
    board = Board(options["board"])
    need(header["board"] == board.digest(), f"this is not the hash of the board {options['board']}")
    if header["position"] is None:
        check_deal(header)
    else:
        check_position(header, board)
    return board


def check_deal(header: dict[str, Any]) -> None:
    options, seats, starts = header["options"], header["seats"], header["starts"]
    low, high = options["players"]
    need(low <= len(seats) <= high, f"{len(seats)} people played; the game is for {low} to {high}")
    need(seats == hands(options["pawns"], len(seats)), f"with {len(seats)} people the pawns are held otherwise")
    need(set(starts) == {pawn for seat in seats[1:] for pawn in seat}, "not exactly the pawns in play have a start")
    need(len(set(starts.values())) == len(starts), "two detectives start on one station")
    need(set(starts.values()) <= set(decks(options)[-1]), "a detective starts where no start card is")
    need(is_hash(header["deck"]), "the commitment to the deck is missing")


def check_position(header: dict[str, Any], board: Board) -> None:
    position, used = header["position"], header["position"]["log_used"]
    pawns = [placed["pawn"] for placed in position["detectives"]]
    stations = [placed["station"] for placed in position["detectives"]]
    need("station" not in position["mr_x"], "the position tells where Mr. X is")
    need(len(set(pawns)) == len(pawns) > 0, "a pawn stands twice, or there is none")
    alone = HANDS[header["options"]["pawns"]] == {2: "PRGYB"[: len(pawns)]}
    seats = [pawns] if alone else [[pawn] for pawn in pawns]
    need(header["seats"] == [[MR_X], *seats], "in a position each pawn is a seat of its own, or one has all")
    need(header["starts"] == dict(zip(pawns, stations)), "the starts are not those of the position")
    need(len(set(stations)) == len(stations) and set(stations) <= board.stations, "the pawns cannot stand like that")
    need(used <= header["options"]["log_windows"], "more windows are used than the log has")
    need(set(position["moved"]) <= set(pawns), "a pawn has moved that is not there")
    need(position["to_move"] in [MR_X, *pawns], "a pawn is to move that is not there")
    seen = position["last_seen"]
    need(seen is None or 1 <= seen["window"] <= used, "he was seen on a window that was not used")
    need(seen is None or seen["station"] in board.stations, "he was seen where no station is")
    need(header["deck"] is None, "there is a deck where nothing was dealt")


def hands(pawns: str, people: int) -> list[list[str]]:
    """Return the pawns of each seat, Mr. X's first."""
    initials = {pawn[0].upper(): pawn for pawn in PAWNS}
    dealt = HANDS[pawns].get(people, "")
    return [[MR_X], *([initials[initial] for initial in hand] for hand in dealt.split())]


HANDS = {
    "five": {6: "P R G Y B", 5: "PY R G B", 4: "PY RG B", 3: "PYB RG"},
    "one_each": {6: "P R G Y B", 5: "P R G Y"},
    "one_or_two_each": {6: "P R G Y B", 5: "P R G Y", 4: "P R G", 3: "PR GY"},
    "one_two_or_four_each": {6: "P R G Y B", 5: "P R G Y", 4: "P R G", 3: "PR GY", 2: "PRGY"},
    "all_two": {2: "PR"},
    "all_three": {2: "PRG"},
    "all_four": {2: "PRGY"},
    "all_five": {2: "PRGYB"},
}


def decks(options: dict[str, Any]) -> list[list[int]]:
    """Return the start cards: one deck for all, or Mr. X's and the detectives'."""
    cards = options["start_cards"]
    return [cards] if isinstance(cards, list) else [cards[MR_X], cards[DETECTIVES]]


# The events, one by one ----------------------------------------------------------------------------------------------


class Opening(NamedTuple):
    """The secrets revealed at the end. `stations` begins with the start; `transports` with Mr. X's first move."""

    key: bytes
    stations: list[int]
    transports: list[str]
    deck: list[list[int]] | None


def first_opening(events: list[dict[str, Any]]) -> Opening | None:
    """Return the opening, with which events are checked; if its form is wrong, the check of its event reports that."""
    for event in events:
        if event["kind"] in ("ended", "final") and is_opening(event["data"].get("opening")):
            opened = event["data"]["opening"]
            return Opening(bytes.fromhex(opened["key"]), opened["stations"], opened["transports"], opened["deck"])
    return None


class Walk:
    """The game replayed event by event, with Mr. X's stations as far as they were opened."""

    def __init__(self, header: dict[str, Any], board: Board, opening: Opening | None) -> None:
        self.header, self.opening = header, opening
        self.table = Table(header, board)
        # The commitments so far: to his station by window, and all of them, as none may occur twice.
        self.stations = {0: header["start"]}
        self.sealed = {header["start"], header["deck"]}
        # None, "provisional" or "final"; how it ended; the ends that are due now, and where that became so.
        self.over: str | None = None
        self.end: End = None
        self.due: list[End] = [None]
        self.newest: tuple[str, int] = ("", 0)
        self.moved_by = "player"
        self.caught_unseen = False
        # Whether the operator has said that he ends the game, and that it was damaged.
        self.voided = self.damaged = False

    def take(self, event: dict[str, Any]) -> None:
        """Check one event and apply it. Kinds that do not change the game are only part of the chain."""
        step = {
            "started": self._start,
            "moved": self._move,
            "ended": self._end,
            "final": self._become_final,
            "reinstated": self._reinstate,
            "voided": self._void,
        }.get(event["kind"])
        if step is None:
            return
        if event["kind"] not in ("ended", "voided"):
            self.goes_on()
        step(event["data"])
        if event["kind"] in ("started", "moved"):
            self.voided = self.damaged = False
            self.newest = (title(event), event["number"])

    def goes_on(self) -> None:
        """Check that the game did not have to end before this event."""
        if self.over is None and None not in self.due:
            assert self.due[0] is not None
            what = self.table.caught or f"the game was over ({self.due[0][1]})"
            raise Refused(f"{what}, but the game went on", *self.newest)

    def _start(self, data: dict[str, Any]) -> None:
        need(data.get("starts") == self.header["starts"], "the starts are not those of the header")
        if self.opening:
            self._open_start(self.opening)
        self.table.settle()
        self.due = self.table.ends()

    def _open_start(self, opening: Opening) -> None:
        start, known = opening.stations[0], self.table.at
        need(self._fits("S", 0, [start], self.header["start"]), "his start does not fit what was sealed")
        need(known is None or known == start, "he did not start where he had been seen")
        need(start in self.table.board.stations, "he started on a station that there is not")
        need(start not in self.table.stations.values(), "he started on a detective's station")
        self.table.at = start
        if self.header["deck"] is None:
            need(opening.deck is None, "a deck was opened where nothing was dealt")
            is_dealt = (self.header["position"] or {}).get("dealt")
            need(not is_dealt or start in decks(self.header["options"])[0], "his start is on no start card")
        else:
            self._open_deck(opening, start)

    def _open_deck(self, opening: Opening, start: int) -> None:
        expected, deck = decks(self.header["options"]), opening.deck or []
        need(
            [sorted(cards) for cards in deck] == [sorted(cards) for cards in expected],
            "the deck does not have the start cards of the edition",
        )
        need(
            self._fits("D", 0, [card for cards in deck for card in cards], self.header["deck"]),
            "the deck does not fit what was sealed",
        )
        drawn = deck[0][1:] if len(deck) == 1 else deck[1]
        need(deck[0][:1] == [start], "his start is not the card on top of the deck")
        wanted = [self.header["starts"][pawn] for pawn in self.table.pawns]
        need(drawn[: len(wanted)] == wanted, "the detectives' starts are not the next cards of the deck")

    def _move(self, data: dict[str, Any]) -> None:
        need(self.over is None, "the game was over")
        pawn, by = data.get("pawn"), data.get("by")
        need(by in ("player", "ahead", "bot", "cover", "house"), f"{shown(by)} is not a way in which a move can come")
        need(pawn == MR_X or has_form(pawn, tuple(self.table.pawns)), f"{shown(pawn)} is no pawn in this game")
        if pawn == MR_X:
            need(by != "ahead", "Mr. X's moves are not kept for their turn")
            self._move_mr_x(data)
        else:
            self._move_detective(str(pawn), data)
        passed = [] if self.table.is_over_at_once() else self.table.settle()
        need(data.get("passed_over") == passed, f"after it {listed(passed)} could not move and had to be passed over")
        self.moved_by = str(by)
        self.due = self.table.ends()

    def _move_detective(self, pawn: str, data: dict[str, Any]) -> None:
        table = self.table
        ticket, station = read_detective(pawn, data.get("notation"))
        table.move_detective(pawn, ticket, station)
        need(not data.get("sealed"), "a detective's move seals nothing")
        opened = read_opened(data)
        if opened:
            need(list(opened) == [table.window], f"what was opened is not window {table.window}, where he is")
            need(opened[table.window][0] == station, "what was opened is not the station that the detective moved to")
            self._check_opened(opened)
            table.at = station
        if table.at == station:
            table.caught = f"{pawn} ended its move on Mr. X's station ({station}, window {table.window})"
            self.caught_unseen = not opened

    def _move_mr_x(self, data: dict[str, Any]) -> None:
        table = self.table
        need(table.half == MR_X, "it was the detectives' turn, not Mr. X's")
        move, sealed, opened = read_his(data.get("notation")), read_sealed(data), read_opened(data)
        first = table.log_used + 1
        windows = list(range(first, first + len(move.rides)))
        cut_short = len(windows) == 2 and table.options["mr_x_onto_detective"] == "loses" and len(sealed) == 1
        filled = windows[:1] if cut_short else windows
        need([window for window, _, _ in sealed] == filled, f"the commitments are not those of {named(filled)}")
        self._keep(sealed)
        self._check_opened(opened)
        table.check_his_tickets(move)
        steps = self._steps(filled, opened)
        table.move_mr_x(move, steps)
        need(not cut_short or bool(table.caught), "a double move ended on its first half, and nobody was there")
        due = table.must_show(move, filled)
        need(list(opened) == due, f"{named(due)} had to be opened here, but {named(list(opened))} was")
        stations = [opened[window][0] if window in opened else None for window in windows]
        need([station for _, station in move.rides] == stations, "the notation shows other stations than were opened")
        if table.at is None and filled[-1] in opened:
            table.at = opened[filled[-1]][0]

    def _steps(self, windows: list[int], opened: dict[int, tuple[int, str]]) -> list[tuple[int | None, str | None]]:
        """Return Mr. X's station and transport for each window; None if unknown."""
        if self.opening is None:
            return [(opened[window][0] if window in opened else None, None) for window in windows]
        steps: list[tuple[int | None, str | None]] = []
        for window in windows:
            index = window - self.table.log_before
            need(index <= len(self.opening.transports), f"the opening says nothing of window {window}")
            steps.append((self.opening.stations[index], self.opening.transports[index - 1]))
        return steps

    def _keep(self, sealed: list[tuple[int, str, str]]) -> None:
        """Check the commitments of a move: none occurs twice, and they fit the opened log."""
        for window, station, transport in sealed:
            need(not self.sealed & {station, transport} and station != transport, "a commitment occurs twice")
            self.sealed |= {station, transport}
            self.stations[window] = station
            index = window - self.table.log_before
            if self.opening is None or index > len(self.opening.transports):
                continue
            where, by = self.opening.stations[index], self.opening.transports[index - 1]
            need(self._fits("S", window, [where], station), f"window {window}: {where} is not what was sealed")
            number = [TRANSPORTS.index(by) + 1]
            need(self._fits("T", window, number, transport), f"window {window}: {by} is not what was sealed")

    def _fits(self, code: str, window: int, values: list[int], commitment: str) -> bool:
        assert self.opening is not None
        salt = salt_of(self.opening.key, code, window)
        return commit(self.header["game"], code, window, salt, values) == commitment

    def _check_opened(self, opened: dict[int, tuple[int, str]]) -> None:
        for window, (station, salt) in opened.items():
            need(window in self.stations, f"window {window} was opened, and is not filled")
            found = commit(self.header["game"], "S", window, bytes.fromhex(salt), [station])
            need(found == self.stations[window], f"window {window}: {station} does not fit what was sealed")

    def _end(self, data: dict[str, Any]) -> None:
        need(self.over is None, "the game was over")
        winner, reason, final = data.get("winner"), data.get("reason"), data.get("final")
        need(has_form(winner, (MR_X, DETECTIVES, "draw")), f"{shown(winner)} cannot win")
        need(isinstance(reason, str) and isinstance(final, bool), "reason and final are missing")
        if self.voided and reason == "voided":
            # In public, so that everybody sees what it would have been.
            need(winner == "draw", "a game that is ended void has no winner")
            need(not self.caught_unseen, "Mr. X was caught, and his station was not opened")
        elif reason in BY_PLAY or None not in self.due:
            self._check_end_by_play(str(winner), str(reason), bool(final))
        self.over, self.end = "final" if final else "provisional", (str(winner), str(reason))
        need(bool(final) or "opening" not in data, "a result that is not final opens nothing")
        if final:
            self._check_opening(data)

    def _check_end_by_play(self, winner: str, reason: str, final: bool) -> None:
        if (winner, reason) not in self.due:
            said = self.table.caught or " or ".join(
                f"{end[0]}, {end[1]}" if end else "nobody had won" for end in self.due
            )
            raise Refused(f"by the rules this is not how it ended: {said}")
        if self.caught_unseen:
            raise Refused("Mr. X was caught, and his station was not opened", *self.newest)
        need(
            final or self.moved_by in ("cover", "house"),
            "a result of play is final at once, unless the house or a teammate moved",
        )

    def _become_final(self, data: dict[str, Any]) -> None:
        need(self.over == "provisional", "there is no provisional result that could become final")
        self.over = "final"
        self._check_opening(data)

    def _void(self, data: dict[str, Any]) -> None:
        self.voided, self.damaged = True, data.get("damaged") is True
        if self.damaged and self.over == "provisional":
            self.over = self.end = None

    def _check_opening(self, data: dict[str, Any]) -> None:
        if self.damaged and self.end == ("draw", "voided") and "opening" not in data:
            return
        need(is_opening(data.get("opening")), "the result is final, and the log is not opened as it should be")
        windows = self.table.log_used - self.table.log_before
        need(
            len(data["opening"]["transports"]) == windows and len(data["opening"]["stations"]) == windows + 1,
            f"the opening is not of {windows} windows",
        )

    def _reinstate(self, data: dict[str, Any]) -> None:
        need(self.over == "provisional", "there is no provisional result that could be undone")
        need(self.end is not None and self.end[1] not in BY_PLAY, "play itself ended the game; that cannot be undone")
        self.over = self.end = None
        self.voided = self.damaged = False


# The rules -----------------------------------------------------------------------------------------------------------


class HisMove(NamedTuple):
    """A move of Mr. X as announced: (ticket, station or None), twice for a double move.

    `taken` are the tickets that a voluntary surfacing took, by pawn; None without one.
    """

    rides: list[tuple[str, int | None]]
    taken: dict[str, str] | None


class Table:
    """The state of the game: pawns, tickets and turn. `at` is Mr. X's station, None while it is secret."""

    def __init__(self, header: dict[str, Any], board: Board) -> None:
        self.options, self.board = header["options"], board
        self.stations: dict[str, int] = dict(header["starts"])
        self.half, self.round = MR_X, 1
        self.moved: set[str] = set()
        self.out: set[str] = set()
        self.at: int | None = None
        self.window = self.log_used = self.log_before = 0
        # How he was caught, in words, once he was.
        self.caught = ""
        if header["position"] is None:
            self._deal(header["seats"])
        else:
            self._set_up(header["position"], header["seats"])

    def _deal(self, seats: list[list[str]]) -> None:
        options = self.options
        self.pawns = [pawn for pawn in PAWNS if pawn in self.stations]
        self.tickets = {
            pawn: {kind: options["detective_tickets"].get(kind, 0) for kind in PLAIN} for pawn in self.pawns
        }
        his = {kind: options["mr_x_tickets"].get(kind, 0) for kind in HIS_TICKETS}
        his["black"] = len(self.pawns) if options["black"] == "per_pawn" else options["black"]
        if options["mr_x_supply"] == "unlimited":
            his.update(dict.fromkeys(PLAIN))
        self.tickets[MR_X] = his
        self.groups = self._groups(seats[1:])

    def _set_up(self, position: dict[str, Any], seats: list[list[str]]) -> None:
        self.pawns = [placed["pawn"] for placed in position["detectives"]]
        self.tickets = {
            placed["pawn"]: {kind: placed["tickets"].get(kind, 0) for kind in PLAIN}
            for placed in position["detectives"]
        }
        self.tickets[MR_X] = {kind: position["mr_x"]["tickets"].get(kind, 0) for kind in HIS_TICKETS}
        self.groups = self._groups(seats[1:])
        self.log_used = self.log_before = position["log_used"]
        seen, to_move = position["last_seen"], position["to_move"]
        if seen is not None and seen["window"] == self.log_used:
            self.at = seen["station"]
        if to_move != MR_X:
            self.half = DETECTIVES
            self.moved = set(position["moved"])
            for group in self.groups[: next(i for i, group in enumerate(self.groups) if to_move in group)]:
                self.moved |= set(group)

    def _groups(self, seats: list[list[str]]) -> list[list[str]]:
        """Return the groups of pawns in their order of play; the pawns of a group move in any order."""
        order = self.options["turn_order"]
        return {"any": [self.pawns], "fixed": [[pawn] for pawn in self.pawns], "seats": seats}[order]

    # The detectives

    def waiting(self) -> list[str]:
        """Return the pawns that have not moved yet in the group whose turn it is."""
        left = ([pawn for pawn in group if pawn not in self.moved] for group in self.groups)
        return next((group for group in left if group), [])

    def can_move(self, pawn: str) -> bool:
        return pawn not in self.out and any(
            self.tickets[pawn][kind] != 0 and any(self.is_free(station) for station in self.reach(pawn, kind))
            for kind in PLAIN
        )

    def reach(self, pawn: str, kind: str) -> set[int]:
        return self.board.lines[kind].get(self.stations[pawn], set())

    def is_free(self, station: int) -> bool:
        return station not in self.stations.values()

    def move_detective(self, pawn: str, ticket: str, station: int) -> None:
        need(self.half == DETECTIVES, "it was Mr. X's turn, not the detectives'")
        need(pawn in self.waiting(), f"it was not {pawn}'s turn; to move were {listed(self.waiting())}")
        need(pawn not in self.out, f"{pawn} is out of the game")
        start = self.stations[pawn]
        need(station in self.reach(pawn, ticket), f"no {ticket} runs from {start} to {station}")
        need(self.is_free(station), f"another detective stands on {station}")
        self.spend(pawn, ticket)
        self.stations[pawn] = station
        self.give(ticket)
        self.moved.add(pawn)

    def settle(self) -> list[str]:
        """Pass over pawns that cannot move, until one can or the round is over; return the pawns passed over."""
        passed: list[str] = []
        while self.half == DETECTIVES:
            waiting = self.waiting()
            if not waiting:
                self.half, self.moved, self.round = MR_X, set(), self.round + 1
            elif any(self.can_move(pawn) for pawn in waiting):
                break
            else:
                passed += waiting
                self.moved |= set(waiting)
        if self.options["blocked"] == "out":
            self.out |= set(passed)
        return passed

    # Mr. X

    def check_his_tickets(self, move: HisMove) -> None:
        """Check that Mr. X holds the tickets he plays, and may surface as he does."""
        held = self.tickets[MR_X]
        laid = [ticket for ticket, _ in move.rides] + ["double"] * (len(move.rides) - 1)
        for kind in set(laid):
            has = held[kind]
            need(has is None or has >= laid.count(kind), f"Mr. X does not hold {laid.count(kind)} {kind}")
        last = self.log_used + len(move.rides)
        need(last <= self.options["log_windows"], f"the log has no window {last}")
        if move.taken is not None:
            self._check_surfacing(move.taken, last)

    def _check_surfacing(self, taken: dict[str, str], window: int) -> None:
        need(self.options["voluntary_surfacing"], "he does not surface of his own accord in this game")
        need(window not in self.options["surfacing"], f"he surfaces on window {window} anyway")
        able = [pawn for pawn in self.pawns if any(held != 0 for held in self.tickets[pawn].values())]
        need(set(taken) == set(able), f"he takes a ticket from {listed(able)}, each one")
        need(all(self.tickets[pawn][kind] != 0 for pawn, kind in taken.items()), "he takes a ticket that is not held")

    def move_mr_x(self, move: HisMove, steps: list[tuple[int | None, str | None]]) -> None:
        """Apply Mr. X's move; `steps` are station and transport of each window filled, None if unknown."""
        for (ticket, _), (station, transport) in zip(move.rides, steps):
            need(not self.caught, "he went on after he had stepped onto a detective")
            self._step(ticket, station, transport)
        if len(move.rides) == 2:
            self.spend(MR_X, "double")
            if len(steps) == 1 and self.at is not None:
                second = move.rides[1][0]
                need(bool(self.ways(self.at, second)), f"no second half by {second} was possible")
        for pawn, kind in (move.taken or {}).items():
            if not self.caught:
                self.spend(pawn, kind)
                self.give(kind)
        self.half, self.moved = DETECTIVES, set()

    def _step(self, ticket: str, station: int | None, transport: str | None) -> None:
        self.spend(MR_X, ticket)
        self.log_used += 1
        self.window = self.log_used
        step = f"window {self.window}"
        if station is not None:
            need(station in self.board.stations, f"{step}: there is no station {station}")
            if not self.is_free(station):
                need(self.options["mr_x_onto_detective"] == "loses", f"{step}: a detective stands on {station}")
                self.caught = f"Mr. X stepped onto a detective ({station}, {step})"
        if station is not None and self.at is not None:
            used = {way for way, to in self.ways(self.at, ticket) if to == station}
            need(bool(used), f"{step}: no {ticket} takes him from {self.at} to {station}")
            need(transport is None or transport in used, f"{step}: by {transport} {ticket} does not go to {station}")
        self.at = station

    def ways(self, station: int, ticket: str) -> set[tuple[str, int]]:
        """Return (transport, station) of every step Mr. X may take from `station` with this ticket."""
        pawns = set(self.stations.values())
        transports = TRANSPORTS if ticket == "black" else (ticket,)
        found = {(way, to) for way in transports for to in self.board.lines[way].get(station, ())}
        if self.options["cut_off"]:
            found = {(way, to) for way, to in found if not pawns & self.board.passed(way, station, to)}
        if self.options["mr_x_onto_detective"] == "forbidden":
            found = {(way, to) for way, to in found if to not in pawns}
        return found

    def must_show(self, move: HisMove, filled: list[int]) -> list[int]:
        """Return the windows of this move that have to be opened with it."""
        shown_by_rule = {window for window in filled if window in self.options["surfacing"]}
        if move.taken is not None and len(filled) == len(move.rides):
            shown_by_rule.add(filled[-1])
        if self.caught:
            shown_by_rule.add(filled[-1])
        return sorted(shown_by_rule)

    # Both

    def is_over_at_once(self) -> bool:
        """Return True if the game is over before anybody else's turn can come."""
        full = self.log_used >= self.options["log_windows"]
        return bool(self.caught) or (full and self.options["full_log_wins"] == "at_once")

    def spend(self, pawn: str, kind: str) -> None:
        held = self.tickets[pawn][kind]
        need(held is None or held > 0, f"{'Mr. X' if pawn == MR_X else pawn} has no {kind} ticket left")
        if held is not None:
            self.tickets[pawn][kind] = held - 1

    def give(self, kind: str) -> None:
        """Take a ticket from a detective and give it to Mr. X."""
        held = self.tickets[MR_X][kind]
        if held is not None and self.options["mr_x_supply"] == "counted":
            self.tickets[MR_X][kind] = held + 1

    def ends(self) -> list[End]:
        """Return the ends that the rules allow now, in order; None: the game goes on. Only one if all is known."""
        his_turn, full_log_wins = self.half == MR_X, self.options["full_log_wins"]
        full = self.log_used >= self.options["log_windows"]
        most = self.options["max_rounds"]
        if self.caught:
            return [CAPTURED]
        if self.is_over_at_once() or (full and full_log_wins == "after_reply" and his_turn):
            return [(MR_X, "log_full")]
        if his_turn and most is not None and self.round > most:
            return [(MR_X, "rounds_over")]
        if not his_turn:
            return [None]
        return self._stuck(any(self.can_move(pawn) for pawn in self.pawns), self.he_can_move())

    def _stuck(self, they_can: bool, he_can: bool | None) -> list[End]:
        if they_can:
            if_he_can, if_not = None, (DETECTIVES, "mr_x_trapped")
        else:
            if_he_can, if_not = (MR_X, "detectives_stranded"), (self.options["both_stuck"], "both_stuck")
        return [end for end, possible in ((if_he_can, he_can is not False), (if_not, he_can is not True)) if possible]

    def he_can_move(self) -> bool | None:
        """Return True if Mr. X can move; None if that depends on his unknown station."""
        tickets = [kind for kind in (*PLAIN, "black") if self.tickets[MR_X][kind] != 0]
        if self.log_used >= self.options["log_windows"] or not tickets:
            return False
        station = self.at
        return None if station is None else any(self.ways(station, kind) for kind in tickets)


# The hashes ----------------------------------------------------------------------------------------------------------


def salt_of(key: bytes, code: str, window: int) -> bytes:
    return hmac.new(key, b"BT1 salt" + code.encode() + struct.pack(">I", window), hashlib.sha256).digest()


def commit(game: str, code: str, window: int, salt: bytes, values: list[int]) -> str:
    """Return the commitment, in hex, to a station (S), a transport (T) or the deck (D)."""
    data = b"BT1 seal" + code.encode() + hashlib.sha256(game.encode()).digest() + salt
    return hashlib.sha256(data + struct.pack(f">{len(values) + 1}I", window, *values)).hexdigest()


def first_link(header: dict[str, Any]) -> bytes:
    return hashlib.sha256(b"BT1 head" + digest(header)).digest()


def link(head: bytes, event: dict[str, Any]) -> bytes:
    return hashlib.sha256(b"BT1 link" + head + digest(event)).digest()


def digest(data: Any) -> bytes:
    canonical = json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(canonical.encode()).digest()


def written(head: bytes) -> str:
    return base64.b32encode(head).decode().rstrip("=").lower()


# The mails -----------------------------------------------------------------------------------------------------------


class Mail(NamedTuple):
    """A mail with lines of the sealed log. `game` is "" if only the subject names the game."""

    label: str
    game: str
    references: str
    names: list[str]
    lines: list[Line]


class Line(NamedTuple):
    """Seal, event 20, after move 4: k7m2 q6xw 4dlr t3pa vh2e

    In a mail about several games it is the seal of one of them: Seal of [Foggy Thames], event 20, and so on. At the
    start it is before the first move. Older mails have the word window instead of after move.
    """

    event: int
    window: int
    head: str
    name: str = ""


SEAL = re.compile(
    r"Seal(?:\s{1,3}of\s{1,3}\[([^\[\]]{1,100})\])?,\s{1,3}event\s{1,3}([0-9]{1,9}),"
    r"\s{1,3}(?:(?:window|after\s{1,3}move)\s{1,3}([0-9]{1,9})|before\s{1,3}the\s{1,3}first\s{1,3}move):"
    r"\s{0,3}(\S{4}(?:\s{1,3}\S{4}){4})(?!\S)"
)
QUOTED = re.compile(r"^[ \t]*(?:[>|][ \t]*)+", re.MULTILINE)
TAG = re.compile(r"<[^<>]*>")
# The first reference of our mails is <GAMEID.PLAYERID@domain>.
REFERENCE = re.compile(r"<([A-Za-z0-9_-]{1,64})\.[A-Za-z0-9_-]{1,64}@")
NAME = re.compile(r"\[([^\[\]]{1,100})\]")


def compare_with_transcript(paths: Sequence[str], transcript: Transcript) -> dict[str, Any]:
    """Check that every line about the transcript's game names an event, a window and a head of its chain."""
    count = lines = 0
    for mail in mails_in(paths):
        is_about_it = f"<{transcript.game}." in mail.references or transcript.name in mail.names
        found = [line for line in mail.lines if (line.name == transcript.name if line.name else is_about_it)]
        if not is_about_it and not found:
            continue
        count += 1
        lines += len(found)
        for line in found:
            naming(f"event {line.event}", line.event, _compare, line, mail, transcript)
    if not lines:
        raise Unreadable(f"No mail with a seal line about the game {shown(transcript.name)} was found.")
    return {"mails": count, "lines": lines}


def _compare(line: Line, mail: Mail, transcript: Transcript) -> None:
    newest = max(transcript.heads)
    need(
        line.event <= newest,
        f"{mail.label} tells of it, but the transcript ends with event {newest}; get a new one, and if it is"
        " no longer, events were taken away",
    )
    need(line.event in transcript.heads, f"{mail.label} tells of it, but the transcript begins later")
    head, window = transcript.heads[line.event]
    need(head.startswith(line.head), f"{mail.label} says {line.head}, the transcript {head[: len(line.head)]}")
    need(line.window == window, f"{mail.label} says window {line.window}, the transcript {window}")


def compare_with_each_other(paths: Sequence[str]) -> dict[str, Any]:
    """Check that no two mails about one event of one game contradict each other."""
    mails = list(mails_in(paths))
    games = _games_by_name(mails)
    told: dict[tuple[str, int], tuple[Line, str]] = {}
    repeated = 0
    for mail in mails:
        whole = mail.game or games.get(mail.names[0] if mail.names else "", "") or "".join(mail.names[:1])
        for line in mail.lines:
            game = games.get(line.name, line.name) or whole
            first, label = told.setdefault((game, line.event), (line, mail.label))
            repeated += label != mail.label
            if (first.window, first.head) != (line.window, line.head):
                why = f"{label} says window {first.window}, {first.head}; {mail.label} says {line.window}, {line.head}"
                raise Refused(why, f"event {line.event}", line.event)
    if not mails:
        raise Unreadable("No mail with a seal line was found; the last line of a game's mails begins with Seal, event.")
    lines = sum(len(mail.lines) for mail in mails)
    return {"mails": len(mails), "lines": lines, "games": len({game for game, _ in told}), "compared": repeated}


def _games_by_name(mails: list[Mail]) -> dict[str, str]:
    """Return the game that each name in a subject means, for forwarded mails, if there is no doubt."""
    known: dict[str, set[str]] = {}
    for mail in mails:
        for name in mail.names if mail.game else ():
            known.setdefault(name, set()).add(mail.game)
    return {name: games.pop() for name, games in known.items() if len(games) == 1}


def mails_in(paths: Sequence[str]) -> Iterator[Mail]:
    """Return the mails that have a line of the sealed log."""
    for path in paths:
        for raw in raw_mails(path):
            mail = read_mail(raw, path) if b"Seal" in raw or b"base64" in raw.lower() else None
            if mail is not None and mail.lines:
                yield mail


def raw_mails(path: str) -> Iterator[bytes]:
    kind = kind_of(path)
    if kind == "maildir":
        for name in sorted((*Path(path).glob("cur/*"), *Path(path).glob("new/*"))):
            if name.is_file():
                yield read_bytes(name, MOST_OF_A_MAIL)
    elif kind == "mail":
        yield read_bytes(path, MOST_OF_A_MAIL)
    else:
        with Path(path).open("rb") as file:
            yield from split_mbox(file)


def split_mbox(file: BinaryIO) -> Iterator[bytes]:
    lines: list[bytes] = []
    size, after_blank = 0, True
    while True:
        line = file.readline(MOST_OF_A_MAIL)
        if lines and (not line or (after_blank and line.startswith(b"From "))):
            yield b"".join(lines[1:])
            lines, size = [], 0
        if not line:
            return
        if size < MOST_OF_A_MAIL:
            lines.append(line)
            size += len(line)
        after_blank = line in (b"\n", b"\r\n")


def read_mail(raw: bytes, path: str) -> Mail | None:
    """Return the mail, decoded; None if it is too broken to be read."""
    try:
        message = email.message_from_bytes(raw)
        parts = list(message.walk())
        references = " ".join(value for part in parts for value in _addresses(part))
        subject = " ".join(_decoded(part.get("Subject", "")) for part in parts)
        text = "\n".join(_text(part) for part in parts if part.get_content_maintype() == "text")
        label = (
            f"the mail {shown(_decoded(message.get('Subject', '')))} of {shown(str(message.get('Date', '?')), False)}"
        )
    except Exception:  # noqa: BLE001 the parser has many ways to fail on what is no mail
        return None
    found = REFERENCE.search(references)
    # A mail says the same as text and as HTML.
    lines = list(
        dict.fromkeys(
            Line(int(event), int(window or 0), "".join(head.split()), " ".join(name.split()))
            for name, event, window, head in SEAL.findall(QUOTED.sub("", text))[:1000]
        )
    )
    place = shown(path[-80:], False)
    return Mail(f"{label} in {place}", found[1] if found else "", references, NAME.findall(subject), lines)


def _addresses(part: Any) -> list[str]:
    return [
        str(value)[:5000] for name in ("References", "In-Reply-To", "Message-ID") for value in part.get_all(name, [])
    ]


def _decoded(value: Any) -> str:
    # What is longer is no subject, and would take long to decode.
    text = str(email.header.make_header(email.header.decode_header(str(value)[:1000])))
    return " ".join(text.split())


def _text(part: Any) -> str:
    # All that is looked for is ASCII, so that the charset does not matter.
    text = (part.get_payload(decode=True) or b"").decode("latin-1")
    if part.get_content_subtype() == "html":
        text = html.unescape(TAG.sub("\n", text))
    return str(text.replace("\r", ""))


# The forms -----------------------------------------------------------------------------------------------------------


def kind_of(path: str) -> str:
    """Return the kind of a path, from its content: transcript, mbox, maildir or mail."""
    if Path(path).is_dir():
        if any(Path(path, folder).is_dir() for folder in ("cur", "new")):
            return "maildir"
        raise Unreadable(f"{shown(path)} is a folder, but no Maildir: it has no folder cur or new.")
    if not Path(path).is_file():
        raise Unreadable(f"There is no file {shown(path)}.")
    start = read_bytes(path, 4096).lstrip(b"\xef\xbb\xbf \t\r\n")
    if start.startswith(b"{"):
        return "transcript"
    if start.startswith(b"From "):
        return "mbox"
    if re.match(rb"[A-Za-z][A-Za-z0-9-]*:[ \t]", start):
        return "mail"
    raise Unreadable(
        f"{shown(path)} is neither a transcript (JSON that begins with a brace) nor an mbox file (its first line begins"
        " with From) nor a mail."
    )


def read_bytes(path: str | Path, most: int) -> bytes:
    try:
        with Path(path).open("rb") as file:
            return file.read(most)
    except OSError as error:
        raise Unreadable(f"{shown(str(path))} cannot be read: {error.strerror}.") from None


def read_transcript(path: str) -> dict[str, Any]:
    raw = read_bytes(path, MOST_OF_A_TRANSCRIPT + 1)
    if len(raw) > MOST_OF_A_TRANSCRIPT:
        raise Unreadable(f"{shown(path)} is larger than any transcript.")
    readers: dict[str, Any] = {"parse_int": _number, "parse_float": _no_number, "parse_constant": _no_number}
    try:
        data = json.loads(raw.decode("utf-8-sig"), object_pairs_hook=_object, **readers)
    except (ValueError, RecursionError) as error:
        why = "it is nested too deeply" if isinstance(error, RecursionError) else shown(str(error), False)
        raise Unreadable(f"{shown(path)} is not the JSON of a transcript: {why}.") from None
    wrong = wrong_form(data)
    if wrong:
        raise Unreadable(f"{shown(path)} is no transcript: {wrong}.")
    return dict(data)


def _number(text: str) -> int:
    if len(text) > 15:
        raise ValueError("it has a number that is too large")
    return int(text)


def _no_number(text: str) -> None:
    raise ValueError(f"{text[:20]} is no whole number")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name occurs twice in one object, which can be read in two ways")
    return found


def wrong_form(data: Any) -> str:
    """Return the reason why this is no transcript; "" if it is one."""
    if not has_form(data, {"format": is_text}):
        return "it does not name its format"
    if data["format"] != FORMAT:
        return f"its format is {shown(data['format'])}, and this program reads {FORMAT}"
    if is_deeper(data, 15):
        return "it is nested too deeply"
    wrong = [name for name, form in TRANSCRIPT.items() if name not in data or not has_form(data[name], form)]
    if wrong:
        return f"its {wrong[0]} is missing or malformed"
    return "" if data["events"] else "it has no events"


def has_form(value: Any, form: Any) -> bool:
    """Return True if JSON has the form `form`.

    {name: form} is an object with at least these names, [form] a list, (form, form) either of them; a text or None
    is itself; everything else is a predicate.
    """
    if isinstance(form, dict):
        return isinstance(value, dict) and all(name in value and has_form(value[name], form[name]) for name in form)
    if isinstance(form, list):
        return isinstance(value, list) and all(has_form(item, form[0]) for item in value)
    if isinstance(form, tuple):
        return any(has_form(value, one) for one in form)
    if form is None or isinstance(form, str):
        return type(value) is type(form) and bool(value == form)
    return bool(form(value))


def is_deeper(value: Any, depth: int) -> bool:
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return depth < 0 or any(is_deeper(item, depth - 1) for item in inside)


def is_text(value: Any) -> bool:
    return isinstance(value, str)


def is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def is_object(value: Any) -> bool:
    return isinstance(value, dict)


def is_whole(value: Any) -> bool:
    """Return True for a whole number that fits into the 32 bits it is hashed with."""
    return type(value) is int and 0 <= value < 2**31


def is_hash(value: Any) -> bool:
    return isinstance(value, str) and re.fullmatch("[0-9a-f]{64}", value) is not None


def is_id(value: Any) -> bool:
    return isinstance(value, str) and re.fullmatch("[A-Za-z0-9_-]{1,64}", value) is not None


def is_time(text: str) -> bool:
    try:
        return len(text) == 20 and bool(datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ"))  # noqa: DTZ007
    except ValueError:
        return False


def numbers_by(names: Sequence[str]) -> Any:
    """Return the form of an object with a whole number for some of `names`, or null for no limit."""
    return lambda value: (
        is_object(value) and set(value) <= set(names) and has_form([*value.values()], [(is_whole, None)])
    )


POSITION = {
    "mr_x": {"tickets": numbers_by(HIS_TICKETS)},
    "detectives": [{"pawn": PAWNS, "station": is_whole, "tickets": numbers_by(PLAIN)}],
    "log_used": is_whole,
    "to_move": is_text,
    "moved": [PAWNS],
    "last_seen": (None, {"window": is_whole, "station": is_whole}),
}
HEADER = {
    "format": FORMAT,
    "game": is_id,
    "edition": is_text,
    "options": is_object,
    "board": is_hash,
    "seats": [[(MR_X, *PAWNS)]],
    "starts": numbers_by(PAWNS),
    "position": (None, POSITION),
    "start": is_hash,
    "deck": (None, is_hash),
    "first": is_whole,
}
EVENT = {"number": is_whole, "kind": is_text, "at": is_text, "data": is_object}
TRANSCRIPT = {
    "header": HEADER,
    "name": is_text,
    "events": [lambda event: has_form(event, EVENT) and len(event) == len(EVENT)],
    "event": is_whole,
    "head": is_text,
}
OPTIONS = {
    "board": ("london", "london-milton-bradley"),
    "players": lambda people: has_form(people, [is_whole]) and len(people) == 2,
    "pawns": tuple(HANDS),
    "detective_tickets": numbers_by(PLAIN),
    "mr_x_tickets": numbers_by(HIS_TICKETS),
    "black": ("per_pawn", is_whole),
    "mr_x_supply": ("counted", "unlimited"),
    "surfacing": [is_whole],
    "log_windows": is_whole,
    "max_rounds": (None, is_whole),
    "full_log_wins": ("after_reply", "at_once", "no"),
    "turn_order": ("seats", "fixed", "any"),
    "start_cards": ([is_whole], {MR_X: [is_whole], DETECTIVES: [is_whole]}),
    "blocked": ("retry", "out"),
    "voluntary_surfacing": is_flag,
    "cut_off": is_flag,
    "mr_x_onto_detective": ("forbidden", "loses"),
    "both_stuck": (MR_X, "draw", DETECTIVES),
    "team_talk": is_text,
}
OPENING = {
    "key": is_hash,
    "stations": [is_whole],
    "transports": [TRANSPORTS],
    "deck": (None, [[is_whole]]),
}
SEALED = {"window": is_whole, "station": is_hash, "transport": is_hash}
OPENED = {"window": is_whole, "station": is_whole, "salt": is_hash}
RIDE = r"(taxi|bus|underground|black) (\?|[1-9][0-9]{0,2})"
HIS = re.compile(rf"(?:{RIDE}|double {RIDE} {RIDE})( surface((?: [a-z]+:[a-z]+)*))?")
DETECTIVE = re.compile(r"([a-z]+) (taxi|bus|underground) ([1-9][0-9]{0,2})")


def read_detective(pawn: str, notation: Any) -> tuple[str, int]:
    """Return (ticket, station) of `red taxi 46`."""
    found = DETECTIVE.fullmatch(notation) if isinstance(notation, str) else None
    if found is None or found[1] != pawn:
        raise Refused(f"{shown(notation)} is no move of {pawn}")
    return found[2], int(found[3])


def read_his(notation: Any) -> HisMove:
    """Parse `taxi ?`, `double taxi ? bus 58`, `taxi 46 surface red:taxi green:bus`."""
    found = HIS.fullmatch(notation) if isinstance(notation, str) else None
    if found is None:
        raise Refused(f"{shown(notation)} is no move of Mr. X")
    pairs = [(found[i], found[i + 1]) for i in (1, 3, 5) if found[i]]
    rides = [(ticket, None if station == "?" else int(station)) for ticket, station in pairs]
    if found[7] is None:
        return HisMove(rides, None)
    taken = [part.split(":") for part in found[8].split()]
    need(len(taken) == len({pawn for pawn, _ in taken}), "he takes two tickets from one pawn")
    need(all(has_form(kind, PLAIN) for _, kind in taken), "he takes a ticket that there is not")
    return HisMove(rides, dict(taken))


def read_sealed(data: dict[str, Any]) -> list[tuple[int, str, str]]:
    """Return (window, commitment to the station, to the transport) of each window the move filled."""
    need(has_form(data.get("sealed"), [SEALED]), "the commitments of this move are missing or malformed")
    return [(one["window"], one["station"], one["transport"]) for one in data["sealed"]]


def read_opened(data: dict[str, Any]) -> dict[int, tuple[int, str]]:
    """Return (station, salt) by window, for the windows opened with this move."""
    opened = data.get("opened", [])
    need(has_form(opened, [OPENED]), "what was opened is malformed")
    found = {one["window"]: (one["station"], one["salt"]) for one in opened}
    need(len(found) == len(opened), "a window was opened twice")
    return found


def is_opening(value: Any) -> bool:
    return has_form(value, OPENING) and len(value["stations"]) == len(value["transports"]) + 1


def shown(value: Any, quoted: bool = True) -> str:
    """Return any input in a printable form: short, and without control characters."""
    text = value if isinstance(value, str) else type(value).__name__
    text = ascii(text[:80])
    return text if quoted else text[1:-1]


def named(windows: list[int]) -> str:
    return "no window" if not windows else "window " + " and ".join(map(str, windows))


def listed(pawns: Sequence[str]) -> str:
    return ", ".join(pawns) or "nobody"


# The boards ----------------------------------------------------------------------------------------------------------


class Board:
    """A board: stations and lines. `lines[transport][station]` are the next stops."""

    def __init__(self, name: str) -> None:
        self.lines: dict[str, dict[int, set[int]]] = {}
        self._over: dict[tuple[str, int, int], frozenset[int]] = {}
        for transport, text in LONDON.items():
            self.lines[transport] = {}
            removed, added = CHANGES.get((name, transport), ("", ""))
            for a, b, over in read_lines(text, removed, added, RENUMBERED.get(name, {})):
                self.lines[transport].setdefault(a, set()).add(b)
                self.lines[transport].setdefault(b, set()).add(a)
                self._over[transport, a, b] = self._over[transport, b, a] = frozenset(over)
        self.stations = set(self.lines["taxi"])

    def passed(self, transport: str, start: int, end: int) -> frozenset[int]:
        """Return the stations that a line passes over."""
        return self._over[transport, start, end]

    def digest(self) -> str:
        """Return the hash of the board, in hex."""
        lines = {
            transport: sorted([a, b] for a, ends in stops.items() for b in ends if a < b)
            for transport, stops in self.lines.items()
        }
        over = sorted([way, a, b, sorted(between)] for (way, a, b), between in self._over.items() if between and a < b)
        return digest({"lines": lines, "passes_over": over}).hex()


def read_lines(text: str, removed: str, added: str, renumbered: dict[int, int]) -> Iterator[tuple[int, int, list[int]]]:
    """Return (from, to, stations passed over) of each line in a text such as `1-46(9) 1-58(8,18)`."""
    for line in [line for line in text.split() if line not in removed.split()] + added.split():
        numbers = [int(number) for number in re.findall("[0-9]+", line)]
        first, last, *over = [renumbered.get(number, number) for number in numbers]
        yield min(first, last), max(first, last), over


# The Milton Bradley board is the same with other numbers, and a bus instead of a taxi between 198 and 199.
RENUMBERED = {"london-milton-bradley": {108: 118, 118: 128, 128: 159, 159: 171, 171: 200}}
CHANGES = {
    ("london-milton-bradley", "taxi"): ("198-199", ""),
    ("london-milton-bradley", "bus"): ("", "185-199(198) 187-199(198)"),
}
LONDON = {
    "taxi": """
        1-8 1-9 2-10 2-20 3-4 3-11 3-12 4-13 5-15 5-16 6-7 6-29 7-17 8-18 8-19 9-19 9-20 10-11 10-21 10-34 11-22 12-23
        13-14 13-23 13-24 14-15 14-25 15-16 15-26 15-28 16-28 16-29 17-29 17-30 18-31 18-43 19-32 20-33 21-33 22-23
        22-34 22-35 23-37 24-37 24-38 25-38 25-39 26-27 26-39 27-28 27-40 28-41 29-41 29-42 30-42 31-43 31-44 32-33
        32-44 32-45 33-46 34-47 34-48 35-36 35-48 35-65 36-37 36-49 37-50 38-50 38-51 39-51 39-52 40-41 40-52 40-53
        41-54 42-56 42-72 43-57 44-58 45-46 45-58 45-59 45-60 46-47 46-61 47-62 48-62 48-63 49-50 49-66 51-52 51-67
        51-68 52-69 53-54 53-69 54-55 54-70 55-71 56-91 57-58 57-73 58-59 58-74 58-75 59-75 59-76 60-61 60-76 61-62
        61-76 61-78 62-79 63-64 63-79 63-80 64-65 64-81 65-66 65-82 66-67 66-82 67-68 67-84 68-69 68-85 69-86 70-71
        70-87 71-72 71-89 72-90 72-91 73-74 73-92 74-75 74-92 75-94 76-77 77-78 77-95 77-96 78-79 78-97 79-98 80-99
        80-100 81-82 81-100 82-101 83-101 83-102 84-85 85-103 86-103 86-104 87-88 88-89 88-117 89-105 90-91 90-105
        91-105 91-107 92-93 93-94 94-95 95-122 96-97 96-109 97-98 97-109 98-99 98-110 99-110 99-112 100-101 100-112
        100-113 101-114 102-103 102-115 104-116 105-106 105-108 106-107 107-119 108-117 108-119 109-110 109-124 110-111
        111-112 111-124 112-125 113-114 113-125 114-115 114-126 114-131 114-132 115-126 115-127 116-117 116-118 116-127
        117-129 118-129 118-134 118-142 119-136 120-121 120-144 121-122 121-145 122-123 122-146 123-124 123-137 123-148
        123-149 124-130 124-138 125-131 126-127 126-140 127-133 127-134 128-142 128-143 128-160 128-172 128-188 129-135
        129-142 129-143 130-131 130-139 132-140 133-140 133-141 134-141 134-142 135-136 135-143 135-161 136-162 137-147
        138-150 138-152 139-140 139-153 139-154 140-154 140-156 141-142 141-158 142-143 142-158 143-160 144-145 144-177
        145-146 146-147 146-163 147-164 148-149 148-164 149-150 149-165 150-151 151-152 151-165 151-166 152-153 153-154
        153-166 153-167 154-155 155-156 155-167 155-168 156-157 156-169 157-158 157-170 158-159 159-170 159-172 159-186
        159-198 160-161 160-173 161-174 162-175 163-177 164-178 164-179 165-179 165-180 166-181 166-183 167-168 167-183
        168-184 169-184 170-185 171-173 171-175 171-199 172-187 173-174 173-188 174-175 176-177 176-189 178-189 178-191
        179-191 180-181 180-193 181-182 181-193 182-183 182-195 183-196 184-185 184-196 184-197 185-186 186-198 187-188
        187-198 188-199 189-190 190-191 190-192 191-192 192-194 193-194 194-195 195-197 196-197 198-199
    """,
    "bus": """
        1-46(9) 1-58(8,18,31,44) 3-22(11) 3-23(12) 7-42(17) 13-14 13-23 13-52(25,39) 14-15 15-29(16) 15-41(28) 22-23
        22-34 22-65(35) 23-67(37,50) 29-41 29-42 29-55 34-46(47) 34-63 41-52(40) 41-87(54,70) 42-72 46-58(45) 46-78(61)
        52-67(51) 52-86(69) 55-89(71) 58-74 58-77(59,76) 63-65(64) 63-79 63-100(80) 65-67(66) 65-82 67-82 67-102
        72-105(90) 72-107(91) 74-94 77-78 77-94(95) 77-124 78-79 82-100(81) 82-140(101,114,132) 86-87 86-102(103)
        86-116(104) 87-105(88) 89-105 93-94 100-111(112) 102-127(115) 105-107(106) 105-108 107-161(119,136) 108-116(117)
        108-135 111-124 116-127 116-142(118) 122-123 122-144(121,120) 123-124 123-144(137,147,146,145) 123-165(149)
        124-153(138,152) 127-133 128-135(143) 128-142 128-161(160) 128-187(172) 128-199(188) 133-140 133-157 135-161
        140-154 140-156 142-157(158) 144-163 153-154 153-180(166,181) 153-184(167,168) 154-156(155) 156-157 156-184(169)
        157-185(170) 161-199(174,175,171) 163-176(177) 163-191(178) 165-180 165-191(179) 176-190(189)
        180-184(193,194,195,196) 180-190(192) 184-185 185-187(198) 190-191
    """,
    "underground": """
        1-46(9) 13-46(23,22,34,47) 13-67(50) 13-89(14,15,16,29,55,71) 46-74(45,58) 46-79(61,62) 67-79(66,65,64,63)
        67-89(68) 67-111(83,101,100,112) 79-93(78,77,95,94) 79-111(98,110) 89-128(105,108,135,143)
        89-140(88,104,115,126) 111-153(130,139) 111-163(124,123,137,147) 128-140(142,141,133) 128-185(172,187,198)
        140-153(154) 153-163(165,164) 153-185(167,168,184)
    """,
    "ferry": """
        108-115 115-157 157-194
    """,
}


if __name__ == "__main__":
    sys.exit(main())
