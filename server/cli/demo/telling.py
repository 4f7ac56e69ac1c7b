"""What is shown on the terminal: a line for Mr. X and a row for the detectives in each round."""

from collections.abc import Mapping, Sequence
from typing import Any

import click

from server.cli.demo.people import Person, Sent

INDENT = 4
COLUMN = 17


def name_of(pawn: str) -> str:
    """`Red`, or `Mr. X`."""
    return "Mr. X" if pawn == "mr_x" else pawn.capitalize()


def say(sentence: str = "", *, bold: bool = False) -> None:
    """A line of its own."""
    click.secho(sentence, bold=bold)


def explain(text: str) -> None:
    """A paragraph."""
    click.echo(click.wrap_text(text, 80))


def introduce(person: Person) -> None:
    """Say who somebody is."""
    say(f"  {person.name:<5} {name_of(person.pawn):<7} plays by {person.channel} only")


class Teller:
    """Tells a game move by move, in the order in which they were played, each as soon as it is clear who made it."""

    def __init__(self, people: Sequence[Person]) -> None:
        self._mr_x, *self._detectives = people
        self._told = 0  # moves
        self._windows = 0
        self._round = 0
        self._width = 0  # of the row that is being written
        # Moves that are known to be the house's, in notation, and the pawns of which this was told.
        self.house_moves: set[str] = set()
        self._told_of_house: set[str] = set()
        self.late: list[str] = []

    def head(self) -> None:
        """The names above the columns."""
        say()
        columns = [f"{name_of(person.pawn)} ({person.channel})" for person in self._detectives]
        say((" " * INDENT + "".join(f"{column:<{COLUMN}}" for column in columns)).rstrip(), bold=True)

    def tell(self, view: Mapping[str, Any], *, to_the_end: bool = False) -> bool:
        """Tell what is new in a detective's view, as far as it is clear who made which move, or all of it.

        Whether all of it is told.
        """
        for notation in view["history"][self._told :]:
            person = self._who(notation)
            if person is self._mr_x:
                self._tell_mr_x(view, notation)
            elif sent := person.take_sent(notation):
                self._tell_detective(person, sent)
            elif notation in self.house_moves - self._told_of_house:
                self._tell_house(person, notation)
            elif to_the_end:
                self._tell_detective(person, Sent(notation, ahead=False))
            else:
                return False  # the answer to his mail is still on its way
            self._told += 1
        if to_the_end:
            self.end_row()
        return True

    def note(self, sentence: str) -> None:
        """A line between the rows."""
        self.end_row()
        say(f"{'':{INDENT}}{sentence}")

    def end_row(self) -> None:
        """Finish the row that is being written."""
        if self._width:
            say()
        self._width = 0

    def _who(self, notation: str) -> Person:
        first_word = notation.split(maxsplit=1)[0]
        return next((person for person in self._detectives if person.pawn == first_word), self._mr_x)

    def _tell_mr_x(self, view: Mapping[str, Any], notation: str) -> None:
        self.end_row()
        self._round += 1
        # From the log, which keeps what was hidden from the others hidden after the end too.
        count = 2 if notation.startswith("double") else 1
        trips = [_trip(entry) for entry in view["log"][self._windows : self._windows + count]]
        self._windows += count
        how = f"made a double move: {trips[0]}, then {trips[-1]}" if count == 2 else f"took {trips[0]}"
        say(f"{self._round:>{INDENT - 1}} Mr. X ({self._mr_x.channel}) {how}", bold=True)

    def _tell_detective(self, person: Person, sent: Sent) -> None:
        trip = sent.notation.removeprefix(f"{person.pawn} ") + "+" * sent.ahead
        column = INDENT + COLUMN * self._detectives.index(person)
        click.echo(" " * (column - self._width) + trip, nl=False)
        self._width = column + len(trip)

    def _tell_house(self, person: Person, notation: str) -> None:
        self.late.append(person.pawn)
        # Mails repeat it, and the same move a player makes himself later on is his own.
        self._told_of_house.add(notation)
        _, ticket, station = notation.split()
        self.note(f"The deadline has passed: the house moved {name_of(person.pawn)} by {ticket} to {station}.")


def _trip(entry: Mapping[str, Any]) -> str:
    ticket = {"bus": "a bus", "taxi": "a taxi", "black": "a black ticket"}.get(entry["ticket"], "the underground")
    return f"{ticket} and showed himself at {entry['station']}" if entry.get("surfaced") else ticket
