"""A stranger who writes to the play address is answered once a day, and plays after a YES."""

from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest

from server.application.game import outbox_rows
from server.application.health import health
from server.mail.examination import examine
from server.mail.trust.results import Authentication
from server.models import Player, session, transaction
from tests.mail.commands.test_dispatch import verdict
from tests.mail.commands.test_joining import flat
from tests.profiles import IS_CAMPAIGN
from tests.scenes import hunt, text_of
from tests.table import Person, Playing, Table

JO = "jo@else.example"
PASSED = Authentication(spf="pass", by="upstream", is_passed_upstream=True)


@pytest.fixture(autouse=True)
def passing(monkeypatch: pytest.MonkeyPatch) -> None:
    """SPF passes for every author, as the server in front says."""
    shown_as(monkeypatch, PASSED)


def shown_as(monkeypatch: pytest.MonkeyPatch, authentication: Authentication) -> None:
    monkeypatch.setattr(examine, "authenticate", lambda *_: authentication)


def send(table: Table, text: str, to: Any = None, sender: str = f"Jo Lind <{JO}>", **headers: str) -> list[Any]:
    """Write to the play address, or in answer to a mail; return the mails that come back to the stranger."""
    mail = EmailMessage()
    recipient = to["Reply-To"].addresses[0].addr_spec if to else "play@localhost"
    mail["From"], mail["To"], mail["Message-ID"] = sender, recipient, f"<{table.count()}@mail.example.org>"
    mail["Subject"] = headers.pop("Subject", f"Re: {to['Subject']}" if to else "Hello")
    for name, value in headers.items():
        mail[name.replace("_", "-")] = value
    mail.set_content(text)
    before = len(table.post.of(JO))
    table.deliver(mail.as_bytes(), JO, recipient)
    for _ in range(2):
        table.tick()
    new: list[Any] = table.post.of(JO)[before:]
    return new


def is_player(table: Table, email: str = JO) -> bool:
    with table.app.app_context():
        found = session.query(Player).filter_by(email=email).count()
        session.remove()
    return found == 1


# The answer


def test_anything_at_the_play_address_is_answered_with_what_this_is_and_how_to_begin(table: Table):
    for text in ("HELP", "NEW 4", "SIGNUP", "JOIN abcdefghijklmnop", "Hello, what is this?", "taxi 46"):
        (mail,) = send(table, text)
        said = flat(mail)
        assert "One player is Mr. X, who flees through London by taxi, bus and underground." in said, text
        assert "You have no account here" in said or "you have no account here" in said, text
        assert "Nothing was done yet." in said, text
        assert "YES" in said, text
        assert mail["Auto-Submitted"] == "auto-replied"
        assert "Hello" not in mail["Subject"], text
        assert not is_player(table), text
        table.clock.turn(hours=25)


def test_who_may_be_forged_is_not_answered(table: Table, monkeypatch: pytest.MonkeyPatch):
    for authentication in (
        Authentication(), Authentication(spf="fail"), Authentication(spf="softfail"), Authentication(dkim="fail"),
        Authentication(dkim="pass", is_unproven=True), Authentication(spf="pass", dmarc="fail"),
        Authentication(spf="temperror"), Authentication(spf="pass", by="upstream"),
        Authentication(dkim="pass", by="upstream"),
    ):  # fmt: skip
        shown_as(monkeypatch, authentication)
        assert send(table, "HELP") == [], authentication
    shown_as(monkeypatch, PASSED)
    assert len(send(table, "HELP")) == 1


def test_a_machine_is_not_answered(table: Table):
    for name, value in (
        ("Auto-Submitted", "auto-replied"), ("Precedence", "bulk"), ("List-Id", "<a.b>"),
        ("X-Black-Ticket", "other.example"), ("X-Autoreply", "yes"),
    ):  # fmt: skip
        assert send(table, "HELP", **{name: value}) == [], name
    assert len(send(table, "HELP")) == 1


