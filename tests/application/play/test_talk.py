"""Talk: who hears what and for how long, how much of it, and that the team's reaches nobody else."""

import base64
import json
import re
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from server.application.lobby import seats
from server.models import Message, Player, session
from tests.kept import again
from tests.profiles import IS_CAMPAIGN
from tests.scenes import CHASE, chase, quiet, text_of
from tests.table import Person, Playing, Table
from tests.web.game.test_page import Browser
from tests.worlds.outlets import endpoints


@pytest.fixture
def game(table: Table) -> Playing:
    """Ada is Mr. X, Ben to Finn are detectives; it is Mr. X's turn."""
    return chase(table)


def write(game: Playing, person: Person, to: str, text: str) -> Any:
    return person.post(f"{game.path}/messages", {"to": to, "text": text})


def said(game: Playing, person: Person) -> list[tuple[int, str]]:
    """Return the number and text of each message a person can read."""
    return [(m["number"], m["text"]) for m in person.get(f"{game.path}/messages").json["messages"]]


def talked(game: Playing) -> None:
    """Twice to the team, once to all, once more to the team."""
    ada, ben, cleo, *_ = game.people
    for person, to, text in ((ben, "team", "one"), (cleo, "team", "two"), (ada, "all", "three"), (ben, "team", "four")):
        assert write(game, person, to, text).status_code == 201


def substitute(game: Playing, number: int, person: Person) -> None:
    with game.table.app.app_context():
        seats.substitute(game.id, number, session.get_one(Player, person.id), "he is away")
        session.remove()


ALL = [(1, "one"), (2, "two"), (3, "three"), (4, "four")]
IN_PUBLIC = [(1, "three")]


# Who hears what ---------------------------------------------------------------------------------


def test_a_detective_hears_the_team_and_what_is_said_to_all(game: Playing):
    talked(game)
    assert said(game, game.people[3]) == ALL


def test_mr_x_hears_only_what_is_said_to_all_and_finds_no_gap_in_its_numbers(game: Playing):
    talked(game)
    assert said(game, game.people[0]) == IN_PUBLIC


def test_a_host_without_a_seat_hears_only_what_is_said_to_all(table: Table):
    gus, people = table.person("Gus"), table.people(2)
    made = gus.post("/games", {"edition": "condensed", "players": 2}).json["id"]
    game = Playing(table, made, people)
    for number, person in enumerate(people, 1):
        person.post(f"{game.path}/seats", {"seat": number})
    write(game, people[1], "team", "alone")
    write(game, people[1], "all", "hello")
    assert said(game, gus) == [(1, "hello")]


def test_mr_x_hears_nothing_of_the_team_when_the_result_is_final(table: Table):
    game = table.dealt(6, position=CHASE)
    talked(game)
    for person, move in zip(
        game.people, ("black 124", "taxi 115", "underground 111", "taxi 140", "bus 124"), strict=False
    ):
        assert game.move(person, move).status_code == 201
    assert game.view()["outcome"]["final"] is True
    assert said(game, game.people[0]) == IN_PUBLIC
    assert said(game, game.people[1]) == ALL


def test_all_may_write_when_the_game_is_over(table: Table):
    game = table.dealt(6, position=CHASE)
    for person, move in zip(
        game.people, ("black 124", "taxi 115", "underground 111", "taxi 140", "bus 124"), strict=False
    ):
        game.move(person, move)
    assert game.view()["status"] == "over"
    assert [write(game, person, "all", "thank you").status_code for person in game.people[:2]] == [201, 201]


def test_where_the_host_chose_open_talk_mr_x_hears_the_team_and_a_spectator_does_not(table: Table):
    game = table.dealt(6, position=CHASE, options={"team_talk": "open"})
    talked(game)
    assert said(game, game.people[0]) == ALL
    assert said(game, table.person("Gus")) == IN_PUBLIC


# Before the start -------------------------------------------------------------------------------


@pytest.fixture
def lobby(table: Table) -> Playing:
    """A game that Ada has opened; Ben and Cleo sit as detectives, and Mr. X's seat is free."""
    return again(table, _lobby, "detectives in a lobby")


def _lobby(table: Table) -> Playing:
    ada, ben, cleo = people = table.people(3)
    made = ada.post("/games", {"edition": "ravensburger-2000", "players": 3}).json["id"]
    for number, person in ((2, ben), (3, cleo)):
        person.post(f"/games/{made}/seats", {"seat": number})
    return Playing(table, made, people)


