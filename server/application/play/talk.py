"""Talk among the players: messages of detectives to their team, and of anybody to all.

Messages stay out of the events and of the sealed log, which are public. A message to the team changes nothing that
others can see: no number, list, count or mail.
"""

import re
import unicodedata
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Integer, String, bindparam, func, select

from server.application.game import outbox_rows
from server.application.game.access import locked_visible, was_mr_x
from server.application.game.deciding import Decided, use_case
from server.application.game.look import look, standing_of
from server.application.game.projection import own_seat
from server.application.game.state import edition_of
from server.application.mail.outgoing import TalkMessage
from server.application.people.players import is_hidden_from
from server.house_rules import guest_rules
from server.house_rules.standing import Seat as Place
from server.house_rules.standing import Standing
from server.models import Block, Message, Muted, Player, rows, session, topics
from server.runtime import now, runtime
from server.vocabulary import limits
from server.vocabulary.durations import DAY, rfc3339
from server.vocabulary.errors import Problem, refusal
from server.vocabulary.lines import TURNING
from server.vocabulary.translation import gettext, pgettext

LONGEST = 1_000
# What a player hears; `team_since` as `_team_since` returns it, and nothing is said to the team since a null.
_HEARD = (Message.game_id == bindparam("game", type_=String)) & ~is_hidden_from(bindparam("player", type_=String))
_HEARD &= (Message.audience == "all") | (Message.event >= bindparam("team_since", type_=Integer))
_NUMBER = select(func.count()).select_from(Message).where(_HEARD)

_MUTED = select(Muted.game_id).where(Muted.game_id == bindparam("game"), Muted.player_id == bindparam("player"))


class NoTeam(Problem):
    """A message to the team from a player who has none."""


@use_case
def write(game_id: str, player: Player, to: str, text: str, after: int | None = None) -> Decided[dict[str, Any]]:
    """Say `text` to the "team" or to "all" for the player's seat; return the message as the player may read it.

    after: how many messages the player had read. If they have said the same since then, the server does not say it
        again, so that a form sent twice has one effect.
    """
    game = standing_of(locked_visible(game_id, player))
    seat = game.seat_of_player(player.id)
    if to == "team" and seat.role == "mr_x":
        raise NoTeam("form", gettext("Mr. X has no team. Write to all instead."))
    if to == "team" and not _has_team(game, seat):
        sentence = gettext("Who is Mr. X is settled at the start, so there is no team before it. Write to all instead.")
        raise NoTeam("form", sentence)
    if player.is_guest and not guest_rules.rules_of(game).talk:
        raise refusal("forbidden", "In this game guests only read what is said. To write, add your address.")
    tidy = check_text(text)
    said = _said_since(after, game, player, to, tidy)
    if said is None:
        _check_not_too_many(game, player)

    def say() -> dict[str, Any]:
        before = session.scalar(select(func.count()).select_from(Message).where(Message.game_id == game.id)) or 0
        message = Message(
            id=runtime().new_id("message"), game_id=game.id, serial=before + 1,
            seat=seat.number, player_id=player.id, audience=to, text=tidy, at=now(), event=game.events,
        )  # fmt: skip
        session.add(message)
        session.flush()
        listeners = _listeners(game, message)
        topics.tell(f"{game.id}.{each}" for each in [*listeners, *_spectators(message)])
        outbox_rows.post_message(game, message.id, _mailed(game, message, listeners))
        return _facts(game, message, number_heard(game, player))

    return Decided(say if said is None else lambda: said)


def _said_since(after: int | None, game: Standing, player: Player, to: str, text: str) -> dict[str, Any] | None:
    """Return the message with these words that the player has written after number `after`, if there is one."""
    if after is None:
        return None
    seat = game.seat_of_player(player.id).number
    since = read(game, player, after)["messages"]
    same = (said for said in since if (said["from"]["seat"], said["to"], said["text"]) == (seat, to, text))
    return next(same, None)


def read(game: Standing, player: Player, after: int = 0, limit: int = 100) -> dict[str, Any]:
    """Return at most `limit` messages after number `after` that `player` may read; `next` begins the next page."""
    heard = rows_heard(game, player, after, limit)
    messages = [_facts(game, message, number) for number, message in enumerate(heard, after + 1)]
    return {"messages": messages, "next": after + len(messages)}


def rows_heard(game: Standing, player: Player, after: int, limit: int) -> Sequence[Message]:
    """Return the rows of the messages that `read` returns."""
    query = select(Message).where(_HEARD).order_by(Message.serial).offset(after).limit(limit)
    return session.scalars(query, _heard_by(game, player)).all()


def number_heard(game: Standing, player: Player) -> int:
    """Return how many messages of the game `player` may read."""
    return int(rows(_NUMBER, **_heard_by(game, player))[0][0])


