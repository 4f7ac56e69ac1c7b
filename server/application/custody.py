"""A seat changes hands while the game runs: what the old holder had dies, and the newcomer gets a full go."""

from sqlalchemy import delete, update

from server.application import moves, notices
from server.application.deadlines import waiting
from server.application.errors import Problem
from server.application.games import check_reason, happened, rebuild, roles_once_held, seat_of, visible
from server.models import Answered, FormerHolder, Game, MoveAhead, Player, ReplyToken, Seat, session, transaction
from server.runtime import runtime


def substitute(game_id: str, number: int, player: Player, reason: str) -> Game:
    """Give seat `number` of a running game to `player`; the operator's remedy for somebody who is gone.

    Who has been Mr. X gets no seat in the game any more, and who has held a detective's seat never that of Mr. X.
    """
    with transaction():
        seat = _seat_in_play(game_id, number)
        game = seat.game
        _check_newcomer(seat, player)
        public_reason = check_reason(game, reason, player.id)
        _part(seat)
        _sit_down(seat, player)
        happened(game, "substituted", seat=number, pawns=seat.pawns, reason=public_reason)
        renewed = seat in waiting(game)
        if renewed:
            moves.arm(game, rebuild(game), serial=game.events)
        notices.substituted(seat, public_reason, renewed=renewed)
    return game


def resign(game_id: str, player: Player) -> Game:
    """Give the game up. For Mr. X, and for the last person among the detectives, it is over, provisionally.

    A detective with colleagues hands his seat to the house, and the game goes on.
    """
    with transaction():
        game = visible(game_id, player, lock=True)
        seat = seat_of(game, player)
        _check_running(game)
        others = [other for other in game.seats if other.role == "detective" and other.player_id and other is not seat]
        if seat.role == "mr_x" or not others:
            happened(game, "resigned", seat=seat.number, pawns=seat.pawns)
            winner = "detectives" if seat.role == "mr_x" else "mr_x"
            moves.end(game, rebuild(game), winner, "resigned", undoable=True)
        else:
            _part(seat)
            seat.player_id, seat.bot, seat.misses = None, "constable", 0
            happened(game, "resigned", seat=seat.number, pawns=seat.pawns)
            moves.call_the_house(game, rebuild(game))
            notices.resigned(seat)
    return game


def _seat_in_play(game_id: str, number: int) -> Seat:
    game = session.get(Game, game_id, with_for_update=True)
    if game is None:
        raise Problem("not-found", "There is no such game.")
    _check_running(game)
    for seat in game.seats:
        if seat.number == number:
            return seat
    raise Problem("form", f"There is no such seat; the seats are 1 (Mr. X) to {len(game.seats)}.")


def _check_running(game: Game) -> None:
    if game.status != "running":
        began = "has not begun" if game.status == "open" else "is over"
        raise Problem("game-not-running", f"This game {began}; seats change hands while it runs.")


def _check_newcomer(seat: Seat, player: Player) -> None:
    if any(taken.player_id == player.id for taken in seat.game.seats):
        raise Problem("already-seated", f"{player.name} has a seat in this game already.")
    held = roles_once_held(seat.game, player)
    if "mr_x" in held:
        raise Problem("forbidden", f"{player.name} was Mr. X in this game, and gets no other seat in it.")
    if "detective" in held and seat.role == "mr_x":
        raise Problem("forbidden", f"{player.name} was a detective in this game, and cannot become Mr. X in it.")


def _part(seat: Seat) -> None:
    """Whoever holds the seat leaves it, and nothing that was made for him works any more."""
    game, old = seat.game, seat.player_id
    if old is None:  # a player of the house needs nothing
        return
    session.merge(FormerHolder(game_id=game.id, player_id=old, role=seat.role))
    seat.nonce = runtime().new_id("nonce")  # with it every reply address
    for statement in (
        delete(MoveAhead).where(MoveAhead.game_id == game.id, MoveAhead.seat == seat.number),
        update(ReplyToken).where(ReplyToken.game_id == game.id, ReplyToken.seat == seat.number).values(question=None),
        # What was answered when he opened the game stays: it is not about play, and forgotten it would open another.
        delete(Answered).where(Answered.player_id == old, Answered.route.contains(f"/games/{game.id}/")),
    ):
        session.execute(statement, execution_options={"synchronize_session": False})
    notices.forgotten(game, old)


def _sit_down(seat: Seat, player: Player) -> None:
    """The newcomer begins with a clean slate."""
    seat.player_id, seat.bot = player.id, None
    seat.misses = 0
    if seat.role == "mr_x":
        seat.game.mr_x_misses = 0
