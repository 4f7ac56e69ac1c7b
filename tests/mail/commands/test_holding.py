"""Held moves by mail: what is told of a move that waits, and what each answer to it does."""

from typing import Any

import pytest

from tests.mail.commands.test_joining import opened
from tests.scenes import hunt, pairs, text_of, write
from tests.table import Person, Playing, Table, again

MOVE = "purple taxi 115"


@pytest.fixture
def hunted(table: Table) -> Playing:
    return again(table, _hunted)


def _hunted(table: Table) -> Playing:
    game = hunt(table)
    assert "You can stop it meanwhile" in answer(game.people[1], "SET hold always").replace("you", "You")
    return game


def answer(person: Person, text: str, to: Any = None) -> str:
    """Answer the newest mail, or another; the text of what comes back, on one line."""
    before = len(person.mails)
    person.reply(text, to=to)
    person.table.tick()
    return " ".join(text_of(person.mails[-1]).split()) if len(person.mails) > before else ""


def wait(game: Playing, **time: int) -> None:
    """Let the time pass, and the worker do what is due then."""
    game.table.clock.turn(**time)
    game.table.tick()


def history(game: Playing) -> list[str]:
    made: list[str] = game.view()["history"]
    return made


def ahead(person: Person, game: Playing) -> list[dict[str, str]]:
    found: list[dict[str, str]] = person.get(f"/games/{game.id}/ahead").json["moves"]
    return found


def test_a_move_waits_and_is_played_at_its_time_without_another_mail(hunted: Playing):
    ben = hunted.people[1]
    said = answer(ben, "taxi 115")
    assert f'Understood: "{MOVE}". I play it at 18:15 in London' in said
    assert "unless you stop me. You hold all moves of yours. NO stops this, YES plays now." in said
    assert len(history(hunted)) == 1
    wait(hunted, minutes=14)
    assert len(history(hunted)) == 1
    mails = len(ben.mails)
    wait(hunted, minutes=1)
    assert history(hunted)[-1] == MOVE
    assert len(ben.mails) == mails


@pytest.mark.parametrize("text", ["YES", "taxi 115", "YES\ntaxi 115", "purple taxi 115"])
def test_yes_or_the_same_move_plays_it_now(hunted: Playing, text: str):
    ben = hunted.people[1]
    answer(ben, "taxi 115")
    assert f'Understood and played: "{MOVE}".' in answer(ben, text)
    assert history(hunted)[-1] == MOVE
    assert ahead(ben, hunted) == []


def test_thanks_leave_it(hunted: Playing):
    ben = hunted.people[1]
    answer(ben, "taxi 115")
    assert answer(ben, "Thanks!") == ""
    wait(hunted, minutes=15)
    assert history(hunted)[-1] == MOVE


@pytest.mark.parametrize("text", ["NO", "CANCEL", "hmm, the weather in Kent is foul and my aunt disagrees with it"])
def test_no_cancel_or_an_unknown_sentence_stops_it_and_asks(hunted: Playing, text: str):
    ben = hunted.people[1]
    answer(ben, "taxi 115")
    said = answer(ben, text)
    assert f'Not set: "{MOVE}". YES sets it, or send what you mean.' in said
    wait(hunted, minutes=20)
    assert len(history(hunted)) == 1
    assert f'Understood and played: "{MOVE}".' in answer(ben, "YES")


@pytest.mark.parametrize(
    "text", ["NO and YES\nYES\nNO", "taxi 103", "ATTACK at dawn", "taxi 115\nNO", "STATUS\nI was wrong about that move"]
)
def test_what_is_not_understood_in_answer_stops_it(hunted: Playing, text: str):
    ben = hunted.people[1]
    answer(ben, "taxi 115")
    answer(ben, text)
    wait(hunted, minutes=20)
    assert len(history(hunted)) == 1


@pytest.mark.parametrize("text", ["blorp fnord quux", "STATUS\nblorp fnord quux"])
def test_the_answer_to_what_is_not_understood_begins_with_that_it_is_not_played(hunted: Playing, text: str):
    ben = hunted.people[1]
    answer(ben, "taxi 115")
    said = answer(ben, text)
    assert ben.mails[-1]["Subject"].endswith("your move is not set")
    unclear = "blorp fnord quux"
    assert f'above this line. Part of your mail is unclear to me: "{unclear}". Not set: "{MOVE}".' in said
    assert "I play it" not in said


