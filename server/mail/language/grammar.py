"""The commands that a player can send by mail, one a line.

COMMANDS is the whole language: mails are read by it, and HELP and the documentation are made from it. Reading is
lenient in form (case, punctuation, bullets, full-width letters) and strict in meaning: a line is a command as a whole
or not at all.

No line of our own mails may be a command, nor may a piece of one after a mail program has wrapped it: `is_command_line`
is for the test that renders every template and wraps it at all widths. A number at the end of a sentence is the
likeliest to stand alone then, so no paragraph should end in one.
"""

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from server import engine
from server.mail.language.answers import answer_in, may_be_answer
from server.mail.language.moves import (
    PAWNS,
    MoveWords,
    is_station,
    may_be_move,
    may_end_in_move,
    parse_move,
    parse_moves,
)
from server.mail.language.talk import FreeLine, free_lines, is_closing
from server.mail.language.words import ALIASES, LEAD_INS, PLEASE, folded
from server.mail.reading.normalise import LONGEST, bare, plain


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


@dataclass(frozen=True)
class CommandForm:
    """One row of the table: `read` gets what follows the keyword, and returns None if it does not fit."""

    name: str
    keyword: str  # lower case; empty for moves, which have none
    syntax: str
    help: str  # the end of a sentence
    read: Callable[[str], Command | None]
    verbatim: bool = False  # what follows is text, and its punctuation belongs to it


@dataclass(frozen=True)
class Parsed:
    """The commands of a mail.

    `later` are commands below the line that ended the reading. They are not obeyed, and the answer should say which
    lines were not read. `free` are the lines that are no command, and moves in `later`: any of them may speak against
    the moves of the mail.
    """

    commands: tuple[Command, ...] = ()
    later: tuple[Command, ...] = ()
    free: tuple[FreeLine, ...] = ()
    from_subject: bool = False


def parse(lines: Sequence[str], subject: str = "", *, wrapped_off: Collection[str] = ()) -> Parsed:
    """Return the commands of a mail, and that of its subject only if the text has none.

    Lines before the first command are skipped, blank lines are allowed between commands, and the
    first other line ends them. A number alone is a move only in the first line. The lines `wrapped_off` a quote are
    commands or nothing.
    """
    read = _read(lines)
    start = next((i for i, entry in enumerate(read) if isinstance(entry, tuple)), len(read))
    end = next((i for i in range(start, len(read)) if _ends(read[i])), len(read))
    above, below = _free(read[:start], wrapped_off), read[end:]
    if commands := _commands(read[start:end]):
        return Parsed(commands, _commands(below), free_lines(above, _free(below, wrapped_off)))
    command = parse_line(_bare_subject(subject))
    return Parsed((command,), free=free_lines(above, ()), from_subject=True) if command else Parsed()


def names_pin(lines: Iterable[str]) -> bool:
    """Return True if one of the lines gives a PIN."""
    return any(_PIN.fullmatch(bare(line)) for line in lines)


def commands_of(line: str) -> tuple[Command, ...]:
    """Return the commands that the whole of `line` is: mostly one, or moves of several pawns, or a yes and a move."""
    if command := parse_line(line):
        return (command,)
    if len(line) > _LONGEST:
        return ()
    if moves := parse_moves(line):
        return tuple(Command("move", plain(line), move=move) for move in moves)
    first, comma, rest = plain(line).partition(",")
    answer, moves = answer_in(first), parse_moves(rest) if comma else ()
    return (
        (Command("yes", first), *(Command("move", rest.strip(), move=move) for move in moves))
        if (answer == "yes" and moves)
        else ()
    )


def parse_line(line: str) -> Command | None:
    """Return the one command that the whole of `line` is, None if it is none."""
    verbatim = plain(line)
    text = bare(line) if len(verbatim) <= _LONGEST else None
    for form in _forms_for(line):
        # What a cross or an empty box in front means, moves see for themselves.
        given = verbatim if form.verbatim or (text and not form.keyword) else text
        command = None if given is None else _read_form(form, given)
        if command:
            return replace(command, name=form.name, line=verbatim)
    return _parse_loosely(verbatim, text) if text else None


def is_command_line(line: str) -> bool:
    """Return True if `line`, alone in the text of a mail, would be obeyed."""
    return bool(commands_of(line))


def may_end_in_command(line: str) -> bool:
    """Return False for most lines that have no command at their end, from one of their words on."""
    if not line.isascii():
        return True
    words = _LETTERS.findall(line.lower())
    has_keyword = not _FORMS.keys().isdisjoint(words) or may_be_answer(words) or not _ALIASED.isdisjoint(words)
    return has_keyword or may_end_in_move(line.rpartition(" ")[2], words)


