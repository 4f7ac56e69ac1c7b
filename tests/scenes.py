"""What the tests of mails have in common: games to begin with, and mails as they are shown."""

import random
import re
from collections.abc import Iterator
from contextlib import contextmanager
from email.message import EmailMessage
from functools import lru_cache
from typing import Any

import inscriptis
from sqlalchemy import select

from server.application.time import heartbeat
from server.models import Address, Game, Player, session, transaction
from tests.kept import again
from tests.positions import position
from tests.table import Person, Playing, Table

KEY = "the key of a server that is only a test"
NAMES = ("Ada", "Ben", "Cleo", "Dan", "Eve", "Finn")
# As in the middle of a game: he was seen at 111 on the window before.
CHASE = position(
    111,
    his={"taxi": 10, "bus": 8, "underground": 5, "black": 4, "double": 2},
    log_used=8,
    last_seen=(8, 111),
    purple=(127, {"taxi": 8, "bus": 7, "underground": 4}),
    red=(67, {"taxi": 8, "bus": 8, "underground": 3}),
    green=(133, {"taxi": 9, "bus": 6, "underground": 4}),
    yellow=(153, {"taxi": 8, "bus": 8, "underground": 3}),
    blue=(185, {"taxi": 9, "bus": 7, "underground": 3}),
)


def chase(table: Table) -> Playing:
    """A running game from `CHASE`; its name is always the same."""
    return again(table, _chase)


def chase_announced(table: Table) -> Playing:
    """The chase after everybody has received the mail of the start."""
    return again(table, _chase_announced)


def hunt(table: Table) -> Playing:
    """The chase after Mr. X has moved (to 100, with a black ticket) and everybody has received a turn mail."""
    return again(table, new_hunt)


def pairs(table: Table) -> Playing:
    """A game of three: Ben moves Purple (26) and Red (29), Cleo Green (34) and Yellow (50); Mr. X has moved."""
    return again(table, _pairs)


def second_round(table: Table, edition: str, players: int) -> Playing:
    """A game whose first round is over, so that all is in its ordinary course."""

    def build(table: Table) -> Playing:
        # Mr. X begins far from the others: on 172 where he has cards of his own, on 198 elsewhere.
        with dealing(table, 172, 198, 13, 26, 29, 34, 53):
            game = table.game(table.people(players), edition)
        game.play_round()
        return game

    return again(table, build, f"{edition} {players}")


def _chase(table: Table) -> Playing:
    game = table.game(table.people(6), position=CHASE)
    name(table, game.id)
    return game


def _chase_announced(table: Table) -> Playing:
    game = _chase(table)
    table.tick()
    return game


def new_hunt(table: Table) -> Playing:
    game = _chase(table)
    game.move(game.people[0], "black 100")
    table.tick()
    return game


def _pairs(table: Table) -> Playing:
    people = table.people(3)
    with dealing(table, 103, 26, 29, 34, 50):
        game = table.game(people)
    game.move(people[0], "taxi 86")
    table.tick()
    return game


def name(table: Table, game_id: str) -> None:
    """Give the game the name that stands in the golden files."""
    with table.app.app_context(), transaction():
        session.get_one(Game, game_id).name = "Foggy Thames"


def quiet(table: Table, *names: str) -> None:
    """Let these players get no mail, as nobody looks at theirs."""
    with table.app.app_context(), transaction():
        session.query(Player).filter(Player.name.in_(names)).update({"mail": "off"})


def mail_only_to(table: Table, *names: str) -> None:
    """Let all other players get no mail."""
    with table.app.app_context(), transaction():
        session.query(Player).filter(Player.name.not_in(names)).update({"mail": "off"})


def readdress(table: Table, player_id: str, address: str) -> None:
    """Make this the one address of a player."""
    with table.app.app_context(), transaction():
        session.get_one(Player, player_id).email = address
        session.scalars(select(Address).where(Address.player_id == player_id)).one().email = address


def write(person: Person, text: str, to: str = "play@localhost", **headers: str) -> None:
    """A new mail from this person, an answer to none; it is stored, not yet read."""
    mail = EmailMessage()
    given = {"From": person.address, "To": to, "Subject": "Hello", "Message-ID": f"<new-{person.table.count()}@mail>"}
    for header, value in (given | {key.replace("_", "-"): value for key, value in headers.items()}).items():
        mail[header] = value
    mail.set_content(text)
    person.table.deliver(mail.as_bytes(), person.address, to)


@contextmanager
def dealing(table: Table, *starts: int) -> Iterator[None]:
    """Within, these are the start cards that are drawn, Mr. X's first."""
    runtime = table.app.extensions["blackticket"]
    fair = runtime.rng
    runtime.rng = lambda purpose: _Stacked(list(starts)) if purpose == "deal" else fair(purpose)
    yield
    runtime.rng = fair


class _Stacked(random.Random):
    def __init__(self, cards: list[int]) -> None:
        super().__init__(7)
        self.cards = cards

    def sample(self, population: Any, k: int, **_: Any) -> list[int]:
        """The whole deck, with the wanted cards on top."""
        assert k == len(population)
        wanted = [card for card in self.cards if card in population]
        return wanted + [card for card in population if card not in wanted]


class Stranger(Person):
    """Somebody who is no player (yet): an address without a token."""

    def __init__(self, table: Table, name: str) -> None:
        self.table, self.name, self.address = table, name, f"{name.lower()}@example.org"


PASSED = "mx; dmarc=pass header.from=example.org"
"""The field with which the mail server in front says that a mail comes from whom it says."""


# What is shown of a mail -----------------------------------------------------------------------

_ID = re.compile(r"(?:\b|(?<=%2B))[a-z2-7]{16}\b")
_HEAD = re.compile(
    r"(Seal(?: of \[[^\]]+\])?, event \d+, (?:after move \d+|before the first move):)( [a-z2-7]{4}){5}$", re.MULTILINE
)
_HEAD_IN_HTML = re.compile(
    r"(Seal(?: of \[[^\]]+\])?, event \d+, (?:after move \d+|before the first move):)( [a-z2-7]{4}){5}(?=<)"
)
_SHOWN = ("From", "To", "Cc", "Bcc", "Reply-To", "Subject", "Date", "In-Reply-To", "Auto-Submitted")


def has_run(table: Table) -> None:
    """A server has run on the database of the table."""
    with table.app.app_context():
        heartbeat.note(heartbeat.TICK)


def text_of(mail: Any) -> str:
    """The text of a mail, with the ends of lines that Python has."""
    return mail.get_body(("plain",)).get_content().replace("\r\n", "\n")


def html_of(mail: Any) -> str:
    """The HTML of a mail, ids and heads masked as in the golden files."""
    html = mail.get_body(("html",)).get_content().replace("\r\n", "\n")
    return _ID.sub("0123456789abcdef", _HEAD_IN_HTML.sub(r"\1 head head head head head", html))


def shown(mail: Any) -> str:
    """The HTML of a mail as the text that a mail program makes of it, which it may quote."""
    return _as_text(mail.get_body(("html",)).get_content())


@lru_cache(1024)
def _as_text(html: str) -> str:
    return inscriptis.get_text(html)


def written_out(mail: Any) -> str:
    """A mail as it stands in a golden file: what a reader sees of its header, and its text, ids and heads masked."""
    head = [f"{header}: {mail[header]}" for header in _SHOWN if header in mail]
    text = _HEAD.sub(r"\1 head head head head head", text_of(mail))
    return _ID.sub("0123456789abcdef", "\n".join(head)) + "\n\n" + _ID.sub("0123456789abcdef", text)
