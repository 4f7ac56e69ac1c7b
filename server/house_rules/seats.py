"""A seat whose player leaves it: what is cleared, and who gets the host's duties."""

from server.house_rules import guest_rules, motions, moves, queue
from server.house_rules.draft import Draft
from server.house_rules.standing import Seat, Standing


def clear_seat(draft: Draft, seat: Seat) -> None:
    """Clear a seat of its player: misses, bank, cover, votes, queued moves and reply addresses."""
    moves.clear_misses(seat)
    seat.wants_draw, seat.bank, seat.cover = False, None, None
    for other in draft.game.seats:
        if other.cover == seat.number:
            other.cover = None
    for motion in motions.open_ones(draft.game):
        motion.ballots.pop(seat.number, None)
    if seat.player_id is None:  # a bot
        return
    seat.nonce = draft.sources.new_id("nonce")  # with it every reply address
    queue.clear(draft, seat)


def pass_duties_on(draft: Draft, seat: Seat, player_id: str) -> None:
    """Pass the host's duties on, if the player who has left the seat was the host and somebody else is there."""
    game = draft.game
    if game.host_id != player_id:
        return
    heir = next_host(game, seat.number)
    if heir is not None:
        appoint_host(draft, heir)


def appoint_host(draft: Draft, heir: Seat, **details: str) -> None:
    """Make the player on a seat the host; `details` have the operator's reason, if it was the operator."""
    assert heir.player_id is not None
    draft.game.host_id = heir.player_id
    draft.publish("host", seat=heir.number, pawns=heir.pawns, **details)
    draft.post(heir.player_id, "host", details)


def next_host(game: Standing, number: int = 0) -> Seat | None:
    """Return the seat behind seat `number` whose player becomes the host; None if nobody else is there.

    A guest is the last choice, as one who loses the browser's cookie is gone, and none in a public game.
    """
    in_order = sorted(game.seats, key=lambda seat: (seat.is_guest, seat.number <= number, seat.number))
    others = (seat for seat in in_order if seat.player_id not in (None, game.host_id))
    return next((seat for seat in others if guest_rules.may_host(game, is_guest=seat.is_guest)), None)
