"""IPv4 and IPv6 addresses, and the networks they are in. An IPv4 address written as IPv6 counts as IPv4."""

import socket
from collections.abc import Iterable
from dataclasses import replace
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from server.settings import Network
from server.settings.kinds import Listen

LOOPBACK = (ip_network("127.0.0.0/8"), ip_network("::1"))


def plain(host: str) -> str:
    """Return an IPv4 address that is written as IPv6 (`::ffff:10.0.0.1`) as IPv4, and anything else as it is."""
    try:
        address = ip_address(host)
    except ValueError:
        return host
    return str(_mapped(address)) if _mapped(address) != address else host


def is_among(host: str, networks: Iterable[Network]) -> bool:
    """Return True if `host` is an address of one of `networks`."""
    try:
        address = _read(host)
    except ValueError:
        return False
    return any(address in network for network in networks)


def client(host: str) -> str:
    """Return the client at an address: of IPv6 its /64, as every customer has one. Empty stays empty."""
    if not host:
        return ""
    address = _read(host)
    return str(address) if address.version == 4 else _network(address, 64)


def network(host: str) -> str:
    """Return the network of an address, such as one provider gives to one customer: /24 of IPv4, /56 of IPv6."""
    address = _read(host)
    return _network(address, 24 if address.version == 4 else 56)


def address_in_network(at: Listen) -> Listen:
    """Return the address at which others reach a server that listens at `at`, which may be all addresses."""
    if at == at.local:
        return at
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("198.51.100.1", 9))  # sends nothing, but the system says from which address it would
        except OSError:
            return at.local
        return replace(at, host=probe.getsockname()[0])


def _read(host: str) -> IPv4Address | IPv6Address:
    return _mapped(ip_address(host.partition("%")[0]))


def _mapped(address: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    return (address.ipv4_mapped if address.version == 6 else None) or address


def _network(address: IPv4Address | IPv6Address, length: int) -> str:
    return str(ip_network((int(address), length), strict=False))
