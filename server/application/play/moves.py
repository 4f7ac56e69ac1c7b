"""How a move enters a game. There is one way, `enter`, whoever brings the move:

a player by REST or by mail (`submit`), a move kept for its turn, or the house when time has run out.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import Row, bindparam, select

from server import clock, engine
from server.application.deciding import decided
from server.application.errors import Problem
from server.application.game import motions, notices, sealed_log, timers
from server.application.game.access import (
    check_running,
    happened,
    keep,
    rebuild,
    seat_of,
    seat_of_number,
    seat_of_pawn,
    visible,
)
from server.application.game.timers import add_deadline, disarm
from server.application.people import mail_frequency
from server.models import Game, Move, MoveAhead, Player, Seat, insert, rows, session, table_of, transaction, under_way
from server.runtime import now

# How long a player of the house thinks, always: how hard its choice was is nobody's business.
THINKING = timedelta(seconds=2)
# Every move and every view of a detective's asks for this, so it is built once.
_KEPT_AHEAD = select(table_of(MoveAhead)).where(MoveAhead.game_id == bindparam("game"))
_KEPT_AHEAD = _KEPT_AHEAD.order_by(MoveAhead.kept_at, MoveAhead.pawn)
_DROP = table_of(MoveAhead).delete().where(MoveAhead.game_id == bindparam("game"), MoveAhead.pawn == bindparam("of"))
Kept = Row[Any]
"""A move kept for its turn: a row of `MoveAhead`."""
_Ahead = TypeVar("_Ahead", bound=Any)


@dataclass(frozen=True)
class Submitted:
    """What became of a move: played now, or kept for its turn (`kept`). `notation` is how it was understood.

    `table` is the game as it stands then.
    """

    game: Game
    seat: Seat
    table: engine.Game
    notation: str
    kept: bool


@dataclass(frozen=True)
class Wanted:
    """A move as it was sent: notation, or the fields of a move in JSON.

    `turn` is the turn it was meant for; None where something else (a reply address) tells that it is current.
    """

    move: str | Mapping[str, Any]
    turn: int | None = None
    pawn: str | None = None
    dry_run: bool = False


def submit(game_id: str, player: Player, read: Callable[[], Wanted], named: Mapping[str, Any]) -> Submitted:
    """Commit a move of `player`, or keep it for its turn.

    The order of checks is fixed: whose game and seat it is comes before the form, which `read` checks, and nothing
    secret is looked at before the move is irrevocable. `named` is what came, for the check whether a pawn that it
    names, however malformed it is otherwise, is the player's.
    """
    with transaction():
        game = visible(game_id, player, lock=True)
        _check_owner(game, seat_of(game, player), named)
        return place(game, player, read())


def place(game: Game, player: Player, wanted: Wanted) -> Submitted:
    """`submit` of a move whose form is known, within a transaction that is already open."""
    seat = seat_of(game, player)
    form = _checked_form(game, seat, wanted)
    table = rebuild(game)
    chosen = _choose(seat, table, form)
    decided()
    if not wanted.dry_run and chosen.is_ahead:
        _keep(game, seat, table, chosen.move)
    elif not wanted.dry_run:
        enter(game, table, chosen.move, chosen.by)
    return Submitted(game, seat, table, str(chosen.move), chosen.is_ahead)


def _checked_form(game: Game, seat: Seat, wanted: Wanted) -> engine.Move:
    """Return the move as it was written, by whom and when it may be sent: legal or not."""
    if wanted.pawn is not None:
        _check_own(game, seat, wanted.pawn)
    form = _form(wanted)
    if form.pawn:
        _check_own(game, seat, form.pawn)
    check_running(game, "there is nothing to move")
    if wanted.turn is not None and wanted.turn != game.turn:
        why = "was answered" if wanted.turn < (game.turn or 0) else "has not come"
        sentence = f"Turn {wanted.turn} {why}; now turn {game.turn} is awaited."
        raise Problem("stale-turn", sentence, turn=game.turn)
    return form


class _Chosen(NamedTuple):
    """A move that was sent, as it is understood: the whole move, who brings it, and whether it waits for its turn."""

    move: engine.Move
    by: str
    is_ahead: bool


def _choose(seat: Seat, table: engine.Game, form: engine.Move) -> _Chosen:
    """Return the legal move that `form` means as `table` stands, which may be one without Mr. X."""
    is_covered = bool(form.pawn) and form.pawn not in seat.pawns
    mover = form.pawn if is_covered else _mover(table, seat, form)
    if is_covered and mover not in table.to_move:
        raise Problem("not-your-turn", f"It is not the turn of {_and([mover])}; you can move for others in their turn.")
    return _Chosen(_legal(table, form, mover), "cover" if is_covered else "player", mover not in table.to_move)


class _Planned(NamedTuple):
    """A move that would be kept for its turn: the columns of `MoveAhead` that its turn asks for."""

    pawn: str
    round: int
    notation: str


def check_moves(game: Game, player: Player, wanted: Sequence[Wanted]) -> None:
    """Raise the `Problem` of the first of these moves that cannot be sent behind those before it.

    They are tried in their order on a copy of what is public: the team's queued moves are played in between, nobody is
    captured, and whether Mr. X can move is left open. So a refusal tells nothing that the detectives do not know.
    """
    seat = seat_of(game, player)
    forms = [_checked_form(game, seat, one) for one in wanted]
    table = rebuild(game) if seat.role == "mr_x" else rebuild(game).without_mr_x()
    ahead: list[Kept | _Planned] = list(kept_ahead(game.id))
    for form in forms:
        chosen = _choose(seat, table, form)
        if chosen.is_ahead:
            ahead = [kept for kept in ahead if kept.pawn != chosen.move.pawn]
            ahead.append(_Planned(chosen.move.pawn, table.round, str(chosen.move)))
        else:
            table.play(chosen.move)
            for _, found in _whose_turn_comes(ahead, table):
                if not isinstance(found, Problem):
                    table.play(found)


def check_move(game: Game, player: Player, wanted: str) -> str:
    """The notation of a move that `player` could send now; the `Problem` that `submit` would raise otherwise."""
    return place(game, player, Wanted(wanted, dry_run=True)).notation


def kept_of(game: Game, player: Player) -> list[dict[str, str]]:
    """The moves `player` has kept for their turn."""
    mine = seat_of(game, player).number
    return [ahead_facts(row) for row in kept_ahead(game.id) if row.seat == mine]


def kept_ahead(game_id: str) -> list[Kept]:
    """All that is kept for its turn, in the order in which it came.

    A transaction in which a move was made has the game for itself, and knows.
    """
    work = under_way()
    known = work.found.get(f"ahead of {game_id}") if work else None
    return list(rows(_KEPT_AHEAD, game=game_id) if known is None else known)


def ahead_facts(row: Kept) -> dict[str, str]:
    """A kept move as his team sees it."""
    return {"pawn": row.pawn, "notation": row.notation}


def stations_ahead(game: Game) -> set[int]:
    """Where the moves that are kept would lead."""
    return {engine.Move.parse(kept.notation).station for kept in kept_ahead(game.id)}


def forget_ahead(game_id: str, player: Player) -> int:
    """Take back what `player` has kept; how many there were."""
    with transaction():
        game = visible(game_id, player, lock=True)
        mine = seat_of(game, player).number
        kept = [row for row in kept_ahead(game.id) if row.seat == mine]
        decided()
        _drop(kept)
    return len(kept)


def waiting(game: Game) -> list[Seat]:
    """The seats whose move is missing in this half; one that has sent its moves ahead is not among them.

    Where each has his own time only those are whose go it is.
    """
    if game.status != "running":
        return []
    table = rebuild(game)
    if table.to_move == ("mr_x",) or not clock.is_shared(game.clock):
        return [seat for seat in game.seats if set(seat.pawns) & set(table.to_move)]
    kept = {ahead.pawn for ahead in kept_ahead(game.id)}
    able = {pawn for seat in game.seats for pawn in seat.pawns if choices(table, pawn)}
    return [seat for seat in game.seats if able & set(seat.pawns) - kept]


def enter(game: Game, table: engine.Game, move: engine.Move, by: str) -> None:
    """Commit a move and whatever was kept behind it; then tell who is to move now, and until when.

    The only way into a game. `by` is player, bot (a player of the house in a seat of its own), cover (a teammate, for
    who named him or is late), or house (for who is late).
    """
    half, on_go = half_of(table), _seats_on_go(game, table)
    went_on = before = on_go  # whose go is the same as before
    # Asked for before anything is written, so that all is written at once.
    waiting = kept_ahead(game.id)
    came_back: dict[int, list[dict[str, str]]] = {}
    with session.no_autoflush:
        _commit(game, table, move, by)
        went_on = went_on & _seats_on_go(game, table)
        for kept, found in _whose_turn_comes(waiting, table):
            _drop([kept])
            on_go = on_go | {kept.seat}  # who sits there has sent something ahead, or is told that it came back
            if isinstance(found, Problem):
                came_back.setdefault(kept.seat, []).append({"notation": kept.notation, "why": found.sentence})
            else:
                _commit(game, table, found, "ahead")
                went_on = went_on & _seats_on_go(game, table)
        still = [kept for kept in waiting if choices(table, kept.pawn)]
        # Who was passed over, or all when the game is over.
        _drop([kept for kept in waiting if kept not in still])
        _note_ahead(game.id, still)
        keep(game, table)
        if table.outcome is not None:
            return
        if half_of(table) != half:
            begin_half(game, table)
        else:
            for number, moves in came_back.items():
                notices.returned(seat_of_number(game, number), moves)
            for number in sorted(_seats_on_go(game, table) - on_go):
                notices.go(seat_of_number(game, number))
            _pass_on(game, before - went_on, _seats_on_go(game, table) - went_on)
            call_the_house(game, table)


def begin_half(game: Game, table: engine.Game) -> None:
    """Arm the deadlines of the half of a round that begins now, and tell its seats."""
    motions.expire_extensions(game)
    timers.keep_banks(game, [seat.number for seat in game.seats])
    game.side, game.round = half_of(table)
    arm(game, table)
    notices.half_begun(game, game.side)


def _pass_on(game: Game, over: set[int], begun: set[int]) -> None:
    """Within a half: where each seat has its own time, that of some is over, and that of others begins."""
    if not clock.is_shared(game.clock):
        timers.finish(game, over)
        if over and game.due_at is None:  # of the goes that a vote could have been about none is left
            motions.expire_extensions(game)
        timers.begin(game, sorted(begun))


def arm(game: Game, table: engine.Game, serial: int | None = None) -> None:
    """Give whoever is to move his full time from now. `serial` is the number of the event that says so."""
    disarm(game)
    timers.begin(game, timers.on_clock(game, table), serial)
    call_the_house(game, table, serial or game.events)


def is_in_time(seat: Seat) -> None:
    """Whoever sits there has moved himself: what he missed before does not count any more."""
    if seat.misses or seat.late_since or seat.is_offered:  # a seat that is written is read again by who looks at it
        seat.misses, seat.late_since, seat.is_offered = 0, None, False


def call_the_house(game: Game, table: engine.Game, serial: int = 1) -> None:
    """Where a player of the house is to move, it does so when it has thought."""
    if any(seat.bot for seat in game.seats if set(seat.pawns) & set(table.to_move)):
        add_deadline(game, "move", now() + THINKING, max(serial, game.events))


def end(
    game: Game,
    table: engine.Game,
    winner: str,
    reason: str,
    *,
    undoable: bool = False,
    told: Mapping[str, Any] | None = None,
) -> None:
    """The game is over. What play did not bring about is provisional for a while, and opens nothing until then.

    `told` is what the mail to all tells besides.
    """
    disarm(game)
    for seat in game.seats:
        seat.wants_draw = False
    _drop(kept_ahead(game.id))
    game.status, game.winner, game.reason, game.ended_at = "over", winner, reason, now()
    provisional = clock.provisional_period(game.clock) if undoable else None
    game.final = not provisional
    if provisional:
        game.final_at = now() + provisional
        add_deadline(game, "final", game.final_at, serial=game.events)
    opened = sealed_log.opening(game, table) if game.final else {}
    happened(game, "ended", winner=winner, reason=reason, final=game.final, **opened)
    notices.announced(game, "ended", told)


def _commit(game: Game, table: engine.Game, move: engine.Move, by: str) -> None:
    """Write one move. The row's primary key (game, turn) keeps a second one out."""
    turn = table.turn
    happenings = table.play(move)
    row = {"game_id": game.id, "turn": turn, "pawn": move.pawn, "notation": str(move), "by": by, "made_at": now()}
    insert(Move, row)
    game.turn = turn + 1
    if by in ("player", "ahead"):
        is_in_time(seat_of_pawn(game, move.pawn))
    passed_over = [event.pawn for event in happenings if isinstance(event, engine.PassedOver)]
    made = next(event for event in happenings if isinstance(event, engine.Moved))
    sealed = sealed_log.of_move(game, table, made.windows)
    public = table.redacted(made)
    happened(game, "moved", pawn=move.pawn, notation=public, by=by, passed_over=passed_over, **sealed)
    seat = seat_of_pawn(game, move.pawn)
    listeners = mail_frequency.wanting_every_move(game)
    notices.moved(seat, listeners - ({seat.player_id} if by in ("player", "ahead") else set()))
    outcome = table.outcome
    if outcome is not None:
        end(game, table, outcome.winner, outcome.reason, undoable=by in ("house", "cover"))


