"""An edition: a name and the value of every option, nothing else.

The rules never ask which edition is played, only what its options say.
"""

from __future__ import annotations

import marshal
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property

from server.engine.board import Board
from server.engine.errors import OptionError, shown
from server.engine.options import Options, resolve
from server.engine.reasons import Reason
from server.engine.seats import PAWN_RULES, WHOLE_TEAM, Pawns

USUAL = "ravensburger-2000"  # the edition of a game for which none is named

_LONDON_CARDS = list(Board.named("london").start_cards)

# Milton Bradley 1985.
_MILTON_BRADLEY: Options = {
    "board": "london-milton-bradley",
    "players": [3, 6],
    "pawns": "five",
    "detective_tickets": {"taxi": 10, "bus": 8, "underground": 4},
    "mr_x_tickets": {"taxi": 4, "bus": 3, "underground": 3, "double": 2},
    "black": 5,
    "mr_x_supply": "counted",
    "surfacing": [3, 8, 13, 18, 24],
    "log_windows": 24,
    "max_rounds": None,
    "full_log_wins": "after_reply",
    "turn_order": "seats",
    "start_cards": _LONDON_CARDS,
    "blocked": "retry",
    "voluntary_surfacing": False,
    "cut_off": False,
    "mr_x_onto_detective": "forbidden",
    "both_stuck": "mr_x",
    "team_talk": "private",
    "deduction": True,
}
# Ravensburger 2000.
_RAVENSBURGER: Options = {
    **_MILTON_BRADLEY,
    "board": "london",
    "pawns": "one_or_two_each",
    "black": "per_pawn",
    "surfacing": [3, 8, 13, 18],
    "max_rounds": 22,
    "turn_order": "fixed",
}
# The one-page sheet of the same game.
_CONDENSED: Options = {
    **_RAVENSBURGER,
    "players": [2, 6],
    "pawns": "one_two_or_four_each",
    "blocked": "out",
}
_RAVENSBURGER_2013: Options = {
    **_RAVENSBURGER,
    "players": [5, 6],
    "pawns": "one_each",
    "detective_tickets": {"taxi": 11, "bus": 8, "underground": 4},
    "mr_x_tickets": {"taxi": None, "bus": None, "underground": None, "double": 2},
    "black": 5,
    "mr_x_supply": "unlimited",
    "surfacing": [3, 8, 13, 18, 24],
    "turn_order": "any",
    "start_cards": {
        "detectives": [13, 26, 29, 34, 50, 53, 91, 94, 103, 112, 117, 123, 138, 141, 155, 174],
        "mr_x": [35, 45, 51, 71, 78, 104, 106, 127, 132, 146, 166, 170, 172],
    },
    "both_stuck": "draw",
}
_EDITIONS: Mapping[str, Options] = {
    "milton-bradley-1985": _MILTON_BRADLEY,
    USUAL: _RAVENSBURGER,
    "condensed": _CONDENSED,
    "ravensburger-2013": _RAVENSBURGER_2013,
}


@dataclass(frozen=True, repr=False)
class Edition:
    """An edition of the game, an immutable value: made by `named`, varied by `with_options`."""

    name: str
    _options: Options

    @staticmethod
    def names() -> tuple[str, ...]:
        return tuple(_EDITIONS)

    @staticmethod
    def named(name: str) -> Edition:
        """Return the edition as it comes out of the box; OptionError for an unknown name."""
        if not isinstance(name, str) or name not in _EDITIONS:
            wrong = Reason(
                "no-such-edition", "There is no edition {edition}; the editions are {editions}.",
                edition=shown(name), editions=", ".join(_EDITIONS),
            )  # fmt: skip
            raise OptionError(wrong, "edition")
        return _published(name)

    def with_options(self, /, **options: object) -> Edition:
        """Return this edition with some options changed; it takes what `options` returns.

        OptionError names the option that is unknown, has a wrong value or is at odds with another.
        """
        return Edition(self.name, resolve(self._options, options))

    def with_whole_team(self, pawns: int) -> Edition:
        """Return this edition for two people, one of whom holds so many detective pawns: all that there are."""
        return self.with_options(pawns=WHOLE_TEAM[pawns], players=[2, 2])

    @property
    def options(self) -> Options:
        """Return every option by its name, as plain data that belongs to the caller."""
        options: Options = marshal.loads(self._packed)  # noqa: S302 these bytes are packed below
        return options

    @cached_property
    def _packed(self) -> bytes:
        """Return the options as bytes: every view has a copy of them in it, and `marshal` makes one quickest."""
        return marshal.dumps(dict(self._options))

    @property
    def board(self) -> Board:
        return Board.named(self._options["board"])

    @property
    def rules(self) -> Options:
        """Return the same options without a copy: nobody may change them."""
        return self._options

    def option(self, name: str) -> object:
        """Return the value of an option of any name, which must not be changed."""
        options: Mapping[str, object] = self._options
        return options[name]

    def seats(self, players: int) -> tuple[Pawns, ...]:
        """Return the pawns of each seat, Mr. X's first; OptionError for a wrong number of people."""
        fewest, most = self._options["players"]
        if not isinstance(players, int) or isinstance(players, bool) or not fewest <= players <= most:
            rule = PAWN_RULES[self._options["pawns"]]
            wrong = Reason(
                "wrong-number-of-players",
                "This game is for {fewest} to {most} people, Mr. X included, not {players}. {reason}"
                if rule.otherwise
                else "This game is for {fewest} to {most} people, Mr. X included, not {players}.",
                fewest=fewest, most=most, players=shown(players), reason=rule.otherwise,
            )  # fmt: skip
            raise OptionError(wrong, "players")
        return (("mr_x",), *PAWN_RULES[self._options["pawns"]].holders[players])

    def cards(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return the start cards for Mr. X and for the detectives; the same cards if all draw from one deck."""
        cards = self._options["start_cards"]
        if isinstance(cards, dict):
            return tuple(cards["mr_x"]), tuple(cards["detectives"])
        return tuple(cards), tuple(cards)

    def mr_x_tickets(self, pawns: int) -> dict[str, int | None]:
        """Return the tickets Mr. X starts with against that many detective pawns; None is unlimited."""
        held = self._options["mr_x_tickets"]
        black = self._options["black"]
        return {
            "taxi": held["taxi"],
            "bus": held["bus"],
            "underground": held["underground"],
            "black": pawns if black == "per_pawn" else black,
            "double": held["double"],
        }

    def detective_tickets(self) -> dict[str, int | None]:
        """Return the tickets each detective pawn starts with."""
        return dict(self._options["detective_tickets"])

    def __repr__(self) -> str:
        return f"Edition.named({self.name!r}).with_options(**{self.options!r})"

    def __hash__(self) -> int:
        return hash((self.name, repr(self._options)))


@cache
def _published(name: str) -> Edition:
    return Edition(name, resolve(_EDITIONS[name], {}))
