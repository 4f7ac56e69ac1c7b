"""News of a game for its page, which asks for them again and again and is loaded only when there are some."""

from flask import Response, jsonify, request

from server import clock
from server.application.game.look import look
from server.application.lists import marks
from server.house_rules.standing import Standing
from server.web import visitors

# Seconds between two questions of a page: while only bots are to move, where the clock gives under an hour, and else.
# After a move of its reader's own it asks each second for a while, see templates/web/scripts/news.js.
WHILE_BOTS_MOVE, WHERE_TIME_IS_SHORT, ELSE = 1, 5, 30


def news(game_id: str) -> Response:
    """Return the number of events of a game; its ETag changes with all that the visitor may know of the game.

    So the answer is an empty 304 as long as a page that sends the mark it was loaded with is as of today. Whether the
    visitor may see the game is checked again for each question.
    """
    game = look(game_id, visitors.visitor())
    answer = jsonify({"changed": game.events})
    answer.set_etag(marks.of_game(game, visitors.visitor()))
    return answer.make_conditional(request)  # type: ignore[return-value]


def seconds_between_questions(game: Standing, *, waits_for_bots: bool = False) -> float:
    """Return how often the page of a game asks for news."""
    if waits_for_bots:
        return WHILE_BOTS_MOVE
    return WHERE_TIME_IS_SHORT if game.status != "over" and clock.gives_under_an_hour(game.clock) else ELSE
