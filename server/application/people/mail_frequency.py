"""How much mail a player gets: what he has chosen for all his games, and for one where he wants it otherwise there.

A choice is a line of words, the same by REST, by mail and in the database: usual, moves (one for every move besides),
gathered 30 (over so many minutes, into one mail), daily 18:00 (likewise, once a day, by the wall of his zone),
reminders, or off.
"""

import re
from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

from sqlalchemy import bindparam, select

from server.application.deciding import decided
from server.application.errors import Problem
from server.application.game.access import seat_of, visible
from server.application.news import digest_watermark
from server.clock.local import instant
from server.models import Game, MailWish, Player, Seat, rows, session, transaction

USUAL, MOVES, GATHERED, DAILY, REMINDERS, OFF = "usual", "moves", "gathered", "daily", "reminders", "off"
INHERIT = "inherit"  # of one game: as in all others
SHORTEST, LONGEST = 5, 720  # minutes over which mails are gathered
HINT = f"usual, moves, gathered 30 ({SHORTEST} to {LONGEST} minutes), daily 18:00, reminders or off"

_WORDS = {
    "usual": USUAL, "moves": MOVES, "every move": MOVES, "reminders": REMINDERS, "reminders only": REMINDERS,
    "off": OFF,
    "all": USUAL,  # as mails of before there was a choice have it
}  # fmt: skip
_GATHERED = re.compile(r"gathered (?:over )?(\d{1,4}) ?(m|min|minutes?|h|hours?)?")
_DAILY = re.compile(r"daily (?:at )?(\d\d?):(\d\d)")

# Every move asks this, so it is built once.
_WISHES = (MailWish.player_id == Seat.player_id) & (MailWish.game_id == Seat.game_id)
_WANTING_MOVES = select(Player.id).join(Seat, Seat.player_id == Player.id).outerjoin(MailWish, _WISHES)
_WANTING_MOVES = _WANTING_MOVES.where(
    Seat.game_id == bindparam("game"), (MailWish.mail == MOVES) | (MailWish.mail.is_(None) & (Player.mail == MOVES))
)


# What there is to choose -------------------------------------------------------------------------


def read(text: str) -> str:
    """The choice as it is stored, however loosely it is written; `Problem` form when it is none."""
    words = " ".join(text.lower().split())
    found = _WORDS.get(words) or _gathered(words) or _daily(words)
    if found is None:
        raise Problem("form", f"mail: choose one of {HINT}.")
    return found


def read_of_game(text: str) -> str:
    """The same for one game, where `inherit` is a choice as well."""
    if text.strip().lower() == INHERIT:
        return INHERIT
    try:
        return read(text)
    except Problem:
        raise Problem("form", f"mail: choose one of {HINT}; or {INHERIT}, which is as in all your games.") from None


def _gathered(words: str) -> str | None:
    found = _GATHERED.fullmatch(words)
    minutes = int(found[1]) * (60 if (found[2] or "m")[0] == "h" else 1) if found else 0
    return f"{GATHERED} {minutes}" if SHORTEST <= minutes <= LONGEST else None


def _daily(words: str) -> str | None:
    found = _DAILY.fullmatch(words)
    if found is None or int(found[1]) > 23 or int(found[2]) > 59:
        return None
    return f"{DAILY} {int(found[1]):02}:{found[2]}"


def is_gathered(mail: str) -> bool:
    """Whether mails are held back, to come as one."""
    return mail.startswith((GATHERED, DAILY))


def next_digest(mail: str, zone: str, at: datetime) -> datetime:
    """When what happens at `at` is told, by a choice that gathers.

    Once on every day of the calendar: an hour that summer time leaves out is the first instant after it, and of one
    that comes twice it is the later coming.
    """
    kind, _, value = mail.partition(" ")
    if kind == GATHERED:
        return at + timedelta(minutes=int(value))
    hour, place = time.fromisoformat(value), ZoneInfo(zone)
    today = at.astimezone(place).date()
    days = (today + timedelta(days=ahead) for ahead in range(3))
    return next(come for day in days if (come := instant(datetime.combine(day, hour), place)) > at)


