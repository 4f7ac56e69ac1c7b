"""A seat changes hands in a running game: what the old holder had dies, the newcomer gets a full go."""

from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from blackticket.standalone import verifier
from server.application.lobby import seats
from server.application.operator import remedies
from server.models import (
    Deadline,
    Event,
    FormerHolder,
    Incoming,
    Outgoing,
    Player,
    QueuedMove,
    ReplyToken,
    Seat,
    session,
)
from server.vocabulary.errors import Problem
from tests.rows import for_each
from tests.scenes import chase, mail_only_to, text_of
from tests.table import Person, Playing, Table

REASON = "illness, and nobody knows for how long"


def substitute(game: Playing, number: int, person: Person, reason: str = REASON) -> None:
    with game.table.app.app_context():
        seats.substitute(game.id, number, session.get_one(Player, person.id), reason)
        session.remove()


def refused(game: Playing, number: int, person: Person, reason: str = REASON) -> Problem:
    """The problem; nothing has been written then."""
    before = written(game)
    with pytest.raises(Problem) as caught:
        substitute(game, number, person, reason)
    assert written(game) == before
    return caught.value


def written(game: Playing) -> list[Any]:
    """Return the numbers of events and mails, the seats, and the timers that run."""
    with game.table.app.app_context():
        rows = [session.query(kind).count() for kind in (Event, Outgoing, FormerHolder)]
        seats = session.execute(select(Seat.player_id, Seat.nonce).where(Seat.game_id == game.id)).all()
    return [rows, seats, armed(game)]


def events(game: Playing, kind: str | None = None) -> list[Any]:
    with game.table.app.app_context():
        query = select(Event).where(Event.game_id == game.id).order_by(Event.number)
        found = [event for event in session.scalars(query) if kind in (None, event.kind)]
        session.expunge_all()
        return found


def armed(game: Playing) -> dict[str, Any]:
    with game.table.app.app_context():
        query = select(Deadline).where(Deadline.game_id == game.id, Deadline.state == "armed")
        return {row.kind: row.due_at for row in session.scalars(query)}


def seat(game: Playing, number: int) -> Seat:
    with game.table.app.app_context():
        return session.get_one(Seat, (game.id, number))


def verdicts(table: Table) -> list[str | None]:
    """Return the states of the incoming mails, the oldest first."""
    with table.app.app_context():
        return list(session.scalars(select(Incoming.verdict).order_by(Incoming.received_at)))


class TestNewcomer:
    """A substitute holds the seat as if from the start."""

    def test_the_seat_is_his_and_so_are_its_moves(self, game: Playing, gus: Person):
        substitute(game, 1, gus)
        assert game.view(gus)["you"] == {"seat": 1, "pawns": ["mr_x"]}
        assert game.move(gus).status_code == 201

    def test_who_held_it_moves_no_more(self, hunted: Playing):
        ben, gus = hunted.people[1], hunted.people[6]
        substitute(hunted, 2, gus)
        answer = ben.post(f"{hunted.path}/moves", {"turn": 2, "notation": "taxi 115"})
        assert (answer.status_code, answer.json["type"]) == (403, "forbidden")

    def test_who_held_it_is_told_that_the_operator_gave_it_away_and_why(self, hunted: Playing):
        substitute(hunted, 2, hunted.people[6])
        hunted.table.tick()
        mail = hunted.people[1].mails[-1]
        assert mail["Subject"] == "[Foggy Thames] Your seat has been given to somebody else"
        assert REASON in " ".join(text_of(mail).split())

    def test_what_the_player_before_him_missed_is_told_without_his_name(self, table: Table):
        clock = {"kind": "per_phase", "detectives": "PT1H", "mr_x": "P1D"}
        game = table.game(table.people(3), clock=clock)
        gus = table.person("Gus")
        game.move(game.people[0])
        table.clock.turn(hours=2)
        table.tick()
        substitute(game, 2, gus)
        table.tick()
        assert "you are Purple and Red from now on" in gus.mails[-1]["Subject"]
        text = " ".join(text_of(gus.mails[-1]).split())
        assert "The time ran out for" in text
        assert "for Gus" not in text

    def test_a_new_mr_x_is_not_told_of_the_lateness_before_him_as_his_own(self, table: Table):
        game = table.game(table.people(3))
        gus = table.person("Gus")
        table.clock.turn(days=2, minutes=1)
        table.tick()
        substitute(game, 1, gus)
        table.tick()
        text = " ".join(text_of(gus.mails[-1]).split())
        assert "The time ran out for Mr. X, who was given one more turn." in text
        assert "Your time ran out" not in text

    def test_he_gets_one_mail_and_can_move_by_answering_it(self, hunted: Playing):
        gus = hunted.people[6]
        mail_only_to(hunted.table, "Gus")
        substitute(hunted, 2, gus)
        hunted.table.tick()
        (mail,) = gus.mails
        assert mail["Subject"] == "[Foggy Thames] Round 1: you are Purple from now on"
        gus.reply("taxi 115")
        hunted.table.tick()
        assert hunted.view()["history"][-1] == "purple taxi 115"

    def test_his_mail_holds_the_travel_log_his_choices_and_until_when_there_is_time(self, hunted: Playing):
        gus = hunted.people[6]
        mail_only_to(hunted.table, "Gus")
        hunted.table.clock.turn(hours=10)
        substitute(hunted, 2, gus)
        hunted.table.tick()
        text = " ".join(text_of(gus.mails[0]).split())
        for fact in (
            "by Wednesday 25 November, 04:00 in London",
            "You can go from 127",
            "by taxi to 115, 116, 126 or 134",
            "Travel log from move 9: X.",
            "Blue at 185 9/7/3",
            '- Red is played by "Cleo"',
        ):
            assert fact in text

    def test_a_new_mr_x_learns_where_he_is_but_not_in_the_first_lines(self, hunted: Playing):
        gus = hunted.people[6]
        mail_only_to(hunted.table, "Gus")
        substitute(hunted, 1, gus)
        hunted.table.tick()
        text = text_of(gus.mails[0])
        assert "You are at 100 now." in text
        assert not {"100", "111"} & set(text[:200].replace(".", " ").split())

    def test_the_next_mail_of_the_others_tells_it_too(self, hunted: Playing):
        ada, ben, _cleo, *others = hunted.people
        mail_only_to(hunted.table, "Ada")
        substitute(hunted, 3, hunted.people[6])
        hunted.move(ben, "taxi 115")
        hunted.move(hunted.people[6], "bus 102")
        for person in others[:3]:
            hunted.move(person)
        hunted.table.tick()
        assert "Somebody else plays Red now. Purple went to 115" in " ".join(text_of(ada.mails[-1]).split())


