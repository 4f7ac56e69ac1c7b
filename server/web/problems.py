"""Errors as pages, for browsers."""

from typing import Any, cast

from flask import Response, make_response, render_template, request
from werkzeug.exceptions import HTTPException

from server.application.errors import Problem

_TITLES = {
    403: "That is not yours to do", 404: "There is nothing here", 405: "That cannot be done here",
    413: "That is too long",
}  # fmt: skip
_SENTENCES = {413: "What you sent is longer than this page takes. Go back, shorten it, and send it again."}
NOWHERE = "There is no such page, or it is not for everybody to see."


def page(template: str, problem: Problem | None = None, **context: object) -> Response:
    """Return a page of `templates/web`, which tells of `problem` if a form was refused."""
    response = make_response(render_template(f"web/{template}.html", problem=problem, **context))
    response.status_code = problem.entry.status if problem else 200
    return response


def page_for_browser(error: Problem | HTTPException) -> Response | None:
    """Return the page that tells of an error if a browser asked for a page; None for the API, and for programs."""
    if isinstance(error, HTTPException) and error.response is not None:  # a redirection
        return cast("Response", error.response)
    accepted = request.accept_mimetypes.best_match(("application/json", "text/html"))
    return None if request.path.startswith("/api/") or accepted != "text/html" else _page_of(error)


def _page_of(error: Problem | HTTPException) -> Response:
    """Return the page that tells of an error. A game that is hidden gets the same page as one that is not there."""
    if isinstance(error, Problem):
        status, title, sentence = error.entry.status, error.entry.title, error.sentence
    else:
        status = error.code or 500
        title, sentence = _TITLES.get(status, error.name), _SENTENCES.get(status, str(error.description))
    if status == 404:
        title, sentence = _TITLES[404], NOWHERE
    response = make_response(render_template("web/problem.html", title=title, sentence=sentence, status=status))
    response.status_code = status
    response.headers["Cache-Control"] = "no-store"
    facts: dict[str, Any] = error.facts if isinstance(error, Problem) else {}
    if "retry_after" in facts:
        response.headers["Retry-After"] = str(facts["retry_after"])
    return response
