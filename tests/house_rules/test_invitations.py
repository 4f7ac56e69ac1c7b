"""Invitations to the seats of a game before its start: what the guest and the host hear, and how one ends."""

from datetime import timedelta
from functools import partial
from typing import Any

import pytest

from server.house_rules import before_start, invitations
from server.house_rules.invitations import LIFE, Code, Guest
from server.vocabulary import limits
from server.vocabulary.errors import Problem
from tests.house_rules.situations import DAY, HOUR, START, Match, invitee, opened, person, posted, published

ADA, BEN, OPEN = Guest("Ada"), Guest("Ben"), Guest()
ADDRESS = Guest(email="dan@example.org")


def invite(match: Match, guest: Guest, words: str = "", **known: Any) -> Any:
    """Let the host keep seat 2 for a guest, of whom the server knows this."""
    return match.do(
        lambda draft: before_start.fill_seat(draft, 2, guest, person("Ada"), invitee(guest, **known), words)
    )


@pytest.fixture
def match() -> Match:
    return opened(ADA, OPEN, OPEN)


def test_an_invited_player_gets_a_mail_and_the_seat_is_kept_for_30_days(match: Match):
    decision = invite(match, BEN, "come and play")
    assert (published(decision), posted(decision)) == (["invited"], {"invitation": ["Ben"]})
    assert [(new.guest_id, new.words) for new in decision.invitations] == [("Ben", "come and play")]
    assert match.timer("invitation").due_at == START + LIFE == START + timedelta(days=30)


def test_the_reader_of_an_address_gets_a_code_of_which_the_hash_alone_is_kept(match: Match):
    decision = invite(match, ADDRESS, code=Code("the code", "its hash"))
    (mail,) = decision.mails
    assert (mail.player_id, mail.details) == (None, {"seat": 2, "to": "dan@example.org", "code": "the code"})
    assert [new.digest for new in decision.invitations] == ["its hash"]


def test_an_address_that_wants_no_invitation_gets_no_mail_and_the_seat_is_kept_all_the_same(match: Match):
    decision = invite(match, ADDRESS)
    assert (published(decision), decision.mails, match.game.seats[1].is_reserved) == (["invited"], [], True)


def test_of_a_player_who_has_blocked_the_host_the_host_sees_the_same_as_of_any_other(match: Match):
    blocked, usual = match, opened(ADA, OPEN, OPEN)
    hidden, shown = invite(blocked, BEN, is_withheld=True), invite(usual, BEN)
    assert posted(hidden) == {"withheld": ["Ben"]}  # a mail that is never sent
    assert [event.data for event in hidden.events] == [event.data for event in shown.events]
    seats = [each.game.seats[1] for each in (blocked, usual)]
    assert [(seat.is_reserved, seat.is_for("Ben")) for seat in seats] == [(True, True)] * 2
    assert [seat.invited_id for seat in seats] == [None, "Ben"]


@pytest.mark.parametrize(
    ("known", "kind"),
    [
        ({"to_player_by_host": [START] * (limits.INVITATIONS_TO_PLAYER_BY_HOST.most - 1)}, "invitation"),
        ({"to_player_by_host": [START] * limits.INVITATIONS_TO_PLAYER_BY_HOST.most}, "withheld"),
        ({"to_player": [START] * (limits.INVITATIONS_TO_PLAYER.most - 1)}, "invitation"),
        ({"to_player": [START] * limits.INVITATIONS_TO_PLAYER.most}, "withheld"),
    ],
)
def test_a_player_who_has_had_enough_within_a_day_gets_no_mail_and_the_host_sees_nothing_of_it(
    match: Match, known: dict[str, Any], kind: str
):
    decision = invite(match, BEN, **known)
    assert (posted(decision), published(decision)) == ({kind: ["Ben"]}, ["invited"])


def test_the_invitations_of_one_decision_count_among_those_of_the_day():
    """They are not stored yet, so nobody else counts them."""
    match = opened(ADA, OPEN, OPEN)
    most = [START] * (limits.INVITATIONS_TO_PLAYER_BY_HOST.most - 1)
    known = invitee(BEN, to_player_by_host=most)
    decision = match.do(
        lambda draft: [invitations.keep_for(draft, draft.game.seat_of_number(n), known) for n in (2, 3)]
    )
    assert posted(decision) == {"invitation": ["Ben"], "withheld": ["Ben"]}


