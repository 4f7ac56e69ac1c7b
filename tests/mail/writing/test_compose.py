"""A mail is rendered as of its event, for one recipient, and the same however often it is rendered."""

import re
from email.headerregistry import Address
from email.message import EmailMessage
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import select

from server.application.mail.outgoing import load
from server.application.time import deadlines
from server.language import moves
from server.language.forms import COMMANDS
from server.language.grammar import is_command_line
from server.mail.composing import outcomes_of
from server.mail.writing.compose import compose
from server.mail.writing.wrapping import with_other_numbers, wrap
from server.models import Game, Outgoing, Player, QueuedMove, session, transaction
from server.runtime import runtime
from server.runtime.game_cache import GameCache
from tests.letters import opened
from tests.mail.wrapped import commands_in
from tests.scenes import CHASE, chase, chase_announced, dealing, text_of
from tests.table import Person, Playing, Table
from tests.worlds import switching


def rows(table: Table, person: Person, kind: str) -> list[str]:
    """The ids of this person's outbox rows of one kind, the oldest first."""
    with table.app.app_context():
        query = select(Outgoing).where(Outgoing.player_id == person.id, Outgoing.kind == kind)
        return [row.id for row in session.scalars(query.order_by(Outgoing.event))]


def rendered(table: Table, person: Person, kind: str) -> EmailMessage:
    """The newest mail of one kind, as it would be rendered now."""
    with table.app.app_context():
        row = session.get_one(Outgoing, rows(table, person, kind)[-1])
        mail: Any = opened(compose(load([row.id])[row.id]).message)
        return mail


def states(table: Table, person: Person, kind: str) -> list[str]:
    with table.app.app_context():
        return [session.get_one(Outgoing, row).state for row in rows(table, person, kind)]


def with_a_timer_each(table: Table) -> Playing:
    """A running game in which the time of each detective begins with their own turn."""
    return table.game(table.people(6), position=CHASE, clock={"kind": "per_move", "detectives": "P1D"})


def fire_due(table: Table) -> None:
    """Let happen what is due, without sending any mail."""
    with table.app.app_context():
        for deadline_id, _, _ in deadlines.due(table.clock()):
            deadlines.fire(deadline_id)
        session.remove()


def flat(mail: Any) -> str:
    return " ".join(text_of(mail).split())


# What a turn mail says --------------------------------------------------------------------------


def test_a_turn_mail_tells_all_that_happened_since_the_readers_last_move(table: Table):
    game = chase(table)
    ada, ben, cleo, dan, eve, finn = game.people
    game.move(ada, "black 100")
    game.move(ben, "taxi 115")
    game.move(cleo, "taxi 66")
    game.move(dan, "taxi 140")
    game.move(eve, "bus 154")
    table.clock.turn(hours=49)
    table.tick()  # the server moves Blue
    game.move(ada, "double taxi 101 black 114")
    told = flat(rendered(table, cleo, "turn"))
    assert (
        "Green went to 140 with a taxi, Yellow to 154 with a bus. "
        "The time ran out for Finn (Blue), and the server moved Blue to "
    ) in told
    assert "Mr. X made a double move: a taxi, then a black ticket." in told
    assert "Red went" not in told
    assert finn.mails[-1]["Subject"].endswith("Blue, the server has moved for you")


def test_a_turn_mail_tells_where_mr_x_was_seen_and_what_the_log_allows(game: Playing):
    for _ in range(2):
        game.play_round()
    game.move(game.people[0])
    seen = game.view()["log"][2]["station"]
    told = flat(rendered(game.table, game.people[1], "turn"))
    assert f"Mr. X took a taxi to {seen}, where he was seen." in told
    assert f"Mr. X is on {seen}. After move 8 you will see him." in told
    assert "Travel log" not in told, "where he was seen is told once"
    game.play_round()
    game.move(game.people[0])
    told = flat(rendered(game.table, game.people[1], "turn"))
    assert re.search(rf"Travel log since {seen} \(move 3\): [TBU]\.", told)


def test_the_deadline_is_an_absolute_time_in_the_readers_zone(table: Table):
    game = chase(table)
    ada, ben, *_ = game.people
    with table.app.app_context(), transaction():
        session.get_one(Player, ben.id).zone = "America/New_York"
    game.move(ada, "black 100")
    mail = rendered(table, ben, "turn")
    assert "by Tuesday 24 November, 13:00 in New York." in flat(mail)
    assert mail["Subject"].endswith("Purple, your move by Tue 24 Nov 13:00 New York")


