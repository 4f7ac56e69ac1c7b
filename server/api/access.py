"""The access that an endpoint gives: to whom, with which scopes, and the checks of a request in a fixed order."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NoReturn

from flask import Response, g, request

from server.api.reading import raw_body
from server.application.game.access import visible_version
from server.application.limits import rate_limit
from server.application.people import blocked_networks
from server.application.people.tokens import GoodToken, good_token, token_digest
from server.http import peer
from server.models import CALENDAR, SCOPES, Account, Player
from server.models.actors import Actor, act_as
from server.runtime import runtime
from server.vocabulary.errors import Problem


@dataclass(frozen=True)
class Access:
    """The access to an endpoint: the callers it is open to.

    scopes: a token needs one of these; where there are none no token is needed, and the caller's address is counted
    game: what the caller needs to reach the game in the path: `visible` is that they may see it, `code` that they may
        see it or send its code
    loads_game: the first thing that it does is to load the game in the path, locked
    is_open: without a token they are answered as everybody who may see the game is
    security: how the OpenAPI document describes it; None is the token that most endpoints need
    """

    scopes: tuple[str, ...] = ()
    game: Literal["none", "visible", "code"] = "none"
    loads_game: bool = False
    is_open: bool = False
    security: tuple[Mapping[str, Sequence[str]], ...] | None = None

    @property
    def needs_only_id(self) -> bool:
        """Return whether nothing is read of the caller but the id: such an endpoint uses `caller` or `reader`."""
        return self.is_open or self.loads_game

    def __post_init__(self) -> None:
        if set(self.scopes) - {*SCOPES, CALENDAR}:
            raise ValueError(f"{self.scopes}: scopes are {', '.join(SCOPES)}")


ANYBODY = Access(security=())
# A provider of mail proves who it is in the view, each in its own way; Mailgun does so in the body.
PROVIDER = Access(security=({"provider": []}, {}))


# The secret stands in the path, as programs with calendars can send no token.
CALENDAR_ADDRESS = Access((CALENDAR,), security=())


def for_player(scope: str, *others: str) -> Access:
    """Return the access of players: a token with one of the scopes."""
    return Access((scope, *others))


def for_viewer(scope: str, *others: str) -> Access:
    """Return the access of players who may see the game in the path: such a token, and the game is visible to them."""
    return replace(for_player(scope, *others), game="visible")


def for_mover(scope: str, *others: str) -> Access:
    """Return the access of `for_viewer` to an endpoint whose first act is to load the game, locked."""
    return replace(for_viewer(scope, *others), loads_game=True)


def for_anybody(scope: str) -> Access:
    """Return the access of players who may see the game in the path, and without a token of anybody who may."""
    return replace(for_viewer(scope), is_open=True, security=({"token": []}, {}))


def for_viewer_or_code(scope: str, *others: str) -> Access:
    """Return the access of players who may see the game in the path or send its code in the body."""
    return replace(for_player(scope, *others), game="code")


def admit(access: Access, path: Mapping[str, str | int]) -> GoodToken | None:
    """Check that the request has this access, and return its token if one is needed.

    `path` holds the variables of the path.

    Raises:
        Problem: in this order `not-admitted` for a blocked network, `too-many`, `unauthorized`, `not-found` for the
            game, `forbidden` for lack of a scope.
    """
    blocked_networks.check(peer.address())
    if not access.scopes:
        _count("address", peer.client())
        return None
    if access is CALENDAR_ADDRESS:
        return _admit_by_address(str(path["secret"]))
    game_id = None if access.game == "none" else str(path["game_id"])
    token = authenticate(game_id, with_player=not access.needs_only_id)
    if token is None and access.is_open and "Authorization" not in request.headers:
        g.player, g.version, g.has_queue = None, _version_for_everybody(str(game_id)), False
        return None
    if token is None:
        raise _unauthorized()
    g.player, g.scopes, g.version, g.has_queue = token.player, token.scopes, token.version, token.has_queue
    g.digest = token.digest
    is_read_with_game = access.loads_game and "Idempotency-Key" not in request.headers
    act_as(Actor(token.player.id, token.digest, _refuse, is_read_with_game=is_read_with_game))
    if game_id is not None and token.version is None:
        g.version = visible_version(game_id, token.player, code=_code(access))
    permit(*access.scopes)
    return token


def _version_for_everybody(game_id: str) -> str:
    """Return the version of a game that everybody may see; for any other the `Problem` of somebody without a token."""
    try:
        return visible_version(game_id, None)
    except Problem:
        raise _unauthorized() from None


def _refuse() -> NoReturn:
    raise _unauthorized()


def _unauthorized() -> Problem:
    return Problem("unauthorized", "Send a valid token: Authorization: Bearer bt_...")


def _admit_by_address(secret: str) -> GoodToken:
    """Return the token of a calendar's address; one for anything else is not looked for in a URL."""
    token = authenticate(secret=secret)
    if token is None or token.scopes != (CALENDAR,):
        raise Problem("not-found", "There is no such calendar.")
    g.player, g.scopes = token.player, token.scopes
    return token


