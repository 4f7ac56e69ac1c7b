"""The choices of how much mail a player gets, in words."""

from typing import NamedTuple

from server.application.mail.mail_frequency import DAILY, INHERIT, MOVES, OFF, REMINDERS, USUAL


class Frequency(NamedTuple):
    """A choice in words: its title, and what it means."""

    title: str
    meaning: str


FREQUENCIES = {
    USUAL: Frequency(
        "The usual mails",
        "A mail when it is your turn, when a deadline is near, and when something in the game concerns you.",
    ),
    MOVES: Frequency("Every move", "The same, and a mail for every move that anybody makes."),
    DAILY: Frequency("Once a day", "One mail a day, with all that happened since the last one."),
    REMINDERS: Frequency(
        "Reminders only",
        "A mail when a deadline of yours is near, and when you are asked something: a vote, an invitation.",
    ),
    OFF: Frequency("No mail", "Look here, or ask with a program. Codes to sign in with still come."),
}


def frequency_in_words(choice: str) -> str:
    """Return a choice of `server.application.mail.mail_frequency`: `once a day, at 18:00`."""
    kind, _, value = choice.partition(" ")
    if kind == INHERIT:
        return "as in all games"
    return FREQUENCIES[kind].title.lower() + (f", at {value}" if value else "")
