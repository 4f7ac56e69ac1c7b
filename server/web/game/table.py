"""The table around a game, as its visitor finds it: talk, votes, and what may be done with the seats.

A button is there only where it would be accepted. The forms are answered in `talk`, `votes` and `seat`.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from flask import request

from server import clock
from server.application.game import projection
from server.application.lobby import rematches
from server.application.people import admission, players
from server.application.play import talk
from server.house_rules import draws, guest_rules, votes
from server.house_rules.standing import Motion, Seat, Sight
from server.house_rules.votes import open_motions
from server.models import Game, Message, Player, session
from server.runtime import now
from server.vocabulary.translation import gettext, pgettext
from server.vocabulary.votes import PROPOSALS
from server.vocabulary.words import join
from server.web.game.holders import named
from server.web.moments import moment, short_moment
from server.wording import clocks
from server.wording.events import motion as proposal
from server.wording.seats import seat_label, seating_in_words

LAST_SAID = 20  # messages shown unless all are asked for
ALL = 1000
# Clocks that a vote may choose, as what the form sends.
CLOCKS = {**clocks.PER_PHASE, "none": clocks.NONE}


def clock_of(choice: str) -> dict[str, str]:
    """Return the clock that a choice of `CLOCKS` means."""
    return {"kind": "none"} if choice == "none" else {"kind": "per_phase", "mr_x": choice, "detectives": choice}


def template_context(
    game: Sight, player: Player | None, seats: Sequence[dict[str, Any]], agreed: Sequence[int] = ()
) -> dict[str, Any]:
    """Return what the page of the game shows of its table to `player`.

    `seats` has each seat in words, and `agreed` the numbers of those that want a draw.
    """
    seat = projection.own_seat(game, player)
    others = [other for other in game.seats if other.player_id and other is not seat]
    proposable = votes.proposable(game, seat, now()) if seat and others else []
    is_host = player is not None and game.host_id == player.id and game.status != "over"
    heirs = [other for other in others if is_host and guest_rules.may_host(game, is_guest=other.is_guest)]
    guests = [other for other in others if is_host and other.is_guest and not guest_rules.refusal_of_link(game, other)]
    return {
        "talk": _talk(game, player, seat) if player and (others or not seat) else None,
        "votes": [_vote(game, motion, seat, player, seats) for motion in open_motions(game)],
        "proposable": sorted(proposable, key=lambda kind: not kind.is_about_deadline),
        "majorities": _majorities(),
        "clocks": CLOCKS,
        "clock": clock.describe(clock.with_defaults(game.clock)),
        "draw": _draw(game, player, seat, seats, agreed),
        "covers": _covers(game, seat, others, seats),
        "resigns": bool(seat) and game.status == "running",
        "may_go": game.status == "running" and seat is not None and not game.is_against_bots(seat),
        "is_short": clock.gives_under_an_hour(game.clock),
        "rematch": _rematch(game, player, seat),
        "heirs": [(heir.number, _called(heir, seats)) for heir in heirs],
        "guests": [(guest.number, _called(guest, seats)) for guest in guests],  # to whom the host may give a new link
        "offered": [_called(other, seats) for other in game.seats if other.is_offered and other is not seat],
        "guests_may_take_over": admission.takes_guests() and guest_rules.may_sit(game, "detective"),
    }


def _called(seat: Seat, seats: Sequence[Mapping[str, object]]) -> str:
    return named(seats[seat.number - 1])


def _talk(game: Sight, player: Player, seat: Seat | None) -> dict[str, Any]:
    wants_all = request.args.get("talk") == "all"
    number = talk.number_heard(game, player)
    first = max(0, number - (ALL if wants_all else LAST_SAID))
    messages = talk.rows_heard(game, player, first, number - first) if number else []
    names = players.names_of(said.player_id for said in messages)
    own = seat.number if seat else None
    return {
        "messages": [
            {
                "number": serial,
                "is_own": said.seat == own,
                "who": pgettext("author of a message", "You") if said.seat == own else _author(game, said, names),
                "at": short_moment(said.at, player.zone),
                "to": said.audience,
                "text": said.text,
            }
            for serial, said in enumerate(messages, first + 1)
        ],
        "heard": number,
        "earlier": number - len(messages),
        "audiences": talk.audiences(game, seat) if seat else [],
        "is_muted": talk.has_muted(game, player),
    }


def _author(game: Sight, said: Message, names: Mapping[str | None, str]) -> str:
    """Return who wrote a message, as mails sign it: `Ben (Red)`; the pawn alone where there is no such account now."""
    label, name = seat_label(game.seat_of_number(said.seat)), names.get(said.player_id)
    return f"{name} ({label})" if name else label


def _vote(
    game: Sight, motion: Motion, seat: Seat | None, player: Player | None, seats: Sequence[dict[str, Any]]
) -> dict[str, Any]:
    labels = {each.number: seat_label(each) for each in game.seats}
    known = motion.as_json
    number = seat.number if seat else None
    return {
        "id": known["id"],
        "is_claim": known["kind"] == "claim",
        "what": proposal({"what": known["kind"]} | known),
        "clock": clock.describe(clock.with_defaults(known["clock"])) if known["kind"] == "clock" else "",
        "who": _called(game.seats[known["seat"] - 1], seats) if known["seat"] else "",
        "until": moment(datetime.fromisoformat(known["closes_at"]), player.zone if player else "UTC"),
        "ayes": [labels[voter] for voter in known["for"]],
        "noes": [labels[voter] for voter in known["against"]],
        "own": True if number in known["for"] else False if number in known["against"] else None,
        "may_answer": seat in votes.voters(game, motion, now()),
    }


def _majorities() -> str:
    """Return the sentence on how many have to be for each kind of vote."""
    half, all_ = (
        join([pgettext("majority", kind.noun) for kind in PROPOSALS if kind.noun and kind.needs_all is each], "or")
        for each in (False, True)
    )
    return gettext(
        "More than half of the players who are not away must be for {half}, and all of them for {all}.",
        half=half, all=all_,
    )  # fmt: skip


def _draw(
    game: Sight, player: Player | None, seat: Seat | None, seats: Sequence[dict[str, Any]], agreed: Sequence[int]
) -> dict[str, Any]:
    """Return the offers of a draw, and what the player may do about them."""
    agree = [each for each in game.seats if each.number in agreed and game.status == "running"]
    return {
        "agree": [_called(each, seats) for each in agree],
        "is_own": seat in agree,
        "may_offer": seat is not None and draws.may_offer(game, seat, now()),
        "would_end": player is not None and seat is not None and draws.would_end(game, player.id),
    }


def _covers(
    game: Sight, seat: Seat | None, others: Sequence[Seat], seats: Sequence[dict[str, Any]]
) -> dict[str, Any] | None:
    """Return the teammates whom a detective may name to move for them, and the one who is named."""
    if seat is None or seat.role == "mr_x" or game.status == "over":
        return None
    teammates = [(other.number, _called(other, seats)) for other in others if other.role == "detective"]
    return {"teammates": teammates, "named": seat.cover} if teammates else None


def _rematch(game: Sight, player: Player | None, seat: Seat | None) -> dict[str, Any] | None:
    """Return how the player of a seat plays again when the game is over: where, with whom, and if they may ask."""
    if player is None or seat is None or game.status != "over":
        return None
    if rematches.is_held_back(game):
        return None
    following = session.get(Game, game.rematch_id) if game.rematch_id else None
    taken = [each.player_id for each in following.seats if each.player_id] if following is not None else []
    has_begun = following is not None and following.status != "open"
    is_known = following is not None and has_begun and (player.id in taken or following.visibility == "public")
    sitting = taken if is_known else [player_id for player_id in taken if game.seat_held_by(player_id)]
    names = players.names_of(sitting)
    practised_as = "team" if seat.role == "detective" and len(game.seats) == 2 else seat.role
    return {
        "id": following.id if following and player.id in sitting else None,
        "sitting": sitting,
        "says": _rematch_says(following, join([names[each] for each in sitting])) if sitting else "",
        "has_begun": has_begun,
        "may_ask": rematches.may_open(game, player) if following is None else following.status == "open",
        "is_against_bots": game.is_against_bots(seat),
        "practice_as": practised_as if player.is_guest and game.is_against_bots(seat) else None,
        "seating": seating_in_words(game),
        "level": next((other.level for other in game.seats if other.level), ""),
    }


def _rematch_says(following: Game | None, who: str) -> str:
    """Return the sentence with the names of those who sit in a rematch."""
    if following is None or following.status == "open":
        return gettext("A rematch is wanted by {who}.", who=who)
    if following.started_at is None:  # it was closed
        return gettext("A rematch was wanted by {who}.", who=who)
    if following.status == "over":
        return gettext("The rematch was played by {who}.", who=who)
    return gettext("The rematch is played by {who}.", who=who)
