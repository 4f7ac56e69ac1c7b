"""A year of games in which everything happens to time that can: people are late, away, replaced, games are paused, and
the server, its mailbox and its relay are out for hours and days.

What ought to have happened is told afterwards from what was done here and from the public events alone.
"""

import heapq
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import func, select

from server.application.game.look import standing_of
from server.application.game.situations import act
from server.application.game.state import rebuild
from server.application.game.waiting import is_awaited
from server.application.lobby import opening, seats, starting
from server.application.lobby.seats import substitute
from server.application.play.absences import take_vacation
from server.application.time import outages
from server.clock import is_shared
from server.house_rules.standing import role_of
from server.house_rules.submission import RequestedMove, place
from server.house_rules.turns import choices
from server.house_rules.votes import put_to_vote
from server.models import Deadline, Event, Game, Outgoing, Player, Seat, session, transaction
from server.vocabulary.durations import parse_duration
from server.vocabulary.errors import Problem
from tests.application.time.ticking import Ticking
from tests.injected import START
from tests.invariant import broken_games
from tests.table import Person, Table

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
CLOCKS: tuple[dict[str, Any], ...] = (
    {"mr_x": "P2D", "detectives": "P2D"},
    {"mr_x": "P1D", "detectives": "P2D", "grace": "PT12H", "cover": True},
    {"mr_x": "PT36H", "detectives": "PT36H", "days_off": ["sat", "sun"], "reminders": [0.5, 0.9]},
    {"kind": "per_move", "mr_x": "P1D", "detectives": "PT18H", "grace": "PT6H", "open_after": 2},
    {"kind": "bank", "bank": "P8D", "increment": "PT12H", "cap": "P8D"},
    {"kind": "schedule", "at": "20:00", "days": ["mon", "wed", "fri"], "zone": "Europe/London"},
    {"mr_x": "P1D", "detectives": "P1D", "mr_x_late": "vote"},
)
# What begins a go anew: after it the same reminder may come again; and the same lateness, besides, after other time.
ANEW = {"reminder": ("granted", "substituted", "reinstated")}
ANEW["timeout"] = (*ANEW["reminder"], "decided", "postponed")


class Span(NamedTuple):
    """Something was so from `begin` until `end`."""

    begin: datetime
    end: datetime

    def common(self, begin: datetime, end: datetime) -> timedelta:
        """Return how much of the time from `begin` to `end` that was."""
        return max(min(self.end, end) - max(self.begin, begin), timedelta(0))


def union(spans: list[Span]) -> list[Span]:
    """The same time without any of it twice."""
    found: list[Span] = []
    for span in sorted(spans):
        if found and span.begin <= found[-1].end:
            found[-1] = Span(found[-1].begin, max(found[-1].end, span.end))
        else:
            found.append(span)
    return found


def time_to_think(begin: datetime, end: datetime, *stopped: Sequence[Span]) -> timedelta:
    """Return the time from `begin` to `end` in which nothing stopped the clock.

    Time that was stopped for two reasons at once, as by an outage during a pause, is taken off once.
    """
    spans = union([span for spans in stopped for span in spans])
    return end - begin - sum((span.common(begin, end) for span in spans), timedelta(0))


def turn_began(before: Sequence[Event], pawns: Collection[str]) -> datetime:
    """Return when the turn that goes on after these events began, as the rules have it.

    It began with the last move that was none of the turn's own, or when Mr. X got his full time again. `pawns` are
    those of the turn: none for Mr. X, for whom every move begins a phase; the detectives of a phase with one time for
    all; or those of one seat.
    """
    return next(
        event.at
        for event in reversed(before)
        if event.kind in ("started", "granted") or (event.kind == "moved" and event.data["pawn"] not in pawns)
    )


