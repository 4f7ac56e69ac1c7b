"""Try again from here, in Chromium: from the moment that the replay shows."""

from collections.abc import Iterator

import pytest

from tests.scenes import mail_only_to
from tests.table import Table
from tests.web.chromium import PHONE, Chromium, launched
from tests.web.test_first_minute import DESK, over

pytestmark = pytest.mark.usefixtures("without_faults")


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    with launched(Table(tmp_path_factory.mktemp("again"))) as found:
        mail_only_to(found.table)
        yield found


@pytest.mark.parametrize("how", [DESK, PHONE], ids=["desk", "phone"])
def test_the_moment_is_the_one_to_which_the_reader_went(chromium: Chromium, how: dict[str, object]):
    game = over(chromium)
    for keys, moves, side in ((("ArrowRight", "ArrowRight"), 8, "As the detectives"), (("Home",), 0, "As Mr. X")):
        with chromium.page(chromium.people[1], **how) as page:
            page.goto(f"/games/{game.id}/replay?ply=6")
            for key in keys:
                page.keyboard.press(key)
            page.get_by_role("button", name=side).click()
            page.wait_for_url(lambda url: "/replay" not in url)
            made = page.url.rpartition("/")[2]
        again, first = (moves_of(chromium, each) for each in (made, game.id))
        assert len(again) == moves
        assert [move.replace("?", then.split()[-1]) for move, then in zip(again, first, strict=False)] == first[:moves]


def moves_of(chromium: Chromium, game_id: str) -> list[str]:
    """The moves of a game as Ben may know them."""
    record = chromium.people[1].get(f"/games/{game_id}/record").json
    return [move for of_round in record["moves"] for move in of_round]


def test_a_stranger_goes_on_as_a_guest(chromium: Chromium):
    game = over(chromium)
    with chromium.page(**DESK) as page:
        page.goto(f"/games/{game.id}/replay?ply=3")
        page.get_by_role("button", name="As the detectives").click()
        page.wait_for_url(lambda url: "/replay" not in url)
        assert "It is your turn" in page.inner_text("main")
