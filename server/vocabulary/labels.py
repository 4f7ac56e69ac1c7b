"""The labels of the links and buttons that answer a mail: each says what it does, and writes a word, a move or talk.

They are English here, where they name pages, and are translated where they are shown.
"""

from server.vocabulary.translation import gettext_noop, pgettext

YES, NO = "YES", "NO"
_YES = gettext_noop(("Agree", "Do it", "Join", "Play now", "Resign", "Sit down", "That was me", "Wait for Mr. X"))
_NO = gettext_noop(("Decline", "Don't", "Don't wait", "Keep my seat", "Not me", "Play on"))
LABELS = {**dict.fromkeys(_YES, YES), **dict.fromkeys(_NO, NO)}
"""The word that is written by each label."""

MOVES = gettext_noop((
    "The first move", "The second move", "The third move", "The fourth move", "The fifth move", "The sixth move",
))  # fmt: skip
"""The labels of the moves between which a question lets choose."""

PASSED_ON = gettext_noop({"team": "Pass it on to the team", "all": "Pass it on to all"})
"""The labels of words that were kept, by their audience."""

AUDIENCES = {label: audience for audience, label in PASSED_ON.items()}

_ALL = (*LABELS, *MOVES, *AUDIENCES)
_BY_NAME = {label.lower().translate({ord("'"): None, ord("."): None}).replace(" ", "-"): label for label in _ALL}


def name_of(label: str) -> str:
    """Return a label as it stands in the address of its page: "play-now"."""
    return next(name for name, other in _BY_NAME.items() if other == label)


def named(name: str) -> str | None:
    """Return the label whose page has this name; None if there is none."""
    return _BY_NAME.get(name)


def spoken(audience: str, text: str) -> str:
    """Return the line of a mail that says a text to the "team" or to "all"."""
    # "all" at the beginning of what is for the team would speak to everybody.
    if audience == "all":
        return pgettext("typed", "SAY ALL {text}", text=text)
    kept = f"… {text}" if text.lower().startswith("all") else text
    return pgettext("typed", "SAY {text}", text=kept)
