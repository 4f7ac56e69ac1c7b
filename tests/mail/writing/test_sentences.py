"""Facts of a game as sentences."""

import re
from datetime import UTC, datetime
from random import Random
from typing import Any, NamedTuple

import pytest

from server.clock import OUTAGES
from server.engine import DETECTIVES, Edition, Game, deduce
from server.language.grammar import is_command_line
from server.mail.writing import sentences
from server.mail.writing.wrapping import wrap
from tests.mail.wrapped import commands_in

NOON = datetime(2026, 11, 24, 12, 0, tzinfo=UTC)


class Event(NamedTuple):
    """An event as far as sentences are made of it."""

    kind: str
    data: dict[str, Any]
    number: int = 1


def event(kind: str, **data: Any) -> Event:
    return Event(kind, data)


def moved(notation: str, by: str = "player", passed_over: tuple[str, ...] = ()) -> Event:
    first = notation.split(maxsplit=1)[0]
    pawn = first if first in DETECTIVES else "mr_x"
    return event("moved", pawn=pawn, notation=notation, by=by, passed_over=list(passed_over))


def told(*events: Event, reader: tuple[str, ...] = ("red",)) -> str:
    return " ".join(sentences.happenings(events, reader))


@pytest.mark.parametrize(
    ("happened", "sentence"),
    [
        (moved("taxi ?"), "Mr. X took a taxi."),
        (moved("black ?"), "Mr. X took a black ticket."),
        (moved("underground 46"), "Mr. X took the underground to 46, where he was seen."),
        (moved("double taxi ? bus ?"), "Mr. X made a double move: a taxi, then a bus."),
        (
            moved("double taxi 46 black ?"),
            "Mr. X made a double move: a taxi to 46, where he was seen, then a black ticket.",
        ),
        (moved("red bus 58"), "Red went to 58 with a bus."),
        (moved("red bus 58", passed_over=("green",)), "Red went to 58 with a bus. Green could not move."),
        (moved("red bus 58", "cover"), "A teammate moved Red to 58 with a bus."),
        (event("granted"), "The time ran out for Mr. X, who was given one more turn."),
        (event("substituted", seat=2, pawns=["purple", "red"]), "Somebody else plays Purple and Red now."),
        (
            event("decided", what="extend", length="P1D", side="detectives", carried=True),
            "The players decided to give the detectives 1 day more.",
        ),
        (event("unsealed", looked_at="a mail"), "The operator looked into a mail, though it was sealed."),
    ],
)  # fmt: skip
def test_what_happened_is_a_sentence(happened: Event, sentence: str):
    assert told(happened) == sentence


def test_outages_in_a_row_are_one_sentence_for_each_cause():
    outages = [
        event("outage", by=by, cause=cause)
        for by, cause in (("PT40S", "server"), ("PT80S", "server"), ("PT1H", "relay"))
    ]
    assert told(*outages) == " ".join(
        f"The deadline moved by {by}, {OUTAGES[why]}." for by, why in (("2 minutes", "server"), ("1 hour", "relay"))
    )


def test_an_outage_of_less_than_a_minute_is_not_told():
    short, other = (event("outage", by=by, cause="server") for by in ("PT2S", "PT59S"))
    assert (told(short), told(other)) == ("", "")
    assert told(short, other) == f"The deadline moved by 1 minute and 1 second, {OUTAGES['server']}."


def test_what_is_not_told_does_not_part_outages():
    outage = event("outage", by="PT1H", cause="server")
    assert told(outage, event("voted", seat=2), outage) == f"The deadline moved by 2 hours, {OUTAGES['server']}."


def test_mails_of_other_players_in_a_row_are_told_once_and_what_adds_up_each_time():
    intruded, lost, back = (
        event("intruded", seat=3, pawns=["red"]),
        event("bounced", pawns=["red"]),
        event("reached", pawns=["red"]),
    )
    assert told(intruded, intruded).count("nothing of it was done") == 1
    assert told(lost, back, lost).count("do not arrive any more") == 2
    assert told(event("extended", by="P1D"), event("extended", by="P1D")).count("1 day more") == 2