class Year:
    """`games` games within `days` days; the worker ticks every `tick`. `breaks` is what may break down.

    So often it does; as a rule about once in twelve days.
    """

    def __init__(
        self, folder: Path, games: int, days: int, seed: int, tick: timedelta, people: int,
        *, breakdowns: int | None = None, breaks: Sequence[str] = ("server", "server", "mailbox", "relay"),
    ) -> None:  # fmt: skip
        self.rng = random.Random(seed)
        settings = {"imap_url": "imaps://host:secret@mail.example.org", "tick_seconds": str(tick.total_seconds())}
        self.table = Table(folder, seed, sandbox="1", min_turn="PT1S", **settings)
        self.time = Ticking(self.table)
        self.end = START + days * DAY
        self.people = self.table.persons(*(f"P{number}" for number in range(people)))
        self.by_mail = {person.id for person in self.people[::2]}
        self.plan: list[tuple[datetime, int, Callable[[], None]]] = []
        self.order = count()
        self.known: dict[str, int] = {}
        self.told: Counter[str] = Counter()
        self.outages: list[Span] = []
        self.pauses: dict[str, list[Span]] = defaultdict(list)
        self.away: dict[str, list[Span]] = defaultdict(list)
        self.is_down = False
        self.breaks = breaks
        self.silence = outages.FEW_TICKS * self.time.tick_length  # what lasts no longer is no outage
        self._people_have_habits()
        for _ in range(games):
            self.at(START + self.rng.random() * 0.6 * days * DAY, self.new_game)
        for person in self.people:
            for _ in range(max(1, days // 180)):
                self.at(START + self.rng.random() * days * DAY, lambda who=person: self.goes_away(who))
        for _ in range(breakdowns or max(6, days // 12)):
            self.at(START + self.rng.random() * 0.9 * days * DAY, self.breaks_down)

    def at(self, time: datetime, act: Callable[[], None]) -> None:
        heapq.heappush(self.plan, (time, next(self.order), act))

    def run(self, days: int | None = None) -> None:
        """To the end of it, or for so many days."""
        next_tick = self.time.now
        end = self.end if days is None else min(self.end, next_tick + days * DAY)
        while next_tick < end:
            while self.plan and self.plan[0][0] < next_tick:
                time, _, act = heapq.heappop(self.plan)
                self.turn(max(time, self.time.now))
                with self.table.app.app_context():
                    act()
                    session.remove()
            self.turn(next_tick)
            if not self.is_down:
                self.time.tick()
                self.look_around()
            next_tick += self.time.tick_length

    def turn(self, to: datetime) -> None:
        self.time.pass_time(to - self.time.now)

    # What people do

    def _people_have_habits(self) -> None:
        with self.table.app.app_context(), transaction():
            for number, person in enumerate(self.people):
                player = session.get_one(Player, person.id)
                player.mail = "off" if number % 6 else "usual"  # who wants none costs less time
                player.spends_vacation = number % 5 == 0
                player.night = "23:00-07:00" if number % 4 == 0 else None

    def new_game(self) -> None:
        if self.is_down:
            self.at(self.time.now + HOUR, self.new_game)
            return
        host, *others = self.rng.sample(self.people, 3)
        player = session.get_one(Player, host.id)
        game = opening.open_game(player, "condensed", players=3, visibility="public", clock=self.rng.choice(CLOCKS))
        game_id = game.id
        for seat, person in enumerate((host, *others), 1):
            seats.join(game_id, session.get_one(Player, person.id), seat=seat)
        starting.start(game_id, session.get_one(Player, host.id))
        is_first = not self.told["games"]
        self.told["games"] += 1
        if self.rng.random() < 0.3:
            self.at(self.time.now + self.rng.random() * 20 * DAY, lambda: self.is_paused(game_id))
        if self.rng.random() < 0.2:
            self.at(self.time.now + self.rng.random() * 20 * DAY, lambda: self.is_replaced(game_id))
        if is_first:  # whatever the chances, each of both happens once
            self.at(self.time.now + HOUR, lambda: self.is_paused(game_id))
            self.at(self.time.now + 2 * HOUR, lambda: self.is_replaced(game_id))

    def look_around(self) -> None:
        """Let the player to move in a changed game decide when to move."""
        with self.table.app.app_context():
            query = select(Game.id, Game.events, Game.due_at).where(Game.status == "running", Game.due_at.is_not(None))
            # In one order on every database: who decides first takes his chances first.
            for game_id, events, due_at in session.execute(query.order_by(Game.started_at, Game.id)).all():
                if self.known.get(game_id) != events:
                    self.known[game_id] = events
                    self._people_decide(session.get_one(Game, game_id), due_at)
            session.remove()

    def _people_decide(self, game: Game, due_at: datetime) -> None:
        left = max(due_at - self.time.now, HOUR)
        standing = standing_of(game)
        for seat in standing.seats:
            if not is_awaited(standing, seat):
                continue
            share = self.rng.choice((0.1, 0.3, 0.5, 0.7, 0.95, 1.05, 1.6, 3.0))
            turn = game.turn
            self.at(self.time.now + share * left, lambda s=seat.number, t=turn: self.moves(game.id, s, t))

    def moves(self, game_id: str, number: int, turn: int) -> None:
        """All the moves of a seat, if it is still the go that he had in mind, and he can."""
        game = standing_of(session.get_one(Game, game_id))
        seat = game.seat_of_number(number)
        if not is_awaited(game, seat) or game.turn < turn or not seat.player_id:
            return
        mail_is_out = self.time.mailbox_is_out or self.time.relay.is_out
        if self.is_down or (mail_is_out and seat.player_id in self.by_mail):
            self.at(self.time.now + HOUR, lambda: self.moves(game_id, number, turn))
            return
        if any(span.begin <= self.time.now < span.end for span in self.away[seat.player_id]):
            return
        player = session.get_one(Player, seat.player_id)
        for pawn in seat.pawns:
            game = standing_of(session.get_one(Game, game_id))
            table = rebuild(game)
            legal = choices(table, pawn) if game.status == "running" and pawn in table.to_move else []
            if legal:
                move = str(self.rng.choice(legal))
                act(game_id, player, place, RequestedMove(move))
                self.told["moves of people"] += 1

    def goes_away(self, who: Person) -> None:
        if self.is_down:
            return
        first = self.time.now.date() + timedelta(days=self.rng.randrange(1, 4))
        last = first + timedelta(days=self.rng.randrange(1, 6))
        try:
            absence = take_vacation(who.id, first, last)
        except Problem:
            return
        self.away[who.id].append(Span(absence.begin, absence.end))
        self.told["absences"] += 1

    def is_paused(self, game_id: str) -> None:
        """All who can vote for a pause; some end it again."""
        if self._vote(game_id, "pause", length=f"P{self.rng.randrange(1, 6)}D") and self.rng.random() < 0.5:
            self.at(self.time.now + self.rng.random() * 2 * DAY, lambda: self._vote(game_id, "resume"))

    def _vote(self, game_id: str, kind: str, **wish: Any) -> bool:
        game = session.get_one(Game, game_id)
        if self.is_down or game.status != "running":
            return False
        for seat in game.seats:
            try:
                act(game_id, session.get_one(Player, seat.player_id), put_to_vote, kind, **wish)
            except Problem:
                continue
        return True

    def is_replaced(self, game_id: str) -> None:
        """The operator gives a detective's seat to somebody who is not at the table."""
        game = session.get_one(Game, game_id)
        if self.is_down or game.status != "running":
            return
        sitting = {seat.player_id for seat in game.seats}
        newcomer = self.rng.choice([person for person in self.people if person.id not in sitting])
        try:
            substitute(game_id, 2, session.get_one(Player, newcomer.id), "nothing was heard of him")
        except Problem:
            return
        self.told["replaced"] += 1

    # What goes wrong

    def breaks_down(self) -> None:
        """The server, the mailbox or the relay is out, for hours as a rule; things may go wrong at the same time."""
        what = self.rng.choice(self.breaks)
        length = self.silence + self.rng.choice((0.5, 2, 6, 15, 15, 40)) * HOUR
        if what == "server" and not self.is_down:
            self.is_down = True
        elif what == "mailbox" and not self.time.mailbox_is_out:
            self.time.mailbox_is_out = True
        elif what == "relay" and not self.time.relay.is_out:
            self.time.relay.is_out = True
            self.time.relay.refused_at = None
        else:
            return
        self.told[f"outages of the {what}"] += 1
        begin = self.time.now
        self.at(begin + length, lambda: self.is_back(what, begin))

    def is_back(self, what: str, begin: datetime) -> None:
        if what == "server":
            self.is_down = False
            self.time.watch = outages.Watch()
        elif what == "mailbox":
            self.time.mailbox_is_out = False
        else:
            self.time.relay.is_out = False
            begin = self.time.relay.refused_at or self.time.now  # before nobody has missed it
        if self.time.now - begin > self.silence:  # the relay may have been missed for less
            self.outages.append(Span(begin, self.time.now))
        self.at(self.time.now + 3 * HOUR, self.operator_looks)

    def operator_looks(self) -> None:
        if self.is_down:
            self.at(self.time.now + HOUR, self.operator_looks)
            return
        waiting = outages._waiting()
        if waiting is not None:
            self.outages.append(Span(waiting.begin, self.time.now))
            outages.confirm(granted=True)
            self.told["outages confirmed"] += 1

    # What came of it

    def report(self) -> dict[str, Any]:
        """Figures, and what was wrong: `violations`, which is to be empty."""
        with self.table.app.app_context():
            kinds = dict(session.execute(select(Event.kind, func.count()).group_by(Event.kind)).all())
            reminders = session.scalar(select(func.count()).where(Outgoing.kind == "reminder"))
            fired = dict(
                session.execute(
                    select(Deadline.kind, func.count()).where(Deadline.state == "fired").group_by(Deadline.kind)
                ).all()
            )
            house = sum(data["by"] == "house" for data in session.scalars(_events("moved")))
            ends = Counter(data["reason"] for data in session.scalars(_events("ended")))
            wrong = list(self.violations())
            session.remove()
        hours = sum((span.end - span.begin for span in union(self.outages)), timedelta(0)) / HOUR
        return {
            **self.told, "events": kinds, "ends": dict(ends), "fired": fired, "reminders mailed": reminders,
            "moves of the house": house, "hours out": round(hours, 1), "violations": wrong,
        }  # fmt: skip

    def violations(self) -> Iterator[str]:
        yield from self._stuck()
        for broken in broken_games():
            yield f"game {broken.id} does not hold: {' '.join(broken.findings)}"
        for game in session.scalars(select(Game)):
            events = session.scalars(select(Event).where(Event.game_id == game.id).order_by(Event.number)).all()
            yield from self._penalties(game, list(events))
            yield from self._doubled(game, list(events))

    def _stuck(self) -> Iterator[str]:
        """A game that runs has something to come, and nothing that was due has been left."""
        held = outages.why_held(self.time.now) is not None
        for game in session.scalars(select(Game).where(Game.status == "running")):
            armed = (Deadline.game_id == game.id, Deadline.state == "armed", Deadline.kind.in_(("timeout", "vote")))
            if not session.scalars(select(Deadline.id).where(*armed)).all():
                yield f"game {game.id} is stuck"
        late = (Deadline.state == "armed", Deadline.due_at < self.time.now - 2 * self.time.tick_length)
        if not held and (lost := session.scalar(select(func.count()).where(*late))):
            yield f"{lost} deadlines are left"
        if failed := session.scalar(select(func.count()).where(Deadline.attempts > 0)):
            yield f"{failed} deadlines failed"

    def _penalties(self, game: Game, events: list[Event]) -> Iterator[str]:
        """Yield penalties of players who did not have their whole time, without outages and pauses, or were away."""
        paused = [Span(pause.begin, pause.end) for pause in standing_of(game).pause_spans()]
        seats = {pawn: seat for seat in game.seats for pawn in seat.pawns}
        is_same = all(event.kind != "substituted" for event in events)  # nobody else sat there before
        replaced_at: dict[int, datetime] = {}
        for at, event in enumerate(events):
            if event.kind == "substituted":
                replaced_at[event.data["seat"]] = event.at
            is_late = event.kind == "granted" or (event.kind == "moved" and event.data["by"] == "house")
            late_at_end = event.kind == "ended" and event.data["reason"] == "out_of_time"
            if is_late or late_at_end or event.kind == "late":
                yield from self._in_an_outage(game, event)
            if is_late or late_at_end:
                side = "mr_x" if event.kind != "moved" else "detectives"
                seat = seats[event.data["pawn"] if event.kind == "moved" else "mr_x"]
                began = turn_began(events[:at], _pawns_of_turn(game, seat))
                began = max(began, replaced_at.get(seat.number, began))
                had = time_to_think(began, event.at, self.outages, paused)
                if had < (asked := self._whole_time(game, side)):
                    yield f"game {game.id}: {side} had {had} of {asked} at event {event.number}"
                if any(span.begin <= event.at < span.end for span in paused):
                    yield f"game {game.id} was paused at event {event.number}"
                if is_same and self._was_away(game, seat, event.at):
                    yield f"game {game.id}: seat {seat.number} was away at event {event.number}"

    def _was_away(self, game: Game, seat: Seat, at: datetime) -> bool:
        """Return True if the seat's player was away then, and was so already when the turn's own time was up.

        An absence stops no grace, which an outage makes longer, and a timeout may wait a few ticks for the mail.
        """
        waited = parse_duration(game.clock.get("grace", "PT0S")) + self.silence + self.time.tick_length
        return any(
            at < span.end and time_to_think(span.begin, at, self.outages) >= waited
            for span in self.away[seat.player_id or ""]
        )

    def _in_an_outage(self, game: Game, event: Event) -> Iterator[str]:
        """Return what was late during an outage, which the server sees after a few ticks."""
        if any(span.begin + self.silence < event.at < span.end for span in self.outages):
            yield f"game {game.id}: somebody was late in an outage, at event {event.number}"

    def _whole_time(self, game: Game, side: str) -> timedelta:
        """The least that the clock gives."""
        clock = game.clock
        if clock["kind"] in ("bank", "schedule"):
            return parse_duration(clock.get("least", "PT0S"))
        return parse_duration(clock[side]) + parse_duration(clock.get("grace", "PT0S"))

    def _doubled(self, game: Game, events: list[Event]) -> Iterator[str]:
        """No reminder and no lateness came twice in one go, unless that began anew."""
        anew = {
            what: [event.number for event in events if event.kind in kinds or event.kind == "moved"]
            for what, kinds in ANEW.items()
        }
        rows = session.scalars(
            select(Deadline).where(Deadline.game_id == game.id, Deadline.state == "fired").order_by(Deadline.serial)
        ).all()
        seen: dict[Any, int] = {}
        for row in rows:
            if row.kind not in ANEW:
                continue
            key = (row.kind, row.side, row.round, row.seat, row.step)
            before = seen.get(key)
            if before is not None and not any(before < number <= row.serial for number in anew[row.kind]):
                yield f"game {game.id}: {key} fired twice"
            seen[key] = row.serial


def _pawns_of_turn(game: Game, seat: Seat) -> Collection[str]:
    """Return the pawns that move within the seat's turn; none for Mr. X, as each move of his is a turn."""
    if role_of(seat.pawns) == "mr_x":
        return ()
    if not is_shared(game.clock):
        return seat.pawns
    return [pawn for each in game.seats for pawn in each.pawns if role_of(each.pawns) == "detective"]


def _events(kind: str) -> Any:
    return select(Event.data).where(Event.kind == kind)
