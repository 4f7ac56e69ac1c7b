"""The language of a page: that of the player who is signed in, or what the switch at its foot chose, or the browser's.

A cookie keeps the choice of the switch, and what the player has chosen anywhere, for pages that ask for no player.
"""

from typing import cast

from flask import Response, g, redirect, request

from server.application.people.accounts import browsers
from server.application.people.accounts.preferences import change_preferences, check
from server.vocabulary.translation import ENGLISH, catalogues, current, speak
from server.web import forms, visitors

COOKIE = "blackticket_language"
LONGEST = 200  # characters of Accept-Language; a longer one is no browser's
# What has words for players beside the pages that know their visitor.
SPOKEN = {
    "docs", "docs_page", "tour", "usual_rules", "how_to_play", "map", "imprint", "privacy", "stop", "offline", "script",
    "service_worker",
}  # fmt: skip


def begin() -> None:
    """Speak the language of the browser in a request for a page, also one that is not there; else English."""
    is_page = request.endpoint in SPOKEN or request.blueprint == "pages" or request.endpoint is None
    g.path_here = visitors.path_here  # for the switch
    speak(_of_browser() if is_page and not request.path.startswith(("/api/", "/operator")) else ENGLISH)


def speak_to_visitor() -> None:
    """Speak the language of the player who is signed in; the pages of the operator are in English."""
    if (player := visitors.visitor()) is not None and not request.path.startswith("/operator"):
        speak(player.language)


def end(_error: BaseException | None) -> None:
    """Speak English again behind a request."""
    speak(ENGLISH)


def finish(response: Response) -> Response:
    """Say of a page in which language it is and what that depends on, and remember the language of its player."""
    if request.endpoint not in SPOKEN and response.mimetype != "text/html":
        return response
    response.vary.update(("Accept-Language", "Cookie"))
    response.content_language.add(current())
    player = g.get("visitor")
    if player is not None and request.method == "GET" and _of_browser() != player.language:
        visitors.set_cookie(response, COOKIE, player.language, browsers.REMEMBERED)
    return response


def choose() -> Response:
    """Change the language, to the one whose button at the foot of a page was pressed."""
    language = forms.text("language")
    check("language", language)
    if (player := visitors.visitor()) is not None:
        change_preferences(player.id, language=language)
    response = cast("Response", redirect(visitors.own_path(request.args.get("next", "")), 303))
    visitors.set_cookie(response, COOKIE, language, browsers.REMEMBERED)
    return response


def _of_browser() -> str:
    """Return the language that the browser has chosen by the switch, or asks for."""
    if (chosen := visitors.cookie(COOKIE)) in catalogues():
        return chosen
    if len(request.headers.get("Accept-Language", "")) > LONGEST:
        return ENGLISH
    # Not `best_match`, which takes "en-GB, de" for German.
    asked = (tag.partition("-")[0].lower() for tag, quality in request.accept_languages if quality)
    return next((language for language in asked if language in catalogues()), ENGLISH)
