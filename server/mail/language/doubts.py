"""Doubts about the moves of a mail: a free line that speaks against them, or that says of which pawn they are."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from server.mail.language.introductions import introduced_pawn, names_only_pawn, with_pawns
from server.mail.language.matching import LegalMove
from server.mail.language.moves import PAWNS
from server.mail.language.prose import FreeLine, Objection, objection, speaks_against
from server.mail.language.words import folded
from server.mail.reading.normalise import bare


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
    """Return the line that speaks against the moves, or says that one is of a pawn which the mail does not move.

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
    return Objection(aside, names_another=False) if aside else None


def _with_conditions_on_people(free: Sequence[FreeLine], people: People) -> list[FreeLine]:
    """Return the lines, with those that speak against a move if the names of other players count as their pawns."""
    return [
        replace(line, speaks_against=True) if speaks_against(with_pawns(line.text, people.others)) else line
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
