"""The fixed run: two games, told in scenes that together go through everything that leaves the server.

A scene begins where `before` has brought the worlds; so each can be played by itself.
"""

import hmac
import random
import re
from base64 import b64encode
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cache
from itertools import product
from typing import Any, NamedTuple
from unittest import mock

from sqlalchemy import delete, update
from werkzeug.test import encode_multipart

from server import worker
from server.application.game import reply_addresses
from server.application.mail import imap_progress
from server.application.time import clock_corrections
from server.application.time.outages import Watch
from server.engine import Edition, Game
from server.mail.examination.supervisor import CannotRead
from server.mail.transport.imap import MailboxFailure
from server.mail.transport.imap_reader import MOST_ATTEMPTS, ImapReader
from server.models import Game as StoredGame
from server.models import Move, Unavailable, session, transaction
from server.settings.kinds import Admission
from server.webhooks.transport import DELIVERED, GONE, UNREACHABLE
from server.worker.watchdog import Watchdog
from tests.injected import START
from tests.mail.transport.fake_mailbox import Server
from tests.positions import position
from tests.profiles import IS_CAMPAIGN
from tests.scenes import PASSED
from tests.worlds import browsing, schedule
from tests.worlds.browsing import BROWSER as _BROWSER
from tests.worlds.browsing import send as _send
from tests.worlds.browsing import sign_in as _sign_in
from tests.worlds.histories import Pair
from tests.worlds.schedule import OUTLETS, SERVER
from tests.worlds.twins import KEY, Twin, World, is_detectives

# He shows himself on window 3, and is somewhere else on all others.
STARTS = {"purple": 29, "red": 103, "green": 26, "yellow": 94}
HIS_ONE = [50, "taxi 38", "black 24", "taxi 13", "double taxi 4 black 3", "bus 22"]
HIS_OTHER = [34, "taxi 22", "black 23", "taxi 13", "double taxi 23 black 67", "bus 102"]
THEIRS = [
    ["purple taxi 41", "red taxi 102", "green taxi 15", "yellow taxi 95"],
    ["purple taxi 28", "red taxi 83", "green bus 29", "yellow taxi 122"],
    ["purple taxi 41", "red taxi 101", "green taxi 42", "yellow bus 144"],
    ["purple taxi 54", "red taxi 114", "green taxi 72", "yellow bus 123"],
]
# The same from a position: two ways that meet in 106.
FROM_ONE = [91, "taxi 105", "bus 107", "taxi 106", "double taxi 107 black 105", "bus 72"]
FROM_OTHER = [117, "taxi 108", "bus 105", "taxi 106", "double taxi 105 black 87", "bus 41"]
FROM_THEIRS = [["red taxi 156", "green taxi 142"], ["red taxi 155", "green taxi 141"]] * 2
EDITION = Edition.named("ravensburger-2000")


@cache
def dealt() -> Pair:
    """A game of three that was dealt: Ben moves Purple and Red, Cleo Green and Yellow."""
    games = [Game(EDITION, 3, {"mr_x": his[0], **STARTS}) for his in (HIS_ONE, HIS_OTHER)]
    return _told(games, (HIS_ONE, HIS_OTHER), THEIRS)


@cache
def placed() -> Pair:
    """A game from a position: Ben moves Red, Cleo Green."""
    his = {"taxi": 4, "bus": 3, "black": 2, "double": 2}
    games = [
        Game.at(EDITION, position(way[0], red=155, green=141, his=his))  # type: ignore[arg-type]
        for way in (FROM_ONE, FROM_OTHER)
    ]
    return _told(games, (FROM_ONE, FROM_OTHER), FROM_THEIRS)


def _told(games: list[Game], his: tuple[list[int | str], list[int | str]], theirs: list[list[str]]) -> Pair:
    for game, way in zip(games, his, strict=True):
        for number, move in enumerate(way[1:]):
            for notation in (str(move), *(theirs[number] if number < len(theirs) else ())):
                game.play(notation)
    return Pair("any", *games)


class Scene(NamedTuple):
    """`before` brings the worlds to where `play` begins."""

    before: Callable[[Twin], None]
    play: Callable[[Twin], None]


# Before -----------------------------------------------------------------------------------------


def nothing(_twin: Twin) -> None:
    pass


def opened(twin: Twin) -> None:
    twin.open()


def begun(twin: Twin) -> None:
    """Mr. X has moved once, and everybody has his mail."""
    bring(twin, begun)


def start(twin: Twin) -> None:
    """Bring the worlds there from where the game is opened."""
    twin.start()
    twin.play()
    twin.tick()


def begun_on_a_page(twin: Twin) -> None:
    """Bring the worlds to the same place in a public game, in which Mr. X has begun a double move and not made it."""
    twin.open(visibility="public")
    twin.start()
    browsing.begins_a_double_move(twin)
    twin.play()
    twin.tick()


def seen(twin: Twin) -> None:
    """It is the detectives' turn for the fourth time: Mr. X has shown himself, and vanished by a double move."""
    bring(twin, seen)


def play_until_seen(twin: Twin) -> None:
    while twin.turn <= len(twin.pair.moves) - (len(twin.pair.one.pawns) + 1):
        twin.play()
    twin.play()
    twin.tick()


Act = Callable[[Twin], None]
# The places that are reached from an earlier place, and how.
EARLIER: Mapping[Act, tuple[Act, Act]] = {begun: (opened, start), seen: (begun, play_until_seen)}


def bring(twin: Twin, place: Act) -> None:
    """Bring the worlds to a place by way of the earlier one."""
    earlier, act = EARLIER[place]
    earlier(twin)
    act(twin)


# Scenes -----------------------------------------------------------------------------------------


def timers_of_their_own(twin: Twin) -> None:
    """The time of each detective begins with their own turn, and a mail says by when to move."""
    twin.open(clock={"kind": "per_move", "mr_x": "P2D", "detectives": "P1D"})
    twin.start()
    while twin.turn < 5:
        twin.play()
        twin.tick()


def seats(twin: Twin) -> None:
    """Before the start: a second game, whose seats are offered, taken and given back, and all that is too early."""
    _second_game(twin)
    everybody_looks(twin)
    twin.ask("Ben", "POST", "/seats", {"seat": 1})
    twin.ask("Gus", "POST", "/start")
    twin.ask("Ben", "POST", "/moves", {"turn": 1, "notation": "taxi 1"})
    twin.ask("Hana", "GET", "/record")


def lobby(twin: Twin) -> None:
    """A game begins, and it is too late for seats."""
    twin.start()
    twin.ask("Ben", "POST", "/moves", {"turn": 1, "notation": f"taxi {twin.stations[0]}"})
    for who in ("Gus", "Ben", "Hana"):
        twin.ask(who, "POST", "/seats", {"seat": 2})
        twin.ask(who, "DELETE", "/seats/2")
    everybody_looks(twin, OUTLETS)


