"""Clocks of every kind in running games: whose time runs, until when, how that is told, and what comes of lateness."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import select

from server import worker
from server.models import Deadline, Event, Game, Move, Outgoing, Seat, session, transaction
from tests.injected import START
from tests.kept import again
from tests.positions import position
from tests.scenes import text_of, write
from tests.table import Playing, Table

HOUR = timedelta(hours=1)
DAY = timedelta(days=1)


def look(game: Playing, **later: float) -> None:
    """Turn the clock, and let the worker look; nothing is sent."""
    game.table.clock.turn(**later)
    with game.table.app.app_context():
        worker.fire_and_read()


def running(game: Playing) -> list[tuple[int, Any]]:
    """Seat and due time of each time that runs."""
    with game.table.app.app_context():
        mine = (Deadline.game_id == game.id, Deadline.kind == "timeout", Deadline.state == "armed")
        rows = session.scalars(select(Deadline).where(*mine).order_by(Deadline.seat))
        return [(row.seat, row.due_at) for row in rows]


def moved(game: Playing) -> list[str]:
    """By whom each move was made."""
    with game.table.app.app_context():
        return list(session.scalars(select(Move.by).where(Move.game_id == game.id).order_by(Move.turn)))


def events(game: Playing, *kinds: str) -> list[dict[str, Any]]:
    with game.table.app.app_context():
        query = select(Event).where(Event.game_id == game.id, Event.kind.in_(kinds)).order_by(Event.number)
        return [event.data for event in session.scalars(query)]


def told(game: Playing, kind: str) -> list[str]:
    """Return the names of those who were sent a mail of this kind."""
    with game.table.app.app_context():
        ids = list(session.scalars(select(Outgoing.player_id).where(Outgoing.kind == kind)))
    return sorted(person.name for person in game.people for _ in range(ids.count(person.id)))


def clocked(table: Table, people: int = 4, **clock: Any) -> Playing:
    """A game by that clock, in the detectives' half of the first round."""

    def build(table: Table) -> Playing:
        game = table.game(table.people(people), clock=clock)
        assert game.move(game.people[0]).status_code == 201
        return game

    return again(table, build, f"{people} by {clock}")


class TestPerMove:
    """Each detective has his own time, from when his own go comes."""

    @pytest.fixture
    def game(self, table: Table) -> Playing:
        return clocked(table, kind="per_move", mr_x="P2D", detectives="P1D")

    def test_time_runs_for_whose_go_it_is_and_begins_with_it(self, game: Playing):
        assert running(game) == [(2, START + DAY)]
        game.table.clock.turn(hours=5)
        game.move(game.people[1])
        assert running(game) == [(3, START + 5 * HOUR + DAY)]
        assert game.view()["due_at"] == "2026-11-23T23:00:00Z"

    def test_what_was_sent_ahead_takes_no_time(self, game: Playing):
        assert game.move(game.people[2]).status_code == 202
        game.table.clock.turn(hours=5)
        game.move(game.people[1])
        assert running(game) == [(4, START + 5 * HOUR + DAY)]

    def test_only_who_is_to_move_is_waited_for(self, game: Playing):
        assert game.people[1].get("/me/waiting").json["games"] != []
        assert game.people[2].get("/me/waiting").json["games"] == []

    def test_the_house_moves_who_is_late_and_the_next_has_his_whole_time(self, game: Playing):
        look(game, days=1)
        assert moved(game) == ["player", "house"]
        assert running(game) == [(3, START + 2 * DAY)]
        assert [seat["misses"] for seat in game.view()["seats"]] == [0, 1, 0, 0]

    def test_who_waits_is_mailed_without_a_deadline_and_who_is_on_with_his(self, game: Playing):
        game.table.tick()
        on_go, waits = (text_of(person.mails[-1]).replace("\n", " ") for person in game.people[1:3])
        assert "by Monday 23 November, 18:00" in on_go
        assert "It is counted" not in on_go, "as nothing was added"
        assert "Your own time begins when it is your turn." in waits

    def test_a_turn_mail_has_the_steps_where_a_day_off_was_added(self, table: Table):
        game = clocked(table, detectives="P2D", days_off=["mon"])
        game.table.tick()
        mail = text_of(game.people[1].mails[-1]).replace("\n", " ")
        assert "It is counted from Sun 22 Nov 18:00 London: the detectives have 2 days; " in mail
        assert "Monday is off" in mail

    def test_a_seat_that_comes_twice_in_a_round_has_its_time_twice(self, table: Table):
        """With four people Ben holds the first pawn of the order and the fourth, Cleo those between."""
        options = {"turn_order": "fixed"}
        clock = {"kind": "per_move", "detectives": "P1D"}
        game = table.game(table.people(4), "milton-bradley-1985", options=options, clock=clock)
        ada, ben, cleo, dan = game.people
        game.move(ada)
        seen = []
        for person in (ben, cleo, cleo, ben, dan):
            seen += running(game)
            game.table.clock.turn(hours=1)
            pawn = game.view()["to_move"][0]
            assert game.move(person, next(m for m in game.legal(person) if m.startswith(pawn))).status_code == 201
        assert seen == [(seat, START + n * HOUR + DAY) for seat, n in ((2, 0), (3, 1), (3, 1), (2, 3), (4, 4))]

    def test_where_any_order_is_allowed_all_have_their_time_at_once(self, table: Table):
        game = table.game(table.people(5), "ravensburger-2013", clock={"kind": "per_move", "detectives": "P1D"})
        game.move(game.people[0])
        assert [seat for seat, _ in running(game)] == [2, 3, 4, 5]
        game.move(game.people[4])
        assert [seat for seat, _ in running(game)] == [2, 3, 4]
        look(game, days=1)
        assert sorted(moved(game)) == ["house", "house", "house", "player", "player"]
        assert game.view()["to_move"] == ["mr_x"]


