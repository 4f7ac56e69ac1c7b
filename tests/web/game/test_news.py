"""News of a game for its page: who is told that something changed, and who is not."""

import re
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from server.application.people.accounts import browsers
from server.models import FormerHolder, Game, Player, session, transaction
from tests.scenes import hunt
from tests.table import Person, Playing, Table
from tests.web.game.test_page import BROWSER, Browser, choices


@pytest.fixture
def hunted(table: Table) -> Playing:
    return hunt(table)


class Reader(Browser):
    """A browser with a page of the game, which asks for news."""

    def look(self, game: Playing) -> None:
        """Load the page."""
        [self.mark] = re.findall(r'<meta name="news" content="([^"]+)"', self.get(f"/games/{game.id}").text)

    def ask(self, game: Playing, query: str = "") -> tuple[int, str]:
        """Return the status of the answer, and what it says."""
        headers = BROWSER | {"If-None-Match": f'"{self.mark}"'}
        answer = self.client.get(f"/games/{game.id}/news{query}", headers=headers)
        return answer.status_code, answer.text


def readers(game: Playing) -> list[Reader]:
    """Return Mr. X, two detectives, and somebody who watches without an account; all have the page."""
    found = [Reader(game.table, person) for person in (*game.people[:3], None)]
    for reader in found:
        reader.look(game)
    return found


NOTHING = (304, "")


def news_of(game: Playing, found: list[Reader]) -> list[bool]:
    """Return who is told that something changed."""
    answers = [reader.ask(game) for reader in found]
    assert all(answer == NOTHING or answer[0] == 200 for answer in answers)
    return [answer != NOTHING for answer in answers]


def test_the_mark_that_a_page_has_is_the_etag_of_its_question(hunted: Playing):
    for reader in readers(hunted):
        answer = reader.get(f"/games/{hunted.id}/news")
        assert (answer.status_code, answer.headers["ETag"]) == (200, f'"{reader.mark}"')


def test_everybody_is_told_of_what_everybody_may_know(hunted: Playing):
    found = readers(hunted)
    assert news_of(hunted, found) == [False] * 4
    ben = found[1]
    ben.post(f"/games/{hunted.id}/draw", {"agrees": "yes"})
    assert news_of(hunted, found) == [True] * 4


@pytest.mark.parametrize("query", ["", "?window=1", "?talk=all"])
def test_news_are_what_a_page_loaded_now_would_have_but_for_what_never_changes(hunted: Playing, query: str):
    for reader in readers(hunted):
        reader.mark = "old"
        status, told = reader.ask(hunted, query)
        whole = reader.get(f"/games/{hunted.id}{query}").text
        assert status == 200
        for part in ("title", "main"):
            assert _part(told, part) == _part(whole, part)
        assert "<body" not in told
        reader.look(hunted)
        assert f'name="news" content="{reader.mark}"' in told


def _part(page: str, name: str) -> str:
    return re.findall(f"<{name}[^>]*>.*?</{name}>", page, re.DOTALL)[0]


def test_news_before_the_start_are_the_table_and_those_of_a_closed_game_lead_to_its_page(table: Table):
    ada, ben = table.people(2)
    opened = ada.post("/games", {"edition": "condensed", "players": 2, "visibility": "public"}).json["id"]
    game, reader = Playing(table, opened, [ada, ben]), Reader(table, ben)
    reader.look(game)
    assert reader.ask(game) == NOTHING
    ben.post(f"{game.path}/seats", {"seat": 2})
    assert "You have a seat." in reader.ask(game)[1] or "You play" in reader.ask(game)[1]
    ada.request("DELETE", game.path)
    assert reader.ask(game)[0] == 303


@pytest.mark.parametrize(
    ("path", "form", "told"),
    [
        ("talk", {"to": "team", "text": "He is near"}, [False, True, True, False]),
        ("talk", {"to": "all", "text": "He is near"}, [True, True, True, False]),
        ("talk/muted", {"muted": "yes"}, [False, False, False, False]),
    ],
)
def test_talk_is_news_for_those_who_may_read_it(hunted: Playing, path: str, form: dict[str, str], told: list[bool]):
    found = readers(hunted)
    found[1].post(f"/games/{hunted.id}/{path}", form)
    assert news_of(hunted, found) == told


def test_a_queued_move_is_news_for_the_team_alone(hunted: Playing):
    found = readers(hunted)
    cleo = found[2]
    move = choices(cleo.get(f"/games/{hunted.id}").text)[0]
    cleo.post(f"/games/{hunted.id}/moves", {"turn": hunted.view()["turn"], "move": move})
    assert news_of(hunted, found) == [False, True, True, False]
    for reader in found:
        reader.look(hunted)
    cleo.post(f"/games/{hunted.id}/ahead")
    assert news_of(hunted, found) == [False, True, True, False]


