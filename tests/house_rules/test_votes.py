"""Votes: every combination of seats and ballots, counted here by docs/deadlines.md, and what a vote then does."""

from collections.abc import Iterator
from functools import cache, partial
from itertools import islice, product
from typing import Any

import pytest

from server.house_rules import (
    remedies,
    resignation,
    substitution,
    votes,
)
from server.house_rules.draft import Draft, decide
from server.house_rules.situation import Absence, Situation
from server.house_rules.standing import Motion
from server.vocabulary import limits
from server.vocabulary.durations import rfc3339
from server.vocabulary.errors import Problem
from tests.house_rules.situations import (
    DAY,
    HOUR,
    START,
    Match,
    begun,
    fire,
    holder,
    posted,
    published,
    sources,
)

WISHES: dict[str, dict[str, Any]] = {
    "pause": {"length": "P3D"},
    "resume": {},
    "extend": {"length": "PT12H"},
    "clock": {"clock": {"kind": "per_move", "mr_x": "P3D", "detectives": "P1D"}},
}
EDITIONS = {2: "condensed", 3: "ravensburger-2000", 4: "ravensburger-2000", 5: "ravensburger-2000"}
ATTENDANCE = ("for", "against", "silent", "away", "bot")
"""A player with their ballot, a player who is away, or a bot."""
NAMES = ("Ada", "Ben", "Cleo", "Dan", "Eve")


@cache
def base(kind: str, players: int) -> Situation:
    """Return a game of people in which a vote of this kind can be opened, or for `claim` is open."""
    match = begun(EDITIONS[players], players, clock={"mr_x_late": "vote"})
    if kind == "resume":
        match.game.pauses = [[START.isoformat(), (START + DAY).isoformat(), "vote"]]
    if kind == "claim":
        match.fire("timeout")
        match.fire("timeout")
    return match.game


def attended(game: Situation, attendance: tuple[str, ...]) -> Situation:
    """Return the game with these players, absences and bots in its seats."""
    game = game.twin()
    for seat, how in zip(game.seats, attendance, strict=True):
        if how == "bot":
            seat.player_id, seat.holder, seat.bot = None, None, "constable"
        elif how == "away":
            game.absences.append(
                Absence(f"absence {seat.number}", NAMES[seat.number - 1], START, START + 60 * DAY, False)
            )
    return game


def counted(kind: str, attendance: tuple[str, ...]) -> str:
    """Return the outcome by the documentation: carried or lost at once, carried or lost `in the end`."""
    voters = [how for how in attendance if how in ("for", "against", "silent")]
    ayes, noes = voters.count("for"), voters.count("against")
    if kind == "claim":
        result = "carried" if ayes > noes else "lost"
        return result if ayes + noes == len(voters) else f"{result} in the end"
    people = len(attendance) - attendance.count("bot")
    carried_by = [n for n in range(len(voters) + 1) if (n == len(voters) if kind == "clock" else n > len(voters) / 2)]
    if people >= 2:
        carried_by = [n for n in carried_by if n >= 2]
    if ayes in carried_by:
        return "carried"
    # Those who have not voted may all be for it yet.
    return "lost in the end" if any(n in carried_by for n in range(ayes, len(voters) - noes + 1)) else "lost"


def outcome(kind: str, attendance: tuple[str, ...]) -> str:
    """Return the outcome when the players vote in the order of their seats."""
    game = attended(base(kind, len(attendance)), attendance)
    now = game.motions[0].opened_at if kind == "claim" else START + HOUR
    cast = decide(game, partial(cast_all, kind, attendance), sources(now))
    motion: Motion = cast.answer
    if motion.state != "open":
        return motion.state
    after = cast.after
    timer = next(timer for timer in after.timers if timer.kind == "vote")
    decision = decide(after, partial(fire, timer.id), sources(timer.due_at, 2))
    return f"{decision.after.motions[0].state} in the end"


def cast_all(kind: str, attendance: tuple[str, ...], draft: Draft) -> Motion:
    """Open the motion, unless the server has, and cast all ballots until it is decided."""
    ballots = [(number, how == "for") for number, how in enumerate(attendance, 1) if how in ("for", "against")]
    if kind == "claim":
        motion, ballots = draft.game.motions[0], [(number, is_for) for number, is_for in ballots if number > 1]
    else:
        proposer = next(number for number, is_for in ballots if is_for)
        motion = votes.put_to_vote(draft, NAMES[proposer - 1], kind, **WISHES[kind])
        ballots.remove((proposer, True))
    for number, is_for in ballots:
        if motion.state == "open":
            votes.cast_vote(draft, NAMES[number - 1], motion.id, is_for=is_for)
    return motion


