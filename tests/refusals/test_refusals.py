"""A refusal changes nothing: whatever is refused, by mail, over REST or on the command line, leaves no trace.

Only private activity does, which `dumps.PRIVATE` lists. Of a mail that is refused in part, exactly the accepted
commands have an effect: the same as when they alone are sent.
"""

import random
import re
from collections.abc import Callable, Iterator
from itertools import islice, product
from typing import Any, NamedTuple

import pytest

from server.language import forms, grammar
from server.mail.commands import reply
from server.models import Base
from server.vocabulary.errors import Problem
from tests.refusals.cases import ARGUMENTS, BODIES, LINES, NOT_RUN, VALUES
from tests.refusals.dumps import PRIVATE, differences
from tests.refusals.stage import NAMES, OBEYED, PLAY, STATES, Stage, renamed
from tests.worlds.outlets import commands, endpoints
from tests.worlds.switching import wrap

ALL = ("open", *STATES)
SAFE = ("GET", "HEAD", "OPTIONS")


def some_and_all(most: int) -> pytest.MarkDecorator:
    """Run a test on all states, with `most` cases of each; a campaign runs it on each state alone too, with 500."""
    whole = (pytest.param((state,), 500, marks=pytest.mark.campaign, id=f"{state}-all") for state in ALL)
    return pytest.mark.parametrize(("states", "most"), [pytest.param(ALL, most, id="some"), *whole])


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    stage = Stage(tmp_path_factory.mktemp("refusals"))
    assert stage.faults == []
    (stage.folder / "good.csv").write_text("name,email\nIvy,ivy@example.org\n")
    (stage.folder / "bad.csv").write_text("name,email\nIvy,ivy@example.org\nJo,\nBen,ben@example.org\n")
    return stage


class Watch:
    """Looks at the database behind each command of a state, and takes the state up again where one was accepted."""

    def __init__(self, stage: Stage, state: str) -> None:
        self.stage = stage
        self.state = state
        self.found: list[str] = []
        stage.faults.clear()
        stage.take_up(state)
        self.rows, self.stored = stage.rows(), stage.stored()
        self.is_changed = False

    def refused(self, title: str) -> None:
        """A command was refused: nothing has changed."""
        lines = self._changed()
        lines += ["the process remembers a move that was refused"] * self.stage.has_more_in_memory()
        self.note(title, lines)
        if lines:
            self.again()

    def _changed(self) -> list[str]:
        """Return the public rows that have changed; where no byte was written, no row has."""
        stored = self.stage.stored()
        if stored == self.stored:
            return []
        lines = differences(self.rows, self.stage.rows())
        if not lines:
            self.stored = stored
        return lines

    def note(self, title: str, lines: list[str]) -> None:
        """Note what has changed and should not have."""
        if lines:
            self.found.append(f"{self.state}: {title}\n      " + "\n      ".join(lines))

    def again(self) -> None:
        """Take the state up again, when the next command comes."""
        self.is_changed = True

    def begin(self) -> Stage:
        """Return the stage in the state."""
        if self.is_changed:
            self.stage.take_up(self.state)
            self.stored, self.is_changed = self.stage.stored(), False
        return self.stage

    def report(self) -> list[str]:
        """Return everything that was found, faults included."""
        return [*self.found, *self.stage.faults]


# Mails --------------------------------------------------------------------------------------------


class Mail(NamedTuple):
    """A mail of `who`, to their newest reply address or to `to`."""

    who: str
    lines: tuple[str, ...]
    to: str | None = None


def send(watch: Watch, mail: Mail) -> None:
    """Send a mail; look at what it has changed, by what became of it."""
    stage, known = watch.begin(), watch.stage.state.ids
    lines = [line.format(**known) for line in mail.lines]
    title = f"{mail.who} writes {lines!r} to {mail.to or 'the reply address'}"
    read = stage.mail(mail.who, "\n".join(lines), mail.to)
    title = f"{title}: {read.verdict}"
    if read.verdict not in OBEYED:
        watch.refused(title)
        return
    if read.refused:
        whole = stage.rows(opened=True)
        accepted = [line for line in lines if not _is_among(line, read.refused)]
        watch.again()
        alone = watch.begin().mail(mail.who, "\n".join(accepted), mail.to)
        watch.note(f"{title}, of it {accepted} alone", alone.refused)
        known = repr(watch.rows)
        watch.note(title, differences(renamed(stage.rows(opened=True), known), renamed(whole, known)))
    watch.again()


def _is_among(line: str, refused: list[str]) -> bool:
    """Return whether a line is one of those that were refused, of which moves are told with their pawn."""
    wanted = grammar.parse_line(line)
    for told in map(grammar.parse_line, refused):
        if wanted and told and wanted.name == told.name and told.line.endswith(wanted.line):
            return True
    return False


