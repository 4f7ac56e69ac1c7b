"""The host of a game: what they choose before its start, and who becomes the host.

If the host is gone, the next person in the order of seats becomes the host.
"""

from collections.abc import Mapping
from typing import Any

from server.application.game.deciding import Decided, use_case
from server.application.game.reasons import check_reason
from server.application.game.situations import decided_for, load, load_visible
from server.application.lobby import game_names
from server.house_rules import before_start, guest_rules
from server.house_rules.before_start import check_may_arrange
from server.house_rules.draft import Draft
from server.house_rules.seats import appoint_host
from server.house_rules.standing import Sight, Standing
from server.models import Player
from server.vocabulary.errors import Problem, refusal
from server.vocabulary.translation import gettext, gettext_noop

HANDS_OVER = gettext_noop("Only the host hands their duties over.")
CHANGES = gettext_noop("Only the host changes a game.")


@use_case
def rename(game_id: str, host: Player, name: str) -> Decided[Sight]:
    """Give a game that has not started a name of the host's choice. Only the host may."""
    game = load_visible(game_id, host)
    check_may_arrange(game, host.id, "Only the host names the game.")
    checked = game_names.check(name)

    def change(draft: Draft) -> None:
        draft.game.name = checked

    return decided_for(game, host, change)


@use_case
def publish(game_id: str, host: Player) -> Decided[Sight]:
    """List a game that has not started, so that everybody can see and join it. Only the host may."""
    game = load_visible(game_id, host)
    check_may_arrange(game, host.id, "Only the host lists a game.")
    guest_rules.check_may_host("public", is_guest=host.is_guest)
    return decided_for(game, host, before_start.publish_game)


@use_case
def admit_guests(game_id: str, host: Player, rules: Mapping[str, Any]) -> Decided[Sight]:
    """Change the rules for guests of a game that has not started. Only the host may; see `guest_rules.GuestRules`."""
    game = load_visible(game_id, host)
    check_may_arrange(game, host.id, "Only the host says what guests may do.")
    chosen = guest_rules.check({**(game.guests or {}), **rules}, game.seating)

    def change(draft: Draft) -> None:
        draft.game.guests = chosen

    return decided_for(game, host, change)


@use_case
def renew_code(game_id: str, host: Player) -> Decided[Sight]:
    """Give a game that is not over a new code, so that links with the old one lead nowhere. Only the host may."""
    game = load_visible(game_id, host, with_board=False)
    game.check_host(host.id, "Only the host makes a new link.")
    if game.status == "over":
        raise refusal("game-not-running", "This game is over; its link seats nobody.")
    return decided_for(game, host, before_start.replace_code)


@use_case
def close(game_id: str, host: Player) -> Decided[Sight]:
    """Close a game that has not started, and write to its people. Only the host may."""
    game = load_visible(game_id, host)
    check_may_arrange(game, host.id, "Only the host closes a game.")
    return decided_for(game, host, lambda draft: before_start.close_game(draft, {"by_host": True}, but=host.id))


@use_case
def hand_over(game_id: str, player: Player, number: int) -> Decided[Sight]:
    """Make the player on seat `number` the host, as the host wants it."""
    game = load_visible(game_id, player, with_board=False)
    game.check_host(player.id, HANDS_OVER)
    _check_heir(game, number)
    return decided_for(game, player, lambda draft: appoint_host(draft, draft.game.seat_of_number(number)))


@use_case
def appoint(game_id: str, number: int, reason: str) -> Decided[Sight]:
    """Make the player on seat `number` the host, as the operator wants it: the remedy for a host who is gone."""
    game = load(game_id, with_board=False)
    _check_heir(game, number)
    why = check_reason(game, reason)
    return decided_for(game, None, lambda draft: appoint_host(draft, draft.game.seat_of_number(number), reason=why))


def _check_heir(game: Standing, number: int) -> None:
    if game.status == "over":
        raise refusal("game-not-running", "This game is over; there is nothing for a host to do.")
    seat = next((seat for seat in game.seats if seat.number == number), None)
    if seat is None or seat.player_id is None:
        raise refusal("form", "no person has seat {number}, and a bot cannot be the host.", number=number, field="seat")
    if not guest_rules.may_host(game, is_guest=seat.is_guest):
        sentence = gettext("a guest has seat {number}, and the host of a public game an address.", number=number)
        raise Problem("form", sentence, field="seat")
    if seat.player_id == game.host_id:
        raise refusal("form", "who sits on seat {number} is the host already.", number=number, field="seat")
