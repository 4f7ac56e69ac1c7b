"""The replay of a game: everybody who may see the game can look at it, once the result is final."""

import io
import json
import re

import pytest
from PIL import Image

from blackticket.standalone import verifier
from server.drawing import figures
from server.engine import Board
from server.models import session, transaction
from tests.kept import again
from tests.positions import position
from tests.scenes import hunt
from tests.table import Playing, Table
from tests.web.game.test_page import Browser

PARTS = ("replay", "replay.svg", "replay.png", "record.txt", "transcript.json")


@pytest.fixture
def caught(table: Table) -> Playing:
    return again(table, _caught)


def _caught(table: Table) -> Playing:
    """A game of two rounds, in which Red catches Mr. X at 86."""
    game = table.game(table.people(2), position=position(116, red=103))
    for mover, notation in ((0, "taxi 104"), (1, "red taxi 85"), (0, "taxi 86"), (1, "red taxi 103")):
        assert game.move(game.people[mover], notation).status_code == 201
    for mover, notation in ((0, "black 104"), (1, "red taxi 86"), (0, "taxi 116"), (1, "red bus 116")):
        assert game.move(game.people[mover], notation).status_code == 201
    return game


def hide(game: Playing) -> None:
    with game.table.app.app_context(), transaction():
        session.connection().exec_driver_sql("UPDATE games SET visibility = 'private'")


def test_the_replay_shows_the_board_after_each_move(caught: Playing):
    page = Browser(caught.table).get(f"/games/{caught.id}/replay?ply=3").text
    assert "Mr. X took a taxi to 86. Mr. X is at 86." in page
    (way,) = set(re.findall(r'class="way" d="([^"]+)"', page))
    assert way.count("L") == 2
    assert re.findall(r'class="place" d="([^"]*)"', page)[0].count("M") == len(
        re.findall(r"\d+", re.findall(r'data-at="86" data-known="86" data-possible="([^"]+)"', page)[0])
    )


def test_where_mr_x_was_caught_both_pawns_are_seen_side_by_side(caught: Playing):
    at = r'transform="translate\(([-\d]+) ([-\d]+)\)">\s*'
    pawn = re.compile(
        rf'data-pawn="(mr_x|red)" {at}<g transform="translate\(0 0\)"[^>]*><circle r="([\d.]+)".*\s*<g {at}'
    )
    shown = page(Browser(caught.table), caught, 8)
    found = {name: tuple(map(float, numbers)) for name, *numbers in pawn.findall(shown)}
    assert {at[:2] for at in found.values()} == {Board.named("london").stations[116]}
    assert found["mr_x"][2] != found["red"][2], "each has a ring"
    his, theirs = (figures.box(name, found[name][3:]) for name in ("mr_x", "red"))
    assert his.shared(theirs) == 0


def page(browser: Browser, game: Playing, ply: int) -> str:
    return browser.get(f"/games/{game.id}/replay?ply={ply}").text


def test_the_page_of_a_game_that_is_over_shows_where_mr_x_is_and_not_where_he_was_last_seen(caught: Playing):
    page = Browser(caught.table).get(f"/games/{caught.id}").text
    assert page.count('data-pawn="mr_x"') == 1
    assert "data-seen" not in page
    assert 'data-pawn="seen"' not in page


def test_without_a_script_links_lead_from_move_to_move(caught: Playing):
    page = Browser(caught.table).get(f"/games/{caught.id}/replay?ply=3").text
    numbers = {int(ply) for ply in re.findall(r'href="\?ply=(\d+)"', page)}
    assert numbers == set(range(9))
    assert re.search(r'<input type="range" id="ply" name="ply" min="0" max="8" value="3"', page)


def test_a_move_that_there_is_not_is_the_end_or_the_start(caught: Playing):
    for asked in ("999", "-1", "x", "1" * 5000):
        page = Browser(caught.table).get(f"/games/{caught.id}/replay?ply={asked}")
        assert page.status_code == 200, asked[:9]
        assert f'value="{8 if asked == "999" else 0}"' in page.text, asked[:9]


def test_there_is_no_replay_before_the_result_is_final(table: Table):
    running = hunt(table)
    for part in PARTS:
        for person in (None, *running.people[:2]):
            answer = Browser(table, person).get(f"/games/{running.id}/{part}")
            missing = Browser(table, person).get(f"/games/{'a' * 16}/{part}")
            assert (answer.status_code, answer.text.replace(running.id, "a" * 16)) == (404, missing.text), part
    page = Browser(table, running.people[0]).get(f"/games/{running.id}").text
    assert "/replay" not in page


