"""News of a game for its page: who is told that something changed, and who is not."""

import re
from typing import Any

import pytest
from sqlalchemy import select

from server.application.accounts import browsers
from server.application.news import marks
from server.http.waiting import KEY, HeldRequest
from server.models import FormerHolder, Game, Player, session, transaction
from tests.conftest import Playing, Table
from tests.scenes import hunt
from tests.web.game.test_page import BROWSER, Browser, choices


@pytest.fixture
def hunted(table: Table) -> Playing:
    return hunt(table)


class Reader(Browser):
    """A browser with a page of the game, which waits for news."""

    def look(self, game: Playing) -> None:
        """Load the page."""
        [self.mark] = re.findall(r'<meta name="news" content="([^"]+)"', self.get(f"/games/{game.id}").text)

    def ask(self, game: Playing, query: str = "") -> tuple[int, Any, bool]:
        """Return the status of the answer, what it says, and whether the server holds it back."""
        patience = HeldRequest()
        answer = self.client.get(
            f"/games/{game.id}/news?after={self.mark}{query}", headers=BROWSER, environ_overrides={KEY: patience}
        )
        return answer.status_code, answer.json if answer.is_json else None, bool(patience.marks)


def readers(game: Playing) -> list[Reader]:
    """Return Mr. X, two detectives, and somebody who watches without an account; all have the page."""
    found = [Reader(game.table, person) for person in (*game.people[:3], None)]
    for reader in found:
        reader.look(game)
    return found


NOTHING = (204, None, True)


def news_of(game: Playing, found: list[Reader]) -> list[bool]:
    """Return who is told that something changed; all others wait on."""
    answers = [reader.ask(game) for reader in found]
    assert all(answer == NOTHING or answer[0] == 200 for answer in answers)
    return [answer != NOTHING for answer in answers]


def test_a_server_that_cannot_hold_an_answer_back_says_when_to_ask_again(hunted: Playing):
    reader = readers(hunted)[0]
    for query, pause in (("", "10"), ("&wait=0", None)):
        answer = reader.client.get(f"/games/{hunted.id}/news?after={reader.mark}{query}", headers=BROWSER)
        assert (answer.status_code, answer.headers.get("Retry-After")) == (204, pause)


def test_everybody_is_told_of_what_everybody_may_know(hunted: Playing):
    found = readers(hunted)
    assert news_of(hunted, found) == [False] * 4
    ben = found[1]
    ben.post(f"/games/{hunted.id}/draw", {"agrees": "yes"})
    number = hunted.view()["seal"]["event"]
    assert [reader.ask(hunted) for reader in found] == [(200, {"changed": number}, False)] * 4


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


def test_the_server_sees_each_change_that_somebody_is_told_of(hunted: Playing):
    ben, cleo = (Browser(hunted.table, person) for person in hunted.people[1:3])
    turn, seen = hunted.view()["turn"], set()

    def note() -> None:
        with hunted.table.app.app_context():
            seen.add(marks.for_server([f"{marks.GAME}{hunted.id}"])[f"{marks.GAME}{hunted.id}"])

    note()
    for browser, path, form in (
        (ben, "talk", {"to": "team", "text": "a"}),
        (cleo, "moves", {"turn": turn, "move": choices(cleo.get(f"/games/{hunted.id}").text)[0]}),
        (ben, "cover", {"seat": "3"}),
        (ben, "votes", {"kind": "pause"}),
    ):
        assert browser.post(f"/games/{hunted.id}/{path}", form).status_code == 303
        note()
    assert len(seen) == 5


def test_who_may_see_the_game_no_more_is_told_nothing(hunted: Playing):
    _, ben, _, anybody = readers(hunted)
    former, stranger = (Reader(hunted.table, hunted.table.person(name)) for name in ("Zoe", "Gus"))
    former.mark = stranger.mark = ben.mark
    assert (former.ask(hunted)[0], stranger.ask(hunted)[0]) == (204, 204), "it is public"
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


def test_what_is_new_already_is_told_when_it_is_the_turn_of_its_reader(hunted: Playing):
    ben = readers(hunted)[1]
    ben.post(f"/games/{hunted.id}/draw", {"agrees": "yes"})
    first, repeated, hidden = HeldRequest(), HeldRequest(), HeldRequest()
    repeated.is_repeated = True
    path = f"/games/{hunted.id}/news?after={ben.mark}"
    for patience, query in ((first, ""), (repeated, ""), (hidden, "&wait=0")):
        answer = ben.client.get(path + query, headers=BROWSER, environ_overrides={KEY: patience})
        assert answer.status_code == 200
    assert [each.is_held for each in (first, repeated, hidden)] == [True, False, False]


def test_a_page_in_the_background_does_not_wait(hunted: Playing):
    ben = readers(hunted)[1]
    assert ben.ask(hunted, "&wait=0") == (204, None, False)
