"""Mails to the play address, or to a reply address that is no longer valid: they prove nothing, and change nothing."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import select

from server.application.deciding import all_or_nothing
from server.application.decisions.standing import Standing
from server.application.errors import Problem
from server.application.game import outbox_rows
from server.application.game.look import look_at_any, standing_of
from server.application.game.waiting import is_awaited
from server.application.mail.arrivals import branch_of
from server.application.upkeep import answers
from server.mail.commands import conversation, handlers, joining, sending, strangers, without_game
from server.mail.commands import reply as replies
from server.mail.commands.authors import player_in_from
from server.mail.commands.misunderstood import misunderstood
from server.mail.commands.reply import Reply, reply_from_template
from server.mail.commands.request import Place, Request
from server.mail.language import forms, grammar
from server.mail.language.courtesies import Courtesy, courtesy_in
from server.mail.language.forms import Trait
from server.mail.reading.message import Reading
from server.mail.trust.results import Authentication
from server.mail.writing import context
from server.models import Game, Incoming, Player, Seat, session

ALLOWED = forms.names_with(Trait.HARMLESS) | joining.WAYS_IN.keys()  # where only From says who writes
OF_NO_GAME = forms.names_with(Trait.FOR_NEWCOMERS)
NEEDS_REPLY = "Send that line as an answer to this mail: the sender of a mail to this address can be forged."


@dataclass(frozen=True)
class Unproven:
    """A mail whose address proves nothing about its author, with the player whom From names."""

    row: Incoming
    reading: Reading
    authentication: Authentication
    player: Player
    parsed: grammar.Parsed

    @property
    def names(self) -> set[str]:
        """Return the names of the mail's commands."""
        return {command.name for command in self.parsed.commands}

    @property
    def own_words(self) -> Sequence[str]:
        """Return the player's own lines."""
        return grammar.own_words(self.reading.lines, self.reading.subject)

    @property
    def courtesy(self) -> Courtesy | None:
        """Return the kind of friendly words if the mail is nothing else, else None."""
        return None if self.names else courtesy_in(self.own_words)

    def request(self, place: Place, others: Sequence[Place] = ()) -> Request:
        """Return the mail as a request about a seat."""
        game = look_at_any(place.game.id, self.player)
        seat = game.seat_of_number(place.seat.number)
        request = Request(self.row, self.reading, None, game, seat, self.player, tuple(others))
        return replace(request, is_authentic=self.authentication.is_proof, has_passed=self.authentication.is_passed)


def obey(
    row: Incoming,
    reading: Reading,
    authentication: Authentication,
    parsed: grammar.Parsed,
    *,
    dead: Standing | None = None,
) -> str:
    """Do what a mail asks for if it changes nothing; return the verdict on the mail.

    For anything else the player gets an answer whose reply address carries proof. `dead` is the game of a reply address
    that is no longer valid.
    """
    player = player_in_from(reading)
    if player is None:
        return strangers.answer_at_play(row, reading, authentication, parsed)
    if not authentication.is_proven and answers.is_spent(player.id, branch_of(row)):
        return "unproven-unanswered"  # and not obeyed: nobody would hear of it
    mail = Unproven(row, reading, authentication, player, parsed)
    answered = _at_dead_address(mail, dead) if dead is not None else None
    return answered or _of_player(mail)


def _at_dead_address(mail: Unproven, game: Standing) -> str | None:
    """Answer a mail to the former reply address of `game`; return None if its commands are about no game.

    Other commands are not done: they would be done in another game of the player's.
    """
    names = mail.names
    is_start = names == {"start"} and joining.hosted_without_seat(mail.player)
    if is_start or (names and names <= OF_NO_GAME):
        return None
    if names and names <= without_game.OF_PLAYER and not _games_of(mail.player):
        return None
    if mail.courtesy is Courtesy.THANKS:
        return conversation.COURTESY
    games = _games_of(mail.player)
    details = sending.at_dead_address(mail.player, game, games, mail.reading.message_id)
    return _post(mail, details, "no-proof" if games else "no-game")


def _of_player(mail: Unproven) -> str:
    names = mail.names
    if names == {"start"} and (hosted := joining.hosted_without_seat(mail.player)):
        return _start(mail, hosted)
    games = _games_of(mail.player)
    if not games:
        return _of_player_without_game(mail)
    place, *others = games
    request = mail.request(place, others)
    if names <= ALLOWED:
        return conversation.obey(request, mail.parsed)
    return sending.advise(request, reply_from_template("no_proof"), "no-proof", " ".join(mail.reading.lines))


