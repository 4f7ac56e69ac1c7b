"""A game whose rows are damaged is closed to moves and named; its rows are rebuilt, and it is played on, or it ends."""

import json
import random
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from sqlalchemy import delete, func, select, update

from blackticket.standalone import verifier
from server import worker
from server.application.game import verification
from server.application.operator import alerts
from server.application.operator.remedies import close, rebuild, void
from server.cli import main
from server.models import (
    Deadline,
    Event,
    Game,
    Move,
    Outgoing,
    execute,
    insert,
    session,
    transaction,
)
from server.runtime.game_cache import GameCache
from server.vocabulary.errors import Problem
from tests.injected import START, for_command
from tests.invariant import BrokenGame, broken_games
from tests.kept import again
from tests.scenes import dealing, has_run, text_of
from tests.table import Person, Playing, Table

REASON = "a mail left half of itself behind"
Damage = Callable[[Game], Any]

pytestmark = pytest.mark.breaks_games


def _begun(table: Table) -> Playing:
    """Ben moves Purple and Red, Cleo Green and Yellow; Mr. X and Purple have moved, and it is Red's turn."""
    people = table.people(3)
    with dealing(table, 103, 26, 29, 34, 50):
        game = table.game(people, options={"log_windows": 2, "surfacing": [2]})
    game.move(people[0], "taxi 86")
    game.move(people[1], "purple taxi 15")
    table.tick()
    return game


@pytest.fixture
def begun(table: Table) -> Playing:
    return again(table, _begun)


# Damages ------------------------------------------------------------------------------------------


def moved_on(game: Game) -> None:
    """A refused mail left the row of its first move behind, and its public event, and nothing else."""
    before = session.get_one(Event, (game.id, game.events - 1))
    game.turn, game.events, game.head, game.happened_at = 2, before.number, before.head, before.at


def row(**values: Any) -> Damage:
    """Columns of the game's own row are wrong."""

    def damage(game: Game) -> None:
        for name, value in values.items():
            setattr(game, name, value)

    return damage


def statement(build: Callable[[Game], Any]) -> Damage:
    return lambda game: session.execute(build(game), execution_options={"synchronize_session": False})


def of_move(turn: int) -> Any:
    return lambda game: (Move.game_id == game.id, Move.turn == turn)


def another_row(game: Game) -> None:
    made = {"pawn": "red", "notation": "red taxi 41", "by": "player", "made_at": START}
    execute(insert(Move), {"game_id": game.id, "turn": 3, **made})


REBUILT: dict[str, tuple[Damage, str]] = {
    "half of a refused mail": (moved_on, "column turn is 2 and should be 3"),
    "turn": (row(turn=7), "column turn is 7 and should be 3"),
    "no turn": (row(turn=None), "column turn is None and should be 3"),
    "side": (row(side="mr_x"), "column side is mr_x and should be detectives"),
    "round": (row(round=4), "column round is 4 and should be 1"),
    "over": (row(status="over", winner="mr_x", reason="resigned"), "column status is over and should be running"),
    "open": (row(status="open", started_at=None), "column status is open and should be running"),
    "final": (row(final=True), "column final is True and should be False"),
    "head": (row(head="a" * 52), "column head is"),
    "no head": (row(head=None), "column head is"),
    "few events": (row(events=3), "column events is 3"),
    "many events": (row(events=99), "column events is 99"),
    "time of the newest event": (row(happened_at=START - timedelta(days=1)), "column happened_at is"),
    "no timers": (statement(lambda game: delete(Deadline).where(Deadline.game_id == game.id)),
                  "Nothing is due in it"),
    "row without event": (another_row, "Move 3 has a row and was never made public"),
    "event without row": (statement(lambda game: delete(Move).where(*of_move(2)(game))),
                          "Move 2 is public, and its row is missing"),
}  # fmt: skip

