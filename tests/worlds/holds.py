"""Moves that wait: those of everybody in both worlds, and one of Mr. X's in one world alone."""

from typing import Any

from server.application.game import reply_addresses
from tests.worlds import browsing
from tests.worlds.acts import everybody_looks
from tests.worlds.one_world import World
from tests.worlds.schedule import OUTLETS
from tests.worlds.twins import Twin


def holds(twin: Twin) -> None:
    """Moves wait; they are stopped, played before their time and at it, by mail and pages; everybody looks."""
    for who in ("Ada", "Ben", "Cleo"):
        twin.ask(who, "PATCH", "/api/v1/me/preferences", {"hold": "always"})
    purple, red, green, yellow = (str(mine) for mine, _ in twin.pair.moves[1:5])
    writes(twin, "Ben", f"{purple}\n\nHe is somewhere by the river, believe me.")
    everybody_looks(twin, OUTLETS)
    by_links(twin, "pass-it-on-to-the-team", "talk")
    for who in ("Ada", "Ben", "Cleo"):
        twin.ask(who, "GET", "/ahead")
    twin.command("deadline", "list")
    twin.command("game", "show", "{game}", "--json")
    for text in ("STATUS", "thank you"):
        writes(twin, "Ben", text)
    by_links(twin, "dont")
    browsing.sign_in(twin, "Ben")
    on_page(twin, "Ben", purple, "stop")
    on_page(twin, "Ben", purple, "play")
    writes(twin, "Ben", f"{red}\nRESIGN")
    writes(twin, "Ben", red)
    by_links(twin, "play-now")
    writes(twin, "Cleo", f"{green}\n{yellow}")
    with twin.failing("server.worker.deadlines.play_hold"):
        twin.wait(minutes=16)
    everybody_looks(twin, OUTLETS[:4])
    twin.wait(minutes=16)
    assert twin.turn == 6
    twin.tick()
    his_move_waits(twin)
    everybody_looks(twin, OUTLETS)
    twin.wait(minutes=16)
    assert twin.turn == 7


def his_move_waits(twin: Twin) -> None:
    """Mr. X mails his next move, each world's own, and it waits."""
    mine, theirs = twin.pair.moves[twin.turn - 1]
    to = twin.address_of("Ada")
    assert to is not None

    def writes_his(world: World) -> None:
        notation = mine if world is twin.worlds[0] else theirs
        world.store(twin.written("Ada", str(notation), to), world.mr_x.address, to, "his")
        world.table.tick()

    twin.both("Mr. X writes his move, which waits", writes_his)


def holds_alone(twin: Twin) -> None:
    """In one world alone a move of Mr. X's waits while everybody looks; he takes it back."""
    twin.ask("Ada", "PATCH", "/api/v1/me/preferences", {"hold": "always"})
    twin.play()
    while twin.pair.moves[twin.turn - 1][0].split()[0] in twin.pair.one.pawns:
        twin.play()
    twin.tick()
    to = twin.address_of("Ada")
    assert to is not None
    his = f"{twin.pair.moves[twin.turn - 1][0]}\n\nYou will never get me, children of London."
    twin.writes_alone(0, his, to, "ada@example.org", {})
    twin.tick()
    assert twin.worlds[0].asked("SELECT seat FROM held_moves") == [1]
    assert twin.worlds[1].asked("SELECT seat FROM held_moves") == []
    assert twin.worlds[0].asked("SELECT seat FROM reply_tokens WHERE talk IS NOT NULL") == [1]
    everybody_looks(twin, OUTLETS)
    twin.command("doctor")
    twin.command("deadline", "list")
    twin.command("game", "show", "{game}", "--json")
    twin.writes_alone(0, "CANCEL", to, "ada@example.org", {})
    twin.tick()
    twin.wait(minutes=20)
    everybody_looks(twin, OUTLETS[:4])


def writes(twin: Twin, who: str, text: str) -> None:
    """Somebody answers the newest mail, and it is read."""
    twin.tick()
    twin.mail(who, text)
    twin.tick()


def by_links(twin: Twin, act: str, kept: str = "question") -> None:
    """Somebody opens the pages to which the mail of a hold links, and presses the button of the one."""
    digests = twin.worlds[0].asked(f"SELECT digest FROM reply_tokens WHERE {kept} IS NOT NULL ORDER BY created_at")
    with twin.worlds[0].table.app.app_context():
        path = f"/answer/{reply_addresses.mark(reply_addresses.ANSWER, digests[-1][:16])}"
    for other in ("play-now", "dont", "the-first-move", "pass-it-on-to-all"):
        browsing.look(twin, None, f"{path}/{other}")
    twin.ask_whole(None, "OPTIONS", f"{path}/{act}")
    for _ in range(2):
        browsing.send(twin, None, f"{path}/{act}")
    browsing.look(twin, None, f"{path}/{act}?done=yes")
    twin.tick()


def on_page(twin: Twin, who: str, notation: str, act: str) -> None:
    """Somebody sends a move by the form of the page, and presses a button of what waits."""
    browsing.send(twin, who, "/games/{game}/moves", turn=str(twin.turn), move=notation)
    page: Any = browsing.look(twin, who, "/games/{game}")
    name = page.text.partition('name="hold" value="')[2].partition('"')[0]
    browsing.send(twin, who, "/games/{game}/held", hold=name, do="neither")
    browsing.send(twin, who, "/games/{game}/held", hold=name, do=act)
    twin.ask_whole(who, "OPTIONS", "/games/{game}/held")
