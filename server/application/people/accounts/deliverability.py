"""Deliverability: addresses at which no mail arrives.

The server believes a report that comes to the return address, or names the id, of a mail that it sent. Only the mail's
receiver knows these, so nobody can stop another player's mail.

A mail that comes back for now, as from a full mailbox, is tried again like one that the relay does not take for now.
"""

import re
from collections.abc import Sequence
from datetime import timedelta

from sqlalchemy import func, or_, select, update
from sqlalchemy.orm import aliased

from server.application.game.access import renew_versions
from server.application.game.situations import publish_event
from server.application.lobby import seats
from server.application.mail import deliveries
from server.models import Address, Game, Outgoing, Player, Seat, execute, leases, session, transaction
from server.runtime import now
from server.runtime.address_marks import address_mark

SEVERAL = 3  # players in a row whose mail the relay refuses for good, by which it refuses everybody
MOST_RETURNS = 5  # refusals after which the mail itself is at fault, even if others are refused as well
MOST_ATTEMPTS = 24  # of a mail, some days
LONGEST_SOFT = timedelta(days=5)  # over which mails come back for now, until none will arrive
SETTLED = timedelta(
    hours=1
)  # without a report, after which a mail has arrived at an address from which others came back
CAME_BACK = "came back, as from a full mailbox"
_RATE_LIMIT = re.compile(r"(?i)\brate\b|too (?:many|much|fast|often)|\blimit|quota|throttl")
_LIMITED = "It limits how much mail it takes: set MAIL_LIMIT to what that is, such as 400/P1D."

_REFUSED = aliased(Outgoing)
HAS_REFUSALS = select(_REFUSED.id).where(_REFUSED.refused_at.is_not(None)).exists()
"""The condition that mails were refused for good since the relay took one."""


def record_bounce(mail_id: str, *, lasting: bool, is_tried_again: bool = False) -> None:
    """Record that a mail did not arrive; `lasting` if none will at that address.

    `is_tried_again`: it may arrive later, and is written and sent again then, if its kind is one that can be.
    """
    with transaction():
        row = session.get(Outgoing, mail_id)
        if row is None or row.state not in ("sent", "bounced", "dead"):
            return
        is_first = not row.attempts
        row.state = "bounced"
        if is_tried_again and row.attempts < MOST_ATTEMPTS:
            attempts = row.attempts + 1
            if deliveries.write_again(row, attempts, leases.back_off(attempts), leases.TRIED):
                row.error = CAME_BACK
        if row.kind == "invitation" and (lasting or is_first):
            _tell_host(row, is_full=not lasting)
        _mark_address(row, lasting=lasting)


def remedy(refusal: str | None) -> str:
    """Return a sentence on what the operator can do about a relay that says so, after a blank; empty if nothing."""
    return f" {_LIMITED}" if refusal is not None and _RATE_LIMIT.search(refusal) else ""


def record_full(mail_id: str) -> None:
    """Record that the relay does not take a mail for now, as its recipient's mailbox is full; it is tried again."""
    with transaction():
        row = session.get_one(Outgoing, mail_id)
        if row.kind == "invitation" and row.attempts <= 1:
            _tell_host(row, is_full=True)
        _mark_address(row, lasting=False)


def _mark_address(row: Outgoing, *, lasting: bool) -> None:
    address = _sent_to(row)
    if address is None or address.bounced_at is not None:
        return
    address.soft_at, address.soft_since = now(), address.soft_since or now()
    if lasting or now() - address.soft_since >= LONGEST_SOFT:
        address.bounced_at = now()
    settle(session.get_one(Player, address.player_id), address)


def record_refusal(mail_id: str) -> bool:
    """Record that the relay refused a mail for good; return whether it refuses everybody.

    It does if it refused several players one after the other and took no mail in between, as their addresses have
    worked before. Then their mails wait to be sent again, and their addresses no longer count as bounced. Addresses of
    no player do not count, since anybody can name one that does not exist.
    """
    with transaction():
        row = session.get_one(Outgoing, mail_id)
        if row.attempts > MOST_RETURNS:
            return False
        row.refused_at = now()
        session.flush()
        refused = (Outgoing.refused_at.is_not(None), Outgoing.player_id.is_not(None))
        if (session.scalar(select(func.count(Outgoing.recipient.distinct())).where(*refused)) or 0) < SEVERAL:
            return False
        for each in session.scalars(select(Outgoing).where(Outgoing.refused_at.is_not(None))).all():
            _take_back(each)
    return True


