"""Seats by mail: taking the one that is kept for the player, leaving it, and START and HOST, for those who host."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlalchemy import select

from server.application.game.deciding import Decided
from server.application.game.look import standing_of
from server.application.lobby import hosting, seats, starting
from server.house_rules.standing import Sight
from server.language import forms
from server.mail.commands.reply import Handler, Mark, Outcome, Question, Reply, reply_from_template
from server.mail.commands.request import Place, Request
from server.mail.writing import sentences
from server.models import Game, Player, Seat, session
from server.vocabulary.errors import refusal
from server.vocabulary.translation import gettext
from server.wording.seats import SEATING, seat_label


@dataclass(frozen=True)
class TakeSeat(Question):
    """The question whether the player takes the seat that is kept for them; each mail about that seat asks it."""

    is_kept = False

    def words(self, _request: Request) -> Reply:
        return reply_from_template("still_asked", is_invited=True)

    remark = words

    def yes(self, request: Request) -> Outcome:
        """Take the seat."""
        joined = seats.join.decide(request.game.id, request.player, seat=request.seat.number)
        return joined.then(lambda game: taken(Place.of(game, request.player)))

    def no(self, request: Request) -> Outcome:
        """Give the seat back."""
        left = seats.leave.decide(request.game.id, request.player, request.seat.number)
        return left.then(lambda _: reply_from_template("declined", Mark.LEADS))


def taken(place: Place, seating: str | None = None) -> Reply:
    """Return the reply to a player who has taken a seat; with `seating`, also how the roles of a game are settled."""
    is_running = place.game.status == "running"
    how = gettext(SEATING[seating]) if seating and not is_running else ""
    reply = reply_from_template("join", Mark.LEADS, role=seat_label(place.seat), is_running=is_running, seating=how)
    return replace(reply, entered=place)


def _host(request: Request, command: forms.Command) -> Outcome:
    pawn = "mr_x" if command.text.lower().startswith("mr") else command.text.lower()
    heir = next((seat for seat in request.game.seats if pawn in seat.pawns), None)
    if heir is None or heir.player_id is None:
        raise refusal("form", "No person plays {pawn} in this game.", pawn=sentences.pawn_name(pawn), is_public=True)
    handed_over = hosting.hand_over.decide(request.game.id, request.player, heir.number)
    return handed_over.then(lambda _: reply_from_template("host", Mark.BRIEF, role=seat_label(heir)))


def _start(request: Request, _command: forms.Command) -> Outcome:
    started = starting.start.decide(request.game.id, request.player)
    return started.then(lambda _: reply_from_template("start", Mark.LEADS | Mark.IN_TURN_MAIL))


def _leave(request: Request, _command: forms.Command) -> Outcome:
    left = seats.leave.decide(request.game.id, request.player)
    return left.then(lambda _: reply_from_template("leave", Mark.LEADS))


# A host who does not play ------------------------------------------------------------------------


def hosted_without_seat(player: Player) -> list[Game]:
    """Return the games that wait for a START of this player, who sits in none of them."""
    seated = select(Seat.game_id).where(Seat.player_id == player.id)
    query = select(Game).where(Game.host_id == player.id, Game.status == "open", Game.id.not_in(seated))
    return list(session.scalars(query.order_by(Game.created_at, Game.id)))


def start_one(host: Player, games: Sequence[Game]) -> Decided[Sight]:
    """Decide on starting the one game in which every seat is taken."""
    complete = [game for game in games if standing_of(game).is_complete] or list(games)
    if len(complete) > 1:
        names = sentences.join([game.name for game in complete])
        raise refusal(
            "form", "You host more than one game that could be meant: {games}. Start it through the API.", games=names
        )
    return starting.start.decide(complete[0].id, host)


HANDLERS: dict[str, Handler] = {"host": _host, "start": _start, "leave": _leave}
