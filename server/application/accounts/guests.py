"""Guests: players without an address, who practise against bots in one browser.

A guest becomes a player like any other by confirming an address. One who has not come for some days is deleted, with
the games.
"""

from datetime import timedelta

from sqlalchemy import ColumnElement, exists, func, select

from server.application.accounts import browsers, deletion
from server.application.errors import Problem
from server.application.people import admission, mail_frequency, names
from server.application.people.daily_limits import lock_table
from server.application.seats import opening
from server.durations import DAY
from server.engine import USUAL
from server.lookalikes import digest
from server.models import BrowserSession, Game, Move, Player, session, transaction
from server.runtime import now, runtime

MOST = 200
MOST_PER_NETWORK = 5
MOST_GAMES = 5  # of one guest, finished ones included
MOST_RUNNING = 30  # practice games and others of one player
IDLE: timedelta = 7 * DAY  # until a guest is deleted
NEW = timedelta(minutes=1)  # how long a guest who has not moved is sure to stay
WITHOUT_CLOCK = {"kind": "none", "provisional": "PT0S"}  # nobody else could object to the end
BATCH = 20


def begin(network: str, browser: str) -> tuple[Player, str]:
    """Add a guest who came from this network; return them with the secret of the browser's session.

    Where the network has as many guests as it may, the oldest who has never moved makes room.

    Raises:
        Problem: `not-admitted` where guests may not practise; `enough` if there are as many guests as there may be, of
            the network or in all.
    """
    admission.check_guests()
    mark = runtime().keyring.fingerprint(b"network of guest\0" + network.encode())
    with transaction():
        lock_table(BrowserSession)
        is_full = _count(Player.network == mark) >= MOST_PER_NETWORK and not _make_room(mark)
        if is_full or _count(Player.network.is_not(None)) >= MOST:
            raise Problem("enough", "Many guests practise at the moment. Sign in with your mail address to go on.")
        name = names.free_like(f"Guest {runtime().rng('guest').randrange(1000, 10_000)}")
        guest = Player(
            id=runtime().new_id("player"),
            name=name,
            skeleton=digest(name),
            email=f"{runtime().new_id('guest')}@guest.invalid",
            mail=mail_frequency.OFF,
            network=mark,
            created_at=now(),
        )
        session.add(guest)
        session.flush()
        return guest, browsers.sign_in(guest.id, browser)


def _make_room(mark: str) -> bool:
    """Delete the oldest guest of a network who has never moved; return True if there was one.

    Those who came a moment ago stay: their first game may be about to begin.
    """
    moves = exists().where(Game.host_id == Player.id, Move.game_id == Game.id, Move.by == "player")
    query = select(Player).where(Player.network == mark, Player.created_at <= now() - NEW, ~moves)
    query = query.order_by(Player.created_at, Player.id).limit(1)
    idle = session.scalars(query).all()
    deletion.delete_with_games(idle)
    return bool(idle)


def _count(*which: ColumnElement[bool]) -> int:
    return session.scalar(select(func.count()).select_from(Player).where(*which)) or 0


def practise(player: Player, role: str) -> Game:
    """Open and start a game of the player against bots, without a clock.

    Raises:
        Problem: `enough` if the player has as many games as one may have.
    """
    with transaction():
        session.get_one(Player, player.id, with_for_update={"key_share": True})
        theirs = select(func.count()).select_from(Game).where(Game.host_id == player.id)
        if player.is_guest and (session.scalar(theirs) or 0) >= MOST_GAMES:
            raise Problem("enough", f"A guest has at most {MOST_GAMES} games. Add your address to play more.")
        if (session.scalar(theirs.where(Game.status == "running")) or 0) >= MOST_RUNNING:
            raise Problem("enough", f"You host {MOST_RUNNING} games that are not over. Finish one of them first.")
        return opening.practice(player, role, USUAL, clock=WITHOUT_CLOCK)


def forget_idle(limit: int = BATCH) -> int:
    """Delete guests who have not come for `IDLE`, with their games; return how many, at most `limit`."""
    last = now() - IDLE
    has_come = exists().where(BrowserSession.player_id == Player.id, BrowserSession.used_on > last.date())
    query = select(Player).where(Player.network.is_not(None), Player.created_at <= last, ~has_come)
    with transaction():
        idle = session.scalars(query.order_by(Player.network, Player.id).limit(limit)).all()
        deletion.delete_with_games(idle)
    return len(idle)
