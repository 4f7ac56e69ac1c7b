"""The moves that a player sends: played or queued in their order, by one decision."""

from server.house_rules.submission import RequestedMove, place_all
from server.house_rules.turns import choices
from server.vocabulary.errors import Problem
from tests.house_rules.situations import Match, begun


def beside_him() -> tuple[Match, str, str]:
    """Return a game of two in which Purple can take Mr. X, with that move and one that waits for Red's turn."""
    for seed in range(1, 200):
        match = begun("condensed", 2, options={"turn_order": "fixed"}, seed=seed)
        for move in match.state.legal_moves():
            after = match.state.copy()
            after.play(move)
            capture = f"purple taxi {after.station('mr_x')}"
            ahead = choices(after, "red")
            if capture in map(str, after.legal_moves()) and ahead:
                match.move("Ada", str(move))
                return match, capture, str(ahead[0])
    raise AssertionError("no such game")


def test_several_moves_are_played_and_queued_in_their_order():
    match, capture, ahead = beside_him()
    other = next(str(move) for move in match.state.legal_moves() if str(move) != capture)
    placed = match.do(lambda draft: place_all(draft, "Ben", [RequestedMove(ahead), RequestedMove(other)])).answer
    assert [(str(one.move), one.is_queued) for one in placed] == [(ahead, True), (other, False)]
    assert match.decisions[-1].moves[0].notation == other


def test_a_queued_move_is_not_made_when_the_move_behind_it_ends_the_game():
    match, capture, ahead = beside_him()
    placed = match.do(lambda draft: place_all(draft, "Ben", [RequestedMove(ahead), RequestedMove(capture)])).answer
    assert match.game.reason == "captured"
    assert isinstance(placed[0], Problem)
    assert placed[0].code == "game-not-running"
    assert str(placed[1].move) == capture
