"""Requests of somebody who is deleted, merged into an account or signed out after the request was admitted."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from werkzeug.test import TestResponse

from server.application.people.accounts import browsers, deletion
from server.models import Game, Player, Seat, db, session, transaction
from server.models.player import Token
from server.runtime.request_counts import RequestCounts
from tests.rows import for_each
from tests.table import Person, Table
from tests.web.game.test_invitation import asked_for_address, opened, sits_down
from tests.web.game.test_page import Browser


class _Meanwhile(RequestCounts):
    """Counts of requests, and what happens once a request is admitted: it is counted then."""

    def __init__(self, do: Callable[[], object]) -> None:
        super().__init__()
        self._do: list[Callable[[], object]] = [do]

    def add(self, caller: str, window: int, amount: int = 1) -> int:
        while self._do:
            self._do.pop()()
        return super().add(caller, window, amount)


@contextmanager
def meanwhile(table: Table, do: Callable[[], object]) -> Iterator[None]:
    """Within, `do` happens when the next request has been admitted, and has written nothing yet."""
    parts = table.runtime
    counts, parts.request_counts = parts.request_counts, _Meanwhile(do)
    try:
        yield
    finally:
        parts.request_counts = counts


@pytest.fixture
def busy(tmp_path: Path, database: str) -> Iterator[Table]:
    """A table on each kind of database in turn, which counts requests."""
    table = Table(tmp_path, rate_limit="10000/PT1M", public_url="http://localhost", database_url=database)
    yield table
    with table.app.app_context():
        db.engine.dispose()


def deleting(person: Person) -> Callable[[], object]:
    def delete() -> None:
        with person.table.app.app_context():
            deletion.delete_account(person.id, person.name)

    return delete


@for_each("method, path, body", [
    ("POST", "/games/{game}/seats", {}),
    ("POST", "/me/tokens", {"name": "second"}),
    ("POST", "/games", {"edition": "condensed", "players": 3}),
    ("PATCH", "/me/preferences", {"zone": "Europe/Paris"}),
    ("POST", "/me/absences", {"first": "2026-12-01", "last": "2026-12-02"}),
    ("POST", "/games/{game}/moves", {"turn": 1, "notation": "taxi 86"}),
    ("POST", "/me/addresses", {"email": "x@example.org"}),
    ("DELETE", "/me", {"name": "Ada"}),
])  # fmt: skip
def test_what_a_player_asks_for_who_was_just_deleted_is_refused(busy: Table, method: str, path: str, body: Any):
    cleo, ada = busy.person(f"Cleo{busy.count()}"), busy.person("Ada")
    game = cleo.post("/games", {"edition": "condensed", "players": 3}).json["id"]
    with meanwhile(busy, deleting(ada)):
        answer = ada.request(method, path.format(game=game), json=body)
    assert (answer.status_code, answer.json["type"]) == (401, "unauthorized"), answer.text
    assert ada.get("/me").status_code == 401
    with busy.app.app_context():
        for column in (Token.player_id, Seat.player_id, Game.host_id):
            assert session.query(column).filter(column == ada.id).count() == 0


def test_a_token_that_was_taken_away_makes_no_other_one(busy: Table):
    ada = busy.person("Ada")

    def revoke() -> None:
        with busy.app.app_context(), transaction():
            session.query(Token).filter_by(player_id=ada.id).delete()

    with meanwhile(busy, revoke):
        answer = ada.post("/me/tokens", {"name": "second"})
    assert answer.status_code == 401
    with busy.app.app_context():
        assert session.query(Token).filter_by(player_id=ada.id).count() == 0


def test_a_move_by_a_token_that_was_taken_away_is_not_made(busy: Table):
    game = busy.game(busy.people(3))
    ada = game.people[0]
    notation = game.legal(ada)[0]

    def revoke() -> None:
        with busy.app.app_context(), transaction():
            session.query(Token).filter_by(player_id=ada.id).delete()

    with meanwhile(busy, revoke):
        answer = ada.post(f"{game.path}/moves", {"turn": 1, "notation": notation})
    assert answer.status_code == 401
    assert game.view(game.people[1])["history"] == []


def test_a_form_of_a_browser_that_was_signed_out_leads_to_signing_in(busy: Table):
    ada = busy.person("Ada")
    browser = Browser(busy, ada)

    def sign_out() -> None:
        with busy.app.app_context(), transaction():
            browsers.end_all(ada.id)

    with meanwhile(busy, sign_out):
        answer = browser.post("/me/tokens", {"name": "mine", "scopes": "read"})
    assert (answer.status_code, answer.headers["Location"].partition("?")[0]) == (303, "/sign-in")


@for_each("status, path", [
    ("open", "/me/addresses/confirm"),
    ("open", "/games/{game}/talk"),
    ("open", "/games/{game}/leave"),
    ("open", "/me/settings"),
    ("open", "/me/device"),
    ("open", "/me/delete"),
    ("open", "/practice"),
    ("running", "/games/{game}/moves"),
    ("running", "/me/addresses/confirm"),
])  # fmt: skip
def test_forms_of_a_guest_who_is_just_merged_into_an_account_lead_to_signing_in(busy: Table, status: str, path: str):
    ada, zoe = (busy.person(f"{name}{busy.count()}") for name in ("Ada", "Zoe"))
    game = opened(ada)
    anna, _ = (sits_down(busy, game, each) for each in ("Anna", f"Ben{busy.count()}"))
    if status == "running":
        assert Browser(busy, ada).post(f"/games/{game['id']}/start").status_code == 303
    digits, _ = asked_for_address(busy, anna, zoe.address)
    form = {"code": digits, "to": "all", "text": "Hello", "name": "Anna", "role": "detective", "turn": "1"}
    twin, cookie, merged = Browser(busy), anna.client.get_cookie("blackticket"), list[TestResponse]()
    assert cookie is not None
    twin.client.set_cookie("blackticket", cookie.value)
    with meanwhile(busy, lambda: merged.append(twin.post("/me/addresses/confirm", {"code": digits}))):
        answer = anna.post(path.format(game=game["id"]), form | {"move": "red taxi 1"})
    assert merged[0].status_code == 303
    assert (answer.status_code, answer.headers.get("Location", "").partition("?")[0]) == (303, "/sign-in")


def test_who_sent_the_digits_twice_lands_where_the_first_answer_leads(busy: Table):
    zoe, ada = busy.persons("Zoe", "Ada")
    anna = sits_down(busy, opened(ada), "Anna")
    digits, _ = asked_for_address(busy, anna, zoe.address)
    form = {"code": digits, "next": "/me/account"}
    with meanwhile(busy, lambda: anna.post("/me/addresses/confirm", form)):
        answer = anna.post("/me/addresses/confirm", form)
    assert answer.status_code == 303
    led = anna.get(answer.headers["Location"])
    assert (led.status_code, led.headers["Location"]) == (303, "/me/account")
    with busy.app.app_context():
        assert session.query(Player).filter_by(name="Anna").count() == 0
