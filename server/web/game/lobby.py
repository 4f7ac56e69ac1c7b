"""The page of a game that has not started: its seats, the people who are invited, and what is played."""

from collections.abc import Mapping, Sequence
from typing import Any

from flask import Response, request

from server import clock
from server.application.game import projection
from server.application.game.pace import pace
from server.application.game.state import edition_of
from server.application.lists import marks
from server.application.lobby import game_names, invitations
from server.application.lobby.seats import guests_by_network, is_rematch
from server.application.people import admission, players
from server.house_rules import guest_rules
from server.house_rules.invitations import LIFE
from server.house_rules.standing import Seat, Sight, Standing
from server.http import links
from server.models import Player
from server.runtime import now
from server.vocabulary.durations import DAY, parse_length
from server.vocabulary.errors import Problem
from server.vocabulary.translation import gettext, npgettext
from server.vocabulary.words import join, number
from server.web import visitors
from server.web.game import holders, news, pair, preview, table
from server.web.problems import page
from server.wording.pace import pace_in_words
from server.wording.rules import edition_in_brief, edition_title
from server.wording.seats import FOR_GUESTS, bots_in_words, seat_label, seating_in_words
from server.wording.times import short_day


def page_of(game: Sight, problem: Problem | None = None) -> Response:
    """Return the page of a game that has not started, with what was wrong if a form was refused."""
    player = visitors.visitor()
    is_host = player is not None and player.id == game.host_id
    seat = projection.own_seat(game, player)
    seats = seats_to_fill(game, player)
    both = pair.shown(game, seats)
    invitation = links.link("pages.invitation", code=game.code) if is_host else ""
    may_invite = is_host and player is not None and not player.is_guest
    return page(
        "game/lobby",
        problem,
        game=game,
        seat=seat,
        role=seat_label(seat),
        pair=both,
        has_room_beside=pair.has_room(game, player),
        is_host=is_host,
        is_invited=any(player is not None and seat.invited_id == player.id for seat in game.seats),
        seats=seats,
        table=table.template_context(game, player, seats),
        mark=marks.of_game(game, player),
        every=news.seconds_between_questions(game),
        about=about(game),
        people=invitations.names_met(player) if player is not None and is_host else [],
        waits_for=_waits_for(game, seats) if is_host else "",
        invitation=invitation,
        qr_code=links.qr_code(invitation) if invitation and not links.is_only_here() else "",
        may_invite=may_invite,
        is_only_here=links.is_only_here(),
        at=_refused_at(seats) if problem and may_invite else None,
        together=[join(names) for names in guests_by_network(game)] if is_host else [],
        link_is_for=_whom_link_seats(game),
        guests=guest_rules.rules_of(game),
        seats_for_guests=FOR_GUESTS,
        stays={stay: _days(parse_length(stay).days) for stay in guest_rules.STAYS},
        typed=request.form.get("who", ""),
        words=request.form.get("words", ""),
        longest={"name": game_names.LONGEST, "words": invitations.LONGEST_WORDS},
        told=_words_to(game, player),
        preview=preview.of(game) if player is None else None,
    )


def _days(n: int) -> str:
    return npgettext("after", "one day", "{n} days", n, n=number(n))


def page_of_closed(game: Sight, problem: Problem | None = None) -> Response:
    """Return the page of a game that was closed before its start, with what was wrong if a form was refused."""
    player = visitors.visitor()
    seats = seats_to_fill(game, player)
    seat, facts = projection.own_seat(game, player), table.template_context(game, player, seats)
    return page("game/closed", problem, game=game, seat=seat, table=facts)


def _words_to(game: Standing, player: Player | None) -> dict[str, str] | None:
    """Return the words with which somebody invites the visitor, and by whom; None if there are none."""
    invited = (seat.invitation for seat in game.seats if player is not None and seat.invited_id == player.id)
    found = next((each for each in invited if each is not None and each.words), None)
    if found is None:
        return None
    return {"words": found.words or "", "who": players.names_of([found.host_id]).get(found.host_id, "")}


