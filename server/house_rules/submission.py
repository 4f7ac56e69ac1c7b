"""A move that a player sends: whose it is, its form, whether it is legal; it is played at once or queued."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from server import clock, engine
from server.house_rules import moves, queue
from server.house_rules.draft import Draft
from server.house_rules.reasons import sentence_of
from server.house_rules.situation import Situation
from server.house_rules.standing import QueuedMove, Seat, Sight
from server.house_rules.timers import is_in_grace
from server.house_rules.turns import awaited_seats, check_legal, choices, moved_this_round
from server.vocabulary.errors import Problem, refusal
from server.vocabulary.translation import gettext, gettext_noop, ngettext
from server.vocabulary.words import pawn_name, pawn_names

GONE_ON = gettext_noop(
    "The game has gone on since then, so nothing was done. Look at it as it is now, and send your move again."
)


@dataclass(frozen=True)
class RequestedMove:
    """A move as it was sent: notation, or the fields of a move in JSON.

    `turn` is the turn number it was meant for; None where something else (a reply address) shows that it is current.
    With `for_round` it is meant for the pawn's turn in the round of `turn`, whichever number that turn gets.
    """

    move: str | Mapping[str, object]
    turn: int | None = None
    pawn: str | None = None
    dry_run: bool = False
    for_round: bool = False
    otherwise: tuple[str, ...] = ()  # notations, of which the first that is legal is played if `move` is not


class Chosen(NamedTuple):
    """A requested move as understood: the whole move, who brings it, and whether it waits for its turn.

    `left_out` are the moves of its order that can never be played, each with the reason.
    """

    move: engine.Move
    by: str
    is_queued: bool
    otherwise: tuple[engine.Move, ...] = ()
    left_out: tuple[tuple[engine.Move, Problem], ...] = ()


def place(draft: Draft, player_id: str, requested: RequestedMove) -> Chosen:
    """Play a move of the player, or queue it for its turn; nothing in a dry run."""
    seat = draft.game.seat_of_player(player_id)
    forms = _checked_forms(draft.game, seat, requested)
    chosen = _choose_first(seat, draft.state, forms)
    if requested.dry_run:
        return chosen
    if chosen.is_queued:
        queue.add(draft, seat, chosen.move, chosen.otherwise)
    else:
        moves.enter(draft, chosen.move, chosen.by)
    return chosen


def place_as_read(
    draft: Draft, player_id: str, read: Callable[[], RequestedMove], named: Mapping[str, object]
) -> Chosen:
    """Place the move that `read` returns once the player may send it.

    The order of checks is fixed: the game and the seat are checked before the form, which `read` checks, and nothing
    secret is looked at before the move is irrevocable. `named` is the request as it came: a pawn that it names must be
    the player's, however malformed the rest is.
    """
    check_owner(draft.game, player_id, named)
    return place(draft, player_id, read())


def place_all(draft: Draft, player_id: str, requested: Sequence[RequestedMove]) -> list[Chosen | Problem]:
    """Play or queue moves in their order; beside each is the `Problem` if the ones before it leave no room for it."""
    seat = draft.game.seat_of_player(player_id)
    pawns = _pawns_of([_checked_forms(draft.game, seat, one) for one in requested])
    queue.drop(draft.game, [queued for queued in draft.game.queue if queued.pawn in pawns])
    placed = [_placed(draft, player_id, one) for one in requested]
    if draft.game.status == "running":
        return placed
    made = {move.notation for move in draft.moves}
    is_over = refusal("game-not-running", "This game is over; there is nothing to move.")
    # A move that was queued is gone with the queue if a later one has ended the game.
    return [one if isinstance(one, Problem) or str(one.move) in made else is_over for one in placed]


def _pawns_of(orders: Sequence[Sequence[engine.Move]]) -> set[str]:
    """Return the pawns for which moves are sent: these replace queued ones, which are not to be played first."""
    return {form.pawn for forms in orders for form in forms}


def _placed(draft: Draft, player_id: str, requested: RequestedMove) -> Chosen | Problem:
    try:
        return place(draft, player_id, requested)  # it changes nothing before everything is checked
    except Problem as problem:
        return problem


def check_in_order(draft: Draft, player_id: str, requested: Sequence[RequestedMove]) -> list[Chosen]:
    """Return these moves as understood; raise the `Problem` of the first that cannot be sent after those before it.

    They are tried in their order on a copy of what is public: the team's queued moves are played in between, nobody is
    captured, and whether Mr. X can move is left open. So a refusal tells nothing that the detectives do not know.
    """
    game = draft.game
    seat = game.seat_of_player(player_id)
    orders = [_checked_forms(game, seat, one) for one in requested]
    assert game.state is not None  # it runs
    state = game.state.copy() if seat.role == "mr_x" else game.state.without_mr_x()
    pawns = _pawns_of(orders)
    waiting = [queued for queued in game.queue if queued.pawn not in pawns]
    found: list[Chosen] = []
    for forms in orders:
        chosen = _choose_first(seat, state, forms)
        found.append(chosen)
        if chosen.is_queued:
            waiting = [queued for queued in waiting if queued.pawn != chosen.move.pawn]
            planned = QueuedMove(chosen.move.pawn, seat.number, state.round, str(chosen.move), game.created_at)
            planned.otherwise = [str(other) for other in chosen.otherwise]
            waiting.append(planned)
        else:
            state.play(chosen.move)
            for _, due in queue.due_moves(waiting, state):
                if not isinstance(due, Problem):
                    state.play(due)
    return found


def check_owner(game: Situation, player_id: str, named: Mapping[str, object]) -> None:
    """Raise `Problem` forbidden if a request, however malformed, names a pawn that the player may not move."""
    seat = game.seat_of_player(player_id)
    for name in (named.get("pawn"), *str(named.get("notation", "")).lower().split()[:1]):
        if name in engine.PAWNS:
            _check_own(game, seat, name)


def covered_seats(game: Sight, seat: Seat, state: engine.Game) -> list[Seat]:
    """Return the detectives for whom `seat` may move: those who named it, or are late and in the grace period."""
    if game.status != "running" or seat.role == "mr_x":
        return []
    others = [other for other in game.seats if other.role == "detective" and other.number != seat.number]
    late = awaited_seats(game, state, game.queue) if clock.with_defaults(game.clock)["cover"] else []
    timeouts = game.timeouts()
    return [other for other in others if other.cover == seat.number or (other in late and is_in_grace(timeouts, other))]


def _checked_form(game: Situation, seat: Seat, requested: RequestedMove) -> engine.Move:
    """Return the move as it was written, legal or not, after the checks of its pawn's owner and its turn number."""
    if requested.pawn is not None:
        _check_own(game, seat, requested.pawn)
    form = _form(requested)
    if form.pawn:
        _check_own(game, seat, form.pawn)
    game.check_running("there is nothing to move")
    if requested.turn is not None and not (requested.for_round and _is_yet_to_move(game, requested.turn, form.pawn)):
        check_turn(requested.turn, game.turn)
    return form


