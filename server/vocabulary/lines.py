"""Lines that people write and others read in a mail or its header: names, reasons, labels."""

import re
import unicodedata

from server.vocabulary.errors import refusal

# Characters that change the direction of the text around them, so that it reads as it was not written: a set of `re`.
TURNING = r"\u202a-\u202e\u2066-\u2069"

_JOINER = "\u200d"  # joins pictures to one

# What mail programs make a link of: a scheme, a dot before letters, an address of a machine.
_LINK = re.compile(r"://|\b(?:mailto|tel|sms):|\.[^\W\d_]{2}|\d+\.\d+\.\d+\.\d", re.IGNORECASE)
_IDEOGRAPHIC_STOP = "\u3002"  # a dot in the name of a machine


def has_link(text: str) -> bool:
    """Return True if mail programs make a link of something in `text`."""
    return _LINK.search(unicodedata.normalize("NFKC", text).replace(_IDEOGRAPHIC_STOP, ".")) is not None


def check_unlinked(text: str, what: str, longest: int) -> str:
    """Return `text` as strangers may read it in a mail, without links; `Problem` form as of `check_line`."""
    tidy = check_line(text, what, longest)
    if has_link(tidy):
        raise refusal("form", "{what} cannot contain an address or a link. Behind a full stop, put a space.", what=what)
    return tidy


def check_line(text: str, what: str, longest: int) -> str:
    """Return `text` as it may stand in a mail and its header; `Problem` form otherwise. `what` begins its sentences."""
    tidy = re.sub(" +", " ", unicodedata.normalize("NFC", text)).strip(" ")
    kinds = {unicodedata.category(letter) for letter in tidy}
    if kinds & {"Cc", "Zl", "Zp", "Cs"}:
        raise refusal("form", "{what} is one line of letters, without line breaks or control characters.", what=what)
    if _JOINER in tidy:
        raise refusal("form", "{what} cannot contain an emoji that is made of several, such as a family.", what=what)
    if kinds & {"Cf", "Co", "Cn"}:
        raise refusal("form", "{what} cannot contain invisible characters.", what=what)
    # An encoded word would turn into something else, a line break perhaps, in the header of a mail.
    if (refused := re.search(r'=\?|[<>@"\\]', tidy)) is not None:
        if len(refused[0]) == 1:
            raise refusal("form", "{what} cannot contain the character {it}.", what=what, it=refused[0])
        raise refusal("form", "{what} cannot contain {it}.", what=what, it=refused[0])
    if not 1 <= len(tidy) <= longest:
        raise refusal("form", "{what} has 1 to {longest} characters.", what=what, longest=longest)
    return tidy
