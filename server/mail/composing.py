"""Compose the mails of rows of the outbox, or find what becomes of the rows instead. Nothing is stored here."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from server.application.game.as_of import AsOf, of_standing
from server.application.mail import digest_watermark
from server.application.mail.outgoing import Mail
from server.faults import fault, is_of_machine
from server.house_rules.standing import Standing
from server.mail.writing import compose, digest, merging
from server.mail.writing.compose import Composed
from server.mail.writing.disposition import disposition
from server.mail.writing.mime import UnsafeMail
from server.mail.writing.news import Look
from server.models import Unavailable

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Failure:
    """The reason why a mail could not be composed; `lasting` if it never can be.

    `is_of_machine`: as this machine lacked something, see `is_of_machine`.
    """

    error: str
    lasting: bool
    is_of_machine: bool = False


@dataclass(frozen=True)
class Merged:
    """The result for a row whose news are in the mail of another row, by its id."""

    by: str


Outcome = Composed | Failure | Merged | str
"""The result for a row: its mail, the reason why there is none, or the state that the row gets instead."""


def outcomes_of(waiting: Sequence[Mail]) -> dict[str, Outcome]:
    """Return the result for each row, by its id."""
    known: dict[tuple[str, int], AsOf] = {}

    def look(game: Standing, number: int) -> AsOf:  # several mails are about one event
        if (game.id, number) not in known:
            known[game.id, number] = of_standing(game, number)
        return known[game.id, number]

    outcomes = {row.id: _decide(row, look) for row in waiting}
    to_send = [row for row in waiting if outcomes[row.id] == "send"]
    for row, told in merging.merged(to_send):
        outcome = _compose(row, look, told)
        if told and isinstance(outcome, Failure):  # whichever of them cannot be composed, the others are sent
            outcomes |= {one.id: _compose(one, look) for one in (row, *told)}
        else:
            outcomes |= {row.id: outcome, **{one.id: Merged(row.id) for one in told}}
    return outcomes


def _decide(row: Mail, look: Look) -> Outcome:
    """Return the digest of a row that is one, "send" for a mail that is to be sent, or what becomes of it instead."""

    def decide() -> Outcome:
        if row.kind == digest_watermark.DIGEST:
            return digest.compose_digest(row, look)
        return disposition(row, look)

    return _attempt(row, decide)


def _compose(row: Mail, look: Look, told: Sequence[Mail] = ()) -> Outcome:
    return _attempt(row, lambda: compose.compose(row, look, told))


def _attempt(row: Mail, act: Callable[[], Outcome]) -> Outcome:
    """Return what `act` returns, or why the mail of the row cannot be composed, which is retried."""
    try:
        return act()
    except UnsafeMail as unsafe:
        log.error("outbox row %s is refused: %s", row.id, unsafe)
        return Failure(f"refused: {unsafe}", lasting=True)
    except Unavailable:
        raise  # no fault of the mail: it stays due, or its lease runs out, and it is composed again
    except Exception as error:  # noqa: BLE001 one mail must not hold up the others
        log.error("outbox row %s failed: %s", row.id, fault(error))
        sentence = f"could not be written ({type(error).__name__})"
        return Failure(sentence, lasting=False, is_of_machine=is_of_machine(error))
