"""The way in which a move enters a game, one for all of them, and the phases and timers that follow.

Moves come from a player by REST or mail, from the queue, from a bot, and from the server when time has run out.
"""

from datetime import timedelta

from server import clock, engine
from server.application.errors import Problem
from server.application.game import motions, notices, queued_moves, sealed_log, timers
from server.application.game.access import seat_of_number, seat_of_pawn
from server.application.game.choices import choices
from server.application.game.events import record_event
from server.application.game.state import cache_state
from server.application.game.waiting import phase_of, seats_to_move
from server.application.people import mail_frequency
from server.application.play import endings
from server.models import Game, Move, Seat, insert, session
from server.runtime import now

# A bot always takes this long: how hard its choice was must not be seen.
THINKING = timedelta(seconds=2)


def enter(game: Game, state: engine.Game, move: engine.Move, by: str) -> None:
    """Commit a move and the queued moves whose turn comes with it; then write to the seats that are to move now.

    This is the only way into a game. `by` is player, bot (in a seat of its own), cover (a teammate), or house (the
    server, for a player who is late).
    """
    phase, to_move = phase_of(state), seats_to_move(game, state)
    unchanged = before = to_move  # the seats whose turn goes on
    # Read before anything is written, so that all is written at once.
    queue = queued_moves.of_game(game.id)
    returned: dict[int, list[dict[str, str]]] = {}
    with session.no_autoflush:
        _commit(game, state, move, by)
        unchanged = unchanged & seats_to_move(game, state)
        for row, due in queued_moves.due_moves(queue, state):
            queued_moves.drop([row])
            to_move = to_move | {row.seat}  # this seat has moved, or hears that its move came back
            if isinstance(due, Problem):
                returned.setdefault(row.seat, []).append({"notation": row.notation, "why": due.sentence})
            else:
                _commit(game, state, due, "ahead")
                unchanged = unchanged & seats_to_move(game, state)
        still = [row for row in queue if choices(state, row.pawn)]
        # The pawns that were passed over; all of them when the game is over.
        queued_moves.drop([row for row in queue if row not in still])
        queued_moves.remember(game.id, still)
        cache_state(game, state)
        if state.outcome is not None:
            return
        if phase_of(state) != phase:
            begin_phase(game, state)
        else:
            for number, moves in returned.items():
                notices.post_returned(seat_of_number(game, number), moves)
            for number in sorted(seats_to_move(game, state) - to_move):
                notices.post_turn(seat_of_number(game, number))
            _pass_on(game, before - unchanged, seats_to_move(game, state) - unchanged)
            schedule_bots(game, state)


def begin_phase(game: Game, state: engine.Game) -> None:
    """Schedule the timers of the phase that begins now, and write to its seats."""
    motions.expire_extensions(game)
    timers.store_banks(game, [seat.number for seat in game.seats])
    game.side, game.round = phase_of(state)
    restart_timers(game, state)
    notices.post_turns(game, game.side)


def _pass_on(game: Game, ended: set[int], begun: set[int]) -> None:
    """Stop and start timers within a phase, where each seat has its own."""
    if not clock.is_shared(game.clock):
        timers.stop(game, ended)
        if ended and game.due_at is None:  # no timer is left that a vote could be about
            motions.expire_extensions(game)
        timers.start(game, sorted(begun))


def restart_timers(game: Game, state: engine.Game, serial: int | None = None) -> None:
    """Give every seat to move its full time from now. `serial` is the number of the event that says so."""
    timers.cancel_all(game)
    timers.start(game, timers.seats_on_clock(game, state), serial)
    schedule_bots(game, state, serial or game.events)


def schedule_bots(game: Game, state: engine.Game, serial: int = 1) -> None:
    """Schedule the move of a bot, if one is to move."""
    if any(seat.bot for seat in game.seats if set(seat.pawns) & set(state.to_move)):
        timers.add(game, "move", now() + THINKING, max(serial, game.events))


def clear_misses(seat: Seat) -> None:
    """Reset the lateness counters after a player has moved."""
    if seat.misses or seat.late_since or seat.is_offered:  # a seat that is written is read again by its views
        seat.misses, seat.late_since, seat.is_offered = 0, None, False


def _commit(game: Game, state: engine.Game, move: engine.Move, by: str) -> None:
    """Write one move. The row's primary key (game, turn) keeps a second one out."""
    turn = state.turn
    happenings = state.play(move)
    row = {"game_id": game.id, "turn": turn, "pawn": move.pawn, "notation": str(move), "by": by, "made_at": now()}
    insert(Move, row)
    game.turn = turn + 1
    if by in ("player", "ahead"):
        clear_misses(seat_of_pawn(game, move.pawn))
    passed_over = [event.pawn for event in happenings if isinstance(event, engine.PassedOver)]
    made = next(event for event in happenings if isinstance(event, engine.Moved))
    sealed = sealed_log.of_move(game, state, made.windows)
    public = state.redacted(made)
    record_event(game, "moved", pawn=move.pawn, notation=public, by=by, passed_over=passed_over, **sealed)
    seat = seat_of_pawn(game, move.pawn)
    listeners = mail_frequency.players_wanting_moves(game)
    notices.post_move(seat, listeners - ({seat.player_id} if by in ("player", "ahead") else set()))
    if state.outcome is not None:
        endings.end(game, state, endings.by_play(state.outcome, by))
