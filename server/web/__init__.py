"""Routes beside the API: pages for players, health for machines, the documentation, the programs to download, the page
that ends mail, and the development mailbox.
"""

from functools import partial

from flask import Blueprint, Flask, Response, jsonify, request, send_file

from server.application.health import health
from server.application.limits import rate_limit
from server.http import peer
from server.vocabulary import resources
from server.vocabulary.errors import database_unusable
from server.vocabulary.translation import current
from server.web import (
    answer,
    documentation,
    forms,
    headers,
    held,
    landing,
    languages,
    legal,
    mailbox,
    practice,
    reporting,
    rules,
    scripts,
    signing_in,
    static_files,
    unsubscribe,
    visitors,
)
from server.web.game import board, pair
from server.web.game import routes as game_routes
from server.web.me import routes as me_routes
from server.web.new_game import form as new_game_form
from server.web.operator import pages as operator_pages
from server.web.operator import people as operator_people

# What anybody may ask for and takes a while to make or to send, the document of the API included.
COUNTED = {
    "api-docs.openapi_json", "docs", "docs_page", "how_to_play", "imprint", "map", "privacy", "readyz", "stop",
    "tour", "usual_rules", "verifier", "client",
}  # fmt: skip


def register(app: Flask) -> None:
    """Add the pages to `app`."""
    app.add_url_rule("/healthz", "healthz", healthz)
    app.add_url_rule("/readyz", "readyz", readyz)
    app.add_url_rule("/metrics", "metrics", figures)
    app.add_url_rule("/verifier.py", "verifier", partial(standalone, "verifier.py"))
    app.add_url_rule("/client.py", "client", partial(standalone, "client.py"))
    app.add_url_rule("/docs", "docs", documentation.index)
    app.add_url_rule("/docs/<guide>", "docs_page", documentation.page)
    app.add_url_rule("/tour", "tour", rules.tour)
    app.add_url_rule("/how-to-play", "usual_rules", rules.usual)
    app.add_url_rule("/how-to-play/<edition>", "how_to_play", rules.of_edition)
    app.add_url_rule("/maps/<name>.pdf", "map", rules.map_to_print)
    app.add_url_rule("/style.css", "style", static_files.versioned)
    app.add_url_rule("/scripts/<name>.js", "script", scripts.script)
    app.add_url_rule("/scripts/<version>/<name>.js", "script", scripts.script)
    app.url_defaults(_with_version)
    app.add_url_rule("/service-worker.js", "service_worker", partial(scripts.script, "service_worker"))
    app.add_url_rule("/manifest.webmanifest", "manifest", static_files.manifest)
    app.add_url_rule("/offline", "offline", static_files.offline)
    app.add_url_rule("/icons/<int:pixels>.png", "app_icon", static_files.app_icon)
    app.add_url_rule("/icons/<name>.svg", "icon", static_files.icon)
    app.add_url_rule("/example.svg", "example", static_files.versioned)
    app.add_url_rule("/favicon.ico", "favicon", static_files.favicon)
    app.add_url_rule("/art.svg", "art", static_files.versioned)
    app.add_url_rule("/heading.woff2", "heading", static_files.versioned)
    app.add_url_rule("/boards/<name>.svg", "ground", board.layer)
    app.add_url_rule("/boards/<name>-stations.svg", "discs", board.layer)
    app.add_url_rule("/imprint", "imprint", legal.imprint)
    app.add_url_rule("/privacy", "privacy", legal.privacy)
    app.add_url_rule("/stop/<token>", "stop", unsubscribe.page, methods=["GET", "POST"])
    app.register_blueprint(_pages())
    app.before_request(languages.begin)
    app.before_request(_count)
    app.after_request(headers.guard)
    app.after_request(languages.finish)
    app.teardown_request(languages.end)
    if app.extensions["blackticket"].settings.dev_mail:
        app.add_url_rule("/dev/mail", "mailbox", mailbox.page)
        app.add_url_rule("/dev/mail", "send_dev_mail", mailbox.send, methods=["POST"])
        app.add_url_rule("/dev/mail/html", "dev_mail_html", mailbox.html)


