"""The page to which a mail's List-Unsubscribe leads. Looking at it does nothing: mail programs open every link."""

from flask import Response, abort, render_template, request

from server.application.mail import addresses, reach
from server.models import session


def page(token: str) -> Response:
    """Says what would be done, and does it when asked to by POST, as RFC 8058 has it; 404 for no token of ours."""
    mail_id = addresses.marked(token, addresses.STOP)
    if mail_id is None:
        abort(404)
    is_done = request.method == "POST"
    if is_done:
        reach.stop(mail_id)
    session.rollback()
    answer = Response(render_template("web/stop.html", is_done=is_done), mimetype="text/html")
    answer.headers["Cache-Control"] = "no-store"
    return answer
