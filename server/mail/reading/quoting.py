"""Separate the lines that a player wrote from those that the mail program put around them.

The program's lines are our own notification, known by its first line, quoted lines anywhere, the line that introduces a
quote, a whole mail below the answer, and signatures. Text below a quote is the player's again. A quote mark of no known
program is found by our first line after it.
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate, takewhile

from server.language import lexicon
from server.language.lexicon import folded
from server.vocabulary.translation import catalogues, gettext_noop

MARKER = gettext_noop("Answer above this line.")  # in the first line of every mail that can be answered
FORMER_MARKER = "Please write your answer above this line."  # in mails of before, which people still answer
MARKERS = (FORMER_MARKER, *(catalogue.gettext(MARKER) for catalogue in catalogues().values()))
LONGEST_ATTRIBUTION = 6  # lines: clients wrap names and addresses
LONGEST_TEXT = 1000  # characters of it all
_SEEN = 300  # characters of a line that are looked at
_NARROWEST = 50  # characters to which programs wrap a quote


def own_lines(lines: Sequence[str], marker: str | None = None) -> tuple[str, ...]:
    """Return the lines of `lines` that the player wrote, without blank ones around them.

    `marker` is a sentence from the first line of our notifications. All lines from an unquoted copy of it on,
    re-wrapped or not, are ours.
    """
    kept = [lines[i].strip("\ufeff") for i in _own(_seen_above(lines, marker))]
    return tuple(_strip_blank(kept))


def wrapped_off(lines: Sequence[str], marker: str | None = None) -> tuple[str, ...]:
    """Return the lines without a mark that a mail program wrapped off the quoted lines above them, or put above them.

    Those stand between two quoted lines, and the line before each had no room for its first word; these are a
    paragraph that ends in a colon. They are among `own_lines`, as a player may answer there; but what is no command
    in them is not the player's.
    """
    seen = _seen_above(lines, marker)
    widths = [len(line.rstrip()) for line in lines]
    limit = max(_NARROWEST, *(widths[i] for i, line in enumerate(seen) if _is_quoted(line)), 0)
    found: list[str] = []
    pieces: list[str] = []
    is_below_quote = False
    for i, line in enumerate(seen):
        if line.endswith(_COLONS) and not _is_quoted(line) and not (i and seen[i - 1]) and _quote_follows(seen, i + 1):
            found.append(lines[i].strip("\ufeff"))
        if _is_quoted(line):
            found += pieces
            pieces, is_below_quote = [], True
        elif is_below_quote and line and widths[i - 1] + 1 + len(line.split(" ")[0]) > limit:
            pieces.append(lines[i].strip("\ufeff"))
        else:
            pieces, is_below_quote = [], False
    return tuple(found)


def _seen_above(lines: Sequence[str], marker: str | None) -> list[str]:
    """Return the lines above our own unquoted text as they look, with a usual mark before each that is quoted."""
    seen = [_visible(line) for line in lines]
    end = _find_marker(seen, marker)
    if mark := _unusual_mark(seen[end:]):
        seen = [_in_a_usual_mark(line, mark) for line in seen]
        end = _find_marker(seen, marker)
    return seen[:end]


def _own(seen: list[str]) -> list[int]:
    """Return the indices of the lines that are neither quote nor signature; a postscript below one counts as text."""
    own: list[int] = []
    in_signature = False
    i = 0
    while i < len(seen):
        length = _attribution(seen, i)
        if length and not _quote_follows(seen, i + length):
            break
        if not length and _original_starts(seen, i):
            break
        if length or _is_quoted(seen[i]):
            in_signature = False
        elif seen[i] == "--":
            in_signature = True
        elif _POSTSCRIPT.match(seen[i]) or not (in_signature or _is_device_signature(seen[i])):
            own.append(i)
        i += length or 1
    return own


_POSTSCRIPT = re.compile(
    rf"(?:(?:p\.? ?)+s|{lexicon.alternatives(lexicon.words('programs', 'postscripts'))})\b[.:]? ?\S", re.IGNORECASE
)

# Lines as they look ---------------------------------------------------------------------------


def _visible(line: str) -> str:
    """Return the beginning of `line` without characters that take no room, stripped."""
    shown = line[:_SEEN]
    if not (shown.isascii() and shown.isprintable()):
        shown = "".join(c for c in shown if unicodedata.category(c) not in ("Cf", "Cc") or c == "\t")
        shown = unicodedata.normalize("NFC", shown)
    return " ".join(shown.split())


def _is_quoted(line: str) -> bool:
    return line.startswith(_MARKS) or _SUPERCITE.match(line) is not None


_MARKS = (">", "|", "＞", "»", "›", "│", "┃", "¦", "%", "}", "]", "&gt;")
# ": text" and the like; "=> text", "* > text"; "BT> text", and "Black Ticket> text"; not "taxi > 46".
_SUPERCITE = re.compile(r"[:#](?: |$)|[^\w\s<]{1,3} ?[>＞]|[A-Za-z]{1,4}> |(?:[A-Za-z][\w.'-]{0,15} ?){1,2}>(?! ?\d)")


def _unusual_mark(ours: list[str]) -> str | None:
    """Return the mark before every line of our notification, whose first lines these are; None without one.

    Such a mark stands alone where our first paragraph ends in a blank line.
    """
    paragraph = takewhile(bool, ours[:LONGEST_ATTRIBUTION])
    first = next(paragraph, "")
    return next((line for line in paragraph if _LONE_MARK.fullmatch(line) and first.startswith(line)), None)


def _in_a_usual_mark(line: str, mark: str) -> str:
    # "--" begins a signature, whatever is a mark.
    return f"> {line.removeprefix(mark)}" if line.startswith(mark) and line != "--" else line


_LONE_MARK = re.compile(r".{0,19}[^\w\s]")


def _quote_follows(seen: list[str], start: int) -> bool:
    following = next((line for line in seen[start:] if line), "")
    # "> wrote:" is no quote but the end of "Bob <bob@example.net⏎> wrote:".
    wrapped = following.endswith(":") and len(following) < 30 and _names_writing(following)
    return _is_quoted(following) and not wrapped


def _is_device_signature(line: str) -> bool:
    text = folded(line).rstrip(". ")
    return len(line) < 120 and (_DEVICE.match(text) is not None or text.endswith(_DEVICES_END))


def _strip_blank(lines: list[str]) -> list[str]:
    filled = [i for i, line in enumerate(lines) if _visible(line)]
    return lines[filled[0] : filled[-1] + 1] if filled else []


# Our own notification -------------------------------------------------------------------------


def _find_marker(seen: list[str], marker: str | None) -> int:
    """Return the index of the first unquoted line on which `marker`, or another of ours, begins; else the end.

    Letters count, and not what stands between them: programs wrap, indent and glue lines together.
    """
    needle = _letters(marker or "")
    if len(needle) < 12:  # too little to be sure of
        return len(seen)
    written = [_letters(line) for line in seen]
    return min(_find_letters(seen, written, each) for each in {needle, *map(_letters, MARKERS)})


def _find_letters(seen: Sequence[str], written: Sequence[str], needle: str) -> int:
    """Return the index of the first unquoted line on which these letters of the lines begin, else the end."""
    ends = list(accumulate(map(len, written)))
    text = "".join(written)
    at = text.find(needle)
    while at >= 0:
        i = bisect_right(ends, at)
        if not _is_quoted(seen[i]):
            return i
        at = text.find(needle, at + 1)
    return len(seen)


def _letters(text: str) -> str:
    return _NO_LETTERS.sub("", text.casefold())


_NO_LETTERS = re.compile(r"[\W_]+")


# "On Monday, somebody wrote:" -----------------------------------------------------------------

_COLONS = (":", "：")
_WHEN = re.compile(
    r"\b(?:19|20|25)\d\d(?!\d)|\d{1,2}[:.h]\d\d(?!\d)|\b\d{1,4}[./-] ?\d{1,2}[./-] ?\d{1,4}(?!\d)|\d年|\d월"
)
_YEAR = re.compile(r"(?<!\d)(?:19|20|25)\d\d(?!\d)|\d[./-] ?\d{1,2}[./-] ?\d\d(?!\d)")
_CLOCK = re.compile(r"(?<!\d)\d{1,2}[:.]\d\d(?!\d)")
_ADDRESS = re.compile(r"[^\s<>@]@[^\s<>@]")
_IN_ANGLES = re.compile(r"<[^<>\s]*@[^<>\s]*>")
_ENDS_IN_ADDRESS = re.compile(rf"{_IN_ANGLES.pattern}$")
_VERB = re.compile(rf"(?<!\w)(?:{lexicon.pattern('programs', 'wrote')})")
_OPENING = re.compile(
    rf"(?:-{{2,}} ?)?(?:{lexicon.alternatives(lexicon.words('programs', 'opens'))})[ ,].*\d"
    r"|\d{1,4}[./-]\d{1,2}[./-]\d|\d{4}年|\d{1,2} \w{3,10}\.? \d{4}\b"
    r"|\w{2,12}\.?,? \d{1,2}\.? \w{3,12}\.? \d{4}\b"
)
_DEVICE = re.compile(lexicon.pattern("programs", "devices"))
_DEVICES_END = tuple(lexicon.entries("programs", "devices_end"))
_ORIGINAL = tuple(lexicon.entries("programs", "original"))
_FIELDS = ("from", "to", "cc", "date", "subject", "other")
_HEADINGS = {name: field for field in _FIELDS for name in lexicon.entries("headings", field)}


def _names_writing(text: str) -> bool:
    """Return True if there is a word for writing in a text."""
    return _VERB.search(folded(text)) is not None


def _opens(line: str) -> bool:
    """Return True if a line begins as the introduction of a quote does."""
    return _OPENING.match(folded(line)) is not None


def _attribution(seen: list[str], start: int) -> int:
    """Return how many lines the introduction of a quote takes that begins at `start`, else 0."""
    if _is_rule(seen[start]):
        below = next((i for i in range(start + 1, len(seen)) if seen[i]), start)
        length = 0 if _is_rule(seen[below]) else _attribution(seen, below)
        return length and below - start + length
    if not _may_open(seen[start]):
        return 0
    joined = ""
    for i in range(start, min(start + LONGEST_ATTRIBUTION, len(seen))):
        if joined and _breaks_off(seen, i, joined):
            return 0
        if not seen[i]:
            continue
        joined = f"{joined} {seen[i].lstrip('> ')}".strip()
        if len(joined) > LONGEST_TEXT:
            break
        if _introduces(joined, quoted=_quote_follows(seen, i + 1)):
            is_players = i > start and _may_be_players(seen[start]) and _attribution(seen, start + 1)
            return 0 if is_players else i - start + 1
    return 0


def _may_be_players(line: str) -> bool:
    """Return True if a line that could open an introduction says too little for one: "le rouge en bus 68"."""
    if _names_writing(line) or any(pattern.search(line) for pattern in (_YEAR, _ADDRESS)):
        return False
    return not (_opens(line) and _WHEN.search(line))


def _breaks_off(seen: list[str], i: int, joined: str) -> bool:
    """Return True if the text `joined` of the lines above cannot be an introduction that goes on at line `i`."""
    if not seen[i]:  # a blank line stands inside of one only before an address that was wrapped off
        return not seen[i + 1 : i + 2] or not seen[i + 1].startswith("<")
    if _opens(seen[i]) and not _names_sender(joined):
        return True  # a new one begins here, and the lines above it were the player's
    return _is_quoted(seen[i]) and not _wrapped_off(seen[i], joined)  # the quote begins, and nothing introduced it


def _wrapped_off(line: str, above: str) -> bool:
    """Return True if `line`, which looks quoted, ends `above`: "Bob <bob@example.net⏎> wrote:", "a écrit⏎:"."""
    return line in _COLONS or above.count("<") > above.count(">")


def _names_sender(text: str) -> bool:
    return bool(_IN_ANGLES.search(text) or (_names_writing(text) and _ADDRESS.search(text)))


def _may_open(line: str) -> bool:
    if not line or _is_quoted(line):
        return False
    return _opens(line) or _names_writing(line) or any(pattern.search(line) for pattern in (_WHEN, _ADDRESS))


def _introduces(text: str, *, quoted: bool) -> bool:
    """Return True if `text` is such an introduction; `quoted`: a quoted line follows it."""
    if text.count("(") > text.count(")"):  # "Bob <bob@example.net> ezt írta (időpont:⏎ 2026. nov. 2.):"
        return False
    if text.startswith("--") and text.endswith("--"):
        return bool(_names_writing(text) and _WHEN.search(text))
    if not text.endswith(_COLONS):
        return bool(quoted and _WHEN.search(text) and _ENDS_IN_ADDRESS.search(text))
    when, address = _WHEN.search(text), _ADDRESS.search(text)
    # With a date and a time in it, or before a quote, in whatever language.
    if when and (address or quoted or (_CLOCK.search(text) and _YEAR.search(_CLOCK.sub("", text)))):
        return True
    return bool((when or address or quoted or _opens(text)) and _names_writing(text))


# A whole mail below the answer ----------------------------------------------------------------


def _original_starts(seen: list[str], i: int) -> bool:
    line = seen[i]
    if not line:
        return False
    if _is_rule(line) or (_is_original(line) and line.endswith(_COLONS)):
        return True
    if line.startswith("_" * 20):  # Outlook's rule, and that of mailing lists
        return True
    if line.startswith(">>>") and _is_of_groupwise(line, *seen[i + 1 : i + 2]):
        return True
    below = [text for text in seen[i + 1 : i + 8] if text][:3]
    if _is_ruled(line) and below and (_label(below[0]) or _has_head(below)):
        return True
    return _header_block(seen, i)


def _is_of_groupwise(line: str, below: str = "") -> bool:
    """Return True if `line` introduces a quote as GroupWise does, in one line or wrapped into the one `below`."""
    return any(text.endswith(">>>") and _WHEN.search(text) for text in (line, f"{line} {below}"))


def _is_rule(line: str) -> bool:
    """Return True if `line` is one such as "-----Original Message-----"."""
    return _is_ruled(line) and (_is_original(line) or _inside(line) == "original")


def _is_ruled(line: str) -> bool:
    return len(line) - len(line.strip(_RULING)) >= 6


def _is_original(line: str) -> bool:
    return _inside(line).startswith(_ORIGINAL)


def _inside(line: str) -> str:
    return folded(line.strip(_RULING).rstrip(":："))


def _has_head(below: Sequence[str]) -> bool:
    """Return True if lines below a rule name fields of a mail, in whatever language."""
    labelled = [line for line in below if _LABELLED.match(line)]
    return len(labelled) == 3 and any(_ADDRESS.search(line) or _YEAR.search(line) for line in labelled)


_RULING = "-_=*‐‑‒–—―─━ "


def _header_block(seen: list[str], i: int) -> bool:
    """Return True if lines such as "From: …" and "Sent: …" begin at `i`.

    Two kinds at least; in a language that is not known here three lines, with an address and a time among them.
    """
    if not _LABELLED.match(seen[i]):
        return False
    block = seen[i : i + 10]
    block = block[: block.index("")] if "" in block else block
    if _label(seen[i]) and len({label for label in map(_label, block) if label}) >= 2:
        return True
    labelled = list(takewhile(_LABELLED.match, block))
    return len(labelled) >= 3 and all(any(map(there.search, labelled)) for there in (_ADDRESS, _WHEN))


_LABELLED = re.compile(r"(?!mailto:|https?:)[*\s]*[^\W\d][^:：<>@\d]{0,30}[:：]")


def _label(line: str) -> str | None:
    """Return which field of a mail's header `line` names ("from", "date", …), in any language."""
    name, colon, _ = line.strip("* ").replace("：", ":").partition(":")
    return _HEADINGS.get(folded(name.strip("* "))) if colon else None