def _whose_turn_comes(waiting: list[_Ahead], table: engine.Game) -> Iterator[tuple[_Ahead, engine.Move | Problem]]:
    """Yield each of the moves `waiting` for their turn as it comes, and take it out of the list.

    Beside it is the move, which the caller plays, or the `Problem` why it is not legal any more.
    """
    while table.outcome is None:
        kept = next((kept for kept in waiting if kept.round == table.round and kept.pawn in table.to_move), None)
        if kept is None:
            return
        waiting.remove(kept)
        try:
            yield kept, _legal(table, _form(Wanted(kept.notation)), kept.pawn)
        except Problem as problem:
            yield kept, problem


def _keep(game: Game, seat: Seat, table: engine.Game, move: engine.Move) -> None:
    _drop([kept for kept in kept_ahead(game.id) if kept.pawn == move.pawn])
    row = {"game_id": game.id, "pawn": move.pawn, "seat": seat.number, "round": table.round}
    insert(MoveAhead, row | {"notation": str(move), "kept_at": now()})
    _note_ahead(game.id, list(rows(_KEPT_AHEAD, game=game.id)))


def drop_ahead(seat: Seat) -> None:
    """Nothing that was sent ahead from this seat is played. In the transaction under way."""
    _drop([kept for kept in kept_ahead(seat.game_id) if kept.seat == seat.number])