def test_a_detective_who_cannot_move_is_not_asked_to(table: Table):
    stuck = {**CHASE, "detectives": [dict(detective) for detective in CHASE["detectives"]]}
    stuck["detectives"][0]["tickets"] = {"taxi": 0, "bus": 0, "underground": 4}
    game = table.game(table.people(6), position=stuck)
    game.move(game.people[0], "black 100")
    mail = rendered(table, game.people[1], "turn")
    assert mail["Subject"].endswith("Round 1: Purple, what Mr. X did")
    assert "You cannot move any more, and still win with your team. A mail comes when Mr. X is seen," in flat(mail)
    assert "Purple is stranded: no ticket fits." in flat(mail)
    assert "Reply with" not in flat(mail)


def test_several_moves_ahead_that_come_back_come_back_in_one_mail(table: Table):
    people = table.people(3)
    made = people[0].post("/games", {"edition": "milton-bradley-1985", "players": 3}).json["id"]
    for number, person in enumerate(people, 1):
        person.post(f"/games/{made}/seats", {"seat": number})
    with dealing(table, 103, 91, 26, 29, 34, 50):
        people[0].post(f"/games/{made}/start")
    game = Playing(table, made, people)
    ada, ben, cleo = people
    assert game.view()["starts"] == {"mr_x": 103, "purple": 91, "red": 26, "green": 29, "yellow": 34, "blue": 50}
    game.move(ada, "taxi 86")
    # Seat 2 holds Purple, Yellow and Blue, and moves first; it takes what seat 3 wanted.
    game.move(cleo, "red taxi 27")
    game.move(cleo, "green taxi 17")
    assert [game.move(ben, move).status_code for move in ("yellow taxi 22", "blue taxi 38")] == [201, 201]
    with table.app.app_context(), transaction():
        kept = {row.pawn: row for row in session.scalars(select(QueuedMove))}
        kept["red"].notation, kept["green"].notation = "red taxi 38", "green taxi 22"
    assert game.move(ben, "purple taxi 90").status_code == 201
    table.tick()
    (mail,) = [mail for mail in cleo.mails if "cannot be played" in mail["Subject"]]
    assert flat(mail).count("It was not played.") == 2
    assert 'You had sent "red taxi 38" ahead' in flat(mail)
    assert 'You had sent "green taxi 22" ahead' in flat(mail)
    assert commands_in(text_of(mail)) == set()


# As of the event --------------------------------------------------------------------------------


def test_a_mail_rendered_late_shows_the_table_as_of_its_event(table: Table):
    game = chase(table)
    ada, ben, cleo, *_ = game.people
    game.move(ada, "black 100")
    at_once = rendered(table, cleo, "turn").as_bytes()
    table.clock.turn(hours=1)
    game.move(ben, "taxi 115")
    game.move(cleo, "taxi 84")
    assert rendered(table, cleo, "turn").as_bytes() == at_once


def test_the_deadline_in_a_mail_rendered_late_is_that_of_its_own_half(table: Table):
    game = chase(table)
    for person in game.people:
        game.move(person)
        table.clock.turn(hours=1)
    told = flat(rendered(table, game.people[1], "turn"))
    assert "by Tuesday 24 November, 18:00 in London" in told


def test_the_reply_address_in_a_mail_rendered_late_is_that_of_its_own_go(table: Table):
    game = chase(table)
    game.move(game.people[0], "black 100")
    at_once = rendered(table, game.people[1], "turn")["Reply-To"]
    for person in game.people[1:]:
        game.move(person)
    assert rendered(table, game.people[1], "turn")["Reply-To"] == at_once
    assert rendered(table, game.people[0], "turn")["Reply-To"] != at_once


def test_the_end_rendered_when_the_log_is_open_shows_it_closed_as_it_was(table: Table):
    game = chase(table)
    ada, ben, *_ = game.people
    game.move(ada, "black 100")
    for _ in range(3):
        table.clock.turn(hours=49)
        fire_due(table)
    assert game.view()["outcome"]["final"] is False
    then = rendered(table, ben, "ended").as_bytes()
    table.clock.turn(hours=25)
    fire_due(table)
    assert game.view(ben)["outcome"]["final"] is True
    assert rendered(table, ben, "ended").as_bytes() == then
    assert "black to 100" not in then.decode()
    assert "black to 100" in rendered(table, ben, "final").as_string()


