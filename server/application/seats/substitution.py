"""Substitution: a seat changes hands while the game runs, and the newcomer gets a full turn.

The seat of a player who is late too often is offered by `application/decisions/lateness.py`; here it is taken.
Nothing that was made for the old player works any more.
"""

from sqlalchemy import delete, update

from server.application.deciding import begin_to_write
from server.application.decisions import seats
from server.application.decisions.draft import decide
from server.application.decisions.turns import check_running
from server.application.errors import Problem
from server.application.game import notices
from server.application.game.access import locked, roles_once_held, seat_of
from server.application.game.situations import load, load_visible, sources, with_newcomer, write
from server.application.news import digest_watermark
from server.application.people import mail_frequency
from server.application.play.operator import check_reason
from server.models import Answered, FormerHolder, Game, Player, ReplyToken, Seat, change, session, transaction


def substitute(game_id: str, number: int, player: Player, reason: str) -> Game:
    """Give seat `number` of a running game to `player`: the operator's remedy for a player who is gone.

    A former Mr. X gets no seat in the game any more, and a former detective never gets Mr. X's.
    """
    with transaction():
        seat = _seat_in_play(game_id, number)
        game = seat.game
        _check_newcomer(seat, player)
        _hand_on(seat, player, check_reason(game, reason, player.id))
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
    _hand_on(fitting[0], player)
    return game


def _hand_on(seat: Seat, player: Player, reason: str | None = None) -> None:
    """Give the seat to the newcomer; `reason` is the operator's, None when the seat was offered."""
    game_id, number = seat.game_id, seat.number
    situation, newcomer = with_newcomer(load(game_id), player)
    decision = decide(situation, lambda draft: seats.hand_on(draft, number, newcomer, reason), sources())
    begin_to_write()
    _forget_holder(seat)
    write(decision)
    number = next(event.number for event in decision.events if event.kind == "substituted")
    digest_watermark.advance(player.id, game_id, number)
    mail_frequency.hear_again(game_id, player.id)


def resign(game_id: str, player: Player) -> Game:
    """Resign. For Mr. X, and for the last person among the detectives, the game is over, provisionally.

    In the seat of any other detective a bot plays on.
    """
    with transaction():
        decision = decide(load_visible(game_id, player), lambda draft: seats.resign(draft, player.id), sources())
        begin_to_write()
        game = session.get_one(Game, game_id)
        seat = seat_of(game, player)
        if decision.after.seat_of_number(seat.number).player_id != player.id:
            _forget_holder(seat)
        write(decision)
    return game


def ends_game(game: Game, seat: Seat) -> bool:
    """Return True if the game is over when the player of `seat` resigns."""
    return seats.resignation_ends_game(game.seats, seat)


def _seat_in_play(game_id: str, number: int) -> Seat:
    game = locked(game_id)
    check_running(game, "seats change hands while it runs")
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


def _forget_holder(seat: Seat) -> None:
    """Let nothing that was made for the holder of a seat work any more; they are remembered as its former holder."""
    game_id, old = seat.game_id, seat.player_id
    if old is None:  # a bot
        return
    session.merge(FormerHolder(game_id=game_id, player_id=old, role=seat.role))
    for statement in (
        update(ReplyToken).where(ReplyToken.game_id == game_id, ReplyToken.seat == seat.number).values(question=None),
        # The answer to the request that opened the game stays, so that the request sent again opens no other game.
        delete(Answered).where(Answered.player_id == old, Answered.route.contains(f"/games/{game_id}/")),
    ):
        change(statement)
    notices.drop_unsent(seat.game, old)
