"""RULES, MAP, LOG and REPLAY."""

import re
from typing import Any

import pytest

from server.application.people.accounts.sign_up import welcome
from server.drawing import printing
from server.engine import Board, Edition
from server.models import Player, session, transaction
from server.vocabulary.translation import speaking
from server.wording.rules import in_brief
from tests.positions import position
from tests.scenes import hunt, text_of, write
from tests.table import Person, Playing, Table


@pytest.fixture
def hunted(table: Table) -> Playing:
    return hunt(table)


def asked(person: Person, text: str, **more: Any) -> Any:
    """Return the one answer to a reply."""
    before = len(person.mails)
    person.reply(text, **more)
    person.table.tick()
    (mail,) = [mail for mail in person.mails[before:] if mail["Auto-Submitted"] == "auto-replied"]
    return mail


def flat(mail: Any) -> str:
    return " ".join(text_of(mail).split())


def files(mail: Any) -> dict[str, bytes]:
    return {part.get_filename(): part.get_content() for part in mail.iter_attachments()}


# RULES ------------------------------------------------------------------------------------------


def test_rules_are_those_of_the_game_as_its_host_set_them(table: Table):
    people, clock = table.people(3), {"detectives_late": "easy", "grace": "PT6H"}
    game = table.game(people, "ravensburger-2000", options={"surfacing": [2, 4], "cut_off": True}, clock=clock)
    table.tick()
    said = flat(asked(game.people[1], "RULES"))
    assert "the rules of Ravensburger 2000 as the host of this game set them" in said
    assert "On moves 2 and 4 of the log Mr. X shows his station." in said
    assert "He has four." in said
    assert "6 hours of grace. The server moves the pawns of late detectives as easy bots do" in said
    assert "Set by the host: when Mr. X shows himself and lines that are cut off." in said
    assert "It is the turn of" not in said
    assert "Your choices" not in said


def test_rules_and_help_name_pawns_of_the_game_and_no_others(table: Table):
    people = table.people(4)
    game = table.game(people)
    table.tick()
    assert "The detectives move in the order Purple, Red and Green." in flat(asked(game.people[1], "RULES"))
    alone = table.game(people[:2], position=position(111, purple=127))
    table.tick()
    assert '"HOST purple"' in flat(asked(alone.people[1], "HELP ALL", to=people[1].mails[-1]))


def test_rules_of_another_edition_say_what_it_does_differently(hunted: Playing):
    said = flat(asked(hunted.people[1], "RULES 1985"))
    assert "the rules of Milton Bradley 1985." in said
    assert "Different from Ravensburger 2000, the usual edition: when Mr. X wins, the order of a round" in said
    assert "115 and 118" in said


def test_an_edition_that_fits_no_name_is_asked_for(hunted: Playing):
    said = flat(asked(hunted.people[1], "RULES bradley 2000"))
    assert "Which edition? There are Milton Bradley 1985, Ravensburger 2000, Condensed and Ravensburger 2013." in said


def test_somebody_without_a_game_gets_the_rules_and_the_map_too(table: Table):
    person = table.person("Ada")
    write(person, "RULES\nMAP 1985")
    table.tick()
    (mail,) = person.mails
    assert in_brief_is_in(flat(mail))
    assert list(files(mail)) == ["board-london-milton-bradley.pdf"]


def in_brief_is_in(said: str) -> bool:
    return all(line in said for line in in_brief(Edition.named("ravensburger-2000")))


# MAP --------------------------------------------------------------------------------------------


def test_map_brings_the_board_of_the_game_as_a_pdf(hunted: Playing):
    assert files(asked(hunted.people[1], "MAP")) == {"board-london.pdf": printing.pdf(Board.named("london"))}


def test_the_board_that_comes_has_a_german_name_for_who_reads_german(hunted: Playing):
    ben = hunted.people[1]
    ben.request("PATCH", "/me/preferences", json={"language": "de"})
    with speaking("de"):
        assert files(asked(ben, "KARTE")) == {"spielplan-london.pdf": printing.pdf(Board.named("london"))}


