"""The play address: everything is told there, and what changes something gets a token."""

from dataclasses import replace

import pytest

from server.mail.examination import examine
from server.mail.trust.results import Authentication
from server.models import Game, Player, session, transaction
from server.vocabulary import limits
from tests.mail.commands.test_dispatch import answer, at_play, flat, history, verdict
from tests.profiles import IS_CAMPAIGN
from tests.scenes import (
    mail_only_to,
    write,
)
from tests.table import Playing, Table


def test_what_changes_something_is_answered_with_a_mail_that_carries_a_token(hunted: Playing):
    ben = hunted.people[1]
    address = ben.mails[1]["Reply-To"]
    for text in ("bus 102", "RESIGN", "LEAVE", "CANCEL", "YES", "START", "SET zone UTC", "STOP"):
        ((recipient, mail),) = at_play(ben, text)
        assert recipient == ben.address
        assert "Nothing was done. Send the same line in an answer to this mail instead." in flat(mail), text
        assert mail["Reply-To"] == address
    assert len(history(hunted)) == 1


def test_the_token_of_that_mail_is_good(hunted: Playing):
    at_play(hunted.people[1], "bus 102")
    assert "Understood and played" in answer(hunted.people[1], "bus 102")


def test_what_changes_nothing_is_done(hunted: Playing):
    for text in ("STATUS", "LEGAL", "LOG", "BOARD 46", "TRY bus 102", "HELP"):
        ((recipient, mail),) = at_play(hunted.people[1], text)
        assert recipient == hunted.people[1].address
        assert "nothing can be changed" not in flat(mail), text
        assert mail["Subject"].startswith("[Foggy Thames] Round 1, Purple: "), text


def test_a_stranger_of_whom_nothing_is_known_is_not_answered(hunted: Playing):
    assert at_play(hunted.people[1], "HELP", From="stranger@example.net") == []
    assert verdict(hunted.table) == "stranger-unproven"


def test_who_has_no_game_is_told_so(table: Table):
    gwen = table.person("Gwen")
    ((_, mail),) = at_play(gwen, "STATUS")
    assert '"PLAY" begins a practice game against bots.' in flat(mail)
    assert mail["Reply-To"].addresses[0].addr_spec == "play@localhost"
    ((_, mail),) = at_play(gwen, "HELP ALL")
    assert '"STATUS" tells how the game stands; at the play address, all your games.' in flat(mail)
    ((_, mail),) = at_play(gwen, "I want to play with Ben")
    assert "found no move or command in your mail. Nothing was done." in flat(mail)
    assert '"NEW 4 with ben@example.org" opens a game' in flat(mail)


@pytest.mark.parametrize(
    "text", ["STOP", "SET mail off", "SET zone Europe/Berlin", "AWAY 24 Dec to 2 Jan", "BLOCK Ben"]
)
def test_who_has_no_game_is_told_that_a_change_was_not_made_and_where_it_can_be(table: Table, text: str):
    gwen = table.person("Gwen")
    ((_, mail),) = at_play(gwen, text)
    said = flat(mail)
    assert f'Not done: "{text}". That is done in an answer to a mail of ours about a game' in said
    assert "PLAY begins a game whose mails you can answer." in said
    assert gwen.get("/me/preferences").json["mail"] == "usual"


def test_who_resigns_when_all_others_want_a_draw_is_told_that_it_is_one(hunted: Playing):
    ben = hunted.people[1]
    for person in (hunted.people[0], *hunted.people[2:]):
        person.post(f"{hunted.path}/draw")
    mail_only_to(hunted.table, "Ben")
    assert "YES ends the game without a winner, as all others have offered a draw" in answer(ben, "RESIGN")
    ben.reply("YES")
    hunted.table.tick()
    assert hunted.view()["outcome"]["winner"] == "draw"


def test_the_host_is_no_bot_and_a_zone_is_a_place(hunted: Playing):
    ada, ben = hunted.people[:2]
    mail_only_to(hunted.table, "Ada", "Ben")
    answer(ben, "RESIGN")
    answer(ben, "YES")
    assert "No person plays Purple in this game." in answer(ada, "HOST purple")
    assert "'localtime' is no time zone" in answer(ada, "SET zone localtime")


@pytest.mark.parametrize(
    ("visibility", "said"),
    [
        ("public", "With YES a bot moves for you, and NO keeps your seat."),
        ("private", "you will not see this private game any more"),
    ],
)
def test_the_question_about_resigning_says_whether_the_game_can_still_be_seen(table: Table, visibility: str, said: str):
    game = table.game(table.people(3))
    with table.app.app_context(), transaction():
        session.get_one(Game, game.id).visibility = visibility
    table.tick()
    assert said in answer(game.people[1], "RESIGN")


def test_a_stop_that_is_proved_to_be_of_a_player_without_a_game_ends_the_mail(
    table: Table, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(examine, "authenticate", lambda *_: Authentication(dmarc="pass"))
    gwen = table.person("Gwen")
    ((_, mail),) = at_play(gwen, "STOP")
    assert "You get no more mail from this server" in flat(mail)
    assert gwen.get("/me/preferences").json["mail"] == "off"


def test_who_has_several_games_is_told_of_all_and_the_one_that_waits_comes_first(hunted: Playing):
    table, ben = hunted.table, hunted.people[1]
    waiting = table.game([*(table.person(name) for name in ("Gil", "Hal")), ben], "ravensburger-2000")
    waiting.move(waiting.people[0])
    for person in hunted.people[1:]:
        hunted.move(person)
    table.tick()
    ((_, mail),) = at_play(ben, "STATUS")
    assert "You are also Purple in Foggy Thames (not your turn); for that game write to turn+" in flat(mail)
    assert "Round 1, Green and Yellow." in flat(mail)


def test_the_addresses_of_the_other_games_are_good(hunted: Playing):
    table, ben = hunted.table, hunted.people[1]
    seats = [{"role": "mr_x"}, {"role": "detective", "player": ben.id}, {"role": "detective"}]
    made = table.person("Gil").post("/games", {"edition": "ravensburger-2000", "seats": seats}).json["id"]
    ((_, mail), _invitation) = sorted(at_play(ben, "STATUS"), key=lambda sent: "invited" in sent[1]["Subject"])
    told = flat(mail)
    assert "(where the seat is reserved for you)" in told
    address = next(word for word in told.split() if word.startswith("turn+"))
    write(ben, "YES", to=address)
    table.tick()
    assert ben.get(f"/games/{made}").json["you"] == {"seat": 2, "pawns": ["purple", "red"]}


def test_nonsense_at_the_play_address_is_answered_some_times_a_day(hunted: Playing, monkeypatch: pytest.MonkeyPatch):
    assert limits.CLAIMS.most == 10
    most = 10 if IS_CAMPAIGN else 3
    monkeypatch.setattr(limits, "CLAIMS", replace(limits.CLAIMS, plenty=most, most=most))
    counts = [len(at_play(hunted.people[1], "Hello?")) for _ in range(most + 2)]
    assert counts == [1] * most + [0] * 2


def test_a_player_who_wants_no_mail_is_still_answered(hunted: Playing):
    with hunted.table.app.app_context(), transaction():
        session.get_one(Player, hunted.people[1].id).mail = "off"
    assert len(at_play(hunted.people[1], "STATUS")) == 1
