"""Fixed games whose mails are compared with the golden files, and what the tests of mails have in common."""

import random
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from email.message import EmailMessage
from functools import lru_cache
from pathlib import Path
from typing import Any

import inscriptis
from sqlalchemy import select

from server import worker
from server.application.accounts import operators
from server.application.news import webhooks
from server.application.play import operator
from server.application.seats import hosting, substitution
from server.application.time import heartbeat
from server.application.upkeep import alerts, remedies, repairs
from server.models import Address, Game, Incoming, Move, Outage, Player, Webhook, session, transaction
from tests.injected import START
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
    return again(table, _hunt)


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
    _from_elsewhere(kept, _table(folder / "elsewhere"))
    _talk(kept, _table(folder / "talk"))
    _at_the_play_address(kept, _table(folder / "play"))
    _a_detective_gives_up(kept, _table(folder / "gives-up"))
    _the_operator_steps_in(kept, _table(folder / "operator"))
    _accounts(kept, _table(folder / "accounts"))
    _a_draw(kept, _table(folder / "draw"))
    _the_host_goes(kept, _table(folder / "host"))
    _rows_are_damaged(kept, _table(folder / "damaged"))
    _asked_first(kept, _table(folder / "asked"))
    _a_stranger_is_invited(kept, _table(folder / "strangers"))
    _a_stranger_writes(kept, Table(folder / "unknown", secret_key=KEY, sandbox="1", authserv_id="mx"))
    _a_table_by_mail(kept, _table(folder / "tables"))
    _time_is_voted_on(kept, _table(folder / "votes"))
    _each_has_his_own_time(kept, _table(folder / "own-time"))
    _somebody_is_late(kept, _table(folder / "grace"))
    _time_runs_out_during_a_question(kept, _table(folder / "question"))
    _a_game_does_not_begin(kept, _table(folder / "unstarted"))
    _as_much_as_they_want(kept, _table(folder / "amounts"))
    operator = "operator@yard.example"
    _the_operator_is_written_to(kept, Table(folder / "alerts", secret_key=KEY, operator_email=operator), operator)
    return kept.mails


def _table(folder: Path) -> Table:
    return Table(folder, secret_key=KEY, sandbox="1", min_turn="PT1S")


def _a_game_by_mail(album: Album, table: Table) -> None:
    """From the invitation to moves of both sides."""
    ada, ben, cleo, dan, _eve, finn = people = table.people(6)
    seats = [{"role": "mr_x", "player": ada.id}, *({"role": "detective", "player": person.id} for person in people[1:])]
    game_id = ada.post("/games", {"edition": "ravensburger-2000", "position": CHASE, "seats": seats}).json["id"]
    name(table, game_id)
    table.tick()
    album.keep("invitation", ben)
    for person in people[1:]:
        person.reply("Yes")
        table.tick()
    album.keep("answer-invitation-accepted", finn)
    quiet(table, "Eve", "Finn")
    album.keep("complete", ada)
    ada.reply("START")
    table.tick()
    album.keep("turn-mr-x", ada)
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


def _a_game_that_lateness_ends(album: Album, table: Table) -> None:
    """The house moves for detectives, then Mr. X sleeps, is taken up again, and sleeps once more."""
    game = chase(table)
    quiet(table, "Cleo", "Dan", "Eve")
    ada, ben, *_, finn = game.people
    game.move(ada, "double taxi 112 black 100")
    table.clock.turn(hours=36)
    table.tick()
    album.keep("reminder", ben)
    table.clock.turn(hours=12)
    table.tick()
    album.keep("late", finn)
    quiet(table, "Finn")
    album.keep("turn-mr-x-after-the-house", ada)
    table.clock.turn(hours=36)
    table.tick()
    album.keep("reminder-mr-x", ada)
    table.clock.turn(hours=12)
    table.tick()
    album.keep("granted", ben)
    album.keep("granted-mr-x", ada)
    for text in ("LOG", "REPLAY"):
        ada.reply(text)
        table.tick()
        album.keep(f"answer-{text.lower()}-mr-x", ada)
    table.clock.turn(hours=48)
    table.tick()
    album.keep("ended-provisional", ben)
    album.keep("ended-provisional-mr-x", ada)
    table.clock.turn(hours=1)
    with table.app.app_context():
        remedies.reinstate(game.id, "the mail server was down")
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
    ben.reply("REPLAY")
    table.tick()
    album.keep("answer-replay-final", ben)