def test_the_time_that_is_granted_stands_in_the_mail_of_the_grant_and_not_in_the_one_before(table: Table):
    game = chase(table)
    table.clock.turn(hours=49)
    fire_due(table)
    assert "by Thursday 26 November, 19:00" in flat(rendered(table, game.people[0], "granted"))
    assert "by Tuesday 24 November, 18:00" in flat(rendered(table, game.people[0], "turn"))


# What is no longer sent ---------------------------------------------------------------------------


def test_a_turn_mail_is_superseded_by_a_newer_one(game: Playing):
    game.play_round()
    game.move(game.people[0])
    game.table.tick()
    assert states(game.table, game.people[1], "turn") == ["superseded", "sent"]


def test_a_turn_mail_is_superseded_by_the_end(table: Table):
    game = chase(table)
    ada, _ben, cleo, *_ = game.people
    game.move(ada, "underground 79")
    for person in game.people[1:]:
        game.move(person, "red underground 79" if person is cleo else None)
        if game.view()["status"] == "over":
            break
    table.tick()
    assert states(table, cleo, "turn") == ["superseded"]
    assert states(table, cleo, "ended") == ["sent"]


def test_a_go_is_superseded_once_the_move_is_made(table: Table):
    game = with_a_timer_each(table)
    ada, ben, cleo, *_ = game.people
    game.move(ada, "black 100")
    game.move(ben, "taxi 115")
    game.move(cleo, "taxi 66")
    table.tick()
    assert states(table, cleo, "go") == ["superseded"]


def test_a_go_of_an_earlier_round_is_superseded_even_if_the_seat_is_awaited_again(table: Table):
    game = with_a_timer_each(table)
    for person in (*game.people, game.people[0], game.people[1]):
        game.move(person)
    assert game.view()["to_move"] == ["red"]
    table.tick()
    assert states(table, game.people[2], "go") == ["superseded", "sent"]


def test_a_reminder_is_superseded_once_the_move_is_made(table: Table):
    game = chase(table)
    ada, *_ = game.people
    table.clock.turn(hours=40)
    fire_due(table)
    game.move(ada, "black 100")
    table.tick()
    assert states(table, ada, "reminder") == ["superseded"]


def test_a_grant_is_superseded_once_he_has_moved(table: Table):
    game = chase(table)
    ada, ben, *_ = game.people
    table.clock.turn(hours=49)
    fire_due(table)
    game.move(ada, "black 100")
    table.tick()
    assert states(table, ben, "granted") == ["superseded"]
    assert "The time ran out for Ada (Mr. X), who was given one more turn." in flat(ben.mails[-1])


def test_an_invitation_is_superseded_when_the_seat_is_given_back(table: Table):
    ada, ben, _cleo = table.people(3)
    seats = [{"role": "mr_x", "player": ada.id}, {"role": "detective", "player": ben.id}, {"role": "detective"}]
    made = ada.post("/games", {"edition": "ravensburger-2000", "seats": seats}).json["id"]
    assert ben.request("DELETE", f"/games/{made}/seats/2").status_code == 200
    table.tick()
    assert states(table, ben, "invitation") == ["superseded"]


def test_who_wants_no_mail_gets_none_but_answers(table: Table):
    game = chase(table)
    ada, ben, *_ = game.people
    table.tick()
    with table.app.app_context(), transaction():
        session.get_one(Player, ben.id).mail = "off"
    game.move(ada, "black 100")
    ben.reply("STATUS")
    table.tick()
    assert states(table, ben, "turn") == ["suppressed"]
    assert states(table, ben, "answer") == ["sent"]


# Headers ------------------------------------------------------------------------------------------


def test_a_mail_has_one_recipient_and_says_that_a_machine_wrote_it(table: Table):
    game = chase(table)
    game.move(game.people[0], "black 100")
    mail = rendered(table, game.people[1], "turn")
    assert [address.addr_spec for address in mail["To"].addresses] == ["ben@example.org"]
    assert (mail["Cc"], mail["Bcc"]) == (None, None)
    assert mail["Auto-Submitted"] == "auto-generated"
    assert mail["X-Auto-Response-Suppress"] == "All"
    assert mail["X-Black-Ticket"] == "localhost"