# Choosing ----------------------------------------------------------------------------------------


def of(player: Player, game_id: str | None) -> str:
    """How much mail `player` gets about a game, or where it is about none."""
    wish = session.get(MailWish, (player.id, game_id)) if game_id else None
    return wish.mail if wish else player.mail


def own_choices(player: Player) -> list[tuple[Game, str]]:
    """The games for which he has chosen by themselves, and what."""
    query = select(Game, MailWish.mail).join(MailWish, MailWish.game_id == Game.id)
    query = query.where(MailWish.player_id == player.id).order_by(Game.created_at, Game.id)
    return [(game, mail) for game, mail in session.execute(query)]


def choose(player_id: str, mail: str, game_id: str | None = None) -> None:
    """Give a player this much mail from now on, in all games that have no choice of their own, or in one.

    `mail` is as it comes from `read`, or of a game from `read_of_game`. What is held back is looked at anew.
    """
    with transaction():
        decided()
        session.flush()  # of what else is changed of the player, nothing is read anew
        player = session.get_one(Player, player_id, with_for_update={"key_share": True})
        before = _unheard_of(player)
        if game_id is None:
            player.mail = mail
        elif mail == INHERIT:
            _forget(player, game_id)
        else:
            session.merge(MailWish(player_id=player_id, game_id=game_id, mail=mail))
        session.flush()
        for game in before - _unheard_of(player):
            digest_watermark.begin(player_id, game)
        digest_watermark.release(player_id)


def preferences(game: Game, player: Player) -> dict[str, str]:
    """`mail`: what he has chosen for one game, or inherit; and what `applies` by all that. `Problem` forbidden."""
    _check_is_in(game, player)
    wish = session.get(MailWish, (player.id, game.id))
    return {"mail": wish.mail if wish else INHERIT, "applies": of(player, game.id)}


def prefer(game_id: str, player: Player, mail: str | None = None) -> dict[str, str]:
    """Change what is given, for one game; `Problem` forbidden, or form when it is no choice."""
    with transaction():
        game = visible(game_id, player)
        _check_is_in(game, player)
        if mail is not None:
            choose(player.id, read_of_game(mail), game.id)
        return preferences(game, player)


def stop(player_id: str) -> None:
    """No more mail at all, whatever was chosen for single games."""
    with transaction():
        player = session.get_one(Player, player_id)
        decided()
        for game, _ in own_choices(player):
            _forget(player, game.id)
        choose(player_id, OFF)


def hear_again(game_id: str, player_id: str) -> None:
    """Who sits down in a game of which he wanted no mail is told of it like of others."""
    wish = session.get(MailWish, (player_id, game_id))
    if wish is not None and wish.mail == OFF:
        session.delete(wish)


def wanting_every_move(game: Game) -> set[str]:
    """Who of the players at the table wants a mail for every move."""
    return {player_id for (player_id,) in rows(_WANTING_MOVES, game=game.id)}


def _check_is_in(game: Game, player: Player) -> None:
    """Mails of a game come to who sits there or is invited, and to its host."""
    if game.host_id != player.id and all(player.id not in (seat.player_id, seat.invited_id) for seat in game.seats):
        seat_of(game, player)


def _forget(player: Player, game_id: str) -> None:
    wish = session.get(MailWish, (player.id, game_id))
    if wish is not None:
        session.delete(wish)


def _unheard_of(player: Player) -> set[Game]:
    """The games under way of which he is told nothing of what happens."""
    mine = (Seat.player_id == player.id, Game.status == "running")
    games = session.scalars(select(Game).join(Seat).where(*mine)).unique()
    return {game for game in games if of(player, game.id) in (REMINDERS, OFF)}
