"""Substitution: a newcomer takes a seat of a running game that is offered, or that the operator gives them.

`house_rules/substitution.py` says when a seat is offered, and what handing it on changes in the game.
"""

from server.application.game.access import roles_once_held
from server.application.game.deciding import Decided, use_case
from server.application.game.decision_rows import write
from server.application.game.look import sight_of
from server.application.game.reasons import check_reason
from server.application.game.situations import add_newcomer, carry_out, load, sources
from server.application.mail import digest_watermark, mail_frequency
from server.application.play.former_holders import record_former_holder
from server.house_rules import substitution
from server.house_rules.draft import decide
from server.house_rules.situation import Situation
from server.house_rules.standing import Seat, Sight, Standing
from server.models import Player
from server.vocabulary.errors import Problem


@use_case
def substitute(game_id: str, number: int, player: Player, reason: str) -> Decided[Sight]:
    """Give seat `number` of a running game to `player`: the operator's remedy for a player who is gone.

    A former Mr. X gets no seat in the game any more, and a former detective never gets Mr. X's.
    """
    game = load(game_id)
    game.check_running("seats change hands while it runs")
    _check_newcomer(game, game.check_number(number), player)
    return _handed_on(game, number, player, check_reason(game, reason, player.id))


def take_over(game: Situation, player: Player, number: int | None = None, role: str | None = None) -> Decided[Sight]:
    """Decide on taking an offered seat of a running game; raise a `Problem` if there is none.

    A seat is offered when its player's time ran out too often in a row, until the player moves again. Mr. X's never is:
    a detective, or the host, could come for it under another name.
    """
    offered = [seat for seat in game.seats if seat.is_offered and seat.role == "detective"]
    fitting = [seat for seat in offered if number in (None, seat.number) and role in (None, seat.role)]
    if not fitting:
        others = f"; offered is seat {', '.join(str(seat.number) for seat in offered)}" if offered else ""
        raise Problem("game-not-open", f"This game has started, and its seats are given{others}.")
    _check_newcomer(game, fitting[0], player)
    return _handed_on(game, fitting[0].number, player)


def pass_to_account(game: Situation, guest: Player, account: Player) -> None:
    """Give the guest's seat in a running game to the account that they have as well, in the transaction under way.

    Raises:
        Problem: `already-seated` or `forbidden` if the account has, or had, another seat there.
    """
    seat = game.seat_of_player(guest.id)
    _check_newcomer(game, seat, account)
    holder = add_newcomer(game, account)
    decision = carry_out(game, lambda draft: substitution.pass_seat_on(draft, seat.number, holder))
    digest_watermark.advance(account.id, game.id, decision.after.events)
    mail_frequency.hear_again(game.id, account.id)


def _handed_on(game: Situation, number: int, player: Player, reason: str | None = None) -> Decided[Sight]:
    """Decide on giving a seat to the newcomer; `reason` is the operator's, None when the seat was offered."""
    newcomer = add_newcomer(game, player)
    decision = decide(game, lambda draft: substitution.hand_on(draft, number, newcomer, reason), sources())

    def writing() -> Sight:
        record_former_holder(game.id, game.seat_of_number(number))
        write(decision)
        newest = next(event.number for event in decision.events if event.kind == "substituted")
        digest_watermark.advance(player.id, game.id, newest)
        mail_frequency.hear_again(game.id, player.id)
        return sight_of(decision.after, player.id)

    return Decided(writing)


def _check_newcomer(game: Standing, seat: Seat, player: Player) -> None:
    if game.seat_held_by(player.id) is not None:
        raise Problem("already-seated", f"{player.name} has a seat in this game already.")
    held = roles_once_held(game.id, player)
    if "mr_x" in held:
        raise Problem("forbidden", f"{player.name} was Mr. X in this game, and gets no other seat in it.")
    if "detective" in held and seat.role == "mr_x":
        raise Problem("forbidden", f"{player.name} was a detective in this game, and cannot become Mr. X in it.")
