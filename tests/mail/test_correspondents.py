"""Newcomers who know nothing but the mails they get play to the end of a game, and so do people among themselves."""

from pathlib import Path

import pytest

from tests.mail.correspondents import MANNERS, office, practise, whole_game

MISTAKEN = "Ty"  # who makes mistakes, and puts them right
TURNS = 9


def test_a_newcomer_gets_from_help_into_the_middle_of_a_practice_game_by_mail_alone(tmp_path: Path):
    with office(tmp_path) as place:
        newcomer = practise(place, MISTAKEN, TURNS)
    assert newcomer.unanswered == []
    assert len(newcomer.turns) == TURNS
    assert newcomer.sent >= TURNS + 2, "for help, to begin, and the turns"


@pytest.mark.campaign
@pytest.mark.parametrize("name", MANNERS)
def test_a_newcomer_gets_from_help_to_the_end_of_a_practice_game_by_mail_alone(tmp_path: Path, name: str):
    with office(tmp_path) as place:
        newcomer = practise(place, name)
    assert newcomer.unanswered == []
    assert newcomer.sent >= 5


@pytest.mark.campaign
@pytest.mark.parametrize("players", [3, 6])
def test_people_play_a_whole_game_by_mail_as_they_write(tmp_path: Path, players: int):
    with office(tmp_path) as place:
        people = whole_game(place, players)
    assert [person.unanswered for person in people] == [[]] * players