def test_moves_of_detectives_in_a_row_are_one_sentence():
    events = moved("red bus 58"), moved("green taxi 3"), moved("taxi ?"), moved("red taxi 9")
    assert told(*events) == (
        "Red went to 58 with a bus, Green to 3 with a taxi. Mr. X took a taxi. Red went to 9 with a taxi."
    )


def test_moves_with_the_same_ticket_name_it_once():
    by_taxi = moved("purple taxi 24"), moved("red taxi 69"), moved("green taxi 41")
    assert told(*by_taxi, moved("blue bus 54")) == (
        "Purple went to 24, Red to 69 and Green to 41 with a taxi, Blue to 54 with a bus."
    )
    assert told(moved("red bus 58", passed_over=("green",)), moved("blue bus 54")) == (
        "Red went to 58 and Blue to 54 with a bus. Green could not move."
    )


def test_showing_himself_of_his_own_will_names_the_tickets_he_took():
    start = "Mr. X took a taxi to 46, where he was seen; he showed himself of his own will and took"
    assert told(moved("taxi 46 surface red:taxi green:bus")) == f"{start} Red's taxi and Green's bus tickets."
    assert told(moved("taxi 46 surface red:taxi")) == f"{start} Red's taxi ticket."


def test_what_the_server_moved_is_one_sentence_that_names_the_late_players():
    events = [moved("red bus 58", "house"), moved("green taxi 3", "house"), moved("taxi ?")]
    assert " ".join(sentences.happenings(events, ("red",), lambda pawns: f"Ben ({pawns[0]})")) == (
        "The time ran out for Ben (red) and Ben (green), and the server moved Red to 58 with a bus, Green to 3 with a "
        "taxi. Mr. X took a taxi."
    )


def test_mr_x_is_told_of_his_own_lateness_as_you():
    assert told(event("granted"), reader=("mr_x",)) == "Your time ran out, and you were given one more turn."


def test_nothing_is_said_of_nothing():
    assert told(event("started")) == told() == ""


@pytest.mark.parametrize(
    ("name", "called"),
    [
        ("Ben", "Ben (Red)"), ("Zoë O'Brien", "Zoë O'Brien (Red)"), ("Ada L.", "Ada L. (Red)"), ("46", '"46" (Red)'),
        ("taxi 46", '"taxi 46" (Red)'), ("HELP", '"HELP" (Red)'), ("Say hello", '"Say hello" (Red)'),
        ("Will you stop", '"Will you stop" (Red)'), ("Ada 🎩", '"Ada 🎩" (Red)'),
    ],
)  # fmt: skip
def test_a_player_is_called_by_name_in_quotation_marks_if_that_could_be_a_command(name: str, called: str):
    assert sentences.called(name, "Red") == called
    assert commands_in(f"It was {called} who asked for it, and {called} writes to the team:") == set()


def test_a_time_has_its_zone_and_utc():
    assert sentences.moment(NOON, "Europe/Berlin") == "Tuesday 24 November, 13:00 in Berlin"
    assert sentences.moment(NOON, "UTC") == "Tuesday 24 November, 12:00 UTC"
    assert sentences.moment(NOON, "America/Argentina/Buenos_Aires").endswith("09:00 in Buenos Aires")
    assert sentences.short_moment(NOON, "Pacific/Auckland") == "Wed 25 Nov 01:00 Auckland"


def view(**options: Any) -> dict[str, Any]:
    edition = Edition.named(options.pop("edition", "ravensburger-2000")).with_options(**options)
    starts = {"mr_x": 103, "purple": 91, "red": 26, "green": 29, "yellow": 34, "blue": 50}
    game = Game(edition, 6, starts)
    game.play("taxi 86")
    return game.view("red")


def test_unlimited_tickets_are_told_as_such():
    unlimited = view(mr_x_supply="unlimited", mr_x_tickets={"taxi": None, "bus": None, "underground": None})
    assert sentences.mr_x_holds(unlimited) == "Mr. X any/any/any, five black and two doubles"