def test_detectives_talk_before_the_start_and_it_stays_with_the_game(lobby: Playing):
    ada, ben, cleo = lobby.people
    assert write(lobby, ben, "team", "hello").status_code == 201
    ada.post(f"{lobby.path}/seats", {"seat": 1})
    ada.post(f"{lobby.path}/start")
    assert said(lobby, cleo) == [(1, "hello")]


def test_who_gives_his_seat_back_before_the_start_hears_the_team_no_more(lobby: Playing):
    _, ben, cleo = lobby.people
    write(lobby, ben, "team", "hello")
    cleo.request("DELETE", f"{lobby.path}/seats/3")
    assert said(lobby, cleo) == []


# Changes of seat --------------------------------------------------------------------------------


def test_a_detective_who_is_replaced_is_a_spectator_of_the_talk(game: Playing):
    talked(game)
    substitute(game, 3, game.table.person("Gus"))
    assert said(game, game.people[2]) == IN_PUBLIC


def step_out(game: Playing, person: Person, number: int) -> None:
    answer = person.request("DELETE", f"{game.path}/seats/{number}", query_string={"to_bot": "true"})
    assert answer.status_code == 200


def told(game: Playing, person: Person) -> list[str]:
    """Return the texts of messages among the events of a person."""
    events = person.get("/me/events").json["events"]
    return [each["data"]["text"] for each in events if each["kind"] == "said" and each["game"] == game.id]


def test_who_takes_a_detectives_seat_hears_the_team_from_then_on_wherever_they_look(game: Playing):
    talked(game)
    gus = game.table.person("Gus")
    substitute(game, 3, gus)
    assert said(game, gus) == IN_PUBLIC
    answer = write(game, game.people[1], "team", "five")
    assert answer.json["number"] == 5
    game.table.tick()
    page = Browser(game.table, gus).get(f"/games/{game.id}").text
    mails = [text_of(mail) for mail in gus.mails]
    assert (said(game, gus), told(game, gus)) == ([*IN_PUBLIC, (2, "five")], ["five"])
    for text, is_heard in (("one", False), ("two", False), ("four", False), ("five", True)):
        assert (f">{text}<" in page, any(f'"{text}"' in mail for mail in mails)) == (is_heard, is_heard), text
    assert said(game, game.people[1]) == [*ALL, (5, "five")]


def test_a_detective_who_comes_back_hears_the_team_as_before(game: Playing):
    talked(game)
    ben = game.people[1]
    step_out(game, ben, 2)
    write(game, game.people[2], "team", "five")
    assert said(game, ben) == IN_PUBLIC
    assert ben.post(f"{game.path}/seats", {"seat": 2}).status_code == 201
    assert said(game, ben) == [*ALL, (5, "five")]


def test_a_newcomer_who_goes_and_comes_back_hears_the_team_since_they_first_came(game: Playing):
    talked(game)
    gus = game.table.person("Gus")
    step_out(game, game.people[1], 2)
    gus.post(f"{game.path}/seats", {"seat": 2})
    write(game, game.people[2], "team", "five")
    step_out(game, gus, 2)
    gus.post(f"{game.path}/seats", {"seat": 2})
    assert said(game, gus) == [*IN_PUBLIC, (2, "five")]


def test_who_sat_with_the_team_before_the_start_alone_hears_it_from_then_on(lobby: Playing):
    ada, ben, cleo = lobby.people
    write(lobby, ben, "team", "hello")
    cleo.request("DELETE", f"{lobby.path}/seats/3")
    for person, number in ((ada, 1), (lobby.table.person("Gus"), 3)):
        person.post(f"{lobby.path}/seats", {"seat": number})
    ada.post(f"{lobby.path}/start")
    write(lobby, ben, "team", "now")
    step_out(lobby, ben, 2)
    assert cleo.post(f"{lobby.path}/seats", {"seat": 2}).status_code == 201
    assert said(lobby, cleo) == []


def test_who_was_mr_x_hears_nothing(game: Playing):
    talked(game)
    substitute(game, 1, game.table.person("Gus"))
    answers = [game.people[0].get(f"{game.path}/messages"), write(game, game.people[0], "all", "hello")]
    assert [answer.status_code for answer in answers] == [404, 404]


