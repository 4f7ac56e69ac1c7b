"""Links to pages of this server, for use outside of them."""

from typing import Any
from urllib.parse import urlsplit

import segno
from flask import request, url_for
from markupsafe import Markup

from server.runtime import networks, runtime
from server.settings import is_loopback


def link(endpoint: str, **values: Any) -> str:
    """Return the whole address of a page, at the public URL or else where the one who asks has found the server."""
    return _site().rstrip("/") + url_for(endpoint, **values)


def qr_code(address: str) -> Markup:
    """Return a QR code of an address, as an SVG of its own; dark on light, whatever the colours of the page."""
    code = segno.make(address, error="m", micro=False)
    return Markup(code.svg_inline(light="#fff", omitsize=True))  # noqa: S704 of squares alone


def public_link(endpoint: str, **values: Any) -> str:
    """Return the whole address of a page, empty where the server has no public URL."""
    return link(endpoint, **values) if runtime().settings.public_url else ""


def is_only_here() -> bool:
    """Return True if the links lead to this machine alone, so that no other device can open them."""
    return is_loopback(urlsplit(_site()).hostname or "")


def _site() -> str:
    """Return where others reach the server: the public URL, or else where the one who asks has found it.

    The host name of a request is the word of whoever sends it, and so such a link is for them alone. If somebody on
    this machine asks a server that listens on all addresses, it is the one in the network at home.
    """
    settings = runtime().settings
    if settings.public_url:
        return settings.public_url
    at = networks.address_in_network(settings.http_listen)
    is_here = is_loopback(urlsplit(request.host_url).hostname or "")
    return str(at) if is_here and not at.is_loopback else request.host_url
