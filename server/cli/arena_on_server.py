"""Games of the arena on a server: a player here, by REST like any program, against the bots there."""

import random
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, cast

from blackticket.standalone.client import Client
from server import bots
from server.bots.arena import BOT_OF, Choose, Score, UnknownPlayer
from server.engine import BoardView, Edition, Move


class Opponents(NamedTuple):
    """The bots of a level on a server, in games that a player with a token opens there."""

    level: str
    client: Client


def level_and_url(named: str) -> tuple[str, str] | None:
    """Return the level and the URL in `good@http://127.0.0.1:8000`; None for a player who plays here.

    Raises:
        UnknownPlayer: bots have no such level.
    """
    level, _, url = named.partition("@")
    if "://" not in url:
        return None
    if level not in bots.LEVELS:
        raise UnknownPlayer(f"Bots have no level {level!r}; the levels are {', '.join(bots.LEVELS)}.")
    return level, url


def check_people(edition: str, people: int, role: str) -> None:
    """Raise ValueError if among so many people one player does not have all pawns of a role."""
    Edition.named(edition).seats(people)
    if role == "detective" and people > 2:
        raise ValueError("On a server one player moves all your detectives: try --edition condensed --people 2.")


def match(
    edition: str, people: int, seeds: Sequence[int], role: str, choose: Choose, there: Opponents,
    sleep: Callable[[float], object] = time.sleep,
) -> Score:  # fmt: skip
    """Play a practice game for each seed, the player here in a role ("detective" or "mr_x").

    Raises:
        ValueError: see `check_people`.
        blackticket.standalone.client.Problem: the server refuses something, or does not answer.
    """
    check_people(edition, people, role)
    roles = ["mr_x", *["detective"] * (people - 1)]
    score = Score()
    me = {"player": there.client.me()["id"]}
    for seed in seeds:
        seats = [_seat(each, me if each == role else None, there) for each in roles]
        game = there.client.open_game(edition, seats=seats, seed=str(seed), clock={"kind": "none"})
        rng = random.Random(f"{seed} {role}")  # noqa: S311 no secret
        outcome = _played(there.client, there.client.start(game["id"])["id"], choose, rng, score.thought[role], sleep)
        score.games += 1
        score.detectives += outcome["winner"] == "detectives"
        score.mr_x += outcome["winner"] == "mr_x"
    return score


def _seat(role: str, me: Mapping[str, object] | None, there: Opponents) -> dict[str, object]:
    return {"role": role, **(me or {"bot": BOT_OF[role], "level": there.level})}


def _played(
    client: Client, game_id: str, choose: Choose, rng: random.Random, thought: list[float],
    sleep: Callable[[float], object],
) -> Any:  # fmt: skip
    """Play a game to its end, and return the outcome."""
    seen = None
    while (game := client.game(game_id))["outcome"] is None:
        legal = client.legal_moves(game_id)
        moves = [Move.parse(move["notation"]) for move in legal["moves"] if move["pawn"] in game["to_move"][:1]]
        if moves:
            began = time.process_time()
            move = choose(cast("BoardView", game), moves, rng)
            thought.append(1000 * (time.process_time() - began))
            client.move(game_id, legal["turn"], str(move))
            continue
        news = client.wait_for_events(seen)
        seen = news["next"] if news else seen
        if not news and client.ask_again_after:  # this server answers at once
            sleep(client.ask_again_after)
    return game["outcome"]
