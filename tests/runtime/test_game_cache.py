"""The game cache holds the database's state, for those who may know it, and no sooner."""

from collections.abc import Iterator
from typing import NoReturn

import pytest

from server.application.decisions.submission import RequestedMove
from server.application.game.state import rebuild
from server.application.play.submission import submit
from server.models import Game, Player, session, transaction
from tests.conftest import Playing, Table
from tests.positions import position


class Undone(Exception):
    """Something that fails after a move was played."""


@pytest.fixture
def duel(table: Table) -> Iterator[Playing]:
    """Ada is Mr. X on 104, Ben plays red."""
    game = table.game(table.people(2), position=position(104, red=117))
    with table.app.app_context():
        yield game


def move(game: Playing, notation: str) -> None:
    """Mr. X moves, in the transaction under way if there is one."""
    submit(game.id, session.get_one(Player, game.people[0].id), lambda: RequestedMove(notation), {})


def fail_after(*_done: object) -> NoReturn:
    raise Undone


def history(game: Playing) -> list[str]:
    return [str(move) for move in rebuild(session.get_one(Game, game.id)).history]


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
