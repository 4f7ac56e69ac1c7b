"""The visitors of the pages: who is signed in with a browser, and the checks that each request of a page passes."""

import re
from datetime import timedelta
from typing import NoReturn, cast

from flask import Response, abort, g, make_response, redirect, render_template, request, url_for

from server.application.limits import rate_limit
from server.application.people import blocked_networks, codes
from server.application.people.accounts import browsers
from server.http import peer
from server.models import Player
from server.models.actors import Actor, act_as
from server.runtime import now, runtime
from server.vocabulary.errors import refusal
from server.vocabulary.translation import gettext, gettext_noop
from server.web import csrf, headers

COOKIE = "blackticket"
SECOND = "blackticket_second"  # the session of a second guest of the browser, see `server.web.game.pair`
TRIAL = "blackticket_trial"  # shows that the browser keeps cookies, and which browser fetched the form of somebody new
TRIED_FOR = timedelta(minutes=15)
_NO_COOKIES = gettext_noop(
    "Your browser keeps no cookies of this site, so it would lose your seat with the next page, and nothing was begun. "
    "Allow cookies for this site, and try again."
)
# With this prefix a browser takes a cookie only from this very host, over TLS: none that a neighbour's host has set.
HOST_ONLY = "__Host-"
# Browsers and the systems they run on, in the words of their User-Agent; the first that is found counts.
_BROWSERS = (("Firefox/", "Firefox"), ("Edg", "Edge"), ("OPR/", "Opera"), ("Chrome/", "Chrome"), ("Safari/", "Safari"))
_UNKNOWN, _ON = "A browser", " on "  # of the name as it is stored, and as programs read it
_SYSTEMS = (
    ("Android", "Android"), ("iPhone", "iPhone"), ("iPad", "iPad"), ("Windows", "Windows"), ("Mac OS", "Mac"),
    ("Linux", "Linux"),
)  # fmt: skip
_OWN_PATH = re.compile(r"/(?:join/(?P<code>[a-z0-9]+)|[A-Za-z0-9/_-]{,200})", re.ASCII)


def admit() -> None:
    """Find the player who sends a request of a page, and count the request; a question for news is a small one.

    A form must come from a page of ours. Nobody in a blocked network gets one of these pages.
    """
    g.visitor, g.together, g.to_be_remembered = None, [], []
    actors = []
    blocked_networks.check(peer.address())
    for name in (COOKIE, SECOND):
        known = browsers.use_session(cookie(name)) if cookie(name) else None
        if known is not None and known[0] not in g.together:
            g.together.append(known[0])
            is_move = request.endpoint == "pages.move"
            actors.append(Actor(known[0].id, codes.digest(cookie(name)), _lead_to_sign_in, is_read_with_game=is_move))
            g.to_be_remembered += [name] if known[1] else []
    g.visitor = g.together[0] if g.together else None
    if actors:
        act_as(*actors)
    count_request(is_small=request.endpoint in ("pages.news", "pages.news_stream"))
    if request.method == "POST" and not csrf.is_from_here():
        abort(403, csrf.refusal())


def count_request(*, is_small: bool = False) -> None:
    """Count a request of the visitor; `Problem` too-many if it is one too many."""
    standing = rate_limit.count(*counts_for(), is_small=is_small)
    rate_limit.check(standing, rate_limit.FROM_YOU if g.visitor else rate_limit.FROM_NETWORK)


def counts_for() -> tuple[str, str]:
    """Return for whom a request counts: the player who is signed in, or else the address."""
    return ("player", g.visitor.id) if g.visitor else ("address", peer.client())


def visitor() -> Player | None:
    """Return the player who is signed in with the browser that asks, None if nobody is."""
    player: Player | None = g.visitor
    return player


def together() -> list[Player]:
    """Return the players who play in the browser that asks, the one who is signed in first: two at most."""
    return list(g.get("together", ()))


def signed_in() -> Player:
    """Return the player who is signed in; where nobody is the answer leads to the page for that."""
    player = visitor()
    if player is None:
        _lead_to_sign_in()
    return player


def _lead_to_sign_in() -> NoReturn:
    undone = None if request.method != "POST" else "move" if request.endpoint == "pages.move" else "form"
    abort(redirect(url_for("pages.sign_in", next=own_path(_here()), undone=undone), 303))


def check_cookies() -> None:
    """Refuse a browser that keeps no cookies, before somebody new is made who would be lost with the next page.

    A browser without any is given one, and sends its form once more.

    Raises:
        Problem: `form` if the cookie did not come back.
    """
    if request.cookies:
        return
    if request.args.get("again"):
        raise refusal("form", _NO_COOKIES)
    response = redirect(url_for(request.endpoint or "", **(request.view_args or {}), again="yes"), 307)
    try_cookies(cast("Response", response))
    abort(response)


