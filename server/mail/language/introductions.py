"""Lines about the pawn of somebody else: those that introduce a move, and those that ask for one.

The words are data, in the five languages that are read, as `words.folded` returns them.
"""

import re
from collections.abc import Mapping

from server.mail.language.words import ARTICLES, BY, PAWN_WORDS, THEN, TO, VERBS, VERBS_AT_THE_END, folded
from server.mail.reading.normalise import plain


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_PLEASE = _set("please pls plz bitte svp stp s'il por favor alsjeblieft alstublieft aub")
_MODAL = _set(
    "should must can could may might shall will would ought needs has wants better soll sollte kann konnte muss darf"
    " wird mochte doit devrait peut pourrait va veut debe deberia puede podria tiene quiere moet zou kan mag gaat wil"
)
_MOVING = _set(
    "play plays travel travels uses fahren fahrt geht spielt spielen prendre aller joue jouer tomar ir mover juega"
    " jugar coger neemt gaat speelt spelen"
    " be do doing machen macht faire fait hacer hace doen doet"
)
_AROUND = _set(
    "for fur pour para voor of von du van this that it its is are these here s our a one move moves turn order next"
    " and so let think i it's here's that's das dies ist der zug hier jetzt nun und lass lasst soll ceci c'est voici"
    " you du ihr tu vous usted jij je am bin suis soy on behalf name im auftrag namen au nom nombre namens"
    " coup tour maintenant et laisse laissez es esto jugada turno aqui ahora y deja dit zet beurt en laat"
)
_OF_INTRODUCTIONS = _MODAL | _MOVING | VERBS | VERBS_AT_THE_END | _AROUND | TO | BY | ARTICLES | THEN | _PLEASE
# Below a move only these: "Blue plays next" is talk there.
_OF_OWNERS = _set(
    "for of on behalf in this that is was it's that's the a move what would should do does idea suggestion plan fur"
    " von im auftrag namen das ist dies war der zug pour de du au nom ceci c'est le coup para a nombre es la jugada"
    " esto voor van namens dit de zet"
)
_ASKING = _MODAL | _PLEASE | _set("you du ihr kannst konntest tu vous peux pouvez puedes jij je kun")
_BEFORE_NAME = _PLEASE | _set("and so but dear und et y en lieber liebe cher chere querido beste")
_FIRST_PERSON = _set(
    "i i'm i'll i'd me my mine we our us ich mir mich mein meine wir uns unser moi mon ma j'ai nous yo mi nosotros ik"
    " mij mijn wij ons onze"
)
_MR_X = re.compile(r"\bmr\.?[ _]?x\b")
_WORD = re.compile(r"[a-z_]+(?:'[a-z]+)?|\d+")
_NAME = re.compile(r"[^\W\d_]+")
_OWNER = re.compile(r"'s?$")


def introduced_pawn(line: str, *, is_above: bool = True) -> str | None:
    """Return the pawn that the move beside `line` is said to be of: "Purple should take", "for Purple:", "Purple"."""
    words, around = _words(line), _OF_INTRODUCTIONS if is_above else _OF_OWNERS
    pawns = {PAWN_WORDS[word] for word in words if word in PAWN_WORDS}
    is_whole = all(word in PAWN_WORDS or word in around for word in words)
    return pawns.pop() if is_whole and len(pawns) == 1 and not line.rstrip().endswith("?") else None


def with_pawns(line: str, names: Mapping[str, str]) -> str:
    """Return `line` with the pawns of other players in the place of their `names`, in lower case."""
    return _NAME.sub(lambda found: names.get(found[0], found[0]), folded(plain(line)))


def names_only_pawn(line: str) -> bool:
    """Return True if `line` is the name of a pawn and nothing else."""
    words = _words(line)
    return len(words) == 1 and words[0] in PAWN_WORDS


def asked_pawn(line: str) -> str | None:
    """Return the pawn that `line` asks to do something, and of which alone it speaks: "Blue, please go to 58"."""
    words = _words(line)
    while words and words[0] in _BEFORE_NAME:
        words.pop(0)
    named = {PAWN_WORDS[word] for word in words if word in PAWN_WORDS}
    is_asked = len(words) > 1 and words[0] in PAWN_WORDS and words[1] in _ASKING
    return named.pop() if is_asked and len(named) == 1 and _FIRST_PERSON.isdisjoint(words) else None


def _words(line: str) -> list[str]:
    return [_OWNER.sub("", word) for word in _WORD.findall(_MR_X.sub("mr_x", folded(plain(line))))]
