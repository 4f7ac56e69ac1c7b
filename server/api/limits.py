"""Limit how often a caller may ask: a player whatever their tokens, and anybody without one by their address."""

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec

from flask import Flask, Response, g, request

from server.application.people.players import authenticate, token_digest
from server.application.upkeep import rates
from server.models import Token
from server.runtime import networks, runtime

P = ParamSpec("P")


def register(app: Flask) -> None:
    """Say on every answer of the API how its caller stands."""
    app.after_request(tell)


def admit() -> Token | None:
    """Return the token of this request if it is good; `Problem` too-many when its player or the address asks too often.

    All tokens of a player count for the player, so that more tokens do not buy more requests. A token that is not good
    counts for the address. Once the address has used up its rate, only tokens that were seen before are looked at, so
    that nobody can go on trying others.
    """
    scheme, _, secret = request.headers.get("Authorization", "").partition(" ")
    secret = secret.strip() if scheme.lower() == "bearer" else ""
    digest = token_digest(secret)
    token = None
    seen = runtime().seen_tokens
    if digest is not None and (seen.get(digest) or not rates.is_spent("address", _address())):
        token = authenticate(secret)
    if token is None or digest is None:
        _count("address", _address())
    else:
        seen.put(digest, True)
        _count("player", token.player_id)
    return token


def anybody(view: Callable[P, Any]) -> Callable[P, Any]:
    """No token is needed; the address is counted."""

    @wraps(view)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> Any:
        _count("address", _address())
        return view(*args, **kwargs)

    return wrapper


def tell(response: Response) -> Response:
    """The headers of draft-ietf-httpapi-ratelimit-headers: the policy, and what is left of it.

    What is left to an address is told only when that is nothing: several people may share it, and none should see from
    it how much another asks.
    """
    standing: rates.Standing | None = g.get("standing")
    if standing is None:
        return response
    window = int(standing.rate.window.total_seconds())
    response.headers["RateLimit-Policy"] = f'"{standing.kind}";q={standing.rate.most};w={window}'
    if standing.kind == "player" or standing.remaining < 0:
        response.headers["RateLimit"] = f'"{standing.kind}";r={max(0, standing.remaining)};t={standing.seconds}'
    return response


def network() -> str:
    """Return the network that this request comes from, as `networks.network` has it."""
    return networks.network(_remote())


def _count(kind: str, name: str) -> None:
    g.standing = rates.spend(kind, name)
    rates.check(g.standing)


def _address() -> str:
    return networks.client(_remote())


def _remote() -> str:
    return request.remote_addr or "::"
