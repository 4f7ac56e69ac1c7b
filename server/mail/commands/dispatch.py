"""Command dispatch: find out from the address of a mail who may act by it, and in which game.

Mails to the play address, or to a reply address that is no longer valid, prove nothing, and change nothing.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import func, select

from server.application.game import held_moves, outbox_rows, reply_addresses
from server.application.game.access import locked
from server.application.game.look import look_at_any, standing_of
from server.application.game.waiting import is_awaited
from server.application.limits import answers
from server.application.mail import mail_frequency
from server.application.mail.arrivals import branch_of
from server.application.play.absences import lock_with_games
from server.house_rules.standing import Standing
from server.language import forms, grammar
from server.language.forms import Trait
from server.language.talk import Courtesy, courtesy_in, speaks_against
from server.mail.commands import (
    asking,
    conversation,
    handlers,
    holding,
    joining,
    papers,
    seats,
    sending,
    settings,
    strangers,
    unknown_senders,
)
from server.mail.commands import reply as replies
from server.mail.commands.reply import Mark, Outcome, Reply, reply_from_template
from server.mail.commands.request import Mail, Place, Request, parse, player_in_from, seat_of_token
from server.mail.commands.signatures import without_signature
from server.mail.commands.unread import misunderstood
from server.mail.reading.message import Kind, Reading
from server.mail.trust.results import Authentication
from server.mail.writing import links, seating
from server.models import Game, Incoming, Player, ReplyToken, Seat, session
from server.runtime import runtime
from server.vocabulary.errors import Problem, refusal
from server.vocabulary.translation import ENGLISH, gettext, gettext_noop, speak, speaking

LOCK_GAMES = forms.names_with(Trait.LOCKS_GAMES)
ALLOWED = forms.names_with(Trait.HARMLESS) | joining.WAYS_IN.keys()  # where only From says who writes
OF_NO_GAME = forms.names_with(Trait.FOR_NEWCOMERS)
OF_PLAYER = forms.names_with(Trait.OF_PLAYER)
NEEDS_A_GAME = gettext_noop("That is done in an answer to a mail of ours about a game, which proves that you wrote it.")
NEEDS_REPLY = gettext_noop(
    "Send that line as an answer to this mail: the sender of a mail to this address can be forged."
)


@speaking(ENGLISH)
def obey(row: Incoming, reading: Reading, authentication: Authentication) -> str:
    """Do what the mail asks for within the open transaction; return the verdict. Its author's language is spoken."""
    if any(map(runtime().settings.owns, reading.from_addresses)):
        return Kind.LOOP  # a machine, or somebody who pretends to be this server: neither is answered
    own = tuple(line for line in reading.wrapped_off if not speaks_against(line))  # a player's, wherever it stands
    token, mail = reply_addresses.find(row.recipient), Mail(row, replace(reading, wrapped_off=own), authentication)
    if token is not None:
        return _with_token(mail, token)
    if authentication.is_failing:
        return "forged"
    purpose, answer_id = reply_addresses.of_mail(row.recipient) or ("", "")
    if purpose == reply_addresses.OFFER and player_in_from(reading) is None:
        return strangers.answer_to_offer(mail, answer_id)
    if purpose != reply_addresses.OFFER and not reply_addresses.is_play(row.recipient):
        return "unknown-address"
    return _of_unproven(mail)


def _with_token(mail: Mail, token: ReplyToken) -> str:
    game = standing_of(_locked(token, mail.parsed))
    seat = seat_of_token(game, token)
    holder = (seat.player_id or seat.invited_id) if seat is not None else None
    if holder is None and mail.authentication.is_failing:
        return "forged"
    if seat is None:
        return strangers.answer_too_late(mail, token) or _of_unproven(mail, dead=game)
    if holder is None:
        return strangers.answer_invitation(mail, token, session.get_one(Seat, (game.id, seat.number)))
    writer = player_in_from(mail.reading)  # usually the holder, whom the session has loaded then
    player = session.get_one(Player, holder)
    speak(player.language)
    request = Request(mail.row, mail.reading, token, look_at_any(game.id, player), seat, player)
    if (turned_away := unknown_senders.turn_away(request, writer, mail.authentication)) is not None:
        return turned_away
    signed = without_signature(request, mail.parsed)
    return conversation.obey(signed, mail.parsed if signed is request else parse(signed.reading))


