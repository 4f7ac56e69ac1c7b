"""The rules for players say what the options say."""

from typing import Any

import pytest

from server.engine import Edition
from server.vocabulary.translation import ENGLISH, languages, speaking
from server.wording.rules import IN_BRIEF, USUAL, differences, edition_title, in_brief, named, rules, topics
from tests.mail.wrapped import commands_in

BASE = Edition.named(USUAL)
ALL = [Edition.named(name) for name in Edition.names()]


def said(options: dict[str, Any]) -> str:
    """Return what a game with these options has and the usual one has not."""
    return " ".join(rule.text for rule in differences(BASE.with_options(**options), BASE))


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"board": "london-milton-bradley"}, "between 194, 157, 115 and 118"),
        ({"detective_tickets": {"taxi": 5}}, "five taxi, eight bus and four underground tickets"),
        ({"mr_x_tickets": {"double": 0}}, "There are no double moves: Mr. X makes one move in a turn."),
        ({"mr_x_tickets": {"double": 1}}, "Once in a game"),
        ({"mr_x_tickets": {"double": 3}}, "Three times in a game"),
        ({"mr_x_tickets": {"bus": None}}, "four taxi, any number of bus and three underground tickets"),
        ({"black": 0}, "has no black tickets, so he cannot take the ferry"),
        ({"black": 1}, "He has one."),
        ({"mr_x_supply": "unlimited"}, "as many of these as he needs"),
        ({"surfacing": []}, "never has to show his station"),
        ({"surfacing": [5]}, "On move 5 of the log"),
        ({"log_windows": 20}, "room for 20 moves"),
        ({"max_rounds": 10}, "nobody has caught him in ten rounds"),
        ({"max_rounds": None}, "Mr. X wins when his travel log of 24 moves is full and"),
        ({"full_log_wins": "at_once"}, "as soon as his travel log of 24 moves is full"),
        ({"full_log_wins": "no"}, "A full log of 24 moves leaves him no move."),
        ({"full_log_wins": "no", "max_rounds": None}, "Mr. X wins when no detective can move any more."),
        ({"turn_order": "seats"}, "each with all their detectives"),
        ({"turn_order": "any"}, "The detectives move in the order they like."),
        ({"blocked": "out"}, "So does one whose next stops are all taken."),
        ({"voluntary_surfacing": True}, "takes one ticket of his choice from each detective"),
        ({"cut_off": True}, "cannot pass over a detective's station"),
        ({"mr_x_onto_detective": "loses"}, "has lost if he moves onto one"),
        ({"both_stuck": "draw"}, "the game is a draw"),
        ({"both_stuck": "detectives"}, "if he cannot move either, the detectives win"),
        ({"team_talk": "open"}, "Mr. X reads what the detectives write"),
        ({"deduction": False}, "you find out yourselves"),
        ({"pawns": "five"}, "There are always five detectives"),
        ({"players": [4, 6]}, "Four to six people play"),
    ],
    ids=str,
)
def test_an_option_that_a_host_changes_is_told(options: dict[str, Any], expected: str):
    assert expected in said(options)


def test_every_option_but_the_start_cards_changes_what_is_told():
    told = {
        name
        for mark in test_an_option_that_a_host_changes_is_told.pytestmark
        for row in mark.args[1]
        for name in row[0]
    }
    assert set(BASE.options) - told == {"start_cards"}


@pytest.mark.parametrize("edition", ALL, ids=lambda edition: edition.name)
def test_the_rules_fit_on_two_screens_of_a_phone_and_the_brief_ones_on_one(edition: Edition):
    assert sum(len(rule.text.split()) for rule in rules(edition, 5)) < 330
    assert len(in_brief(edition)) == IN_BRIEF
    assert sum(map(len, in_brief(edition))) < 800
    assert all(line.endswith(".") and line.count(".") <= 1 + 2 * line.count("Mr.") for line in in_brief(edition))


def test_the_rules_of_a_game_count_its_black_tickets_and_leave_out_how_many_can_play():
    told = [rule.text for rule in rules(BASE, 4)]
    assert any("He has four." in text for text in told)
    assert not any("people play" in text for text in told)


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("", USUAL), ("1985", "milton-bradley-1985"), ("Milton Bradley", "milton-bradley-1985"),
        ("ravensburger", USUAL), ("ravensburger 2013", "ravensburger-2013"), ("CONDENSED", "condensed"),
        ("milton-bradley-1985", "milton-bradley-1985"), ("bradley 2000", None), ("chess", None),
    ],
)  # fmt: skip
def test_an_edition_is_known_by_some_of_its_words(words: str, name: str | None):
    found = named(words)
    assert (found.name if found else None) == name


@pytest.mark.parametrize("language", sorted(languages().keys() - {ENGLISH}))
def test_no_rule_in_a_mail_is_a_command(language: str):
    with speaking(language):
        told = {rule.text for edition in ALL for rule in rules(edition, 5)}
    assert {text for text in told if commands_in(f" - {text}")} == set()


def test_an_edition_has_a_name_for_people():
    assert edition_title("ravensburger-2000") == "Ravensburger 2000"


@pytest.mark.parametrize("language", set(languages()) - {ENGLISH})
def test_each_rule_has_its_topic_in_each_language(language: str):
    told = [rule for edition in map(Edition.named, Edition.names()) for rule in rules(edition)]
    english = [topics([rule]) for rule in told]
    with speaking(language):
        assert not [rule.name for rule, its in zip(told, english, strict=True) if topics([rule]) == its]