def keyword_of(line: str) -> tuple[str, str]:
    """Return the keyword of a command that `line` begins with, in capitals, and what follows it; empty if with none."""
    first, _, rest = bare(line).partition(" ")
    word = first.strip(":,").lower()
    return (word.upper(), rest) if word in _FORMS else ("", "")


_PIN = re.compile(r"(?:my )?pin(?:[:=]| is|)? ?[0-9]{3,12}", re.IGNORECASE)
_LONGEST = 200  # characters of a command that is not free text

# Lines ----------------------------------------------------------------------------------------


def _forms_for(line: str) -> Sequence[CommandForm]:
    """Return the forms that a line can have, by its letters alone: most lines can have none.

    A command begins with a keyword, whatever marks stand before it, or is a move, of numbers and few words.
    """
    if not line.isascii():  # other letters and digits count as those that look the same
        return COMMANDS
    text = line[:LONGEST].lower()
    words = _LETTERS.findall(text)
    forms = _FORMS.get(words[0], ()) if words else ()
    return (*_MOVE, *forms) if _DIGIT.search(text) and may_be_move(words) else forms


_LETTERS, _DIGIT = re.compile("[a-z]+"), re.compile("[0-9]")

# Mail programs wrap text somewhere between these columns.
_NARROWEST, _WIDEST = 64, 80
_WORDS_OF_A_NAME = 2


def _read(lines: Sequence[str]) -> list[tuple[Command, ...] | str]:
    """Return each line as the commands it is or as it stands, long SAYs put together again."""
    read: list[tuple[Command, ...] | str] = []
    is_first = True
    for i, line in enumerate(lines):
        commands = commands_of(line)
        if commands and not is_first and any(_is_number(command) for command in commands):
            commands = ()
        before = read[-1] if read else ""
        runs_on = i > 0 and _runs_on(lines[i - 1], line)
        if (
            not commands
            and isinstance(before, tuple)
            and before[-1].name in _SAYS
            and _goes_on(lines, i, runs_on=runs_on)
        ):
            (say,) = before
            read[-1] = (replace(say, text=f"{say.text} {plain(line)}".strip()),)
        elif runs_on and isinstance(before, str) and not plain(before).endswith((".", "!", "?", ":")):
            # The end of a sentence, "cover / 46", is no command of its own.
            read.append(line)
        else:
            read.append(commands or line)
        is_first = is_first and not plain(line)
    return read


def _is_number(command: Command) -> bool:
    return (
        command.name == "move" and command.move is not None and command.move.is_number and bare(command.line).isdigit()
    )


def _goes_on(lines: Sequence[str], i: int, *, runs_on: bool) -> bool:
    """Return True if the line `i` belongs to a SAY above it: its paragraph does, but for a name that ends the mail."""
    line = plain(lines[i])
    ends_mail = not any(map(plain, lines[i + 1 :]))
    is_name = line.istitle() and len(line.split(" ")) <= _WORDS_OF_A_NAME and ends_mail
    return bool(line) and (runs_on or not (is_name or is_closing(line)))


def _runs_on(before: str, line: str) -> bool:
    """Return True if a mail program may have wrapped `line` off the line `before`."""
    first = plain(line).split(" ")[0]
    length = len(before.rstrip())
    return bool(first) and length <= _WIDEST and length + 1 + len(first) > _NARROWEST


def _ends(entry: tuple[Command, ...] | str) -> bool:
    return isinstance(entry, str) and bool(plain(entry))


def _commands(entries: Iterable[tuple[Command, ...] | str]) -> tuple[Command, ...]:
    return tuple(command for entry in entries if isinstance(entry, tuple) for command in entry)


def _free(entries: Iterable[tuple[Command, ...] | str], wrapped_off: Collection[str]) -> list[str]:
    """Return the lines that are no command, or that are a move or one of the words that takes it back."""
    lines = []
    for entry in entries:
        if isinstance(entry, str):
            lines += [entry] if entry not in wrapped_off else []
        elif entry[0].name in ("move", "cancel", "no"):
            lines.append(entry[0].line)
    return lines


_REPLY_PREFIX = re.compile(
    r"\s*(?:\[[^\[\]]*\]|(?:re|fwd?|aw|antw|antwort|wg|sv|vs|vl|vb|res|enc|rv|tr|ref|r|rif|i|ynt|ilt|odp|pd"
    r"|doorst|fs|tl|bls|trs|на|回复|回覆|答复|转发|轉寄|返信|転送|회신|전달)(?: ?[\[(]\d+[\])])? ?:)",
    re.IGNORECASE,
)


def _bare_subject(subject: str) -> str:
    text = plain(subject)
    while match := _REPLY_PREFIX.match(text):
        text = text[match.end() :]
    return text


# Words around a command -----------------------------------------------------------------------


