"""Getting into a game by mail: NEW, JOIN, INVITE, REMATCH, and START for a host who does not play."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple, Protocol

from sqlalchemy import func, select

from server import bots, clock
from server.application.game import pace
from server.application.game.deciding import Decided
from server.application.game.look import look
from server.application.game.state import edition_of
from server.application.limits import answers
from server.application.lists import listing
from server.application.lobby import (
    hosting,
    invitations,
    opening,
    rematches,
    seats,
)
from server.engine import USUAL, Edition
from server.house_rules.standing import Sight, Standing
from server.language import forms
from server.mail.commands import reply as replies
from server.mail.commands.reply import Handler, Mark, Outcome, Question, Reply, reply_from_template
from server.mail.commands.request import Place, Request
from server.mail.commands.seats import taken
from server.mail.writing import sentences
from server.models import Game, Player, session
from server.runtime import now, runtime
from server.vocabulary.durations import DAY
from server.vocabulary.errors import Problem, refusal
from server.vocabulary.limits import UNPROVEN_GAMES
from server.vocabulary.translation import gettext, gettext_noop, ngettext
from server.vocabulary.words import counted
from server.wording.rules import changed
from server.wording.seats import SEATING, seat_label

LETTERS_OF_A_YEAR = 4  # a number of so many digits is part of the name of an edition
MOST_LISTED = 20
LONGEST_NUMBER = 2  # digits; a code is longer
LISTED = "games"  # the name under which the games of a list are kept with the answer
TOO_MANY = gettext_noop(
    "Ten games of yours were opened within a day, and the sender of a mail can be forged. Send the line as an answer "
    "to any mail of ours that is about a game, or through the API."
)
GIVEN_TO_WHO_PROVES = gettext_noop(
    "The game runs, and you would take the seat of another player. As the sender of a mail can be forged, send the "
    "line in an answer to any mail of ours that is about a game, or take the seat on the page of the game."
)


@dataclass(frozen=True)
class GoPublic(Question):
    """The question whether to invite people, each to the seat of that number, and to list the game if `is_listed`."""

    invitations: tuple[tuple[int, str], ...]
    is_listed: bool

    def words(self, _request: Request) -> Reply:
        """Return the question whether others may see the new game."""
        unsent = sentences.each_quoted(who for _, who in self.invitations)
        return reply_from_template("go_public", unsent=unsent, is_unlisted=self.is_listed)

    def yes(self, request: Request) -> Outcome:
        """Send the invitations and list the game; the reply names each invitation that is refused.

        Raises:
            Problem: all of them are.
        """
        waiting, refusals = list(self.invitations), list[Reply]()
        while waiting:
            number, who = waiting.pop(0)
            try:
                first = _invitation(request, number, who)
            except Problem as problem:
                refusals.append(replies.refused(who, problem))
            else:
                return first.then(partial(_gone_public, request, self, refusals, [who], waiting))
        if refusals:
            raise refusals[0].refused[0].problem
        return Decided(partial(_gone_public, request, self, [], [], []))


class WayIn(Protocol):
    """A command that brings a player into a game; `is_proved`: the player is known to have written the mail.

    What others would see of it waits for a YES where only From says who wrote.
    """

    def __call__(self, player: Player, command: forms.Command, *, is_proved: bool) -> Outcome:
        """Decide on entering the game, which is that of `Reply.entered`; raise `Problem` if that cannot be done."""
        ...


# Commands ----------------------------------------------------------------------------------------


def invite(request: Request, command: forms.Command) -> Outcome:
    """INVITE somebody to the first open seat."""
    who = command.text.strip('"')
    invited = seats.invite.decide(request.game.id, request.player, None, opening.read_guest(who))
    return invited.then(lambda _: reply_from_template("invite", who=sentences.quoted(who)))


def rematch(request: Request, _command: forms.Command) -> Outcome:
    """REMATCH, in an answer to a mail of a game that is over."""
    return rematches.rematch.decide(request.game.id, request.player).then(lambda game: _rematch(request, game))


def _rematch(request: Request, game: Standing) -> Reply:
    place = Place.of(game, request.player)
    alone = place.game.is_against_bots(place.seat)
    reply = reply_from_template(
        "rematch",
        Mark.LEADS,
        name=game.name,
        seating=gettext(SEATING[game.seating]),
        is_against_bots=alone,
        has_begun=game.status != "open",
        **_how_to_fill(game, request.player),
    )
    return replace(reply, entered=place)


def _gone_public(
    request: Request,
    question: GoPublic,
    refusals: Sequence[Reply],
    invited: Sequence[str],
    waiting: Sequence[tuple[int, str]],
    _first: Reply | None = None,
) -> Reply:
    """Send the invitations that still wait, each of which depends on those before it, and list the game."""
    tried = [(who, _invite(request, number, who)) for number, who in waiting]
    refusals = [*refusals, *(reply for _, reply in tried if reply.is_refusal)]
    invited = [*invited, *(who for who, reply in tried if not reply.is_refusal)]
    if question.is_listed:
        hosting.publish(request.game.id, request.player)
    done = reply_from_template("published", invited=sentences.each_quoted(invited), is_listed=question.is_listed)
    return replies.combined([done, *refusals]).marked(Mark.LEADS | Mark.ANSWERS)


def _invite(request: Request, number: int, who: str) -> Reply:
    """Invite somebody to a seat; return the refusal if that cannot be done."""
    return replies.attempted(who, lambda: _invitation(request, number, who))


def _invitation(request: Request, number: int, who: str) -> Decided[Reply]:
    invited = seats.invite.decide(request.game.id, request.player, number, opening.read_guest(who))
    return invited.then(lambda _: Reply())


# Opening a game ----------------------------------------------------------------------------------


def open_game(player: Player, command: forms.Command, *, is_proved: bool) -> Outcome:
    """Open the game that NEW describes, and send its invitations unless they wait for a YES."""
    text, guests = forms.new_game(command.text)
    options = _read_options(text)
    _check_number(options)
    around = [opening.read_guest(who.strip('"')) for who in guests]
    seats = opening.arrange_seats(
        player, options.edition, around, people=options.people, sits=options.role or "anywhere"
    )
    invitations.guests(player, seats)  # a name that nobody has is refused before anything is done
    if not is_proved:
        _check_not_too_many(player)
    is_unlisted = not is_proved and options.visibility == "public"
    unsent = [] if is_proved else [(n, seat.pop("invite")) for n, seat in enumerate(seats, 1) if "invite" in seat]
    opened = opening.open_game.decide(
        player,
        options.edition.name,
        options=options.rules,
        clock=options.clock,
        seats=seats,
        seating=options.seating or ("chosen" if options.role else "lot"),
        visibility="private" if is_unlisted else options.visibility,
    )
    question = GoPublic(tuple(unsent), is_unlisted) if unsent or is_unlisted else None

    def reply(game: Sight) -> Reply:
        told = reply_from_template(
            "new",
            Mark.LEADS,
            opened=counted(
                len(seats), "You have opened a game of one player.", "You have opened a game of {n} players."
            ),
            edition=game.edition,
            changed=changed(edition_of(game)),
            longest=pace.longest_in_words(game),
            seating=gettext(SEATING[game.seating]),
            invited=sentences.each_quoted(seat["invite"] for seat in seats if "invite" in seat),
            unsent=sentences.each_quoted(who for _, who in unsent),
            is_unlisted=is_unlisted,
            **_how_to_fill(game, player),
        )
        return replace(told, question=question, entered=Place.of(game, player))

    return opened.then(reply)


def _is_for(edition: Edition, people: int) -> bool:
    numbers = edition.options["players"]
    return bool(min(numbers) <= people <= max(numbers))


def _check_number(options: "_Options") -> None:
    """Raise `Problem` if the edition is not for that many people, with those that are."""
    allowed = options.edition.options["players"]
    if options.people is None or _is_for(options.edition, options.people):
        return
    others = [sentences.edition_title(name) for name in Edition.names() if _is_for(Edition.named(name), options.people)]
    sentence = gettext(
        "The edition {edition} is for {fewest} to {most} people, Mr. X included, not {n}.", n=options.people,
        edition=sentences.edition_title(options.edition.name), fewest=min(allowed), most=max(allowed),
    )  # fmt: skip
    if others:
        sentence += " " + gettext("For {n} there is {editions}.", n=options.people, editions=sentences.join(others))
    raise Problem("form", sentence)


def _check_not_too_many(host: Player) -> None:
    """Raise `Problem` if too many games were opened in the name of this player within a day, by mails without proof."""
    recent = (Game.host_id == host.id, Game.created_at > now() - DAY)
    if (session.scalar(select(func.count()).select_from(Game).where(*recent)) or 0) >= UNPROVEN_GAMES.most:
        raise refusal("enough", TOO_MANY)


def practise(player: Player, command: forms.Command, *, is_proved: bool) -> Outcome:
    """Begin the practice game that PLAY describes; the player is a detective unless they ask for Mr. X."""
    options = _read_options(command.text)
    if not is_proved:
        _check_not_too_many(player)
    role, level = options.role or "detective", options.level or bots.FIRST

    def reply(game: Sight) -> Reply:
        place = Place.of(game, player)
        told = reply_from_template("practice", Mark.LEADS | Mark.IN_TURN_MAIL, role=seat_label(place.seat), level=level)
        return replace(told, entered=place)

    return opening.practice.decide(player, role, options.edition.name, options.people, level=level).then(reply)


class _Options(NamedTuple):
    """The options of NEW."""

    edition: Edition
    rules: dict[str, Any]
    clock: dict[str, Any]
    people: int | None
    role: str | None
    seating: str | None
    level: str | None
    visibility: str


def _read_options(text: str) -> _Options:
    """Read the options of NEW, in any order."""
    words = re.sub(r",(?= )| by | as |\b(?:with|the|whole)\b|\bplayers?=?\b(?!=)", " ", f" {_with_mr_x(text)} ").split()
    found: dict[str, Any] = {"visibility": "private"}
    rules: dict[str, Any] = {}
    lateness: dict[str, Any] = {}
    for word in words:
        name, is_option, value = word.partition("=")
        if word.isdigit() and len(word) < LETTERS_OF_A_YEAR:
            found["people"] = int(word)
        elif word in ("mr_x", "detective", "team"):
            found["role"] = word
        elif word in ("lot", "rotation"):
            found["seating"] = word
        elif word in bots.LEVELS:
            found["level"] = word
        elif word in ("public", "private"):
            found["visibility"] = word
        elif is_option:
            (lateness if name in clock.LATE else rules)[name] = _value(value)
        else:
            found["edition"] = _edition(word)
    edition = found.pop("edition", None) or Edition.named(USUAL)
    rules = {name: _as_in(edition, name, value) for name, value in rules.items()}
    choices = (found.get("people"), found.get("role"), found.get("seating"), found.get("level"), found["visibility"])
    return _Options(edition, rules, lateness, *choices)


def _with_mr_x(text: str) -> str:
    """Return the text in lower case, in which Mr. X is written as in the API."""
    return re.sub(forms.MR_X, "mr_x", text.lower())


def _edition(word: str) -> Edition:
    meant = [name for name in Edition.names() if name.startswith(word) or word in name.split("-")]
    meant = [USUAL] if USUAL in meant else meant
    if len(meant) != 1:
        editions = sentences.join(list(map(sentences.typed, Edition.names())))
        raise refusal("form", "There is no edition {word}; there are {editions}.", word=repr(word), editions=editions)
    return Edition.named(meant[0])


def _as_in(edition: Edition, name: str, value: Any) -> Any:
    """Return a value in the form that the option has in an edition: a list, or all kinds of tickets."""
    usual = edition.rules.get(name)
    whole = {**usual, **value} if isinstance(usual, dict) and isinstance(value, dict) else value
    return [value] if isinstance(usual, list) and isinstance(value, int) else whole


def _value(text: str) -> Any:
    """Return the value of an option: `3,8,13` is a list, and `taxi:10,bus:8` has a value for each name."""
    parts = [part.partition(":") for part in text.split(",")]
    if all(colon for _, colon, _ in parts):
        return {name: _value(value) for name, _, value in parts}
    if len(parts) > 1:
        return list(map(_value, text.split(",")))
    if text.isdigit():
        return int(text)
    return {"true": True, "on": True, "yes": True, "false": False, "off": False, "no": False}.get(text, text)


# Joining -----------------------------------------------------------------------------------------


def join_by_code(player: Player, command: forms.Command, *, is_proved: bool) -> Outcome:
    """Take a seat in the game with the code that JOIN names, or with the number that it had in the newest list."""
    code, role_name = _code_and_role(with_code(command, player.id))
    game = session.scalar(select(Game).where(Game.code == code))
    if game is None:
        raise refusal("not-found", "There is no game with that code, or it is not yours to see.")
    is_running = look(game.id, player, code=code).status == "running"
    try:
        if is_running and not is_proved:
            raise refusal("forbidden", GIVEN_TO_WHO_PROVES)
        joined = seats.join.decide(game.id, player, code=code, role=role_name or None)
    except Problem as problem:  # the answer can be about another game
        sentence = gettext("No seat of {game} was taken. {why}", game=game.name, why=problem.sentence)
        raise Problem(problem.code, sentence, **problem.facts) from None
    return joined.then(lambda found: taken(Place.of(found, player), seating=found.seating))


def joined(commands: Iterable[forms.Command]) -> Sequence[str]:
    """Return the ids of the games that these commands name by their codes."""
    codes = [_code_and_role(command)[0] for command in commands if command.name == "join"]
    return session.scalars(select(Game.id).where(Game.code.in_(codes))).all() if codes else []


def list_for(player: Player | None) -> Reply:
    """Return the reply to LIST, to a stranger too; `Reply.kept` is what a later JOIN with a number refers to."""
    games = listing.joinable(player, limit=MOST_LISTED)
    lines, any_mr_x = list(map(_listed, games)), any(map(_is_mr_x_next, games))
    reply = reply_from_template("list", Mark.NO_GAME | Mark.REFERENCE, games=lines, any_mr_x=any_mr_x)
    return replace(reply, kept={LISTED: [game.code for game in games]})


def _is_mr_x_next(game: Standing) -> bool:
    free = [seat for seat in game.seats if seat.is_free]
    return game.seating == "chosen" and bool(free) and free[0].role == "mr_x"


def _listed(game: Standing) -> str:
    """Return a game as an item of a list: its name, rules, seats and clock."""
    free = sum(seat.is_free for seat in game.seats)
    told = {
        "game": game.name,
        "edition": sentences.edition_title(game.edition),
        "players": counted(len(game.seats), "one player", "{n} players"),
        "clock": clock.describe(clock.with_defaults(game.clock)),
    }
    seats = ngettext("one seat free", "{n} seats free", free, n=sentences.number(free))
    if _is_mr_x_next(game):
        seats = gettext("{seats}; the next is Mr. X's", seats=seats)
    return gettext("{game}, by the rules of {edition}, for {players} ({seats}). {clock}", seats=seats, **told)


def with_code(command: forms.Command, whom: str) -> forms.Command:
    """Return a JOIN with a number as one with the code of the game that had it in the newest list sent to `whom`.

    Raises:
        Problem: no game had it.
    """
    number, role_name = _code_and_role(command)
    if not number.isdigit() or len(number) > LONGEST_NUMBER:
        return command
    codes: list[str] = answers.newest_kept(whom, LISTED) or []
    if not 1 <= int(number) <= len(codes):
        raise refusal("not-found", "No game had that number in the last list that you got. Send LIST for a new one.")
    return replace(command, text=codes[int(number) - 1] + (f" as {role_name}" if role_name else ""))


def code_of(command: forms.Command) -> str:
    """Return the code of a game that JOIN names, or the number in a list if it names that."""
    return _code_and_role(command)[0]


def _code_and_role(command: forms.Command) -> tuple[str, str]:
    code, _, role_name = _with_mr_x(command.text).partition(" as ")
    return code.removeprefix("#"), role_name


WAYS_IN: dict[str, WayIn] = {"new": open_game, "join": join_by_code, "play": practise}


def _how_to_fill(game: Standing, player: Player) -> dict[str, Any]:
    return {
        "code": game.code,
        "is_host": game.host_id == player.id,
        "play_address": runtime().settings.play_address,
        "is_full": game.is_complete,
        "is_given": all(seat.is_taken or seat.is_reserved for seat in game.seats),
    }


HANDLERS: dict[str, Handler] = {
    "new": lambda request, command: open_game(request.player, command, is_proved=request.is_proved),
    "join": lambda request, command: join_by_code(request.player, command, is_proved=request.is_proved),
    "play": lambda request, command: practise(request.player, command, is_proved=request.is_proved),
    "list": lambda request, _: list_for(request.player),
    "signup": lambda *_: reply_from_template("signed_up_already", Mark.NO_GAME),
    "invite": invite,
    "rematch": rematch,
}