def _with_version(endpoint: str, values: dict[str, object]) -> None:
    """Add the version to the address of the style, the font, the drawings or a script, which changes when they do."""
    if endpoint in static_files.VERSIONED:
        values.setdefault("v", static_files.version_of(endpoint, current()))
    elif endpoint == "script":
        values.setdefault("version", scripts.version_of_scripts(current()))


def load(app: Flask) -> None:
    """Load what the first view of a game's page would wait for: templates and the usual board."""
    for name in app.jinja_env.list_templates(filter_func=_is_of_game):
        app.jinja_env.get_template(name)
    board.prepare()


def _is_of_game(template: str) -> bool:
    return template.startswith(("web/game/", "web/page.html", "web/_languages.html", "web/art.svg", "board/_"))


def _pages() -> Blueprint:
    """Return the pages for players: each knows its visitor, see `visitors`."""
    found = Blueprint("pages", __name__)
    found.before_request(visitors.admit)
    found.before_request(languages.speak_to_visitor)
    found.before_request(forms.refuse_doubled)
    found.before_request(pair.choose)
    found.url_defaults(pair.name_seat)
    found.after_request(visitors.finish)
    for path, endpoint, view, methods in (
        ("/", "landing", landing.show, ("GET",)),
        ("/practice", "practise", practice.practise, ("POST",)),
        ("/friends", "play_with_friends", landing.play_with_friends, ("POST",)),
        ("/sign-in", "sign_in", signing_in.ask, ("GET", "POST")),
        ("/sign-in/code", "enter_code", signing_in.enter_code, ("GET", "POST")),
        ("/sign-in/code/<code>", "use_code", signing_in.use_code, ("GET", "POST")),
        ("/language", "use_language", languages.choose, ("POST",)),
        ("/sign-out", "sign_out", signing_in.sign_out, ("POST",)),
        *me_routes.ROUTES,
        *operator_pages.ROUTES,
        *operator_people.ROUTES,
        *game_routes.ROUTES,
        ("/public-games", "public_games", landing.public_games, ("GET",)),
        ("/games", "new_game", new_game_form.show, ("GET", "POST")),
        ("/games/<game_id>/rules", "game_rules", rules.of_game, ("GET",)),
        ("/games/<game_id>/report", "report", reporting.in_game, ("GET", "POST")),
        ("/answer/<token>/<name>", "answer", answer.of_mail, ("GET", "POST")),
        ("/games/<game_id>/held", "held_on_page", held.on_page, ("POST",)),
        ("/reports/<token>", "report_invitation", reporting.of_mail, ("GET", "POST")),
    ):
        found.add_url_rule(path, endpoint, view, methods=methods)
    return found


def _count() -> None:
    """Count a request for one of these for the address it comes from. `/healthz` answers always, and costs nothing."""
    if request.endpoint in COUNTED:
        rate_limit.check(rate_limit.count("address", peer.client()), rate_limit.FROM_NETWORK)


def healthz() -> Response:
    """Answer that the process runs."""
    return jsonify({"status": "ok"})


def standalone(name: str) -> Response:
    """Return a program that players download: the verifier of transcripts, or the client of the API."""
    return send_file(resources.standalone() / name, mimetype="text/x-python", as_attachment=True, download_name=name)


def figures() -> Response:
    """Return the metrics, for callers with the operator's token."""
    from server.web.metrics import page  # noqa: PLC0415 its library loads slowly

    return page()


def readyz() -> tuple[Response, int]:
    """Return 200 if this process can serve, as the database can be written, with details; else 503 with the reason.

    It is 200 too where no worker looks, which a balancer cannot mend by leaving this process out. Anybody may ask, so
    the answer has no path and no name of a mailbox.
    """
    try:
        facts = health.readiness()
    except health.NotReady as error:
        return jsonify({"status": str(error)}), 503
    except Exception:  # noqa: BLE001 whatever is wrong, the answer is the same
        return jsonify({"status": database_unusable()}), 503
    return jsonify({"status": "ready", **facts}), 200
