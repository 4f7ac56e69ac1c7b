"""`blackticket arena`: games between any two players, without a server and a database."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from server.cli.context import as_json, show
from server.cli.play import connected
from server.engine import USUAL, Edition

if TYPE_CHECKING:
    from collections.abc import Callable

    from server.bots.arena import Score

TRIES = 6  # a program waits as long as a server asks


@click.command()
@click.argument("detectives")
@click.argument("mr_x")
@click.option("--edition", type=click.Choice(Edition.names()), default=USUAL, show_default=True)
@click.option("--people", type=click.IntRange(2, 6), default=6, show_default=True, help="Mr. X included.")
@click.option("--games", type=click.IntRange(1), default=20, show_default=True)
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="Of the first game.")
@click.option("--token", envvar="BLACKTICKET_TOKEN", help="Yours on a server, with the scopes read, play and host.")
@as_json
def arena(
    detectives: str, mr_x: str, edition: str, people: int, games: int, seed: int, token: str | None, as_json: bool
) -> None:
    """Let DETECTIVES and MR_X play games against each other, and tell how often each wins and how long they think.

    Each is a level of the bots (easy, fair, good), `chance`, or a function of yours in a file: my_bot.py:choose. It
    gets the view of the game, the legal moves and a random generator, and returns one of the moves.

    One of them may be the bots of a server, as good@http://127.0.0.1:8000: the other side then plays practice games
    there through the API. Better set BLACKTICKET_TOKEN: other users of your machine can see options.
    """
    from server.bots import arena as games_of  # noqa: PLC0415 start-up time

    try:
        Edition.named(edition).seats(people)
        sides = {"detective": detectives, "mr_x": mr_x}
        played = _prepared(sides, edition, people, range(seed, seed + games), token)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    score = played()
    share = score.detectives / score.games
    low, high = games_of.wilson(score.detectives, score.games)
    facts: dict[str, object] = {
        "detectives": detectives, "mr_x": mr_x, "edition": edition, "people": people, "seed": seed,
        "games": score.games, "detectives_won": score.detectives, "mr_x_won": score.mr_x,
        "detectives_share": round(share, 3), "interval": [round(low, 3), round(high, 3)],
    }  # fmt: skip
    told = (
        f"The detectives ({detectives}) won {score.detectives} of {score.games} games against Mr. X ({mr_x}): "
        f"{share:.0%}, with 95 % certainty between {low:.0%} and {high:.0%} of many."
    )
    for side, named in (("detective", "A detective"), ("mr_x", "Mr. X")):
        if not score.thought[side]:  # it thought on the server, or never had to
            continue
        mean, most = games_of.times(score.thought[side])
        facts[f"{side}_ms"] = {"mean": round(mean, 2), "most": round(most, 2)}
        told += f"\n{named} thought {mean:.1f} ms about a move, and in 999 of 1000 cases no longer than {most:.0f} ms."
    show(facts, told, as_json=as_json)


def _prepared(named: dict[str, str], edition: str, people: int, seeds: range, token: str | None) -> Callable[[], Score]:
    """Return what plays the games, here or on the server that a side names.

    Raises:
        ValueError: there is no such player, or these two cannot play.
    """
    from server.bots import arena  # noqa: PLC0415 start-up time
    from server.cli import arena_on_server  # noqa: PLC0415

    there = {role: found for role, name in named.items() if (found := arena_on_server.level_and_url(name))}
    here = {role: arena.player(name, role) for role, name in named.items() if role not in there}
    if not there:
        return lambda: arena.match(edition, people, seeds, here["detective"], here["mr_x"])
    if not here:
        raise ValueError("Only one of the two can play on a server.")
    ((level, url),) = there.values()
    ((role, choose),) = here.items()
    arena_on_server.check_people(edition, people, role)

    def play_there() -> Score:
        with connected(url, token, "It stands behind the @.", tries=TRIES) as client:
            opponents = arena_on_server.Opponents(level, client)
            return arena_on_server.match(edition, people, seeds, role, choose, opponents)

    return play_there
