"""Fixed games whose mails are compared with the golden files, and what the tests of mails have in common."""

import random
import re
import shutil
import tempfile
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from email.message import EmailMessage
from pathlib import Path
from typing import Any

from conftest import Dice, Person, Playing, Table
from positions import position
from sqlalchemy import select

from server.application import custody, deadlines, unsealing
from server.mail import grammar
from server.models import Game, Incoming, Player, db, session, transaction

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
    return _again(table, _chase)


def hunt(table: Table) -> Playing:
    """The same when Mr. X has moved (to 100, with a black ticket) and everybody has his turn mail."""
    return _again(table, _hunt)


def pairs(table: Table) -> Playing:
    """A game of three: Ben moves Purple (26) and Red (29), Cleo Green (34) and Yellow (50); Mr. X has moved."""
    return _again(table, _pairs)


def second_round(table: Table, edition: str, players: int) -> Playing:
    """A game whose first round is over, so that all is in its ordinary course."""

    def build(table: Table) -> Playing:
        # Mr. X begins far from the others: on 172 where he has cards of his own, on 198 elsewhere.
        with dealing(table, 172, 198, 13, 26, 29, 34, 53):
            game = table.game(table.people(players), edition)
        game.play_round()
        return game

    return _again(table, build, f"{edition} {players}")


def _chase(table: Table) -> Playing:
    game = table.game(table.people(6), position=CHASE)
    name(table, game.id)
    return game


def _hunt(table: Table) -> Playing:
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


class _Kept:
    """A table as it stood, to be taken up again by any number of tests: making one anew takes long."""

    def __init__(self, build: Callable[[Table], Playing]) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.table = Table(Path(self.folder.name), sandbox="1", min_turn="PT1S")
        self.game = build(self.table)
        _let_go(self.table)

    def put(self, table: Table) -> Playing:
        """Lay everything out on `table`, which must be empty."""
        _let_go(table)
        ours, theirs = _runtime(table), _runtime(self.table)
        shutil.copy(theirs.settings.var / "blackticket.db", ours.settings.var / "blackticket.db")
        ours.keyring, ours.dice = theirs.keyring, Dice(2)
        table.clock.time, table.post.sent[:] = self.table.clock.time, self.table.post.sent
        people = []
        for kept in self.game.people:
            person = object.__new__(Person)
            person.__dict__ |= kept.__dict__ | {"table": table}
            people.append(person)
        return Playing(table, self.game.id, people)


_kept: dict[str, _Kept] = {}


def _again(table: Table, build: Callable[[Table], Playing], title: str = "") -> Playing:
    title = title or build.__name__
    if title not in _kept:
        _kept[title] = _Kept(build)
    return _kept[title].put(table)


def _let_go(table: Table) -> None:
    """No connection to the database is left open."""
    with table.app.app_context():
        session.remove()
        db.engine.dispose()


def _runtime(table: Table) -> Any:
    return table.app.extensions["blackticket"]


def name(table: Table, game_id: str) -> None:
    """Give the game the name that stands in the golden files."""
    with table.app.app_context(), transaction():
        session.get_one(Game, game_id).name = "Foggy Thames"


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
    fair = runtime.dice
    runtime.dice = lambda purpose: _Stacked(list(starts)) if purpose == "deal" else fair(purpose)
    yield
    runtime.dice = fair


class _Stacked(random.Random):
    def __init__(self, cards: list[int]) -> None:
        super().__init__(7)
        self.cards = cards

    def sample(self, population: Any, k: int, **_: Any) -> list[int]:
        """The whole deck, with the wanted cards on top."""
        assert k == len(population)
        wanted = [card for card in self.cards if card in population]
        return wanted + [card for card in population if card not in wanted]


class Album:
    """Mails under the names of their golden files."""

    def __init__(self) -> None:
        self.mails: dict[str, Any] = {}

    def keep(self, title: str, person: Person) -> None:
        """The newest mail of this person."""
        assert title not in self.mails
        self.mails[title] = person.mails[-1]