def _second_game(twin: Twin) -> None:
    """A public game of Gus's that does not begin: seats are offered, taken, and given back."""
    games = "/api/v1/games"
    wanted = {"edition": "condensed", "players": 2, "label": "second", "visibility": "public"}
    made = twin.ask("Gus", "POST", games, wanted, Idempotency_Key="g")
    path = f"{games}/{made.json['id']}"  # type: ignore[index]
    twin.ask("Gus", "POST", games, wanted, Idempotency_Key="g")
    twin.ask("Gus", "POST", games, {"edition": "none"}, Idempotency_Key="g")
    twin.ask("Gus", "POST", f"{path}/start")
    twin.ask("Gus", "POST", f"{path}/seats", {"role": "mr_x"}, Idempotency_Key="seat")
    twin.ask("Gus", "POST", f"{path}/seats", {"seat": 2})
    twin.ask("Ben", "POST", f"{path}/seats", {"seat": 1})
    twin.ask("Ben", "POST", f"{path}/seats", {"seat": 2})
    twin.ask("Gus", "DELETE", f"{path}/seats/2")
    twin.tick()
    _invitations(twin, path)


def _invitations(twin: Twin, path: str) -> None:
    """Strangers are invited to it, one declines, one is late, one becomes a player; by command the table is filled."""
    for wanted in ({"invite": "kim@example.org"}, {"invite": "kim@example.org"}, {"invite": "Hana"}, {}):
        twin.ask("Gus", "PUT", f"{path}/seats/2", wanted)
    twin.ask("Ben", "PUT", f"{path}/seats/2", {"bot": "constable"})
    twin.tick()
    _reports_the_mail(twin)
    for text in ("Who are you?", "NO", "YES"):
        _answers(twin, "Kim", text)
    twin.ask("Gus", "PUT", f"{path}/seats/2", {"invite": "lou@example.org"})
    twin.tick()
    _answers(twin, "Lou", "YES", "mallory@evil.example")
    _answers(twin, "Lou", "YES")
    twin.ask("Hana", "GET", path)


def _reports_the_mail(twin: Twin) -> None:
    """Somebody without an account reports the newest invitation by mail, with the page that its mail links to."""
    world = twin.worlds[0]
    mail_id = world.asked("SELECT id FROM outbox WHERE kind = 'invitation' ORDER BY created_at DESC, rowid DESC")[0]
    with world.table.app.app_context():
        path = f"/reports/{reply_addresses.mark(reply_addresses.REPORT, mail_id)}"
    browsing.look(twin, None, path)
    for _ in range(2):
        browsing.send(twin, None, path)


def _answers(twin: Twin, who: str, text: str, sender: str | None = None) -> None:
    """Somebody who need not be a player answers the newest mail to him."""
    address = f"{who.lower()}@example.org"
    newest = [letter for letter in twin.worlds[0].post.sent if letter.recipient == address][-1]
    twin.mail(who, text, newest.read["Reply-To"].addresses[0].addr_spec, sender or address)
    twin.tick()


def a_stranger_writes(twin: Twin) -> None:
    """Zoe, who has no account, asks what there is to join, and signs up."""
    for world in twin.worlds:
        runtime = world.table.app.extensions["blackticket"]
        runtime.settings = replace(runtime.settings, authserv_id="mx")
    twin.mail("Zoe", "LIST", "play@localhost", Authentication_Results=PASSED)
    twin.tick()
    _answers(twin, "Zoe", "YES")


def by_mail_and_command(twin: Twin) -> None:
    """A game of Gus's: opened by mail, seats drawn by lot, given up, played again; and one that the operator opens."""
    a_stranger_writes(twin)
    twin.mail("Gus", "NEW condensed with fugitive, ben@example.org", "play@localhost")
    twin.tick()
    for text in ("YES", "START"):
        twin.mail("Gus", text)
        twin.tick()
    code = twin.worlds[0].asked("SELECT code FROM games ORDER BY rowid DESC LIMIT 1")[0]
    mine = twin.worlds[0].asked("SELECT id FROM games ORDER BY rowid DESC LIMIT 1")[0]
    twin.mail("Hana", "LIST", "play@localhost")
    twin.mail("Hana", "SIGNUP", "play@localhost")
    twin.mail("Hana", f"JOIN {code}", "play@localhost")
    twin.mail("Hana", "PLAY condensed", "play@localhost")
    twin.mail("Gus", "INVITE constable")
    twin.tick()
    twin.ask("Ben", "POST", f"/api/v1/games/{mine}/seats")
    twin.ask("Gus", "POST", f"/api/v1/games/{mine}/rematch")
    twin.ask("Gus", "POST", f"/api/v1/games/{mine}/start")
    for who in ("Ben", "Gus"):
        twin.ask(who, "POST", f"/api/v1/games/{mine}/resign")
    twin.tick()
    twin.ask("Gus", "POST", f"/api/v1/games/{mine}/rematch", Idempotency_Key="rematch")
    twin.mail("Gus", "REMATCH")
    twin.tick()
    for command in (("new", "hana@example.org", "--edition", "condensed", "--invite", "gus@example.org"),
                    ("invite", "{game}", "constable"), ("join", "{game}", "gus@example.org"),
                    ("leave", "{game}", "gus@example.org"), ("start", "{game}"),
                    ("rematch", "{game}", "ben@example.org"),
                    ("new", "gus@example.org", "--as", "mr_x", "--json")):  # fmt: skip
        twin.command("game", *command)
    twin.tick()


def hunt(twin: Twin) -> None:
    """The detectives' half of the first round, with all that can be asked, sent and written in it."""
    mails_from_elsewhere(twin)
    everybody_looks(twin)
    everybody_tries(twin)
    later = [str(move) for move in schedule.later_in_round(twin)]
    twin.submit(twin.holder(later[-1].split()[0]), {"notation": later[-1]})
    twin.ask("Ben", "GET", "/ahead")
    twin.ask("Cleo", "GET", "/ahead")
    twin.ask("Ben", "GET", "/board.png")
    twin.ask(twin.holder(later[-1].split()[0]), "DELETE", "/ahead")
    rng = random.Random(1)
    for _ in range(4):
        schedule.uses_a_key(twin, rng)
    everybody_writes(twin)
    everybody_talks(twin)
    twin.mail(twin.holder("yellow"), f"{later[-1]} or else yellow taxi 93")
    twin.tick()
    twin.restart()
    twin.wait(hours=37)
    while twin.turn <= 1 + len(twin.pair.one.pawns):
        twin.play("mail")
    _plays_and_looks(twin)


