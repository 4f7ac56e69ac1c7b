"""The choices of how much mail a player gets, in words."""

from typing import NamedTuple

from server.application.mail.mail_frequency import DAILY, INHERIT, MOVES, OFF, REMINDERS, USUAL
from server.vocabulary.translation import gettext, pgettext


class Frequency(NamedTuple):
    """A choice in English: its title, what it means, and its name within a sentence."""

    title: str
    meaning: str
    name: str


FREQUENCIES = {
    USUAL: Frequency(
        "The usual mails",
        "A mail when it is your turn, when a deadline is near, and when something in the game concerns you.",
        "the usual mails"),
    MOVES: Frequency("Every move", "The same, and a mail for every move that anybody makes.", "every move"),
    DAILY: Frequency("Once a day", "One mail a day, with all that happened since the last one.", "once a day"),
    REMINDERS: Frequency(
        "Reminders only",
        "A mail when a deadline of yours is near, and when you are asked something: a vote, an invitation.",
        "reminders only"),
    OFF: Frequency("No mail", "Look here, or ask with a program. Codes to sign in with still come.", "no mail"),
}  # fmt: skip


def frequency_in_words(choice: str) -> str:
    """Return a choice of `server.application.mail.mail_frequency`: `once a day, at 18:00`."""
    kind, _, value = choice.partition(" ")
    if kind == INHERIT:
        return gettext("as in all games")
    name = pgettext("how much mail", FREQUENCIES[kind].name)
    return gettext("{choice}, at {time}", choice=name, time=value) if value else name
