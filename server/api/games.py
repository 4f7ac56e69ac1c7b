"""Open, find, join, leave, start and read games; moves are in `moves.py`."""

from collections.abc import Mapping

from flask import Response, jsonify, request, url_for
from flask.typing import ResponseReturnValue
from marshmallow import Schema, ValidationError, fields, validate

from server import bots
from server.api.access import (
    current_player,
    for_anybody,
    for_player,
    for_viewer,
    for_viewer_or_code,
    has_queue,
    permit,
    reader,
    version,
)
from server.api.endpoints import Section, with_etag
from server.api.reading import body, next_page, query
from server.api.schemas.games import (
    DeadlineView,
    Deduction,
    GameList,
    GameView,
    Hint,
    Log,
    OpenedGame,
    Record,
    SeatKnowledge,
    StoryView,
    Transcript,
)
from server.api.schemas.values import (
    ID,
    NAME,
    Answer,
    TrueOrFalse,
    WholeNumber,
    Written,
    WrittenBoolean,
    described,
    line,
)
from server.application.game import hunt, pace, practice, projection, replay, transcripts
from server.application.game.look import look, look_at_any
from server.application.game.situations import act
from server.application.lists.listing import games as list_games
from server.application.lobby import (
    hosting,
    opening,
    rematches,
    seats,
    starting,
)
from server.application.people.accounts import guests
from server.engine import Edition, PositionError, check_members
from server.house_rules import draws, guest_rules, replays
from server.house_rules.dealing import WAYS
from server.house_rules.resignation import give_up
from server.http.links import link
from server.vocabulary.errors import Problem
from server.wording.hunt import moments


class NewSeat(Schema):
    role = fields.String(required=True, validate=validate.OneOf(["mr_x", "detective"]))
    player = fields.String(validate=ID)
    invite = fields.String(
        validate=line(254), **described("a mail address, or the name of a player you have met in a game")
    )
    bot = fields.String(validate=line(16), metadata={"enum": [*bots.BOTS]})
    level = fields.String(validate=validate.OneOf(bots.LEVELS), **described(f"of a bot; {bots.USUAL}, if left out"))


class Guest(NewSeat):
    """The one that a seat is for: one of `player`, `invite`, `bot`."""

    words = fields.String(
        validate=line(200), **described("of the host to whom they invite, without addresses and links")
    )

    class Meta:
        exclude = ("role",)


def _has_known_members(position: Mapping[str, object]) -> None:
    try:
        check_members(position)
    except PositionError as error:
        raise ValidationError(str(error).removeprefix("position: ")) from None


class GuestRules(Schema):
    """The rules for people without an address; what is left out is as usual."""

    seats = fields.String(validate=validate.OneOf(guest_rules.SEATS))
    talk = TrueOrFalse()
    stay = fields.String(validate=validate.OneOf(guest_rules.STAYS))
    pairs = TrueOrFalse()


class NewGame(Schema):
    edition = fields.String(required=True, metadata={"enum": [*Edition.names()]})
    options = fields.Dict(keys=fields.String())
    clock = fields.Dict(keys=fields.String())
    seats = fields.List(fields.Nested(NewSeat), validate=validate.Length(2, 6))
    players = WholeNumber(
        1, 99, metadata={"minimum": 2, "maximum": 6, "description": "as many open seats, in place of `seats`"}
    )
    visibility = fields.String(validate=validate.OneOf(["public", "private"]))
    name = fields.String(validate=NAME, **described("of the game; one such as `Foggy Thames`, if left out"))
    label = fields.String(validate=line(80), allow_none=True)
    seating = fields.String(
        validate=validate.OneOf(WAYS), **described("how Mr. X and the other seats are chosen at the start")
    )
    guests = fields.Nested(GuestRules, **described("what people without an address may do who have the link"))
    starts_when_full = TrueOrFalse(
        **described("start as soon as somebody takes the last seat; else the host starts the game")
    )
    team = TrueOrFalse(
        **described("seat 2 moves all detectives, as many as `players` would have; without it, as many as there can be")
    )
    position = fields.Dict(keys=fields.String(), validate=_has_known_members)
    seed = fields.String(
        validate=line(40), **described("of a practice game: the same one deals and draws the same again")
    )


class ChangedGame(Schema):
    name = fields.String(validate=NAME)
    visibility = fields.String(
        validate=validate.OneOf(["public"]), **described("a public game does not become private again")
    )
    guests = fields.Nested(GuestRules, **described("what is left out stays as it is"))


