"""A game before its start: who sits down, who leaves, what its host may do, and how it is closed if it never begins."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from server import bots
from server.house_rules import endings, guest_rules, invitations, notices
from server.house_rules.dealing import move_to_seats
from server.house_rules.draft import Draft
from server.house_rules.invitations import Guest, Invitee
from server.house_rules.seats import appoint_host, next_host, pass_duties_on
from server.house_rules.standing import Holder, Seat, Standing
from server.vocabulary.errors import refusal


class Person(NamedTuple):
    """A player who sits down. has_heard: they have read what the detectives of this game said to each other."""

    holder: Holder
    name: str
    has_heard: bool = False


# Opening -----------------------------------------------------------------------------------------


def open_seats(
    draft: Draft,
    host: Person,
    hands: Sequence[Sequence[str]],
    guests: Sequence[Guest],
    invitees: Mapping[Guest, Invitee],
) -> None:
    """Open a game that has no seats yet: one for each hand of pawns. The host and bots sit down, others are invited."""
    game = draft.game
    for number, (pawns, guest) in enumerate(zip(hands, guests, strict=True), 1):
        seat = _new_seat(number, list(pawns), draft.sources.new_id("nonce"))
        seat.bot, seat.level = guest.bot, guest.level
        if guest.player_id == host.holder.id:
            seat.give_to(host.holder)
        game.seats.append(seat)
    draft.publish("opened", host=host.name)
    for seat, guest in zip(game.seats, guests, strict=True):
        if guest in invitees:
            invitations.keep_for(draft, seat, invitees[guest])


def _new_seat(number: int, pawns: list[str], nonce: str) -> Seat:
    return Seat(
        number, pawns, player_id=None, bot=None, level=None, misses=0, late_since=None, wants_draw=False, bank=None,
        cover=None, is_offered=False, nonce=nonce,
    )  # fmt: skip


# Sitting down ------------------------------------------------------------------------------------


def take_seat(draft: Draft, person: Person, number: int | None, role: str | None, beside: str | None = None) -> None:
    """Take a seat: the one asked for, the one reserved for the player, or the first open one of `role`.

    `beside` is another player of the same browser, if there is one.
    """
    game, holder = draft.game, person.holder
    game.check_open()
    game.check_not_seated(holder.id)
    chosen = choose_seat(game, holder, number, role)
    if holder.is_guest and not chosen.is_for(holder.id):
        guest_rules.check_may_sit(game, chosen.role)
    if (other := game.seat_held_by(beside)) is not None:
        guest_rules.check_may_pair(game, other, chosen)
    check_has_not_heard(chosen, person)
    _sit_down(draft, chosen, person)


def choose_seat(game: Standing, holder: Holder, number: int | None, role: str | None) -> Seat:
    """Return the seat that a player gets who asks for this one, or for one of that role."""
    if number is None:
        role = role or _role_of_guests(game, holder)
    seats = [seat for seat in game.seats if number in (None, seat.number) and role in (None, seat.role)]
    if not seats:
        raise game.no_such_seat()
    for seat in sorted(seats, key=lambda seat: not seat.is_for(holder.id)):
        if not seat.is_taken and (seat.is_for(holder.id) or not seat.is_reserved):
            return seat
    raise refusal("seat-taken", "That seat is taken, or reserved for somebody who was invited.")


def _role_of_guests(game: Standing, holder: Holder) -> str | None:
    """Return the role that a guest gets who does not choose one; None for whichever is open, as for everybody else.

    A seat that is reserved for the guest is theirs whatever its role is, as that of Mr. X in a rematch.
    """
    is_to_choose = holder.is_guest and not any(seat.is_for(holder.id) for seat in game.seats)
    return "detective" if is_to_choose and not guest_rules.may_sit(game, "mr_x") else None


def check_has_not_heard(seat: Seat, person: Person) -> None:
    """Raise `Problem` forbidden if the seat is that of Mr. X and the player has read the team's messages."""
    if seat.role == "mr_x" and person.has_heard:
        raise refusal("forbidden", "You have heard what the detectives said in this game, and cannot become Mr. X.")


def _sit_down(draft: Draft, seat: Seat, person: Person) -> None:
    invitations.end(draft, seat)
    seat.give_to(person.holder)
    for other in draft.game.seats:
        # A seat reserved for an address stays so: the host must not learn that it is this player's address.
        if other.is_for(person.holder.id) and not other.is_by_address:
            invitations.end(draft, other)
    draft.publish("joined", seat=seat.number, name=person.name)
    _tell_if_complete(draft)


def _put_bot(draft: Draft, seat: Seat, bot: str, level: str | None) -> None:
    seat.bot, seat.level = bot, level
    draft.publish("joined", seat=seat.number, bot=bot)
    _tell_if_complete(draft)


def _tell_if_complete(draft: Draft) -> None:
    if draft.game.is_complete and not draft.game.starts_when_full:
        draft.post(draft.game.host_id, "complete")