def _time_runs_out_during_a_question(album: Album, table: Table) -> None:
    """A detective, and then Mr. X, is asked what they meant, and does not answer."""
    game = chase(table)
    quiet(table, "Cleo", "Dan", "Eve", "Finn")
    ada, ben = game.people[:2]
    game.move(ada, "black 100")
    table.tick()
    ben.reply("taxi 115\nor maybe bus 102")
    table.tick()
    table.clock.turn(hours=48)
    table.tick()
    album.keep("late-question", ben)
    ada.reply("taxii 101")
    table.tick()
    table.clock.turn(hours=48)
    table.tick()
    album.keep("granted-question-mr-x", ada)


def _a_capture(album: Album, table: Table) -> None:
    game = chase(table)
    quiet(table, "Cleo", "Dan", "Eve", "Finn")
    ada, ben, cleo, dan, eve, _finn = game.people
    game.move(ada, "black 124")
    game.move(ben, "purple taxi 115")
    game.move(cleo, "red underground 111")
    game.move(dan, "green taxi 140")
    game.move(eve, "yellow bus 124")
    table.tick()
    album.keep("ended", ben)
    album.keep("ended-mr-x", ada)


def _as_much_as_they_want(album: Album, table: Table) -> None:
    """Ben and Mr. X have their mail gathered, Eve wants every move; then Ben has two games."""
    game = chase(table)
    quiet(table, "Cleo", "Dan", "Finn")
    ada, ben, cleo, dan, eve, finn = game.people
    table.tick()
    ben.reply("SET mail gathered 60 minutes\nSET mail daily 18:00 in this game")
    ada.reply("SET mail daily 9:30")
    eve.reply("SET mail every move here")
    table.tick()
    album.keep("answer-set-mail", ben)
    game.move(ada, "black 100")
    table.tick()
    dan.post(f"{game.path}/messages", {"to": "team", "text": "Who can cover 113?"})
    game.move(ben, "taxi 115")
    table.tick()
    album.keep("moved", eve)
    eve.request("PATCH", f"{game.path}/preferences", json={"mail": "off"})
    ben.reply("STATUS")
    table.tick()
    album.keep("answer-status-held", ben)
    for person in (cleo, dan, eve, finn):
        game.move(person)
    table.clock.turn(hours=15, minutes=30)
    table.tick()
    album.keep("digest-mr-x", ada)
    game.move(ada, "taxi 101")
    table.tick()
    game.move(ben, "taxi 127")
    table.clock.turn(hours=8, minutes=30)
    table.tick()
    album.keep("digest", ben)
    ada.request("PATCH", "/me/preferences", json={"mail": "moves"})
    game.move(cleo)
    table.tick()
    album.keep("moved-mr-x", ada)
    _in_two_games(album, table, game)


def _in_two_games(album: Album, table: Table, game: Playing) -> None:
    ada, ben, cleo, *_ = game.people
    quiet(table, "Eve")
    ben.request("PATCH", f"{game.path}/preferences", json={"mail": "inherit"})
    other = table.game([ada, cleo, ben, *game.people[3:]], position=CHASE)
    with table.app.app_context(), transaction():
        session.get_one(Game, other.id).name = "Murky Strand"
    other.move(ada, "taxi 112")
    table.tick()
    ada.post(f"{game.path}/messages", {"to": "all", "text": "Where am I?"})
    table.tick()
    table.clock.turn(hours=1)
    table.tick()
    album.keep("digest-two-games", ben)
    table.clock.turn(hours=26)
    cleo.post(f"{game.path}/messages", {"to": "team", "text": "Are you there?"})
    table.tick()
    table.clock.turn(minutes=30)
    table.tick()
    album.keep("digest-reminder", ben)
    table.clock.turn(hours=24)
    table.tick()
    with table.app.app_context():
        remedies.void(other.id, "it was a trial")
        session.remove()
    table.tick()
    table.clock.turn(hours=1)
    table.tick()
    album.keep("digest-ended", ben)


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
    game = chase(table)
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
        (eve, "I think that we have him.", "no-command"),
    ):
        person.reply(text)
        table.tick()
        album.keep(f"advice-{title}", person)
    old = finn.mails[1]
    for text in ("HELP", "HELP ALL"):
        finn.reply(text, to=old)
        table.tick()
        album.keep(f"advice-{text.lower().replace(' ', '-')}", finn)
    finn.reply("Good evening, everybody!", to=old)
    table.tick()
    album.keep("advice-courteous", finn)
    finn.reply("taxi 170", sender="Finn", to=old)
    table.tick()
    album.keep("advice-other-sender", finn)
    for text in ("STATUS", "LEGAL", "LOG", "REPLAY", "RULES", "MAP", "BOARD 100", "BOARD 91 46", "TRY taxi 84"):
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