def test_a_provisional_result_opens_nothing(table: Table):
    resigned = hunt(table)
    resigned.contest()
    assert resigned.people[0].post(f"{resigned.path}/resign").status_code == 200
    assert resigned.view()["outcome"]["final"] is False
    browser = Browser(table, resigned.people[0])
    assert browser.get(f"/games/{resigned.id}/replay").status_code == 404
    assert "/replay" not in browser.get(f"/games/{resigned.id}").text


def test_the_replay_of_a_private_game_is_for_its_players(caught: Playing):
    hide(caught)
    zoe = caught.table.person("Zoe")
    for part in PARTS:
        path = f"/games/{caught.id}/{part}"
        for person, status in ((None, 404), (zoe, 404), (caught.people[1], 200)):
            assert Browser(caught.table, person).get(path).status_code == status, (part, person and person.name)


def test_the_page_of_a_game_leads_to_its_replay_and_says_whom_it_can_be_shown_to(caught: Playing):
    browser = Browser(caught.table)
    assert f'href="/games/{caught.id}/replay"' in browser.get(f"/games/{caught.id}").text
    assert f"<code>http://localhost/games/{caught.id}/replay</code>" in browser.get(f"/games/{caught.id}/replay").text
    hide(caught)
    page = Browser(caught.table, caught.people[1]).get(f"/games/{caught.id}/replay").text
    assert "only its players can open this page" in page


SHOWN_BY_LINK = ("replay", "replay.svg", "replay.png", "replay?seat=1&ply=2")


def wants(game: Playing, number: int, shows: str | None) -> str | None:
    """Let a player say how they want the replay shown; return the link, None if there is none."""
    answer = game.people[number].request("PUT", f"{game.path}/replay", json={"shows": shows})
    assert answer.status_code == 200, answer.text
    return answer.json["link"]


@pytest.fixture
def hidden(caught: Playing) -> Playing:
    """The same game, seen by its players alone."""
    hide(caught)
    return caught


def test_a_link_shows_the_replay_to_everybody_when_one_player_of_each_side_wants_it(hidden: Playing):
    anybody, zoe = Browser(hidden.table), Browser(hidden.table, hidden.table.person("Zoe"))
    assert wants(hidden, 0, "pawn") is None
    assert anybody.get(f"/games/{hidden.id}/replay").status_code == 404
    link = wants(hidden, 1, "pawn")
    assert link == f"http://localhost/games/{hidden.id}/replay"
    for browser in (anybody, zoe):
        assert {browser.get(f"/games/{hidden.id}/{part}").status_code for part in SHOWN_BY_LINK} == {200}


def test_the_link_opens_nothing_else(hidden: Playing):
    for number in (0, 1):
        wants(hidden, number, "name")
    anybody = Browser(hidden.table)
    nowhere = anybody.get("/games/aaaaaaaaaaaaaaaa/record.txt").text
    for part in ("record.txt", "transcript.json", "log", "board.svg", "preview.png", "news"):
        answer = anybody.get(f"/games/{hidden.id}/{part}")
        assert answer.status_code == 404, part
    assert anybody.get(f"/games/{hidden.id}/record.txt").text.replace(hidden.id, "aaaaaaaaaaaaaaaa") == nowhere
    assert anybody.get(f"/games/{hidden.id}").status_code == 404
    page = anybody.get(f"/games/{hidden.id}/replay").text
    assert not re.findall(r'"[^"]*/(?:record\.txt|transcript\.json)"', page)
    forms = re.findall(r'<form[^>]*post[^>]*action="([^"]+)"', page)
    assert forms[:-1] == [f"/games/{hidden.id}/again"], "one may play on alone"
    assert forms[-1].startswith("/language?")


def test_strangers_see_pawns_and_the_names_of_those_who_agreed_and_no_talk(hidden: Playing):
    ada, _ = hidden.people
    ada.post(f"{hidden.path}/messages", {"to": "all", "text": "Well played"})
    wants(hidden, 0, "pawn")
    wants(hidden, 1, "name")
    anybody, player = Browser(hidden.table), Browser(hidden.table, ada)
    for path in (f"/games/{hidden.id}/{part}" for part in SHOWN_BY_LINK if part != "replay.png"):
        page = anybody.get(path).text
        assert "Ada" not in page, path
        assert "Well played" not in page, path
        assert "Ben" in page, path
    assert "Ada" in player.get(f"/games/{hidden.id}/replay").text
    wants(hidden, 1, "pawn")
    assert "Ben" not in anybody.get(f"/games/{hidden.id}/replay").text


