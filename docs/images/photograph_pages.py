"""Photograph every page in Chromium, on a desktop and on a phone beside it, for docs/images/pages.

Run it after a change of the pages, from the repository: `.venv/bin/python -m docs.images.photograph_pages`, with the
names of pictures if not all are wanted. Those that the German guide shows are taken in German too.
"""

import io
import sys
import tempfile
from collections.abc import Collection
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple

from PIL import Image, ImageColor
from sqlalchemy import delete, select, update

from docs.images.photograph_mails import beside, path_of
from server import worker
from server.application.game import reply_addresses
from server.application.game.situations import act
from server.application.operator import operators
from server.application.people import blocked_networks, codes
from server.application.people.accounts import addresses, guests
from server.drawing.look import template
from server.house_rules.holding import put_on_hold
from server.house_rules.submission import RequestedMove
from server.mail.transport.smtp_client import transport_for
from server.models import BrowserSession, Message, Outgoing, Player, ReplyToken, session, transaction
from server.vocabulary.translation import ENGLISH
from tests.scenes import CHASE, name
from tests.table import Playing, Table
from tests.web.chromium import PHONE, Chromium, launched
from tests.web.game.test_page import Browser
from tests.web.test_mailbox import path_of as path_of_mail
from tests.web.test_signing_in import ask

FOLDER = Path(__file__).parent / "pages"
DESKTOP = 1280  # pixels across
TALLEST = 860
COLOURS = 40
COLOURS_OF_BOARD = 128
ALL_TOGETHER = {ENGLISH: 3_200_000, "de": 1_500_000}  # bytes of the pictures; a board with its city is about 200,000
CLOCK = {"kind": "per_phase", "provisional": "PT0S"}
ADA, CLEO, FINN, HUGO = 0, 2, 5, 6  # who look at pages; Ada is the operator, and Hugo plays for the first time


class Photographed(NamedTuple):
    """A page: who looks at it, None for somebody who is not signed in; its path, and the picture of a board on it."""

    who: int | None
    path: str
    has_board: bool = False


PAGES = {
    "first-page": Photographed(None, "/", has_board=True),
    "public-games": Photographed(None, "/public-games"),
    "tour": Photographed(None, "/tour", has_board=True),
    "how-to-play": Photographed(None, "/how-to-play/ravensburger-2000", has_board=True),
    "sign-in": Photographed(None, "/sign-in"),
    "code": Photographed(None, "/sign-in/code"),
    "code-of-mail": Photographed(None, "{code}"),
    "guides": Photographed(None, "/docs"),
    "guide": Photographed(None, "/docs/deadlines"),
    "stop": Photographed(None, "{stop}"),
    "answer": Photographed(None, "{answer}"),
    "imprint": Photographed(None, "/imprint"),
    "privacy": Photographed(None, "/privacy"),
    "report-invitation": Photographed(None, "{invitation}"),
    "not-there": Photographed(None, "/games/nothing"),
    "mailbox": Photographed(None, "/dev/mail"),
    "mail-of-mailbox": Photographed(None, "{mail}", has_board=True),
    "my-games": Photographed(CLEO, "/me"),
    "archive": Photographed(ADA, "/me/archive"),
    "settings": Photographed(CLEO, "/me/settings"),
    "mail": Photographed(CLEO, "/me/mail"),
    "deliveries": Photographed(CLEO, "/me/deliveries"),
    "addresses": Photographed(CLEO, "/me/addresses"),
    "vacation": Photographed(CLEO, "/me/vacation"),
    "programs": Photographed(CLEO, "/me/programs"),
    "webhook": Photographed(CLEO, "{hook}"),
    "blocked": Photographed(CLEO, "/me/blocks"),
    "account": Photographed(CLEO, "/me/account"),
    "device": Photographed(None, "{device}"),
    "address-of-mail": Photographed(None, "{address}"),
    "new-game": Photographed(CLEO, "/games"),
    "lobby": Photographed(CLEO, "{open}"),
    "join": Photographed(FINN, "{join}", has_board=True),
    "game": Photographed(CLEO, "{running}", has_board=True),
    "log": Photographed(CLEO, "{running}/log"),
    "stations": Photographed(CLEO, "{running}/stations"),
    "game-rules": Photographed(CLEO, "{running}/rules", has_board=True),
    "resign": Photographed(CLEO, "{running}/resign"),
    "report": Photographed(CLEO, "{running}/report"),
    "coach": Photographed(HUGO, "{practice}", has_board=True),
    "end": Photographed(CLEO, "{final}", has_board=True),
    "replay": Photographed(ADA, "{final}/replay?ply=9", has_board=True),
    "operator": Photographed(ADA, "/operator"),
    "operator-people": Photographed(ADA, "/operator/people"),
    "operator-mail": Photographed(ADA, "/operator/mail"),
    "operator-deadlines": Photographed(ADA, "/operator/deadlines"),
    "operator-settings": Photographed(ADA, "/operator/settings"),
}
ON_PHONE = "game-phone"  # the page of the game has two pictures
NAMES = {*PAGES, ON_PHONE}
IN_GERMAN = {
    "first-page", "tour", "coach", "new-game", "lobby", "my-games", "settings", "game", ON_PHONE, "log", "end",
    "replay",
}  # fmt: skip
BY_LANGUAGE = {ENGLISH: NAMES, "de": IN_GERMAN}
TALK = {
    ENGLISH: "I think that he is at the river. Can you cover 100?",
    "de": "Ich glaube, er ist am Fluss. Kannst du auf 100 aufpassen?",
}


