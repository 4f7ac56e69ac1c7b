"""Headers that every answer has, whichever route gives it."""

import http.client
from typing import Any

import pytest
from werkzeug.routing import Rule

from server.models import Unavailable
from tests.serving import serving
from tests.statements import failing
from tests.streaming import WAIT
from tests.table import Table


def value_for(converter: Any) -> Any:
    return 1 if type(converter).__name__ == "IntegerConverter" else "x"


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Table:
    folder = tmp_path_factory.mktemp("headers")
    return Table(folder, dev_mail="yes", metrics_token="m" * 32, postmark_secret="p" * 32, rate_limit="1000000/PT1M")


def test_no_browser_may_guess_what_an_answer_is(table: Table):
    token = table.person("Ada").token
    answers = 0
    for rule in table.app.url_map.iter_rules():
        path = path_of(table, rule)
        for method in rule.methods or ():
            for headers in ({}, {"Authorization": f"Bearer {token}"}, {"Authorization": f"Bearer {'m' * 32}"}):
                answer = table.client.open(path, method=method, headers=headers, json={})
                answer.close()
                assert answer.headers.get_all("X-Content-Type-Options") == ["nosniff"], f"{method} {path}"
                answers += 1
    assert answers > 100


def test_nor_what_an_error_is(table: Table):
    table.runtime.disk_usage, table.runtime.storage = lambda _folder: 1 / 0, None
    for method, path in (("GET", "/nothing"), ("PATCH", "/healthz"), ("GET", "/readyz"), ("GET", "/api/v1/nothing")):
        answer = table.client.open(path, method=method)
        assert answer.status_code >= 400
        assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_a_page_of_a_database_that_cannot_be_used_says_that_it_is_none_of_a_proxy(table: Table):
    assert "X-Black-Ticket" not in table.client.get("/").headers
    with failing(table, "SELECT", error=Unavailable("", None, Exception())):
        answer = table.client.get("/", headers={"Accept": "text/html"})
    assert (answer.status_code, "X-Black-Ticket" in answer.headers, answer.headers["Retry-After"]) == (503, True, "10")


def path_of(table: Table, rule: Rule) -> str:
    values = {name: value_for(converter) for name, converter in rule._converters.items()}
    built = table.app.url_map.bind("localhost").build(rule.endpoint, values, method=next(iter(rule.methods or ())))
    return str(built)


@pytest.mark.parametrize("host", ["..", ".", "a" * 64])
def test_a_browser_that_names_no_host_is_answered_in_plain_words(table: Table, host: str):
    with serving(table.app) as port:
        for path in ("/", "/games/aaaa", "/nowhere"):
            line = http.client.HTTPConnection("127.0.0.1", port, timeout=WAIT)
            line.request("GET", path, headers={"Host": host, "Accept": "text/html"})
            answer = line.getresponse()
            assert (answer.status, b"no name of a server" in answer.read()) == (400, True)
            line.close()
