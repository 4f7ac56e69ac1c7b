"""A game by mail in which all answer in time brings few mails, and short ones.

`python -m tests.mail.whole_games` counts whole games.
"""

import re

from tests.conftest import Table
from tests.mail.whole_games import play_by_mail, tallies
from tests.scenes import text_of

ROUNDS = 4
MOST_WORDS = 120


def words(text: str) -> int:
    """Count what holds a letter, without the travel log and the sealed log, which grow and which nobody reads."""
    read = re.split(r"^Travel log|^Seal", text, flags=re.MULTILINE)[0]
    return sum(any(letter.isalpha() for letter in word) for word in read.split())


def test_each_round_brings_a_player_one_mail_besides_answers_and_a_turn_mail_is_short(table: Table):
    game = play_by_mail(table, 6, ROUNDS)
    table.tick()
    made = tallies(game)
    assert made[0].notices == ROUNDS + 1, "one for each of his turns, the one that begins now included"
    assert [tally.notices for tally in made[1:]] == [ROUNDS + 1] * 5, "one for each of his moves, and the start"
    turns = [mail for person in game.people[1:] for mail in person.mails if "your move" in mail["Subject"]]
    assert max(words(text_of(mail)) for mail in turns if "Turn 2:" not in mail["Subject"]) < MOST_WORDS