def test_an_answer_is_marked_as_one_and_names_what_it_answers(table: Table):
    game = chase_announced(table)
    game.people[0].reply("STATUS", Message_ID="<abc@mail.example.org>")
    table.tick()
    mail = game.people[0].mails[-1]
    assert mail["Auto-Submitted"] == "auto-replied"
    assert mail["In-Reply-To"] == "<abc@mail.example.org>"


def test_mails_about_one_game_hang_together_for_one_reader(game: Playing):
    game.play_round()
    game.move(game.people[0])
    game.table.tick()
    references = [{mail["References"] for mail in person.mails} for person in game.people]
    assert [len(own) for own in references] == [1] * 6
    assert len(set.union(*references)) == 6


def test_every_mail_has_a_message_id_of_its_own(game: Playing):
    game.play_round()
    game.table.tick()
    ids = [mail["Message-ID"] for _, mail in game.table.post.sent]
    assert len(set(ids)) == len(ids) > 6
    assert all(re.fullmatch(r"<[a-z2-7]{16}@localhost>", message_id) for message_id in ids)


def together(table: Table, event: int) -> dict[str, tuple[bytes, bytes]]:
    """Return the mails of one event by reader, twice: written together, and written one by one."""
    with table.app.app_context():
        query = select(Outgoing.id).where(Outgoing.event == event).order_by(Outgoing.created_at, Outgoing.id)
        mails = load(session.scalars(query).all()).values()
        written = outcomes_of([*mails])
        return {mail.player_id: (written[mail.id].message, compose(mail).message) for mail in mails}


def words_of(raw: bytes) -> str:
    return text_of(opened(raw))


def test_what_the_readers_of_one_event_share_is_what_each_may_know(table: Table):
    game = chase(table)
    game.move(game.people[0], "black 100")
    moved = game.view()["seal"]["event"]
    written = together(table, moved)
    assert len(written) == 5
    assert all(at_once == alone for at_once, alone in written.values())
    mails = [words_of(raw) for raw, _ in written.values()]
    assert not any("Mr. X is on 100" in text for text in mails)
    with switching.wrap("server.application.game.as_of:class_of", lambda _real, _viewer: "mr_x")():
        leaked = [words_of(raw) for raw, _ in together(table, moved).values()]
    assert leaked != mails
    assert all("Mr. X is on 100" in text for text in leaked)


def test_a_name_of_any_letters_arrives_as_it_is(table: Table):
    ada = chase(table).people[0]
    for name in ("Zoë O'Brien", "李小龍", "Ada 🎩", "Élodie (à Paris), détective; “x”", "x" * 40):
        rename(table, ada, name)
        mail = rendered(table, ada, "turn")
        assert mail["To"].addresses == (Address(name, addr_spec="ada@example.org"),)
        assert len(mail.keys()) == len(set(mail.keys()))


def test_a_name_that_got_into_the_database_all_the_same_does_not_become_a_header(table: Table):
    game = chase(table)
    rename(table, game.people[0], "=?UTF-8?Q?=0ABcc:_e@x.org=0AX:_?=")
    mail = rendered(table, game.people[0], "turn")
    assert (mail["Bcc"], mail["X"]) == (None, None)
    assert [address.addr_spec for address in mail["To"].addresses] == ["ada@example.org"]


def test_a_mail_whose_header_would_be_another_one_is_refused_for_good_and_logged_without_it(
    table: Table, caplog: pytest.LogCaptureFixture
):
    game = chase(table)
    rename(table, game.people[0], "Ada\r\nBcc: eve@example.org")
    table.tick()
    assert game.people[0].mails == []
    assert states(table, game.people[0], "turn") == ["dead"]
    assert "is refused: a name that is more than one line of letters" in caplog.text
    assert "eve" not in caplog.text


def rename(table: Table, person: Person, name: str) -> None:
    """Give somebody a name that no use case would let through."""
    with table.app.app_context(), transaction():
        session.get_one(Player, person.id).name = name


# Lines ----------------------------------------------------------------------------------------------


def test_no_line_ends_in_a_number_that_could_fall_out_of_it():
    text = "The places where he can be are these: " + ", ".join(str(n) for n in range(100, 112)) + ", and no other."
    assert commands_in(wrap(text)) == set()
    assert max(map(len, wrap(text).splitlines())) <= 76


