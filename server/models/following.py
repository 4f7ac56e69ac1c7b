"""The acts that can follow a commit: such an act may not fail, it cannot undo the commit, and it touches no database.

It only saves a wait: others find the rows that nobody was told of, a little later.
"""

from collections.abc import Callable

from server.models.base import under_way
from server.runtime import runtime

Act = Callable[[], object]
FOLLOWING: list[Act] = []
"""All of them; each module adds its own when it is loaded."""


def follows_commit(act: Act) -> Act:
    """Put `act` on the list; for a function without arguments."""
    FOLLOWING.append(act)
    return act


def when_committed(act: Act) -> None:
    """Call `act`, which is on the list, once the transaction under way is committed, and others read what it wrote.

    If it fails, that is logged, and nothing else suffers from it. A wake-up where no worker waits for it goes to those
    of other processes, if the database can tell them.
    """
    work = under_way()
    assert work is not None, "outside of a transaction nothing is written"
    assert act in FOLLOWING, "what follows a commit is listed"
    work.acts.add(act)
    if act in _WAKE_UPS and not runtime().has_worker:
        work.wakes.add(_WAKE_UPS[act])


@follows_commit
def wake_inbox() -> None:
    """Have the worker look for mails that came in, and for what is due."""
    runtime().wake_ups.inbox.set()


@follows_commit
def wake_outbox() -> None:
    """Have the worker look for mails that are to be written and sent."""
    runtime().wake_ups.outbox.set()


@follows_commit
def wake_webhooks() -> None:
    """Have the worker look for messages to webhooks."""
    runtime().wake_ups.webhooks.set()


_WAKE_UPS = {wake_inbox: "inbox", wake_outbox: "outbox", wake_webhooks: "webhooks"}
