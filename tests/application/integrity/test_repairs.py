"""Every kind of damage to the rows of a game is named; then the game is repaired and played on, or ended void."""

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
from server.application.errors import Problem
from server.application.game.state import cache_key, initial_state
from server.application.integrity import invariant
from server.application.integrity.repairs import repair
from server.application.operator.remedies import void
from server.cli import main
from server.models import (
    Deadline,
    Event,
    Game,
    Motion,
    Move,
    Outgoing,
    QueuedMove,
    Seat,
    execute,
    insert,
    session,
    transaction,
)
from server.runtime import runtime
from tests.injected import START, for_command
from tests.kept import again
from tests.scenes import chase, dealing, has_run, text_of
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


def timer(**values: Any) -> Damage:
    """There is a timer more."""

    def damage(game: Game) -> None:
        usual = {"kind": "timeout", "side": "detectives", "round": 1, "seat": 0, "serial": 99, "state": "armed"}
        times = {"due_at": START + timedelta(days=9), "try_at": START + timedelta(days=9)}
        execute(insert(Deadline), {"id": "wrong", "game_id": game.id, **usual, **times, **values})

    return damage


def of_move(turn: int) -> Any:
    return lambda game: (Move.game_id == game.id, Move.turn == turn)


def another_row(game: Game) -> None:
    made = {"pawn": "red", "notation": "red taxi 41", "by": "player", "made_at": START}
    execute(insert(Move), {"game_id": game.id, "turn": 3, **made})


def queued(game: Game) -> None:
    kept = {"pawn": "purple", "seat": 2, "round": 1, "notation": "purple taxi 28", "kept_at": START}
    execute(insert(QueuedMove), {"game_id": game.id, **kept})


def open_vote(game: Game) -> None:
    vote = {"kind": "pause", "wish": {"length": "P1D"}, "seat": 2, "state": "open"}
    times = {"opened_at": START, "closes_at": START + timedelta(days=3)}
    execute(insert(Motion), {"id": "vote", "game_id": game.id, **vote, **times})


def in_memory(game: Game) -> None:
    """This process keeps a game in which Purple went elsewhere."""
    other = initial_state(game)
    other.play("taxi 86")
    other.play("purple taxi 27")
    runtime().game_cache.put(cache_key(game), other)


