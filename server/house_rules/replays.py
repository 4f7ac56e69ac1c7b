"""The replay of a private game, which a link shows to everybody if one player of each side wants it; bots always do."""

from server.house_rules.draft import Draft
from server.house_rules.standing import Standing
from server.vocabulary.errors import Problem, refusal

WISHES = ("pawn", "name")
"""How a player is shown: by their pawns alone, or by their name as well."""


def want_shown(draft: Draft, player_id: str, wish: str | None) -> None:
    """Note how a player wants the replay shown to everybody who has its link; None if they do not want that.

    Raises:
        Problem: `forbidden` for who has no seat, `form` for another wish, and in a public game, whose replay is open to
            everybody; `game-not-running` before the result is final.
    """
    game = draft.game
    seat = game.seat_of_player(player_id)
    if wish is not None and wish not in WISHES:
        raise Problem("form", f"{' or '.join(WISHES)}, or nothing to withdraw it.", field="shows")
    if game.visibility == "public":
        raise refusal("form", "This game is public: everybody can open its replay already.")
    if not game.final or game.turn is None:
        raise refusal("game-not-running", "A replay can be shown when the result of its game is final.")
    seat.replay = wish


def is_shown(game: Standing) -> bool:
    """Return True if the link of a game's replay shows it to everybody."""
    people = [seat for seat in game.seats if seat.player_id]
    sides = {seat.role for seat in people}
    return game.final and bool(sides) and sides == {seat.role for seat in people if seat.replay}
