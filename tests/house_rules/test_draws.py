"""Draws by agreement: who is asked, when all have agreed, and what becomes of an offer."""

import pytest

from server.house_rules import (
    draws,
    remedies,
    resignation,
    substitution,
)
from server.vocabulary import limits
from server.vocabulary.errors import Problem
from tests.house_rules.situations import (
    DAY,
    Match,
    begun,
    holder,
    posted,
    published,
)


@pytest.fixture
def trio() -> Match:
    """A game of three people, two pawns each for Ben and Cleo."""
    return begun(players=3)


def offer(match: Match, player: str) -> list[str]:
    """Let a player offer a draw; return what is published."""
    return published(match.do(lambda draft: draws.offer_draw(draft, player)))


def withdraw(match: Match, player: str) -> list[str]:
    """Let a player withdraw the offer; return what is published."""
    return published(match.do(lambda draft: draws.withdraw(draft, player)))


def test_saying_it_twice_is_saying_it_once(trio: Match):
    assert [offer(trio, "Ben"), offer(trio, "Ben")] == [["draw"], []]
    assert [withdraw(trio, "Ben"), withdraw(trio, "Ben")] == [["draw"], []]


def test_the_first_offer_is_mailed_to_the_others_and_the_last_ends_the_game(trio: Match):
    mails = []
    for player in ("Ben", "Cleo", "Ada"):
        offer(trio, player)
        mails.append(posted(trio.decisions[-1]))
    assert mails == [{"draw": ["Ada", "Cleo"]}, {}, {"ended": ["Ada", "Ben", "Cleo"]}]
    assert (trio.game.winner, trio.game.reason, trio.game.final) == ("draw", "agreed", True)


@pytest.mark.parametrize("bots", [(1,), (2,), (1, 2)])
def test_bots_always_agree(bots: tuple[int, ...]):
    match = begun(players=3, bots=bots)
    people = [seat.player_id for seat in match.game.seats if seat.player_id]
    assert [offer(match, player or "")[-1] for player in people][-1] == "ended"


def test_a_player_who_resigns_after_all_others_agreed_leaves_the_draw_to_them(trio: Match):
    for player in ("Ada", "Ben"):
        offer(trio, player)
    decided = trio.do(lambda draft: resignation.give_up(draft, "Cleo"))
    assert trio.game.reason == "agreed"
    assert posted(decided) == {"ended": ["Ada", "Ben", "Cleo"]}, "and is told, though the seat is no longer theirs"


def test_with_the_seat_the_offer_is_gone_and_with_the_end_every_offer(trio: Match):
    offer(trio, "Ben")
    trio.do(lambda draft: substitution.hand_on(draft, 2, holder("Gwen"), "illness"))
    assert not any(seat.wants_draw for seat in trio.game.seats)
    for player in ("Ada", "Gwen", "Cleo"):
        offer(trio, player)
    trio.do(lambda draft: remedies.take_up_again(draft, {"reason": "a mistake"}))
    assert (trio.game.status, [seat.wants_draw for seat in trio.game.seats]) == ("running", [False] * 3)


def test_nobody_offers_and_withdraws_in_a_loop(trio: Match):
    ben = trio.game.seat_of_player("Ben")
    for _ in range(limits.DRAWS.most // 2):  # an offer and its withdrawal are two
        assert draws.may_offer(trio.game, ben, trio.now)
        offer(trio, "Ben")
        withdraw(trio, "Ben")
    assert not draws.may_offer(trio.game, trio.game.seat_of_player("Ben"), trio.now)
    with pytest.raises(Problem, match="3 times within a day") as refused:
        offer(trio, "Ben")
    assert refused.value.facts["retry_after"] == DAY.total_seconds() + 1
    trio.now += DAY
    assert offer(trio, "Ben") == ["draw"]