def _from_elsewhere(album: Album, table: Table) -> None:
    """Mails to reply addresses from other addresses than those of the players they were printed for."""
    # Not `hunt`: these mails arrive at one instant, and ids that are drawn decide which is read first.
    _, ben, cleo, dan, *_ = _hunt(table).people
    ben.reply("Hello!\nbus 102\nSAY From my telephone", sender="Ben <ben@phone.example>")
    cleo.reply("taxi 66", sender="Dan <dan@example.org>")
    dan.reply("taxi 140", DKIM_Signature="v=1; a=rsa-sha256; d=example.org; s=x; h=from; l=1; bh=YQ==; b=YQ==")
    table.tick()
    album.keep("advice-unknown-sender", ben)
    album.keep("advice-other-player", cleo)
    album.keep("advice-forged", dan)
    ben.reply("YES")
    table.tick()
    album.keep("answer-unknown-sender", ben)


def _talk(album: Album, table: Table) -> None:
    """A detective writes to the team, another to all, and Mr. X back."""
    game = hunt(table)
    quiet(table, "Eve", "Finn")
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
    game = chase(table)
    quiet(table, "Cleo", "Dan", "Eve", "Finn")
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
    game = hunt(table)
    quiet(table, "Ben", "Eve", "Finn")
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
    game = hunt(table)
    quiet(table, "Dan", "Eve", "Finn")
    gwen, hugo = table.person("Gwen"), table.person("Hugo")
    for number, newcomer in ((2, gwen), (1, hugo)):
        with table.app.app_context():
            player = session.get_one(Player, newcomer.id)
            substitution.substitute(game.id, number, player, "nothing was heard of the player for more than two weeks")
            session.remove()
        table.tick()
    album.mails["substituted"], album.mails["substituted-others"] = gwen.mails[0], game.people[2].mails[-2]
    album.keep("substituted-mr-x", hugo)
    gwen.reply("taxi 115", to=gwen.mails[0])
    table.tick()
    with table.app.app_context():
        arrived = session.scalar(select(Incoming.id))
        operator.unseal(game.id, "whether a move was read as it was written", arrived)
        session.remove()
    table.tick()
    album.keep("unsealed-mail", gwen)
    with table.app.app_context():
        operator.unseal(game.id, "a complaint about the log")
        session.remove()
    table.tick()
    album.keep("unsealed", gwen)
    album.keep("unsealed-mr-x", hugo)


def _a_stranger_is_invited(album: Album, table: Table) -> None:
    """Anna asks what it is about, declines, is invited again, and sits; Lou lets his invitation lapse."""
    ada, _ = table.people(2)
    guests = [{"role": "detective", "invite": f"{name}@example.org"} for name in ("anna", "lou", "ben")]
    seats = [{"role": "mr_x", "player": ada.id}, *guests]
    game_id = ada.post("/games", {"edition": "ravensburger-2000", "seats": seats}).json["id"]
    name(table, game_id)
    table.tick()
    anna = Stranger(table, "Anna")
    album.keep("invitation-stranger", anna)
    for text, title in (("What is this?", "advice-invitation"), ("NO", "answer-stranger-declined"),
                        ("YES", "advice-invitation-too-late")):  # fmt: skip
        anna.reply(text, to=album.mails["invitation-stranger"])
        table.tick()
        album.keep(title, anna)
    album.keep("vacant-declined", ada)
    ada.reply("INVITE anna@example.org")
    table.tick()
    album.keep("answer-invite", ada)
    anna.reply("YES")  # to the newest mail, which is the new invitation
    table.tick()
    album.keep("answer-stranger-accepted", anna)
    table.clock.turn(days=30)
    table.tick()
    album.mails["vacant-lapsed"] = ada.mails[-1]
    ada.request("DELETE", f"/games/{game_id}/seats/2")
    table.tick()
    album.keep("cleared", anna)


