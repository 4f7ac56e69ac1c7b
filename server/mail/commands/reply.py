"""The replies of commands, and the one answer to a mail that is made of them.

The words are in `templates/mail/answer/replies`: the first line of a file is the title, the rest are paragraphs. The
template of the answer itself adds the situation of the game.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Flag, auto
from itertools import groupby
from typing import Any, NamedTuple

from flask import render_template

from server import engine
from server.application.deciding import all_or_nothing
from server.application.errors import Problem
from server.application.game.waiting import is_awaited
from server.mail.commands.questions import Answered, Question
from server.mail.commands.request import Place, Request
from server.mail.language.courtesies import Courtesy
from server.mail.language.forms import Command
from server.mail.writing import sentences


class FormerGame(NamedTuple):
    """The game that a mail was about before a line led to another; `hides_station`: mails tell no station of his."""

    name: str
    hides_station: bool


class Refusal(NamedTuple):
    """A line that could not be done, although others of the mail were."""

    line: str
    problem: Problem


@dataclass(frozen=True)
class Reply:
    """The reply to a command, or to several.

    `leads`: the title goes before those of other commands. `question` is asked by the reply. `entered`: the seat that
    the commands behind this one are about; `leaves`: the game that those before it are about. `settings`: the
    player's settings as they are now, a paragraph that is told once. `remarks`: paragraphs on the mail as a whole,
    which come last. `is_brief`: the reader does not need to be told the situation with it. `kept`: what a later mail
    may refer to. `is_reference`: it can be read without the situation of the game, which then does not follow. `files`:
    the names of those that the mail brings, see `server.mail.writing.attachments`. `is_in_turn_mail`: the turn mail
    that the command causes is the answer to it. `on_page`: the paragraphs for a Mr. X whose mails tell nothing of where
    he is. `below`: paragraphs that stand behind the situation of the game. `is_about_no_game`: what was done would be
    the same in any other game. `hides_station`: a part is about a game whose mails name no station to this Mr. X.
    """

    title: str = ""
    paragraphs: tuple[str, ...] = ()
    leads: bool = False
    question: Question | Answered | None = None
    entered: Place | None = None
    leaves: FormerGame | None = None
    settings: str = ""
    refused: tuple[Refusal, ...] = ()
    remarks: tuple[str, ...] = ()
    is_brief: bool = False
    kept: dict[str, Any] | None = None
    is_reference: bool = False
    files: tuple[str, ...] = ()
    on_page: tuple[str, ...] = ()
    is_in_turn_mail: bool = False
    below: tuple[str, ...] = ()
    is_about_no_game: bool = False
    hides_station: bool = False

    @property
    def is_refusal(self) -> bool:
        """Return True if nothing was done."""
        return bool(self.refused) and not self.title


Handler = Callable[[Request, Command], Reply]  # does what a command asks for; raises `Problem` if it cannot


_COULD_NAME_A_STATION = re.compile(r'[\d"]')


class Says(Flag):
    """A limit of what a reply says; without any it may be long, and about the game and its board."""

    BRIEF = auto()  # what is done, and the reader needs no look at the board
    NO_BOARD = auto()  # nothing of the board, and it quotes no words of a mail but those to the other players
    NO_GAME = auto()  # the same whichever game the mail is about
    DONE = BRIEF | NO_BOARD
    OF_PLAYER = DONE | NO_GAME


ANYTHING = Says(0)


def reply_from_template(template: str, says: Says = ANYTHING, /, **facts: Any) -> Reply:
    """Return the reply with the title and the paragraphs of a template."""
    text = render_template(f"mail/answer/replies/{template}.txt", s=sentences, **facts)
    title, _, rest = text.partition("\n")
    paragraphs = tuple(filter(None, (paragraph.strip() for paragraph in re.split(r"\n\s*\n", rest))))
    on_page = paragraphs if Says.NO_BOARD in says else without_stations(paragraphs)
    title = title.strip()
    on_page = on_page or as_sentence(title)
    return Reply(title, paragraphs, is_brief=Says.BRIEF in says, on_page=on_page, is_about_no_game=Says.NO_GAME in says)


def without_stations(paragraphs: Iterable[str]) -> tuple[str, ...]:
    """Return the paragraphs that name no station: those without a number, and without words of a mail."""
    return tuple(text for text in paragraphs if not _COULD_NAME_A_STATION.search(text))


def as_sentence(title: str) -> tuple[str, ...]:
    """Return a title as a paragraph, for an answer of which nothing else is left."""
    return (f"{title[0].upper()}{title[1:]}{'' if title.endswith('?') else '.'}",) if title else ()


def refused(line: str, problem: Problem) -> Reply:
    """Return the reply that a line was not done, and why."""
    return Reply(refused=(Refusal(line, problem),))


def attempted(line: str, act: Callable[[], Reply]) -> Reply:
    """Return the reply of `act`, or the refusal of the line, of which nothing is done then."""
    try:
        with all_or_nothing():
            return act()
    except Problem as problem:
        return refused(line, problem)


def refused_whole(problem: Problem) -> Reply:
    """Return the reply that nothing of a mail was done, and why."""
    reply = reply_from_template("refused", reason=sentences.reason(problem.sentence))
    if without_stations(reply.paragraphs):
        return reply
    return replace(reply, on_page=reply_from_template("refused_on_page").paragraphs)


def combined(replies: Sequence[Reply]) -> Reply:
    """Return the one reply that several make, in their order."""
    newest = next((reply.settings for reply in reversed(replies) if reply.settings), "")
    replies = _by_game(replies)
    last_settings = next((reply for reply in reversed(replies) if reply.settings), None)
    titles = [reply.title for reply in replies if reply.title]
    leading = [reply.title for reply in replies if reply.leads]
    paragraphs: list[str] = []
    on_page: list[str] = []
    for reply in replies:
        settings = [newest] if reply is last_settings else []
        paragraphs += [*reply.paragraphs, *settings]
        on_page += [*reply.on_page, *settings]
    return Reply(
        title=leading[-1] if leading else next(iter(titles), ""),
        paragraphs=tuple(_with_headings_once(dict.fromkeys(paragraphs))),
        refused=tuple(refusal for reply in replies for refusal in reply.refused),
        remarks=tuple(remark for reply in replies for remark in reply.remarks),
        is_brief=all(reply.is_brief for reply in replies if reply != Reply()),
        kept=next((reply.kept for reply in reversed(replies) if reply.kept), None),
        is_reference=bool(titles) and all(reply.is_reference for reply in replies if reply.title or reply.refused),
        files=tuple(dict.fromkeys(name for reply in replies for name in reply.files)),
        on_page=tuple(dict.fromkeys(on_page)),
        is_in_turn_mail=all(reply.is_in_turn_mail for reply in replies if reply != Reply()),
        below=tuple(dict.fromkeys(paragraph for reply in replies for paragraph in reply.below)),
        hides_station=any(reply.hides_station or (reply.leaves and reply.leaves.hides_station) for reply in replies),
    )


def _by_game(replies: Sequence[Reply]) -> list[Reply]:
    """Return the replies, first those about the game that the mail ends in; the others each name their game.

    So what Mr. X did there does not stand in the first lines either, which a locked screen shows.
    """
    here: list[Reply] = []
    elsewhere: list[Reply] = []
    for reply in replies:
        if reply.leaves:
            elsewhere += [_under_heading(reply.leaves, one) for one in here]
            here = []
        here.append(reply)
    return here + elsewhere


def _under_heading(game: FormerGame, reply: Reply) -> Reply:
    """Return a reply that names its game if it is about one, and leads no other."""
    is_about_game = bool(reply.paragraphs) and not reply.is_about_no_game
    heading = as_sentence(f"{game.name}: {reply.title}") if is_about_game else ()
    on_page = (*heading, *(text for text in reply.on_page if text not in as_sentence(reply.title)))
    paragraphs = on_page if game.hides_station else heading + reply.paragraphs
    return replace(reply, leads=False, paragraphs=paragraphs, on_page=on_page)


def with_remarks(reply: Reply, remarks: Sequence[str]) -> Reply:
    """Return the reply with more paragraphs on the mail as a whole."""
    return replace(reply, remarks=(*reply.remarks, *remarks))


def _with_headings_once(paragraphs: Iterable[str]) -> Iterator[str]:
    """Yield the paragraphs, successive ones under the same heading joined into one."""
    for heading, group in groupby(paragraphs, key=_heading):
        yield heading + "".join(text.removeprefix(heading) for text in group)


def _heading(paragraph: str) -> str:
    """Return the first line of a paragraph if it ends in a colon, else the whole."""
    first, _, rest = paragraph.partition("\n")
    return first if rest and first.endswith(":") else paragraph


def help_now(request: Request) -> Reply:
    """Return the reply to HELP: what the player can send now, and the commands that are needed most."""
    game, seat = request.game, request.seat
    has_left = game.status == "running" and seat.player_id != request.player.id
    moves = request.legal_moves() if game.status == "running" and not has_left else []
    reply = reply_from_template(
        "help",
        Says.NO_BOARD,
        status="left" if has_left else game.status,
        is_invited=seat.player_id is None,
        is_host=game.host_id == request.player.id,
        is_full=all(seat.is_taken for seat in game.seats),
        role=seat.role,
        is_against_bots=game.is_against_bots(seat),
        example=example_of(moves[0]) if moves else "",
    )
    return replace(reply, is_brief=True)


def courteous(request: Request, courtesy: Courtesy) -> Reply | None:
    """Return the reply to a mail of friendly words alone; None for thanks to which nobody expects an answer.

    Somebody who greets, or who is waited for, is told how things stand.
    """
    is_invited = request.game.status == "open" and request.seat.player_id is None
    if is_invited or request.question is not None:
        return help_now(request)
    if courtesy is Courtesy.THANKS and not _is_awaited(request):
        return None
    return replace(reply_from_template("courteous"), is_brief=True)


def _is_awaited(request: Request) -> bool:
    """Return True if the player is the one to move, and has not sent all moves ahead."""
    if not is_awaited(request.game, request.seat):
        return False
    return any(move.pawn not in request.queue() for move in request.legal_moves())


def example_of(move: engine.Move) -> str:
    """Return the form of a move, which cannot be played by itself."""
    ticket = move.legs[0].ticket
    return f"{ticket} NN" if move.pawn == "mr_x" else f"{move.pawn} {ticket} NN"
