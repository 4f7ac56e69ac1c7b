"""Invitations: a seat of a game that has not started is reserved for a guest, for 30 days at most.

Nobody learns whether an address belongs to a player, not even the host: the server does and says the same for every
address. The address is encrypted, and deleted as soon as nobody is invited by it any more.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, delete, exists, select
from sqlalchemy.orm import aliased

from server import bots
from server.application.limits import quotas
from server.application.people import admission, codes
from server.application.people.players import check_email, check_known, check_name, has_blocked, with_email
from server.house_rules.invitations import LIFE, Code, Guest, Invitee, check_may_remind
from server.house_rules.standing import Seat as Place
from server.models import Game, Invitation, Player, Seat, execute, session
from server.runtime import now, runtime
from server.runtime.address_marks import address_mark
from server.vocabulary import limits
from server.vocabulary.durations import DAY, rfc3339
from server.vocabulary.errors import Problem, refusal
from server.vocabulary.lines import check_unlinked
from server.vocabulary.translation import gettext
from server.vocabulary.words import either, quoted

LONGEST_WORDS = 200  # characters


# Finding the guest ------------------------------------------------------------------------------------


def guests(host: Player, seats: Sequence[Mapping[str, Any]]) -> list[Guest]:
    """Return the guests of `seats`, each with its `role` and perhaps `player`, `invite`, or `bot` with a `level`."""
    found = [guest(host, seat) for seat in seats]
    players = [one.player_id for one in found if one.player_id]
    emails = [one.email for one in found if one.email]
    if len(players) != len(set(players)):
        raise refusal("form", "A player can have one seat only.")
    if len(emails) != len(set(emails)):
        raise refusal("form", "An address can be invited to one seat only.")
    return found


def guest(host: Player, wanted: Mapping[str, Any]) -> Guest:
    """Return the guest that is named: `player` (an id), `invite` (an address or a name) or `bot`, and a `role`.

    A bot may have a `level`; without one it plays as bots usually do.
    """
    named = [name for name in ("player", "invite", "bot") if wanted.get(name) is not None]
    if len(named) > 1:
        raise Problem("form", f"A seat is for one, and not for {' and '.join(named)} at once.")
    if wanted.get("level") is not None and named != ["bot"]:
        raise Problem("form", "only a bot has one.", field="level")
    match named:
        case ["player"]:
            return Guest(player_id=check_known(wanted["player"]))
        case ["invite"]:
            return _invited(host, wanted["invite"])
        case ["bot"]:
            return Guest(bot=_checked_bot(wanted["role"], wanted["bot"]), level=checked_level(wanted.get("level")))
    return Guest()


def _checked_bot(role: str, bot: str) -> str:
    names = bots.names(role)
    if bot not in names:
        wrong = gettext("{choices} for {role}, not {bot}.", choices=either(names), role=role, bot=quoted(bot))
        raise Problem("form", wrong, field="bot")
    return bot


def checked_level(level: str | None) -> str:
    """Return the level of a bot, the usual one if none is named; `Problem` form for one that there is not."""
    if level is not None and level not in bots.LEVELS:
        choices = ", ".join(bots.LEVELS)
        raise refusal("form", "one of {choices}, not {value}.", choices=choices, value=quoted(level), field="level")
    return level or bots.USUAL


def _invited(host: Player, named: str) -> Guest:
    """Return the guest with this address or name; an address of the host's own means the host.

    A host without an address, who may be anybody, has the server write to nobody.
    """
    if host.is_guest:
        raise refusal("forbidden", "To invite by mail or name, add your address first; the link seats your friends.")
    if "@" not in named:
        return Guest(player_id=_met(host, named))
    email = check_email(named)
    owner = with_email(email)
    return Guest(player_id=host.id) if owner is not None and owner.id == host.id else Guest(email=email)


def _met(host: Player, name: str) -> str:
    """Return the player of that name among those in games that the host sits in or hosts: no other is looked up."""
    wanted = check_name(name).casefold()
    found = [player_id for player_id, called in _people_met(host) if called.casefold() == wanted]
    if len(found) == 1:
        return found[0]
    raise refusal(
        "form",
        "More than one of those you have met in a game is called {name}; name a mail address instead."
        if found
        else "Nobody of those you have met in a game is called {name}; name a mail address instead.",
        name=quoted(name),
    )


def names_met(host: Player) -> list[str]:
    """Return the names by which the host can invite people, in alphabetical order."""
    return sorted({name for player_id, name in _people_met(host) if player_id != host.id}, key=str.casefold)


def _people_met(host: Player) -> list[tuple[str, str]]:
    """Return the ids and names of the players in games that the host sits in or hosts."""
    own, other = aliased(Seat), aliased(Seat)
    tables = select(own.game_id).where(own.player_id == host.id).union(select(Game.id).where(Game.host_id == host.id))
    met = select(other.player_id).where(other.game_id.in_(tables))
    found = session.execute(select(Player.id, Player.name).where(Player.id.in_(met), Player.gone_at.is_(None)))
    return [(row.id, row.name) for row in found]


# Inviting ------------------------------------------------------------------------------------------


def invitee(host: Player, wanted: Guest, *, is_limited: bool = True) -> Invitee:
    """Return what there is to know of a player or the reader of an address whom the host invites.

    The caller has checked the limits (`check_how_often`, `check_words`).
    """
    address, guest_id = mark_of(wanted), _player_of(wanted)
    to_them = Invitation.guest_id == (guest_id or "")  # asked for a stranger's address too, as it takes its time
    return Invitee(
        wanted,
        guest_id,
        address,
        is_withheld=has_blocked(guest_id or "", host.id),
        code=_new_code(wanted.email, guest_id, address),
        to_player=_mailed(to_them) if is_limited else (),
        to_player_by_host=_mailed(to_them, Invitation.host_id == host.id) if is_limited else (),
    )


def invitee_again(seat: Place, host: Player) -> Invitee:
    """Return what there is to know of the guest of a seat whom the host reminds; a `Problem` says why they may not."""
    invitation = check_may_remind(seat, host.id, now())
    wanted = Guest(email=invitation.email) if invitation.email else Guest(invitation.guest_id)
    check_how_often(host, [wanted])
    return invitee(host, wanted)


def _new_code(email: str | None, guest_id: str | None, address: str) -> Code | None:
    """Return a code for the reader of an address that is no player's; None if they want no invitation from anybody."""
    refused = session.scalar(select(Invitation.id).where(Invitation.address == address, Invitation.refused).limit(1))
    if refused is not None or admission.takes_nobody() or not email or guest_id is not None:
        return None
    secret = runtime().new_id("invitation code")
    return Code(secret, codes.digest(secret))


