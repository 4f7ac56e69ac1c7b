"""The length of a game, in a sentence."""

from datetime import timedelta

from server.vocabulary.durations import DAY, say_duration
from server.vocabulary.translation import gettext

HOUR = timedelta(hours=1)


def pace_in_words(a_round: timedelta | None, the_game: timedelta | None, is_average: bool = False) -> str:
    """Return how long a round and the whole game take, where the clock limits them."""
    if the_game is None:
        return gettext("A round takes as long as the players like.")
    if a_round is None:
        return gettext(
            "If everybody takes their whole time, the whole game takes at most {game}.", game=_said(the_game)
        )
    length = gettext("about {length}", length=_average(a_round)) if is_average else _said(a_round)
    return gettext(
        "If everybody takes their whole time, a round takes {round}, and the whole game takes at most {game}.",
        round=length, game=_said(the_game),
    )  # fmt: skip


def pace_in_brief(a_round: timedelta | None, the_game: timedelta | None, is_average: bool = False) -> str:
    """Return the same in a few words, for a list: `a round takes 4 days at most`."""
    if the_game is None:
        return gettext("no deadlines")
    if a_round is None:
        return gettext("the whole game takes {game} at most", game=_said(the_game))
    if is_average:
        return gettext("a round takes about {round}", round=_average(a_round))
    return gettext("a round takes {round} at most", round=_said(a_round))


def _average(length: timedelta) -> str:
    """Return the average length of a round, in whole days if it has several."""
    return say_duration(round(length / DAY) * DAY) if length >= 2 * DAY else _said(length)


def _said(length: timedelta) -> str:
    """Return a length, in whole hours or, if it is long, in whole days."""
    step = DAY if length >= 10 * DAY else HOUR if length >= HOUR else timedelta(minutes=1)
    return say_duration(round(length / step) * step)