def test_a_stranger_is_answered_once_a_day_however_often_they_write(table: Table):
    texts = ("HELP", "NEW", "Hello?", "JOIN abcdefgh", "LIST", "HELP")
    assert sum(len(send(table, text)) for text in texts * (5 if IS_CAMPAIGN else 1)) == 1
    table.clock.turn(hours=25)
    assert len(send(table, "HELP")) == 1


def test_a_stop_is_not_answered(table: Table):
    assert send(table, "STOP") == []


def test_whether_an_address_has_an_account_is_told_to_nobody_but_its_owner(table: Table):
    ada = table.person("Ada")
    (mine,) = send(table, "HELP")
    assert "ada@" not in mine.as_string()
    assert ada.mails == []


# Signing up


def test_a_yes_to_the_first_answer_begins_the_practice_game_that_it_offers(table: Table):
    (offer,) = send(table, "Hello, what is this?")
    assert "answer YES: then you are a player here" in flat(offer)
    (turn,) = [*send(table, "Yes", to=offer), *later(table)]
    assert "your move by" in turn["Subject"]
    assert "This is a practice game against bots, and you are a player here now." in flat(turn)


def test_a_signup_makes_a_player_who_is_told_how_to_move_first(table: Table):
    (offer,) = send(table, "HELP")
    (welcome,) = send(table, "SIGNUP", to=offer)
    assert is_player(table)
    assert 'You are called "Jo Lind" here.' in flat(welcome)
    assert "answer this mail with the word PLAY" in flat(welcome)
    assert any("your move by" in mail["Subject"] for mail in [*send(table, "PLAY", to=welcome), *later(table)])


def later(table: Table) -> list[Any]:
    """Let the bots move, and return the mails to Jo of this minute."""
    before = len(table.post.of(JO))
    table.clock.turn(minutes=1)
    table.tick()
    new: list[Any] = table.post.of(JO)[before:]
    return new


def test_play_in_one_line_needs_one_yes(table: Table):
    (offer,) = send(table, "PLAY condensed")
    assert 'You wrote "PLAY condensed", and you have no account here yet.' in flat(offer)
    assert not is_player(table)
    mails = [*send(table, "YES", to=offer), *later(table)]
    (turn,) = mails
    assert "your move by" in turn["Subject"]
    assert "The rules of your first game" in flat(turn)


def test_a_plain_yes_in_answer_to_the_introduction_begins_a_game(table: Table):
    (offer,) = send(table, "HELP")
    (turn,) = [*send(table, "Count me in!", to=offer), *later(table)]
    assert "This is a practice game against bots" in flat(turn)


def test_an_ok_to_the_introduction_begins_a_game(table: Table):
    (offer,) = send(table, "play")
    assert 'called "Jo Lind", and a practice game against bots begins.' in flat(offer)
    (turn,) = [*send(table, "ok", to=offer), *later(table)]
    assert "This is a practice game against bots" in flat(turn)


def test_what_is_no_answer_to_the_introduction_is_quoted_and_the_game_not_explained_again(table: Table):
    (offer,) = send(table, "play")
    table.clock.turn(hours=25)
    (again,) = send(table, "thanks!", to=offer)
    assert 'I read "thanks!", which does not answer that.' in flat(again)
    assert "Answer YES" in flat(again)
    assert "One player is Mr. X" not in flat(again)
    assert not is_player(table)


def first_turn_of_practice(table: Table) -> Any:
    """Begin a practice game by mail, and return the mail of the first turn."""
    (offer,) = send(table, "PLAY condensed")
    (turn,) = [*send(table, "YES", to=offer), *later(table)]
    return turn


def test_the_first_mail_of_a_practice_game_says_what_it_is(table: Table):
    turn = first_turn_of_practice(table)
    assert "This is a practice game against bots, and you are a player here now. Mr. X" in flat(turn)


def test_more_time_in_a_practice_game_is_told_as_the_new_deadline(table: Table):
    turn = first_turn_of_practice(table)
    (told,) = [*send(table, "EXTEND 2 days", to=turn), *later(table)]
    assert "the deadline is now" in told["Subject"]
    assert "The deadline is now" in flat(told)
    assert "vote" not in flat(told)