def _plays_and_looks(twin: Twin) -> None:
    """The rest of the pair's moves, with a look after each of Mr. X's.

    Only his are sent by mail or with a key as well, but in a campaign all: the detectives' were in the round before.
    """
    number = 0
    while twin.turn <= len(twin.pair.moves):
        by = ("rest", "mail", "key")[number % 3]
        is_mailed_before = is_detectives(twin.pair.moves[twin.turn - 1][0]) and not IS_CAMPAIGN
        who = twin.play("rest" if is_mailed_before else by)
        if who == "Ada":
            number += 1
            everybody_looks(twin, OUTLETS[:4])


def mails_from_elsewhere(twin: Twin) -> None:
    """To reply addresses that are not those of who writes, Mr. X's among them; one of them was somebody's after all."""
    twin.mail("Ben", "bus 46", sender="cleo@example.org")
    twin.mail("Ada", "taxi 46", sender="cleo@example.org")
    twin.mail("Cleo", "LEGAL", sender="cleo@phone.example")
    twin.mail("Ben", "LEGAL", DKIM_Signature="v=1; a=rsa-sha256; d=example.org; s=x; h=from; l=1; bh=YQ==; b=YQ==")
    twin.tick()
    twin.mail("Cleo", "YES")
    twin.tick()


def mails_that_come_back(twin: Twin) -> None:
    """Green's move ahead is barred by Purple when its turn comes."""
    twin.submit("Cleo", {"notation": "green taxi 15"})
    twin.submit("Ben", {"notation": "purple bus 15"})
    twin.submit("Ben", {"notation": "red taxi 102"})
    twin.tick()


def mail_does_not_arrive(twin: Twin) -> None:
    """A machine reports that mails to Ben and Ada have no reader, then they write; Cleo wants no more mail."""
    newest = {letter.recipient: letter.read for letter in twin.worlds[0].post.sent}
    for name in ("Ben", "Ada"):
        about = newest[f"{name.lower()}@example.org"]["Message-ID"]
        raw = REPORT.format(count=twin.count(), name=name, about=about).replace("\n", "\r\n").encode()
        twin.both("a report comes", lambda world, raw=raw: world.deliver(raw, "", "play@localhost"))  # type: ignore[misc]
        twin.tick()
        everybody_looks(twin, OUTLETS[:8:7])
        twin.mail(name, "STATUS", to="play@localhost")
        twin.tick()
    everybody_looks(twin, OUTLETS[:8:7])
    token = newest["cleo@example.org"]["List-Unsubscribe"].partition("+")[2].partition("@")[0]
    for method in ("GET", "HEAD", "POST"):
        twin.ask_whole(None, method, f"/stop/{token}")
    twin.ask_whole(None, "OPTIONS", f"/stop/{token}")
    twin.ask("Cleo", "GET", "/api/v1/me/preferences")


REPORT = """From: MAILER-DAEMON@mx.example.org
Message-ID: <report-{count}@mx.example.org>
Content-Type: multipart/report; report-type=delivery-status; boundary="d"

--d
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.example.org

Final-Recipient: rfc822; {name}@example.org
Action: failed
Status: 5.1.1

--d
Content-Type: text/rfc822-headers

Message-ID: {about}

--d--
"""


def operator(twin: Twin) -> None:
    """Run the operator's commands, and the requests of machines."""
    for command in (*schedule.COMMANDS, ("doctor",), ("doctor", "--json"), ("player", "list", "--json"),
                    ("game", "list"), ("player", "add", "Ivy", "ivy@example.org"),
                    ("player", "add", "Ben", "ben@example.org"), ("game", "show", "aaaa"),
                    ("game", "reinstate", "{game}", "--reason", "none"), ("db", "upgrade"),
                    ("backup", "{folder}/copy.db"), ("restore", "{folder}/copy.db"), ("release",),
                    ("inbox", "list"), ("outbox", "list", "--json"),
                    ("inbox", "list", "--game", "{game}"), ("verify", "{game}"),
                    ("verify", "{game}", "--json"),
                    ("game", "practice", "nobody@example.org")):  # fmt: skip
        twin.command(*command)
    every_endpoint(twin)


def accounts(twin: Twin) -> None:
    """Somebody signs up, looks after his tokens and settings, and goes; a player tries to."""
    api = "/api/v1"
    for email in ("ivy@example.org", "ben@example.org", *["ivy@example.org"] * 3):
        twin.ask(None, "POST", f"{api}/players", {"name": "Ivy", "email": email})
    twin.tick()
    letter = next(letter for letter in twin.worlds[0].post.sent if letter.recipient == "ivy@example.org")
    code = letter.read.get_content().partition('code is "')[2][:16]
    twin.ask(None, "POST", f"{api}/players/confirm", {"code": "aaaaaaaaaaaaaaaa"})
    ivy = twin.ask(None, "POST", f"{api}/players/confirm", {"code": code}).json["token"]  # type: ignore[index]
    for world in twin.worlds:
        world.runtime.settings = replace(world.runtime.settings, admission=Admission.NOBODY)
    twin.ask(None, "POST", f"{api}/players", {"name": "Kai", "email": "kai@example.org"})
    for world in twin.worlds:
        world.runtime.settings = replace(world.runtime.settings, admission=Admission.EVERYBODY)
    for wanted in ({"name": "robot", "scopes": ["read"]}, {"name": "late", "scopes": ["play"], "expires_at": "x"}):
        made = twin.ask("Ben", "POST", f"{api}/me/tokens", wanted).json
        if "token" in made:  # type: ignore[operator]
            twin.ask(None, "POST", "/moves", {}, Authorization=f"Bearer {made['token']}")  # type: ignore[index]
            twin.ask("Ben", "DELETE", f"{api}/me/tokens/{made['id']}")  # type: ignore[index]
    twin.ask("Ben", "POST", f"{api}/me/tokens", {"name": "a", "scopes": ["play"], "expires_at": "2027-01-01T00:00:00Z"})
    for who in ("Ben", "Ada"):
        made = twin.ask(who, "POST", f"{api}/me/tokens", {"name": "phone", "scopes": ["calendar"]}).json
        # What programs read at the address is compared whole, that of Mr. X included.
        for method in ("GET", "HEAD"):
            twin.ask(None, method, f"{api}/calendars/{made['token']}")  # type: ignore[index]
    twin.ask("Ben", "PATCH", f"{api}/me/preferences", {"zone": "UTC", "mail": "usual"})
    twin.ask("Ben", "PATCH", f"{api}/me", {"name": "Benedict"})
    _several_addresses(twin)
    for path in ("tokens", "preferences", "export", "addresses", "deliveries", "deliveries?limit=1"):
        for who in ("Ben", "Ada", "Gus"):
            twin.ask(who, "GET", f"{api}/me/{path}")
    twin.command("player", "rename", "ben@example.org", "Ben")
    twin.ask("Ben", "DELETE", f"{api}/me", {"name": "Ben"})
    for command in (("show", "ben@example.org"), ("show", "ada@example.org", "--json"), ("import", "{folder}/none.csv"),
                    ("address", "add", "ben@example.org", "ben@play.example"),
                    ("address", "remove", "ben@play.example"),
                    ("address", "remove", "ada@example.org")):  # fmt: skip
        twin.command("player", *command)
    for command in (("add", "ivy@example.org"), ("list", "ada@example.org"), ("list", "ivy@example.org", "--json"),
                    ("revoke", "aaaa")):  # fmt: skip
        twin.command("player", "token", *command)
    twin.ask(None, "DELETE", f"{api}/me", {"name": "Ivy"}, Authorization=f"Bearer {ivy}")
    everybody_looks(twin, OUTLETS[:2])
    twin.command("player", "list")
    twin.command("play")


