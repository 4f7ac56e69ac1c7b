"""Substitution: a seat of a running game is offered to others, and handed on to a newcomer, who gets a full turn."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from server.house_rules import guest_rules, motions, moves, notices
from server.house_rules.draft import Draft
from server.house_rules.seats import clear_seat, pass_duties_on
from server.house_rules.standing import Holder, Seat, Standing
from server.house_rules.turns import awaited_seats
from server.vocabulary.errors import Problem, refusal
from server.vocabulary.translation import gettext, gettext_noop

LATE_TOO_OFTEN = gettext_noop("its player was late too often in a row")
HAD_TO_GO = gettext_noop("its player had to go")
NONE: Mapping[str, int | None] = MappingProxyType({})  # of the roles
HAS_ACCOUNT = gettext_noop("its player, a guest, goes on with an account")
OURS = (LATE_TOO_OFTEN, HAD_TO_GO, HAS_ACCOUNT)
"""The reasons that are no words of the operator: they are stored in English, and translated where they are shown."""


def offer_if_late_too_often(draft: Draft, seat: Seat, open_after: int | None) -> None:
    """Offer a seat to others if its player has missed `open_after` deadlines in a row; never if that is None.

    Its player may come back until somebody takes the seat.
    """
    is_late_too_often = open_after is not None and seat.misses >= open_after
    if is_late_too_often and not seat.is_offered and not seat.bot and draft.game.status == "running":
        seat.is_offered = True
        draft.publish("offered", seat=seat.number, pawns=seat.pawns)
        notices.post_to_all(draft, "offered", {"pawns": seat.pawns})


class Newcomer(NamedTuple):
    """A player who is to take a seat of a running game, and the roles of seats there that were theirs before.

    roles_once_held: each with the number of the event since which they heard the team; None where they left
        before the start
    """

    holder: Holder
    name: str
    roles_once_held: Mapping[str, int | None] = NONE


def take_offered_seat(draft: Draft, newcomer: Newcomer, number: int | None = None, role: str | None = None) -> None:
    """Give the newcomer an offered seat, the one of that number or the first of that role; a `Problem` if none is.

    A seat is offered when its player's time ran out too often in a row, until the player moves again, or while a bot
    plays for a player who had to go. Mr. X's never is: a detective, or the host, could come for it under another name.
    Guests take one where they might have sat down before the start.
    """
    offered = [seat for seat in draft.game.seats if seat.is_offered and seat.role == "detective"]
    fitting = [seat for seat in offered if number in (None, seat.number) and role in (None, seat.role)]
    if not fitting:
        sentence = gettext("This game has started, and its seats are given.")
        if offered:
            seats = ", ".join(str(seat.number) for seat in offered)
            sentence = gettext("This game has started, and its seats are given; offered is seat {seats}.", seats=seats)
        raise Problem("game-not-open", sentence)
    _check_newcomer(draft.game, fitting[0], newcomer)
    if newcomer.holder.is_guest:
        guest_rules.check_may_sit(draft.game, fitting[0].role)
    hand_on(draft, fitting[0].number, newcomer.holder, once_held=newcomer.roles_once_held)


def give_seat(draft: Draft, newcomer: Newcomer, number: int, reason: str) -> None:
    """Give the newcomer a seat for the operator's reason, as its player is gone.

    A former Mr. X gets no seat in the game any more, and a former detective never gets Mr. X's.
    """
    draft.game.check_running("seats change hands while it runs")
    _check_newcomer(draft.game, draft.game.check_number(number), newcomer)
    hand_on(draft, number, newcomer.holder, reason, once_held=newcomer.roles_once_held)


def pass_seat_on(draft: Draft, account: Newcomer, guest_id: str) -> None:
    """Give a guest's seat to the account that the guest has as well; nothing else of the game changes.

    Raises:
        Problem: `already-seated` or `forbidden` if the account has, or had, another seat there.
    """
    seat = draft.game.seat_of_player(guest_id)
    _check_newcomer(draft.game, seat, account)
    seat.give_to(account.holder)
    seat.nonce = draft.sources.new_id("nonce")
    if draft.game.host_id == guest_id:
        draft.game.host_id = account.holder.id
    draft.publish("substituted", seat=seat.number, pawns=seat.pawns, reason=HAS_ACCOUNT)
    notices.post_substitution(draft, seat, renewed=False, has_account=True)


def hand_on(
    draft: Draft, number: int, newcomer: Holder, reason: str | None = None, *,
    once_held: Mapping[str, int | None] = NONE,
) -> None:  # fmt: skip
    """Give the seat to the newcomer, and restart the phase if a move of the seat is missing.

    The newcomer, who may be Mr. X under another name, hears the team from now on; one who sat with it before goes on
    hearing it as then. `reason` is the operator's; None when the seat was offered.
    """
    game = draft.game
    seat = game.seat_of_number(number)
    old, why = seat.player_id, HAD_TO_GO if seat.is_offered and seat.bot else LATE_TOO_OFTEN
    clear_seat(draft, seat)
    if old is not None:
        draft.former.append((old, seat.role, seat.team_since))
    seat.vacate()
    seat.give_to(newcomer)
    if seat.role == "mr_x":
        game.mr_x_misses = 0
        motions.expire_claims(draft)
    draft.publish("substituted", seat=seat.number, pawns=seat.pawns, reason=reason or why)
    since = once_held.get(seat.role)
    seat.team_since = game.events if since is None else since
    renewed = seat in awaited_seats(game, draft.state, game.queue)
    if renewed:
        moves.restart_timers(draft, serial=game.events)
    had_to_go = {"had_to_go": True} if why == HAD_TO_GO else {}
    notices.post_substitution(draft, seat, renewed=renewed, reason=reason, **had_to_go)
    if old is not None:
        draft.post(old, "cleared", {"vacated": seat.number, "taken": True, "reason": reason})
        pass_duties_on(draft, seat, old)


def _check_newcomer(game: Standing, seat: Seat, newcomer: Newcomer) -> None:
    if game.seat_held_by(newcomer.holder.id) is not None:
        raise refusal("already-seated", "{name} has a seat in this game already.", name=newcomer.name)
    if "mr_x" in newcomer.roles_once_held:
        raise refusal("forbidden", "{name} was Mr. X in this game, and gets no other seat in it.", name=newcomer.name)
    if "detective" in newcomer.roles_once_held and seat.role == "mr_x":
        sentence = gettext("{name} was a detective in this game, and cannot become Mr. X in it.", name=newcomer.name)
        raise Problem("forbidden", sentence)
