"""The end of a game for a player by mail: RESIGN and DRAW. Who would end the game is asked once more."""

from dataclasses import dataclass
from typing import ClassVar

from server.application.game.situations import acting
from server.house_rules import draws
from server.house_rules.resignation import ends_game, give_up
from server.house_rules.standing import Sight
from server.language import forms
from server.mail.commands.moves import NOT_BEGUN
from server.mail.commands.reply import UNMARKED, Handler, Mark, Outcome, Question, Reply, reply_from_template
from server.mail.commands.request import Request
from server.mail.writing import seating
from server.runtime import now
from server.vocabulary.errors import refusal

DRAW = "draw"  # what the address of a mail with an offer of a draw is about
PLAYS_ON = {"play_on": "no"}  # "let's play on" is a no to what ends or halts the game


class EndsGame(Question):
    """A question whether the player ends the game."""

    is_one_of_all = True
    needs_plain_yes = True
    topic = PLAYS_ON
    command: ClassVar[str]  # the name of the command that asks it

    def __init_subclass__(cls) -> None:
        """Let the command stand in an answer."""
        super().__init_subclass__()
        cls.own_commands = frozenset({cls.command})

    def remark(self, request: Request) -> Reply:
        return self.words(request)


@dataclass(frozen=True)
class Resign(EndsGame):
    """The question whether the player gives the game up."""

    command = "resign"

    def words(self, request: Request) -> Reply:
        """Return the question, with what becomes of the game."""
        ends = ends_game(request.game.seats, request.seat)
        is_public = request.game.visibility == "public"
        is_draw = not ends and draws.would_end(request.game, request.player.id)
        return reply_from_template("resign", ends=ends, is_draw=is_draw, is_public=is_public)

    def yes(self, request: Request) -> Outcome:
        """Give the game up."""

        def reply(left: Sight) -> Reply:
            # The mail about the end tells all; a player who has left the seat to a bot gets no other.
            is_told = left.status == "over" and left.seat_held_by(request.player.id) is not None
            marks = Mark.LEADS | Mark.ANSWERS | (Mark.IN_TURN_MAIL if is_told else UNMARKED)
            return reply_from_template("resigned", marks)

        return acting(request.game.id, request.player, give_up).then(lambda acted: reply(acted.game))

    def no(self, _request: Request) -> Outcome:
        """Tell the player that they keep the seat."""
        return reply_from_template("kept_seat", Mark.ANSWERS)


@dataclass(frozen=True)
class AgreeToDraw(EndsGame):
    """The question whether the player agrees to a draw, which ends the game."""

    command = "draw"

    def words(self, _request: Request) -> Reply:
        return reply_from_template("draw_last_word")

    def yes(self, request: Request) -> Outcome:
        """Agree, and the game is over."""
        return _offer_draw(request)


@dataclass(frozen=True)
class AgreeToOffer(Question):
    """The question whether the player agrees to the draw that some of the others offer."""

    own_commands = frozenset({"draw"})
    topic = PLAYS_ON

    def words(self, request: Request) -> Reply:
        others = [seat for seat in request.game.seats if seat.wants_draw and seat.player_id]
        return reply_from_template("draw_open", by=[seating.player_of(request.game, seat.pawns) for seat in others])

    def remark(self, _request: Request) -> Reply:
        """Return the question in short."""
        return reply_from_template("still_asked", is_draw=True)

    def yes(self, request: Request) -> Outcome:
        return _offer_draw(request)


def offered_to(request: Request) -> Question | None:
    """Return the question whether the player agrees to a draw; None if none is offered to them."""
    is_offered = any(seat.wants_draw for seat in request.game.seats)
    if not is_offered or not draws.may_offer(request.game, request.seat, now()):
        return None
    return AgreeToDraw() if draws.would_end(request.game, request.player.id) else AgreeToOffer()


def resign(request: Request, _command: forms.Command) -> Reply:
    """RESIGN; the player is asked once more, since it cannot be taken back."""
    if request.game.status == "over":
        raise refusal("game-not-running", "The game is over; there is nothing to give up.")
    if request.game.status == "open":
        raise refusal("game-not-running", NOT_BEGUN)
    return Resign().asked(request)


def draw(request: Request, command: forms.Command) -> Outcome:
    """DRAW; a player whose word would end the game is asked once more."""
    request.game.check_running(draws.NOTHING)
    if command.text:
        if not request.seat.wants_draw:
            raise refusal("form", "You have offered no draw, so there is nothing to take back.", is_public=True)
        acted = acting(request.game.id, request.player, draws.withdraw)
        return acted.then(lambda _: reply_from_template("draw_withdrawn", Mark.BRIEF))
    if draws.would_end(request.game, request.player.id):
        return AgreeToDraw().asked(request)
    return _offer_draw(request)


def _offer_draw(request: Request) -> Outcome:
    """Offer a draw, or agree to one, without asking once more."""
    acted = acting(request.game.id, request.player, draws.offer_draw)
    return acted.then(lambda acted: _offered(request, acted.game))


def _offered(request: Request, game: Sight) -> Reply:
    others = [seat for seat in draws.seats_asked(request.game) if seat.player_id != request.player.id]
    offered = [] if request.seat.wants_draw else [seat for seat in others if seat.wants_draw]
    if game.status == "over":
        return reply_from_template("draw_agreed", Mark.ANSWERS)
    missing = [seat for seat in others if seat not in offered]
    by, waiting = ([seating.player_of(request.game, seat.pawns) for seat in seats] for seats in (offered, missing))
    return reply_from_template("draw_offered", Mark.BRIEF | Mark.ANSWERS, by=by, missing=waiting)


HANDLERS: dict[str, Handler] = {"resign": resign, "draw": draw}
