"""Decide: carry out a command on a copy of the situation, and return what follows from it.

A command is a function of a `Draft`. It changes the draft, or raises a `Problem`, and then nothing has happened.
"""

import random
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime, timedelta
from typing import Any, Generic, NamedTuple, TypeVar

from server import engine
from server.clock import StoredStep
from server.house_rules import sealed_log
from server.house_rules.situation import Situation
from server.house_rules.standing import Timer
from server.vocabulary.events import check_event
from server.vocabulary.mails import MAIL_KINDS, check_mail

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Sources:
    """The time and the chance that a decision is handed.

    new_id: returns a new random id for a purpose
    draw: returns the random generator of a game, turn and pawn, which nobody can know without the server's secret
    commit: `server.sealing.commitments.commitment`
    rng: returns the random generator of a purpose
    shortest: the shortest time that the server lets a clock give
    """

    now: datetime
    new_id: Callable[[str], str]
    draw: Callable[..., random.Random]
    commit: Callable[..., str]
    rng: Callable[[str], random.Random]
    shortest: timedelta = timedelta(0)


class Made(NamedTuple):
    """A move that was made: a row of `server.models.Move`."""

    turn: int
    pawn: str
    notation: str
    by: str
    made_at: datetime


class PublicEvent(NamedTuple):
    """A public event: a row of `server.models.Event`."""

    number: int
    kind: str
    moves: int
    data: dict[str, Any]
    head: str | None
    at: datetime


class NewMail(NamedTuple):
    """A mail that an event causes: a row of `server.models.Outgoing`."""

    id: str
    event: int
    player_id: str | None
    kind: str
    cause: str
    details: dict[str, object] | None
    not_before: datetime
    created_at: datetime


class Delivery(NamedTuple):
    """A message to a webhook about an event, or about the mail `mail`: a row of `server.models.WebhookDelivery`."""

    id: str
    webhook_id: str
    event: int
    at: datetime
    mail: str | None = None


class NewInvitation(NamedTuple):
    """An invitation to a seat: a row of `server.models.Invitation`."""

    id: str
    host_id: str
    guest_id: str | None
    address: str
    email: str | None
    digest: str | None
    nonce: str
    words: str | None
    created_at: datetime


class Reminded(NamedTuple):
    """An invitation that was mailed once more; `digest` is that of its new code, None if it has none."""

    id: str
    reminded_at: datetime
    digest: str | None


@dataclass(slots=True, kw_only=True)
class Happened:
    """All that has happened in a decision, each list in its order.

    ended: the ids of invitations that are valid no longer
    former: players who from now on are former holders, each with the role in which they saw the game, and the number
        of the event since which they heard the team, None if the game has not begun
    """

    moves: list[Made] = field(default_factory=list)
    events: list[PublicEvent] = field(default_factory=list)
    mails: list[NewMail] = field(default_factory=list)
    deliveries: list[Delivery] = field(default_factory=list)
    invitations: list[NewInvitation] = field(default_factory=list)
    reminded: list[Reminded] = field(default_factory=list)
    ended: list[str] = field(default_factory=list)
    former: list[tuple[str, str, int | None]] = field(default_factory=list)


@dataclass(slots=True)
class Draft(Happened):
    """A decision in the making: `game` is the situation as it is by now, the lists are what happened since."""

    game: Situation
    sources: Sources

    @property
    def now(self) -> datetime:
        """Return the time of the decision."""
        return self.sources.now

    @property
    def state(self) -> engine.Game:
        """Return the game in the engine as it stands by now; there is one from the start on."""
        assert self.game.state is not None
        return self.game.state

    def publish(self, kind: str, **data: object) -> None:
        """Append an event to the game's public log. `data` may hold public facts only."""
        game = self.game
        event = next_event(game, self.now, kind, data)
        self.events.append(event)
        people = {game.host_id, *(person for seat in game.seats for person in (seat.player_id, seat.invited_id))}
        self._deliver(people, event.number, event.at)

    def _deliver(
        self, people: Collection[str | None], event: int, at: datetime, mail: str | None = None, *,
        to_devices: bool = False,
    ) -> None:  # fmt: skip
        self.deliveries += [
            Delivery(self.sources.new_id("delivery"), webhook.id, event, at, mail)
            for webhook in self.game.webhooks
            if webhook.player_id in people and webhook.is_device is to_devices
        ]

    def post(
        self, player_id: str | None, kind: str, details: Mapping[str, object] | None = None, *,
        cause: str = "", not_before: datetime | None = None,
    ) -> None:  # fmt: skip
        """Write a mail about the newest event to a player; to nobody where there is none."""
        if player_id is not None:
            self._add(player_id, kind, details, cause, not_before or self.now)

    def post_to_address(self, kind: str, details: Mapping[str, Any], *, cause: str) -> None:
        """Write a mail about the newest event to the address in its details, which is no player's."""
        self._add(None, kind, details, cause, self.now)

    def _add(
        self, player_id: str | None, kind: str, details: Mapping[str, Any] | None, cause: str, not_before: datetime
    ) -> None:
        check_mail(kind, details, has_player=player_id is not None)
        copied = None if details is None else dict(details)
        mail_id = self.sources.new_id(f"{kind} notice")
        self.mails.append(NewMail(mail_id, self.game.events, player_id, kind, cause, copied, not_before, self.now))
        if MAIL_KINDS[kind].is_call:
            self._deliver({player_id}, self.game.events, not_before, mail_id, to_devices=True)
        is_told_of_others = kind == "vote" and "about" not in (details or {})  # and not asked
        if MAIL_KINDS[kind].entry and not is_told_of_others:
            self._deliver({player_id}, self.game.events, self.now, mail_id)

    def start_timer(
        self, kind: str, due_at: datetime, serial: int = 1, seat: int = 0, step: int = 0, *,
        began_at: datetime | None = None, more: list[list[str]] | None = None, steps: list[StoredStep] | None = None,
    ) -> Timer:  # fmt: skip
        """Let something of this kind happen at `due_at`."""
        game = self.game
        timer = Timer(
            self.sources.new_id("deadline"),
            kind,
            game.side,
            game.round,
            seat,
            step,
            serial,
            due_at,
            due_at,
            began_at,
            more,
            steps,
        )
        game.timers.append(timer)
        return timer


@dataclass(slots=True)
class Decision(Happened, Generic[Answer]):
    """The outcome of a command: the situation before and after it, and what happened.

    `answer` is what the command returned.
    """

    before: Situation
    after: Situation
    answer: Answer


_LISTS = tuple(each.name for each in fields(Happened))


def next_event(game: Situation, now: datetime, kind: str, data: dict[str, object]) -> PublicEvent:
    """Count and chain the next event of a game; return it."""
    check_event(kind, data)
    game.events += 1
    # A clock that is set right may go back; the events of a game do not.
    game.happened_at = max(now, game.happened_at or now)
    game.head = sealed_log.link(game.head, game.events, kind, game.happened_at, data)
    return PublicEvent(game.events, kind, (game.turn or 1) - 1, data, game.head, game.happened_at)


def decide(situation: Situation, command: Callable[[Draft], Answer], sources: Sources) -> Decision[Answer]:
    """Return what follows from `command`; the situation stays as it is.

    Raises:
        Problem: the command is refused.
    """
    draft = Draft(situation.twin(), sources)
    answer = command(draft)
    return Decision(situation, draft.game, answer, **{name: getattr(draft, name) for name in _LISTS})