def test_map_of_another_edition_brings_its_board(hunted: Playing):
    assert list(files(asked(hunted.people[1], "MAP 1985"))) == ["board-london-milton-bradley.pdf"]


# LOG and REPLAY ---------------------------------------------------------------------------------


def test_log_ends_a_line_where_he_was_seen_and_says_what_he_holds(hunted: Playing):
    said = flat(asked(hunted.people[1], "LOG"))
    assert "Move 9: a black ticket; still unseen." in said
    assert "three black and two doubles" in said
    assert "79, 100, 110, 112, 124 or 163" in said
    assert "Your choices" not in said


def test_the_log_and_the_replay_of_mr_x_are_his_own(hunted: Playing):
    assert "a black ticket for a bus to 100" in flat(asked(hunted.people[0], "LOG"))
    assert "Mr. X from 111 to 100 with a black ticket for a bus" in flat(asked(hunted.people[0], "REPLAY"))


def test_a_detective_s_replay_has_who_moved_from_where_to_where_and_no_station_of_mr_x(hunted: Playing):
    hunted.move(hunted.people[1], "purple bus 102")
    said = flat(asked(hunted.people[2], "REPLAY"))
    assert "Round 1: Mr. X with a black ticket; Purple 127 to 102 with a bus." in said
    assert "100" not in said
    assert "could be" not in said


def test_before_the_start_there_is_nothing_to_replay(table: Table):
    host, guest = table.people(2)
    host.post(
        "/games",
        {
            "edition": "condensed",
            "seats": [{"role": "mr_x", "player": host.id}, {"role": "detective", "player": guest.id}],
        },
    )
    table.tick()
    assert "there is nothing to tell yet" in flat(asked(guest, "REPLAY"))
    assert "the travel log is empty" in flat(asked(guest, "LOG"))


SEEN_NEXT = position(
    46,
    his={"taxi": 4, "bus": 3, "underground": 3, "black": 2, "double": 2},
    log_used=1,
    red=(67, {"taxi": 8, "bus": 8, "underground": 3}),
    green=(133, {"taxi": 9, "bus": 6, "underground": 4}),
)


@pytest.fixture
def ended(table: Table) -> Playing:
    """A game in which Mr. X showed himself once, and then gave up."""
    game = table.game(table.people(3), position=SEEN_NEXT)
    for mover, move in ((0, "bus 58"), (1, "red taxi 66"), (2, "green taxi 140"), (0, "taxi 45")):
        assert game.move(game.people[mover], move).status_code == 201
    table.tick()
    return game


def test_while_the_game_runs_no_picture_comes(ended: Playing):
    assert files(asked(ended.people[1], "REPLAY")) == {}


def test_once_the_result_is_final_everybody_gets_the_whole_story(ended: Playing):
    for person in ended.people:
        person.post(f"/games/{ended.id}/resign")
    ended.table.clock.turn(hours=25)
    ended.table.tick()
    assert ended.view()["outcome"]["final"]
    mail = asked(ended.people[1], "REPLAY")
    said = flat(mail)
    assert "This is the whole story" in said
    assert "Round 1: Mr. X from 46 to 58 with a bus; Red 67 to 66 with a taxi" in said
    assert re.search(r"Mr\. X from 58 to 45 with a taxi.*Unseen, he could have been on \w+ stations", said)
    ((name, content),) = files(mail).items()
    assert name == "round-2-move-3.png"
    assert content.startswith(b"\x89PNG")


def test_the_mail_that_welcomes_a_player_brings_the_board(table: Table):
    person = table.person("Ada")
    with table.app.app_context(), transaction():
        welcome(session.get_one(Player, person.id))
    table.tick()
    assert list(files(person.mails[-1])) == ["board-london.pdf"]
