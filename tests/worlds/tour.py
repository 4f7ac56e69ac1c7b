"""The fixed run: two games, told in scenes that together go through everything that leaves the server.

A scene begins where `before` has brought the worlds; so each can be played by itself.
"""

import random
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from positions import position

from server.engine import Edition, Game
from worlds import schedule
from worlds.histories import Pair
from worlds.schedule import OUTLETS, SERVER
from worlds.twins import Twin, World

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
    twin.open()
    twin.start()
    twin.play()
    twin.tick()


def seen(twin: Twin) -> None:
    """It is the detectives' turn for the fourth time: Mr. X has shown himself, and vanished by a double move."""
    twin.open()
    twin.start()
    while twin.turn <= len(twin.pair.moves) - (len(twin.pair.one.pawns) + 1):
        twin.play()
    twin.play()
    twin.tick()


# Scenes -----------------------------------------------------------------------------------------


def lobby(twin: Twin) -> None:
    """From the idea to a game that has begun."""
    twin.open()
    _second_game(twin)
    everybody_looks(twin)
    twin.ask("Ben", "POST", "/seats", {"seat": 1})
    twin.ask("Gus", "POST", "/start")
    twin.ask("Ben", "POST", "/moves", {"turn": 1, "notation": "taxi 1"})
    twin.ask("Hana", "GET", "/record")
    twin.start()
    twin.ask("Ben", "POST", "/moves", {"turn": 1, "notation": f"taxi {twin.stations[0]}"})
    for who in ("Gus", "Ben", "Hana"):
        twin.ask(who, "POST", "/seats", {"seat": 2})
        twin.ask(who, "DELETE", "/seats/2")
    everybody_looks(twin)


def _second_game(twin: Twin) -> None:
    """A public game of Gus's that does not begin: seats are offered, taken, and given back."""
    games = "/api/v1/games"
    made = twin.ask(
        "Gus", "POST", games, {"edition": "condensed", "players": 2, "label": "second"}, Idempotency_Key="g"
    )
    path = f"{games}/{made.json['id']}"  # type: ignore[index]
    twin.ask("Gus", "POST", games, {"edition": "condensed", "players": 2, "label": "second"}, Idempotency_Key="g")
    twin.ask("Gus", "POST", games, {"edition": "none"}, Idempotency_Key="g")
    twin.ask("Gus", "POST", f"{path}/start")
    twin.ask("Gus", "POST", f"{path}/seats", {"role": "mr_x"}, Idempotency_Key="seat")
    twin.ask("Gus", "POST", f"{path}/seats", {"seat": 2})
    twin.ask("Ben", "POST", f"{path}/seats", {"seat": 1})
    twin.ask("Ben", "POST", f"{path}/seats", {"seat": 2})
    twin.ask("Gus", "DELETE", f"{path}/seats/2")
    twin.tick()


def hunt(twin: Twin) -> None:
    """The detectives' half of the first round, with all that can be asked, sent and written in it."""
    everybody_looks(twin)
    everybody_tries(twin)
    later = [str(move) for move in schedule.later_in_round(twin)]
    twin.submit(twin.holder(later[-1].split()[0]), {"notation": later[-1]})
    twin.ask("Ben", "GET", "/ahead")
    twin.ask("Cleo", "GET", "/ahead")
    twin.ask(twin.holder(later[-1].split()[0]), "DELETE", "/ahead")
    rng = random.Random(1)
    for _ in range(4):
        schedule.uses_a_key(twin, rng)
    everybody_writes(twin)
    everybody_talks(twin)
    twin.submit(twin.holder(later[-1].split()[0]), {"notation": later[-1]})
    twin.restart()
    twin.wait(hours=37)
    while twin.turn <= 1 + len(twin.pair.one.pawns):
        twin.play("mail")
    _plays_and_looks(twin)


def _plays_and_looks(twin: Twin) -> None:
    """The rest of the pair's moves, with a look after each of Mr. X's."""
    number = 0
    while twin.turn <= len(twin.pair.moves):
        who = twin.play(("rest", "mail", "key")[number % 3])
        if who == "Ada":
            number += 1
            everybody_looks(twin, OUTLETS[:4])


