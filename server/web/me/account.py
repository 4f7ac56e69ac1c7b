"""The account of a player: the browsers in which they are signed in, all data that is stored, and the end of it."""

import json
from typing import Any

from flask import Response, make_response, redirect, request, url_for

from server.application.lists import listing
from server.application.people import codes
from server.application.people.accounts import browsers, deletion, guests
from server.application.people.accounts.export import export_account
from server.http import links
from server.models import Player, transaction
from server.vocabulary.errors import Problem
from server.vocabulary.translation import gettext, gettext_noop
from server.vocabulary.words import join
from server.web import forms, visitors
from server.web.game import pair
from server.web.me import devices
from server.web.problems import page

NOT_THE_NAME = gettext_noop("That is not your name. Type it as it stands above, to say that you mean it.")


def show() -> Response:
    """Show the browsers, and the ways to take the data along or to delete them."""
    return _page(visitors.signed_in())


def revoke(session_id: str) -> Response:
    """Sign one of the player's browsers out."""
    return forms.carry_out(lambda player: browsers.revoke(player, session_id), "account", _page)


def link_device() -> Response:
    """Show a guest the link with which they go on in another browser, this once."""
    player = visitors.signed_in()
    with transaction():
        then = visitors.own_path(forms.text("next") or url_for("pages.me"))
        link = links.link("pages.use_device_link", code=codes.for_device(player.id, then=then))
        known: dict[str, Any] = {
            "link": link,
            "is_only_here": links.is_only_here(),
            "minutes": codes.MINUTES_TO_SIGN_IN,
            "then": then,
        }
        return page("me/device", player=player, **known)


def use_device_link(code: str) -> Response:
    """Show whose link it is; a POST signs this browser in, and uses the link up."""
    try:
        if request.method == "POST":
            return _signed_in(code)
        player, wanted = codes.asked_by(codes.LINKS, code)
    except Problem as problem:
        return page("device", problem, name="", reason=problem.sentence if problem.code != "bad-code" else "")
    return page("device", name=player.name, is_from_host=bool(wanted.get("game")))


def _signed_in(code: str) -> Response:
    """Begin a session, which takes the place of the one that this browser had, and lead to where the link was made."""
    with transaction():
        player_id, wanted = codes.redeem_of_anybody(codes.LINKS, code)
        cookie, game_id = visitors.COOKIE, wanted.get("game")
        if game_id:
            cookie = pair.cookie_for(game_id, player_id)
            guests.regain(player_id, game_id)
        browsers.sign_out(visitors.cookie(cookie))
        secret = browsers.sign_in(player_id, visitors.browser())
    then = url_for("pages.game", game_id=game_id) if game_id else visitors.own_path(wanted.get("then", ""))
    return visitors.remember(make_response(redirect(then, 303)), secret, cookie)


def export() -> Response:
    """Return all data that is stored about the player, as a file."""
    text = json.dumps(export_account(visitors.signed_in()), indent=2, ensure_ascii=False)
    headers = {"Content-Disposition": 'attachment; filename="black-ticket.json"'}
    return Response(text, mimetype="application/json", headers=headers)


def delete() -> Response:
    """Delete the account, after its name was typed; nothing of it comes back."""
    player = visitors.signed_in()
    try:
        deletion.delete_account(player.id, forms.text("name"))
    except Problem as problem:
        return _page(player, problem)
    return visitors.forget(make_response(redirect(url_for("pages.landing", deleted="yes"), 303)))


def _page(player: Player, problem: Problem | None = None) -> Response:
    return page(
        "me/account",
        problem,
        player=player,
        browsers=browsers.browsers_of(player, visitors.secret()),
        browser_in_words=visitors.browser_in_words,
        **devices.of_player(player),
        days=browsers.REMEMBERED.days,
        guest_days=guests.IDLE.days,
        wrong={"name": _refusal(problem)} if problem else {},
        given=forms.text("name") if problem else "",
    )


def _refusal(problem: Problem) -> str:
    """Return why the account was not deleted, in the words of the page."""
    if problem.code == "form":
        return gettext(NOT_THE_NAME)
    names = listing.game_names(problem.facts.get("games", ()))
    if not names:
        return problem.sentence
    return gettext("You still play in {games}, and nothing was deleted.", games=join(sorted(names.values())))
