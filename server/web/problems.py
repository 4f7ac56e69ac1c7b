"""Errors as pages, for browsers."""

from http import HTTPStatus
from pathlib import PurePosixPath
from typing import cast

from flask import Response, current_app, g, make_response, redirect, render_template, request, url_for
from werkzeug.exceptions import BadHost, HTTPException, MethodNotAllowed

from server.application.people import blocked_networks
from server.runtime import now
from server.vocabulary.durations import rfc3339
from server.vocabulary.errors import Problem
from server.vocabulary.translation import gettext, gettext_noop

_TITLES = gettext_noop({
    400: "Bad Request", 403: "That is not yours to do", 404: "There is nothing here", 405: "That cannot be done here",
    413: "That is too long", 415: "Unsupported Media Type", 416: "Requested Range Not Satisfiable",
})  # fmt: skip
_SENTENCES = gettext_noop({
    400: "The browser (or proxy) sent a request that this server could not understand.",  # as Werkzeug says it
    404: "There is no such page, or it is not for everybody to see.",
    405: "The method is not allowed for the requested URL.",
    413: "You sent more than this server takes, so nothing was done. Write less, and send it again.",
    415: "The server does not support the media type transmitted in the request.",
    416: "The server cannot provide the requested range.",
})  # fmt: skip


def page(template: str, problem: Problem | None = None, **context: object) -> Response:
    """Return a page of `templates/web`, which tells of `problem` if a form was refused, or that one was accepted.

    As news for a page that is open, it is what can change of it: title, icon, mark and main part.
    """
    layout = f"web/{'news' if request.endpoint == 'pages.news' else 'page'}.html"
    told = {"done": request.args.get("done") == "yes", "layout": layout, "server_time": rfc3339(now()), **context}
    response = make_response(render_template(f"web/{template}.html", problem=problem, **told))
    response.status_code = problem.entry.status if problem else 200
    return response


def page_for_browser(error: Problem | HTTPException) -> Response | None:
    """Return the page that tells of an error if a browser asked for a page; None for the API, and for programs."""
    if isinstance(error, HTTPException) and error.response is not None:  # a redirection
        return cast("Response", error.response)
    if isinstance(request.routing_exception, BadHost):  # a page has links, which need one
        return Response("The Host of this request is no name of a server.\n", BadHost.code, mimetype="text/plain")
    # A browser's script takes everything, as programs do; only the pages have no answer in JSON.
    kinds = ("text/html", "application/json") if request.blueprint == "pages" else ("application/json", "text/html")
    accepted = request.accept_mimetypes.best_match(kinds)
    if request.path.startswith("/api/") or accepted != "text/html":
        return None
    page_above = _page_above() if isinstance(error, MethodNotAllowed) and request.method == "GET" else None
    return cast("Response", redirect(page_above, 303)) if page_above else _page_of(error)


def _page_above() -> str | None:
    """Return the address of the page whose forms are sent to this address, which is no page itself.

    A browser asks for such an address when somebody loads the answer to a form again. The forms of a game are on the
    game's page; the page of any other form is the nearest one above its address.
    """
    adapter = current_app.create_url_adapter(request)
    assert adapter is not None  # there is a request
    try:
        _, values = adapter.match(method="POST")
    except HTTPException:
        return None
    if "game_id" in values:
        return url_for("pages.game", game_id=values["game_id"])
    above = map(str, PurePosixPath(request.path).parents)
    return next((path for path in above if adapter.test(path, "GET")), None)


def _page_of(error: Problem | HTTPException) -> Response:
    """Return the page that tells of an error. A game that is hidden gets the same page as one that is not there."""
    if isinstance(error, Problem):
        status, title, sentence = error.entry.status, gettext(error.entry.title), error.sentence
    else:
        status = error.code or 500
        title = gettext(_TITLES[status]) if status in _TITLES else error.name
        sentence = gettext(_SENTENCES[status]) if status in _SENTENCES else str(error.description)
    if status == 404:
        title = gettext(_TITLES[404])
    if status in (404, 413):
        sentence = gettext(_SENTENCES[status])
    # Where every other page is refused, too, none leads there.
    is_shut_out = status == HTTPStatus.FORBIDDEN and blocked_networks.is_blocked(request.remote_addr or "::")
    g.path_here = lambda: "/"  # for the switch of languages: the page says nothing of the address
    context = {"title": title, "sentence": sentence, "status": status, "is_shut_out": is_shut_out}
    response = make_response(render_template("web/problem.html", **context))
    response.status_code = status
    response.headers["Cache-Control"] = "no-store"
    facts: dict[str, object] = error.facts if isinstance(error, Problem) else {}
    if "retry_after" in facts:
        response.headers["Retry-After"] = str(facts["retry_after"])
    return response