def _take_back(row: Outgoing) -> None:
    if row.state == "bounced":
        address = _sent_to(row)
        if address is not None and address.bounced_at is not None:
            clear_bounces(address)
    if row.state in ("bounced", "dead"):
        row.state, row.not_before, row.fence = "pending", now(), None


def refuses_everybody() -> bool:
    """Return whether mails wait that were refused in a row, as the relay has taken none since."""
    waiting = (Outgoing.refused_at.is_not(None), Outgoing.state == "pending")
    return session.scalar(select(Outgoing.id).where(*waiting).limit(1)) is not None


def clear_refusals() -> None:
    """Forget refusals, as the relay took a mail: each of them was about its own address."""
    execute(update(Outgoing).where(Outgoing.refused_at.is_not(None)).values(refused_at=None))


def record_unsent_invitation(mail_id: str) -> None:
    """Write to the host about an invitation that is not sent, if the reason is that no mail reaches the player."""
    with transaction():
        row = session.get(Outgoing, mail_id)
        if row is not None and row.player is not None and row.player.bounces:
            _tell_host(row, is_full=not is_given_up(row.player))


def _tell_host(row: Outgoing, *, is_full: bool = False) -> None:
    """Write to the host; about an invited address they read the same whether it is a player's or not."""
    if row.cause:
        seats.free_undelivered(row.cause, is_full=is_full)
    elif row.game_id and row.player_id:
        seats.tell_host_of_unreached(row.game_id, row.player_id)


def record_mail_from(emails: Sequence[str]) -> None:
    """Clear the bounces of these addresses, as a mail has come from them."""
    is_in_doubt = or_(Address.bounced_at.is_not(None), Address.soft_since.is_not(None))
    theirs = Address.email.in_([email.lower() for email in emails])
    for address in session.scalars(select(Address).where(theirs, is_in_doubt)).all():
        clear_bounces(address)


def clear_bounces(address: Address) -> None:
    """Record, in the transaction under way, that mail to the address arrives."""
    address.bounced_at = address.soft_since = address.soft_at = None
    player = session.get_one(Player, address.player_id)
    if player.email == address.email:
        settle(player, address)


def is_bouncing(email: str) -> bool:
    """Return whether no mail arrives at this address."""
    return session.scalar(select(Address.id).where(Address.email == email, Address.bounced_at.is_not(None))) is not None


def is_given_up(player: Player) -> bool:
    """Return whether nothing more is sent to the player, as no mail arrives at their primary address."""
    return player.bounces and is_bouncing(player.email)


def find_arrived() -> None:
    """Record that mail arrives again at addresses from which it came back for now: none has since a later one."""
    with transaction():
        soft = select(Address).where(Address.soft_since.is_not(None), Address.bounced_at.is_(None))
        for address in session.scalars(soft).all():
            later = (
                Outgoing.player_id == address.player_id, Outgoing.recipient == address_mark(address.email),
                Outgoing.state == "sent", Outgoing.sent_at > address.soft_at, Outgoing.sent_at <= now() - SETTLED,
            )  # fmt: skip
            if session.scalar(select(Outgoing.id).where(*later).limit(1)) is not None:
                clear_bounces(address)


def settle(player: Player, primary: Address) -> None:
    """Record whether mail reaches the player at their primary address; a change is an event in each of their games."""
    bounces = primary.bounced_at is not None or primary.soft_since is not None
    if player.email != primary.email or player.bounces == bounces:
        return
    player.bounces = bounces
    session.flush()
    renew_versions(player)
    under_way = (Seat.player_id == player.id, Game.status.in_(("open", "running")))
    seats = select(Game.id, Seat.pawns).join(Seat, Seat.game_id == Game.id).where(*under_way)
    for game_id, pawns in session.execute(seats.order_by(Game.id)).all():
        publish_event(game_id, "bounced" if bounces else "reached", pawns=pawns)


def _sent_to(row: Outgoing) -> Address | None:
    """Return the address a mail was sent to, if it still is the player's."""
    theirs = session.scalars(select(Address).where(Address.player_id == row.player_id))
    return next((address for address in theirs if address_mark(address.email) == row.recipient), None)
