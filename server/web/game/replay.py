"""The replay of a game whose result is final: a page with the board after each move, and the game as files."""

import json
from collections.abc import Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from flask import Response, request

from server.application.game import pictures, projection, replay, transcripts
from server.application.game.replay import Step, Trip
from server.application.game.state import edition_of
from server.drawing import replay_picture
from server.drawing.picture import APART, LETTERS
from server.engine import record
from server.house_rules.standing import Standing
from server.web import forms, visitors
from server.web.links import link
from server.web.problems import page
from server.wording import situation
from server.wording.words import TICKET_NAMES, pawn_name


class Chip(NamedTuple):
    """A move in the list of all: who moved, short, in words, and what the script needs to draw it.

    where: the sentences on Mr. X, where he is and on how many stations he could be
    at: the stations that the pawn went to
    possible: the stations where Mr. X could be after one of his moves; after another's, those where he no longer could
    """

    number: int
    pawn: str
    name: str
    short: str
    words: str
    where: str
    at: str
    possible: str


def show(game_id: str) -> Response:
    """Show the game after the move `?ply=`, at first before any."""
    game = replay.open_game(game_id, visitors.visitor())
    steps = replay.steps(game)
    now = steps[_ply(len(steps) - 1)]
    return page(
        "game/replay",
        game=game,
        outcome=_outcome(game),
        board=_drawn(game, now),
        now=now,
        words=_words(now),
        last=len(steps) - 1,
        start=_chip(steps[0], steps[0]),
        apart=APART,
        starts=" ".join(f"{pawn}={station}" for pawn, station in steps[0].places.items()),
        rounds=_rounds(steps),
        address=link("pages.replay", game_id=game.id),
        has_transcript=game.head is not None,
    )


def svg(game_id: str) -> Response:
    """Return the board after the move `?ply=`, else at the end, as an SVG file."""
    game = replay.open_game(game_id, visitors.visitor())
    steps = replay.steps(game)
    drawn = _drawn(game, steps[_ply(len(steps) - 1, len(steps) - 1)], _caption(game))
    return _file(drawn, "image/svg+xml", f"game-{game.id}.svg")


def png(game_id: str) -> Response:
    """Return the board at the end as a PNG file."""
    game = replay.open_game(game_id, visitors.visitor())
    drawn = _drawn(game, replay.steps(game)[-1], _caption(game))
    return _file(pictures.png(drawn, visitors.visitor()), "image/png", f"game-{game.id}.png")


def text(game_id: str) -> Response:
    """Return the record of the game as a text file."""
    game = replay.open_game(game_id, visitors.visitor())
    return _file(record.to_text(projection.record(game, visitors.visitor())), "text/plain", f"game-{game.id}.txt")


def transcript(game_id: str) -> Response:
    """Return the transcript of the sealed log, which the verifier checks."""
    game = replay.open_game(game_id, visitors.visitor())
    return _file(json.dumps(transcripts.of_game(game)), "application/json", f"transcript-{game.id}.json")


def _file(content: str | bytes, mimetype: str, name: str) -> Response:
    return Response(content, mimetype=mimetype, headers={"Content-Disposition": f'attachment; filename="{name}"'})


def _ply(last: int, default: int = 0) -> int:
    """Return the number of the step that is asked for, which is none above `last`."""
    asked = forms.number(request.args.get("ply", ""), 5)
    return default if asked is None else min(asked, last)


def _outcome(game: Standing) -> str:
    outcome = projection.outcome(game)
    return situation.result(outcome) if outcome else ""


def _caption(game: Standing) -> str:
    return f"{game.name}. {_outcome(game)}"


def _drawn(game: Standing, step: Step, caption: str = "") -> str:
    return replay_picture.svg(edition_of(game).board, step.places, step.way, step.possible, _told(step), caption)


def _told(step: Step) -> str:
    """Return the board in words."""
    places = ", ".join(f"{pawn_name(pawn)} at {station}" for pawn, station in step.places.items() if pawn != "mr_x")
    return f"{_where(step)} {places}."


def _where(step: Step) -> str:
    n = len(step.possible)
    could = "only be there" if n == 1 else f"be on {n} stations"
    return f"Mr. X is at {step.places['mr_x']}. By the travel log he could {could}."


def _words(step: Step) -> str:
    """Return what happened, and where Mr. X is."""
    return f"{_moved(step)} {_where(step)}"


def _moved(step: Step) -> str:
    if not step.pawn:
        return "The start."
    return f"{pawn_name(step.pawn)} took {', then '.join(map(_trip, step.trips))}."


def _trip(trip: Trip) -> str:
    line = f" for {TICKET_NAMES.get(trip.transport, 'the ferry')}" if trip.transport else ""
    return f"{TICKET_NAMES[trip.ticket]}{line} to {trip.station}{' and showed himself' if trip.surfaced else ''}"


def _rounds(steps: Sequence[Step]) -> list[tuple[int, list[Chip]]]:
    """Return the moves of each round."""
    chips = [(step.round, _chip(step, before)) for before, step in pairwise(steps)]
    return [(number, [chip for _, chip in of_round]) for number, of_round in groupby(chips, lambda each: each[0])]


def _chip(step: Step, before: Step) -> Chip:
    is_new = step.pawn in ("", "mr_x")
    possible = step.possible if is_new else before.possible - step.possible
    trips = " ".join(f"{LETTERS[trip.ticket]}{trip.station}" for trip in step.trips)
    return Chip(
        step.number,
        step.pawn,
        pawn_name(step.pawn),
        trips,
        _moved(step),
        _where(step),
        " ".join(str(trip.station) for trip in step.trips),
        " ".join(map(str, sorted(possible))),
    )
