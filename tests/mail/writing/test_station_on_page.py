"""Mails to a Mr. X who wants his station on the page alone: what happened, and the link to the page of the game.

Every kind of mail that can be about a game, and answers to all that he can write, are looked through for stations of
his.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jinja2 import ChoiceLoader, DictLoader

from server.application.game import outbox_rows
from server.application.mail.outgoing import load
from server.mail.reading.html import html_lines
from server.mail.writing.compose import compose
from server.models import Game, Outgoing, session, transaction
from server.vocabulary.by_name import names_in
from server.vocabulary.mails import MAIL_KINDS, MailKind
from tests.kept import again
from tests.letters import opened
from tests.scenes import chase, mail_only_to, text_of
from tests.table import Person, Playing, Table

SITE = "https://play.example.org"
# A value for each detail that a mail can have, but for its pawns.
DETAILS: dict[str, Any] = {
    "about": "a motion", "by": "P1D", "by_host": True, "by_one": False, "by_vote": True, "carried": True,
    "clock": {"kind": "none"}, "ends_at": "2026-11-29T18:00:00+00:00", "former": "Ada", "had_to_go": True,
    "has_account": True, "host": "bots.example.org", "id": "a" * 32,
    "in_reply_to": None, "length": "P1D", "looked_at": "the game", "moves": [], "name": "Player 1", "player": "a" * 32,
    "question": {"moves": ["taxi 101"], "against": "or bus 82"}, "reason": "a check", "renewed": True, "round": 3,
    "share": 0.5, "side": "detectives", "taken": True, "to": "ada@example.org", "until": "2026-11-23T18:00:00+00:00",
    "vacated": 2, "was_held": True, "what": "extend", "whom": "", "why": "left",
}  # fmt: skip
# They come before he has a station, later, or never.
NOT_IN_A_HUNT = {"complete", "talk", "digest", "ended", "final", "withheld"}
KINDS = [row for row in MAIL_KINDS.values() if row.to == "player" and row.name not in NOT_IN_A_HUNT]


def possible_details(row: MailKind) -> Iterator[dict[str, Any]]:
    """Yield details of a kind about him and about others, with all that it may have and without what it need not."""
    names, needed = names_in(row.details)
    required = needed | ({"length"} & names)
    for pawn in ("mr_x", "red"):
        known = DETAILS | {"pawns": [pawn], "is_newcomer": pawn == "mr_x"}
        for told in (required, names):
            yield {name: known[name] for name in told}


# Mails of his, of which the last is the first that makes a move.
WRITTEN = (
    "STATUS", "LEGAL", "LOG", "REPLAY", "BOARD", "BOARD 101", "BOARD 101 82", "TRY taxi 101", "HELP", "RULES", "MAP",
    "I shall go to 101, or perhaps to 82", "taxi 99", "taxi 101\nsorry, I meant bus 82", '"taxi 101"', "txi 101",
    "STATUS\ntaxi 101 or 82?", "LOG\nSAY ALL hello", "BOARD me 101", "DRAW", "RESIGN", "SET hold always", "taxi 101",
    "SET mail daily 18:00\nSET hold doubtful", "SET mail usual", "taxi 101\nSAY ALL there I go",
)  # fmt: skip


def hunted(folder: Path, station: str) -> Playing:
    """A chase in which Mr. X, seen at 111, went on unseen, and is to move again; nobody else gets mail."""

    def build(table: Table) -> Playing:
        game = chase(table)
        mail_only_to(table, "Ada")
        moves = ("black 100", "taxi 115", "taxi 66", "taxi 140", "bus 154", "taxi 184")
        for person, move in zip(game.people, moves, strict=True):
            game.move(person, move)
        wanted = {"station": station, "picture": "own"}
        assert game.people[0].request("PATCH", "/me/preferences", json=wanted).status_code == 200
        table.tick()
        return game

    return again(Table(folder, sandbox="1", min_turn="PT1S", public_url=SITE), build, f"hunted, station {station}")


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> Playing:
    return hunted(tmp_path_factory.mktemp("page"), "page")


def his_stations(game: Playing) -> set[str]:
    """Return the stations that only Mr. X knows: his own, and those that he can reach."""
    public = {facts["station"] for facts in game.view(game.people[1])["pawns"].values()} | {111}
    reached = {int(station) for move in game.legal(game.people[0]) for station in re.findall(r"\d+", move)}
    return {str(station) for station in {100, *reached} - public if station > 31}  # no day or hour


def named(mail: Any, stations: set[str]) -> set[str]:
    """Which of these numbers stand anywhere in a mail, links and words of pictures included."""
    html = mail.get_body(("html",)).get_content()
    targets = " ".join(re.findall(r'(?:alt|href|src)="([^"]*)"', html))
    seen = " ".join([mail["Subject"], text_of(mail), *html_lines(html), targets])
    return stations & set(re.findall(r"\d+", re.sub(r"Seal, event.*|/answer/\w+|\w+@|[\w.-]+=\w+", "", seen)))


def posted(game: Playing, kind: str, details: dict[str, Any]) -> Any:
    """The mail of a kind to Mr. X, about the game as it stands."""
    ada = game.people[0].id
    with game.table.app.app_context(), transaction():
        outbox_rows.post(ada, kind, session.get_one(Game, game.id), details=details, cause="test")
        session.flush()
        row = session.query(Outgoing).filter_by(kind=kind, cause="test", player_id=ada).one()
        message = compose(load([row.id])[row.id]).message
        session.delete(row)
    return opened(message)


def test_no_mail_names_a_station_of_his(game: Playing):
    stations = his_stations(game)
    assert {"100", "101", "82"} <= stations
    for kind, details in [(row.name, details) for row in KINDS for details in possible_details(row)]:
        mail = posted(game, kind, details)
        assert named(mail, stations) == set(), kind
        assert [part for part in mail.walk() if part.get_content_maintype() == "image"] == [], kind


def test_otherwise_they_would_name_them(tmp_path: Path):
    game = hunted(tmp_path, "mail")
    assert {"100", "101", "82"} <= named(posted(game, "turn", {}), his_stations(game))


def test_a_turn_mail_is_what_happened_and_the_link(game: Playing):
    upper, _, lower = " ".join(text_of(posted(game, "turn", {})).split()).partition(f"{SITE}/games/{game.id}")
    assert upper.endswith(
        "Yellow to 154 with a bus, Blue to 184 with a taxi. Your move is due Tuesday 24 November, 18:00 in London. "
        "Your station and your choices are on the page of the game: "
    )
    assert lower.startswith(" You must show yourself after move 13, in four moves. ")


def write(ada: Person, text: str, **how: Any) -> Any:
    """The answer to a mail of Mr. X's."""
    to = [mail for mail in ada.mails if "your move by" in mail["Subject"]][-1]
    before = len(ada.mails)
    ada.table.clock.turn(minutes=5)  # more than 20 answers in an hour come slowly
    ada.reply(text, to=to, **how)
    ada.table.tick()
    assert len(ada.mails) == before + 1, text
    return ada.mails[-1]


