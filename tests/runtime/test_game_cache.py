"""The game cache holds the database's state, for those who may know it, and no sooner."""

import random
from collections.abc import Iterator
from typing import NoReturn

import pytest

from server.application.game.look import standing_of
from server.application.game.situations import act
from server.application.game.state import rebuild
from server.engine import Edition
from server.engine import Game as Engine
from server.house_rules.submission import RequestedMove, place
from server.models import Game, Player, session, transaction
from server.runtime.game_cache import LOOK_BACK, MOST, MOST_OVER, GameCache
from tests.positions import position
from tests.table import Playing, Table


class Undone(Exception):
    """Something that fails after a move was played."""


def number_kept(cache: GameCache, game_id: str) -> list[int]:
    """Return after how many moves states of a game are kept."""
    return [moves for kept in (cache._kept, cache._over) for (of, moves), _ in kept.items() if of == game_id]


@pytest.fixture
def duel(table: Table) -> Iterator[Playing]:
    """Ada is Mr. X on 104, Ben plays red."""
    game = table.dealt(2, position=position(104, red=117))
    with table.app.app_context():
        yield game


def move(game: Playing, notation: str) -> None:
    """Mr. X moves, in the transaction under way if there is one."""
    act(game.id, session.get_one(Player, game.people[0].id), place, RequestedMove(notation))


def fail_after(*_done: object) -> NoReturn:
    raise Undone


def history(game: Playing) -> list[str]:
    return [str(move) for move in rebuild(standing_of(session.get_one(Game, game.id))).history]


def kept(game: Playing) -> list[str]:
    """The moves of the game as others find it in memory."""
    found = game.table.app.extensions["blackticket"].game_cache.get(game.id, 1)
    return [str(move) for move in found.history] if found else []


class TestTables:
    """A game in play is kept with the moves that are committed, and in a transaction with its own besides."""

    def test_a_move_is_known_within_its_transaction_and_to_others_after_it(self, duel: Playing):
        with transaction():
            move(duel, "taxi 86")
            assert (history(duel), kept(duel)) == (["taxi 86"], [])
        assert kept(duel) == ["taxi 86"]

    def test_a_move_that_was_undone_is_remembered_by_nobody(self, duel: Playing):
        with pytest.raises(Undone), transaction():
            fail_after(move(duel, "taxi 86"))
        assert (history(duel), kept(duel)) == ([], [])

    def test_one_that_was_undone_to_a_savepoint_makes_room_for_another(self, duel: Playing):
        with transaction():
            with pytest.raises(Undone), session.begin_nested():
                fail_after(move(duel, "taxi 86"))
            assert history(duel) == []
            move(duel, "taxi 116")
            assert history(duel) == ["taxi 116"]
        assert kept(duel) == ["taxi 116"]


class TestNearest:
    """Nobody replays a game from its start while some state of its last rounds is kept."""

    def test_the_nearest_state_before_is_found(self):
        cache = GameCache()
        states = _states(8)
        for moves in (0, 3, 8):
            cache.put("game", states[moves])
        found = [cache.get("game", moves) for moves in (0, 2, 3, 7, 8, 30)]
        assert [game and len(game.history) for game in found] == [0, 0, 3, 3, 8, 8]

    def test_a_later_one_or_another_games_is_never_found(self):
        cache = GameCache()
        cache.put("game", _states(7)[7])
        assert (cache.get("game", 6), cache.get("other", 7)) == (None, None)

    def test_of_a_game_that_goes_on_only_the_last_states_are_kept(self):
        cache = GameCache()
        for state in _states(9):
            cache.put("game", state)
        assert sorted(number_kept(cache, "game")) == [6, 7, 8, 9]

    def test_of_a_game_that_is_over_only_the_last_state_is_kept(self):
        cache, game = GameCache(), Engine.at(Edition.named("ravensburger-2000"), position(104, red=117))
        while game.to_move:
            cache.put("game", game)
            game.play(game.legal_moves()[0])
        cache.put("game", game)
        assert number_kept(cache, "game") == [len(game.history)]

    def test_few_games_that_are_over_are_kept_and_push_out_none_that_goes_on(self):
        cache, game = GameCache(), Engine.at(Edition.named("ravensburger-2000"), position(104, red=117))
        cache.put("going on", game)
        while game.to_move:
            game.play(game.legal_moves()[0])
        for number in range(2 * MOST):
            cache.put(f"over {number}", game)
        assert cache.get("going on", 0) is not None
        found = [number for number in range(2 * MOST) if number_kept(cache, f"over {number}")]
        assert found == list(range(2 * MOST - MOST_OVER, 2 * MOST))

    def test_one_of_long_ago_is_worth_nothing(self):
        cache = GameCache()
        cache.put("game", _states(0)[0])
        assert cache.get("game", LOOK_BACK + 1) is None


def _states(moves: int) -> list[Engine]:
    """A game before its first move, after it, and so on."""
    played = Engine.deal(Edition.named("ravensburger-2000"), 3, random.Random(1))
    states = [played.copy()]
    for _ in range(moves):
        played.play(played.legal_moves()[0])
        states.append(played.copy())
    return states


class TestSights:
    """A view is kept for who saw it, and made anew when something changed that he may know of."""

    def test_whoever_asks_first_gets_nothing_of_anothers(self, duel: Playing):
        ada, ben = duel.people
        gus = duel.table.person("Gus")
        assert duel.view(ada)["pawns"]["mr_x"]["station"] == 104
        for person in (ben, gus):
            assert duel.view(person)["pawns"]["mr_x"]["station"] is None

    def test_a_move_ahead_makes_the_teams_view_anew_and_nobody_elses(self, table: Table):
        ada, ben, cleo = table.people(3)
        game = table.game([ada, ben, cleo], position=position(104, red=117, green=46))
        game.move(ada, "taxi 86")
        view_cache = table.app.extensions["blackticket"].view_cache
        seen = {person: game.view(person) for person in (ada, ben, cleo)}
        before = {person: view_cache.get((game.id, person.id)) for person in seen}
        assert game.move(cleo, "green taxi 45").status_code == 202
        assert game.view(ben)["ahead"] == [{"pawn": "green", "notation": "green taxi 45"}]
        assert game.view(ada) == seen[ada]
        assert view_cache.get((game.id, ada.id)) is before[ada]
        assert view_cache.get((game.id, ben.id)) is not before[ben]

    def test_what_mr_x_tries_leaves_all_of_them_as_they_were(self, duel: Playing):
        ada, ben = duel.people
        view_cache = duel.table.app.extensions["blackticket"].view_cache
        for person in (ada, ben):
            duel.view(person)
        before = [view_cache.get((duel.id, person.id)) for person in (ada, ben)]
        ada.post(f"{duel.path}/moves", {"turn": 1, "notation": "taxi 999"})
        ada.post(f"{duel.path}/moves?dry_run=true", {"turn": 1, "notation": "taxi 86"})
        ada.get(f"{duel.path}/legal-moves")
        for person in (ada, ben):
            duel.view(person)
        assert all(
            view_cache.get((duel.id, person.id)) is kept for person, kept in zip((ada, ben), before, strict=True)
        )