class TestBank:
    """Everybody has his time for the whole game, and some more after each go."""

    @pytest.fixture
    def game(self, table: Table) -> Playing:
        return again(table, self.with_banks)

    def with_banks(self, table: Table) -> Playing:
        clock = {"kind": "bank", "bank": "P2D", "increment": "PT6H", "cap": "P2D"}
        return table.dealt(2, "condensed", clock=clock)

    def banks(self, game: Playing) -> list[str]:
        return [seat["bank"] for seat in game.view()["seats"]]

    def test_thinking_spends_it_and_moving_refills_it_up_to_the_cap(self, game: Playing):
        assert running(game) == [(1, START + 2 * DAY)]
        game.table.clock.turn(hours=20)
        game.move(game.people[0])
        assert self.banks(game) == ["P1DT10H", "P2D"]
        assert running(game) == [(2, START + 20 * HOUR + 2 * DAY)]
        game.play_round()
        assert self.banks(game) == ["P1DT10H", "P2D"]
        assert running(game) == [(1, START + 20 * HOUR + 34 * HOUR)]

    def test_who_lets_it_run_out_has_what_a_move_gives(self, game: Playing):
        game.move(game.people[0])
        look(game, days=2)
        assert moved(game)[1:] == ["house"] * 4
        assert self.banks(game)[1] == "PT6H"

    def test_mr_x_s_one_more_turn_is_a_full_bank(self, game: Playing):
        look(game, days=2)
        assert running(game) == [(1, START + 4 * DAY)]


def test_without_a_clock_nothing_is_armed_and_mails_say_so(table: Table):
    game = clocked(table, kind="none")
    table.tick()
    assert (running(game), game.view()["due_at"]) == ([], None)
    assert "There is no deadline." in text_of(game.people[1].mails[-1])
    look(game, days=50)
    assert moved(game) == ["player"]


def test_opening_a_game_tells_how_long_it_takes_at_most(table: Table):
    ada = table.person("Ada")
    clocks = ({}, {"kind": "per_move", "detectives": "P1D"}, {"kind": "none"}, {"mr_x": "PT12H", "detectives": "PT12H"})
    wanted = {"edition": "ravensburger-2000", "players": 4}
    found = [ada.post("/games", wanted | {"clock": clock}).json["longest"] for clock in clocks]
    assert found == ["P88D", "P110D", None, "P22D"]


@pytest.mark.parametrize(("to_move", "longest"), [("mr_x", "P16D"), ("red", "P20D")])
def test_a_game_from_a_position_takes_the_rounds_that_its_log_has_room_for(table: Table, to_move: str, longest: str):
    ada = table.person("Ada")
    place = position(91, red=155, green=141, log_used=20, last_seen=(18, 91), to_move=to_move)
    wanted = {"edition": "ravensburger-2000", "players": 3, "position": place}
    assert ada.post("/games", wanted).json["longest"] == longest


def test_a_game_of_the_first_clocks_goes_on_as_it_was(table: Table):
    game = table.dealt(2, "condensed")
    with table.app.app_context(), transaction():
        row = session.get_one(Game, game.id)
        row.clock = {"kind": "per_phase", "mr_x": "PT6H", "detectives": "P1D", "reminder": 0.5}
    game.move(game.people[0])
    assert running(game) == [(0, START + DAY)]
    look(game, hours=12)
    assert told(game, "reminder") == ["Ben"]