def photograph(chromium: Chromium, wanted: Collection[str]) -> None:
    """Take the pictures with these names again, in each language that has them."""
    paths = _paths(chromium)
    for language, names in BY_LANGUAGE.items():
        with chromium.table.app.app_context(), transaction():
            session.execute(update(Player).values(language=language))
            session.execute(update(Message).values(text=TALK[language]))
        _photograph(chromium, paths, names & set(wanted), language)


def _photograph(chromium: Chromium, paths: dict[str, str], wanted: Collection[str], language: str) -> None:
    spoken = {} if language == ENGLISH else {"locale": language}
    for picture in [each for each in PAGES if {each, f"{each}-phone"} & set(wanted)]:
        _sign_everybody_out(chromium)
        who, path, has_board = PAGES[picture]
        at = path.format(**paths)
        wide, end = shot(chromium, who, at, viewport={"width": DESKTOP, "height": TALLEST}, **spoken)
        phone = PHONE | {"viewport": {"width": 390, "height": TALLEST}}
        narrow, other_end = shot(chromium, who, at, **phone, **spoken)
        file = path_of(FOLDER, language, picture)
        if picture == "game":
            save(wide, file, COLOURS_OF_BOARD)
            save(narrow, file.with_stem(ON_PHONE), COLOURS_OF_BOARD)
        else:
            both = beside(wide, narrow).crop((0, 0, wide.width + narrow.width, max(end, other_end)))
            save(both, file, COLOURS_OF_BOARD if has_board else COLOURS)


def _sign_everybody_out(chromium: Chromium) -> None:
    """Forget the browsers of earlier pictures, which the page of the account would list."""
    with chromium.table.app.app_context(), transaction():
        session.execute(delete(BrowserSession))


def _paths(chromium: Chromium) -> dict[str, str]:
    """Set up what the pages show; return the addresses that are not the same each time."""
    table = chromium.table
    ada, ben, cleo, *_ = chromium.people
    running = _game(chromium)
    with table.app.app_context():
        operators.change(ada.id, granted=True)
        worker.send_mail(transport_for(table.app.extensions["blackticket"].settings))
    final, waiting = _over(chromium), _open(chromium)
    table.app.extensions["blackticket"].resolve = lambda _host: ["93.184.216.34"]
    mine = Browser(table, cleo)
    for path, form in (
        ("/me/vacation", {"first": "2026-12-24", "last": "2026-12-27"}),
        ("/me/tokens", {"name": "My bot", "scope_play": "on"}),
        ("/me/webhooks", {"url": "https://cleo.example.org/black-ticket"}),
        ("/me/addresses", {"email": "cleo@work.example"}),
        ("/me/blocks", {"who": "pest@example.org"}),
    ):
        mine.post(path, form)
    (hook, *_) = [part for part in mine.get("/me/programs").text.split('"') if part.startswith("/me/webhooks/")]
    table.tick()
    stop = ben.mails[-1]["List-Unsubscribe"].partition("+")[2].partition("@")[0]
    mine.post(f"/games/{running.id}/report", {"what": "name-2"})
    with table.app.app_context():
        blocked_networks.block("203.0.113.0/24", "P30D")
        mail_id = session.scalars(select(Outgoing.id).where(Outgoing.kind == "invitation")).first() or ""
        invitation = reply_addresses.mark(reply_addresses.REPORT, mail_id)
        dan = session.get_one(Player, running.people[3].id)
        wanted = [RequestedMove(running.legal(running.people[3])[0])]
        act(running.id, dan, put_on_hold, wanted, timedelta(minutes=15))
        digest = session.scalars(select(ReplyToken.digest).where(ReplyToken.game_id == running.id)).all()[0]
        answer = reply_addresses.mark(reply_addresses.ANSWER, digest[:16])
    imprint = table.app.extensions["blackticket"].settings.var / "imprint.txt"
    imprint.write_text("Ada Example\n12 Example Street\n12345 Exampleton\n\nada@example.org")
    code = mine.get(waiting).text.partition("/join/")[2].partition("<")[0]
    with table.app.app_context():
        anna, secret = guests.begin("192.0.2.0/24", "Firefox", "Anna")
        device = codes.for_device(anna.id)
        addresses.ask_for(anna.id, "anna@example.org", browser=secret)
        to_anna = session.scalars(select(Outgoing).where(Outgoing.kind == "address"))
        (address,) = (row.details["code"] for row in to_anna if row.details and "pin" in row.details)
    return {
        "join": f"/join/{code}", "device": f"/continue/{device}", "address": f"/address/{address}",
        "invitation": f"/reports/{invitation}", "answer": f"/answer/{answer}/play-now",
        "practice": _practice(chromium),
        "running": f"/games/{running.id}", "final": f"/games/{final.id}", "open": waiting, "hook": hook,
        "code": f"/sign-in/code/{ask(table, Browser(table), 'gwen@example.org')}", "stop": f"/stop/{stop}",
        "mail": path_of_mail(table.client, "ben@example.org", "Round"),
    }  # fmt: skip


