"""Vacation and nights: what they do to deadlines, who learns what of them, and what cannot be taken."""

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import select

from server import worker
from server.models import Absence, Deadline, Event, Player, session
from tests.injected import START
from tests.kept import again
from tests.rows import for_each
from tests.scenes import text_of
from tests.table import Person, Playing, Table

HOUR, DAY = timedelta(hours=1), timedelta(days=1)


def take(person: Person, first: str, last: str) -> Any:
    return person.post("/me/absences", {"from": first, "to": last})


def prefer(person: Person, **wishes: str) -> Any:
    return person.request("PATCH", "/me/preferences", json=wishes)


def due(game: Playing) -> Any:
    """The deadline under way; every one of them has exactly one row armed."""
    with game.table.app.app_context():
        armed = (Deadline.game_id == game.id, Deadline.kind == "timeout", Deadline.state == "armed")
        return session.scalars(select(Deadline.due_at).where(*armed)).one()


def look(game: Playing, **later: float) -> None:
    game.table.clock.turn(**later)
    with game.table.app.app_context():
        worker.fire_and_read()


def postponed(game: Playing) -> int:
    with game.table.app.app_context():
        mine = (Event.game_id == game.id, Event.kind == "postponed")
        return len(session.scalars(select(Event).where(*mine)).all())


@pytest.fixture
def game(table: Table) -> Playing:
    """A game of four in the detectives' half, from Sunday 18:00 to Tuesday 18:00."""
    return again(table, hunting)


def hunting(table: Table) -> Playing:
    game = table.game(table.people(4))
    game.move(game.people[0])
    return game


class TestAway:
    """No time of a side passes while somebody is away whose move is missing."""

    def test_the_deadline_moves_by_the_days_and_only_the_absent_learns_why(self, game: Playing):
        _, ben, cleo, _ = game.people
        assert take(ben, "2026-11-23", "2026-11-24").status_code == 201
        assert due(game) == START + 4 * DAY
        assert "you are away, until 2026-11-25T00:00:00Z" in ben.get(f"{game.path}/deadline").json["steps"]
        others = cleo.get(f"{game.path}/deadline").json["steps"]
        assert others == [
            "from 2026-11-22T18:00:00Z", "the detectives have 2 days", "somebody it waits for is away",
            "due 2026-11-26T18:00:00Z",
        ]  # fmt: skip
        assert postponed(game) == 1

    def test_it_counts_in_the_halves_to_come(self, game: Playing):
        ada = game.people[0]
        take(ada, "2026-11-24", "2026-11-24")
        assert due(game) == START + 2 * DAY, "it is not his half"
        for _ in range(3):
            game.move(game.mover())
        assert due(game) == START + 3 * DAY

    def test_an_absence_under_way_ends_now_and_costs_what_has_passed(self, game: Playing):
        ben = game.people[1]
        made = take(ben, "2026-11-22", "2026-11-27").json
        game.table.clock.turn(days=2)
        assert ben.request("DELETE", f"/me/absences/{made['id']}").status_code == 204
        held = ben.get("/me/absences").json
        assert (held["absences"][0]["end"], held["days_left"]) == ("2026-11-24T18:00:00Z", 19)
        assert ben.request("DELETE", f"/me/absences/{made['id']}").status_code == 404

    def test_it_is_by_the_calendar_of_the_player(self, game: Playing):
        ben = game.people[1]
        prefer(ben, zone="America/New_York")
        assert take(ben, "2026-11-23", "2026-11-23").json["begin"] == "2026-11-23T05:00:00Z"


class TestByMail:
    def test_away_list_and_off(self, game: Playing):
        ben = game.people[1]
        game.table.tick()
        turn = ben.mails[-1]
        told = []
        for text in ("AWAY 24 Dec to 2 Jan", "AWAY list", "AWAY off", "AWAY 30 Feb", "AWAY 25 Dec to 24 Dec 2026"):
            ben.reply(text, to=turn)
            game.table.tick()
            told.append(text_of(ben.mails[-1]).replace("\n", " "))
        assert "You are away from Thursday 24 December, 00:00" in told[0]
        assert "to Sunday 3 January, 00:00" in told[1]
        assert "eight" not in told[1]
        assert "You are not away" in told[2]
        assert "30 Feb" in told[3]
        assert "would end, on 2026-12-24, before it begins" in told[4]