def _a_table_by_mail(album: Album, table: Table) -> None:
    """Ada opens a game with drawn seats, Ben joins it by its code, and when it is over he wants to play again."""
    ada, ben, cleo = table.people(3)
    write(ada, "NEW condensed 3 with cleo@example.org")
    table.tick()
    album.keep("answer-new", ada)
    with table.app.app_context(), transaction():
        game = session.query(Game).one()
        game.name, code, path = "Foggy Thames", game.code, f"/games/{game.id}"
    ada.reply("YES")
    table.tick()
    album.keep("answer-new-confirmed", ada)
    album.keep("invitation-drawn", cleo)
    write(ben, f"JOIN {code}")
    table.tick()
    album.keep("answer-join", ben)
    cleo.reply("NO")
    ben.reply("LEAVE")
    table.tick()
    album.keep("vacant-left", ada)
    ben.post(f"{path}/seats", {"code": code})
    ada.request("PUT", f"{path}/seats/3", json={"bot": "constable"})
    ada.post(f"{path}/start")
    table.tick()
    mr_x, other = sorted((ada, ben), key=lambda person: person.get(path).json["you"]["seat"])
    mr_x.post(f"{path}/resign")
    table.tick()
    other.reply("REMATCH")
    table.tick()
    album.keep("answer-rematch", other)
    album.keep("invitation-rematch", mr_x)


class Stranger(Person):
    """Somebody who is no player (yet): an address without a token."""

    def __init__(self, table: Table, name: str) -> None:
        self.table, self.name, self.address = table, name, f"{name.lower()}@example.org"


PASSED = "mx; dmarc=pass header.from=example.org"
"""The field with which the mail server in front says that a mail comes from whom it says."""


def _a_stranger_writes(album: Album, table: Table) -> None:
    """Zoe asks what this is, and what she can join, and plays; Yul writes PLAY at once, Xia becomes a player."""
    ada = table.person("Ada")
    for name_, visibility in (("Foggy Thames", "public"), ("Rainy Soho", "private")):
        made = ada.post("/games", {"edition": "condensed", "players": 3, "visibility": visibility}).json
        with table.app.app_context(), transaction():
            session.get_one(Game, made["id"]).name = name_
    zoe, yul, xia = (Stranger(table, name_) for name_ in ("Zoe", "Yul", "Xia"))
    for stranger, text, title in ((zoe, "What is this?", "stranger"), (yul, "PLAY", "stranger-play")):
        write(stranger, text, Authentication_Results=PASSED)
        table.tick()
        album.keep(title, stranger)
    write(xia, "LIST", Authentication_Results=PASSED)
    table.tick()
    album.keep("stranger-list", xia)
    xia.reply("JOIN 7")
    table.tick()
    album.keep("welcome-refused", xia)
    zoe.reply("Yes")
    table.tick()
    album.keep("welcome", zoe)
    for text in ("LIST", "SIGNUP"):
        write(zoe, text)
        table.tick()
        album.keep(f"advice-{text.lower()}", zoe)
    with dealing(table, 103, 26, 29, 34, 50, 91):
        yul.reply("YES\nLIST")
        table.tick()
    album.mails["answer-practice"] = next(mail for mail in yul.mails if "practice game" in str(mail["Subject"]))


def _accounts(album: Album, table: Table) -> None:
    """Somebody signs up, somebody else tries it with an address that is known; settings by mail."""
    game = hunt(table)
    ben, cleo = game.people[1:3]
    for address in ("gwen@example.org", ben.address):
        table.client.post("/api/v1/players", json={"name": "Gwen", "email": address})
    table.tick()
    album.mails["code"] = table.post.of("gwen@example.org")[-1]
    table.client.post("/sign-in", data={"email": "gwen@example.org"}, headers={"Sec-Fetch-Site": "same-origin"})
    table.tick()
    album.mails["sign_in"] = table.post.of("gwen@example.org")[-1]
    album.keep("tried", ben)
    ben.post("/webhooks", {"url": "http://127.0.0.1:9000/"})
    for why, title in (("gone", "webhook-gone"), ("failures", "webhook")):
        with table.app.app_context(), transaction():
            webhooks.give_up(session.scalars(select(Webhook)).one(), why)
        table.tick()
        album.keep(title, ben)
    for text, title in (("SET zone America/New_York", "set-zone"), ("STOP", "stop")):
        cleo.reply(text)
        table.tick()
        album.keep(f"answer-{title}", cleo)
    with table.app.app_context():
        operators.take_name(ben.id)
        session.remove()
    table.tick()
    album.keep("renamed", ben)