def _game(chromium: Chromium) -> Playing:
    """Return a game in which it is Cleo's turn."""
    game = chromium.table.game(chromium.people, position=CHASE)
    name(chromium.table, game.id)
    ada, ben, *_ = game.people
    game.move(ada, "black 100")
    ben.post(f"{game.path}/messages", {"to": "team", "text": TALK[ENGLISH]})
    game.move(ben, "purple taxi 126")
    return game


def _practice(chromium: Chromium) -> str:
    """Return the path of Hugo's first game, in which it is his turn."""
    hugo = chromium.table.person("Hugo")
    chromium.people.append(hugo)
    with chromium.table.app.app_context():
        game_id = guests.practise(session.get_one(Player, hugo.id), "detective").id
    chromium.table.tick()
    return f"/games/{game_id}"


def _over(chromium: Chromium) -> Playing:
    """Return a game whose result is final."""
    game = chromium.table.game(chromium.people, clock=CLOCK)
    for _ in range(3):
        game.play_round()
    game.people[0].post(f"{game.path}/resign")
    chromium.table.tick()
    return game


def _open(chromium: Chromium) -> str:
    """Return the path of a public game of Cleo's that waits for players."""
    _, ben, cleo, *_ = chromium.people
    invited = {"role": "detective", "invite": "kim@example.org"}
    seats = [{"role": "mr_x", "player": cleo.id}, {"role": "detective", "bot": "constable"}, invited]
    made = cleo.post(
        "/games", {"edition": "ravensburger-2000", "seats": [*seats, {"role": "detective"}], "visibility": "public"}
    )
    ben.post("/games", {"players": 4, "edition": "condensed", "visibility": "public"})
    return f"/games/{made.json['id']}"


def shot(chromium: Chromium, who: int | None, path: str, **how: Any) -> tuple[Image.Image, int]:
    """Return what a browser shows of a page from its top, and where the page ends on it."""
    with chromium.page(None if who is None else chromium.people[who], reduced_motion="reduce", **how) as page:
        page.clock.set_fixed_time(chromium.table.clock.time)
        page.goto(path)
        page.wait_for_timeout(500)  # the board is drawn
        end = page.evaluate("Math.ceil(document.querySelector('main').getBoundingClientRect().bottom)")
        return Image.open(io.BytesIO(page.screenshot())).convert("RGB"), min(end, TALLEST)


def save(picture: Image.Image, path: Path, colours: int) -> None:
    """Save a picture with the colours of pawns and those that are most frequent in it, which stay as they are."""
    counted: Any = picture.getcolors(picture.width * picture.height)
    colours_of_board: Any = template("_colours.svg").module
    pawns = [ImageColor.getrgb(each) for each in colours_of_board.pawns.values()]
    frequent = [colour for _, colour in sorted(counted, reverse=True)]
    palette = Image.new("P", (1, 1))
    palette.putpalette([part for colour in [*pawns, *frequent][:colours] for part in colour])
    picture.quantize(palette=palette, dither=Image.Dither.NONE).save(path, optimize=True)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder, launched(Table(Path(folder), sandbox="1", dev_mail="yes")) as found:
        photograph(found, sys.argv[1:] or NAMES)
