"""A yes or a no in other words: "Yes, with pleasure", "Ja, gerne", "not this time"."""

import re
from collections.abc import Callable, Collection, Sequence
from functools import cache

from server.language import lexicon
from server.language.lexicon import folded
from server.language.normalise import bare, plain
from server.language.phrases import Match, matches, matches_in_a_row, split
from server.language.talk import (
    NO_PICTURES,
    Weight,
    has,
    is_closing,
    is_friendly,
    is_of_signature,
    is_small_talk,
    may_sign,
    weigh,
)

_SMILEY = re.compile(r"[ ,.!]*(?:[:;]-?[)(DPp]|\^\^)[ .!]*$")
_OTHER_MARK = re.compile(r"[^\w\s,.!;:'¡…、。！-]")
_LONGEST = 80  # characters
_SIGNED = re.compile(r"(.{2,60}?) ?(?:[.,!;:]|[–—-](?= )){1,3} ?([^.,!;:–—]{2,60})\.?")
_HEDGED = re.compile(r"\W{0,3}([^\W\d_]{1,6})\b[ ,.;:!–—-]+(.+)")
_FIRST_WORD = re.compile(r"\W{0,3}([^\W\d_]+)\b[ ,.;:!–—-]+(.+)")
_LONGEST_FRIENDLY = 300  # characters
_YES_PICTURES = frozenset("👍👌✅✔☑🆗💯🙆")

_YES, _NO = {"yes", "yes_alone"}, {"no", "no_alone"}
_NEUTRAL = {"beside", "both", "all", "closings", "greetings", "thanks"}


def answer_in(line: str, *, is_asked: bool = False) -> str | None:
    """Return "yes" or "no" if the whole of `line` says so, with nothing else but words of politeness.

    `is_asked`: it answers a question whether something is meant, to which "exactly" and "wrong" are answers too.
    """
    text = bare(line)
    if len(text) > _LONGEST or "?" in text:
        return None
    if not text:
        return _answer_in_pictures(line) if is_asked else None
    text = _SMILEY.sub("", text)
    if _OTHER_MARK.search(text) or not text[:1].isalnum():  # as of a quote
        return None
    words = split(folded(text))
    found = matches_in_a_row(words)
    yes, no = _YES | ({"yes_if_asked"} if is_asked else set()), _NO | ({"no_if_asked"} if is_asked else set())
    neutral = _NEUTRAL | ({"words", "phrases", "please"} if is_asked else set())
    is_yes = _is_made_of(found, len(words), yes, neutral) or _is_please_both(found, words)
    is_no = _is_made_of(found, len(words), no, {*neutral, "no_behind"})
    return None if is_yes == is_no else "yes" if is_yes else "no"


def answer_of(lines: Sequence[str], names: Collection[str] = (), *, is_asked: bool = True) -> str | None:
    """Return "yes" or "no" if that is what a mail answers to a question; else None.

    Every line is an answer, or says nothing, or is of the signature behind a closing. `names` are words of the names of
    people, folded. `is_asked`: the question is whether something is meant.
    """
    said = _above_signature([line for line in lines if plain(line)])
    read = [(line, answer_in(line, is_asked=is_asked) or friendly_answer(line, names)) for line in said]
    answers = {answer for line, answer in read if answer or not is_small_talk(line, is_last=line is said[-1])}
    return answers.pop() if len(answers) == 1 else None


def friendly_answer(line: str, names: Collection[str] = ()) -> str | None:
    """Return "yes" or "no" if `line` is that word and friendly words: "Yes! Thanks for the game, all of you."

    Each sentence behind the word greets, thanks, praises or takes leave. `names` are as those of `answer_of`.
    """
    found = _FIRST_WORD.fullmatch(plain(line))
    answer = answer_in(found[1]) if found and folded(found[1]) in _first_answers() else None
    if found is None or answer is None or len(line) > _LONGEST_FRIENDLY or not is_friendly(found[2], names):
        return None
    return answer


def _above_signature(lines: Sequence[str]) -> Sequence[str]:
    """Return the lines above a closing, such as "Kind regards,", below which each line may be of a signature."""
    for i, line in enumerate(lines[1:], start=1):
        if is_closing(line) and all(may_sign(below) or is_of_signature(below) for below in lines[i + 1 :]):
            return lines[:i]
    return lines


def _answer_in_pictures(line: str) -> str | None:
    is_no = not NO_PICTURES.isdisjoint(line)
    return "no" if is_no else None if _YES_PICTURES.isdisjoint(line) else "yes"


