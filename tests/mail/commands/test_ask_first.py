"""SET ask on: a move that is mailed is shown first, and counts when YES is answered to that."""

import pytest

from tests.scenes import hunt, pairs, text_of
from tests.table import Person, Playing, Table


@pytest.fixture
def hunted(table: Table) -> Playing:
    game = hunt(table)
    assert "shows you each move that you mail first" in answer(game.people[1], "SET ask on")
    return game


def answer(person: Person, text: str) -> str:
    """Answer the newest mail; the text of what comes back, on one line."""
    person.reply(text)
    person.table.tick()
    return " ".join(text_of(person.mails[-1]).split())


def test_a_move_is_shown_and_not_made_until_yes(hunted: Playing):
    ben = hunted.people[1]
    said = answer(ben, "taxi 115")
    assert "It was not played yet, as you want to be asked first." in said
    assert '"purple taxi 115"' in said
    assert len(hunted.view()["history"]) == 1
    assert 'Understood and played: "purple taxi 115".' in answer(ben, "YES")
    assert hunted.view()["history"][-1] == "purple taxi 115"


@pytest.mark.parametrize("text", ["taxi 115\nRESIGN", "RESIGN\ntaxi 115"])
def test_a_mail_asks_for_one_yes_only(hunted: Playing, text: str):
    ben = hunted.people[1]
    said = answer(ben, text)
    assert "Send them in two mails." in said
    assert "There is no open question" in answer(ben, "YES")
    assert [seat["player"] for seat in hunted.view()["seats"]].count(ben.id) == 1


def test_a_mail_does_not_ask_about_a_move_and_the_last_word_to_a_draw(hunted: Playing):
    ada, ben, *others = hunted.people
    for person in (ada, *others):
        assert person.post(f"/games/{hunted.id}/draw").status_code == 200
    assert "Send them in two mails." in answer(ben, "taxi 115\nDRAW")
    assert hunted.view()["status"] == "running"


def test_no_or_another_move_takes_its_place(hunted: Playing):
    ben = hunted.people[1]
    answer(ben, "taxi 115")
    answer(ben, "NO")
    assert "There is no open question" in answer(ben, "YES")
    answer(ben, "taxi 115")
    answer(ben, "bus 102")
    assert 'Understood and played: "purple bus 102".' in answer(ben, "YES")


def test_a_move_that_is_not_legal_is_refused_at_once_and_leaves_no_question(hunted: Playing):
    ben = hunted.people[1]
    assert "Nothing was done." in answer(ben, "taxi 103")
    assert "There is no open question" in answer(ben, "YES")


def test_yes_after_the_go_has_ended_is_too_late(hunted: Playing):
    ben = hunted.people[1]
    answer(ben, "taxi 115")
    shown = ben.mails[-1]
    hunted.table.clock.turn(hours=49)
    hunted.table.tick()
    hunted.move(hunted.people[0])
    before = hunted.view()["history"]
    ben.reply("YES", to=shown)
    hunted.table.tick()
    assert "the game has moved on" in " ".join(text_of(ben.mails[-1]).split())
    assert hunted.view()["history"] == before


def test_a_move_ahead_is_asked_for_too_and_several_at_once(table: Table):
    game = pairs(table)
    cleo = game.people[2]
    cleo.request("PATCH", "/me/preferences", json={"ask": "on"})
    moves = {pawn: next(m for m in game.legal(cleo) if m.startswith(pawn)) for pawn in ("green", "yellow")}
    assert "to send them, or send the move you mean" in answer(cleo, "\n".join(moves.values()))
    assert game.view(cleo)["ahead"] == []
    answer(cleo, "YES")
    assert {kept["notation"] for kept in game.view(cleo)["ahead"]} == set(moves.values())


def test_what_was_asked_about_because_it_was_unclear_is_not_asked_twice(hunted: Playing):
    ben = hunted.people[1]
    assert "did you mean" in answer(ben, "I take the taxi to 115, I think")
    assert "Understood and played" in answer(ben, "YES")


def test_over_rest_a_move_counts_as_it_is_sent(hunted: Playing):
    assert hunted.move(hunted.people[1], "purple taxi 115").status_code == 201


def test_it_is_turned_off_again_and_nothing_else_is_taken(hunted: Playing):
    ben = hunted.people[1]
    assert "Choose on or off" in answer(ben, "SET ask sometimes")
    answer(ben, "SET ask off")
    assert ben.get("/me/preferences").json["ask"] == "off"
    assert "Understood and played" in answer(ben, "taxi 115")