class TestReminders:
    """A ladder of them, in the morning, and one mail for all games."""

    def test_each_step_of_the_ladder_comes_once_and_says_why(self, table: Table):
        game = table.game(table.people(2), "condensed", clock={"reminders": [0.5, 0.9]})
        for hours in (24, 19.5, 3):
            table.clock.turn(hours=hours)
            table.tick()
        mails = [text_of(mail) for mail in game.people[0].mails if "reminder" in mail["Subject"]]
        assert len(mails) == 2
        assert "half of your time has passed" in mails[0].replace("\n", " ")
        assert "90 per cent of your time has passed" in mails[1].replace("\n", " ")

    def test_no_step_comes_again_when_there_is_more_time_by_a_vote_or_an_absence(self, table: Table):
        game = clocked(table, 3, reminders=[0.5, 0.9])
        ada, ben, cleo = game.people
        look(game, hours=25)
        assert told(game, "reminder") == ["Ben", "Cleo"]
        for person in (ada, ben):
            person.post(f"{game.path}/votes", {"kind": "extend", "length": "P2D"})
        look(game, hours=26)
        cleo.post("/me/absences", {"from": "2026-11-25", "to": "2026-11-26"})
        ((_, due),) = running(game)
        assert due > START + 5 * DAY
        while table.clock.time < due - HOUR:
            look(game, hours=5)
        assert told(game, "reminder") == ["Ben", "Ben", "Cleo", "Cleo"], "at half of the time, and at nine tenths"

    def test_it_waits_for_the_morning_of_who_sleeps_and_for_nothing_once_he_has_moved(self, table: Table):
        people = table.people(2)
        for person in people:
            assert person.request("PATCH", "/me/preferences", json={"night": "05:00-09:00"}).status_code == 200
        game = table.game(people, "condensed")
        table.clock.turn(hours=36)  # 06:00
        table.tick()
        assert not any("reminder" in mail["Subject"] for mail in people[0].mails)
        table.clock.turn(hours=3)
        table.tick()
        assert "reminder" in people[0].mails[-1]["Subject"]
        table.clock.turn(hours=9)
        game.move(people[0])
        table.clock.turn(hours=36)  # 06:00 again
        table.tick()
        while game.view()["round"] == 1:
            game.move(people[1])
        table.clock.turn(hours=5)
        table.tick()
        assert not any("reminder" in mail["Subject"] for mail in people[1].mails)

    def test_one_mail_names_all_games_that_wait_each_with_its_own_address(self, table: Table):
        people = table.people(2)
        games = [table.game(people, "condensed") for _ in range(3)]
        table.clock.turn(hours=36)
        table.tick()
        (mail,) = [mail for mail in people[0].mails if "reminder" in mail["Subject"]]
        assert text_of(mail).count("turn+") == 2
        others = [word.rstrip(".") for word in text_of(mail).split() if word.startswith("turn+")]
        assert len({*others, mail["Reply-To"].addresses[0].addr_spec}) == 3
        write(people[0], "STATUS", to=others[0])
        table.tick()
        assert "how the game stands" in people[0].mails[-1]["Subject"]
        assert all(len(game.view()["history"]) == 0 for game in games)

    def test_a_reminder_of_a_game_that_waits_no_longer_leaves_those_of_the_others(self, table: Table):
        people = table.people(2)
        games = [table.game(people, "condensed") for _ in range(2)]
        look(games[0], hours=36)
        games[0].move(people[0])
        table.tick()
        assert sum("reminder" in mail["Subject"] for mail in people[0].mails) == 1


