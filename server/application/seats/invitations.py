"""Invitations: a seat of a game that has not begun is kept for somebody, for a while.

Whether an address is known here is nobody's business, the host's neither: inviting one does and says the same for
every address. The address is sealed, and forgotten as soon as nobody is invited by it any more.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import Select, delete, select, update
from sqlalchemy.orm import aliased

from server import house
from server.application.errors import Problem
from server.application.news import notices
from server.application.people import codes
from server.application.people.players import check_email, check_name, mark, with_email
from server.application.play.games import happened
from server.durations import rfc3339
from server.models import Deadline, Game, Invitation, Player, Seat, insert, session
from server.runtime import now, runtime

LIFE = timedelta(days=30)  # as long as a seat is kept
MOST_PER_ADDRESS = 3  # a day
MOST_PER_HOST = 20  # addresses a day


class Guest(NamedTuple):
    """Whom a seat is for: a player, a player of the house, whoever reads the mail of an address; or whoever comes."""

    player_id: str | None = None
    bot: str | None = None
    email: str | None = None


# Who is meant ------------------------------------------------------------------------------------


def guests(host: Player, seats: Sequence[Mapping[str, Any]]) -> list[Guest]:
    """Who is wanted on which of `seats`, each with its `role` and perhaps `player`, `invite` or `bot`."""
    found = [guest(host, seat) for seat in seats]
    players = [one.player_id for one in found if one.player_id]
    emails = [one.email for one in found if one.email]
    if len(players) != len(set(players)):
        raise Problem("form", "A player can have one seat only.")
    if len(emails) != len(set(emails)):
        raise Problem("form", "An address can be invited to one seat only.")
    return found


def guest(host: Player, wanted: Mapping[str, Any]) -> Guest:
    """Who is meant by `player` (an id), `invite` (an address, or a name) or `bot`, for a seat of that `role`."""
    named = [name for name in ("player", "invite", "bot") if wanted.get(name) is not None]
    if len(named) > 1:
        raise Problem("form", f"A seat is for one, and not for {' and '.join(named)} at once.")
    match named:
        case ["player"]:
            return Guest(player_id=_known(wanted["player"]))
        case ["invite"]:
            return _invited(host, wanted["invite"])
        case ["bot"]:
            return Guest(bot=_of_the_house(wanted["role"], wanted["bot"]))
    return Guest()


def _known(player_id: str) -> str:
    if session.scalar(select(Player.id).where(Player.id == player_id, Player.gone_at.is_(None))) is None:
        raise Problem("form", f"There is no player {player_id!r}.")
    return player_id


def _of_the_house(role: str, bot: str) -> str:
    names = house.names(role)
    if bot not in names:
        raise Problem("form", f"As {role} the house has {' and '.join(names)}, not {bot!r}.")
    return bot


def _invited(host: Player, named: str) -> Guest:
    """A host who writes an address of his own means himself."""
    if "@" not in named:
        return Guest(player_id=_met(host, named))
    email = check_email(named)
    owner = with_email(email)
    return Guest(player_id=host.id) if owner is not None and owner.id == host.id else Guest(email=email)


def _met(host: Player, name: str) -> str:
    """The player of that name among those in games that the host sits in or hosts: of others no name is told."""
    own, other = aliased(Seat), aliased(Seat)
    tables = select(own.game_id).where(own.player_id == host.id)
    hosted = select(Game.id).where(Game.host_id == host.id)
    met = select(other.player_id).where(other.game_id.in_(tables) | other.game_id.in_(hosted))
    wanted = check_name(name).casefold()
    players = session.execute(select(Player.id, Player.name).where(Player.id.in_(met), Player.gone_at.is_(None)))
    found = [player_id for player_id, called in players if called.casefold() == wanted]
    if len(found) == 1:
        return found[0]
    whom = "More than one" if found else "Nobody"
    raise Problem("form", f"{whom} of those you have met in a game is called {name!r}; name a mail address instead.")


# Keeping a seat ----------------------------------------------------------------------------------


def keep(seat: Seat, wanted: Guest, host: Player) -> None:
    """Keep a free seat for a player or the reader of an address, and write to them; see `check_how_often`."""
    seat.invited_id = wanted.player_id
    code = _to_address(seat, wanted.email, host) if wanted.email else None
    session.flush()
    happened(seat.game, "invited", seat=seat.number)
    arm(seat)
    if seat.invited_id or code:
        notices.invited(seat, wanted.email, code)


def arm(seat: Seat) -> None:
    """Schedule when the seat is kept no longer."""
    due = now() + LIFE
    place = {"side": "lobby", "round": 0, "seat": seat.number, "serial": seat.game.events}
    row = {"id": runtime().new_id("deadline"), "game_id": seat.game_id, "kind": "invitation", **place}
    insert(Deadline, row | {"due_at": due, "try_at": due})


def _to_address(seat: Seat, email: str, host: Player) -> str | None:
    """A row for an address, and the code to be mailed to it; None where that is not to be."""
    code, address = runtime().new_id("invitation code"), mark(email)
    _forget_old()
    refused = session.scalar(select(Invitation.id).where(Invitation.address == address, Invitation.refused).limit(1))
    owner = with_email(email)
    is_mailed = owner is None and refused is None
    seat.invited_id = owner.id if owner else None
    seat.invitation = Invitation(
        id=runtime().new_id("invitation"),
        host_id=host.id,
        address=address,
        email=email,
        digest=codes.digest(code) if is_mailed else None,
        nonce=seat.nonce,
        created_at=now(),
    )
    return code if is_mailed else None


def check_how_often(host: Player, emails: Sequence[str]) -> None:
    """Raise `Problem` too-many when an address was invited often enough for a day, or so many were by this host."""
    if not emails:
        return
    codes.one_after_the_other(Invitation)
    recent = select(Invitation.created_at).where(Invitation.created_at > now() - codes.DAY)
    for email in emails:
        codes.check_times(_times(recent.where(Invitation.address == mark(email))), MOST_PER_ADDRESS)
    codes.check_times(_times(recent.where(Invitation.host_id == host.id)), MOST_PER_HOST, more=len(emails))


def _times(query: Select[datetime]) -> Sequence[datetime]:
    return session.scalars(query.order_by(Invitation.created_at)).all()


def _forget_old() -> None:
    """What is good no longer is known for as long as a seat would be kept; that somebody refused, for ever."""
    old = (Invitation.email.is_(None), Invitation.refused.is_(False), Invitation.created_at <= now() - LIFE)
    session.execute(delete(Invitation).where(*old), execution_options={"synchronize_session": False})


# And keeping it no longer ------------------------------------------------------------------------


def end(seat: Seat) -> None:
    """Nobody is invited to the seat any more; an address is forgotten."""
    if not seat.is_kept:
        return
    invitation, seat.invitation, seat.invited_id = seat.invitation, None, None
    if invitation is not None:
        invitation.email = invitation.digest = None
        notices.withdrawn(invitation.id)
    waiting = (Deadline.game_id == seat.game_id, Deadline.kind == "invitation", Deadline.seat == seat.number)
    statement = update(Deadline).where(*waiting, Deadline.state == "armed").values(state="cancelled")
    session.execute(statement, execution_options={"synchronize_session": False})


def refuse(seat: Seat) -> None:
    """Whoever reads the mail of the address wants to be invited by nobody any more."""
    assert seat.invitation is not None
    seat.invitation.refused = True


def once_for(nonce: str, email: str) -> bool:
    """Whether somebody was invited by this address to the seat that had this nonce."""
    query = select(Invitation.id).where(Invitation.nonce == nonce, Invitation.address == mark(email))
    return session.scalar(query) is not None


def with_code(code: str) -> Seat | None:
    """The seat that is kept for whoever got this code."""
    query = select(Seat).join(Seat.invitation).where(Invitation.digest == codes.digest(code.strip().lower()))
    return session.scalar(query)


# What is held ------------------------------------------------------------------------------------


def received_by(emails: Sequence[str]) -> list[str | None]:
    """When one of these addresses was invited, the oldest first."""
    query = select(Invitation.created_at).where(Invitation.address.in_(map(mark, emails)))
    return [rfc3339(at) for at in session.scalars(query.order_by(Invitation.created_at))]


def forget(player_id: str, emails: Sequence[str]) -> None:
    """Nothing is left of invitations to these addresses, nor of those by the player that are good no longer."""
    dead = Invitation.email.is_(None) & ((Invitation.host_id == player_id) | Invitation.address.in_(map(mark, emails)))
    session.execute(delete(Invitation).where(dead), execution_options={"synchronize_session": False})
