"""Games, which are lists of committed moves, with their seats, events, deadlines and motions.

Everything that would tell where Mr. X is lies in encrypted columns.
"""

from datetime import datetime
from typing import Any

from sqlalchemy import (
    JSON,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    String,
    UniqueConstraint,
    event,
    false,
    inspect,
    select,
    text,
)
from sqlalchemy.orm import Mapped, Session, column_property, mapped_column, relationship, validates

from server.clock import StoredStep
from server.engine import Options, PlainPosition
from server.house_rules import standing
from server.house_rules.sealed_log import Header
from server.models.base import Base
from server.models.player import Invitation, Player
from server.models.statements import tally
from server.models.types import Encrypted, UtcTime
from server.runtime import runtime
from server.sealing.commitments import Secrets
from server.vocabulary.clocks import Clock
from server.vocabulary.votes import VoteWish

_IS_UNFINISHED = text("status <> 'over'")
_IS_ARMED = text("state = 'armed'")
_IS_REMATCH, _HAS_ENDED = text("rematch_id IS NOT NULL"), text("ended_at IS NOT NULL")
_IS_FINISHED = text("visibility = 'public' AND status = 'over' AND turn IS NOT NULL")
_IS_JOINABLE = text("visibility = 'public' AND status = 'open' AND free_seats > 0")
_IS_OVER = text("status = 'over'")
_IS_OPEN = text("status = 'open'")
_IS_UNSEALED = text("head IS NULL")
_HAS_LATE = text("status = 'running' AND late_seats > 0")
_IS_BROKEN = text("broken IS NOT NULL")
_IS_RARE, _IS_LATE = text("kind <> 'moved'"), text("by = 'house'")


