"""Substitution: a seat changes hands while the game runs, and the newcomer gets a full turn.

Nothing that was made for the old player works any more.
"""

from sqlalchemy import delete, update

from server.application.deciding import begin_to_write
from server.application.errors import Problem
from server.application.game import notices, queued_moves
from server.application.game.access import check_running, locked, roles_once_held, seat_of, visible
from server.application.game.events import record_event
from server.application.game.state import rebuild
from server.application.game.waiting import awaited_seats
from server.application.news import digest_watermark
from server.application.people import mail_frequency
from server.application.play import draws, endings, moves
from server.application.play.operator import check_reason
from server.application.seats import hosting
from server.models import Answered, FormerHolder, Game, Player, ReplyToken, Seat, session, transaction
from server.runtime import runtime

LATE_TOO_OFTEN = "the time of whoever played there ran out too often in a row"
CHANGING_HANDS = "seats change hands while it runs"


def substitute(game_id: str, number: int, player: Player, reason: str) -> Game:
    """Give seat `number` of a running game to `player`: the operator's remedy for a player who is gone.

    A former Mr. X gets no seat in the game any more, and a former detective never gets Mr. X's.
    """
    with transaction():
        seat = _seat_in_play(game_id, number)
        game = seat.game
        _check_newcomer(seat, player)
        why = check_reason(game, reason, player.id)
        begin_to_write()
        _hand_on(seat, player, why)
    return game


def take_over(game: Game, player: Player, number: int | None = None, role: str | None = None) -> Game:
    """Take an offered seat of a running game, in the transaction under way; raise a `Problem` if there is none.

    A seat is offered when its player's time ran out too often in a row, until the player moves again.
    """
    offered = [seat for seat in game.seats if seat.is_offered]
    fitting = [seat for seat in offered if number in (None, seat.number) and role in (None, seat.role)]
    if not fitting:
        others = f"; offered is seat {', '.join(str(seat.number) for seat in offered)}" if offered else ""
        raise Problem("game-not-open", f"This game has started, and its seats are given{others}.")
    _check_newcomer(fitting[0], player)
    begin_to_write()
    _hand_on(fitting[0], player)
    return game


def _hand_on(seat: Seat, player: Player, reason: str | None = None) -> None:
    """Give the seat to the newcomer, and restart the phase if a move of the seat is missing.

    `reason` is the operator's; None when the seat was offered.
    """
    game, old = seat.game, seat.player_id
    _clear(seat)
    _sit_down(seat, player)
    record_event(game, "substituted", seat=seat.number, pawns=seat.pawns, reason=reason or LATE_TOO_OFTEN)
    renewed = seat in awaited_seats(game)
    if renewed:
        moves.restart_timers(game, rebuild(game), serial=game.events)
    digest_watermark.skip_until_now(player.id, game)
    mail_frequency.hear_again(game.id, player.id)
    notices.post_substitution(seat, reason, renewed=renewed)
    if old is not None:
        if reason is None:
            notices.post_taken(seat, old)
        hosting.pass_on_after_leaving(seat, old)


def resign(game_id: str, player: Player) -> Game:
    """Resign. For Mr. X, and for the last person among the detectives, the game is over, provisionally.

    In the seat of any other detective a bot plays on.
    """
    with transaction():
        game = visible(game_id, player, lock=True)
        seat = seat_of(game, player)
        check_running(game, CHANGING_HANDS)
        begin_to_write()
        others = [other for other in game.seats if other.role == "detective" and other.player_id and other is not seat]
        if seat.role == "mr_x" or not others:
            record_event(game, "resigned", seat=seat.number, pawns=seat.pawns)
            ending = endings.MR_X_RESIGNED if seat.role == "mr_x" else endings.DETECTIVES_RESIGNED
            endings.end(game, rebuild(game), ending)
        else:
            _clear(seat)
            seat.player_id, seat.bot = None, "constable"
            record_event(game, "resigned", seat=seat.number, pawns=seat.pawns)
            hosting.pass_on_after_leaving(seat, player.id)
            if not draws.end_if_agreed(game):  # bots always agree, so perhaps nobody is left to be asked
                moves.schedule_bots(game, rebuild(game))
                notices.post_resignation(seat)
    return game


def _seat_in_play(game_id: str, number: int) -> Seat:
    game = locked(game_id)
    check_running(game, CHANGING_HANDS)
    for seat in game.seats:
        if seat.number == number:
            return seat
    raise Problem("form", f"There is no such seat; the seats are 1 (Mr. X) to {len(game.seats)}.")


def _check_newcomer(seat: Seat, player: Player) -> None:
    if any(taken.player_id == player.id for taken in seat.game.seats):
        raise Problem("already-seated", f"{player.name} has a seat in this game already.")
    held = roles_once_held(seat.game, player)
    if "mr_x" in held:
        raise Problem("forbidden", f"{player.name} was Mr. X in this game, and gets no other seat in it.")
    if "detective" in held and seat.role == "mr_x":
        raise Problem("forbidden", f"{player.name} was a detective in this game, and cannot become Mr. X in it.")


def _clear(seat: Seat) -> None:
    """Clear a seat of its player: nothing made for them works any more, or counts against the next one."""
    game, old = seat.game, seat.player_id
    seat.misses, seat.late_since, seat.wants_draw = 0, None, False
    seat.bank, seat.cover, seat.is_offered = None, None, False
    if old is None:  # a bot
        return
    session.merge(FormerHolder(game_id=game.id, player_id=old, role=seat.role))
    seat.nonce = runtime().new_id("nonce")  # with it every reply address
    queued_moves.drop_of_seat(seat)
    for statement in (
        update(ReplyToken).where(ReplyToken.game_id == game.id, ReplyToken.seat == seat.number).values(question=None),
        # The answer to the request that opened the game stays, so that the request sent again opens no other game.
        delete(Answered).where(Answered.player_id == old, Answered.route.contains(f"/games/{game.id}/")),
    ):
        session.execute(statement, execution_options={"synchronize_session": False})
    notices.drop_unsent(game, old)


def _sit_down(seat: Seat, player: Player) -> None:
    """Seat the newcomer, and reset Mr. X's lateness if it is his seat."""
    seat.player_id, seat.bot = player.id, None
    if seat.role == "mr_x":
        seat.game.mr_x_misses = 0
