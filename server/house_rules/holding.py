"""Held moves: a move that its player may not have meant waits for a while, in which they can stop it.

A held move is its player's alone. Nothing that anybody else can see depends on one: the seat is awaited as before, its
pawn stands where it stood, and its clock runs. At its time it enters the game as if it were sent then.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from server import clock, engine
from server.house_rules import notices, submission
from server.house_rules.draft import Draft
from server.house_rules.situation import Situation
from server.house_rules.standing import OR_ELSE, HeldMove, Seat, Sight, Standing
from server.house_rules.submission import Chosen, RequestedMove
from server.house_rules.timers import timer_of, whole_seconds
from server.vocabulary.errors import Problem, refusal
from server.vocabulary.translation import gettext_noop

SHARE = 10  # a hold lasts one tenth of the turn's full time
SHORTEST = timedelta(minutes=2)  # in less, nobody reads the mail and answers it
MINUTE = timedelta(minutes=1)
NOT_HELD = gettext_noop("No move of yours waits any more: it has been played, or taken back.")


class Placed(NamedTuple):
    """A held move, what became of it (it was played or queued, or the `Problem` why not), and the turn number then."""

    held: HeldMove
    outcome: Chosen | Problem
    turn: int


def hold_length(game: Standing, seat: Seat, longest: timedelta) -> timedelta | None:
    """Return how long a move of the seat waits, in whole minutes; None where its player is asked about it instead.

    That is where the time is too short to answer, and where nobody but bots would wait. `longest` is the setting.
    """
    if game.is_against_bots(seat):
        return None
    full = clock.full_turn(game.clock, seat.role)
    held = longest if full is None else min(full / SHARE, longest)
    return held // MINUTE * MINUTE if held >= SHORTEST else None


def may_wait(game: Sight, player_id: str, requested: Sequence[RequestedMove]) -> bool:
    """Return True if moves may be held: none names a pawn of another seat, or one for which a move is sent ahead.

    In the place of the first somebody else may move any moment, and the second is sure to be meant.
    """
    seat = game.seat_of_player(player_id)
    others = {pawn for each in game.seats if each.number != seat.number for pawn in each.pawns}
    named = _pawns_named(requested) or {*seat.pawns}
    return named.isdisjoint(others | {queued.pawn for queued in game.queue})


def put_on_hold(draft: Draft, player_id: str, requested: Sequence[RequestedMove], wait: timedelta) -> list[HeldMove]:
    """Hold moves of the player together, in the place of others of the same pawns that waited.

    They wait until a full minute, as the mail tells it, and no longer than until the deadline, which plays them.

    Raises:
        Problem: one of them cannot be sent now.
    """
    game, seat = draft.game, draft.game.seat_of_player(player_id)
    chosen = submission.check_in_order(draft, player_id, requested)
    pawns = {each.move.pawn for each in chosen}
    game.forget_held(pawns)
    timer = timer_of(game, seat, game.timeouts())
    plays_at = draft.now + wait
    plays_at += (MINUTE - timedelta(seconds=plays_at.second, microseconds=plays_at.microsecond)) % MINUTE
    if timer is not None and timer.due_at > draft.now:
        plays_at = min(plays_at, timer.due_at)
    name = draft.sources.new_id("hold")
    held = [HeldMove(name, each.move.pawn, seat.number, _notation(each), draft.now, plays_at) for each in chosen]
    game.held += held
    return held


def place_or_hold(draft: Draft, player_id: str, read: Callable[[], RequestedMove], longest: timedelta | None) -> None:
    """Hold the move that `read` returns; place it if `longest` is None, as its player does not hold their moves.

    Where moves cannot be held it is placed too: on a page nobody could be asked once more.
    """
    seat = draft.game.seat_of_player(player_id)
    requested = read()
    wait = None if longest is None else hold_length(draft.game, seat, longest)
    if wait is not None and may_wait(draft.game, player_id, [requested]):
        put_on_hold(draft, player_id, [requested], wait)
    else:
        submission.place(draft, player_id, requested)


def play_held(draft: Draft, player_id: str, name: str | None = None) -> list[Placed]:
    """Play or queue the held moves of a player, or those of one hold; `Problem` form if none waits."""
    return _placed(draft, _waiting(draft.game, player_id, name))


def stop_held(draft: Draft, player_id: str, name: str | None = None) -> list[HeldMove]:
    """Forget the held moves of a player, or those of one hold, and return them; `Problem` form if none waits."""
    held = _waiting(draft.game, player_id, name)
    draft.game.forget_held([each.pawn for each in held])
    return held


def play_due(draft: Draft) -> None:
    """Play the held moves whose time has come, in the order of play; tell their players which cannot be played."""
    due = [held for held in draft.game.held if held.plays_at <= draft.now]
    tell_returned(draft, _refusals(_placed(draft, due)))


def play_late(draft: Draft, late: Collection[int]) -> dict[int, list[Placed]]:
    """Play the held moves of these seats, whose time is up, in the order of play.

    Return those that cannot be played, by seat; whether that is told depends on whose turn goes on.
    """
    return _refusals(_placed(draft, [held for held in draft.game.held if held.seat in late]))


def tell_returned(draft: Draft, refusals: Mapping[int, Sequence[Placed]]) -> None:
    """Write to the players of these seats that held moves of theirs cannot be played, and ask for others."""
    if draft.game.status != "running":
        return
    for number, refused in refusals.items():
        notices.post_returned(draft, draft.game.seat_of_number(number), list(map(_returned, refused)), was_held=True)


def put_off(game: Situation, begin: datetime, end: datetime) -> None:
    """Have the held moves wait longer by what an outage took of their time, in which no NO could arrive."""
    for held in game.held:
        lost = whole_seconds(end - max(begin, held.held_at))
        held.plays_at += max(lost, timedelta(0))


def hold_again(draft: Draft, limit: datetime) -> None:
    """Let moves that seem to be held after `limit`, by a clock that was days ahead, wait their whole time from now."""
    for held in draft.game.held:
        if held.held_at > limit:
            held.held_at, held.plays_at = draft.now, draft.now + (held.plays_at - held.held_at)


# Parts -------------------------------------------------------------------------------------------


def _pawns_named(requested: Sequence[RequestedMove]) -> set[str]:
    texts = [text for each in requested for text in (each.move, *each.otherwise) if isinstance(text, str)]
    pawns = {each.pawn for each in requested} | {text.split()[0].lower() for text in texts if text.strip()}
    return {pawn for pawn in pawns if pawn in engine.PAWNS}


def _notation(chosen: Chosen) -> str:
    return OR_ELSE.join(map(str, (chosen.move, *chosen.otherwise)))


def _waiting(game: Situation, player_id: str, name: str | None) -> list[HeldMove]:
    """Return the held moves of a player, or those of one hold; `Problem` form if there are none."""
    seat = game.seat_of_player(player_id)
    held = [each for each in game.held if each.seat == seat.number and name in (None, each.hold)]
    if not held:
        raise refusal("form", NOT_HELD, is_public=True)
    return held


def _placed(draft: Draft, held: Sequence[HeldMove]) -> list[Placed]:
    """Play or queue held moves in the order of play; beside each is the `Problem` if that is not possible any more.

    One that is refused is tried again once others have moved: they may have left its station. One whose pawn has moved
    meanwhile, or that fell with the phase or the game, is left out.
    """
    placed: list[Placed] = []
    left = sorted(held, key=lambda each: engine.PAWNS.index(each.pawn))
    while left:
        tried = [Placed(each, _outcome(draft, each), draft.state.turn) for each in left if each in draft.game.held]
        refused = [each for each in tried if isinstance(each.outcome, Problem)]
        placed += [each for each in tried if each not in refused]
        left = [each.held for each in refused]
        if len(refused) == len(tried):
            draft.game.forget_held([each.pawn for each in left])
            return placed + refused
    return placed


def _outcome(draft: Draft, held: HeldMove) -> Chosen | Problem:
    """Play or queue a held move, which waits no longer then; return the `Problem` if that is not possible now."""
    first, *others = held.notation.split(OR_ELSE)
    holder = draft.game.seat_of_number(held.seat).player_id
    assert holder is not None  # whoever leaves a seat takes them along
    try:
        return submission.place(draft, holder, RequestedMove(first, otherwise=tuple(others)))
    except Problem as problem:
        return problem


def _refusals(placed: Sequence[Placed]) -> dict[int, list[Placed]]:
    refusals: dict[int, list[Placed]] = {}
    for each in placed:
        if isinstance(each.outcome, Problem):
            refusals.setdefault(each.held.seat, []).append(each)
    return refusals


def _returned(refused: Placed) -> dict[str, str | int]:
    """Return what the mail tells of a move; of Mr. X's it tells nothing, as his mails may name no station."""
    return {"notation": "" if refused.held.pawn == "mr_x" else refused.held.notation, "turn": refused.turn}
