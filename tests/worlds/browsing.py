"""Browsers in the two worlds: forms of pages, signing in with the code of a mail, and all that a player does there."""

import re
from typing import Any
from urllib.parse import urlencode

from sqlalchemy import select, update

from server.models import Game, Incoming, Invitation, Outgoing, session, transaction
from server.vocabulary.durations import DAY
from tests.webhooks.subscription import FORM
from tests.worlds.one_world import World
from tests.worlds.twins import Twin

BROWSER = {"Accept": "text/html", "User_Agent": "Firefox/140 Linux"}
# The pages of a player, which show the same in both worlds even to Mr. X.
PAGES = (
    "/me", "/me/archive", "/me/settings", "/me/mail", "/me/deliveries", "/me/addresses", "/me/vacation",
    "/me/programs", "/me/blocks", "/me/account", "/me/tables/league",
)  # fmt: skip
OPERATORS = ("/operator", "/operator/people", "/operator/mail", "/operator/deadlines", "/operator/settings")
# The rules of a game, and the pages of one whose result is final.
WHEN_OPEN = tuple(
    f"/games/{{game}}/{name}"
    for name in (
        "rules",
        "log",
        "stations",
        "replay",
        "replay?seat=1&ply=1",
        "replay?seat=2",
        "replay?seat=9",
        "replay.svg",
        "replay.png",
        "record.txt",
        "transcript.json",
    )
)


def look(twin: Twin, who: str | None, path: str, **headers: str) -> Any:
    """Ask for a page, and if there is one, once also for its headers alone: the framework makes them of its answer."""
    answer = twin.ask_whole(who, "GET", path, **BROWSER, **headers)
    if path not in twin.asked_for_headers and answer.status_code < 400:
        twin.asked_for_headers.add(path)
        twin.ask_whole(who, "HEAD", path, **BROWSER)
    return answer


def send(twin: Twin, who: str | None, path: str, /, **form: str) -> Any:
    """Send a form of a page, from a page of ours, and once more where the answer asks for that."""
    content = {"Content_Type": "application/x-www-form-urlencoded", "Sec_Fetch_Site": "same-origin"}
    answer = twin.ask_whole(who, "POST", path, urlencode(form).encode(), **content, **BROWSER)
    return send(twin, who, answer.headers["Location"], **form) if answer.status_code == 307 else answer


def code(twin: Twin, address: str) -> str:
    """Return the code of the newest mail to an address."""
    letter = [letter for letter in twin.worlds[0].post.sent if letter.recipient == address][-1]
    return str(letter.read.get_content().partition('code is "')[2][:16])


def sign_in(twin: Twin, who: str) -> None:
    """Sign in with the code of a mail; who does it first also types the code, and looks at the page of the link."""
    address = f"{who.lower()}@example.org"
    send(twin, who, "/sign-in", email=address)
    twin.tick()
    secret = code(twin, address)
    if "/sign-in/code" not in twin.asked_for_headers:
        twin.asked_for_headers.add("/sign-in/code")
        send(twin, who, "/sign-in/code", code=secret)
        look(twin, who, f"/sign-in/code/{secret}")
    send(twin, who, f"/sign-in/code/{secret}")


def begins_a_double_move(twin: Twin) -> None:
    """On his page Mr. X chooses the first leg of a double move, each world's own, and does not make it."""
    sign_in(twin, "Ada")
    headers = {"Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin"}

    def begins(world: World) -> None:
        body = urlencode({"move": str(world.lived.history[0]), "turn": "1"}).encode()
        answer = world.ask("Ada", "POST", "/games/{game}/moves/double", headers, data=body)
        assert answer.status_code == 200, answer.text

    twin.both("Mr. X begins a double move", begins)
    twin._note("endpoint", "POST /games/<game_id>/moves/double")
    send(twin, "Ada", "/sign-out")


