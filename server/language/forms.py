"""The commands that a player can send by mail, as data: COMMANDS is the whole language.

Mails are read by it, and HELP and the documentation are made from it.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Flag, auto

from server import bots, engine
from server.language import lexicon
from server.language.lexicon import folded
from server.language.moves import PAWNS, MoveWords, is_station, parse_move
from server.language.spans import read_span
from server.vocabulary.preferences import BY_NAME, OFF, PREFERENCES
from server.vocabulary.translation import gettext, pgettext
from server.vocabulary.words import join, typed


@dataclass(frozen=True)
class Command:
    """One command: its name in COMMANDS, and what was given with it.

    `move` with "move" and "try"; `stations` with "board", none to two; `text` with the others,
    empty with those that take nothing.
    """

    name: str = ""
    line: str = ""  # as the player wrote it, in plain characters
    text: str = ""
    stations: tuple[int, ...] = ()
    move: MoveWords | None = None


class Trait(Flag):
    """A trait of a command: what else there is to know of it."""

    HARMLESS = auto()  # it changes nothing, and is done where only From says who writes
    ANSWERED = auto()  # a proven sender is answered, whatever the limits
    ON_REQUEST = auto()  # "Can I have" or "I would like to" may stand before it
    FOR_NEWCOMERS = auto()  # it needs no seat; in a subject it is for us, whoever writes
    ENTERS = auto()  # it leads to another game, and the lines behind it are about that
    ENDS_CHECKS = auto()  # the game is not what it was behind it, so the lines there cannot be checked before
    OF_PLAYER = auto()  # it changes the player and no game
    LOCKS_GAMES = auto()  # it may change what waits for the player in other games
    PLAYS_ON = auto()  # who sends it does not want the game to end
    AGAINST_MOVES = auto()  # a move in the same mail does not go with it
    TAKES_BACK = auto()  # beside a move it takes that back
    CONVERSATION = auto()  # in an answer to us it is a command, elsewhere just words
    REASONED = auto()  # behind a comma people say why
    EDITIONS = auto()  # the name of an edition may follow
    DETECTIVES = auto()  # the name of a detective may follow


NONE = Trait(0)


@dataclass(frozen=True)
class CommandForm:
    """One row of the table: `read` gets what follows the keyword, and returns None if it does not fit."""

    name: str
    keyword: str  # lower case; empty for moves, which have none
    example: str
    does: str  # the end of a sentence
    read: Callable[[str], Command | None]
    verbatim: bool = False  # what follows is text, and its punctuation belongs to it
    traits: Trait = NONE
    against: frozenset[str] = frozenset()  # the commands of the same mail that contradict it
    more: str = ""  # what else there is to `does`

    @property
    def syntax(self) -> str:
        """Return how its reader types it, by an example."""
        return pgettext("command", self.example)

    @property
    def brief(self) -> str:
        """Return what it does, as the end of a sentence."""
        return gettext(self.does, settings=join([typed(name) for name in (_SET[0], "name", *_SET[1:])], "or"))

    @property
    def help(self) -> str:
        """Return the same, with what more there is to it."""
        return f"{self.brief}; {gettext(self.more)}" if self.more else self.brief


# Arguments ------------------------------------------------------------------------------------

_ALL = re.compile("all[: ]", re.IGNORECASE)
_STATIONS = re.compile(r"(?:([0-9]+)(?:(?:,| to| and)? ([0-9]+))?)?")


def _move(text: str) -> Command | None:
    move = parse_move(text)
    return Command(move=move) if move else None


def _nothing(text: str) -> Command | None:
    return None if text else Command()


def _question(text: str) -> Command | None:
    """Read a command that asks, which may end in a question mark: HELP?, but not YES?"""
    return _nothing(text.strip("? "))


def _words(text: str) -> Command | None:
    return Command(text=text) if text else None


def _to_team(text: str) -> Command | None:
    """Read SAY. "SAY ALL" with nothing behind it says nothing to anybody."""
    return None if text.strip(":").lower() == "all" else _words(text)


def _help(text: str) -> Command | None:
    said = folded(text.strip("? "))
    return Command(text=text) if not said or said in lexicon.words("asking", "everything") else None


def _to_all(text: str) -> Command | None:
    match = _ALL.match(text)
    return _words(text[match.end() :].strip()) if match else None


def _stations(text: str) -> Command | None:
    named = _STATIONS.fullmatch(text.lower())
    numbers = [number for number in named.groups() if number] if named else []
    return Command(stations=tuple(map(int, numbers))) if named and all(map(is_station, numbers)) else None


def _matching(pattern: str) -> Callable[[str], Command | None]:
    compiled = re.compile(pattern, re.IGNORECASE)
    return lambda text: Command(text=text) if compiled.fullmatch(text) else None


# Between two words of a list stands at least a blank: otherwise these take exponential time.
_PAWN = "(?:" + "|".join(PAWNS) + ")?"
_ANYBODY = r"(?:mr[._ ]*x|" + "|".join(PAWNS[1:]) + ")"
_IS_ANYBODY = re.compile(_ANYBODY, re.IGNORECASE)
_DAY = (
    r"(?:\d[\d.:/T+-]*(?:st|nd|rd|th)?|jan\w*|feb\w*|mar\w*|apr\w*|may|june?|july?|aug\w*|sep\w*|oct\w*"
    r"|nov\w*|dec\w*|mon\w*|tue\w*|wed\w*|thu\w*|fri\w*|sat\w*|sun\w*|today|tomorrow|now)"
)
_DATE = rf"{_DAY}(?:,? {_DAY}){{0,5}}"
_DAYS = rf"off|list|(?:from )?{_DATE}(?:,? (?:(?:to|until|till|-|back|back on) )?{_DATE})?"
# Those that are off until they are set come last.
_SET = sorted(
    (row.name for row in PREFERENCES if not row.is_own_command), key=lambda name: BY_NAME[name].default == OFF
)
_SETTING = rf"name:? .{{1,200}}|(?:{'|'.join(_SET)}):?(?: [\w./+:@-]+){{1,4}}"
_HERE = r"here|(?:in|for) this game"
_EVERYWHERE = r"everywhere|(?:in|for) all (?:my )?games"
_HOW_MUCH = rf"mail:? (?P<mail>[\w:]+(?: [\w:]+){{0,3}}?)(?: (?:(?P<here>{_HERE})|{_EVERYWHERE}))?"
_CHOICE_OF_MAIL = re.compile(_HOW_MUCH, re.IGNORECASE)
_WORD_OF_EDITION = f"(?:{'|'.join(sorted({word for name in engine.Edition.names() for word in name.split('-')}))})"
_EDITION = rf"(?:{_WORD_OF_EDITION}(?:[ -]{_WORD_OF_EDITION}){{0,2}})?"
_COVER = "off|" + "|".join(PAWNS)
MR_X = r"\bmr(?:_|\.? ?)x\b"
_ROLE = rf"(?:{MR_X}|detective)"
_SEATING = r"(?:by )?lot|(?:by )?rotation"
_OPTION = rf"(?:[\w.]+[-=][\w.=:,-]*\w|{_WORD_OF_EDITION}|\d{{1,3}}|players?|public|private|as {_ROLE}|{_SEATING})"
_OPTIONS = re.compile(rf"(?:{_OPTION}(?:,? {_OPTION}){{0,11}})?", re.IGNORECASE)
_NO_CODE = rf"(?:{lexicon.alternatives(lexicon.words('asking', 'no_codes'))})\b"
_SEAT = rf"(?:#[1-9][0-9]?|(?!{_NO_CODE})[\w-]{{1,40}})(?: as {_ROLE})?"
_LEVEL = "|".join(bots.LEVELS)
_TEAM = "(?:(?:as|with) )?(?:the )?(?:whole )?team"
_OF_PRACTICE = rf"(?:[a-z]+(?:-[a-z0-9]+)+|{_WORD_OF_EDITION}|[2-6](?: players?)?|as {_ROLE}|{_TEAM}|{_LEVEL})"
_PRACTICE = rf"(?:{_OF_PRACTICE}(?:,? {_OF_PRACTICE}){{0,3}})?"
# Somebody to be invited: an address, a bot, or a name, which begins with a capital or has quotation marks.
_NAMED = r'[^\s,"<>@]+@[^\s,"<>@]+|"[^"]{1,40}"'
_WITH_ADDRESS = re.compile(r'(?:"[^"]{1,40}"|[^,"<>@]{1,40}) <([^\s,"<>@]+@[^\s,"<>@]+)>')
_GUEST = re.compile(rf"{_NAMED}|(?:constable|fugitive)(?: (?:{_LEVEL}))?")
# Somebody to be blocked: the same without bots, or a player's id. Nobody is called like a pawn or like Mr. X.
_BLOCKED = re.compile(rf"{_NAMED}|[a-z2-7]{{16}}|list")
_AND = re.compile(r",? and |[,;] ?| (?=[^ <]+@)")  # people write nothing between two addresses, too
_LONGEST_NAME = 40


def _edition(text: str) -> Command | None:
    """Read a command that asks, and may name an edition of the game."""
    return _matching(_EDITION)(text.strip("? "))


def _span(text: str) -> Command | None:
    """Read a length of time, which becomes the text of the command as an ISO duration."""
    length = read_span(text)
    return Command(text=length) if length else None


def _span_or_nothing(text: str) -> Command | None:
    return _span(text) if text else Command()


def _new(text: str) -> Command | None:
    options, guests = new_game(text)
    fits = _OPTIONS.fullmatch(options) and all(map(_is_guest, guests))
    return Command(text=text) if fits else None


def _invite(text: str) -> Command | None:
    return Command(text=_guest(text)) if _is_guest(_guest(text)) else None


def _block(text: str) -> Command | None:
    text = "list" if folded(text) in lexicon.words("behind_commands", "list") else text
    is_pawn = _IS_ANYBODY.fullmatch(text) is not None
    return Command(text=text) if not is_pawn and (_BLOCKED.fullmatch(text) or _is_name(text)) else None


def new_game(text: str) -> tuple[str, list[str]]:
    """Split the text behind NEW into the options and the names of those to be invited."""
    options, found, guests = f" {text}".partition(" with ")
    return options.strip(), [_guest(each) for each in _AND.split(guests)] if found else []


def _guest(text: str) -> str:
    """Return the address of `Ben <ben@example.org>`, or anything else as it is."""
    named = _WITH_ADDRESS.fullmatch(text)
    return named[1] if named else text


def how_much(text: str) -> tuple[str, bool]:
    """Split the text behind SET, if it is about mail, into the choice and whether it is for one game only."""
    found = _CHOICE_OF_MAIL.fullmatch(text)
    assert found is not None
    return found["mail"], found["here"] is not None


def _is_guest(text: str) -> bool:
    return _is_name(text) or _GUEST.fullmatch(text) is not None


def _is_name(text: str) -> bool:
    words = text.split(" ")
    is_short = len(words) <= 3 and 0 < len(text) <= _LONGEST_NAME
    return is_short and not text[0].isdigit() and not any(word[:1].islower() for word in words)


COMMANDS: tuple[CommandForm, ...] = (
    CommandForm(
        "move", "", "taxi 46", "moves", _move, more="name the pawn first if you hold several",
        traits=Trait.ANSWERED,
    ),
    CommandForm(
        "try", "try", "TRY taxi 46", "tells whether a move could be made, and makes none", _move,
        traits=Trait.HARMLESS,
    ),
    CommandForm(
        "status", "status", "STATUS", "tells how the game stands", _question,
        more="at the play address, all your games",
        traits=Trait.HARMLESS | Trait.ANSWERED | Trait.ON_REQUEST,
    ),
    CommandForm(
        "legal", "legal", "LEGAL", "lists all moves you may make, except double moves", _question,
        traits=Trait.HARMLESS | Trait.ON_REQUEST,
    ),
    CommandForm(
        "hint", "hint", "HINT", "tells a detective in a practice game where Mr. X may be", _question,
        traits=Trait.HARMLESS | Trait.ON_REQUEST,
    ),
    CommandForm("log", "log", "LOG", "shows the travel log", _question, traits=Trait.HARMLESS | Trait.ON_REQUEST),
    CommandForm(
        "replay", "replay", "REPLAY", "tells what happened, round by round", _question,
        traits=Trait.HARMLESS | Trait.ON_REQUEST,
    ),
    CommandForm(
        "rules", "rules", "RULES 1985", "tells the rules of an edition", _edition, more="alone, those of your game",
        traits=Trait.HARMLESS | Trait.ON_REQUEST | Trait.EDITIONS,
    ),
    CommandForm(
        "map", "map", "MAP", "sends the board as a page to print", _edition,
        traits=Trait.HARMLESS | Trait.ON_REQUEST | Trait.EDITIONS,
    ),
    CommandForm(
        "board", "board", "BOARD 46", "tells of a station, or the ways between two", _stations, more="alone, yours",
        traits=Trait.HARMLESS | Trait.ON_REQUEST,
    ),
    CommandForm(
        "help", "help", "HELP ALL", "sends this list", _help, more="HELP alone tells what you can do now",
        traits=Trait.HARMLESS | Trait.ANSWERED | Trait.ON_REQUEST | Trait.FOR_NEWCOMERS,
    ),
    CommandForm(
        "say_all", "say", "SAY ALL hello", "speaks to everybody in the game", _to_all, verbatim=True,
        traits=Trait.CONVERSATION,
    ),
    CommandForm(
        "say", "say", "SAY hello", "speaks to your own side", _to_team, verbatim=True,
        traits=Trait.CONVERSATION,
    ),
    CommandForm(
        "yes", "yes", "YES", "answers an open question, or accepts an invitation", _nothing,
        traits=Trait.ENDS_CHECKS | Trait.LOCKS_GAMES | Trait.CONVERSATION,
    ),
    CommandForm(
        "no", "no", "NO", "answers an open question, or declines an invitation", _nothing,
        traits=Trait.AGAINST_MOVES | Trait.CONVERSATION | Trait.TAKES_BACK,
    ),
    CommandForm(
        "cancel", "cancel", "CANCEL", "takes back the moves you sent ahead", _matching(_PAWN),
        traits=Trait.AGAINST_MOVES | Trait.TAKES_BACK,
    ),
    CommandForm(
        "resign", "resign", "RESIGN", "gives the game up", _nothing, more="you are asked once more",
        traits=Trait.AGAINST_MOVES,
    ),
    CommandForm(
        "draw", "draw", "DRAW", "offers a draw, or agrees", _matching("(off)?"), more='"DRAW off" takes that back',
    ),
    CommandForm(
        "host", "host", "HOST red", "makes the player of that pawn the host", _matching(_ANYBODY),
        traits=Trait.DETECTIVES,
    ),
    CommandForm(
        "new", "new", "NEW 4 with ben@example.org", "opens a game, and invites players", _new,
        traits=Trait.ON_REQUEST | Trait.FOR_NEWCOMERS | Trait.ENTERS | Trait.ENDS_CHECKS | Trait.EDITIONS,
    ),
    CommandForm(
        "list", "list", "LIST", "names the public games that anybody can join, each with a number", _question,
        traits=Trait.HARMLESS | Trait.ON_REQUEST | Trait.FOR_NEWCOMERS,
    ),
    CommandForm(
        "join", "join", "JOIN code", "takes a seat in the game with that code or number",
        _matching(_SEAT),
        traits=Trait.FOR_NEWCOMERS | Trait.ENTERS | Trait.ENDS_CHECKS,
    ),
    CommandForm(
        "play", "play", "PLAY", "begins a practice game against bots", _matching(_PRACTICE),
        traits=Trait.ON_REQUEST | Trait.FOR_NEWCOMERS | Trait.ENTERS | Trait.ENDS_CHECKS | Trait.EDITIONS,
    ),
    CommandForm(
        "signup", "signup", "SIGNUP", "makes you a player, if you have no account", _nothing,
        traits=Trait.HARMLESS | Trait.ON_REQUEST | Trait.FOR_NEWCOMERS,
    ),
    CommandForm("invite", "invite", "INVITE ben@example.org", "reserves an open seat of yours for somebody", _invite),
    CommandForm("start", "start", "START", "begins the game that you opened", _nothing, traits=Trait.ENDS_CHECKS),
    CommandForm(
        "leave", "leave", "LEAVE", "gives up your seat in it", _nothing,
        traits=Trait.ENDS_CHECKS | Trait.AGAINST_MOVES, against=frozenset({"no", "cancel"}),
    ),
    CommandForm(
        "rematch", "rematch", "REMATCH", "plays again, with the same people, when a game is over", _nothing,
        traits=Trait.ENTERS | Trait.ENDS_CHECKS,
    ),
    CommandForm(
        "away", "away", "AWAY 24 Dec to 2 Jan", "takes vacation", _matching(_DAYS), more="or list, or off",
        traits=Trait.OF_PLAYER | Trait.LOCKS_GAMES | Trait.PLAYS_ON | Trait.REASONED,
    ),
    CommandForm(
        "pause", "pause", "PAUSE", "asks the others to halt the clock", _span_or_nothing,
        traits=Trait.PLAYS_ON | Trait.REASONED,
    ),
    CommandForm("resume", "resume", "RESUME", "lets the clock run again", _nothing, traits=Trait.PLAYS_ON),
    CommandForm(
        "extend", "extend", "EXTEND 2 days", "asks the others for more time", _span,
        traits=Trait.PLAYS_ON | Trait.REASONED,
    ),
    CommandForm(
        "wait", "wait", "WAIT", "gives a late Mr. X his time once more, when you are asked", _nothing,
        traits=Trait.PLAYS_ON, against=frozenset({"claim", "no", "cancel"}),
    ),
    CommandForm(
        "claim", "claim", "CLAIM", "does not wait for him any longer", _nothing,
        traits=Trait.PLAYS_ON, against=frozenset({"wait", "no", "cancel"}),
    ),
    CommandForm(
        "cover", "cover", "COVER red", "lets that detective move for you", _matching(_COVER), more="or off",
        traits=Trait.PLAYS_ON | Trait.DETECTIVES,
    ),
    CommandForm(
        "set", "set", "SET zone Europe/London",
        "changes a setting: {settings}",
        _matching(_SETTING),
        traits=Trait.ANSWERED | Trait.OF_PLAYER | Trait.LOCKS_GAMES,
    ),
    CommandForm(
        "set_mail", "set", "SET mail daily 18:00 here",
        "chooses how much mail comes: usual, moves, daily, reminders or off", _matching(_HOW_MUCH),
        more='with "here", for this game alone, until "SET mail inherit here"',
        traits=Trait.ANSWERED | Trait.OF_PLAYER | Trait.LOCKS_GAMES,
    ),
    CommandForm(
        "block", "block", "BLOCK Ben", "ends invitations from Ben, and Ben's talk to all", _block,
        more='with "list", shows all blocks',
        traits=Trait.OF_PLAYER,
    ),
    CommandForm("unblock", "unblock", "UNBLOCK Ben", "ends that", _block, traits=Trait.OF_PLAYER),
    CommandForm(
        "stop", "stop", "STOP", "ends all mail to you", _nothing,
        traits=Trait.ANSWERED | Trait.OF_PLAYER | Trait.LOCKS_GAMES | Trait.AGAINST_MOVES | Trait.TAKES_BACK,
    ),
)  # fmt: skip


def names_with(trait: Trait) -> frozenset[str]:
    """Return the names of the commands that have a trait."""
    return frozenset(form.name for form in COMMANDS if trait in form.traits)


def word_of(name: str) -> str:
    """Return the word of the command of this name, as its reader types it."""
    form = next(form for form in COMMANDS if form.name == name)
    return form.syntax.partition(" ")[0] if " " in form.example else form.syntax
