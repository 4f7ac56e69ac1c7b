"""Votes: who decides, when it is decided, what it does to deadlines, and that nobody freezes a game alone."""

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import select

from blackticket.standalone import verifier
from server.models import Event, Outgoing, session
from tests.application.play.test_vacation import due, look
from tests.injected import START
from tests.kept import again
from tests.scenes import text_of
from tests.table import Person, Playing, Table

DAY = timedelta(days=1)
CLOCKS: dict[str, Any] = {
    "none": {"kind": "none"},
    "per_phase": {"kind": "per_phase", "mr_x": "P2D", "detectives": "P2D"},
    "per_move": {"kind": "per_move", "mr_x": "PT5H", "detectives": "PT5H"},
    "bank": {"kind": "bank", "bank": "P3D", "increment": "PT1H"},
    "schedule": {"kind": "schedule", "at": "18:00", "zone": "Europe/London"},
}


def propose(game: Playing, person: Person, kind: str, **wish: Any) -> Any:
    return person.post(f"{game.path}/votes", {"kind": kind, **wish})


def vote(game: Playing, person: Person, is_for: bool = True, number: int = 0) -> Any:
    """On the oldest vote that is open."""
    open_votes = person.get(f"{game.path}/votes").json["votes"]
    return person.post(f"{game.path}/votes/{open_votes[number]['id']}", {"for": is_for})


def events(game: Playing, kind: str) -> list[dict[str, Any]]:
    with game.table.app.app_context():
        query = select(Event).where(Event.game_id == game.id, Event.kind == kind).order_by(Event.number)
        return [event.data for event in session.scalars(query)]


def carry(game: Playing, kind: str, **wish: Any) -> None:
    """Everybody is for it, until it is decided."""
    assert propose(game, game.people[0], kind, **wish).status_code == 201
    for person in game.people[1:]:
        if person.get(f"{game.path}/votes").json["votes"]:
            assert vote(game, person).status_code == 200


@pytest.fixture
def game(table: Table) -> Playing:
    """Four people, Mr. X to move from Sunday 18:00 to Tuesday 18:00."""
    return again(table, four)


def four(table: Table) -> Playing:
    return table.game(table.people(4))


class TestQuorum:
    """More than half of those who are not away, and never one alone."""

    def test_it_is_lost_when_too_few_have_answered_in_time(self, game: Playing):
        game.people[0].request("PATCH", "/me/preferences", json={"mail": "off"})
        propose(game, game.people[1], "pause")
        vote(game, game.people[2])
        look(game, days=1, hours=23)
        assert game.people[0].get(f"{game.path}/votes").json["votes"] != []
        game.move(game.people[0])
        look(game, days=1, hours=2)
        assert [data["carried"] for data in events(game, "decided")] == [False]

    def test_proposing_what_is_open_is_a_vote_for_it(self, game: Playing):
        for person in game.people[:3]:
            last = propose(game, person, "extend", length="PT48H")
        assert last.json["state"] == "carried"
        assert len(events(game, "proposed")) == 1


