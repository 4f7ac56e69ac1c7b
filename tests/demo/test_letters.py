"""The mails of the demo's players are such as the server has to read."""

from types import TracebackType
from typing import Any

import pytest

from blackticket.demo.letters import Letter, MailProgram
from server.mail.reading.message import read
from server.mail.reading.quoting import MARKER
from tests.table import Playing, Table


def letter_to(table: Table, name: str) -> Letter:
    table.tick()
    newest = table.post.of(f"{name.lower()}@example.org")[-1]
    return Letter.read(newest.as_bytes())


@pytest.fixture
def letter(table: Table, game: Playing) -> Letter:
    game.move(game.people[0])
    return letter_to(table, "Ben")


def test_of_an_answer_the_server_reads_the_players_own_line_alone(letter: Letter):
    sent: list[bytes] = []

    class Wire:
        def __init__(self, *_: Any, **__: Any) -> None: ...
        def __enter__(self) -> "Wire":
            return self

        def __exit__(self, kind: type | None, error: BaseException | None, at: TracebackType | None) -> None: ...
        def sendmail(self, sender: str, recipients: list[str], raw: bytes) -> None:
            sent.append(raw)

    MailProgram(("127.0.0.1", 25), "Ben", "ben@example.org", Wire).answer(letter, "taxi 46")
    assert read(sent[0], marker=MARKER).lines == ("taxi 46",)


def test_the_choices_in_a_letter_are_the_legal_moves(game: Playing, letter: Letter):
    offered = {f"purple {ticket} {station}" for ticket, station in letter.choices}
    assert offered == set(game.legal(game.people[1]))


def test_a_letter_names_the_moves_of_the_house(table: Table, game: Playing):
    game.move(game.people[0])
    table.clock.turn(days=2)
    table.tick()
    late = set(game.view(game.people[1])["history"][1:6])
    game.move(game.people[0])
    assert letter_to(table, "Ben").server_moves == late