class TestOldHolder:
    """Nothing that was made for him works any more."""

    def test_his_answers_to_old_mails_do_nothing(self, hunted: Playing):
        ben, gus = hunted.people[1], hunted.people[6]
        old = ben.mails[-1]
        mail_only_to(hunted.table, "Ben")
        substitute(hunted, 2, gus)
        hunted.table.tick()
        before = hunted.view(gus)
        texts = ("taxi 115", "CANCEL", "YES", "TRY taxi 115")
        for number, text in enumerate(texts, len(ben.mails) + 1):
            ben.reply(text, to=old)
            hunted.table.tick()
            assert hunted.view(gus) == before, text
            assert (verdicts(hunted.table)[-1], len(ben.mails)) == ("no-game", number), text
            assert "You play in no game" in text_of(ben.mails[-1]), text

    def test_the_newcomer_cannot_use_his_old_addresses_either(self, hunted: Playing):
        ben, gus = hunted.people[1], hunted.people[6]
        old = ben.mails[-1]
        mail_only_to(hunted.table)
        substitute(hunted, 2, gus)
        gus.reply("taxi 115", to=old)
        hunted.table.tick()
        assert hunted.view(gus)["turn"] == 2
        assert verdicts(hunted.table)[-1] == "no-proof"

    def test_what_he_sent_ahead_is_forgotten_and_what_others_did_is_kept(self, hunted: Playing):
        _ada, _ben, cleo, dan, *_, gus = hunted.people
        for person, move in ((cleo, "bus 102"), (dan, "taxi 140")):
            assert hunted.move(person, move).status_code == 202
        substitute(hunted, 3, gus)
        with hunted.table.app.app_context():
            assert list(session.scalars(select(QueuedMove.notation))) == ["green taxi 140"]

    def test_a_question_he_was_asked_is_open_no_more(self, hunted: Playing):
        dan, gus = hunted.people[3], hunted.people[6]
        mail_only_to(hunted.table, "Dan")
        dan.reply("I'll take the taxi to 140, I think")
        hunted.table.tick()
        assert "did you mean" in dan.mails[-1]["Subject"]
        substitute(hunted, 4, gus)
        dan.reply("YES")
        hunted.table.tick()
        with hunted.table.app.app_context():
            assert [token.question for token in session.scalars(select(ReplyToken)) if token.question] == []
            assert session.query(QueuedMove).count() == 0

    def test_mails_to_him_that_are_still_to_be_sent_are_not_sent(self, table: Table):
        game = chase(table)
        ada, gus = game.people[0], table.person("Gus")
        mail_only_to(table, "Ada")
        substitute(game, 1, gus)
        table.tick()
        assert [mail["Subject"] for mail in ada.mails] == ["[Foggy Thames] Your seat has been given to somebody else"]
        with table.app.app_context():
            (row,) = session.scalars(select(Outgoing).where(Outgoing.player_id == ada.id, Outgoing.kind == "turn"))
            assert (row.state, row.message, row.details) == ("superseded", None, None)

    def test_mails_about_another_game_of_his_are_sent(self, table: Table, game: Playing, gus: Person):
        ada = game.people[0]
        mail_only_to(table, "Ada")
        table.game(game.people)
        substitute(game, 1, gus)
        table.tick()
        assert len([mail for mail in ada.mails if "your move by" in mail["Subject"]]) == 1

    def test_an_answer_he_got_under_a_key_is_not_given_again(self, hunted: Playing):
        ben, gus = hunted.people[1], hunted.people[6]
        asked: dict[str, Any] = {"headers": {"Idempotency-Key": "k"}}
        body = {"turn": 2, "notation": "taxi 115"}
        assert ben.post(f"{hunted.path}/moves", body, **asked).status_code == 201
        substitute(hunted, 2, gus)
        again = ben.post(f"{hunted.path}/moves", body, **asked)
        assert (again.status_code, again.json["type"]) == (409, "already-done")

    def test_an_answer_that_another_got_under_a_key_is_given_again(self, hunted: Playing):
        ben, cleo, gus = hunted.people[1], hunted.people[2], hunted.people[6]
        asked: dict[str, Any] = {"headers": {"Idempotency-Key": "k"}}
        body = {"turn": 2, "notation": "taxi 115"}
        first = ben.post(f"{hunted.path}/moves", body, **asked)
        substitute(hunted, 3, gus)
        assert cleo.get(hunted.path).json["you"] is None
        assert ben.post(f"{hunted.path}/moves", body, **asked).data == first.data

    def test_who_held_the_seat_and_as_what_is_kept(self, hunted: Playing):
        ada, ben, *_, gus = hunted.people
        substitute(hunted, 2, gus)
        substitute(hunted, 1, hunted.table.person("Hal"))
        with hunted.table.app.app_context():
            held = {(row.game_id, row.player_id, row.role) for row in session.scalars(select(FormerHolder))}
        assert held == {(hunted.id, ben.id, "detective"), (hunted.id, ada.id, "mr_x")}