@pytest.mark.parametrize("text", ["STATUS", "SAY all hello", "HELP", "LEGAL"])
def test_a_command_that_has_nothing_to_do_with_it_leaves_it(hunted: Playing, text: str):
    ben = hunted.people[1]
    answer(ben, "taxi 115")
    answer(ben, text)
    wait(hunted, minutes=15)
    assert history(hunted)[-1] == MOVE


@pytest.mark.parametrize("text", ["bus 102", "NO\nbus 102"])
def test_another_move_takes_its_place_and_waits_as_well(hunted: Playing, text: str):
    ben = hunted.people[1]
    answer(ben, "taxi 115")
    wait(hunted, minutes=10)
    assert 'Understood: "purple bus 102". I play it at 18:25 in London' in answer(ben, text)
    wait(hunted, minutes=5)
    assert len(history(hunted)) == 1
    wait(hunted, minutes=10)
    assert history(hunted)[1:] == ["purple bus 102"]


def test_a_no_to_any_mail_of_the_game_stops_it_and_a_yes_there_asks_again(hunted: Playing):
    ben = hunted.people[1]
    turn = ben.mails[-1]
    answer(ben, "taxi 115")
    assert f'Understood: "{MOVE}". I play it' in answer(ben, "YES", to=turn)
    assert len(history(hunted)) == 1
    assert f'Not set: "{MOVE}".' in answer(ben, "NO", to=turn)


def test_yes_twice_plays_once_and_is_told_so(hunted: Playing):
    ben = hunted.people[1]
    answer(ben, "taxi 115")
    held = ben.mails[-1]
    answer(ben, "YES", to=held)
    made = history(hunted)
    assert "There is no open question" in answer(ben, "YES", to=held)
    assert history(hunted) == made


def test_a_yes_to_yesterdays_question_changes_nothing(hunted: Playing):
    ben = hunted.people[1]
    answer(ben, "taxi 115")
    held = ben.mails[-1]
    wait(hunted, minutes=15)
    made = history(hunted)
    for hours in (0, 26):
        wait(hunted, hours=hours)
        assert "No move of yours waits any more: it has been played, or taken back." in answer(ben, "YES", to=held)
    assert [move for move in history(hunted) if move.startswith("purple")] == [made[-1]]


def test_a_no_after_the_time_of_a_move_hears_that_it_stands(hunted: Playing):
    ben = hunted.people[1]
    answer(ben, "taxi 115")
    held = ben.mails[-1]
    wait(hunted, minutes=15)
    made = history(hunted)
    assert '"purple taxi 115" is made and stands. You move again in round 2.' in answer(ben, "NO", to=held)
    assert history(hunted) == made


def test_a_no_of_somebody_else_stops_nothing(hunted: Playing):
    ben, cleo = hunted.people[1:3]
    answer(ben, "taxi 115")
    held = ben.mails[-1]
    cleo.reply("NO", to=held)
    hunted.table.tick()
    wait(hunted, minutes=15)
    assert history(hunted)[-1] == MOVE


def test_two_mails_within_a_second_hold_the_later_one(hunted: Playing):
    ben = hunted.people[1]
    turn = ben.mails[-1]
    ben.reply("taxi 115", to=turn)
    ben.reply("bus 102", to=turn)
    hunted.table.tick()
    assert [each["notation"] for each in ahead(ben, hunted)] == ["purple bus 102"]
    wait(hunted, minutes=15)
    assert history(hunted)[1:] == ["purple bus 102"]


@pytest.mark.parametrize("text", ["taxi 115\nRESIGN", "RESIGN\ntaxi 115"])
def test_beside_resign_nothing_is_held_and_which_is_meant_is_asked(hunted: Playing, text: str):
    ben = hunted.people[1]
    said = answer(ben, text)
    assert f'I read "{MOVE}"' in said
    assert '"RESIGN"' in said
    assert "Reply with the one you mean." in said
    assert ahead(ben, hunted) == []
    assert [seat["player"] for seat in hunted.view()["seats"]].count(ben.id) == 1


