"""Load the situation of a game, decide, and have written what follows: the one way in which a game changes."""

from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from types import SimpleNamespace
from typing import Any, Concatenate, Generic, NamedTuple, ParamSpec, TypeVar

from sqlalchemy import Executable, Row

from server import engine
from server.application.game import access
from server.application.game import situation_statements as statements
from server.application.game.deciding import Decided
from server.application.game.decision_rows import write
from server.application.game.look import draw_changes_of, motions_of, sight_of, with_invited
from server.application.game.state import rebuild
from server.application.game.verification import CANNOT_REBUILD, close_if_broken
from server.house_rules.draft import Decision, Draft, Sources, decide
from server.house_rules.situation import COLUMNS, Lobby, Outage, Situation, Webhook
from server.house_rules.standing import Absence, HeldMove, Holder, QueuedMove, Seat, Sight, Timer
from server.models import Account, MailWish, Player, actors, rows, session, transaction, when_ended
from server.runtime import now, runtime
from server.vocabulary.durations import DAY
from server.vocabulary.errors import refusal
from server.vocabulary.mails import AboutMoves
from server.vocabulary.translation import gettext

Answer = TypeVar("Answer")
Given = ParamSpec("Given")
LOOK_BACK = timedelta(days=400)  # more than a year, for which vacation is counted


# Load --------------------------------------------------------------------------------------------


def load(game_id: str, *, with_board: bool = True) -> Situation:
    """Return the situation of any game, which is locked for the transaction under way.

    A game that cannot be rebuilt is closed to moves. Without the board, which a decision about people does not need,
    nothing secret is read, and `Situation.state` is None: such a decision is possible in a game that is closed as well.

    Raises:
        Problem: `not-found`, or `game-not-running` if the game is closed to moves.
    """
    game = _game(statements.ANY_GAME[with_board], game=game_id)
    if game is None:
        raise access.not_found(gettext("There is no such game."))
    return _situation(game, with_board=with_board)


def load_visible(game_id: str, player: Account, *, code: str | None = None, with_board: bool = True) -> Situation:
    """Return the situation of a game that `player` may see, locked; the same `Problem` as `access.locked_visible`."""
    game = _game(statements.VISIBLE_GAME[with_board], **access.parameters(game_id, player, code))
    if game is None:
        actors.check()
        raise access.not_found()
    return _situation(game, with_board=with_board)


def _game(query: Executable, **given: Any) -> Row[Any] | None:
    return next(iter(rows(query, **given)), None)


def _situation(game: Any, *, with_board: bool) -> Situation:
    asked = {"game": game.id, "host": game.host_id, "last": game.outages, "since": _since(game), "round": game.round}
    actor = actors.unchecked()
    digest = None if actor is None else actor.digest
    seats = rows(statements.SEATS, **asked, day_ago=now() - DAY, actor=digest)
    more: Any = seats[0] if seats else _NOTHING_MORE
    if seats:
        actors.note(may_act=more.may_act)
    else:
        actors.check()
    queued = rows(statements.QUEUE, game=game.id) if more.has_queue and with_board else []
    held = rows(statements.HELD, game=game.id) if more.has_held and with_board else []
    situation = Situation(
        **dict(zip(COLUMNS, game, strict=True)),
        seats=[_seat(row) for row in seats],
        timers=[],
        queue=[QueuedMove(*tuple(row)) for row in queued],
        held=[HeldMove(*tuple(row)) for row in held],
        motions=motions_of(game.id) if more.has_motions else [],
        absences=[Absence(*tuple(row)) for row in rows(statements.ABSENCES, **asked)] if more.has_absences else [],
        draw_changes=draw_changes_of(game.id) if more.has_draw_changes else [],
        owed=[Outage(*tuple(row)) for row in rows(statements.OWED, last=game.outages)] if more.has_owed else [],
        webhooks=[Webhook(*tuple(row)) for row in rows(statements.WEBHOOKS, game=game.id, host=game.host_id)]
        if more.has_webhooks
        else [],
        state=None,
        questions=_questions(game) if more.has_questions and with_board else {},
    )
    if situation.status == "open":
        _add_lobby(situation)
    if situation.status != "open" or any(seat.is_reserved for seat in situation.seats):
        at = {"game": game.id, "side": game.side, "round": game.round}
        situation.timers = [Timer(*tuple(row)) for row in rows(statements.TIMERS, **at)]
    if situation.turn is not None and with_board:
        situation.state = _state(situation)
    return situation


def _state(situation: Situation) -> engine.Game:
    """Return the game in the engine; if it cannot be rebuilt, have it verified and closed to moves at once."""
    if situation.broken is None:
        try:
            return rebuild(situation)
        except CANNOT_REBUILD:
            when_ended(partial(close_if_broken, situation.id))
    raise refusal(
        "game-not-running",
        "This game is closed: the server cannot read its moves any more. Its operator sees that, and has to act.",
    ) from None


# A damaged game may have no seats, whose rows tell what else there is; then nothing more is read.
_NOTHING_MORE = SimpleNamespace(**dict.fromkeys(statements.SEATS.selected_columns.keys(), False))


def _add_lobby(situation: Situation) -> None:
    """Add what there is before the start alone: whom seats are reserved for, what it is dealt from, and who talked."""
    known = rows(statements.LOBBY, game=situation.id)
    for seat, row in zip(situation.seats, known, strict=True):
        with_invited(seat, situation, row)
    situation.lobby = Lobby(known[0].position, bool(known[0].has_team_talk)) if known else Lobby()
    if any(seat.is_reserved for seat in situation.seats):  # whether for a player or for the reader of an address
        _add_webhooks(situation, statements.WEBHOOKS_OF_INVITED, game=situation.id)


