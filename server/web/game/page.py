"""The page of a game: what it shows, and to whom. The forms on it are in the modules beside this one."""

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import Any

from flask import Response, g, make_response, redirect, request, url_for

from server import engine
from server.application.game import held_moves, practice, projection, replay, waiting
from server.application.game.look import look
from server.application.game.projection import GameView
from server.application.lists import marks
from server.application.people import players
from server.drawing.picture import told
from server.house_rules import replays
from server.house_rules.endings import CAN_BE_TAKEN_UP
from server.house_rules.standing import HeldMove, Seat, Sight
from server.http import links
from server.models import Player, shared_connection
from server.runtime import now, runtime
from server.vocabulary.errors import Problem
from server.vocabulary.words import join, line, line_name, pawn_name, pawn_names, typed
from server.web import forms, visitors
from server.web.game import board, choices, coach, ending, hunt, lobby, news, pair, preview, rounds, table, travel_log
from server.web.game.holders import named, seats_in_words
from server.web.me import devices
from server.web.moments import moment
from server.web.problems import page
from server.web.static_files import compress
from server.wording import clocks, situation, times
from server.wording import ending as words
from server.wording.seats import seat_label

# Seconds until a browser without JavaScript loads the page again: while only bots are to move, and while the reader has
# nothing to choose.
REFRESH = 3
LATER = "blackticket_later"  # the cookie of a guest who does not want to be asked for an address now
REFRESH_FOR_PEOPLE = 60


def show(game_id: str) -> Response:
    """Show a game as the visitor may see it; with `?window=8` the board after move 8 of the travel log.

    With `?later=yes` a guest is not asked for an address again until the browser is closed.
    """
    if request.args.get("later") == "yes":
        response = make_response(redirect(url_for("pages.game", game_id=game_id), 303))
        visitors.set_cookie(response, LATER, "yes", None)
        return response
    with shared_connection():
        return _as_it_goes_on(look(game_id, visitors.visitor()))


def as_news(game_id: str) -> Response:
    """Return what changed of the page of a game: an empty 304 while the mark that it was loaded with is as of today.

    The mark, which is the ETag, changes with all that the visitor may know of the game. Whether the visitor may see it
    is checked for each question. An answer with news counts as one more request, as much work as a page.
    """
    with shared_connection():
        game = look(game_id, visitors.visitor())
        mark = marks.of_game(game, visitors.visitor())
        if request.if_none_match.contains(mark):
            answer = Response(status=304)
        elif game.status != "open" and game.started_at is None:  # its page asks no more
            answer = make_response(redirect(url_for("pages.game", game_id=game_id), 303))
        else:
            visitors.count_request()
            answer = _as_it_goes_on(game)
    answer.set_etag(mark)
    return answer


def _as_it_goes_on(game: Sight) -> Response:
    """Return the page of a game, of a pair's the one who is to move, with `?window=8` as `show` does."""
    if pair.goes_on(game):
        game = look(game.id, visitors.visitor())
    return of(game, window=forms.number(request.args.get("window", ""), 4))


def second_leg(game_id: str, player: Player, first: engine.Leg) -> Response:
    """Show a game with the second legs of the double moves that begin with `first`."""
    return of(look(game_id, player), first=first)


