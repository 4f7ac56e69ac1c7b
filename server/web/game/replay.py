"""The replay of a game whose result is final: a page with the board after each move, and the game as files."""

import json
from collections.abc import Mapping, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from flask import Response, make_response, redirect, request, url_for

from server.application.game import pictures, projection, replay, transcripts
from server.application.game.replay import Step, Trip
from server.application.game.situations import act
from server.application.game.state import edition_of
from server.application.lobby import again
from server.drawing import replay_picture
from server.drawing.picture import LETTERS, stations_in_words, summary
from server.engine import Board, record
from server.house_rules import replays
from server.house_rules.standing import Seat, Sight, Standing
from server.http.links import link
from server.runtime import runtime
from server.vocabulary.translation import gettext, gettext_noop, ngettext
from server.vocabulary.words import pawn_name, service, taken
from server.web import forms, once, visitors
from server.web.game import ending, hunt
from server.web.game.board import paths_of_layers
from server.web.game.holders import named, names_in_replay, seats_in_words
from server.web.problems import page
from server.wording import ending as words
from server.wording import situation


class Chip(NamedTuple):
    """A move in the list of all: who moved, short, in words, and what the script needs to draw it.

    where: the sentences on Mr. X, where he is and on how many stations he could be
    at: the stations that the pawn went to
    known, seen: the station where Mr. X is known to be, or else was last seen
    possible: the stations where Mr. X could be after one of his moves; after another's, those where he no longer could
    feet: where the figures of all pawns stand beside their stations
    """

    number: int
    pawn: str
    name: str
    short: str
    words: str
    where: str
    at: str
    known: str
    seen: str
    possible: str
    feet: str


def show(game_id: str) -> Response:
    """Show the game after the move `?ply=`, at first before any; with `?seat=2` as the player of that seat knew it."""
    game, names = _opened(game_id)
    seat = _seat(game)
    steps = replay.steps(game, seat)
    now = steps[_ply(len(steps) - 1)]
    rounds = _rounds(edition_of(game).board, steps, seat)
    return page(
        "game/replay",
        game=game,
        game_board=edition_of(game).board.name,
        outcome=words.full_result(game, names),
        seat=seat,
        seats=[(number, named(each)) for number, each in enumerate(seats_in_words(game, names), 1)],
        board=_drawn(game, now, seat),
        now=now,
        words=f"{_moved(now)} {_where(now, seat)}",
        last=len(steps) - 1,
        ends=[0, *(chips[-1].number for _, chips in rounds)],
        start=_chip(edition_of(game).board, steps[0], steps[0], seat),
        starts=" ".join(f"{pawn}={station}" for pawn, station in steps[0].places.items()),
        rounds=rounds,
        hunt=hunt.of(game, visitors.visitor()),
        address=link("pages.replay", game_id=game.id),
        is_known=replay.is_known(game, visitors.visitor()),
        wish=_wish(game),
        is_shown=replays.is_shown(game),
        has_transcript=game.head is not None,
        may_practise=visitors.visitor() is not None or runtime().settings.guests,
        last_ply=again.last_ply(game),
        once=once.new_key() if visitors.visitor() else "",
    )


def _seat(game: Standing) -> Seat | None:
    """Return the seat that is asked for; None for the whole game, and `Problem` not-found if there is no such seat."""
    asked = request.args.get("seat", "")
    return game.check_number(forms.number(asked, 2) or 0, "not-found") if asked else None


def want_shown(game_id: str) -> Response:
    """Note how the visitor wants the replay shown to everybody who has its link, and show it again."""
    act(game_id, visitors.signed_in(), replays.want_shown, request.form.get("shows") or None)
    return make_response(redirect(url_for("pages.replay", game_id=game_id, _anchor="keep"), 303))


def _opened(game_id: str) -> tuple[Sight, Mapping[str | None, str]]:
    """Return a game that the visitor may see, or everybody who has its link, and the names that they may know."""
    game = replay.open_game(game_id, visitors.visitor(), by_link=True)
    return game, names_in_replay(game, visitors.visitor())


def _wish(game: Sight) -> str | None:
    """Return how the visitor wants the replay shown; "no" if they do not, and None if it is not theirs to say."""
    seat = projection.own_seat(game, visitors.visitor())
    return None if seat is None or game.visibility == "public" else seat.replay or "no"


def svg(game_id: str) -> Response:
    """Return the board after the move `?ply=`, else at the end, as an SVG file."""
    game, names = _opened(game_id)
    steps = replay.steps(game)
    drawn = _drawn(game, steps[_ply(len(steps) - 1, len(steps) - 1)], captions=words.captions(game, names))
    return _file(drawn, "image/svg+xml", f"game-{game.id}.svg")


