"""Try again: a practice game that goes on from a moment of a game whose result is final."""

from collections.abc import Mapping

from sqlalchemy import bindparam, select

from server import bots, engine
from server.application.game import replay
from server.application.game.deciding import Decided, use_case
from server.application.game.state import edition_of, rebuild
from server.application.lobby import opening
from server.house_rules.dealing import begin_with
from server.house_rules.standing import Sight, Standing
from server.models import Event, Player, rows
from server.runtime import runtime
from server.vocabulary.errors import Problem, refusal
from server.vocabulary.translation import gettext

_MOVED = select(Event.moves, Event.data).where(Event.game_id == bindparam("game"), Event.kind == "moved")


def last_ply(game: Standing) -> int:
    """Return the number of moves after which the game went on last; -1 if it was over when it began."""
    state = rebuild(game)
    return len(state.history) - (state.outcome is not None)


@use_case
def try_again(
    host: Player, game_id: str, ply: int, side: str, level: str | None, clock: Mapping[str, object]
) -> Decided[Sight]:
    """Open a practice game that begins with the first `ply` moves of a game whose replay the host may see.

    The start cards are the same, and the sealed log is its own. The host is Mr. X, or moves all detectives if `side` is
    `detectives`. The bots are as good as those of that game were, or easy, if no `level` is named.

    Raises:
        Problem: `not-found` as of `replay.open_game`; `form` for a moment from which it cannot go on.
    """
    game = replay.open_game(game_id, host, by_link=True)
    state, edition, last = rebuild(game), edition_of(game), last_ply(game)
    if ply > last:
        sentence = gettext("there is no moment to go on from; then the game was over.")
        if last >= 0:
            sentence = gettext("a number of moves from 0 to {last}; then the game was over.", last=last)
        raise Problem("form", sentence, field="ply")
    if side == "detectives" and len(state.seats) > 2:
        edition = edition.with_whole_team(len(state.pawns))
    people = 2 if side == "detectives" else len(state.seats)
    if state.position:
        dealt = engine.Game.at(edition, state.position)
    else:
        dealt = engine.Game.deal(edition, people, runtime().rng("deal"), list(state.starts.values()))
    trial = dealt.copy()
    try:
        for move in state.history[:ply]:
            trial.play(move)
    except engine.MoveError:  # a pawn was passed over that one player with all pawns could have moved later
        raise refusal("form", "mr_x alone, as a pawn had no turn here that it would have had.", field="side") from None
    by = {event.moves: event.data["by"] for event in rows(_MOVED, game=game.id)}
    made = [(move, "bot" if by[turn] == "bot" else "player") for turn, move in enumerate(state.history[:ply], 1)]
    level = level or next((seat.level for seat in game.seats if seat.level), bots.FIRST)
    return opening.open_game.decide(
        host, edition.name, options=edition.options, clock=clock, position=state.position, is_limited=not host.is_guest,
        seats=opening.seats_of_practice(host, side, people, level),
        then=lambda draft: begin_with(draft, dealt, made),
    )  # fmt: skip
