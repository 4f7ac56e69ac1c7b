"""Fair shares: who takes the most waits or makes room, and nobody else does."""

from collections import Counter
from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from server.application.limits.quotas import Branch, Usage, Used, served_at, share, usage_of, who_pays
from server.vocabulary.durations import DAY
from server.vocabulary.limits import ANY, SharedLimit
from tests.injected import START

END = START + DAY
BRANCHES = st.builds(
    lambda wide, narrow: Branch(wide, wide + narrow), st.sampled_from("abcdef"), st.sampled_from("xyz")
)
ASKED = st.lists(BRANCHES, max_size=80)
LIMITS = st.builds(
    SharedLimit, st.just("tries"), st.just("all"), st.integers(1, 30), most=st.just(ANY) | st.integers(1, 10)
)


def is_served(held: Counter[Branch], branch: Branch, limit: SharedLimit) -> bool:
    return served_at(usage_of(held, branch), 1, limit, START, END) == START


def after(asked: list[Branch], limit: SharedLimit) -> Counter[Branch]:
    """Return what everybody has when they have asked in this order."""
    held: Counter[Branch] = Counter()
    for branch in asked:
        if is_served(held, branch, limit):
            held[branch] += 1
    return held


def wide_of(held: Counter[Branch]) -> Counter[str]:
    wide: Counter[str] = Counter()
    for branch, number in held.items():
        wide[branch.wide] += number
    return wide


@given(ASKED, LIMITS)
def test_a_branch_that_has_less_than_its_fair_share_is_served_whatever_all_others_did(
    asked: list[Branch], limit: SharedLimit
):
    held = after(asked, limit)
    newcomer = Branch("new", "new network")
    assert is_served(held, newcomer, limit)
    wide = wide_of(held)
    for branch in held:
        if wide[branch.wide] < share(limit, len(wide)) and held[branch] < limit.most:
            assert is_served(held, branch, limit)


@given(ASKED, LIMITS, BRANCHES)
def test_who_has_to_wait_has_had_its_share_or_all_that_one_network_may_have(
    asked: list[Branch], limit: SharedLimit, branch: Branch
):
    held = after(asked, limit)
    if not is_served(held, branch, limit):
        is_full = held[branch] >= limit.most
        assert is_full or wide_of(held)[branch.wide] >= share(limit, len(wide_of(held)))


@given(ASKED, LIMITS)
def test_all_together_have_no_more_than_there_is_plenty_of_and_one_share_each(asked: list[Branch], limit: SharedLimit):
    held = after(asked, limit)
    assert sum(held.values()) <= 3 * limit.plenty + len(wide_of(held))


@given(st.dictionaries(BRANCHES, st.integers(1, 20), max_size=12), st.integers(1, 60), BRANCHES)
def test_who_makes_room_is_in_the_largest_branch_or_has_more_than_the_newcomer_beside_them(
    held: dict[Branch, int], plenty: int, newcomer: Branch
):
    payer = who_pays(held, newcomer, SharedLimit("tries", "all", plenty), held)
    wide = wide_of(Counter(held))
    own = share(SharedLimit("tries", "all", plenty), len(wide.keys() | {newcomer.wide}))
    if sum(wide.values()) < plenty:
        assert payer is None
    elif payer is not None:
        assert wide[payer.wide] >= own
        assert held[payer] > held.get(newcomer, 0) or payer.wide != newcomer.wide
        assert payer.wide == newcomer.wide or wide[payer.wide] == max(wide.values()) > own
        assert held[payer] == max(number for branch, number in held.items() if branch.wide == payer.wide)


def test_branches_over_their_share_are_served_once_in_the_pace_all_together():
    limit = SharedLimit("tries", "all", plenty=4, pace=timedelta(seconds=30))
    full = Usage(Used(9, 3, START), Used(5, 1, START), Used(5, 0, START))
    assert served_at(full, 1, limit, START, END) == START + timedelta(seconds=90)
    later = START + timedelta(seconds=90)
    assert served_at(full, 1, limit, later, END) == later
