"""The addresses of this server itself, as patterns: none of them may be a player's, or the operator's."""

import re
from collections.abc import Iterable

from server.settings.kinds import without_tag

OPERATORS = ("postmaster", "abuse")  # before the @ of addresses at which the operator is written to
_TOKEN = "[a-z2-7]{16,32}"  # noqa: S105 what one looks like


def is_own(address: str, forms: Iterable[str], domain: str) -> bool:
    """Return True if mail to `address`, with or without a tag behind a plus sign, comes to this server.

    Args:
        forms: the play address, and the forms of those with a token; `name <address>` counts as the address.
        domain: the domain of the server's mail, which has the addresses of the operator.
    """
    whole = address.strip().lower()
    found = without_tag(whole)
    if found in {f"{name}@{domain.lower()}" for name in OPERATORS} | set(OPERATORS):
        return True
    return any(_pattern(form).fullmatch(one) for form in forms for one in (whole, found))


def _pattern(form: str) -> re.Pattern[str]:
    """Return the pattern of a form. A tag counts as none; a token that is all of a name has to look like one."""
    bare = without_tag((form.partition(" <")[2].removesuffix(">") or form).lower())
    anything = _TOKEN if bare.startswith("{token}@") else ".*"
    return re.compile(re.escape(bare).replace(re.escape("{token}"), anything))
