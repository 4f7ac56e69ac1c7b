"""The replies of commands, and the one reply to a mail that is made of them.

A reply is a title and blocks. The words are in `templates/mail/answer/replies`: the first line of a file is the title,
and each paragraph below it is a block. A block is public if `{{ public }}` stands before it, and all are if that stands
before the title; `{{ of_moment }}` marks a block in the same way. The template of the answer itself adds the situation
of the game.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum, Flag, auto
from functools import reduce
from itertools import groupby
from operator import and_, or_
from typing import Any, ClassVar, NamedTuple

from flask import render_template

from server.application.game.deciding import Decided
from server.language.forms import Command
from server.mail.commands.request import Place, Request
from server.mail.writing import sentences
from server.vocabulary.errors import Problem


class FormerGame(NamedTuple):
    """The game that a mail was about before a line led to another; `hides_station`: mails tell no station of his."""

    name: str
    hides_station: bool


class Refusal(NamedTuple):
    """A line that could not be done, although others of the mail were."""

    line: str
    problem: Problem


class Position(Enum):
    """The position of a block in an answer."""

    ANSWER = "answer"
    REMARK = "remark"  # on the mail as a whole: behind the answers to all its lines
    BELOW = "below"  # behind the situation of the game


class About(Enum):
    """The thing that a block is about."""

    GAME = "game"
    PLAYER = "player"  # the same whichever game the mail is about
    SETTINGS = "settings"  # all settings of the player as they are now, which one answer tells once


@dataclass(frozen=True)
class Block:
    """A paragraph of a reply.

    A public one tells nothing of where Mr. X is or may go, and quotes no words of a mail but those to other players.
    The others are for readers whose mails may name stations. A Mr. X whose mails name none gets `instead` for them,
    which is public; with "" he gets nothing. One `is_of_moment` is left out of an answer that comes late.
    """

    text: str
    is_public: bool = False
    instead: str = ""
    position: Position = Position.ANSWER
    about: About = About.GAME
    is_of_moment: bool = False

    @property
    def in_public(self) -> str:
        """Return what every reader may have of it; "" for nothing."""
        return self.text if self.is_public else self.instead


class Mark(Flag):
    """A mark on a reply: what it does beside its words. The marks of `EVERY` hold of several replies if each has it."""

    BRIEF = auto()  # the reader needs to be told no more with it than whose turn it is
    NO_GAME = auto()  # it is the same whichever game the mail is about
    OF_PLAYER = BRIEF | NO_GAME
    STATUS = auto()  # the reader wants to know how the game stands
    REFERENCE = auto()  # it can be read without the situation of the game, which then does not follow
    LEADS = auto()  # its title goes before those of other commands
    ANSWERS = auto()  # the question that was open is answered
    IN_TURN_MAIL = auto()  # the turn mail that the command causes is the answer to it
    IN_PUBLIC = auto()  # a part is about a game whose mails name this Mr. X no station: of the rest only what is public
    EVERY = BRIEF | IN_TURN_MAIL


UNMARKED = Mark(0)


@dataclass(frozen=True)
class Reply:
    """The reply to a command, or to several: a title, blocks and the question that it asks.

    `entered`: the seat that the commands behind this one are about; `leaves`: the game that those before it are about.
    `kept`: what a later mail may refer to. `files`: the names of those that the mail brings, see
    `server.mail.writing.attachments`. `news`: what a mail of the next turn tells in place of the reply. `round`: what
    it tells was done in that round, which may be over by then.
    """

    title: str = ""
    blocks: tuple[Block, ...] = ()
    question: "Question | None" = None
    marks: Mark = UNMARKED
    refused: tuple[Refusal, ...] = ()
    entered: Place | None = None
    leaves: FormerGame | None = None
    kept: dict[str, Any] | None = None
    files: tuple[str, ...] = ()
    news: str = ""
    round: int | None = None

    @property
    def is_refusal(self) -> bool:
        """Return True if nothing was done."""
        return bool(self.refused) and not self.title

    @property
    def texts(self) -> tuple[str, ...]:
        """Return the paragraphs for a reader whose mails may name stations."""
        return tuple(block.text for block in self.blocks if block.text)

    def marked(self, marks: Mark) -> "Reply":
        """Return the reply with these marks as well."""
        return replace(self, marks=self.marks | marks)

    def at(self, position: Position) -> "Reply":
        """Return the reply with all its blocks at this position."""
        return replace(self, blocks=tuple(replace(block, position=position) for block in self.blocks))


@dataclass
class UnclearError(Exception):
    """A mail of which nothing was done, as it speaks against its own moves or its own answer.

    Its reply asks about the moves, or once more what the answer was to, which stays open. `are_moves_told`: the reply
    names all moves of the mail.
    """

    reply: Reply
    are_moves_told: bool = False


# What comes of a command: the reply of one that only reads; of one that writes, what it has decided, with the reply.
Outcome = Reply | Decided[Reply]
Handler = Callable[[Request, Command], Outcome]  # decides on a command; raises `Problem` if it cannot be done


@dataclass(frozen=True)
class Question(ABC):
    """A question to a player: what it asks, and what YES and NO do. Each kind is a class in the file of its subject.

    Its fields are kept as JSON with the reply address of the mail that asks it, see `questions`.
    """

    kinds: ClassVar[dict[str, type["Question"]]] = {}  # by their names
    is_one_of_all: ClassVar[bool] = False  # of these one is open, the newest
    is_kept: ClassVar[bool] = True  # with the address of the mail that asks it; else each mail about the seat asks it
    has_yes: ClassVar[bool] = True  # a YES answers it
    own_commands: ClassVar[frozenset[str]] = frozenset()  # in an answer to it these are words about it: "yes, I resign"
    may_be_left_open: ClassVar[bool] = False  # its answer can be changed, so it asks nothing beside others

    def __init_subclass__(cls) -> None:
        """Note the kind by its name."""
        cls.kinds[cls.__name__] = cls

    @abstractmethod
    def words(self, request: Request, /) -> Reply:
        """Return the reply that asks it, without the question itself."""

    @abstractmethod
    def yes(self, request: Request, /) -> Outcome:
        """Do what a YES says; raise `Problem` if that cannot be done."""

    def no(self, request: Request, /) -> Outcome:
        """Do what a NO says, by default nothing."""
        return reply_from_template("no", Mark.ANSWERS, stays=self.stays(request))

    def asked(self, request: Request, /) -> Reply:
        """Return the reply that asks it, once more if it was asked before."""
        return replace(self.words(request), question=self)

    def remark(self, _request: Request, /) -> Reply:
        """Return the remark that it is open, beside an answer to something else."""
        return reply_from_template(
            "question_open",
            is_choice=not self.has_yes,
            is_move=bool(self.played),
            about=sentences.each_quoted(self.about_as_typed),
        )

    def is_over(self, _request: Request, /) -> bool:
        """Return True if it needs no answer any more, which no answer has told its address."""
        return False

    def stays(self, _request: Request, /) -> list[str]:
        """Return the moves sent ahead that its YES replaces, in quotation marks."""
        return []

    @property
    def played(self) -> tuple[str, ...]:
        """Return the moves that a YES plays."""
        return ()

    @property
    def about(self) -> tuple[str, ...]:
        """Return what it is about, as the mails said it."""
        return ()

    @property
    def about_as_typed(self) -> tuple[str, ...]:
        """Return what it is about, as its reader would type it."""
        return self.about

    @property
    def topic(self) -> Mapping[str, str]:
        """Return what kinds of phrases say in answer to it alone, see `language.answers`."""
        return {}

    @property
    def needs_plain_yes(self) -> bool:
        """Return True if a YES cannot be undone, so that no other word is one."""
        return False


# What `{{ public }}` and `{{ of_moment }}` are between a template and its blocks: no letters of any language.
_PUBLIC, _OF_MOMENT = "\ue000", "\ue003"


def reply_from_template(template: str, marks: Mark = UNMARKED, /, **facts: Any) -> Reply:
    """Return the reply with the title and the blocks of a template."""
    marks_of_blocks = {"public": _PUBLIC, "of_moment": _OF_MOMENT}
    text = render_template(f"mail/answer/replies/{template}.txt", s=sentences, **marks_of_blocks, **facts)
    title, _, rest = text.partition("\n")
    are_all_public, about = title.startswith(_PUBLIC), About.PLAYER if Mark.NO_GAME in marks else About.GAME
    paragraphs = filter(None, (paragraph.strip() for paragraph in re.split(r"\n\s*\n", rest)))
    blocks = tuple(
        Block(
            _unmarked(text), is_public=are_all_public or text.startswith(_PUBLIC), about=about,
            is_of_moment=text.startswith(_OF_MOMENT),
        )
        for text in paragraphs
    )  # fmt: skip
    title = _unmarked(title).strip()
    return Reply(title, _with_title_told(title, blocks, about), marks=marks)


def _unmarked(text: str) -> str:
    return text.replace(_PUBLIC, "").replace(_OF_MOMENT, "")


def _with_title_told(title: str, blocks: tuple[Block, ...], about: About) -> tuple[Block, ...]:
    """Return the blocks; if none is public, with the title as a sentence for readers who get none of them."""
    if any(block.in_public for block in blocks) or not title:
        return blocks
    return (Block("", instead=as_sentence(title), about=about), *blocks)


def as_sentence(title: str) -> str:
    return f"{title[0].upper()}{title[1:]}{'' if title.endswith('?') else '.'}" if title else ""


def with_public_words(reply: Reply, public: Reply) -> Reply:
    """Return the reply with the words of another for the readers who get only what is public."""
    words = [Block("", instead=block.text, about=block.about) for block in public.blocks if block.text]
    return replace(reply, blocks=(*words, *(replace(b, is_public=False, instead="") for b in reply.blocks if b.text)))


def in_public(blocks: Iterable[Block]) -> tuple[Block, ...]:
    """Return as much of these blocks as every reader may have."""
    return tuple(replace(one, text=one.in_public, is_public=True, instead="") for one in blocks if one.in_public)


def refused(line: str, problem: Problem) -> Reply:
    """Return the reply that a line was not done, and why."""
    return Reply(refused=(Refusal(line, problem),))


def attempted(line: str, decide: Callable[[], Outcome]) -> Reply:
    """Do what `decide` says and return the reply; or the refusal of the line, of which nothing is done then."""
    try:
        outcome = decide()
    except Problem as problem:
        return refused(line, problem)
    return done(outcome)


def done(outcome: Outcome) -> Reply:
    """Write what a command has decided; return its reply."""
    return outcome if isinstance(outcome, Reply) else outcome.write()


def refused_whole(problem: Problem) -> Reply:
    """Return the reply that nothing of a mail was done, and why."""
    reason = sentences.reason(problem.sentence)
    marks = Mark.STATUS if problem.code == "stale-turn" else UNMARKED  # what is so now is news to them
    reply = reply_from_template("refused", marks, reason=reason, is_public=problem.is_public)
    return reply if problem.is_public else with_public_words(reply, reply_from_template("refused_on_page"))


# Several replies -----------------------------------------------------------------------------------


def combined(replies: Sequence[Reply]) -> Reply:
    """Return the one reply that several make, in their order."""
    newest = [block for reply in replies for block in reply.blocks if block.about is About.SETTINGS][-1:]
    replies = _by_game(replies)
    titles = [reply.title for reply in replies if reply.title]
    leading = [reply.title for reply in replies if Mark.LEADS in reply.marks]
    blocks = _settings_once([block for reply in replies for block in reply.blocks], newest)
    news = [reply.news for reply in replies if reply != Reply()]
    return Reply(
        title=leading[-1] if leading else next(iter(titles), ""),
        blocks=tuple(_with_headings_once(dict.fromkeys(blocks))),
        question=_asked([reply.question for reply in replies if reply.question]),
        marks=_marks(replies),
        refused=tuple(refusal for reply in replies for refusal in reply.refused),
        kept=next((reply.kept for reply in reversed(replies) if reply.kept), None),
        files=tuple(dict.fromkeys(name for reply in replies for name in reply.files)),
        news=" ".join(news) if all(news) else "",
        round=next((reply.round for reply in replies if reply.round), None),
    )


def _marks(replies: Sequence[Reply]) -> Mark:
    """Return the marks of several replies: those that each has, and a status, and what hides where Mr. X is."""
    marks = reduce(and_, (reply.marks for reply in replies if reply != Reply()), Mark.EVERY)
    marks |= reduce(or_, (reply.marks for reply in replies), UNMARKED) & (Mark.STATUS | Mark.IN_PUBLIC)
    told = [reply.marks for reply in replies if reply.title or reply.refused]
    if any(reply.title for reply in replies) and all(Mark.REFERENCE in each for each in told):
        marks |= Mark.REFERENCE
    is_hidden = any(reply.leaves and reply.leaves.hides_station for reply in replies)
    return marks | Mark.IN_PUBLIC if is_hidden else marks


def _asked(questions: Sequence[Question]) -> Question | None:
    """Return the one question of these; one that may be left open asks nothing beside it."""
    others = [question for question in questions if not question.may_be_left_open]
    return next(iter(others), questions[0] if len(questions) == 1 else None)


def _settings_once(blocks: Sequence[Block], newest: Sequence[Block]) -> Iterator[Block]:
    """Yield the blocks, the newest settings in the place of the last of all that tell settings."""
    last = max((i for i, block in enumerate(blocks) if block.about is About.SETTINGS), default=None)
    for i, block in enumerate(blocks):
        if block.about is not About.SETTINGS:
            yield block
        elif i == last:
            yield from newest


def _by_game(replies: Sequence[Reply]) -> list[Reply]:
    """Return the replies, first those about the game that the mail ends in; the others each name their game.

    So what Mr. X did there does not stand in the first lines either, which a locked screen shows.
    """
    here: list[Reply] = []
    elsewhere: list[Reply] = []
    for reply in replies:
        if reply.leaves:
            elsewhere += [_under_heading(reply.leaves, one) for one in here]
            here = []
        here.append(reply)
    return here + elsewhere


def _under_heading(game: FormerGame, reply: Reply) -> Reply:
    """Return a reply that names its game if it is about one, and leads no other."""
    told = [block for block in reply.blocks if block.text or block.instead != as_sentence(reply.title)]
    is_about_game = any(block.text and block.about is About.GAME for block in reply.blocks)
    heading = [Block(as_sentence(f"{game.name}: {reply.title}"), is_public=True)] if is_about_game else []
    blocks = (*heading, *(in_public(told) if game.hides_station else told))
    return replace(reply, marks=reply.marks & ~Mark.LEADS, blocks=blocks)


def with_remarks(reply: Reply, *remarks: Reply) -> Reply:
    """Return the reply with more remarks on the mail as a whole."""
    return replace(
        reply, blocks=(*reply.blocks, *(block for one in remarks for block in one.at(Position.REMARK).blocks))
    )


def _with_headings_once(blocks: Iterable[Block]) -> Iterator[Block]:
    """Yield the blocks, successive ones under the same heading joined into one."""
    for _, group in groupby(blocks, key=lambda block: (_heading(block.text), replace(block, text=""))):
        first, *others = group
        heading = _heading(first.text)
        yield replace(first, text=first.text + "".join(other.text.removeprefix(heading) for other in others))


def _heading(paragraph: str) -> str:
    """Return the first line of a paragraph if it ends in a colon, else the whole."""
    first, _, rest = paragraph.partition("\n")
    return first if rest and first.endswith(":") else paragraph


# The content of an answer --------------------------------------------------------------------------

MOST_REFUSED = 3  # lines that are quoted beside the reason of a refusal


def content(reply: Reply) -> list[Mapping[str, Any]]:
    """Return the blocks of a reply as the template of an answer gets them, those of its refusals included."""
    remarks = [block for block in reply.blocks if block.position is Position.REMARK]
    about_lines = [*_refusals(reply.refused), *remarks]
    blocks = [
        *(block for block in reply.blocks if block.position is Position.ANSWER),
        *(in_public(about_lines) if Mark.IN_PUBLIC in reply.marks else about_lines),
        *(block for block in reply.blocks if block.position is Position.BELOW),
    ]
    if reply.title and not any(block.in_public for block in blocks if block.position is Position.ANSWER):
        blocks.insert(0, Block("", instead=as_sentence(reply.title)))
    return [
        {
            "text": one.text,
            "is_public": one.is_public,
            "instead": one.instead,
            "is_below": one.position is Position.BELOW,
            "is_of_moment": one.is_of_moment,
        }
        for one in dict.fromkeys(blocks)
    ]


def _refusals(refusals: Sequence[Refusal]) -> Iterator[Block]:
    """Yield what was not done and why: each reason once, with the lines that were refused for it.

    In public that is told without the lines, and without a reason that may name a station.
    """
    lines: dict[str, list[str]] = {}
    for line, problem in refusals:
        lines.setdefault(sentences.reason(problem.sentence), []).append(sentences.quoted(line))
    for reason, quoted in lines.items():
        facts = {"lines": quoted[:MOST_REFUSED], "others": len(quoted[MOST_REFUSED:]), "reason": reason}
        yield from reply_from_template("line_refused", **facts).blocks
    told = [reply_from_template("line_not_done", reason=one.sentence, is_public=one.is_public) for _, one in refusals]
    yield from dict.fromkeys(Block("", instead=block.in_public) for reply in told for block in reply.blocks)
