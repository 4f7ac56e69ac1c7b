"""Compose the mails of rows of the outbox, or find what becomes of the rows instead. Nothing is stored here."""

import logging
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cache

from sqlalchemy import bindparam, select
from sqlalchemy.orm import joinedload
from sqlalchemy.orm.attributes import set_committed_value

from server.application.game.as_of import as_of
from server.application.mail import digest_watermark
from server.faults import fault, is_of_machine
from server.mail.writing import compose, digest, merging
from server.mail.writing.compose import Composed
from server.mail.writing.disposition import disposition, find_overtaken
from server.mail.writing.mime import UnsafeMail
from server.mail.writing.news import Look
from server.models import Message, Outgoing, Seat, Unavailable, session

log = logging.getLogger(__name__)
# All that mails are composed from: the rows with their games, and the seats of these.
_WITH_ALL = select(Outgoing).where(Outgoing.id.in_(bindparam("ids", expanding=True)))
_WITH_ALL = _WITH_ALL.options(
    joinedload(Outgoing.player),
    joinedload(Outgoing.wish),
    joinedload(Outgoing.told),
    joinedload(Outgoing.game),
    joinedload(Outgoing.said).joinedload(Message.author),
)
_SEATS = select(Seat).where(Seat.game_id.in_(bindparam("games", expanding=True))).order_by(Seat.number)


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


def outcomes_of(waiting: Sequence[Outgoing]) -> dict[str, Outcome]:
    """Return the result for each row, by its id."""
    look = cache(as_of)  # several mails are about one event
    overtaken = find_overtaken(waiting)
    outcomes = {row.id: _decide(row, look, overtaken) for row in waiting}
    to_send = [row for row in waiting if outcomes[row.id] == "send"]
    for row, told in merging.merged(to_send):
        outcome = _compose(row, look, told)
        if told and isinstance(outcome, Failure):  # whichever of them cannot be composed, the others are sent
            outcomes |= {one.id: _compose(one, look) for one in (row, *told)}
        else:
            outcomes |= {row.id: outcome, **{one.id: Merged(row.id) for one in told}}
    return outcomes


def load(ids: Collection[str]) -> dict[str, Outgoing]:
    """Return the rows by their ids, with all that mails are composed from."""
    by_id = {row.id: row for row in session.scalars(_WITH_ALL, {"ids": list(ids)})}
    games = {row.game.id: row.game for row in by_id.values() if row.game is not None}
    seats: dict[str, list[Seat]] = {game_id: [] for game_id in games}
    for seat in session.scalars(_SEATS, {"games": list(games)}) if games else ():
        seats[seat.game_id].append(seat)
    for game_id, game in games.items():
        set_committed_value(game, "seats", seats[game_id])
    return by_id


def _decide(row: Outgoing, look: Look, overtaken: Collection[str]) -> Outcome:
    """Return the digest of a row that is one, "send" for a mail that is to be sent, or what becomes of it instead."""

    def decide() -> Outcome:
        if row.kind == digest_watermark.DIGEST:
            return digest.compose_digest(row, look)
        return disposition(row, look, overtaken)

    return _attempt(row, decide)


def _compose(row: Outgoing, look: Look, told: Sequence[Outgoing] = ()) -> Outcome:
    return _attempt(row, lambda: compose.compose(row, look, told))


def _attempt(row: Outgoing, act: Callable[[], Outcome]) -> Outcome:
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
