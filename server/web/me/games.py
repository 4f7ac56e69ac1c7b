"""The games of a player: invitations, those that wait for them, all others, and the archive."""

from collections.abc import Iterable
from datetime import datetime

from flask import Response, request

from server.application.game import projection
from server.application.lists import listing, reports
from server.application.lists.listing import MyGame
from server.application.people import players
from server.application.people.accounts import guests
from server.engine import USUAL, Edition
from server.house_rules.standing import Standing
from server.models import Player
from server.vocabulary.translation import gettext
from server.vocabulary.words import pawn_names
from server.web import forms, once, visitors
from server.web.moments import moment
from server.web.problems import page
from server.wording import ending
from server.wording.events import happenings
from server.wording.rules import edition_title
from server.wording.seats import seat_label
from server.wording.situation import reason_in_brief


def show() -> Response:
    """Show the games that are not over, the one that has waited longest for the player first."""
    player = visitors.signed_in()
    running = listing.running(player)
    invited, others = listing.not_started(player)
    names = _names([*(mine.game for mine in running), *invited, *others])
    rows = [_running(mine, player, names) for mine in running]
    return page(
        "me/games",
        player=player,
        invitations=[_invitation(game, player, names) for game in invited],
        waiting=[row for row in rows if row["is_waiting"]],
        running=[row for row in rows if not row["is_waiting"]],
        open_games=[_open(game, player) for game in others],
        days=guests.IDLE.days,
        keeps_seat=player.is_guest and guests.keeps_seat(player),
        resigned=_resigned(player),
        labels=reports.labels_of(player),
        once=once.new_key(),
        usual=USUAL,
        editions=[(name, edition_title(name)) for name in Edition.names()],
    )


def invitations(player: Player) -> list[dict[str, object]]:
    """Return the games to which the player is invited, as the list of invitations shows them."""
    invited, _ = listing.not_started(player)
    names = _names(invited)
    return [_invitation(game, player, names) for game in invited]


def _resigned(player: Player) -> dict[str, object] | None:
    """Return the game in which the visitor has just resigned, None if they come from elsewhere."""
    game_id = request.args.get("resigned", "")
    found = listing.given_up(player, game_id) if game_id.isalnum() else None
    return {"id": game_id, "name": found[0], "is_public": found[1]} if found else None


def archive() -> Response:
    """Show the games that are over, a page of them."""
    player, number = visitors.signed_in(), forms.page_number()
    games, has_more = listing.finished(player, number)
    rows = [_finished(game, player) for game in games]
    return page("me/archive", games=rows, number=number, has_more=has_more)


def table(label: str) -> Response:
    """Show the table of the games with a label that the visitor hosts, or the whole of one of its parts as a sheet."""
    player, which = visitors.signed_in(), request.args.get("csv")
    behind = request.args.get("after", "")
    found, after = reports.of_label(label, player, behind if behind.isalnum() else "")
    if which in ("players", "games"):
        sheet = reports.sheet(which, found["players"], reports.games_of_label(label, player))
        return Response(sheet, mimetype="text/csv")
    shown = [
        {**game, "waits_for": reports.waits_for(game), "due_at": _at(game["due_at"], player),
         "final_at": _at(game["final_at"], player),
         "reason": reason_in_brief(game["reason"]) if game["reason"] else ""}
        for game in found["games"]
    ]  # fmt: skip
    rules = list(map(gettext, found["rules"]))
    return page("me/table", label=label, players=found["players"], games=shown, rules=rules, after=after)


def _at(time: str | None, player: Player) -> str:
    return moment(datetime.fromisoformat(time), player.zone) if time else ""


def _names(games: Iterable[Standing]) -> dict[str | None, str]:
    """Return the names of everybody in these games."""
    ids = [player_id for game in games for player_id in (game.host_id, *(seat.player_id for seat in game.seats))]
    return players.names_of(ids)


def _running(mine: MyGame, player: Player, names: dict[str | None, str]) -> dict[str, object]:
    told = happenings(mine.recent, mine.seat.pawns if mine.seat else ())
    return {
        "id": mine.game.id,
        "name": mine.game.name,
        "role": seat_label(mine.seat) if mine.seat else "",
        "round": mine.game.round,
        "is_waiting": mine.is_waiting,
        "is_ahead": mine.is_ahead,
        "turn": _turn(mine, names),
        "since": moment(mine.since, player.zone) if mine.since else "",
        "due": moment(mine.due_at, player.zone) if mine.due_at else "",
        "last": told[-1] if told else gettext("It has begun."),
    }


def _turn(mine: MyGame, names: dict[str | None, str]) -> str:
    """Return who may move now, each with the pawns: `Ben (Red and Green)`."""
    found = []
    for seat in mine.game.seats:
        if pawns := [pawn for pawn in seat.pawns if pawn in mine.to_move]:
            who = names.get(seat.player_id) or gettext("a bot")
            found.append(f"{who} ({pawn_names(pawns)})")
    return ", ".join(found)


def _invitation(game: Standing, player: Player, names: dict[str | None, str]) -> dict[str, object]:
    seat = next(seat for seat in game.seats if seat.invited_id == player.id)
    host = names.get(seat.invitation.host_id if seat.invitation else game.host_id) or names.get(game.host_id)
    return {"id": game.id, "name": game.name, "host": host, "role": seat_label(seat), "number": seat.number}


def _open(game: Standing, player: Player) -> dict[str, object]:
    free = [seat for seat in game.seats if not seat.is_taken]
    return {"id": game.id, "name": game.name, "free": len(free), "is_host": game.host_id == player.id}


def _finished(game: Standing, player: Player) -> dict[str, object]:
    seat = projection.own_seat(game, player)
    return {
        "id": game.id,
        "name": game.name,
        "role": seat_label(seat) if seat else "",
        "outcome": ending.result(game),
        "final_at": moment(game.final_at, player.zone) if game.final_at and not game.final else "",
        "ended": moment(game.ended_at, player.zone) if game.ended_at else "",
    }