def use_the_table(twin: Twin) -> None:
    """Let Ben talk, vote and do the rest by forms, and ask for news; nothing of it ends the game."""
    for path, form in (
        ("talk", {"to": "team", "text": "He is near"}), ("talk", {"to": "nobody"}), ("talk/muted", {"muted": "yes"}),
        ("talk", {"take": "", "move": "taxi 46"}), ("talk", {"take": "Red"}), ("replay", {"shows": "pawn"}),
        ("votes", {"kind": "extend", "number": "1", "unit": "days"}), ("votes", {"kind": "resume"}),
        ("votes/aaaa", {"for": "yes"}), ("stations", {"station": "46"}), ("stations", {"station": "46", "other": "91"}),
        ("draw", {"agrees": "yes"}), ("draw", {"agrees": "no"}), ("cover", {"seat": "3"}), ("cover", {"seat": "1"}),
    ):  # fmt: skip
        send(twin, "Ben", f"/games/{{game}}/{path}", **form)
    look(twin, "Ben", "/games/{game}/resign")
    page = look(twin, "Ben", "/games/{game}?talk=all").text
    for vote_id in re.findall(r"/votes/(\w+)", page):
        send(twin, "Ben", f"/games/{{game}}/votes/{vote_id}", **{"for": "no"})
    [mark] = re.findall(r'name="news" content="([^"]+)"', page)
    for etag in (mark, "1"):
        look(twin, "Ben", "/games/{game}/news", If_None_Match=f'"{etag}"')
    look(twin, "Ben", "/icons/game.svg")


def replays(twin: Twin) -> None:
    """Gus asks for a hint in practice, gives up a game of his own, and looks at everything that is open then."""
    gus = twin.worlds[0].people["Gus"].id
    hunted = [{"role": "mr_x", "bot": "fugitive"}, {"role": "detective", "player": gus}]
    hunt = twin.ask("Gus", "POST", "/api/v1/games", {"edition": "condensed", "seats": hunted})
    for method, what in (("POST", "start"), ("GET", "hint"), ("HEAD", "hint")):
        twin.ask("Gus", method, f"/api/v1/games/{hunt.json['id']}/{what}")  # type: ignore[index]
    seats = [{"role": "mr_x", "player": gus}, {"role": "detective", "bot": "constable"}]
    wanted = {"edition": "condensed", "seats": seats, "clock": {"kind": "per_phase", "provisional": "PT0S"}}
    made = twin.ask("Gus", "POST", "/api/v1/games", wanted)
    game = str(made.json["id"])  # type: ignore[index]
    for what in ("start", "resign"):
        twin.ask("Gus", "POST", f"/api/v1/games/{game}/{what}")
    twin.tick()
    sign_in(twin, "Gus")
    for path in ("/games/{game}", *WHEN_OPEN):
        look(twin, "Gus", path.format(game=game))
    for shows in ("name", "pawn"):
        send(twin, "Gus", f"/games/{game}/replay", shows=shows)
        for path in WHEN_OPEN:
            look(twin, None, path.format(game=game))
    for side in ("mr_x", "detectives"):
        send(twin, "Gus", f"/games/{game}/again", ply="0", side=side)
        twin.ask("Gus", "POST", f"/api/v1/games/{game}/again", {"ply": 0, "side": side})
    twin.ask("Gus", "POST", f"/api/v1/games/{game}/again", {"ply": 1, "side": "mr_x"})
    twin.tick()
    for wish in ("pawn", None):
        twin.ask("Gus", "PUT", f"/api/v1/games/{game}/replay", {"shows": wish})
    look(twin, None, f"/games/{game}/replay")
    for seat in (1, 2):
        for method in ("GET", "HEAD"):
            twin.ask("Gus", method, f"/api/v1/games/{game}/seats/{seat}/view?turn=1")
    for method in ("GET", "HEAD"):
        twin.ask("Gus", method, f"/api/v1/games/{game}/story")
    send(twin, "Gus", "/sign-out")


