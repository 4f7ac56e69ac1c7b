"""Remedies of the operator for a game: more time, an end, and taking up again a game that was ended.

Each is a public event with the operator's reason, and a mail to all players.
"""

from collections.abc import Mapping
from datetime import timedelta
from typing import TypedDict

from sqlalchemy import delete, update

from server import clock, models
from server.application.game import projection
from server.application.game.access import locked
from server.application.game.decision_rows import end_invitations
from server.application.game.look import sight_of, standing_of
from server.application.game.reasons import check_reason
from server.application.game.situations import carry_out, load
from server.application.game.transcripts import events_of, result_of
from server.application.game.verification import History, Unsound, history_of, verify
from server.engine import Record
from server.house_rules import before_start, endings, moves, notices, remedies, timers
from server.house_rules.draft import Draft
from server.house_rules.endings import Ending
from server.house_rules.standing import Standing
from server.models import ARMED, OPEN, Game, Incoming, Outgoing, execute, insert, session, transaction
from server.runtime import now, runtime
from server.vocabulary.durations import parse_duration
from server.vocabulary.errors import Problem


def extend(game_id: str, length: str, reason: str) -> Standing:
    """Give everybody whose time runs `length` more, such as P1D, and no less than that from now."""
    _check_length(length)
    with transaction():
        situation = load(game_id)
        situation.check_running("there is no deadline to be extended")
        details = {"reason": check_reason(situation, reason), "by": length}
        decision = carry_out(situation, lambda draft: remedies.give_time(draft, length, details))
    return sight_of(decision.after, None)


def void(game_id: str, reason: str) -> Game:
    """End a running game without a winner. Like any end that play did not bring about it is provisional.

    A game that is broken can be ended whatever its rows say; where they cannot be rebuilt, for good.
    """
    with transaction():
        game = locked(game_id)
        if not is_ended(game, reason):
            standing_of(game).check_running("there is nothing to be ended")
            details = {"reason": check_reason(standing_of(game), reason)}
            carry_out(load(game.id), lambda draft: remedies.end_void(draft, details))
    return game


def close(game_id: str, reason: str) -> Game:
    """Close a game, and write to its people: one that has not begun is over, and one that runs is ended as by `void`.

    Raises:
        Problem: `game-not-running` if it is over.
    """
    with transaction():
        game = locked(game_id)
        if is_ended(game, reason):
            return game
        if game.status != "open":
            return void(game_id, reason)
        why = check_reason(standing_of(game), reason)
        carry_out(load(game_id), lambda draft: before_start.close_game(draft, {"reason": why}))
    return game


def reinstate(game_id: str, reason: str) -> Standing:
    """Undo an end that play did not bring about, while the result is provisional; everybody to move gets full time.

    Raises:
        Problem: `game-not-running` if the game is not over, or its end cannot be undone.
    """
    with transaction():
        game = load(game_id)
        if game.status != "over" or game.final or game.reason not in endings.CAN_BE_TAKEN_UP:
            raise Problem(
                "game-not-running",
                "Only a game that something else than play ended, and that is not final, can be taken up.",
            )
        details = {"reason": check_reason(game, reason)}
        decision = carry_out(game, lambda draft: remedies.take_up_again(draft, details))
    return sight_of(decision.after, None)


def _check_length(length: str) -> None:
    try:
        is_fit = timedelta(0) < parse_duration(length) <= clock.LONGEST
    except ValueError as error:
        raise Problem("form", f"{error}.") from None
    if not is_fit:
        raise Problem("form", f"The time to be given is more than none and at most {clock.LONGEST.days} days.")


REBUILT = 1_000_000  # timers have the number of an event as their serial; none has so high a one


# Rebuild the rows of a game that is broken, or end it where they cannot be rebuilt.
#
# A move that has its row and its public event is committed, and stays; so does a public event, as it was told to
# players and the head of the chain binds it. So the row of a move without an event is deleted, and a detective's move
# without a row gets its row back from the event. Nothing is published: the game is what it was.


def rebuild(game_id: str) -> models.Game:
    """Rebuild the rows of a game from its moves and public events, and open it to moves again.

    Timers of the phase stay. Where there is none, everybody to move gets their whole time.

    Raises:
        Problem: `form` when nothing is wrong with the game, or when moves and events do not agree.
    """
    with transaction():
        game = locked(game_id)
        if not _is_broken(game):
            raise Problem("form", "Every row of this game is as it should be; there is nothing to rebuild.")
        try:
            _rebuild_rows(game, history_of(game))
        except Unsound as error:
            end = f"blackticket game end {game_id} --reason TEXT"
            raise Problem("form", f"This game cannot be rebuilt. {error} It can be ended void: {end}") from None
        carry_out(load(game_id), _schedule)
    return game


def is_ended(game: models.Game, reason: str) -> bool:
    """Rebuild the rows of a game if they are wrong, or else end it for good; return whether it was ended.

    It is done in the transaction that is open, and schedules nothing.
    """
    if not _is_broken(game):
        return False
    try:
        _rebuild_rows(game, history_of(game))
    except Unsound:
        _end_as_damaged(game, reason)
        return True
    return False


def _is_broken(game: models.Game) -> bool:
    return game.broken is not None or verify(game) is not None