def of(
    game: Sight, problem: Problem | None = None, first: engine.Leg | None = None, window: int | None = None
) -> Response:
    """Return the page of a game for the visitor, with what was wrong if a form was refused."""
    g.writes_later = bool(visitors.cookie(LATER))
    if game.status == "open":
        return lobby.page_of(game, problem)
    if game.started_at is None:
        return lobby.page_of_closed(game, problem)
    player = visitors.visitor()
    view = projection.project(game, player)
    seat = projection.own_seat(game, player)
    own = seat.pawns if seat else []
    offered = choices.of(game, player, view, first)
    names = players.names_at(game.id)
    seats = seats_in_words(game, names)
    possible = projection.possible(game)
    both = pair.shown(game, seats, view["to_move"])
    around = table.template_context(game, player, seats, view["draw"])
    has_link = seat is not None and bool(around["offered"])
    end = ending.of(game)
    shown = page(
        "game/page",
        problem,
        game=game,
        view=view,
        seat=seat,
        pair=both,
        role=seat_label(seat) if seat else "",
        outcome=words.full_result(game, names),
        end=end,
        hunt=hunt.of(game, player) if end else None,
        is_open=game.visibility == "public" or replays.is_shown(game),
        may_be_undone=game.reason in CAN_BE_TAKEN_UP,
        left_out=ending.left_out(view, own) if game.status == "over" and own else None,
        may_call=seat is not None and runtime().settings.push,
        call=devices.offered(game, seat, player, must_move=bool(set(own) & set(view["to_move"]))),
        coach=coach.of(game, player, seat, view),
        final_at=_moment(game.final_at, player) if game.status == "over" and not game.final else "",
        pawns=_pawns(view, seats),
        recent=rounds.recent(game, seat),
        may_ask_hint=practice.may_ask(game, player),
        hint=board.heat(view, practice.hint(game, player))
        if "hint" in request.args and game.status == "running"
        else None,
        mark=marks.of_game(game, player),
        preview=preview.of(game, view, possible) if player is None else None,
        pawn_name=pawn_name,
        line=line,
        line_name=line_name,
        table=around,
        link=links.link("pages.invitation", code=game.code) if has_link else "",
        is_only_here=has_link and links.is_only_here(),
        **_moves(game, player, view, own, offered),
        held=_held(game, seat, player),
        **_waiting(game, player, seat, view, seats, may_choose=bool(offered)),
        **(_board(game, view, own, offered, possible, window) if view["pawns"] else {}),
    )
    return compress(shown) if _has_no_secrets(game, around["talk"], problem) else shown


def _has_no_secrets(game: Sight, said: dict[str, Any] | None, problem: Problem | None) -> bool:
    """Return True for the page of the end without words to the team, which stay secret, and what a form sent."""
    is_to_team = said is not None and any(message["to"] == "team" for message in said["messages"])
    return game.final and not is_to_team and problem is None


def _moves(
    game: Sight,
    player: Player | None,
    view: GameView,
    own: Sequence[str],
    offered: Sequence[choices.PawnChoices],
) -> dict[str, Any]:
    """Return what the reader can move, and what they have sent ahead."""
    queue = _sent_ahead(game, own) if any(each["pawn"] in own for each in view["ahead"]) else []
    due = [pawn for pawn in own if pawn in view["to_move"]]
    return {
        "must_move": bool(due),
        "due_pawns": pawn_names(due) if due else "",
        "is_first_move": player is not None and player.is_guest and game.round == 1,
        "choices": offered,
        "second_choices": choices.SECOND_CHOICES,
        "takings": choices.takings(view) if "mr_x" in own and offered else [],
        "queue": queue,
        "is_all_sent": {each.pawn for each in offered if each.pawn in own} <= {each["pawn"] for each in queue},
    }


def _sent_ahead(game: Sight, own: Sequence[str]) -> list[dict[str, str]]:
    """Return the queued move of each of these pawns with its second choices, as notation and in words."""
    return [
        {"pawn": queued.pawn, "notation": typed(queued.order),
         "says": situation.sent_ahead(queued.pawn, queued.notations)}
        for queued in game.queue if queued.pawn in own
    ]  # fmt: skip


def _held(game: Sight, seat: Seat | None, player: Player | None) -> list[dict[str, str]]:
    """Return what the reader holds: the moves of each hold, its id, and until when they wait."""
    waiting: dict[str, list[HeldMove]] = {}
    for each in held_moves.held_by_seat(game, seat):
        waiting.setdefault(each.hold, []).append(each)
    zone = player.zone if player else "UTC"
    return [
        {
            "hold": hold,
            "notation": join([typed(each.notation) for each in those]),
            "at": times.time_of_day(those[0].plays_at, zone),
        }
        for hold, those in waiting.items()
    ]