class LinkForGuest(Answer):
    name = fields.String(**described("of the guest"))
    link = fields.String(**described("opens their seat, once; shown this once"))


class Join(Schema):
    seat = WholeNumber(1, 6)
    role = fields.String(validate=validate.OneOf(["mr_x", "detective"]))
    code = fields.String(validate=validate.Length(1, 32))


class NewHost(Schema):
    seat = WholeNumber(1, 6, required=True)


class ShownReplay(Schema):
    shows = fields.String(
        required=True, allow_none=True, validate=validate.OneOf(replays.WISHES),
        **described("you by your pawns, or by your name as well; null if you do not want the replay shown"),
    )  # fmt: skip


class Again(Schema):
    ply = WholeNumber(0, 100_000, required=True, **described("how many moves the new game begins with"))
    side = fields.String(required=True, validate=validate.OneOf(["mr_x", "detectives"]))
    level = fields.String(validate=validate.OneOf(bots.LEVELS), **described("of the bots; as there, if left out"))


class ReplayLink(Answer):
    link = fields.String(allow_none=True, **described("shows the replay to everybody; null until each side wants it"))


section = Section("games", __name__, "Games")


class GamesQuery(Schema):
    status = fields.String(validate=validate.OneOf(["open", "running", "over"]))
    mine = WrittenBoolean()
    waiting = WrittenBoolean()
    label = fields.String(validate=line(80))
    visibility = fields.String(validate=validate.OneOf(["private", "public"]))
    after = fields.String(validate=ID)
    limit = Written(1, 100)


class Leaving(Schema):
    to_bot = WrittenBoolean(**described("in a running game: a bot has your seat at once"))


@section.endpoint("POST /games", access=for_player("host"), body=NewGame, once=True, answers=OpenedGame, status=201)
def open_game() -> ResponseReturnValue:
    """Open a game; only `edition` is required."""
    wanted = body()
    game = opening.open_game(current_player(), **wanted)
    view = _view(game.id) | {"longest": pace.longest(look_at_any(game.id))}
    return view, 201, {"Location": f"{request.base_url}/{game.id}"}


@section.endpoint("GET /games", access=for_player("read"), query=GamesQuery, answers=GameList)
def games() -> ResponseReturnValue:
    """List the games you may see, in pages: the `Link` header names the next."""
    wanted = query()
    limit = wanted.setdefault("limit", 50)
    found = list_games(current_player(), **wanted)
    return {"games": found}, next_page(found[-1]["id"]) if len(found) == limit else {}


class MomentQuery(Schema):
    turn = Written(1, 100_000)


def _view(game_id: str) -> projection.GameView:
    """Return the game as the player sees it after a command, whether or not they may see it any more."""
    return projection.project(look_at_any(game_id, current_player()), current_player())


@section.endpoint("GET /games/<game_id>", access=for_anybody("read"), answers=GameView)
def game(game_id: str) -> ResponseReturnValue:
    """Return the game as you may see it."""
    text, tag = projection.shown(game_id, reader(), version(), has_queue(), with_etag)
    response = Response(text, mimetype="application/json")
    response.set_etag(tag)
    return response


@section.endpoint(
    "PATCH /games/<game_id>", access=for_viewer("host"), body=ChangedGame, needs_body=False, answers=GameView
)
def change(game_id: str) -> ResponseReturnValue:
    """Change a game before the start: its name, what guests may do, or that everybody sees it; the host only."""
    host, wanted = current_player(), body()
    look(game_id, host).check_host(host.id, hosting.CHANGES)
    if "name" in wanted:
        hosting.rename(game_id, host, wanted["name"])
    if "visibility" in wanted:
        hosting.publish(game_id, host)
    if "guests" in wanted:  # behind the one before, which resets them
        hosting.admit_guests(game_id, host, wanted["guests"])
    return _view(game_id)


@section.endpoint("DELETE /games/<game_id>", access=for_viewer("host"), answers=GameView)
def close(game_id: str) -> ResponseReturnValue:
    """Close a game before the start, which the server writes to its people; the host only."""
    return _view(hosting.close(game_id, current_player()).id)


@section.endpoint("POST /games/<game_id>/code", access=for_viewer("host"), once=True, answers=GameView)
def renew_code(game_id: str) -> ResponseReturnValue:
    """Make a new code for the game; links with the old one lead nowhere any more; the host only."""
    return _view(hosting.renew_code(game_id, current_player()).id)


