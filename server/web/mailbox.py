"""The development mailbox: the mails of the Maildir in a browser on the same machine, only with DEV_MAIL."""

import ipaddress
import mailbox
from dataclasses import dataclass
from email import message_from_bytes
from email.policy import default

from flask import abort, render_template, request

from server.runtime import runtime

NEWEST = 200


@dataclass(frozen=True)
class Letter:
    """A mail as the page shows it."""

    key: str
    to: str
    reply_to: str
    subject: str
    date: str
    text: str


def page() -> str:
    """Return the page of all mails, the newest first, or of one with `?key=`; 404 for other machines."""
    if not (_is_here(request.remote_addr) and _is_here(request.host.rpartition(":")[0] or request.host)):
        abort(404)
    folder = mailbox.Maildir(runtime().settings.var / "mail")
    key = request.args.get("key")
    if key is None:
        newest = sorted(folder.keys(), reverse=True)[:NEWEST]
        return render_template("web/mailbox.html", messages=[_letter(folder, key) for key in newest])
    if key not in folder:
        abort(404)
    return render_template("web/mailbox.html", message=_letter(folder, key))


def _is_here(host: str | None) -> bool:
    """Return whether `host` is this machine. The Host header is checked too: it shows a proxy, or DNS rebinding."""
    try:
        return host == "localhost" or ipaddress.ip_address((host or "").strip("[]")).is_loopback
    except ValueError:
        return False


def _letter(folder: mailbox.Maildir, key: str) -> Letter:
    message = message_from_bytes(folder.get_bytes(key), policy=default)
    body = message.get_body(("plain",))
    return Letter(
        key, message["To"], message["Reply-To"], message["Subject"], message["Date"], body.get_content() if body else ""
    )
