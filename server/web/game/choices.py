"""The moves that a visitor can send, as the page offers them: for each pawn, with the tickets they cost in words."""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from server import engine
from server.application.game import projection
from server.application.game.projection import GameView
from server.application.game.state import edition_of
from server.engine import BoardView
from server.engine.ticket_kinds import PLAIN
from server.house_rules.standing import SPECTATOR, Sight
from server.models import Player
from server.vocabulary.errors import refusal
from server.vocabulary.translation import gettext, gettext_noop
from server.vocabulary.words import cards, join, line, line_name, pawn_name
from server.web.game.travel_log import last_round
from server.wording.situation import detectives_at, prospect, stranding

# The fields of second choices in their order, with their labels.
SECOND_CHOICES = gettext_noop({"else-1": "Second choice", "else-2": "Third choice"})


class Choice(NamedTuple):
    """A move that can be chosen: its notation, its last ticket and station, and what is paid and left in words.

    id: that of its input on the page; it names no station, as it can stand in an address
    then: what follows, in words: for Mr. X where he could be for the others, for a detective that it is stranded
    """

    id: str
    notation: str
    ticket: str
    station: int
    says: str
    then: str


class Target(NamedTuple):
    """A station on the board that a pawn can reach, with all its choices: `taxi or black ticket to 46`."""

    station: int
    name: str
    first: str  # the id of the first of its choices


class PawnChoices(NamedTuple):
    """The choices of one pawn, by their tickets.

    first: the first leg of a double move, if the second is being chosen
    may_double: whether a double move can be begun
    left: the tickets of each kind in words, before the move; for a second leg, after the first
    refusals: why the pawn cannot go to a station, for those that a line joins with its own
    """

    pawn: str
    name: str
    at: int | None
    is_due: bool
    by_ticket: dict[str, list[Choice]]
    left: dict[str, str]
    may_double: bool
    refusals: dict[int, str]
    first: engine.Leg | None = None

    @property
    def first_line(self) -> str:
        """Return what the first leg goes by, in words; nothing if there is none."""
        return line(self.first.ticket) if self.first else ""

    @property
    def warnings(self) -> list[str]:
        """Return for which moves the pawn could not move again, each station once; nothing for Mr. X."""
        some = (choice.then for each in self.by_ticket.values() for choice in each)
        return [] if self.pawn == "mr_x" else [then for then in dict.fromkeys(some) if then]

    @property
    def targets(self) -> list[Target]:
        """Return the stations within reach, each once."""
        at: dict[int, list[Choice]] = {}
        for some in self.by_ticket.values():
            for choice in some:
                at.setdefault(choice.station, []).append(choice)
        return [Target(station, self._named(some), some[0].id) for station, some in sorted(at.items())]

    def _named(self, some: Sequence[Choice]) -> str:
        """Return the ways to one station; for a detective whom each of them strands, with that."""
        lines, station = join([line_name(choice.ticket) for choice in some], "or"), some[0].station
        ways = gettext("then {line} to {station}" if self.first else "{line} to {station}", line=lines, station=station)
        is_last = self.pawn != "mr_x" and all(choice.then for choice in some)
        return f"{ways}. {some[0].then}" if is_last else ways


def of(game: Sight, player: Player | None, view: GameView, first: engine.Leg | None = None) -> list[PawnChoices]:
    """Return what `player` can choose, pawn by pawn.

    With `first`, the choices are the second legs of the double moves that begin so.

    Raises:
        Problem: if no double move begins with `first`.
    """
    moves: dict[str, list[engine.Move]] = {}
    for move in projection.sendable_moves(game, player):
        moves.setdefault(move.pawn, []).append(move)
    seat = projection.own_seat(game, player)
    own = seat.pawns if seat else ()
    made = [_of_pawn(game, some, view, first, f"{number}-", own) for number, some in enumerate(moves.values(), 1)]
    found = [each for each in made if each.by_ticket]
    if first is not None and not found:
        begin = gettext("{line} to {station}", line=line_name(first.ticket), station=first.station)
        raise refusal("form", "No double move begins with {ride}.", ride=begin)
    return found