def test_a_pause_of_a_practice_game_is_a_choice_and_no_vote(table: Table):
    turn = first_turn_of_practice(table)
    (told,) = [*send(table, "PAUSE 2 days", to=turn), *later(table)]
    assert "you chose to pause the game for at most 2 days" in told["Subject"]
    assert "You chose to pause the game for at most 2 days." in flat(told)
    assert "vote" not in flat(told)
    (told,) = [*send(table, "RESUME", to=told), *later(table)]
    assert "You chose to go on with the game that is paused" in flat(told)
    assert "vote" not in flat(told)


def test_giving_up_a_practice_game_is_final_and_told_once(table: Table):
    turn = first_turn_of_practice(table)
    (asked,) = send(table, "RESIGN", to=turn)
    (end,) = send(table, "YES", to=asked)
    assert "The game is over" in end["Subject"]
    assert "Mr. X has won: the detectives gave the game up." in flat(end)
    assert "The travel log is open to everybody now." in flat(end)
    assert "REPLAY there tells the whole game" in flat(end)
    assert not later(table)


def test_join_with_a_code_needs_one_yes_and_takes_the_seat(table: Table):
    ada = table.person("Ada")
    game = ada.post("/games", {"edition": "condensed", "players": 2, "visibility": "private"}).json
    (offer,) = send(table, f"JOIN {game['code']} as detective")
    assert ada.get(f"/games/{game['id']}").json["seats"][1]["state"] == "open"
    (answer,) = send(table, "YES", to=offer)
    assert "You have taken the seat of" in flat(answer)
    assert "You are a player here now" in flat(answer)
    assert ada.get(f"/games/{game['id']}").json["seats"][1]["state"] == "taken"


def test_after_help_a_command_in_answer_to_it_is_consent(table: Table):
    ada = table.person("Ada")
    game = ada.post("/games", {"edition": "condensed", "players": 2, "visibility": "private"}).json
    (offer,) = send(table, "HELP")
    (answer,) = send(table, f"JOIN {game['code']}", to=offer)
    assert "You have taken the seat of" in flat(answer)


def test_a_code_that_is_not_good_makes_a_player_and_says_so(table: Table):
    (offer,) = send(table, "JOIN abcdefghijklmnop")
    (welcome,) = send(table, "YES", to=offer)
    assert "What you asked for was not done: There is no game with that code" in flat(welcome)
    assert is_player(table)


def test_a_stranger_lists_the_public_games_and_joins_one_by_its_number(table: Table):
    ada = table.person("Ada")
    games = [ada.post("/games", {"edition": "condensed", "players": 2, "visibility": "public"}).json for _ in range(2)]
    second = sorted(game["id"] for game in games)[1]
    (offer,) = send(table, "LIST")
    assert " - 2: " in offer.get_content()
    (answer,) = send(table, "JOIN 2", to=offer)
    assert "You have taken the seat of" in flat(answer)
    assert [seat["state"] for seat in ada.get(f"/games/{second}").json["seats"]] == ["taken", "open"]


def test_new_needs_one_yes_and_opens_the_game(table: Table):
    (offer,) = send(table, "NEW condensed 2 with fugitive")
    (answer,) = send(table, "YES", to=offer)
    assert "your game is open" in answer["Subject"]


def test_an_answer_to_the_offer_counts_from_its_reader_only(table: Table):
    (offer,) = send(table, "PLAY")
    assert send(table, "YES", to=offer, sender="Mal <mal@evil.example>") == []
    assert not is_player(table)
    assert not is_player(table, "mal@evil.example")


def test_a_yes_that_is_taken_back_makes_no_account_and_the_offer_stays(table: Table):
    (offer,) = send(table, "SIGNUP")
    for text in ("YES\n\nno wait, sorry, ignore that", "NO\nYES"):
        assert "which does not answer that" in flat(send(table, text, to=offer)[0]), text
        assert not is_player(table), text
    send(table, "YES", to=offer)
    assert is_player(table)


