"""Mails of people without an account: one short answer a day, and an account with a YES.

Only somebody for whom SPF or DKIM has passed is answered, since anybody else's name may be forged. The answer says what
this is and how to begin, and its reply address proves who uses it. Nothing is made before a YES there, or before a
command that it names: then there is a player, and what they asked for is done.

A YES to an invitation makes the reader of the invited address a player with the seat. What the server writes to them
goes to that address and nowhere else, and not often.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from server.application.game import outbox_rows
from server.application.game.look import look_at_any, standing_of
from server.application.limits import answers
from server.application.lobby import invitations, seats
from server.application.mail.arrivals import branch_of
from server.application.mail.envelopes import UNPROVEN_STRANGER
from server.application.people import admission, names
from server.application.people.accounts import sign_up
from server.application.people.accounts.sign_up import accept_invitation
from server.application.people.players import add_player_without_token, name_like, with_email
from server.house_rules.standing import Standing
from server.language import forms, grammar
from server.language.answers import read_answer
from server.language.talk import language_to_answer
from server.language.wishes import wishes
from server.mail.commands import handlers, joining, moves, papers, sending, yes
from server.mail.commands import reply as replies
from server.mail.commands.reply import Mark, Reply, reply_from_template
from server.mail.commands.request import Mail, Request, sender_address
from server.mail.commands.unread import quoted_as_read
from server.mail.writing import sentences
from server.models import MailAnswer, Player, ReplyToken, Seat, session
from server.runtime import now
from server.runtime.address_marks import address_mark
from server.vocabulary.errors import Problem
from server.vocabulary.translation import ENGLISH, current, gettext, speak
from server.wording.seats import seat_label

OFFER = "offer"  # the name under which a stranger's command is kept with the answer
LANGUAGE = "language"
PRACTICE = "PLAY"  # what a YES does of somebody who has asked for nothing
_CONSENT = {"yes", "signup", *joining.WAYS_IN}
_REFUSAL = {"no", "stop"}
_NAME_OF_GAME = re.compile(r"\[[^\[\]]+\]")  # as the subjects of our mails have it


@dataclass(frozen=True)
class Stranger(Mail):
    """A mail of somebody without an account: the address they read, and whether they answer our explanation."""

    email: str
    is_asked: bool = False

    @cached_property
    def offered(self) -> str | None:
        """Return the line that a YES of theirs does, "" if they asked for nothing; None if they were told nothing."""
        kept: str | None = answers.newest_kept(address_mark(self.email), OFFER)
        return kept

    @cached_property
    def answer(self) -> str | None:
        """Return "yes" or "no" if that is what the mail says, in whatever words, and nothing else."""
        return read_answer(self.own_words) if self.names <= yes.ANSWERS and not self.reading.problem else None

    @property
    def accepts(self) -> bool:
        """Return True if the mail accepts an invitation: "I'd like to play!" does, and PLAY is about another game."""
        is_wish = self.names == {"play"} and all(each.line.lower() != "play" for each in self.parsed.commands)
        return self.answer == "yes" or is_wish

    @cached_property
    def commands(self) -> Sequence[forms.Command]:
        """Return the commands of the mail; of one without any other, what its words say: PLAY, or their answer."""
        if self.reading.problem or not self.names <= yes.ANSWERS:
            return self.parsed.commands
        # Words such as "ok" say yes only to a question.
        is_asked = self.is_asked or self.offered is not None or bool(self.names)
        if self.answer is not None and is_asked:
            return (forms.Command(self.answer, " ".join(self.own_words)),)
        likeliest = next(iter(wishes(self.own_words)), None)
        is_wish = likeliest is not None and likeliest.is_sure and likeliest.line == PRACTICE
        return (forms.Command("play", PRACTICE),) if is_wish and not self.names else ()

    @property
    def consents(self) -> bool:
        """Return True if the mail agrees to an account, in so many words or by what it asks for."""
        return not _CONSENT.isdisjoint(command.name for command in self.commands)

    @property
    def refuses(self) -> bool:
        """Return True if the mail says no, or wants no mail."""
        return not _REFUSAL.isdisjoint(command.name for command in self.commands)

    @property
    def way_in(self) -> forms.Command | None:
        """Return the command by which they enter a game."""
        return next((command for command in self.commands if command.name in joining.WAYS_IN), None)

    @property
    def wish(self) -> str:
        """Return the line by which they would enter a game, empty for none; a YES does it."""
        wanted = self.way_in
        if wanted is None:
            return ""
        return wanted.line if grammar.parse_line(wanted.line) else wanted.name.upper()

    @property
    def listed(self) -> Reply:
        """Return the reply to LIST, empty if they do not ask for it."""
        return joining.list_for(None) if any(command.name == "list" for command in self.commands) else Reply()

    @property
    def name(self) -> str:
        """Return the name that they get as a player."""
        return names.free_like(name_like(self.reading.from_name, otherwise=name_like(self.email.partition("@")[0])))


def _stranger(mail: Mail, email: str, asked_in: str | None = None) -> Stranger:
    """Return the author of a mail, to whom the language of its words is spoken, or that of our mail that it answers."""
    stranger = Stranger(mail.row, mail.reading, mail.authentication, email, asked_in is not None)
    speak(language_to_answer(mail.own_words) or asked_in or language_to_answer([mail.reading.subject]))
    return stranger


def answer_at_play(mail: Mail) -> str:
    """Answer a mail to the play address, once a day for each author; return the verdict on it."""
    email = sender_address(mail.reading)
    if email is None or not mail.authentication.is_passed:
        return UNPROVEN_STRANGER
    stranger = _stranger(mail, email)
    if stranger.refuses:
        return "stranger"
    if stranger.offered is not None and mail.authentication.is_proof and stranger.consents:
        return _enter(stranger)
    listed, wish = stranger.listed, stranger.wish
    answer_id = answers.schedule_for_stranger(email, _offer(wish) | (listed.kept or {}))
    if answer_id is None:
        return "stranger-unanswered"
    _post(stranger, answer_id, _explanation(stranger, wish, listed))
    return "stranger-answered"


def answer_to_offer(mail: Mail, answer_id: str) -> str:
    """Do what the answer to our explanation says, which nobody but its reader can have written."""
    offer, email = session.get(MailAnswer, answer_id), sender_address(mail.reading)
    if mail.authentication.is_failing or email is None:
        return "forged"
    if offer is None or offer.whom != address_mark(email) or offer.created_at <= now() - answers.KEPT:
        return answer_at_play(mail)
    stranger = _stranger(mail, email, (offer.kept or {}).get(LANGUAGE, ""))
    if stranger.consents:
        return _enter(stranger)
    listed = stranger.listed
    if stranger.refuses:
        told, verdict = reply_from_template("no", stays=()), "declined"
    else:
        read = "" if stranger.commands else quoted_as_read(mail.own_words)
        told, verdict = _explanation(stranger, (offer.kept or {}).get(OFFER, ""), listed, read), "stranger-answered"
    if (
        verdict == "stranger-answered" and not listed.blocks and yes.ANSWERS.isdisjoint(mail.names)
    ):  # nothing of it is understood
        if answers.schedule_for_stranger(email) is None:
            return "stranger-unanswered"
    elif answers.schedule(offer.whom, is_proven=False, words=" ".join(mail.reading.lines), kept=listed.kept) is None:
        return "stranger-unanswered"
    _post(stranger, answer_id, told)
    return verdict


def _answer_for_another(mail: Mail, game: Standing, asked_in: str) -> bool:
    """Answer somebody who accepts the invitation of another; return True if that was done.

    The seat stays reserved for the invited address: only its reader can take that. Where another is open they are
    offered that one, and else a practice game.
    """
    email = sender_address(mail.reading)
    if email is None or not mail.authentication.is_passed:
        return False
    stranger = _stranger(mail, email, asked_in)
    if not stranger.accepts:
        return False
    code = game.code if any(seat.is_free for seat in game.seats) else ""
    if (player := with_email(email)) is not None:
        return _answer_player_for_another(stranger, game, player, code)
    if admission.refusal_of(email, code) is not None:
        return False
    answer_id = answers.schedule_for_stranger(email, _offer(f"JOIN {code}" if code else PRACTICE))
    if answer_id is not None:
        facts = {"name": sentences.quoted(stranger.name), "game": game.name, "is_open": bool(code)}
        _post(stranger, answer_id, reply_from_template("stranger", **facts))
    return answer_id is not None


def _answer_player_for_another(mail: Stranger, game: Standing, player: Player, code: str) -> bool:
    is_proven, words = mail.authentication.is_proven, " ".join(mail.reading.lines)
    at = answers.schedule(player.id, is_proven=is_proven, branch=branch_of(mail.row), words=words)
    if at is not None:
        reply = reply_from_template("invitation", why="another's", game=game.name, code=code)
        outbox_rows.post(player.id, "advice", details=_details(mail, player.email, reply), cause=mail.row.id, at=at)
    return at is not None


# Entering ----------------------------------------------------------------------------------------


def _enter(mail: Stranger) -> str:
    """Add the author of a mail as a player, and do what they asked for; return the verdict on the mail."""
    email, wanted = mail.email, mail.way_in
    if wanted is None and any(command.name == "yes" for command in mail.commands):
        wanted = grammar.parse_line(mail.offered or PRACTICE)
    if (refused := _refusal(email, wanted)) is not None:
        if answers.schedule(address_mark(email), is_proven=False) is None:
            return "stranger-unanswered"
        _post(mail, None, reply_from_template("not_admitted", sentence=refused.sentence))
        return "not-admitted"
    player = add_player_without_token(mail.name, email)
    try:
        outcome = joining.WAYS_IN[wanted.name](player, _by_code(wanted, email), is_proved=True) if wanted else None
    except Problem as problem:
        return _welcome(mail, player, sentences.reason(problem.sentence))
    entered = None if outcome is None else replies.done(outcome)
    if entered is None or entered.entered is None:
        return _welcome(mail, player)
    place = entered.entered
    game = look_at_any(place.game.id, player)
    seat = game.seat_of_number(place.seat.number)
    request = Request(mail.row, mail.reading, None, game, seat, player, is_authentic=True)
    rest = [command for command in mail.commands if command is not wanted and command.name not in _CONSENT]
    request, behind = handlers.carry_out_rest(request, rest)
    marks, name = entered.marks & Mark.IN_TURN_MAIL, sentences.quoted(player.name)
    signed_up = reply_from_template("signed_up", marks, name=name)
    sending.answer(request, replies.combined([entered, signed_up, *behind]))
    return "signed-up"


def _refusal(email: str, wanted: forms.Command | None) -> Problem | None:
    """Return why a stranger may not become a player; None if they may. The number of a list is no invitation."""
    return admission.refusal_of(email, joining.code_of(wanted) if wanted is not None and wanted.name == "join" else "")


def _by_code(command: forms.Command, email: str) -> forms.Command:
    """Return a JOIN with the number of a list as one with the code of that game."""
    return joining.with_code(command, address_mark(email)) if command.name == "join" else command


def _welcome(mail: Mail, player: Player, reason: str = "") -> str:
    sign_up.welcome(player, reason=reason, in_reply_to=mail.reading.message_id, cause=mail.row.id)
    return "signed-up"


# The explanation -----------------------------------------------------------------------------------


def _explanation(mail: Stranger, wish: str, listed: Reply, read: str = "") -> Reply:
    """Return the reply that says what this is and what a YES does.

    To an answer that is none it says instead what was `read`.
    """
    wanted = grammar.parse_line(wish)
    if (problem := _refusal(mail.email, wanted)) is not None:
        return reply_from_template("not_admitted", sentence=problem.sentence)
    facts: dict[str, Any] = {"read": read, "way": wanted.name if wanted else wish.lower()}
    facts |= {"wish": sentences.quoted(wish) if wish else "", "names_game": _NAME_OF_GAME.search(mail.reading.subject)}
    told = reply_from_template("stranger", name=sentences.quoted(mail.name), **facts)
    return replies.combined([told, Reply(blocks=listed.blocks)])


def _offer(wish: str) -> dict[str, str]:
    """Return what is kept with an explanation: what a YES does, and the language of the explanation."""
    return {OFFER: wish} if current() == ENGLISH else {OFFER: wish, LANGUAGE: current()}


def _post(mail: Stranger, answer_id: str | None, reply: Reply) -> None:
    """Post an answer, to which its reader answers at an address of its own if there is an `answer_id`."""
    details = sending.letter(reply, gettext("Scotland Yard by mail."), mail.reading.message_id)
    details |= {"title": f"Black Ticket: {reply.title}", "to": mail.email, "offer": answer_id}
    outbox_rows.post(None, "stranger", details=details, cause=mail.row.id)


# Answers to invitations ----------------------------------------------------------------------------


def answer_invitation(mail: Mail, token: ReplyToken, seat: Seat) -> str:
    """Do what the reader of an invited address asks for; return the verdict on the mail.

    Somebody to whom the invitation was forwarded is told how to take another seat of the game.
    """
    assert seat.invitation is not None
    asked_in = session.get_one(Player, seat.invitation.host_id).language
    guest = _stranger(mail, seat.invitation.email or "", asked_in)
    if [address.lower() for address in mail.reading.from_addresses] != [guest.email]:
        if _answer_for_another(mail, standing_of(seat.game), asked_in):
            return "forwarded-invitation"
        return _advise(guest, reply_from_template("invitation", why="elsewhere"), "other-sender", seat)
    if guest.accepts:
        try:
            accepted = accept_invitation.decide(seat, replace(guest, email=mail.reading.from_addresses[0]).name)
        except Problem as problem:
            about = reply_from_template("invitation", reason=sentences.reason(problem.sentence))
            return _advise(guest, about, problem.code, seat)
        return accepted.then(lambda player: _accepted(mail, token, player)).write()
    if guest.answer == "no" or mail.names == {"stop"}:
        return _decline(guest, seat, stops="stop" in mail.names)
    if mail.names == {"rules"}:
        rules = papers.rules_of_game(standing_of(seat.game))
        told, verdict = replies.combined([rules, reply_from_template("invitation")]), "rules"
    else:
        told, verdict = reply_from_template("invitation", **_why_unanswered(mail)), "unreadable"
    return _advise(guest, told, verdict, seat)


def answer_too_late(mail: Mail, token: ReplyToken) -> str | None:
    """Tell a person who was invited once, and is not a player, that it is over; return None for anybody else."""
    sender = mail.reading.from_addresses[0].lower() if len(mail.reading.from_addresses) == 1 else ""
    host = invitations.inviter(token.nonce, sender) if sender and with_email(sender) is None else None
    if host is None:
        return None
    return _advise(
        _stranger(mail, sender, host.language), reply_from_template("invitation", why="too-late"), "too-late"
    )


def _accepted(mail: Mail, token: ReplyToken, player: Player) -> str:
    game = look_at_any(token.game_id, player)
    own = game.seat_of_player(player.id)
    reply = reply_from_template(
        "accepted", role=seat_label(own), name=sentences.quoted(player.name), is_running=game.status == "running"
    )
    sending.answer(Request(mail.row, mail.reading, token, game, own, player), reply)
    return "accepted"


def _decline(mail: Stranger, seat: Seat, *, stops: bool) -> str:
    if stops:
        invitations.refuse(seat)
    seats.decline(seat)
    reply = reply_from_template("invitation_declined", stops=stops)
    outbox_rows.post(None, "answer", details=_details(mail, mail.email, reply), cause=mail.row.id)
    return "declined"


def _why_unanswered(mail: Mail) -> dict[str, str]:
    """Return what the advice says of a mail that is no answer: why it cannot be read, or the words that were read."""
    if not mail.reading.problem:
        return {"read": quoted_as_read(mail.own_words, moves.MOST_QUOTED)}
    return {"question": " ".join(reply_from_template("unreadable", problem=mail.reading.problem).texts)}


def _advise(mail: Stranger, reply: Reply, verdict: str, seat: Seat | None = None) -> str:
    is_theirs = [address.lower() for address in mail.reading.from_addresses] == [mail.email]
    at = answers.schedule(address_mark(mail.email), is_proven=is_theirs, words=" ".join(mail.reading.lines))
    if at is None:
        return f"{verdict}-unanswered"
    details = _details(mail, mail.email, reply) | ({"seat": seat.number} if seat else {})
    outbox_rows.post(None, "advice", seat.game if seat else None, details=details, cause=mail.row.id, at=at)
    return verdict


def _details(mail: Mail, email: str, reply: Reply) -> dict[str, Any]:
    return sending.letter(reply, gettext("About your invitation."), mail.reading.message_id) | {"to": email}
