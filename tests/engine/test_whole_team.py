"""One person may move all detectives, in every edition; that is in no rule book."""

from random import Random

import pytest

from server.engine import DETECTIVES, Edition, Game, OptionError
from server.wording.rules import changed
from tests.positions import position


@pytest.mark.parametrize("name", Edition.names())
@pytest.mark.parametrize("pawns", [2, 3, 4, 5])
def test_one_person_has_all_detectives_and_mr_x_what_he_has_against_so_many(name: str, pawns: int):
    game = Game.deal(Edition.named(name).with_whole_team(pawns), 2, Random(pawns))
    assert game.seats == (("mr_x",), DETECTIVES[:pawns])
    assert game.tickets("mr_x")["black"] == (pawns if name in ("ravensburger-2000", "condensed") else 5)
    assert Game.replay(game.record()).seats == game.seats


def test_the_rules_say_so():
    told = changed(Edition.named("ravensburger-2000").with_whole_team(5))
    assert told == ["Two people play, Mr. X included. The other plays all five detectives."]


def test_who_moves_after_whom_stays_as_the_edition_says():
    first = {}
    for name in Edition.names():
        game = Game.deal(Edition.named(name).with_whole_team(5), 2, Random(1))
        game.play(game.legal_moves()[0])
        first[name] = game.to_move
    in_order, any_order = DETECTIVES[:1], DETECTIVES
    assert first == {
        "milton-bradley-1985": any_order, "ravensburger-2000": in_order, "condensed": in_order,
        "ravensburger-2013": any_order,
    }  # fmt: skip


def test_in_a_position_one_person_has_the_pawns_that_are_there():
    place = position(116, red=103, blue=14)
    assert Game.at(Edition.named("condensed").with_whole_team(2), place).seats == (("mr_x",), ("red", "blue"))
    assert Game.at(Edition.named("condensed").with_whole_team(3), place).seats == (("mr_x",), ("red",), ("blue",))


def test_more_than_two_people_are_too_many():
    with pytest.raises(OptionError, match=r"2 to 2 people"):
        Edition.named("condensed").with_options(pawns="all_five")


@pytest.mark.parametrize("name", Edition.names())
@pytest.mark.parametrize("seed", range(5))
def test_a_deal_of_known_cards_has_them_on_top_of_the_whole_deck(name: str, seed: int):
    edition = Edition.named(name)
    game = Game.deal(edition, 6, Random(seed))
    again = Game.deal(edition, 6, Random(seed + 100), list(game.starts.values()))
    assert again.starts == game.starts
    assert again.deck is not None
    assert game.deck is not None
    assert [sorted(cards) for cards in again.deck] == [sorted(cards) for cards in game.deck]
    assert again.deck != game.deck
