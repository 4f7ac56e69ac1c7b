"""Mails that say in sentences that their author wants to play: "Sounds fun! I'd like to play."

Only mails of people without an account are read so: to a player in a game the same words may be talk.
The words are data, as `lexicon.folded` returns them.
"""

import re
from collections.abc import Sequence

from server.language import lexicon
from server.language.forms import Command
from server.language.grammar import parse_line
from server.language.lexicon import folded
from server.language.normalise import bare, plain
from server.language.talk import is_small_talk

_MOST = 8  # sentences
_SENTENCE = re.compile(r"(?<=[.!?…;])\s+|\n")
_JOINED = re.compile(rf"(?:,? (?:{lexicon.alternatives(lexicon.words('move', 'and'))})|,) ")


def wish_to_play(lines: Sequence[str]) -> Command | None:
    """Return PLAY if a mail says that its author wants to play, with nothing beside it but friendly talk and how to."""
    sentences = [part for part in _SENTENCE.split("\n".join(map(plain, lines))) if part.strip()]
    if len(sentences) > _MOST:
        return None
    wishes = []
    for i, sentence in enumerate(sentences):
        if is_small_talk(sentence, is_last=0 < i == len(sentences) - 1):
            continue
        parts = [sentence] if _is_known(sentence) else _JOINED.split(sentence)
        if not all(_is_known(part) or is_small_talk(part) for part in parts):
            return None
        wishes += [part for part in parts if _is_wish(part)]
    return Command("play", wishes[0]) if wishes else None


def _is_known(sentence: str) -> bool:
    return _folded(sentence) in lexicon.words("asking", "how_to_start") or _is_wish(sentence)


def _is_wish(sentence: str) -> bool:
    command = parse_line(sentence)
    return _folded(sentence) in lexicon.words("asking", "willing") or (
        command is not None and command.name in ("play", "yes")
    )


def _folded(sentence: str) -> str:
    return folded(bare(sentence)).strip(" ,.!?¡¿;")
