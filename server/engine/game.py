"""A game: the pawns to move, their legal moves, the effect of a move, and the view of each player.

A game changes only by `play`; the values it returns never change.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol, Self, TypeVar

from server.engine import record, view
from server.engine.edition import Edition
from server.engine.errors import Illegal, OutOfTurn, Unreadable, shown
from server.engine.events import Event, Moved, Outcome, Window
from server.engine.move import DETECTIVES, Move
from server.engine.position import PlainPosition, Position, plain, read_position, read_starts, supply
from server.engine.reasons import Or
from server.engine.record import Record
from server.engine.refusals import explain, explain_surface
from server.engine.rules import State
from server.engine.seats import WHOLE_TEAM, Pawns
from server.engine.view import View

T = TypeVar("T")


class Rng(Protocol):
    """The source of randomness for a deal; random.Random and secrets.SystemRandom are such sources."""

    def sample(self, population: Sequence[T], k: int) -> list[T]: ...


class Game:
    """One game of one edition.

    edition: its Edition
    seats: the pawns of each seat, Mr. X's first
    start: the Position it began with
    is_set_up: True if it was set up from a position
    deck: the shuffled start cards it was dealt from, Mr. X's on top: one deck for all, or his and the
        detectives'; None if nothing was dealt. All of it is secret until the end.
    """

    def __init__(self, edition: Edition, players: int, starts: Mapping[str, int]) -> None:
        """Set up a game from known starts (pawn -> station, "mr_x" too).

        Raises:
            OptionError: for a wrong number of people.
            PositionError: for starts that no deal can give.
        """
        seats = edition.seats(players)
        pawns = _pawns(seats)
        tickets = {"mr_x": supply(edition.mr_x_tickets(len(pawns)))}
        for pawn in pawns:
            tickets[pawn] = supply(edition.detective_tickets())
        stations = read_starts(edition, pawns, starts)
        self._set_up(edition, seats, Position(stations, tickets, 0, "mr_x", (), None))

    @classmethod
    def deal(cls, edition: Edition, players: int, rng: Rng, starts: Collection[int] = ()) -> Self:
        """Return a new game for which everybody drew a card, those of `starts` first (Ravensburger 2000, "Setup")."""
        pawns = _pawns(edition.seats(players))
        his, theirs = edition.cards()
        decks = [his] if his == theirs else [his, theirs]
        first = [[card for card in starts if card in cards] for cards in decks]
        deck = [(*top, *(card for card in rng.sample(cards, len(cards)) if card not in top))
                for top, cards in zip(first, decks, strict=True)]  # fmt: skip
        drawn = deck[0] if len(deck) == 1 else (deck[0][0], *deck[1])
        game = cls(edition, players, dict(zip(("mr_x", *pawns), drawn, strict=False)))
        game.deck = tuple(deck)
        return game

    @classmethod
    def at(cls, edition: Edition, position: Mapping[str, object]) -> Self:
        """Return a game that begins at any position; PositionError if the position is impossible.

        Each pawn is a seat, in the order given, unless one person holds all; rounds are counted from there.
        """
        start = read_position(edition, position)
        game = cls.__new__(cls)
        is_team = edition.rules["pawns"] == WHOLE_TEAM.get(len(start.pawns))
        seats = (("mr_x",), *((start.pawns,) if is_team else ((pawn,) for pawn in start.pawns)))
        game._set_up(edition, seats, start, is_set_up=True)  # noqa: SLF001 - its own class
        return game

    @classmethod
    def replay(cls, text: str | Mapping[str, object]) -> Self:
        """Return the game of a full record, text or JSON; RecordError says what is wrong, and where."""
        return record.replay(cls, text)

    def _set_up(self, edition: Edition, seats: tuple[Pawns, ...], start: Position, is_set_up: bool = False) -> None:
        self.edition = edition
        self.seats = seats
        self.start = start
        self.is_set_up = is_set_up
        self.deck: tuple[tuple[int, ...], ...] | None = None
        self._state = State(edition, _groups(edition.rules["turn_order"], seats, start), start)
        self._history: list[Move] = []
        self._rounds: list[int] = []

    # Where it stands

    @property
    def players(self) -> int:
        return len(self.seats)

    @property
    def starts(self) -> dict[str, int]:
        """Return the start station of every pawn, Mr. X's too."""
        return dict(self.start.stations)

    @property
    def position(self) -> PlainPosition | None:
        """Return the position it was set up from, as plain data; None for a game that was dealt."""
        return self.start.to_json() if self.is_set_up else None

    @property
    def pawns(self) -> Pawns:
        """Return the detective pawns, purple first."""
        return _pawns(self.seats)

    @property
    def turn(self) -> int:
        """Return the number of the move awaited, from 1.

        A double counts once, a pawn passed over not at all.
        """
        return len(self._history) + 1

    @property
    def round(self) -> int:
        """Return the round under way, from 1; the last one played when the game is over."""
        return self._state.round

    @property
    def to_move(self) -> Pawns:
        """Return the pawns that may move now; none when the game is over."""
        return self._state.to_move

    @property
    def outcome(self) -> Outcome | None:
        """Return how the game ended; None while it goes on."""
        return self._state.outcome

    @property
    def history(self) -> tuple[Move, ...]:
        return tuple(self._history)

    @property
    def rounds(self) -> tuple[int, ...]:
        """Return the round in which each move of the history was made."""
        return tuple(self._rounds)

    @property
    def log(self) -> tuple[Window, ...]:
        """Return the travel log since the start with all its secrets: for Mr. X, and for the sealed log."""
        return tuple(self._state.log)

    @property
    def log_used(self) -> int:
        """Return the number of filled windows, including those before the position it started from."""
        return self._state.log_used

    def station(self, pawn: str) -> int:
        """Return the station of a pawn. Mr. X's station is for him alone."""
        return self._state.stations[pawn]

    def tickets(self, pawn: str) -> dict[str, int | None]:
        """Return the tickets a pawn holds, by kind; None is unlimited."""
        return plain(self._state.tickets[pawn])

    def mobility(self, pawn: str) -> str:
        """Return whether a detective can move: "active"; "blocked", hemmed in now; "stranded", never to move again."""
        return self._state.mobility(pawn)

    # What may be played

    def legal_moves(self, pawn: str | None = None) -> list[Move]:
        """Return every legal move, or those of one pawn; doubles are listed, voluntary surfacing is not.

        By pawn, then taxi, bus, underground, black, and the station ascending; doubles come last.
        """
        if pawn is None:
            return self._state.legal[:]
        return [move for move in self._state.legal if move.pawn == pawn]

    def moves_ahead(self, pawn: str) -> list[Move]:
        """Return what a detective still to move in this round might play when its turn comes.

        Pawns that may move before it are no obstacle, as they will stand elsewhere.
        """
        return self._state.ahead(pawn)

    def read(self, text: str, pawn: str | None = None) -> Move:
        """Return the legal move of a canonical notation; Unreadable, OutOfTurn or Illegal otherwise.

        The text may leave the pawn out if `pawn` names it or only one can be meant.
        """
        return self.check(Move.parse(text, pawn or ""))

    def check(self, move: Move) -> Move:
        """Return the move, with its pawn, if it is legal now; raise the same errors as `read`."""
        move = self._with_pawn(_well_formed(move))
        if move.pawn not in self.to_move:
            raise self._out_of_turn(move.pawn)
        legal = self.legal_moves(move.pawn)
        surfaces = move.surface is not None
        if move._replace(surface=None) not in legal or (surfaces and move.pawn != "mr_x"):
            raise Illegal(explain(self._state, move), legal)
        if surfaces and (wrong := explain_surface(self._state, move)):
            raise Illegal(wrong, legal)
        return move

    def check_ahead(self, move: Move) -> Move:
        """Return the move if it is one of `moves_ahead` of its pawn; OutOfTurn or Illegal otherwise."""
        ahead = self.moves_ahead(_well_formed(move).pawn)
        if not ahead:
            raise OutOfTurn("{pawn} does not move in this round any more, or not yet.", pawn=move.pawn)
        if move not in ahead:
            raise Illegal(explain(self._state, move), ahead)
        return move

    def play(self, move: Move | str) -> tuple[Event, ...]:
        """Make a move and return its events in order. A move that is refused changes nothing."""
        state = self._state
        if not isinstance(move, Move):
            move = self.read(move)
        elif move not in state.legal:
            move = self.check(move)
        if move.surface is None:
            move = state.legal[state.legal.index(move)]  # one object for all games saves memory
        self._history.append(move)
        self._rounds.append(state.round)
        return state.play(move)

    # What is given out

    def view(self, viewer: str, opened: bool = False) -> View:
        """Return the game as plain data for "mr_x", a pawn or "spectator"; all of it if `opened`."""
        return view.build(self, viewer, opened)

    def moves_until(self, window: int) -> int:
        """Return the number of moves of all pawns until the one that filled `window` of the travel log."""
        filled = self.start.log_used
        for number, move in enumerate(self._history, 1):
            filled += len(move.legs) if move.pawn == "mr_x" else 0
            if filled >= window:
                return number
        return len(self._history)

    def view_at(self, window: int) -> View:
        """Return a spectator's view of a game whose last move filled `window`, as it was after that leg of the move."""
        return view.at(self, window)

    def redacted(self, made: Moved) -> str:
        """Return a move that was made, in the notation that everybody may see."""
        return view.redacted(self, made.move, iter(made.windows))

    def record(self, viewer: str | None = None, opened: bool = False, **headers: str) -> str:
        """Return the game record as text: all of it, or the part a viewer may know before it is opened.

        `headers` are further lines at its head, such as Date="2026-11-22"; a replay skips them.
        """
        return record.to_text(record.write(self, viewer, opened, headers))

    def record_json(self, viewer: str | None = None, opened: bool = False, **headers: str) -> Record:
        """Return the game record as plain data; see `record`."""
        return record.write(self, viewer, opened, headers)

    def copy(self) -> Self:
        """Return a copy, to be played on independently."""
        twin = object.__new__(type(self))
        twin.__dict__ |= self.__dict__
        twin._state = self._state.copy()
        twin._history = self._history[:]
        twin._rounds = self._rounds[:]
        return twin

    def without_mr_x(self) -> Self:
        """Return a copy made of public facts alone, on which detectives' moves can be tried one after another.

        In it Mr. X stands nowhere: no move captures him, and the game never ends because he cannot move. The legal
        moves of the detectives are the same; everything about Mr. X is not.
        """
        twin = self.copy()
        twin._state.hide_mr_x()  # noqa: SLF001 - its own class
        return twin

    def __copy__(self) -> Self:
        return self.copy()

    def __deepcopy__(self, memo: object) -> Self:
        return self.copy()

    def _with_pawn(self, move: Move) -> Move:
        if move.pawn:
            return move
        if len(self.to_move) == 1:
            return move._replace(pawn=self.to_move[0])
        if not self.to_move:
            raise self._out_of_turn("")
        able = [p for p in self.to_move if move._replace(pawn=p) in self._state.legal]
        if len(able) == 1:
            return move._replace(pawn=able[0])
        raise Unreadable(
            str(move),
            f"It is not clear which pawn is meant; begin with {' or '.join(self.to_move)}.",
            "which-pawn",
        )

    def _out_of_turn(self, pawn: str) -> OutOfTurn:
        if not self.to_move:
            return OutOfTurn("The game is over; no pawn moves any more.")
        if pawn not in self._state.stations:
            return OutOfTurn("There is no {pawn} in this game; {pawns} is to move.", pawn=pawn, pawns=Or(self.to_move))
        return OutOfTurn("It is not {pawn}'s turn; {pawns} is to move.", pawn=pawn, pawns=Or(self.to_move))


def _well_formed(move: Move) -> Move:
    """Return the move, or raise Unreadable if a caller built it from invalid parts."""
    if not move.well_formed:
        raise Unreadable(shown(move), "This is no move: it is made of a pawn, one or two trips and what is taken.")
    return move


def _pawns(seats: tuple[Pawns, ...]) -> Pawns:
    held = {pawn for seat in seats for pawn in seat}
    return tuple(pawn for pawn in DETECTIVES if pawn in held)


def _groups(turn_order: str, seats: tuple[Pawns, ...], start: Position) -> tuple[Pawns, ...]:
    """Return the groups of pawns, in the order in which the groups move after Mr. X.

    The pawns of a group move in any order. "fixed" goes pawn by pawn, regardless of who holds them
    (Ravensburger 2000, "Some often asked questions"), "seats" person by person (Milton Bradley 1985, "Turn sequence").
    """
    if turn_order == "any":
        return (start.pawns,)
    if turn_order == "seats":
        return seats[1:]
    return tuple((pawn,) for pawn in start.pawns)
