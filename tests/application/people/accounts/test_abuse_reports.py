"""Reports to the operator on messages, names and invitations: who may send one, and what of it is seen when."""

from dataclasses import replace

import pytest
from sqlalchemy import select

from server.application.operator import alerts, operators
from server.application.people.accounts import abuse_reports, deletion
from server.application.people.accounts.export import export_account
from server.models import AbuseReport, Outgoing, Player, session
from server.vocabulary import limits
from server.vocabulary.errors import Problem
from tests.scenes import hunt
from tests.table import Person, Playing, Table


@pytest.fixture
def hunted(table: Table) -> Playing:
    return hunt(table)


def say(game: Playing, person: Person, text: str, to: str = "all") -> None:
    assert person.post(f"{game.path}/messages", {"to": to, "text": text}).status_code == 201


def number_of(game: Playing, person: Person, text: str) -> int:
    """The number that a message has for somebody."""
    said = person.get(f"{game.path}/messages").json["messages"]
    return next(int(message["number"]) for message in said if message["text"] == text)


def report_message(game: Playing, reporter: Person, text: str) -> None:
    number = number_of(game, reporter, text)
    with game.table.app.app_context():
        abuse_reports.report_message(game.id, session.get_one(Player, reporter.id), number)


def listed(table: Table) -> list[dict[str, object]]:
    with table.app.app_context():
        return abuse_reports.open_reports()


def test_a_message_to_all_is_passed_on_with_its_author_and_no_other_message(hunted: Playing):
    ada, ben, cleo = hunted.people[:3]
    say(hunted, ben, "you fool")
    say(hunted, ben, "sorry")
    report_message(hunted, cleo, "you fool")
    (report,) = listed(hunted.table)
    assert (report["kind"], report["text"], report["about"], report["reporter"]) == (
        "message",
        "you fool",
        "Ben",
        "Cleo",
    )
    assert "sorry" not in str(report)
    assert ada.name not in str(report)


def test_the_words_of_a_team_and_their_time_are_shown_only_once_the_result_is_final(hunted: Playing):
    table, (mr_x, ben, cleo) = hunted.table, hunted.people[:3]
    say(hunted, ben, "he is on 101, you fool", "team")
    report_message(hunted, cleo, "he is on 101, you fool")
    (report,) = listed(table)
    assert (report["text"], report["at"], report["about"]) == (None, None, "Ben")
    hunted.contest()
    mr_x.post(f"{hunted.path}/resign")
    assert listed(table)[0]["text"] is None, "provisional"
    table.clock.turn(days=3)
    table.tick()
    assert listed(table)[0]["text"] == "he is on 101, you fool"


@pytest.mark.parametrize("by", ["capability", "address"])
def test_where_an_operator_plays_nothing_tells_that_a_team_talks_before_that(tmp_path, by: str):
    table = Table(
        tmp_path / "var", sandbox="yes", operator_email="ada@example.org" if by == "address" else "other@yard.example"
    )
    game = hunt(table)
    mr_x, ben, cleo = game.people[:3]
    if by == "capability":
        with table.app.app_context():
            operators.change(mr_x.id, granted=True)
    say(game, ben, "he is on 101", "team")
    report_message(game, cleo, "he is on 101")
    with table.app.app_context():
        (report_id,) = session.scalars(select(AbuseReport.id))
        assert abuse_reports.open_reports() == []
        assert abuse_reports.number_open() == 0
        with pytest.raises(Problem, match="no such report"):
            abuse_reports.settle(report_id)
    say(game, ben, "to everybody")
    report_message(game, cleo, "to everybody")
    assert [report["text"] for report in listed(table)] == ["to everybody"]
    mr_x.post(f"{game.path}/resign")
    table.clock.turn(days=3)
    table.tick()
    assert len(listed(table)) == 2