# Reminding


def remind(match: Match, host_id: str = "Ada", **known: Any) -> Any:
    seat = match.game.seat_of_number(2)
    invitations.check_may_remind(seat, host_id, match.now)
    return match.do(lambda draft: invitations.mail_again(draft, 2, invitee(invitations.guest_of(seat), **known)))


def test_a_guest_is_reminded_once_a_day_and_the_mail_says_that_it_is_a_reminder(match: Match):
    invite(match, BEN)
    with pytest.raises(Problem, match="You have written to them within a day"):
        remind(match)
    match.now += DAY
    (mail,) = remind(match).mails
    assert mail.details == {"seat": 2, "is_reminder": True}
    match.now += DAY - HOUR
    with pytest.raises(Problem, match="You can remind them from 18:00 UTC on 2026-11-24"):
        remind(match)


def test_the_code_of_a_reminder_takes_the_place_of_the_one_before(match: Match):
    invite(match, ADDRESS, code=Code("old", "old hash"))
    match.now += DAY
    decision = remind(match, code=Code("new", "new hash"))
    assert [each.digest for each in decision.reminded] == ["new hash"]
    assert decision.mails[0].details["code"] == "new"


@pytest.mark.parametrize("host_id", ["Eve", "Ben"])
def test_a_host_reminds_nobody_whom_another_host_invited(match: Match, host_id: str):
    invite(match, BEN)
    match.now += DAY
    with pytest.raises(Problem, match="not reserved for somebody whom you invited"):
        remind(match, host_id)


def test_nobody_is_reminded_of_a_seat_that_is_taken_or_free(match: Match):
    with pytest.raises(Problem, match="not reserved"):
        remind(match)
    invite(match, BEN)
    match.do(lambda draft: before_start.take_seat(draft, person("Ben"), None, None))
    match.now += DAY
    with pytest.raises(Problem, match="not reserved"):
        remind(match)


# The end of an invitation


def test_an_invitation_that_nobody_answers_frees_the_seat_and_the_host_reads_why(match: Match):
    invite(match, BEN)
    decision = match.fire("invitation")
    assert (match.game.seats[1].is_free, published(decision)) == (True, ["left"])
    assert [mail.details for mail in decision.mails] == [{"vacated": 2, "why": "expired", "whom": ""}]


def test_the_time_of_an_invitation_ends_with_it(match: Match):
    invite(match, BEN)
    match.do(partial(before_start.decline_seat, number=2))
    assert match.timers("invitation") == []


@pytest.mark.parametrize(("is_full", "why"), [(True, "full"), (False, "undelivered")])
@pytest.mark.parametrize("is_own", [True, False])
def test_an_invitation_that_comes_back_tells_the_address_to_the_host_who_wrote_it_alone(
    match: Match, is_full: bool, why: str, is_own: bool
):
    (new,) = invite(match, ADDRESS).invitations
    if not is_own:
        match.game.host_id = "Eve"
    decision = match.do(lambda draft: before_start.free_seat_of(draft, new.id, is_full=is_full))
    assert [mail.details for mail in decision.mails] == [
        {"vacated": 2, "why": why, "whom": "dan@example.org" if is_own else ""}
    ]


def test_a_player_whom_no_mail_reaches_keeps_the_seat_and_the_host_hears_of_it(match: Match):
    invite(match, BEN)
    decision = match.do(lambda draft: before_start.tell_of_unreached(draft, 2))
    assert (match.game.seats[1].is_reserved, posted(decision)) == (True, {"vacant": ["Ada"]})


def test_the_guest_of_a_seat_is_named_as_the_host_named_them():
    seats = opened(ADA, ADDRESS, BEN, Guest(bot="constable", level="good")).game.seats
    named = [invitations.guest_of(seat) for seat in seats]
    assert named == [ADA, ADDRESS, BEN, Guest(bot="constable", level="good")]
