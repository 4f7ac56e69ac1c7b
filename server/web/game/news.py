"""News of a game for its page, which waits for them instead of being loaded again and again."""

from flask import Response, jsonify, request

from server.application.game.look import look
from server.application.news import marks
from server.http import waiting
from server.web import visitors

WAIT = 50  # seconds that a page waits; most proxies allow a minute
RETRY_AFTER = 10  # seconds between two questions of a page where the server cannot hold an answer back


def news(game_id: str) -> Response:
    """Say "changed" with the number of events once the visitor's page of the game is not as of the mark `after`.

    Until then the request waits, unless it says `wait=0`; after `WAIT` seconds the answer is empty. Under another
    WSGI server no request waits, so the empty answer says when to ask again. An answer with news waits for its turn,
    too: otherwise moves without a pause would make all visitors load the page all the time. Whether the visitor may
    see the game is checked again for each answer.
    """
    name = f"{marks.GAME}{game_id}"
    as_seen = marks.for_server([name])  # before the game is looked at, so that nothing happens unseen in between
    game = look(game_id, visitors.visitor())
    wait = 0 if request.args.get("wait") == "0" else WAIT
    if marks.of_game(game, visitors.visitor()) != request.args.get("after"):
        if wait:
            waiting.postpone(request.environ)
        return jsonify({"changed": game.events})
    is_held = waiting.hold(request.environ, as_seen, wait)
    return Response(status=204, headers={} if is_held or not wait else {"Retry-After": str(RETRY_AFTER)})
