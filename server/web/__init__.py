"""Pages outside the API: health for machines, the documentation, the verifier, the page that ends mail,
the development mailbox.
"""

from pathlib import Path

from flask import Flask, Response, jsonify, send_file

from server.application.errors import database_unusable
from server.application.upkeep import health
from server.web import mailbox, pages, unsubscribe

VERIFIER = Path(__file__).parents[1] / "standalone" / "verifier.py"


def register(app: Flask) -> None:
    """Add the pages to `app`."""
    app.add_url_rule("/healthz", "healthz", healthz)
    app.add_url_rule("/readyz", "readyz", readyz)
    app.add_url_rule("/metrics", "metrics", figures)
    app.add_url_rule("/verifier.py", "verifier", verifier)
    app.add_url_rule("/docs", "docs", pages.index)
    app.add_url_rule("/docs/<guide>", "docs_page", pages.page)
    app.add_url_rule("/style.css", "style", pages.style)
    app.add_url_rule("/stop/<token>", "stop", unsubscribe.page, methods=["GET", "POST"])
    app.after_request(pages.guard)
    if app.extensions["blackticket"].settings.dev_mail:
        app.add_url_rule("/dev/mail", "mailbox", mailbox.page)


def healthz() -> Response:
    """Answer that the process runs."""
    return jsonify({"status": "ok"})


def verifier() -> Response:
    """Return the program with which players check a sealed log on their own machines."""
    return send_file(VERIFIER, mimetype="text/x-python", as_attachment=True, download_name="verifier.py")


def figures() -> Response:
    """Return the metrics, for callers with the operator's token."""
    from server.web.metrics import page  # noqa: PLC0415 its library loads slowly

    return page()


def readyz() -> tuple[Response, int]:
    """Return 200 if the database can be written and a worker ticks, with details; else 503 with the reason.

    Anybody may ask, so the answer has no path and no name of a mailbox.
    """
    try:
        facts = health.readiness()
    except health.NotReady as error:
        return jsonify({"status": str(error)}), 503
    except Exception:  # noqa: BLE001 whatever is wrong, the answer is the same
        return jsonify({"status": database_unusable()}), 503
    if not health.is_ticking():
        return jsonify({"status": "no worker ticks", **facts}), 503
    return jsonify({"status": "ready", **facts}), 200
