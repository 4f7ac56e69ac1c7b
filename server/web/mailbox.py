"""The development mailbox: what the Maildir holds, in a browser on the same machine. Only with DEV_MAIL."""

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
    """One mail, as it is shown."""

    key: str
    to: str
    reply_to: str
    subject: str
    date: str
    text: str


def page() -> str:
    """All mails, the newest first, or with `?key=` one of them; 404 for anybody who is not on this machine."""
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
    """Whether `host` is this machine. The name asked for counts too: it betrays a proxy, or a page that rebinds."""
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