# The public log itself is whole in these.
ROWS_LOST: dict[str, tuple[Damage, str]] = {
    "move of Mr. X's": (statement(lambda game: delete(Move).where(*of_move(1)(game))), "Move 1 is public"),
    "another move": (statement(lambda game: update(Move).where(*of_move(2)(game)).values(notation="purple taxi 27")),
                     "The row of move 2 and its public event"),
    "another pawn": (statement(lambda game: update(Move).where(*of_move(2)(game)).values(pawn="red")),
                     "The row of move 2 and its public event"),
    "another move of Mr. X's": (statement(lambda game: update(Move).where(*of_move(1)(game)).values(
                                notation="taxi 102")), "The row of move 1 and its public event"),
    "illegal": (statement(lambda game: update(Move).where(*of_move(2)(game)).values(notation="purple taxi 199")),
                "Move 2 is not legal"),
    "start card": (row(mr_x_start=104), "What it began with cannot be rebuilt"),
    "no start card": (row(mr_x_start=None), "What it began with cannot be rebuilt"),
    "key": (row(log_secrets=None), "What it began with cannot be rebuilt"),
}  # fmt: skip
LOG_BROKEN: dict[str, tuple[Damage, str]] = {
    "event changed": (statement(lambda game: update(Event).where(
                      Event.game_id == game.id, Event.kind == "started").values(data={"starts": {}})),
                      "The sealed log is not whole"),
    "event lost": (statement(lambda game: delete(Event).where(Event.game_id == game.id, Event.kind == "started")),
                   "A public event is missing"),
    "newest event lost": (statement(lambda game: delete(Event).where(
                          Event.game_id == game.id, Event.number == game.events)), "A public event is missing"),
}  # fmt: skip
UNSOUND = ROWS_LOST | LOG_BROKEN


# Acts ---------------------------------------------------------------------------------------------


def broken(begun: Playing, damage: Damage) -> Playing:
    with begun.table.app.app_context():
        with transaction():
            damage(session.get_one(Game, begun.id))
        session.remove()
    return begun


def run(table: Table, *arguments: str) -> Result:
    return CliRunner().invoke(main, arguments, prog_name="blackticket", obj=for_command(table.app))


def verified_at_night(table: Table) -> dict[str, str]:
    """Have the worker verify what has moved; return what is wrong with each game that is closed to moves since."""
    with table.app.app_context():
        table.clock.turn(days=1)
        worker.verify_games()
        closed = verification.closed_games()
        session.remove()
    return closed


def closed(game: Playing, damage: Damage) -> str:
    """Damage a game, have it found, and return what is wrong with it."""
    with broken(game, damage).table.app.app_context():
        verification.close_if_broken(game.id)
        found = verification.closed_games()
        session.remove()
    return found.get(game.id, "")


def wrong(game: Playing) -> list[BrokenGame]:
    with game.table.app.app_context():
        found = list(broken_games())
        session.remove()
    return found


def act(game: Playing, what: Callable[[str, str], object], reason: str = REASON) -> str:
    """Return the sentence with which it was refused, if it was."""
    with game.table.app.app_context():
        try:
            what(game.id, reason)
        except Problem as problem:
            return problem.sentence
        finally:
            session.remove()
    return ""


def done(game: Playing, what: Callable[[str, str], object]) -> None:
    assert act(game, what) == ""
    assert wrong(game) == []


def rebuilt(game: Playing) -> None:
    done(game, lambda game_id, _reason: rebuild(game_id))


def refused(game: Playing) -> str:
    return act(game, lambda game_id, _reason: rebuild(game_id))


# Moves by lot to the end of a game: the turns and moves of each pawn, by the moves before them.
_TO_THE_END: dict[tuple[str, ...], list[tuple[str, dict[str, Any]]]] = {}