def seat_bots(draft: Draft, level: str, *, by_turns: bool = False) -> None:
    """Put bots of a level on all seats that nobody has taken; invitations to them are withdrawn.

    Where people are Mr. X `by_turns` and the one whose turn it is has not come, the next of them is Mr. X.
    """
    game = draft.game
    if not any(seat.player_id for seat in game.seats):
        raise refusal("seats-open", "Somebody has to play: take a seat first, or wait for somebody who does.")
    if by_turns and not game.seats[0].is_taken and game.lobby is not None and not game.lobby.has_team_talk:
        _pass_mr_x_on(draft)
    for seat in [seat for seat in game.seats if not seat.is_taken]:
        if seat.is_reserved:
            free_seat(draft, seat, "declined", told=False)
        _put_bot(draft, seat, bots.names(seat.role)[0], level)


def _pass_mr_x_on(draft: Draft) -> None:
    """Let the first person who sits be Mr. X; their seat is free then, and so is that of Mr. X's reserved no longer."""
    mr_x, *others = draft.game.seats
    heir = next(seat for seat in others if seat.holder)
    holder, nonce = heir.holder, draft.sources.new_id("nonce")
    assert holder is not None
    heir.vacate()
    heir.nonce = nonce
    if mr_x.is_reserved:
        free_seat(draft, mr_x, "declined", told=False)
    move_to_seats(draft, [mr_x], [holder])


def give_to_account(draft: Draft, guest_id: str, account: Person) -> None:
    """Give a guest's seat, and the host's duties if they are the guest's, to the account that the guest has as well."""
    game = draft.game
    game.check_not_seated(account.holder.id)
    seat = game.seat_of_player(guest_id)
    check_has_not_heard(seat, account)
    seat.give_to(account.holder)
    seat.nonce = draft.sources.new_id("nonce")
    if game.host_id == guest_id:
        game.host_id = account.holder.id


# Filling a seat, as the host wants it ------------------------------------------------------------


def seat_to_fill(game: Standing, number: int | None, bot: str | None) -> Seat:
    """Return the seat of this number, or without one the first that is free, and fits the bot if it is for one."""
    if number is not None:
        return game.check_number(number)
    game.check_open()
    for seat in game.seats:
        if seat.is_free and bot in (None, *bots.names(seat.role)):
            return seat
    raise refusal("seat-taken", "Every seat that fits is taken, or reserved for somebody.")


def check_free_for(game: Standing, seat: Seat, guest: Guest, host: Person) -> None:
    """Raise a `Problem` unless the seat is free, and the guest has no other of the game."""
    if seat.is_taken or seat.is_reserved:
        raise refusal("seat-taken", "That seat is taken or reserved for somebody; clear it first.")
    if guest.email and any(guest.email == invitations.guest_of(other).email for other in game.seats):
        raise refusal("form", "That address is invited to another seat of this game already.")
    if guest.player_id == host.holder.id:
        game.check_not_seated(host.holder.id)
        check_has_not_heard(seat, host)
    elif guest.player_id and any(guest.player_id == other.player_id for other in game.seats):
        raise refusal("form", "That player has a seat in this game already.")


def fill_seat(draft: Draft, number: int, guest: Guest, host: Person, invitee: Invitee | None, words: str) -> None:
    """Keep a free seat for a guest, who is invited with the host's `words`; the host and bots sit down at once."""
    seat = draft.game.seat_of_number(number)
    if guest.player_id == host.holder.id:
        _sit_down(draft, seat, host)
    elif guest.bot:
        _put_bot(draft, seat, guest.bot, guest.level)
    elif invitee is not None:
        invitations.keep_for(draft, seat, invitee, words)


# Leaving -----------------------------------------------------------------------------------------


def leave_seats(draft: Draft, player_id: str, number: int | None) -> None:
    """Give a seat back, or decline an invitation to it. The host may clear any seat.

    The code of the game is a new one then: whom the host removes would come back by the old one.
    """
    game = draft.game
    given = [seat for seat in game.seats if seat.is_taken or seat.is_reserved]
    if number is None or player_id != game.host_id:
        given = [seat for seat in given if player_id in (seat.player_id, seat.invited_id)]
    wanted = [seat for seat in given if number in (None, seat.number)]
    if not wanted:
        raise refusal("forbidden", "That seat is not yours to give back.")
    game.check_open("This game has started, and you keep your seat. RESIGN ends the game for your side.")
    for seat in wanted:
        former = seat.player_id
        free_seat(draft, seat, "left" if former else "declined", told=player_id != game.host_id)
        if former is not None and former != player_id:
            draft.post(former, "cleared", {"vacated": seat.number})
            replace_code(draft)
        elif former is not None:
            pass_duties_on(draft, seat, former)