class Game(Base):
    """A game. `status` is open, running or over; `turn` is the number of the move awaited.

    side, round, due_at: the phase under way and its deadline; the earliest one if each seat has its own, null if there
        is none
    pauses: the times in which no clock of the game ran: begin, end, and the code of the reason
    warned_at: when the players of a game that has not begun were warned that it will be closed
    free_seats, late_seats: how many seats nobody has, and nobody is invited to; and of how many the holder is late;
        kept, so that an index can answer which games have some
    events, happened_at: the number of public events, and the time of the newest
    outages: the number of the newest outage that was made good
    is_contestable: a deadline was missed, or a guest's seat opened by a link, see `server.house_rules.endings`
    log_secrets: the secrets of the sealed log (`key`, `deck`); `header`: the beginning of its chain; `head`: the head
        of the chain. All three are null until the start.
    seed: what deals and draws follow, with the server's secret, if one player alone plays; null for a game of its own
    seating: chosen, lot or rotation
    guests: what people without an address may do here, see `server.house_rules.guest_rules`; null is what is usual
    starts_when_full: whether the game starts as soon as somebody takes its last seat
    rematch_id: the game in which the same people play on
    broken: what is wrong with a game that is closed to moves until the operator has its rows rebuilt, or ends it
    repaired: a number that is raised whenever the rows are rebuilt
    version: changes with every change of the game or of a seat, so a result cached under one version holds as long as
        that version stands. It is random, so that two processes cannot arrive at the same one.
    """

    __tablename__ = "games"
    # All lists of games are in the order of the ids. No index begins with the status: a database might find the running
    # games of a player by it, among those of all.
    __table_args__ = (
        Index("ix_games_label", "label", "id"),
        Index("ix_games_unfinished", "status", "id", sqlite_where=_IS_UNFINISHED),
        Index("ix_games_joinable", "id", sqlite_where=_IS_JOINABLE),
        Index("ix_games_name", "name", "ended_at"),
        Index("ix_games_quiet", "status", "happened_at", sqlite_where=_IS_UNFINISHED),
        Index("ix_games_unstarted", "warned_at", "happened_at", sqlite_where=_IS_OPEN),
        Index("ix_games_late", "visibility", "id", sqlite_where=_HAS_LATE),
        Index("ix_games_rematch", "rematch_id", sqlite_where=_IS_REMATCH),
        Index("ix_games_ended", "ended_at", sqlite_where=_HAS_ENDED),
        Index("ix_games_over", "status", "happened_at", sqlite_where=_IS_OVER),
        Index("ix_games_broken", "id", sqlite_where=_IS_BROKEN),
        Index("ix_games_visibility", "visibility", "id"),
        Index("ix_games_visibility_status", "visibility", "status", "id"),
        Index("ix_games_finished", "final", "ended_at", "id", sqlite_where=_IS_FINISHED),
    )

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    name: Mapped[str] = mapped_column(String(40))
    host_id: Mapped[str] = mapped_column(ForeignKey("players.id"), index=True)
    edition: Mapped[str] = mapped_column(String(40))
    options: Mapped[Options] = mapped_column(JSON)
    clock: Mapped[Clock] = mapped_column(JSON)
    visibility: Mapped[str] = mapped_column(String(8))
    code: Mapped[str] = mapped_column(String(32), unique=True)
    label: Mapped[str | None] = mapped_column(String(80))
    seating: Mapped[str] = mapped_column(String(8), default="chosen")
    guests: Mapped[standing.ChosenForGuests | None] = mapped_column(JSON(none_as_null=True))
    seed: Mapped[str | None] = mapped_column(String(40))
    rematch_id: Mapped[str | None] = mapped_column(ForeignKey("games.id"))
    # With its old value whenever it is set, for the tallies.
    status: Mapped[str] = mapped_column(String(8), default="open", active_history=True)
    position: Mapped[PlainPosition | None] = mapped_column(Encrypted("games.position", 2048), deferred=True)
    free_seats: Mapped[int] = mapped_column(default=0)
    late_seats: Mapped[int] = mapped_column(default=0)
    starts: Mapped[dict[str, int]] = mapped_column(JSON, default=dict)
    mr_x_start: Mapped[int | None] = mapped_column(Encrypted("games.mr_x_start"), deferred=True)
    log_secrets: Mapped[Secrets | None] = mapped_column("seal", Encrypted("games.seal", 1024), deferred=True)
    header: Mapped[Header | None] = mapped_column(JSON(none_as_null=True), deferred=True)
    head: Mapped[str | None] = mapped_column(String(52))
    turn: Mapped[int | None] = mapped_column()
    side: Mapped[str | None] = mapped_column(String(10))
    round: Mapped[int | None] = mapped_column()
    due_at: Mapped[datetime | None] = mapped_column(UtcTime)
    pauses: Mapped[list[list[str]]] = mapped_column(JSON, default=list)
    warned_at: Mapped[datetime | None] = mapped_column(UtcTime)
    events: Mapped[int] = mapped_column(default=0)
    happened_at: Mapped[datetime | None] = mapped_column(UtcTime)
    outages: Mapped[int] = mapped_column(default=0)
    mr_x_misses: Mapped[int] = mapped_column(default=0)
    winner: Mapped[str | None] = mapped_column(String(10))
    reason: Mapped[str | None] = mapped_column(String(40))
    final: Mapped[bool] = mapped_column(default=False)
    final_at: Mapped[datetime | None] = mapped_column(UtcTime)
    created_at: Mapped[datetime] = mapped_column(UtcTime)
    started_at: Mapped[datetime | None] = mapped_column(UtcTime)
    ended_at: Mapped[datetime | None] = mapped_column(UtcTime)
    repaired: Mapped[int] = mapped_column(default=0)
    version: Mapped[str] = mapped_column(String(32), default="")
    broken: Mapped[str | None] = mapped_column()
    starts_when_full: Mapped[bool] = mapped_column(default=False, server_default=false())
    is_contestable: Mapped[bool] = mapped_column(default=False, server_default=false())

    seats: Mapped[list["Seat"]] = relationship(order_by="Seat.number", back_populates="game")


