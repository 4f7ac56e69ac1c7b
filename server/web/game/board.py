"""The board of a page: two pictures that are the same for all games, and what the visitor may see of this one."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from hashlib import sha256
from typing import NamedTuple

from flask import Response, abort, request, url_for

from server import engine
from server.application.game import pictures
from server.application.game.look import look as game_of
from server.application.game.practice import Hint
from server.application.game.projection import GameView
from server.application.game.replay import Lookback
from server.drawing import figures, look, picture
from server.drawing.figures import Figure
from server.engine import BoardView
from server.vocabulary.translation import gettext, ngettext
from server.vocabulary.words import cards, join, line, pawn_name, pawn_names, percent
from server.web import visitors
from server.web.game import trails
from server.web.game.choices import PawnChoices
from server.web.game.trails import Strip, Trail
from server.web.game.travel_log import last_round
from server.web.static_files import kept
from server.wording import board_text
from server.wording.practice import likeliest


class Place(NamedTuple):
    """A station at its point."""

    station: int
    x: int
    y: int


class Lit(NamedTuple):
    """A station within reach of a pawn, and the id of the choice that leads there."""

    station: int
    x: int
    y: int
    name: str
    choice: str


class Note(NamedTuple):
    """A sentence at the head of a page; `is_unseen`: it is for those alone who do not see the board."""

    sentence: str
    is_unseen: bool = False


class ShownHint(NamedTuple):
    """A hint in a sentence, and as stations with their chances, in words too."""

    sentence: str
    stations: Sequence[tuple[Place, float, str]]


class Drawn(NamedTuple):
    """Everything that the template draws.

    figures: the pawns that the reader sees, where they hide least; lit: the stations within reach, by pawn
    possible: where Mr. X can be
    trails: the last round, and how many moves have been made; strip: Mr. X's tickets since he was seen
    kinds: of the tickets in both
    """

    name: str
    versions: tuple[str, str]
    width: int
    height: int
    margin: int
    possible: Sequence[Place]
    figures: Sequence[Figure]
    trails: Sequence[Trail]
    moves: int
    kinds: Collection[str]
    strip: Strip | None
    lit: Mapping[str, Sequence[Lit]]
    own: Sequence[str]
    first: Place | None


def drawn(
    view: engine.View | GameView,
    possible: Collection[int] | None,
    choices: Sequence[PawnChoices] = (),
    own: Sequence[str] = (),
) -> Drawn:
    """Return the board of a game that has begun; `own` are the pawns of its reader."""
    board = engine.Board.named(view["options"]["board"])
    first = next((each.first for each in choices if each.first), None)
    shown = look.look(board)
    within_reach = {target.station for each in choices for target in each.targets}
    outcome = view.get("outcome")
    is_open = bool(outcome and outcome.get("final"))  # where Mr. X was seen says nothing then
    placed = figures.placed(board, picture.pieces(view, shows_last_seen=not is_open), within_reach)
    shown_trails, strip = trails.drawn(board, trails.moves_of_last_round(view), placed), trails.ticket_strip(view)
    return Drawn(
        name=board.name,
        versions=(_version(board.name, "ground"), _version(board.name, "discs")),
        width=shown.width,
        height=shown.height,
        margin=shown.margin,
        possible=[_place(board, station) for station in sorted(possible or ())],
        figures=placed,
        trails=shown_trails,
        moves=len(view["history"]),
        kinds=sorted({leg.ticket for each in shown_trails for leg in each.legs} | {*(strip.tickets if strip else ())}),
        strip=strip,
        lit={each.pawn: _lit(board, each) for each in choices},
        own=own,
        first=_place(board, first.station) if first else None,
    )


def heat(view: GameView, hint: Hint) -> ShownHint:
    """Return a hint for the board of a view."""
    board = engine.Board.named(view["options"]["board"])
    told = [(_place(board, each["station"]), each["chance"], percent(each["chance"])) for each in hint["stations"]]
    return ShownHint(likeliest(hint), told)


def _place(board: engine.Board, station: int) -> Place:
    return Place(station, *board.stations[station])


def _lit(board: engine.Board, choices: PawnChoices) -> list[Lit]:
    return [Lit(*_place(board, each.station), each.name, each.first) for each in choices.targets]


def as_picture(game_id: str) -> Response:
    """Return the board of a game as a picture, as the visitor may see it."""
    player = visitors.visitor()
    game = game_of(game_id, player)
    return Response(pictures.svg(game, player), mimetype="image/svg+xml", headers={"Cache-Control": "no-store"})


def layer(name: str) -> Response:
    """Return a picture of a board, which a browser keeps for good: its `ground`, or the `discs` of its stations.

    The discs lie over trails, and over the marks of stations.
    """
    if name not in engine.Board.names():
        abort(404)
    layer = request.endpoint or ""
    is_this_version = request.args.get("v") == _version(name, layer)
    return kept(_drawing(name, layer), "image/svg+xml", is_this_version=is_this_version)


def paths_of_layers(name: str) -> tuple[str, ...]:
    """Return the paths of both pictures."""
    return tuple(url_for(each, name=name, v=_version(name, each)) for each in ("ground", "discs"))


@cache
def _drawing(name: str, layer: str) -> str:
    return look.layer(layer, engine.Board.named(name))


@cache
def _version(name: str, layer: str) -> str:
    return sha256(_drawing(name, layer).encode()).hexdigest()[:12]


def prepare() -> None:
    """Draw the board of the usual edition, once for all pages."""
    usual = engine.Edition.named(engine.USUAL).board.name
    for layer in ("ground", "discs"):
        _version(usual, layer)


def summary(view: BoardView, possible: Collection[int] | None, then: Lookback | None, *, is_mr_x: bool) -> str:
    """Return the sentences under the board: where Mr. X is or can be; of a look back, where he could be then."""
    if then is not None:
        places = picture.stations_in_words(then.possible)
        values = {"window": then.window, "places": places}
        return gettext("After move {window} of the travel log Mr. X could be on {places}.", **values)
    if is_mr_x and view["to_move"] and possible:
        at = view["pawns"]["mr_x"]["station"]
        places = picture.stations_in_words(possible)
        return gettext("You are at {station}. The others know that you are on {places}.", station=at, places=places)
    return picture.summary(view, possible)


def notes(view: GameView, own: Sequence[str]) -> list[Note]:
    """Return what else a reader with the pawns `own` has to know: tickets that are only counted, and what ends."""
    if not view["to_move"]:
        return []
    stuck = [pawn for pawn in own if view["pawns"][pawn].get("state") == "stranded"]
    told = [Note(tickets, is_unseen=True)] if (tickets := _tickets_since(view)) else []
    if last_round(view) == view["round"]:
        told.append(Note(gettext("This is the last round.")))
    if stuck and len(stuck) == len(own):
        told.append(Note(gettext("You cannot move any more; the game goes on without you.")))
    elif stuck:
        n, pawns = len(stuck), pawn_names(stuck)
        told.append(Note(ngettext("{pawns} cannot move any more.", "{pawns} cannot move any more.", n, pawns=pawns)))
    return told


def _tickets_since(view: BoardView) -> str:
    """Return which tickets Mr. X has used since he was seen, where the summary does not name them all."""
    mr_x = view["pawns"]["mr_x"]
    seen, used = mr_x["last_seen"], Counter(trails.tickets_since_seen(view))
    if mr_x["station"] is not None or not used or (seen and used.total() <= picture.MOST_TICKETS_NAMED):
        return ""
    tickets = join([cards(number, ticket) for ticket, number in used.items()])
    return gettext("Since then he used {tickets}." if seen else "So far he used {tickets}.", tickets=tickets)


def in_words(
    view: BoardView,
    own: Sequence[str],
    choices: Sequence[PawnChoices],
    possible: Collection[int] | None,
) -> list[str]:
    """Return the board in sentences: the reader's pawns with their choices, the others, and where Mr. X can be."""
    board = engine.Board.named(view["options"]["board"])
    told = []
    offered = {each.pawn: each for each in choices}
    for pawn, facts in view["pawns"].items():
        if facts["station"] is None:
            continue
        if pawn in own and pawn in offered:
            told.append(_choices_in_words(offered[pawn], facts["station"]))
        else:
            told.append(f"{pawn_name(pawn)}: {board_text.station(board, view, facts['station'])}")
    if possible and view["pawns"]["mr_x"]["station"] is None:
        stations = join([str(station) for station in sorted(possible)], "or")
        told.append(gettext("Mr. X can be on {stations}.", stations=stations))
    return told


def _choices_in_words(choices: PawnChoices, at: int) -> str:
    """Return that a pawn stands on `at`, and where it can go from there, or from the end of the first leg."""
    stations = {ticket: join([str(each.station) for each in some], "or") for ticket, some in choices.by_ticket.items()}
    ways = "; ".join(
        gettext("by {line} to {stations} ({n} left)", line=line(ticket), stations=some, n=choices.left[ticket])
        for ticket, some in stations.items()
    )
    if choices.first:
        return gettext(
            "You stand on {at}. After the first leg, by {line} to {station}, you can go on {ways}.",
            at=at, line=choices.first_line, station=choices.at, ways=ways,
        )  # fmt: skip
    if choices.pawn == "mr_x":
        return gettext("You stand on {at}, and can go {ways}.", at=at, ways=ways)
    return gettext("You stand with {pawn} on {at}, and can go {ways}.", pawn=choices.name, at=at, ways=ways)