def replace_code(draft: Draft) -> None:
    """Give the game a new code; links with the old one lead nowhere."""
    draft.game.code = draft.sources.new_id("code")


def free_seat(draft: Draft, seat: Seat, why: str, *, told: bool = True, whom: str = "") -> None:
    """Free a seat: its player or guest, and every link made for them, is gone. Write to the host if `told`.

    `why` is left, away, declined, expired, undelivered or full; `whom` the address that no mail reaches.
    """
    _remember_leaving(draft, seat)
    invitations.end(draft, seat)
    seat.vacate()
    seat.nonce = draft.sources.new_id("nonce")
    draft.publish("left", seat=seat.number)
    if told:
        notices.post_vacancy(draft, seat, why, whom)


def _remember_leaving(draft: Draft, seat: Seat) -> None:
    """Note that the player who gives a detective's seat back has read the team's messages, if there are any."""
    lobby = draft.game.lobby
    if seat.player_id and seat.role == "detective" and lobby is not None and lobby.has_team_talk:
        draft.former.append((seat.player_id, "detective", None))


def free_abandoned_seat(draft: Draft, number: int) -> None:
    """Free a seat whose player, a guest, stayed away; somebody else there becomes the host if they were it."""
    seat = draft.game.seat_of_number(number)
    former = seat.player_id
    free_seat(draft, seat, "away")
    if former is not None:
        pass_duties_on(draft, seat, former)


def decline_seat(draft: Draft, number: int) -> None:
    """Free a seat, as whom it is reserved for declines it."""
    free_seat(draft, draft.game.seat_of_number(number), "declined")


def free_seat_of(draft: Draft, invitation_id: str, *, is_full: bool) -> None:
    """Free the seat whose invitation came back; `is_full`: for now, as from a full mailbox."""
    game = draft.game
    for seat in game.seats:
        if seat.invitation is not None and seat.invitation.id == invitation_id:
            is_theirs = seat.invitation.host_id == game.host_id  # only the host who wrote the address is told it
            whom = (seat.invitation.email or "") if is_theirs else ""
            free_seat(draft, seat, "full" if is_full else "undelivered", whom=whom)


def tell_of_unreached(draft: Draft, number: int) -> None:
    """Write to the host that no mail reaches the player for whom the seat is reserved, and stays so."""
    notices.post_vacancy(draft, draft.game.seat_of_number(number), "unreached")


def expire_invitation(draft: Draft, number: int) -> None:
    """Free a seat whose invitation has expired."""
    seat = draft.game.seat_of_number(number)
    if draft.game.status == "open" and seat.is_reserved:
        free_seat(draft, seat, "expired")


# The game itself ---------------------------------------------------------------------------------


def check_may_arrange(game: Standing, player_id: str, sentence: str) -> None:
    """Raise a `Problem` unless this is the host, with the sentence that only the host does it, and before the start."""
    game.check_host(player_id, sentence)
    game.check_open("This game has started already.")


def check_may_seat(game: Standing, player_id: str, sentence: str) -> None:
    """Do the same where it is about seats, which are all given in a game that has begun."""
    game.check_host(player_id, sentence)
    game.check_open()


def publish_game(draft: Draft) -> None:
    """List the game, so that everybody can see and join it."""
    draft.game.visibility = "public"
    draft.game.guests = None  # they were meant for friends who have the link


def warn(draft: Draft, ends_at: datetime) -> None:
    """Warn the people of a game in which nothing happens that it will be closed."""
    draft.game.warned_at = draft.now
    notices.post_to_lobby(draft, "expiring", {"ends_at": ends_at.isoformat()})


def forget_warning(draft: Draft) -> None:
    """Forget a warning, as something has happened since."""
    draft.game.warned_at = None


def close_game(draft: Draft, details: Mapping[str, Any], *, but: str | None = None) -> None:
    """Close the game: end its invitations, and write to its people; its row and events stay.

    Args:
        details: the operator's `reason`, or `by_host`; empty if it is closed for being neglected.
        but: the player who closes it, and needs no mail.
    """
    game = draft.game
    notices.post_to_lobby(draft, "expired", details, but=but)
    for seat in game.seats:
        _remember_leaving(draft, seat)
        invitations.end(draft, seat)
        seat.nonce = draft.sources.new_id("nonce")
    game.due_at = None
    endings.mark_over(game, endings.EXPIRED, draft.now, final=True)
    draft.publish("expired")


def leave_without_host(draft: Draft) -> None:
    """Pass the duties of a host on whose account is deleted.

    Where nobody can have them, a game that has not begun is closed and taken off the list.
    """
    game = draft.game
    heir = next_host(game)
    if heir is not None:
        appoint_host(draft, heir)
        return
    if game.status == "open" and any(seat.player_id for seat in game.seats):  # guests, who cannot be the host
        close_game(draft, {"by_host": True}, but=game.host_id)
    game.visibility = "private"
    for seat in game.seats:
        invitations.end(draft, seat)
