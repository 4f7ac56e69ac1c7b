"""Getting into a game by mail: NEW, JOIN, INVITE, REMATCH, and START for a host who does not play."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Any, NamedTuple, Protocol

from sqlalchemy import func, select

from server.application.deciding import all_or_nothing
from server.application.errors import Problem
from server.application.game import reply_addresses, views
from server.application.game.access import seat_of, visible
from server.application.seats import invitations, lobby, rematches
from server.engine import Edition
from server.mail.commands.request import Errand
from server.mail.language import grammar
from server.mail.writing import sentences
from server.models import Game, Player, ReplyToken, Seat, session
from server.runtime import now, runtime
from server.wording.seats import role

EDITION = "ravensburger-2000"  # where none is named
MOST_UNPROVED = 10  # games of one player in a day
TOO_MANY = (
    "Ten games of yours were opened within a day, and the sender of a mail can be forged. Send the line as an answer "
    "to any mail of ours that is about a game, or through the API."
)
GIVEN_TO_WHO_PROVES = (
    "This game runs, and who takes a seat of it takes it from somebody else; the sender of a mail can be forged. Send "
    "the line as an answer to any mail of ours that is about a game, or take the seat through the API."
)
_SETTLED = {
    "chosen": "Everybody plays the seat that he takes.",
    "lot": "Who is Mr. X, and who plays which detective, is drawn by lot when it begins.",
    "rotation": "When it begins, Mr. X is whoever of you was not for the longest time.",
}


class Entered(NamedTuple):
    """A game that a player has got into, his seat, and what is told of it.

    What waits for his YES: `unsent` are seats and whom they are for, `unlisted` is that everybody may see the game.
    """

    game: Game
    seat: Seat
    title: str
    told: list[str]
    unsent: Sequence[tuple[int, str]] = ()
    unlisted: bool = False


class WayIn(Protocol):
    """A command that brings a player into a game; `is_proved` is whether it was surely he who wrote."""

    def __call__(self, player: Player, command: grammar.Command, *, is_proved: bool) -> Entered:
        """Do it; `Problem` when it cannot be."""
        ...


# Commands ----------------------------------------------------------------------------------------


def new(errand: Errand, command: grammar.Command) -> None:
    """NEW: the sender is the host, and sits."""
    tell(errand, _open(errand.player, command, is_proved=errand.is_proved))


def join(errand: Errand, command: grammar.Command) -> None:
    """JOIN with the code of a game."""
    tell(errand, _join(errand.player, command, is_proved=errand.is_proved))


def invite(errand: Errand, command: grammar.Command) -> None:
    """INVITE somebody to the first open seat."""
    who = command.text.strip('"')
    lobby.invite(errand.game.id, errand.player, None, lobby.whom(who))
    errand.title = errand.title or "the seat is kept"
    errand.told.append(f"Invited: {sentences.quoted(who)}.")


def rematch(errand: Errand, _command: grammar.Command) -> None:
    """REMATCH, in an answer to a mail of a game that is over."""
    game = rematches.rematch(errand.game.id, errand.player)
    seat = seat_of(game, errand.player)
    told = f"There is a rematch, called {game.name}: the same rules and the same people, who are all invited."
    tell(errand, Entered(game, seat, "a rematch", [told, _SETTLED[game.seating], _how_to_fill(game)]))


def tell(errand: Errand, entered: Entered) -> None:
    """Answer about the game entered. What others would see waits for an answer where From alone tells who writes."""
    errand.turn_to(entered.game, entered.seat)
    errand.title = entered.title
    errand.told += entered.told
    if entered.unsent or entered.unlisted:
        token = reply_addresses.token_of(entered.game, entered.seat, reply_addresses.INVITATION)
        reply_addresses.remember([token])
        reply_addresses.kept(token).question = {"invite": entered.unsent, "list": entered.unlisted}


def go_public(errand: Errand, question: Mapping[str, Any]) -> None:
    """YES to what NEW had asked: send the invitations and list the game; each that is refused is told."""
    invited = [who for number, who in question["invite"] if _is_invited(errand, number, who)]
    if question["invite"] and not invited:
        raise errand.refused[0][1]
    if question.get("list"):
        lobby.publish(errand.game.id, errand.player)
    assert isinstance(errand.token, ReplyToken)
    errand.token.question = None
    errand.title = "the invitations are sent" if invited else "your game is in the list"
    errand.told += [f"Invited: {_list(invited)}."] if invited else []
    errand.told += ["Everybody here can see the game now, and join it."] if question.get("list") else []


def _is_invited(errand: Errand, number: int, who: str) -> bool:
    """Invite somebody to a seat; return whether they are, and note why not."""
    try:
        with all_or_nothing():
            lobby.invite(errand.game.id, errand.player, number, lobby.whom(who))
    except Problem as problem:
        errand.refuse(who, problem)
        return False
    return True


# Opening a game ----------------------------------------------------------------------------------


def _open(player: Player, command: grammar.Command, *, is_proved: bool) -> Entered:
    options, guests = grammar.new_game(command.text)
    wanted = _read(options)
    around = [lobby.whom(who.strip('"')) for who in guests]
    seats = lobby.around(player, wanted.edition, around, people=wanted.people, sits=wanted.role or "anywhere")
    invitations.guests(player, seats)  # a name that nobody has is told before anything is done
    if not is_proved:
        _check_not_too_many(player)
    unlisted = not is_proved and wanted.visibility == "public"
    unsent = [] if is_proved else [(n, seat.pop("invite")) for n, seat in enumerate(seats, 1) if "invite" in seat]
    game = lobby.open_game(
        player,
        wanted.edition.name,
        options=wanted.options,
        seats=seats,
        seating=wanted.seating or ("chosen" if wanted.role else "lot"),
        visibility="private" if unlisted else wanted.visibility,
    )
    of = sentences.count(len(seats), "player")
    rules = f"You have opened a game of {of}, by the rules of the edition {game.edition}."
    rules = f"{rules} {views.longest_in_words(game)}"
    sent = [seat["invite"] for seat in seats if "invite" in seat]
    told = [rules, _SETTLED[game.seating], *_invited(sent), *_held_back(unsent, unlisted=unlisted), _how_to_fill(game)]
    return Entered(game, seat_of(game, player), "your game is open", told, unsent, unlisted)


def _check_not_too_many(host: Player) -> None:
    """Whoever writes in somebody's name without proof opens so many games of his a day."""
    recent = (Game.host_id == host.id, Game.created_at > now() - timedelta(days=1))
    if (session.scalar(select(func.count()).select_from(Game).where(*recent)) or 0) >= MOST_UNPROVED:
        raise Problem("enough", TOO_MANY)


