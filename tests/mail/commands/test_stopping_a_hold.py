"""What is held can always be stopped, in answer to whatever mail; what only reads leaves it."""

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from server.application.time import deadlines
from server.mail import inbox
from server.mail.examination.supervisor import TooCostly
from server.models import session
from tests.mail.commands.test_holding import MOVE, ahead, answer, history, hunted, wait
from tests.mail.test_reading_that_fails import reader
from tests.scenes import PASSED, hunt, pairs, text_of, write
from tests.table import Person, Playing, Table

__all__ = ["hunted"]  # a fixture
STOPPED = f'Not set: "{MOVE}".'


def last(person: Person) -> str:
    """Return the newest mail, on one line."""
    return " ".join(text_of(person.mails[-1]).split())


STOPS = [
    "sorry ignore my last mail, still thinking",
    "Bitte noch nicht ausführen",
    "Stop! Not yet.",
    "Moment, ich überlege noch",
    "Non, pas encore s'il te plaît",
    "blorp fnord quux",
    "STATUS\nI was wrong about that move",
    "taxi 999",
    "NO",
    "CANCEL",
    "STOP",
    "stop please",
    "",
]


@pytest.mark.parametrize("text", STOPS)
def test_a_mail_that_takes_back_or_is_not_understood_stops_it_in_answer_to_the_turn_mail(hunted: Playing, text: str):
    ben = hunted.people[1]
    turn = ben.mails[-2]
    answer(ben, "taxi 115")
    assert STOPPED in answer(ben, text, to=turn)
    wait(hunted, minutes=20)
    assert len(history(hunted)) == 1
    assert f'Understood and played: "{MOVE}".' in answer(ben, "YES")


LEAVES = [
    "Thanks!",
    "STATUS",
    "LOG",
    "BOARD 999",
    "HELP",
    "TRY taxi 115",
    "SAY all good luck",
    "How does the game stand?",
    "SET picture off",
    "YES",
]


@pytest.mark.parametrize("text", LEAVES)
def test_thanks_talk_and_what_only_reads_leave_it_in_answer_to_the_turn_mail(hunted: Playing, text: str):
    ben = hunted.people[1]
    turn = ben.mails[-2]
    answer(ben, "taxi 115")
    assert "othing was done" not in answer(ben, text, to=turn)
    wait(hunted, minutes=15)
    assert history(hunted)[-1] == MOVE


@pytest.mark.parametrize("text", ["no wait, taxi 126 instead", "Not 115, taxi 126!"])
def test_a_move_in_its_place_waits_in_answer_to_the_turn_mail_too(hunted: Playing, text: str):
    ben = hunted.people[1]
    turn = ben.mails[-2]
    answer(ben, "taxi 115")
    assert 'Understood: "purple taxi 126". I play it at' in answer(ben, text, to=turn)
    wait(hunted, minutes=15)
    assert history(hunted)[1:] == ["purple taxi 126"]


def test_what_waits_for_each_pawn_is_stopped_and_yes_plays_all_of_it(table: Table):
    game = pairs(table)
    ben = game.people[1]
    answer(ben, "SET hold always")
    turn = ben.mails[-1]
    moves = [next(m for m in game.legal(ben) if m.startswith(pawn)) for pawn in ("purple", "red")]
    for move in moves:
        answer(ben, move, to=turn)
    said = answer(ben, "sorry ignore my last mails, still thinking", to=turn)
    assert f'Not set: "{moves[0]}" and "{moves[1]}".' in said
    wait(game, minutes=20)
    assert len(history(game)) == 1
    answer(ben, "YES")
    assert history(game)[1:] == moves


def test_a_move_held_by_a_mail_with_an_unclear_line_is_not_stopped_by_that_line(table: Table):
    game = pairs(table)
    ben = game.people[1]
    purple = next(m for m in game.legal(ben) if m.startswith("purple"))
    said = answer(ben, f"{purple}\nThe weather in Kent is foul and my aunt is here")
    assert f'Understood: "{purple}". I play it at' in said
    assert "Not set" not in said
    wait(game, minutes=15)
    assert history(game)[-1] == purple


@pytest.mark.parametrize("text", ["NO", "CANCEL", "bus 102", "please ignore that"])
def test_a_mail_to_the_play_address_that_is_proven_stops_it(tmp_path: Path, text: str):
    game = hunt(Table(tmp_path, sandbox="1", authserv_id="mx"))
    ben = game.people[1]
    answer(ben, "SET hold always")
    answer(ben, "taxi 115")
    write(ben, text, Authentication_Results=PASSED)
    game.table.tick()
    assert STOPPED in last(ben)
    wait(game, minutes=20)
    assert len(history(game)) == 1


@pytest.mark.parametrize("text", ["NO", "bus 102", "please ignore that", "TRY taxi 999"])
def test_one_that_anybody_can_have_written_stops_nothing_and_the_answer_to_it_asks(hunted: Playing, text: str):
    ben = hunted.people[1]
    answer(ben, "taxi 115")
    write(ben, text)
    hunted.table.tick()
    assert f'Understood: "{MOVE}". I play it at 18:15 in London' in last(ben)
    assert "othing was done" not in last(ben)
    assert STOPPED in answer(ben, "NO")