def _parse_loosely(line: str, text: str) -> Command | None:
    """Return the command of a line that is a yes or a no in other words, or has words of politeness around it."""
    if answer := answer_in(text):
        return Command(answer, line)
    words = folded(text).strip("?! ").split(" ")
    while words and words[0].strip(",!.") in _POLITE:
        words.pop(0)
    while words and words[-1].strip(",!.") in _POLITE:
        words.pop()
    inner = " ".join(words).lstrip(" ,").rstrip(" ,.!?")
    keyword = ALIASES.get(inner, inner)
    if keyword not in _ALONE or (keyword == inner == folded(text)):
        return None
    return Command(_ALONE[keyword], line)


_POLITE = LEAD_INS | PLEASE | {"now"}

# Arguments ------------------------------------------------------------------------------------

_ALL = re.compile(r"(?:ALL[: ]|[Aa]ll:)")
_STATIONS = re.compile(r"(?:([0-9]+)(?:(?:,| to| and)? ([0-9]+))?)?")


def _read_form(form: CommandForm, text: str) -> Command | None:
    if not form.keyword:
        return form.read(text)
    keyword, rest = text[: len(form.keyword)], text[len(form.keyword) :]
    if keyword.lower() != form.keyword or (rest and rest[0] not in " :?"):
        return None
    return form.read(rest.removeprefix(":").strip())


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


def _to_all(text: str) -> Command | None:
    """Read SAY ALL. "Say all quiet here" is for the team: what is said to all cannot be taken back."""
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
_SPAN = r"(?:by )?[0-9]{1,4} ?(?:m|min|minutes?|h|hours?|d|days?|w|weeks?)"
_DAY = (
    r"(?:\d[\d.:/T+-]*(?:st|nd|rd|th)?|jan\w*|feb\w*|mar\w*|apr\w*|may|june?|july?|aug\w*|sep\w*|oct\w*"
    r"|nov\w*|dec\w*|mon\w*|tue\w*|wed\w*|thu\w*|fri\w*|sat\w*|sun\w*|today|tomorrow|now)"
)
_DATE = rf"{_DAY}(?:,? {_DAY}){{0,5}}"
_DAYS = rf"off|list|(?:from )?{_DATE}(?:,? (?:(?:to|until|till|-) )?{_DATE})?"
_SETTING = r"name:? .{1,200}|(?:zone|picture|station|ask|night|vacation):?(?: [\w./+:@-]+){1,4}"
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
_OPTION = rf"(?:[\w.]+[-=][\w.=-]+|{_WORD_OF_EDITION}|\d{{1,3}}|players?|public|private|as {_ROLE}|{_SEATING})"
_OPTIONS = re.compile(rf"(?:{_OPTION}(?:,? {_OPTION}){{0,11}})?", re.IGNORECASE)
_SEAT = rf"(?:#[1-9][0-9]?|(?!(?:us|me|in|up|the|now|them|us now)\b)[\w-]{{1,40}})(?: as {_ROLE})?"
_OF_PRACTICE = rf"(?:[a-z]+(?:-[a-z0-9]+)+|condensed|[2-6](?: players?)?|as {_ROLE})"
_PRACTICE = rf"(?:{_OF_PRACTICE}(?:,? {_OF_PRACTICE}){{0,3}})?"
# Somebody to be invited: an address, a bot, or a name, which begins with a capital or has quotation marks.
_NAMED = r'[^\s,"<>@]+@[^\s,"<>@]+|"[^"]{1,40}"'
_WITH_ADDRESS = re.compile(r'(?:"[^"]{1,40}"|[^,"<>@]{1,40}) <([^\s,"<>@]+@[^\s,"<>@]+)>')
_GUEST = re.compile(rf"{_NAMED}|constable|fugitive")
# Somebody to be blocked: the same without bots, or a player's id. Nobody is called like a pawn or like Mr. X.
_BLOCKED = re.compile(rf"{_NAMED}|[a-z2-7]{{16}}|list")
_AND = re.compile(r",? and |, ?")
_LONGEST_NAME = 40


def _edition(text: str) -> Command | None:
    """Read a command that asks, and may name an edition of the game."""
    return _matching(_EDITION)(text.strip("? "))


def _new(text: str) -> Command | None:
    options, guests = new_game(text)
    fits = _OPTIONS.fullmatch(options) and all(map(_is_guest, guests))
    return Command(text=text) if fits else None


def _invite(text: str) -> Command | None:
    return Command(text=_guest(text)) if _is_guest(_guest(text)) else None


def _block(text: str) -> Command | None:
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
    return len(words) <= 3 and len(text) <= _LONGEST_NAME and all(word[:1].isupper() for word in words)