def webhooks(twin: Twin) -> None:
    """A detective, Mr. X and the host have programs that are told; the first has trouble with his."""
    api = "/api/v1/webhooks"
    hooks = {}
    for who in ("Ben", "Ada", "Hana"):
        made = twin.ask(who, "POST", api, {"url": f"https://{who.lower()}.example.org/"}).json
        hooks[who] = f"{api}/{made['id']}"  # type: ignore[index]
    for url in ("https://127.0.0.1/", *["https://more.example.org/"] * 5):
        twin.ask("Hana", "POST", api, {"url": url})
    twin.ask("Ben", "POST", f"{hooks['Ben']}/secret")
    while twin.play() != "Ada":
        twin.tick()
    twin.ask("Ben", "POST", f"{hooks['Ben']}/test")
    twin.ask("Ben", "POST", f"{hooks['Ben']}/test")
    for says, wait in ((UNREACHABLE, 1), (GONE, 60)):
        _hooks_say(twin, says)
        twin.play()
        twin.wait(minutes=wait)
    _hooks_say(twin, DELIVERED)
    twin.ask("Ben", "PATCH", hooks["Ben"], {"enabled": True})
    with twin.failing("server.application.people.webhooks.good_secrets"):
        twin.play()
        twin.tick()
    for who in ("Ben", "Gus"):
        for path in (api, hooks["Ben"], f"{hooks['Ben']}/deliveries"):
            twin.ask(who, "GET", path)
            twin.ask(who, "HEAD", path)
    machine_looks(twin)
    twin.ask("Ben", "DELETE", hooks["Ben"])


def _hooks_say(twin: Twin, word: str) -> None:
    for world in twin.worlds:
        world.hook_says = word


def machine_looks(twin: Twin) -> None:
    for method in ("GET", "HEAD"):
        twin.ask(None, method, "/metrics", Authorization=f"Bearer {KEY}")


def _several_addresses(twin: Twin) -> None:
    """Ben gets a second address, has his mail there for a while, and gives it up; he asks for that of another too."""
    api = "/api/v1/me/addresses"
    for email in ("ben@work.example", "ada@example.org", "cleo@example.org"):
        twin.ask("Ben", "POST", api, {"email": email})
    twin.tick()
    letter = next(letter for letter in twin.worlds[0].post.sent if letter.recipient == "ben@work.example")
    code = letter.read.get_content().partition('code is "')[2][:16]
    second = twin.ask("Ben", "POST", f"{api}/confirm", {"code": code}).json["id"]  # type: ignore[index]
    first = twin.ask("Ben", "GET", api).json["addresses"][0]["id"]  # type: ignore[index]
    twin.ask("Ben", "POST", f"{api}/{second}/primary")
    twin.mail("Ben", "STATUS", sender="ben@work.example")
    twin.tick()
    twin.ask("Ben", "POST", f"{api}/{first}/primary")
    for who in ("Ben", "Cleo"):
        twin.ask(who, "DELETE", f"{api}/{second}")


def faults(twin: Twin) -> None:
    """Everything that can fail does, each time with an error whose text tells where Mr. X is."""
    other_ways_in(twin)
    for target, path in FAULTS:
        with twin.failing(target):
            twin.ask("Ben", "GET", path)
        with twin.failing(target, lambda text: Unavailable(text, None, RuntimeError(text))):
            twin.ask("Ben", "GET", path)
    twin.ask("Ben", "POST", "/moves", b" " * 1_100_000)
    twin.mail("Ben", "STATUS")
    with twin.failing("server.mail.inbox._examined"):
        for _ in range(3):
            twin.wait(minutes=3)
    twin.mail("Ben", "STATUS")
    with twin.failing("server.mail.inbox._examined", lambda _text: CannotRead("no reading process can be started")):
        twin.tick()
    twin.wait(minutes=3)
    twin.mail("Ben", "STATUS")
    with twin.failing("server.mail.composing.compose.compose"):
        twin.tick()
    twin.wait(minutes=10)
    twin.command("doctor")
    twin.mail("Cleo", "STATUS")
    post_fails(twin)
    with twin.failing("server.worker.deadlines.fire"):
        twin.wait(hours=40)
    _outages(twin)
    twin.both("the listener fails", _listener_fails)
    with twin.failing("server.worker.fire_due"):
        twin.both("the worker fails", _worker_fails)


def other_ways_in(twin: Twin) -> None:
    """Mails that providers hand over, and those of a mailbox; some of them fail."""
    raw = "From: ben@example.org\r\nTo: play@localhost\r\nMessage-ID: <%s@x>\r\n\r\nSTATUS\r\n"
    basic = b64encode(f"postmark:{KEY}".encode()).decode()
    told = {"RawEmail": raw % 1, "OriginalRecipient": "play@localhost"}
    for login in (f"Basic {basic}", "Basic x"):
        twin.ask(None, "POST", "/api/v1/inbound/postmark", told, Authorization=login)
    form = {"timestamp": str(int(START.timestamp())), "token": "t" * 50, "recipient": "play@localhost"}
    form["signature"] = hmac.new(KEY.encode(), (form["timestamp"] + form["token"]).encode(), "sha256").hexdigest()
    for number in (2, 3):
        boundary, body = encode_multipart({**form, "body-mime": raw % number})
        kind = f'multipart/form-data; boundary="{boundary}"'
        twin.ask(None, "POST", "/api/v1/inbound/mailgun", body, Content_Type=kind)
    twin.both("a mailbox is read", lambda world: _mailbox_is_read(world, (raw % 4).encode()))
    twin.command("doctor", "--mail")
    twin.ask("Ben", "GET", "/readyz")
    twin.tick()


