"""The end of a game on its page: the open board, how close it was, and a picture to share; nothing before that."""

import gzip
import io
import re
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from server.application.game.look import look
from server.application.operator import remedies
from server.models import Game, session, transaction
from server.runtime.game_cache import GameCache
from server.vocabulary.translation import speaking
from server.web.game import ending
from tests import databases
from tests.kept import again
from tests.positions import position
from tests.scenes import CHASE
from tests.table import Playing, Table
from tests.web.game.test_page import BROWSER, HERE, Browser
from tests.web.game.test_preview import SITE, tags

TOLD = "Red&#39;s taxi to 86 in round 3 closed the last safe way out of 104."
OF_THE_END = ("The hunt</h2>", "way out of 104", 'class="way"', "data-share", "Draw his way")
ROUNDS = (
    (0, "taxi 104"),
    (1, "red taxi 85"),
    (0, "taxi 86"),
    (1, "red taxi 103"),
    (0, "black 104"),
    (1, "red taxi 86"),
)


def _hunted(table: Table) -> Playing:
    """A game of three rounds, in which Mr. X is at 104 and Red at 86, and only Mr. X is known to know it."""
    game = table.game(table.people(2), position=position(116, red=103), options={"surfacing": [2]})
    for mover, notation in ROUNDS:
        assert game.move(game.people[mover], notation).status_code == 201
    return game


def _caught(table: Table) -> Playing:
    game = _hunted(table)
    for mover, notation in ((0, "taxi 116"), (1, "red bus 116")):
        assert game.move(game.people[mover], notation).status_code == 201
    return game


@pytest.fixture
def caught(table: Table) -> Playing:
    return again(table, _caught)


def page(game: Playing, who: int | None = None) -> str:
    return Browser(game.table, None if who is None else game.people[who]).get(f"/games/{game.id}").text


def drawn(game: Playing, width: int = 1080) -> int:
    """Return how many pictures of the end of a game, so many pixels wide, lie in the memory of the process."""
    return sum(key[:2] == (f"end-{width}", game.id) for key, _ in game.table.runtime.pictures.items())


def test_the_page_of_a_final_game_says_what_decided_it_and_shows_his_way(caught: Playing):
    for who in (None, 0, 1):
        shown = page(caught, who)
        assert TOLD in shown
        (way,) = set(re.findall(r'class="way" d="([^"]+)"', shown))
        assert way.count("L") == 4
        order = shown.partition('class="order"')[2].partition("</g>\n</g>")[0]
        assert re.findall(r">([^<]+)</text>", order) == ["start 4", "1 3", "2"]
        assert f'href="/games/{caught.id}/replay"' in shown
        assert f'href="/games/{caught.id}/replay.png" download' in shown


def test_the_end_says_who_caught_him_where_and_in_which_round(caught: Playing):
    for who in (None, 0, 1):
        assert "The detectives have won: Red (Ben) caught Mr. X on 116 in round 4." in page(caught, who)
    drawn = caught.table.client.get(f"/games/{caught.id}/replay.svg").text
    lines = re.findall(r"<text[^>]*>([^<]+)</text>", drawn)
    assert "Black Ticket: " + caught.view()["name"] in lines
    assert "The detectives have won: Red (Ben) caught Mr. X on 116 in round 4." in lines
    assert "Mr. X (Ada); Red (Ben)" in lines


def test_the_story_has_a_curve_with_its_moments_and_the_numbers_of_each_move_beside_it(caught: Playing):
    shown = page(caught).partition('id="hunt"')[2].partition("</section>")[0]
    assert re.findall(r'<path class="(\w+)" d="M46', shown) == ["likeliest", "even", "belief"]
    assert re.findall(r'<circle r="8"/><text y="4">(\d)</text>', shown) == ["1", "2", "3"]
    moves = re.findall(r"<tr><td>([^<]+)</td><td>(\d+)</td>", shown)
    assert [each[1] for each in moves] == ["116", "104", "104", "86", "86", "104", "104", "116", "116"]
    assert [each[0] for each in moves][:3] == ["The start", "Mr. X T104", "Red T85"]
    for ply in re.findall(r"ply=(\d+)", shown):
        assert Browser(caught.table).get(f"/games/{caught.id}/replay?ply={ply}").status_code == 200


def test_the_story_stands_beside_the_replay_too(caught: Playing):
    for who in (None, *caught.people):
        assert TOLD in Browser(caught.table, who).get(f"/games/{caught.id}/replay?seat=2").text


def test_mr_x_alone_is_told_as_you(caught: Playing):
    assert ["You went to 116" in page(caught, who) or "you went to 116" in page(caught, who) for who in (0, 1)] == [
        True, False,
    ]  # fmt: skip


