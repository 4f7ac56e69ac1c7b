"""The operator's figures: for who has his token, in the form that Prometheus reads, and of nothing private."""

from pathlib import Path
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from server import worker
from server.application.time import heartbeat
from server.mail.transport.smtp_client import SendingFailure
from server.models import session
from tests.positions import position
from tests.table import Person, Table

TOKEN = "a token that is long enough to be none to guess"


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> list[Person]:
    return Table(tmp_path_factory.mktemp("metrics"), metrics_token=TOKEN, sandbox="yes").people(3)


@pytest.fixture
def table(people: list[Person]) -> Table:
    people[0].table.retry_from_database()
    return people[0].table


def ask(table: Table, token: str = TOKEN) -> Any:
    return table.client.get("/metrics", headers={"Authorization": f"Bearer {token}"})


def measured(table: Table) -> dict[str, float]:
    """Every figure by its name, with the value of its label if it has one."""
    families = text_string_to_metric_families(ask(table).get_data(as_text=True))
    samples = [sample for family in families for sample in family.samples]
    return {".".join([s.name.removeprefix("blackticket_"), *s.labels.values()]): s.value for s in samples}


AGAINST_BOTS = [
    f"games_against_bots_total.{level}.{result}.{side}"
    for level in ("easy", "fair", "good", "mixed") for side in ("mr_x", "detective") for result in ("won", "lost")
]  # fmt: skip


def test_a_new_server_has_nothing_to_tell(table: Table):
    answer = ask(table)
    assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
    assert measured(table) == {
        "games.open": 0, "games.running": 0, "games.over": 0, "players": 3,
        "deadlines_overdue": 0, "oldest_overdue_deadline_seconds": 0, "mails_unsent": 0,
        "oldest_unsent_mail_seconds": 0, "mails_dead": 0, "mails_unread": 0,
        "oldest_unread_mail_seconds": 0, "relay_out_seconds": 0, "webhook_messages_pending": 0,
        "webhooks_disabled": 0,
    } | dict.fromkeys(AGAINST_BOTS, 0)  # fmt: skip


@pytest.mark.parametrize(
    ("mine", "bots", "counted"),
    [
        ("mr_x", [{"bot": "constable", "level": "good"}, {"bot": "constable", "level": "good"}], "good.lost.mr_x"),
        ("mr_x", [{"bot": "constable", "level": "good"}, {"bot": "constable", "level": "easy"}], "mixed.lost.mr_x"),
        ("detective", [{"bot": "fugitive", "level": "easy"}, {"bot": "constable"}], "easy.lost.detective"),
    ],
)
def test_a_game_against_bots_is_counted_once_by_level_side_and_result_when_it_is_final(
    table: Table, people: list[Person], mine: str, bots: list[dict[str, str]], counted: str
):
    ada = people[0]
    roles = ["mr_x", "detective", "detective"]
    roles.remove(mine)
    others = [{"role": role} | bot for role, bot in zip(roles, bots, strict=True)]
    seats = sorted([{"role": mine, "player": ada.id}, *others], key=lambda seat: seat["role"], reverse=True)
    game = ada.post("/games", {"edition": "ravensburger-2000", "seats": seats}).json["id"]
    assert ada.post(f"/games/{game}/start").status_code == 200
    assert not any(measured(table)[name] for name in AGAINST_BOTS), "it runs"
    assert ada.post(f"/games/{game}/resign").status_code == 200
    figures = {name: value for name, value in measured(table).items() if name in AGAINST_BOTS and value}
    assert figures == {f"games_against_bots_total.{counted}": 1}
    table.clock.turn(days=3)
    table.tick()
    after = measured(table)
    assert {name: after[name] for name in AGAINST_BOTS if after[name]} == figures


def test_a_won_game_against_bots_is_counted_and_one_of_two_people_is_not(table: Table, people: list[Person]):
    ada, ben, _ = people
    seats = [{"role": "mr_x", "bot": "fugitive"}, {"role": "detective", "player": ada.id}]
    at = position(46, to_move="red", red=45)
    game = ada.post("/games", {"edition": "ravensburger-2000", "seats": seats, "position": at}).json["id"]
    ada.post(f"/games/{game}/start")
    assert ada.post(f"/games/{game}/moves", {"turn": 1, "notation": "red taxi 46"}).json["outcome"]["final"]
    assert measured(table)["games_against_bots_total.fair.won.detective"] == 1
    before = measured(table)
    of_two = table.game([ada, ben], edition="condensed")
    ada.post(f"{of_two.path}/resign")
    table.clock.turn(days=3)
    table.tick()
    after = measured(table)
    assert after["games.over"] == before["games.over"] + 1
    assert {name: after[name] for name in AGAINST_BOTS} == {name: before[name] for name in AGAINST_BOTS}


