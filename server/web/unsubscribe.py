"""The page of a mail's List-Unsubscribe. Opening it does nothing, because mail programs open every link."""

from flask import Response, abort, render_template, request

from server.application.game import reply_addresses
from server.application.mail import unsubscribe
from server.models import session


def page(token: str) -> Response:
    """Return the page that says what an unsubscription does; a POST does it (RFC 8058). 404 for an unknown token.

    One click ends the mail of the game that the mail was about. The buttons of the page end all mail, or undo that.
    """
    mail_id = reply_addresses.marked(token, reply_addresses.STOP)
    if mail_id is None:
        abort(404)
    game = unsubscribe.name_of_game(mail_id)
    done = unsubscribe.stopped(mail_id)
    session.rollback()  # hold nothing in the database while the page is made, nor touch it after the commit
    if request.method == "POST":
        done = _do(mail_id, game)
    answer = Response(render_template("web/stop.html", done=done, game=game), mimetype="text/html")
    answer.headers["Cache-Control"] = "no-store"
    return answer


def _do(mail_id: str, game: str | None) -> str:
    """Do what the buttons ask for, or the one click if there is no button; return what was done."""
    if "again" in request.form:
        unsubscribe.start_again(mail_id)
        return "again"
    ends_all = "all" in request.form or game is None
    unsubscribe.stop(mail_id, all_of_it=ends_all)
    return "all" if ends_all else "game"
