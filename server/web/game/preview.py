"""The preview of a link to a game: what a stranger sees, for programs that find the link in a message."""

from typing import NamedTuple

from flask import Response, request

from server.application.game import pictures
from server.application.game.look import look
from server.application.game.projection import GameView
from server.drawing.picture import summary, told
from server.house_rules.standing import Standing
from server.http.links import public_link
from server.vocabulary.translation import gettext
from server.web.game import ending
from server.web.game.holders import names_in_replay
from server.wording import situation


class Preview(NamedTuple):
    """The preview in words; `address` and `picture` are empty where the server does not know its own address."""

    title: str
    description: str
    address: str
    picture: str
    alt: str


def of(game: Standing, view: GameView | None = None, possible: list[int] | None = None) -> Preview:
    """Return the preview of a game that a visitor who has not signed in may see.

    `view` is that of this visitor, and `possible` the stations Mr. X can be on; before the start there is neither.
    """
    address = public_link("pages.game", game_id=game.id)
    if view is None or not view["pawns"]:
        return Preview(game.name, gettext("A game of Scotland Yard that waits for its players."), address, "", "")
    drawn = public_link("pages.preview", game_id=game.id, v=game.version[:8])
    title = gettext("{game}, round {n}", game=game.name, n=game.round)
    if view["outcome"]:
        description = situation.result(view["outcome"])
    else:
        description = f"{summary(view, possible)} {situation.to_move(view['to_move'])}"
    return Preview(title, description, address, drawn, told(view, possible))


def picture(game_id: str) -> Response:
    """Return the board of a public game as a PNG, as a stranger sees it; at the end with Mr. X's way."""
    game = look(game_id, None)
    is_opened = game.final and game.turn is not None
    made = ending.preview(game, names_in_replay(game, None)) if is_opened else pictures.of_preview(game)
    response = Response(made, mimetype="image/png")
    response.set_etag(pictures.tag(made))
    response.make_conditional(request)
    return response