def _the_operator_is_written_to(album: Album, table: Table, operator: str) -> None:
    """A mail to abuse@, the same with a mail of ours below it, and what the operator hears once a day."""
    words = "Somebody here invites me every day. Please stop that."
    below = "\n\n> Please write your answer above this line.\n> You are invited to a game.\n"
    for title, text in (("forwarded", words), ("forwarded-with-ours", words + below)):
        mail = EmailMessage()
        mail["From"], mail["To"], mail["Subject"] = "Jo <jo@example.org>", "abuse@localhost", "Invitations"
        mail["Message-ID"] = f"<{title}@example.org>"
        mail.set_content(text)
        table.deliver(mail.as_bytes(), "jo@example.org", "abuse@localhost")
        table.tick()
        album.mails[title] = table.post.of(operator)[-1]
    with table.app.app_context(), transaction():
        session.add(Outage(number=1, cause="mailbox", begin=START, end=START + timedelta(hours=5), state="done"))
    table.clock.turn(hours=5)
    with table.app.app_context():
        alerts.tell()
        session.remove()
    table.tick()
    album.mails["alert"] = table.post.of(operator)[-1]


def _time_is_voted_on(album: Album, table: Table) -> None:
    """More time, another clock, an absence; at last Mr. X is late twice, and the detectives are asked."""
    game = chase(table)
    quiet(table, "Dan", "Eve", "Finn")
    with table.app.app_context(), transaction():
        row = session.get_one(Game, game.id)
        row.clock = {**row.clock, "mr_x_late": "vote"}
    table.tick()
    ada, ben, cleo, dan, *_ = game.people
    ben.reply("AWAY 24 Dec to 2 Jan")
    table.tick()
    album.keep("answer-away", ben)
    ada.reply("EXTEND 2 days")
    table.tick()
    album.keep("answer-extend", ada)
    album.keep("vote", cleo)
    cleo.reply("YES")
    table.tick()
    vote = ada.get(f"{game.path}/votes").json["votes"][-1]["id"]
    for person in (dan, ben):
        person.post(f"{game.path}/votes/{vote}", {"for": True})
    table.tick()
    album.keep("decided", cleo)
    dan.post(f"{game.path}/votes", {"kind": "clock", "clock": {"kind": "bank", "mr_x_late": "vote"}})
    table.tick()
    album.keep("vote-clock", cleo)
    for days in (4, 2):
        table.clock.turn(days=days)
        table.tick()
    album.keep("vote-claim", cleo)


def _each_has_his_own_time(album: Album, table: Table) -> None:
    """A waiting player is told that the timer has not started; a reminder names the other games that wait."""
    people = table.people(6)
    quiet(table, "Ada", "Dan", "Eve", "Finn")
    for _ in range(2):
        game = table.game(people, position=CHASE, clock={"kind": "per_move", "detectives": "P1D"})
        name(table, game.id)
        game.move(people[0], "black 100")
    table.tick()
    album.keep("turn-own-time-ahead", people[2])
    table.clock.turn(hours=18)
    table.tick()
    album.keep("reminder-two-games", people[1])
    game.move(people[1], "taxi 115")
    table.tick()
    album.keep("go", people[2])


def _somebody_is_late(album: Album, table: Table) -> None:
    game = table.game(table.people(6), position=CHASE, clock={"grace": "PT12H", "cover": True, "open_after": 1})
    name(table, game.id)
    quiet(table, "Ada", "Dan", "Eve", "Finn")
    ada, ben, cleo, *_ = game.people
    game.move(ada, "black 100")
    game.move(ben, "taxi 115")
    table.clock.turn(days=2)
    table.tick()
    album.keep("overdue", cleo)
    album.keep("overdue-others", ben)
    table.clock.turn(hours=12)
    table.tick()
    album.mails["offered"] = next(mail for mail in ben.mails if "may take the seat of" in mail["Subject"])


