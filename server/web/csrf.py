"""Protection against cross-site request forgery: a form counts only if a page of this server has sent it.

A page of another site could make a browser send a form with our cookie; every browser says where a form comes from.
"""

from urllib.parse import urlsplit

from flask import request

from server.runtime import runtime
from server.settings import is_loopback
from server.vocabulary.translation import gettext


def is_from_here() -> bool:
    """Return True if a page of this server has sent the request.

    With a public URL such a page has that address, or one of the server's own machine. Another name can lead to this
    server too (DNS rebinding). Its `Origin` agrees with its `Host`, but the page may be somebody else's.
    """
    site, origin = request.headers.get("Sec-Fetch-Site"), request.headers.get("Origin")
    if site not in (None, "same-origin"):
        return False
    # A proxy may hand on a Host of its own, so Origin counts first.
    given, public = urlsplit(origin or ""), urlsplit(runtime().settings.public_url or "")
    sender = given.netloc or (request.host if site else "")
    if public.netloc and _host_and_port(sender) == _host_and_port(public.netloc):
        return given.scheme in ("", public.scheme)
    return (site is not None or sender == request.host) and (not public.netloc or _is_loopback(sender))


def _host_and_port(netloc: str) -> tuple[str, int | None] | None:
    """Return host and port (None for the usual ones) in one form for all ways to write them; None if malformed."""
    try:
        parts = urlsplit(f"//{netloc.lower()}")
        return (parts.hostname or "").encode("idna").decode(), parts.port if parts.port not in (80, 443) else None
    except ValueError:
        return None


def _is_loopback(netloc: str) -> bool:
    place = _host_and_port(netloc)
    return place is not None and is_loopback(place[0])


def refusal() -> str:
    """Return the sentence that refuses a form which no page of this server has sent."""
    public = runtime().settings.public_url
    nothing = gettext("This form was not sent from a page of this server, so nothing was done.")
    there = gettext("Open {address} and try again there.", address=str(public) + "/") if public else ""
    return f"{nothing} {there}".rstrip()
