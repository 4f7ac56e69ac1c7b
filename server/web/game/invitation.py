"""The page of an invitation, which the link of a game opens: who invites to what, and one field to sit down.

To look takes nothing, because programs that show a preview of a link open it as well.
"""

from typing import Any

from flask import Response, make_response, redirect, request, url_for

from server.application.game import projection
from server.application.game.look import look
from server.application.game.state import edition_of
from server.application.lobby import seats
from server.application.people import admission, names, players
from server.application.people.accounts import guests, renaming
from server.drawing.look import look as drawn
from server.house_rules import guest_rules
from server.house_rules.standing import Seat, Sight
from server.http import peer
from server.http.links import public_link
from server.models import Player, session, transaction
from server.vocabulary.errors import Problem, refusal
from server.vocabulary.translation import gettext, gettext_noop
from server.web import forms, once, visitors
from server.web.game import pair
from server.web.game.answers import shown_again
from server.web.game.board import paths_of_layers
from server.web.game.lobby import about, seats_to_fill
from server.web.problems import page
from server.wording.rules import changed, edition_title, in_brief
from server.wording.seats import seat_label

NO_GAME = gettext_noop("There is no game with that code. Look at the code again, or ask the host for the link.")
RULES = 3  # sentences that tell what is played
NO_ROOM = gettext_noop({
    "open": "No seat of this game is free any more.",
    "running": "This game has begun, and no seat of it is free.",
    "over": "This game is over.",
    "closed": "This game was closed before it began.",
})  # fmt: skip
ROLES = gettext_noop({"": "whatever is open", "detective": "a detective", "mr_x": "Mr. X"})


def show(code: str) -> Response:
    """Show the invitation to the game with this code; a POST takes a seat, for somebody new as a guest."""
    code = code.lower()
    player = visitors.visitor()
    game = seats.with_code(code, player)
    if request.method != "POST":
        return _page(game, player, code)
    try:
        return _seated(game, player, code)
    except Problem as problem:
        return _page(look(game.id, player, code=code), player, code, problem)


def join(game_id: str) -> Response:
    """Lead to the invitation to a game that the visitor may see; a POST takes a seat of it."""
    game = look(game_id, visitors.visitor(), code=request.values.get("code"))
    return show(game.code) if request.method == "POST" else _led_to(game.code)


def enter_code() -> Response:
    """Lead to the invitation to the game with the code that was typed."""
    code = forms.code().lower().removeprefix("#")
    try:
        seats.with_code(code, visitors.visitor())
    except Problem as problem:
        if problem.code != "not-found":
            raise
        return page("code_of_game", problem, code=forms.text("code"), wrong={"code": gettext(NO_GAME)})
    return _led_to(code)


def _led_to(code: str) -> Response:
    return make_response(redirect(url_for("pages.invitation", code=code), 303))


def _seated(game: Sight, player: Player | None, code: str) -> Response:
    """Seat the visitor, and lead to the game."""
    if player is None:
        visitors.check_cookies()
    role = forms.text("role") or None
    secret, cookie = "", visitors.COOKIE
    with transaction():
        if player is not None and game.seat_held_by(player.id) and forms.text("second"):
            role, cookie, player = "detective", visitors.SECOND, pair.other_of(player)
        if player is None:
            admission.check_open()
            player, secret = newcomer(code, is_invited=True)
        if projection.own_seat(look(game.id, player, code=code), player) is None:
            if not secret:
                rename_guest(player)
            beside = next((each.id for each in visitors.together() if each.id != player.id), None)
            seats.join(game.id, player, code=code, role=role, beside=beside)
    response = shown_again(game.id)
    return visitors.remember(response, secret, cookie) if secret else response


def newcomer(place: str, *, is_invited: bool = False) -> tuple[Player, str]:
    """Add a guest with the name of the form at `place`; return them with the secret of their session."""
    secret = once.secret_of_newcomer(place)
    return guests.begin(peer.network(), visitors.browser(), _name(), secret=secret, is_invited=is_invited)


def rename_guest(player: Player) -> None:
    """Give a guest the name that was typed, if one was."""
    if player.is_guest and forms.text("name") not in ("", player.name):
        renaming.rename(player.id, names.free_like(_name(), player.id))