def _a_game_does_not_begin(album: Album, table: Table) -> None:
    ada, ben = table.people(2)
    opened = ada.post("/games", {"edition": "condensed", "players": 2}).json["id"]
    ben.post(f"/games/{opened}/seats", {"seat": 2})
    name(table, opened)
    for days, kind in ((23, "expiring"), (7, "expired")):
        table.clock.turn(days=days)
        with table.app.app_context():
            worker.warn_or_end_neglected_games()
        table.tick()
        album.keep(kind, ben)


def _a_draw(album: Album, table: Table) -> None:
    """Five agree on a draw and the last is asked once more; before that the operator had given more time."""
    game = hunt(table)
    quiet(table, "Cleo", "Dan", "Eve")
    _operate(table, remedies.extend, game.id, "P1D", "the mail of half of us did not come through")
    album.keep("extended-on-go", game.people[1])
    album.keep("extended-mr-x", game.people[0])
    for person, title in ((game.people[1], "offered"), (game.people[1], "withdrawn")):
        person.reply("DRAW" if title == "offered" else "DRAW off")
        table.tick()
        album.keep(f"answer-draw-{title}", person)
    album.keep("draw", game.people[0])
    for person in game.people[:-1]:
        person.post(f"{game.path}/draw")
    table.tick()
    finn = game.people[-1]
    for text, title in (("DRAW", "asked"), ("YES", "agreed")):
        finn.reply(text)
        table.tick()
        answers = [mail for mail in finn.mails if mail["Auto-Submitted"] == "auto-replied"]
        album.mails[f"answer-draw-{title}"] = answers[-1]
    album.keep("ended-agreed", game.people[1])
    _operate(table, remedies.reinstate, game.id, "not all of you had meant it")
    album.keep("reinstated-in-the-hunt", game.people[1])
    _operate(table, remedies.void, game.id, "nobody of you wants to go on")
    album.keep("ended-voided", game.people[1])


def _rows_are_damaged(album: Album, table: Table) -> None:
    """A game that has not begun is repaired; so is one that runs, and at last its moves are lost."""
    game = hunt(table)
    quiet(table, "Cleo", "Dan", "Eve", "Finn")
    ada, ben, *_ = game.people
    opened = ben.post("/games", {"edition": "condensed", "players": 2}).json["id"]
    ben.post(f"/games/{opened}/seats", {"seat": 2})
    for game_id in (opened, game.id):
        with table.app.app_context(), transaction():
            row = session.get_one(Game, game_id)
            row.name, row.turn = ("Rainy Soho" if game_id == opened else row.name), 7
        _operate(table, repairs.repair, game_id, "the disk was full")
        album.keep("repaired-open" if game_id == opened else "repaired", ben)
    album.keep("repaired-mr-x", ada)
    with table.app.app_context(), transaction():
        session.query(Move).where(Move.game_id == game.id).delete()
    _operate(table, remedies.void, game.id, "the disk was full")
    album.keep("ended-damaged", ben)


def _the_host_goes(album: Album, table: Table) -> None:
    """In a game that has not begun, in one that runs, and by an act of the operator."""
    game = hunt(table)
    ada, ben, cleo, *_ = game.people
    open_id = ada.post("/games", {"edition": "milton-bradley-1985", "players": 3}).json["id"]
    with table.app.app_context(), transaction():
        session.get_one(Game, open_id).name = "Rainy Soho"
    for seat, person in ((1, ada), (2, ben)):
        person.post(f"/games/{open_id}/seats", {"seat": seat})
    ada.request("DELETE", f"/games/{open_id}/seats/1")
    table.tick()
    album.keep("host", ben)
    ada.reply("HOST red", to=ada.mails[0])
    table.tick()
    album.keep("answer-host", ada)
    album.keep("host-running", cleo)
    _operate(table, hosting.appoint, game.id, 2, "the host is on a ship")
    album.keep("host-appointed", ben)


def _asked_first(album: Album, table: Table) -> None:
    game = hunt(table)
    ben = game.people[1]
    for text, title in (("SET ask on", "set-ask"), ("taxi 115", "asked-first")):
        ben.reply(text)
        table.tick()
        album.keep(f"answer-{title}", ben)
    ben.post("/me/addresses", {"email": "ben@work.example"})
    table.tick()
    album.mails["address"] = table.post.of("ben@work.example")[-1]


def _operate(table: Table, act: Callable[..., Any], *given: Any) -> None:
    """Something the operator does; the mails about it go out."""
    with table.app.app_context():
        act(*given)
        session.remove()
    table.tick()


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