def test_moves_of_one_mail_wait_together_and_those_whose_turn_has_not_come_are_queued(table: Table):
    game = pairs(table)
    cleo = game.people[2]
    cleo.request("PATCH", "/me/preferences", json={"hold": "always"})
    moves = {pawn: next(m for m in game.legal(cleo) if m.startswith(pawn)) for pawn in ("green", "yellow")}
    assert "I play them" in answer(cleo, "\n".join(moves.values()))
    assert game.view(cleo)["ahead"] == []
    assert {each["plays_at"] for each in ahead(cleo, game)} == {"2026-11-22T18:15:00Z"}
    wait(game, minutes=15)
    assert {kept["notation"] for kept in game.view(cleo)["ahead"]} == set(moves.values())
    assert not any("plays_at" in each for each in ahead(cleo, game))


def test_another_pawns_move_leaves_the_first_waiting(table: Table):
    game = pairs(table)
    ben = game.people[1]
    answer(ben, "SET hold always")
    moves = {pawn: next(m for m in game.legal(ben) if m.startswith(pawn)) for pawn in ("purple", "red")}
    answer(ben, moves["purple"])
    wait(game, minutes=5)
    answer(ben, moves["red"])
    assert [each["plays_at"][11:16] for each in ahead(ben, game)] == ["18:15", "18:20"]


def test_what_was_asked_about_because_it_was_unclear_is_not_held_too(hunted: Playing):
    ben = hunted.people[1]
    assert "did you mean" in answer(ben, "I take the taxi to 115, I think")
    assert "Understood and played" in answer(ben, "YES")


def test_rest_knows_no_hold(hunted: Playing):
    assert hunted.move(hunted.people[1], MOVE).status_code == 201


def test_status_tells_the_player_alone_what_waits(hunted: Playing):
    ben, cleo = hunted.people[1:3]
    answer(ben, "taxi 115")
    assert f'I will play "{MOVE}" at 18:15 in London unless you answer NO.' in answer(ben, "STATUS")
    assert "115" not in answer(cleo, "STATUS")


@pytest.mark.parametrize(
    "form", ["{}", "{}\nThe weather in Kent is foul and my aunt is here", "my {} it shall then be"]
)
def test_in_a_game_with_bots_alone_nothing_waits(table: Table, form: str):
    ada = table.person("Ada")
    write(ada, "PLAY")
    for _ in range(3):
        table.tick()
        table.clock.turn(minutes=1)
    game = opened(ada)
    move = ada.get(f"/games/{game['id']}/legal-moves").json["moves"][0]["notation"]
    if form == "{}":
        answer(ada, "SET hold always")
    answer(ada, form.format(move))
    assert move in ada.get(f"/games/{game['id']}").json["history"]


@pytest.mark.parametrize("doubt", ["My aunt in Kent knits socks for the whole of her village", "blorp"])
def test_the_mail_about_it_has_forty_words_at_most_and_quotes_what_made_the_doubt(table: Table, doubt: str):
    game = hunt(table)
    said = answer(game.people[1], f"taxi 115\n{doubt}")
    above = said.partition(" - ")[0]
    quoted = f'"{doubt[:36].rstrip()}'
    assert f'Understood: "{MOVE}". I play it at 18:15 in London unless you stop me. {quoted}' in above
    assert len(above.split()) <= 40


def test_it_waits_until_a_full_minute(hunted: Playing):
    hunted.table.clock.turn(seconds=20)
    ben = hunted.people[1]
    assert "at 18:16 in London" in answer(ben, "taxi 115")
    assert {each["plays_at"] for each in ahead(ben, hunted)} == {"2026-11-22T18:16:00Z"}


def test_it_is_set_back_and_nothing_else_is_taken(hunted: Playing):
    ben = hunted.people[1]
    assert "choose always or doubtful" in answer(ben, "SET hold sometimes").lower()
    answer(ben, "SET hold doubtful")
    assert ben.get("/me/preferences").json["hold"] == "doubtful"
    assert "Understood and played" in answer(ben, "taxi 115")
