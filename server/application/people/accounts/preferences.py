"""Preferences of a player: what they are, changing them, and what follows from that."""

from collections.abc import Callable

from server.application.game.deciding import Decided, use_case
from server.application.mail import digest_watermark, mail_choices, mail_frequency
from server.application.people.players import check_night, check_zone
from server.application.play.absences import lock_with_games, update_deadlines
from server.models import Player, session
from server.runtime import runtime
from server.vocabulary.errors import refusal
from server.vocabulary.preferences import BY_NAME, OFF, ON, PREFERENCES, Preference
from server.vocabulary.words import either, typed

# What reads the value of a preference that has no choices, as it is stored; each raises `Problem` form.
READERS: dict[str, Callable[[str], str | None]] = {
    "zone": check_zone, "mail": mail_frequency.read, "night": check_night,
}  # fmt: skip
_WORDS = {True: ON, False: OFF, None: OFF}


def preferences_of(player: Player) -> dict[str, str]:
    """Return the value of each preference, by its name."""
    stored = {row.name: getattr(player, row.column) for row in PREFERENCES}
    return {name: value if isinstance(value, str) else _WORDS[value] for name, value in stored.items()}


@use_case
def change_preferences(player_id: str, **wanted: str) -> Decided[Player]:
    """Change those preferences that are given; raise `Problem` form if a value is not valid.

    Deadlines under way that fall into the new night move to its end. One that waited for the old night comes back.
    """
    new = {row.name: _read(row, wanted[row.name]) for row in PREFERENCES if row.name in wanted}

    def write() -> Player:
        player = lock_with_games(player_id)
        slept = player.night, player.zone
        for name in new.keys() - {"mail"}:
            setattr(player, BY_NAME[name].column, new[name])
        if (player.night, player.zone) != slept:
            session.flush()
            update_deadlines(player)
            digest_watermark.release(player_id)
        if "mail" in new:
            mail_choices.choose(player_id, str(new["mail"]))
        return player

    return Decided(write)


def reset(player: Player) -> None:
    """Give every preference its default, of a player who leaves."""
    for row in PREFERENCES:
        setattr(player, row.column, _read(row, row.default))


def offered(player: Player) -> list[Preference]:
    """Return the preferences with choices, without those that this server refuses and the player has not."""
    has_pages, own = runtime().settings.public_url is not None, preferences_of(player)
    return [
        row
        for row in PREFERENCES
        if row.choices and (has_pages or not row.without_pages or own[row.name] != row.default)
    ]


def in_words(player: Player) -> list[str]:
    """Return a sentence for each preference of which the answer to a mail says something."""
    own = preferences_of(player)
    rows = sorted(PREFERENCES, key=lambda row: row.is_told_last)
    return [sentence for row in rows if (sentence := row.in_words(own[row.name]))]


def check(name: str, value: str) -> None:
    """Raise `Problem` form if a preference cannot have this value."""
    _read(BY_NAME[name], value)


def _read(row: Preference, value: str) -> str | bool | None:
    """Return a value as it is stored."""
    if not row.choices:
        return READERS[row.name](value)
    if value not in row.values:
        raise refusal("form", "choose {choices}.", choices=either(map(typed, row.offered)), field=row.name)
    if row.without_pages and value != row.default and runtime().settings.public_url is None:
        raise refusal("form", row.without_pages, field=row.name)
    return value == ON if row.values == [ON, OFF] else value