def _of_pawn(
    game: Sight,
    moves: Sequence[engine.Move],
    view: GameView,
    first: engine.Leg | None,
    prefix: str,
    own: Sequence[str],
) -> PawnChoices:
    pawn = moves[0].pawn
    facts = view["pawns"][pawn]
    doubles = [move for move in moves if move.double]
    if first is None:
        wanted = [move for move in moves if not move.double]
    else:
        wanted = [move for move in doubles if move.legs[0] == first]
    prospects = _prospects(game, wanted) if pawn == "mr_x" else _strandings(view, wanted, is_only=[*own] == [pawn])
    by_ticket: dict[str, list[Choice]] = {}
    for number, move in enumerate(wanted, 1):
        leg, says = move.legs[-1], paid(move, facts["tickets"])
        choice = Choice(f"move-{prefix}{number}", str(move), *leg, says, prospects.get(move, ""))
        by_ticket.setdefault(leg.ticket, []).append(choice)
    at = first.station if first else facts["station"]
    after = _spend(facts["tickets"], [first.ticket] if first else [])
    return PawnChoices(
        pawn=pawn,
        name=pawn_name(pawn),
        at=at,
        is_due=pawn in view["to_move"],
        by_ticket=by_ticket,
        left={ticket: cards(after[ticket], ticket) for ticket in by_ticket},
        may_double=first is None and bool(doubles),
        refusals={} if at is None else _refusals(game, pawn, at, {move.station for move in wanted}, first),
        first=first,
    )


def _prospects(game: Sight, moves: Sequence[engine.Move]) -> dict[engine.Move, str]:
    """Return where Mr. X could be for the others after each of these moves, of which only the last leg is different."""
    view = projection.engine_view(game, SPECTATOR)
    told: dict[str, str] = {}
    found = {}
    for move in moves:
        ticket = move.legs[-1].ticket
        if move.station not in detectives_at(view):
            found[move] = told[ticket] = told.get(ticket) or prospect(view, move)
    return found


def _strandings(view: GameView, moves: Sequence[engine.Move], *, is_only: bool) -> dict[engine.Move, str]:
    """Return after which of these moves a detective could not move again, in words; none in the last round."""
    if last_round(view) == view["round"]:
        return {}
    return {move: stranding(view, move, is_only=is_only) for move in moves}


def _refusals(
    game: Sight, pawn: str, at: int, within_reach: Collection[int], first: engine.Leg | None
) -> dict[int, str]:
    """Return why a pawn on `at`, where it would be after the leg `first`, cannot go where a line leads from there."""
    board = edition_of(game).board
    found = {}
    for station in sorted({stop for stops in board.links.values() for stop in stops.get(at, ())} - {*within_reach}):
        kinds = [kind for kind in board.transports(at, station) if kind in PLAIN]
        leg = engine.Leg(kinds[0] if kinds else PLAIN[0], station)
        found[station] = projection.why_illegal(game, engine.Move(pawn, (first, leg) if first else (leg,)))
    return found


def paid(move: engine.Move, held: Mapping[str, int | None]) -> str:
    """Return a move with what is left after it: `taxi to 46; eight taxi tickets left`."""
    spent = [leg.ticket for leg in move.legs] + ["double"] * move.double
    left = _spend(held, spent)
    tickets = join([cards(left[ticket], ticket) for ticket in dict.fromkeys(spent)])
    rides = [gettext("{line} to {station}", line=line_name(leg.ticket), station=leg.station) for leg in move.legs]
    if len(rides) == 1:
        return gettext("{ride}; {tickets} left", ride=rides[0], tickets=tickets)
    return gettext("{first}, then {second}; {tickets} left", first=rides[0], second=rides[1], tickets=tickets)


def _spend(held: Mapping[str, int | None], spent: Sequence[str]) -> dict[str, int | None]:
    """Return the tickets that are left; None is any number."""
    left = dict(held)
    for ticket in spent:
        number = left[ticket]
        left[ticket] = None if number is None else number - 1
    return left


class Taking(NamedTuple):
    """A detective from whom Mr. X takes a ticket if he chooses to show himself, with the kinds it holds."""

    pawn: str
    name: str
    held: list[str]


def takings(view: BoardView) -> list[Taking]:
    """Return what Mr. X takes if he surfaces voluntarily; nothing where the edition does not have it."""
    if not view["options"]["voluntary_surfacing"]:
        return []
    held = {pawn: [kind for kind in PLAIN if facts["tickets"][kind]] for pawn, facts in view["pawns"].items()}
    return [Taking(pawn, pawn_name(pawn), kinds) for pawn, kinds in held.items() if pawn != "mr_x" and kinds]
