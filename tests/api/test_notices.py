"""What a player is told by mail alone, their programs are told too: reminders, messages, and questions."""

from typing import Any

import pytest

from tests.table import Person, Playing, Table
from tests.webhooks.receiver import Door

TOLD = ("reminded", "said", "asked")


def notices(person: Person, after: str | None = None) -> list[dict[str, Any]]:
    """Return what only this player was told."""
    path = "/me/events?limit=1000" + (f"&after={after}" if after else "")
    return [event for event in person.get(path).json["events"] if event["kind"] in TOLD]


def place(person: Person) -> str:
    return str(person.get("/me/events?limit=1000").json["next"])


def finish_round(game: Playing) -> None:
    while game.view()["to_move"] != ["mr_x"]:
        game.move(game.mover())


@pytest.fixture
def game(table: Table) -> Playing:
    game = table.dealt(3)
    game.move(game.people[0])
    return game


def test_a_player_whose_time_runs_out_is_reminded_and_nobody_else(game: Playing, table: Table):
    red, blue = game.people[1:]
    finish_round(game)
    table.clock.turn(hours=37)
    table.tick()
    (told,) = notices(game.people[0])
    due = game.view(game.people[0])["due_at"]
    assert (told["kind"], told["number"], told["game"]) == ("reminded", None, game.id)
    assert told["data"] == {"pawns": ["mr_x"], "due_at": due}
    assert not notices(red)
    assert not notices(blue)


def test_a_reminder_of_a_turn_that_is_over_has_no_deadline(game: Playing, table: Table):
    table.clock.turn(hours=37)
    table.tick()
    assert [bool(told["data"]["due_at"]) for told in notices(game.people[1])] == [True]
    finish_round(game)
    assert [told["data"]["due_at"] for told in notices(game.people[1])] == [None]


def test_what_is_said_to_the_team_is_told_to_the_team_and_not_to_its_author_or_mr_x(game: Playing):
    mr_x, red, blue = game.people
    had = place(mr_x)
    red.post(f"{game.path}/messages", {"to": "team", "text": "Who covers 100?"})
    (told,) = notices(blue)
    seat = game.view(red)["you"]
    assert (told["kind"], told["number"]) == ("said", None)
    assert told["data"] == {"from": seat, "to": "team", "text": "Who covers 100?"}
    assert not notices(red)
    answer = mr_x.get(f"/me/events?limit=1000&after={had}").json
    assert answer == {"events": [], "next": had}, "he cannot count what they say"


def test_who_has_muted_a_game_is_told_of_no_message(game: Playing):
    _, red, blue = game.people
    assert blue.request("PUT", f"{game.path}/messages/muted", json={"muted": True}).status_code == 200
    red.post(f"{game.path}/messages", {"to": "all", "text": "Hello"})
    assert not notices(blue)


def test_who_gave_up_a_seat_reads_no_more_of_what_was_said_to_the_team(game: Playing):
    _, red, blue = game.people
    red.post(f"{game.path}/messages", {"to": "team", "text": "Who covers 100?"})
    assert notices(blue)
    blue.post(f"{game.path}/resign")
    after = notices(blue)
    still = game.view(blue)["you"] is not None
    assert bool(after) == still


def test_who_may_vote_is_asked(game: Playing):
    _, red, blue = game.people
    made = red.post(f"{game.path}/votes", {"kind": "extend", "length": "P1D"})
    assert made.status_code == 201, made.json
    (told,) = notices(blue)
    opened = [e for e in blue.get(f"{game.path}/events?limit=1000").json["events"] if e["kind"] == "proposed"]
    assert (told["kind"], told["number"], told["data"]) == ("asked", None, opened[0]["data"])
    assert not notices(red)


def test_who_may_agree_to_a_draw_is_asked(game: Playing):
    mr_x, red, blue = game.people
    assert red.post(f"{game.path}/draw").status_code < 300
    seat = game.view(red)["you"]
    for asked in (mr_x, blue):
        assert [told["data"] for told in notices(asked)] == [{"what": "draw", **seat}]
    assert not notices(red)


def test_who_reads_on_is_told_each_once_however_many_come_at_a_time(game: Playing, table: Table):
    _, red, blue = game.people
    for text in "abcde":
        red.post(f"{game.path}/messages", {"to": "all", "text": text})
        blue.post(f"{game.path}/messages", {"to": "team", "text": text})
        table.clock.turn(seconds=1)
    table.clock.turn(seconds=20)
    finish_round(game)
    whole = blue.get("/me/events?limit=1000").json
    for limit in (1, 2, 3):
        found, after = [], ""
        while page := blue.get(f"/me/events?limit={limit}{after}").json:
            found += page["events"]
            if not page["events"]:
                break
            after = f"&after={page['next']}"
        assert found == whole["events"]
    assert [event["data"]["text"] for event in whole["events"] if event["kind"] == "said"] == list("abcde")