def check_words(host: Player, words: str) -> str:
    """Return the host's own words for an invitation, as they may be sent.

    Raises:
        Problem: `form`; `forbidden` for somebody without an address; `too-many` for the sixth within a day.
    """
    quotable = words.replace('"', "'")  # mails put it in double quotation marks
    tidy = check_unlinked(quotable, gettext("A text of your own"), LONGEST_WORDS)
    if host.is_guest:
        raise refusal("forbidden", "To write words of your own, add your address first.")
    sent = (Invitation.host_id == host.id, Invitation.words.is_not(None), Invitation.created_at > now() - DAY)
    times = session.scalars(select(Invitation.created_at).where(*sent).order_by(Invitation.created_at)).all()
    limits.INVITATION_WORDS.check(times, now())
    return tidy


def withhold(player: Player) -> None:
    """Take the invitations from hosts whom the player has blocked since out of the player's sight.

    It happens in the transaction under way. The host sees the seats reserved until the invitations expire. Answers to
    mails about them come too late.
    """
    waiting = (Seat.invited_id == player.id, Seat.player_id.is_(None), Game.status == "open")
    query = select(Seat, Game.host_id).join(Game, Game.id == Seat.game_id).where(*waiting).order_by(Seat.game_id)
    for seat, host_id in session.execute(query).all():
        inviter = seat.invitation.host_id if seat.invitation else host_id
        if not has_blocked(player.id, inviter):
            continue
        if seat.invitation is None:  # from before every invitation had a row
            address = _mark_of_player(player.id)
            seat.invitation = Invitation(
                id=runtime().new_id("invitation"), host_id=inviter, address=address, nonce=seat.nonce, created_at=now()
            )
        seat.invitation.guest_id = player.id
        seat.invited_id = None
        seat.nonce = runtime().new_id("nonce")


def _mark_of_player(player_id: str) -> str:
    """Return the fingerprint by which invitations to a player who was named without an address are counted."""
    return runtime().keyring.fingerprint(b"guest\0" + player_id.encode())