class TestGrace:
    """A late player has some time more, and everybody is told who is late."""

    @pytest.fixture
    def game(self, table: Table) -> Playing:
        return clocked(table, grace="PT12H", cover=True, open_after=2)

    def test_everybody_is_told_who_is_late_and_until_when(self, game: Playing):
        game.move(game.people[1])
        look(game, days=2)
        assert moved(game) == ["player", "player"]
        assert running(game) == [(0, START + 2 * DAY + 12 * HOUR)]
        assert events(game, "late") == [{"seats": [3, 4], "pawns": ["red", "green"], "due_at": "2026-11-25T06:00:00Z"}]
        assert told(game, "overdue") == ["Ada", "Ben", "Cleo", "Dan"]
        game.table.tick()
        assert "your time is up" in game.people[2].mails[-1]["Subject"]
        assert "the time of Red and Green is up" in game.people[1].mails[-1]["Subject"]

    def test_who_moves_in_it_was_not_late(self, game: Playing):
        look(game, days=2)
        game.move(game.people[1])
        look(game, hours=12)
        assert [seat["misses"] for seat in game.view()["seats"]] == [0, 0, 1, 1]

    def test_a_teammate_moves_for_who_is_late_and_nobody_else_may(self, game: Playing):
        ada, ben, cleo, dan = game.people
        ahead = next(iter(game.legal(ben)))
        wanted = {"turn": 2, "notation": f"purple {ahead.removeprefix('purple ')}"}
        assert cleo.post(f"{game.path}/moves", wanted).json["type"] == "forbidden"
        look(game, days=2)
        assert ada.post(f"{game.path}/moves", wanted).json["type"] == "forbidden"
        legal = cleo.get(f"{game.path}/legal-moves").json["moves"]
        assert {move["pawn"] for move in legal} == {"red", "purple"}
        assert cleo.post(f"{game.path}/moves", wanted).status_code == 201
        assert moved(game) == ["player", "cover"]
        game.table.tick()
        dan.reply(game.legal(cleo)[0])
        game.table.tick()
        assert moved(game) == ["player", "cover", "cover"]
        assert [seat["misses"] for seat in game.view()["seats"]] == [0, 0, 0, 0]

    def test_who_was_named_may_move_before_the_time_is_up(self, table: Table):
        game = clocked(table)
        _, ben, cleo, _ = game.people
        assert ben.request("PUT", f"{game.path}/cover", json={"seat": 3}).json["seats"][1]["cover"] == 3
        wanted = {"turn": 2, "notation": game.legal(ben)[0]}
        assert cleo.post(f"{game.path}/moves", wanted).status_code == 201
        assert ben.request("PUT", f"{game.path}/cover", json={"seat": 2}).json["type"] == "form"

    def test_a_digest_tells_once_which_seats_anybody_may_take(self, game: Playing):
        ada = game.people[0]
        assert ada.request("PATCH", "/me/preferences", json={"mail": "daily 18:00"}).status_code == 200
        for _ in range(2):
            look(game, days=2)
            look(game, hours=12)
            if len(events(game, "offered")) < 3:
                game.move(ada)
        game.table.tick()
        game.table.clock.turn(hours=24)
        game.table.tick()
        digest = " ".join(text_of(ada.mails[-1]).split())
        assert "Ben (Purple), Cleo (Red) and Dan (Green) have been late too often in a row" in digest
        assert digest.count("late too often") == 1

    def test_after_so_many_in_a_row_somebody_else_may_take_the_seat(self, game: Playing):
        gwen = game.table.person("Gwen")
        assert gwen.post(f"{game.path}/seats", {"seat": 3}).json["type"] == "game-not-open"
        for _ in range(2):
            look(game, days=2)
            look(game, hours=12)
            if len(events(game, "offered")) < 3:
                game.move(game.people[0])
        assert [data["seat"] for data in events(game, "offered")] == [2, 3, 4]
        assert told(game, "offered") == ["Ada"] * 3 + ["Ben"] * 3 + ["Cleo"] * 3 + ["Dan"] * 3
        game.table.tick()
        for index, sentence in ((3, "may take your seat"), (2, "Dan (Green) have been late too often in a row")):
            assert sentence in " ".join(text_of(game.people[index].mails[-1]).split())
        game.move(game.people[0])
        game.move(game.people[1])
        assert [seat["offered"] for seat in game.view()["seats"]] == [False, False, True, True]
        code = game.view()["code"]
        game.table.deliver(f"From: {gwen.address}\r\n\r\nJOIN {code}\r\n".encode(), gwen.address, "play@localhost")
        game.table.tick()
        assert "As the sender of a mail can be forged, send" in " ".join(text_of(gwen.mails[-1]).split())
        assert gwen.get(game.path).json["you"] is None
        assert gwen.post(f"{game.path}/seats", {"seat": 3}).status_code == 201
        game.table.tick()
        assert "Somebody else has taken the seat of Red" in text_of(game.people[2].mails[-1]), "who lost it is told"
        assert "You have taken a seat that was open to anybody" in " ".join(text_of(gwen.mails[-1]).split())
        assert "The operator of this server" not in text_of(game.people[0].mails[-1]), "it was nobody's decision"
        assert (gwen.get(game.path).json["you"]["seat"], game.people[2].get(game.path).json["you"]) == (3, None)
        assert game.people[0].post(f"{game.path}/seats", {"seat": 4}).json["type"] == "already-seated"

    def test_a_capture_by_a_teammate_is_provisional(self, table: Table):
        place = position(104, purple=50, red=134, log_used=1)
        game = table.game(table.people(3), position=place, clock={"grace": "PT6H", "cover": True})
        ada, ben, cleo = game.people
        for person, move in ((ada, "taxi 86"), (ben, None), (cleo, "red taxi 118"), (ada, "bus 116"), (ben, None)):
            assert game.move(person, move).status_code == 201
        look(game, days=2)
        wanted = {"turn": game.view()["turn"], "notation": "red taxi 116"}
        assert ben.post(f"{game.path}/moves", wanted).status_code == 201
        assert game.view(ben)["outcome"]["final"] is False


