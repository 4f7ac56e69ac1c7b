"""PLAY and LIST: a mail finds a game for its author, or says which there are."""

import re

import pytest

from tests.mail.commands.test_joining import flat, opened, replied
from tests.scenes import write
from tests.table import Table


def test_play_begins_a_practice_game_in_which_the_first_turn_comes_by_mail(table: Table):
    ada = table.person("Ada")
    for text, edition, role, seats in (
        ("PLAY", "ravensburger-2000", "Purple", 6), ("play condensed as Mr. X", "condensed", "Mr. X", 6),
        ("Play 3", "ravensburger-2000", "Purple and Red", 3),
        ("PLAY team", "ravensburger-2000", "Purple, Red, Green, Yellow and Blue", 2),
        ("play 1985 with the whole team", "milton-bradley-1985", "Purple, Red, Green, Yellow and Blue", 2),
        ("PLAY 4, as team", "ravensburger-2000", "Purple, Red and Green", 2),
        ("PLAY the whole team condensed", "condensed", "Purple, Red, Green and Yellow", 2),
    ):  # fmt: skip
        table.clock.turn(minutes=1)
        write(ada, text)
        before = len(ada.mails)
        for _ in range(3):
            table.tick()
            table.clock.turn(minutes=1)
        (turn,) = ada.mails[before:]
        assert "your move" in turn["Subject"]
        assert flat(turn).startswith("Round 1")
        assert f", {role}. Answer above" in flat(turn)
        game = opened(ada)
        assert (game["edition"], game["status"], len(game["seats"])) == (edition, "running", seats)
        assert game["visibility"] == "private"

    ada.reply("SET mail daily 18:00")
    table.tick()
    write(ada, "PLAY")
    table.tick()
    assert "practice game has begun" in ada.mails[-1]["Subject"], "the turn mail waits for the digest"


@pytest.mark.parametrize(
    ("text", "level"),
    [("PLAY", "easy"), ("PLAY easy", "easy"), ("play fair", "fair"), ("PLAY condensed, good as Mr. X", "good")],
)
def test_play_names_the_level_of_the_bots(table: Table, text: str, level: str):
    ada = table.person("Ada")
    write(ada, text)
    for _ in range(3):
        table.tick()
    assert {seat["level"] for seat in opened(ada)["seats"] if seat["bot"]} == {level}


def test_a_level_that_there_is_not_begins_no_game(table: Table):
    ada = table.person("Ada")
    write(ada, "PLAY hard")
    table.tick()
    assert ada.get("/games?mine=true").json["games"] == []


def test_a_bot_is_invited_with_its_level(table: Table):
    ada = table.person("Ada")
    write(ada, "NEW condensed 2 as mr_x with constable good")
    table.tick()
    assert [(seat["bot"], seat["level"]) for seat in opened(ada)["seats"]] == [(None, None), ("constable", "good")]


def test_help_offers_nothing_about_other_players_against_bots(table: Table):
    ada = table.person("Ada")
    write(ada, "PLAY as Mr. X")
    table.tick()
    said = replied(ada, "HELP")
    assert '"RESIGN" ends the game.' in said
    assert "SAY" not in said
    assert "EXTEND" not in said


def test_list_numbers_the_public_games_that_have_a_seat_and_join_takes_that_number(table: Table):
    ada, ben, cleo = table.people(3)
    mine = [ada.post("/games", {"edition": "condensed", "players": n, "visibility": "public"}).json for n in (2, 3)]
    ada.post("/games", {"edition": "condensed", "players": 2, "visibility": "private"})
    seats = [{"role": "mr_x", "bot": "fugitive"}, {"role": "detective", "invite": "eve@example.org"}]
    ada.post("/games", {"edition": "condensed", "seats": seats, "visibility": "public"})
    write(ben, "JOIN 1")
    write(cleo, "LIST")
    table.tick()
    assert "No game had that number in the last list" in flat(ben.mails[-1])
    said = flat(cleo.mails[-1])
    numbered = sorted(mine, key=lambda game: game["id"])
    names = [next(name for name in re.findall(r"- \d: (\w+ \w+),", said)) for _ in numbered]
    assert len(re.findall(r"- \d: ", said)) == len(names) == 2
    write(cleo, "JOIN 2 as detective")
    table.tick()
    assert "You have taken the seat of" in flat(cleo.mails[-1])
    taken = ada.get(f"/games/{numbered[1]['id']}").json["seats"]
    assert [seat["player"] for seat in taken][1] == cleo.id


def test_list_says_so_when_no_game_waits(table: Table):
    ada = table.person("Ada")
    write(ada, "list")
    table.tick()
    assert "No public game waits for players now." in flat(ada.mails[-1])
