"""`blackticket game ...` and the demo. The operator sees what a spectator sees, unless they unseal a game."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from server import bots
from server.cli import lobby, reports
from server.cli.context import application, as_json, is_file, program, show, writing
from server.engine import USUAL

if TYPE_CHECKING:
    from server.application.operator.unsealing import Unsealed

reason = click.option("--reason", required=True, help="Why, in one line without names; the players read it.")


@click.group()
def game() -> None:
    """Games, as a spectator sees them."""


for _command in (
    reports.results,
    reports.late,
    lobby.new,
    lobby.change,
    lobby.close,
    lobby.remind,
    lobby.link,
    lobby.invite,
    lobby.join,
    lobby.leave,
    lobby.start,
    lobby.rematch,
):
    game.add_command(_command)


@game.command("list")
@as_json
def list_(as_json: bool) -> None:
    """List the games."""
    from sqlalchemy import select  # noqa: PLC0415 start-up time

    from server.application.game.look import standing_of  # noqa: PLC0415
    from server.application.game.projection import summary  # noqa: PLC0415
    from server.models import Game, session  # noqa: PLC0415
    from server.wording.rules import edition_title  # noqa: PLC0415

    with application():
        found = session.scalars(select(Game).order_by(Game.created_at)).unique()
        facts = [summary(standing_of(row)) for row in found]
    lines = "\n".join(f"{f['id']}  {f['name']}, {edition_title(f['edition'])}, {f['status']}" for f in facts)
    show(facts, lines or "There are no games yet.", as_json=as_json)


@game.command("show")
@click.argument("game_or_file")
@as_json
def show_(game_or_file: str, as_json: bool) -> None:
    """Show one game: seats, pawns, the travel log, whose turn it is.

    A file is a game record, text or JSON; it is shown with its moves, round by round.
    """
    from server.application.game.projection import project  # noqa: PLC0415 start-up time
    from server.cli.output import game_text, moves_text, step_text  # noqa: PLC0415
    from server.cli.records import look_up, steps_of  # noqa: PLC0415

    if is_file(game_or_file):
        steps = steps_of(game_or_file)
        show(steps[-1].view, f"{step_text(steps[-1])}\n\n{moves_text(steps)}", as_json=as_json)
        return
    with application():
        view = project(look_up(game_or_file), None)
    show(view, game_text(view), as_json=as_json)


@game.command()
@click.argument("game_or_file")
@click.option("--ply", type=click.IntRange(0), help="Stop after so many moves.")
@click.option("--step", is_flag=True, help="A line for every move, with the stations of all pawns after it.")
@as_json
def replay(game_or_file: str, ply: int | None, step: bool, as_json: bool) -> None:
    """Replay a game record, text or JSON, and show where all pawns are.

    Until its result is final, a game of this server is replayed as everybody saw it. A record without Mr. X's stations
    is checked against the rules all the same.
    """
    from server.application.errors import Problem  # noqa: PLC0415 start-up time
    from server.cli.output import step_text, steps_text  # noqa: PLC0415
    from server.cli.records import steps_of  # noqa: PLC0415

    steps = steps_of(game_or_file)
    if ply is not None and ply >= len(steps):
        raise Problem("form", f"This record has {len(steps) - 1} moves; --ply goes from 0 to that.")
    steps = steps[: None if ply is None else ply + 1]
    if step:
        show([found._asdict() for found in steps], steps_text(steps), as_json=as_json)
    else:
        show(steps[-1]._asdict(), step_text(steps[-1]), as_json=as_json)


@game.command()
@click.argument("game_id")
@reason
@as_json
def reinstate(game_id: str, reason: str, as_json: bool) -> None:
    """Reinstate a game that ended by something else than play, while its result is provisional."""
    from server.application.operator import remedies  # noqa: PLC0415 start-up time

    with writing():
        facts = _standing((taken_up := remedies.reinstate(game_id, reason)).id)
        name = taken_up.name
    show(facts, f"{name} goes on; the deadline is {facts['due_at'] or 'not set'}.", as_json=as_json)


@game.command()
@click.argument("game_id")
@reason
@as_json
def end(game_id: str, reason: str, as_json: bool) -> None:
    """End a running game without a winner, or close one that has not begun; everybody in it gets a mail.

    The result of a running game is provisional for as long as the game's clock says. A game that `blackticket doctor`
    calls broken can be ended in any case; one beyond repair is over for good.
    """
    from server.application.operator import remedies  # noqa: PLC0415 start-up time

    with writing():
        facts = _standing((ended := remedies.close(game_id, reason)).id)
        name = ended.name
    show(facts, f"{name} is over without a winner, and final at {facts['final_at'] or 'once'}.", as_json=as_json)


@game.command()
@click.argument("game_id")
@reason
@as_json
def repair(game_id: str, reason: str, as_json: bool) -> None:
    """Rebuild the rows of a game that `blackticket doctor` calls broken, around its moves and public events.

    The player to move gets their whole time again. A game whose moves or events are not sound is refused.
    """
    from server.application.integrity import repairs  # noqa: PLC0415 start-up time

    with writing():
        facts = _standing((mended := repairs.repair(game_id, reason)).id)
        name = mended.name
    told = f"{name} is repaired, and {facts['status']}"
    show(facts, f"{told}; the deadline is {facts['due_at']}." if facts["due_at"] else f"{told}.", as_json=as_json)


@game.command()
@click.argument("game_id")
@click.argument("seat", type=int)
@reason
@as_json
def host(game_id: str, seat: int, reason: str, as_json: bool) -> None:
    """Make the player of a seat the host of the game, if the host is gone."""
    from server.application.lobby import hosting  # noqa: PLC0415 start-up time

    with writing():
        facts = _standing((handed_over := hosting.appoint(game_id, seat, reason)).id)
        name = handed_over.name
    show(facts, f"The player of seat {seat} is now the host of {name}.", as_json=as_json)


@game.command()
@click.argument("player")
@click.option("--as", "role", type=click.Choice(["mr_x", "detective"]), default="detective", show_default=True)
@click.option("--edition", default=USUAL, show_default=True)
@click.option("--players", type=click.IntRange(2, 6), help="How many; the most the edition allows, if left out.")
@click.option("--level", type=click.Choice(bots.LEVELS), default=bots.FIRST, show_default=True, help="Of the bots.")
@click.option("--option", "options", metavar="NAME=VALUE", multiple=True, help="Of the edition; the value is JSON.")
@as_json
def practice(
    player: str,
    role: str,
    edition: str,
    players: int | None,
    level: str,
    options: tuple[str, ...],
    as_json: bool,
) -> None:
    """Start a game of one player, named by id or mail address, with bots on all other seats."""
    from server.application.game import projection  # noqa: PLC0415 start-up time
    from server.application.game.look import look_at_any  # noqa: PLC0415
    from server.application.lobby import opening  # noqa: PLC0415
    from server.application.people.players import named  # noqa: PLC0415

    with writing():
        chosen = dict(map(lobby.option, options))
        begun = opening.practice(
            named(player), role, lobby.edition_named(edition), players, level=level, options=chosen
        )
        facts = projection.summary(look_at_any(begun.id))
        name = begun.name
    sentence = f"{name} ({facts['id']}) has begun. Answer the turn mail, or play here: {program()} play {name}"
    show(facts, sentence, as_json=as_json)


@game.command()
@click.argument("game_id")
@click.argument("seat", type=int)
@click.argument("player")
@reason
@as_json
def substitute(game_id: str, seat: int, player: str, reason: str, as_json: bool) -> None:
    """Give a seat of a running game to another player, named by id or mail address.

    Reply addresses, queued moves and mails of the old player are no longer valid; the new one gets a full turn.
    """
    from server.application.people import players  # noqa: PLC0415 start-up time
    from server.application.play import substitution  # noqa: PLC0415

    with writing():
        newcomer = players.named(player)
        handed_on = substitution.substitute(game_id, seat, newcomer, reason)
        facts, told = _standing(handed_on.id), f"Seat {seat} of {handed_on.name} is {newcomer.name}'s from now on."
    show(facts, told, as_json=as_json)


def _standing(game_id: str) -> dict[str, object]:
    """Return the state of a game after an act of the operator, which is event number `event`."""
    from server.application.game.look import look_at_any  # noqa: PLC0415 start-up time
    from server.durations import rfc3339  # noqa: PLC0415

    game = look_at_any(game_id)
    return {
        "id": game.id,
        "status": game.status,
        "host": game.host_id,
        "event": game.events,
        "due_at": rfc3339(game.due_at) if game.status == "running" else None,
        "final_at": rfc3339(game.final_at),
    }


@game.command()
@click.argument("game_id")
@reason
@click.option("--mail", "mail_id", metavar="ID", help="Look at one mail of the game instead; the lists name them.")
@as_json
def unseal(game_id: str, reason: str, mail_id: str | None, as_json: bool) -> None:
    """Unseal a game: show its record as Mr. X sees it, before the result is final.

    The sealed log of the game notes at once that you did and why, and every player gets a mail about it.
    """
    from server.application.operator import unsealing  # noqa: PLC0415 start-up time

    with writing():
        found = unsealing.unseal(game_id, reason, mail_id)
    show(found, _opened(found), as_json=as_json)


def _opened(found: Unsealed) -> str:
    """Return an unsealed record or mail as text for a person."""
    from server.cli.output import legible, moves_text, step_text  # noqa: PLC0415
    from server.cli.replay import walk  # noqa: PLC0415 start-up time

    if "content" in found:
        return legible(found["content"])
    steps = walk(found["record"])
    return f"{step_text(steps[-1])}\n\n{moves_text(steps)}"


@click.command()
@click.option("--seed", type=int, help="Settle the players' choices; the deal is always the server's own.")
def demo(seed: int | None) -> None:
    """Play a whole game on a server of its own: three by mail, three by REST, one asleep for a deadline."""
    from blackticket.demo import play  # noqa: PLC0415 start-up time

    play(seed)