def _mailbox_is_read(world: World, raw: bytes) -> None:
    """One mail is taken in, another can never be fetched, and then the line is dead for another reason."""
    box = world.runtime.settings.imap_url
    server, reader = Server(), ImapReader(world.table.app, box)
    server.arrives(raw)
    server.arrives(raw.replace(b"<4", b"<5"))
    fetched = server.raw

    def raw_of(uid: int, most: int) -> bytes | None:
        if uid == 1:
            return fetched(uid, most)
        raise MailboxFailure(f"Mr. X is at {world.lived.station('mr_x')}")

    server.raw = raw_of  # type: ignore[method-assign]
    with world.table.app.app_context():
        for _ in range(MOST_ATTEMPTS + 1):
            with suppress(MailboxFailure):
                reader.read(server)  # type: ignore[arg-type]
        session.remove()
    reader._connect = lambda _box: reader._stopping.set() or int(f"Mr. X is at {world.lived.station('mr_x')}")  # type: ignore[assignment]
    reader._run()
    with world.table.app.app_context():
        imap_progress.claim(box.name, "reader")
        imap_progress.failed(box.name, "the mail server cannot be reached (it does not answer)")
        session.remove()


FAULTS = (
    ("server.application.game.projection.deadline", "/deadline"),
    ("server.application.game.projection.project", ""),
)


def post_fails(twin: Twin) -> None:
    """The relay refuses a mail, and then breaks down over it."""
    from server.mail.transport.smtp_client import SendingFailure

    failures = [SendingFailure("the relay refused the mail (451)", lasting=False), RuntimeError("broken")]
    for failure in failures:
        for world in twin.worlds:
            world.post.fails = lambda _recipient, failure=failure: failure  # type: ignore[misc]
        twin.wait(minutes=30)
        twin.command("doctor")
    for world in twin.worlds:
        world.post.fails = lambda _recipient: None
    twin.wait(minutes=30)


def _listener_fails(world: World) -> None:
    import asyncio

    from server.mail.transport.smtp_server import Handler

    error = RuntimeError(f"Mr. X is at {world.lived.station('mr_x')}")
    world.leaves("answer of the mail listener", asyncio.run(Handler(world.table.app, "smtp").handle_exception(error)))


def _outages(twin: Twin) -> None:
    """The clock is set, the server is out, in vain a game gets its time back, and for more than a day; all look."""
    twin.both("the clock is set", lambda world: _is_out(world, 50, hours=2))
    with twin.failing("server.house_rules.timers.credit_outage"):
        twin.both("the server is out", lambda world: _is_out(world, 0, hours=2))
    twin.tick()
    twin.wait(minutes=3)
    twin.both("the server is out for days", lambda world: _is_out(world, 0, hours=50))
    twin.command("doctor")
    for method in ("GET", "HEAD"):
        twin.ask("Ben", method, "/readyz")
    twin.command("deadline", "credit")
    twin.both("the clock is days ahead", lambda world: world.table.clock.turn(days=40))
    twin.ask("Ben", "POST", "/votes", {"kind": "extend", "length": "P1D"})
    twin.both("it is right again", lambda world: world.table.clock.turn(days=-40))
    with twin.failing("server.house_rules.timers.restart"):
        twin.both("in vain what began meanwhile is to begin anew", _correct)
    twin.both("what began meanwhile begins anew", _correct)
    for path in ("", "/events", "/deadline"):
        twin.ask("Ben", "GET", path)


def _correct(world: World) -> None:
    with world.table.app.app_context():
        clock_corrections.request()
        clock_corrections.correct_timers()
        session.remove()


def _is_out(world: World, seconds: float, **length: float) -> None:
    """Turn the clock by this length unobserved; the monotonic clock passes at most so many seconds of it."""
    watch, clock, monotonic = Watch(), iter((0.0, 0.0, seconds, seconds)), world.runtime.monotonic
    with world.table.app.app_context():
        world.runtime.monotonic = lambda: next(clock) if seconds else world.table.clock.time.timestamp()
        watch.look()
        world.table.clock.turn(**length)
        world.table.tick()
        for _ in range(2):
            watch.look()
        worker.correct_timers()
        Watchdog("http://127.0.0.1:1/").call(list)
        world.runtime.monotonic = monotonic
        session.remove()


def _worker_fails(world: World) -> None:
    from server.worker import Worker

    Worker(world.table.app)._tick()


def late(twin: Twin) -> None:
    """Nobody moves any more: the house does, Mr. X has his last chance, twice, and then it is over for good."""
    play_until_seen(twin)
    hand_on(twin)
    twin.wait(hours=47)
    twin.wait(hours=2)
    everybody_looks(twin, OUTLETS[:6])
    twin.wait(hours=37)
    twin.wait(hours=12)
    twin.wait(hours=49)
    everybody_looks(twin, (*OUTLETS[:6], *REPORTS))
    twin.command("game", "late", "--json")
    twin.command("game", "show", "{game}")
    twin.command("game", "replay", "{game}", "--step")
    twin.command("game", "reinstate", "{game}", "--reason", "the mail server was down")
    twin.tick()
    everybody_looks(twin, OUTLETS[:2])
    twin.wait(hours=49)
    twin.wait(hours=49)
    everybody_looks(twin, OUTLETS)
    twin.wait(hours=23)
    everybody_looks(twin, OUTLETS[:2])
    twin.wait(hours=1)


def talk(twin: Twin) -> None:
    """The team talks among itself, and to all; who is not in the game listens."""
    for who, to in (("Ben", "team"), ("Cleo", "all"), ("Gus", "team"), ("Ada", "all")):
        twin.ask(who, "POST", "/messages", {"to": to, "text": "he is near, I think"})
    twin.ask("Cleo", "PUT", "/messages/muted", {"muted": True})
    twin.mail("Ben", "SAY hello\nSAY ALL hello")
    twin.tick()
    for who in ("Ben", "Cleo", "Gus", None):
        twin.ask(who, "GET", "/messages")
        twin.ask(who, "GET", "/messages/muted")


def time(twin: Twin) -> None:
    """Votes and absences; a clock with grace by which one after the other is late; and a game that never begins."""
    api = "/api/v1/me"
    for wanted in ({"from": "2026-11-22", "to": "2026-11-23"}, {"from": "2026-11-25", "to": "2026-11-24"}):
        twin.ask("Ben", "POST", f"{api}/absences", wanted)
    taken = twin.ask("Cleo", "POST", f"{api}/absences", {"from": "2026-11-30", "to": "2026-11-30"}).json
    for who in ("Ben", "Cleo", "Ada"):
        twin.ask(who, "GET", f"{api}/absences")
    twin.ask("Cleo", "DELETE", f"{api}/absences/{taken['id']}")  # type: ignore[index]
    twin.ask("Ben", "PATCH", f"{api}/preferences", {"night": "23:00-07:00", "vacation": "off"})
    twin.ask("Ben", "PUT", "/cover", {"seat": 3})
    everybody_looks(twin, OUTLETS[4:8])
    for text in ("AWAY list", "AWAY off", "PAUSE", "RESUME", "WAIT", "CLAIM", "COVER off"):
        twin.mail("Ben", text)
    twin.tick()
    _vote(twin, {"kind": "extend", "length": "PT1H"})
    _vote(twin, {"kind": "clock", "clock": {"grace": "PT6H", "cover": True, "open_after": 1, "mr_x_late": "vote"}})
    for who in ("Gus", None):
        twin.ask(who, "GET", "/votes")
        twin.ask(who, "POST", "/votes", {"kind": "extend", "length": "P9D"})
    twin.wait(hours=60)
    everybody_looks(twin, OUTLETS[:5])
    twin.submit("Cleo", {"notation": f"purple taxi {twin.stations[0]}"})
    twin.wait(hours=7)
    twin.ask("Gus", "GET", "")
    for _ in range(2):
        twin.wait(hours=49)
        twin.wait(hours=7)
    twin.mail("Ben", "CLAIM")
    twin.mail("Cleo", "CLAIM")
    twin.tick()
    everybody_looks(twin, OUTLETS[:5])
    _never_begins(twin)