def _drop(given_up: Sequence[Kept]) -> None:
    for kept in given_up:
        session.execute(_DROP, {"game": kept.game_id, "of": kept.pawn})
        _note_ahead(kept.game_id, None)


def _note_ahead(game_id: str, kept: list[Kept] | None) -> None:
    """What is kept now that it was written; None is to be asked for."""
    work = under_way()
    assert work is not None
    work.found[f"ahead of {game_id}"] = kept


def may_cover(game: Game, seat: Seat, other: Seat) -> bool:
    """Whether who sits on `seat` may move for a fellow detective: one who named him, or who is late and has grace."""
    if game.status != "running" or not seat.role == other.role == "detective" or seat is other:
        return False
    if other.cover == seat.number:
        return True
    return clock.with_defaults(game.clock)["cover"] and timers.is_in_grace(game, other) and other in waiting(game)


def name_cover(game_id: str, player: Player, number: int | None) -> None:
    """Let the holder of that seat, a fellow detective, move for `player` in this game; None is nobody."""
    with transaction():
        game = visible(game_id, player, lock=True)
        seat = seat_of(game, player)
        others = [other.number for other in game.seats if other.role == "detective" and other is not seat]
        if seat.role == "mr_x" or number not in (None, *others):
            raise Problem("form", "A detective names a fellow detective to move for him, by the number of his seat.")
        decided()
        seat.cover = number