def _is_yet_to_move(game: Situation, turn: int, pawn: str) -> bool:
    """Return True if the phase of an earlier turn goes on, and the pawn has not moved since that turn."""
    state = game.state
    if state is None or not pawn or not 0 < turn < state.turn or state.rounds[turn - 1] != state.round:
        return False
    return {"mr_x", pawn}.isdisjoint(move.pawn for move in state.history[turn - 1 :])


def check_turn(turn: int, awaited: int | None) -> None:
    """Raise `Problem` stale-turn if a move is meant for another turn than the one that is awaited."""
    if turn < (awaited or 0):
        raise Problem("stale-turn", gettext(GONE_ON), turn=awaited)
    if turn != awaited:
        sentence = gettext("Turn {turn} has not come; now turn {awaited} is awaited.", turn=turn, awaited=awaited)
        raise Problem("stale-turn", sentence, turn=awaited)


def _checked_forms(game: Situation, seat: Seat, requested: RequestedMove) -> list[engine.Move]:
    """Return the move as it was written, and those to be played in its place, after the same checks."""
    others = [replace(requested, move=notation, otherwise=()) for notation in requested.otherwise]
    forms = [_checked_form(game, seat, one) for one in (requested, *others)]
    _check_one_pawn([form for form in forms if form.pawn])
    return forms


def _check_one_pawn(order: Sequence[engine.Move]) -> None:
    """Raise `Problem` form for an order of moves for several pawns: only the first pawn would move."""
    pawns = list(dict.fromkeys(move.pawn for move in order))
    if len(pawns) > 1:
        yours = pawn_names(pawns)
        raise refusal(
            "form", "A second choice has to be for the same pawn as the first; yours are for {pawns}.", pawns=yours
        )