def test_the_picture_for_strangers_is_another_one_than_that_for_players(hidden: Playing):
    for number in (0, 1):
        wants(hidden, number, "pawn")
    anybody, player = Browser(hidden.table), Browser(hidden.table, hidden.people[0])
    first = player.get(f"/games/{hidden.id}/replay.png")
    second = anybody.get(f"/games/{hidden.id}/replay.png")
    assert first.data != second.data
    assert player.get(f"/games/{hidden.id}/replay.png").data == first.data
    wants(hidden, 0, "name")
    wants(hidden, 1, "name")
    assert anybody.get(f"/games/{hidden.id}/replay.png").data == first.data


def test_it_is_closed_when_a_player_withdraws_or_deletes_the_account(hidden: Playing):
    anybody, path = Browser(hidden.table), f"/games/{hidden.id}/replay"
    for number in (0, 1):
        wants(hidden, number, "name")
    assert wants(hidden, 1, None) is None
    assert anybody.get(path).status_code == 404
    wants(hidden, 1, "pawn")
    assert anybody.get(path).status_code == 200
    assert hidden.people[1].request("DELETE", "/me", json={"name": "Ben"}).status_code == 204
    assert anybody.get(path).status_code == 404


def test_players_say_so_by_a_form_below_the_replay(hidden: Playing):
    ada, ben = (Browser(hidden.table, person) for person in hidden.people)
    path = f"/games/{hidden.id}/replay"
    assert "Close the link" not in ada.get(path).text
    assert ada.post(path, {"shows": "pawn"}).headers["Location"] == f"{path}#keep"
    assert "when a player of the other side wants it too" in ada.get(path).text
    ben.post(path, {"shows": "name"})
    page = ada.get(path).text
    assert f"<code>http://localhost{path}</code>" in page
    assert "Close the link" in page
    assert f'data-share="{path}"' in ada.get(f"/games/{hidden.id}").text
    ada.post(path, {"shows": ""})
    assert Browser(hidden.table).get(path).status_code == 404
    refused = ada.post(path, {"shows": "face"})
    assert (refused.status_code, "pawn or name" in refused.text) == (422, True)


def test_a_spectator_has_no_say(caught: Playing):
    zoe = caught.table.person("Zoe")
    assert zoe.request("PUT", f"{caught.path}/replay", json={"shows": "pawn"}).status_code == 403
    assert Browser(caught.table, zoe).post(f"/games/{caught.id}/replay", {"shows": "pawn"}).status_code == 403
    assert "Show me as a pawn" not in Browser(caught.table, zoe).get(f"/games/{caught.id}/replay").text


def test_the_files_of_a_game_are_its_record_its_pictures_and_what_the_verifier_checks(caught: Playing, tmp_path):
    browser = Browser(caught.table)
    record, transcript, svg, png = (
        browser.get(f"/games/{caught.id}/{part}")
        for part in ("record.txt", "transcript.json", "replay.svg", "replay.png")
    )
    assert "4. taxi 116; red bus 116" in record.text
    path = tmp_path / f"transcript-{caught.id}.json"
    path.write_bytes(transcript.data)
    assert json.loads(transcript.data)["header"]["game"] == caught.id
    assert verifier.main([str(path)]) == 0
    assert "caught Mr. X on 116 in round 4" in svg.text
    assert Image.open(io.BytesIO(png.data)).width == 1080
    for answer in (record, transcript, svg, png):
        assert answer.headers["Content-Disposition"].startswith("attachment; filename=")


def test_the_page_of_a_long_game_is_small(caught: Playing):
    page = Browser(caught.table).get(f"/games/{caught.id}/replay").data
    more = [Browser(caught.table).get(path).data for path in ("/style.css", "/scripts/replay.js")]
    assert len(page) + sum(map(len, more)) < 110_000


def test_where_only_one_station_fits_the_travel_log_the_replay_says_so(caught: Playing):
    page = Browser(caught.table).get(f"/games/{caught.id}/replay").text
    said = re.findall(r'data-where="([^"]+)"', page)
    assert any("he could only be there" in each for each in said)
    assert "1 station." not in page


