"""Messages that the players of a game write to each other."""

from flask import jsonify
from flask.typing import ResponseReturnValue
from marshmallow import Schema, fields, validate

from server.api.access import current_player, for_viewer
from server.api.endpoints import Section
from server.api.reading import body, query
from server.api.schemas.games import You
from server.api.schemas.values import Answer, Page, TrueOrFalse, described, whole
from server.application.game.look import look
from server.application.play import talk
from server.vocabulary.lines import TURNING

section = Section("messages", __name__, "Talk among the players")


_REFUSED = rf"\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f{TURNING}"


class NewMessage(Schema):
    to = fields.String(required=True, validate=validate.OneOf(["team", "all"]))
    text = fields.String(
        required=True,
        validate=[
            validate.Length(1, talk.LONGEST),
            whole(
                rf"[^{_REFUSED}]*[^\s{_REFUSED}][^{_REFUSED}]*",
                "A message has no control characters, none that turn the direction of writing, and something to read.",
            ),
        ],
    )


class MessageView(Answer):
    number = fields.Integer(**described("its place among the messages that the reader may read"))
    at = fields.String()
    author = fields.Nested(You, data_key="from")
    to = fields.String(validate=validate.OneOf(["team", "all"]))
    text = fields.String()


class MessageList(Answer):
    messages = fields.List(fields.Nested(MessageView))
    next = fields.Integer(**described("send it as `after` in the next request"))


class MutedView(Schema):
    muted = TrueOrFalse(required=True)


@section.endpoint("GET /games/<game_id>/messages", access=for_viewer("read"), query=Page, answers=MessageList)
def messages(game_id: str) -> ResponseReturnValue:
    """List the messages you may read behind number `after`; send `next` as the `after` of your next request."""
    return jsonify(talk.read(look(game_id, current_player()), current_player(), **query()))


@section.endpoint(
    "POST /games/<game_id>/messages",
    access=for_viewer("play"),
    body=NewMessage,
    once=True,
    answers=MessageView,
    status=201,
)
def write(game_id: str) -> ResponseReturnValue:
    """Write to your team or to all, if you have a seat; before the start and after the end too."""
    look(game_id, current_player()).seat_of_player(current_player().id)
    return jsonify(talk.write(game_id, current_player(), **body())), 201


@section.endpoint("GET /games/<game_id>/messages/muted", access=for_viewer("read"), answers=MutedView)
def muted(game_id: str) -> ResponseReturnValue:
    """Return whether you have muted the game, so that you get no mails of its messages."""
    return {"muted": talk.has_muted(look(game_id, current_player()), current_player())}


@section.endpoint("PUT /games/<game_id>/messages/muted", access=for_viewer("play"), body=MutedView, answers=MutedView)
def mute(game_id: str) -> ResponseReturnValue:
    """Get no more mails of the messages in the game, or get them again; you can read them here in any case."""
    look(game_id, current_player()).seat_of_player(current_player().id)
    wanted = body()
    talk.mute(game_id, current_player(), **wanted)
    return wanted