def operators_pages(twin: Twin) -> None:
    """Gus looks at the operator's pages before, while and after he may, with mails that wait and one set aside."""
    sign_in(twin, "Gus")
    for capability in ("withdraw", "grant"):
        for path in OPERATORS:
            look(twin, "Gus", path)
        twin.command("player", capability, "gus@example.org", "operator")
    twin.mail("Hana", "STATUS", "play@localhost")
    twin.both("it is set aside", _set_aside)
    send(twin, None, "/sign-in", email="hana@example.org")
    for path in OPERATORS:
        look(twin, "Gus", path)
    for path in re.findall(r'action="(/operator/mail/\w+/\w+)"', look(twin, "Gus", "/operator/mail").text):
        send(twin, "Gus", path)
    send(twin, "Gus", "/operator/mail/aaaa/send")
    twin.tick()
    twin.command("player", "list")
    twin.command("player", "withdraw", "gus@example.org", "operator", "--json")
    send(twin, "Gus", "/sign-out")


def hosting(twin: Twin, path: str) -> None:
    """Gus changes games, reminds, and closes one, as nobody else may."""
    wanted = {"name": "Friday night", "guests": {"seats": "detectives"}, "visibility": "public"}
    made = twin.ask("Gus", "POST", "/api/v1/games", {"edition": "condensed", "players": 2})
    other = f"/api/v1/games/{made.json['id']}"  # type: ignore[index]
    twin.ask("Gus", "PUT", f"{other}/seats/2", {"invite": "hana@example.org"})
    twin.both("Gus has waited for a day", make_invitations_old)
    for who, at in (("Ben", path), ("Gus", path), ("Gus", other), ("Gus", other)):
        twin.ask(who, "PATCH", at, wanted)
        twin.ask(who, "PATCH", at, {"guests": {"seats": "some"}})
        for what in ("seats/2/remind", "seats/2/link"):
            twin.ask(who, "POST", f"{at}/{what}")
        twin.ask(who, "POST", f"{at}/reports", {"kind": "name", "number": 1})
    for who, at in (("Ben", path), ("Gus", other), ("Gus", other)):
        twin.ask(who, "DELETE", at)
    twin.tick()


def guest_comes_back(twin: Twin) -> None:
    """A guest of a game of Gus's goes on in another browser, by a link that Gus makes."""
    sign_in(twin, "Gus")
    path = send(twin, "Gus", "/games", edition="condensed", players="3", seat="detective").headers["Location"]
    send(twin, "Gus", f"{path}/seats/1", bot="fugitive easy")
    code = re.findall(r"/join/(\w+)", look(twin, "Gus", path).text)[0]
    kept: dict[int, str] = {}
    twin.both("another browser", lambda world: _use_browser(world, kept))
    send(twin, None, f"/join/{code}", name="Dora")
    twin.both("Gus's browser", lambda world: _use_browser(world, kept))
    send(twin, "Gus", f"{path}/start")
    look(twin, "Gus", path)
    for seat in (1, 2, 3):
        twin.ask("Gus", "POST", f"/api/v1{path}/seats/{seat}/link")
        made = send(twin, "Gus", f"{path}/seats/{seat}/link").text
    send(twin, "Gus", "/games/{game}/seats/2/link")
    send(twin, "Gus", f"{path}/code")
    twin.ask("Gus", "POST", f"/api/v1{path}/code")
    send(twin, "Gus", "/sign-out")
    link = re.findall(r"/continue/\w+", made)[0]
    look(twin, None, link)
    send(twin, None, link)
    look(twin, None, path)
    send(twin, None, "/sign-out")


def friends_play(twin: Twin) -> None:
    """Two guests play with friends: one opens the game on the first page, has to go while it runs, and comes back."""
    path = send(twin, None, "/friends", name="Fay", people="4", pace="evening").headers["Location"]
    code = re.findall(r"/join/(\w+)", look(twin, None, path).text)[0]
    kept: dict[int, str] = {}
    twin.both("another browser", lambda world: _use_browser(world, kept))
    send(twin, None, f"/join/{code}", name="Gil")
    twin.both("Fay's browser", lambda world: _use_browser(world, kept))
    send(twin, None, f"{path}/start", level="easy")
    look(twin, None, path)
    send(twin, None, f"{path}/leave")  # which does nothing, as the game has begun
    send(twin, None, f"{path}/leave", to_bot="yes")
    look(twin, None, f"/join/{code}")
    send(twin, None, f"/join/{code}")
    look(twin, None, path)
    send(twin, None, "/sign-out")


