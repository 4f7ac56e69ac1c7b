"""Tests of the page on webhooks: the check that it shows accepts a message that the server has signed."""

import re
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from server.webhooks import sender, transport

PAGE = (Path(__file__).parents[2] / "docs" / "webhooks.md").read_text()
SECRETS = ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"]
BODY = '{"type":"webhook.test","data":{"who":"Zoë"}}'.encode()


@pytest.fixture(scope="module")
def is_ours() -> Any:
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    shown: dict[str, Any] = {}
    exec(code, shown)
    return shown["is_ours"]


@pytest.fixture
def headers() -> dict[str, str]:
    return sender.signed_headers("abc", datetime.fromtimestamp(time.time(), UTC), BODY, SECRETS)


@pytest.mark.parametrize("secret", SECRETS)
def test_a_message_of_the_server_is_ours_by_each_of_its_secrets(is_ours: Any, headers: dict[str, str], secret: str):
    assert is_ours(secret, headers, BODY)


@pytest.mark.parametrize("header", ["webhook-id", "webhook-timestamp", "webhook-signature"])
def test_one_that_was_changed_is_not(is_ours: Any, headers: dict[str, str], header: str):
    assert not is_ours(SECRETS[0], headers, BODY + b" ")
    earlier = str(int(headers["webhook-timestamp"]) - 1)
    other = {"webhook-id": "abd", "webhook-timestamp": earlier, "webhook-signature": "v1,AAAA"}
    assert not is_ours(SECRETS[0], headers | {header: other[header]}, BODY)


def test_one_that_is_old_is_not(is_ours: Any):
    old = sender.signed_headers("abc", datetime.fromtimestamp(time.time() - 301, UTC), BODY, SECRETS)
    assert not is_ours(SECRETS[0], old, BODY)


def test_every_outcome_is_explained_and_no_other():
    told = re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE)
    words = {transport.DELIVERED, transport.REFUSED, transport.REDIRECTED, transport.GONE, transport.UNREACHABLE}
    assert set(told) == words | {sender.BROKEN}


def test_the_pauses_are_those_of_the_sender():
    told = "5\nseconds, 5 minutes, 30 minutes, 2, 5, 10, 14, 20 and 24 hours"
    assert told in PAGE
    seconds = [5, 5 * 60, 30 * 60, *(hours * 3600 for hours in (2, 5, 10, 14, 20, 24))]
    assert [pause.total_seconds() for pause in sender.PAUSES] == seconds
