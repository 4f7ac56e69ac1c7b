"""Export what the server stores about a player."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import select, union
from sqlalchemy.orm import selectinload

from server.application.game import held_moves, projection
from server.application.game.access import GAMES_OF_PLAYER, closed_to, roles_once_held
from server.application.game.look import standing_of
from server.application.lobby import invitations
from server.application.mail import deliveries, mail_frequency
from server.application.people import codes, devices, tokens, webhooks
from server.application.people.accounts import abuse_reports, addresses, blocks, browsers
from server.application.people.accounts.preferences import preferences_of
from server.application.play.absences import absences_of
from server.house_rules.standing import Seat, Standing
from server.house_rules.vacation import absences_as_json
from server.models import Answered, FormerHolder, Game, Incoming, Message, Move, Muted, Player, QueuedMove, session
from server.runtime import now
from server.vocabulary.durations import rfc3339


def export_account(player: Player) -> dict[str, Any]:
    """Return what the server stores about the player, without anything of others or of games closed to the player."""
    closed = set(session.scalars(closed_to(player)))
    return {
        "player": _account_of(player),
        "addresses": addresses.addresses_of(player),
        "tokens": tokens.tokens_of(player),
        "browsers": browsers.browsers_of(player),
        "absences": absences_as_json(absences_of(player), player.zone, now())["absences"],
        "webhooks": [webhooks.facts(webhook) for webhook in webhooks.webhooks_of(player.id)],
        "devices": [devices.facts(device) for device in devices.devices_of(player.id)],
        "blocks": blocks.blocks_of(player),
        "reports": abuse_reports.made_by(player),
        "games": [_game_of(standing_of(game), player) for game in games_of(player) if game.id not in closed],
        "mails_to_me": deliveries.mails_to(player),
        "mails_from_me": _mails_from(player, closed),
        "kept_answers": _kept_answers(player, closed),
        "sign_ups": codes.asked_for(player.id, addresses.of_player(player.id)),
        "invitations": invitations.received_by(player.id, addresses.of_player(player.id)),
    }


def summary_of(player: Player) -> dict[str, Any]:
    """Return what the operator sees of a player: the account, and of the games what every spectator sees."""
    return {
        **_account_of(player),
        "addresses": addresses.addresses_of(player),
        "tokens": tokens.for_others(player),
        "games": [_in_outline(standing_of(game), player) for game in games_of(player)],
    }


def _account_of(player: Player) -> dict[str, Any]:
    return {
        "id": player.id,
        "name": player.name,
        "email": None if player.is_guest else player.email,
        "created_at": rfc3339(player.created_at),
        "is_operator": player.is_operator,
        **preferences_of(player),
    }


def _in_outline(game: Standing, player: Player) -> dict[str, Any]:
    seat = projection.own_seat(game, player)
    return {
        "id": game.id,
        "name": game.name,
        "status": game.status,
        "is_host": game.host_id == player.id,
        "seat": seat and seat.number,
    }


def games_of(player: Player) -> Sequence[Game]:
    """Return the games that the player hosts, sits in, is invited to, or sat in."""
    formerly = select(FormerHolder.game_id).where(FormerHolder.player_id == player.id)
    own = union(select(GAMES_OF_PLAYER.subquery()), formerly)
    query = select(Game).where(Game.id.in_(own)).order_by(Game.id).options(selectinload(Game.seats))
    return session.scalars(query, {"player": player.id}).all()


def _game_of(game: Standing, player: Player) -> dict[str, Any]:
    seat = projection.own_seat(game, player)
    return {
        **_in_outline(game, player),
        "is_invited": any(other.invited_id == player.id for other in game.seats),
        "formerly": sorted(roles_once_held(game.id, player)),
        "pawns": seat.pawns if seat else [],
        "moves": _moves_of(game, seat) if seat else [],
        "ahead": _ahead_of(game, seat) if seat else [],
        "held": list(map(held_moves.held_as_json, held_moves.held_by_seat(game, seat))),
        "messages": _messages_of(game, player),
        "is_muted": session.get(Muted, (game.id, player.id)) is not None,
        "mail": mail_frequency.frequency_of(player, game.id),
    }


def _moves_of(game: Standing, seat: Seat) -> list[dict[str, Any]]:
    query = select(Move).where(Move.game_id == game.id, Move.pawn.in_(seat.pawns)).order_by(Move.turn)
    return [
        {"turn": move.turn, "notation": move.notation, "by": move.by, "made_at": rfc3339(move.made_at)}
        for move in session.scalars(query)
    ]


def _ahead_of(game: Standing, seat: Seat) -> list[dict[str, Any]]:
    query = select(QueuedMove).where(QueuedMove.game_id == game.id, QueuedMove.seat == seat.number)
    return [
        {"notation": kept.notation, "kept_at": rfc3339(kept.kept_at)}
        | ({"otherwise": kept.otherwise} if kept.otherwise else {})
        for kept in session.scalars(query.order_by(QueuedMove.pawn))
    ]


def _messages_of(game: Standing, player: Player) -> list[dict[str, Any]]:
    query = select(Message).where(Message.game_id == game.id, Message.player_id == player.id).order_by(Message.serial)
    return [
        {"to": message.audience, "text": message.text, "at": rfc3339(message.at)} for message in session.scalars(query)
    ]


def _mails_from(player: Player, closed: set[str]) -> list[dict[str, Any]]:
    """Return when mails from the player's addresses came, without content: anybody may have forged the sender."""
    columns = (Incoming.game_id, Incoming.received_at, Incoming.state)
    from_them = Incoming.sender.in_(addresses.of_player(player.id))
    query = select(*columns).where(from_them).order_by(Incoming.received_at, Incoming.id)
    return [
        {"game": game, "received_at": rfc3339(at), "state": state}
        for game, at, state in session.execute(query)
        if game not in closed
    ]


def _kept_answers(player: Player, closed: set[str]) -> list[dict[str, Any]]:
    columns = (Answered.route, Answered.key, Answered.created_at)
    query = select(*columns).where(Answered.player_id == player.id).order_by(Answered.created_at, Answered.route)
    return [
        {"request": route, "key": key, "created_at": rfc3339(at)}
        for route, key, at in session.execute(query)
        if not closed & set(route.split("/"))
    ]