def test_a_player_without_mail_is_told_all_the_same(game: Playing):
    _, red, blue = game.people
    assert blue.request("PATCH", "/me/preferences", json={"mail": "off"}).status_code == 200
    red.post(f"{game.path}/messages", {"to": "team", "text": "Hello"})
    game.table.tick()
    assert len(notices(blue)) == 1


@pytest.fixture
def hooked(game: Playing) -> Playing:
    return with_webhooks(game)


def with_webhooks(game: Playing) -> Playing:
    """Give everybody in the game a webhook at a host of their name."""
    table = game.table
    table.app.extensions["blackticket"].resolve = lambda _host: ["93.184.216.34"]
    table.hook = Door()
    for person in game.people:
        assert person.post("/webhooks", {"url": f"https://{person.name.lower()}.example.org/"}).status_code == 201
    return game


def test_a_webhook_gets_what_its_player_is_told(hooked: Playing):
    _, red, blue = hooked.people
    red.post(f"{hooked.path}/messages", {"to": "team", "text": "Hello"})
    hooked.table.tick()
    ((to, *_),) = hooked.table.hook.taken
    (message,) = hooked.table.hook.bodies
    assert blue.name.lower() in to
    assert message["type"] == "game.notice"
    assert message["data"] == notices(blue)[0]
    (listed,) = blue.get(f"/webhooks/{blue.get('/webhooks').json['webhooks'][0]['id']}/deliveries").json["deliveries"]
    assert (listed["type"], listed["number"], listed["state"]) == ("game.notice", None, "delivered")


def test_a_webhook_gets_no_reminder_of_a_move_that_was_made(hooked: Playing, table: Table):
    table.clock.turn(hours=37)
    table.hook.words = ["unreachable"] * 3
    table.tick()
    finish_round(hooked)
    table.hook.taken.clear()
    table.clock.turn(minutes=10)
    table.tick()
    kinds = [body["data"].get("kind") for body in table.hook.bodies]
    assert "moved" in kinds
    assert "reminded" not in kinds


def test_a_late_mr_x_is_not_asked_whether_the_detectives_wait_for_him(table: Table):
    clock = {"kind": "per_phase", "mr_x": "P2D", "detectives": "P2D", "mr_x_late": "vote"}
    hooked = with_webhooks(table.dealt(3, clock=clock))
    mr_x = hooked.people[0]
    for _ in range(8):
        table.clock.turn(hours=24)
        table.tick()
    asked = [[told["data"]["what"] for told in notices(each) if told["kind"] == "asked"] for each in hooked.people]
    assert not asked[0]
    assert "claim" in asked[1]
    sent = [(to, body) for (to, *_), body in zip(table.hook.taken, table.hook.bodies, strict=True)]
    told = {to for to, body in sent if body["type"] == "game.notice" and body["data"]["kind"] == "asked"}
    assert f"https://{mr_x.name.lower()}.example.org/" not in told
    assert told


def test_my_games_say_whose_turn_it_is_until_when_which_seat_is_mine_and_how_it_ended(game: Playing):
    mr_x, red, _ = game.people
    (listed,) = red.get("/games?mine=true").json["games"]
    view = game.view(red)
    assert listed["to_move"] == view["to_move"] != []
    assert {name: listed[name] for name in ("you", "due_at", "outcome")} == {
        "you": view["you"], "due_at": view["due_at"], "outcome": None,
    }  # fmt: skip
    assert listed["due_at"]
    mr_x.post(f"{game.path}/resign")
    (over,) = red.get("/games?mine=true").json["games"]
    assert (over["to_move"], over["due_at"]) == ([], None)
    assert over["outcome"] == game.view(red)["outcome"] is not None


def test_what_is_due_first_comes_first_and_what_is_never_due_last(table: Table):
    people = table.people(2)
    clocks = [
        {"kind": "none"},
        *({"kind": "per_phase", "mr_x": length, "detectives": length} for length in ("P3D", "P1D", "P2D")),
    ]
    games = [table.game(people, edition="condensed", clock=clock).id for clock in clocks]
    waiting = people[0].get("/me/waiting").json["games"]
    assert [game["id"] for game in waiting] == [games[2], games[3], games[1], games[0]]
    assert [game["you"]["pawns"] for game in waiting] == [["mr_x"]] * 4