def _is_made_of(found: Sequence[Match], length: int, wanted: Collection[str], neutral: Collection[str]) -> bool:
    """Return True if matches of the `wanted` kinds, one at least, and of the `neutral` ones make up a sentence."""
    reached = {(0, False)}
    for match in sorted(found):
        for is_said in (False, True):
            if (match.begin, is_said) in reached:
                if match.kind in wanted:
                    reached.add((match.end, True))
                if match.kind in neutral:
                    reached.add((match.end, is_said))
    return (length, True) in reached


def _is_please_both(found: Sequence[Match], words: Sequence[str]) -> bool:
    """Return True for "Both please", which is a yes."""
    is_asked_for = not lexicon.words("move", "please").isdisjoint(words)
    return is_asked_for and _is_made_of(found, len(words), {"both", "all"}, {"beside", "thanks"})


def unsigned(line: str, author: str, is_move: Callable[[str], bool] = lambda _: False) -> str:
    """Return an answer or a move without the name of its author behind it, as "Yes. Gus"; another line as it stands."""
    found = _SIGNED.fullmatch(plain(line)) if len(line) <= _LONGEST else None
    if found is None or not author or (answer_in(found[1]) is None and not is_move(found[1])):
        return line
    is_name = {*folded(found[2]).split()} <= {*folded(author).split()} and answer_in(found[2]) is None
    return found[1] if is_name else line


def hedged_yes(line: str) -> tuple[str, str] | None:
    """Return the yes that `line` begins with and the rest of it, which speaks against that: "YES but not sure"."""
    found = _HEDGED.fullmatch(plain(line))
    if found is None or folded(found[1]) not in lexicon.words("answers", "yes") or found[1].lower() == "si":
        return None  # "si" is an "if"
    first, *rest = split(folded(found[2])) or [""]
    is_less = first in lexicon.words("answers", "but") and not lexicon.words("answers", "less").isdisjoint(rest)
    is_against = is_less or weigh(found[2]) is Weight.AGAINST or has(found[2], "no")
    return (found[1], found[2]) if is_against else None


def begins_with_yes(line: str) -> bool:
    """Return True if the first word of `line` is a yes."""
    return split(folded(bare(line)))[:1] != [] and split(folded(bare(line)))[0] in lexicon.words("answers", "yes")


def begins_with_answer(lines: Sequence[str]) -> bool:
    """Return True if the first line that is no greeting begins with a yes or a no, whatever follows."""
    first = next((line for line in lines if plain(line) and not is_small_talk(line)), "")
    words = split(folded(bare(first)))
    return bool(words) and words[0] in _first_answers()


@cache
def _first_answers() -> frozenset[str]:
    return lexicon.words("answers", "yes") | lexicon.words("answers", "no")


def is_plain_yes(line: str) -> bool:
    """Return True if `line` is a yes in so many words, perhaps with friendly ones: "Yes please", not "sounds good"."""
    words = split(folded(bare(line)))
    return _is_made_of(matches(words), len(words), {"yes"}, _NEUTRAL)


def is_to_several(line: str) -> bool:
    """Return True if `line`, which is a yes, is one to several things: "Yes, both of them please", not "thanks all"."""
    return friendly_answer(line) is None and not _several(line).isdisjoint({"both", "all"})


def is_to_both(line: str) -> bool:
    """Return True if `line`, which is a yes, is one to two things: "Both please"."""
    return "both" in _several(line)


def _several(line: str) -> set[str]:
    """Return the kinds of the phrases of a yes, but for parts of others: "tout à fait" is not to all."""
    found = matches(split(folded(bare(line))))
    return {
        match.kind
        for match in found
        if not any(m.begin <= match.begin and match.end <= m.end and m[:2] != match[:2] for m in found)
    }


def may_be_answer(words: Collection[str]) -> bool:
    """Return False if no line that ends in a yes or a no has these words, each of lower-case letters alone."""
    return not _last_letters().isdisjoint(words)


@cache
def _last_letters() -> frozenset[str]:
    kinds = (*("yes", "yes_alone", "no", "no_alone", "no_behind", "beside", "both", "all"),)
    said = [entry for kind in kinds for entry in lexicon.words("answers", kind)]
    said += [entry for kind in ("closings", "greetings", "thanks") for entry in lexicon.words("talk", kind)]
    return frozenset(found[-1] for entry in said if (found := re.findall("[a-z]+", entry)))
