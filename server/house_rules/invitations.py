"""Invitations to the seats of a game before its start: who is invited, how often they hear of it, and when one ends."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from server.house_rules import notices
from server.house_rules.draft import Draft, NewInvitation, Reminded
from server.house_rules.standing import Invitation, Seat
from server.vocabulary import limits
from server.vocabulary.durations import DAY
from server.vocabulary.errors import refusal

LIFE = timedelta(days=30)  # as long as a seat is reserved


class Guest(NamedTuple):
    """The guest a seat is for: a player, a bot and its level, or the reader of an address; without any it is open."""

    player_id: str | None = None
    bot: str | None = None
    level: str | None = None
    email: str | None = None


class Code(NamedTuple):
    """A code that is mailed to an address, and its hash, which is stored in its place."""

    secret: str
    digest: str


class Invitee(NamedTuple):
    """A guest who is invited, as the server knows them; the host learns nothing of it.

    player_id: the player, also if they are named by their address; None if they are no player yet
    address: the fingerprint by which invitations to them are counted
    is_withheld: they have blocked the host
    code: for the reader of an address that is no player's; None if they want no invitation from anybody
    to_player, to_player_by_host: when the player was invited within a day, the oldest first; nothing for a host whose
        invitations are not limited
    """

    guest: Guest
    player_id: str | None
    address: str
    is_withheld: bool
    code: Code | None
    to_player: Sequence[datetime]
    to_player_by_host: Sequence[datetime]


def guest_of(seat: Seat) -> Guest:
    """Return the guest a seat is for, as the host named them."""
    if seat.invitation is not None:
        return Guest(seat.invitation.guest_id) if seat.invitation.email is None else Guest(email=seat.invitation.email)
    return Guest(seat.player_id or seat.invited_id, seat.bot, seat.level)


def keep_for(draft: Draft, seat: Seat, invitee: Invitee, words: str = "") -> None:
    """Reserve a free seat for a player or the reader of an address, and invite them unless they have blocked the host.

    The caller has checked the limits. The host sees the same whether the address is a player's or not, and whether the
    host is blocked or not.
    """
    host_id, email = draft.game.host_id, invitee.guest.email
    has_had_enough = _has_had_enough(draft, invitee)
    seat.invited_id = None if invitee.is_withheld else invitee.player_id
    new = NewInvitation(
        id=draft.sources.new_id("invitation"),
        host_id=host_id,
        guest_id=invitee.player_id,
        address=invitee.address,
        email=email,
        digest=invitee.code and invitee.code.digest,
        nonce=seat.nonce,
        words=words or None,
        created_at=draft.now,
    )
    draft.invitations.append(new)
    seat.invitation = Invitation(new.id, host_id, invitee.player_id, email, new.words, draft.now, None)
    draft.publish("invited", seat=seat.number)
    schedule_expiry(draft, seat)
    notices.post_invitation(draft, seat, invitee.code and invitee.code.secret, is_silent=has_had_enough)


def _has_had_enough(draft: Draft, invitee: Invitee) -> bool:
    """Return True if the player gets no mail about one more invitation; those of this decision count."""
    if invitee.player_id is None:
        return False
    now = [draft.now for new in draft.invitations if new.guest_id == invitee.player_id]
    by_all = limits.INVITATIONS_TO_PLAYER.again_at([*invitee.to_player, *now])
    by_host = limits.INVITATIONS_TO_PLAYER_BY_HOST.again_at([*invitee.to_player_by_host, *now])
    return by_all is not None or by_host is not None


def schedule_expiry(draft: Draft, seat: Seat) -> None:
    """Schedule the end of the invitation to the seat; it belongs to no turn."""
    timer = draft.start_timer("invitation", draft.now + LIFE, serial=draft.game.events, seat=seat.number)
    timer.side, timer.round = "lobby", 0


def check_may_remind(seat: Seat, host_id: str, now: datetime) -> Invitation:
    """Return the invitation to the seat, of which the host wants to remind its guest; at most once a day.

    Raises:
        Problem: `forbidden` if nobody is invited to the seat, or by another host; `too-many`.
    """
    invitation = seat.invitation
    if seat.is_taken or invitation is None or invitation.host_id != host_id:
        raise refusal("forbidden", "That seat is not reserved for somebody whom you invited.")
    last = invitation.reminded_at or invitation.created_at
    limits.INVITATION_REMINDERS.check([last] if last > now - DAY else [], now)
    return invitation


def mail_again(draft: Draft, number: int, invitee: Invitee) -> None:
    """Mail the invitation to a seat once more; its code takes the place of the one before."""
    seat = draft.game.seat_of_number(number)
    assert seat.invitation is not None
    seat.invitation = seat.invitation._replace(reminded_at=draft.now)
    draft.reminded.append(Reminded(seat.invitation.id, draft.now, invitee.code and invitee.code.digest))
    draft.publish("invited", seat=seat.number)
    is_silent = _has_had_enough(draft, invitee)
    notices.post_invitation(draft, seat, invitee.code and invitee.code.secret, is_silent=is_silent, is_reminder=True)


def end(draft: Draft, seat: Seat) -> None:
    """End the invitation to a seat, if there is one."""
    if seat.invitation is not None:
        draft.ended.append(seat.invitation.id)
    seat.invitation = seat.invited_id = None
    for timer in draft.game.timers:
        if (timer.kind, timer.seat, timer.state) == ("invitation", seat.number, "armed"):
            timer.state = "cancelled"
