"""The mails of a game that wait for the same player become one: which is sent, and which are told in it."""

from types import SimpleNamespace
from typing import Any

import pytest

from server.mail.writing.merging import merged


def waiting(kind: str, event: int, **others: Any) -> Any:
    facts: dict[str, Any] = {
        "id": f"{kind} {event}",
        "game_id": "g",
        "player_id": "p",
        "cause": "",
        "message": None,
        "said": None,
        "details": {"carried": kind == "decided"},
    }
    return SimpleNamespace(kind=kind, event=event, **(facts | others))


@pytest.mark.parametrize(
    ("mails", "sent"),
    [
        (["turn 3", "draw 3"], {"turn 3": ["draw 3"]}),
        (["turn 3", "returned 3"], {"returned 3": ["turn 3"]}),
        (["turn 3", "late 4"], {"late 4": ["turn 3"]}),
        (["late 3", "turn 4"], {"turn 4": ["late 3"]}),
        (["decided 4", "resigned 5", "ended 6"], {"ended 6": ["decided 4", "resigned 5"]}),
        (["offered 3", "decided 3", "offered 4"], {"decided 3": ["offered 3", "offered 4"]}),
        # The deadline that the turn mail tells is not that of now any more.
        (["turn 3", "decided 4", "draw 4"], {"turn 3": ["draw 4"], "decided 4": []}),
        (["turn 3", "extended 4"], {"turn 3": [], "extended 4": []}),
        (["decided 3", "turn 4"], {"turn 4": ["decided 3"]}),
        # A question is answered at an address of its own, and these tell the situation otherwise.
        (["turn 3", "vote 3"], {"turn 3": [], "vote 3": []}),
        (["moved 3", "turn 2"], {"moved 3": [], "turn 2": []}),
        (["overdue 3", "turn 2"], {"overdue 3": [], "turn 2": []}),
        # So is an answer to a command, but for one to moves, which has news.
        (["answer 3", "ended 3"], {"answer 3": [], "ended 3": []}),
        (["answered 3", "turn 4"], {"turn 4": ["answered 3"]}),
        (["answered 3", "ended 3"], {"ended 3": ["answered 3"]}),
        (["answered 4", "turn 3"], {"answered 4": [], "turn 3": []}),
        (["answered 3", "talk 3", "talk 4"], {"answered 3": [], "talk 4": ["talk 3"]}),
    ],
)  # fmt: skip
def test_one_is_sent_and_tells_the_others(mails: list[str], sent: dict[str, list[str]]):
    rows = [_read(mail) for mail in mails]
    assert {mail.id: [one.id for one in told] for mail, told in merged(rows)} == sent


def _read(mail: str) -> Any:
    kind, event = mail.split()
    if kind == "answered":
        return waiting("answer", int(event), id=mail, details={"news": "Understood and played."})
    return waiting(kind, int(event))


@pytest.mark.parametrize("other", [{"game_id": "h"}, {"player_id": "q"}, {"message": b"written, and tried before"}])
def test_mails_of_other_games_and_players_stay_apart_and_so_do_those_that_are_written(other: dict[str, Any]):
    assert [told for _, told in merged([waiting("turn", 3), waiting("draw", 3, **other)])] == [(), ()]