def album(folder: Path) -> dict[str, Any]:
    """A mail of every kind, by the name of its golden file: the kind, and what is special about it."""
    kept = Album()
    _a_game_by_mail(kept, _table(folder / "by-mail"))
    _a_game_that_lateness_ends(kept, _table(folder / "late"))
    _a_capture(kept, _table(folder / "capture"))
    _two_pawns_each(kept, _table(folder / "pawns"))
    _advice(kept, _table(folder / "advice"))
    _talk(kept, _table(folder / "talk"))
    _at_the_play_address(kept, _table(folder / "play"))
    _a_detective_gives_up(kept, _table(folder / "gives-up"))
    _the_operator_steps_in(kept, _table(folder / "operator"))
    _accounts(kept, _table(folder / "accounts"))
    return kept.mails


def _table(folder: Path) -> Table:
    return Table(folder, secret_key=KEY, sandbox="1", min_turn="PT1S")


def _a_game_by_mail(album: Album, table: Table) -> None:
    """From the invitation to moves of both sides."""
    ada, ben, cleo, dan, eve, finn = people = table.people(6)
    seats = [{"role": "mr_x", "player": ada.id}, *({"role": "detective", "player": person.id} for person in people[1:])]
    game_id = ada.post("/games", {"edition": "ravensburger-2000", "position": CHASE, "seats": seats}).json["id"]
    name(table, game_id)
    table.tick()
    album.keep("invitation", ben)
    for person in people[1:]:
        person.reply("Yes")
        table.tick()
    album.keep("answer-invitation-accepted", finn)
    album.keep("complete", ada)
    ada.reply("START")
    table.tick()
    album.mails["turn-mr-x"], album.mails["answer-started"] = ada.mails[-2:]
    album.keep("started", ben)
    ada.reply("black 100", to=album.mails["turn-mr-x"])
    table.tick()
    album.keep("answer-mr-x-moved", ada)
    album.keep("turn-on-go", ben)
    album.keep("turn-ahead", cleo)
    cleo.reply("b 102")
    dan.reply("I'll take the taxi to 140, I think", to=dan.mails[-1])
    table.tick()
    album.keep("answer-kept", cleo)
    album.keep("advice-did-you-mean", dan)
    dan.reply("yes!")
    table.tick()
    album.keep("answer-yes", dan)
    ben.reply("bus 102")
    table.tick()
    album.keep("answer-moved", ben)
    album.keep("returned", cleo)
    cleo.reply("CANCEL")
    table.tick()
    album.keep("answer-cancel", cleo)
    cleo.reply("taxi 66")
    table.tick()
    album.keep("go", eve)


def _a_game_that_lateness_ends(album: Album, table: Table) -> None:
    """The house moves for detectives, then Mr. X sleeps, is taken up again, and sleeps once more."""
    game = _chase(table)
    ada, ben, *_, finn = game.people
    game.move(ada, "double taxi 112 black 100")
    table.clock.turn(hours=36)
    table.tick()
    album.keep("reminder", ben)
    table.clock.turn(hours=12)
    table.tick()
    album.keep("late", finn)
    album.keep("turn-mr-x-after-the-house", ada)
    table.clock.turn(hours=36)
    table.tick()
    album.keep("reminder-mr-x", ada)
    table.clock.turn(hours=12)
    table.tick()
    album.keep("granted", ben)
    album.keep("granted-mr-x", ada)
    table.clock.turn(hours=48)
    table.tick()
    album.keep("ended-provisional", ben)
    album.keep("ended-provisional-mr-x", ada)
    table.clock.turn(hours=1)
    with table.app.app_context():
        deadlines.reinstate(game.id, "the mail server was down")
        session.remove()
    table.tick()
    album.keep("reinstated", ben)
    album.keep("reinstated-mr-x", ada)
    table.clock.turn(hours=48)
    table.tick()
    table.clock.turn(hours=48)
    table.tick()
    table.clock.turn(hours=24)
    table.tick()
    album.keep("final", ben)
    album.keep("final-mr-x", ada)