def test_a_player_finds_rematch_replay_and_share_beside_each_other_before_the_board(caught: Playing):
    shown = page(caught, 1)
    head = shown[: shown.index('id="board"')]
    assert re.findall(r">(Rematch|Replay|Share)</", head) == ["Rematch", "Replay", "Share"]
    assert shown.count("Rematch</button>") == 1


def test_before_the_result_is_final_nothing_of_the_end_is_on_any_page_in_a_title_or_a_preview(tmp_path: Path):
    game = again(Table(tmp_path, public_url=SITE, sandbox="1"), _hunted)
    for _ in ("running", "provisional"):
        for who in (None, 0, 1):
            shown = page(game, who)
            assert [words for words in OF_THE_END if words in shown] == []
        assert "Mr. X is at" not in " ".join(tags(page(game)).values())
        assert "<title>" + game.view()["name"] + "</title>" in page(game)
        before = Browser(game.table).get(f"/games/{game.id}/preview.png")
        for path in ("replay.png", "replay?seat=1", "replay?seat=2"):
            for who in (None, *game.people):
                assert Browser(game.table, who).get(f"/games/{game.id}/{path}").status_code == 404
        game.contest()
        game.people[0].post(f"{game.path}/resign")
    assert (game.view()["status"], game.view()["outcome"]["final"]) == ("over", False)
    assert game.view(game.people[1])["pawns"]["mr_x"]["station"] is None
    assert Browser(game.table).get(f"/games/{game.id}/preview.png").data == before.data


def test_an_end_that_is_taken_back_leaves_the_game_as_closed_as_it_was(table: Table):
    game = again(table, _hunted)
    game.contest()
    before = page(game, 1)
    game.people[0].post(f"{game.path}/resign")
    with table.app.app_context():
        remedies.reinstate(game.id, "a mistake")
        session.remove()
    shown = page(game, 1)
    assert game.view()["status"] == "running"
    assert [words for words in OF_THE_END if words in shown] == []
    assert before.count('data-pawn="mr_x"') == shown.count('data-pawn="mr_x"')


@pytest.mark.parametrize(("path", "size"), [("replay.png", (1080, 1081)), ("preview.png", (1200, 630))])
def test_the_picture_is_made_once_for_all_who_may_see_it(caught: Playing, path: str, size: tuple[int, int]):
    answers = [Browser(caught.table, who).get(f"/games/{caught.id}/{path}") for who in (None, *caught.people)]
    assert len({answer.data for answer in answers}) == 1
    assert Image.open(io.BytesIO(answers[0].data)).size == size
    assert len(answers[0].data) < 150_000
    assert drawn(caught, size[0]) == 1
    has_it = caught.table.client.get(
        f"/games/{caught.id}/{path}", headers={"If-None-Match": answers[0].headers["ETag"]}
    )
    assert (has_it.status_code, has_it.data) == (304, b"")


def test_a_thousand_requests_for_the_picture_end_in_the_rate_limit(tmp_path: Path):
    table = Table(tmp_path, sandbox="1", rate_limit="200/PT1M")
    game = _caught(table)
    browser = Browser(table, game.people[1])
    found = [browser.get(f"/games/{game.id}/replay.png") for _ in range(1000)]
    statuses = [answer.status_code for answer in found]
    assert statuses == [200] * statuses.count(200) + [429] * statuses.count(429)
    assert 0 < statuses.count(200) <= 200
    assert "Retry-After" in found[-1].headers
    assert drawn(game) == 1


def test_the_picture_of_a_private_game_is_for_those_who_may_see_the_game(caught: Playing):
    table = caught.table
    with table.app.app_context(), transaction():
        game = session.get_one(Game, caught.id)
        game.visibility, code = "private", game.code
    zoe = table.person("Zoe")
    for person, status in ((None, 404), (zoe, 404), (caught.people[0], 200), (caught.people[1], 200)):
        assert Browser(table, person).get(f"/games/{caught.id}/replay.png").status_code == status
        assert Browser(table, person).get(f"/games/{caught.id}/preview.png").status_code == 404
    assert Browser(table).get(f"/games/{caught.id}/replay.png?code={code}").status_code == 404
    assert 'data-share=""' in page(caught, 1), "no address goes with the picture"
    assert tags(page(caught, 1)) == {}


def test_with_a_public_game_s_picture_goes_the_address_of_its_replay(tmp_path: Path):
    game = again(Table(tmp_path, public_url=SITE, sandbox="1"), _caught)
    assert f'data-share="/games/{game.id}/replay"' in page(game, 1)
    assert tags(page(game))["image"].startswith(f"{SITE}/games/{game.id}/preview.png")


def test_a_game_that_ended_before_a_move_has_an_open_board_and_no_moment_that_decided_it(table: Table):
    game = table.game(
        table.people(2), position=position(116, red=103), clock={"kind": "per_phase", "provisional": "PT0S"}
    )
    game.people[0].post(f"{game.path}/resign")
    shown = page(game, 1)
    assert "<li><p>" not in shown.partition('id="hunt"')[2]
    assert "data-share" in shown
    assert Browser(table, game.people[1]).get(f"/games/{game.id}/replay.png").status_code == 200