def hidden_game(table: Table) -> Playing:
    """A game in which Mr. X shows himself on move 2, hides, and is caught at 116."""
    game = table.game(table.people(2), position=position(116, red=103), options={"surfacing": [2]})
    for mover, notation in ((0, "taxi 104"), (1, "red taxi 85"), (0, "taxi 86"), (1, "red taxi 103")):
        assert game.move(game.people[mover], notation).status_code == 201
    for mover, notation in ((0, "black 104"), (1, "red taxi 86"), (0, "taxi 116"), (1, "red bus 116")):
        assert game.move(game.people[mover], notation).status_code == 201
    return game


def test_from_a_detective_s_seat_the_replay_shows_what_they_knew_and_no_more(table: Table):
    game = again(table, hidden_game)
    browser = Browser(table)
    of_seat = {ply: browser.get(f"/games/{game.id}/replay?ply={ply}&seat=2").text for ply in range(9)}
    for ply, sentence in {
        1: "Mr. X took a taxi. Mr. X has not shown himself yet. He is on one of ",
        3: "Mr. X took a taxi to 86 and showed himself. Mr. X is at 86.",
        5: "Mr. X took a black ticket. Mr. X was seen at 86 on move 2, then took black.",
        8: "Red took a bus to 116. Mr. X is at 116.",
    }.items():
        assert sentence in of_seat[ply], ply
        assert "Red has" in of_seat[ply].partition('class="now"')[2].partition("</p>")[0], ply
    shown = {
        ply: sorted(re.findall(r'data-pawn="(mr_x|seen)" (transform|display)', page)) for ply, page in of_seat.items()
    }
    assert shown[1] == [("mr_x", "display"), ("seen", "display")]
    assert shown[3] == [("mr_x", "transform"), ("seen", "display")]
    assert shown[5] == [("mr_x", "display"), ("seen", "transform")]
    assert shown[8] == [("mr_x", "transform"), ("seen", "display")]
    assert all(set(re.findall(r'class="way" d="([^"]*)"', page)) == {""} for page in of_seat.values())
    assert re.findall(r'class="mr_x" data-at="(\d*)" data-known="(\d*)"', of_seat[0]) == [
        ("", ""), ("86", "86"), ("", ""), ("", "")
    ]  # fmt: skip


def test_from_mr_x_s_seat_the_replay_shows_where_he_was_and_what_the_others_knew(table: Table):
    game = again(table, hidden_game)
    page = Browser(table).get(f"/games/{game.id}/replay?ply=5&seat=1").text
    assert "Mr. X is at 104. The others knew that he was on " in page
    assert set(re.findall(r'class="way" d="([^"]*)"', page)).pop().count("L") == 3


def test_the_links_of_a_seat_s_replay_stay_at_the_seat_and_a_field_offers_all_others(table: Table):
    game = again(table, hidden_game)
    page = Browser(table).get(f"/games/{game.id}/replay?ply=3&seat=2").text
    plies = {int(ply) for ply in re.findall(r'href="\?ply=(\d+)&amp;seat=2"', page)}
    assert plies == set(range(9))
    views = page.partition('<select name="seat">')[2].partition("</select>")[0]
    assert re.findall(r'<option value="(\d*)"( selected)?>([^<]+)</option>', views) == [
        ("", "", "the game"), ("1", "", "Mr. X (Ada)"), ("2", " selected", "Red (Ben)")
    ]  # fmt: skip


def test_a_seat_that_there_is_not_has_no_replay(caught: Playing):
    browser = Browser(caught.table)
    for seat in ("0", "3", "-1", "x", "1" * 5000):
        assert browser.get(f"/games/{caught.id}/replay?seat={seat}").status_code == 404, seat[:9]


def test_steps_lead_from_round_to_round(caught: Playing):
    page = Browser(caught.table).get(f"/games/{caught.id}/replay?ply=3").text
    to = dict(re.findall(r'data-to="(round-\w+)" href="\?ply=(\d+)"', page))
    assert to == {"round-back": "2", "round-on": "4"}
    ends = [Browser(caught.table).get(f"/games/{caught.id}/replay?ply={ply}").text for ply in (0, 8)]
    assert [re.findall(r'data-to="round-\w+" href="\?ply=(\d+)"', page) for page in ends] == [["0", "2"], ["6", "8"]]