def _use_browser(world: World, kept: dict[int, str]) -> None:
    """Use a browser in which nobody is signed in, and the second time the one before again."""
    client, secret = world.table.client, kept.get(id(world))
    cookie = client.get_cookie("blackticket")
    assert cookie is not None
    kept[id(world)] = cookie.value
    client.delete_cookie("blackticket")
    if secret is not None:
        client.set_cookie("blackticket", secret)


def people_report(twin: Twin) -> None:
    """Ben reports Cleo and what the team says; Gus, who does not play, sees to it by the page and by commands."""
    twin.ask("Cleo", "POST", "/messages", {"to": "team", "text": "He is near"})
    twin.tick()
    sign_in(twin, "Ben")
    look(twin, "Ben", "/games/{game}/report")
    number = len(twin.ask("Ben", "GET", "/messages").json["messages"])  # type: ignore[index]
    for what in (f"message-{number - 1}", f"message-{number}", "name-1", "name-3", "invitation", ""):
        send(twin, "Ben", "/games/{game}/report", what=what)
    send(twin, "Ben", "/sign-out")
    send(twin, None, "/practice")
    twin.command("player", "grant", "gus@example.org", "operator")
    sign_in(twin, "Gus")
    for listed in ((), ("--json",)):
        twin.command("abuse", "list", *listed)
    twin.command("abuse", "report", "{game}", "ben@example.org", "name", "1")
    page = look(twin, "Gus", "/operator/people").text
    first, second, *_ = re.findall(r'action="/operator/people/reports/(\w+)"', page)
    twin.command("abuse", "settle", first)
    send(twin, "Gus", f"/operator/people/reports/{second}")
    send(twin, "Gus", f"/operator/people/reports/{second}")
    game = twin.worlds[0].asked("SELECT id FROM games WHERE status = 'open'")[0]
    send(twin, "Gus", "/operator/people/games", game=game, reason="its name", sure="yes")
    send(twin, "Gus", "/operator/people/names", player="hana@example.org", sure="yes")
    send(twin, "Gus", "/operator/people/guests", player="hana@example.org", sure="yes")
    guest = twin.worlds[0].asked("SELECT id FROM players WHERE network IS NOT NULL")[0]
    send(twin, "Gus", "/operator/people/guests", player=guest, sure="yes")
    for form in ({"network": "203.0.113.0/24", "length": "P7D"}, {"network": "127.0.0.1", "length": "P7D"}):
        send(twin, "Gus", "/operator/people/networks", **form, sure="yes")
    for command in (("block", "198.51.100.0/24"), ("list",), ("list", "--json"), ("unblock", "198.51.100.0/24")):
        twin.command("network", *command)
    look(twin, "Gus", "/operator/people")
    send(twin, "Gus", "/operator/people/networks/end", network="203.0.113.0/24")
    twin.command("player", "withdraw", "gus@example.org", "operator")
    send(twin, "Gus", "/sign-out")


def _set_aside(world: World) -> None:
    with world.table.app.app_context(), transaction():
        session.execute(update(Incoming).where(Incoming.state == "new").values(state="aside", verdict="failed"))


def everybody_s_own_pages(twin: Twin) -> None:
    """The host hands over; Mr. X and somebody without a seat look at the pages of a player."""
    for who in ("Ada", "Hana"):
        sign_in(twin, who)
        for path in PAGES:
            look(twin, None, path)  # compared whole, also those of Mr. X
        look(twin, who, "/me/export")
        if who == "Hana":
            send(twin, who, "/games/{game}/host", seat="2")
        send(twin, who, "/sign-out")