def test_a_game_that_never_began_has_no_end(table: Table):
    ada = table.people(1)[0]
    made = ada.post("/games", {"edition": "condensed", "players": 2}).json
    Browser(table, ada).post(f"/games/{made['id']}/close")
    assert Browser(table, ada).get(f"/games/{made['id']}").status_code == 200
    for path in ("replay", "replay.png"):
        assert Browser(table, ada).get(f"/games/{made['id']}/{path}").status_code == 404


def test_a_game_from_a_position_counts_its_moves_as_the_travel_log_does(table: Table):
    game = table.game(table.people(6), position=CHASE, clock={"kind": "per_phase", "provisional": "PT0S"})
    game.move(game.people[0], "black 100")
    game.people[0].post(f"{game.path}/resign")
    order = page(game).partition('class="order"')[2].partition("</g>\n</g>")[0]
    assert re.findall(r">([^<]+)</text>", order) == ["start", "9"]
    assert "When the game ended the detectives had Mr. X " in page(game)


def test_a_guest_with_a_seat_in_another_game_finds_nothing_of_a_private_one(caught: Playing):
    table = caught.table
    with table.app.app_context(), transaction():
        session.get_one(Game, caught.id).visibility = "private"
    guest = Browser(table)
    own = guest.post("/practice", {"role": "mr_x"}).headers["Location"]
    assert guest.get(own).status_code == 200
    missing = guest.get(f"/games/{'a' * 16}/replay").text
    for path in ("", "/replay", "/replay?seat=1", "/replay?seat=2", "/replay.png", "/preview.png"):
        answer = guest.get(f"/games/{caught.id}{path}")
        assert (answer.status_code, answer.text) == (404, missing), path


def test_a_game_restored_to_before_its_end_has_none_whatever_was_looked_at_meanwhile(table: Table):
    game = again(table, _hunted)
    kept = databases.Kept(table.app)
    before = page(game, 1)
    for mover, notation in ((0, "taxi 116"), (1, "red bus 116")):
        assert game.move(game.people[mover], notation).status_code == 201
    assert TOLD in page(game, 1)
    assert Browser(table).get(f"/games/{game.id}/replay.png").status_code == 200
    assert kept.put_back()
    table.runtime.game_cache = GameCache()
    shown = page(game, 1)
    assert [words for words in OF_THE_END if words in shown] == []
    assert shown.count('data-pawn="mr_x"') == before.count('data-pawn="mr_x"')
    for path in ("replay.png", "replay?seat=1"):
        assert Browser(table).get(f"/games/{game.id}/{path}").status_code == 404


def test_the_end_is_kept_in_each_language_by_itself(caught: Playing):
    with caught.table.app.test_request_context():
        game = look(caught.id, None)
        english = ending.of(game)
        with speaking("de"):
            german = ending.of(game)
        assert ending.of(game) == english != german


def answer_of(browser: Browser, path: str) -> Any:
    return browser.client.get(path, headers=BROWSER | {"Accept-Encoding": "gzip"})


def test_the_page_of_the_end_is_compressed_when_no_secret_is_left_in_it(caught: Playing):
    for person in (*caught.people, None):
        browser, path = Browser(caught.table, person), f"/games/{caught.id}"
        plain, short = browser.get(path), answer_of(browser, path)
        assert gzip.decompress(short.data) == plain.data
        assert len(short.data) < 0.4 * len(plain.data)
        assert "Accept-Encoding" in plain.headers["Vary"]
        assert "Accept-Encoding" in short.headers["Vary"]


def test_it_is_not_while_words_to_the_team_stand_in_it_or_what_a_form_sent(table: Table):
    game = table.game(table.people(3))
    ada, ben, cleo = game.people
    ben.post(f"{game.path}/messages", {"to": "team", "text": "Among us"})
    ada.post(f"{game.path}/resign")
    path = f"/games/{game.id}"
    for person, is_short in ((ada, True), (ben, False), (cleo, False), (None, True)):
        answer = answer_of(Browser(table, person), path)
        assert ("Content-Encoding" in answer.headers) == is_short, person and person.name
    refused = Browser(table, ada).client.post(
        f"{path}/talk", data={"to": "all", "text": "x" * 1001}, headers=BROWSER | HERE | {"Accept-Encoding": "gzip"}
    )
    assert refused.status_code == 422
    assert "Content-Encoding" not in refused.headers


def test_it_is_not_while_the_result_is_provisional(table: Table):
    game = table.game(table.people(2), "condensed")
    game.contest()
    game.people[0].post(f"{game.path}/resign")
    assert "Content-Encoding" not in answer_of(Browser(table, game.people[0]), f"/games/{game.id}").headers