COMMANDS: tuple[CommandForm, ...] = (
    CommandForm("move", "", "taxi 46", "moves; name the pawn first if you hold several", _move),
    CommandForm("try", "try", "TRY taxi 46", "tells whether a move could be made, and makes none", _move),
    CommandForm("status", "status", "STATUS", "tells how your games stand", _question),
    CommandForm("legal", "legal", "LEGAL", "lists all moves you may make", _question),
    CommandForm("log", "log", "LOG", "shows the travel log", _question),
    CommandForm("replay", "replay", "REPLAY", "tells what happened, round by round", _question),
    CommandForm("rules", "rules", "RULES 1985", "tells the rules of an edition; alone, those of your game", _edition),
    CommandForm("map", "map", "MAP", "sends the board as a page to print", _edition),
    CommandForm("board", "board", "BOARD 46", "describes a station, of two the ways, alone where you stand", _stations),
    CommandForm("help", "help", "HELP", "sends this list", _question),
    CommandForm("say_all", "say", "SAY ALL hello", "speaks to everybody in the game", _to_all, verbatim=True),
    CommandForm("say", "say", "SAY hello", "speaks to your own side", _words, verbatim=True),
    CommandForm("yes", "yes", "YES", "answers an open question, or accepts an invitation", _nothing),
    CommandForm("no", "no", "NO", "answers likewise, or declines", _nothing),
    CommandForm("cancel", "cancel", "CANCEL", "takes back the moves you sent ahead", _matching(_PAWN)),
    CommandForm("resign", "resign", "RESIGN", "gives the game up; you are asked once more", _nothing),
    CommandForm("draw", "draw", "DRAW", 'offers a draw, or agrees; "DRAW off" takes that back', _matching("(off)?")),
    CommandForm("host", "host", "HOST red", "makes whoever plays that pawn the host", _matching(_ANYBODY)),
    CommandForm("new", "new", "NEW 4 with ben@example.org", "opens a game, and invites players", _new),
    CommandForm("list", "list", "LIST", "names the public games that anybody can join, each with a number", _question),
    CommandForm(
        "join", "join", "JOIN code", "takes a seat in the game with that code or number",
        _matching(_SEAT),
    ),
    CommandForm("play", "play", "PLAY", "begins a practice game against bots", _matching(_PRACTICE)),
    CommandForm("signup", "signup", "SIGNUP", "makes you a player, if you have no account", _nothing),
    CommandForm("invite", "invite", "INVITE ben@example.org", "reserves an open seat of yours for somebody", _invite),
    CommandForm("start", "start", "START", "begins the game that you opened", _nothing),
    CommandForm("leave", "leave", "LEAVE", "gives up your seat in it", _nothing),
    CommandForm("rematch", "rematch", "REMATCH", "plays again, with the same people, when a game is over", _nothing),
    CommandForm("away", "away", "AWAY 24 Dec to 2 Jan", "takes vacation; or list, or off", _matching(_DAYS)),
    CommandForm("pause", "pause", "PAUSE", "asks the others to halt the clock", _nothing),
    CommandForm("resume", "resume", "RESUME", "lets the clock run again", _nothing),
    CommandForm("extend", "extend", "EXTEND 2 days", "asks the others for more time", _matching(_SPAN)),
    CommandForm("wait", "wait", "WAIT", "gives a late Mr. X his time once more, when you are asked", _nothing),
    CommandForm("claim", "claim", "CLAIM", "does not wait for him any longer", _nothing),
    CommandForm("cover", "cover", "COVER red", "lets that detective move for you; or off", _matching(_COVER)),
    CommandForm(
        "set", "set", "SET zone Europe/London", "changes your name, zone, picture, station, ask, night or vacation",
        _matching(_SETTING),
    ),
    CommandForm(
        "set_mail", "set", "SET mail daily 18:00 here",
        'chooses how much mail comes: usual, moves, "gathered 30" for minutes, daily, reminders or off; '
        '"here" is for one game, which with "inherit" is as all others again',
        _matching(_HOW_MUCH),
    ),
    CommandForm(
        "block", "block", "BLOCK Ben",
        'ends invitations from Ben, and Ben\'s talk to all; with "list", shows all blocks', _block,
    ),
    CommandForm("unblock", "unblock", "UNBLOCK Ben", "ends that", _block),
    CommandForm("stop", "stop", "STOP", "ends all mail to you", _nothing),
)  # fmt: skip

_SAYS = ("say", "say_all")
_MOVE = [form for form in COMMANDS if not form.keyword]
_FORMS = {
    keyword: [form for form in COMMANDS if form.keyword == keyword]
    for keyword in {form.keyword for form in COMMANDS if form.keyword}
}
_ALONE = {form.keyword: form.name for form in COMMANDS if form.keyword and form.read("") and not form.verbatim}
_ALIASED = {word for phrase in ALIASES for word in phrase.split()[-1:]} | _POLITE
