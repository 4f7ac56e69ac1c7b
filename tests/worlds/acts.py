"""What a scene is made of: everybody looks, tries, writes and talks."""

import random
import re
from itertools import product
from unittest import mock

from server import worker
from server.models import session
from tests.worlds import browsing, schedule
from tests.worlds.browsing import BROWSER as _BROWSER
from tests.worlds.browsing import send as _send
from tests.worlds.browsing import sign_in as _sign_in
from tests.worlds.one_world import World
from tests.worlds.schedule import OUTLETS, SERVER
from tests.worlds.twins import Twin


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
    lists = ("/public-games", "/public-games?finished={game}", "/api/v1/games?visibility=public&status=over")
    for path in ("/", *lists, *games, "/sign-in", "/me"):
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
    browsing.friends_play(twin)
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
    with mock.patch("server.application.health.machine.SHOULD_BE_FREE", 10**18):
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
