"""The content of reminders: one mail for all the games that wait for a player at that time.

`templates/mail/reminder` has the words; `house_rules/lateness.py` sends one when its timer is due.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import select

from server.application.game import held_moves, timer_rows, waiting
from server.application.game.as_of import AsOf, is_current_phase, of_standing
from server.application.game.look import standing_of
from server.application.game.reply_addresses import PrintedToken, round_of, token_of
from server.application.game.situation_statements import QUESTIONS
from server.application.mail.outgoing import Mail, load
from server.house_rules.standing import Seat, Standing, Timer
from server.house_rules.timers import GRACE, timer_of
from server.mail.writing import seating, sentences
from server.models import Event, Game, Outgoing, Player, rows, session
from server.models import Seat as SeatRow
from server.runtime import now
from server.vocabulary.durations import DAY
from server.vocabulary.translation import gettext, pgettext, pgettext_noop
from server.wording.seats import seat_label

# Two reminders to one player within this time are one: it names all games.
TOGETHER = timedelta(hours=1)
_SHARES = pgettext_noop("of your time", {0: "{n} per cent", 0.25: "a quarter", 0.5: "half", 0.75: "three quarters"})


@dataclass(frozen=True)
class OtherGame:
    """Another game that waits for the player: a line about it, and the address for answers printed in it."""

    line: str
    token: PrintedToken


def content(mail: Mail, then: AsOf, player: Player, others: Sequence[OtherGame] = ()) -> dict[str, object]:
    """Return what the template of a reminder uses more than others do.

    The share of the time, the moves that the player was asked about and has not set, and the other games.
    """
    seat = seating.find_seat(then.game, player)
    asked = rows(QUESTIONS, game=then.game.id, round=then.game.round) if seat and mail.kind == "reminder" else ()
    mine = [row.question for row in asked if seat and row.seat == seat.number and "against" not in row.question]
    not_set = dict.fromkeys(move for question in mine for move in question.get("moves", ()))
    share = (mail.details or {}).get("share", 0)
    in_words = pgettext("of your time", _SHARES.get(share, _SHARES[0]), n=f"{share * 100:g}")
    others_waiting = [other.line for other in others]
    return {"share": in_words, "not_set": sentences.moves_quoted(not_set), "others_waiting": others_waiting}


def other_games(mail: Mail, player: Player) -> list[OtherGame]:
    """Return the other games that wait for the player, the most urgent first; the reminder is about `mail.game`."""
    mine = (SeatRow.player_id == player.id, Game.status == "running", Game.id != mail.game_id)
    query = select(Game).join(SeatRow).where(*mine)
    found = []
    for other in session.scalars(query.order_by(Game.due_at, Game.id)).unique():
        game = standing_of(other)
        seat = seating.find_seat(game, player)
        timer = _timer_of(game, seat) if waiting.is_awaited(game, seat) else None
        if seat is not None and timer is not None and not held_moves.has_any(game, seat):
            found.append(_other(game, seat, timer, player))
    return found


def is_awaited(then: AsOf, seat: Seat | None) -> bool:
    """Return True if the turn that ran then still runs, and the seat's move is missing."""
    return is_current_phase(then) and waiting.is_awaited(then.game, seat, then.queue)


def is_needed(game: Standing, seat: Seat | None) -> bool:
    """Return True if the seat's time has not run out, and no move of it waits to be played."""
    return is_in_time(game, seat) and not (seat is not None and held_moves.has_any(game, seat))


def is_in_time(game: Standing, seat: Seat | None) -> bool:
    """Return True if the seat's time has not run out, or there is no deadline; a time of grace counts as run out."""
    if seat is None or game.status != "running":
        return True
    timer = _timer_of(game, seat)
    return timer is None or (now() < timer.due_at and timer.step != GRACE)


def is_in_another(mail: Mail) -> bool:
    """Return True if another reminder, sent or about to be, names this game too, as it waited when that was composed.

    Of several that wait to be sent, the oldest is sent.
    """
    assert mail.event is not None
    began = session.get_one(Event, (mail.game_id, mail.event)).at
    query = select(Outgoing.id).where(
        Outgoing.player_id == mail.player_id, Outgoing.kind == "reminder", Outgoing.id != mail.id,
        Outgoing.game_id != mail.game_id, Outgoing.state.in_(("pending", "sent")), Outgoing.created_at >= began,
        Outgoing.created_at >= now() - TOGETHER - DAY,
    )  # fmt: skip
    return any(_is_before(other, mail) for other in load(session.scalars(query).all()).values())


def _is_before(other: Mail, mail: Mail) -> bool:
    if other.state == "sent":
        return other.sent_at is not None and other.sent_at >= max(mail.created_at, now() - TOGETHER) - TOGETHER
    is_about_to_be_sent = other.fence is not None or other.not_before <= now()
    if not is_about_to_be_sent or (other.created_at, other.id) >= (mail.created_at, mail.id):
        return False
    assert other.game is not None
    assert other.event is not None
    assert other.player is not None
    then = of_standing(other.game, other.event)
    return is_awaited(then, seating.find_seat(then.game, other.player))


def _timer_of(game: Standing, seat: Seat | None) -> Timer | None:
    return None if seat is None else timer_of(game, seat, timer_rows.timeouts_of([game.id])[game.id])


def _other(game: Standing, seat: Seat, timer: Timer, player: Player) -> OtherGame:
    token = token_of(game, seat, round_of(game))
    due = sentences.moment(timer.due_at, player.zone)
    words = gettext(
        "{game}, as {role}: your move by {due}, at the address {address}.",
        game=game.name, role=seat_label(seat), due=due, address=token.written,
    )  # fmt: skip
    return OtherGame(words, token)
