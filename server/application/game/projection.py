"""The projection of a game: the view of it that one viewer gets. Nothing else of a game leaves the server.

The engine builds a view from public facts; this module adds the facts around the game.
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple, TypedDict

from server import clock, engine
from server.application.game import timer_rows, transcripts
from server.application.game.look import look
from server.application.game.state import edition_of, rebuild, rebuild_all, states
from server.house_rules import guest_rules
from server.house_rules.reasons import sentence_of
from server.house_rules.standing import SPECTATOR, Seat, Sight, Standing, Timer
from server.house_rules.submission import covered_seats
from server.house_rules.timers import own_or_earliest
from server.house_rules.turns import check_legal, choices
from server.models import Account, Player
from server.runtime import runtime
from server.vocabulary.clocks import Clock
from server.vocabulary.durations import format_duration, rfc3339
from server.vocabulary.errors import Problem, refusal
from server.vocabulary.translation import gettext


def viewer_of(game: Standing, player: Account | None) -> str:
    """Return the viewer that `player` is: mr_x, the first pawn of their seat, or spectator."""
    seat = own_seat(game, player)
    return seat.pawns[0] if seat else SPECTATOR


def own_seat(game: Standing, player: Account | None) -> Seat | None:
    """Return the seat that `player` holds, if any."""
    return game.seat_held_by(player.id if player else None)


class OwnSeat(TypedDict):
    """The seat of the viewer, with its pawns."""

    seat: int
    pawns: list[str]


class Outcome(TypedDict):
    """The winner, the reason, and whether the result is final, or else when it will be."""

    winner: str | None
    reason: str | None
    final: bool
    final_at: str | None


class SeatView(TypedDict):
    """A seat in a view. Only the host sees the address that is invited; `bank` is there with a clock of that kind."""

    seat: int
    role: str
    pawns: list[str]
    player: str | None
    bot: str | None
    level: str | None
    invite: str | None
    bank: str | None
    misses: int
    offered: bool
    cover: int | None
    bounces: bool
    guest: bool
    state: str


class GuestsView(TypedDict):
    """The rules for guests, as `GuestRules`."""

    seats: str
    talk: bool
    stay: str
    pairs: bool


class _Entry(TypedDict):
    id: str
    name: str
    clock: Clock
    visibility: str
    label: str | None
    seating: str
    guests: GuestsView
    starts_when_full: bool
    status: str
    host: str
    seats: list[SeatView]
    turn: int | None
    round: int | None
    created_at: str
    you: OwnSeat | None
    due_at: str | None
    outcome: Outcome | None


class Summary(_Entry):
    """A game's entry in a list."""

    edition: str
    options: engine.Options
    to_move: list[str]


class PastView(engine.BoardView):
    """A view of the board as one viewer had it at a turn; `outcome` is there at the end."""

    turn: int
    round: int
    outcome: Outcome | None


class GameView(_Entry, engine.BoardView):
    """A game as a player may see it, in the shape of `GET /games/{id}`."""

    code: str | None
    rematch: str | None
    seal: transcripts.Head | None
    draw: list[int]
    ahead: list[dict[str, str]]


class TurnDeadline(TypedDict):
    """The deadline of a seat, or of all that are to move, with the steps that led to it."""

    seat: int | None
    due_at: str
    steps: list[str]


class DeadlineView(TypedDict):
    """The deadlines of a game; see `deadline`."""

    due_at: str | None
    steps: list[str]
    goes: list[TurnDeadline]


class _CachedView(NamedTuple):
    """A view as it was last written for a viewer, at one `version` of the game; `ahead` has the team's queued moves."""

    version: str
    ahead: list[dict[str, str]] | None
    text: bytes
    tag: str


def shown(
    game_id: str,
    player: Account | None,
    version: str,
    has_queue: bool,
    write: Callable[[GameView], tuple[bytes, str]],
) -> tuple[bytes, str]:
    """Return the game as `player` may see it, as text with its ETag; from the cache if nothing has changed since.

    It is cached for this player alone. It is current while the version is the same, which changes with public facts
    only, and the team's queued moves are. `version` is the one that was read when the player was let in, and
    `has_queue` whether they have a seat and the detectives had queued moves then. `write` makes both from a view.
    """
    view_cache, place = runtime().view_cache, (game_id, player.id if player else "")
    last: _CachedView | None = view_cache.get(place)
    if last and last.version == version and (last.ahead is None or last.ahead == _team_queue(game_id, has_queue)):
        return last.text, last.tag
    game = look(game_id, player)
    view = project(game, player)
    seat = own_seat(game, player)
    ahead = view["ahead"] if seat and seat.role == "detective" else None
    view_cache.put(place, made := _CachedView(game.version, ahead, *write(view)))
    return made.text, made.tag


