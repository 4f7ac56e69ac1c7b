"""The rounds of a game in sentences: the last ones for its page, and the log of all of them."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from flask import Response, make_response, redirect, url_for

from server.application.game import practice, projection
from server.application.game.as_of import AsOf, of_standing
from server.application.game.look import look
from server.house_rules import substitution
from server.house_rules.draft import PublicEvent
from server.house_rules.standing import Seat, Standing
from server.vocabulary.translation import gettext, gettext_noop, pgettext
from server.vocabulary.words import pawn_name
from server.web import visitors
from server.web.game import travel_log
from server.web.problems import page
from server.wording.events import brief, could_not_move, numbered
from server.wording.practice import why

_VOIDED = gettext_noop("The operator ended the game.")  # mails say it with the result
NEWS = 12  # moves, two rounds at most, whose news the page tells aloud
RECENT = 3  # rounds of which the page of the game tells, the current one included

Rounds = list[tuple[int, list[tuple[int, str]]]]
"""Rounds with their sentences; a sentence has the number of the last event that it tells of.

A round begins with Mr. X's move. Round 0 is what came before.
"""


class News(NamedTuple):
    """An event as a page tells it aloud when it is new: a sentence, or a move in few words without a stop."""

    number: int
    round: int
    text: str


class Recent(NamedTuple):
    """The last rounds as a page tells them.

    last: the last round, with the one before where it has only begun
    earlier: those before, which are folded
    sentence: the last move of each pawn, in few words
    why: by round, what the moves of bot detectives in a practice game were for
    """

    last: Rounds
    earlier: Rounds
    news: list[News]
    sentence: str
    why: Mapping[int, Sequence[str]]


def log(game_id: str) -> Response:
    """Show the travel log and all rounds of a game, as the visitor may know them."""
    player = visitors.visitor()
    game = look(game_id, player)
    if game.turn is None:
        return make_response(redirect(url_for("pages.game", game_id=game.id), 303))
    view = projection.project(game, player)
    seat = projection.own_seat(game, player)
    has_secrets = travel_log.has_secrets(game, seat.pawns if seat else ())
    return page(
        "game/log",
        game=game,
        view=view,
        last_round=travel_log.last_round(view),
        log=travel_log.cells(view, has_secrets=has_secrets),
        starts=[
            {"who": pawn_name(pawn), "station": station, "is_secret": has_secrets and pawn == "mr_x"}
            for pawn, station in view["starts"].items()
            if station
        ],
        rounds=whole(game, seat),
    )


def whole(game: Standing, seat: Seat | None) -> Rounds:
    """Return all rounds, the first one first."""
    return _by_round(of_standing(game, game.events), seat)


def recent(game: Standing, seat: Seat | None) -> Recent:
    """Return the last round, the earlier ones of which a page tells, and the news in them."""
    if game.turn is None:
        return Recent([], [], [], "", {})
    then = of_standing(game, game.events)
    _, number = then.phase
    rounds = [each for each in _by_round(then, seat) if each[0] > (number or 0) - RECENT]
    has_only_begun = len(rounds) > 1 and len(rounds[-1][1]) == 1
    first = max(0, len(rounds) - 1 - has_only_begun)
    news = list(_news(then, seat.pawns if seat else ()))
    return Recent(rounds[first:], rounds[:first], news, _last_round(then), _why(then, {number for number, _ in rounds}))


def _why(then: AsOf, rounds: Collection[int]) -> dict[int, list[str]]:
    """Return by round what the moves of bot detectives were for, in a practice game; nothing in any other."""
    told: dict[int, list[str]] = {}
    moves = {event.number: event for event in then.events if then.round_of(event) in rounds}
    for number, purpose in practice.purposes(then.game, moves.values()).items():
        pawn, _, station = moves[number].data["notation"].split()
        said = why(purpose)
        if pgettext("letters after a colon", "small") == "small":
            said = said[0].lower() + said[1:]
        sentence = gettext("{pawn} to {station}: {why}", pawn=pawn_name(pawn), station=station, why=said)
        told.setdefault(then.round_of(moves[number]), []).append(sentence)
    return told


def _last_round(then: AsOf) -> str:
    """Return the last move of each pawn in one sentence; nothing before the first move."""
    moves = [event for event in then.events if event.kind == "moved"]
    newest = {event.data["pawn"]: event for event in moves if then.round_of(event) >= then.round_of(moves[-1]) - 1}
    told = [text for event in sorted(newest.values()) if (text := brief(event))]
    stuck = could_not_move(event.data for event in sorted(newest.values()))
    last = gettext("The last round: {moves}.", moves=", ".join(told))
    return f"{last} {stuck}".rstrip() if told else ""


def _news(then: AsOf, own: Sequence[str]) -> Iterator[News]:
    """Yield each recent event that is worth telling, each by itself, but for moves that the reader made."""
    for event in (event for event in then.events if event.moves >= then.events[-1].moves - NEWS):
        is_own_move = event.kind == "moved" and event.data["pawn"] in own and event.data["by"] not in ("house", "cover")
        if is_own_move:
            continue
        if event.kind == "moved" and (text := brief(event)):
            stuck = could_not_move([event.data])
            yield News(event.number, then.round_of(event), f"{text}. {stuck}" if stuck else text)
        else:
            for number, sentence in _with_reasons([event], numbered([event], own)):
                yield News(number, then.round_of(event), sentence)


def _by_round(then: AsOf, seat: Seat | None) -> Rounds:
    rounds = {event.number: then.round_of(event) for event in then.events}
    in_order = sorted(_with_reasons(then.events, numbered(then.events, seat.pawns if seat else ())))
    return [(number, list(sentences)) for number, sentences in groupby(in_order, lambda each: rounds[each[0]])]


def _with_reasons(events: Sequence[PublicEvent], told: Sequence[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Yield the sentences `told`, and that the operator ended the game; each with the reason that was given for it."""
    reasons = {event.number: event.data.get("reason") for event in events if event.kind != "ended"}
    voided = [(event.number, gettext(_VOIDED)) for event in events if event.kind == "voided"]
    for number, sentence in [*told, *voided]:
        reason = reasons.get(number)
        yield number, f"{sentence} {_given(reason)}" if reason else sentence


def _given(reason: str) -> str:
    reason = gettext(reason) if reason in substitution.OURS else reason
    is_whole = reason.endswith((".", "!", "?"))
    return gettext('The reason: "{reason}"' if is_whole else 'The reason: "{reason}".', reason=reason)