def test_a_mail_of_the_teams_talk_is_not_written_to_who_has_lost_his_seat_meanwhile(lobby: Playing):
    _, ben, cleo = lobby.people
    lobby.table.tick()
    write(lobby, ben, "team", "hello")
    cleo.request("DELETE", f"{lobby.path}/seats/3")
    lobby.table.tick()
    assert [mail for mail in cleo.mails if "writes to" in mail["Subject"]] == []


# How much ---------------------------------------------------------------------------------------


def test_the_fifty_first_message_of_a_day_is_refused_with_the_time_when_it_goes_on(game: Playing):
    ben = game.people[1]
    assert {write(game, ben, "team", f"{n}").status_code for n in range(50)} == {201}
    game.table.clock.turn(hours=5)
    answer = write(game, ben, "team", "51")
    assert (answer.status_code, answer.json["type"]) == (429, "too-many")
    assert "You can write the next after 18:00 UTC on 2026-11-23" in answer.json["detail"]
    assert write(game, game.people[2], "team", "I have said nothing yet").status_code == 201
    game.table.clock.turn(hours=19)
    assert write(game, ben, "team", "51").status_code == 201


# What is kept -----------------------------------------------------------------------------------


def test_the_text_of_a_message_lies_sealed_and_as_long_as_any_other(game: Playing):
    for words in ("hello", "nobody shall read this " * 20):
        write(game, game.people[1], "team", words)
    with game.table.app.app_context():
        kept = session.connection().exec_driver_sql("SELECT text FROM messages").scalars().all()
        session.remove()
    assert {type(words) for words in kept} == {bytes}
    assert len({len(words) for words in kept}) == 1
    assert all(b"nobody" not in words and b"hello" not in words for words in kept)


def test_a_message_says_at_rest_who_wrote_it_when_and_to_whom(game: Playing):
    write(game, game.people[2], "team", "hello")
    with game.table.app.app_context():
        message = session.scalars(select(Message)).one()
        assert (message.seat, message.player_id, message.audience) == (3, game.people[2].id, "team")
        assert (message.at, message.text) == (game.table.clock.time, "hello")
        session.remove()


# Two worlds -------------------------------------------------------------------------------------

_MAIL_ID = re.compile("Message-ID: <([a-z2-7]{16})@")
_LISTED_ID = re.compile(rb'"id":"[a-z2-7]{16}","kind"')  # of a mail, in the list of those that were sent
_PLACE = re.compile(rb'"next":"([\w=-]+)"')  # of a reader of the events of all games


