"""Lines that people write and others read in a mail or its header: names, reasons, labels."""

import re
import unicodedata

from server.application.errors import Problem

# Characters that change the direction of the text around them, so that it reads as it was not written: a set of `re`.
TURNING = r"\u202a-\u202e\u2066-\u2069"


def check_line(text: str, what: str, longest: int) -> str:
    """Return `text` as it may stand in a mail and its header; `Problem` form otherwise. `what` begins its sentences."""
    tidy = re.sub(" +", " ", unicodedata.normalize("NFC", text)).strip(" ")
    if any(unicodedata.category(letter) in ("Cc", "Cf", "Zl", "Zp", "Cs", "Co", "Cn") for letter in tidy):
        raise Problem("form", f"{what} is one line of letters, without line breaks or control characters.")
    # An encoded word would turn into something else, a line break perhaps, in the header of a mail.
    if "=?" in tidy or re.search(r'[<>@"\\]', tidy):
        raise Problem("form", f'{what} cannot contain "=?" or any of < > @ " and \\.')
    if not 1 <= len(tidy) <= longest:
        raise Problem("form", f"{what} has 1 to {longest} characters.")
    return tidy