def test_a_mail_that_came_in_time_stops_it_although_it_is_read_after_its_time(hunted: Playing):
    ben = hunted.people[1]
    turn = ben.mails[-2]
    answer(ben, "taxi 115")
    hunted.table.clock.turn(minutes=14, seconds=59)
    ben.reply("sorry ignore my last mail, still thinking", to=turn)
    wait(hunted, minutes=2)
    assert len(history(hunted)) == 1


def test_a_mail_that_came_too_late_hears_that_it_is_played(hunted: Playing):
    ben = hunted.people[1]
    turn = ben.mails[-2]
    answer(ben, "taxi 115")
    hunted.table.clock.turn(minutes=15, seconds=1)
    ben.reply("sorry ignore my last mail, still thinking", to=turn)
    wait(hunted)
    assert history(hunted)[-1] == MOVE


def test_a_firm_move_ahead_stays_where_the_same_pawn_is_in_doubt(hunted: Playing):
    cleo = hunted.people[2]
    firm, other = hunted.legal(cleo)[:2]
    assert f'Understood and kept: "{firm}".' in answer(cleo, firm)
    said = answer(cleo, f"{other}\nThe weather in Kent is foul and my aunt is here")
    assert f'What you sent ahead stays: "{firm}". YES replaces it, and NO leaves it.' in said
    assert [each["notation"] for each in ahead(cleo, hunted)] == [firm]
    asked = cleo.mails[-1]
    assert f'what you sent ahead stays: "{firm}".' in answer(cleo, "NO", to=asked)
    assert [each["notation"] for each in ahead(cleo, hunted)] == [firm]


def test_a_yes_to_that_replaces_the_firm_move(hunted: Playing):
    cleo = hunted.people[2]
    firm, other = hunted.legal(cleo)[:2]
    answer(cleo, firm)
    answer(cleo, f"{other}\nThe weather in Kent is foul and my aunt is here")
    answer(cleo, "YES")
    assert [each["notation"] for each in ahead(cleo, hunted)] == [other]


def test_the_team_sees_no_move_ahead_vanish_while_its_player_hesitates(hunted: Playing):
    ben, cleo = hunted.people[1:3]
    firm, other = hunted.legal(cleo)[:2]
    answer(cleo, firm)
    before = ben.get(hunted.path)
    answer(cleo, "SET hold always")
    answer(cleo, other)
    after = ben.get(hunted.path)
    assert (after.json["ahead"], after.headers["ETag"]) == (before.json["ahead"], before.headers["ETag"])


def test_moves_sent_ahead_go_only_by_plain_words_of_taking_back(hunted: Playing):
    cleo = hunted.people[2]
    firm = hunted.legal(cleo)[0]
    answer(cleo, firm)
    answer(cleo, "hmm, the weather in Kent is foul and my aunt disagrees with it")
    assert [each["notation"] for each in ahead(cleo, hunted)] == [firm]
    answer(cleo, "CANCEL")
    assert ahead(cleo, hunted) == []


def test_a_mail_that_cannot_be_read_stops_it_and_says_so(hunted: Playing):
    ben = hunted.people[1]
    turn = ben.mails[-2]
    answer(ben, "taxi 115")
    reader(hunted, TooCostly(), b"attachments")
    said = answer(ben, "with many attachments", to=turn)
    assert "the server cannot read, so it was not obeyed." in said
    assert STOPPED in said
    wait(hunted, minutes=20)
    assert len(history(hunted)) == 1


@pytest.mark.parametrize("is_reply", [True, False])
def test_a_stop_at_the_moment_of_playing_stops_it_or_finds_it_played(tmp_path: Path, is_reply: bool):
    game = hunt(Table(tmp_path, sandbox="1", authserv_id="mx"))
    ben, app = game.people[1], game.table.app
    turn = ben.mails[-1]
    answer(ben, "SET hold always")
    answer(ben, "taxi 115")
    game.table.clock.turn(minutes=15)
    if is_reply:
        ben.reply("please ignore that", to=turn)
    else:
        write(ben, "please ignore that", Authentication_Results=PASSED)
    start = threading.Barrier(2)

    def at_once(act: Callable[[], object]) -> None:
        with app.app_context():
            start.wait()
            act()
            session.remove()

    acts: list[Callable[[], object]] = [lambda: deadlines.play_hold(game.id), inbox.process_waiting]
    threads = [threading.Thread(target=at_once, args=(act,)) for act in acts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    game.table.tick()
    is_played = history(game)[1:] == [MOVE]
    assert (STOPPED in last(ben)) is not is_played


def test_what_was_stopped_is_named_in_the_reminder_and_no_deadline_plays_it(hunted: Playing):
    ben = hunted.people[1]
    answer(ben, "taxi 115")
    answer(ben, "sorry ignore my last mail, still thinking")
    wait(hunted, hours=40)
    assert f'your move is missing. Not set: "{MOVE}".' in last(ben)
    wait(hunted, hours=40)
    assert MOVE not in history(hunted)


def test_a_reminder_to_mr_x_names_no_move_that_is_not_set(table: Table):
    game = hunt(table)
    ada = game.people[0]
    for person in game.people[1:]:
        assert game.move(person, game.legal(person)[0]).status_code == 201
    table.tick()
    move = game.legal(ada)[0]
    answer(ada, f"{move}\nThe weather in Kent is foul and my aunt is here")
    answer(ada, "NO")
    wait(game, hours=40)
    assert "A move that you were asked about is not set." in last(ada)
    assert move not in last(ada)
