"""`blackticket demo`: a whole game on a server of its own, before your eyes.

own_server   starts `blackticket serve` on free ports, with a data folder that is gone afterwards
people       the players: three by mail, three by REST
letters      reading turn mails, and answering them as mail programs do
choices      their choice of moves
stage        the game as it goes, and the detective who sleeps through a deadline
telling      the output on the terminal
"""

import random
import signal
import sys
from types import FrameType
from typing import NoReturn

import click

from blackticket.demo.own_server import DemoFailed, OwnServer
from blackticket.demo.people import arrive
from blackticket.demo.stage import Stage
from blackticket.demo.telling import introduce, say
from blackticket.standalone.client import Problem


def play(seed: int | None) -> None:
    """Play the demo; `seed` settles the players' choices. Exit with 1 and a sentence if something goes wrong."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _leave)
    say("Black Ticket: a whole game on a server of its own", bold=True)
    server = OwnServer()
    try:
        with server:
            _play(server, random.Random(seed))  # noqa: S311 choices of the players, not the server's dice
    except BrokenPipeError:
        raise  # nobody reads the output any more; nothing is wrong with the server
    except (DemoFailed, Problem, OSError) as error:
        sentence = str(error) if isinstance(error, DemoFailed) else f"The demo cannot go on: {error}"
        click.echo(f"\n{sentence}\nThe last lines of the server's log:\n{server.last_lines}", err=True)
        sys.exit(1)


def _play(server: OwnServer, rng: random.Random) -> None:
    say("  REST {}:{}, mail {}:{}".format(*server.http, *server.smtp))
    say(f"  data and log in {server.folder}, removed at the end\n")
    people = []
    for person in arrive(server, rng):
        introduce(person)
        people.append(person)
    say()
    Stage(server, people).play()


def _leave(number: int, _frame: FrameType | None) -> NoReturn:
    """End the demo on a signal as on Ctrl-C: stop the server and remove its data."""
    sys.exit(128 + number)