def combinations(kind: str, players: int) -> Iterator[tuple[str, ...]]:
    """Yield each attendance in which somebody proposes the motion, or for `claim` in which Mr. X is one person."""
    first = ("silent",) if kind == "claim" else ATTENDANCE
    for attendance in product(first, *[ATTENDANCE] * (players - 1)):
        if kind == "claim" or "for" in attendance:
            yield attendance


# Of larger tables each third or eleventh is tried, as only the number of each ballot counts; a campaign has them all.
@pytest.mark.parametrize(
    ("players", "step"),
    [(2, 1), (3, 1), (4, 3), (5, 11), *(pytest.param(players, 1, marks=pytest.mark.campaign) for players in (4, 5))],
)
@pytest.mark.parametrize("kind", [*WISHES, "claim"])
def test_every_combination_of_seats_and_ballots_is_decided_as_documented(kind: str, players: int, step: int):
    wrong = []
    for attendance in islice(combinations(kind, players), 0, None, step):
        voters = attendance[1:] if kind == "claim" else attendance
        found, expected = outcome(kind, attendance), counted(kind, voters)
        if kind == "claim" and not {*voters} & {"for", "against"}:
            expected = "lost in the end"  # nobody answers
        if found != expected:
            wrong.append((attendance, found, expected))
    assert wrong == []


def carry(match: Match, kind: str, **wish: Any) -> Any:
    """Let everybody be for a motion until it is decided; return the last decision."""
    proposal = (kind, wish)
    players = [seat.player_id for seat in match.game.seats if seat.player_id]
    for player in players:
        decision = match.do(partial(propose_as, player, proposal))
        if decision.answer.state != "open":
            return decision
    raise AssertionError("nobody is left to vote")


def propose_as(player: str, proposal: tuple[str, dict[str, Any]], draft: Draft) -> Motion:
    """Propose something, or vote for it if it is proposed."""
    return votes.put_to_vote(draft, player, proposal[0], **proposal[1])


@pytest.fixture
def match() -> Match:
    """A game of four people, Mr. X to move from Sunday 18:00 to Tuesday 18:00."""
    return begun()


class TestWhatIsDecided:
    """A carried motion does what was proposed, and everybody is told."""

    def test_a_pause_has_an_end_and_time_goes_on_then(self, match: Match):
        assert [*posted(carry(match, "pause"))] == ["decided"]
        assert match.game.due_at == START + 16 * DAY

    def test_a_pause_that_is_ended_early_loses_and_wins_no_time(self, match: Match):
        match.later(hours=12)
        carry(match, "pause")
        match.later(days=5)
        carry(match, "resume")
        assert match.game.due_at == START + 7 * DAY

    def test_more_time_is_added(self, match: Match):
        carry(match, "extend", length="PT30H")
        assert match.game.due_at == START + 2 * DAY + 30 * HOUR

    def test_another_clock_begins_with_full_time(self, match: Match):
        match.later(hours=1)
        carry(match, "clock", clock={"kind": "per_move", "mr_x": "PT6H"})
        assert (match.game.due_at, match.game.clock["kind"]) == (START + 7 * HOUR, "per_move")

    def test_grace_stands_still_and_is_extended_too(self):
        match = begun(clock={"grace": "PT12H"})
        match.fire("timeout")
        carry(match, "pause", length="P3D")
        assert match.game.due_at == START + 5 * DAY + 12 * HOUR
        carry(match, "extend", length="PT6H")
        assert match.game.due_at == START + 5 * DAY + 18 * HOUR

    def test_a_vote_can_be_changed_until_it_is_decided(self, match: Match):
        motion = match.do(partial(propose_as, "Ada", ("pause", {}))).answer
        for player, is_for in (("Ben", False), ("Ben", True), ("Cleo", True)):
            decision = match.do(partial(cast, player, motion.id, is_for))
        assert decision.answer.state == "carried"

    def test_the_proposal_goes_to_the_others_who_can_vote(self, match: Match):
        match.away(3, START, START + DAY)
        decision = match.do(partial(propose_as, "Ben", ("pause", {})))
        assert posted(decision) == {"vote": ["Ada", "Dan"]}
        assert published(decision) == ["proposed", "voted"]
        assert decision.events[0].data["closes_at"] == rfc3339(START + 3 * DAY)


def cast(player: str, motion_id: str, is_for: bool, draft: Draft) -> Motion:
    """Vote."""
    return votes.cast_vote(draft, player, motion_id, is_for=is_for)