def _invited(sent: Sequence[str]) -> list[str]:
    return [f"Invited: {_list(sent)}."] if sent else []


def _held_back(unsent: Sequence[tuple[int, str]], *, unlisted: bool) -> list[str]:
    """What waits for a YES, in one sentence."""
    held, wish = [], []
    if unsent:
        held.append("nobody was invited yet")
        wish.append(f"invite {_list(who for _, who in unsent)}")
    if unlisted:
        held.append("the game is in no list yet")
        wish.append("let everybody see it")
    if not held:
        return []
    why = f"Since the sender of a mail can be forged, {sentences.join(held)}"
    return [f"{why}: to {sentences.join(wish)}, answer this mail with the word YES on a line of its own."]


class _Read(NamedTuple):
    edition: Edition
    options: dict[str, Any]
    people: int | None
    role: str | None
    seating: str | None
    visibility: str


def _read(text: str) -> _Read:
    """The options of NEW, in any order."""
    words = re.sub(r",| by | as |\bplayers?=?\b(?!=)", " ", f" {_role(text)} ").split()
    found: dict[str, Any] = {"visibility": "public"}
    options: dict[str, Any] = {}
    for word in words:
        name, is_option, value = word.partition("=")
        if word.isdigit():
            found["people"] = int(word)
        elif word in ("mr_x", "detective"):
            found["role"] = word
        elif word in ("lot", "rotation"):
            found["seating"] = word
        elif word in ("public", "private"):
            found["visibility"] = word
        elif is_option:
            options[name] = _value(value)
        else:
            found["edition"] = _edition(word)
    edition = found.pop("edition", None) or Edition.named(EDITION)
    choices = (found.get("people"), found.get("role"), found.get("seating"), found["visibility"])
    return _Read(edition, options, *choices)


