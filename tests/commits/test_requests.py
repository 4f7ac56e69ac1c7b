"""What is said of a request, by REST or by a form, while its database goes away around the commit."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import pytest
from werkzeug.test import TestResponse

from tests.commits.cutting import Cut, Way
from tests.commits.forms import ASKING, FORMS, SETTINGS, Stage
from tests.contract.world import API, Operation, operations
from tests.profiles import IS_CAMPAIGN
from tests.worlds.outlets import endpoints


@pytest.fixture(scope="module")
def stage(way: Way, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    made = Stage(tmp_path_factory.mktemp("stage"), way.behind, database_url=way.url, **SETTINGS)
    yield made
    made.close()


Send = Callable[[], TestResponse]


def places(number: int) -> list[Cut]:
    """Return where the commit of the request of this number is cut: of every third, and in a campaign of all, anywhere.

    That no answer comes to it is what each request has to live with; the other places differ in nothing of its own.
    """
    return list(Cut) if IS_CAMPAIGN or number % 3 == 0 else [Cut.UNANSWERED]


def told(stage: Stage, way: Way, name: str, send: Send, at: Iterable[Cut], *, unknown: str) -> list[str]:
    """Cut the way at these places of the request's commit; return what was said wrongly.

    `unknown` stands in the answer if nobody knows whether the request was done.
    """
    wrong = []
    for place in at:
        before, answer = _cut(stage, way, place, send)
        is_done = stage.version() != before
        if is_done != (place is not Cut.BEFORE):
            wrong.append(f"{name}, cut {place}: it was {'' if is_done else 'not '}done")
        is_right = answer.status_code < 400 if place is Cut.AFTER else answer.status_code == 503
        if not is_right or (unknown in answer.text) != (place is not Cut.AFTER):
            wrong.append(f"{name}, cut {place}: {answer.status_code} {answer.text[-400:]}")
    return wrong


def _cut(stage: Stage, way: Way, place: Cut, send: Send) -> tuple[Any, TestResponse]:
    """Send a request whose way is cut; again if its way was not, such as behind a connection that ended before."""
    for is_last in (False, False, True):
        stage.restore()
        before = stage.version()
        try:
            with way.cut(place):
                answer = send()
        except AssertionError:
            if is_last:
                raise
        else:
            return before, answer
    raise AssertionError


def test_every_form_is_answered_as_it_was_done(stage: Stage, way: Way):
    wrong = []
    every = [(rule, form) for rule, forms in FORMS.items() for form in forms]
    for number, (rule, form) in enumerate(every):
        send = partial(stage.send, rule, form)
        wrong += told(stage, way, f"{rule} {number}", send, places(number), unknown="Load the page again later")
    assert not wrong, "\n".join(wrong)


def test_every_call_of_rest_is_answered_as_it_was_done(stage: Stage, way: Way):
    wrong = []
    writing = [operation for operation in operations(stage) if operation.method != "GET"]
    for number, operation in enumerate(writing):
        send = partial(send_by_rest, stage, operation)
        wrong += told(stage, way, operation.name, send, places(number), unknown="with the same Idempotency-Key")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("place", Cut)
def test_sent_again_under_its_key_a_request_is_done_once_and_answered(stage: Stage, way: Way, place: Cut):
    (move,) = [operation for operation in operations(stage) if operation.name == "POST /games/{game_id}/moves"]
    send = partial(send_by_rest, stage, move, {"Idempotency-Key": "key"})
    stage.restore()
    with way.cut(place):
        assert send().status_code == (201 if place is Cut.AFTER else 503)
    first = send()
    done = stage.version()
    assert (first.status_code, send().data, stage.version()) == (201, first.data, done)


def send_by_rest(stage: Stage, operation: Operation, headers: dict[str, str] | None = None) -> TestResponse:
    who, game, body = CALLS.get(operation.name, ("detective", "private", operation.body))
    if operation.name == "POST /inbound/{provider}":
        return stage.hand_over()
    if operation.name in CODES:
        body = {"code": stage.ids[CODES[operation.name]]}
    return stage.ask(who, operation.method, stage.path(API + operation.path, game), body, headers=headers or {})


# Codes that were mailed to those who call.
CODES = {"POST /players/confirm": "up", "POST /me/addresses/confirm": "more"}

# Who calls, in which game and with what, where it is not Ben in the private one with what the contract sends.
CALLS: dict[str, tuple[str, str, Any]] = {
    "DELETE /me": ("leaving", "private", {"name": "Lou"}),
    "POST /games/{game_id}/seats": ("stranger", "offered", {}),
    "PUT /games/{game_id}/seats/{seat}": ("host", "offered", {"bot": "constable"}),
    "DELETE /games/{game_id}/seats/{seat}": ("host", "open", None),
    "PATCH /games/{game_id}": ("host", "open", {"name": "Friday night", "visibility": "public"}),
    "DELETE /games/{game_id}": ("host", "open", None),
    "POST /games/{game_id}/code": ("host", "open", None),
    "POST /games/{game_id}/seats/{seat}/remind": ("host", "invited", None),
    "POST /games/{game_id}/seats/{seat}/link": ("host", "with a guest", None),
    "POST /games/{game_id}/reports": ("detective", "private", {"kind": "name", "number": 1}),
    "POST /games/{game_id}/start": ("host", "full", None),
    "POST /games/{game_id}/host": ("host", "private", {"seat": 2}),
    "POST /games/{game_id}/rematch": ("detective", "over", None),
    "POST /games/{game_id}/again": ("detective", "given up", {"ply": 0, "side": "detectives"}),
    "PUT /games/{game_id}/replay": ("detective", "over among friends", {"shows": "pawn"}),
    "DELETE /games/{game_id}/ahead": ("teammate", "private", None),
    "DELETE /games/{game_id}/draw": ("teammate", "private", None),
}


def test_every_rule_that_may_write_is_tried_or_only_asks():
    writing = {rule for method, rule in map(str.split, endpoints()) if method not in ("GET", "HEAD", "OPTIONS")}
    assert {rule for rule in writing if not rule.startswith(API)} == FORMS.keys() | ASKING.keys()
