"""Doubts about the moves of a mail: a free line that speaks against them, or that says of which pawn they are."""

from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace

from server.language.embedded import is_introduction
from server.language.excuses import is_news
from server.language.introductions import introduced_pawn, names_only_pawn, with_pawns
from server.language.lexicon import folded
from server.language.matching import LegalMove
from server.language.moves import PAWN_WORDS, PAWNS
from server.language.normalise import bare
from server.language.prose import FreeLine, Objection, names_ticket, objection
from server.language.talk import Weight, is_closing, is_of_signature, may_sign, speaks_against, weigh


@dataclass(frozen=True)
class People:
    """The people whose names a mail may have.

    `author`: the name of the player who wrote it. `others`: a pawn of each other player, by each word of their name,
    folded.
    """

    author: str = ""
    others: Mapping[str, str] = field(default_factory=dict)


def mover(notation: str) -> str:
    """Return the pawn that the notation of a move names, or "mr_x" if it names none."""
    first = notation.split(maxsplit=1)[0]
    return first if first in PAWNS else "mr_x"


def doubt(
    free: Sequence[FreeLine], played: Sequence[str], legal: Sequence[LegalMove], people: People, *,
    can_move: Collection[str], names_all: bool = False,
) -> Objection | None:  # fmt: skip
    """Return the line that speaks against the moves, says that one is of another pawn, or that nobody can tell of.

    `played` are the moves in their notation, and `legal` those that the player could send instead. `can_move` are the
    pawns of the player that can move now; one of them cannot stay. `names_all`: each move names its pawn, so no line is
    taken to say of which pawn it is.
    """
    free = _with_conditions_on_people(free, people)
    if found := objection(free, played, legal):
        return found
    movers = set(map(mover, played))
    aside = next((line for line in free if line.stays in movers.union(can_move)), None)
    if aside is None and not names_all:
        aside = _introduction(free, movers, people)
    if aside is not None:
        return Objection(aside, names_another=False)
    unknown = _unknown(free, people)
    return Objection(unknown, names_another=False, is_unknown=True) if unknown else None


def _unknown(free: Sequence[FreeLine], people: People) -> FreeLine | None:
    """Return the first line of which nobody can tell what it says of the moves; None if all are known to say nothing.

    What says of which pawn a move is, what names the moves again, and an order to somebody else have been judged.
    """
    author = set(folded(people.author).split())
    names = author.union(people.others, PAWN_WORDS)
    is_signature = False
    for line in free:
        is_name = _is_name(line.text, author)
        is_signature = not line.is_above and (is_signature or is_name or line.is_signature)
        is_judged = line.moves or line.introduces or line.asks or line.ticket or line.stays
        is_known = is_judged or is_name or weigh(line.text, names) is Weight.HARMLESS or is_introduction(line.text)
        is_known = is_known or _is_news(line, names, people)
        is_signed = is_closing(line.text) or (line.is_signature and may_sign(line.text))
        if not (is_known or is_signed or (is_signature and is_of_signature(line.text))):
            return line
    return None


def _is_news(line: FreeLine, names: Set[str], people: People) -> bool:
    """Return True for an excuse, or news of the writer's life, that names nothing of the game."""
    is_of_game = line.legs or line.pawns or names_ticket(line.text)
    return not is_of_game and is_news(line.text, names, people.others, line.language, is_above=line.is_above)


def _is_name(line: str, author: Set[str]) -> bool:
    """Return True if `line` is the name of the author, perhaps with more names, or its first letters."""
    words = folded(bare(line)).replace(".", " ").split()
    if all(len(word) == 1 for word in words):
        return bool(words) and all(any(name.startswith(word) for name in author) for word in words)
    return not author.isdisjoint(words) and may_sign(line)


def _with_conditions_on_people(free: Sequence[FreeLine], people: People) -> list[FreeLine]:
    """Return the lines, with those that speak against a move if the names of other players count as their pawns."""
    return [
        replace(line, weight=Weight.AGAINST)
        if speaks_against(with_pawns(line.text, people.others), line.language)
        else line
        for line in free
    ]


def _introduction(free: Sequence[FreeLine], movers: Collection[str], people: People) -> FreeLine | None:
    """Return the line that gives a move to a pawn which the mail does not move, else None.

    A name of a pawn may be that of the player, as a signature. Other players may be called by their names.
    """
    names = set(folded(people.author).split())
    for line in free:
        is_signature = not line.is_above and names_only_pawn(line.text) and folded(bare(line.text)) in names
        introduced = line.introduces
        if introduced is None and line.is_beside:
            introduced = introduced_pawn(with_pawns(line.text, people.others), is_above=line.is_above)
        if introduced is not None and introduced not in movers and not is_signature:
            return line
    return None
