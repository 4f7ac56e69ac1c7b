"""The weight of a sentence beside a command: it says nothing, speaks against it, or nobody can tell.

A sentence is harmless only if all of its words are: what the files do not know is never taken for talk.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from enum import Enum
from functools import cache

from server.language import lexicon
from server.language.lexicon import folded
from server.language.normalise import bare, plain
from server.language.phrases import AGAINST_MOVES, Match, matches, matches_at, split
from server.vocabulary.translation import languages

NO_PICTURES = frozenset("🙅❌✖✗✘⛔🚫❎🛑👎❓❔⁉🤔🤷🗑⊘🚷☐☒□⬜◻▢🔲🔳")


class Weight(Enum):
    """The weight of a line beside a command."""

    HARMLESS = "harmless"
    UNKNOWN = "unknown"
    AGAINST = "against"


class Courtesy(Enum):
    """The friendly words of a mail: GREETING where there are no thanks and no praise."""

    GREETING = "greeting"
    THANKS = "thanks"


_OF_ALL = {"greetings", "closings", "thanks"}  # in whatever language the rest of a sentence is
_WHOLE = {*_OF_ALL, "phrases", "please"}  # they cover a word that would say more by itself: "sorry for the wait"
SMALL = {*_WHOLE, "words", "life", "people"}
_YES = {"yes", "agree"}
_SHORT = 4  # words of a question, or of a sentence that denies something
_MR_X = re.compile(r"\bmr\.?[ _]?x\b")
_WEB = re.compile(r"[<(\[]?(?:https?://|\bwww\.)\S+")
UNTICKED = re.compile(r"\W{0,3}[(\[] ?[)\]]|~")
_POSTSCRIPT = re.compile(r"^\W*(?:p\.? ?)+s\b[.:]?", re.IGNORECASE)
_SENTENCE = re.compile(r"[^.!?;…|()\"\n]*[.!?;…|()\"\n]*")
_DASH = re.compile(r" -+ |: ")
_FIRST = re.compile(r"\W*([^\W\d_]+)(?: *(?:[,!.:;-]|$))")


def weigh(
    line: str, names: Collection[str] = (), *, kinds: Collection[str] = SMALL | _YES, language: str = ""
) -> Weight:
    """Return what a line says; `names` are words of the names of people, folded, which say nothing.

    `kinds` are those of phrases that say nothing against a command; a yes is one beside a move. With the `language` of
    the mail, plain words of that are no condition and no choice of another language.
    """
    if not (line.isascii() or NO_PICTURES.isdisjoint(line)) or UNTICKED.match(plain(line)):
        return Weight.AGAINST
    weights = {_weigh(sentence, names, kinds, language) for sentence in sentences(_POSTSCRIPT.sub("", line))}
    return next((weight for weight in (Weight.AGAINST, Weight.UNKNOWN) if weight in weights), Weight.HARMLESS)


def sentences(line: str) -> Iterator[str]:
    """Yield the sentences of a line, folded, each with the marks that end it; addresses of pages are no words."""
    text = _MR_X.sub("mr_x", _WEB.sub(" ", folded(plain(line))))
    for part in _DASH.split(text):
        yield from (sentence for sentence in _SENTENCE.findall(part) if sentence.strip())


def speaks_against(line: str, language: str = "") -> bool:
    """Return True if `line` takes something back, doubts, states a condition or a choice, or says no."""
    return weigh(line, language=language) is Weight.AGAINST


def language_of(lines: Collection[str]) -> str:
    """Return the language in whose file most words of these lines stand; "" for short ones, and between two."""
    words = _words(lines)
    return _language_of(words, "talk", "move") if len(words) >= _LEAST_OF_LANGUAGE else ""


def language_to_answer(lines: Sequence[str]) -> str:
    """Return the language of pages and mails that the words of a mail fit better than any other; "" for none."""
    language = _language_of(_words(lines[:_MOST_OF_LANGUAGE]))
    return language if language in languages() else ""


def _words(lines: Iterable[str]) -> list[str]:
    return [word for line in lines for sentence in sentences(line) for word in split(sentence)]


def _language_of(words: Collection[str], *sections: str) -> str:
    """Return the language in whose sections most of the words stand; "" between two."""
    counts = sorted(
        (sum(word in vocabulary(name, *sections) for word in words), name)
        for name in lexicon.by_language("talk", "greetings")
    )
    (second, _), (most, language) = counts[-2:]
    return language if most > second else ""


_LEAST_OF_LANGUAGE = 5  # words
_MOST_OF_LANGUAGE = 50  # lines


@cache
def vocabulary(language: str, *sections: str) -> frozenset[str]:
    """Return the words of the tables of a language, or of those of some sections."""
    return frozenset(word for text in lexicon.texts(language, sections or _SECTIONS) for word in split(text))


_SECTIONS = ("move", "answers", "talk", "against", "numbers", "counted", "time", "commands", "lookalikes")


def is_plain_talk(match: Match, words: Sequence[str], language: str) -> bool:
    """Return True for a condition or a choice of another language whose words are plain ones in that of the mail."""
    is_foreign = language not in ("", match.language) and match.kind in ("condition", "choice")
    return is_foreign and vocabulary(language, "talk", "move").issuperset(words[match.begin : match.end])


def has(line: str, *kinds: str) -> bool:
    """Return True if a phrase of one of these kinds stands in `line`, but for those in harmless phrases."""
    return any(match.kind in kinds for sentence in sentences(line) for match in uncovered(matches(split(sentence))))


def takes_back(line: str, others: Collection[str]) -> bool:
    """Return True if `line` plainly takes something back, or bids to; `others`: names of other people."""
    for sentence in sentences(line):
        words = split(sentence)
        found = uncovered(matches(words))
        undone = min((match.begin for match in found if match.kind == "undo"), default=-1)
        is_denied = any(match.kind == "not" and match.end <= undone for match in found)
        is_asked = "?" in sentence and " ".join(words[:2]) not in lexicon.words("asking", "can_you")
        if undone >= 0 and not is_denied and not is_asked and set(words).isdisjoint(others):
            return True
    return False


def _weigh(sentence: str, names: Collection[str], kinds: Collection[str], language: str) -> Weight:
    words = split(sentence)
    if not words:
        return Weight.AGAINST if "?" in sentence else Weight.HARMLESS
    found = matches(words)
    left = uncovered(found)
    left = [match for match in left if not is_plain_talk(match, words, language)]
    if any(match.kind in AGAINST_MOVES for match in left) or _says_no(sentence, left, len(words)):
        return Weight.AGAINST
    if "?" in sentence:
        is_asking = words[0] in lexicon.words("talk", "question_words")
        whole = ("questions", "phrases") if is_asking else ("questions",)
        if any(match.kind in whole and match.end - match.begin == len(words) for match in found):
            return Weight.HARMLESS
        is_doubt = len(words) <= _SHORT and lexicon.words("talk", "question_words").isdisjoint(words)
        return Weight.AGAINST if is_doubt else Weight.UNKNOWN
    found = [match for match in found if match.kind in kinds]
    found += [Match(i, i + 1, "thanks", "") for i, word in enumerate(words) if word in names]
    for one in {match.language for match in found if match.kind not in _OF_ALL} or {""}:
        if _tiles([match for match in found if match.kind in _OF_ALL or match.language in (one, "")], len(words)):
            return Weight.HARMLESS
    return Weight.UNKNOWN


def _says_no(sentence: str, left: Sequence[Match], length: int) -> bool:
    """Return True for a sentence that begins with a no, and for a short one that denies something."""
    first = _FIRST.match(sentence)
    if first and first[1] in lexicon.words("answers", "no") and any(m.begin == 0 and m.kind == "no" for m in left):
        return True
    return length <= _SHORT and any(match.kind in ("no", "not", "later") for match in left)


def uncovered(found: Sequence[Match]) -> list[Match]:
    """Return the matches but for those that are a part of a harmless phrase, or of one under the same name."""
    whole = [match for match in found if match.kind in (*_WHOLE, "questions") and match.end - match.begin > 1]
    return [
        match
        for match in found
        if not any(
            other.begin <= match.begin and match.end <= other.end and other.end - other.begin > match.end - match.begin
            for other in whole
        )
    ]


def _tiles(found: Sequence[Match], length: int) -> bool:
    """Return True if some of the matches, one behind the other, are all words of a sentence."""
    reached = {0}
    for match in sorted(found):
        if match.begin in reached:
            reached.add(match.end)
    return length in reached


def is_of_machine(lines: Sequence[str]) -> bool:
    """Return True for a mail that no person writes: a line such as 'Liked "red taxi 46"', or a note of an absence.

    Such a note is to somebody whom its author does not know: it thanks for their message, or says whom to ask instead.
    It has no question, and no word of the game.
    """
    said = [lexicon.folded(bare(line)) for line in lines if plain(line)]
    text = " ".join(said).replace("black ticket", "")  # our name, as in the subject that it quotes
    if any(map(_pattern("machines").match, said)) or any(map(_pattern("undelivered").match, said)):
        return True
    if "?" in text or not _of_game().isdisjoint(split(text)):
        return False
    thanks = _pattern("automatic").match(text)
    absent = _absent().search(text, thanks.end() if thanks else 0)
    is_to_strangers = _pattern("notes").search(text, thanks.end() if thanks else 0) is not None
    is_long = len(text.split()) >= _LONG_NOTE and _ASKS_ELSEWHERE.search(text) is not None
    return bool(thanks and (absent or is_to_strangers)) or bool(absent and (is_to_strangers or is_long))


_ASKS_ELSEWHERE = re.compile(r"\S@\S|[+(]\d[\d ()/.-]{6,}\d")  # an address, or the number of a telephone
_LONG_NOTE = 12  # words


@cache
def _of_game() -> frozenset[str]:
    words = lexicon.words("against", "moves_of_others").union(lexicon.table("tickets"), lexicon.table("pawns"))
    return frozenset(word for word in words if len(word) > 1)


@cache
def _absent() -> re.Pattern[str]:
    return re.compile(rf"{_pattern('absent').pattern}|{_pattern('automatic').pattern}")


@cache
def _pattern(kind: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![a-z])(?:{lexicon.pattern('programs', kind)})")


def is_of_signature(line: str) -> bool:
    """Return True if `line` looks as lines below a name do: it says how to reach somebody, or each word is a name."""
    if weigh(line) is Weight.AGAINST:
        return False
    words = [word for word in _ANY_WORD.findall(plain(line)) if len(word) > _LONGEST_SMALL_WORD]
    are_names = 0 < len(words) <= _MOST_TITLES and all(word[0].isupper() for word in words)
    return are_names or _CONTACT.search(plain(line)) is not None


_ANY_WORD = re.compile(r"[^\W\d_]+")
_CONTACT = re.compile(r"\S@\S|https?://|\bwww\.|[\d(][\d ()/.-]{6,}\d")
_LONGEST_SMALL_WORD = 3  # letters, as in "of" and "and"
_MOST_TITLES = 8


# Friendly words ---------------------------------------------------------------------------------

_LONGEST = 400  # characters
_NO_COURTESY = re.compile(r"[?\d@/]")
_IS_NAME = re.compile(r"[^\W\d_]+(?:[.'-][^\W\d_]*)*")


def courtesy_in(lines: Sequence[str]) -> Courtesy | None:
    """Return the kind of friendly words that `lines` are; None if anything else is among them."""
    said = [line for line in lines if plain(line)]
    if sum(map(len, said)) > _LONGEST or not said:
        return None
    kinds: set[str] = set()
    for line in said:
        if not bare(line):
            kinds |= {"thanks"} if _is_kind_picture(line) else {""}
        elif line is said[-1] and len(said) > 1 and is_name(line):
            continue
        else:
            kinds |= _kinds_of(line) or {""}
    if "" in kinds:
        return None
    return Courtesy.THANKS if "thanks" in kinds else Courtesy.GREETING if "greetings" in kinds else None


def is_small_talk(line: str, *, is_last: bool = False) -> bool:
    """Return True if `line` says nothing: friendly words, the end of a letter or, where it ends the mail, a name."""
    if not bare(line):
        return _is_kind_picture(line)
    return weigh(line, kinds=SMALL) is Weight.HARMLESS or is_closing(line) or (is_last and is_name(line))


def is_closing(line: str) -> bool:
    """Return True if `line` ends a letter, such as "Best regards, Bob"."""
    text = bare(line)
    words = split(folded(text))
    ends = [match.end for match in matches_at(words, 0) if match.kind == "closings"]
    names = " ".join(text.replace(",", " ").split()[max(ends, default=0) :])
    return bool(ends) and (len(words) == max(ends) or may_sign(names))


def may_sign(line: str) -> bool:
    """Return True if `line` may be the name of somebody who signs: a few words in capitals that no file knows."""
    words = plain(line).rstrip(".,").replace(".", " ").split()
    is_like_one = 0 < len(words) <= _MOST_NAMES and all(
        _IS_NAME.fullmatch(word) and word[0].isupper() for word in words
    )
    return is_like_one and all(match.kind in SMALL for match in matches(split(folded(" ".join(words)))))


_MOST_NAMES = 3  # words


def is_name(line: str) -> bool:
    """Return True if `line` may be a name: one or two words that no file knows for more than talk."""
    words = folded(bare(line)).split()
    is_like_one = 0 < len(words) <= 2 and all(map(_IS_NAME.fullmatch, words))
    return (
        is_like_one
        and all(match.kind in SMALL for match in matches(split(" ".join(words))))
        and not any(
            (word in lexicon.table("tickets") and len(word) > 1) or word in lexicon.table("pawns") for word in words
        )
    )


def _kinds_of(line: str) -> set[str]:
    """Return the kinds of the phrases of a line of friendly words; empty for any other."""
    if _NO_COURTESY.search(plain(line)) or weigh(line, kinds=SMALL) is not Weight.HARMLESS:
        return set()
    return {match.kind for sentence in sentences(line) for match in matches(split(sentence))}


def _is_kind_picture(line: str) -> bool:
    return not plain(line).isascii() and NO_PICTURES.isdisjoint(line)