def alone(state: str) -> Iterator[Mail]:
    """Every line of the language by itself: from Ben, in some states from others, and to the play address."""
    lines = [line for lines in LINES.values() for line in lines]
    whose = {"open": ("Ben", "Ada", "Kim"), "mr_x": ("Ada", "Ben")}.get(state, ("Ben",))
    yield from (Mail(who, (line,)) for line in lines for who in whose)
    if state == "hunt":
        yield from (Mail(who, (line,), PLAY) for line in lines for who in ("Gus", "Hana", "Ben"))


def several(state: str) -> Iterator[Mail]:
    """Mails of two and three lines, drawn by the name of the state; the first is often one that can be done."""
    rng = random.Random(f"several {state}")
    lines = [line for lines in LINES.values() for line in lines]
    good = (
        "purple taxi 15",
        "red bus 41",
        "SAY hello",
        "SET picture on",
        "DRAW",
        "YES",
        "EXTEND 2 days",
        "COVER green",
    )
    while True:
        number = rng.choice((2, 2, 3))
        first = rng.choice((rng.choice(good), rng.choice(lines)))
        who, to = rng.choice(
            (("Ben", None), ("Ben", None), ("Ben", None), ("Ada", None), ("Cleo", None), ("Gus", PLAY))
        )
        yield Mail(who, (first, *rng.sample([line for line in lines if line != first], number - 1)), to)


@some_and_all(1)
def test_a_mail_that_is_refused_changes_nothing(stage: Stage, states: tuple[str, ...], most: int):
    """Outside a campaign each line is sent in one state, by one of those who send it there."""
    numbers = {line: number for number, line in enumerate(line for lines in LINES.values() for line in lines)}
    for state in states:
        watch = Watch(stage, state)
        sent = list(alone(state))
        for mail in sent if most > 1 else _in_turn(sent, numbers, ALL.index(state)):
            send(watch, mail)
        assert watch.report() == []


