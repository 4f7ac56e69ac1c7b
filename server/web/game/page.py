"""The page of a game: what it shows, and to whom. The forms on it are in the modules beside this one."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from flask import Response, make_response, redirect, url_for

from server import engine
from server.application.errors import Problem
from server.application.game import views
from server.application.game.access import visible
from server.application.game.as_of import as_of
from server.application.people import players
from server.models import Game, Player
from server.picture import LETTERS, told
from server.web import visitors
from server.web.game import lobby, table
from server.web.problems import page
from server.wording import board_text, situation, times
from server.wording.events import happenings
from server.wording.seats import seat_label
from server.wording.words import pawn_name, pawn_names

RECENT = 12  # happenings shown
REFRESH = 3  # seconds until the page is loaded again while only bots are to move
REFRESH_FOR_PEOPLE = 60  # while the reader has nothing to choose


class Choice(NamedTuple):
    """A move that can be chosen: its notation, and the station or the move in words."""

    notation: str
    words: str


def show(game_id: str) -> Response:
    """Show a game as the visitor may see it."""
    return _page(visible(game_id, visitors.visitor()))


def shown_again(game_id: str) -> Response:
    """Lead the browser to the page of the game, after a form was accepted."""
    return make_response(redirect(url_for("pages.game", game_id=game_id), 303))


def refused(game_id: str, player: Player, problem: Problem) -> Response:
    """Return the page of the game with what was wrong; a `Problem` not-found stays one."""
    if problem.code == "not-found":
        raise problem
    return _page(visible(game_id, player), problem)


def _page(game: Game, problem: Problem | None = None) -> Response:
    if game.status == "open":
        return lobby.page_of(game, problem)
    player = visitors.visitor()
    view = views.project(game, player)
    seat = views.own_seat(game, player)
    choices = _choices(game, player)
    must_move = bool(seat) and bool(set(seat.pawns) & set(view["to_move"]))
    awaited = [each for each in game.seats if set(each.pawns) & set(view["to_move"])]
    waits_for_bots = game.status == "running" and all(each.bot for each in awaited)
    seats = seats_in_words(game)
    response = page(
        "game/page",
        problem,
        game=game,
        view=view,
        seat=seat,
        role=seat_label(seat) if seat else "",
        must_move=must_move,
        seats=seats,
        waiting=pawn_names(view["to_move"]) if view["to_move"] else "",
        due=_due(game, player),
        outcome=situation.result(view["outcome"]) if view["outcome"] else "",
        pawns=_pawns(view, seats),
        choices=choices,
        queue=[each for each in view["ahead"] if seat and each["pawn"] in seat.pawns],
        board_text=_board_text(view),
        mr_x_holds=situation.mr_x_holds(view, bool(seat) and seat.role == "mr_x") if view["pawns"] else "",
        recent=_recent(game, seat),
        refresh=REFRESH if waits_for_bots else None,
        pawn_name=pawn_name,
        letters=LETTERS,
        told=told(view, views.possible(game)) if view["pawns"] else "",
        table=table.facts(game, player, seats),
    )
    if waits_for_bots:
        response.headers["Refresh"] = str(REFRESH)
    elif game.status == "running" and not choices:
        response.headers["Refresh"] = str(REFRESH_FOR_PEOPLE)
    return response


def _due(game: Game, player: Player | None) -> str:
    """Return the deadline in the reader's zone; empty if there is none."""
    due_at = views.deadline(game, player)["due_at"]
    return times.moment(datetime.fromisoformat(due_at), player.zone if player else "UTC") if due_at else ""


def seats_in_words(game: Game) -> list[dict[str, Any]]:
    """Return each seat in words: its pawns, and who plays there."""
    names = players.names_of(seat.player_id for seat in game.seats)
    return [
        {
            "label": seat_label(seat),
            "role": seat.role,
            "who": names.get(seat.player_id) or (f"a bot, the {seat.bot}" if seat.bot else None),
            "is_reserved": seat.is_reserved,
        }
        for seat in game.seats
    ]


def _pawns(view: dict[str, Any], seats: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return each pawn with its place, its tickets and its player; `seats` is as of `_seats`."""
    return [
        {
            "pawn": pawn,
            "name": pawn_name(pawn),
            "who": seats[facts["seat"] - 1]["who"],
            "station": facts["station"],
            "last_seen": facts.get("last_seen"),
            "tickets": facts["tickets"],
            "state": facts.get("state", "active"),
            "is_to_move": pawn in view["to_move"],
        }
        for pawn, facts in view["pawns"].items()
    ]


def _choices(game: Game, player: Player | None) -> list[dict[str, Any]]:
    """Return the moves that the visitor may send, for each pawn: those of one ticket together, then double moves."""
    found: dict[str, dict[str, Any]] = {}
    for legal in views.sendable_moves(game, player):
        if legal.surface is not None:
            continue
        of_pawn = found.setdefault(
            legal.pawn, {"pawn": legal.pawn, "name": pawn_name(legal.pawn), "single": {}, "double": []}
        )
        if len(legal.legs) == 2:
            of_pawn["double"].append(Choice(str(legal), _double(legal)))
        else:
            leg = legal.legs[0]
            of_pawn["single"].setdefault(leg.ticket, []).append(Choice(str(legal), str(leg.station)))
    return list(found.values())


def _double(move: engine.Move) -> str:
    first, second = move.legs
    return f"{first.ticket} to {first.station}, then {second.ticket} to {second.station}"


def _board_text(view: dict[str, Any]) -> list[str]:
    """Return the board in sentences, for those who do not see the picture: where the pawns are, and their lines."""
    if not view["pawns"]:
        return []
    board = engine.Board.named(view["options"]["board"])
    places = {pawn: facts["station"] for pawn, facts in view["pawns"].items() if facts["station"] is not None}
    return [f"{pawn_name(pawn)}: {board_text.station(board, view, at)}" for pawn, at in places.items()]


def _recent(game: Game, seat: Any) -> list[str]:
    if game.turn is None:
        return []
    then = as_of(game, game.events)
    return happenings(then.recent, seat.pawns if seat else ())[-RECENT:]