def trial() -> str:
    """Return what the cookie of `try_cookies` holds, a new value if the browser sent none."""
    if "trial" not in g:
        g.trial = cookie(TRIAL) or runtime().new_id("trial of cookies")
    return str(g.trial)


def try_cookies(response: Response) -> None:
    """Let a browser in which nobody is signed in keep a cookie, by which it is known again when it sends a form."""
    set_cookie(response, TRIAL, trial(), TRIED_FOR)


def _here() -> str:
    """Return where the visitor is: the page that is asked for, or that of the game whose form was sent."""
    if request.method != "POST":
        return request.full_path.rstrip("?")
    if (then := request.form.get("next")) is not None:
        return own_path(then)
    game = (request.view_args or {}).get("game_id")
    return "/" if game is None else url_for("pages.game", game_id=game)


def path_here() -> str:
    """Return the path of the page that the visitor sees, to come back to; where it has none, that of the first page."""
    is_news = request.endpoint == "pages.news"
    path = url_for("pages.game", **(request.view_args or {})) if is_news else request.path
    return path if _OWN_PATH.fullmatch(path) else "/"


def with_address() -> Player:
    """Return the player who is signed in and has an address; a guest gets a page that asks for one."""
    player = signed_in()
    if player.is_guest:
        abort(make_response(render_template("web/address_first.html", here=own_path(_here())), 403))
    return player


def own_path(path: str) -> str:
    """Return `path` if it is one of ours, and else that of the player's games."""
    return path if _OWN_PATH.fullmatch(path) and not path.startswith("//") else url_for("pages.me")


def code_in(path: str) -> str:
    """Return the code of the game to whose page `path` leads, empty if it holds none."""
    match = _OWN_PATH.fullmatch(path)
    return match["code"] or "" if match else ""


def secret() -> str:
    """Return the secret of the browser's session, empty if it sent none."""
    return cookie(COOKIE) or cookie(SECOND)


def secrets() -> list[str]:
    """Return the secrets of the sessions of the browser that asks: two where two guests play in it."""
    return [cookie(name) for name in (COOKIE, SECOND) if cookie(name)]


def remember(response: Response, secret: str, name: str = COOKIE) -> Response:
    """Let the browser keep the secret of its session, in the cookie of this name."""
    set_cookie(response, name, secret, browsers.REMEMBERED)
    return response


def set_cookie(response: Response, name: str, value: str, good_for: timedelta | None) -> None:
    """Set a cookie that no script reads and no form of another site sends; without a length for one visit."""
    response.set_cookie(
        _named(name), value, max_age=good_for, expires=None if good_for is None else now() + good_for,
        secure=_is_over_tls() or request.is_secure, httponly=True, samesite="Lax", path="/",
    )  # fmt: skip


def cookie(name: str) -> str:
    """Return the value of a cookie that `set_cookie` has set, empty if the browser sent none."""
    return request.cookies.get(_named(name), "")


def delete_cookie(response: Response, name: str) -> None:
    """Let the browser forget a cookie."""
    response.delete_cookie(_named(name), path="/", secure=_is_over_tls())


def _named(name: str) -> str:
    return HOST_ONLY + name if _is_over_tls() else name


def _is_over_tls() -> bool:
    return (runtime().settings.public_url or "").startswith("https:")


def forget(response: Response) -> Response:
    """Let the browser forget its sessions."""
    for name in (COOKIE, SECOND):
        if cookie(name):
            delete_cookie(response, name)
    return response


def finish(response: Response) -> Response:
    """Keep what a player may know out of every cache, and remember the browser for longer once a day.

    What the request did is committed by now, so nothing here asks the database.
    """
    response.vary.add("Cookie")
    if response.mimetype == "text/html":
        response.headers["Content-Security-Policy"] = headers.SCRIPTED
    is_signed_in = g.get("visitor") is not None
    if is_signed_in or request.method == "POST":
        response.headers["Cache-Control"] = "no-store"
    else:
        response.headers.setdefault("Cache-Control", "no-cache")
    if "Set-Cookie" not in response.headers:
        for name in g.get("to_be_remembered", ()):
            remember(response, cookie(name), name)
    return response


def browser() -> str:
    """Return the browser that asks and its system, as its owner will find it in a list: `Firefox on Linux`."""
    agent = request.headers.get("User-Agent", "")
    name = next((name for mark, name in _BROWSERS if mark in agent), _UNKNOWN)
    system = next((name for mark, name in _SYSTEMS if mark in agent), "")
    return f"{name}{_ON}{system}" if system else name


def browser_in_words(stored: str) -> str:
    """Return in the language of the reader what `browser` returned."""
    name, _, system = stored.partition(_ON)
    name = gettext("A browser") if name == _UNKNOWN else name
    return gettext("{browser} on {system}", browser=name, system=system) if system else name