def test_no_to_the_offer_makes_nothing_and_is_answered(table: Table):
    (offer,) = send(table, "PLAY")
    assert "nothing of that was done" in flat(send(table, "No", to=offer)[0])
    assert not is_player(table)


WORDS_OF_MACHINES = [
    "We will get back to you within two working days.",
    "Ticket #{number} was opened for you.",
    "I am away until Monday. In urgent matters call Jane.",
    'Your message "{subject}" has reached us.',
    "We got your message:\n\n{text}",
    "Reply with HELP for help.\nHELP",
]


@pytest.mark.parametrize("words", WORDS_OF_MACHINES)
def test_an_autoresponder_without_a_mark_gets_one_mail_a_day(table: Table, words: str):
    (newest,) = send(table, "Hello")
    for number in range(12):
        table.clock.turn(seconds=1)
        text = words.format(number=number, subject=newest["Subject"], text=text_of(newest))
        assert send(table, text, to=newest) == []
    table.clock.turn(hours=25)
    assert len(send(table, words, to=newest)) == 1
    assert [*send(table, "YES", to=newest), *later(table)] != []


def test_no_and_list_in_answer_to_the_offer_are_answered_once_an_hour(table: Table):
    (offer,) = send(table, "Hello")
    for text in ("No", "LIST"):
        assert [len(send(table, text, to=offer)) for _ in range(3)] == [1, 0, 0]


def test_a_yes_in_a_new_mail_counts_where_the_sender_is_proved(table: Table, monkeypatch: pytest.MonkeyPatch):
    assert send(table, "YES") != [], "there is no offer yet, so this is one"
    assert not is_player(table)
    assert send(table, "YES") == [], "SPF is good enough for an answer, and not for this"
    shown_as(monkeypatch, Authentication(dkim="pass"))
    send(table, "PLAY")
    assert is_player(table)


def test_an_old_offer_is_made_again(table: Table):
    (offer,) = send(table, "HELP")
    table.clock.turn(days=15)
    (again,) = send(table, "YES", to=offer)
    assert not is_player(table)
    send(table, "YES", to=again)
    assert is_player(table)


def test_who_has_become_a_player_meanwhile_may_answer_the_offer_all_the_same(table: Table):
    (offer,) = send(table, "HELP")
    send(table, "YES", to=offer)
    assert "your move by" in " ".join(mail["Subject"] for mail in [*send(table, "PLAY", to=offer), *later(table)])


# An invitation


def invitation(table: Table, *seats: dict[str, Any]) -> tuple[Person, str, Any]:
    """Open Ada's game, with Anna invited and these other seats; return the host, the path, and Anna's invitation."""
    ada = table.person("Ada")
    given = [{"role": "mr_x", "player": ada.id}, {"role": "detective", "invite": "anna@example.org"}, *seats]
    made = ada.post("/games", {"edition": "condensed", "seats": given}).json
    table.tick()
    return ada, f"/games/{made['id']}", table.post.of("anna@example.org")[0]


def test_an_invited_reader_who_does_not_answer_reads_their_own_words(table: Table):
    ada, path, mail = invitation(table)
    for line, marks in (("Who else is playing?", '""'), ("Ja gerne, aber erst im Mai", "„“")):  # in their language
        send(table, line, to=mail, sender="anna@example.org")
        assert line.join(marks) in flat(table.post.of("anna@example.org")[-1])
    assert ada.get(path).json["seats"][1]["state"] == "invited"


def test_an_unclear_answer_to_an_invitation_is_told_once_that_nothing_was_done(table: Table):
    *_, mail = invitation(table)
    send(table, "yes, but only if Dan plays", to=mail, sender="anna@example.org")
    advice = table.post.of("anna@example.org")[-1]
    assert flat(advice).count("Nothing was done") == 1


