"""What is fetched without the API: health for machines, the verifier, and the development mailbox."""

from pathlib import Path

from flask import Flask, Response, jsonify, send_file
from sqlalchemy import text

from server.models import session
from server.web import mailbox

VERIFIER = Path(__file__).parents[1] / "verifier.py"


def register(app: Flask) -> None:
    """Add the pages to `app`."""
    app.add_url_rule("/healthz", "healthz", healthz)
    app.add_url_rule("/readyz", "readyz", readyz)
    app.add_url_rule("/verifier.py", "verifier", verifier)
    if app.extensions["blackticket"].settings.dev_mail:
        app.add_url_rule("/dev/mail", "mailbox", mailbox.page)


def healthz() -> Response:
    """The process answers."""
    return jsonify({"status": "ok"})


def verifier() -> Response:
    """The file with which players check a sealed log, to be kept and run on a machine of their own."""
    return send_file(VERIFIER, mimetype="text/x-python", as_attachment=True, download_name="verifier.py")


def readyz() -> tuple[Response, int]:
    """The database answers."""
    try:
        session.execute(text("SELECT 1"))
    except Exception:  # noqa: BLE001 whatever is wrong, the answer is the same
        return jsonify({"status": "the database does not answer"}), 503
    return jsonify({"status": "ready"}), 200
