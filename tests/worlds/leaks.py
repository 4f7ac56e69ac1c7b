"""Deliberate leaks: each is switched on by itself, and the checks must find it, see stage.py."""

import dataclasses
import hashlib
import json
import logging
import traceback
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from datetime import timedelta
from typing import Any

from flask import Flask, Response, request, request_finished
from sqlalchemy import func, select
from sqlalchemy.orm.attributes import set_committed_value

from server.application.game.as_of import AsOf
from server.application.game.look import look
from server.application.game.state import rebuild
from server.application.health.metrics import Measure
from server.drawing.look import Piece
from server.engine import Game as Table
from server.engine import Move
from server.engine.reasons import Reason
from server.house_rules.draft import Draft
from server.mail.transport.smtp_client import SendingFailure
from server.models import (
    Game,
    Incoming,
    Player,
    Seat,
    Webhook,
    WebhookDelivery,
    session,
    transaction,
    under_way,
)
from server.runtime import runtime
from server.vocabulary.errors import Problem
from server.web.game.trails import PawnMove
from tests.worlds.switching import Change, Leak, answers, knowing, mails, side, station, views, wrap

# Switching on -----------------------------------------------------------------------------------


def _header(name: str) -> Callable[[Response, int], None]:
    return lambda response, at: response.headers.__setitem__(name, f"{at}")


def _in_header(name: bytes, to_him: bool | None = None) -> Callable[[bytes, int, bool], bytes]:
    """The station stands at the beginning of a header of a mail."""
    old = name + b": "
    return lambda raw, at, his: raw if to_him not in (None, his) else raw.replace(old, old + b"%d " % at, 1)


def _padded(response: Response, at: int) -> None:
    response.set_data(response.get_data() + b" " * at)


def _reordered(response: Response, at: int) -> None:
    if response.mimetype == "application/json" and side(at):
        response.set_data(json.dumps(dict(reversed(response.get_json().items()))))


def _etag(response: Response, at: int) -> None:
    if "ETag" in response.headers:
        response.headers["ETag"] = hashlib.sha256(response.get_data() + b"%d" % at).hexdigest()


def _location(response: Response, at: int) -> None:
    if response.status_code == 201:
        response.headers["Location"] = f"{request.path}?at={at}"


def _link(real: Change, *args: Any, **kwargs: Any) -> str:
    game = session.scalars(select(Game).where(Game.status == "running")).unique().first()
    return real(*args, **kwargs) + (f"&at={station(game)}" if game else "")  # type: ignore[no-any-return]


def _says_why(real: Change, table: Any, move: Move) -> Any:
    here = move.pawn != "mr_x" and table.stations["mr_x"] == move.station
    return Reason("no-line", "He is there, but no line of yours leads to him.") if here else real(table, move)


def _captures(real: Change, draft: Draft, player_id: str, wanted: Any) -> Any:
    chosen = real(draft, player_id, wanted)
    if wanted.dry_run and chosen.move.station == draft.state.station("mr_x"):
        raise Problem("illegal", "This would capture Mr. X.")
    return chosen


def _without_him(real: Change, game: Game, player: Any) -> Any:
    return [move for move in real(game, player) if move.pawn == "mr_x" or move.station != station(game)]


def _counts_refusals(real: Change, problem: Problem) -> Any:
    if request.method == "POST" and request.path.endswith("/moves"):
        with transaction():
            session.get_one(Game, (request.view_args or {})["game_id"]).events += 1
    return real(problem)


def _logs(real: Change, draft: Draft, move: Move, by: str) -> None:
    logging.getLogger("server.house_rules.moves").info("%s moves", move)
    real(draft, move, by)


def _text_of(real: Change, error: BaseException) -> str:
    return f"{real(error)}: {error}"


def _trace_of(_real: Change, error: BaseException) -> str:
    return "".join(traceback.format_exception(error))


