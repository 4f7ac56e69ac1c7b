"""The way in which a move enters a game, one for all of them, and the phases and timers that follow.

Moves come from a player by REST or mail, from the queue, from a bot, and from the server when time has run out.
"""

import random
from collections.abc import Collection
from datetime import timedelta

from server import bots, clock, engine
from server.house_rules import (
    endings,
    motions,
    notices,
    queue,
    sealed_log,
    timers,
)
from server.house_rules.draft import Draft, Made
from server.house_rules.standing import Seat
from server.house_rules.turns import choices, phase_of, seats_to_move
from server.vocabulary.errors import Problem

# A bot always takes this long: how hard its choice was must not be seen. One person who plays with bots alone waits for
# nobody else, and has only a bot to learn something about.
THINKING = timedelta(seconds=2)
THINKING_IN_PRACTICE = timedelta(0)


def enter(draft: Draft, move: engine.Move, by: str) -> None:
    """Make a move and the queued moves whose turn comes with it; then write to the seats that are to move now.

    This is the only way into a game. `by` is player, bot (in a seat of its own), cover (a teammate), or house (the
    server, for a player who is late).
    """
    game, state = draft.game, draft.state
    phase, to_move = phase_of(state), seats_to_move(game.seats, state)
    unchanged = before = to_move  # the seats whose turn goes on
    waiting = list(game.queue)
    returned: dict[int, list[dict[str, str | int]]] = {}
    _make(draft, move, by)
    unchanged = unchanged & seats_to_move(game.seats, state)
    for queued, due in queue.due_moves(waiting, state):
        queue.drop(game, [queued])
        to_move = to_move | {queued.seat}  # this seat has moved, or hears that its move came back
        if isinstance(due, Problem):
            returned.setdefault(queued.seat, []).append({"notation": queued.order, "turn": state.turn})
        else:
            _make(draft, due, "ahead")
            unchanged = unchanged & seats_to_move(game.seats, state)
    # The moves of pawns that were passed over; all of them when the game is over.
    queue.drop(game, [queued for queued in waiting if not choices(state, queued.pawn)])
    game.forget_held([held.pawn for held in game.held if not choices(state, held.pawn)])
    if state.outcome is not None:
        return
    if phase_of(state) != phase:
        begin_phase(draft)
    else:
        for number, moves in returned.items():
            notices.post_returned(draft, game.seat_of_number(number), moves)
        if not clock.is_shared(game.clock):  # else the mail of Mr. X's move has said by when
            for number in sorted(seats_to_move(game.seats, state) - to_move):
                notices.post_to(draft, [game.seat_of_number(number)], "go")
        _switch_timers(draft, before - unchanged, seats_to_move(game.seats, state) - unchanged)
        schedule_bots(draft)


def begin(draft: Draft) -> None:
    """Begin the game that was just dealt: publish that, tell everybody, and begin its first phase."""
    draft.publish("started", starts={pawn: at for pawn, at in draft.state.starts.items() if pawn != "mr_x"})
    outcome = draft.state.outcome
    if outcome is None:
        notices.post_started(draft, phase_of(draft.state)[0])
        begin_phase(draft)
    else:  # a position can be decided as it stands
        draft.game.round = draft.state.round
        endings.end(draft, endings.by_play(outcome))


def begin_phase(draft: Draft) -> None:
    """Schedule the timers of the phase that begins now, and write to its seats."""
    motions.expire_extensions(draft)
    timers.store_banks(draft, [seat.number for seat in draft.game.seats])
    draft.game.side, draft.game.round = phase_of(draft.state)
    restart_timers(draft)
    notices.post_turns(draft, draft.game.side)


def _switch_timers(draft: Draft, ended: Collection[int], begun: Collection[int]) -> None:
    """Stop and start timers within a phase, where each seat has its own."""
    if not clock.is_shared(draft.game.clock):
        move = draft.game.events  # the mails about it tell by when the next one is due
        timers.stop(draft, ended)
        if ended and draft.game.due_at is None:  # no timer is left that a vote could be about
            motions.expire_extensions(draft)
        timers.start(draft, sorted(begun), serial=move)