class TestDeadline:
    """The newcomer gets a full go where he is to move; nobody else gets any time by it."""

    def test_mails_of_before_and_after_tell_each_their_own_deadline(self, hunted: Playing):
        """Eve's mail of before the change was not sent in time; it tells what was so then."""
        _ada, ben, cleo, dan, *_, gus = hunted.people
        mail_only_to(hunted.table, "Cleo", "Dan", "Gus")
        hunted.move(ben, "taxi 115")  # and it is Cleo's go
        hunted.table.clock.turn(hours=30)
        substitute(hunted, 5, gus)
        hunted.move(cleo, "bus 102")  # and Dan's
        hunted.table.tick()
        assert "Tue 24 Nov 18:00 London" in cleo.mails[-2]["Subject"]
        for mail in (cleo.mails[-1], dan.mails[-1], gus.mails[-1]):
            words = " ".join(text_of(mail).split())
            assert "Thu 26 Nov 00:00 London" in words or "Thursday 26 November, 00:00 in London" in words


class TestEvent:
    """Everybody can see that it happened; nobody's name is chained to it."""

    def test_the_verifier_takes_a_game_with_it(self, hunted: Playing, tmp_path: Path):
        substitute(hunted, 3, hunted.people[6])
        with hunted.table.app.app_context():
            remedies.unseal(hunted.id, "a question of the rules")
        hunted.move(hunted.people[1], "taxi 115")
        transcript = tmp_path / "transcript.json"
        transcript.write_text(hunted.people[1].get(f"{hunted.path}/transcript").text)
        assert verifier.examine([str(transcript)])[0] == 0


class TestRefusals:
    """Players who may not take a seat, and seats that cannot be handed on."""

    def test_a_player_who_has_a_seat_gets_no_second(self, hunted: Playing):
        problem = refused(hunted, 2, hunted.people[3])
        assert (problem.code, problem.sentence) == ("already-seated", "Dan has a seat in this game already.")

    def test_who_was_mr_x_gets_no_other_seat_and_not_his_own(self, hunted: Playing):
        substitute(hunted, 1, hunted.people[6])
        for number in (1, 2):
            assert refused(hunted, number, hunted.people[0]).code == "forbidden"

    def test_who_was_a_detective_never_becomes_mr_x(self, hunted: Playing):
        substitute(hunted, 2, hunted.people[6])
        problem = refused(hunted, 1, hunted.people[1])
        assert problem.sentence == "Ben was a detective in this game, and cannot become Mr. X in it."

    def test_who_was_a_detective_may_be_one_again(self, hunted: Playing):
        ben, gus = hunted.people[1], hunted.people[6]
        substitute(hunted, 2, gus)
        substitute(hunted, 2, ben)
        substitute(hunted, 2, gus)
        assert hunted.view(gus)["you"] == {"seat": 2, "pawns": ["purple"]}

    def test_the_game_is_running(self, table: Table, game: Playing, gus: Person):
        made = gus.post("/games", {"edition": "condensed"}).json["id"]
        assert "has not begun" in refused(Playing(table, made, [gus]), 1, gus).sentence
        mail_only_to(table)
        for _ in range(2):
            table.clock.turn(days=2)
            table.tick()
        assert "is over" in refused(game, 1, gus).sentence

    @for_each("number", [0, 7, -1])
    def test_a_seat_that_there_is_not_is_named(self, game: Playing, gus: Person, number: int):
        assert refused(game, number, gus).sentence == "There is no such seat; the seats are 1 (Mr. X) to 6."