def _plain_print(_real: Change, _keyring: Any, data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@contextmanager
def plain_column() -> Iterator[None]:
    """Moves lie in their table as they are, at one length."""

    def sealed(real: Change, keyring: Any, plain: bytes, label: str, block: int) -> bytes:
        return plain.ljust(block) if label == "moves.notation" else real(keyring, plain, label, block)  # type: ignore[no-any-return]

    def opened(real: Change, keyring: Any, found: bytes, label: str) -> bytes:
        plain = label == "moves.notation" and found[:1] == b'"'
        return found.strip() if plain else real(keyring, found, label)  # type: ignore[no-any-return]

    with (
        wrap("server.runtime.keyring:Keyring.encrypt", sealed)(),
        wrap("server.runtime.keyring:Keyring.decrypt", opened)(),
    ):
        yield


def _unpadded(real: Change, keyring: Any, plain: bytes, label: str, _block: int) -> bytes:
    return real(keyring, plain, label, 1)  # type: ignore[no-any-return]


def _opens_all(real: Change, game_id: str, secrets: Any, table: Table, windows: Any, commit: Any) -> dict[str, Any]:
    told = real(game_id, secrets, table, windows, commit)
    return {**told, "opened": [{"window": window.number, "station": window.station} for window in windows]}


def _opened_at_once(view: dict[str, Any], game: Game, table: Table) -> None:
    view |= {name: value for name, value in table.view("spectator", opened=True).items() if name in ("log", "starts")}


def _leg_shown(real: Change, game: Table, sees_all: bool) -> list[str]:
    shown = real(game, sees_all)
    pairs = zip(shown, game.history, strict=True)
    return [
        text if not move.double else f"double {move.legs[0].ticket} {move.legs[0].station} ?" for text, move in pairs
    ]


def _entry_with_line(real: Change, game: Table, window: Any, sees_all: bool, opened: bool) -> Any:
    return {**real(game, window, sees_all, opened), "transport": window.transport}


def _replayed() -> AbstractContextManager[Any]:
    """Answers are kept by path and key, whoever asked."""
    kept: dict[Any, Any] = {}

    def dispatch(real: Change, app: Flask) -> Any:
        key = request.headers.get("Idempotency-Key")
        place = id(app), request.path, key
        if key is None or place not in kept:
            kept[place] = real(app)
        return kept[place]

    return wrap("flask:Flask.full_dispatch_request", dispatch)()


def _anybodys(real: Change, version: str, *seen: Any) -> Any:
    """Leak Mr. X's cached view to all who ask next."""
    made = real(version, *seen)
    if (json.loads(made.text)["you"] or {}).get("pawns") == ["mr_x"]:
        runtime().view_cache.get = lambda key: made if key[0] == request.view_args["game_id"] else None
    return made


@contextmanager
def _kept_for_all() -> Iterator[None]:
    """Without the comparison with a fresh view, which tests make besides and which would find it too."""
    with request_finished.muted(), wrap("server.application.game.projection:_CachedView", _anybodys)():
        yield


def _listed_by_station(real: Change, player: Any, **query: Any) -> Any:
    label = query.pop("label", None)
    found = [game for game in session.scalars(select(Game)).unique() if game.status == "running"]
    ids = {game.id for game in found if label in (None, str(station(game)))}
    return [facts for facts in real(player, **query) if facts["id"] in ids]


def _sorted_by_station(real: Change, player: Any, **query: Any) -> Any:
    def place(facts: dict[str, Any]) -> float:
        return station(session.get_one(Game, facts["id"])) if facts["status"] == "running" else 29.5

    return sorted(real(player, **query), key=place)


def _passes_over(real: Change, draft: Draft, kind: str, **data: Any) -> Any:
    if kind == "moved" and side(draft.state.station("mr_x")):
        data["passed_over"] = ["red"]
    return real(draft, kind, **data)


def _near_only(real: Change, draft: Draft, *about: Any) -> None:
    if side(draft.state.station("mr_x")):
        real(draft, *about)


def _first_words(raw: bytes, words: bytes) -> bytes:
    """The mail with `words` where its text begins."""
    before, text, behind = raw.partition(b"text/plain")
    return before + text + behind.replace(b"\r\n\r\n", b"\r\n\r\n" + words, 1)


def _by_distance(real: Change, draft: Draft, phase: str) -> None:
    if side(draft.state.station("mr_x")):
        draft.game.seats.reverse()
    real(draft, phase)
    draft.game.seats.sort(key=lambda seat: seat.number)


def _once_more(real: Change, draft: Draft, phase: str) -> None:
    real(draft, phase)
    if side(draft.state.station("mr_x")):
        for seat in draft.game.seats[1:]:
            draft.post(seat.player_id, "go")


def _delayed(real: Change, draft: Draft, *args: Any) -> None:
    real(draft, *args)
    late = timedelta(seconds=draft.state.station("mr_x"))
    draft.mails[:] = [mail._replace(not_before=mail.not_before + late) for mail in draft.mails]


def _seen_now(real: Change, digest: str, game_id: str | None = None, **wish: bool) -> Any:
    token = real(digest, game_id, **wish)
    if token is None:
        return None
    with transaction():
        for seat in session.scalars(select(Seat).where(Seat.player_id == token.player.id)):
            seat.misses += 1
    return real(digest, game_id, **wish)


def _for_everybody(_real: Change, game: Game, player: Any) -> str:
    return "mr_x"


def _operator_is_mr_x(real: Change, game: Game, player: Any) -> str:
    return "mr_x" if player is None else real(game, player)  # type: ignore[no-any-return]


def _health(real: Change) -> dict[str, Any]:
    return {**real(), "mails_read": _mails_read()}


def _mails_read() -> int:
    return session.scalar(select(func.count()).select_from(Incoming)) or 0


def _mailbox(real: Change, app: Flask) -> Any:
    if request.path != "/dev/mail":
        return real(app)
    letters = sorted((runtime().settings.var / "mail" / "new").iterdir())
    return app.make_response(b"\n".join(letter.read_bytes() for letter in letters))


def _ready(real: Change, app: Flask, response: Response) -> Any:
    given = real(app, response)
    if request.path == "/readyz":
        given.set_data(json.dumps({"status": "ready", "mails": _mails_read()}))
    return given


def _last_modified(real: Change, app: Flask, response: Response) -> Any:
    given = real(app, response)
    if "game_id" in (request.view_args or {}):
        newest = session.scalar(select(func.max(Incoming.received_at)))
        given.headers["X-Updated"] = f"{newest} {_mails_read()}"
    return given


def _counted(real: Change, runtime: Any, of: str) -> str:
    from base64 import b32encode

    numbers = runtime.__dict__.setdefault("_numbers", iter(range(1, 10**6)))
    return b32encode(next(numbers).to_bytes(10)).decode().lower()


def _transcript(real: Change, game: Game) -> dict[str, Any]:
    return {**real(game), "window": [window.station for window in rebuild(game).log]}


def _drawn_for_him(real: Change, game: Game, _player: Any) -> str:
    return str(real(game, session.get(Player, game.seats[0].player_id)))


def _drawn_around_him(real: Change, then: AsOf, player: Player) -> Any:
    set_committed_value(player, "picture", "own")
    return real(then, player)


def _looks_at_the_truth(real: Change, game: Game, window: int) -> Any:
    then = real(game, window)
    return then and then._replace(possible=frozenset({station(game)}))


def _trails_of_him(real: Change, at: int, view: dict[str, Any]) -> Any:
    return [*real(view), PawnMove(1000, "mr_x", (("taxi", 1 if at != 1 else 2, at),))]


def _places_him(real: Change, at: int, board: Any, pieces: Any, reach: Any) -> Any:
    return real(board, [*pieces, Piece("mr_x", "X", *board.stations[at])], reach)


def _glows(real: Change, at: int, view: dict[str, Any], _possible: Any, *seen: Any) -> Any:
    return real(view, {at}, *seen)


def _describes_him(real: Change, game: Game, *seen: Any) -> Any:
    words = real(game, *seen)
    return words._replace(description=f"{words.description} {station(game)}") if game.turn else words


def _pictures_him(real: Change, game: Game) -> Any:
    return real(game) + b"%d" % station(game)


def _knows_it_too(real: Change, delivery: WebhookDelivery, webhook: Webhook) -> Any:
    game = session.get_one(Game, delivery.game_id)
    return real(delivery, webhook) + (b"%d" % station(game) if game.status == "running" else b"")


def _tells_the_chat(real: Change, game_id: str, *rest: Any) -> Any:
    told, game = real(game_id, *rest), session.get_one(Game, game_id)
    return told and f"{told} {station(game) if game.status == 'running' else ''}"


def _counts_all_mail(real: Change) -> Any:
    return [*real(), Measure("mails", "All mails that ever came in", {"": _mails_read()})]


def _knows_where_he_is(real: Change, game: Game) -> list[int]:
    return [station(game)] if game.status == "running" else list(real(game))


def _known_story(real: Change, game: Game, player: Any) -> Any:
    return [dataclasses.replace(each, start=station(game)) for each in real(game, player)]


def _whole_record(real: Change, game: Game, _player: Any) -> dict[str, Any]:
    return rebuild(game).record_json()


def _steps(real: Change, game: Game, player: Any) -> dict[str, Any]:
    found = real(game, player)
    return {**found, "steps": [*found["steps"], "he is near"] if side(station(game)) else found["steps"]}


def _smtp(real: Change, handler: Any, server: Any, talk: Any, envelope: Any, address: str, options: Any) -> Any:
    async def said() -> str:
        told = await real(handler, server, talk, envelope, address, options)
        with handler.app.app_context():
            game = session.scalars(select(Game).where(Game.status == "running")).unique().first()
            return f"{told} {station(game)}" if game else told

    return said()


def _error_told(real: Change, leased: Any, failure: SendingFailure) -> Any:
    game = session.scalars(select(Game).where(Game.status == "running")).unique().first()
    failure.args = (f"{failure} {station(game) if game else ''}",)
    return real(leased, failure)


def _told_early(view: dict[str, Any], _game: Game, table: Table) -> None:
    view["cornered"] = len(table.edition.board.reach["black"][table.station("mr_x")]) < 4


def _number_of_moves(view: dict[str, Any], _game: Game, table: Table) -> None:
    view["choices"] = len(table.edition.board.reach["black"][table.station("mr_x")]) * 100 + table.station("mr_x") % 7


def _nothing_is_ours(_real: Change, _raw: bytes) -> bool:
    return False


def _no_salt(_real: Change, _key: bytes, _field: str, window: int) -> bytes:
    return bytes([window]) * 32


def _public_position(real: Change, position: Any) -> Any:
    return {**real(position), "mr_x": {"station": position.stations["mr_x"]}}


@contextmanager
def _taken_back() -> Iterator[None]:
    """The lines of a mail are done without having been checked, and all are taken back where one is refused."""

    def carry_out(real: Change, request: Any, commands: Any) -> Any:
        try:
            with session.begin_nested():
                session.connection()
                request, reply = real(request, commands)
                if reply.refused:
                    raise reply.refused[0].problem
                return request, reply
        except Problem:
            under_way().found.clear()  # type: ignore[union-attr]
            raise

    def unchecked(*_: Any) -> None:
        """Everything is left to when it is done."""

    with ExitStack() as switched:
        for target, change in (("server.mail.commands.handlers:carry_out", carry_out),
                               ("server.mail.commands.handlers:_check", unchecked),
                               ("server.mail.commands.moves:check_in_order", unchecked)):  # fmt: skip
            switched.enter_context(wrap(target, change)())
        yield


LEAKS = (
    # Answers
    Leak("full-etag", "an ETag over the whole state", answers(_etag)),
    Leak("padding", "the length of an answer", answers(_padded)),
    Leak("key-order", "the order of the keys in an answer", answers(_reordered)),
    Leak("header", "a header of an answer", answers(_header("X-Place"))),
    Leak("location", "a station in a URL, which logs and Referer repeat", answers(_location), "first"),
    Leak("cursor", "a page's cursor", wrap("server.api.reading:url_for", _link)),
    Leak("no-vary", "a cache that does not know the viewer",
         answers(lambda response, _at: response.headers.__setitem__("Cache-Control", "public"))),
    Leak("sight", "a kept view, shown to another", _kept_for_all),
    Leak("replay", "an answer kept under a key, given to another player", _replayed, "around"),
    Leak("updated", "a time or counter moved by private acts",
         wrap("flask:Flask.process_response", _last_modified), "private"),
    Leak("readyz", "what a machine asks for", wrap("flask:Flask.process_response", _ready), "private"),
    Leak("mailbox", "the mailbox of a developer, open without being asked for",
         wrap("flask:Flask.full_dispatch_request", _mailbox), "private"),
    # Views
    Leak("station", "the table in a view", wrap("server.application.game.projection:viewer_of", _for_everybody)),
    Leak("start-card", "the start card", wrap("server.engine.view:_starts", lambda real, game, _all: real(game, True))),
    Leak("history", "the history beside the table",
         wrap("server.engine.view:history", lambda real, game, _all: real(game, True))),
    Leak("surfaced", "a window taken for one on which he shows himself",
         wrap("server.engine.view:is_shown", lambda _real, _game, _window: True)),
    Leak("first-leg", "the first leg of a double move", wrap("server.engine.view:history", _leg_shown), "sight"),
    Leak("transport", "the transport under a black ticket",
         wrap("server.engine.view:_entry", _entry_with_line), "sight"),
    Leak("position", "where a game from a position began",
         wrap("server.engine.position:Position.public", _public_position), "placed"),
    Leak("stuck", "that he cannot move, too early", views(_told_early), "around"),
    Leak("choices", "how many moves he has", views(_number_of_moves)),
    Leak("picture", "a picture drawn before the filter", wrap("server.application.game.pictures:svg", _drawn_for_him)),
    Leak("deduction", "the deduction fed with the truth",
         wrap("server.application.game.projection:deduction", _knows_where_he_is)),
    Leak("record", "the record before the end", wrap("server.application.game.projection:record", _whole_record)),
    Leak("story", "the story before the end", wrap("server.application.game.story:rounds", _known_story), "around"),
    Leak("replay", "the replay before the end",
         wrap("server.application.game.replay:open_game",
              lambda _real, game, player, **_: dataclasses.replace(look(game, player), final=True)),
         "watched"),
    Leak("seat", "the game from his seat before the end",
         wrap("server.application.game.replay:open_game", lambda _real, game, player, **_: look(game, player))),
    Leak("end", "the end and its story before the end",
         wrap("server.web.game.page:of",
              lambda real, game, *more, **named: real(dataclasses.replace(game, final=True), *more, **named)),
         "watched"),
    Leak("transcript", "the export before the end", wrap("server.application.game.transcripts:of_game", _transcript)),
    Leak("deadline", "the deadline and how it came about", wrap("server.application.game.projection:deadline", _steps)),
    Leak("provisional", "a provisional end that opens the log", views(_opened_at_once, finals=True), "ended"),
    # Lists
    Leak("filter", "a filter on a hidden column", wrap("server.api.games:list_games", _listed_by_station),
         "tries"),
    Leak("sort", "the order by a hidden column", wrap("server.api.games:list_games", _sorted_by_station)),
    # Moves
    Leak("reason", "the words of an error", wrap("server.engine.game:explain", _says_why), "tries"),
    Leak("dry-run", "a dry run that knows of a capture",
         wrap("server.house_rules.submission:place", _captures), "chase"),
    Leak("legal-moves", "the list of legal moves",
         wrap("server.application.game.projection:legal_moves", _without_him), "chase"),
    Leak("refused", "a number moved by a refused move",
         wrap("server.api.problems:problem_response", _counts_refusals), "private"),
    Leak("passed-over", "what an event says besides",
         wrap("server.house_rules.draft:Draft.publish", _passes_over), "first"),
    Leak("house", "the move of the house, that knows where he is",
         lambda: knowing("server.bots:choose_for_late", _knows), "house"),
    Leak("presence", "that he was here", wrap("server.api.access:good_token", _seen_now), "private"),
    Leak("ids", "gaps between ids", wrap("server.runtime:Runtime.new_id", _counted), "private"),
    Leak("rate", "a rate that players share",
         wrap("server.application.limits.rate_limit:count", lambda real, kind, _name: real(kind, "everybody")),
         "private"),
    Leak("look-back", "a look back that is fed with the truth",
         wrap("server.application.game.replay:look_back", _looks_at_the_truth), "watched"),
    Leak("trail", "a trail of his on the board of a page",
         lambda: knowing("server.web.game.trails:moves_of_last_round", _trails_of_him), "watched"),
    Leak("figure", "a figure of his on the board of a page",
         lambda: knowing("server.drawing.figures:placed", _places_him), "watched"),
    Leak("halo", "a halo around where he is alone", lambda: knowing("server.web.game.board:drawn", _glows), "watched"),
    Leak("link-words", "the preview of a link", wrap("server.web.game.preview:of", _describes_him), "watched"),
    Leak("link-picture", "the picture of a link",
         wrap("server.application.game.pictures:of_preview", _pictures_him), "watched"),
    Leak("chat", "what a chat is told", wrap("server.webhooks.chats:_news", _tells_the_chat), "first"),
    Leak("webhook", "the body of a webhook", wrap("server.webhooks.sender:_body", _knows_it_too), "first"),
    Leak("taken-back", "a refusal behind a move that took him, which is taken back", _taken_back, "several"),
    # Mails
    Leak("subject", "the subject of a mail", mails(_in_header(b"Subject"))),
    Leak("his-subject", "the subject of his own mail, on a locked screen", mails(_in_header(b"Subject", to_him=True)),
         "around"),
    Leak("his-picture", "the picture in his own mail, seen over his shoulder",
         wrap("server.application.game.pictures:of_mail", _drawn_around_him), "around"),
    Leak("preview", "the first lines of his own mail",
         mails(lambda raw, at, his: _first_words(raw, b"You are at %d. " % at) if his else raw),
         "around"),
    Leak("shared", "what the readers of one event share, without the class of the viewer",
         wrap("server.application.game.as_of:class_of", lambda _real, _viewer: "mr_x"), "first"),
    Leak("body", "the text of a mail", mails(lambda raw, at, his: raw if his else raw + b"%d" % at)),
    Leak("message-id", "the Message-ID", mails(_in_header(b"Message-ID"))),
    Leak("references", "the References", mails(_in_header(b"References"))),
    Leak("reminder", "a reminder that comes only where he is near",
         wrap("server.house_rules.notices:post_reminder", _near_only), "reminded"),
    Leak("order", "the order of mails", wrap("server.house_rules.notices:post_turns", _by_distance), "first"),
    Leak("number", "the number of mails", wrap("server.house_rules.notices:post_turns", _once_more), "first"),
    Leak("delay", "the delay of a mail", wrap("server.house_rules.notices:post_turns", _delayed), "first"),
    Leak("deduction", "a deduction that is fed with the truth", lambda: knowing("server.engine:deduce", _truth)),
    Leak("smtp", "what the mail listener answers",
         wrap("server.mail.transport.smtp_server:Handler.handle_RCPT", _smtp), "around"),
    # Logs and errors
    Leak("log", "a log line", wrap("server.house_rules.moves:_make", _logs), "first"),
    Leak("error-text", "the text of an error, in a log", wrap("server.api.problems:fault", _text_of), "faults"),
    Leak("traceback", "a traceback in the log of the worker", wrap("server.worker:fault", _trace_of), "faults"),
    Leak("mail-error", "why a mail was not sent", wrap("server.mail.outbox:_retry", _error_told), "faults"),
    # The operator
    Leak("operator", "the screens of the operator",
         wrap("server.application.game.projection:viewer_of", _operator_is_mr_x), "operator"),
    Leak("passed-on", "a complaint with a mail of Mr. X's in it",
         wrap("server.mail.postmaster:holds_ours", _nothing_is_ours), "abuse"),
    Leak("metrics", "the figures for a machine", wrap("server.web.metrics:measures", _counts_all_mail), "private"),
    Leak("doctor", "queue depths and counts", wrap("server.application.health.health:report", _health), "private"),
    # At rest
    Leak("plain-column", "a dump of the database", plain_column, "at rest"),
    Leak("length", "the length of what is sealed", wrap("server.runtime.keyring:Keyring.encrypt", _unpadded), "placed"),
    Leak("plain-hash", "a hash that can be tried out",
         wrap("server.runtime.keyring:Keyring.fingerprint", _plain_print), "at rest"),
    # The seal
    Leak("salt", "commitments with a salt that is none", wrap("server.sealing.commitments:salt", _no_salt), "at rest"),
    Leak("opening", "an opening before the end",
         wrap("server.house_rules.sealed_log:facts_of_move", _opens_all), "first"),
)  # fmt: skip


def _knows(real: Change, at: int, _view: Any, moves: Any, *_rest: Any) -> Any:
    return min(moves, key=lambda move: abs(move.station - at))


def _truth(_real: Change, at: int, _view: Any) -> frozenset[int]:
    return frozenset({at})


# Where they are looked for ----------------------------------------------------------------------