def _locked(token: ReplyToken, parsed: grammar.Parsed) -> Game:
    """Lock the game of a token, and with it those that the mail joins, in one order; return the game.

    Before them, in the order of `lock_with_games`, the player whom the mail may change.
    """
    games = [token.game_id, *joining.joined(parsed.commands)]
    if LOCK_GAMES & {command.name for command in parsed.commands}:
        whose = select(func.coalesce(Seat.player_id, Seat.invited_id))
        holder = session.scalar(whose.where(Seat.game_id == token.game_id, Seat.number == token.seat))
        if holder is not None:
            lock_with_games(holder, *games)
    elif len(games) > 1:
        session.execute(select(Game.id).where(Game.id.in_(games)).order_by(Game.id).with_for_update())
    return locked(token.game_id)


# The play address, and reply addresses that are no longer valid ---------------------------------------


@dataclass(frozen=True)
class Unproven(Mail):
    """A mail whose address proves nothing about its author, with the player whom From names."""

    player: Player

    @property
    def courtesy(self) -> Courtesy | None:
        """Return the kind of friendly words if the mail is nothing else, else None."""
        return None if self.names else courtesy_in(self.own_words)

    def request(self, place: Place, others: Sequence[Place] = ()) -> Request:
        """Return the mail as a request about a seat."""
        game = look_at_any(place.game.id, self.player)
        seat = game.seat_of_number(place.seat.number)
        proof = self.authentication
        return Request(
            self.row, self.reading, None, game, seat, self.player, tuple(others),
            is_authentic=proof.is_proof, has_passed=proof.is_passed, has_command=bool(self.names),
        )  # fmt: skip


def _of_unproven(mail: Mail, *, dead: Standing | None = None) -> str:
    """Do what a mail asks for if it changes nothing; return the verdict on the mail.

    For anything else the player gets an answer whose reply address carries proof. `dead` is the game of a reply address
    that is no longer valid.
    """
    player = player_in_from(mail.reading)
    if player is None:
        return strangers.answer_at_play(mail)
    speak(player.language)
    if not mail.authentication.is_proven and answers.is_spent(player.id, branch_of(mail.row)):
        return "unproven-unanswered"  # and not obeyed: nobody would hear of it
    unproven = Unproven(mail.row, mail.reading, mail.authentication, player)
    answered = _at_dead_address(unproven, dead) if dead is not None else None
    return answered or _of_player(unproven)


def _at_dead_address(mail: Unproven, game: Standing) -> str | None:
    """Answer a mail to the former reply address of `game`; return None if its commands are about no game.

    Other commands are not done: they would be done in another game of the player's.
    """
    names = mail.names
    is_start = names == {"start"} and seats.hosted_without_seat(mail.player)
    if is_start or (names and names <= OF_NO_GAME):
        return None
    if names and names <= OF_PLAYER and not _games_of(mail.player):
        return None
    if mail.courtesy is Courtesy.THANKS:
        return conversation.COURTESY
    games = _games_of(mail.player)
    details = sending.at_dead_address(mail.player, game, games, mail.reading.message_id)
    return _post(mail, details, "no-proof" if games else "no-game")


def _of_player(mail: Unproven) -> str:
    names = mail.names
    if names == {"start"} and (hosted := seats.hosted_without_seat(mail.player)):
        return _start(mail, hosted)
    games = _games_of(mail.player)
    if not games:
        return _of_player_without_game(mail)
    place, *others = games
    request = mail.request(place, others)
    if names <= ALLOWED:
        return conversation.obey(request, mail.parsed)
    reply = reply_from_template("no_proof", is_waiting=bool(holding.waiting(request)))
    return sending.advise(request, holding.stopped_by_answer(request, reply), "no-proof")


def _of_player_without_game(mail: Unproven) -> str:
    if mail.names & joining.WAYS_IN.keys():
        return _enter(mail)
    if mail.courtesy is Courtesy.THANKS:
        return conversation.COURTESY
    is_misread = not mail.names and mail.courtesy is None
    if is_misread:
        return _without_game(mail, misunderstood(mail.own_words))
    if mail.authentication.is_proof:
        settings.speak_as_set(mail.parsed.commands)
    return _without_game(mail, replies.combined([_reply_to(mail, command) for command in mail.parsed.commands]))