def _in_turn(sent: list[Mail], numbers: dict[str, int], place: int) -> Iterator[Mail]:
    """Yield one mail for each line that is due in the state of this place, and one of those to the play address."""
    for line, number in numbers.items():
        if number % len(ALL) == place:
            for is_to_play in (False, True):
                mails = [mail for mail in sent if mail.lines == (line,) and (mail.to == PLAY) == is_to_play]
                yield from mails[number // len(ALL) % len(mails) :][:1] if mails else ()


# Ben moves Purple (26) and Red (29). Of each the last line cannot be done.
REFUSED_AT_THE_END = (
    ("purple taxi 15", "red taxi 199"),
    ("purple taxi 15", "red taxi 17", "red taxi 41"),
    ("purple taxi 15", "SET zone Nowhere"),
    ("purple taxi 15", "red bus 41", "SET zone Nowhere"),
    ("SET picture on", "SET zone Nowhere"),
)


@some_and_all(2)
def test_of_a_mail_of_several_lines_exactly_what_is_accepted_has_an_effect(
    stage: Stage, states: tuple[str, ...], most: int
):
    for state in states:
        watch = Watch(stage, state)
        known = [Mail("Ben", lines) for lines in REFUSED_AT_THE_END] if state == "hunt" else []
        for mail in (*known, *islice(several(state), most)):
            send(watch, mail)
        assert watch.report() == []


def test_a_move_that_a_refused_mail_leaves_is_found(stage: Stage):
    def refused_too_late(real: Callable[..., None], *given: Any) -> None:
        real(*given)
        raise Problem("form", "This comes too late.")

    watch = Watch(stage, "hunt")
    with wrap("server.mail.commands.handlers:carry_out", refused_too_late)():
        send(watch, Mail("Ben", ("purple taxi 15", "SET picture off")))
    (found,) = watch.report()
    assert "moves + " in found
    assert "events + " in found
    assert "players + " in found


def test_a_line_that_was_done_and_is_told_as_refused_is_found(stage: Stage):
    def says_refused(real: Callable[..., reply.Reply], request: Any, command: forms.Command) -> reply.Reply:
        real(request, command)
        return reply.refused(command.line, Problem("form", "This was done all the same."))

    watch = Watch(stage, "hunt")
    with wrap("server.mail.commands.handlers:attempt", says_refused)():
        send(watch, Mail("Ben", ("purple taxi 15", "SAY hello")))
    (found,) = watch.report()
    assert "messages + " in found
    assert "moves " not in found


# Requests -----------------------------------------------------------------------------------------


class Request(NamedTuple):
    """A request of `who`."""

    who: str | None
    method: str
    path: str
    body: Any = None


def requests(rule: str) -> list[Request]:
    """Every request for a rule ("POST /api/v1/games"), by everybody and with everything that may be sent."""
    method, path = rule.split()
    words = re.findall(r"<[^>]+>", path)
    names = [word.strip("<>").rpartition(":")[2] for word in words]
    found = []
    for values in product(*(VALUES[name] for name in names)):
        filled = path
        for word, value in zip(words, values, strict=True):
            filled = filled.replace(word, value)
        bodies = BODIES.get(rule, (None,))
        found += [Request(who, method, filled, body) for who in (*NAMES, None) for body in bodies]
    return found


def ask(watch: Watch, request: Request) -> None:
    """Make a request; where it is refused, or only reads, nothing has changed."""
    stage, known = watch.begin(), watch.stage.state.ids
    path, body = request.path.format(**known), _filled(request.body, known)
    data = {} if body is None else {"data": body} if isinstance(body, bytes) else {"json": body}
    answer = stage.request(request.who, request.method, path, **data)
    if answer.status_code >= 400 or request.method in SAFE:
        watch.refused(f"{request.who} asks {request.method} {path} {body or ''}: {answer.status_code}")
    else:
        watch.again()


def _filled(body: Any, known: Any) -> Any:
    if isinstance(body, dict):
        return {name: _filled(value, known) for name, value in body.items()}
    if isinstance(body, list):
        return [_filled(value, known) for value in body]
    return body.format(**known) if isinstance(body, str) and body.startswith("{") else body


def chosen(rule: str, state: str, most: int) -> list[Request]:
    """Some of the requests for a rule, drawn by its name and that of the state."""
    found = requests(rule)
    return random.Random(f"{rule} {state}").sample(found, min(most, len(found)))


@some_and_all(1)
def test_a_request_that_is_refused_changes_nothing(stage: Stage, states: tuple[str, ...], most: int):
    rules = sorted(BODIES)
    for state in states:
        watch = Watch(stage, state)
        for rule in rules if most > 1 else rules[ALL.index(state) % 4 :: 4]:
            for request in chosen(rule, state, most):
                ask(watch, request)
        assert watch.report() == []


@pytest.mark.campaign
@pytest.mark.parametrize("state", ALL)
def test_a_request_that_reads_changes_nothing(stage: Stage, state: str):
    """In every state; in one state, tests/contract/test_reading.py has everything read in every run."""
    watch = Watch(stage, state)
    for rule in sorted(endpoints()):
        if rule.split()[0] in SAFE:
            ask(watch, chosen(rule, state, 1)[0])
    assert watch.report() == []


# The operator -------------------------------------------------------------------------------------


@some_and_all(1)
def test_a_command_of_the_operator_that_is_refused_changes_nothing(stage: Stage, states: tuple[str, ...], most: int):
    every = [(name, given) for name in sorted(ARGUMENTS) for given in ARGUMENTS[name]]
    for state in states:
        watch = Watch(stage, state)
        for name, given in every if most > 1 else every[ALL.index(state) :: len(ALL)]:
            words = [*name.split(), *(word.format(**stage.state.ids) for word in given)]
            if watch.begin().command(*words):
                watch.refused(f"blackticket {' '.join(words)}")
            else:
                watch.again()
        assert watch.report() == []


# That nothing is left out -------------------------------------------------------------------------


def test_every_command_of_a_mail_is_sent():
    assert LINES.keys() == {form.name for form in forms.COMMANDS}
    read = {name: {command.name for line in lines if (command := _read(line))} for name, lines in LINES.items()}
    assert read == {name: {name} for name in LINES}


def _read(line: str) -> forms.Command | None:
    return grammar.parse_line(line.format(code="abcdefghabcdefgh"))


def test_every_request_that_may_change_something_is_made():
    """The forms of pages carry out the same use cases; tests/web sends them."""
    programs = {rule for rule in endpoints() if rule.split()[1].startswith(("/api/", "/stop/"))}
    assert BODIES.keys() == {rule for rule in programs if rule.split()[0] not in SAFE}


def test_every_command_of_the_operator_is_run_or_has_a_reason_why_not():
    assert ARGUMENTS.keys() & NOT_RUN.keys() == set()
    assert ARGUMENTS.keys() | NOT_RUN.keys() == commands()


@pytest.mark.parametrize("rule", PRIVATE, ids=lambda rule: f"{rule.table} {rule.why}")
def test_what_is_private_is_there(rule):
    assert rule.why
    assert {*rule.columns} <= {column.name for column in Base.metadata.tables[rule.table].c}
