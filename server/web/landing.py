"""The first page: what this is, and the ways in; and the list of public games."""

from collections.abc import Callable

from flask import Response, request, url_for

from server import clock
from server.application.game.pace import pace
from server.application.lists import listing
from server.application.people.accounts import guests
from server.house_rules import guest_rules
from server.house_rules.standing import Standing
from server.models import transaction
from server.runtime import runtime
from server.vocabulary.errors import Problem
from server.web import once, visitors
from server.web.game import invitation
from server.web.me.games import invitations
from server.web.new_game import friends
from server.web.problems import page
from server.wording.ending import result
from server.wording.pace import pace_in_brief
from server.wording.rules import edition_title
from server.wording.times import short_day

MOST = 8  # games of a list
FRIENDS = "friends"  # the place of that form, see `once`
PAGE = 20  # games of a page of public games
MOST_OWN = 3  # games of the visitor; all are on a page of their own


def play_with_friends() -> Response:
    """Open a private game for friends, and show it; who is not signed in opens it as a guest."""
    player, secret = visitors.visitor(), ""
    if player is None:
        visitors.check_cookies()
    try:
        friends.check_may_open(player)
        with transaction():
            if player is None:
                player, secret = invitation.newcomer(FRIENDS)
            else:
                invitation.rename_guest(player)
            host = player
            response = once.led_once(host, lambda: url_for("pages.game", game_id=friends.open_game(host).id))
    except Problem as problem:
        return show(problem)
    return visitors.remember(response, secret) if secret else response


def public_games() -> Response:
    """Show public games to join, to watch, and to replay: on the first page all, then those of one kind by pages."""
    behind = {kind: request.args.get(kind, "") for kind in ("after", "watch", "finished")}
    is_first = not any(behind.values())

    def listed(kind: str, find: Callable[[int, str], list[Standing]]) -> tuple[list[Standing], str]:
        games = find(PAGE + 1, behind[kind]) if is_first or behind[kind] else []
        return games[:PAGE], games[PAGE - 1].id if len(games) > PAGE else ""

    visitor = visitors.visitor()
    games, after = listed("after", lambda limit, last: listing.joinable(visitor, limit=limit, after=last))
    running, watch = listed("watch", listing.watchable)
    over, finished = listed("finished", listing.finished_for_all)
    return page(
        "public_games",
        open_games=[_waiting(game) for game in games],
        running_games=running,
        finished_games=[(game, result(game), short_day(game.ended_at, "UTC")) for game in over if game.ended_at],
        is_first=is_first,
        behind=behind,
        after=after,
        watch=watch,
        finished=finished,
    )


def _waiting(game: Standing) -> dict[str, object]:
    """Return what a list tells of a game that waits for players."""
    hands = [seat.pawns for seat in game.seats if seat.role == "detective"]
    return {
        "id": game.id,
        "name": game.name,
        "edition": edition_title(game.edition),
        "pace": pace_in_brief(*pace(game.options, clock.with_defaults(game.clock), hands)),
        "free": sum(seat.is_free for seat in game.seats),
        "seats": len(game.seats),
        "takes_guests": any(seat.is_free and guest_rules.may_sit(game, seat.role) for seat in game.seats),
    }


def show(problem: Problem | None = None) -> Response:
    """Show what Black Ticket is, the visitor's running games, and those that everybody may join or watch.

    `problem` is why no game with friends was opened.
    """
    player = visitors.visitor()
    open_games = listing.joinable(player, limit=MOST + 1)
    running_games = listing.watchable(MOST + 1)
    response = page(
        "landing",
        problem,
        visitor=player,
        may_practise=player is not None or runtime().settings.guests,
        may_open=friends.may_open(player),
        needs_name=player is None or guests.is_unnamed(player),
        numbers=friends.NUMBERS,
        usual_number=friends.USUAL_NUMBER,
        paces=friends.paces(),
        typed=request.form,
        wrong=_at_field(problem),
        once=once.new_key() if player else "",
        once_friends=once.new_key() if player else once.new_key_of_newcomer(FRIENDS),
        own_games=listing.running(player)[:MOST_OWN] if player else [],
        invitations=invitations(player) if player else [],
        open_games=[_waiting(game) for game in open_games[:MOST]],
        running_games=running_games[:MOST],
        has_more=len(open_games) > MOST or len(running_games) > MOST,
    )
    if player is None:
        visitors.try_cookies(response)
    return response


def _at_field(problem: Problem | None) -> dict[str, str]:
    """Return the reason of a refusal at the field that it is about, else under no name."""
    if problem is None:
        return {}
    is_of_name = problem.code in ("form", "name-taken")
    return {problem.field or ("name" if is_of_name else ""): problem.sentence}
