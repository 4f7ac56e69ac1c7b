"""The rules of Scotland Yard as a library: no I/O, no clock, no source of randomness.

See docs/engine.md for a tour, and docs/rules.md for the source of each rule.
"""

from server.engine.board import Board, PlainBoard
from server.engine.deduction import deduce, deduce_after
from server.engine.edition import USUAL, Edition
from server.engine.errors import (
    EngineError,
    Illegal,
    MoveError,
    OptionError,
    OutOfTurn,
    PositionError,
    RecordError,
    Unreadable,
)
from server.engine.events import Ended, Event, Moved, Outcome, PassedOver, Surfaced, TicketsTaken, Window
from server.engine.game import Game
from server.engine.move import DETECTIVES, PAWNS, Leg, Move, PlainMove
from server.engine.options import Options, last_round
from server.engine.perft import perft
from server.engine.position import PlainPosition, Sighting, check_members
from server.engine.record import ENGINE_VERSION, Record
from server.engine.view import BoardView, LogEntry, ShownPawn, View, windows_used