class World:
    """A game in which everybody plays the same; in the one the team talks."""

    def __init__(self, folder: Path, *, team_talks: bool) -> None:
        self.table = Table(folder, sandbox="1", min_turn="PT1S", secret_key="the key of a server that is only a test")
        self.team_talks = team_talks
        self.table.blind_the_seal()
        self.people = self.table.people(6)
        quiet(self.table, "Ben", "Cleo", "Eve", "Finn")
        self.got: list[Any] = []

    def live(self) -> "World":
        """From the lobby to the end and what comes after it; Mr. X looks at everything before, within and after it."""
        ada = self.people[0]
        made = ada.post("/games", {"edition": "ravensburger-2000", "position": CHASE, "players": 6})
        self.game = Playing(self.table, made.json["id"], self.people)
        for number, person in enumerate(self.people, 1):
            person.post(f"{self.game.path}/seats", {"seat": number})
        self.step()
        ada.post(f"{self.game.path}/start")
        if IS_CAMPAIGN:
            self.step()
        self.pause()
        moves = ("black 124", "taxi 115", "underground 111", "taxi 140", "taxi 154", "taxi 186", "taxi 123")
        for person, move in zip((*self.people, ada), moves, strict=True):
            assert self.game.move(person, move).status_code == 201, move
            if move == "taxi 123":
                self.step()
        for _ in range(4):
            self.table.clock.turn(hours=48)
            self.table.tick()
        self.step()
        assert self.game.view()["outcome"]["final"] is True
        return self

    def step(self) -> None:
        """The team talks, by REST and by mail, in one of the worlds; then there is talk to all in both."""
        ada, ben, cleo, dan, *_ = self.people
        self.pause()
        write(self.game, ben, "all", "Good morning")
        self.pause()
        if self.team_talks:
            write(self.game, cleo, "team", "Who can cover 100?")
            write(self.game, ben, "team", "x" * 1001)
            ben.request("PUT", f"{self.game.path}/messages/muted", json={"muted": True})
            dan.reply("SAY I can")
        else:
            self.table.count()  # the mail that is not written
        self.pause()
        write(self.game, ben, "all", "Hello, Mr. X")
        self.pause()
        self.got.append(write(self.game, ada, "all", "Good evening").json)
        self.got.append(write(self.game, ada, "team", "Who is there?").json)
        ada.reply("SAY ALL hello\nSAY who hears this?")
        self.pause()
        ada.reply("SAY ALL hello")
        self.pause()
        self.look()

    def pause(self) -> None:
        """So long that no two mails are of one moment: of these the random ids tell which comes first in a list."""
        self.table.tick()
        self.table.clock.turn(seconds=1)

    def look(self) -> None:
        """Ask for all that Mr. X can; for what is not about the game or himself, when the game is over."""
        ada = self.people[0]
        is_over = self.game.view()["status"] == "over"
        paths = [rule.removeprefix("GET /api/v1") for rule in endpoints() if rule.startswith("GET /api/v1")]
        for path in sorted(path for path in paths if is_over or path.startswith(("/games", "/me"))):
            if path.endswith("/board.png") and not is_over:
                continue  # it takes long to draw, from the board.svg
            asked = path.replace("<game_id>", self.game.id).replace("<name>", "london")
            answer = ada.get(asked)
            data, has_ids = _LISTED_ID.subn(b'"id":"id","kind"', answer.data)
            data, has_place = _PLACE.subn(_without_ids, data)
            has_ids += has_place
            skipped = ("Date", "ETag") if has_ids else ("Date",)  # of the clock on the wall, and of what is random
            headers = [header for header in answer.headers if header[0] not in skipped]
            self.got.append((path, answer.status_code, headers, data))
        self.got.append(ada.get(f"{self.game.path}/messages?after=1&limit=2").data)

    def mails(self) -> list[str]:
        """The mails of Mr. X with all their headers, but for what is made of the random ids of the mails themselves."""
        return [_without_its_id(mail) for mail in self.people[0].mails]


def _without_ids(place: re.Match[bytes]) -> bytes:
    """Return where a reader of events is, without the random ids of notices, which have no number."""
    at, seen = json.loads(base64.urlsafe_b64decode(place[1]))
    return repr((at, sorted(["id", *run] if run[0] == 0 else [game, *run] for game, *run in seen))).encode()


def _without_its_id(mail: Any) -> str:
    text = mail.as_string()
    return re.sub(rf"{_MAIL_ID.search(text)[1]}(?:[a-z2-7]{{16}})?", "id", text)


@pytest.fixture(scope="module")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> tuple[World, World]:
    talking, silent = (
        World(tmp_path_factory.mktemp("world"), team_talks=team_talks).live() for team_talks in (True, False)
    )
    return talking, silent


def test_mr_x_is_answered_the_same_bytes_whether_or_not_the_team_talks(worlds: tuple[World, World]):
    talking, silent = worlds
    assert len(talking.got) == len(silent.got) > 80
    assert [(one, other) for one, other in zip(talking.got, silent.got, strict=True) if one != other] == []


def test_mr_x_is_mailed_the_same_bytes_whether_or_not_the_team_talks(worlds: tuple[World, World]):
    talking, silent = (world.mails() for world in worlds)
    assert len(talking) == len(silent) > 15
    assert talking == silent


def test_the_public_log_is_the_same_whether_or_not_the_team_talks(worlds: tuple[World, World]):
    one, other = (world.people[1].get(f"{world.game.path}/transcript").data for world in worlds)
    assert one == other


def test_the_two_worlds_are_not_the_same_to_the_team(worlds: tuple[World, World]):
    talking, silent = (said(world.game, world.people[3]) for world in worlds)
    assert len(talking) > len(silent) > 0
    assert "Who can cover 100?" in [words for _, words in talking]
    assert len(worlds[0].people[3].mails) > len(worlds[1].people[3].mails)


def test_a_message_keeps_its_lines_in_the_answer_and_in_the_mail(game: Playing):
    ada, ben, *_ = game.people
    answer = write(game, ben, "all", " One \n\n\n\n two   words\r\nthree ")
    assert (answer.status_code, answer.json["text"]) == (201, "One\n\ntwo words\nthree")
    game.table.tick()
    assert '"One"\n"two words"\n"three"' in text_of(ada.mails[-1])
