"""The output on the terminal: a line for Mr. X and a row for the detectives in each round."""

from collections.abc import Mapping, Sequence
from typing import Any

import click

from blackticket.demo.people import Person, Sent
from server.vocabulary.words import pawn_name

INDENT = 4
COLUMN = 17


def say(sentence: str = "", *, bold: bool = False) -> None:
    """Print a line."""
    click.secho(sentence, bold=bold)


def explain(text: str) -> None:
    """Print a paragraph."""
    click.echo(click.wrap_text(text, 80))


def introduce(person: Person) -> None:
    """Print who somebody is."""
    say(f"  {person.name:<5} {pawn_name(person.pawn):<7} plays by {person.channel} only")


class Teller:
    """The output of a game, move by move in their order, each as soon as it is clear who made it."""

    def __init__(self, people: Sequence[Person]) -> None:
        self._mr_x, *self._detectives = people
        self._told = 0  # moves
        self._windows = 0
        self._round = 0
        self._width = 0  # of the row that is being written
        # Moves that the server is known to have made, in notation, and those of them that were printed.
        self.server_moves: set[str] = set()
        self._told_of_server: set[str] = set()
        self.late: list[str] = []

    def head(self) -> None:
        """Print the names above the columns."""
        say()
        columns = [f"{pawn_name(person.pawn)} ({person.channel})" for person in self._detectives]
        say((" " * INDENT + "".join(f"{column:<{COLUMN}}" for column in columns)).rstrip(), bold=True)

    def tell(self, view: Mapping[str, Any], *, to_the_end: bool = False) -> bool:
        """Print the new moves of a detective's view, up to one whose maker is not clear yet, or all of them.

        Return whether all of them are printed.
        """
        for notation in view["history"][self._told :]:
            person = self._who(notation)
            if person is self._mr_x:
                self._tell_mr_x(view, notation)
            elif sent := person.take_sent(notation):
                self._tell_detective(person, sent)
            elif notation in self.server_moves - self._told_of_server:
                self._tell_server(person, notation)
            elif to_the_end:
                self._tell_detective(person, Sent(notation, ahead=False))
            else:
                return False  # the answer to their mail is still on its way
            self._told += 1
        if to_the_end:
            self.end_row()
        return True

    def note(self, sentence: str) -> None:
        """Print a line between the rows."""
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
        # From the log, in which hidden stations stay hidden after the end too.
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

    def _tell_server(self, person: Person, notation: str) -> None:
        self.late.append(person.pawn)
        # Mails repeat it, and the player may make the same move later.
        self._told_of_server.add(notation)
        _, ticket, station = notation.split()
        self.note(f"The deadline has passed: the server moved {pawn_name(person.pawn)} by {ticket} to {station}.")


def _trip(entry: Mapping[str, Any]) -> str:
    ticket = {"bus": "a bus", "taxi": "a taxi", "black": "a black ticket"}.get(entry["ticket"], "the underground")
    return f"{ticket} and showed himself at {entry['station']}" if entry.get("surfaced") else ticket
