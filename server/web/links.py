"""Links to pages of this server, for use outside of them."""

from typing import Any
from urllib.parse import urlsplit

from flask import request, url_for

from server.runtime import runtime
from server.settings import is_loopback


def link(endpoint: str, **values: Any) -> str:
    """Return the whole address of a page, at the public URL or else where the browser has found the server."""
    return _site().rstrip("/") + url_for(endpoint, **values)


def public_link(endpoint: str, **values: Any) -> str:
    """Return the whole address of a page, empty where the server has no public URL."""
    return link(endpoint, **values) if runtime().settings.public_url else ""


def where_mail_is() -> dict[str, object]:
    """Return what `where_mail_is` of `web/fields.html` tells: `mailbox`, a page or None, and `has_relay`."""
    settings = runtime().settings
    return {"mailbox": url_for("mailbox") if settings.dev_mail else None, "has_relay": settings.smtp_url is not None}


def is_only_here() -> bool:
    """Return True if the links lead to this machine alone, so that no other device can open them."""
    return is_loopback(urlsplit(_site()).hostname or "")


def _site() -> str:
    return runtime().settings.public_url or request.host_url