def test_mr_x_is_told_what_he_holds_as_you():
    assert sentences.mr_x_holds(view(), is_reader=True).startswith("you 3/3/3,")
    assert sentences.next_surfacing(view(), is_reader=True) == "You must show yourself after move 3, in two moves."


def test_in_short_the_next_surfacing_is_told_by_its_move_alone():
    assert sentences.next_surfacing(view(), in_short=True) == "After move 3 you will see him."
    assert sentences.next_surfacing(view(), is_reader=True, in_short=True) == "After move 3 you must show yourself."


def test_what_a_pawn_holds_is_told_by_its_choices_if_they_name_every_kind_of_ticket():
    game = Game(Edition.named("ravensburger-2000"), 6, {"mr_x": 103, "purple": 91, "red": 26, "green": 29, "yellow": 34,
                                                        "blue": 50})  # fmt: skip
    game.play("taxi 86")
    moves, tickets = game.legal_moves("purple"), {"taxi": 10, "bus": 0, "underground": 0}
    assert sentences.are_tickets_told(moves, tickets)
    assert not sentences.are_tickets_told([move for move in moves if "taxi" not in str(move)], tickets)


def test_a_stranded_pawn_is_told_without_its_tickets():
    stranded = {"station": 46, "state": "stranded", "tickets": {"taxi": 0, "bus": 4, "underground": 4}}
    assert sentences.stand({"pawns": {"red": stranded}}, ["red"]) == "Red at 46 (stranded)"


def test_a_surfacing_that_comes_next_is_told_as_the_next_move():
    assert sentences.next_surfacing(view(surfacing=[2])) == "You will see him after his next move."


def test_when_the_last_surfacing_is_past_nothing_is_foretold():
    assert sentences.next_surfacing(view(surfacing=[])) == "He need not show himself any more."


def test_the_log_tells_windows_tickets_and_what_was_seen():
    log = [
        {"window": 1, "ticket": "taxi", "station": None},
        {"window": 2, "ticket": "black", "station": 46, "transport": "ferry"},
        {"window": 3, "ticket": "bus", "station": 58, "surfaced": True},
    ]
    assert sentences.travel_log({"log": log}) == (
        "The travel log, move by move: 1 taxi; 2 black to 46 by ferry; 3 bus to 58 (seen); and no more so far."
    )
    assert sentences.short_log({"log": log[:2]}) == "Travel log: TX."
    assert sentences.short_log({"log": log[1:2]}) == "Travel log from move 2: X."
    assert sentences.short_log({"log": log}) == "Travel log: seen at 58 on move 3, just now."
    later = [*log, {"window": 4, "ticket": "taxi", "station": None}]
    assert sentences.short_log({"log": later}) == "Travel log since 58 (move 3): T."
    assert sentences.travel_log({"log": []}) == "The travel log is empty."


def test_each_kind_of_ticket_is_told_in_one_line_and_a_double_move_with_its_form():
    game = Game.at(
        Edition.named("ravensburger-2000"),
        {
            "mr_x": {"station": 67, "tickets": {"taxi": 9, "bus": 9, "underground": 9, "black": 9, "double": 1}},
            "detectives": [{"pawn": "red", "station": 1, "tickets": {"taxi": 9, "bus": 9, "underground": 9}}],
            "log_used": 0,
            "to_move": "mr_x",
        },
    )
    choices = sentences.choices(game.legal_moves(), game.tickets("mr_x"))
    assert [choice.line for choice in choices] == [
        "by taxi to 51, 66, 68 or 84 (9 left)",
        "by bus to 23, 52, 65, 82 or 102 (9 left)",
        "by underground to 13, 79, 89 or 111 (9 left)",
        "by black ticket to 13, 23, 51, 52, 65, 66, 68, 79, 82, 84, 89, 102 or 111 (9 left)",
        'by a double move: "double bus NN taxi NN" (1 left)',
    ]
    assert not commands_in(wrap("".join(f" - {choice.line}\n" for choice in choices)))
    assert str(choices[1].moves[52]) == "bus 52"


