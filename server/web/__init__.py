"""What is fetched without the API: health for machines, and the development mailbox."""

from flask import Flask, Response, jsonify
from sqlalchemy import text

from server.models import session
from server.web import mailbox


def register(app: Flask) -> None:
    """Add the pages to `app`."""
    app.add_url_rule("/healthz", "healthz", healthz)
    app.add_url_rule("/readyz", "readyz", readyz)
    if app.extensions["blackticket"].settings.dev_mail:
        app.add_url_rule("/dev/mail", "mailbox", mailbox.page)


def healthz() -> Response:
    """The process answers."""
    return jsonify({"status": "ok"})


def readyz() -> tuple[Response, int]:
    """The database answers."""
    try:
        session.execute(text("SELECT 1"))
    except Exception:  # noqa: BLE001 whatever is wrong, the answer is the same
        return jsonify({"status": "the database does not answer"}), 503
    return jsonify({"status": "ready"}), 200