def test_no_answer_to_him_names_one_nor_any_other_mail_to_the_end(tmp_path: Path):
    game = hunted(tmp_path, "page")
    table, ada, ben = game.table, game.people[0], game.people[1]
    stations, before = his_stations(game), len(ada.mails)
    for text in WRITTEN:
        mail = write(ada, text)
        assert f"{SITE}/games/{game.id}" in text_of(mail), text
        assert named(mail, stations) == set(), text
    assert game.view()["to_move"] == ["purple"]
    assert "Your move is played." in text_of(ada.mails[-1])
    assert "Was it you" in text_of(write(ada, "taxi 113", sender="Ada <ada@elsewhere.example>"))
    ben.post(f"{game.path}/messages", {"to": "all", "text": "Where are you?"})
    while game.view()["status"] == "running":
        table.clock.turn(hours=49)
        table.tick()
    assert "provisional" in text_of(ada.mails[-1])
    stations = (stations | {"113"}) - set(re.findall(r"\d+", str(game.view(ben)["history"])))
    assert [mail["Subject"] for mail in ada.mails[before:] if named(mail, stations)] == []
    table.clock.turn(hours=24 * 8)
    table.tick()
    assert named(ada.mails[-1], {"100", "101"}) == {"100", "101"}, "the result is final, and open to everybody"


def test_an_answer_that_would_name_stations_tells_him_that_the_page_does(tmp_path: Path):
    game = hunted(tmp_path, "page")
    ada = game.people[0]
    told = " ".join(text_of(write(ada, "BOARD 74")).split())
    assert "Your mails name no station; look at the board on the page of the game." in told
    told = " ".join(text_of(write(ada, "taxi 999")).split())
    assert "Nothing was done. The reason may name a station, and your mails name none" in told
    assert named(ada.mails[-1], his_stations(game)) == set()


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("try", "TRY taxi 101"), ("which_move", "taxi 101\nsorry, I meant bus 82"), ("did_you_mean", '"taxi 101"'),
        ("moves", "taxi 101"), ("lines_unread", "STATUS\ntaxi 101 or 82?"),
    ],
)  # fmt: skip
def test_a_block_that_is_wrongly_said_to_be_public_is_found(tmp_path: Path, template: str, text: str):
    game = hunted(tmp_path, "page")
    stations = his_stations(game)
    environment, name = game.table.app.jinja_env, f"mail/answer/replies/{template}.txt"
    loader = environment.loader
    assert loader is not None
    source = loader.get_source(environment, name)[0]
    environment.loader = ChoiceLoader([DictLoader({name: "{{ public }}" + source}), loader])
    environment.cache.clear()
    try:
        assert named(write(game.people[0], text), stations) != set()
    finally:
        environment.loader = loader
        environment.cache.clear()


def test_where_there_are_no_pages_it_is_refused(tmp_path: Path):
    game = chase(Table(tmp_path, sandbox="1", min_turn="PT1S"))
    ada = game.people[0]
    refused = ada.request("PATCH", "/me/preferences", json={"station": "page"})
    assert refused.status_code == 422
    assert "this server has no PUBLIC_URL" in refused.json["detail"]
    game.table.tick()
    assert "this server has no PUBLIC_URL" in text_of(write(ada, "SET station page"))
    assert ada.get("/me/preferences").json["station"] == "mail"


@pytest.mark.parametrize(
    "text",
    [
        "taxi 101\nNEW condensed 2 as detective", "TRY taxi 101\ntaxi 101\nNEW condensed 2 as detective",
        "taxi 101\nNEW condensed 2 as detective\nTRY taxi 101",
        "taxi 101\nNEW condensed 2 as detective\n\nWhat a lovely game!\nBOARD 101",
    ],
)  # fmt: skip
def test_an_answer_about_another_game_names_none_of_his_stations_either(tmp_path: Path, text: str):
    game = hunted(tmp_path, "page")
    stations = his_stations(game)
    mail = write(game.people[0], text)
    said = " ".join(text_of(mail).split())
    assert "You have opened a game of two players" in said
    assert said.count("our move is played.") == 1
    assert "Foggy Thames: your move is played." in said
    assert named(mail, stations) == set()
