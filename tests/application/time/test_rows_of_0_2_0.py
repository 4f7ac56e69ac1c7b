"""Rows that 0.2.0 wrote have sentences in place of codes, and are shown with the same words."""

from typing import Any

import pytest

from server.application.operator import remedies
from server.models import Deadline, Game, Outgoing, session, transaction
from tests.positions import position
from tests.scenes import hunt, text_of
from tests.table import Playing, Table


@pytest.fixture
def hunted(table: Table) -> Playing:
    """Round 9, the detectives' half, until Tuesday 18:00."""
    return hunt(table)


def extend(game: Playing, length: str) -> None:
    """Give more time, as the operator."""
    with game.table.app.app_context():
        remedies.extend(game.id, length, "nobody was here")
        session.remove()


def deadline(game: Playing, seat: int) -> Any:
    """Return the steps of a deadline in words, as a player reads them."""
    return game.people[seat].get(f"{game.path}/deadline").json["steps"]


def timeout(game: Playing) -> Deadline:
    """Return the row of the timeout that runs."""
    return session.query(Deadline).filter_by(game_id=game.id, kind="timeout", state="armed").one()


def test_more_time_of_0_2_0_stays_in_the_steps_of_a_deadline(hunted: Playing):
    extend(hunted, "P1DT6H")
    shown = deadline(hunted, 1)
    with hunted.table.app.app_context(), transaction():
        row = timeout(hunted)
        (first, *_, last) = row.steps or ()
        row.steps = [
            ["from", "from {}", first[2], None],
            ["given", "the detectives have 2 days", None, None],
            ["more", "1 day and 6 hours more, given by the operator", None, None],
            ["due", "due {}", last[2], None],
        ]
        row.more = [["P1DT6H", "given by the operator"]]
    assert deadline(hunted, 1) == shown
    extend(hunted, "PT1H")
    assert deadline(hunted, 1)[1:-1] == [*shown[1:-1], "1 hour more, given by the operator"]
    with hunted.table.app.app_context():
        assert [step[1] for step in timeout(hunted).steps or ()][1:-1] == [
            {"length": "P2D"},
            {"length": "P1DT6H", "why": "operator"},
            {"length": "PT1H", "why": "operator"},
        ]


def test_a_pause_of_0_2_0_is_told_in_the_steps_of_a_deadline(hunted: Playing):
    begin, end = "2026-11-22T19:00:00+00:00", "2026-11-23T07:00:00+00:00"
    with hunted.table.app.app_context(), transaction():
        session.get_one(Game, hunted.id).pauses = [[begin, end, "paused by vote"]]
    extend(hunted, "PT1H")
    assert "paused by vote, until 2026-11-23T07:00:00Z" in deadline(hunted, 1)
    with hunted.table.app.app_context():
        assert {"pause": "vote"} in [step[1] for step in timeout(hunted).steps or ()]


@pytest.mark.parametrize("is_of_0_2_0", [True, False])
def test_a_move_that_came_back_is_told_with_the_reason_of_its_turn(table: Table, is_of_0_2_0: bool):
    game = table.game(table.people(4), position=position(104, purple=18, red=1, green=46))
    ada, ben, cleo, _dan = game.people
    game.move(ada, "taxi 86")
    game.move(cleo, "red taxi 8")
    game.move(ben, "purple taxi 8")
    reason = "Another detective stands on 8; move to a free station."
    with table.app.app_context(), transaction():
        row = session.query(Outgoing).filter_by(kind="returned").one()
        assert row.details == {"moves": [{"notation": "red taxi 8", "turn": 3}]}
        if is_of_0_2_0:
            row.details = {"moves": [{"notation": "red taxi 8", "why": reason}]}
    table.tick()
    told = " ".join(text_of(cleo.mails[-1]).split())
    assert f'You had sent "red taxi 8" ahead. {reason} It was not played.' in told


def test_a_held_move_that_came_back_is_told_with_the_reason_of_its_turn(table: Table):
    game = table.game(table.people(4), position=position(104, purple=18, red=1, green=46))
    ada, ben, cleo, dan = game.people
    game.move(ada, "taxi 86")
    table.tick()
    cleo.request("PATCH", "/me/preferences", json={"hold": "always"})
    cleo.reply("red taxi 8")
    table.tick()
    game.move(ben, "purple taxi 8")
    game.move(dan, "green taxi 61")  # sent ahead
    table.clock.turn(hours=3)
    table.tick()
    told = " ".join(text_of(cleo.mails[-1]).split())
    assert 'I was to play "red taxi 8". Another detective stands on 8; move to a free station. It was not' in told