class TestNights:
    """No deadline falls in the night of somebody it waits for."""

    def test_a_deadline_waits_for_the_morning_and_only_the_sleeper_learns_whose(self, table: Table):
        people = table.people(3)
        assert prefer(people[1], night="17:00-02:00").json["night"] == "17:00-02:00"
        game = table.game(people)
        game.move(people[0])
        assert due(game) == START + 2 * DAY + 8 * HOUR
        own, other = (person.get(f"{game.path}/deadline").json["steps"] for person in people[1:])
        assert "2026-11-24T18:00:00Z is in your night" in own
        assert "it would have been night for somebody it waits for" in other
        assert not any("17" in step or "24T18" in step for step in other)

    def test_who_sets_their_night_is_not_due_in_it_any_more_and_again_when_they_empty_it(self, game: Playing):
        ben = game.people[1]
        assert due(game) == START + 2 * DAY
        prefer(ben, night="17:00-02:00")
        assert (due(game), postponed(game)) == (START + 2 * DAY + 8 * HOUR, 1)
        prefer(ben, night="17:00-20:00")
        assert (due(game), postponed(game)) == (START + 2 * DAY + 2 * HOUR, 2)
        prefer(ben, night="off")
        assert (due(game), postponed(game)) == (START + 2 * DAY, 3)

    def test_a_night_that_is_emptied_makes_nobody_late(self, game: Playing):
        ben = game.people[1]
        prefer(ben, night="17:00-02:00")
        look(game, hours=50)
        prefer(ben, night="off")
        assert (due(game), postponed(game)) == (START + 2 * DAY + 8 * HOUR, 1)

    def test_an_evening_waits_for_no_night_and_no_vacation(self, table: Table):
        people = table.people(3)
        prefer(people[1], night="17:00-02:00", vacation="on")
        take(people[1], "2026-11-22", "2026-11-23")
        clock = {"kind": "per_phase", "mr_x": "PT10M", "detectives": "PT10M", "days_off": ["sun"]}
        game = table.game(people, clock=clock)
        game.move(people[0])
        assert due(game) == START + timedelta(minutes=10)
        prefer(people[1], night="18:00-03:00")
        take(people[1], "2026-11-24", "2026-11-25")
        assert due(game) == START + timedelta(minutes=10)
        look(game, minutes=10)
        assert "house" in [event["data"].get("by") for event in people[1].get(f"{game.path}/events").json["events"]]

    def test_his_night_is_that_of_the_zone_he_goes_to(self, game: Playing):
        prefer(game.people[1], night="12:00-15:00")
        assert due(game) == START + 2 * DAY
        prefer(game.people[1], zone="America/New_York")
        assert due(game) == START + 2 * DAY + 2 * HOUR

    def test_the_night_of_who_has_moved_moves_nothing(self, game: Playing):
        ben = game.people[1]
        game.move(ben)
        prefer(ben, night="17:00-02:00")
        assert (due(game), postponed(game)) == (START + 2 * DAY, 0)

    @for_each("night", ["23:00", "25:00-07:00", "07:00-07:00", "08:00-22:00", "late", "23:60-07:00"])
    def test_what_is_no_night_is_refused(self, game: Playing, night: str):
        assert prefer(game.people[1], night=night).json["type"] == "form"

    def test_it_is_set_and_ended_by_mail(self, game: Playing):
        ben = game.people[1]
        game.table.tick()
        turn = ben.mails[-1]
        for text, word in (("SET night 23:00-07:00", "23:00 to 07:00"), ("SET night off", "Your time zone is")):
            ben.reply(text, to=turn)
            game.table.tick()
            assert word in text_of(ben.mails[-1]).replace("\n", " ")
        with game.table.app.app_context():
            assert session.get_one(Player, ben.id).night is None


class TestAutomatic:
    """Players who opted in have vacation days spent before they are late, once per turn."""

    def test_three_days_are_taken_and_then_the_house_moves(self, game: Playing):
        ben = game.people[1]
        assert prefer(ben, vacation="on").json["vacation"] == "on"
        look(game, days=2)
        assert due(game) == START + 5 * DAY
        assert ben.get("/me/absences").json["days_left"] == 18
        assert postponed(game) == 1
        look(game, days=3)
        assert "house" in {event["data"]["by"] for event in ben.get(f"{game.path}/events").json["events"][-3:]}
        assert ben.get("/me/absences").json["days_left"] == 18


def test_an_account_that_goes_takes_its_absences_with_it(table: Table):
    ada = table.person("Ada")
    take(ada, "2026-12-24", "2026-12-26")
    assert len(ada.get("/me/export").json["absences"]) == 1
    assert ada.request("DELETE", "/me", json={"name": "Ada"}).status_code == 204
    with table.app.app_context():
        assert session.scalars(select(Absence)).all() == []
