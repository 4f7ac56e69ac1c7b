"""Display names: none can be read as another player's, as Mr. X, or as the server's."""

from collections.abc import Iterable
from functools import cache

from sqlalchemy import select

from server import bots, engine
from server.language.grammar import commands_of
from server.models import Player, session
from server.runtime import runtime
from server.vocabulary.errors import Problem, refusal
from server.vocabulary.lookalikes import digest, skeleton, skeleton_words
from server.vocabulary.translation import catalogues, gettext, pgettext, pgettext_noop
from server.vocabulary.words import quoted

FORMER = pgettext_noop("name", "a former player")
# Names that mails and pages use for the server, its parts and its people.
_OURS = pgettext_noop("name", (
    "Black Ticket", "The Server", "Server", "The House", "House", "Host", "The Host", "Operator", "The Operator",
    "Admin", "Administrator", "Moderator", "Support", "System", "Postmaster", "Abuse", "Mailer-Daemon", "Scotland Yard",
    "X",
))  # fmt: skip
# Names that mails and pages use for those who play the pawns.
_OF_THE_GAME = pgettext_noop("name", ("Bot", "Detective", "Detectives", "Player", "Team", "Guest"))
_MR_X = (["mr", "x"], ["mrx"], ["m", "r", "x"], ["mister", "x"], ["misterx"])
MOST_TRIED = 99  # numbers behind a name that others have


def check_free(name: str, player_id: str | None = None) -> None:
    """Raise `Problem` name-taken unless `name` may be that of a new player, or of the player with this id."""
    check_not_ours(name)
    if _is_taken(name, player_id):
        raise refusal(
            "name-taken", "A player has the name {name}, or one that looks like it; choose another.", name=quoted(name)
        )


def check_not_ours(name: str) -> None:
    """Raise `Problem` name-taken if `name` looks like one of the server, the fugitive, a pawn or a role."""
    if skeleton(name) in _of_the_game():
        sentence = gettext("{name} is what the game calls a pawn or a role; choose another name.", name=quoted(name))
        raise Problem("name-taken", sentence)
    if is_ours(name):
        raise could_be_ours(name)


def could_be_ours(name: str) -> Problem:
    """Return the `Problem` of a name by which somebody could be taken for Mr. X, or for the server."""
    sentence = gettext("{name} could be taken for Mr. X or for this server; choose another name.", name=quoted(name))
    return Problem("name-taken", sentence)


def free_like(name: str, player_id: str | None = None) -> str:
    """Return `name` if a new player may have it, or else with the first number behind it with which they may.

    Where all small numbers are taken, it is a random one. The player with this id may have their own name.
    """
    base = pgettext("name", "Guest") if is_ours(name) else name
    first = [] if is_ours(base) else [base]
    numbered = (f"{base[:37]} {number}" for number in range(2, MOST_TRIED + 1))
    free = next((one for one in (*first, *numbered) if not (_is_taken(one, player_id) or reads_as_command(one))), None)
    return free or f"{base[:30]} {runtime().rng('name').randrange(10**8, 10**9)}"


def reads_as_command(name: str) -> bool:
    """Return True if a mail with the line `name` would be a move or another command, but for a plain yes or no.

    Short names of people are words for yes somewhere, and a word before a number can mean anything.
    """
    return any(
        command.name not in ("yes", "no") and (command.move is None or not command.move.is_number or name.isdigit())
        for command in commands_of(name)
    )


def is_ours(name: str) -> bool:
    """Return True if `name` looks like one of the server, the fugitive, a pawn or a role."""
    words = skeleton_words(name)
    if any(words[start : start + len(one)] == one for one in _fugitive() for start in range(len(words))):
        return True
    settings = runtime().settings
    configured = settings.mail_name, settings.play_address.partition("@")[0]
    return (looks := skeleton(name)) in _ours() | _of_the_game() or looks in map(skeleton, configured)


@cache
def _fugitive() -> list[list[str]]:
    """Return the skeletons of the words of each of the fugitive's names."""
    names = (name.split() for name in _in_each_language("pawn", ["Mr. X"]))
    return [[skeleton(word) for word in one] for one in (*_MR_X, *names)]


@cache
def _ours() -> frozenset[str]:
    """Return the skeletons of the server's own names."""
    names = _in_each_language("name", (FORMER, *_OURS))
    return frozenset(map(skeleton, (*names, *bots.names("mr_x"), *bots.names("detective"))))


@cache
def _of_the_game() -> frozenset[str]:
    """Return the skeletons of the names of pawns and roles."""
    pawns = _in_each_language("pawn", map(str.capitalize, engine.DETECTIVES))
    return frozenset(map(skeleton, (*pawns, *_in_each_language("name", _OF_THE_GAME))))


def called_guest() -> list[str]:
    """Return what a guest is called who has chosen no name, in each language, but for the number behind it."""
    return _in_each_language("name", ["Guest"])


def _in_each_language(role: str, names: Iterable[str]) -> list[str]:
    """Return names with this role in a sentence as each language has them."""
    return [catalogue.pgettext(role, name) for name in names for catalogue in catalogues().values()]


def _is_taken(name: str, player_id: str | None = None) -> bool:
    holder = session.scalar(select(Player.id).where(Player.skeleton == digest(name)))
    return holder is not None and holder != player_id
