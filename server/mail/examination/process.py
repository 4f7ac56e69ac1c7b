"""The reading process, `python -m server.mail.examination.process`: examines hostile mails away from everything else.

The server starts it with a socket as its standard input, hands it one mail after the other, and gets back the results.
It has no database, no key and no setting. A mail that takes too much processor time or memory ends the process. It also
ends when the server does.
"""

import os
import resource
import signal
import socket
import sys
from functools import partial
from typing import Any

from server.mail.examination import frames
from server.mail.examination.examine import About, examination_as_json, examine, reading_as_json
from server.mail.reading.headers import parse_headers
from server.mail.reading.message import read
from server.mail.reading.mime import contents
from server.mail.trust.mail import Handover
from server.vocabulary.dns import Unanswered

OUT_OF_MEMORY = 75  # the exit status


def main(seconds: float, memory: int) -> None:
    """Examine mails until the server is gone; `seconds` of the processor for each, `memory` in bytes for them all."""
    server = socket.socket(fileno=os.dup(0))
    _stay_apart()
    _load()
    _limit(memory)
    try:
        frames.send_values(server, {"is_ready": True})
        while True:
            _read_one(server, seconds)
    except (frames.Gone, OSError):
        return
    except MemoryError:
        os._exit(OUT_OF_MEMORY)


def _read_one(server: socket.socket, seconds: float) -> None:
    request = frames.receive_values(server)
    raw = frames.receive(server)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    found = result(raw, lambda domain: partial(_look_up, server, domain), **request)
    signal.setitimer(signal.ITIMER_PROF, 0)
    frames.send_values(server, {"result": found})


def result(raw: bytes, about: About | None, task: str, **given: Any) -> object:
    """Return the result of a task in values that JSON has: `examine`, `read`, `headers` or `contents`."""
    if task == "headers":
        return dict(parse_headers(raw))
    if task == "contents":
        parts = contents(raw)
        return None if parts is None else [part.decode("latin-1") for part in parts]
    if task == "read":
        return reading_as_json(read(raw, **given))
    assert about is not None
    handover = Handover(*given.pop("handover"))
    return examination_as_json(examine(raw, handover, about, **given))


def _look_up(server: socket.socket, domain: str, name: str, kind: str = "TXT") -> list[Any]:
    """Have the server look up DNS records."""
    frames.send_values(server, {"ask": [domain, name, kind]})
    records = frames.receive_values(server)
    if records is None:
        raise Unanswered
    if kind == "TXT":
        return [text.encode("latin-1") for text in records]
    return [tuple(record) if isinstance(record, list) else record for record in records]


def _stay_apart() -> None:
    """Leave signals meant for the server to the server, and let no library write where anybody listens."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)  # ends the process wherever it is
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGPROF})
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    os.close(nothing)


def _load() -> None:
    """Load all that reading needs now; later no file is opened."""
    import dkim  # noqa: F401, PLC0415
    import inscriptis.html_engine  # type: ignore[import-untyped] # noqa: F401, PLC0415
    import lxml.html  # type: ignore[import-untyped] # noqa: F401, PLC0415
    from flufl.bounce import all_failures  # noqa: F401, PLC0415

    from server.mail.trust.alignment import is_aligned  # noqa: PLC0415

    is_aligned("a.example.org", "b.example.org")  # reads the list of public suffixes


def _limit(memory: int) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a core would hold the mail
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


if __name__ == "__main__":
    main(float(sys.argv[1]), int(sys.argv[2]))