def mails_that_come_back(twin: Twin) -> None:
    """Green's move ahead is barred by Purple when its turn comes."""
    twin.submit("Cleo", {"notation": "green taxi 15"})
    twin.submit("Ben", {"notation": "purple bus 15"})
    twin.submit("Ben", {"notation": "red taxi 102"})
    twin.tick()


def operator(twin: Twin) -> None:
    """What the operator runs, and what machines ask for."""
    for command in (*schedule.COMMANDS, ("doctor",), ("doctor", "--json"), ("player", "list", "--json"),
                    ("game", "list"), ("player", "add", "Ivy", "ivy@example.org"),
                    ("player", "add", "Ben", "ben@example.org"), ("game", "show", "aaaa"),
                    ("game", "reinstate", "{game}", "--reason", "none"), ("db", "upgrade"),
                    ("backup", "{folder}/copy.db"), ("inbox", "list"), ("outbox", "list", "--json"),
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
    for wanted in ({"name": "robot", "scopes": ["read"]}, {"name": "late", "scopes": ["play"], "expires_at": "x"}):
        made = twin.ask("Ben", "POST", f"{api}/me/tokens", wanted).json
        if "token" in made:  # type: ignore[operator]
            twin.ask(None, "POST", "/moves", {}, Authorization=f"Bearer {made['token']}")  # type: ignore[index]
            twin.ask("Ben", "DELETE", f"{api}/me/tokens/{made['id']}")  # type: ignore[index]
    twin.ask("Ben", "POST", f"{api}/me/tokens", {"name": "a", "scopes": ["play"], "expires_at": "2027-01-01T00:00:00Z"})
    twin.ask("Ben", "PATCH", f"{api}/me/preferences", {"zone": "UTC", "mail": "all"})
    for path in ("tokens", "preferences", "export"):
        for who in ("Ben", "Ada", "Gus"):
            twin.ask(who, "GET", f"{api}/me/{path}")
    twin.ask("Ben", "DELETE", f"{api}/me", {"name": "Ben"})
    for command in (("add", "ivy@example.org"), ("list", "ada@example.org"), ("list", "ivy@example.org", "--json"),
                    ("revoke", "aaaa")):  # fmt: skip
        twin.command("player", "token", *command)
    twin.ask(None, "DELETE", f"{api}/me", {"name": "Ivy"}, Authorization=f"Bearer {ivy}")
    everybody_looks(twin, OUTLETS[:2])
    twin.command("player", "list")


def faults(twin: Twin) -> None:
    """Everything that can fail does, each time with an error whose text tells where Mr. X is."""
    for target, path in FAULTS:
        with twin.failing(target):
            twin.ask("Ben", "GET", path)
    twin.ask("Ben", "POST", "/moves", b" " * 1_100_000)
    twin.mail("Ben", "STATUS")
    with twin.failing("server.mail.inbox.read"):
        for _ in range(3):
            twin.tick()
    twin.mail("Ben", "STATUS")
    with twin.failing("server.mail.outbox.compose.compose"):
        twin.tick()
    twin.wait(minutes=10)
    twin.command("doctor")
    twin.mail("Cleo", "STATUS")
    _post_fails(twin)
    with twin.failing("server.worker.deadlines.fire"):
        twin.wait(hours=40)
    twin.both("the listener fails", _listener_fails)
    with twin.failing("server.worker.fire_due"):
        twin.both("the worker fails", _worker_fails)


FAULTS = (("server.application.projection.deadline", "/deadline"), ("server.application.projection.project", ""))


def _post_fails(twin: Twin) -> None:
    """The relay refuses a mail, and then breaks down over it."""
    from server.mail.transport import Failure

    failures = [Failure("the relay refused the mail (451)", lasting=False), RuntimeError("broken")]
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

    from server.mail.listener import Handler

    error = RuntimeError(f"Mr. X is at {world.lived.station('mr_x')}")
    world.leaves("answer of the mail listener", asyncio.run(Handler(world.table.app, "smtp").handle_exception(error)))


def _worker_fails(world: World) -> None:
    from server.worker import Worker

    Worker(world.table.app)._tick()


def late(twin: Twin) -> None:
    """Nobody moves any more: the house does, Mr. X has his last chance, twice, and then it is over for good."""
    hand_on(twin)
    twin.wait(hours=47)
    twin.wait(hours=2)
    everybody_looks(twin, OUTLETS[:6])
    twin.wait(hours=37)
    twin.wait(hours=12)
    twin.wait(hours=49)
    everybody_looks(twin, OUTLETS[:6])
    twin.command("game", "show", "{game}")
    twin.command("game", "replay", "{game}", "--step")
    twin.command("game", "reinstate", "{game}", "--reason", "the mail server was down")
    twin.tick()
    everybody_looks(twin, OUTLETS[:2])
    twin.wait(hours=49)
    twin.wait(hours=49)
    everybody_looks(twin)
    twin.wait(hours=23)
    everybody_looks(twin, OUTLETS[:6])
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


def give_up(twin: Twin) -> None:
    """One detective after the other resigns: the house plays on for the first, and the last ends the game."""
    talk(twin)
    twin.ask("Cleo", "POST", "/resign", Idempotency_Key="resign")
    twin.tick()
    everybody_looks(twin, OUTLETS[:6])
    twin.ask("Ben", "POST", "/resign")
    twin.tick()
    everybody_looks(twin, OUTLETS[:6])


def hand_on(twin: Twin) -> None:
    """A detective's seat gets another holder, and the operator breaks the glass."""
    twin.command("player", "add", "Jo", "jo@example.org")
    twin.command("game", "substitute", "{game}", "3", "jo@example.org", "--reason", "he is away")
    twin.command("game", "substitute", "{game}", "2", "ada@example.org", "--reason", "she is away")
    twin.command("game", "unseal", "{game}", "--reason", "somebody asked")
    twin.tick()


def private(twin: Twin) -> None:
    """Mr. X reads, tries, writes and is refused in one world alone; then everybody looks."""
    rng = random.Random(5)
    for number in range(16):
        (schedule.asks_alone if number % 2 else schedule.writes_alone)(twin, rng, 0)
    twin.tick()
    everybody_looks(twin)
    twin.command("doctor")
    twin.command("game", "show", "{game}", "--json")
    twin.play()
    for _ in range(2):
        schedule.writes_alone(twin, rng, 1)
        schedule.asks_alone(twin, rng, 1)
    twin.mail("Ben", "STATUS")
    twin.tick()
    twin.play("mail")
    everybody_looks(twin)


# What a scene is made of ------------------------------------------------------------------------


def everybody_looks(twin: Twin, outlets: tuple[str, ...] = (*OUTLETS, *SERVER)) -> None:
    """A detective asks for everything; the others for some of it."""
    for path in outlets:
        tag = twin.ask("Ben", "GET", path).headers.get("ETag")
        if tag and path in OUTLETS[:2]:
            twin.ask("Ben", "GET", path, If_None_Match=tag)
            twin.ask("Gus", "GET", path, If_None_Match=tag)
            twin.ask("Ben", "GET", path, If_Match='"other"')
    for who in ("Cleo", "Gus", "Hana", None):
        for path in outlets[:3]:
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
        twin.mail(who, "SET mail all")
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


def every_endpoint(twin: Twin) -> None:
    """Every rule of the application, by every method it has, asked by one in the game and by one who is not."""
    from worlds.outlets import ARGUMENTS

    rules = sorted(twin.worlds[0].table.app.url_map.iter_rules(), key=lambda rule: rule.rule)
    for rule in rules:
        path = rule.rule
        for argument in rule.arguments:
            path = path.replace(f"<{argument}>", ARGUMENTS[argument]).replace(f"<int:{argument}>", ARGUMENTS[argument])
        for method in sorted(rule.methods or ()):
            for who in ("Ben", None):
                if method in ("GET", "HEAD", "OPTIONS") and not path.startswith("/static"):
                    twin.ask_whole(who, method, path)


SCENES = {
    "lobby": Scene(nothing, lobby),
    "hunt": Scene(begun, hunt),
    "returned": Scene(begun, mails_that_come_back),
    "operator": Scene(begun, operator),
    "accounts": Scene(begun, accounts),
    "faults": Scene(begun, faults),
    "late": Scene(seen, late),
    "resign": Scene(begun, give_up),
    "private": Scene(begun, private),
}