@pytest.mark.parametrize(
    ("line", "state"),
    [
        ("accept", "taken"),
        ("I'd love to, thanks!", "taken"),
        ("YES, I'd love to join!", "taken"),
        ("Yes, but not now", "invited"),
        ("Decline", "open"),
    ],
)
def test_an_invitation_is_accepted_or_declined_in_other_words(table: Table, line: str, state: str):
    ada, path, mail = invitation(table)
    send(table, line, to=mail, sender="anna@example.org")
    assert ada.get(path).json["seats"][1]["state"] == state


def test_the_last_guest_of_a_game_that_starts_when_full_reads_that_it_has_begun(table: Table):
    ada = table.person("Ada")
    seats = [{"role": "mr_x", "player": ada.id}, {"role": "detective", "invite": "anna@example.org"}]
    ada.post("/games", {"edition": "condensed", "seats": seats, "starts_when_full": True})
    table.tick()
    send(table, "yes", to=table.post.of("anna@example.org")[0], sender="anna@example.org")
    (reply,) = [flat(mail) for mail in table.post.of("anna@example.org") if "You have taken the seat" in flat(mail)]
    assert "All seats are taken, so the game has begun." in reply
    assert "A mail comes when the game begins" not in reply


def test_a_forwarded_invitation_brings_another_seat_after_a_yes(table: Table):
    ada, path, forwarded = invitation(table, {"role": "detective"})
    (offer,) = send(table, "YES", to=forwarded)
    assert "You have answered an invitation to" in flat(offer)
    assert [seat["state"] for seat in ada.get(path).json["seats"]] == ["taken", "invited", "open"]
    assert len(table.post.of("anna@example.org")) == 1
    (answer,) = send(table, "YES", to=offer)
    assert "You have taken the seat of" in flat(answer)
    assert [seat["state"] for seat in ada.get(path).json["seats"]] == ["taken", "invited", "taken"]


@pytest.mark.parametrize("text", ["YES, I'd love to join!", "Yes please, count me in.\n\nJo", "I'd like to play!"])
def test_a_yes_in_other_words_to_a_forwarded_invitation_is_answered_too(table: Table, text: str):
    _ada, _path, forwarded = invitation(table, {"role": "detective"})
    (offer,) = send(table, text, to=forwarded)
    assert "To take another seat, answer YES" in flat(offer)
    assert len(table.post.of("anna@example.org")) == 1


@pytest.mark.parametrize("text", ["No thanks", "Yes, but not now", "Who are you?"])
def test_what_is_no_yes_to_a_forwarded_invitation_offers_no_seat(table: Table, text: str):
    _ada, _path, forwarded = invitation(table, {"role": "detective"})
    assert send(table, text, to=forwarded) == []


def test_who_writes_to_the_address_that_a_forwarded_invitation_shows_is_told_how_to_come_in(table: Table):
    (offer,) = send(table, "YES, I'd love to join!", Subject="Re: Fwd: [Amber Southwark] Ada invites you to a game")
    assert "If an invitation to a game was forwarded to you, answer that mail itself" in flat(offer)
    table.clock.turn(hours=25)
    (offer,) = send(table, "HELP")
    assert "forwarded" not in flat(offer)


def test_without_another_open_seat_a_stranger_is_told_so_and_offered_a_practice_game(table: Table):
    ada, path, forwarded = invitation(table)
    (offer,) = send(table, "YES", to=forwarded)
    assert "which keeps the seat, and no other is open" in flat(offer)
    assert len(table.post.of("anna@example.org")) == 1
    assert ada.get(path).json["seats"][1]["state"] == "invited"
    (turn,) = [*send(table, "YES", to=offer), *later(table)]
    assert "This is a practice game against bots, and you are a player here now." in flat(turn)


@pytest.mark.parametrize(
    ("seats", "told"),
    [
        ([], "No other seat is open there, so nothing was done."),
        ([{"role": "detective"}], "Another seat is open: a line"),
    ],
)
def test_a_player_who_answers_a_forwarded_invitation_is_told_that_it_is_not_theirs(
    table: Table, seats: list[dict[str, Any]], told: str
):
    _ada, _path, forwarded = invitation(table, *seats)
    table.person("Jo")
    before = len(table.post.of("jo@example.org"))
    send(table, "YES", to=forwarded, sender="jo@example.org")
    (mail,) = table.post.of("jo@example.org")[before:]
    assert "was made for another address, and the seat stays reserved for that one. " + told in flat(mail)


