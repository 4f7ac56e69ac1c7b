"""The fixed run: two games, told in scenes that together go through everything that leaves the server.

A scene begins where `before` has brought the worlds; so each can be played by itself.
"""

import random
from dataclasses import replace
from typing import Any

from sqlalchemy import delete, update

from server import worker
from server.application.game import reply_addresses, verification
from server.models import Game as StoredGame
from server.models import Move, session, transaction
from server.settings.kinds import Admission
from tests.profiles import IS_CAMPAIGN
from tests.scenes import PASSED
from tests.worlds import browsing, holds, schedule
from tests.worlds.acts import (
    abuse,
    every_endpoint,
    everybody_looks,
    everybody_talks,
    everybody_tries,
    everybody_writes,
    pages,
)
from tests.worlds.beginnings import Scene, begun, begun_on_a_page, nothing, opened, play_until_seen
from tests.worlds.browsing import BROWSER as _BROWSER
from tests.worlds.browsing import send as _send
from tests.worlds.browsing import sign_in as _sign_in
from tests.worlds.one_world import World
from tests.worlds.schedule import OF_THE_END, OUTLETS
from tests.worlds.trouble import faults, machine_looks, several_addresses, webhooks
from tests.worlds.twins import Twin, is_detectives

# Before -----------------------------------------------------------------------------------------


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
    browsing.hosting(twin, path)
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
                    ("rematch", "{game}", "ben@example.org"), ("change", "{game}", "--name", "Friday night"),
                    ("remind", "{game}", "2"), ("link", "{game}", "2"), ("close", "{game}"),
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
    several_addresses(twin)
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
    for path in REPORTS:
        twin.ask("Hana", "GET", path)
    twin.ask("Hana", "HEAD", TABLE)
    twin.command("game", "table", "league", "--json")
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
    """Ben has the news of the game once a day, Cleo wants every move, and Mr. X one mail a day."""
    for who, mail in (("Ben", "daily 06:00"), ("Cleo", "moves"), ("Ada", "daily 18:00"), ("Gus", "off")):
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
    everybody_looks(twin, (*OUTLETS[:6], *OF_THE_END))


def agree(twin: Twin) -> None:
    """The host hands on, a move waits and is stopped, a draw is withdrawn, and agreed on; the operator acts."""
    twin.ask("Hana", "POST", "/host", {"seat": 2}, Idempotency_Key="host")
    twin.mail("Ben", "HOST mr_x")
    for text in ("SET hold always", twin.pair.moves[twin.turn - 1][0], "NO", "SET hold doubtful", "DRAW", "DRAW off"):
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
    for path in ("", "/record", "/events", *REPORTS, *OF_THE_END):
        twin.ask("Ben", "GET", path)
    _sign_in(twin, "Ben")
    for path in ("/games/{game}", "/games/{game}/preview.png", *browsing.WHEN_OPEN):
        twin.ask_whole("Ben", "GET", path, **_BROWSER)
    _send(twin, "Ben", "/sign-out")
    for command in (("reinstate", "{game}"), ("end", "{game}", "--json")):
        twin.command("game", *command, "--reason", "nobody had meant it")
    twin.tick()
    for command in (("game", "table", "league", "--csv", "games"), ("outbox", "show", "aaaa"),
                    ("outbox", "retry", "aaaa"), ("inbox", "retry", "aaaa")):  # fmt: skip
        twin.command(*command)


def damaged(twin: Twin) -> None:
    """The rows of a game are damaged: they are rebuilt, and the game is ended when its moves are lost."""
    twin.both("a row is damaged", lambda world: _damage(world, update(StoredGame).values(turn=7)))
    twin.both("it is verified", _verify)
    for command in (("doctor",), ("verify", "--rebuild", "{game}")):
        twin.command(*command)
    everybody_looks(twin, OUTLETS[:6])
    twin.play()
    twin.both("a move is lost", lambda world: _damage(world, delete(Move).where(Move.turn == 1)))
    twin.both("it is verified", _verify)
    for command in (("doctor", "--json"), ("verify", "--rebuild", "{game}"),
                    ("game", "end", "{game}", "--reason", "the disk was full")):  # fmt: skip
        twin.command(*command)
    everybody_looks(twin, OUTLETS[:6])


def _verify(world: World) -> None:
    with world.table.app.app_context():
        verification.close_if_broken(world.game)
        session.remove()


def _damage(world: World, statement: Any) -> None:
    with world.table.app.app_context(), transaction():
        session.execute(statement.where(statement.table.c[_GAME_ID[statement.table.name]] == world.game))


_GAME_ID = {"games": "id", "moves": "game_id"}
TABLE = "/api/v1/labels/league"
REPORTS = (TABLE, f"{TABLE}?csv=players", f"{TABLE}?csv=games", "/api/v1/me/deliveries")


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
    "holds": Scene(begun, holds.holds),
    "holds alone": Scene(begun, holds.holds_alone),
    "pages": Scene(begun_on_a_page, pages),
    "timers": Scene(nothing, timers_of_their_own),
}
