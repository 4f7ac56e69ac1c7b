"""The mail addresses of a player: adding, confirming, removing, and choosing the main one."""

from collections.abc import Mapping
from http import HTTPStatus

from flask import Response, make_response, redirect, request, url_for

from server.application.people import codes
from server.application.people.accounts import addresses, browsers, guests
from server.models import Player
from server.vocabulary.errors import Problem, refusal
from server.web import forms, visitors
from server.web.problems import page
from server.web.signing_in import where_mail_is


def show() -> Response:
    return _page(visitors.signed_in())


def ask_for_address() -> Response:
    """Mail a code to an address that the player wants to add; a guest may choose a name, too."""

    def again(player: Player, problem: Problem) -> Response:
        wrong = forms.checked({"name": addresses.check_chosen_name}) if player.is_guest else {}
        is_asked = problem.code == "too-many"  # a code that came before is still good
        return _page(player, problem, wrong or {"email": problem.sentence}, asks=is_asked, email=forms.text("email"))

    def act(player: Player) -> None:
        addresses.ask_for(player.id, forms.text("email"), forms.text("name"), browser=visitors.secret())

    return forms.carry_out(act, "addresses", again, asked="code", done=None, next=forms.text("next") or None)


def confirm_address() -> Response:
    """Add the address to which the code was mailed, and lead to the page for which a guest needed it.

    A guest types six digits. If the address is a player's already, the guest's seats pass to that player.
    """
    player = visitors.signed_in()
    if player.is_guest and forms.code().isdigit():
        return _confirm_pin(player)
    if codes.has_redeemed(player.id, forms.code(), visitors.secret()):  # the form was sent twice
        return make_response(redirect(_where_to_go_on(), 303))

    def again(player: Player, problem: Problem) -> Response:
        return _page(player, problem, {"code": problem.sentence}, asks=True)

    def act(player: Player) -> object:
        return addresses.confirm(player.id, forms.code())

    answer = forms.carry_out(act, "addresses", again)
    if answer.status_code == HTTPStatus.SEE_OTHER and (then := forms.text("next")):
        answer.location = visitors.own_path(then)
    return answer


def _confirm_pin(guest: Player) -> Response:
    then = _where_to_go_on()
    try:
        secret = guests.confirm_pin(guest, forms.code(), visitors.secret(), visitors.browser())
    except Problem as problem:
        return _page(guest, problem, {"code": problem.sentence}, asks=True)
    if secret is None:
        wrong = refusal("bad-code", guests.WRONG_DIGITS)
        return _page(guest, wrong, {"code": wrong.sentence}, asks=True)
    return visitors.remember(make_response(redirect(then, 303)), secret)


def _where_to_go_on() -> str:
    then = forms.text("next")
    return visitors.own_path(then) if then else url_for("pages.addresses", done="yes")


def confirm_link(code: str) -> Response:
    """Show whose address the link of a mail would add to which guest; a POST adds it, and signs this browser in."""
    try:
        guest, email = guests.asked(code)
        is_confirmed = request.method == "POST"
        secret = guests.confirm_link(code, visitors.browser(), visitors.secret()) if is_confirmed else ""
    except Problem as problem:
        return page("address_of_mail", problem, guest=None)
    if not secret:
        return page("address_of_mail", guest=guest, email=email, days=browsers.REMEMBERED.days)
    return visitors.remember(make_response(redirect(url_for("pages.me"), 303)), secret)


def make_primary(address_id: str) -> Response:
    """Send all mail to one of the player's addresses from now on."""
    return forms.carry_out(lambda player: addresses.make_primary(player.id, address_id), "addresses", _page)


def remove(address_id: str) -> Response:
    """Remove one of the player's addresses."""
    return forms.carry_out(lambda player: addresses.remove(player.id, address_id), "addresses", _page)


def _page(
    player: Player,
    problem: Problem | None = None,
    wrong: Mapping[str, str] | None = None,
    *,
    asks: bool = False,
    email: str = "",
) -> Response:
    then = request.values.get("next", "")
    return page(
        "me/addresses",
        problem,
        player=player,
        addresses=addresses.addresses_of(player) if not player.is_guest else [],
        is_asked=asks or request.args.get("asked") == "code",
        then=visitors.own_path(then) if then else "",
        email=email,
        name=forms.text("name"),
        wrong=wrong or ({"": problem.sentence} if problem else {}),
        days=guests.IDLE.days,
        keeps_seat=player.is_guest and guests.keeps_seat(player),
        most=addresses.MOST,
        **where_mail_is(),
    )