def _rebuild_rows(game: models.Game, history: History) -> None:
    """Write the rows of a game as its moves and events say; timers are not among them."""
    execute(delete(models.Move).where(models.Move.game_id == game.id, models.Move.turn.in_(history.surplus)))
    execute(insert(models.Move), history.lost)
    is_elsewhere = any(getattr(game, name) != history.row[name] for name in ("status", "side", "round"))
    for name, value in history.row.items():
        setattr(game, name, value)
    game.broken = None
    game.repaired += 1
    game.version = runtime().new_id("version")
    starts = [event.at for event in history.events if event.kind == "started"]
    game.started_at = (game.started_at or starts[0]) if starts else None
    game.ended_at = (game.ended_at or game.happened_at) if game.status == "over" else None
    if game.status != "over":
        game.final_at = None
    elif not game.final:
        game.final_at = game.final_at or now() + clock.provisional_period(game.clock)
    if is_elsewhere:
        execute(delete(models.QueuedMove).where(models.QueuedMove.game_id == game.id))
        execute(delete(models.HeldMove).where(models.HeldMove.game_id == game.id))
    session.flush()


def _schedule(draft: Draft) -> None:
    """Schedule the timers that a game needs and has not."""
    game, serial = draft.game, REBUILT + draft.game.repaired
    for timer in game.armed("timeout", "reminder", "move"):
        if game.status != "running" or (timer.side, timer.round) != (game.side, game.round):
            timer.state = "cancelled"
    if game.status == "running" and not game.armed("timeout", "vote"):
        moves.restart_timers(draft, serial)
    elif game.status == "over" and not game.final and not game.armed("final"):
        assert game.final_at is not None
        draft.start_timer("final", game.final_at, serial)
    timers.note_due_at(game)


def _end_as_damaged(game: models.Game, reason: str) -> None:
    """End a game whose moves and events do not agree, for good.

    Nothing secret is looked at for the result: it is void, unless a final one is public already.
    """
    details = {"reason": check_reason(standing_of(game), reason), "damaged": True}
    events = events_of(game.id)
    if events and game.events < events[-1].number:
        game.events, game.head, game.happened_at = events[-1].number, events[-1].head, events[-1].at
    game.repaired += 1  # so that processes drop it from their caches
    game.broken = None
    _stop(game)
    game.turn = None  # nothing of the game is shown any more
    row = result_of(events, game.clock)
    result = Ending(str(row["winner"]), str(row["reason"])) if row["final"] else endings.VOIDED_FOR_GOOD
    published: dict[str, object] | None = None if row["final"] else {}
    carry_out(load(game.id, with_board=False), lambda draft: endings.end_as_damaged(draft, result, details, published))


def _stop(game: models.Game) -> None:
    """End all timers, queued moves, votes, offers and unsent mails of the game, which may not be one to be shown."""
    waiting = (models.Outgoing.game_id == game.id, models.Outgoing.state.in_(("pending", "held")))
    scheduled = (models.Deadline.game_id == game.id, models.Deadline.state == ARMED)
    for statement in (
        update(models.Outgoing).where(*waiting).values(state="superseded", message=None, details=None),
        update(models.Deadline).where(*scheduled).values(state="cancelled"),
        update(models.Motion)
        .where(models.Motion.game_id == game.id, models.Motion.state == OPEN)
        .values(state="expired"),
        delete(models.QueuedMove).where(models.QueuedMove.game_id == game.id),
        delete(models.HeldMove).where(models.HeldMove.game_id == game.id),
    ):
        execute(statement)
    game.due_at = None
    end_invitations([seat.invitation_id for seat in game.seats if seat.invitation_id])
    for seat in game.seats:
        seat.wants_draw, seat.invitation, seat.invited_id = False, None, None


class Unsealed(TypedDict, total=False):
    """The content of a game or of a mail that was unsealed."""

    record: Record
    mail: str
    content: str


def unseal(game_id: str, reason: str, mail_id: str | None = None) -> Unsealed:
    """Return what is sealed in a game that is not final: its record as Mr. X sees it, or the content of one mail.

    The shape is `{"record": {...}}` or `{"mail": id, "content": text}`. A public event, and a mail to every player,
    are committed with it; without them nothing is returned.
    """
    with transaction():
        game = load(game_id, with_board=False)
        if game.status == "open":
            raise Problem("game-not-running", "This game has not begun; there is nothing sealed in it.")
        if game.final:
            raise Problem("game-not-running", "The result of this game is final, and everything in it is open already.")
        details = {"reason": check_reason(game, reason), "looked_at": "the game" if mail_id is None else "a mail"}
        told = carry_out(game, lambda draft: _tell(draft, details)).after
        if mail_id is None:
            return {"record": projection.record_for(told, "mr_x")}
        return {"mail": mail_id, "content": _content(told, mail_id)}


def _tell(draft: Draft, details: Mapping[str, str]) -> None:
    draft.publish("unsealed", **details)
    notices.post_to_all(draft, "unsealed", details)


def _content(game: Standing, mail_id: str) -> str:
    """Return the text of a mail of this game as it came or will go; raise a `Problem` when there is none."""
    incoming, outgoing = session.get(Incoming, mail_id), session.get(Outgoing, mail_id)
    mail = incoming or outgoing
    if mail is None or mail.game_id != game.id:
        raise Problem("not-found", f"There is no mail {mail_id} of this game; the lists of inbox and outbox name them.")
    raw = incoming.raw if incoming else outgoing.message if outgoing else None
    if raw is None:
        raise Problem("form", f"The content of mail {mail_id} is not kept: it was sent, or is not written yet.")
    return raw.decode(errors="backslashreplace")