@section.endpoint(
    "POST /games/<game_id>/seats",
    access=for_viewer_or_code("play"),
    body=Join,
    needs_body=False,
    once=True,
    answers=GameView,
    status=201,
)
def join(game_id: str) -> ResponseReturnValue:
    """Take a seat, or accept the one reserved for you; a private game is joined with its `code`."""
    return _view(seats.join(game_id, current_player(), **body()).id)


@section.endpoint(
    "PUT /games/<game_id>/seats/<int:seat>", access=for_viewer("host"), body=Guest, once=True, answers=GameView
)
def invite(game_id: str, seat: int) -> ResponseReturnValue:
    """Reserve an open seat for somebody, or put a bot there; the host only."""
    look(game_id, current_player()).check_host(current_player().id, seats.INVITES)
    return _view(seats.invite(game_id, current_player(), seat, body()).id)


@section.endpoint(
    "DELETE /games/<game_id>/seats/<int:seat>", access=for_viewer("play", "host"), query=Leaving, answers=GameView
)
def leave(game_id: str, seat: int) -> ResponseReturnValue:
    """Leave before the start, or decline an invitation; the host may clear any seat. In a running game see `to_bot`."""
    if not _is_own(seat, game_id):
        permit("host")
    elif query().get("to_bot"):
        return _view(seats.leave_to_bot(game_id, current_player()).id)
    elif look(game_id, current_player()).status == "running":
        raise Problem("game-not-open", "This game has started. With to_bot=true a bot has your seat at once.")
    return _view(seats.leave(game_id, current_player(), seat).id)


def _is_own(number: int, game_id: str) -> bool:
    seats = look(game_id, current_player()).seats
    return any(number == seat.number and current_player().id in (seat.player_id, seat.invited_id) for seat in seats)


@section.endpoint(
    "POST /games/<game_id>/seats/<int:seat>/remind", access=for_viewer("host"), once=True, answers=GameView
)
def remind(game_id: str, seat: int) -> ResponseReturnValue:
    """Mail the invitation to a seat once more, once a day; the host only."""
    return _view(seats.remind(game_id, current_player(), seat).id)


@section.endpoint(
    "POST /games/<game_id>/seats/<int:seat>/link", access=for_viewer("host"), answers=LinkForGuest, status=201
)
def link_for_guest(game_id: str, seat: int) -> ResponseReturnValue:
    """Make a link with which a guest who has lost their seat's browser goes on in another one; the host only."""
    name, code = guests.link_from_host(game_id, current_player(), seat)
    return {"name": name, "link": link("pages.use_device_link", code=code)}, 201


@section.endpoint("POST /games/<game_id>/start", access=for_viewer("host"), once=True, answers=GameView)
def start(game_id: str) -> ResponseReturnValue:
    """Deal and start the game; the host only."""
    return _view(starting.start(game_id, current_player()).id)


@section.endpoint("POST /games/<game_id>/resign", access=for_viewer("play"), once=True, answers=GameView)
def resign(game_id: str) -> ResponseReturnValue:
    """Resign. Mr. X loses; a detective's seat goes to a bot, and the last detective gives up for all."""
    return projection.project(act(game_id, current_player(), give_up).game, current_player())


@section.endpoint("POST /games/<game_id>/draw", access=for_viewer("play"), once=True, answers=GameView)
def offer_draw(game_id: str) -> ResponseReturnValue:
    """Offer a draw, or agree to one. When all players agree, the game is over."""
    return projection.project(act(game_id, current_player(), draws.offer_draw).game, current_player())


@section.endpoint("DELETE /games/<game_id>/draw", access=for_viewer("play"), answers=GameView)
def withdraw_draw(game_id: str) -> ResponseReturnValue:
    """Withdraw your offer of a draw, or your agreement to one."""
    return projection.project(act(game_id, current_player(), draws.withdraw).game, current_player())


@section.endpoint("POST /games/<game_id>/host", access=for_viewer("host"), body=NewHost, once=True, answers=GameView)
def hand_over(game_id: str) -> ResponseReturnValue:
    """Make the player of a seat the host; the host only."""
    look(game_id, current_player()).check_host(current_player().id, hosting.HANDS_OVER)
    return _view(hosting.hand_over(game_id, current_player(), body()["seat"]).id)