def _role(text: str) -> str:
    """The text in lower case, in which Mr. X is written as in the API."""
    return re.sub(grammar.MR_X, "mr_x", text.lower())


def _edition(word: str) -> Edition:
    meant = [name for name in Edition.names() if name.startswith(word)]
    if len(meant) != 1:
        raise Problem("form", f"There is no edition {word!r}; there are {sentences.join(Edition.names())}.")
    return Edition.named(meant[0])


def _value(text: str) -> Any:
    if text.isdigit():
        return int(text)
    return {"true": True, "on": True, "yes": True, "false": False, "off": False, "no": False}.get(text, text)


# Joining -----------------------------------------------------------------------------------------


def _join(player: Player, command: grammar.Command, *, is_proved: bool) -> Entered:
    code, role = _code_and_role(command)
    game = session.scalar(select(Game).where(Game.code == code))
    if game is None:
        raise Problem("not-found", "There is no game with that code, or it is not yours to see.")
    if not is_proved and visible(game.id, player, code=code).status == "running":
        raise Problem("forbidden", GIVEN_TO_WHO_PROVES)
    joined = lobby.join(game.id, player, code=code, role=role or None)
    seat = seat_of(joined, player)
    return Entered(joined, seat, "the seat is yours", [taken(seat), _SETTLED[joined.seating]])


def joined(commands: Iterable[grammar.Command]) -> Sequence[str]:
    """The ids of the games that these commands name by their codes."""
    codes = [_code_and_role(command)[0] for command in commands if command.name == "join"]
    return session.scalars(select(Game.id).where(Game.code.in_(codes))).all() if codes else []


def _code_and_role(command: grammar.Command) -> tuple[str, str]:
    code, _, role = _role(command.text).partition(" as ")
    return code, role


def taken(seat: Seat) -> str:
    """What somebody is told who has taken a seat."""
    return f"You have taken the seat of {role(seat)}. A mail comes when the game begins."


WAYS_IN: dict[str, WayIn] = {"new": _open, "join": _join}


# A host who does not play ------------------------------------------------------------------------


def hosted_without_seat(player: Player) -> list[Game]:
    """The games that wait for a START of this player, who sits in none of them."""
    seated = select(Seat.game_id).where(Seat.player_id == player.id)
    query = select(Game).where(Game.host_id == player.id, Game.status == "open", Game.id.not_in(seated))
    return list(session.scalars(query.order_by(Game.created_at, Game.id)))


def start_one(host: Player, games: Sequence[Game]) -> Game:
    """Start the one game whose table is complete."""
    complete = [game for game in games if all(seat.is_taken for seat in game.seats)] or list(games)
    if len(complete) > 1:
        names = sentences.join([game.name for game in complete])
        raise Problem("form", f"You host more than one game that could be meant: {names}. Start it through the API.")
    return lobby.start(complete[0].id, host)


def _how_to_fill(game: Game) -> str:
    return (
        f'Whoever sends the line "JOIN {game.code}" to {runtime().settings.play_address} takes a seat; '
        'you can keep one for somebody with "INVITE" and his address. When every seat is taken you get a mail.'
    )


def _list(names: Iterable[str]) -> str:
    return sentences.join([sentences.quoted(name) for name in names])