def _name() -> str:
    """Return the name that was typed; `Problem` form for none."""
    name = forms.text("name")
    if not name:
        raise refusal("form", "Write a name, by which the others know you.")
    checked = players.check_name(name)
    names.check_not_ours(checked)
    return checked


def _page(game: Sight, player: Player | None, code: str, problem: Problem | None = None) -> Response:
    """Return the invitation, with the reason if a seat was refused."""
    edition = edition_of(game)
    board = edition.board
    host = session.get_one(Player, game.host_id)
    is_for_newcomer = player is None or (pair.has_room(game, player) and pair.other_of(player) is None)
    response = page(
        "game/invitation",
        problem,
        game=game,
        code=code,
        host=host.name,
        is_host=player is not None and player.id == host.id,
        title=edition_title(game.edition),
        changed=changed(edition),
        rules=in_brief(edition)[:RULES],
        about=about(game),
        seats=seats_to_fill(game, player),
        drawn=drawn(board),
        layers=paths_of_layers(board.name),
        url=public_link("pages.invitation", code=code),
        once=once.new_key_of_newcomer(code) if is_for_newcomer else "",
        name=forms.text("name"),
        role=forms.text("role"),
        wrong=_at_field(problem),
        second=_second(game, player),
        is_full=problem is not None and problem.code == "enough",
        **_ways_in(game, player),
    )
    response.headers["X-Robots-Tag"] = "noindex"
    if is_for_newcomer:
        visitors.try_cookies(response)
    return response


def _at_field(problem: Problem | None) -> dict[str, str]:
    """Return the reason of a refusal at the field that it is about."""
    if problem is None:
        return {}
    return {"name" if problem.code in ("form", "name-taken") else "role": problem.sentence}


def _ways_in(game: Sight, player: Player | None) -> dict[str, Any]:
    """Return how the visitor may come in: to which seats, and whether they have to sign in or to give a name."""
    is_guest = player is None or player.is_guest
    open_seats = [seat for seat in game.seats if seat.is_free or (not seat.is_taken and _is_kept(seat, player))]
    offered = [seat for seat in game.seats if game.status == "running" and seat.is_offered]
    seats = open_seats if game.status == "open" else offered
    allowed = [seat for seat in seats if not is_guest or _is_kept(seat, player) or guest_rules.may_sit(game, seat.role)]
    return {
        "offered": [seat_label(seat) for seat in offered if seat in allowed],
        "is_seated": projection.own_seat(game, player) is not None,
        "may_sit": bool(allowed) and (player is not None or admission.takes_guests()),
        "refusal": _refusal(game, player, has_room=bool(open_seats if game.status == "open" else offered)),
        "may_have_lost_seat": is_guest and game.status == "running",
        "has_room": bool(seats),
        "is_to_sign_in": is_guest,
        "needs_name": is_guest and (player is None or guests.is_unnamed(player)),
        "roles": ROLES if game.seating == "chosen" and len({seat.role for seat in allowed}) > 1 else {},
    }


def _second(game: Sight, player: Player | None) -> dict[str, object] | None:
    """Return whether a second guest of the browser has to give a name to sit down; None if none may sit down."""
    if not pair.has_room(game, player):
        return None
    other = pair.other_of(player)
    return {"needs_name": other is None or guests.is_unnamed(other), "name": other.name if other else ""}


def _refusal(game: Sight, player: Player | None, *, has_room: bool) -> str:
    """Return why the visitor may take no seat, where they may not; `has_room` says whether there is a seat at all."""
    if not has_room:
        return gettext(NO_ROOM["closed" if game.status == "over" and game.started_at is None else game.status])
    if game.status == "running":
        return gettext("This game has begun. A seat of it is free, for somebody with an account.")
    if player is None and not admission.takes_guests():
        return gettext("This server has no guests: sign in with your mail address to take a seat.")
    if guest_rules.may_sit(game, "detective"):
        return gettext("Only Mr. X's seat is open, and he needs a mail address in this game: sign in to take it.")
    return gettext("The host of this game wants players with a mail address.")


def _is_kept(seat: Seat, player: Player | None) -> bool:
    """Return True if the seat is kept for the visitor."""
    return player is not None and seat.invited_id == player.id
