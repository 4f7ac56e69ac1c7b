"""Mail frequency: the choices of how much mail a player gets, and the one that holds for a game.

A choice is a line of words, the same by REST, by mail and in the database:

usual           a mail on each turn of the player's, and what else is meant for them
moves           the same, and a mail for every move
daily 18:00     mails are held and come as one digest a day, at this time in the player's zone
reminders       only what has a deadline
off             no mail
"""

import re
from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

from server.clock.local import instant
from server.models import MailWish, Player, session
from server.vocabulary.errors import Problem, refusal
from server.vocabulary.translation import gettext

USUAL, MOVES, DAILY, REMINDERS, OFF = "usual", "moves", "daily", "reminders", "off"
INHERIT = "inherit"  # of one game: as in all others
_WORDS = {
    "usual": USUAL, "moves": MOVES, "every move": MOVES, "reminders": REMINDERS, "reminders only": REMINDERS,
    "off": OFF,
    "all": USUAL,  # mails written before there was a choice offer it
}  # fmt: skip
_DAILY = re.compile(r"daily (?:at )?(\d\d?):(\d\d)")


def read(text: str) -> str:
    """Return the choice that `text` means, as it is stored.

    Raises:
        Problem: `form` when it is none.
    """
    words = " ".join(text.lower().split())
    choice = _WORDS.get(words) or _daily(words)
    if choice is None:
        raise refusal("form", "choose one of usual, moves, daily 18:00, reminders or off.", field="mail")
    return choice


def read_of_game(text: str) -> str:
    """Return the choice that `text` means for one game, where `inherit` is a choice as well."""
    if text.strip().lower() == INHERIT:
        return INHERIT
    try:
        return read(text)
    except Problem:
        sentence = gettext(
            "choose one of usual, moves, daily 18:00, reminders or off; or inherit, which is as in all your games."
        )
        raise Problem("form", sentence, field="mail") from None


def _daily(words: str) -> str | None:
    match = _DAILY.fullmatch(words)
    if match is None or int(match[1]) > 23 or int(match[2]) > 59:
        return None
    return f"{DAILY} {int(match[1]):02}:{match[2]}"


def is_daily(mail: str) -> bool:
    """Return True if mails are held back by this choice, to come as one digest a day."""
    return mail.startswith(DAILY)


def next_digest(mail: str, zone: str, at: datetime) -> datetime:
    """Return when a mail of `at` is due in a digest, by a choice such as `daily 18:00`.

    A digest comes once on every day of the calendar. A time that summer time leaves out is the first instant
    after it; of a time that comes twice it is the second.
    """
    hour, place = time.fromisoformat(mail.removeprefix(DAILY).strip()), ZoneInfo(zone)
    today = at.astimezone(place).date()
    days = (today + timedelta(days=ahead) for ahead in range(3))
    return next(come for day in days if (come := instant(datetime.combine(day, hour), place)) > at)


def frequency_of(player: Player, game_id: str | None) -> str:
    """Return the choice that holds for `player` in a game, or for mail about no game."""
    wish = session.get(MailWish, (player.id, game_id)) if game_id else None
    return wish.mail if wish else player.mail


def hear_again(game_id: str, player_id: str) -> None:
    """Drop the choice of no mail for a game in which the player takes a seat."""
    wish = session.get(MailWish, (player_id, game_id))
    if wish is not None and wish.mail == OFF:
        session.delete(wish)