def _a_capture(album: Album, table: Table) -> None:
    game = _chase(table)
    ada, ben, cleo, dan, eve, _finn = game.people
    game.move(ada, "black 124")
    game.move(ben, "purple taxi 115")
    game.move(cleo, "red underground 111")
    game.move(dan, "green taxi 140")
    table.tick()
    album.keep("go-with-few-places", eve)
    game.move(eve, "yellow bus 124")
    table.tick()
    album.keep("ended", ben)
    album.keep("ended-mr-x", ada)


def _two_pawns_each(album: Album, table: Table) -> None:
    people = table.people(3)
    with dealing(table, 103, 26, 29, 34, 50):
        game = table.game(people)
    name(table, game.id)
    ada, ben, cleo = people
    game.move(ada, "taxi 86")
    table.tick()
    album.keep("turn-two-pawns", ben)
    album.keep("turn-two-pawns-ahead", cleo)
    ben.reply("purple taxi 15")
    table.tick()
    album.keep("answer-one-of-two", ben)


def _advice(album: Album, table: Table) -> None:
    game = _chase(table)
    ada, ben, cleo, dan, eve, finn = game.people
    table.tick()
    ada.reply("taxi 46")
    table.tick()
    album.keep("advice-illegal-mr-x", ada)
    game.move(ada, "black 100")
    table.tick()
    for person, text, title in (
        (ben, "taxi 103", "illegal"),
        (cleo, "102\nunderground 13", "two-moves-for-one-pawn"),
        (dan, "127", "ambiguous"),
        (eve, "Thanks for the game so far!", "no-command"),
        (finn, "PAUSE", "not-offered"),
    ):
        person.reply(text)
        table.tick()
        album.keep(f"advice-{title}", person)
    old = finn.mails[1]
    finn.reply("HELP", to=old)
    table.tick()
    album.keep("advice-help", finn)
    finn.reply("taxi 170", sender="Mallory <mallory@evil.example>", to=old)
    table.tick()
    album.keep("advice-other-sender", finn)
    for text in ("STATUS", "LEGAL", "LOG", "BOARD 100", "BOARD 91 46", "TRY taxi 84"):
        cleo.reply(text)
        table.tick()
        album.keep(f"answer-{text.lower().replace(' ', '-')}", cleo)
    table.clock.turn(hours=48)
    table.tick()
    dan.reply("taxi 140", to=dan.mails[1])
    table.tick()
    album.keep("advice-late", dan)
    ada.reply("STATUS")
    table.tick()
    album.keep("answer-status-mr-x", ada)


def _talk(album: Album, table: Table) -> None:
    """A detective writes to the team, another to all, and Mr. X back."""
    game = _hunt(table)
    ada, ben, cleo, dan, *_ = game.people
    dan.reply('SAY Who can cover 100? If he took the "ferry" he may be at 115, or anywhere down the river')
    table.tick()
    album.keep("answer-said", dan)
    album.keep("talk", ben)
    ben.reply("SAY ALL Good evening, Mr. X")
    table.tick()
    album.keep("talk-all", cleo)
    album.keep("talk-all-mr-x", ada)
    ada.reply("SAY ALL You will never find me")
    table.tick()
    album.keep("answer-said-mr-x", ada)
    ada.reply("SAY to nobody in particular")
    table.tick()
    album.keep("advice-no-team", ada)


def _at_the_play_address(album: Album, table: Table) -> None:
    game = _chase(table)
    _ada, ben, *_ = game.people
    guest = table.person("Gwen")
    others = [*game.people[:1], ben, guest]
    open_id = others[0].post("/games", {"edition": "milton-bradley-1985", "players": 3}).json["id"]
    with table.app.app_context(), transaction():
        session.get_one(Game, open_id).name = "Rainy Soho"
    ben.post(f"/games/{open_id}/seats", {"seat": 2})
    table.tick()
    game.move(game.people[0], "black 100")
    table.tick()
    write(ben, "taxi 115")
    table.tick()
    album.keep("advice-no-proof", ben)
    write(ben, "status")
    table.tick()
    album.keep("answer-status-at-play", ben)
    write(guest, "help")
    table.tick()
    album.keep("advice-no-game", guest)


