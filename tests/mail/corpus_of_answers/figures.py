"""Figures of what became of the mails, and a line for each miss."""

from collections import Counter
from collections.abc import Callable, Sequence

from tests.mail.corpus_of_answers.mails import SIX, corpus
from tests.mail.corpus_of_answers.runner import Outcome, outcome

Test = Callable[[Outcome], bool]
SETTLING = ("yes", "no", "waits", "claims")


def report(parts: Sequence[str] = ()) -> str:
    """Send the mails, or those whose place, kind or scene contains one of `parts`; return the figures and misses."""
    chosen = [
        sample
        for sample in corpus()
        if not parts or any(part in f"{sample.place} {sample.kind} {sample.scene}" for part in parts)
    ]
    outcomes = [outcome(sample) for sample in chosen]
    misses = sorted((each for each in outcomes if not each.is_right), key=lambda each: each.sample.kind)
    return "\n".join([*table(outcomes), "", f"{len(misses)} misses", *map(_line, misses), ""])


def table(outcomes: Sequence[Outcome]) -> list[str]:
    """Return the lines of the figures."""
    rows = [(title, [each for each in outcomes if is_of(each)], hit) for title, is_of, hit in ROWS]
    lines = [f"{title:<58} {sum(map(hit, found)):>4} of {len(found):>3}" for title, found, hit in rows]
    kinds = Counter(each.sample.kind for each in outcomes)
    return [f"{len(outcomes)} mails: {', '.join(f'{n} {kind}' for kind, n in kinds.items())}", *lines]


def _line(each: Outcome) -> str:
    sample = each.sample
    mark = " AGAINST" if each.is_against else " OTHER WAY" if each.is_turned else ""
    text = " / ".join(sample.text.split("\n"))
    scene = f"{sample.scene} {sample.dress}".strip()
    became = f"{sample.expected} -> {each.became}{mark}"
    return f'{sample.kind} {sample.place} {scene}: {became} | "{text[:90]}" | {each.said[:110]}'


def _kind(*kinds: str) -> Test:
    return lambda each: each.sample.kind in kinds


def _is_practice(each: Outcome) -> bool:
    return each.sample.scene == "practice"


def _wrong(each: Outcome) -> bool:
    return not each.is_right


def _right(each: Outcome) -> bool:
    return each.is_right


def _became(*words: str) -> Test:
    return lambda each: each.became in words


def _is_plain(each: Outcome) -> bool:
    return each.sample.kind == "plain" and each.sample.expected.startswith("plays") and each.sample.scene != "practice"


def _settles(is_six: bool | None = None) -> Test:
    def settles(each: Outcome) -> bool:
        is_there = is_six is None or (each.sample.language in SIX) == is_six
        return is_there and each.sample.expected in SETTLING

    return settles


ROWS: list[tuple[str, Test, Test]] = [
    ("moves played against their writer", lambda _: True, lambda each: each.is_against),
    ("  of these retractions ignored", _kind("retraction"), _became("ignored")),
    ("answers understood, the six", _settles(True), _right),
    ("answers understood, the small files", _settles(False), _right),
    ("answers taken the other way", _kind("question"), lambda each: each.is_turned),
    ("answers that settle nothing, asked again", lambda each: each.sample.expected == "asks", _right),
    ("plain moves played at the first mail", _is_plain, _right),
    ("plain moves held", _is_plain, _became("held")),
    ("plain moves asked back", _is_plain, _became("asked")),
    ("excuses: played", _kind("excuse"), _right),
    ("conditions, questions, two moves: not played", _kind("condition"), _right),
    ("signatures that repeat: as expected", _kind("signature"), _right),
    (
        "practice: not played at the first mail",
        lambda each: each.sample.scene == "practice",
        lambda each: not each.is_right,
    ),
    ("machines answered", _kind("machine"), _wrong),
    ("talk: as expected", _kind("talk"), _right),
    ("other commands in words: as expected", _kind("command"), _right),
]