class TestExtensionsExpire:
    """A vote on more time is about the running deadlines."""

    def test_it_is_open_no_longer_than_the_deadline(self, match: Match):
        motion = match.do(partial(propose_as, "Ben", ("extend", {"length": "P1D"}))).answer
        assert motion.closes_at == match.game.due_at

    @pytest.mark.parametrize("clock", [{}, {"kind": "per_move"}])
    def test_it_expires_with_the_phase(self, clock: dict[str, Any]):
        match = begun(clock=clock)
        match.do(partial(propose_as, "Ben", ("extend", {"length": "P1D"})))
        decision = match.move_any()
        assert [event.data["expired"] for event in decision.events if event.kind == "decided"] == [True]

    def test_where_each_has_their_own_time_it_expires_with_the_turn(self):
        match = begun(clock={"kind": "per_move"})
        match.move_any()
        match.do(partial(propose_as, "Ada", ("extend", {"length": "P1D"})))
        assert "decided" in published(match.move_any())

    def test_it_expires_when_mr_x_gets_his_full_time_again_and_when_the_clock_changes(self, match: Match):
        match.do(partial(propose_as, "Ben", ("extend", {"length": "P1D"})))
        assert published(match.fire("timeout")) == ["decided", "granted"]
        match.do(partial(propose_as, "Ben", ("extend", {"length": "P1D"})))
        decision = carry(match, "clock", clock={"kind": "none"})
        assert published(decision) == ["voted", "decided", "decided"]
        assert decision.events[-1].data["expired"]


class TestClaimExpires:
    """Mr. X gets his full time for another reason, so that nobody has to decide whether to wait for him."""

    @pytest.fixture
    def asked(self) -> Match:
        return Match(base("claim", 4).twin(), START + 4 * DAY)

    def expired(self, match: Match) -> bool:
        """Return whether the vote is over, and Mr. X has his full time."""
        running = [timer.began_at for timer in match.timers("timeout")]
        return votes.open_motions(match.game) == [] and running == [match.now]

    def test_when_the_players_choose_another_clock(self, asked: Match):
        carry(asked, "clock", clock={"mr_x": "P3D"})
        assert self.expired(asked)

    def test_when_they_choose_none_at_all(self, asked: Match):
        carry(asked, "clock", clock={"kind": "none"})
        assert (votes.open_motions(asked.game), asked.timers("timeout")) == ([], [])

    def test_when_somebody_else_is_mr_x(self, asked: Match):
        asked.do(lambda draft: substitution.hand_on(draft, 1, holder("Gwen"), "illness"))
        assert self.expired(asked)

    def test_when_the_operator_takes_the_game_up_again(self, asked: Match):
        asked.do(lambda draft: resignation.give_up(draft, "Ada"))
        asked.do(lambda draft: remedies.take_up_again(draft, {"reason": "a mistake"}))
        assert self.expired(asked)

    def test_when_he_moves(self, asked: Match):
        asked.move_any()
        assert votes.open_motions(asked.game) == []
        assert published(asked.fire("vote")) == []


@pytest.mark.parametrize(
    ("kind", "wish", "words"),
    [
        ("resume", {}, "not paused"),
        ("extend", {}, "length: None is not a duration"),
        ("extend", {"length": "P8D"}, "length: choose more than zero and at most 7 days."),
        ("extend", {"length": "PT0S"}, "length: choose more than zero"),
        ("pause", {"length": "P15D"}, "at most 14 days"),
        ("pause", {"clock": {}}, "clock: there is nothing of that in a vote to pause"),
        ("clock", {"clock": {"mr_x": "PT0S"}}, "clock.mr_x: PT0S is not between"),
        ("claim", {}, "not 'claim'"),
    ],
)
def test_a_proposal_that_makes_no_sense_is_refused(match: Match, kind: str, wish: dict[str, Any], words: str):
    with pytest.raises(Problem) as refused:
        match.do(partial(propose_as, "Ada", (kind, wish)))
    assert refused.value.code == "form"
    assert words in refused.value.sentence


@pytest.mark.parametrize(("kind", "most"), [("pause", 3), ("extend", 5)])
def test_there_are_only_so_many_in_a_game(match: Match, kind: str, most: int):
    for _ in range(most):
        carry(match, kind, length="P1D")
        if kind == "pause":
            carry(match, "resume")
    with pytest.raises(Problem) as refused:
        carry(match, kind, length="P1D")
    assert refused.value.code == "enough"


def test_one_seat_proposes_only_so_much_in_a_day(match: Match):
    match.game.motions = [
        Motion(f"motion {n}", "pause", {}, 1, "lost", START - n * HOUR, START)
        for n in range(limits.PROPOSALS_A_DAY.most)
    ]
    with pytest.raises(Problem) as refused:
        match.do(partial(propose_as, "Ada", ("pause", {})))
    assert refused.value.code == "too-many"


def test_players_who_are_away_or_have_no_seat_or_mr_x_on_himself_have_no_vote(match: Match):
    match.away(2, START, START + DAY)
    for player, words in (("Ben", "You are away"), ("Gwen", "no seat")):
        with pytest.raises(Problem, match=words):
            match.do(partial(propose_as, player, ("pause", {})))
    asked = Match(base("claim", 4).twin(), START + 4 * DAY)
    with pytest.raises(Problem, match="for the detectives to decide"):
        asked.do(partial(cast, "Ada", asked.game.motions[0].id, False))