def _team_queue(game_id: str, has_queue: bool) -> list[dict[str, str]]:
    return [queued.as_json for queued in timer_rows.queue_of(game_id)] if has_queue else []


def project(game: Sight, player: Account | None) -> GameView:
    """Return the game as `player` may see it, in the shape of `GET /games/{id}`."""
    seat = own_seat(game, player)
    is_host = player is not None and player.id == game.host_id
    view: GameView = {
        **summary(game, player),
        "code": game.code if is_host or seat else None,
        "rematch": game.rematch_id if seat else None,
        "seal": transcripts.head(game),
        "draw": [seat.number for seat in game.seats if seat.wants_draw],
        "ahead": [queued.as_json for queued in game.queue] if seat and seat.role == "detective" else [],
        **engine_view(game, viewer_of(game, player)),
    }
    return view


def summaries(games: Sequence[Standing], player: Account | None = None) -> list[Summary]:
    """Return the entries of a list of games, in a number of statements that does not depend on that of games."""
    states = rebuild_all([game for game in games if game.status == "running"], leaves_out_damaged=True)
    return [summary(game, player, states[game.id].to_move if game.id in states else ()) for game in games]


def summary(game: Standing, player: Account | None = None, to_move: Sequence[str] = ()) -> Summary:
    """Return a game's entry in a list, with the pawns `to_move`. Only the host sees which addresses are invited."""
    own, rules = own_seat(game, player), guest_rules.rules_of(game)
    return {
        "id": game.id,
        "name": game.name,
        "edition": game.edition,
        "options": game.options,
        "clock": clock.with_defaults(game.clock),
        "visibility": game.visibility,
        "label": game.label,
        "seating": game.seating,
        "guests": {"seats": rules.seats, "talk": rules.talk, "stay": rules.stay, "pairs": rules.pairs},
        "starts_when_full": game.starts_when_full,
        "status": game.status,
        "host": game.host_id,
        "seats": [
            {"seat": seat.number, "role": seat.role, "pawns": seat.pawns, "player": seat.player_id, "bot": seat.bot,
             "level": seat.level,
             "invite": invited_address(seat, player), "bank": _bank(game, seat), "misses": seat.misses,
             "offered": seat.is_offered, "cover": seat.cover, "bounces": bool(seat.bounces),
             "guest": bool(seat.is_guest),
             "state": "taken" if seat.is_taken else "invited" if seat.is_reserved else "open"}
            for seat in game.seats
        ],
        "turn": game.turn,
        "round": game.round,
        "created_at": rfc3339(game.created_at),
        "you": {"seat": own.number, "pawns": own.pawns} if own else None,
        "due_at": rfc3339(game.due_at) if game.status == "running" else None,
        "outcome": outcome(game),
        "to_move": [*to_move],
    }  # fmt: skip


def _bank(game: Standing, seat: Seat) -> str | None:
    """Return the time a seat has left for all its turns, at the beginning of the current one."""
    if game.clock["kind"] != "bank":
        return None
    return game.clock["bank"] if seat.bank is None else format_duration(timedelta(seconds=seat.bank))


def invited_address(seat: Seat, player: Account | None) -> str | None:
    """Return the invited address of a seat, if `player` is the host who wrote it."""
    if player is None or seat.invitation is None or seat.invitation.host_id != player.id:
        return None
    return seat.invitation.email


def engine_view(game: Standing, viewer: str) -> engine.BoardView:
    """Return the engine's view of the game for `viewer`; the board of an open game is empty."""
    if game.turn is None:
        return {
            "edition": game.edition, "options": game.options,
            "to_move": [], "starts": {}, "pawns": {}, "log": [], "history": [],
        }  # fmt: skip
    view = _with_seats(game, rebuild(game).view(viewer, opened=game.final))
    if game.status == "over":
        view["to_move"] = []
    return view


def _with_seats(game: Standing, view: engine.View) -> engine.View:
    """Return an engine's view with the seat of each pawn, and without the result."""
    seats = {pawn: seat.number for seat in game.seats for pawn in seat.pawns}
    for pawn, facts in view["pawns"].items():
        facts["seat"] = seats[pawn]
    del view["outcome"]  # the row has the result: lateness ends games that play does not
    return view


def past_views(game: Standing, viewer: str, until: int | None = None) -> Iterator[PastView]:
    """Yield what `viewer` knew of the board before the first move of a game, and after each until turn `until`.

    Nothing in them is opened: they are the views that the viewer had while the game was played. The last of all has
    the result, those before have none. They are for the viewer, and for others once the result is final.
    """
    for turn, state in enumerate(states(game), 1):
        view, result = _with_seats(game, state.view(viewer)), outcome(game) if turn == game.turn else None
        if result:
            view["to_move"] = []
        yield {**view, "outcome": result}
        if turn == until:
            return


