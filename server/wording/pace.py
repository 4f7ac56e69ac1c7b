"""The length of a game, in a sentence."""

from datetime import timedelta

from server.vocabulary.durations import DAY, say_duration

HOUR = timedelta(hours=1)


def pace_in_words(a_round: timedelta | None, the_game: timedelta | None, is_average: bool = False) -> str:
    """Return how long a round and the whole game take, where the clock limits them."""
    if the_game is None:
        return "A round takes as long as the players like."
    whole = f"the whole game takes at most {_said(the_game)}"
    if a_round is None:
        return f"If everybody takes their whole time, {whole}."
    return f"If everybody takes their whole time, a round takes {_of_round(a_round, is_average)}, and {whole}."


def pace_in_brief(a_round: timedelta | None, the_game: timedelta | None, is_average: bool = False) -> str:
    """Return the same in a few words, for a list: `a round takes 4 days at most`."""
    if the_game is None:
        return "no deadlines"
    if a_round is None:
        return f"the whole game takes {_said(the_game)} at most"
    return f"a round takes {_of_round(a_round, is_average)}" + (" at most" if not is_average else "")


def _of_round(length: timedelta, is_average: bool) -> str:
    """Return the length of a round; of one that is an average, `about` and whole days if it has several."""
    if not is_average:
        return _said(length)
    return f"about {say_duration(round(length / DAY) * DAY) if length >= 2 * DAY else _said(length)}"


def _said(length: timedelta) -> str:
    """Return a length, in whole hours or, if it is long, in whole days."""
    step = DAY if length >= 10 * DAY else HOUR if length >= HOUR else timedelta(minutes=1)
    return say_duration(round(length / step) * step)
