"""Streams for the page of a game, which asks for news when one says that something changed, and else now and then."""

from collections.abc import Iterator

from flask import Response, request

from server import clock
from server.application.game.look import look
from server.application.people import codes
from server.house_rules.standing import Sight, Standing
from server.http import streams
from server.http.streams import Watch
from server.models import topics
from server.vocabulary.errors import Problem
from server.web import visitors

# Seconds between two questions of a page without a stream: where the clock gives under an hour or bots move, and else.
SOON, ELSE = 5, 30
MOST_GAMES = 10  # of a browser, in one stream


def stream() -> Response:
    """Have the server hold a stream open that names those of the games in the query of which there may be news.

    The answer is an empty 204 where this server has no streams, or no more for this visitor, and for another site.
    """
    games = [*_visible(request.args.getlist("game")[:MOST_GAMES])]
    if not games or request.headers.get("Sec-Fetch-Site", "same-origin") != "same-origin":
        return Response(status=204)
    people = [player.id for player in visitors.together()]
    heard = {topics.end_of(codes.digest(secret)) for secret in visitors.secrets()}
    heard |= {topics.end_of(player_id) for player_id in people}
    for game in games:
        heard |= {game.id, f"{game.id}.", *(f"{game.id}.{player_id}" for player_id in people)}
        heard |= {f"{game.id}.*"} if people else set()
    is_seated = any(game.seat_held_by(player_id) for game in games for player_id in people)
    return streams.answer(Watch(*visitors.counts_for(), frozenset(heard), is_seated))


def _visible(ids: list[str]) -> Iterator[Sight]:
    for game_id in ids:
        try:
            yield look(game_id, visitors.visitor())
        except Problem:  # it was closed, or is no longer for this visitor
            continue


def seconds_between_questions(game: Standing, *, waits_for_bots: bool = False) -> float:
    """Return how often the page of a game asks for news where no stream says when."""
    is_short = game.status != "over" and clock.gives_under_an_hour(game.clock)
    return SOON if waits_for_bots or is_short else ELSE
