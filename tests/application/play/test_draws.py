"""A draw by agreement: offered and taken back in public, and the game is over when all at the table agree."""

from pathlib import Path
from typing import Any

import pytest

from blackticket.standalone import verifier
from tests.scenes import hunt, pairs, text_of
from tests.table import Person, Playing, Table


def offer(game: Playing, person: Person) -> Any:
    answer = person.post(f"{game.path}/draw")
    assert answer.status_code == 200, answer.json
    return answer.json


def withdraw(game: Playing, person: Person) -> Any:
    return person.request("DELETE", f"{game.path}/draw").json


def told(game: Playing) -> list[dict[str, Any]]:
    """Return the public events about a draw, and how the game ended."""
    events = game.people[0].get(f"{game.path}/events").json["events"]
    return [event["data"] for event in events if event["kind"] in ("draw", "ended")]


@pytest.fixture
def trio(table: Table) -> Playing:
    """Ada is Mr. X; Ben and Cleo hunt, two pawns each; all have their mails."""
    return pairs(table)


def test_an_offer_stands_in_public_until_it_is_withdrawn(trio: Playing):
    ben, gus = trio.people[1], trio.table.person("Gus")
    assert offer(trio, ben)["draw"] == [2]
    assert gus.get(trio.path).json["draw"] == [2]
    assert withdraw(trio, ben)["draw"] == []
    seat = {"seat": 2, "pawns": ["purple", "red"]}
    assert told(trio) == [{**seat, "agrees": True}, {**seat, "agrees": False}]


def test_when_all_agree_the_game_is_a_draw_and_the_log_is_open(trio: Playing, tmp_path: Path):
    for person in trio.people[:2]:
        assert offer(trio, person)["status"] == "running"
    view = offer(trio, trio.people[2])
    assert (view["status"], view["draw"]) == ("over", [])
    assert view["outcome"] == {"winner": "draw", "reason": "agreed", "final": True, "final_at": None}
    assert trio.view(trio.people[1])["pawns"]["mr_x"]["station"] is not None
    transcript = tmp_path / "transcript.json"
    transcript.write_text(trio.people[1].get(f"{trio.path}/transcript").text)
    assert verifier.examine([str(transcript)])[0] == 0


def test_one_mail_tells_all_others_of_the_first_offer_and_none_of_those_that_follow(trio: Playing):
    before = [len(person.mails) for person in trio.people]
    for person in trio.people[1:]:
        offer(trio, person)
        trio.table.tick()
    assert [len(person.mails) - had for person, had in zip(trio.people, before, strict=True)] == [1, 0, 1]
    assert "Purple and Red offer a draw" in trio.people[0].mails[-1]["Subject"]
    offer(trio, trio.people[0])
    trio.table.tick()
    assert [len(person.mails) - had for person, had in zip(trio.people, before, strict=True)] == [2, 1, 2]
    assert "a draw: all players have agreed" in " ".join(text_of(trio.people[1].mails[-1]).split())


def test_an_offer_that_was_withdrawn_before_its_mail_went_out_is_not_mailed(trio: Playing):
    before = len(trio.people[0].mails)
    offer(trio, trio.people[1])
    withdraw(trio, trio.people[1])
    trio.table.tick()
    assert len(trio.people[0].mails) == before


def test_a_move_leaves_the_offer_standing_and_the_turn_mail_tells_of_it(trio: Playing):
    offer(trio, trio.people[1])
    trio.play_round()
    assert trio.view()["draw"] == [2]
    trio.table.tick()
    said = " ".join(text_of(trio.people[0].mails[-1]).split())
    assert "Ben (Purple and Red) offered a draw; the game ends when all players have agreed." in said


class TestByMail:
    """DRAW offers or agrees, DRAW off takes it back, and the last word is asked for once more."""

    @pytest.fixture
    def hunted(self, table: Table) -> Playing:
        return hunt(table)

    def answer(self, person: Person, text: str) -> str:
        person.reply(text)
        person.table.tick()
        return " ".join(text_of(person.mails[-1]).split())

    def test_it_is_offered_and_taken_back(self, hunted: Playing):
        ben = hunted.people[1]
        assert 'The line "DRAW off" in an answer to any mail of this game takes your offer back.' in self.answer(
            ben, "draw"
        )
        assert hunted.view()["draw"] == [2]
        assert "Your offer is taken back" in self.answer(ben, "DRAW off")
        assert hunted.view()["draw"] == []

    def test_who_agrees_is_told_to_whose_offer_and_who_is_still_to_agree(self, trio: Playing):
        ada, ben, _cleo = trio.people
        trio.table.tick()
        self.answer(ben, "DRAW")
        said = self.answer(ada, "DRAW")
        assert "You agree to the draw that Ben (Purple and Red) offered." in said
        assert "without a winner when Cleo (Green and Yellow) agrees as well" in said
        assert "You would end the game without a winner." in self.answer(ben, "DRAW"), "the offer was his own"

    def test_the_last_word_is_asked_for_and_yes_ends_the_game(self, hunted: Playing):
        *others, finn = hunted.people
        for person in others:
            offer(hunted, person)
        hunted.table.tick()
        assert "so it is for you to decide" in self.answer(finn, "DRAW")
        assert hunted.view()["status"] == "running"
        finn.reply("YES")
        hunted.table.tick()
        assert hunted.view()["outcome"]["reason"] == "agreed"
