"""The moments that decided a game in sentences: for Mr. X and for everybody else, and fit for mails."""

import random
from typing import Any

import pytest

from server.application.game.hunt import Story
from server.engine import Edition, Game
from server.language.grammar import is_command_line
from server.mail.writing.wrapping import wrap
from server.vocabulary.translation import languages, speaking
from server.vocabulary.words import percent
from server.wording.hunt import _Told, moments
from tests.bots.test_hunt import moved, played, told
from tests.engine.playing import MIXES, crowded, dealt
from tests.positions import position
from tests.rows import for_each

RAVENSBURGER = Edition.named("ravensburger-2000")
KINDS = {name for name in vars(_Told) if not name.startswith("_")}


def from_46(**detectives: int) -> Game:
    return Game.at(RAVENSBURGER, position(46, last_seen=(3, 46), log_used=3, **detectives))


def test_each_kind_of_moment_has_its_sentences():
    seen = set()
    for mix in MIXES:
        for seed, start in enumerate((dealt, crowded)):
            states = list(played(start(mix, random.Random(seed)), random.Random(seed), most=40))
            seen |= {each.kind for each in told(states).moments}
    assert seen <= KINDS
    assert {"walked", "closed", "shown", "lost", "end"} <= seen


def sentences(*kinds_and_moves: str) -> Any:
    kind, *moves = kinds_and_moves
    story = told(moved(from_46(red=78, green=22, blue=128), *moves))
    (moment,) = (each for each in story.moments if each.kind == kind)
    return story._replace(moments=[moment])


@for_each(
    "kind, moves, expected",
    [
        (
            "missed", ("taxi 61", "red bus 77", "green taxi 34"),
            "In round 1 Red could have caught Mr. X on 61, and went by bus to 77 instead. ",
        ),
        (
            "walked", ("taxi 61", "red taxi 61"),
            "Mr. X went to 61 with move 4, where a detective could be in one ride. From 46 he could have gone to ",
        ),
        ("end", ("black 1", "red bus 77"), "When the game ended the detectives had Mr. X "),
    ],
)  # fmt: skip
def test_a_moment_begins_with_what_happened(kind: str, moves: tuple[str, ...], expected: str):
    assert moments(Story(sentences(kind, *moves), 0), None)[0].startswith(expected)


@pytest.mark.parametrize(
    ("share", "expected"),
    [(0.0, "under 1 %"), (0.0099, "under 1 %"), (0.414, "41 %"), (0.994, "99 %"), (0.998, "over 99 %"), (1.0, "100 %")],
)
def test_a_share_is_never_told_as_nothing_or_as_certain_when_it_is_not(share: float, expected: str):
    assert percent(share) == expected


@pytest.mark.parametrize("mix", [MIXES[0], MIXES[5], MIXES[12], MIXES[14], MIXES[16]], ids=str)
def test_no_line_of_a_mail_with_moments_is_a_command(mix: Any):
    for seed in range(3):
        states = list(played(dealt(mix, random.Random(seed)), random.Random(seed), most=30 + 40 * seed))
        story = Story(told(states), 0)
        for language in languages():
            with speaking(language):
                told_of = moments(story, None)
            for moment in told_of:
                assert not any(is_command_line(line) for line in wrap(f" - {moment}").splitlines()), moment
