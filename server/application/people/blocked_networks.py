"""Networks that the operator has blocked, for a time.

Nobody there gets a page of a game or an account, an answer of the API, or mail in by SMTP. What anybody may read is
answered: the guides and rules, the maps, `/imprint`, `/privacy`, `/readyz`, and `/stop`, which ends mail.

Each process reads the list again after a while, so that a request needs no statement of its own for it.
"""

from datetime import datetime, timedelta
from ipaddress import IPv6Address, ip_network
from typing import TypedDict

from sqlalchemy import delete, select

from server.application.people.admission import CODE
from server.models import BlockedNetwork, execute, follows_commit, rows, session, transaction, when_committed
from server.runtime import networks, now, runtime
from server.settings import Network
from server.vocabulary.durations import DAY, parse_duration, rfc3339
from server.vocabulary.errors import Problem, refusal
from server.vocabulary.translation import gettext_noop

READ_EVERY = timedelta(seconds=30)
LONGEST = 365 * DAY
WIDEST = {4: 8, 6: 19}  # the shortest prefixes of networks that a mistyped block may take in
CLIENT = 64  # the prefix of IPv6 that every customer has
REFUSED = gettext_noop("The operator of this server has blocked the network that you use.")
_LIST = select(BlockedNetwork.network, BlockedNetwork.ends_at)


def check(host: str) -> None:
    """Raise `Problem` not-admitted for the address of a client in a blocked network."""
    if is_blocked(host):
        raise refusal(CODE, REFUSED)


def is_blocked(host: str) -> bool:
    """Return True if `host` is an address in a blocked network; this machine and trusted proxies never are."""
    ends = [ends_at for network, ends_at in _current_blocks() if networks.is_among(host, [network])]
    return any(ends_at > now() for ends_at in ends) and not networks.is_among(host, _spared())


class BlockView(TypedDict):
    """A blocked network, and from when until when it is blocked."""

    network: str
    since: str
    until: str


def blocked() -> list[BlockView]:
    """Return the blocked networks, by their end: `network`, `since` and `until`."""
    query = select(BlockedNetwork).where(BlockedNetwork.ends_at > now())
    blocked = session.scalars(query.order_by(BlockedNetwork.ends_at, BlockedNetwork.network))
    return [
        {"network": row.network, "since": rfc3339(row.created_at), "until": rfc3339(row.ends_at)} for row in blocked
    ]


def block(written: str, length: str, own: str = "") -> BlockView:
    """Block a network, or change how long it is blocked; return it as in `blocked`.

    Args:
        written: an address or a network, such as 203.0.113.7 or 2001:db8::/48; of IPv6 at least a /64 is blocked.
        length: how long from now on, such as P7D.
        own: the address of the operator who asks, who must not shut themselves out; empty if there is none.

    Raises:
        Problem: `form` if it is no network, too wide a one, or one that cannot be blocked.
    """
    network, ends_at = _checked_network(written, own), now() + _read_length(length)
    with transaction():
        row = session.get(BlockedNetwork, str(network)) or BlockedNetwork(network=str(network), created_at=now())
        row.ends_at = ends_at
        session.add(row)
        when_committed(forget_known)
    return {"network": str(network), "since": rfc3339(row.created_at), "until": rfc3339(ends_at)}


def unblock(written: str) -> str:
    """End the block of a network; return it. `Problem` not-found if it is not blocked, with what is written so."""
    network = str(_checked_network(written))
    with transaction():
        row = session.get(BlockedNetwork, network)
        if row is None:
            raise Problem("not-found", f"The network {network} is not blocked.")
        session.delete(row)
        when_committed(forget_known)
    return network


def forget_old() -> None:
    """Delete the blocks that have ended."""
    with transaction():
        execute(delete(BlockedNetwork).where(BlockedNetwork.ends_at <= now()))


def _current_blocks() -> tuple[tuple[Network, datetime], ...]:
    """Return the networks and the ends of their blocks as this process has read them within `READ_EVERY`."""
    kept = runtime().blocked_networks
    if kept is None or abs(now() - kept[0]) > READ_EVERY:
        kept = now(), tuple((ip_network(row.network), row.ends_at) for row in rows(_LIST))
        runtime().blocked_networks = kept
    return kept[1]


@follows_commit
def forget_known() -> None:
    runtime().blocked_networks = None


def _spared() -> tuple[Network, ...]:
    return (*networks.LOOPBACK, *runtime().settings.trusted_proxies)


def _checked_network(written: str, own: str = "") -> Network:
    try:
        network = _widened(ip_network(written.strip(), strict=False))
    except ValueError:
        raise Problem(
            "form", f"{written!r} is no network; write one such as 203.0.113.0/24 or 2001:db8::/48."
        ) from None
    widest = WIDEST[network.version]
    if network.prefixlen < widest:
        raise Problem("form", f"{network} is too large a part of the world; block a /{widest} at most.")
    if any(spared.version == network.version and spared.overlaps(network) for spared in _spared()):
        raise Problem("form", f"{network} has this machine or a proxy of TRUSTED_PROXIES in it, and cannot be blocked.")
    if own and networks.is_among(own, [network]):
        raise Problem("form", f"You are in {network} yourself, and would shut yourself out.")
    return network


def _widened(network: Network) -> Network:
    """Return an IPv4 network that is written as IPv6 as IPv4, and any other one of IPv6 as a /64 at least."""
    if network.version == 4:
        return network
    mapped = IPv6Address(network.network_address).ipv4_mapped
    if mapped is not None and network.prefixlen >= 96:
        return ip_network((mapped, network.prefixlen - 96))
    return network.supernet(new_prefix=CLIENT) if network.prefixlen > CLIENT else network


def _read_length(length: str) -> timedelta:
    try:
        wanted = parse_duration(length)
    except (ValueError, OverflowError) as error:
        raise Problem("form", f"How long: {error}.") from None
    if not timedelta(0) < wanted <= LONGEST:
        raise Problem("form", f"A network is blocked for more than no time, and for {LONGEST.days} days at most.")
    return wanted