def all_about_a_player(twin: Twin) -> None:
    """Ben, who is signed in, changes all that his pages offer; what is not his is not there."""
    look(twin, "Ben", "/me/export")
    send(twin, "Ben", "/me/name", name="Benno")
    for language in ("de", "klingon", "en"):
        send(twin, "Ben", "/language", language=language)
    for zone in ("Europe/Paris", "Nowhere"):
        send(twin, "Ben", "/me/zone", zone=zone)
        send(twin, "Ben", "/me/settings", zone=zone, night_from="23:00", night_to="07:00", picture="off", ask="off")
    for mail in ("daily", "usual", "none"):
        send(twin, "Ben", "/me/mail", mail=mail, at="18:30")
        send(twin, "Ben", "/games/{game}/mail", mail=mail)
    for days in ({"first": "2026-12-24", "last": "2026-12-26"}, {"first": "?"}):
        send(twin, "Ben", "/me/vacation", **days)
    _press_each(twin, "/me/vacation", r"/me/vacation/\w+/end")
    send(twin, "Ben", "/me/addresses", email="benno@example.org")
    twin.tick()
    send(twin, "Ben", "/me/addresses/confirm", code=code(twin, "benno@example.org"))
    for _ in ("the new one", "the old one"):
        _press_each(twin, "/me/addresses", r"/me/addresses/\w+/main")
    _press_each(twin, "/me/addresses", r"/me/addresses/\w+/remove")
    for name in ("robot", ""):
        send(twin, "Ben", "/me/tokens", name=name, scope_read="on")
    send(twin, "Ben", "/me/calendar")
    _press_each(twin, "/me/programs", r"/me/tokens/\w+/revoke")
    for url in ("https://ben.example.org/", "https://127.0.0.1/"):
        send(twin, "Ben", "/me/webhooks", url=url)
    send(twin, "Ben", "/me/webhooks", url="https://ntfy.example.org/a", format="ntfy", game=twin.worlds[0].game)
    (hook, *_) = re.findall(r"/me/webhooks/\w+", look(twin, "Ben", "/me/programs").text)
    for wish in ("test", "test", "off", "on", "secret", "?", "remove", "remove"):
        look(twin, "Ben", hook)
        send(twin, "Ben", hook, do=wish)
    send(twin, "Ben", "/me/devices", **FORM)
    _press_each(twin, "/me/account", r"/me/devices/\w+/remove")
    for who in ("Cleo", "nobody@example.org", "Zoe"):
        send(twin, "Ben", "/me/blocks", who=who)
    _press_each(twin, "/me/blocks", r"/me/blocks/\w+/remove")
    for path in PAGES:
        look(twin, None, path)
    send(twin, "Ben", "/me/delete", name="Benno")


def leaves(twin: Twin, who: str, path: str, secret: str) -> None:
    """Somebody leaves a game that has not started, and takes the seat again."""
    look(twin, who, path)
    look(twin, who, "/me")
    send(twin, who, f"{path}/leave")
    look(twin, who, path)
    for typed in ("nothing", secret):
        send(twin, who, "/join", code=typed)
    send(twin, who, f"{path}/seats", code=secret)


def chooses_a_game(twin: Twin, who: str) -> None:
    """Somebody looks at what a game would be, and sends forms that are wrong; none is opened."""
    usual = {"edition": "condensed", "players": "3"}
    for form in (
        {"show": "yes"}, {"players": "9"}, {"clock": "own", "kind": "per_move", "mr_x": "x"},
        {"cut_off": "True", "black": "?"},
        {"who_3": "Nobody", "bot_1": "fugitive"}, {"visibility": "secret"},
    ):  # fmt: skip
        send(twin, who, "/games", **usual | form)


