"""An operator's act on a game is a public event with a reason, in the sealed log, and a mail to all."""

from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import select

from blackticket.standalone import verifier
from server.application.lobby import hosting
from server.application.lobby.seats import substitute
from server.application.operator import remedies
from server.models import Event, Player, session
from server.vocabulary.errors import Problem
from tests.rows import for_each
from tests.scenes import chase, hunt, text_of
from tests.table import Playing, Table

REASON = "the relay was down for a day"


def act(game: Playing, what: Callable[[], object]) -> None:
    with game.table.app.app_context():
        what()
        session.remove()


@pytest.fixture
def hunted(table: Table) -> Playing:
    """Round 9, the detectives' half, until Tuesday 18:00."""
    return hunt(table)


def test_an_extension_gives_more_time_on_top_and_the_reminder_comes_later_too(hunted: Playing):
    act(hunted, lambda: remedies.extend(hunted.id, "P1D", REASON))
    assert hunted.view()["due_at"] == "2026-11-25T18:00:00Z"
    hunted.table.tick()
    had = len(hunted.people[1].mails)
    hunted.table.clock.turn(hours=37)
    hunted.table.tick()
    assert len(hunted.people[1].mails) == had
    hunted.table.clock.turn(hours=34)
    hunted.table.tick()
    assert (hunted.view()["turn"], len(hunted.people[1].mails)) == (2, had + 1)
    hunted.table.clock.turn(hours=2)
    hunted.table.tick()
    assert hunted.view()["round"] == 2


def test_an_extension_is_told_to_all_with_its_reason(hunted: Playing):
    act(hunted, lambda: remedies.extend(hunted.id, "P1DT6H", REASON))
    hunted.table.tick()
    for person in hunted.people:
        mail = " ".join(text_of(person.mails[-1]).split())
        assert "1 day and 6 hours more for these moves" in mail
        assert f'"{REASON}"' in mail
    steps = hunted.people[1].get(f"{hunted.path}/deadline").json
    assert steps["due_at"] == "2026-11-26T00:00:00Z"
    assert any("given by the operator" in step for step in steps["steps"])


def test_a_game_can_be_ended_without_a_winner_and_taken_up_again(hunted: Playing):
    act(hunted, lambda: remedies.void(hunted.id, REASON))
    assert hunted.view(hunted.people[1])["outcome"] | {"final_at": ""} == {
        "winner": "draw", "reason": "voided", "final": False, "final_at": "",
    }  # fmt: skip
    hunted.table.tick()
    mail = " ".join(text_of(hunted.people[1].mails[-1]).split())
    assert f'the operator has ended it. This reason was given: "{REASON}"' in mail
    assert hunted.view(hunted.people[1])["pawns"]["mr_x"]["station"] is None
    act(hunted, lambda: remedies.reinstate(hunted.id, "that was the wrong game"))
    assert hunted.view()["status"] == "running"


@for_each("length", ["P0D", "P366D", "soon", "P1M", ""])
def test_a_length_that_makes_no_sense_is_refused(hunted: Playing, length: str):
    with hunted.table.app.app_context(), pytest.raises(Problem) as refused:
        remedies.extend(hunted.id, length, REASON)
    assert refused.value.code == "form"
    assert hunted.view()["due_at"] == "2026-11-24T18:00:00Z"


def acts(game: Playing) -> dict[str, Callable[[str], object]]:
    """Return what the operator can do to a running game, and to an ended one, by the kind of the event."""
    gus = game.table.person("Gus")
    return {
        "extended": lambda reason: remedies.extend(game.id, "P1D", reason),
        "host": lambda reason: hosting.appoint(game.id, 2, reason),
        "substituted": lambda reason: substitute(game.id, 3, session.get_one(Player, gus.id), reason),
        "unsealed": lambda reason: remedies.unseal(game.id, reason),
        "voided": lambda reason: remedies.void(game.id, reason),
        "reinstated": lambda reason: remedies.reinstate(game.id, reason),
    }


def test_every_act_is_an_event_of_the_chain_with_its_reason_and_the_verifier_takes_it(table: Table, tmp_path: Path):
    game = chase(table)
    for kind, do in acts(game).items():
        act(game, lambda do=do: do(f"{REASON}, again"))
        with table.app.app_context():
            event = session.scalars(select(Event).where(Event.game_id == game.id, Event.kind == kind)).one()
            assert (event.data["reason"], event.head is None) == (f"{REASON}, again", False)
    transcript = tmp_path / "transcript.json"
    transcript.write_text(game.people[1].get(f"{game.path}/transcript").text)
    assert verifier.examine([str(transcript)])[0] == 0
    table.tick()
    kinds = {mail["Subject"] for mail in game.people[4].mails}
    assert len(kinds) >= 5


def test_no_act_takes_a_reason_that_names_a_player(table: Table):
    game = chase(table)
    for do in acts(game).values():
        with table.app.app_context(), pytest.raises(Problem) as refused:
            do("Cleo asked for it")
        assert refused.value.code in ("form", "game-not-running")
    assert game.view()["status"] == "running"


def test_no_act_finds_a_game_that_is_not_there(table: Table):
    for do in (lambda: remedies.extend("aaaa", "P1D", REASON), lambda: remedies.void("aaaa", REASON),
               lambda: hosting.appoint("aaaa", 1, REASON), lambda: remedies.reinstate("aaaa", REASON)):  # fmt: skip
        with table.app.app_context(), pytest.raises(Problem, match="There is no such game"):
            do()
