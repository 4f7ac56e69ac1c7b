"""Read a raw mail: its sender, and the lines that the sender wrote.

Safe on any bytes: each step has limits, nothing is fetched, and nothing but MemoryError is raised.
"""

from dataclasses import dataclass, replace

from server.language.normalise import LONGEST
from server.mail.reading.automatic import Kind, classify
from server.mail.reading.headers import (
    BrokenAddressesError,
    Headers,
    addresses,
    decoded,
    first,
    name_before,
    parse_headers,
)
from server.mail.reading.mime import (
    MAX_SIZE,
    Problem,
    UnreadableMailError,
    check_header,
    header_block,
    text_of,
    without_end,
)
from server.mail.reading.quoting import own_lines, wrapped_off

__all__ = ["MAX_SIZE", "Kind", "Problem", "Reading", "read"]
# What a person writes is read word by word, to the end, which takes a millisecond a line. Quotes do not count.
MOST_OWN_LINES = 500
MOST_OWN_TEXT = 30_000  # characters


@dataclass(frozen=True)
class Reading:
    """The content of a mail.

    `lines` are those that the sender wrote, in order, without quotes, signature and our own text; there are none if
    `kind` is not HUMAN or there is a `problem`. `wrapped_off` are those among them that fell out of a quote: they may
    be commands, but no words of the sender. Addresses are as written: compare them without case. An id that is
    missing or malformed is None, and never equal to another one.
    """

    kind: Kind
    from_addresses: tuple[str, ...] = ()  # those in From; more than one is a problem
    from_name: str = ""  # the name before the address in From, decoded; any text
    message_id: str | None = None
    in_reply_to: str | None = None
    to: tuple[str, ...] = ()  # To and Cc
    subject: str = ""  # decoded, on one line
    lines: tuple[str, ...] = ()
    wrapped_off: tuple[str, ...] = ()
    problem: Problem | None = None


def read(
    raw: bytes,
    *,
    marker: str | None = None,
    envelope_sender: str | None = None,
    max_size: int = MAX_SIZE,
) -> Reading:
    """Read the mail `raw`.

    `marker`: a sentence from the first line of our notifications, see `quoting.own_lines`.
    `envelope_sender`: the address of MAIL FROM, empty for the null sender, None if not known.
    """
    try:
        reading = _read_header(raw, envelope_sender)
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001  one hostile mail must not stop those behind it
        return Reading(Kind.HUMAN, problem=Problem.BROKEN)
    if reading.problem is not None or reading.kind is not Kind.HUMAN:
        return reading
    try:
        return _read_text(reading, raw if len(raw) <= max_size else without_end(raw[:max_size]), marker)
    except UnreadableMailError as error:
        return replace(reading, problem=error.problem)
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001  as above; RecursionError among them
        return replace(reading, problem=Problem.BROKEN)


def _read_header(raw: bytes, envelope_sender: str | None) -> Reading:
    headers = parse_headers(header_block(raw))
    reading = Reading(
        kind=classify(headers, envelope_sender),
        from_name=name_before(first(headers, "from")),
        message_id=_id(first(headers, "message-id")),
        in_reply_to=_id(first(headers, "in-reply-to")),
        subject=decoded(first(headers, "subject")),
        problem=check_header(raw),
    )
    try:
        reading = replace(
            reading,
            from_addresses=_all_addresses(headers, "from"),
            to=_all_addresses(headers, "to", "cc"),
        )
    except BrokenAddressesError:
        return replace(reading, problem=reading.problem or Problem.BROKEN)
    return replace(reading, problem=reading.problem or _sender_problem(headers, reading))


def _sender_problem(headers: Headers, reading: Reading) -> Problem | None:
    # Two From fields are a way past checks that look at one of them.
    if len(headers.get("from", ())) > 1 or len(reading.from_addresses) > 1:
        return Problem.SEVERAL_SENDERS
    return None if reading.from_addresses else Problem.NO_SENDER


def _all_addresses(headers: Headers, *names: str) -> tuple[str, ...]:
    values = [value for name in names for value in headers.get(name, ())]
    return tuple(address for value in values for address in addresses(value))


def _id(value: str) -> str | None:
    """Return the first "<…>" of `value`; such a field may name several, or none."""
    start, end = value.find("<"), value.find(">")
    found = value[start : end + 1]
    return found if 0 <= start < end - 1 and not any(map(str.isspace, found)) else None


def _read_text(reading: Reading, raw: bytes, marker: str | None) -> Reading:
    text = text_of(raw)
    if text.calendar_reply:
        return replace(reading, kind=Kind.CALENDAR)
    own = own_lines(text.lines, marker)
    if sum(1 for line in own if line) > MOST_OWN_LINES or sum(min(len(line), LONGEST) for line in own) > MOST_OWN_TEXT:
        raise UnreadableMailError(Problem.TOO_MUCH_TEXT)
    return replace(reading, lines=own, wrapped_off=wrapped_off(text.lines, marker))