def mark_of(guest: Guest) -> str:
    """Return the fingerprint by which invitations to a guest, an address or a player, are counted."""
    return address_mark(guest.email) if guest.email else _mark_of_player(str(guest.player_id))


def _player_of(guest: Guest) -> str | None:
    """Return the id of the invited player, also if they are named by their address; None if they are no player yet."""
    owner = with_email(guest.email) if guest.email else None
    return owner.id if owner else guest.player_id


def _mailed(*which: ColumnElement[bool]) -> list[datetime]:
    """Return when these invitations and reminders of them were mailed within a day, the oldest first."""
    columns = (Invitation.created_at, Invitation.reminded_at)
    queries = [select(column).where(column > now() - DAY, *which) for column in columns]
    return sorted(at for query in queries for at in session.scalars(query) if at is not None)


def check_how_often(host: Player, guests: Sequence[Guest]) -> None:
    """Raise `Problem` too-many if these invitations are too many for the host, an address or a player.

    A host who names an address is not told that its player has had enough, as that would tell whose address it is.
    """
    invited = [guest for guest in guests if guest.email or guest.player_id not in (None, host.id)]
    if not invited:
        return
    quotas.lock_table(Invitation)
    by_host = Invitation.host_id == host.id
    limits.INVITATIONS.check(_mailed(by_host), now(), more=len(invited))
    if addresses := [guest for guest in invited if guest.email]:
        named = {_mark_of_player(each) for each in session.scalars(select(Invitation.guest_id).where(by_host)) if each}
        sent = _mailed(by_host, Invitation.address.not_in(named))
        limits.INVITED_ADDRESSES.check(sent, now(), more=len(addresses))
    for guest in addresses:
        to_it = Invitation.address == mark_of(guest)
        limits.INVITATIONS_TO_ADDRESS.check(_mailed(to_it), now())
        limits.INVITATIONS_TO_ADDRESS_BY_HOST.check(_mailed(to_it, by_host), now())
    for guest in (guest for guest in invited if not guest.email):
        to_them = Invitation.guest_id == guest.player_id
        limits.INVITATIONS_TO_PLAYER.check(_mailed(to_them), now())
        limits.INVITATIONS_TO_PLAYER_BY_HOST.check(_mailed(to_them, by_host), now())


def forget_old() -> None:
    """Delete invitations that are over and as old as a reservation gets, but never a refusal."""
    old = (_IS_OVER, Invitation.refused.is_(False), Invitation.created_at <= now() - LIFE)
    execute(delete(Invitation).where(*old))


# No address is kept, and no seat refers to it.
_IS_OVER = Invitation.email.is_(None) & ~exists().where(Seat.invitation_id == Invitation.id)


# Ending an invitation ------------------------------------------------------------------------


def refuse(seat: Seat) -> None:
    """Note that the reader of the invited address wants no further invitation from anybody."""
    assert seat.invitation is not None
    seat.invitation.refused = True


def inviter(nonce: str, email: str) -> Player | None:
    """Return who invited this address to the seat when the seat had this nonce."""
    of_seat = (Invitation.nonce == nonce, Invitation.address == address_mark(email))
    return session.scalar(select(Player).join(Invitation, Invitation.host_id == Player.id).where(*of_seat).limit(1))


def with_code(code: str) -> Seat | None:
    """Return the seat of the invitation with this code, or None."""
    query = select(Seat).join(Seat.invitation).where(Invitation.digest == codes.digest(code.strip().lower()))
    return session.scalar(query)


# Stored data of a player ------------------------------------------------------------------------------------


def received_by(player_id: str, emails: Sequence[str]) -> list[str | None]:
    """Return when the player or one of these addresses was invited, the oldest first."""
    to_them = Invitation.address.in_(map(address_mark, emails)) | (Invitation.guest_id == player_id)
    query = select(Invitation.created_at).where(to_them)
    return [rfc3339(at) for at in session.scalars(query.order_by(Invitation.created_at))]


def forget(player_id: str, emails: Sequence[str]) -> None:
    """Delete the rows of invitations to these addresses and to or by the player that are over."""
    to_them = Invitation.address.in_(map(address_mark, emails)) | (Invitation.guest_id == player_id)
    theirs = _IS_OVER & ((Invitation.host_id == player_id) | to_them)
    session.flush()
    execute(delete(Invitation).where(theirs))