def _check_owner(game: Game, seat: Seat, named: Mapping[str, Any]) -> None:
    for name in (named.get("pawn"), *str(named.get("notation", "")).lower().split()[:1]):
        if name in engine.PAWNS:
            _check_own(game, seat, name)


def _check_own(game: Game, seat: Seat, pawn: str) -> None:
    other = next((other for other in game.seats if pawn in other.pawns), None)
    if other is not seat and not (other and may_cover(game, seat, other)):
        raise Problem("forbidden", f"{_and([pawn])} is not yours to move; yours: {_and(seat.pawns)}.")


def _form(wanted: Wanted) -> engine.Move:
    """The move as it was written, legal or not. A detective's pawn may still be missing."""
    try:
        if isinstance(wanted.move, str):
            return engine.Move.parse(wanted.move, wanted.pawn or "")
        return engine.Move.from_json(wanted.move, wanted.pawn or "")
    except engine.Unreadable as error:
        raise Problem("form", str(error)) from None


def _mover(table: engine.Game, seat: Seat, form: engine.Move) -> str:
    """The pawn that is meant: one of the seat's that may move now, or may send its move ahead."""
    if seat.role == "mr_x":
        if table.to_move != ("mr_x",):
            raise Problem("not-your-turn", "It is the detectives' turn; yours comes when all of them have moved.")
        return "mr_x"
    if table.to_move == ("mr_x",):
        raise Problem("not-your-turn", "It is Mr. X's turn; yours comes when he has moved.")
    able = [pawn for pawn in seat.pawns if choices(table, pawn)]
    meant = [pawn for pawn in able if form.pawn in ("", pawn)]
    if not meant:
        who = _and([form.pawn] if form.pawn else seat.pawns)
        raise Problem("not-your-turn", f"{who} cannot move any more in this round.")
    if len(meant) > 1:
        fitting = [pawn for pawn in meant if form._replace(pawn=pawn) in choices(table, pawn)]
        if len(fitting) != 1:
            raise Problem("form", f"Say which pawn moves: {_and(meant)}.")
        meant = fitting
    return meant[0]


def choices(table: engine.Game, pawn: str) -> list[engine.Move]:
    """What `pawn` may send now: played at once when it is to move, kept for its turn otherwise."""
    return table.legal_moves(pawn) if pawn in table.to_move else table.moves_ahead(pawn)


def _legal(table: engine.Game, form: engine.Move, pawn: str) -> engine.Move:
    """The move, if it is legal for `pawn` now or, sent ahead, as far as can be told."""
    move = form._replace(pawn=pawn)
    try:
        return table.check(move) if pawn in table.to_move else table.check_ahead(move)
    except engine.Illegal as error:
        legal = [move.to_json() for move in error.legal]
        raise Problem("illegal", str(error), reason=error.code, legal=legal) from None


def half_of(table: engine.Game) -> tuple[str, int]:
    """Whose half of which round it is: (`mr_x` or `detectives`, round)."""
    return ("mr_x" if table.to_move == ("mr_x",) else "detectives"), table.round


def _seats_on_go(game: Game, table: engine.Game) -> set[int]:
    return {seat.number for seat in game.seats if set(seat.pawns) & set(table.to_move)}


def _and(pawns: list[str]) -> str:
    return " and ".join("Mr. X" if pawn == "mr_x" else pawn.capitalize() for pawn in pawns)
