"""Mail that a provider hands over: checked as the provider has it, kept once, and only if it is ours."""

import hashlib
import hmac
from base64 import b64encode
from io import BytesIO
from typing import Any

import pytest
from werkzeug.datastructures import FileStorage
from werkzeug.test import TestResponse, encode_multipart

from server.application.mail.arrivals import LARGEST
from server.models import Incoming, ProviderCall, session
from tests.injected import START
from tests.rows import for_each
from tests.scenes import hunt
from tests.statements import failing
from tests.table import Playing, Table

PASSWORD = "a password for the hook"
KEY = "key-of-the-mailgun-account"
OURS = {"Authorization": "Basic " + b64encode(f"postmark:{PASSWORD}".encode()).decode()}


class Providers:
    """Postmark and Mailgun, before a game in which Mr. X has moved and Ben has to."""

    def __init__(self, game: Playing) -> None:
        self.game = game
        self.table = game.table
        self.address = game.people[1].mails[1]["Reply-To"].addresses[0].addr_spec

    def raw(self, text: str = "bus 102", number: int = 1) -> str:
        return f"From: Ben <ben@example.org>\r\nTo: {self.address}\r\nMessage-ID: <{number}@x>\r\n\r\n{text}\r\n"

    def postmark(self, headers: dict[str, str] | None = None, **changed: Any) -> TestResponse:
        told = {"RawEmail": self.raw(), "OriginalRecipient": self.address, "From": "ben@example.org", "Tag": "x"}
        body = {name: value for name, value in (told | changed).items() if value is not None}
        return self.table.client.post(
            "/api/v1/inbound/postmark", json=body, headers=OURS if headers is None else headers
        )

    def mailgun(self, *, key: str = KEY, age: int = 0, token: str = "t" * 50, **changed: Any) -> TestResponse:
        at = str(int(self.table.clock().timestamp()) - age)
        signature = hmac.new(key.encode(), f"{at}{token}".encode(), hashlib.sha256).hexdigest()
        told = {"timestamp": at, "token": token, "signature": signature, "sender": "ben@example.org"}
        told |= {"recipient": self.address, "body-mime": self.raw(), "subject": "Re: x"}
        told |= {name.replace("_", "-"): value for name, value in changed.items()}
        form = {name: value for name, value in told.items() if value is not None}
        boundary, body = encode_multipart(form)
        kind = f'multipart/form-data; boundary="{boundary}"'
        return self.table.client.post("/api/v1/inbound/mailgun?as=mime", data=body, content_type=kind)

    def rows(self) -> list[Incoming]:
        with self.table.app.app_context():
            found = session.query(Incoming).order_by(Incoming.received_at).all()
            session.expunge_all()
            return found


@pytest.fixture
def providers(tmp_path_factory: pytest.TempPathFactory) -> Providers:
    settings = {"postmark_secret": PASSWORD, "mailgun_signing_key": KEY}
    return Providers(hunt(Table(tmp_path_factory.mktemp("hooks"), sandbox="1", min_turn="PT1S", **settings)))


@pytest.mark.parametrize("provider", ["postmark", "mailgun"])
def test_a_reply_is_kept_as_it_came_and_obeyed(providers: Providers, provider: str):
    answer = getattr(providers, provider)()
    assert (answer.status_code, answer.json) == (200, {"stored": 1})
    (row,) = providers.rows()
    assert (row.raw, row.source, row.sender) == (providers.raw().encode(), provider, "ben@example.org")
    assert row.received_at == START
    providers.table.tick()
    assert providers.game.view(providers.game.people[1])["history"] == ["black ?", "purple bus 102"]


@for_each("path", ["postmark", "mailgun", "sendgrid", "x"])
def test_a_provider_that_is_not_set_up_is_not_there(table: Table, path: str):
    answer = table.client.post(f"/api/v1/inbound/{path}", json={}, headers=OURS)
    elsewhere = table.client.post("/api/v1/nowhere")
    assert (answer.status_code, answer.data) == (404, elsewhere.data)


@for_each("headers", [{}, {"Authorization": "Basic !"}, {"Authorization": "Basic cG9zdG1hcms6d3Jvbmc="},
                                     {"Authorization": f"Bearer {PASSWORD}"}])  # fmt: skip
def test_without_the_password_of_the_hook_nothing_is_taken(providers: Providers, headers: dict[str, str]):
    answer = providers.postmark(headers)
    assert (answer.status_code, answer.json["type"]) == (401, "unauthorized")
    assert providers.rows() == []


@for_each(
    "changed, status",
    [
        ({"key": "another-key-altogether"}, 401),
        ({"signature": "0" * 64}, 401),
        ({"signature": "é"}, 401),
        ({"signature": None}, 401),
        ({"timestamp": "1"}, 401),
        ({"age": 12 * 3600 + 1}, 403),
        ({"age": -12 * 3600 - 1}, 403),
    ],
)
def test_what_is_not_signed_or_was_signed_long_ago_is_not_taken(
    providers: Providers, changed: dict[str, Any], status: int
):
    assert providers.mailgun(**changed).status_code == status
    assert providers.rows() == []