def _a_detective_gives_up(album: Album, table: Table) -> None:
    game = _hunt(table)
    cleo = game.people[2]
    cleo.reply("RESIGN")
    table.tick()
    album.keep("answer-resign", cleo)
    cleo.reply("yes")
    table.tick()
    album.keep("answer-resigned", cleo)
    album.keep("resigned", game.people[3])


def _the_operator_steps_in(album: Album, table: Table) -> None:
    """Two seats change hands, one of them Mr. X's, then the glass is broken."""
    game = _hunt(table)
    gwen, hugo = table.person("Gwen"), table.person("Hugo")
    for number, newcomer in ((2, gwen), (1, hugo)):
        with table.app.app_context():
            player = session.get_one(Player, newcomer.id)
            custody.substitute(game.id, number, player, "nothing was heard of the player for more than two weeks")
            session.remove()
        table.tick()
    album.mails["substituted"], album.mails["substituted-others"] = gwen.mails[0], game.people[2].mails[-2]
    album.keep("substituted-mr-x", hugo)
    gwen.reply("taxi 115", to=gwen.mails[0])
    table.tick()
    with table.app.app_context():
        arrived = session.scalar(select(Incoming.id))
        unsealing.unseal(game.id, "whether a move was read as it was written", arrived)
        session.remove()
    table.tick()
    album.keep("unsealed-mail", gwen)
    with table.app.app_context():
        unsealing.unseal(game.id, "a complaint about the log")
        session.remove()
    table.tick()
    album.keep("unsealed", gwen)
    album.keep("unsealed-mr-x", hugo)


def _accounts(album: Album, table: Table) -> None:
    """Somebody signs up, somebody else tries it with an address that is known; settings by mail."""
    game = _hunt(table)
    ben, cleo = game.people[1:3]
    for address in ("gwen@example.org", ben.address):
        table.client.post("/api/v1/players", json={"name": "Gwen", "email": address})
    table.tick()
    album.mails["code"] = table.post.of("gwen@example.org")[-1]
    album.keep("tried", ben)
    for text, title in (("SET zone America/New_York", "set-zone"), ("STOP", "stop")):
        cleo.reply(text)
        table.tick()
        album.keep(f"answer-{title}", cleo)


# What is shown of a mail -----------------------------------------------------------------------

_ID = re.compile(r"\b[a-z2-7]{16}\b")
_HEAD = re.compile(r"(Seal, event \d+, window \d+:)( [a-z2-7]{4}){5}$", re.MULTILINE)
_SHOWN = ("From", "To", "Cc", "Bcc", "Reply-To", "Subject", "Date", "In-Reply-To", "Auto-Submitted")


def text_of(mail: Any) -> str:
    """The text of a mail, with the ends of lines that Python has."""
    return mail.get_body().get_content().replace("\r\n", "\n")


def written_out(mail: Any) -> str:
    """A mail as it stands in a golden file: what a reader sees of its header, and its text, ids and heads masked."""
    head = [f"{header}: {mail[header]}" for header in _SHOWN if header in mail]
    text = _HEAD.sub(r"\1 head head head head head", text_of(mail))
    return _ID.sub("0123456789abcdef", "\n".join(head)) + "\n\n" + _ID.sub("0123456789abcdef", text)


def ways_to_wrap(text: str) -> Iterator[str]:
    """The text as it is, and its lines and paragraphs re-wrapped at every width that mail programs use."""
    yield from text.splitlines()
    for paragraph in text.split("\n\n"):
        lines = paragraph.splitlines()
        for piece in {*lines, " ".join(paragraph.split()), " ".join(map(str.strip, lines))}:
            for width in range(56, 101):
                yield from textwrap.wrap(piece, width, break_long_words=False, break_on_hyphens=False)


_harmless: set[str] = set()


def commands_in(text: str) -> set[str]:
    """The lines of a mail, wrapped in whatever way, that would be obeyed."""
    found = set()
    for line in set(ways_to_wrap(text)) - _harmless:
        if grammar.is_command_line(line):
            found.add(line)
        else:
            _harmless.add(line)
    return found
