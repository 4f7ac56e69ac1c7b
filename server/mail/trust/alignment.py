"""Domains of mail addresses, and whether two belong to one owner (alignment, RFC 7489)."""

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from publicsuffixlist import PublicSuffixList


def domain_of(address: str) -> str:
    """Return the domain of an address, as DNS has it."""
    domain = address.rpartition("@")[2].lower().rstrip(".")
    try:
        return domain if domain.isascii() else domain.encode("idna").decode()
    except UnicodeError:
        return domain


def is_aligned(domain: str, other: str) -> bool:
    """Return True if both domains belong to one owner, as far as names tell."""
    return domain == other or (bool(other) and registered(domain) == registered(other))


def registered(domain: str) -> str | None:
    """Return the name that the owner of `domain` has registered, or `domain` where anybody registers below it."""
    domain = domain.lower().rstrip(".")
    return _suffixes().privatesuffix(domain) or domain or None


@cache
def _suffixes() -> "PublicSuffixList":
    from publicsuffixlist import PublicSuffixList  # noqa: PLC0415 its list is long

    return PublicSuffixList()