def test_rules_in_answer_to_an_invitation_are_those_of_the_game(table: Table):
    ada, path, mail = invitation(table)
    send(table, "RULES", to=mail, sender="anna@example.org")
    rules = table.post.of("anna@example.org")[-1]
    assert "These are the rules of Condensed" in flat(rules)
    assert "To take the seat, answer YES" in flat(rules)
    send(table, "YES", to=rules, sender="anna@example.org")
    assert ada.get(path).json["seats"][1]["state"] == "taken"


# Abuse


def test_doctor_says_when_nobody_can_be_answered(tmp_path: Path):
    for number, (settings, is_warned) in enumerate((
        ({}, False), ({"mail_domain": "bt.example"}, True), ({"mail_domain": "bt.example", "authserv_id": "mx"}, False),
        ({"mail_domain": "bt.example", "mail_listen": "smtp://0.0.0.0:25"}, True),
        ({"mail_domain": "bt.example", "mail_listen": "lmtp://0.0.0.0:24"}, True),
        ({"imap_url": "imaps://a:b@mail.example", "mail_listen": ""}, True),
    )):  # fmt: skip
        (tmp_path / f"{number}").mkdir()
        with Table(tmp_path / f"{number}", **settings).app.app_context():
            warnings = health.report()["warnings"]
            session.remove()
        found = any("Somebody without an account is answered only if" in said for said in warnings)
        assert found == is_warned, settings


def test_answers_to_strangers_are_sent_when_nothing_else_waits(tmp_path: Path):
    table = Table(tmp_path, mail_limit="10/P1D")
    ada = table.person("Ada")
    with table.app.app_context(), transaction():
        for number in range(6):
            outbox_rows.post(ada.id, "advice", details={"title": f"{number}", "first_line": "x", "blocks": []})
        for number in range(4):
            details = {"to": JO, "title": "x", "first_line": "x", "blocks": [], "offer": f"a{number}"}
            outbox_rows.post(None, "stranger", details=details)
    table.tick()
    assert (len(ada.mails), len(table.post.of(JO))) == (6, 0)
    table.tick()
    assert len(table.post.of(JO)) == 2, "a fifth of the limit is reserved for turns"


def test_two_servers_that_have_each_other_as_a_player_do_not_write_to_each_other(
    tmp_path_factory: pytest.TempPathFactory,
):
    here, there = (Table(tmp_path_factory.mktemp(name), mail_domain=f"{name}.example") for name in ("here", "there"))
    with here.app.app_context():
        player = here.person("Ada")
    player.address = "play@there.example"
    with here.app.app_context():
        session.query(Player).update({"email": player.address})
        session.commit()
        session.remove()
    send_from(here, player)
    for _ in range(5):
        for table, other in ((here, there), (there, here)):
            sent, table.post.sent[:] = list(table.post.sent), []
            for letter in sent:
                other.deliver(letter.raw, "play@" + table.settings["mail_domain"], letter.recipient)
            other.tick()
    assert (here.post.sent, there.post.sent) == ([], [])
    assert verdict(there) == "loop"


def send_from(table: Table, player: Person) -> None:
    """A mail goes out to this player."""
    made = player.post("/games", {"edition": "condensed", "players": 2})
    player.post(f"/games/{made.json['id']}/seats", {"seat": 1})
    table.person("Ben").post(f"/games/{made.json['id']}/seats", {"seat": 2})
    player.post(f"/games/{made.json['id']}/start")
    table.tick()
    assert table.post.of(player.address)


def test_a_stranger_at_a_reply_address_is_not_answered(table: Table):
    game: Playing = hunt(table)
    assert send(table, "bus 102", to=game.people[1].mails[-1]) == []
