"""The seats of a game before its start: joining, inviting, filling with bots, and leaving."""

from collections import defaultdict
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from sqlalchemy import select

from server.application.game import outbox_rows
from server.application.game.access import roles_once_held
from server.application.game.deciding import Decided, use_case
from server.application.game.look import look, sight_of
from server.application.game.reasons import check_reason
from server.application.game.situations import (
    add_newcomer,
    add_webhooks_of,
    carry_out,
    decided,
    decided_for,
    holder_of,
    load,
    load_visible,
)
from server.application.lobby import invitations, starting
from server.application.mail import digest_watermark, mail_frequency
from server.house_rules import before_start, resignation
from server.house_rules import invitations as decisions
from server.house_rules.before_start import Person, check_may_seat
from server.house_rules.draft import Decision, Draft
from server.house_rules.invitations import Guest
from server.house_rules.situation import Situation
from server.house_rules.standing import Sight, Standing
from server.house_rules.substitution import Newcomer, give_seat, take_offered_seat
from server.models import FormerHolder, Game, Player, Seat, session
from server.vocabulary.errors import refusal
from server.vocabulary.translation import gettext_noop

INVITES = gettext_noop("Only the host invites players.")


@use_case
def join(
    game_id: str,
    player: Player,
    *,
    seat: int | None = None,
    role: str | None = None,
    code: str | None = None,
    beside: str | None = None,
) -> Decided[Sight]:
    """Take a seat: the one asked for, the one reserved for the player, or the first open one of `role`.

    In a running game it is a seat that is offered because its player was late too often, or had to go. `beside` is
    another player of the same browser, if there is one.
    """
    game = load_visible(game_id, player, code=code)
    if game.status == "running":
        game.check_not_seated(player.id)
        if game.seat_held_by(beside) is not None:
            raise refusal("forbidden", "Somebody plays in this game in your browser: take the seat in another one.")
        return seat_newcomer(game, player, partial(take_offered_seat, number=seat, role=role))
    person = newcomer(game, player)
    taken = starting.when_full(game, player, lambda draft: before_start.take_seat(draft, person, seat, role, beside))
    joined = decided(game, taken).then(lambda decision: starting.with_messages(decision, player))
    return joined.then(lambda found: _heard_again(found, player))


def newcomer(game: Situation, player: Player) -> Person:
    """Return a player who takes a seat of a game that has not begun; what they want is read again at its start."""
    add_webhooks_of(game, player.id)
    has_talk = game.lobby is None or game.lobby.has_team_talk
    has_heard = has_talk and session.get(FormerHolder, (game.id, player.id, "detective")) is not None
    return Person(holder_of(player, player.mail), player.name, has_heard)


def _heard_again(game: Sight, player: Player) -> Sight:
    if game.seat_held_by(player.id) is not None:
        mail_frequency.hear_again(game.id, player.id)
    return game


def with_code(code: str, player: Player | None) -> Sight:
    """Return the game that is joined with this code.

    `Problem` not-found if there is none that `player`, or somebody who has not signed in, may see.
    """
    game_id = session.scalar(select(Game.id).where(Game.code == code)) if code.isalnum() else None
    return look(game_id or "", player, code=code)


@use_case
def invite(
    game_id: str, host: Player, number: int | None, wanted: Mapping[str, Any], *, is_limited: bool = True
) -> Decided[Sight]:
    """Reserve an open seat for a guest, who gets an invitation; the host and bots sit down at once. Only the host may.

    `wanted` has one of `player`, `invite` and `bot`, as a seat of `open_game`, and perhaps the host's own `words` to
    whom they invite. Without a number it is the first open
    seat that fits. To invite the same guest again does nothing. `is_limited` is as in `open_game`.
    """
    game = load_visible(game_id, host)
    game.check_host(host.id, INVITES)
    seat = before_start.seat_to_fill(game, number, wanted.get("bot"))
    guest = invitations.guest(host, {**wanted, "role": seat.role})
    if guest == Guest():
        raise refusal("form", "Name one for the seat: player, invite or bot.")
    game.check_open()
    if guest == decisions.guest_of(seat):
        return Decided(lambda: sight_of(game, host.id))
    is_own = guest.player_id == host.id
    person = newcomer(game, host) if is_own else Person(holder_of(host, host.mail), host.name)
    before_start.check_free_for(game, seat, guest, person)
    if is_limited:
        invitations.check_how_often(host, [guest])
    words = invitations.check_words(host, str(wanted["words"])) if wanted.get("words") else ""
    invitee = None
    if guest.bot is None and not is_own:
        invitee = invitations.invitee(host, guest, is_limited=is_limited)
        add_webhooks_of(game, invitee.player_id)
    filled = decided_for(
        game, host, lambda draft: before_start.fill_seat(draft, seat.number, guest, person, invitee, words)
    )
    if is_own:
        return filled.then(lambda after: _heard_again(after, host))
    return filled if invitee is None else filled.then(_tidied)


