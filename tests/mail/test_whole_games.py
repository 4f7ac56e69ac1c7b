"""A game by mail in which all answer in time brings few mails, and short ones."""

from collections.abc import Callable
from statistics import median

import pytest

from tests.kept import again
from tests.mail.whole_games import notices, play_by_mail
from tests.profiles import IS_CAMPAIGN
from tests.scenes import text_of
from tests.table import Playing, Table

ROUNDS = 8 if IS_CAMPAIGN else 3  # in which Mr. X is seen twice, or once
WHOLE = 22
MOST_WORDS = 120
MOST_WORDS_FOR_SEVERAL_PAWNS = 140


def words(text: str) -> int:
    """Count what holds a letter in the whole text, the travel log and the sealed log included."""
    return sum(any(letter.isalpha() for letter in word) for word in text.split())


def turn_mails(game: Playing) -> dict[int, list[str]]:
    """Return the texts of the turn mails from the second round on, by the number of the reader's pawns.

    The first brings the players and, to newcomers, the rules in brief.
    """
    found: dict[int, list[str]] = {}
    for person, seat in zip(game.people, game.view()["seats"], strict=True):
        for mail in person.mails:
            if ", your move by" in mail["Subject"] and "Round 1:" not in mail["Subject"]:
                found.setdefault(len(seat["pawns"]), []).append(text_of(mail))
    return found


def of_six(table: Table) -> Playing:
    """The first rounds of a game of six."""
    game = play_by_mail(table, 6, ROUNDS)
    table.tick()
    return game


def of_three(table: Table) -> Playing:
    """The first rounds of a game of three."""
    return play_by_mail(table, 3, ROUNDS)


def test_each_round_brings_a_player_one_mail_besides_answers(table: Table):
    ada, *detectives = again(table, of_six).people
    assert notices(ada) == ROUNDS + 1, "one for each of his turns, the one that begins now included"
    assert [notices(each) for each in detectives] == [ROUNDS + 1] * 5, "one for each of his moves, and the start"


@pytest.mark.parametrize("deal", [of_three, of_six])
def test_the_turn_mails_of_a_game_are_short(table: Table, deal: Callable[[Table], Playing]):
    assert_short(again(table, deal), 2 * ROUNDS)


@pytest.mark.campaign
@pytest.mark.parametrize("players", [3, 6])
def test_the_turn_mails_of_a_whole_game_are_short(table: Table, players: int):
    assert_short(play_by_mail(table, players, WHOLE), 2 * WHOLE)


def assert_short(game: Playing, many: int) -> None:
    """Check the turn mails of a game, of which there are more than `many`."""
    mails = turn_mails(game)
    counts = {pawns: [words(text) for text in texts] for pawns, texts in mails.items()}
    assert sum(map(len, counts.values())) > many
    assert max(counts[1]) < MOST_WORDS
    assert median(count for each in counts.values() for count in each) < MOST_WORDS
    assert max(count for each in counts.values() for count in each) < MOST_WORDS_FOR_SEVERAL_PAWNS
    for text in (text for texts in mails.values() for text in texts):
        assert text.count("Travel log") <= 1
        assert text.count("Seal, event") == 1
