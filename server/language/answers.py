"""The one reading of an answer: whether a mail says yes or no to what its author was asked, in their own words.

A mail is read in each language that has a word in it. It is divided into clauses, and each clause into phrases of the
files, so that as few words as possible are left. "Klar, kein Problem", "Fine by me, enjoy the holidays" and "👍" agree;
a condition, a doubt, a question, or a yes beside a no settles nothing.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from functools import cache
from itertools import dropwhile, pairwise
from typing import NamedTuple

from server.language import lexicon
from server.language.lexicon import folded
from server.language.normalise import bare, plain
from server.language.numbers import value_of
from server.language.phrases import Match, matches, split
from server.language.talk import NO_PICTURES, courtesy_in, is_closing, is_of_signature, may_sign, vocabulary

_LONGEST = 80  # characters of a line that is an answer by itself
_LONGEST_MAIL = 2_000  # characters of one that answers anything
_LONGEST_FRIENDLY = 300  # characters of a mail that says yes and something that the files do not know
_LONGEST_CRY = 3  # words, of which the last is a no: "good grief no"
_MOST_SMALL = 2  # words beside agreement in one: "it is ok"
_YES_PICTURES = frozenset("👍👌✅✔☑🆗💯🙆")
_REFUSING_PICTURES = frozenset("👎🙅❌✖✗✘⛔🚫❎🛑")
_SMILEY = re.compile(r"[:;]-?[)(DPp]|\^\^")
_CLAUSE = re.compile(r"([^.,;:!?…()。、！？\n]+)([.,;:!?…()。、！？\n]*)")
_DASH = re.compile(r" -+ |^- ?")
_SI = re.compile(r"\bs[íì]\b")
_ACCENTED = "yes"  # in the place of "sí", which is no "si" and so no "if"

_YES, _NO = {"yes", "agree"}, {"no", "refuse"}
_FRIENDLY = {"greetings", "closings", "thanks"}  # in whatever language the rest is
_BETWEEN = {*_FRIENDLY, "beside", "both", "all", "words", "phrases", "please", "topic", "questions", "disclaimers"}
_UNSETTLING = {"condition", "doubt", "choice"}
_LEADING = {*_FRIENDLY, "beside", "phrases", "words"}
_OF_NO = {"no", "not", "refuse", "please", "clear", *_LEADING}
_TURNING = {"not", "but", "back", "undo", "telling", "later"}
_ORDER = (
    "waiting", "play_on", "yes", "no", "agree", "refuse", "topic", "both", "all",
    "condition", "doubt", "choice", "but", "not", "back", "undo", "thanks", "closings", "greetings",
)  # fmt: skip
_OF_TOPICS = {"waiting", "play_on"}
_OF_STORIES = {"", "not", "telling", "refuse", "words", "phrases", "please", "thanks"}
_OF_NEWS = {"life", "people", "mind"}  # which tell nothing about an answer
_DENIALS = frozenset({"no", "not", "t", "nicht", "niet", "pas", "non", "nao", "nie", "nej", "ne"})


class _Piece(NamedTuple):
    """A phrase of a clause, or a word of it that no file knows, which has no kind."""

    begin: int
    end: int
    kind: str = ""


class _Clause(NamedTuple):
    """A clause: what it says ("yes", "no", "open" for what unsettles an answer, "turn" for what may turn it, or "").

    "aside" is known to say nothing, but is no courtesy: "what a week".

    `left` is how many words of it the files do not know; `is_plain`: it has a yes in so many words.
    """

    says: str
    left: int
    is_plain: bool = False
    kinds: frozenset[str] = frozenset()
    marks: str = ""


def read_answer(
    lines: Sequence[str],
    names: Collection[str] = (),
    *,
    topic: Mapping[str, str] | None = None,
    is_plain: bool = False,
    is_safe: bool = False,
) -> str | None:
    """Return "yes" or "no" if that is what a mail answers to a question; None if it settles nothing.

    names: words of the names of people, folded, which say nothing, and numbers that the question names
    topic: what the kinds of phrases say that are an answer to this question alone, such as "play_on" to that of a draw
    is_plain: only a yes in so many words is one, with nothing but friendly words beside it
    is_safe: a no changes nothing, so that one at the beginning is one whatever denies something behind it
    """
    said = _above_signature([line for line in lines if plain(line)])
    text = "\n".join(map(plain, said))
    pictures = set(text) & (_YES_PICTURES | NO_PICTURES)
    if '"' in text or len(text) > _LONGEST_MAIL or pictures & (NO_PICTURES - _REFUSING_PICTURES):
        return None
    drawn = {"yes" if picture in _YES_PICTURES else "no" for picture in pictures}
    drawn -= {"yes"} if is_plain else set()
    clauses = [(split(folded(words)), marks) for words, marks in _clauses(text)]
    written = _in_the_likeliest_language(clauses, names, topic or {}, is_plain=is_plain, is_safe=is_safe)
    answers = (written if written is not None else {"open"}) | drawn
    answer = answers.pop() if len(answers) == 1 else None
    is_long = answer == "yes" and len(text) > _LONGEST_FRIENDLY
    return answer if answer in ("yes", "no") and not is_long else None


def _clauses(text: str) -> Iterator[tuple[str, str]]:
    """Yield the clauses of a text, each with the marks behind it."""
    for line in _SMILEY.sub(" ", _SI.sub(_ACCENTED, text.lower())).split("\n"):
        for part in _DASH.split(line):
            yield from ((words, marks) for words, marks in _CLAUSE.findall(part) if split(folded(words)))
            if "?" in part and not _CLAUSE.search(part):
                yield "", "?"


def _in_the_likeliest_language(
    clauses: Sequence[tuple[list[str], str]],
    names: Collection[str],
    topic: Mapping[str, str],
    *,
    is_plain: bool,
    is_safe: bool,
) -> set[str] | None:
    """Return what the clauses say, in the language that knows most of their words; None if two of these disagree."""
    others = (_OF_TOPICS - topic.keys()) | _OF_NEWS
    found = [[match for match in matches(words) if match.kind not in others] for words, _ in clauses]
    languages = {match.language for each in found for match in each}
    read: dict[float, set[frozenset[str]]] = {}
    for language in languages or {"en"}:
        pieces = [_pieces(words, each, language, names) for (words, _), each in zip(clauses, found, strict=True)]
        cost = sum(cost for _, cost in pieces)
        whole = [_clause(of, words, marks, topic) for (of, _), (words, marks) in zip(pieces, clauses, strict=True)]
        says = _together(whole, is_plain=is_plain, is_safe=is_safe)
        read.setdefault(cost, set()).add(frozenset(says))
    likeliest = read[min(read)] - {frozenset()}
    return set(likeliest.pop() if likeliest else ()) if len(likeliest) < 2 else None


def _together(clauses: Sequence[_Clause], *, is_plain: bool, is_safe: bool) -> set[str]:
    """Return what clauses say together: "yes", "no", or "open"; empty if they say nothing."""
    clauses = [each for i, each in enumerate(clauses) if is_plain or is_safe or not _is_story(each, clauses[:i])]
    says = {clause.says for clause in clauses}
    is_given = any(clause.is_plain for clause in clauses)
    is_no_denied = not is_safe and any(each.says == "turn" and "not" in each.kinds for each in clauses[1:])
    if _begins_with_no(clauses, is_safe=is_safe) or (is_plain and "no" in says and not is_given):
        return {"no"}
    if "open" in says or {"yes", "no"} <= says or ("no" in says and is_no_denied):  # "No, I don't mind"
        return {"open"}
    if "yes" not in says:
        return says & {"no"}
    is_all_known = not any(clause.left for clause in clauses) and "aside" not in says
    return {"open"} if "turn" in says or (is_plain and not (is_all_known and is_given)) else {"yes"}


def _is_story(clause: _Clause, before: Sequence[_Clause]) -> bool:
    """Return True for a sentence behind an answer that denies something else: "Sure! Haven't played since school"."""
    is_behind = any(each.says in ("yes", "no") for each in before) and not {".", "!"}.isdisjoint(before[-1].marks)
    return is_behind and clause.says == "turn" and clause.left > 1 and clause.kinds <= _OF_STORIES


def _begins_with_no(clauses: Sequence[_Clause], *, is_safe: bool) -> bool:
    """Return True for "No," "No thanks," or "Rather not," and a reason: nothing behind it asks, agrees, or denies it.

    "No, I don't mind" may agree, but not where a no is safe.
    """
    told = dropwhile(lambda each: each.left == 0 and not each.says and each.kinds <= _LEADING, clauses)
    first, *others = [*told] or [_Clause("", 1)]
    denied = {"agree"} if is_safe else set()
    behind = frozenset().union(*(each.kinds - (denied if "not" in each.kinds else set()) for each in others))
    against = {"yes", "but", "?"}
    if "thanks" not in first.kinds or "clear" in first.kinds:
        against |= {"agree"} if is_safe else {"agree", "doubt", "condition"}
        against |= set() if is_safe or "clear" in first.kinds else {"no", "not"}
    is_no = first.left == 0 and first.says == "no" and not first.kinds.isdisjoint({"no", "clear"})
    return is_no and first.kinds <= _OF_NO and behind.isdisjoint(against)


def _clause(pieces: Sequence[_Piece], words: Sequence[str], marks: str, topic: Mapping[str, str]) -> _Clause:
    """Return what a clause says that is made of these pieces."""
    left = sum(not piece.kind for piece in pieces)
    is_plain = any(piece.kind == "yes" for piece in pieces)
    is_denied = _is_denied(pieces, {"agree", "topic", *topic})
    pieces = [piece._replace(kind=topic.get(piece.kind, piece.kind)) for piece in pieces]
    kinds = {piece.kind for piece in pieces}
    has_yes, has_no = bool(kinds & _YES), bool(kinds & _NO) or is_denied
    is_cry = "no" in kinds <= {"", "no", "words"} and len(words) <= _LONGEST_CRY and pieces[-1].kind == "no"
    agreeing = [piece for piece in pieces if piece.kind in {*_YES, "topic"}]  # "ok, for me that's fine"
    is_twice = len(agreeing) > 1 and any(each.kind in _YES and each.end - each.begin > 1 for each in agreeing)
    is_strong = left == 0 or is_cry or is_twice or any(_is_strong(piece, words) for piece in pieces)
    if _is_asked(kinds, words, marks, left) or _is_if(pieces, words):
        says = "open"
    elif has_no:
        says = "no" if is_denied or (is_strong and not has_yes) else "open" if has_yes else "turn"
    elif kinds & _TURNING or _has_number(pieces, words):
        says = "open" if has_yes else "turn"
    elif has_yes and is_strong and not _is_by_the_way(pieces):
        says = "yes"
    else:
        is_aside = kinds <= {"words", "phrases", "questions"} and "phrases" in kinds
        is_aside = is_aside and courtesy_in([" ".join(words)]) is None
        says = "aside" if is_aside else ""
    kinds |= {"not"} if not _DENIALS.isdisjoint(words) else set()
    # "clear" is a refusal of several words
    kinds |= {"clear"} if any(piece.kind == "refuse" and piece.end - piece.begin > 1 for piece in pieces) else set()
    return _Clause(says, left, is_plain, frozenset(kinds | ({"?"} if "?" in marks else set())), marks)


def _is_asked(kinds: Set[str], words: Sequence[str], marks: str, left: int) -> bool:
    """Return True for a question, a condition, a doubt or a choice; "why not?" agrees."""
    asks = not lexicon.words("talk", "question_words").isdisjoint(words)
    is_said_so = asks and left == 0 and kinds <= {"questions", "phrases", "agree"}
    is_if_alone = set(words) <= lexicon.words("answers", "yes")  # "si" is a yes where nothing follows it
    is_question = ("?" in marks or (asks and left > 0 and "!" not in marks)) and not is_said_so
    return is_question or (not _UNSETTLING.isdisjoint(kinds) and not is_if_alone)


def _has_number(pieces: Sequence[_Piece], words: Sequence[str]) -> bool:
    """Return True if a clause has a number that nothing explains, as "make it two days"; no courtesy is one."""
    is_courtesy = any(piece.kind in {*_FRIENDLY, "phrases"} for piece in pieces)
    unknown = [words[piece.begin] for piece in pieces if not piece.kind]
    return not is_courtesy and any(word.isdigit() or (value_of(word) or 0) > 1 for word in unknown)


def _is_strong(piece: _Piece, words: Sequence[str]) -> bool:
    """Return True for a phrase that answers although no file knows a word beside it.

    A clause begins with a yes, ends in a yes or a no of several words, or has several that refuse and not only deny.
    """
    if piece.kind == "yes" and piece.begin == 0:
        return True
    if piece.kind in ("yes", "agree", "no", "topic"):
        return piece.end == len(words) and piece.end - piece.begin > 1
    return piece.kind == "refuse" and piece.end - piece.begin > 2 and words[piece.end - 1] not in _DENIALS


def _is_by_the_way(pieces: Sequence[_Piece]) -> bool:
    """Return True if the only agreement is a word among others that say something else: "fine weather here"."""
    said = [i for i, piece in enumerate(pieces) if piece.kind in _YES]
    small = [i for i, piece in enumerate(pieces) if piece.kind in ("words", "all")]
    is_word = all(pieces[i].kind == "agree" and pieces[i].end - pieces[i].begin == 1 for i in said)
    is_about = any(piece.kind == "topic" for piece in pieces)
    return is_word and not is_about and (len(small) > _MOST_SMALL or small[-1:] > said[-1:])


def _is_if(pieces: Sequence[_Piece], words: Sequence[str]) -> bool:
    """Return True for a "si" without an accent before words that are more than friendly, as it means "if" there."""
    return any(
        piece.kind == "yes" and words[piece.begin : piece.end] == ["si"] and any(not other.kind for other in pieces)
        for piece in pieces
    )


def _is_denied(pieces: Sequence[_Piece], denied: Collection[str]) -> bool:
    """Return True if a word that denies stands beside agreement, or beside what was asked about: "no draw"."""
    telling = [piece.kind for piece in pieces if piece.kind != "words"]
    is_right_before = any(no in ("not", "no", "refuse") and kind in denied for no, kind in pairwise(telling))
    is_behind = telling[-1:] == ["not"] and telling[-2:-1] != [] and telling[-2] in {*denied} - {"topic"}
    return (is_right_before or is_behind) and "" not in telling and "yes" not in telling


def _pieces(
    words: Sequence[str], found: Sequence[Match], language: str, names: Collection[str]
) -> tuple[list[_Piece], float]:
    """Return the fewest pieces that a clause is made of in a language, and how little of it that language knows.

    Words that English people share with everybody, thanks and greetings may be of any language.
    """
    own = [match for match in found if match.language in (language, "programs")]
    taken = {match[:2] for match in own if match.kind not in _BETWEEN or match.kind == "beside"}
    known = {i for i, word in enumerate(words) if word in vocabulary(language)}
    shared = [
        match
        for match in found
        if match.language != language
        and match[:2] not in taken
        and (match.kind in _FRIENDLY or match.language == "en")
        and not (match.kind in _YES | _NO and match.end - match.begin == 1 and match.begin in known)
    ]
    costs = [(match, 0.0) for match in own]
    costs += [(match, 0.3 * (match.end - match.begin) if words[match.begin] != _ACCENTED else 0.0) for match in shared]
    best: list[tuple[float, int, int, tuple[_Piece, ...]]] = [(0.0, 0, 0, ())]
    for end in range(1, len(words) + 1):
        ending = [
            (_Piece(match.begin, end, match.kind), cost) for match, cost in costs if match.end == end and match.kind
        ]
        is_name = words[end - 1] in names or str(value_of(words[end - 1])) in names
        costs_of_word = 0.2 if is_name else 0.8 if end - 1 in known else 1.0
        ending.append((_Piece(end - 1, end, "beside" if is_name else ""), costs_of_word))
        ways = [
            (before[0] + cost, before[1] + 1, before[2] + _rank(piece.kind), (*before[3], piece))
            for piece, cost in ending
            for before in (best[piece.begin],)
        ]
        best.append(min(ways, key=lambda way: way[:3]))
    return list(best[-1][3]), best[-1][0]


def _rank(kind: str) -> int:
    """Return how late a kind of phrase is chosen, where the same words are of several."""
    return _ORDER.index(kind) if kind in _ORDER else len(_ORDER)


def _above_signature(lines: Sequence[str]) -> Sequence[str]:
    """Return the lines above a closing, such as "Kind regards,", or above the name that ends the mail."""
    for i, line in enumerate(lines[1:], start=1):
        if is_closing(line) and all(may_sign(below) or is_of_signature(below) for below in lines[i + 1 :]):
            return lines[:i]
    return lines[:-1] if len(lines) > 1 and may_sign(lines[-1]) and answer_in(lines[-1]) is None else lines


# A line ------------------------------------------------------------------------------------------


def answer_in(line: str) -> str | None:
    """Return "yes" or "no" if `line` is that word, with nothing beside it but words that say the same or are polite."""
    text = _SMILEY.sub("", bare(line))
    words = split(folded(text))
    if not words or len(text) > _LONGEST or _answers().isdisjoint(words) or _OTHER_MARK.search(text):
        return None
    found = matches(words)
    read = set()
    for language in {match.language for match in found}:
        kinds = {piece.kind for piece in _pieces(words, found, language, ())[0]} - _POLITE
        read |= {said for said, beside in _BESIDE.items() if said in kinds and kinds <= {said, beside}}
        read |= {"open"} if {"yes", "no"} <= kinds else set()
    return read.pop() if len(read) == 1 and "open" not in read else None


_BESIDE = {"yes": "agree", "no": "refuse"}
_POLITE = _BETWEEN - {"topic", "questions", "disclaimers", "words", "phrases"}
_OTHER_MARK = re.compile(r"[^\w\s,.!;:'¡…、。！-]|^\W")  # as of a question, or a quote


@cache
def _answers() -> frozenset[str]:
    entries = lexicon.words("answers", "yes") | lexicon.words("answers", "no")
    return frozenset(word for entry in entries for word in split(entry))