def test_nobody_reports_what_they_may_not_read_or_have_written_themselves(hunted: Playing):
    table, (mr_x, ben) = hunted.table, hunted.people[:2]
    say(hunted, ben, "to the team", "team")
    say(hunted, mr_x, "mine")
    with table.app.app_context():
        for reporter, number in ((mr_x, 1), (mr_x, 2), (ben, 1), (ben, 0), (ben, 99)):
            with pytest.raises(Problem, match="no such message"):
                abuse_reports.report_message(hunted.id, session.get_one(Player, reporter.id), number)
        for number in (2, 99):
            with pytest.raises(Problem, match="no other player"):
                abuse_reports.report_name(hunted.id, session.get_one(Player, ben.id), number)
        with pytest.raises(Problem, match="not invited"):
            abuse_reports.report_invitation(hunted.id, session.get_one(Player, ben.id))
    assert listed(table) == []


def test_the_same_is_reported_once_until_it_is_settled(hunted: Playing):
    table, ben = hunted.table, hunted.people[1]
    with table.app.app_context():
        player = session.get_one(Player, ben.id)
        for _ in range(2):
            abuse_reports.report_name(hunted.id, player, 1)
        (report,) = abuse_reports.open_reports()
        abuse_reports.settle(str(report["id"]))
        assert abuse_reports.open_reports() == []
        abuse_reports.report_name(hunted.id, player, 1)
        assert abuse_reports.number_open() == 1


def test_a_player_sends_so_many_reports_a_day(hunted: Playing, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(abuse_reports, "REPORTS", replace(limits.REPORTS, most=2))
    table, ben = hunted.table, hunted.people[1]
    with table.app.app_context():
        player = session.get_one(Player, ben.id)
        for number in (1, 3):
            abuse_reports.report_name(hunted.id, player, number)
        with pytest.raises(Problem, match="within a day") as refused:
            abuse_reports.report_name(hunted.id, player, 4)
        assert refused.value.code == "too-many"
        table.clock.turn(days=1)
        abuse_reports.report_name(hunted.id, player, 4)


def test_the_operator_hears_of_reports_once_a_day_without_a_word_of_them(tmp_path):
    table = Table(tmp_path / "var", sandbox="yes", operator_email="operator@yard.example")
    game = hunt(table)
    say(game, game.people[1], "you fool")
    report_message(game, game.people[2], "you fool")
    with table.app.app_context():
        for _ in range(2):
            alerts.tell()
        (row,) = session.scalars(select(Outgoing).where(Outgoing.kind == "alert"))
        told = str(row.details)
    assert "invitations that wait for you: 1" in told
    assert "fool" not in told
    assert not any(person.name in told for person in game.people)


def test_the_mail_to_the_operator_leads_to_the_pages(tmp_path):
    table = Table(
        tmp_path / "var", sandbox="yes", operator_email="operator@yard.example", public_url="https://yard.example/"
    )
    game = hunt(table)
    with table.app.app_context():
        abuse_reports.report_name(game.id, session.get_one(Player, game.people[1].id), 3)
        alerts.tell()
    table.tick()
    told = next(mail for mail in table.post.of("operator@yard.example"))
    assert "https://yard.example/operator" in told.get_content()


def test_what_is_settled_is_deleted_after_30_days_and_the_rest_after_180(hunted: Playing):
    table, ben = hunted.table, hunted.people[1]
    with table.app.app_context():
        for number in (1, 3):
            abuse_reports.report_name(hunted.id, session.get_one(Player, ben.id), number)
        abuse_reports.settle(str(abuse_reports.open_reports()[0]["id"]))
        for days, left in ((29, 2), (1, 1), (149, 1), (1, 0)):
            table.clock.turn(days=days)
            abuse_reports.forget_old()
            assert session.query(AbuseReport).count() == left


def test_a_player_exports_the_reports_they_made_and_an_account_takes_all_of_its_own_with_it(table: Table):
    ada, ben = table.people(2)
    made = ada.post("/games", {"edition": "condensed", "players": 3}).json
    ada.post(f"/games/{made['id']}/seats", {"seat": 1})
    with table.app.app_context():
        abuse_reports.report_name(made["id"], session.get_one(Player, ben.id), 1)
        assert [report["kind"] for report in export_account(session.get_one(Player, ben.id))["reports"]] == ["name"]
        assert export_account(session.get_one(Player, ada.id))["reports"] == []
        deletion.delete_account(ben.id, "Ben")
        assert session.query(AbuseReport).count() == 0