class TestWhatIsDecided:
    def test_more_time_is_on_top(self, game: Playing):
        carry(game, "extend", length="PT30H")
        assert due(game) == START + 2 * DAY + timedelta(hours=30)
        game.table.tick()
        assert "the players decided to give Mr. X 1 day and 6 hours more" in game.people[1].mails[-1]["Subject"]

    def test_a_vote_on_more_time_expires_with_the_half_it_is_about(self, game: Playing):
        motion = propose(game, game.people[1], "extend", length="P2D").json
        pause = propose(game, game.people[1], "pause").json
        vote(game, game.people[2])
        game.move(game.people[0])
        told = {
            "vote": motion["id"],
            "what": "extend",
            "length": "P2D",
            "side": "mr_x",
            "carried": False,
            "expired": True,
        }
        assert events(game, "decided") == [told]
        assert [open_one["id"] for open_one in game.people[3].get(f"{game.path}/votes").json["votes"]] == [pause["id"]]
        assert game.people[3].post(f"{game.path}/votes/{motion['id']}", {"for": True}).status_code == 409
        game.table.tick()
        said = "The vote to give Mr. X 2 days more expired, as that deadline is over."
        assert said in " ".join(text_of(game.people[3].mails[-1]).split())
        carry(game, "extend", length="P1D")
        assert due(game) == START + 3 * DAY

    def test_the_next_player_hears_of_the_deadline_though_a_vote_expires_with_the_move_before(self, table: Table):
        game = table.game(table.people(4), clock={"kind": "per_move", "mr_x": "P2D", "detectives": "PT6H"})
        game.move(game.people[0])
        propose(game, game.people[2], "extend", length="PT6H")
        game.move(game.people[1])
        assert [data["expired"] for data in events(game, "decided")] == [True]
        table.tick()
        (go,) = [mail for mail in game.people[2].mails if "it is your turn" in mail["Subject"]]
        assert go["Subject"].endswith("it is your turn, until Mon 23 Nov 00:00 London")
        assert "There is no deadline" not in text_of(go)

    @pytest.mark.parametrize(
        "has_moved", [pytest.param(False, marks=pytest.mark.campaign), True], ids=["mr_x", "detectives"]
    )
    @pytest.mark.parametrize("after", CLOCKS)
    @pytest.mark.parametrize("before", CLOCKS)
    def test_all_mails_after_a_change_of_clock_give_the_deadline_by_it(
        self, table: Table, before: str, after: str, has_moved: bool
    ):
        game = table.game(table.people(3), edition="condensed", clock=CLOCKS[before])
        if has_moved:
            game.move(game.people[0])
        table.clock.turn(hours=1)
        carry(game, "clock", clock=CLOCKS[after])
        table.tick()
        for person in game.people:
            told = [person.mails[-1]]
            person.reply("STATUS")
            table.tick()
            told.append(person.mails[-1])
            until = person.get(f"{game.path}/deadline").json["due_at"]
            for mail in told:
                text = " ".join(text_of(mail).split())
                if until is None:
                    assert "here is no deadline" in text
                    assert " due " not in text
                else:
                    day = datetime.fromisoformat(until).astimezone(ZoneInfo("Europe/London"))
                    dues = f"{day.day} {day:%b %H:%M} London", f"{day.day} {day:%B, %H:%M} in London"
                    assert any(due in text for due in dues), text

    def test_a_vote_on_another_clock_leaves_a_transcript_that_can_be_checked(self, game: Playing, tmp_path: Path):
        propose(game, game.people[0], "clock", clock={"kind": "per_phase", "reminders": [0.5, 0.75]})
        for person in game.people[1:]:
            vote(game, person)
        transcript = tmp_path / "transcript.json"
        transcript.write_text(game.people[0].get(f"{game.path}/transcript").text)
        assert verifier.examine([str(transcript)])[0] == 0
        assert [data["clock"]["reminders"] for data in events(game, "decided")] == [["0.5", "0.75"]]
        assert game.view()["clock"]["reminders"] == [0.5, 0.75]

    def test_it_is_public_who_voted_how(self, game: Playing):
        propose(game, game.people[1], "pause")
        vote(game, game.people[2], is_for=False)
        assert [(data["seat"], data["is_for"]) for data in events(game, "voted")] == [(2, True), (3, False)]


def test_a_yes_to_a_vote_is_none_to_another_question_and_the_other_way_round(game: Playing):
    game.table.tick()
    ada, ben = game.people[:2]
    turn = ben.mails[-1]
    ben.reply("RESIGN", to=turn)
    ada.reply("EXTEND 2 days")
    game.table.tick()
    asked = next(mail for mail in ben.mails if "a vote to give" in mail["Subject"])
    ben.reply("NO", to=asked)
    game.table.tick()
    assert "You have voted not to give Mr. X 2 days more." in text_of(ben.mails[-1])
    assert "whether you give the game up is withdrawn" in " ".join(text_of(ben.mails[-1]).split())
    ben.reply("YES", to=asked)
    game.table.tick()
    assert "You have voted to give Mr. X 2 days more" in text_of(ben.mails[-1]), (
        "as long as it is open one may think again"
    )
    ben.reply("RESIGN", to=turn)
    game.table.tick()
    ben.reply("YES", to=ben.mails[-1])
    game.table.tick()
    assert "You have given the game up." in text_of(ben.mails[-1])


def test_by_mail_a_word_proposes_and_yes_or_no_answers(game: Playing):
    game.table.tick()
    ada, ben, cleo, dan = game.people
    ada.reply("EXTEND 2 days")
    game.table.tick()
    assert "The others are asked" in text_of(ada.mails[-1])
    assert "a vote to give Mr. X 2 days more" in ben.mails[-1]["Subject"]
    for person, word in ((ben, "no"), (cleo, "YES"), (dan, "yes")):
        before = len(person.mails)
        person.reply(word, to=next(mail for mail in person.mails if "a vote" in mail["Subject"]))
        game.table.tick()
    assert due(game) == START + 4 * DAY
    (told,) = dan.mails[before:]
    assert "The players decided to give Mr. X 2 days more" in text_of(told), "and no answer says the same"
    with game.table.app.app_context():
        assert len(session.scalars(select(Outgoing.id).where(Outgoing.kind == "decided")).all()) == 4