def play_on(game: Playing) -> None:
    """Everybody makes moves by lot until the game is over, the same ones in each game that came as far in one way."""
    ada, ben, cleo = game.people
    holders = {"mr_x": ada, "purple": ben, "red": ben, "green": cleo, "yellow": cleo}
    before = tuple(game.view()["history"])
    if before in _TO_THE_END:
        for pawn, body in _TO_THE_END[before]:
            assert holders[pawn].post(f"{game.path}/moves", body).status_code == 201
        assert game.view()["status"] == "over"
    else:
        _TO_THE_END[before] = list(_played(game, holders))
    game.table.tick()


def _played(game: Playing, holders: dict[str, Person]) -> Iterator[tuple[str, dict[str, Any]]]:
    rng = random.Random(1)
    while (view := game.view())["status"] == "running":
        pawn = rng.choice(view["to_move"])
        moves = [move for move in game.legal(holders[pawn]) if pawn in ("mr_x", move.split()[0])]
        body = {"turn": view["turn"], "notation": rng.choice(moves)}
        assert holders[pawn].post(f"{game.path}/moves", body).status_code == 201
        yield pawn, body


def verified(game: Playing, folder: Path) -> tuple[int, dict[str, Any], str]:
    path = folder / "transcript.json"
    path.write_text(game.people[1].get(f"{game.path}/transcript").text)
    return verifier.examine([str(path)])


def events(game: Playing, kind: str) -> list[dict[str, Any]]:
    with game.table.app.app_context():
        query = select(Event.data).where(Event.game_id == game.id, Event.kind == kind).order_by(Event.number)
        return list(session.scalars(query))


def unsent(game: Playing) -> int:
    with game.table.app.app_context():
        left = Outgoing.state.not_in(("sent", "superseded", "suppressed"))
        return session.scalar(select(func.count()).select_from(Outgoing).where(left)) or 0


def told(person: Person, subject: str) -> str:
    """Return the text of the newest mail to somebody, whose subject says so."""
    mail = person.mails[-1]
    assert subject in mail["Subject"], mail["Subject"]
    return " ".join(text_of(mail).split())


# Closed to moves ----------------------------------------------------------------------------------


def test_a_game_without_damage_is_not_closed_and_not_rebuilt(begun: Playing):
    assert verified_at_night(begun.table) == {}
    assert "nothing to rebuild" in refused(begun)


def test_at_night_the_worker_verifies_what_has_moved_since_and_closes_what_fails(begun: Playing):
    assert verified_at_night(begun.table) == {}
    broken(begun, row(turn=7))
    assert verified_at_night(begun.table) == {}, "nothing has happened in it"
    broken(begun, row(happened_at=begun.table.clock()))
    assert verified_at_night(begun.table) == {begun.id: "Its column turn is 7 and should be 3."}


def test_nobody_moves_in_a_game_that_is_closed_and_everybody_may_look(begun: Playing):
    assert closed(begun, row(events=99))
    answer = begun.people[1].post(f"{begun.path}/moves", {"turn": 3, "notation": "red taxi 16"})
    assert (answer.status_code, answer.json["type"]) == (409, "game-not-running")
    assert "This game is closed" in answer.json["detail"]
    assert begun.view()["history"] == ["taxi 86", "purple taxi 15"]


def test_a_mail_with_a_move_in_a_game_that_is_closed_is_answered(begun: Playing):
    assert closed(begun, row(events=99))
    begun.people[1].reply("red taxi 16")
    begun.table.tick()
    assert "This game is closed" in " ".join(text_of(begun.people[1].mails[-1]).split())


@pytest.mark.parametrize("name", ["move of Mr. X's", "illegal", "start card", "no start card"])
def test_a_game_that_cannot_be_rebuilt_when_it_is_loaded_is_closed_at_once(
    begun: Playing, name: str, caplog: pytest.LogCaptureFixture
):
    broken(begun, ROWS_LOST[name][0])
    begun.table.runtime.game_cache = GameCache()
    answer = begun.people[1].post(f"{begun.path}/moves", {"turn": 3, "notation": "red taxi 16"})
    assert (answer.status_code, answer.json["type"]) == (409, "game-not-running")
    with begun.table.app.app_context():
        assert ROWS_LOST[name][1] in verification.closed_games()[begun.id]
        sentence = alerts.CAUSES["broken-games"]()
        session.remove()
    assert sentence is not None
    assert begun.id in sentence
    assert f"game {begun.id} is closed to moves" in caplog.text
    assert not {"86", "103", "102", "104"} & {*caplog.text.replace(".", " ").split()}


