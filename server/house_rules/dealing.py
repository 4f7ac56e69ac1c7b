"""The start of a game: people are assigned to the seats, it is dealt, and its first phase begins."""

import random
from collections.abc import Iterable, Mapping, Sequence

from server import engine
from server.house_rules import guest_rules, sealed_log
from server.house_rules.draft import Draft
from server.house_rules.moves import begin, begin_phase, enter
from server.house_rules.situation import Deal
from server.house_rules.standing import Holder, Seat, Standing

WAYS = ("chosen", "lot", "rotation")


def deal_and_begin(
    draft: Draft, edition: engine.Edition, last_as_mr_x: Mapping[str, float], dealt: engine.Game | None = None
) -> None:
    """Start a game in which every seat is taken.

    Args:
        last_as_mr_x: for a rotation, when each of the players was Mr. X last in a game with another of them.
        dealt: the game as it is dealt already, if it is.
    """
    game = draft.game
    assign_seats(draft, last_as_mr_x)
    state = dealt or _dealt(draft, edition)
    key = draft.sources.rng("seal").randbytes(32)
    begun = sealed_log.begin_chain(game, state, key, draft.sources.commit)
    game.status, game.started_at, game.turn, game.state = "running", draft.now, state.turn, state
    game.log_secrets, game.head = begun.secrets, begun.head
    game.deal = Deal(begun.header["starts"], None if state.is_set_up else state.starts["mr_x"], begun.header)
    game.lobby = None
    begin(draft)


def begin_with(draft: Draft, dealt: engine.Game, made: Iterable[tuple[engine.Move, str]]) -> None:
    """Start a game in which every seat is taken with moves that were made in another; only the next turn is mailed.

    made: the moves, each with who made it: `player`, or `bot`
    """
    deal_and_begin(draft, dealt.edition, {}, dealt)
    for move, by in made:
        enter(draft, move, by)
    draft.mails.clear()
    draft.deliveries.clear()
    draft.game.timers.clear()
    begin_phase(draft)


def _dealt(draft: Draft, edition: engine.Edition) -> engine.Game:
    game = draft.game
    position = game.lobby.position if game.lobby is not None else None
    if position is not None:
        return engine.Game.at(edition, position)
    return engine.Game.deal(edition, players=len(game.seats), rng=_rng(draft))


def _rng(draft: Draft) -> random.Random:
    """Return the chance of the deal: of its seed for a player alone; where people joined, nobody may know it before."""
    game = draft.game
    if sum(seat.player_id is not None for seat in game.seats) > 1:
        game.seed = None
    return draft.sources.rng("deal") if game.seed is None else draft.sources.draw("deal", game.seed)


# Seating -----------------------------------------------------------------------------------------


def assign_seats(draft: Draft, last_as_mr_x: Mapping[str, float]) -> None:
    """Assign the seats of people again if the game's seating says so; bots stay where they are.

    By lot, all seats are drawn. In a rotation the person who was Mr. X the longest ago, or never, changes places with
    the one on seat 1. A guest becomes Mr. X only where guests may take any seat, or nobody else is there. Nobody has
    talked to a team yet, as nobody knew which was theirs: see `talk.write`.
    """
    game = draft.game
    seats = [seat for seat in game.seats if seat.player_id]
    sitting = [seat.holder for seat in seats if seat.holder]
    is_mr_x_a_person = game.seats[0].player_id is not None
    candidates = _candidates(game, sitting)
    if game.seating == "lot":
        chance = draft.sources.rng("seating")
        drawn = chance.sample(sitting, len(sitting))
        if is_mr_x_a_person and drawn[0] not in candidates:
            _swap(drawn, chance.choice(candidates))
        move_to_seats(draft, seats, drawn)
    elif game.seating == "rotation" and is_mr_x_a_person:
        _swap(sitting, min(candidates, key=lambda holder: last_as_mr_x.get(holder.id, 0)))
        move_to_seats(draft, seats, sitting)


def _candidates(game: Standing, sitting: Sequence[Holder]) -> list[Holder]:
    """Return the players who may become Mr. X."""
    any_may = guest_rules.rules_of(game).seats == "any"
    return [holder for holder in sitting if any_may or not holder.is_guest] or list(sitting)


def _swap(players: list[Holder], first: Holder) -> None:
    """Let a player change places with the first of them."""
    place = players.index(first)
    players[0], players[place] = players[place], players[0]


def move_to_seats(draft: Draft, seats: Sequence[Seat], holders: Sequence[Holder]) -> None:
    """Move people to these seats, in this order, each with a new address for replies."""
    for seat, holder in zip(seats, holders, strict=True):
        if seat.player_id != holder.id:
            seat.give_to(holder)
            seat.nonce = draft.sources.new_id("nonce")
    draft.publish("seated", by=draft.game.seating)
