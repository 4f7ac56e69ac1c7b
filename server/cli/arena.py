"""`blackticket arena`: games between any two players, without a server and a database."""

import click

from server.bots import arena as games_of
from server.cli.terminal import Shown
from server.engine import Edition


def arena(detectives: str, mr_x: str, edition: str, people: int, games: int, seed: int) -> Shown:
    try:
        Edition.named(edition).seats(people)
        hunters, hunted = games_of.player(detectives, "detective"), games_of.player(mr_x, "mr_x")
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    score = games_of.match(edition, people, range(seed, seed + games), hunters, hunted)
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
        if not score.thought[side]:  # it never had to
            continue
        mean, most = games_of.times(score.thought[side])
        facts[f"{side}_ms"] = {"mean": round(mean, 2), "most": round(most, 2)}
        told += f"\n{named} thought {mean:.1f} ms about a move, and in 999 of 1000 cases no longer than {most:.0f} ms."
    return facts, told