class Seat(Base):
    """A seat of a game.

    invited_id: the player who may take it while `player_id` is null
    invitation: the invitation to the seat, null if nobody is invited; `invited_id` is null while it names an address
        that is no player's, and when the invitation is withheld from its guest
    bot, level: the name of the bot that plays the seat instead of a person, and how well it plays
    wants_draw: the holder would end the game in a draw
    late_since, misses: the deadline that the holder missed, and the number of deadlines missed in a row
    bank: the time left, in seconds; null until the seat's first turn is over
    cover: the seat whose holder may move for this one
    is_offered: another player may take the seat while the game runs
    replay: how its player wants the replay shown to everybody who has its link, see `server.house_rules.replays`; null
        if they do not want that
    team_since: the number of the event since which its player hears the team: 0, or that with which they took it over
    bounces, is_guest: mails to the holder do not arrive; the holder has no address (read only; columns of the player)
    """

    __tablename__ = "seats"
    __table_args__ = (UniqueConstraint("game_id", "player_id"),)

    game_id: Mapped[str] = mapped_column(ForeignKey("games.id"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    pawns: Mapped[list[str]] = mapped_column(JSON)
    player_id: Mapped[str | None] = mapped_column(ForeignKey("players.id"), index=True)
    invited_id: Mapped[str | None] = mapped_column(ForeignKey("players.id"), index=True)
    invitation_id: Mapped[str | None] = mapped_column(ForeignKey("invitations.id"), unique=True)
    bot: Mapped[str | None] = mapped_column(String(16))
    level: Mapped[str | None] = mapped_column(String(8))
    # Changes when the seat changes hands: with it every reply address of the seat.
    nonce: Mapped[str] = mapped_column(String(32))
    misses: Mapped[int] = mapped_column(default=0)
    late_since: Mapped[datetime | None] = mapped_column(UtcTime)
    wants_draw: Mapped[bool] = mapped_column(default=False)
    bank: Mapped[int | None] = mapped_column()
    cover: Mapped[int | None] = mapped_column()
    is_offered: Mapped[bool] = mapped_column(default=False)
    replay: Mapped[str | None] = mapped_column(String(4))
    team_since: Mapped[int] = mapped_column(default=0, server_default="0")
    bounces: Mapped[bool | None] = column_property(
        select(Player.bounces).where(Player.id == player_id).scalar_subquery()
    )
    is_guest: Mapped[bool | None] = column_property(
        select(Player.network.is_not(None)).where(Player.id == player_id).scalar_subquery()
    )

    game: Mapped[Game] = relationship(back_populates="seats")
    invitation: Mapped[Invitation | None] = relationship()

    @validates("invitation")
    def _refer(self, _name: str, invitation: Invitation | None) -> Invitation | None:
        """Set the column too, at once: a flush would come later than the count of free seats."""
        self.invitation_id = None if invitation is None else invitation.id
        return invitation


@event.listens_for(Session, "before_flush")
def _follow_changes(flushing: Session, _context: object, _only: object) -> None:
    """Renew the version of each game that changes through objects, itself or in a seat."""
    rows = [row for row in (*flushing.new, *flushing.dirty, *flushing.deleted) if isinstance(row, Game | Seat)]
    changed = [row for row in rows if flushing.is_modified(row)]
    games = {row.game if isinstance(row, Seat) else row for row in changed}
    for game in sorted(games, key=lambda game: game.id):  # in one order, so that a test can repeat it
        game.version = runtime().new_id("version")


@event.listens_for(Session, "before_flush")
def _tally(flushing: Session, _context: object, _only: object) -> None:
    for game in (row for row in (*flushing.new, *flushing.dirty) if isinstance(row, Game)):
        is_new, status = game in flushing.new, inspect(game).attrs.status.history
        for count, values in ((1, [game.status or "open"] if is_new else status.added), (-1, status.deleted)):
            for value in values or ():
                tally(f"games {value}", count)


class FormerHolder(Base):
    """A player who once held a seat of a game, and the role in which they saw it: `role` is mr_x or detective.

    A player who gave a detective's seat back before the start is one too, if they had read the team's messages.

    A former Mr. X does not see the game again before it is final; a former detective never becomes Mr. X.

    team_since: the number of the event since which they hear the team in another seat; null: since they take that
    """

    __tablename__ = "former_holders"

    game_id: Mapped[str] = mapped_column(ForeignKey("games.id"), primary_key=True)
    player_id: Mapped[str] = mapped_column(ForeignKey("players.id"), primary_key=True, index=True)
    role: Mapped[str] = mapped_column(String(10), primary_key=True)
    team_since: Mapped[int | None] = mapped_column()


class Move(Base):
    """A committed move. The primary key makes two commits of one turn impossible.

    `by` is player, ahead (a queued move), bot (in a seat of its own), cover (a teammate) or house (the server, for a
    late player). `notation` is the whole move, encrypted for both sides alike.
    """

    __tablename__ = "moves"
    __table_args__ = (Index("ix_moves_late", "game_id", "pawn", "made_at", sqlite_where=_IS_LATE),)

    game_id: Mapped[str] = mapped_column(ForeignKey("games.id"), primary_key=True)
    turn: Mapped[int] = mapped_column(primary_key=True)
    pawn: Mapped[str] = mapped_column(String(8))
    notation: Mapped[str] = mapped_column(Encrypted("moves.notation", 128))
    by: Mapped[str] = mapped_column(String(8))
    made_at: Mapped[datetime] = mapped_column(UtcTime)


class QueuedMove(Base):
    """A queued move: a detective's, for their turn in `round`.

    otherwise: the moves to be played in its place if it is not legal then, the first that is; null if there are none
    """

    __tablename__ = "moves_ahead"
    __table_args__ = (ForeignKeyConstraint(["game_id", "seat"], ["seats.game_id", "seats.number"]),)

    game_id: Mapped[str] = mapped_column(String(32), primary_key=True)
    pawn: Mapped[str] = mapped_column(String(8), primary_key=True)
    seat: Mapped[int] = mapped_column()
    round: Mapped[int] = mapped_column()
    notation: Mapped[str] = mapped_column(Encrypted("moves_ahead.notation", 128))
    kept_at: Mapped[datetime] = mapped_column(UtcTime)
    otherwise: Mapped[list[str] | None] = mapped_column(Encrypted("moves_ahead.otherwise", 256))


class HeldMove(Base):
    """A move that a player sent and that waits until `plays_at`, as they may not have meant it; only they know of it.

    hold: the id that the moves of one mail or form share. `try_at` is `plays_at` until playing it has failed or has to
    wait for a mail.
    """

    __tablename__ = "held_moves"
    __table_args__ = (
        ForeignKeyConstraint(["game_id", "seat"], ["seats.game_id", "seats.number"]),
        Index("ix_held_moves_waiting", "try_at"),
    )

    game_id: Mapped[str] = mapped_column(String(32), primary_key=True)
    pawn: Mapped[str] = mapped_column(String(8), primary_key=True)
    hold: Mapped[str] = mapped_column(String(32), index=True)
    seat: Mapped[int] = mapped_column()
    notation: Mapped[str] = mapped_column(Encrypted("held_moves.notation", 384))
    held_at: Mapped[datetime] = mapped_column(UtcTime)
    plays_at: Mapped[datetime] = mapped_column(UtcTime)
    try_at: Mapped[datetime] = mapped_column(UtcTime)
    attempts: Mapped[int] = mapped_column(default=0)


class Event(Base):
    """A public event of a game. `moves` is the number of moves committed by then, including its own.

    `data` holds public facts only. `head` is that of the sealed chain after it, null before the start.
    """

    __tablename__ = "events"
    # The few events of before the start name people, and a change of name finds them.
    __table_args__ = (
        Index("ix_events_unsealed", "kind", sqlite_where=_IS_UNSEALED),
        Index("ix_events_rare", "game_id", "kind", sqlite_where=_IS_RARE),
    )

    game_id: Mapped[str] = mapped_column(ForeignKey("games.id"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    kind: Mapped[str] = mapped_column(String(16))
    moves: Mapped[int] = mapped_column()
    data: Mapped[dict[str, Any]] = mapped_column(JSON)
    head: Mapped[str | None] = mapped_column(String(52))
    at: Mapped[datetime] = mapped_column(UtcTime)


class Deadline(Base):
    """A deadline: something that has to happen at `due_at`. `kind` is reminder, timeout, final, move (of a
    bot), vote (it closes), or invitation (a seat is no longer reserved).

    It belongs to the turn of a seat (`seat`, within `side` and `round`) or, if `seat` is 0, to a whole phase; an
    invitation belongs to a seat of the `lobby`. `step` tells the reminders of one turn apart; for a timeout it is 0 for
    the turn and 1 for the grace period after it. `serial` is the number of the event with which the turn's time began,
    or with which the seat was reserved. `state` is armed, fired or cancelled; `try_at` is
    `due_at` until firing has failed.

    For a timeout, `began_at` is when its time began, `more` the time granted in addition (lengths, and codes of
    the reasons); `steps` explains how the deadline was computed. Rows of 0.2.0 have words in place of codes.
    """

    __tablename__ = "deadlines"
    __table_args__ = (
        UniqueConstraint("game_id", "kind", "round", "side", "seat", "step", "serial"),
        # A partial index finds the rows that are due at once, however many others there are; and a query for the rows
        # of a game does not use it.
        Index("ix_deadlines_waiting", "try_at", sqlite_where=_IS_ARMED),
        Index("ix_deadlines_due", "due_at", sqlite_where=_IS_ARMED),
    )

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    game_id: Mapped[str] = mapped_column(ForeignKey("games.id"), index=True)
    kind: Mapped[str] = mapped_column(String(10))
    side: Mapped[str] = mapped_column(String(10))
    round: Mapped[int] = mapped_column()
    seat: Mapped[int] = mapped_column(default=0)
    step: Mapped[int] = mapped_column(default=0)
    serial: Mapped[int] = mapped_column()
    began_at: Mapped[datetime | None] = mapped_column(UtcTime)
    more: Mapped[list[list[str]] | None] = mapped_column(JSON(none_as_null=True))
    steps: Mapped[list[StoredStep] | None] = mapped_column(JSON(none_as_null=True))
    due_at: Mapped[datetime] = mapped_column(UtcTime)
    state: Mapped[str] = mapped_column(String(10), default="armed")
    try_at: Mapped[datetime] = mapped_column(UtcTime)
    attempts: Mapped[int] = mapped_column(default=0)


_IS_VOTED_ON = text("state = 'open'")


class Motion(Base):
    """A motion on which the players of a running game vote: `kind` is pause, resume, extend, clock or claim.

    `wish` holds its details. `seat` proposed it; null if the server did. `state` is open, carried, lost or expired; an
    open motion closes at `closes_at`.
    """

    __tablename__ = "motions"
    __table_args__ = (Index("ix_motions_open", "opened_at", sqlite_where=_IS_VOTED_ON),)

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    game_id: Mapped[str] = mapped_column(ForeignKey("games.id"), index=True)
    kind: Mapped[str] = mapped_column(String(8))
    wish: Mapped[VoteWish] = mapped_column(JSON)
    seat: Mapped[int | None] = mapped_column()
    state: Mapped[str] = mapped_column(String(8), default="open")
    opened_at: Mapped[datetime] = mapped_column(UtcTime)
    closes_at: Mapped[datetime] = mapped_column(UtcTime)

    ballots: Mapped[list["Ballot"]] = relationship(order_by="Ballot.seat")


class Ballot(Base):
    """The vote of one seat on a motion; it can be changed while the motion is open."""

    __tablename__ = "ballots"

    motion_id: Mapped[str] = mapped_column(ForeignKey("motions.id"), primary_key=True)
    seat: Mapped[int] = mapped_column(primary_key=True)
    is_for: Mapped[bool] = mapped_column()