MENDABLE: dict[str, tuple[Damage, str]] = {
    "half of a refused mail": (moved_on, "Its turn is 2 and should be 3"),
    "turn": (row(turn=7), "Its turn is 7 and should be 3"),
    "no turn": (row(turn=None), "Its turn is none and should be 3"),
    "side": (row(side="mr_x"), "Its side is mr_x and should be detectives"),
    "round": (row(round=4), "Its round is 4 and should be 1"),
    "deadline": (row(due_at=START), "Its deadline is not the first"),
    "no deadline": (row(due_at=None), "Its deadline is not the first"),
    "over": (row(status="over", winner="mr_x", reason="resigned"), "Its status is over and should be running"),
    "open": (row(status="open", started_at=None), "Its status is open and should be running"),
    "final": (row(final=True), "Its final is True and should be False"),
    "head": (row(head="a" * 52), "Its head is not that of its newest event"),
    "no head": (row(head=None), "Its head is not that of its newest event"),
    "few events": (row(events=3), "It counts 3 events"),
    "many events": (row(events=99), "It counts 99 events"),
    "time of the newest event": (row(happened_at=START - timedelta(days=1)), "The time of its newest event"),
    "moves by event": (statement(lambda game: update(Event).where(Event.game_id == game.id).values(moves=0)),
                       "counts 0 moves"),
    "no timers": (statement(lambda game: delete(Deadline).where(Deadline.game_id == game.id)),
                  "Timers run for seats [], and should for [0]"),
    "two timers": (timer(serial=98), "Timers run for seats [0, 0]"),
    "timer of a seat": (timer(seat=2), "Timers run for seats [0, 2]"),
    "timer of another phase": (timer(kind="reminder", side="mr_x", round=2), "of another phase is scheduled"),
    "timer of a final result": (timer(kind="final"), "The timer of its final result"),
    "timer of an invitation": (timer(kind="invitation", side="lobby"), "The timers of its invitations"),
    "row without event": (another_row, "Move 3 has a row and was never made public"),
    "event without row": (statement(lambda game: delete(Move).where(*of_move(2)(game))),
                          "Move 2 is public, and its row is missing"),
    "queued move": (queued, "A queued move of purple waits"),
    "vote": (open_vote, "A vote is open, and nothing closes it"),
    "time bank": (statement(lambda game: update(Seat).where(Seat.game_id == game.id).values(bank=1)),
                  "has a time bank"),
    "pawns": (statement(lambda game: update(Seat).where(Seat.game_id == game.id, Seat.number == 2).values(
              pawns=["purple"])), "Its seats do not hold the pawns"),
    "memory": (in_memory, "This process keeps another game in memory after 2 moves"),
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


def some(*names: str) -> list[Any]:
    """Return all damages that can be repaired; those that are not named are left to campaigns."""
    return [pytest.param(name, marks=[pytest.mark.campaign] * (name not in names)) for name in MENDABLE]


# Acts ---------------------------------------------------------------------------------------------


def broken(begun: Playing, damage: Damage) -> Playing:
    with begun.table.app.app_context():
        with transaction():
            damage(session.get_one(Game, begun.id))
        session.remove()
    return begun


def run(table: Table, *arguments: str) -> Result:
    return CliRunner().invoke(main, arguments, prog_name="blackticket", obj=for_command(table.app))


def findings(table: Table) -> dict[str, Any]:
    """Return what is found to be wrong in the one game that is broken, if any."""
    with table.app.app_context():
        found = [
            {"findings": [finding.sentence for finding in report.findings], "remedy": report.remedy}
            for report in invariant.broken_games()
        ]
        session.remove()
    assert len(found) < 2
    return found[0] if found else {}


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
    assert findings(game.table) == {}


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


def armed(game: Playing) -> set[str]:
    with game.table.app.app_context():
        query = select(Deadline.kind).where(Deadline.game_id == game.id, Deadline.state == "armed")
        return set(session.scalars(query))


def unsent(game: Playing) -> int:
    with game.table.app.app_context():
        left = Outgoing.state.not_in(("sent", "superseded", "suppressed"))
        return session.scalar(select(func.count()).select_from(Outgoing).where(left)) or 0


def told(person: Person, subject: str) -> str:
    """Return the text of the newest mail to somebody, whose subject says so."""
    mail = person.mails[-1]
    assert subject in mail["Subject"], mail["Subject"]
    return " ".join(text_of(mail).split())


# Tests --------------------------------------------------------------------------------------------


def test_a_game_without_damage_has_no_findings_and_is_not_repaired(begun: Playing):
    assert findings(begun.table) == {}
    assert "nothing to repair" in act(begun, repair)


@pytest.mark.parametrize("name", MENDABLE)
def test_damage_around_the_moves_is_named_and_repaired(begun: Playing, name: str):
    damage, finding = MENDABLE[name]
    found = findings(broken(begun, damage).table)
    assert any(finding in sentence for sentence in found["findings"]), found["findings"]
    assert found["remedy"] == f"blackticket game repair {begun.id} --reason TEXT"
    begun.table.clock.turn(hours=5)
    done(begun, repair)
    assert [event["reason"] for event in events(begun, "repaired")] == [REASON]
    assert begun.view()["due_at"] == "2026-11-24T23:00:00Z"


@pytest.mark.parametrize("name", some("half of a refused mail", "over", "no timers", "event without row"))
def test_the_players_are_told_of_a_repair_and_play_the_game_to_its_end(begun: Playing, name: str, tmp_path: Path):
    begun.table.clock.turn(hours=5)
    done(broken(begun, MENDABLE[name][0]), repair)
    begun.table.tick()
    assert "by Tuesday 24 November, 23:00" in told(
        begun.people[1], "Round 1: the game is repaired, until Tue 24 Nov 23:00"
    )
    assert f'"{REASON}"' in told(begun.people[0], "the game is repaired")
    play_on(begun)
    assert (findings(begun.table), unsent(begun)) == ({}, 0)
    status, facts, sentences = verified(begun, tmp_path)
    assert (status, facts["opened"]) == (0, True), sentences


@pytest.mark.parametrize("name", some("open", "no timers", "event without row"))
def test_a_game_that_could_be_repaired_can_be_ended_void_like_any_other(begun: Playing, name: str, tmp_path: Path):
    broken(begun, MENDABLE[name][0])
    done(begun, void)
    outcome = begun.view(begun.people[1])["outcome"]
    assert (outcome["winner"], outcome["reason"], outcome["final"]) == ("draw", "voided", False)
    begun.table.tick()
    for person in begun.people:
        assert REASON in told(person, "The game is over without a winner")
    assert verified(begun, tmp_path)[0] == 0
    begun.table.clock.turn(days=2)
    begun.table.tick()
    assert verified(begun, tmp_path)[1]["opened"]
    assert findings(begun.table) == {}


@pytest.mark.parametrize("name", UNSOUND)
def test_damage_to_the_moves_or_the_log_is_named_and_not_repaired_and_the_game_is_ended_void(
    begun: Playing, name: str, tmp_path: Path
):
    damage, finding = UNSOUND[name]
    found = findings(broken(begun, damage).table)
    assert any(finding in sentence for sentence in found["findings"]), found["findings"]
    assert found["remedy"] == f"blackticket game end {begun.id} --reason TEXT"
    refused = act(begun, repair)
    assert finding in refused
    assert f"It can be ended void: {found['remedy']}" in refused
    done(begun, void)
    begun.table.tick()
    for person in begun.people:
        assert "So this is final" in told(person, "The game is over without a winner")
        answer = person.get(begun.path)
        assert (answer.status_code, answer.json["status"]) == (200, "over")
    assert (armed(begun), unsent(begun)) == (set(), 0)
    assert events(begun, "voided") == [{"reason": REASON, "damaged": True}]
    assert "opening" not in events(begun, "ended")[0]
    begun.table.clock.turn(days=60)
    begun.table.tick()
    assert findings(begun.table) == {}


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


def test_no_finding_tells_a_station_of_mr_x(begun: Playing):
    for damage, _ in (MENDABLE | UNSOUND).values():
        with begun.table.app.app_context():
            with transaction():
                game = session.get_one(Game, begun.id)
                damage(game)
                session.flush()
                found = invariant.check(game).findings
                session.expire_all()
                session.rollback()
            session.remove()
        text = " ".join(finding.sentence for finding in found)
        assert not {"86", "103", "102", "104"} & set(text.replace(".", " ").split()), text


def test_damage_of_all_kinds_at_once_is_repaired(begun: Playing, tmp_path: Path):
    for name in ("half of a refused mail", "no timers", "timer of another phase", "queued move", "vote", "memory"):
        broken(begun, MENDABLE[name][0])
    done(begun, repair)
    play_on(begun)
    assert verified(begun, tmp_path)[0] == 0


def test_a_game_is_repaired_more_than_once(begun: Playing):
    for _ in range(2):
        broken(begun, row(turn=7))
        done(begun, repair)
    assert len(events(begun, "repaired")) == 2
    play_on(begun)


def test_what_another_process_keeps_in_memory_from_before_a_repair_is_not_used(begun: Playing):
    """The row that is dropped was counted, and a process that looked at the game keeps it."""
    broken(begun, another_row)
    broken(begun, row(turn=4))
    assert begun.view()["pawns"]["red"]["station"] == 41
    with begun.table.app.app_context():
        kept = runtime().game_cache
        runtime().game_cache = type(kept)()  # the command has a memory of its own
        session.remove()
    done(begun, repair)
    with begun.table.app.app_context():
        runtime().game_cache = kept
    assert begun.view()["pawns"]["red"]["station"] == 29
    play_on(begun)


def test_a_capture_without_its_end_is_ended_by_the_repair(table: Table, tmp_path: Path):
    """Mr. X was caught by a move whose mail was refused later: row and event stayed, the end did not."""
    game = chase(table)
    moves = ("black 124", "purple taxi 115", "red underground 111", "green taxi 140", "yellow bus 124")
    for person, move in zip(game.people, moves, strict=False):
        game.move(person, move)
    assert game.view()["outcome"]["reason"] == "captured"
    with table.app.app_context():
        with transaction():
            row_of_game = session.get_one(Game, game.id)
            ended = (Event.game_id == game.id, Event.number == row_of_game.events)
            session.execute(delete(Event).where(*ended))
            before = session.get_one(Event, (game.id, row_of_game.events - 1))
            row_of_game.events, row_of_game.head, row_of_game.happened_at = before.number, before.head, before.at
            row_of_game.status, row_of_game.winner, row_of_game.reason = "running", None, None
            row_of_game.final, row_of_game.ended_at = False, None
        session.remove()
    assert "Its moves end the game, and no event says so." in findings(table)["findings"]
    done(game, repair)
    assert game.view()["outcome"]["reason"] == "captured"
    assert verified(game, tmp_path)[1]["opened"]


def test_an_open_game_is_repaired_and_its_invitations_expire(table: Table):
    ada, ben = table.people(2)
    wanted = [{"role": "mr_x", "player": ada.id}, {"role": "detective", "player": ben.id}]
    made = ada.post("/games", {"edition": "condensed", "seats": wanted}).json["id"]
    game = broken(Playing(table, made, [ada, ben]), statement(lambda game: delete(Deadline)))
    assert findings(table)["findings"] == ["The timers of its invitations are not those of the reserved seats."]
    done(game, repair)
    assert armed(game) == {"invitation"}
    table.tick()
    assert "You have nothing to do" in told(ada, "the game is repaired")


def test_an_open_game_that_is_broken_can_be_ended(table: Table):
    ada, ben = table.people(2)
    made = ada.post("/games", {"edition": "condensed", "players": 2}).json["id"]
    ada.post(f"/games/{made}/seats", {"seat": 1})
    game = broken(Playing(table, made, [ada, ben]), row(turn=3))
    done(game, void)
    table.tick()
    assert "So this is final" in told(ada, "The game is over")
    assert ada.get(game.path).json["status"] == "over"


def test_a_provisional_result_whose_timer_is_lost_becomes_final_after_a_repair(begun: Playing, tmp_path: Path):
    begun.people[0].post(f"{begun.path}/resign")
    broken(begun, statement(lambda game: delete(Deadline)))
    assert findings(begun.table)["findings"] == ["The timer of its final result is not scheduled as it should be."]
    done(begun, repair)
    begun.table.clock.turn(days=2)
    begun.table.tick()
    assert begun.view()["outcome"]["final"]
    assert verified(begun, tmp_path)[1]["opened"]


@pytest.mark.parametrize("damage", [row(mr_x_start=None), statement(lambda game: delete(Deadline))])
def test_a_provisional_result_is_void_when_its_game_is_ended_as_damaged(begun: Playing, damage: Damage, tmp_path: Path):
    begun.people[0].post(f"{begun.path}/resign")
    broken(begun, damage)
    done(begun, void)
    outcome = begun.view(begun.people[1])["outcome"]
    assert (outcome["winner"], outcome["reason"], outcome["final"]) == ("draw", "voided", True)
    begun.table.tick()
    assert verified(begun, tmp_path)[0] == 0


def test_a_reason_that_names_a_player_repairs_and_ends_nothing(begun: Playing):
    for damage in (row(turn=7), row(mr_x_start=None)):
        broken(begun, damage)
        for what in (repair, void):
            assert "leave out Cleo" in act(begun, what, "Cleo did it")
    assert (events(begun, "repaired"), events(begun, "voided")) == ([], [])


def test_the_half_that_a_refused_mail_leaves_behind_today_is_found_and_repaired(begun: Playing):
    """No move of a mail that is refused stays; where one does, the game is found to be broken and can be repaired."""
    begun.people[1].reply("red taxi 16\nSET zone Nowhere")
    begun.table.tick()
    if findings(begun.table):
        done(begun, repair)
    play_on(begun)


def test_the_commands_name_repair_and_end_a_broken_game(begun: Playing):
    has_run(begun.table)
    assert run(begun.table, "doctor").exit_code == 0
    for what, facts in (("repair", {"status": "running"}), ("end", {"status": "over"})):
        broken(begun, row(turn=7))
        told = run(begun.table, "doctor")
        assert told.exit_code == 2
        assert f"Game {begun.id} is broken:\n  Its turn is 7 and should be 3.\n" in told.stdout
        assert f"What to do: blackticket game repair {begun.id} --reason TEXT" in told.stdout
        assert json.loads(run(begun.table, "doctor", "--json").stdout)["broken_games"][0]["game"] == begun.id
        told = run(begun.table, "game", what, begun.id, "--reason", REASON, "--json")
        assert (told.exit_code, json.loads(told.stdout).items() >= facts.items()) == (0, True), told.output
    refused = run(begun.table, "game", "repair", begun.id, "--reason", REASON)
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert "nothing to repair" in refused.stderr
