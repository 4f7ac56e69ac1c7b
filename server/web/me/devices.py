"""The devices that call a player when it is their turn: made by the script of a page, and stopped with one press."""

from typing import Any

from flask import Response, make_response, redirect

from server.application.people import codes, devices, webhooks
from server.house_rules.standing import Seat, Sight
from server.models import Player, Webhook
from server.runtime import runtime
from server.web import forms, visitors


def add() -> Response:
    """Let this browser call the player, by the push subscription that the script of the page has asked it for."""
    player = visitors.signed_in()
    keys = devices.check_keys(forms.text("p256dh"), forms.text("auth"))
    url = webhooks.check(forms.text("endpoint"), "endpoint")
    digest = codes.digest(visitors.secret())
    devices.add(player, url, keys, visitors.browser(), game_id=forms.text("game") or None, session_digest=digest)
    return _back()


def remove(device_id: str) -> Response:
    """Let a device call the player no more."""
    devices.remove(visitors.signed_in().id, device_id)
    return _back()


def _back() -> Response:
    return make_response(redirect(visitors.own_path(forms.text("next")), 303))


def of_player(player: Player) -> dict[str, Any]:
    """Return the devices of a player; and the key to make this browser one, unless it is, or this server calls none."""
    key = devices.key_pair()[1] if runtime().settings.push and _own(player) is None else ""
    return {"devices": [devices.facts(each) for each in devices.devices_of(player.id)], "key": key}


def _own(player: Player) -> Webhook | None:
    """Return the device that this browser is for the player, if any."""
    secrets = [codes.digest(secret) for secret in visitors.secrets()]
    return next((each for each in devices.devices_of(player.id) if each.session in secrets), None)


def offered(game: Sight, seat: Seat | None, player: Player | None, *, must_move: bool) -> dict[str, Any] | None:
    """Return what the page of a game says of calls, once the player has moved; None if nothing."""
    has_moved = (game.round or 1) > 1 or (game.side == "detectives" and not must_move)
    if player is None or seat is None or game.status != "running" or not runtime().settings.push or not has_moved:
        return None
    own = _own(player)
    is_about_game = own is not None and (own.games is None or game.id in own.games.split())
    return {"device": own.id if own is not None and is_about_game else "", "key": devices.key_pair()[1]}