def _code(access: Access) -> str | None:
    """Return the code of the game that the request sends, if it may."""
    code = raw_body().get("code") if access.game == "code" else None
    return code if isinstance(code, str) else None


def permit(*scopes: str) -> None:
    """Raise `Problem` forbidden unless the token of this request has one of the scopes."""
    if not set(scopes) & set(g.scopes):
        raise Problem("forbidden", f"This token lacks the scope {' or '.join(scopes)}.", scope=list(scopes))


def current_player() -> Player:
    """Return the player who sent this request; not for an endpoint that `needs_only_id`."""
    assert isinstance(g.player, Player)
    return g.player


def caller() -> Account:
    """Return the account of the caller; of one who `needs_only_id`, nothing but the id was read."""
    return g.player  # type: ignore[no-any-return]


def reader() -> Account | None:
    """Return the player who sent this request, None for somebody without a token, where they are answered."""
    return g.player  # type: ignore[no-any-return]


def digest() -> str:
    """Return the digest of the token of this request."""
    return g.digest  # type: ignore[no-any-return]


def version() -> str:
    """Return the version that the game in the path had when the request was admitted."""
    return g.version  # type: ignore[no-any-return]


def has_queue() -> bool:
    """Return whether the caller had a seat and the detectives had queued moves when the request was admitted."""
    return g.has_queue  # type: ignore[no-any-return]


def authenticate(
    game_id: str | None = None, secret: str | None = None, *, with_player: bool = True
) -> GoodToken | None:
    """Return the token of this request if it is good, with the version of the game if its player may see it.

    The request is counted. All tokens of a player count for the player, so that more tokens do not buy more requests.
    A token that is not good counts for the address. Once the address has used up its rate, only tokens that were seen
    before are looked at, so that nobody can go on trying others. `secret` is the token's, where no header has it.

    Raises:
        Problem: `too-many` if the player or the address asks too often.
    """
    digest = token_digest(_bearer() if secret is None else secret)
    token = None
    seen = runtime().seen_tokens
    if digest is not None and (seen.get(digest) or not rate_limit.is_spent("address", peer.client())):
        token = good_token(digest, game_id, with_player=with_player)
    if token is None or digest is None:
        _count("address", peer.client())
    else:
        seen.put(digest, True)
        _count("player", token.player.id)
    return token


def _bearer() -> str:
    scheme, _, secret = request.headers.get("Authorization", "").partition(" ")
    return secret.strip() if scheme.lower() == "bearer" else ""


def add_headers(response: Response) -> Response:
    """Add the headers of draft-ietf-httpapi-ratelimit-headers: the policy, and what is left of it.

    What is left to an address is told only if that is nothing: several people may share the address, and none of them
    should see how much another asks.
    """
    standing: rate_limit.Standing | None = g.get("standing")
    if standing is None:
        return response
    window = int(standing.rate.window.total_seconds())
    response.headers["RateLimit-Policy"] = f'"{standing.kind}";q={standing.rate.most};w={window}'
    if standing.kind == "player" or standing.remaining < 0:
        response.headers["RateLimit"] = f'"{standing.kind}";r={max(0, standing.remaining)};t={standing.seconds}'
    return response


def _count(kind: str, name: str) -> None:
    """Count this request for its player or its address; raise `Problem` too-many if that asks too often."""
    g.standing = rate_limit.count(kind, name)
    rate_limit.check(g.standing)
