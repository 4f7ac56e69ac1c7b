"""Mails as programs, machines and attackers write them, under data/, each with an expectation of the same name.

To add one: put NAME.eml into data/replies (a person answers) or data/hostile (all else) as it came over the wire, with
the addresses below, and NAME.json beside it with the fields of `Sample` that are not as they are preset.
"""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

DATA = Path(__file__).parent / "data"
WRITER = "vera@example.net"  # plays Red, who stands on 47 and can send "taxi 46" ahead
SERVER = "mx.play.example.org"  # the mail server in front
ADDRESSES = {
    "now": "turn+k7m2q6xw4dlrt3pa@play.example.org",  # answers to Red's mail of this turn
    "before": "turn+b5ridgeov3rfog7a@play.example.org",  # to that of the turn before
    "elsewhere": "turn+q2w3lamp6post4zz@play.example.org",  # of a game that is not here
    "play": "play@play.example.org",
}  # and "reports", which belongs to one mail to Red
ANSWERS = {  # words of each
    "kept": "Understood and kept",
    "no_command": "no move or command",
    "which": "Nothing was done yet.",
    "suggestion": 'Understood: "red taxi 46". I play it at',
    "illegal": "no line joins it to 84",
    "double": "Only Mr. X makes double moves",
    "not_hers": "Yellow is not yours to move",
    "earlier_turn": "answers a mail about an earlier round",
    "pin": "has a line with a PIN",
    "unreadable": "in a form that cannot be read for certain",
    "letters": "The letters of your mail cannot be read",
    "encrypted": "Your mail is encrypted",
    "no_sender": "A mail came to your reply address in this game, and the server cannot tell who",
    "forged": "and its sender seems to be forged",
    "another_address": "Was it you, from",
}


@dataclass(frozen=True)
class Sample:
    """A mail, and what is to become of it.

    `kind`, `problem`, `commands` and `not_read` are what the reader returns, and `outcome` is that of a report. No line
    that the reader returns contains one of the `decoys`. `obeyed` are the moves that the server queues for Red, and
    `answer` is the name in ANSWERS of the one answer, None if there must be none. The listener refuses a mail that is
    `refused`. `row` numbers the mails of a sequence.
    """

    name: str
    raw: bytes
    about: str
    kind: str = "human"
    problem: str | None = None
    commands: tuple[str, ...] = ()
    not_read: tuple[str, ...] = ()
    from_subject: bool = False
    decoys: tuple[str, ...] = ()
    sender: str = WRITER
    to: tuple[str, ...] = ("now",)
    obeyed: tuple[str, ...] = ()
    answer: str | None = None
    outcome: str | None = None
    refused: bool = False
    row: int = 0

    def __str__(self) -> str:
        return self.name


@cache
def samples(folder: str = "*") -> list[Sample]:
    """All of them, or those of one folder."""
    return [_sample(path) for path in sorted(DATA.glob(f"{folder}/*.eml"))]


def _sample(path: Path) -> Sample:
    fields = json.loads(path.with_suffix(".json").read_text("utf-8"))
    values = {name: tuple(value) if isinstance(value, list) else value for name, value in fields.items()}
    return Sample(f"{path.parent.name}/{path.stem}", path.read_bytes(), **values)


def looked_up(name: str, kind: str, _patience: float) -> list[bytes]:
    """Return the answer of the name service, see `server.vocabulary.dns.Lookup`."""
    found = zone().get(name.rstrip(".")) if kind == "TXT" else None
    return [found.encode()] if found else []


@cache
def zone() -> dict[str, str]:
    """Return the DNS records of the domains that signed some of them."""
    known: dict[str, str] = json.loads((DATA / "dns.json").read_text())
    return known
