"""Two guests of one game in one browser, such as two children on one phone: each has a detective's seat.

Each is a guest with a session of their own, the second in a second cookie, so nothing but the pages of a game knows of
pairs. The page is that of the one who is to move; links and forms of it name the seat that they are for.
"""

from collections.abc import Mapping, Sequence
from typing import TypedDict

from flask import g, request
from sqlalchemy import select

from server.application.game import projection
from server.application.game.look import look
from server.house_rules import guest_rules
from server.house_rules.standing import Sight, Standing
from server.models import Player, Seat, session
from server.vocabulary.errors import Problem
from server.web import visitors

FIELD = "at_seat"  # of the address


class OneOfPair(TypedDict):
    """One of the two seats of a browser.

    number, who: the seat, and its player with it: `Anna (Red)`
    is_shown, is_to_move: whether the page is theirs, and whether they are awaited
    """

    number: int
    who: str
    is_shown: bool
    is_to_move: bool


def choose() -> None:
    """Let the one act whose seat the address names, or who alone of the browser has a seat in the game."""
    game_id, players = (request.view_args or {}).get("game_id"), visitors.together()
    if game_id is None or len(players) < 2:
        return
    query = select(Seat.number, Seat.player_id).where(Seat.game_id == game_id)
    query = query.where(Seat.player_id.in_([player.id for player in players])).order_by(Seat.number)
    seats = {str(number): player_id for number, player_id in session.execute(query)}
    is_pair = len(seats) == len(players)
    named = seats.get(request.args.get(FIELD, "")) if is_pair else next(iter(seats.values()), None)
    for player in players:
        if player.id == named:
            g.visitor = player
    g.is_pair = is_pair


def name_seat(endpoint: str, values: dict[str, object]) -> None:
    """Name the seat in the address of a form or link of the game; the page itself goes on to whoever is to move."""
    if g.get("seat_shown") and "game_id" in values and endpoint != "pages.game":
        values.setdefault(FIELD, g.seat_shown)


def goes_on(game: Sight) -> bool:
    """Let the other one of the pair act if they are to move, and not the one who acts; return whether it is so."""
    is_named = request.args.get(FIELD) and request.endpoint != "pages.news"  # which names the seat that was shown
    if not g.get("is_pair") or is_named or game.status != "running":
        return False
    to_move = set(projection.project(game, visitors.visitor())["to_move"])
    awaited = [player for player in visitors.together() if to_move & set(game.seat_of_player(player.id).pawns)]
    if not awaited or visitors.visitor() in awaited:
        return False
    g.visitor = awaited[0]
    return True


def shown(game: Standing, seats: Sequence[Mapping[str, object]], to_move: Sequence[str] = ()) -> list[OneOfPair]:
    """Return the two seats of the browser; nothing where one player of it has a seat.

    `seats` has each seat of the game in words. From here on the links and forms of the page name the seat.
    """
    player = visitors.visitor()
    if not g.get("is_pair") or player is None:
        return []
    g.seat_shown = game.seat_of_player(player.id).number
    both = [game.seat_of_player(each.id) for each in visitors.together()]
    return [
        {
            "number": seat.number,
            "who": "{name} ({label})".format_map(seats[seat.number - 1]),
            "is_shown": seat.number == g.seat_shown,
            "is_to_move": bool(set(seat.pawns) & set(to_move)),
        }
        for seat in both
    ]


def other_of(player: Player | None) -> Player | None:
    """Return the other player of the browser, None if there is none."""
    return next((other for other in visitors.together() if player is not None and other.id != player.id), None)


def has_room(game: Standing, player: Player | None) -> bool:
    """Return True if a guest may take a seat of the game beside the visitor, who has one."""
    if player is None or game.status != "open":
        return False
    other = other_of(player)
    own = game.seat_held_by(player.id)
    free = (seat for seat in game.seats if seat.is_free and guest_rules.may_sit(game, seat.role))
    is_alone = other is None or game.seat_held_by(other.id) is None
    return is_alone and any(guest_rules.may_pair(game, own, seat) for seat in free)


def cookie_for(game_id: str, player_id: str) -> str:
    """Return the cookie in which a browser keeps the session of a guest of the game: the second beside a teammate's."""
    here = visitors.visitor()
    if here is None or here.id == player_id:
        return visitors.COOKIE
    try:
        game = look(game_id, here)
    except Problem:  # who is signed in has nothing to do with the game
        return visitors.COOKIE
    is_beside = guest_rules.may_pair(game, game.seat_held_by(here.id), game.seat_held_by(player_id))
    return visitors.SECOND if is_beside else visitors.COOKIE