def _vote(twin: Twin, wanted: dict[str, object]) -> None:
    """Ben proposes, and everybody is for it."""
    made = twin.ask("Ben", "POST", "/votes", wanted).json
    twin.tick()
    for who in ("Cleo", "Ada"):
        twin.ask(who, "POST", f"/votes/{made['id']}", {"for": True})  # type: ignore[index]
    twin.tick()


def _never_begins(twin: Twin) -> None:
    """A game of Gus's that does not begin."""
    twin.ask("Gus", "POST", "/api/v1/games", {"edition": "condensed", "players": 2, "visibility": "public"})
    for days in (24, 7):
        twin.wait(days=days)
        with twin.failing("server.worker.neglected_games.warn_or_end"):
            twin.both("nobody looks after the games", _looks_after)
        twin.both("games are looked after", _looks_after)
        twin.tick()


def _looks_after(world: World) -> None:
    with world.table.app.app_context():
        worker.warn_or_end_neglected_games()
        session.remove()


def as_much_as_they_want(twin: Twin) -> None:
    """Ben has the mail of the game gathered, Cleo wants every move, and Mr. X one mail a day."""
    for who, mail in (("Ben", "gathered 5"), ("Cleo", "moves"), ("Ada", "daily 18:00"), ("Gus", "off")):
        twin.ask(who, "PATCH", "/preferences", {"mail": mail})
        twin.ask(who, "GET", "/preferences")
    twin.ask("Cleo", "POST", "/messages", {"to": "team", "text": "he is near, I think"})
    for _ in range(2):
        twin.play("rest")
        twin.tick()
    twin.wait(minutes=6)
    for who in ("Ben", "Cleo"):
        twin.ask(who, "GET", "/api/v1/me/deliveries")
        twin.ask(who, "PATCH", "/preferences", {"mail": "inherit"})


def give_up(twin: Twin) -> None:
    """One detective after the other resigns: the house plays on for the first, and the last ends the game."""
    as_much_as_they_want(twin)
    talk(twin)
    twin.ask("Cleo", "POST", "/resign", Idempotency_Key="resign")
    twin.tick()
    everybody_looks(twin, OUTLETS[:6])
    twin.ask("Ben", "POST", "/resign")
    twin.tick()
    everybody_looks(twin, OUTLETS[:6])


def agree(twin: Twin) -> None:
    """The host hands on, a move is asked about first, a draw is withdrawn, and agreed on; the operator acts."""
    twin.ask("Hana", "POST", "/host", {"seat": 2}, Idempotency_Key="host")
    twin.mail("Ben", "HOST mr_x")
    for text in ("SET ask on", twin.pair.moves[twin.turn - 1][0], "NO", "SET ask off", "DRAW", "DRAW off"):
        twin.tick()
        twin.mail("Ben", text)
    twin.tick()
    for who in ("Cleo", "Gus", "Ada"):
        twin.ask(who, "POST", "/draw")
    twin.tick()
    twin.ask("Cleo", "DELETE", "/draw")
    for command in (("deadline", "list"), ("deadline", "extend", "{game}", "P1D", "--reason", "the mail was down"),
                    ("game", "host", "{game}", "3", "--reason", "he is silent")):  # fmt: skip
        twin.command(*command)
    twin.tick()
    for who in ("Cleo", "Ben"):
        twin.ask(who, "POST", "/draw")
    twin.tick()
    for path in ("", "/record", "/events", *REPORTS):
        twin.ask("Ben", "GET", path)
    for command in (("reinstate", "{game}"), ("end", "{game}", "--json")):
        twin.command("game", *command, "--reason", "nobody had meant it")
    twin.tick()
    for command in (("game", "results"), ("game", "late", "--csv"), ("outbox", "show", "aaaa"),
                    ("outbox", "retry", "aaaa"), ("inbox", "retry", "aaaa")):  # fmt: skip
        twin.command(*command)


def damaged(twin: Twin) -> None:
    """The rows of a game are damaged: it is repaired, and ended when its moves are lost."""
    twin.both("a row is damaged", lambda world: _damage(world, update(StoredGame).values(turn=7)))
    for command in (("doctor",), ("game", "repair", "{game}", "--reason", "the disk was full")):
        twin.command(*command)
    everybody_looks(twin, OUTLETS[:6])
    twin.play()
    twin.both("a move is lost", lambda world: _damage(world, delete(Move).where(Move.turn == 1)))
    for command in (("doctor", "--json"), ("game", "repair", "{game}", "--reason", "the disk was full"),
                    ("game", "end", "{game}", "--reason", "the disk was full")):  # fmt: skip
        twin.command(*command)
    everybody_looks(twin, OUTLETS[:6])


def _damage(world: World, statement: Any) -> None:
    with world.table.app.app_context(), transaction():
        session.execute(statement.where(statement.table.c[_GAME_ID[statement.table.name]] == world.game))


_GAME_ID = {"games": "id", "moves": "game_id"}
REPORTS = ("/api/v1/results", "/api/v1/results?format=csv", "/api/v1/late", "/api/v1/late?format=csv",
           "/api/v1/me/deliveries")  # fmt: skip


def hand_on(twin: Twin) -> None:
    """A detective's seat gets another holder, and the operator breaks the glass."""
    twin.command("player", "add", "Jo", "jo@example.org")
    twin.command("game", "substitute", "{game}", "3", "jo@example.org", "--reason", "he is away")
    twin.command("game", "substitute", "{game}", "2", "ada@example.org", "--reason", "she is away")
    twin.command("game", "unseal", "{game}", "--reason", "somebody asked")
    twin.tick()


def act_in_one_world(twin: Twin, rng: random.Random) -> None:
    """Let Mr. X ask and write in one world, while nobody does anything in the other."""
    for number in range(16):
        (schedule.asks_alone if number % 2 else schedule.writes_alone)(twin, rng, 0)
    twin.tick()


