"""The rules for guests, who have no address, in a game among people: which seats they may take, and who hears them."""

from collections.abc import Mapping
from typing import NamedTuple, TypeGuard

from server.house_rules.standing import ChosenForGuests, Seat, Standing
from server.vocabulary.errors import Problem, refusal
from server.vocabulary.translation import gettext
from server.vocabulary.words import quoted

SEATS = ("none", "detectives", "any")
STAYS = ("P1D", "P3D", "P7D", "P14D", "P30D")


class GuestRules(NamedTuple):
    """The rules for guests in one game.

    seats: the seats that they may take before the start, one of `SEATS`. Where the roles are settled at the start,
        "detectives" are all seats, and a guest becomes Mr. X only if nobody with an address plays
    talk: whether they may write to the table
    stay: how long they may stay away, before the start, until their seat is free again; one of `STAYS`
    pairs: whether two of them may play in one browser, such as two children on one phone, with a detective's seat each
    """

    seats: str
    talk: bool
    stay: str
    pairs: bool = False


# In a private game guests are friends who have the link, in a public one strangers.
_USUAL = {"private": GuestRules("detectives", True, "P7D"), "public": GuestRules("none", False, "P7D")}


def rules_of(game: Standing) -> GuestRules:
    """Return the rules of a game: those that its host chose, and else what is usual."""
    return _USUAL[game.visibility]._replace(**(game.guests or {}))


def check(chosen: Mapping[str, object] | None, seating: str) -> ChosenForGuests | None:
    """Return the rules that a host chose, as they are stored; `Problem` form for one that there is not.

    `seating` is how the seats are assigned at the start: by lot, one browser might become Mr. X and a detective.
    """
    known = {"seats": SEATS, "talk": (True, False), "stay": STAYS, "pairs": (True, False)}
    for name, value in (chosen or {}).items():
        if name not in known:
            raise Problem("form", f"there is no {name!r}; there are {', '.join(known)}.", field="guests")
        if value not in known[name]:
            choices = ", ".join(map(str, known[name]))
            wrong = gettext("{name} is one of {choices}, not {value}.", name=name, choices=choices, value=quoted(value))
            raise Problem("form", wrong, field="guests")
    if seating != "chosen" and (chosen or {}).get("pairs"):
        sentence = gettext("two can play in one browser only where everybody keeps the seat that they chose.")
        raise Problem("form", sentence, field="guests")
    return {**chosen} if chosen and _is_known(chosen) else None


def _is_known(chosen: Mapping[str, object]) -> TypeGuard[ChosenForGuests]:
    """Return True if there are such rules; `check` has looked at the values."""
    return chosen.keys() <= ChosenForGuests.__optional_keys__


def may_sit(game: Standing, role: str) -> bool:
    """Return True if guests may take a seat of this role, `mr_x` or `detective`, before the start.

    A seat has no role of its own yet where the roles are settled at the start, see `dealing.assign_seats`.
    """
    has_role = game.seating == "chosen"
    return rules_of(game).seats in ({"any"} if has_role and role == "mr_x" else {"any", "detectives"})


def check_may_sit(game: Standing, role: str) -> None:
    """Raise `Problem` forbidden unless guests may take a seat of this role before the start."""
    if may_sit(game, role):
        return
    if may_sit(game, "detective"):
        raise refusal("forbidden", "Mr. X needs an address in this game: sign in, or take a detective's seat.")
    raise refusal("forbidden", "The host of this game wants players with an address: sign in to take a seat.")


def may_host(game: Standing, *, is_guest: bool) -> bool:
    """Return True if somebody may be the host of the game: a guest hosts friends who have the link, not strangers."""
    return not is_guest or game.visibility == "private"


def check_may_host(visibility: str, *, is_guest: bool) -> None:
    """Raise `Problem` forbidden if somebody may not be the host of a game that is "private" or "public"."""
    if is_guest and visibility != "private":
        raise refusal("forbidden", "The host of a public game has an address: add yours first.")


def refusal_of_link(game: Standing, seat: Seat) -> Problem | None:
    """Return why the host of a game may make no new link for the guest on a seat; None if the host may.

    The host could open it: so it is for detectives alone, and no host who is Mr. X makes one.
    """
    own = game.seat_held_by(game.host_id)
    if game.status != "running":
        return refusal("game-not-running", "Before the start, clear the seat, and give them the new link of the game.")
    if seat.role == "mr_x":
        return refusal(
            "forbidden",
            "Such a link would tell where Mr. X is: he comes back in his own browser, or by his own address.",
        )
    if own is not None and own.role == "mr_x":
        return refusal("forbidden", "Such a link would tell Mr. X what the detectives say, and you are Mr. X.")
    return None


def may_pair(game: Standing, one: Seat | None, other: Seat | None) -> bool:
    """Return True if those who play in one browser may have these two seats: one browser sees one side alone."""
    are_detectives = one is not None and other is not None and one.role == other.role == "detective"
    return are_detectives and rules_of(game).pairs


def check_may_pair(game: Standing, beside: Seat, chosen: Seat) -> None:
    """Raise `Problem` forbidden unless somebody may take the seat `chosen` in the browser of the player of `beside`."""
    if may_pair(game, beside, chosen):
        return
    if rules_of(game).pairs:
        raise refusal("forbidden", "Two who play in one browser are both detectives: Mr. X needs a browser of his own.")
    sentence = gettext("Somebody has a seat in this game in your browser, and its host lets no two play in one.")
    raise Problem("forbidden", sentence)
