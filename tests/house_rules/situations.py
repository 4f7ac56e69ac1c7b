"""Games for tests of decisions: a situation is dealt in memory, and changes by decisions alone.

There is no application and no database here. Time and chance are values that a test gives.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from random import Random
from typing import Any, TypeVar

from server import bots as house
from server import clock as clocks
from server import engine
from server.house_rules import (
    before_start,
    endings,
    lateness,
    moves,
    outage_credit,
    votes,
)
from server.house_rules.draft import (
    Decision,
    Draft,
    Sources,
    decide,
)
from server.house_rules.invitations import Guest, Invitee
from server.house_rules.situation import Absence, Lobby, Situation, Webhook
from server.house_rules.standing import (
    Holder,
    Motion,
    Seat,
    Timer,
)
from server.house_rules.submission import RequestedMove, place
from server.house_rules.turns import phase_of
from server.sealing import commitments, hash_chain

Answer = TypeVar("Answer")
START = datetime(2026, 11, 22, 18, 0, tzinfo=UTC)
"""A Sunday."""
SECOND, HOUR, DAY = timedelta(seconds=1), timedelta(hours=1), timedelta(days=1)
SHORTEST = SECOND
NAMES = ("Ada", "Ben", "Cleo", "Dan", "Eve", "Finn", "Gwen", "Hal")
KEY = "5e" * 32


def holder(name: str, **settings: Any) -> Holder:
    """Return a player; `settings` are those that differ from the usual ones."""
    usual = {"zone": "UTC", "night": None, "spends_vacation": False, "wants_moves": False, "bounces": False,
             "is_guest": False}  # fmt: skip
    return Holder(name, **usual | settings)


def sources(now: datetime = START, tag: object = 1, commit: Callable[..., str] = commitments.commitment) -> Sources:
    """Return a time, ids that are counted and differ from those of any other `tag`, and seeded chance."""
    counted: dict[str, int] = {}

    def new_id(purpose: str) -> str:
        counted[purpose] = counted.get(purpose, 0) + 1
        return f"{purpose} {tag} {counted[purpose]}"

    def draw(*parts: object) -> Random:
        return Random(repr((tag, *parts)))

    return Sources(now, new_id, draw, commit, draw, SHORTEST)


def situation(
    edition: str = "ravensburger-2000", players: int = 4, *, clock: Mapping[str, Any] | None = None,
    options: Mapping[str, Any] | None = None, position: Mapping[str, Any] | None = None, bots: Collection[int] = (),
    people: Mapping[int, Holder] | None = None, webhooks: Sequence[Webhook] = (), seed: int = 1,
) -> Situation:  # fmt: skip
    """Return a game that was dealt, and has not begun: it has no timers yet, see `begun`.

    bots: the numbers of the seats that bots hold
    people: the holders of seats; by default Ada has seat 1, Ben seat 2 and so on
    """
    rules = engine.Edition.named(edition).with_options(**options or {})
    state = engine.Game.at(rules, position) if position else engine.Game.deal(rules, players, Random(seed))
    seats = []
    for number, pawns in enumerate(state.seats, 1):
        player = None if number in bots else (people or {}).get(number, holder(NAMES[number - 1]))
        bot = ("fugitive" if number == 1 else "constable") if number in bots else None
        seat_of = player and player.id
        seats.append(
            Seat(
                number,
                list(pawns),
                seat_of,
                bot,
                bot and house.USUAL,
                0,
                None,
                False,
                None,
                None,
                False,
                f"nonce {number}",
                holder=player,
            )
        )
    host = next(seat.player_id for seat in seats if seat.player_id)
    deck = [list(cards) for cards in state.deck] if state.deck else None
    return Situation(
        id="game", name="a game", host_id=host, edition=edition, options=rules.options, visibility="public",
        code="code", label=None, seating="chosen", guests=None, starts_when_full=False, seed=None, rematch_id=None,
        clock=clocks.check(clock, SHORTEST), status="running", turn=state.turn, side=None,
        round=None, due_at=None, pauses=[], events=0, happened_at=None, outages=0, mr_x_misses=0,
        is_contestable=False, winner=None, reason=None, final=False, final_at=None, created_at=START,
        started_at=START, ended_at=None,
        head=hash_chain.first_link({"game": "game"}), log_secrets={"key": KEY, "deck": deck}, broken=None,
        repaired=0, version="version 0", seats=seats, timers=[], queue=[], held=[], motions=[], absences=[],
        draw_changes=[], owed=[], webhooks=sorted(webhooks), state=state,
    )  # fmt: skip


@dataclass
class Match:
    """A game under way in memory. `game` is its situation as a load would return it, `now` the time.

    decisions: what was decided so far
    """

    game: Situation
    now: datetime = START
    commit: Callable[..., str] = commitments.commitment
    decisions: list[Decision[Any]] = field(default_factory=list)

    @property
    def state(self) -> engine.Game:
        """Return the game in the engine."""
        assert self.game.state is not None
        return self.game.state

    def sources(self) -> Sources:
        """Return what the next decision is handed; the same until there is one."""
        return sources(self.now, len(self.decisions), self.commit)

    def do(self, command: Callable[[Draft], Answer]) -> Decision[Answer]:
        """Decide on a command, and go on from there."""
        decision = decide(self.game, command, self.sources())
        self.decisions.append(decision)
        self.game = replace(as_loaded(decision.after), version=f"version {len(self.decisions)}")
        return decision

    def later(self, **length: float) -> None:
        """Let time pass; nothing fires."""
        self.now += timedelta(**length)

    def move(self, player_id: str, notation: str) -> Decision[Any]:
        """Let a player send a move."""
        return self.do(lambda draft: place(draft, player_id, RequestedMove(notation)))

    def move_any(self) -> Decision[Any]:
        """Let the first player to move make their first legal move."""
        move = self.state.legal_moves()[0]
        mover = self.game.seat_of_pawn(move.pawn)
        assert mover.player_id is not None
        return self.move(mover.player_id, str(move))

    def play_phase(self) -> None:
        """Let everybody who is to move make the first legal move, until the phase is over."""
        phase = phase_of(self.state)
        while self.game.status == "running" and phase_of(self.state) == phase:
            self.move_any()

    def timer(self, kind: str, seat: int | None = None) -> Timer:
        """Return the earliest timer of a kind that is to fire."""
        return next(timer for timer in self.timers(kind) if seat in (None, timer.seat))

    def timers(self, *kinds: str) -> list[Timer]:
        """Return the timers that are to fire, the earliest first; by default of all kinds."""
        return [timer for timer in self.game.timers if timer.state == "armed" and (not kinds or timer.kind in kinds)]

    def fire(self, kind: str, seat: int | None = None) -> Decision[Any]:
        """Let the time come of the earliest timer of a kind, and do what it says."""
        timer = self.timer(kind, seat)
        self.now = max(self.now, timer.due_at)
        return self.do(partial(fire, timer.id))

    def away(self, seat: int, begin: datetime, end: datetime, *, is_automatic: bool = False) -> None:
        """Note that the holder of a seat is away; no deadline moves."""
        player_id = self.game.seat_of_number(seat).player_id
        assert player_id is not None
        absence = Absence(f"absence {len(self.game.absences)}", player_id, begin, end, is_automatic)
        self.game.absences = sorted([*self.game.absences, absence], key=lambda each: (each.player_id, each.begin))


def begun(*args: Any, commit: Callable[..., str] = commitments.commitment, **kwargs: Any) -> Match:
    """Return a game that has begun, with the timers of its first phase; the arguments are those of `situation`."""
    match = Match(situation(*args, **kwargs), commit=commit)
    match.do(moves.begin)
    return match


def opened(
    *guests: Guest, edition: str = "ravensburger-2000", has_team_talk: bool = False, visibility: str = "private"
) -> Match:
    """Return a game that Ada has opened and that has not begun: a seat for each guest, Mr. X's first.

    Seats of `Guest()` are open, Ada and bots sit at once, and everybody else is invited.
    """
    game = situation(edition, len(guests))
    hands = [seat.pawns for seat in game.seats]
    game = replace(
        game, host_id="Ada", visibility=visibility, status="open", turn=None, started_at=None, log_secrets=None,
        seats=[], state=None, lobby=Lobby(has_team_talk=has_team_talk),
    )  # fmt: skip
    match = Match(game)
    invitees = {guest: invitee(guest) for guest in guests if guest.bot is None and guest not in (Guest(), Guest("Ada"))}
    match.do(lambda draft: before_start.open_seats(draft, person("Ada"), hands, guests, invitees))
    return match


def person(name: str, *, is_guest: bool = False, has_heard: bool = False) -> before_start.Person:
    """Return a player who takes a seat before the start."""
    return before_start.Person(holder(name, is_guest=is_guest), name, has_heard)


def invitee(guest: Guest, **known: Any) -> Invitee:
    """Return what the server knows of a guest who is invited; `known` is what differs from the usual."""
    usual: dict[str, Any] = {"is_withheld": False, "code": None, "to_player": (), "to_player_by_host": ()}
    return Invitee(guest, guest.player_id, f"mark of {guest.email or guest.player_id}", **usual | known)


def fire(timer_id: str, draft: Draft) -> None:
    """Mark a timer as fired, and do what its kind says, as `server.application.time.deadlines` does."""
    timer = next(timer for timer in draft.game.timers if timer.id == timer_id)
    timer.state = "fired"
    KINDS[timer.kind](draft, timer)


KINDS: dict[str, Callable[[Draft, Timer], None]] = {
    "timeout": lateness.time_out,
    "reminder": lateness.remind,
    "move": lambda draft, _timer: moves.move_bot(draft),
    "vote": votes.close,
    "invitation": lambda draft, timer: before_start.expire_invitation(draft, timer.seat),
    "final": lambda draft, _timer: endings.make_final(draft),
}


def settle(draft: Draft) -> None:
    """Credit the game with what it is owed, as every caller does before a timer fires."""
    outage_credit.credit(draft)


def as_loaded(game: Situation) -> Situation:
    """Return the situation as a load returns it: without timers and motions that are over, everything in its order."""
    loaded = game.twin()
    loaded.timers = sorted(
        (timer for timer in loaded.timers if timer.state == "armed" or _was_sent(loaded, timer)),
        key=lambda timer: (timer.due_at, timer.seat, timer.kind, timer.id),
    )
    motions = [motion for motion in loaded.motions if motion.state in ("open", "carried")]
    loaded.motions = sorted(map(_as_loaded, motions), key=lambda motion: (motion.opened_at, motion.id))
    loaded.queue.sort(key=lambda queued: (queued.kept_at, queued.pawn))
    loaded.held.sort(key=lambda held: (held.plays_at, held.pawn))
    loaded.absences.sort(key=lambda absence: (absence.player_id, absence.begin))
    return loaded


def _was_sent(game: Situation, timer: Timer) -> bool:
    is_of_phase = (timer.side, timer.round) == (game.side, game.round)
    return timer.kind == "reminder" and timer.state == "fired" and is_of_phase


def _as_loaded(motion: Motion) -> Motion:
    return replace(motion, ballots=dict(sorted(motion.ballots.items())) if motion.state == "open" else {})


def published(decision: Decision[Any]) -> list[str]:
    """Return the kinds of the events of a decision."""
    return [event.kind for event in decision.events]


def posted(decision: Decision[Any]) -> dict[str, list[str]]:
    """Return by kind of mail who is written to, in the order of the mails."""
    found: dict[str, list[str]] = {}
    for mail in decision.mails:
        found.setdefault(mail.kind, []).append(mail.player_id)
    return found


def plain(game: Situation) -> tuple[Any, ...]:
    """Return a situation as a value that can be compared; of the engine's game its record, Mr. X included."""
    state = game.state and game.state.record_json(opened=True)
    return replace(game, state=None), state
