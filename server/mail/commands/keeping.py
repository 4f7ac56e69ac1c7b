"""Words to others beside a move: they may be private, so the server keeps them to itself and offers to pass them on."""

from collections.abc import Collection, Iterator
from dataclasses import replace

from server.application.mail import presses
from server.application.play import talk
from server.language import grammar
from server.language.prose import FreeLine, names_move
from server.language.talk import is_closing, is_name, is_of_machine, is_small_talk
from server.mail.commands import moves
from server.mail.commands import reply as replies
from server.mail.commands.moves import AboutMoves
from server.mail.commands.reply import Mark, Reply, reply_from_template
from server.mail.commands.request import Request
from server.mail.commands.unread import may_be_command
from server.mail.writing import sentences
from server.mail.writing.sentences import Press
from server.vocabulary.errors import Problem
from server.vocabulary.labels import PASSED_ON, spoken
from server.vocabulary.translation import gettext


def with_words_kept(request: Request, parsed: grammar.Parsed, reply: Reply) -> tuple[grammar.Parsed, Reply]:
    """Keep what a mail whose move is set says to others; return it without those words, and the remark that says so.

    `reply` is what was done; the remark is empty if the mail says nothing to others, and after the first of a round.
    """
    is_set = any(command.name == "move" for command in parsed.commands) and not reply.is_refusal
    is_here = request.token is not None and (request.token.game_id, request.player.id) == (
        request.game.id, request.seat.player_id
    )  # fmt: skip
    lines = list(_to_others(parsed.free, request.seat.pawns)) if is_set and is_here else []
    if not lines or isinstance(reply.question, AboutMoves) or is_of_machine(request.reading.lines):
        return parsed, Reply()
    try:
        text = talk.check_text(" ".join(lines))
    except Problem:
        return parsed, Reply()
    offered = _offered(request, text)
    if not offered or not presses.keep_talk(request.game, request.seat, text):
        return parsed, Reply()
    said = replace(parsed, unread=tuple(line for line in parsed.unread if line not in lines))
    is_quoted = any(_quoted(line) in told for line in lines for told in reply.texts)  # as what is unclear
    whole = reply_from_template(
        "kept_words", Mark.BRIEF, words="" if is_quoted else _quoted(text), offered=offered
    )  # fmt: skip
    return said, replies.with_public_words(whole, reply_from_template("kept_words", offered=()))


def _quoted(words: str) -> str:
    return sentences.quoted(moves.shortened(words, moves.FEW))


def _to_others(free: Collection[FreeLine], own: Collection[str]) -> Iterator[str]:
    """Yield the lines that are talk, to a team mate or to the table; none below the end of the letter."""
    for line in free:
        if not line.is_above and (is_closing(line.text) or is_name(line.text)):
            return
        is_of_moves = line.moves or line.introduces or line.ticket or line.stays is not None or line.is_subject
        is_to_others = bool(line.asks or line.pawns) and line.pawns.isdisjoint(own)
        is_talk = is_to_others or not (names_move(line.text) or may_be_command(line.text))
        if is_talk and not is_of_moves and not is_small_talk(line.text, is_last=True):
            yield line.text


def _offered(request: Request, text: str) -> list[Press]:
    """Return the links that pass words on: to the people of the team, and to all; none in a game against bots."""
    game, seat = request.game, request.seat
    if game.is_against_bots(seat):
        return []
    people = [other for other in game.seats if other.number != seat.number and other.player_id]
    team = [pawn for other in people if other.role == "detective" for pawn in other.pawns]
    to_team = gettext("Pass it on to {pawns}", pawns=sentences.pawn_names(team)) if team else ""
    shown = {"team": to_team, "all": gettext(PASSED_ON["all"])}
    return [Press(shown[to], PASSED_ON[to], spoken(to, text)) for to in talk.audiences(game, seat) if shown[to]]
