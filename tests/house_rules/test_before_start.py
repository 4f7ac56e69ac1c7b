"""A game before its start: who gets which seat, who leaves, what the host may do, and how it ends without a start."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from server.house_rules import before_start
from server.house_rules.before_start import Person, leave_seats, take_seat
from server.house_rules.draft import Draft
from server.house_rules.invitations import Guest
from server.vocabulary.errors import Problem
from tests.house_rules.situations import Match, begun, opened, person, posted, published

OPEN, ADA, BEN, CLEO = Guest(), Guest("Ada"), Guest("Ben"), Guest("Cleo")
BOT = Guest(bot="constable", level="fair")
AT_ADDRESS = Guest(email="dan@example.org")


def sit(match: Match, who: Person, number: int | None = None, role: str | None = None) -> Any:
    return match.do(lambda draft: take_seat(draft, who, number, role))


def holders(match: Match) -> list[str | None]:
    return [seat.player_id or seat.bot for seat in match.game.seats]


def refusal(match: Match, command: Callable[[Draft], object]) -> tuple[str, str]:
    """Return the code and the sentence with which the command is refused; nothing has changed then."""
    before = match.game
    with pytest.raises(Problem) as refused:
        match.do(command)
    assert match.game is before
    return refused.value.code, refused.value.sentence


# Opening and sitting down


def test_the_host_and_bots_sit_when_a_game_is_opened_and_the_others_are_invited():
    match = opened(ADA, BEN, BOT, OPEN)
    assert holders(match) == ["Ada", None, "constable", None]
    assert published(match.decisions[0]) == ["opened", "invited"]
    assert posted(match.decisions[0]) == {"invitation": ["Ben"]}


@pytest.mark.parametrize(
    ("number", "role", "seat"), [(None, None, 1), (None, "detective", 2), (3, None, 3), (2, "detective", 2)]
)
def test_a_player_gets_the_seat_that_they_name_or_the_first_open_one_of_a_role(
    number: int | None, role: str | None, seat: int
):
    match = opened(OPEN, OPEN, OPEN)
    sit(match, person("Eve"), number, role)
    assert match.game.seat_of_player("Eve").number == seat


def test_who_is_invited_gets_the_reserved_seat_without_naming_it_and_nobody_else_does():
    match = opened(ADA, OPEN, BEN)
    assert refusal(match, partial(take_seat, person=person("Eve"), number=3, role=None))[0] == "seat-taken"
    sit(match, person("Ben"))
    assert holders(match) == ["Ada", None, "Ben"]


def test_who_takes_another_seat_frees_the_one_that_was_reserved_for_them_by_name():
    match = opened(ADA, BEN, OPEN)
    sit(match, person("Ben"), 3)
    assert match.game.seats[1].is_free
    assert len(match.decisions[-1].ended) == 1


def test_a_seat_for_an_address_stays_reserved_as_the_host_must_not_learn_whose_address_it_is():
    match = opened(ADA, AT_ADDRESS, OPEN)
    match.game.seats[1].invited_id = "Dan"
    sit(match, person("Dan"), 3)
    assert match.game.seats[1].is_reserved
    assert not match.decisions[-1].ended


def test_nobody_has_two_seats():
    match = opened(ADA, OPEN, OPEN)
    assert refusal(match, partial(take_seat, person=person("Ada"), number=2, role=None))[0] == "already-seated"


def test_a_seat_that_the_game_has_not_is_refused_with_those_that_it_has():
    match = opened(OPEN, OPEN, OPEN)
    code, sentence = refusal(match, partial(take_seat, person=person("Eve"), number=4, role=None))
    assert (code, sentence) == ("form", "There is no such seat; the seats are 1 (Mr. X) to 3.")


def test_in_a_game_that_has_begun_nobody_sits_down():
    assert refusal(begun(), partial(take_seat, person=person("Eve"), number=None, role=None))[0] == "game-not-open"


def test_who_has_read_what_the_detectives_wrote_cannot_become_mr_x():
    match = opened(OPEN, OPEN, OPEN)
    eve = person("Eve", has_heard=True)
    assert refusal(match, partial(take_seat, person=eve, number=1, role=None))[0] == "forbidden"
    sit(match, eve, 2)
    assert match.game.seat_of_player("Eve").role == "detective"


def test_a_guest_gets_a_detectives_seat_of_a_private_game_and_none_of_a_public_one():
    guest = person("Eve", is_guest=True)
    private, public = opened(OPEN, OPEN, OPEN), opened(OPEN, OPEN, OPEN, visibility="public")
    sit(private, guest)
    assert private.game.seat_of_player("Eve").number == 2
    assert refusal(public, partial(take_seat, person=guest, number=2, role=None))[0] == "forbidden"


def test_the_host_is_told_when_the_last_seat_is_taken():
    match = opened(ADA, OPEN, BOT)
    assert posted(sit(match, person("Eve"))) == {"complete": ["Ada"]}


# Filling seats, as the host wants it


def test_a_seat_to_fill_is_the_one_named_or_the_first_free_one_that_fits_the_bot():
    game = opened(OPEN, BEN, OPEN).game
    assert before_start.seat_to_fill(game, 2, None).number == 2
    assert before_start.seat_to_fill(game, None, None).number == 1
    assert before_start.seat_to_fill(game, None, "constable").number == 3


@pytest.mark.parametrize(
    ("number", "guest", "code"),
    [(2, CLEO, "seat-taken"), (3, AT_ADDRESS, "form"), (3, ADA, "already-seated"), (3, CLEO, None)],
)
def test_a_seat_is_kept_for_a_guest_who_has_no_other_one(number: int, guest: Guest, code: str | None):
    game = opened(ADA, AT_ADDRESS, OPEN).game
    if code is None:
        before_start.check_free_for(game, game.seat_of_number(number), guest, person("Ada"))
        return
    with pytest.raises(Problem) as refused:
        before_start.check_free_for(game, game.seat_of_number(number), guest, person("Ada"))
    assert refused.value.code == code


def test_bots_take_all_seats_that_nobody_has_and_invitations_to_these_end():
    match = opened(ADA, BEN, OPEN)
    decision = match.do(lambda draft: before_start.seat_bots(draft, "good"))
    assert holders(match) == ["Ada", "constable", "constable"]
    assert [seat.level for seat in match.game.seats] == [None, "good", "good"]
    assert (len(decision.ended), posted(decision)) == (1, {"complete": ["Ada"]})


def by_turns(match: Match) -> list[str | None]:
    match.do(lambda draft: before_start.seat_bots(draft, "good", by_turns=True))
    return holders(match)


@pytest.mark.parametrize(
    ("guests", "then"),
    [
        ((CLEO, BEN, ADA), ["Ada", "constable", "constable"]),
        ((OPEN, BEN, ADA), ["Ada", "constable", "constable"]),
        ((ADA, BEN, OPEN), ["Ada", "constable", "constable"]),
        ((Guest(bot="fugitive", level="good"), ADA, OPEN), ["fugitive", "Ada", "constable"]),
    ],
    ids=["invited", "nobody", "she is", "a bot is"],
)
def test_by_turns_the_first_who_sits_is_mr_x_where_the_one_before_has_not_come(guests: Any, then: list[str]):
    assert by_turns(opened(*guests)) == then


def test_who_may_have_heard_the_team_does_not_become_mr_x_by_turns():
    assert by_turns(opened(CLEO, BEN, ADA, has_team_talk=True)) == ["fugitive", "constable", "Ada"]


def test_bots_do_not_play_among_themselves():
    assert refusal(opened(OPEN, OPEN, OPEN), lambda draft: before_start.seat_bots(draft, "good"))[0] == "seats-open"


# Leaving


def leave(match: Match, player_id: str, number: int | None = None) -> Any:
    return match.do(lambda draft: leave_seats(draft, player_id, number))


def test_a_player_gives_their_seat_back_and_the_host_is_told():
    match = opened(ADA, OPEN, OPEN)
    sit(match, person("Eve"), 2)
    decision = leave(match, "Eve")
    assert (holders(match)[1], posted(decision), decision.mails[0].details) == (
        None, {"vacant": ["Ada"]}, {"vacated": 2, "why": "left", "whom": ""},
    )  # fmt: skip


def test_a_reply_address_of_a_seat_is_valid_no_more_when_the_seat_is_given_back():
    match = opened(ADA, BEN, OPEN)
    before = match.game.seats[1].nonce
    leave(match, "Ben")
    assert match.game.seats[1].nonce != before


def test_the_host_clears_the_seat_of_anybody_and_they_are_told_but_others_clear_their_own_alone():
    match = opened(ADA, OPEN, OPEN)
    sit(match, person("Eve"), 2)
    sit(match, person("Finn"), 3)
    assert refusal(match, partial(leave_seats, player_id="Finn", number=2))[0] == "forbidden"
    assert posted(leave(match, "Ada", 2)) == {"cleared": ["Eve"]}
    assert holders(match) == ["Ada", None, "Finn"]


def test_a_host_who_leaves_passes_the_duties_on_to_somebody_with_an_address():
    match = opened(ADA, OPEN, OPEN)
    sit(match, person("Eve", is_guest=True), 2)
    sit(match, person("Finn"), 3)
    leave(match, "Ada", 1)
    assert match.game.host_id == "Finn"


def test_nobody_gives_a_seat_back_in_a_game_that_has_begun():
    code, sentence = refusal(begun(), partial(leave_seats, player_id="Ben", number=None))
    assert (code, "RESIGN" in sentence) == ("game-not-open", True)


@pytest.mark.parametrize(("has_team_talk", "former"), [(True, [("Eve", "detective", None)]), (False, [])])
def test_of_a_detective_who_leaves_it_is_noted_if_there_was_anything_to_hear(
    has_team_talk: bool, former: list[tuple[str, str, None]]
):
    match = opened(ADA, OPEN, OPEN, has_team_talk=has_team_talk)
    sit(match, person("Eve"), 2)
    assert leave(match, "Eve").former == former


def test_a_guest_who_stayed_away_loses_the_seat_and_the_host_reads_why():
    match = opened(ADA, OPEN, OPEN)
    sit(match, person("Eve", is_guest=True), 2)
    decision = match.do(partial(before_start.free_abandoned_seat, number=2))
    assert (holders(match)[1], decision.mails[0].details["why"]) == (None, "away")  # type: ignore[index]


def test_a_guests_seat_and_duties_go_to_the_account_that_they_have_as_well():
    match = opened(Guest("Ada"), OPEN, OPEN)
    before = match.game.seats[0].nonce
    match.do(lambda draft: before_start.give_to_account(draft, "Ada", person("Gwen")))
    assert (match.game.host_id, match.game.seats[0].player_id) == ("Gwen", "Gwen")
    assert match.game.seats[0].nonce != before


# What the host may do, and the end


def test_the_host_alone_arranges_a_game_and_only_before_it_starts():
    game = opened(ADA, OPEN, OPEN).game
    for check in (before_start.check_may_arrange, before_start.check_may_seat):
        check(game, "Ada", "Only the host lists a game.")
        with pytest.raises(Problem, match="Only the host lists a game"):
            check(game, "Ben", "Only the host lists a game.")
    with pytest.raises(Problem, match="This game has started already"):
        before_start.check_may_arrange(begun().game, "Ada", "Only the host lists a game.")
    with pytest.raises(Problem, match="its seats are given"):
        before_start.check_may_seat(begun().game, "Ada", "Only the host lets bots play.")


def test_a_game_that_is_listed_forgets_the_rules_for_friends_who_had_the_link():
    match = opened(ADA, OPEN, OPEN)
    match.game.guests = {"seats": "any"}
    match.do(before_start.publish_game)
    assert (match.game.visibility, match.game.guests) == ("public", None)


def test_of_a_game_that_is_closed_everybody_but_who_closed_it_hears_and_no_invitation_is_left():
    match = opened(ADA, BEN, OPEN)
    sit(match, person("Eve"), 3)
    decision = match.do(lambda draft: before_start.close_game(draft, {"by_host": True}, but="Ada"))
    assert (match.game.status, match.game.reason) == ("over", "expired")
    assert posted(decision) == {"expired": ["Ben", "Eve"]}
    assert (len(decision.ended), match.timers()) == (1, [])


def test_a_game_whose_host_deletes_their_account_goes_to_the_next_player_or_is_closed():
    with_heir, with_guest, empty = (opened(ADA, OPEN, OPEN, visibility="public") for _ in range(3))
    with_guest.game.guests = {"seats": "any"}
    sit(with_heir, person("Finn"), 2)
    sit(with_guest, person("Eve", is_guest=True), 2)
    for match in (with_heir, with_guest, empty):
        leave(match, "Ada", 1) if match is empty else None
        match.do(before_start.leave_without_host)
    assert (with_heir.game.host_id, with_heir.game.status) == ("Finn", "open")
    assert (with_guest.game.status, posted(with_guest.decisions[-1])) == ("over", {"expired": ["Eve"]})
    assert (empty.game.status, empty.game.visibility) == ("open", "private")