def test_who_sits_down_in_a_rematch_is_news_for_those_who_played(hunted: Playing):
    hunted.people[0].post(f"{hunted.path}/resign")
    found = readers(hunted)
    hunted.people[1].post(f"{hunted.path}/rematch")
    assert news_of(hunted, found) == [True] * 4, "there is one"
    found = readers(hunted)
    hunted.people[2].post(f"{hunted.path}/rematch")
    assert news_of(hunted, found) == [True, True, True, False]


def test_who_may_see_the_game_no_more_is_told_nothing(hunted: Playing):
    _, ben, _, anybody = readers(hunted)
    former, stranger = (Reader(hunted.table, hunted.table.person(name)) for name in ("Zoe", "Gus"))
    former.mark = stranger.mark = ben.mark
    assert (former.ask(hunted)[0], stranger.ask(hunted)[0]) == (304, 304), "it is public"
    with hunted.table.app.app_context(), transaction():
        zoe = session.scalars(select(Player.id).where(Player.name == "Zoe")).one()
        session.add(FormerHolder(game_id=hunted.id, player_id=zoe, role="mr_x"))
    assert former.ask(hunted)[0] == 404
    assert anybody.ask(hunted)[0] == 404, "a former Mr. X may be anybody"
    with hunted.table.app.app_context(), transaction():
        session.get_one(Game, hunted.id).visibility = "private"
    assert stranger.ask(hunted)[0] == 404
    assert ben.ask(hunted)[0] == 200
    with hunted.table.app.app_context():
        browsers.sign_out(ben.client.get_cookie("blackticket").value)
    assert ben.ask(hunted)[0] == 404, "the session is over"


@pytest.mark.parametrize(("clock", "seconds"), [
    ({"kind": "per_phase", "mr_x": "PT1H", "detectives": "PT1H"}, "30"),
    ({"kind": "per_phase", "mr_x": "PT1H", "detectives": "PT59M"}, "5"),
    ({"kind": "per_move", "mr_x": "P2D", "detectives": "PT10M"}, "5"),
    ({"kind": "bank", "bank": "PT30M", "increment": "PT2M", "cap": "P1D"}, "5"),
    ({"kind": "schedule", "at": "20:00", "least": "PT30M"}, "30"),
    ({"kind": "none"}, "30"),
])  # fmt: skip
def test_a_page_asks_every_half_minute_or_every_five_seconds_where_the_clock_gives_under_an_hour(
    table: Table, clock: dict[str, Any], seconds: str
):
    ada, ben = table.people(2)
    game = table.game([ada, ben], "condensed", clock=clock)
    assert every(game, ada) == every(game, None) == seconds
    opened = ada.post("/games", {"edition": "condensed", "players": 2, "clock": clock}).json["id"]
    assert every(Playing(table, opened, [ada]), ada) == seconds, "before it starts, too"
    ada.post(f"{game.path}/resign")
    assert every(game, ada) == "30", "when it is over"


def test_a_page_asks_every_five_seconds_while_bots_are_to_move(table: Table):
    [ada] = table.people(1)
    seats = [{"role": "mr_x", "player": ada.id}, {"role": "detective", "bot": "constable"}]
    opened = ada.post("/games", {"edition": "condensed", "seats": seats}).json["id"]
    game = Playing(table, opened, [ada])
    ada.post(f"{game.path}/start")
    assert every(game, ada) == "30"
    game.move(ada)
    assert every(game, ada) == "5"
    table.clock.turn(minutes=1)
    table.tick()
    assert every(game, ada) == "30", "they have moved"


def every(game: Playing, person: Person | None) -> str:
    """Return how many seconds the page of a game waits between two questions."""
    page = Reader(game.table, person).get(f"/games/{game.id}").text
    [seconds] = re.findall('<meta name="news".* data-every="([^"]+)"', page)
    return str(seconds)


def test_ten_questions_for_news_count_as_one_request(tmp_path: Path):
    table = Table(tmp_path, rate_limit="3/PT1M")
    game = table.game(table.people(2), "condensed")
    reader = Reader(table)
    reader.look(game)
    assert [reader.ask(game) for _ in range(10)] == [NOTHING] * 10
    reader.look(game)
    assert reader.ask(game)[0] == 429
    table.clock.turn(minutes=1)
    assert reader.ask(game) == NOTHING


def test_an_answer_with_news_counts_as_a_request_as_it_is_as_much_work_as_a_page(tmp_path: Path):
    table = Table(tmp_path, rate_limit="3/PT1M")
    game = table.game(table.people(2), "condensed")
    reader = Reader(table)
    reader.mark = "old"
    assert [reader.ask(game)[0] for _ in range(3)] == [200, 200, 429]
