"""`blackticket play`: a player's terminal, which uses the REST API like any other program."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from blackticket.standalone import client
from blackticket.standalone.client import Client, Game, LegalMoves
from server.cli.output import game_text, rows_text
from server.cli.terminal import Shown, program
from server.settings import PREFIX, Listen, Settings, environment, parse_setting
from server.vocabulary.errors import Problem
from server.vocabulary.words import join

TRIES = 2  # a person waits for the answer
HOW_TO_GET_IN = (
    "Put your token, which begins with bt_, into BLACKTICKET_TOKEN. "
    "If you have lost it, the operator makes another: blackticket player token add."
)


def play(game: str | None, move: tuple[str, ...], url: str | None, token: str | None, only_tried: bool) -> Shown:
    at = url or _server_of_this_folder()
    with _connected(at, token) as server:
        try:
            facts, sentences = _play(server, [*filter(None, [game]), *move], only_tried=only_tried)
        except (AttributeError, KeyError, TypeError) as error:  # JSON that has not what a game has
            raise Problem("form", f"{server.url} answers, but not as Black Ticket does.") from error
    return facts, sentences


@contextmanager
def _connected(url: str, token: str | None) -> Iterator[Client]:
    """Give a client of the server at `url`.

    Raises:
        Problem: `unauthorized` without a token that the server knows, `form` if the URL or the token is none.
    """
    if not token:
        raise Problem("unauthorized", HOW_TO_GET_IN)
    try:
        server = client.Client(url, token, tries=TRIES)
    except ValueError as error:
        raise Problem("form", str(error)) from None
    try:
        with server:
            yield server
    except client.Problem as problem:
        if problem.type == client.NO_ANSWER:
            where = "Is a server running there? BLACKTICKET_URL or --url names another."
            raise client.Problem(0, problem.facts | {"detail": f"{problem.detail} {where}"}) from None
        if problem.type == "unauthorized":
            raise Problem("unauthorized", f"{server.url} does not know your token. {HOW_TO_GET_IN}") from None
        raise


def _server_of_this_folder() -> str:
    """Return the URL of the server that `serve` starts in this folder."""
    setting = environment().get(f"{PREFIX}HTTP_LISTEN")
    listen = parse_setting("HTTP_LISTEN", setting) if setting is not None else Settings.http_listen
    assert isinstance(listen, Listen)
    return str(listen.local)


def _play(server: Client, words: Sequence[str], *, only_tried: bool) -> tuple[object, str]:
    if not words:
        games = _mine(server)
        return {"games": games}, _list(games)
    game_id, rest = _find(server, words)
    move = " ".join(rest)
    if not move:
        game, legal = server.game(game_id), server.legal_moves(game_id)
        return {"game": game, "legal": legal}, _look(game, legal)
    turn = server.game(game_id)["turn"]
    if only_tried:
        tried = server.dry_run(game_id, turn, move)
        later = ", and would be queued for its turn" if tried["ahead"] else ""
        return tried, f'"{tried["notation"]}" could be sent{later}. Nothing was done.'
    made = server.move(game_id, turn, move)
    what = "The move is queued for its turn." if made.kept else "The move is played."
    paragraphs = [what + _bots_to_come(made.game), _look(made.game, server.legal_moves(game_id))]
    return {"kept": made.kept, "game": made.game}, "\n\n".join(paragraphs)


def _bots_to_come(game: Game) -> str:
    """Return a sentence that bots move next, or nothing. The state that is printed below it is from before that."""
    bots = any(seat["bot"] and set(seat["pawns"]) & set(game["to_move"]) for seat in game["seats"])
    return f" Bots move next; to see what they did: {program()} play {game['name']}" if bots else ""


def _mine(server: Client) -> list[dict[str, Any]]:
    """Return the player's games as lists have them, and whether each `waits` for them."""
    waiting = {game["id"] for game in server.waiting()}
    mine = [{**game, "waits": game["id"] in waiting} for game in server.games(mine=True) if game["status"] != "over"]
    return sorted(mine, key=lambda game: not game["waits"])


def _list(games: list[dict[str, Any]]) -> str:
    if not games:
        return "You have no open or running game."
    rows = [{name: game[name] for name in ("id", "name", "status", "turn")} for game in games]
    for row, game in zip(rows, games, strict=True):
        row["waits"] = "for you" if game["waits"] else None
    return rows_text(rows)


def _find(server: Client, words: Sequence[str]) -> tuple[str, Sequence[str]]:
    """Return the id of the game that the first words name, and the other words, which are the move.

    The longest run of words counts that is a name, or the beginning of one. Of several games, one that is not over is
    preferred. If no name fits, the first word is an id.
    """
    games = list(server.games(mine=True))
    for count in range(len(words), 0, -1):
        beginning = " ".join(words[:count])
        found = [game for game in games if game["name"].lower().startswith(beginning.lower())]
        found = [game for game in found if game["name"].lower() == beginning.lower()] or found
        found = [game for game in found if game["status"] != "over"] or found
        if len(found) > 1:
            names = ", ".join(f"{game['name']} ({game['id']})" for game in found)
            raise Problem("form", f'Several games of yours begin with "{beginning}": {names}.')
        if found:
            return found[0]["id"], words[count:]
    if not re.fullmatch("[a-z2-7]{16}", words[0]):
        told = f'No game of yours begins with "{words[0]}", and that is no id of a game'
        raise Problem("not-found", f"{told}; {program()} play lists your games.")
    return words[0], words[1:]


def _look(game: Game, legal: LegalMoves) -> str:
    you = [f"You play {join(game['you']['pawns'])}."] if game["you"] else []
    return "\n\n".join([game_text(game), *you, *_choices(legal), *_kept(game)])


def _choices(legal: LegalMoves) -> list[str]:
    """Return a line for each pawn and ticket; double moves are only counted, because there may be hundreds."""
    stations: dict[str, list[int]] = {}
    for move in legal["moves"]:
        if "to" in move:
            stations.setdefault(f"{move['pawn']} {move['ticket']}", []).append(move["to"])
    doubles = [move["notation"] for move in legal["moves"] if "double" in move]
    lines = [f"  {how:<18} {', '.join(map(str, sorted(where)))}" for how, where in stations.items()]
    lines += [f"  and {len(doubles)} double moves, such as: {doubles[0]}; --json lists them"] if doubles else []
    return ["\n".join(["You may send:", *lines])] if lines else []


def _kept(game: Game) -> list[str]:
    kept = ", ".join(move["notation"] for move in game["ahead"])
    return [f"Queued moves of your team: {kept}"] if kept else []
