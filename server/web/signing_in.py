"""Sign in and out. Opening the link of a code does nothing yet, because mail programs open every link."""

from flask import Response, make_response, redirect, request, url_for

from server.application.accounts import browsers, sign_in
from server.application.errors import Problem
from server.application.people import codes
from server.web import visitors
from server.web.problems import page


def ask() -> Response:
    """Show the form for a mail address; a POST mails a code to it, and says the same for every address."""
    then = visitors.own_path(request.values.get("next", ""))
    if request.method != "POST":
        return page("sign_in", then=then)
    try:
        sign_in.request_code(request.form.get("email", ""), network=visitors.network())
    except Problem as problem:
        return page("sign_in", problem, then=then, email=request.form.get("email", ""))
    return make_response(redirect(url_for("pages.enter_code", next=then), 303))


def enter_code() -> Response:
    """Show the form for the code from the mail; a POST leads to the page of the code."""
    then = visitors.own_path(request.values.get("next", ""))
    code = "".join(request.form.get("code", "").split())
    if request.method != "POST" or not code.isalnum():
        return page("code", then=then, minutes=codes.GOOD_FOR_SIGN_IN.seconds // 60)
    return make_response(redirect(url_for("pages.use_code", code=code, next=then), 303))


def use_code(code: str) -> Response:
    """Show a button that signs in with the code, and asks somebody new for a name; a POST signs in."""
    then = visitors.own_path(request.values.get("next", ""))
    name = request.form.get("name")
    is_new = False
    try:
        is_new = sign_in.needs_name(code)
        if request.method != "POST":
            return page("confirm", then=then, is_new=is_new, days=browsers.REMEMBERED.days)
        secret = sign_in.sign_in(code, visitors.browser(), name)
    except Problem as problem:
        form = "sign_in" if problem.code == "bad-code" else "confirm"
        return page(form, problem, then=then, is_new=is_new, name=name or "", days=browsers.REMEMBERED.days)
    if visitors.secret():
        browsers.sign_out(visitors.secret())
    return visitors.remember(make_response(redirect(then, 303)), secret)


def sign_out() -> Response:
    """End the session of this browser."""
    browsers.sign_out(visitors.secret())
    return visitors.forget(make_response(redirect(url_for("pages.landing"), 303)))
