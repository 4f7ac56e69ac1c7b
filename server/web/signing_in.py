"""Sign in and out. Opening the link of a code does nothing yet, because mail programs open every link."""

from flask import Response, make_response, redirect, request, url_for

from server.application.people import codes
from server.application.people.accounts import browsers, sign_up
from server.http import peer
from server.models import transaction
from server.runtime import runtime
from server.vocabulary.errors import Problem, refusal
from server.vocabulary.translation import gettext, gettext_noop
from server.web import forms, visitors
from server.web.problems import page

WAY = "blackticket_way"  # the cookie with the page that somebody wanted to see
# What a form that came after the end of a session has not done.
UNDONE = gettext_noop({
    "move": "You are not signed in with this browser any more, so your move was not made. Sign in, and make it again.",
    "form": "You are not signed in with this browser any more, so nothing was done. Sign in, and send it again.",
})  # fmt: skip


def ask() -> Response:
    """Show the form for a mail address; a POST mails a code to it, and says the same for every address.

    A player who signed in meanwhile, as by a form sent twice, is led on.
    """
    then = visitors.own_path(request.values.get("next", ""))
    player = visitors.visitor()
    if request.method == "GET" and "next" in request.args and player is not None and not player.is_guest:
        return make_response(redirect(then, 303))
    if request.method != "POST":
        return _form(then, {})
    try:
        sign_up.request_sign_in(request.form.get("email", ""), network=peer.network())
    except Problem as problem:
        if problem.code == "too-many":  # a code that came before is still good
            return _code_page(problem, then, {})
        wrong = {"email": problem.sentence}
        return _form(then, wrong, problem)
    return _keep_way(make_response(redirect(url_for("pages.enter_code", next=then), 303)), then)


def _form(then: str, wrong: dict[str, str], problem: Problem | None = None) -> Response:
    admission = runtime().settings.admission.value
    known = {"undone": gettext(UNDONE.get(request.args.get("undone", ""), "")), "email": request.form.get("email", "")}
    is_to_host = then == url_for("pages.new_game")
    return page("sign_in", problem, then=then, admission=admission, wrong=wrong, is_to_host=is_to_host, **known)


def enter_code() -> Response:
    """Show the form for the code from the mail; a POST leads to the page of the code."""
    then = visitors.own_path(request.values.get("next", ""))
    code = forms.code()
    if request.method != "POST":
        return _code_form(then)
    if not code.isalnum():
        return _code_form(then, refusal("form", "A code has only letters and digits."))
    return make_response(redirect(url_for("pages.use_code", code=code, next=then), 303))


def use_code(code: str) -> Response:
    """Show a button that signs in with the code, and asks somebody new for a name; a POST signs in."""
    then = visitors.own_path(request.values.get("next") or visitors.cookie(WAY))
    name = request.form.get("name")
    game_code = visitors.code_in(then)
    email, is_new = "", False
    try:
        email, is_new = sign_up.address_of(code, game_code)
        if request.method == "POST":
            secret = _sign_in(code, name, game_code)
    except Problem as problem:
        if problem.code == "not-admitted":
            raise
        if problem.code == "bad-code":
            return _code_form(then, problem)
        return _confirm(then, email, is_new, problem, name=name)
    if request.method != "POST":
        return _confirm(then, email, is_new)
    response = visitors.remember(make_response(redirect(then, 303)), secret)
    visitors.delete_cookie(response, WAY)
    return response


def _sign_in(code: str, name: str | None, game_code: str) -> str:
    """Return the secret of a new session, which takes the place of the one that this browser had."""
    with transaction():
        secret = sign_up.sign_in(code, visitors.browser(), name, game_code)
        if visitors.secret():
            browsers.sign_out(visitors.secret())
    return secret


def _keep_way(response: Response, then: str) -> Response:
    """Let the browser keep the way back until the code is used up: the link in the mail names no page of a game."""
    visitors.set_cookie(response, WAY, then, codes.GOOD_FOR_SIGN_IN)
    return response


def _code_form(then: str, problem: Problem | None = None) -> Response:
    wrong = {"code": problem.sentence} if problem else {}
    return _code_page(problem, then, wrong)


def where_mail_is() -> dict[str, object]:
    """Return what `where_mail_is` of `web/fields.html` tells: `mailbox`, a page or None, and `has_relay`."""
    settings = runtime().settings
    return {"mailbox": url_for("mailbox") if settings.dev_mail else None, "has_relay": settings.smtp_url is not None}


def _code_page(problem: Problem | None, then: str, wrong: dict[str, str]) -> Response:
    return page("code", problem, then=then, minutes=codes.MINUTES_TO_SIGN_IN, wrong=wrong, **where_mail_is())


def _confirm(then: str, email: str, is_new: bool, problem: Problem | None = None, name: str | None = None) -> Response:
    """Return the page that names whose address it is, so that nobody signs in as somebody else with a link they got."""
    known = {"then": then, "email": email, "is_new": is_new, "name": name or "", "days": browsers.REMEMBERED.days}
    return page("confirm", problem, **known, wrong={"name": problem.sentence} if problem else {})


def sign_out() -> Response:
    """End the sessions of this browser."""
    browsers.sign_out(*visitors.secrets())
    return visitors.forget(make_response(redirect(url_for("pages.landing"), 303)))
