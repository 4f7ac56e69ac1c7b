"""Whole games on a real server: six people play in Chromium, by mail and by REST; a guest plays against bots."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.e2e.players import ByMail, ByRest, InBrowser, MrX, Someone
from tests.e2e.shipped import Shipped
from tests.patience import LONGEST, eventually
from tests.web import chromium


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium.program() as found:
        yield found


@pytest.fixture(scope="module")
def shipped(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shipped]:
    found = Shipped(tmp_path_factory.mktemp("shipped"))
    with found.serving():
        yield found


@contextmanager
def page(browser: Any, shipped: Shipped, **how: Any) -> Iterator[Any]:
    """Yield a page in a browser of its own, which complains of nothing."""
    faults: list[str] = []
    context = browser.new_context(base_url=shipped.site, **how)
    found = context.new_page()
    found.set_default_timeout(LONGEST * 1000)
    found.on("pageerror", lambda error: faults.append(str(error)))
    found.on("console", lambda said: faults.append(said.text) if said.type == "error" else None)
    yield found
    context.close()
    assert faults == []


def play(players: list[Someone]) -> list[str]:
    """Play a game to its end; return how each player was told of it."""
    endings: list[str] = []

    def has_ended() -> bool:
        endings[:] = [someone.play() for someone in players]
        return all(endings)

    eventually(has_ended, longest=1200, pause=0.4)
    return endings


@pytest.mark.campaign
@pytest.mark.parametrize("windows", [3, 24])
def test_six_people_play_a_game_from_the_form_to_the_check_of_the_seal(browser: Any, shipped: Shipped, windows: int):
    names = [f"{name}{windows}" for name in ("Ada", "Ben", "Cleo", "Dan", "Eve", "Finn")]
    with page(browser, shipped) as of_ada, page(browser, shipped, **chromium.PHONE) as of_ben:
        ada, ben = MrX(shipped, names[0], "mr_x", of_ada), InBrowser(shipped, names[1], "purple", of_ben)
        cleo, dan = ByMail(shipped, names[2], "red"), ByMail(shipped, names[3], "green")
        eve, finn = ByRest(shipped, names[4], "yellow"), ByRest(shipped, names[5], "blue")
        gather(ada, ben, cleo, dan, eve, finn, windows)
        endings = play([ada, ben, cleo, dan, eve, finn])
        assert_they_agree(eve, endings)
        check_replay(ada, eve)
        check_seal(ada, cleo)


@pytest.mark.parametrize(
    ("role", "most"),
    [("mr_x", 1), *(pytest.param(role, 99, marks=pytest.mark.campaign) for role in ("mr_x", "detective"))],
)
def test_a_guest_practises_from_the_first_page_to_the_end(browser: Any, shipped: Shipped, role: str, most: int):
    """After `most` moves the guest has had enough, and resigns in their next turn, in which no bot ends the game."""
    with page(browser, shipped) as found:
        found.goto("/")
        found.locator(f'button[value="{role}"]').click()
        guest = (MrX if role == "mr_x" else InBrowser)(shipped, "", "", found)
        found.wait_for_url("**/games/*")
        eventually(lambda: (guest.moves == most and guest.is_on_turn()) or guest.play(), longest=1200, pause=0.4)
        if guest.is_on_turn():
            chromium.open_part(found, "More")
            found.get_by_role("link", name="Resign").click()
            found.get_by_role("button", name="Resign").click()
        eventually(guest.play)
        found.get_by_role("link", name="Replay").click()
        found.locator(f".plies .{'mr_x' if role == 'mr_x' else 'red'}").first.wait_for()


def gather(ada: MrX, ben: InBrowser, cleo: ByMail, dan: ByMail, eve: ByRest, finn: ByRest, windows: int) -> None:
    """Ada opens the game and invites Cleo, and on its page Dan and Finn; Ben gets the link, Eve the code in it."""
    form = ada.page
    form.goto("/")
    form.get_by_role("link", name="Start a game").click()
    ada.sign_in()
    form.get_by_text("Change the rules").click()
    form.get_by_label("Players, Mr. X included").select_option("6")
    form.get_by_label("1985").check()
    form.get_by_role("group", name="You are").get_by_label("Mr. X").check()
    form.get_by_text("Invite people, or put bots").click()
    form.locator("input[name=who_3]").fill(cleo.address)
    form.get_by_text("Change rules of the edition").click()
    form.locator("input[name=log_windows]").fill(str(windows))
    form.get_by_role("button", name="Start", exact=True).click()
    form.get_by_text("This game has not started").wait_for()
    for other in (dan, finn):
        form.get_by_label(f"{other.pawn.title()}: a mail address").fill(other.address)
        form.get_by_role("listitem").filter(has_text=other.pawn.title()).get_by_role("button", name="Invite").click()
        form.get_by_text(f"invited: {other.address}").wait_for()
    link = form.locator("#link").inner_text()
    game, code = form.url.rpartition("/")[2], link.rpartition("/")[2]
    cleo.join()
    dan.join()
    finn.join(game)
    ben.page.goto(link)
    ben.page.get_by_role("link", name="Sign in").tap()
    ben.sign_in()
    ben.page.get_by_role("button", name="Take a seat").tap()
    ben.page.get_by_text("This game has not started").wait_for()
    eve.join(game, code)
    form.locator("p.lead").filter(has_text="you can start it").wait_for()
    form.get_by_role("button", name="Start the game").click()


def assert_they_agree(eve: ByRest, endings: list[str]) -> None:
    """Pages and mails say the same of the end, and programs the same in one word."""
    on_page = endings[0]
    assert endings[1] == on_page
    assert all(on_page in mail for mail in endings[2:4])
    assert endings[4] == endings[5] == eve.client.game(eve.game)["outcome"]["reason"]


def check_replay(ada: MrX, eve: ByRest) -> None:
    """The replay ends where the travel log that Eve reads ends."""
    log = eve.client.log(eve.game)
    replay = ada.page
    replay.get_by_role("link", name="Replay").click()
    replay.get_by_role("link", name="To the end").click()
    now = replay.locator(".now[role=status]")
    now.filter(has_text=f"Mr. X is at {log[-1]['station']}.").wait_for()
    assert replay.locator(".plies .mr_x").count() == len(log) - 1, "one of the moves was double"


def check_seal(ada: MrX, cleo: ByMail) -> None:
    """The verifier and the transcript of the replay's page say that the log holds, for the mails of Cleo as well."""
    folder = ada.shipped.folder
    replay = ada.page
    names = {}
    for name in ("transcript", "verifier.py"):
        with replay.expect_download() as found:
            replay.get_by_role("link", name=name, exact=False).first.click()
        names[name] = folder / found.value.suggested_filename
        found.value.save_as(names[name])
    saved = [folder / f"{number}.eml" for number, _ in enumerate(ada.shipped.mails(cleo.address))]
    for file, mail in zip(saved, ada.shipped.mails(cleo.address), strict=True):
        file.write_bytes(mail.as_bytes())
    checked = subprocess.run(
        [sys.executable, names["verifier.py"], names["transcript"], *saved],
        cwd=folder, text=True, capture_output=True, check=False, timeout=LONGEST,
    )  # fmt: skip
    assert checked.returncode == 0, checked.stdout + checked.stderr