@pytest.mark.parametrize(
    "name", ["46", "taxi 46", "HELP", "SAY hello", "I say hello", "Zoë SAY: x", "ｓａｙ yes", "a ｓａｙ b"]
)
def test_a_quoted_name_is_no_command_however_it_is_wrapped(name: str):
    words = sentences.quoted(name).split(" ")
    assert not any(is_command_line(" ".join(words[i:])) for i in range(len(words)))
    assert commands_in(f"Purple, Yellow and Blue in this game are played by {sentences.quoted(name)}") == set()


def test_an_ordinary_name_is_quoted_as_it_is():
    assert sentences.quoted("Ada Lovelace") == '"Ada Lovelace"'


def test_words_longer_than_a_line_are_quoted_line_by_line_and_no_line_is_broken():
    words = "nobody heard of him for two weeks, and then RESIGN RESIGN RESIGN RESIGN RESIGN RESIGN RESIGN"
    lines = sentences.quoted_lines(words).split("\n")
    assert all(line[0] == line[-1] == '"' and len(line) < 56 for line in lines)
    assert " ".join(line.strip('"') for line in lines) == words
    assert commands_in("\n".join(lines)) == set()


def test_the_words_of_a_person_are_quoted_as_they_wrote_them():
    assert sentences.quoted_lines('I\'d say "green taxi 100".') == "\"I'd say 'green taxi 100'.\""


def test_a_reason_does_not_begin_with_the_word_for_talk():
    assert sentences.reason("Say which pawn moves: Red and Green.") == "Tell which pawn moves: Red and Green."
    assert sentences.reason("They say no.") == "They tell no."


@pytest.mark.parametrize(
    ("outcome", "told"),
    [
        ({"winner": "detectives", "reason": "captured"}, "The detectives have won: Mr. X was caught."),
        ({"winner": "mr_x", "reason": "log_full"}, "Mr. X has won: the travel log is full, and Mr. X was not caught."),
        ({"winner": "detectives", "reason": "resigned"}, "The detectives have won: Mr. X gave the game up."),
        ({"winner": "mr_x", "reason": "resigned"}, "Mr. X has won: the detectives gave the game up."),
        ({"winner": "draw", "reason": "voided"}, "The game is over without a winner: the operator has ended it."),
        ({"winner": "draw", "reason": "both_stuck"}, "The game is a draw: neither side can move any more."),
    ],
)
def test_a_result_says_who_won_and_why(outcome: dict[str, str], told: str):
    assert sentences.result(outcome) == told


def test_every_reason_that_the_rules_know_has_its_words():
    known = ("captured", "log_full", "rounds_over", "detectives_stranded", "mr_x_trapped", "both_stuck", "out_of_time")
    for reason in known:
        assert reason not in sentences.result({"winner": "mr_x", "reason": reason})


def test_all_places_are_told_when_asked_for_and_no_piece_of_the_list_is_a_command():
    game = Game.deal(Edition.named("ravensburger-2000"), players=3, rng=Random(1))
    game.play(game.legal_moves()[0])
    view = game.view("spectator")
    told = sentences.places(view, in_full=True)
    assert sentences.places(view) == told.partition(":")[0] + "."
    assert sorted(map(int, re.findall(r"\d+(?=,)", told))) == sorted(deduce(view))
    assert "of them" not in told
    assert not commands_in(wrap(told))


def test_a_vote_on_more_time_names_whose_deadline_it_was():
    for side, name in (("mr_x", "Mr. X"), ("detectives", "the detectives")):
        vote = {"what": "extend", "length": "P2D", "side": side}
        carried = event("decided", **vote, carried=True)
        assert told(carried) == f"The players decided to give {name} 2 days more."
        expired = event("decided", **vote, carried=False, expired=True)
        assert told(expired, moved("taxi 46")).startswith(f"The vote to give {name} 2 days more expired, as that")