def private(twin: Twin) -> None:
    """Mr. X reads, tries, writes and is refused in one world alone; then everybody looks."""
    rng = random.Random(5)
    act_in_one_world(twin, rng)
    everybody_looks(twin)
    twin.command("doctor")
    machine_looks(twin)
    twin.command("game", "show", "{game}", "--json")
    twin.play()
    for _ in range(2):
        schedule.writes_alone(twin, rng, 1)
        schedule.asks_alone(twin, rng, 1)
    twin.mail("Ben", "STATUS")
    twin.tick()
    twin.play("mail")
    everybody_looks(twin, OUTLETS)


# What a scene is made of ------------------------------------------------------------------------


def everybody_looks(twin: Twin, outlets: tuple[str, ...] = (*OUTLETS, *SERVER)) -> None:
    """A detective asks for everything, the others for some of it; after Mr. X, and what he got may be kept.

    A short look is that of a detective, of the team, and of somebody outside.
    """
    is_short = len(outlets) < len(OUTLETS)
    twin.ask("Ada", "GET", "")
    for path in outlets:
        tag = twin.ask("Ben", "GET", path).headers.get("ETag")
        if tag and path in OUTLETS[: 1 if is_short else 2]:
            twin.ask("Ben", "GET", path, If_None_Match=tag)
            if not is_short:
                twin.ask("Gus", "GET", path, If_None_Match=tag)
                twin.ask("Ben", "GET", path, If_Match='"other"')
    for who in ("Cleo", "Gus") if is_short else ("Cleo", "Gus", "Hana", None):
        for path in outlets[: 2 if is_short else 3]:
            twin.ask(who, "GET", path)
    twin.tick()


def everybody_tries(twin: Twin) -> None:
    """Dry runs and refused moves onto the stations where Mr. X is, and some others."""
    for station in twin.stations:
        twin.ask("Ben", "GET", f"/api/v1/games?label={station}")
    on_turn = twin.pair.one.pawns[0]
    for station in sorted({*twin.stations, 1}):
        for pawn, ticket in ((on_turn, "taxi"), (on_turn, "black"), ("red", "bus")):
            twin.submit(twin.holder(pawn), {"notation": f"{pawn} {ticket} {station}"}, "?dry_run=true")
        twin.submit("Cleo", {"notation": f"green underground {station}"})
        twin.submit("Ben", {"notation": f"taxi {station}"})
    twin.submit("Gus", {"notation": f"taxi {twin.stations[0]}"})
    twin.submit("Ben", {"pawn": "mr_x", "notation": "taxi 1"})
    twin.ask("Ben", "POST", "/moves", {"turn": twin.turn + 1, "notation": f"taxi {twin.stations[0]}"})
    twin.ask("Ben", "POST", "/moves", {"turn": twin.turn})
    twin.ask("Ben", "POST", "/moves", b"{")
    twin.ask("Ben", "PUT", "/moves", {})


def everybody_writes(twin: Twin) -> None:
    """Every command of the language, right and wrong, to addresses of one's own and of others."""
    rng = random.Random(2)
    his = twin.address_of("Ada")
    for number, text in enumerate(schedule.MAILS):
        if text not in ("YES", "LEAVE", "START"):
            text = text.format(n=schedule.no_way(twin, rng), m=schedule.no_way(twin, rng))  # noqa: PLW2901
        twin.mail(("Ben", "Cleo")[number % 2], text)
        if number % 4 == 3:
            twin.wait(minutes=1)
    twin.mail("Ben", f"I think I go to {twin.pair.moves[twin.turn - 1][0].split()[-1]}, by taxi")
    twin.tick()
    twin.mail("Ben", "NO")
    for more in schedule.MACHINES:
        twin.mail("Ben", "STATUS", **more)
    for who in ("Ben", "Cleo"):  # one of them wrote STOP, and is to be written to again
        twin.mail(who, "SET mail usual\nSET mail inherit here")
    twin.mail("Ben", f"taxi {twin.stations[0]}", his)
    twin.mail("Ben", f"taxi {twin.stations[1]}", his, "mallory@evil.example")
    twin.mail("Gus", "STATUS", "play@localhost")
    twin.mail("Gus", "taxi 46", "play@localhost")
    twin.mail("Mallory", "STATUS", "play@localhost")
    twin.mail("Mallory", "STATUS", "nobody@localhost")
    twin.tick()


def everybody_talks(twin: Twin) -> None:
    """Messages to the team and to all, right and wrong, and no more mails of them."""
    for who, to in (("Ben", "team"), ("Cleo", "all"), ("Gus", "all"), ("Hana", "team"), (None, "all")):
        twin.ask(who, "POST", "/messages", {"to": to, "text": f"Is he at {twin.stations[0]}?"}, Idempotency_Key="talk")
    twin.ask("Cleo", "PUT", "/messages/muted", {"muted": True})
    twin.ask("Gus", "PUT", "/messages/muted", {"muted": True})
    twin.ask("Ben", "POST", "/messages", {"to": "team", "text": ""})
    twin.ask("Ben", "POST", "/messages", {"to": "all", "text": "He is not here"})
    for who in ("Ben", "Cleo", "Gus", "Hana"):
        twin.ask(who, "GET", "/messages?limit=2")
        twin.ask(who, "GET", "/messages/muted")
    twin.tick()


