"""Send the mails of the corpus through the inbox, and tell what became of each."""

import re
import tempfile
from dataclasses import dataclass
from datetime import datetime, timedelta
from email.message import EmailMessage
from pathlib import Path
from typing import Any

from server.mail.reading.quoting import MARKERS
from server.models import db
from server.vocabulary.translation import catalogues, speaking
from tests import databases
from tests.kept import again
from tests.mail.corpus_of_answers.mails import Sample, written
from tests.mail.corpus_of_answers.stages import SCENES
from tests.profiles import IS_CAMPAIGN
from tests.scenes import text_of
from tests.table import Playing, Table

_BELOW_MARKER = re.compile("|".join(map(re.escape, MARKERS)))
_BEFORE: dict[tuple[str, str], set[str]] = {}  # what is played when a scene of a language ends


class Stage:
    """A scene with one person who writes, and what one can see of it afterwards."""

    def __init__(self, sample: Sample, language: str = "en") -> None:
        build, who, number, self.pawn = SCENES[sample.scene]
        self.folder = tempfile.TemporaryDirectory()
        self.table = Table(Path(self.folder.name), sandbox="1", min_turn="PT1S", authserv_id="mx")
        self.language = language
        with speaking(language):  # which the players of the scene get
            self.game: Playing = again(self.table, build, f"corpus {sample.scene}")
        self.person = self.game.people[who]
        self.asked = self.person.mails[number]
        place = sample.scene, language
        if place not in _BEFORE:
            _BEFORE[place] = self.moves()
        self.before = _BEFORE[place]

    def __enter__(self) -> "Stage":
        return self

    def __exit__(self, *_: object) -> None:
        """Let go of the database, which another mail may use."""
        if IS_CAMPAIGN:  # other tests look at every game after the same commands
            self.table.check_games()
        Table.unchecked.remove(self.table)
        with self.table.app.app_context():
            db.engine.dispose()
        databases.pool.give_back(Path(self.folder.name))
        self.folder.cleanup()

    def send(self, mail: EmailMessage) -> list[Any]:
        """Let the mail arrive, and return the mails that its writer gets at once."""
        before = len(self.person.mails)
        self.table.deliver(mail.as_bytes(), self.person.address, mail["To"].addresses[0].addr_spec)
        self.table.tick()
        return self.person.mails[before:]

    def say_yes(self, to: Any) -> None:
        """Answer YES and nothing else."""
        self.send(written(Sample("", "en", "", "", "alone", "", "YES", "", None), self.person, to))

    def moves(self) -> set[str]:
        """Return what is played, or sent ahead for certain; what waits is not among it."""
        if not hasattr(self.person, "token"):
            return set()
        view = self.game.view(self.person)
        kept = {each["notation"] for each in view.get("ahead", ()) if self.pawn in each["notation"]}
        return kept | {move for move in view.get("history", ()) if self.pawn in move}

    def waits(self) -> set[str]:
        """Return the moves that wait for their time."""
        waiting = self.person.get(f"{self.game.path}/ahead").json.get("moves", [])
        return {each["notation"] for each in waiting if "plays_at" in each}

    def later(self) -> set[str]:
        """Return what is played, or sent ahead, when twenty minutes are over."""
        for _ in range(2):
            self.table.clock.turn(minutes=10)
            self.table.tick()
        return self.moves()

    def settled(self, scene: str) -> str:
        """Return `yes` or `no` if one sees that the question of a scene is settled, and `open` if not."""
        game, host = self.game, self.game.people[0]
        if scene in ("pause", "extend", "clock", "wait"):
            votes, seat = host.get(f"{game.path}/votes").json["votes"], game.people.index(self.person) + 1
            is_for = bool(votes) and seat in votes[-1]["for"]
            return "yes" if is_for else "no" if not votes or seat in votes[-1]["against"] else "open"
        view = game.view(host)
        if scene in ("invited", "stranger", "rematch"):
            states = {seat["state"] for seat in view["seats"]}
            return "open" if "invited" in states else "no" if "open" in states else "yes"
        is_yes = {
            "meant": lambda: "purple taxi 115" in view["history"],
            "held": lambda: "purple taxi 115" in view["history"],
            "sender": lambda: "purple bus 102" in view["history"],
            "resign": lambda: self.person.id not in [seat["player"] for seat in view["seats"]],
            "wish": lambda: bool(host.get(f"{game.path}/votes").json["votes"]),
            "draw": lambda: 3 in view["draw"],
            "lastdraw": lambda: view["status"] == "over",
            "leave": lambda: "open" in [seat["state"] for seat in view["seats"]],
        }[scene]()
        return "yes" if is_yes else "open"


@dataclass(frozen=True)
class Outcome:
    """What became of a mail: `became` in one word, and the first words of the answer.

    `is_against` is true if a move was played that its writer did not mean, and `is_turned` if an answer was taken the
    other way.
    """

    sample: Sample
    became: str
    said: str = ""
    is_against: bool = False
    is_turned: bool = False

    @property
    def is_right(self) -> bool:
        """Return True if what became of the mail is what a reader would expect."""
        return self.became == "right"


