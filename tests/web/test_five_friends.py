"""Five friends, from one link to the end of a game, in Chromium."""

import re
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from server.engine import DETECTIVES
from tests.scenes import dealing, mail_only_to
from tests.table import Person, Table
from tests.web.chromium import PHONE, Chromium, asking_often, launched

pytestmark = pytest.mark.usefixtures("without_faults")
DESK = {"viewport": {"width": 1280, "height": 800}}
ADDRESS = "anna@example.org"
ROUNDS = 2
PAWNS = {"Mr. X": "mr_x", **{pawn.capitalize(): pawn for pawn in DETECTIVES}}


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    with launched(Table(tmp_path_factory.mktemp("friends"))) as found, asking_often():
        mail_only_to(found.table)
        yield found


def opened(host: Person) -> str:
    """Open a game of six for two rounds, with the host as Mr. X; return the path of its page."""
    seats = [{"role": "mr_x", "player": host.id}, *[{"role": "detective"}] * 5]
    wanted = {"edition": "ravensburger-2000", "options": {"max_rounds": ROUNDS}, "guests": {"pairs": True}}
    answer = host.post("/games", {**wanted, "seats": seats, "visibility": "private"})
    assert answer.status_code == 201, answer.text
    return f"/games/{answer.json['id']}"


def sits_down(page: Any, link: str, name: str) -> None:
    page.goto(link)
    page.get_by_label("Your name").fill(name)
    page.get_by_role("button", name="Take a seat").click()
    page.wait_for_url("**/games/*")


def moves(page: Any, pawn: str) -> None:
    """Wait for the turn of a pawn, choose the first station that it can go to by the keyboard, and make the move."""
    page.locator(".brief").filter(has_text=f"It is your turn, {pawn}").wait_for()
    section = page.locator(f'section.choose[data-pawn="{PAWNS[pawn]}"]')
    link = page.locator(f'.lit[data-pawn="{PAWNS[pawn]}"] a').first
    link.focus()
    link.press("Enter")
    section.locator(".bar.ready button.main").click()
    section.wait_for(state="detached")


def test_five_friends_play_from_one_link_to_the_end(chromium: Chromium):
    table, ada = chromium.table, chromium.people[0]
    path = opened(ada)
    with ExitStack() as open_pages:
        host = open_pages.enter_context(chromium.page(ada, **DESK))
        anna, bens_phone, cleo, children = (open_pages.enter_context(chromium.page(**PHONE)) for _ in range(4))
        host.goto(path)
        link = host.locator("#link").inner_text()
        for page, name in ((anna, "Anna"), (bens_phone, "Bert"), (cleo, "Carla"), (children, "Doris")):
            sits_down(page, link, name)

        # Two children play on one phone.
        children.get_by_role("link", name="Take a second seat in this browser").click()
        children.get_by_label("The name of the second").fill("Emil")
        children.get_by_role("button", name="Take a second seat").click()
        children.wait_for_url("**/games/*")

        # Anna gives her address; nobody else of them does.
        anna.get_by_label("Your own or your parents' address").fill(ADDRESS)
        anna.get_by_role("button", name="Write there").click()
        anna.get_by_label("The six digits from the mail").wait_for()
        table.tick()
        (mail,) = table.post.of(ADDRESS)
        (digits,) = re.findall(r'the digits are "(\d{6})"', mail.get_content())
        anna.get_by_label("The six digits from the mail").fill(digits)
        anna.get_by_label("The six digits from the mail").press("Enter")
        anna.wait_for_url(f"**{path}")

        # Bert goes on at a desk as well.
        bens_phone.get_by_role("link", name="Continue on another device").click()
        bens_phone.get_by_role("button", name="Continue on another device").click()
        way = bens_phone.locator("main code").inner_text()
        bens_desk = open_pages.enter_context(chromium.page(**DESK))
        bens_desk.goto(way)
        bens_desk.get_by_role("button", name="Continue as Bert").click()
        bens_desk.wait_for_url(f"**{path}")
        for page in (bens_phone, bens_desk):
            page.goto(path)

        with dealing(table, 172, 13, 26, 29, 34, 50):
            host.get_by_role("button", name="Start the game").click()
            host.locator("section.choose").wait_for()
        table.tick()

        for number in range(1, ROUNDS + 1):
            moves(host, "Mr. X")
            table.tick()
            moves(anna, "Purple")
            moves(bens_phone if number == 1 else bens_desk, "Red")
            moves(cleo, "Green")
            for pawn, name in (("Yellow", "Doris"), ("Blue", "Emil")):
                children.locator(".pair b").filter(has_text=name).wait_for()
                moves(children, pawn)

        for page in (host, anna, bens_phone, bens_desk, cleo, children):
            page.locator(".board.opened").wait_for()
            assert "Mr. X has won" in page.locator(".lead").inner_text()
    turns = [mail["Subject"] for mail in table.post.of(ADDRESS) if "your move" in mail["Subject"]]
    assert len(turns) == ROUNDS
    assert {letter.recipient for letter in table.post.sent} == {ADDRESS}, "those without an address get no mail"