def _choose_first(seat: Seat, state: engine.Game, forms: Sequence[engine.Move]) -> Chosen:
    """Return the first of these moves that is legal, with those of the same pawn behind it that are as well.

    Raises:
        Problem: that of the first move if none is legal; form if the legal ones are for several pawns.
    """
    chosen: list[Chosen] = []
    refused: list[tuple[engine.Move, Problem]] = []
    for form in forms:
        try:
            chosen.append(_choose(seat, state, form))
        except Problem as problem:
            refused.append((form, problem))
    if not chosen:
        raise refused[0][1]
    _check_one_pawn([each.move for each in chosen])
    first, *others = chosen
    return first._replace(otherwise=tuple(other.move for other in others), left_out=tuple(refused))


def _form(requested: RequestedMove) -> engine.Move:
    """Return the move as it was written, legal or not. A detective's pawn may still be missing."""
    try:
        if isinstance(requested.move, str):
            return engine.Move.parse(requested.move, requested.pawn or "")
        return engine.Move.from_json(requested.move, requested.pawn or "")
    except engine.Unreadable as error:
        raise Problem("form", sentence_of(error)) from None


def _choose(seat: Seat, state: engine.Game, form: engine.Move) -> Chosen:
    """Return the legal move that `form` means in `state`, which may be one without Mr. X."""
    is_covered = bool(form.pawn) and form.pawn not in seat.pawns
    mover = form.pawn if is_covered else _mover(state, seat, form)
    if is_covered and mover not in state.to_move:
        sentence = gettext(
            "It is not the turn of {pawn}; you can move for others in their turn.", pawn=pawn_name(mover)
        )
        raise Problem("not-your-turn", sentence)
    return Chosen(check_legal(state, form, mover), "cover" if is_covered else "player", mover not in state.to_move)


def _mover(state: engine.Game, seat: Seat, form: engine.Move) -> str:
    """Return the pawn that is meant: one of the seat's that may move now, or may queue its move."""
    if seat.role == "mr_x":
        if state.to_move != ("mr_x",):
            raise refusal("not-your-turn", "It is the detectives' turn; yours comes when all of them have moved.")
        return "mr_x"
    if state.to_move == ("mr_x",):
        raise refusal("not-your-turn", "It is Mr. X's turn; yours comes when he has moved.")
    able = [pawn for pawn in seat.pawns if choices(state, pawn)]
    meant = [pawn for pawn in able if form.pawn in ("", pawn)]
    if not meant:
        raise Problem("not-your-turn", _why_unable(state, (form.pawn,) if form.pawn else seat.pawns))
    if len(meant) > 1:
        fitting = [pawn for pawn in meant if form._replace(pawn=pawn) in choices(state, pawn)]
        if len(fitting) != 1:
            raise refusal("form", "Say which pawn moves: {pawns}.", pawns=pawn_names(meant))
        meant = fitting
    return meant[0]


def _why_unable(state: engine.Game, pawns: Sequence[str]) -> str:
    """Return the sentence why none of these pawns can move; it says so if all of them have moved."""
    names, n = pawn_names(pawns), len(pawns)
    if set(pawns) <= moved_this_round(state):
        return ngettext(
            "{names} has already moved in this round.", "{names} have already moved in this round.", n, names=names
        )
    return ngettext(
        "{names} cannot move any more in this round.", "{names} cannot move any more in this round.", n, names=names
    )


def _check_own(game: Situation, seat: Seat, pawn: str) -> None:
    mine = [seat, *(covered_seats(game, seat, game.state) if game.state is not None else ())]
    if not any(pawn in each.pawns for each in mine):
        yours = pawn_names(seat.pawns)
        raise refusal("forbidden", "{pawn} is not yours to move; yours: {pawns}.", pawn=pawn_name(pawn), pawns=yours)


def name_cover(draft: Draft, player_id: str, number: int | None) -> None:
    """Let the detective of seat `number` move for the player; None lets nobody."""
    seat = draft.game.seat_of_player(player_id)
    others = [other.number for other in draft.game.seats if other.role == "detective" and other is not seat]
    if seat.role == "mr_x" or number not in (None, *others):
        sentence = gettext("A detective names a teammate to move for them, by the number of the seat.")
        raise Problem("form", sentence, is_public=True)
    seat.cover = number