@section.endpoint("POST /games/<game_id>/rematch", access=for_viewer("host"), once=True, answers=GameView, status=201)
def rematch(game_id: str) -> ResponseReturnValue:
    """Open the game in which the players of this one play again; if it is open already, return it."""
    following = rematches.rematch(game_id, current_player())
    location = url_for("games.game", game_id=following.id, _external=True)
    return _view(following.id), 201, {"Location": location}


@section.endpoint(
    "POST /games/<game_id>/again", access=for_viewer("host"), body=Again, once=True, answers=GameView, status=201
)
def try_again(game_id: str) -> ResponseReturnValue:
    """Open a practice game that goes on from a moment of one whose result is final."""
    opened = guests.try_again(current_player(), game_id, **body())
    return _view(opened.id), 201, {"Location": url_for("games.game", game_id=opened.id, _external=True)}


@section.endpoint("PUT /games/<game_id>/replay", access=for_viewer("play"), body=ShownReplay, answers=ReplayLink)
def show_replay(game_id: str) -> ResponseReturnValue:
    """Say if a link may show the replay of a private game to everybody; one player of each side has to want it."""
    look(game_id, current_player()).seat_of_player(current_player().id)
    shown = act(game_id, current_player(), replays.want_shown, body()["shows"]).game
    return {"link": link("pages.replay", game_id=game_id) if replays.is_shown(shown) else None}


@section.endpoint("GET /games/<game_id>/log", access=for_anybody("read"), answers=Log)
def log(game_id: str) -> ResponseReturnValue:
    """Return the travel log."""
    return {"log": projection.project(look(game_id, reader()), reader())["log"]}


@section.endpoint(
    "GET /games/<game_id>/record", access=for_anybody("read"), answers=Record, about="The game record", problems=(409,)
)
def record(game_id: str) -> Response:
    """Return the game record, redacted until the result is final."""
    return jsonify(projection.record(look(game_id, reader()), reader()))


@section.endpoint("GET /games/<game_id>/transcript", access=for_anybody("read"), answers=Transcript, problems=(409,))
def transcript(game_id: str) -> ResponseReturnValue:
    """Return all public events with the sealed log, which `verify` checks."""
    return jsonify(transcripts.of_game(look(game_id, reader())))


@section.endpoint("GET /games/<game_id>/deadline", access=for_anybody("read"), answers=DeadlineView)
def deadline(game_id: str) -> ResponseReturnValue:
    """Return the deadline, and how it was computed."""
    return projection.deadline(look(game_id, reader()), reader())


@section.endpoint("GET /games/<game_id>/deduction", access=for_anybody("read"), answers=Deduction, problems=(409,))
def deduction(game_id: str) -> ResponseReturnValue:
    """Return the stations on which Mr. X can be according to the public log: the same for all, Mr. X too."""
    game = look(game_id, reader())
    return {"turn": game.turn, "stations": projection.deduction(game)}


@section.endpoint("GET /games/<game_id>/hint", access=for_viewer("read"), answers=Hint, problems=(409,))
def hint(game_id: str) -> ResponseReturnValue:
    """Return how likely Mr. X was on each station after his last move; only in a practice game, to the detective."""
    return {**practice.hint(look(game_id, current_player()), current_player())}


@section.endpoint(
    "GET /games/<game_id>/seats/<int:seat>/view",
    access=for_anybody("read"),
    query=MomentQuery,
    answers=SeatKnowledge,
    about="What the seat knew",
)
def view_from_seat(game_id: str, seat: int) -> replay.SeatKnowledge:
    """Return what the player of a seat knew at a turn, by default at the end; once the result is final."""
    return replay.view_from(replay.open_game(game_id, reader()), seat, query().get("turn"))


@section.endpoint("GET /games/<game_id>/story", access=for_anybody("read"), answers=StoryView)
def story(game_id: str) -> ResponseReturnValue:
    """Return how sure the detectives could be of Mr. X after each move, and what decided the game; once it is final."""
    game = replay.open_game(game_id, reader())
    told = hunt.of(game)
    texts = moments(told, projection.own_seat(game, reader()))
    return {
        "curve": [point._asdict() for point in told.hunt.points],
        "moments": [
            {"ply": each.ply, "kind": each.kind, "text": text}
            for each, text in zip(told.hunt.moments, texts, strict=True)
        ],
    }