def _of_player_without_game(mail: Unproven) -> str:
    if mail.names & joining.WAYS_IN.keys():
        return _enter(mail)
    if mail.courtesy is Courtesy.THANKS:
        return conversation.COURTESY
    is_misread = not mail.names and mail.courtesy is None
    if is_misread:
        return _without_game(mail, misunderstood(mail.own_words))
    return _without_game(mail, without_game.reply_to(mail.player, mail.parsed.commands, mail.authentication))


def _games_of(player: Player) -> list[Place]:
    """Return the games a player sits in or is invited to, those that wait for them first, then by deadline."""
    mine = (Seat.player_id == player.id) | (Seat.invited_id == player.id)
    query = select(Game).join(Seat).where(mine, Game.status.in_(("running", "open")))
    found = []
    for row in session.scalars(query.order_by(Game.status.desc(), Game.due_at, Game.created_at)).unique():
        game = standing_of(row)
        seat = context.find_seat(game, player)
        assert seat is not None
        found.append(Place(game, seat))
    return sorted(found, key=lambda place: not is_awaited(*place))


def _enter(mail: Unproven) -> str:
    """Let a player who has no game enter one; the other commands of the mail are about that game."""
    ways = [command for command in mail.parsed.commands if command.name in joining.WAYS_IN]
    if len(ways) > 1:
        return _without_game(mail, replies.refused_whole(Problem("form", handlers.TWO_GAMES)))
    (first,) = ways
    try:
        with all_or_nothing():
            entered = joining.WAYS_IN[first.name](mail.player, first, is_proved=mail.authentication.is_proof)
    except Problem as problem:
        return _without_game(mail, replies.refused_whole(problem))
    assert entered.entered is not None
    request = mail.request(entered.entered)
    handlers.keep_question(request, entered)
    rest = [command for command in mail.parsed.commands if command is not first]
    allowed, refused = _allowed_and_refused(request, rest)
    request, behind = handlers.carry_out_rest(request, [command for command in allowed if command.name != "move"])
    return sending.answer(request, replies.combined([entered, *behind, *refused]))


def _allowed_and_refused(
    request: Request, commands: Sequence[forms.Command]
) -> tuple[list[forms.Command], list[Reply]]:
    """Return the commands that may be done, and the refusals of the others, which need a reply address."""
    allowed = [command for command in commands if request.is_authentic or command.name in ALLOWED]
    needs_reply = Problem("forbidden", NEEDS_REPLY)
    return allowed, [replies.refused(command.line, needs_reply) for command in commands if command not in allowed]


def _start(mail: Unproven, games: Sequence[Game]) -> str:
    """Start the game of a host without a seat, who has no reply address in it and may do nothing else by mail."""
    try:
        with all_or_nothing():
            game = joining.start_one(mail.player, games)
    except Problem as problem:
        return _without_game(mail, replies.refused_whole(problem))
    return _post(mail, sending.for_host(game, mail.reading.message_id), "no-game", game=game)


def _without_game(mail: Unproven, reply: Reply) -> str:
    """Answer a player who has no seat."""
    return _post(mail, sending.without_game(reply, mail.reading.message_id), "no-game", kept=reply.kept)


def _post(
    mail: Unproven,
    details: dict[str, Any],
    verdict: str,
    *,
    kept: dict[str, Any] | None = None,
    game: Standing | None = None,
) -> str:
    """Post an answer that comes from no seat; return the verdict on the mail.

    `game` is one that the player hosts without a seat, and that has just begun.
    """
    is_understood = bool(mail.names)
    at = answers.schedule(
        mail.player.id, is_proven=mail.authentication.is_proven, branch=branch_of(mail.row), is_urgent=is_understood,
        words=" ".join(mail.reading.lines) or mail.reading.subject, is_understood=is_understood, kept=kept,
    )  # fmt: skip
    if at is None:
        return f"{verdict}-unanswered"
    outbox_rows.post(mail.player.id, "answer" if game else "advice", game, details=details, cause=mail.row.id, at=at)
    return "obeyed" if game else verdict