class TestLateMrX:
    """With some clocks the detectives decide whether they wait."""

    @pytest.fixture
    def game(self, table: Table) -> Playing:
        return again(table, self.late_twice)

    def late_twice(self, table: Table) -> Playing:
        game = table.game(table.people(4), clock={"mr_x_late": "vote", "provisional": "P9D"})
        for _ in range(2):
            look(game, days=2)
        assert len(events(game, "granted")) == 1
        return game

    def answer(self, game: Playing, *said: str) -> None:
        game.table.tick()
        for person, word in zip(game.people[1:], said, strict=False):
            person.reply(word)
        game.table.tick()

    def test_he_can_be_asked_about_his_move_there_and_say_yes(self, game: Playing):
        ada = game.people[0]
        ada.request("PATCH", "/me/preferences", json={"hold": "always"})
        game.table.tick()
        ada.reply(game.legal(ada)[0], to=ada.mails[-1])
        game.table.tick()
        assert "your move waits until 18:15" in ada.mails[-1]["Subject"]
        ada.reply("YES")
        game.table.tick()
        assert moved(game) != []

    def test_he_is_told_that_they_decide_and_can_still_move_by_answering_that(self, game: Playing):
        game.table.tick()
        ada = game.people[0]
        mail = ada.mails[-1]
        assert mail["Subject"].endswith("the detectives decide whether they wait for you")
        text = " ".join(text_of(mail).split())
        assert "If you move before that, the game goes on." in text
        assert "CLAIM" not in text
        notation = game.legal(ada)[0]
        ada.reply(notation, to=mail)
        game.table.tick()
        assert moved(game) != []

    @pytest.mark.parametrize(
        ("said", "status"),
        # All combinations are in tests/house_rules/test_votes.py.
        [(("CLAIM", "CLAIM", "WAIT"), "over"), (("CLAIM", "WAIT"), "running"), ((), "running")],
    )
    def test_the_majority_of_those_who_answer_decides(self, game: Playing, said: Sequence[str], status: str):
        self.answer(game, *said)
        look(game, days=2)
        assert game.view()["status"] == status
        if status == "over":
            assert game.view(game.people[1])["outcome"]["final"] is False
        else:
            assert len(events(game, "granted")) == 2
            game.table.tick()
            for person, who in ((game.people[0], "you"), (game.people[1], "Ada (Mr. X)")):
                told = [" ".join(text_of(mail).split()) for mail in person.mails]
                assert any(f"The vote is over: the detectives wait for {who}" in text for text in told)

    def test_the_answer_tells_what_was_said_and_what_comes_of_it(self, game: Playing):
        self.answer(game, "WAIT", "CLAIM", "WAIT")
        told = [" ".join(text_of(mail).split()) for person in game.people[1:] for mail in person.mails
                if "your vote" in mail["Subject"]]  # fmt: skip
        assert "You have voted to wait for Mr. X. The others are asked" in told[0]
        assert "You have voted to claim the game. The others are asked" in told[1]
        assert "You have voted to wait for Mr. X. Mr. X gets his full time once more." in told[2]
        assert events(game, "granted")[-1]["due_at"].endswith(":00Z")


def test_the_bank_and_the_covering_seat_are_forgotten_when_a_seat_changes_hands(table: Table):
    game = clocked(table, kind="bank", open_after=1)
    game.people[1].request("PUT", f"{game.path}/cover", json={"seat": 3})
    look(game, days=10)
    gwen = table.person("Gwen")
    assert gwen.post(f"{game.path}/seats", {"seat": 2}).status_code == 201
    with table.app.app_context():
        seat = session.get_one(Seat, (game.id, 2))
        assert (seat.bank, seat.cover, seat.is_offered, seat.misses) == (None, None, False, 0)