def test_no_finding_tells_a_station_of_mr_x(begun: Playing):
    for damage, _ in (REBUILT | UNSOUND).values():
        with begun.table.app.app_context():
            with transaction():
                game = session.get_one(Game, begun.id)
                damage(game)
                session.flush()
                found = verification.verify(game) or ""
                session.expire_all()
                session.rollback()
            session.remove()
        assert found
        assert not {"86", "103", "102", "104"} & {*found.replace(".", " ").split()}, found


# Rebuilt ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", REBUILT)
def test_rows_that_differ_from_moves_and_events_are_named_and_rebuilt(begun: Playing, name: str):
    damage, finding = REBUILT[name]
    before = begun.view()["due_at"], unsent(begun)
    assert finding in closed(begun, damage)
    rebuilt(begun)
    assert events(begun, "repaired") == []
    assert (begun.view()["due_at"], unsent(begun)) == before
    begun.move(begun.people[1], "red taxi 16")


@pytest.mark.parametrize("name", ["half of a refused mail", "over", "no timers", "event without row"])
def test_a_game_whose_rows_were_rebuilt_is_played_to_its_end(begun: Playing, name: str, tmp_path: Path):
    assert closed(begun, REBUILT[name][0])
    rebuilt(begun)
    play_on(begun)
    assert (wrong(begun), unsent(begun)) == ([], 0)
    status, facts, sentences = verified(begun, tmp_path)
    assert (status, facts["opened"]) == (0, True), sentences


def test_whose_timers_are_lost_gets_the_whole_time_again(begun: Playing):
    assert closed(begun, REBUILT["no timers"][0])
    begun.table.clock.turn(hours=5)
    rebuilt(begun)
    assert begun.view()["due_at"] == "2026-11-24T23:00:00Z"


def test_a_game_is_rebuilt_more_than_once(begun: Playing):
    for _ in range(2):
        assert closed(begun, REBUILT["no timers"][0])
        rebuilt(begun)
    play_on(begun)


def test_what_another_process_keeps_in_memory_from_before_is_not_used(begun: Playing):
    """The row that is dropped was counted, and a process that looked at the game keeps it."""
    broken(begun, another_row)
    broken(begun, row(turn=4))
    assert begun.view()["pawns"]["red"]["station"] == 41
    kept, begun.table.runtime.game_cache = begun.table.runtime.game_cache, GameCache()  # the command has its own
    rebuilt(begun)
    begun.table.runtime.game_cache = kept
    assert begun.view()["pawns"]["red"]["station"] == 29
    play_on(begun)


def test_a_provisional_result_whose_timer_is_lost_becomes_final(begun: Playing, tmp_path: Path):
    begun.contest()
    begun.people[0].post(f"{begun.path}/resign")
    broken(begun, statement(lambda game: delete(Deadline)))
    assert closed(begun, row(turn=7))
    rebuilt(begun)
    begun.table.clock.turn(days=2)
    begun.table.tick()
    assert begun.view()["outcome"]["final"]
    assert verified(begun, tmp_path)[1]["opened"]


# Ended --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["open", "no timers", "event without row"])
def test_a_game_that_could_be_rebuilt_can_be_ended_void_like_any_other(begun: Playing, name: str, tmp_path: Path):
    assert closed(begun, REBUILT[name][0])
    done(begun, void)
    outcome = begun.view(begun.people[1])["outcome"]
    assert (outcome["winner"], outcome["reason"], outcome["final"]) == ("draw", "voided", False)
    begun.table.tick()
    for person in begun.people:
        assert REASON in told(person, "The game is over without a winner")
    begun.table.clock.turn(days=2)
    begun.table.tick()
    assert verified(begun, tmp_path)[1]["opened"]
    assert wrong(begun) == []


