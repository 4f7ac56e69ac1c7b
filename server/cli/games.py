"""`blackticket game ...`, and reports on many games.

The operator sees what a spectator sees, unless they unseal a game.
"""

import click
from sqlalchemy import select

from server.application.game import projection
from server.application.game.look import look_at_any, standing_of
from server.application.game.projection import project, summaries
from server.application.lists import reports
from server.application.lobby import hosting, opening, seats
from server.application.operator import remedies
from server.application.operator.remedies import Unsealed
from server.application.people import players
from server.application.people.players import named
from server.cli import lobby
from server.cli.context import application, writing
from server.cli.group import is_for_program
from server.cli.output import game_text, legible, moves_text, rows_text, step_text, steps_text
from server.cli.records import look_up, steps_of
from server.cli.replay import walk
from server.cli.terminal import Shown, is_file, program
from server.house_rules.standing import Sight
from server.models import Game, session
from server.vocabulary.durations import rfc3339
from server.vocabulary.errors import Problem
from server.wording.rules import edition_title


@application()
def list_() -> Shown:
    found = session.scalars(select(Game).order_by(Game.created_at)).unique()
    facts = summaries([standing_of(row) for row in found])
    lines = "\n".join(f"{f['id']}  {f['name']}, {edition_title(f['edition'])}, {f['status']}" for f in facts)
    return facts, lines or "There are no games yet."


def show_(game_or_file: str) -> Shown:
    if is_file(game_or_file):
        steps = steps_of(game_or_file)
        return steps[-1].view, f"{step_text(steps[-1])}\n\n{moves_text(steps)}"
    with application():
        view = project(look_up(game_or_file), None)
    return view, game_text(view)


def replay(game_or_file: str, ply: int | None, step: bool) -> Shown:
    steps = steps_of(game_or_file)
    if ply is not None and ply >= len(steps):
        raise Problem("form", f"This record has {len(steps) - 1} moves; --ply goes from 0 to that.")
    steps = steps[: None if ply is None else ply + 1]
    if step:
        return [found._asdict() for found in steps], steps_text(steps)
    return steps[-1]._asdict(), step_text(steps[-1])


@writing()
def reinstate(game_id: str, reason: str) -> Shown:
    game = look_at_any(remedies.reinstate(game_id, reason).id)
    return _facts(game), f"{game.name} goes on; the deadline is {rfc3339(game.due_at) or 'not set'}."


@writing()
def end(game_id: str, reason: str) -> Shown:
    game = look_at_any(remedies.close(game_id, reason).id)
    return _facts(game), f"{game.name} is over without a winner, and final at {rfc3339(game.final_at) or 'once'}."


@writing()
def rebuild(game_ids: tuple[str, ...]) -> Shown:
    """Rebuild the rows of broken games from their moves and public events."""
    rebuilt = [remedies.rebuild(look_up(game_id).id) for game_id in game_ids]
    facts = [{"id": game.id, "status": game.status, "due_at": rfc3339(game.due_at)} for game in rebuilt]
    return facts, f"The rows are rebuilt: {', '.join(game.name for game in rebuilt)}."


@writing()
def host(game_id: str, seat: int, reason: str) -> Shown:
    game = look_at_any(hosting.appoint(game_id, seat, reason).id)
    return _facts(game), f"The player of seat {seat} is now the host of {game.name}."


@writing()
def practice(
    player: str, role: str, edition: str, players: int | None, level: str, options: tuple[str, ...]
) -> Shown:  # fmt: skip
    chosen = dict(map(lobby.option, options))
    begun = opening.practice(named(player), role, lobby.edition_named(edition), players, level=level, options=chosen)
    sentence = f"{begun.name} ({begun.id}) has begun. Answer the turn mail, or play here: {program()} play {begun.name}"
    return projection.summaries([look_at_any(begun.id)])[0], sentence


@writing()
def substitute(game_id: str, seat: int, player: str, reason: str) -> Shown:
    newcomer = players.named(player)
    game = look_at_any(seats.substitute(game_id, seat, newcomer, reason).id)
    return _facts(game), f"Seat {seat} of {game.name} is {newcomer.name}'s from now on."


def _facts(game: Sight) -> dict[str, object]:
    """Return the state of a game after an act of the operator, which is event number `event`."""
    return {
        "id": game.id,
        "status": game.status,
        "host": game.host_id,
        "event": game.events,
        "due_at": rfc3339(game.due_at) if game.status == "running" else None,
        "final_at": rfc3339(game.final_at),
    }


@writing()
def unseal(game_id: str, reason: str, mail_id: str | None) -> Shown:
    found = remedies.unseal(game_id, reason, mail_id)
    return found, _opened(found)


def _opened(found: Unsealed) -> str:
    """Return an unsealed record or mail as text for a person."""
    if "content" in found:
        return legible(found["content"])
    steps = walk(found["record"])
    return f"{step_text(steps[-1])}\n\n{moves_text(steps)}"


def table(label: str, which: str | None) -> Shown | None:
    with application():
        found, _ = reports.of_label(label)
        found["games"] = [*reports.games_of_label(label)]
    if which is not None and not is_for_program():
        click.echo(reports.sheet(which, found["players"], found["games"]), nl=False)
        return None
    games = [
        {"game": game["name"], "waits for": reports.waits_for(game), "due": game["due_at"], "winner": game["winner"],
         "reason": "not started" if game["status"] == "open" else game["reason"],
         "counts": "yes" if game["counts"] else ""}
        for game in found["games"]
    ]  # fmt: skip
    players = [{**line, "player": line["player_name"]} for line in found["players"]]
    parts = [rows_text(part) for part in (players, games) if part]
    return found, "\n\n".join([*parts, "\n".join(found["rules"])])