def _refused_at(seats: Sequence[dict[str, Any]]) -> int | None:
    """Return the seat at whose form the reason of a refusal stands; None if the page has no such form any more."""
    asked = (request.view_args or {}).get("seat") if request.endpoint == "pages.invite" else None
    return next(
        (each["number"] for each in seats if each["number"] == asked and not (each["who"] or each["is_reserved"])), None
    )


def _waits_for(game: Sight, seats: Sequence[Mapping[str, object]]) -> str:
    """Return the names of those whose answers alone a rematch waits for; "" for any other game."""
    asked = [str(each["invite"] or "") for each in seats if each["is_reserved"] and not each["who"]]
    is_full = all(each["who"] or each["is_reserved"] for each in seats)
    return join(asked) if asked and all(asked) and is_full and is_rematch(game.id) else ""


def _whom_link_seats(game: Standing) -> str:
    """Return who can take a seat of the game with its link, in a sentence that the link follows."""
    free = [seat for seat in game.seats if seat.is_free]
    for_guests = [seat for seat in free if admission.takes_guests() and guest_rules.may_sit(game, seat.role)]
    if not free:
        return gettext("No seat is open. With this link only those whom you invited can take a seat:")
    if not for_guests:
        return gettext("Everybody with a mail address who gets this link from you can take a seat:")
    if len(for_guests) < len(free):
        return gettext("Everybody who gets this link from you can take a detective's seat; Mr. X needs a mail address:")
    return gettext("Everybody who gets this link from you can take a seat:")


def about(game: Standing) -> dict[str, str]:
    """Return what is played, in sentences: the edition, the clock, how long it may take, and how seats are given."""
    edition = edition_of(game)
    hands = [seat.pawns for seat in game.seats if seat.role == "detective"]
    return {
        "edition": f"{edition_title(game.edition)}: {edition_in_brief(edition, len(game.seats))}",
        "clock": clock.describe(clock.with_defaults(game.clock)),
        "pace": pace_in_words(*pace(game.options, clock.with_defaults(game.clock), hands)),
        "seating": seating_in_words(game) if game.status == "open" else "",
    }


def seats_to_fill(game: Standing, player: Player | None) -> list[dict[str, Any]]:
    """Return each seat in words: its pawns, who sits there, and for the host who is invited."""
    guests = {seat.number: _guest_id(seat, player) for seat in game.seats}
    is_host = player is not None and player.id == game.host_id
    names = players.names_of([*guests.values(), *(seat.player_id for seat in game.seats)])
    return [
        words
        | {
            "is_bot": seat.bot is not None,
            "is_guest": seat.is_guest,
            "is_own": player is not None and seat.player_id == player.id,
            "invite": projection.invited_address(seat, player) or names.get(guests[seat.number]),
            "bots": bots_in_words(seat.role),
            "asked": _asked(seat, player) if is_host else None,
        }
        for seat, words in zip(game.seats, holders.seats_in_words(game, names), strict=True)
    ]


def _asked(seat: Seat, host: Player | None) -> dict[str, Any] | None:
    """Return when the host invited and reminded the guest of a seat, until when it is reserved, and with which words.

    It is the same whether the mail was sent or not, since that would tell whose address it is.
    """
    invitation = seat.invitation
    if host is None or invitation is None or seat.is_taken or invitation.host_id != host.id:
        return None
    return {
        "at": short_day(invitation.created_at, host.zone),
        "reminded": short_day(invitation.reminded_at, host.zone) if invitation.reminded_at else "",
        "until": short_day(invitation.created_at + LIFE, host.zone),
        "words": invitation.words or "",
        "may_remind": now() - (invitation.reminded_at or invitation.created_at) >= DAY,
    }


def _guest_id(seat: Seat, player: Player | None) -> str | None:
    """Return the player whom the host invited to a seat by name, if `player` is that host, blocked by them or not."""
    invitation = seat.invitation
    is_theirs = invitation is not None and player is not None and invitation.host_id == player.id
    return invitation.guest_id if invitation is not None and is_theirs and invitation.email is None else None