@pytest.mark.parametrize("name", UNSOUND)
def test_a_game_whose_moves_and_events_do_not_agree_is_not_rebuilt_and_can_be_ended(begun: Playing, name: str):
    assert UNSOUND[name][1] in closed(begun, UNSOUND[name][0])
    assert "It can be ended void: blackticket game end" in refused(begun)
    done(begun, close)
    outcome = begun.view(begun.people[1])["outcome"]
    assert (outcome["winner"], outcome["reason"], outcome["final"]) == ("draw", "voided", True)
    begun.table.tick()
    assert unsent(begun) == 0
    for person in begun.people:
        assert "A fault of the server had damaged the game" in told(person, "The game is over")


@pytest.mark.parametrize("name", ROWS_LOST)
def test_the_public_log_of_a_game_whose_rows_were_lost_holds_and_is_not_open(begun: Playing, name: str, tmp_path: Path):
    broken(begun, ROWS_LOST[name][0])
    done(begun, void)
    status, facts, sentences = verified(begun, tmp_path)
    assert (status, facts["opened"], facts["outcome"]["reason"]) == (0, False, "voided"), sentences
    assert "it was not opened" in sentences


@pytest.mark.parametrize("name", LOG_BROKEN)
def test_the_verifier_still_sees_that_a_public_log_was_changed(begun: Playing, name: str, tmp_path: Path):
    broken(begun, LOG_BROKEN[name][0])
    done(begun, void)
    assert verified(begun, tmp_path)[0] != 0


def test_an_open_game_that_is_broken_can_be_closed(table: Table):
    ada, ben = table.people(2)
    made = ada.post("/games", {"edition": "condensed", "players": 2}).json["id"]
    ada.post(f"/games/{made}/seats", {"seat": 1})
    game = broken(Playing(table, made, [ada, ben]), row(turn=3))
    done(game, close)
    assert ada.get(game.path).json["status"] == "over"


def test_a_provisional_result_is_void_when_its_game_is_ended_as_damaged(begun: Playing, tmp_path: Path):
    begun.contest()
    begun.people[0].post(f"{begun.path}/resign")
    broken(begun, row(mr_x_start=None))
    done(begun, void)
    outcome = begun.view(begun.people[1])["outcome"]
    assert (outcome["winner"], outcome["reason"], outcome["final"]) == ("draw", "voided", True)
    begun.table.tick()
    assert verified(begun, tmp_path)[0] == 0


def test_a_reason_that_names_a_player_ends_nothing(begun: Playing):
    for damage in (row(turn=7), row(mr_x_start=None)):
        broken(begun, damage)
        assert "leave out Cleo" in act(begun, void, "Cleo did it")
    assert events(begun, "voided") == []


# Commands -----------------------------------------------------------------------------------------


def test_doctor_names_a_game_that_is_closed_and_verify_rebuilds_it(begun: Playing):
    has_run(begun.table)
    assert run(begun.table, "doctor").exit_code == 0
    assert closed(begun, row(turn=7))
    said = run(begun.table, "doctor")
    assert said.exit_code == 2
    assert f"Game {begun.id} is broken:\n  Its column turn is 7 and should be 3.\n" in said.stdout
    assert f"What to do: blackticket verify --rebuild {begun.id}" in said.stdout
    assert json.loads(run(begun.table, "doctor", "--json").stdout)["broken_games"][0]["game"] == begun.id
    said = run(begun.table, "verify", "--rebuild", begun.id, "--json")
    assert (said.exit_code, json.loads(said.stdout)[0]["status"]) == (0, "running"), said.output
    assert run(begun.table, "doctor").exit_code == 0
    refusal = run(begun.table, "verify", "--rebuild", begun.id)
    assert (refusal.exit_code, refusal.stdout) == (1, "")
    assert "nothing to rebuild" in refusal.stderr