def png(game_id: str) -> Response:
    """Return the picture of the end as a PNG file."""
    game, names = _opened(game_id)
    made = ending.picture(game, names)
    response = _file(made, "image/png", f"game-{game.id}.png")
    response.set_etag(pictures.tag(made))
    response.make_conditional(request)
    return response


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


def _drawn(game: Standing, step: Step, seat: Seat | None = None, captions: Sequence[str] = ()) -> str:
    return replay_picture.svg(
        edition_of(game).board,
        step.places,
        step.way,
        step.possible,
        _told(step, seat),
        captions,
        may_hide=seat is not None and seat.role == "detective",
        last_seen=step.last_seen,
        layers=() if captions else paths_of_layers(edition_of(game).board.name),
    )


def _told(step: Step, seat: Seat | None) -> str:
    detectives = {pawn: station for pawn, station in step.places.items() if pawn != "mr_x"}
    return f"{_where(step, seat)} {ending.places_in_words(detectives)}."


def _where(step: Step, seat: Seat | None) -> str:
    """Return where Mr. X is and could be; for a seat, what its player knew of that, and the tickets that they had."""
    if seat is None:
        return ngettext(
            "Mr. X is at {station}. By the travel log he could only be there.",
            "Mr. X is at {station}. By the travel log he could be on {n} stations.",
            len(step.possible), station=step.places["mr_x"],
        )  # fmt: skip
    if seat.role == "detective":
        return f"{summary(step.view, step.possible or None)} {situation.hands(step.view, seat.pawns)}"
    told = gettext("Mr. X is at {station}.", station=step.places["mr_x"])
    if step.possible:
        told += " " + gettext("The others knew that he was on {places}.", places=stations_in_words(step.possible))
    return f"{told} {situation.hands(step.view, seat.pawns)}"


def _moved(step: Step) -> str:
    if not step.pawn:
        return gettext("The start.")
    first, second = [*map(_trip, step.trips), ""][:2]
    took = _TOOK[tuple(bool(trip.surfaced) for trip in step.trips)]
    return gettext(took, pawn=pawn_name(step.pawn), first=first, second=second)


# By whether Mr. X showed himself after each leg.
_TOOK = gettext_noop({
    (False,): "{pawn} took {first}.",
    (True,): "{pawn} took {first} and showed himself.",
    (False, False): "{pawn} took {first}, then {second}.",
    (False, True): "{pawn} took {first}, then {second} and showed himself.",
    (True, False): "{pawn} took {first} and showed himself, then {second}.",
    (True, True): "{pawn} took {first} and showed himself, then {second} and showed himself.",
})  # fmt: skip


def _trip(trip: Trip) -> str:
    ticket = taken(trip.ticket)
    if trip.transport:
        ticket = gettext("{ticket} for {line}", ticket=ticket, line=service(trip.transport))
    return gettext("{ticket} to {station}", ticket=ticket, station=trip.station) if trip.station else ticket


def _rounds(board: Board, steps: Sequence[Step], seat: Seat | None) -> list[tuple[int, list[Chip]]]:
    chips = [(step.round, _chip(board, step, before, seat)) for before, step in pairwise(steps)]
    return [(number, [chip for _, chip in of_round]) for number, of_round in groupby(chips, lambda each: each[0])]


def _chip(board: Board, step: Step, before: Step, seat: Seat | None) -> Chip:
    is_new = step.pawn in ("", "mr_x")
    possible = step.possible if is_new else before.possible - step.possible
    return Chip(
        number=step.number,
        pawn=step.pawn,
        name=pawn_name(step.pawn),
        short=" ".join(f"{LETTERS[trip.ticket]}{trip.station or ''}" for trip in step.trips),
        words=_moved(step),
        where=_where(step, seat),
        at=" ".join(str(trip.station) for trip in step.trips if trip.station),
        known=str(step.places.get("mr_x", "")),
        seen=str(step.last_seen or ""),
        possible=" ".join(map(str, sorted(possible))),
        feet=_feet(board, step),
    )


def _feet(board: Board, step: Step) -> str:
    """Return for each pawn the radius of its ring, and where its figure stands beside its station."""
    return " ".join(
        f"{'seen' if each.letter == '?' else each.pawn}={each.ring},{each.foot_x - each.x},{each.foot_y - each.y}"
        for each in replay_picture.placed(board, step.places, step.last_seen)
    )