def test_what_was_signed_before_a_long_outage_of_ours_is_taken(providers: Providers):
    assert providers.mailgun(age=8 * 3600).status_code == 200


def test_the_same_call_again_has_no_effect_and_is_told_to_have_gone_well(providers: Providers):
    assert [providers.mailgun().status_code for _ in range(2)] == [200, 200]
    assert len(providers.rows()) == 1


def test_a_signature_that_was_overheard_is_good_for_no_other_mail(providers: Providers):
    providers.mailgun()
    for changed in (
        {"body_mime": providers.raw("taxi 115")},
        {"recipient": "play@localhost"},
        {"sender": "x@y.example"},
    ):
        assert providers.mailgun(**changed).status_code == 403
    assert len(providers.rows()) == 1


def test_a_call_that_failed_here_may_be_made_again(providers: Providers):
    with failing(providers.table, "INSERT INTO inbox"):
        assert providers.mailgun().status_code == 500
        assert providers.postmark().status_code == 500
    assert (providers.mailgun().status_code, len(providers.rows())) == (200, 1)


def test_mail_for_others_is_dropped_so_that_nobody_sends_it_again(providers: Providers):
    for answer in (
        providers.postmark(OriginalRecipient="aunt@example.org"),
        providers.postmark(OriginalRecipient="turn+aaaaaaaaaaaaaaaa@localhost"),
        providers.mailgun(recipient="aunt@example.org"),
    ):
        assert (answer.status_code, answer.json) == (200, {"stored": 0})
    assert providers.rows() == []


def test_several_recipients_are_kept_each_and_where_postmark_names_none_those_of_the_header(providers: Providers):
    assert providers.mailgun(recipient=f"{providers.address}, play@localhost, x@y.example").json == {"stored": 2}
    full = [{"Email": providers.address, "Name": "x"}, {"Email": providers.address}, {"Email": "x@y.example"}]
    for changed in ({"ToFull": full}, {"CcFull": full}):
        assert providers.postmark(OriginalRecipient="hash@inbound.example", **changed).json == {"stored": 1}


def test_the_null_sender_of_a_bounce_is_known_as_one(providers: Providers):
    providers.postmark(Headers=[{"Name": "Return-Path", "Value": "<>"}])
    providers.mailgun(sender="")
    assert [row.sender for row in providers.rows()] == ["", ""]


@for_each("changed", [{"RawEmail": None}, {"RawEmail": 5}, {"ToFull": [{}]}])
def test_what_lacks_the_raw_mail_is_refused_with_what_to_do(providers: Providers, changed: dict[str, Any]):
    answer = providers.postmark(**changed)
    assert (answer.status_code, answer.json["type"]) == (422, "form")
    assert next(iter(changed)) in answer.json["detail"]
    assert providers.mailgun(body_mime=None).status_code == 422


def test_a_raw_mail_may_come_as_a_file_too(providers: Providers):
    answer = providers.mailgun(body_mime=FileStorage(BytesIO(b"From: a@b.example\r\n\r\n\xff\x00\r\n"), "mail"))
    assert answer.json == {"stored": 1}
    assert providers.rows()[0].raw == b"From: a@b.example\r\n\r\n\xff\x00\r\n"


@pytest.mark.parametrize("provider", ["postmark", "mailgun"])
def test_a_mail_as_large_as_may_be_is_taken_and_a_larger_one_refused(providers: Providers, provider: str):
    name = {"postmark": "RawEmail", "mailgun": "body_mime"}[provider]
    head = providers.raw("")
    for size, status in ((LARGEST, 200), (LARGEST + 1, 413), (7 * LARGEST, 413)):
        text = (head + "x" * size)[:size]
        assert getattr(providers, provider)(**{name: text}).status_code == status
        providers.table.clock.turn(minutes=5)
    assert len(providers.rows()) == 1


def test_used_signatures_are_forgotten_when_they_are_good_no_longer(providers: Providers):
    from server.worker import tidy_up

    providers.mailgun()
    for length, left in ((24, 1), (25, 0)):
        providers.table.clock.turn(hours=length)
        with providers.table.app.app_context():
            tidy_up()
            assert session.query(ProviderCall).count() == left


def test_the_bytes_of_a_mail_are_deleted_after_thirty_days_and_its_hash_stays(providers: Providers):
    from server.worker import tidy_up

    providers.mailgun()
    providers.table.tick()
    digest = providers.rows()[0].digest
    for days, there in ((29.9, True), (0.2, False)):
        providers.table.clock.turn(days=days)
        providers.postmark(RawEmail=providers.raw(number=round(days)))  # one that waits unread is never deleted
        with providers.table.app.app_context():
            tidy_up()
        (row, *_) = providers.rows()
        assert (row.raw is not None, row.digest, row.game_id) == (there, digest, providers.game.id)