def restart_timers(draft: Draft, serial: int | None = None) -> None:
    """Give every seat to move its full time from now. `serial` is the number of the event that says so."""
    timers.cancel_all(draft.game)
    timers.start(draft, timers.seats_on_clock(draft.game, draft.state.to_move), serial)
    schedule_bots(draft, serial or draft.game.events)


def schedule_bots(draft: Draft, serial: int = 1) -> None:
    """Schedule the move of a bot, if one is to move."""
    game = draft.game
    if any(seat.bot for seat in game.seats if set(seat.pawns) & set(draft.state.to_move)):
        thinking = THINKING_IN_PRACTICE if game.is_practice else THINKING
        draft.start_timer("move", draft.now + thinking, max(serial, game.events))


def clear_misses(seat: Seat) -> None:
    """Reset the lateness counters after a player has moved."""
    seat.misses, seat.late_since, seat.is_offered = 0, None, False


def move_bot(draft: Draft) -> None:
    """Move one pawn of a bot; where another bot's turn comes then, that one has a timer of its own."""
    if draft.game.status != "running":
        return
    for seat in draft.game.seats:
        for pawn in seat.pawns:
            if seat.bot and pawn in draft.state.to_move:
                enter(draft, choose(draft, seat, pawn), "bot")
                return


def choose(draft: Draft, seat: Seat, pawn: str) -> engine.Move:
    """Return the move that the bot of a seat chooses for a pawn, given only what the pawn's holder sees."""
    assert seat.bot is not None
    assert seat.level is not None
    return bots.choose(seat.bot, *_chosen_from(draft, pawn), seat.level)


def choose_for_late(draft: Draft, pawn: str) -> engine.Move:
    """Return the move that is made for a detective whose time has run out, as the clock says."""
    return bots.choose_for_late(*_chosen_from(draft, pawn), clock.with_defaults(draft.game.clock)["detectives_late"])


def _chosen_from(draft: Draft, pawn: str) -> tuple[engine.View, list[engine.Move], random.Random]:
    """Return what the pawn's holder sees, the moves to choose from, and the chance of this turn of this pawn."""
    game, state = draft.game, draft.state
    legal = state.legal_moves(pawn)
    # A bot does not go where a queued move of a detective leads: that would come back, too late for another one.
    taken = queue.stations(game)
    free = [move for move in legal if pawn == "mr_x" or move.station not in taken]
    return state.view(pawn), free or legal, draft.sources.draw("move", game.seed or game.id, state.turn, pawn)


def _make(draft: Draft, move: engine.Move, by: str) -> None:
    game, state = draft.game, draft.state
    turn = state.turn
    happenings = state.play(move)
    draft.moves.append(Made(turn, move.pawn, str(move), by, draft.now))
    game.turn = turn + 1
    game.forget_held([move.pawn])
    seat = game.seat_of_pawn(move.pawn)
    is_own = by in ("player", "ahead")
    if is_own:
        clear_misses(seat)
    passed_over = [event.pawn for event in happenings if isinstance(event, engine.PassedOver)]
    made = next(event for event in happenings if isinstance(event, engine.Moved))
    sealed = sealed_log.facts_of_move(game.id, game.log_secrets, state, made.windows, draft.sources.commit)
    public = state.redacted(made)
    draft.publish("moved", pawn=move.pawn, notation=public, by=by, passed_over=passed_over, **sealed)
    listeners = {seat.holder.id for seat in game.seats if seat.holder is not None and seat.holder.wants_moves}
    notices.post_move(draft, listeners - ({seat.player_id} if is_own else set()))
    if state.outcome is not None:
        endings.end(draft, endings.by_play(state.outcome, by))