def outcome(sample: Sample, language: str = "") -> Outcome:
    """Send a mail in a scene of its own, and return what became of it.

    Its players read a language; if none is given, that of the mail where we have it, and English elsewhere.
    """
    ours = sample.language if sample.language in catalogues() else "en"
    with Stage(sample, language or ours) as stage:
        return _outcome(sample, stage)


def _outcome(sample: Sample, stage: Stage) -> Outcome:
    for number, word in enumerate(("STATUS", "LOG") if sample.closing else ()):
        earlier = Sample("", sample.language, "", "", "alone", "", f"{word}\n\n{sample.closing}", "", None)
        stage.send(written(earlier, stage.person, stage.asked, stage.language))
        stage.table.clock.turn(minutes=20 + number)
    mails = stage.send(written(sample, stage.person, stage.asked, stage.language))
    said = " ".join(" ".join(_BELOW_MARKER.split(text_of(mail), 1)[-1].split()) for mail in mails)
    verb, _, wanted = sample.expected.partition(" ")
    if verb in ("yes", "no", "asks", "waits", "claims"):
        return _answered(sample, stage, mails, said, verb)
    if verb in ("plays", "may", "stops", "takes"):
        return _moved(sample, stage, said)
    moved = stage.moves() - stage.before
    if verb in ("silent", "nothing"):
        is_still = not moved and (sample.kind != "machine" or _is_open(stage, sample.scene))
        is_right = is_still and len(mails) <= (verb == "nothing")
        return Outcome(sample, "right" if is_right else "answered" if is_still else "done", said, bool(moved))
    if verb == "absent":
        stage.say_yes(mails[-1] if mails else stage.asked)
        absences = stage.person.get("/me/absences").json["absences"]
        is_right = [_days(each) for each in absences] == [wanted]
    elif verb == "opens":
        key, _, value = wanted.partition("=")
        games = stage.person.get("/games?mine=true").json["games"]
        options = [
            stage.person.get(f"/games/{game['id']}").json["options"] for game in games if game["status"] == "open"
        ]
        is_right = [str(each[key]) for each in options] == [value]
    else:
        is_right = re.search(wanted, said, re.IGNORECASE) is not None and not _found_nothing(said)
    return Outcome(sample, "right" if is_right else "not understood", said, bool(moved))


def _found_nothing(said: str) -> bool:
    return any(words.gettext("I found no move or command in your mail.") in said for words in catalogues().values())


def _days(absence: dict[str, str]) -> str:
    """Return the first and the last day of an absence of somebody in London, in winter."""
    last = datetime.fromisoformat(absence["end"]) - timedelta(seconds=1)
    return f"{absence['begin'][:10]} to {last.date()}"


def _is_open(stage: Stage, scene: str) -> bool:
    return scene == "turn" or stage.settled(scene) == "open"


def _moved(sample: Sample, stage: Stage, said: str) -> Outcome:
    """Compare the moves that are made, at once and twenty minutes later, with those that were meant."""
    verb, _, named = sample.expected.removeprefix("may ").partition(" ")
    meant = set() if named in ("", "nothing") else {f"{stage.pawn}{move}" for move in named.split(", ")}
    at_once, waiting = stage.moves() - stage.before, stage.waits()
    if sample.scene == "queued":
        is_kept = stage.before <= stage.moves()
        return Outcome(sample, "ignored" if is_kept else "right", said, is_kept)
    first = {move for move in at_once if move in meant} if sample.scene == "practice" else at_once
    later = first if sample.scene == "practice" else stage.later() - stage.before
    is_against = bool(later - meant)
    if is_against:
        return Outcome(sample, "ignored" if verb == "stops" else "played wrongly", said, True)
    if first == meant or (verb in ("takes", "ask") and later <= meant):
        return Outcome(sample, "right", said)
    return Outcome(sample, "held" if waiting & meant else "asked", said)


def _answered(sample: Sample, stage: Stage, mails: list[Any], said: str, verb: str) -> Outcome:
    """Compare how a question is settled with how it was meant."""
    meant = {"waits": "no", "claims": "yes"}.get(verb, verb)  # the vote is on the claim
    settled = stage.settled(sample.scene)
    if settled == "open":
        is_lost = _found_nothing(said) or not mails
        if not is_lost and sample.scene not in ("pause", "extend", "clock", "wait", "invited", "stranger", "rematch"):
            settled = _after_a_yes(stage, sample.scene, mails)
        settled = "asks" if settled == "open" else settled
        settled = "not understood" if is_lost and settled == "asks" else settled
    is_turned = settled in ("yes", "no") and meant in ("yes", "no", "asks") and settled != meant
    is_turned = is_turned and not (meant == "asks" and settled == "no")
    return Outcome(sample, "right" if settled == meant else settled, said, is_turned=is_turned)


def _after_a_yes(stage: Stage, scene: str, mails: list[Any]) -> str:
    """Return `no` if a YES now finds no open question, and `open` if it answers the one that was asked."""
    if scene == "draw":
        return "open" if re.search(r"\b(YES|JA)\b", " ".join(map(text_of, mails))) else "no"
    if scene == "held":
        return "open"  # it waits, or it is stopped and asked about
    for to in (mails[-1], stage.asked):
        stage.say_yes(to)
        if stage.settled(scene) == "yes":
            return "open"
    return "no"
