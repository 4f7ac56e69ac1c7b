"""What follows a commit: it is listed, and it may fail without any harm."""

from collections.abc import Iterator

import pytest
from sqlalchemy import select

from server.models import Player, session, transaction, wake_outbox, when_committed
from server.models.following import FOLLOWING, follows_commit
from server.runtime import runtime
from tests.table import Table


@pytest.fixture
def failing() -> Iterator[None]:
    """Two more acts on the list, of which one tells a secret as it fails."""

    @follows_commit
    def fail() -> None:
        raise RuntimeError("station 46")

    @follows_commit
    def end() -> None:
        raise KeyError("station 47")

    yield
    FOLLOWING.remove(fail)
    FOLLOWING.remove(end)


def test_what_can_follow_a_commit_is_listed():
    acts = {f"{act.__module__}.{act.__name__}" for act in FOLLOWING}
    assert acts == {
        "server.models.following.wake_inbox",
        "server.models.following.wake_outbox",
        "server.models.following.wake_webhooks",
        "server.application.game.state.publish_cache",
        "server.application.people.blocked_networks.forget_known",
    }


def test_nothing_else_follows_one(table: Table):
    with table.app.app_context(), pytest.raises(AssertionError, match="is listed"), transaction():
        when_committed(lambda: None)


@pytest.mark.usefixtures("failing")
def test_what_fails_behind_a_commit_is_logged_and_spoils_nothing(table: Table, caplog: pytest.LogCaptureFixture):
    ada = table.person("Ada")
    caplog.clear()
    with table.app.app_context():
        wake_up = runtime().wake_ups.outbox
        wake_up.clear()
        with transaction():
            session.get_one(Player, ada.id).name = "Ada Byron"
            for act in (FOLLOWING[-2], wake_outbox, FOLLOWING[-1]):
                when_committed(act)
        assert wake_up.is_set()
        assert session.scalar(select(Player.name)) == "Ada Byron"
    assert sorted(line.partition(" at ")[0] for line in caplog.messages) == [
        "what was to follow a commit failed: KeyError",
        "what was to follow a commit failed: RuntimeError",
    ]
    assert "station" not in caplog.text


@pytest.mark.usefixtures("failing")
def test_the_answer_to_a_request_does_not_tell_that_something_failed_behind_its_commit(table: Table):
    ada = table.person("Ada")

    @table.app.before_request
    def follow() -> None:
        with transaction():
            session.get_one(Player, ada.id).name = "Ada Byron"
            when_committed(FOLLOWING[-1])

    assert ada.get("/me").json["name"] == "Ada Byron"