def pages(twin: Twin) -> None:
    """The pages: nobody signs in, then Mr. X, then Ben, who does all that a page offers; a guest practises."""
    games = ("/games/{game}", "/games/{game}?window=3", "/games/{game}/board.svg", *browsing.WHEN_OPEN)
    for path in ("/", "/public-games", *games, "/sign-in", "/me"):
        twin.ask_whole(None, "GET", path, **_BROWSER)
    for method, path in product(
        ("GET", "HEAD"),
        (
            "/scripts/board.js",
            "/scripts/0/board.js",
            "/icons/game.svg",
            "/games/{game}/preview.png",
        ),
    ):
        twin.ask_whole(None, method, path)
    for who in ("Ada", "Ben"):
        _sign_in(twin, who)
        for path in ("/", "/me", "/games", "/games/{game}", "/games/{game}/board.svg"):
            browsing.look(twin, who, path)
        for path in browsing.WHEN_OPEN:  # most are not there yet
            twin.ask_whole(who, "GET", path, **_BROWSER)
        twin.ask_whole(who, "GET", "/games/{game}?window=4", **_BROWSER)
        _send(twin, who, "/games/{game}/moves/double", move="taxi 1")
        if who == "Ada":
            _send(twin, who, "/sign-out")
    page = twin.ask_whole("Ben", "GET", "/games/{game}", **_BROWSER).text
    offered = re.findall(r'name="move" value="([^"]+)"', page)
    turn = re.findall(r'name="turn" value="([^"]+)"', page)[0]
    for move in (offered[0], "purple taxi 1", ""):
        _send(twin, "Ben", "/games/{game}/moves", turn=turn, move=move)
    _send(twin, "Ben", "/games/{game}/ahead", pawn="red")
    _send(twin, "Ben", "/games/{game}/seats")
    _send(twin, "Ben", "/games/{game}/start")
    browsing.use_the_table(twin)
    browsing.all_about_a_player(twin)
    made = _send(twin, "Ben", "/games", edition="condensed", players="2", seat="detective", others="open")
    path = made.headers["Location"]
    page = twin.ask_whole("Ben", "GET", path, **_BROWSER).text
    code = re.findall(r"/join/(\w+)", page)[0]
    _send(twin, "Ben", f"{path}/guests", seats="any", stay="P3D")
    twin.ask_whole(None, "POST", "/sign-out", b"", Sec_Fetch_Site="same-origin", **_BROWSER)
    browsing.guest_sits_down(twin, path, code)
    _sign_in(twin, "Cleo")
    twin.ask_whole("Cleo", "GET", f"/join/{code}", **_BROWSER)
    _send(twin, "Cleo", f"/join/{code}")
    browsing.leaves(twin, "Cleo", path, code)
    twin.both("Cleo uses another browser", lambda world: world.table.client.delete_cookie("blackticket"))
    _sign_in(twin, "Cleo")
    listed = twin.ask_whole("Cleo", "GET", "/me/account", **_BROWSER).text
    for session_id in (*re.findall(r"/me/browsers/(\w+)", listed), "aaaa"):
        _send(twin, "Cleo", f"/me/browsers/{session_id}")
    _send(twin, "Cleo", "/sign-out")
    _sign_in(twin, "Ben")
    browsing.all_about_seats(twin, path)
    _send(twin, "Ben", f"{path}/start")
    for name, form in (("resign", {}), ("rematch", {})):
        _send(twin, "Ben", f"{path}/{name}", **form)
    _send(twin, "Ben", "/sign-out")
    browsing.replays(twin)
    browsing.operators_pages(twin)
    browsing.everybody_s_own_pages(twin)
    browsing.guest_comes_back(twin)
    browsing.guest_goes(twin)
    _send(twin, "Hana", "/practice", role="mr_x")
    twin.tick()


def every_endpoint(twin: Twin) -> None:
    """Every rule of the application, by every method it has, asked by one in the game; to read also by nobody."""
    from tests.worlds.outlets import ARGUMENTS

    rules = sorted(twin.worlds[0].table.app.url_map.iter_rules(), key=lambda rule: rule.rule)
    for rule in rules:
        path = rule.rule
        for argument in rule.arguments:
            path = path.replace(f"<{argument}>", ARGUMENTS[argument]).replace(f"<int:{argument}>", ARGUMENTS[argument])
        for method in sorted(rule.methods or ()):
            for who in ("Ben", None) if method == "GET" else ("Ben",):
                if method in ("GET", "HEAD", "OPTIONS") and not path.startswith("/static"):
                    twin.ask_whole(who, method, path)


def abuse(twin: Twin) -> None:
    """Ben blocks others, Gus invites him in vain, somebody complains with a mail of Mr. X's, and the operator hears."""
    blocks = "/api/v1/me/blocks"
    made = twin.ask("Ben", "POST", blocks, {"who": "Cleo"})
    for wanted in (
        {"who": "Cleo"},
        {"who": "nobody@example.org"},
        {"who": "Hana"},
        {"player": twin.worlds[0].people["Gus"].id},
    ):
        twin.ask("Ben", "POST", blocks, wanted)
    twin.ask("Cleo", "POST", "/messages", {"to": "all", "text": "Can anybody hear me?"})
    seats = [{"role": "mr_x"}, {"role": "detective", "invite": "ben@example.org"}]
    twin.ask("Gus", "POST", "/api/v1/games", {"edition": "condensed", "seats": seats, "visibility": "public"})
    twin.tick()
    everybody_looks(twin, OUTLETS[:2])
    for who in ("Ben", "Gus", "Ada"):
        twin.ask(who, "GET", blocks)
    twin.ask("Ben", "DELETE", f"{blocks}/{made.json['id']}")  # type: ignore[index]
    for text in ("BLOCK Ada", "BLOCK list", "UNBLOCK Ada"):
        twin.mail("Ben", text)
        twin.tick()
    twin.ask("Ben", "PATCH", "/api/v1/me", {"name": "B\u0435n"})
    twin.ask("Ben", "PATCH", "/api/v1/me", {"name": "Cl\u0435o"})
    raw = COMPLAINT.format(number=1, ours="").replace("\n", "\r\n").encode()
    twin.both("somebody complains", lambda world: world.deliver(raw, "jo@example.org", "abuse@localhost"))
    twin.both("somebody complains with a mail of Mr. X's", complains_with_his)
    twin.tick()
    browsing.people_report(twin)
    with mock.patch("server.application.health.storage.SHOULD_BE_FREE", 10**18):
        twin.both("the operator is told", _tidies_up)
    with twin.failing("server.worker.alerts.tell"):
        twin.both("the operator cannot be told", _tidies_up)
    twin.tick()
    for command in (("inbox", "list"), ("outbox", "list"), ("doctor",)):
        twin.command(*command)


COMPLAINT = (
    "From: Jo <jo@example.org>\nTo: abuse@localhost\nMessage-ID: <complaint-{number}@x>\n\nWhat is this?\n\n{ours}"
)


def complains_with_his(world: World) -> None:
    """Somebody who has got a mail to Mr. X sends it back, with where he is in it."""
    to_him = [letter for letter in world.post.sent if letter.recipient == "ada@example.org"]
    his = max(to_him, key=lambda letter: len(letter.raw))
    quoted = "\n".join(f"> {line}" for line in his.read.get_content().splitlines())
    raw = COMPLAINT.format(number=2, ours=quoted).replace("\n", "\r\n").encode()
    world.store(raw, "jo@example.org", "abuse@localhost", "his")


def _tidies_up(world: World) -> None:
    with world.table.app.app_context():
        worker.tell_operator()
        worker.tidy_up()
        session.remove()


SCENES = {
    "abuse": Scene(begun, abuse),
    "seats": Scene(opened, seats),
    "lobby": Scene(opened, lobby),
    "tables": Scene(opened, by_mail_and_command),
    "hunt": Scene(begun, hunt),
    "returned": Scene(begun, mails_that_come_back),
    "bounces": Scene(begun, mail_does_not_arrive),
    "operator": Scene(begun, operator),
    "accounts": Scene(begun, accounts),
    "faults": Scene(begun, faults),
    "late": Scene(begun, late),
    "resign": Scene(begun, give_up),
    "agree": Scene(begun, agree),
    "damaged": Scene(begun, damaged),
    "webhooks": Scene(begun, webhooks),
    "time": Scene(begun, time),
    "private": Scene(begun, private),
    "pages": Scene(begun_on_a_page, pages),
    "timers": Scene(nothing, timers_of_their_own),
}