def _tidied(game: Sight) -> Sight:
    invitations.forget_old()
    return game


@use_case
def remind(game_id: str, host: Player, seat: int) -> Decided[Sight]:
    """Mail the invitation to a seat once more. Only the host may, once a day."""
    game = load_visible(game_id, host)
    check_may_seat(game, host.id, INVITES)
    invitee = invitations.invitee_again(game.check_number(seat), host)
    return decided_for(game, host, lambda draft: decisions.mail_again(draft, seat, invitee))


@use_case
def fill_with_bots(game_id: str, host: Player, level: str | None = None) -> Decided[Sight]:
    """Put bots of a level on all seats that nobody has taken; invitations to them are withdrawn. Only the host may."""
    checked = invitations.checked_level(level)
    game = load_visible(game_id, host)
    check_may_seat(game, host.id, "Only the host lets bots play.")
    by_turns = is_rematch(game.id)
    return decided_for(game, host, lambda draft: before_start.seat_bots(draft, checked, by_turns=by_turns))


def is_rematch(game_id: str) -> bool:
    """Return True if the game is the rematch of another."""
    return session.scalar(select(Game.id).where(Game.rematch_id == game_id)) is not None


@use_case
def leave(game_id: str, player: Player, seat: int | None = None) -> Decided[Sight]:
    """Give a seat back, or decline an invitation to it, before the start. The host may clear any seat."""
    game = load_visible(game_id, player)
    return decided_for(game, player, lambda draft: before_start.leave_seats(draft, player.id, seat))


@use_case
def leave_to_bot(game_id: str, player: Player) -> Decided[Sight]:
    """Give the player's seat in a running game to a bot at once; see `resignation.step_out`."""
    game = load_visible(game_id, player)
    return decided_for(game, player, lambda draft: resignation.step_out(draft, player.id))


def tell_host_of_unreached(game_id: str, player_id: str) -> None:
    """Write to the host that no mail reaches a player who is invited by name; the seat stays reserved for them."""
    game = load(game_id)
    named = (seat for seat in game.seats if seat.is_reserved and not seat.is_by_address)
    seat = next((seat for seat in named if seat.is_for(player_id)), None)
    if seat is not None and game.status == "open" and not outbox_rows.is_vacancy_told(game):
        carry_out(game, lambda draft: before_start.tell_of_unreached(draft, seat.number))


def guests_by_network(game: Standing) -> list[list[str]]:
    """Return, for each network from which several guests of the game came, their names in the order of their seats."""
    query = select(Player.name, Player.network).join(Seat, Seat.player_id == Player.id)
    query = query.where(Seat.game_id == game.id, Player.network.is_not(None)).order_by(Seat.number)
    of_network: defaultdict[str | None, list[str]] = defaultdict(list)
    for name, network in session.execute(query):
        of_network[network].append(name)
    return [names for names in of_network.values() if len(names) > 1]


def decline(seat: Seat) -> None:
    """Free a seat, as the reader of the invited address declines it."""
    carry_out(load(seat.game_id), lambda draft: before_start.decline_seat(draft, seat.number))


def free_undelivered(invitation_id: str, *, is_full: bool = False) -> None:
    """Free a seat whose invitation came back, and write to the host, who may have mistyped the address.

    `is_full`: it came back for now, as from a full mailbox.
    """
    game_id = session.scalar(select(Seat.game_id).where(Seat.invitation_id == invitation_id))
    game = load(game_id) if game_id else None
    if game is not None and game.status == "open":
        carry_out(game, lambda draft: before_start.free_seat_of(draft, invitation_id, is_full=is_full))


@use_case
def substitute(game_id: str, number: int, player: Player, reason: str) -> Decided[Sight]:
    """Give a seat of a running game to `player`, for the operator's reason; `Problem` as of `give_seat`."""
    game = load(game_id)
    checked = check_reason(game, reason, player.id)
    return seat_newcomer(game, player, partial(give_seat, number=number, reason=checked))


def seat_newcomer(game: Situation, player: Player, command: Callable[[Draft, Newcomer], None]) -> Decided[Sight]:
    """Decide on a command that seats `player` in a running game; digests tell them only what happens from then on."""
    newcomer = Newcomer(add_newcomer(game, player), player.name, roles_once_held(game.id, player))

    def settled(decision: Decision[None]) -> Sight:
        seated = next(event.number for event in decision.events if event.kind == "substituted")
        digest_watermark.advance(player.id, game.id, seated)
        mail_frequency.hear_again(game.id, player.id)
        return sight_of(decision.after, player.id)

    return decided(game, lambda draft: command(draft, newcomer)).then(settled)