def all_about_seats(twin: Twin, path: str) -> None:
    """Ben, the host of a game that has not started, changes who sits there, and so does nobody else."""
    chooses_a_game(twin, "Ben")
    (cleo_s,) = set(re.findall(rf"{path}/seats/(\d)/clear", look(twin, "Ben", path).text))
    send(twin, "Ben", f"{path}/host", seat="9")
    for wanted in ({"bot": "constable"}, {"who": "kim@example.org", "words": "Come!"}, {"who": "Nobody"}):
        send(twin, "Ben", f"{path}/seats/{cleo_s}/clear")
        send(twin, "Ben", f"{path}/seats/{cleo_s}", **wanted)
    send(twin, "Ben", f"{path}/seats/{cleo_s}", who="cleo@example.org", words="Are you in?")
    twin.tick()
    send(twin, "Ben", f"{path}/seats/{cleo_s}/remind")
    twin.both("Ben has waited for a day", make_invitations_old)
    send(twin, "Ben", f"{path}/seats/{cleo_s}/remind")
    twin.tick()
    for name in ("Friday night", "evil.example"):
        send(twin, "Ben", f"{path}/name", name=name)
    for part in ("publish", "host", "start", "seats/1", "seats/1/clear", "seats/1/remind", "name", "close"):
        send(twin, "Ben", f"/games/{{game}}/{part}", seat="1", who="Cleo", name="Friday night")
    send(twin, "Ben", f"{path}/publish")
    send(twin, "Ben", f"{path}/seats/{cleo_s}/clear")
    send(twin, "Ben", f"{path}/seats/{cleo_s}", bot="fugitive")
    look(twin, "Ben", path)
    other = send(twin, "Ben", "/games", edition="condensed", players="2", seat="mr_x").headers["Location"]
    send(twin, "Ben", f"{other}/close")
    look(twin, "Ben", other)


def make_invitations_old(world: World) -> None:
    """Have every invitation wait for two days more."""
    with world.table.app.app_context(), transaction():
        for invitation in session.scalars(select(Invitation)):
            invitation.created_at -= 2 * DAY


def _press_each(twin: Twin, page: str, pattern: str) -> None:
    """Send the forms of a page whose paths fit, and one for something that is not there."""
    for path in dict.fromkeys(re.findall(f'action="({pattern})"', look(twin, "Ben", page).text)):
        send(twin, "Ben", path)
        send(twin, "Ben", re.sub(r"/\w{16,}", "/aaaa", path))


def _code_of_game(world: World) -> str:
    with world.table.app.app_context():
        return str(session.scalar(select(Game.code).where(Game.id == world.game)))


def _mailed_code(world: World) -> str:
    with world.table.app.app_context():
        sent = session.scalars(select(Outgoing).where(Outgoing.kind == "address").order_by(Outgoing.created_at.desc()))
        return str(next(row.details["code"] for row in sent if row.details and "pin" in row.details))


def guest_sits_down(twin: Twin, path: str, code: str) -> None:
    """Somebody without an account looks at the invitation to a game that runs, and sits down in one that is open."""
    running, *_ = twin.both("the host shows the link", _code_of_game)
    for invitation in (running, code, "aaaa"):
        look(twin, None, f"/join/{invitation}")
        send(twin, None, f"/join/{invitation}", name="Anna", once="key")
    for part in ("", "/rules", "/seats"):
        look(twin, None, f"{path}{part}")
    send(twin, None, f"{path}/talk", to="all", text="Hello")
    link = re.findall(r"/continue/(\w+)", send(twin, None, "/me/device").text)[0]
    for whole in (f"/continue/{link}", "/continue/aaaa"):
        look(twin, None, whole)
        send(twin, None, whole)
    send(twin, None, "/me/addresses", email="anna@example.org")
    mailed, *_ = twin.both("the mail has a code", _mailed_code)
    twin.tick()
    for code_of_link in (mailed, "aaaa"):
        look(twin, None, f"/address/{code_of_link}")
    send(twin, None, "/me/addresses/confirm", code="1234567")
    for code_of_link in (mailed, "aaaa"):
        send(twin, None, f"/address/{code_of_link}")
    send(twin, None, f"{path}/leave")
    twin.both("a guest uses another browser", lambda world: world.table.client.delete_cookie("blackticket"))


def guest_goes(twin: Twin) -> None:
    """A guest practises, looks at the pages, and deletes the account with the games."""
    send(twin, None, "/practice", role="mr_x")
    for path in PAGES:
        look(twin, None, path)
    name = re.findall(r"Your name \(([^)]+)\)", look(twin, None, "/me/account").text)[0]
    for typed in ("somebody else", name):
        send(twin, None, "/me/delete", name=typed)
