"""The settings in force, as an operator may read them on a page: no secret among them."""

from datetime import timedelta

from server.settings import READERS, SECRETS, Settings
from server.settings.kinds import Rate
from server.vocabulary.durations import format_duration


def in_force(settings: Settings) -> list[tuple[str, str]]:
    """Return the name and the value of each setting; of a secret only whether it is set."""
    return [(name, _value(name, getattr(settings, name.lower()))) for name in READERS]


def _value(name: str, value: object) -> str:
    if value is None or value == ():
        return "not set"
    return "set, and not shown" if name in SECRETS else _plain(value)


def _plain(value: object) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case tuple():
            return ", ".join(map(str, value))
        case timedelta():
            return format_duration(value)
        case Rate():
            return f"{value.most}/{format_duration(value.window)}"
    return str(value)
