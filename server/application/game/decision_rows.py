"""Write what follows from a decision: the game and what is around it, each table once."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import String, bindparam, case, literal, select, update

from server import models
from server.application.game import outbox_rows
from server.application.game import situation_statements as statements
from server.application.game.access import was_mr_x
from server.application.game.state import cache_state
from server.house_rules.draft import Decision
from server.house_rules.situation import COLUMNS, Situation
from server.house_rules.standing import Motion
from server.models import execute, insert, rows, session, tally, topics, when_committed
from server.runtime import now, runtime

_PLAYERS_BEFORE = (
    select(models.Game.id, models.Seat.player_id)
    .join(models.Seat)
    .where(models.Game.rematch_id == bindparam("game", type_=String), models.Seat.player_id.is_not(None))
)
_OF_SEAT = (*statements.SEAT_COLUMNS, "invited_id", "invitation_id")


def write(decision: Decision[Any]) -> None:
    """Write what follows from a decision, each table once.

    Raises:
        RuntimeError: the game was changed since it was loaded.
    """
    before, after = decision.before, decision.after
    # Before the seats that refer to them.
    execute(insert(models.Invitation), [new._asdict() for new in decision.invitations])
    if before.version:
        _write_game(before, after)
    else:
        _write_new_game(before, after)
    game = {"game_id": after.id}
    execute(insert(models.Move), [game | made._asdict() for made in decision.moves])
    execute(insert(models.Event), [game | event._asdict() for event in decision.events])
    _write_around(before, after)
    _write_former(decision)
    outbox_rows.write_mails([game | mail._asdict() for mail in decision.mails])
    outbox_rows.write_deliveries([game | delivery._asdict() for delivery in decision.deliveries])
    for each in decision.reminded:
        new = {"reminded_at": each.reminded_at} | ({"digest": each.digest} if each.digest else {})
        execute(update(models.Invitation).where(models.Invitation.id == each.id).values(new))
    end_invitations(decision.ended)
    if after.state is not None and decision.moves:
        cache_state(after, after.state)
    _tell(before, after)
    _expire_objects_of(after.id)


def _tell(before: Situation, after: Situation) -> None:
    """Tell the streams of those who may know of what changed."""
    changed, asking = set(), set()
    if after.version != before.version:
        changed.add(after.id)
        asking = {topics.to_ask(player_id) for player_id in _people(after)}
    if _rights(before) != _rights(after):
        changed.add(f"{after.id}.")
    if before.queue != after.queue:  # detectives alone send moves ahead, and their team sees them
        changed |= {
            f"{after.id}.{seat.player_id}" for seat in after.seats if seat.role == "detective" and seat.player_id
        }
    waiting = [held for held in (*before.held, *after.held) if (held in before.held) != (held in after.held)]
    changed |= {f"{after.id}.{after.seat_of_number(held.seat).player_id}" for held in waiting}
    if before.status == "open":  # the page of the game before a rematch shows who sits in it
        changed |= {f"{row.id}.{row.player_id}" for row in rows(_PLAYERS_BEFORE, game=after.id)}
    topics.tell(changed | asking if before.version else asking)  # nobody looks at a new game yet


def _people(game: Situation) -> set[str]:
    """Return the ids of the players to whom the game is one of theirs: seated, invited, and the host."""
    people = {person for seat in game.seats for person in (seat.player_id, seat.invited_id) if person}
    if game.host_id not in people and not was_mr_x(game.id, game.host_id):
        people.add(game.host_id)
    return people


def _rights(game: Situation) -> tuple[object, ...]:
    """Return what says who may see a game."""
    people = [(seat.player_id, seat.invited_id) for seat in game.seats]
    return game.visibility, game.host_id, game.code, people


def _write_game(before: Situation, after: Situation) -> None:
    """Write the game and its seats if they changed, under a new version."""
    changed = [name for name in COLUMNS if getattr(before, name) != getattr(after, name)]
    seats = [seat for seat, was in zip(after.seats, before.seats, strict=True) if seat != was]
    if not changed and not seats:
        return
    # What a game was credited with shows in what that has moved, which may be a hold alone: and that shows nowhere.
    is_seen = bool(seats) or changed != ["outages"]
    after.version = runtime().new_id("version") if is_seen else before.version
    games = models.table_of(models.Game)
    is_as_loaded = (games.c.id == after.id, games.c.version == before.version)
    values = statements.by_column(models.Game, _values(after, (*changed, "version")) | _told_by(after))
    if execute(games.update().where(*is_as_loaded).values(values).returning(games.c.id)).first() is None:
        raise RuntimeError("the game was changed by another transaction since it was loaded")
    if after.status != before.status:
        tally(f"games {before.status}", -1)
        tally(f"games {after.status}")
    if after.final and not before.final and after.is_practice and after.winner != "draw":
        own = next(seat for seat in after.seats if seat.player_id)
        levels = [*{seat.level for seat in after.seats if seat.level and seat.role != own.role}, "mixed"]
        has_won = (after.winner == "mr_x") == (own.role == "mr_x")
        tally(f"vs {levels[0] if len(levels) == 2 else 'mixed'} {own.role[0]} {'won' if has_won else 'lost'}")
    # Nobody has two seats, not for a moment either.
    if any((was := before.seat_held_by(seat.player_id)) is not None and was.number != seat.number for seat in seats):
        nobody = {"new_player_id": None}
        cleared = [models.at(models.Seat, after.id, seat.number) | nobody for seat in seats]
        execute(models.update_row(models.Seat, "player_id"), cleared)
    _update(models.Seat, _OF_SEAT, {(after.id, seat.number): seat for seat in seats})


def _write_new_game(before: Situation, game: Situation) -> None:
    """Write a game that was just opened, with its seats."""
    game.version = runtime().new_id("version")
    position = before.lobby.position if before.lobby is not None else None
    values = _values(game, COLUMNS) | _told_by(game) | {"position": position}
    execute(insert(models.Game), statements.by_column(models.Game, values))
    tally(f"games {game.status}")
    execute(insert(models.Seat), [{"game_id": game.id} | _values(seat, _OF_SEAT) for seat in game.seats])


def _told_by(game: Situation) -> dict[str, Any]:
    """Return the columns of a game that follow from its seats, and what was dealt if that happened now."""
    dealt = game.deal._asdict() if game.deal is not None else {}
    return {"free_seats": game.number_free, "late_seats": game.number_late} | dealt


class _Vote(NamedTuple):
    motion_id: str
    seat: int
    is_for: bool


def _votes(motions: Iterable[Motion]) -> list[_Vote]:
    return [_Vote(motion.id, *ballot) for motion in motions for ballot in motion.ballots.items()]


def _write_around(before: Situation, after: Situation) -> None:
    """Write the timers, the queued and held moves, the motions with their votes, and the absences."""
    game = {"game_id": after.id}
    known = {timer.id for timer in before.timers}
    if any(each.state == "armed" and each.due_at <= now() for each in after.timers if each.id not in known):
        when_committed(models.wake_inbox)  # for a bot of a practice game
    changes = ("due_at", "try_at", "state")
    _write(models.Deadline, statements.TIMER_COLUMNS, game, ("id",), before.timers, after.timers, changes)
    key = ("game_id", "pawn")
    _write(models.QueuedMove, statements.QUEUED_COLUMNS, game, key, before.queue, after.queue)
    _write(models.HeldMove, (*statements.HELD_COLUMNS, "try_at"), game, key, before.held, after.held)
    changes = ("state", "opened_at", "closes_at")
    _write(models.Motion, statements.MOTION_COLUMNS, game, ("id",), before.motions, after.motions, changes)
    votes, key = _votes(before.motions), ("motion_id", "seat")
    _write(models.Ballot, _Vote._fields, {}, key, votes, _votes(after.motions), ("is_for",))
    _write(models.Absence, statements.ABSENCE_COLUMNS, {}, ("id",), before.absences, after.absences)


def _write(
    model: type[models.Base], columns: Sequence[str], game: Mapping[str, str], key: Sequence[str],
    before: Sequence[Any], after: Sequence[Any], changes: Sequence[str] = (),
) -> None:  # fmt: skip
    """Write the difference in one table: a row that differs gets the `changes`, or is written anew if none are named.

    `game` has the column that the values lack, if they do; `key` is the primary key.
    """
    if before == after:
        return

    def by_key(values: Sequence[Any]) -> dict[tuple[Any, ...], Any]:
        return {tuple(game.get(name) or getattr(value, name) for name in key): value for value in values}

    was, there = by_key(before), by_key(after)
    changed = {place: value for place, value in there.items() if place in was and was[place] != value}
    gone = [place for place in was if place not in there or (place in changed and not changes)]
    new = [value for place, value in there.items() if place not in was or (place in changed and not changes)]
    execute(models.delete_row(model), [models.at(model, *place) for place in gone])
    execute(insert(model), [{**game, **_values(value, columns)} for value in new])
    if changes:
        _update(model, changes, changed)


def _update(model: type[models.Base], names: Sequence[str], changed: Mapping[tuple[Any, ...], Any]) -> None:
    """Update rows, by their primary keys, to what the values say now."""
    execute(
        models.update_row(model, *names),
        [
            models.at(model, *place) | {f"new_{name}": getattr(value, name) for name in names}
            for place, value in changed.items()
        ],
    )


def end_invitations(ids: Collection[str]) -> None:
    """End invitations: delete their addresses, and withdraw their mails that are not sent."""
    if not ids:
        return
    words = models.Invitation.words
    emptied = case((words.is_not(None), literal("", words.type)))  # that there were some is counted
    ended = update(models.Invitation).where(models.Invitation.id.in_(ids))
    execute(ended.values(email=None, digest=None, words=emptied))
    outbox = models.Outgoing
    to_them = (outbox.cause.in_(ids), outbox.player_id.is_(None))
    execute(update(outbox).where(*to_them, outbox.state == models.PENDING).values(state="superseded"))
    execute(update(outbox).where(*to_them).values(message=None, details=None))


def _write_former(decision: Decision[Any]) -> None:
    """Record players as former holders; drop the questions, kept answers and unsent mails of a seat that they left."""
    game = {"game_id": decision.after.id}
    former: list[dict[str, object]] = [
        {"player_id": player, "role": role, "team_since": since, **game} for player, role, since in decision.former
    ]
    execute(models.insert_new(models.FormerHolder), former)
    for player, *_ in decision.former if decision.before.status == "running" else ():
        seat, token, answered = decision.before.seat_of_player(player), models.ReplyToken, models.Answered
        of_seat = (token.game_id == decision.after.id, token.seat == seat.number)
        execute(update(token).where(*of_seat).values(question=None))
        of_player = (answered.player_id == player, answered.game_id == decision.after.id)
        execute(update(answered).where(*of_player).values(answer=None))
        outbox_rows.drop_unsent(decision.after.id, player)


def _values(value: Any, names: Iterable[str]) -> dict[str, Any]:
    return {name: getattr(value, name) for name in names}


_WITH_GAME_ID = (models.Seat, models.Deadline, models.Motion, models.QueuedMove)
_WITHOUT_GAME_ID = (models.Ballot, models.Invitation)  # those of other games are read again as well


def _expire_objects_of(game_id: str) -> None:
    """Let the session read again what it has of the game, if anybody asks for it."""
    if not session.registry.has():
        return
    for known in list(session.identity_map.values()):
        loaded = known.__dict__
        is_game = isinstance(known, models.Game) and loaded.get("id") == game_id
        is_around_it = isinstance(known, _WITH_GAME_ID) and loaded.get("game_id") == game_id
        if is_game or is_around_it or isinstance(known, _WITHOUT_GAME_ID):
            session.expire(known)
