"""The body of a request, which may be large, is loaded before the server begins to write: others write meanwhile."""

from functools import partial
from typing import Any

import pytest

from server.api.endpoints import Endpoint
from server.models import under_way
from tests.contract.world import API, World, operations


def test_no_body_is_loaded_while_other_writers_wait(world: World, monkeypatch: pytest.MonkeyPatch):
    loaded: dict[str, bool] = {}

    def load(endpoint: Endpoint, as_ever: Any, sent: Any) -> Any:
        loaded[endpoint.route] = under_way() is not None
        return as_ever(sent)

    views = [getattr(view, "endpoint", None) for view in world.table.app.view_functions.values()]
    endpoints = [view for view in views if isinstance(view, Endpoint) and view.body is not None]
    for endpoint in endpoints:
        assert endpoint.body is not None
        monkeypatch.setattr(endpoint.body, "load", partial(load, endpoint, endpoint.body.load))
    for operation in operations(world):
        if operation.body is not None:
            world.restore()
            path, key = world.path(API + operation.path, "private"), {"Idempotency-Key": "first"}
            world.ask("detective", operation.method, path, operation.body, headers=key)
    assert loaded == {endpoint.route: False for endpoint in endpoints}