def spectator_view_at(game: Standing, window: int) -> engine.View:
    """Return the engine's view for a spectator after the move that filled `window` of the travel log."""
    return rebuild(game, rebuild(game).moves_until(window)).view_at(window)


def outcome(game: Standing) -> Outcome | None:
    """Return the winner, the reason, and whether the result is final; None while the game runs."""
    if game.status != "over":
        return None
    return {
        "winner": game.winner,
        "reason": game.reason,
        "final": game.final,
        "final_at": None if game.final else rfc3339(game.final_at),
    }


def deadline(game: Sight, player: Account | None, say: Callable[[datetime], str] | None = None) -> DeadlineView:
    """Return the deadlines of a game and how they came about, as `player` may know them.

    `due_at` and `steps` are those of the player's own turn, or else of the earliest deadline; `goes` has all of them.
    `say` writes times, as for `steps`.
    """
    seat = own_seat(game, player)
    timeouts = game.timeouts() if game.status == "running" else []
    first = own_or_earliest(timeouts, seat)
    return {
        "due_at": rfc3339(first.due_at) if first else None,
        "steps": steps(game, first, seat, say) if first else [],
        "goes": [
            {"seat": timer.seat or None, "due_at": rfc3339(timer.due_at), "steps": steps(game, timer, seat, say)}
            for timer in timeouts
        ],
    }


def steps(
    game: Standing, timer: Timer, seat: Seat | None, say: Callable[[datetime], str] | None = None
) -> list[str]:  # fmt: skip
    """Return how a deadline came about, as the player of `seat` may know it.

    `say` writes times; by default in the clock's zone.
    """
    say = say or clock.in_zone(clock.with_defaults(game.clock)["zone"])
    return clock.explain(clock.read_steps(timer.steps or []), seat.number if seat else None, say)


def deduction(game: Standing) -> list[int]:
    """Return the stations Mr. X can be on, from a spectator's view, so that every player gets the same."""
    if not edition_of(game).rules["deduction"]:
        sentence = gettext("In this game all players work out for themselves where Mr. X can be (deduction: false).")
        raise Problem("forbidden", sentence)
    if game.turn is None:
        raise refusal("game-not-running", "This game has not begun; Mr. X is nowhere yet.")
    return sorted(engine.deduce(engine_view(game, SPECTATOR)))


def possible(game: Standing) -> list[int] | None:
    """Return the stations Mr. X can be on, for a picture; None if the game hides them or has not begun."""
    shown = game.turn is not None and edition_of(game).rules["deduction"]
    return deduction(game) if shown else None


def record(game: Standing, player: Account | None) -> engine.Record:
    """Return the game record, redacted until the result is final, except that Mr. X sees his own."""
    return record_for(game, viewer_of(game, player))


def record_for(game: Standing, viewer: str) -> engine.Record:
    """Return the game record for the viewer mr_x, a pawn, or spectator, redacted until the result is final."""
    if game.turn is None:
        raise refusal("game-not-running", "This game has not begun; there is no record of it.")
    state = rebuild(game)
    headers = {"date": f"{game.started_at:%Y-%m-%d}"}
    if game.head:
        headers["seal"] = f"event {game.events}, head {game.head}"
    if game.status == "over" and state.outcome is None:
        headers["result"] = f"{game.winner}, {game.reason}"
    return state.record_json(viewer=viewer, opened=game.final, **headers)


def legal_moves(game: Standing, player: Player | None) -> list[engine.Move]:
    """Return the moves `player` may send now, those to be queued included; none if they have nothing to move."""
    seat = own_seat(game, player)
    if seat is None or game.status != "running":
        return []
    state = rebuild(game)
    return [move for pawn in seat.pawns for move in choices(state, pawn)]


def why_illegal(game: Standing, move: engine.Move, moves: int | None = None) -> str:
    """Return why the pawn of a move cannot make it after `moves` moves, or all, for who may move it; else nothing."""
    try:
        check_legal(rebuild(game, moves), move, move.pawn)
    except Problem as problem:
        return problem.sentence
    except engine.OutOfTurn as error:
        return sentence_of(error)
    return ""


def sendable_moves(game: Sight, player: Player | None) -> list[engine.Move]:
    """Return all moves `player` may send now: their own, to be played or queued, and those for teammates they cover."""
    return [*legal_moves(game, player), *covered_moves(game, player)]


def covered_moves(game: Sight, player: Player | None) -> list[engine.Move]:
    """Return the moves `player` may send now for teammates they cover."""
    seat = own_seat(game, player)
    if seat is None or game.status != "running" or seat.role == "mr_x":
        return []
    state = rebuild(game)
    pawns = [pawn for other in covered_seats(game, seat, state) for pawn in other.pawns]
    return [move for pawn in pawns if pawn in state.to_move for move in state.legal_moves(pawn)]
