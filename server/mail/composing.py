"""Compose the mails of rows of the outbox, or find what becomes of the rows instead. Nothing is stored here."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from server.application.game.as_of import AsOf, of_standing
from server.application.mail import digest_watermark
from server.application.mail.outgoing import Mail
from server.house_rules.standing import Standing
from server.mail.writing import compose, digest, merging
from server.mail.writing.compose import Composed
from server.mail.writing.disposition import disposition
from server.mail.writing.mime import UnsafeMail
from server.mail.writing.news import Look
from server.models import Unavailable
from server.runtime.faults import fault, is_of_machine

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
"""The result for a mail: its message, the reason why there is none, or the state that its row gets instead."""


def outcomes_of(waiting: Sequence[Mail]) -> dict[str, Outcome]:
    """Return the result for each mail, by its id."""
    known: dict[tuple[str, int], AsOf] = {}

    def look(game: Standing, number: int) -> AsOf:  # several mails are about one event
        if (game.id, number) not in known:
            known[game.id, number] = of_standing(game, number)
        return known[game.id, number]

    outcomes = {mail.id: _decide(mail, look) for mail in waiting}
    to_send = [mail for mail in waiting if outcomes[mail.id] == "send"]
    for mail, told in merging.merged(to_send):
        outcome = _compose(mail, look, told)
        if told and isinstance(outcome, Failure):  # whichever of them cannot be composed, the others are sent
            outcomes |= {one.id: _compose(one, look) for one in (mail, *told)}
        else:
            outcomes |= {mail.id: outcome, **{one.id: Merged(mail.id) for one in told}}
    return outcomes


def _decide(mail: Mail, look: Look) -> Outcome:
    """Return a digest as it is written, "send" for a mail that is to be sent, or what becomes of it instead."""

    def decide() -> Outcome:
        if mail.kind == digest_watermark.DIGEST:
            return digest.compose_digest(mail, look)
        return disposition(mail, look)

    return _attempt(mail, decide)


def _compose(mail: Mail, look: Look, told: Sequence[Mail] = ()) -> Outcome:
    return _attempt(mail, lambda: compose.compose(mail, look, told))


def _attempt(mail: Mail, act: Callable[[], Outcome]) -> Outcome:
    """Return what `act` returns, or why the mail cannot be composed, which is retried."""
    try:
        return act()
    except UnsafeMail as unsafe:
        log.error("outbox row %s is refused: %s", mail.id, unsafe)
        return Failure(f"refused: {unsafe}", lasting=True)
    except Unavailable:
        raise  # no fault of the mail: it stays due, or its lease runs out, and it is composed again
    except Exception as error:  # noqa: BLE001 one mail must not hold up the others
        log.error("outbox row %s failed: %s", mail.id, fault(error))
        sentence = f"could not be written ({type(error).__name__})"
        return Failure(sentence, lasting=False, is_of_machine=is_of_machine(error))
