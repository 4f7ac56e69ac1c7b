"""The end of a game in words: who has won, when it was closest, and among how many stations Mr. X hid."""

from server.application.game import projection
from server.application.game.ending import BestHidden, Closest
from server.house_rules.standing import Standing
from server.wording import situation
from server.wording.words import count, join, pawn_name


def headline(game: Standing) -> str:
    """Return the name of a game with who has won, and why."""
    return f"{game.name}. {result(game)}"


def result(game: Standing) -> str:
    """Return who has won, and why."""
    outcome = projection.outcome(game)
    return situation.result(outcome) if outcome else ""


def closest(moment: Closest) -> str:
    """Return the sentence on the moment at which a detective was closest to Mr. X."""
    by = f"one ride by {join(moment.lines, 'or')}" if moment.rides == 1 else count(moment.rides, "ride")
    he_was = (
        "and everybody knew where he was" if moment.stations == 1 else f"who could be on {moment.stations} stations"
    )
    return f"It was closest in round {moment.round}: {pawn_name(moment.pawn)} stood {by} from Mr. X, {he_was}."


def left_out(round_: int) -> str:
    """Return the sentence for a player who could move no pawn after a round, and for whom the game went on."""
    if not round_:
        return "You could never move, and the game went on without you."
    return f"You could not move any more after round {round_}, and the game went on without you."


def hidden(moment: BestHidden) -> str:
    """Return the sentence on the moment at which Mr. X was hidden best."""
    if moment.stations == 1:
        return "Mr. X could never hide: everybody knew at all times where he was."
    return f"He was hidden best in round {moment.round}: among {moment.stations} stations."