def _waiting(
    game: Sight,
    player: Player | None,
    seat: Seat | None,
    view: GameView,
    seats: Sequence[dict[str, Any]],
    *,
    may_choose: bool,
) -> dict[str, Any]:
    """Return for whom the game waits, until when, and when a browser without JavaScript loads the page again."""
    awaited = [each for each in game.seats if set(each.pawns) & set(view["to_move"])]
    waits_for_bots = game.status == "running" and all(each.bot for each in awaited)
    for_people = REFRESH_FOR_PEOPLE if game.status == "running" and not may_choose else None
    deadlines = _deadlines(game, player, seat, seats, awaited)
    paused_until = game.paused_until(now())
    unsent = [name for each in waiting.unsent_beside(game, seat) if (name := seats[each.number - 1]["name"])]
    return {
        "paused": _moment(paused_until, player),
        "waiting": situation.to_move(view["to_move"], _awaited_people(view, awaited, seats)) if view["to_move"] else "",
        "unsent": join(unsent, "or") if unsent else "",
        "due": deadlines[0]["at"] if deadlines else "",
        "deadlines": deadlines,
        "waits_for_bots": waits_for_bots,
        "refresh": REFRESH if waits_for_bots else for_people,
        "every": news.seconds_between_questions(game, waits_for_bots=waits_for_bots),
    }


def _awaited_people(view: GameView, awaited: Sequence[Seat], seats: Sequence[dict[str, Any]]) -> str:
    """Return the pawns that are to move, each with its player: `Red and Green (Ben) and Blue`; bots have no names."""
    due = [(each, pawn_names([pawn for pawn in each.pawns if pawn in view["to_move"]])) for each in awaited]
    named_seats = ((pawns, seats[each.number - 1]["name"]) for each, pawns in due)
    return join([f"{pawns} ({name})" if name else pawns for pawns, name in named_seats])


def _moment(at: datetime | None, player: Player | None) -> str:
    return moment(at, player.zone if player else "UTC") if at else ""


def _board(
    game: Sight,
    view: GameView,
    own: Sequence[str],
    offered: Sequence[choices.PawnChoices],
    possible: list[int] | None,
    window: int | None,
) -> dict[str, Any]:
    """Return what the board shows: now, or after the move of the travel log that filled `window`."""
    then = replay.look_back(game, window) if window is not None and not game.final else None
    shown = then.view if then else view
    return {
        "then": then,
        "windows": replay.lookback_windows(game, view),
        "drawn": board.drawn(shown, then.possible if then else possible, () if then else offered, own),
        "told": told(shown, then.possible if then else possible),
        "notes": [*_last_chance(game, view, own), *board.notes(view, own)],
        "summary": board.summary(view, possible, then, is_mr_x="mr_x" in own),
        "board_text": board.in_words(view, own, offered, possible),
        "last_round": travel_log.last_round(view),
        "log": travel_log.cells(view, has_secrets=travel_log.has_secrets(game, own)),
    }


def _last_chance(game: Sight, view: GameView, own: Sequence[str]) -> list[board.Note]:
    """Return what a late Mr. X risks who is to move again."""
    if not game.mr_x_misses or "mr_x" not in view["to_move"] or game.clock["kind"] == "none":
        return []
    return [board.Note(clocks.last_chance(game.clock, is_reader="mr_x" in own))]


def _deadlines(
    game: Sight, player: Player | None, seat: Seat | None, seats: Sequence[dict[str, Any]], awaited: Sequence[Seat]
) -> list[dict[str, Any]]:
    """Return each deadline that runs, the reader's own first: whose it is, until when, and how it came about."""
    zone = player.zone if player else "UTC"
    waiting = [each.number for each in awaited]
    deadlines = projection.deadline(game, player, partial(times.moment, zone=zone))["goes"]
    deadlines.sort(key=lambda each: seat is None or each["seat"] not in (None, seat.number))
    return [
        {
            "who": join([named(seats[n - 1]) for n in ([each["seat"]] if each["seat"] else waiting)]),
            "at": moment(datetime.fromisoformat(each["due_at"]), zone),
            "steps": each["steps"],
        }
        for each in deadlines
    ]


def _pawns(view: GameView, seats: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return each pawn with its place, its tickets and its player; `seats` is as of `seats_in_words`."""
    return [
        {
            "pawn": pawn,
            "name": pawn_name(pawn),
            "who": seats[facts["seat"] - 1]["who"],
            "station": facts["station"],
            "last_seen": facts.get("last_seen"),
            "tickets": facts["tickets"],
            "state": situation.short_state(facts),
            "is_to_move": pawn in view["to_move"],
        }
        for pawn, facts in view["pawns"].items()
    ]
