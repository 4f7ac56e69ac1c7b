"""Forms of the pages: what was typed, and what was wrong with it, at the field it is about."""

from collections.abc import Callable, Container, Mapping
from typing import Any, TypeVar

from flask import Response, make_response, redirect, request, url_for

from server.models import Player, transaction
from server.vocabulary.errors import Problem, refusal
from server.vocabulary.translation import gettext
from server.web import visitors

Key = TypeVar("Key")
MOST_DIGITS_OF_SEAT = 2
AROUND_A_CODE = "\"'`.,“”„‟‘’‚«»‹›"
LONGEST_NAME = 40  # characters of a field's name in a sentence


def refuse_doubled() -> None:
    """Raise `Problem` form if a field was sent more than once: no field of ours takes several values."""
    for name, values in request.form.lists():
        if len(values) > 1:
            named = repr(name[:LONGEST_NAME])
            raise refusal("form", "The field {name} is sent more than once, so nothing was done.", name=named)


def text(name: str) -> str:
    """Return what was typed in a field, without spaces around it; empty if the form has no such field."""
    return request.form.get(name, "").strip()


def offered(name: str, choices: Container[str]) -> str:
    """Return which of the `choices` was made in a field; raise `Problem` form for another value."""
    if (chosen := text(name)) not in choices:
        raise refusal("form", "Choose one of these.")
    return chosen


def code() -> str:
    """Return the code that was typed, without spaces, and without the marks in which a mail or a sentence puts it."""
    return "".join(text("code").split()).strip(AROUND_A_CODE)


def number(text: str, digits: int) -> int | None:
    """Return the whole number that is written in `text`, None if it is none or has more than so many `digits`."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= digits else None


def seat(name: str) -> int:
    """Return the number of the seat chosen in the field `name`; raise `Problem` form if none was."""
    chosen = number(text(name), MOST_DIGITS_OF_SEAT)
    if not chosen:
        raise refusal("form", "Choose a player.")
    return chosen


def in_language(words: Mapping[Key, str]) -> dict[Key, str]:
    """Return a table of words in the language of the reader."""
    return {key: gettext(each) for key, each in words.items()}


def checked(checks: Mapping[str, Callable[[str], object]]) -> dict[str, str]:
    """Return what is wrong with each field of the form, by its name; `checks` raise `Problem` for a wrong value."""
    wrong = {}
    for name, check in checks.items():
        try:
            check(text(name))
        except Problem as problem:
            wrong[name] = problem.sentence
    return wrong


def led_to(endpoint: str, **values: Any) -> Response:
    """Lead the browser to a page, after a form was accepted; the page says so with `done`."""
    return make_response(redirect(url_for(f"pages.{endpoint}", **{"done": "yes", **values}), 303))


def carry_out(
    act: Callable[[Player], object], then: str, again: Callable[[Player, Problem], Response], **values: Any
) -> Response:
    """Do something for the visitor and lead to the page `then`; or return the page `again`, with what was wrong.

    It is done in one transaction, behind which nothing is read. A `Problem` not-found is the page of something that is
    not there.
    """
    player = visitors.signed_in()
    try:
        with transaction():
            act(player)
    except Problem as problem:
        if problem.code == "not-found":
            raise
        return again(player, problem)
    return led_to(then, **values)


def page_number() -> int:
    """Return the number of the page of a list that is asked for, from 1."""
    return number(request.args.get("page", ""), 4) or 1