def test_games_players_and_deadlines_are_counted_and_what_is_overdue_is_timed(table: Table, people: list[Person]):
    ada, ben, _ = people
    game = table.game([ada, ben], edition="condensed")
    ada.post("/games", {"edition": "condensed", "players": 2})
    before = measured(table)
    assert (before["games.open"], before["games.running"], before["players"]) == (1, 1, 3)
    assert before["deadlines_overdue"] == 0
    table.clock.turn(days=2, minutes=5)
    after = measured(table)
    assert after["deadlines_overdue"] == 2
    assert after["oldest_overdue_deadline_seconds"] == pytest.approx(12 * 3600 + 300)
    assert game.view()["status"] == "running"


def test_mails_are_counted_when_they_wait_longer_than_they_should(table: Table, people: list[Person]):
    ada, ben, _ = people
    table.game([ada, ben], edition="condensed")
    assert measured(table)["mails_unsent"] == 0
    table.clock.turn(minutes=10)
    waiting = measured(table)
    assert (waiting["mails_unsent"], waiting["oldest_unsent_mail_seconds"]) == (3, 600)
    table.tick()
    assert measured(table)["mails_unsent"] == 0


def test_mails_that_were_given_up_are_counted(table: Table, people: list[Person]):
    table.game(people[:2], edition="condensed")

    def refuse(*_: Any) -> None:
        raise SendingFailure("the relay refused the recipient (550)", lasting=True)

    sends, table.post.send = table.post.send, refuse  # type: ignore[method-assign]
    table.tick()
    table.post.send = sends  # type: ignore[method-assign]
    assert measured(table)["mails_dead"] == 2


def test_webhooks_are_counted(table: Table, people: list[Person]):
    ada = people[0]
    hook = ada.post("/webhooks", {"url": "http://127.0.0.1:9000/"}).json["id"]
    ada.post("/games", {"edition": "condensed", "players": 2})
    assert measured(table)["webhook_messages_pending"] == 1
    table.hook = lambda *_: "gone"
    table.tick()
    after = measured(table)
    assert (after["webhook_messages_pending"], after["webhooks_disabled"]) == (0, 1)
    ada.request("PATCH", f"/webhooks/{hook}", json={"enabled": True})
    ada.request("PATCH", f"/webhooks/{hook}", json={"enabled": False})
    assert measured(table)["webhooks_disabled"] == 0, "its owner wants it so"


def test_the_age_of_the_last_tick_is_told_to_the_minute_and_noted_no_oftener(table: Table):
    ages = []
    with table.app.app_context():
        for seconds in (0, 30, 40, 0):
            table.clock.turn(seconds=seconds)
            heartbeat.beat(heartbeat.TICK)
            session.remove()
            ages.append(measured(table)["last_tick_age_seconds"])
    assert ages == [0, 30, 0, 0]


def test_what_is_done_in_private_moves_no_figure(table: Table, people: list[Person]):
    """A move ahead, talk, and a mail with its answer, all of which wait for long."""
    ada, ben, cleo = people
    game = table.game([ada, ben, cleo])
    game.move(ada)
    table.tick()
    before = measured(table)
    assert game.move(cleo).status_code == 202
    cleo.post(f"{game.path}/messages", {"to": "team", "text": "hello"})
    ada.reply("STATUS")
    assert measured(table) == before
    for _ in range(2):
        with table.app.app_context():
            worker.read_mail()
            session.remove()
        table.clock.turn(minutes=2)
        assert measured(table) == before


def test_only_the_token_with_its_scheme_opens_the_page(table: Table):
    for said in (
        None, "", TOKEN, f"Basic {TOKEN}", f"Bearer{TOKEN}", "Bearer ", "Bearer wrong", f"Bearer {TOKEN[:-1]}",
        f"Bearer {TOKEN}x", "Bearer " + "é" * 40,
    ):  # fmt: skip
        answer = table.client.get("/metrics", headers={} if said is None else {"Authorization": said})
        assert (answer.status_code, answer.json["type"]) == (401, "unauthorized"), said
        assert answer.headers["WWW-Authenticate"] == "Bearer", said


def test_the_scheme_may_be_in_any_case_as_in_the_api(table: Table):
    assert table.client.get("/metrics", headers={"Authorization": f"bearer {TOKEN}"}).status_code == 200


def test_a_players_token_is_none_for_it(table: Table, people: list[Person]):
    assert ask(table, people[0].token).status_code == 401


def test_where_no_token_is_set_the_page_is_not_there(tmp_path: Path):
    table = Table(tmp_path)
    assert ask(table, "").status_code == 404
    assert ask(table, "None").status_code == 404
