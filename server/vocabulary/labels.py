"""The labels of the links and buttons that answer a question by mail: each says what it does, and writes one word."""

YES, NO = "YES", "NO"
LABELS = {
    **dict.fromkeys(("Agree", "Do it", "Join", "Play now", "Resign", "Sit down", "That was me", "Wait for Mr. X"), YES),
    **dict.fromkeys(("Decline", "Don't", "Don't wait", "Keep my seat", "Not me", "Play on"), NO),
}
"""The word that is written by each label."""

_BY_NAME = {label.lower().translate({ord("'"): None, ord("."): None}).replace(" ", "-"): label for label in LABELS}


def name_of(label: str) -> str:
    """Return a label as it stands in the address of its page: "play-now"."""
    return next(name for name, other in _BY_NAME.items() if other == label)


def named(name: str) -> str | None:
    """Return the label whose page has this name; None if there is none."""
    return _BY_NAME.get(name)