def test_a_line_is_broken_as_it_would_be_had_nothing_been_wrapped_before(monkeypatch: pytest.MonkeyPatch):
    text = "word " * 14 + "2026, and so on"
    broken = wrap(text)
    with monkeypatch.context() as patch:
        patch.setattr(moves, "STATION_DIGITS", 6)  # on another board "2026," would be a move
        assert wrap(text) != broken
    assert wrap(text) == broken


WORDS = ("taxi", "to", "46", "58", "199,", "7", "or", "then", "red", "and", "double", "22.", "17:30", "2026", "(41)",
         "AWAY", "until", "12", "May", "RULES", "ROUND", "NEW", "11", "days", "hours", "PIN", "10/8/4,", "7/7/3",
         "24/12/2")  # fmt: skip


@given(st.lists(st.sampled_from((*WORDS, *(form.syntax for form in COMMANDS))), min_size=1, max_size=5))
def test_an_end_of_a_line_is_a_command_whichever_its_numbers_are(words: list[str]):
    end = " ".join(words)
    assert is_command_line(with_other_numbers(end)) or not is_command_line(end)


def test_a_word_longer_than_a_line_gets_a_line_of_its_own():
    assert wrap(f"Write to {'x' * 100} now") == f"Write to\n{'x' * 100}\nnow\n"


def test_items_of_a_list_hang_behind_their_dash():
    assert wrap("All:\n - " + "word " * 20).splitlines()[1:] == [" -" + " word" * 14, "  " + " word" * 6]


def test_what_cannot_be_broken_without_a_command_is_broken_all_the_same():
    assert all(len(line) <= 76 for line in wrap(" ".join(["46"] * 60)).splitlines())


# Pictures -------------------------------------------------------------------------------------------


def pictures(mail: Any) -> dict[str, bytes]:
    return {part["Content-ID"]: part.get_content() for part in mail.walk() if part.get_content_type() == "image/png"}


def test_a_mail_shows_the_board_as_it_stood_at_the_event(table: Table):
    game = chase(table)
    cleo = game.people[2]
    game.move(game.people[0], "black 100")
    before = pictures(rendered(table, cleo, "turn"))
    game.move(game.people[1], "taxi 115")
    mail = rendered(table, cleo, "turn")
    assert pictures(mail) == before
    assert set(before) == {"<surroundings>", "<board>"}
    assert sum(map(len, before.values())) < 40_000
    html = mail.get_body(("html",)).get_content()
    words = (
        "Mr. X was seen at 111 on move 8, then took black. He is on 79, 100, 110, 112, 124 or 163. Purple at 127, "
        "Red at 67, Green at 133, Yellow at 153, Blue at 185."
    )
    assert re.findall(r'<img src="cid:(\w+)" alt="([^"]*)"', html) == [
        ("surroundings", "The board around Red."), ("board", f"The whole board. {words}"),
    ]  # fmt: skip
    assert html.index("Reply ") < html.index("<img") < html.index("Tickets (taxi"), "behind the first screen"


def test_without_pictures_a_mail_has_the_same_words(table: Table):
    game = chase(table)
    ada = game.people[0]
    shown = rendered(table, ada, "turn")
    ada.request("PATCH", "/me/preferences", json={"picture": "off"})
    plain = rendered(table, ada, "turn")
    assert pictures(shown)
    assert not pictures(plain)
    assert plain.get_body(("plain",)).get_content() == shown.get_body(("plain",)).get_content()
    words = re.sub("<img.*?>", "", shown.get_body(("html",)).get_content()).split()
    assert plain.get_body(("html",)).get_content().split() == words


@pytest.mark.breaks_games
@pytest.mark.parametrize(("wish", "shows"), [("on", False), ("own", True)])
def test_mr_x_is_in_his_pictures_only_if_he_wants_it_so(table: Table, wish: str, shows: bool):
    """Where he is makes no difference to what others may see over his shoulder, size and words included."""
    game = chase(table)
    ada = game.people[0]
    ada.request("PATCH", "/me/preferences", json={"picture": wish})
    found = []
    for station in (111, 113):
        with table.app.app_context(), transaction():
            session.get_one(Game, game.id).position = {
                **CHASE,
                "log_used": 9,
                "mr_x": {**CHASE["mr_x"], "station": station},
            }
        with table.app.app_context():
            runtime().game_cache = GameCache()
            session.remove()
        mail = rendered(table, ada, "turn")
        alts = re.findall(r'alt="([^"]*)"', mail.get_body(("html",)).get_content())
        found.append((pictures(mail), alts))
    assert (found[0] != found[1]) is shows