def audiences(game: Standing, seat: Place) -> list[str]:
    """Return to whom the player of the seat may write: the team, all, or both; nobody for a guest who only reads."""
    if seat.is_guest and not guest_rules.rules_of(game).talk:
        return []
    return ["team", "all"] if _has_team(game, seat) else ["all"]


def may_hear(message: Message | TalkMessage, game: Standing, player: Player) -> bool:
    """Return True if `player` may read the message as things stand now."""
    if message.audience == "team":
        since = _team_since(game, player)
        return since is not None and message.event >= since
    return session.scalar(select(Message.id).where(Message.id == message.id, is_hidden_from(player.id))) is None


def check_text(text: str) -> str:
    """Return `text` with its lines, and at most one empty one between two; `Problem` form if it cannot be passed on."""
    lines = [" ".join(line.split()) for line in unicodedata.normalize("NFC", text).splitlines()]
    tidy = re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()
    letters = tidy.replace("\n", "")
    if re.search(f"[{TURNING}]", tidy) or any(unicodedata.category(letter) in ("Cc", "Cs") for letter in letters):
        raise refusal("form", "A message has no control characters, and none that turn the direction of writing.")
    if not 1 <= len(tidy) <= LONGEST:
        longest, n = (f"{number:,}".replace(",", pgettext("between thousands", ",")) for number in (LONGEST, len(tidy)))
        raise refusal("form", "A message has 1 to {longest} characters; this one has {n}.", longest=longest, n=n)
    return tidy


def has_muted(game: Standing, player: Player) -> bool:
    """Return True if the player gets no mails of messages in the game."""
    return bool(rows(_MUTED, game=game.id, player=player.id))


@use_case
def mute(game_id: str, player: Player, muted: bool) -> Decided[None]:
    """Stop mails of messages in the game to the host or the player of a seat, or send them again."""
    game = look(game_id, player)
    if game.host_id != player.id:
        game.seat_of_player(player.id)

    def note() -> None:
        row = session.get(Muted, (game_id, player.id))
        if muted and row is None:
            session.add(Muted(game_id=game_id, player_id=player.id))
        elif row is not None and not muted:
            session.delete(row)

    return Decided(note)


def _has_team(game: Standing, seat: Place) -> bool:
    """Return True if the seat has a team: none before the seats are drawn, as a reader could still become Mr. X."""
    return seat.role == "detective" and (game.status != "open" or game.seating == "chosen")


def _team_since(game: Standing, player: Player) -> int | None:
    """Return the number of the event since which the player hears what is said to the team; None if they do not."""
    seat = own_seat(game, player)
    hears = seat is not None and (seat.role == "detective" or edition_of(game).options["team_talk"] == "open")
    return seat.team_since if seat is not None and hears else None


def _heard_by(game: Standing, player: Player) -> dict[str, Any]:
    return {"game": game.id, "player": player.id, "team_since": _team_since(game, player)}


def _listeners(game: Standing, message: Message) -> list[str]:
    """Return the ids of the players who may read the message, its author and the host among them."""
    seated = {seat.player_id for seat in game.seats if seat.player_id}
    if game.host_id not in seated and (game.final or not was_mr_x(game.id, game.host_id)):
        seated.add(game.host_id)
    players = session.scalars(select(Player).where(Player.id.in_(seated)).order_by(Player.id))
    return [player.id for player in players if may_hear(message, game, player)]


def _spectators(message: Message) -> list[str]:
    """Return `*`, for all who are signed in and see the game, if each of them may read the message."""
    blocks = select(Block.player_id).where(Block.blocked_id == message.player_id, Block.ended_at.is_(None)).limit(1)
    is_for_all = message.audience == "all" and session.scalar(blocks) is None
    return ["*"] if is_for_all else []


def _mailed(game: Standing, message: Message, listeners: Sequence[str]) -> list[str]:
    """Return those of the listeners to whom the message is mailed."""
    muted = set(session.scalars(select(Muted.player_id).where(Muted.game_id == game.id)))
    return [each for each in listeners if each != message.player_id and each not in muted]


def _check_not_too_many(game: Standing, player: Player) -> None:
    mine = (Message.game_id == game.id, Message.player_id == player.id, Message.at > now() - DAY)
    times = session.scalars(select(Message.at).where(*mine).order_by(Message.at)).all()
    limits.MESSAGES.check(times, now())


def _facts(game: Standing, message: Message, number: int) -> dict[str, Any]:
    pawns = game.seat_of_number(message.seat).pawns
    return {
        "number": number,
        "at": rfc3339(message.at),
        "from": {"seat": message.seat, "pawns": pawns},
        "to": message.audience,
        "text": message.text,
    }