def _games_of(player: Player) -> list[Place]:
    """Return the games a player sits in or is invited to, those with a held move first, then those that wait."""
    mine = (Seat.player_id == player.id) | (Seat.invited_id == player.id)
    query = select(Game).join(Seat).where(mine, Game.status.in_(("running", "open")))
    found = []
    for row in session.scalars(query.order_by(Game.status.desc(), Game.due_at, Game.created_at)).unique():
        game = standing_of(row)
        seat = seating.find_seat(game, player)
        assert seat is not None
        found.append(Place(game, seat))
    return sorted(found, key=lambda place: (not held_moves.has_any(*place), not is_awaited(*place)))


def _enter(mail: Unproven) -> str:
    """Let a player who has no game enter one; the other commands of the mail are about that game."""
    ways = [command for command in mail.parsed.commands if command.name in joining.WAYS_IN]
    if len(ways) > 1:
        return _without_game(mail, replies.refused_whole(refusal("form", handlers.TWO_GAMES, is_public=True)))
    (first,) = ways
    try:
        outcome = joining.WAYS_IN[first.name](mail.player, first, is_proved=mail.authentication.is_proof)
    except Problem as problem:
        return _without_game(mail, replies.refused_whole(problem))
    entered = replies.done(outcome)
    assert entered.entered is not None
    request = mail.request(entered.entered)
    rest = [command for command in mail.parsed.commands if command is not first]
    allowed, refused = _allowed_and_refused(request, rest)
    request, behind = handlers.carry_out_rest(request, [command for command in allowed if command.name != "move"])
    return sending.answer(request, replies.combined([entered, *behind, *refused]))


def _allowed_and_refused(
    request: Request, commands: Sequence[forms.Command]
) -> tuple[list[forms.Command], list[Reply]]:
    """Return the commands that may be done, and the refusals of the others, which need a reply address."""
    allowed = [command for command in commands if request.is_authentic or command.name in ALLOWED]
    needs_reply = refusal("forbidden", NEEDS_REPLY)
    return allowed, [replies.refused(command.line, needs_reply) for command in commands if command not in allowed]


def _start(mail: Unproven, games: Sequence[Game]) -> str:
    """Start the game of a host without a seat, who has no reply address in it and may do nothing else by mail."""
    try:
        started = seats.start_one(mail.player, games)
    except Problem as problem:
        return _without_game(mail, replies.refused_whole(problem))
    game = started.write()
    if mail_frequency.frequency_of(mail.player, game.id) in sending.AT_ONCE:
        return "obeyed"  # the mail of the start is the answer
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


# Commands of a player who has no game ----------------------------------------------------------------


def _reply_to(mail: Unproven, command: forms.Command) -> Reply:
    """Return the reply to a command; empty if it is about a game."""
    act = HANDLERS.get(command.name)
    if act is not None and (mail.authentication.is_proof or command.name not in OF_PLAYER):
        return replies.attempted(command.line, lambda: act(mail.player, command))
    return replies.refused(command.line, _needs_a_game()) if command.name in OF_PLAYER else Reply()


def _needs_a_game() -> Problem:
    way = gettext("PLAY begins a game whose mails you can answer.")
    if site := links.site():
        page = f"{site}/me/settings"
        way = gettext("Your settings are on {page}.", page=page)
    return Problem("forbidden", f"{gettext(NEEDS_A_GAME)} {way}")


HANDLERS: dict[str, Callable[[Player, forms.Command], Outcome]] = {
    "help": lambda _, command: asking.help_with_all() if command.text.strip("? ") else Reply(),
    "list": lambda player, _: joining.list_for(player),
    "signup": lambda _, __: reply_from_template("signed_up_already", Mark.NO_GAME),
    "rules": lambda _, command: papers.rules_of(command.text),
    "map": lambda _, command: papers.map_of(command.text),
    "set": settings.change,
    "set_mail": settings.choose_mail,
    "stop": lambda player, _: settings.stop(player),
}