def _since(game: Any) -> datetime:
    """Return the time from which the absences of the game's players count."""
    return min(game.started_at or now(), now() - LOOK_BACK)


def _seat(row: Any) -> Seat:
    seat = Seat(*tuple(row)[: len(statements.SEAT_COLUMNS)])
    if row.player_id is not None:
        is_guest = row.network is not None
        seat.give_to(_holder(row.player_id, row, wants_moves=row.wants_moves, is_guest=is_guest))
    return seat


def _questions(game: Any) -> dict[int, AboutMoves]:
    """Return the open questions about moves of this round, by seat."""
    found = rows(statements.QUESTIONS, game=game.id, round=game.round)
    return {row.seat: row.question for row in found if "moves" in row.question}


def add_newcomer(situation: Situation, player: Player) -> Holder:
    """Add to the situation what a decision needs of `player`, who takes a seat; return them as a holder."""
    asked = {"newcomer": player.id, "since": _since(situation)}
    situation.absences += [Absence(*tuple(row)) for row in rows(statements.ABSENCES_OF, **asked)]
    add_webhooks_of(situation, player.id)
    wish = session.get(MailWish, (player.id, situation.id)) if situation.version else None
    return holder_of(player, wish.mail if wish else player.mail)


def holder_of(player: Player, mail: str) -> Holder:
    """Return what a decision needs of a player who takes a seat, and gets so much `mail` about the game."""
    return _holder(player.id, player, wants_moves=mail == statements.MOVES, is_guest=player.is_guest)


def _holder(player_id: str, account: Any, *, wants_moves: bool, is_guest: bool) -> Holder:
    """Return what a decision needs of a player; `account` has the columns of theirs by name."""
    own = (account.zone, account.night, account.spends_vacation)
    return Holder(player_id, *own, wants_moves=wants_moves, bounces=account.bounces, is_guest=is_guest)


def add_webhooks_of(situation: Situation, player_id: str | None) -> None:
    """Add the webhooks of a player who comes into the game; where nobody knows who they are yet, look all the same.

    How long the server takes must not tell a host whether an address is a player's.
    """
    _add_webhooks(situation, statements.WEBHOOKS_OF, newcomer=player_id or "", game=situation.id)


def _add_webhooks(situation: Situation, query: Executable, **given: Any) -> None:
    situation.webhooks = sorted({*situation.webhooks, *(Webhook(*tuple(row)) for row in rows(query, **given))})


# Decide ------------------------------------------------------------------------------------------


def sources(at: datetime | None = None) -> Sources:
    """Return what decisions are handed in this application: its time, or `at`, and its chance."""
    here = runtime()
    return Sources(at or now(), here.new_id, here.draw, here.commit, here.rng, here.settings.min_turn)


def carry_out(situation: Situation, command: Callable[[Draft], Answer], at: datetime | None = None) -> Decision[Answer]:
    """Decide on a command and write what follows, in the transaction under way; `at` is its time, by default now.

    Raises:
        Problem: the command is refused, and nothing was written.
    """
    decision = decide(situation, command, sources(at))
    write(decision)
    return decision


def decided(situation: Situation, command: Callable[[Draft], Answer]) -> Decided[Decision[Answer]]:
    """Decide on a command now; what it comes to is written later, in the same transaction."""
    decision = decide(situation, command, sources())

    def writing() -> Decision[Answer]:
        write(decision)
        return decision

    return Decided(writing)


def decided_for(situation: Situation, player: Player | None, command: Callable[[Draft], object]) -> Decided[Sight]:
    """Do what `decided` does; the answer is the game as the player finds it then."""
    outcome = decided(situation, command)
    reader = None if player is None else player.id
    return outcome.then(lambda decision: sight_of(decision.after, reader))


class Acted(NamedTuple, Generic[Answer]):
    """The outcome of a command: the game as the player finds it then, and the answer of the command."""

    game: Sight
    answer: Answer


def act(
    game_id: str,
    player: Account,
    command: Callable[Concatenate[Draft, str, Given], Answer],
    /,
    *args: Given.args,
    **kwargs: Given.kwargs,
) -> Acted[Answer]:
    """Carry out a command of a player in a game that they may see: load, decide, write.

    Raises:
        Problem: not-found if the game is hidden from them; or the command is refused, and nothing was written.
    """
    with transaction():
        return acting(game_id, player, command, *args, **kwargs).write()


def acting(
    game_id: str,
    player: Account,
    command: Callable[Concatenate[Draft, str, Given], Answer],
    /,
    *args: Given.args,
    **kwargs: Given.kwargs,
) -> Decided[Acted[Answer]]:
    """Do what `act` does, up to the point where it would write."""
    outcome = decided(load_visible(game_id, player), lambda draft: command(draft, player.id, *args, **kwargs))
    return outcome.then(lambda decision: Acted(sight_of(decision.after, player.id), decision.answer))


def rehearse(
    game_id: str,
    player: Account,
    command: Callable[Concatenate[Draft, str, Given], Answer],
    /,
    *args: Given.args,
    **kwargs: Given.kwargs,
) -> Answer:
    """Return what a command of a player would answer; nothing is written. `Problem` as `act`."""
    situation = load_visible(game_id, player)
    return decide(situation, lambda draft: command(draft, player.id, *args, **kwargs), sources()).answer


def publish_event(game_id: str, kind: str, **data: object) -> None:
    """Append an event to the public log of a running game, which changes nothing else in it."""
    carry_out(load(game_id, with_board=False), lambda draft: draft.publish(kind, **data))
