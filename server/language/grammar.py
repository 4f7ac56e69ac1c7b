"""Reading of the commands in the lines of a mail, one a line; `forms.COMMANDS` are those that there are.

Reading is lenient in form (case, punctuation, bullets, full-width letters) and strict in meaning: a line is a command
as a whole or not at all.

No line of our own mails may be a command, nor may a piece of one after a mail program has wrapped it: `is_command_line`
is for the test that renders every template and wraps it at all widths. A number at the end of a sentence is the
likeliest to stand alone then, so no paragraph should end in one.
"""

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import dropwhile
from typing import TypeGuard

from server.language import embedded, lexicon
from server.language.answers import answer_in
from server.language.forms import COMMANDS, Command, CommandForm, Trait, names_with
from server.language.lexicon import folded
from server.language.moves import ARTICLES, may_be_move
from server.language.normalise import LONGEST, bare, may_run_on, plain, quotable
from server.language.phrases import split
from server.language.prose import FreeLine, free_lines, free_subject, names_move
from server.language.talk import Weight, is_closing, is_small_talk, speaks_against

Commands = tuple[Command, ...]


@dataclass(frozen=True)
class Parsed:
    """The commands of a mail.

    `later` are commands below the line that ended the reading. They are not obeyed, and the answer should say which
    lines were not read. `unread` are the lines that are neither a command nor words by the way: the answer quotes them
    where nothing was done, or where they may be meant as a command. `free` are the lines that are no command, moves in
    `later`, and the subject: any of them may speak against the moves of the mail. `subject` is the command in the
    subject where the text has commands too: it is not obeyed, but may speak against an answer in the text.
    """

    commands: tuple[Command, ...] = ()
    later: tuple[Command, ...] = ()
    free: tuple[FreeLine, ...] = ()
    unread: tuple[str, ...] = ()
    from_subject: bool = False
    subject: Command | None = None


def parse(lines: Sequence[str], subject: str = "", *, wrapped_off: Collection[str] = (), author: str = "") -> Parsed:
    """Return the commands of a mail, and that of its subject only if the text has none.

    Lines before the first command are skipped, blank lines are allowed between commands, and the
    first other line ends them. A subject in the player's own words may speak against the text. A
    number alone is a move only in the first line. The lines `wrapped_off` a quote are commands or
    nothing. `author` is the name under which a move may be signed, on its own line.
    """
    asked = cache(commands_of)  # each line is asked once, though its paragraph is too, and forgotten after the mail
    read = _read([_unsigned(line, author) for line in _unwrapped(lines, wrapped_off, asked)], asked)
    start = next((i for i, entry in enumerate(read) if isinstance(entry, tuple)), len(read))
    end = next((i for i in range(start, len(read)) if _ends(read[i])), len(read))
    asides: list[Commands | str] = [entry for entry in read[start:end] if isinstance(entry, _Aside)]
    above, below = _free(read[:start], wrapped_off), [*asides, *read[end:]]
    written, subject = plain(subject), _bare_subject(subject)
    unread = _unread((*read[:start], *below), wrapped_off)
    if commands := _commands(read[start:end]):
        command = parse_line(subject)
        about = _against(subject, command, commands, is_reply=written != subject)
        free = (*about, *free_lines(above, _free(below, wrapped_off)))
        unread = (*(line.text for line in about), *unread)
        return Parsed(commands, _commands(below), free, unread, subject=command)
    command = parse_line(subject)
    if command is None:
        return Parsed(unread=unread)
    return Parsed((command,), free=free_lines(above, ()), unread=unread, from_subject=True)


def _unread(entries: Sequence[Commands | str], wrapped_off: Collection[str]) -> tuple[str, ...]:
    """Return the lines that are no command, no small talk and no signature, in plain characters."""
    found: list[str] = []
    is_signature = False
    last = max((i for i, entry in enumerate(entries) if not isinstance(entry, str) or plain(entry)), default=-1)
    for i, line in enumerate(entries):
        if not isinstance(line, str) or not plain(line) or line in wrapped_off:
            continue
        is_meant = _POSTSCRIPT.match(bare(line)) or names_move(line, is_signature=True)
        if (is_meant or not is_signature) and not is_small_talk(line, is_last=i == last):
            found.append(quotable(line))
        is_signature = is_signature or is_closing(line)
        if len(found) == _MOST_UNREAD:
            break
    return tuple(found)


_MOST_UNREAD = 100  # lines that are looked for: an answer quotes a few
_POSTSCRIPT = re.compile(r"p\.? ?s\b", re.IGNORECASE)


def _against(
    subject: str, command: Command | None, commands: Collection[Command], *, is_reply: bool
) -> tuple[FreeLine, ...]:
    """Return the subject as a free line if it may speak against the commands of the text, and is not one of them."""
    names = {said.name for said in commands}
    if _OURS.match(folded(subject)) or (command is not None and command.name in names - {"move"}):
        return ()
    if embedded.moves_of(subject):
        return tuple(replace(line, is_subject=True) for line in free_lines([subject], ()))
    line = free_subject(subject)
    if is_reply and line is not None and line.weight is Weight.UNKNOWN and not line.legs and line.introduces is None:
        line = None  # a mail program wrote it
    if command is not None and command.name in _AGAINST_MOVES and "move" in names:
        return (replace(line or FreeLine(command.line, is_above=True, is_subject=True), weight=Weight.AGAINST),)
    return (line,) if line is not None else ()


def own_words(lines: Sequence[str], subject: str) -> Sequence[str]:
    """Return the player's own lines: the subject if the text has none and the subject is not that of an answer."""
    is_own = bool(subject) and _bare_subject(subject) == plain(subject)
    return [subject] if is_own and not any(map(plain, lines)) else lines


def names_pin(lines: Iterable[str]) -> bool:
    """Return True if one of the lines gives a PIN."""
    return any(_PIN.fullmatch(bare(line)) for line in lines)


def commands_of(line: str) -> Commands:
    """Return the commands that the whole of `line` is: mostly one, or moves of several pawns, or a yes and a move."""
    if command := parse_line(line):
        return (command,)
    if len(line) > embedded.LONGEST_COMMAND:
        return ()
    if moves := embedded.moves_of(line) or embedded.moves_among_talk(line) or embedded.introduced_moves(line):
        return () if only_looks(line) else tuple(Command("move", plain(line), move=move) for move in moves)
    first, _, rest = plain(line).partition(",")
    moves = embedded.moves_of(rest)
    if not moves or only_looks(line) or answer_in(first) != "yes":
        return ()
    return (Command("yes", first), *(Command("move", rest.strip(), move=move) for move in moves))


def _unsigned(line: str, author: str) -> str:
    """Return a move without the name of its author behind it, as "taxi 46, Ben"; another line as it stands."""
    first, _, name = plain(line).rpartition(", ") if author and len(line) <= embedded.LONGEST_COMMAND else ("", "", "")
    is_signed = first and {*folded(bare(name)).split()} <= {*folded(author).split()} and embedded.moves_of(first)
    return first if is_signed else line


def parse_line(line: str) -> Command | None:
    """Return the one command that the whole of `line` is, None if it is none."""
    verbatim = plain(line)
    if said := _said(verbatim):
        return said
    text = bare(line) if len(verbatim) <= embedded.LONGEST_COMMAND else None
    for form in _forms_for(line):
        # What a cross or an empty box in front means, moves see for themselves.
        given = verbatim if form.verbatim or (text and not form.keyword) else text
        command = None if given is None else _read_form(form, given)
        if command:
            return replace(command, name=form.name, line=verbatim)
    return (_parse_loosely(verbatim, text) or _with_reason(verbatim)) if text else None


def _said(line: str) -> Command | None:
    """Return the talk of a line that begins with a word for SAY of another language, which counts in capitals."""
    keyword, *words = line.split(" ")
    if keyword.rstrip(":") not in TALK_WORDS or not words:
        return None
    is_to_all = _BEHIND.get(folded(words[0]).rstrip(":")) == "all"
    text = " ".join(words[is_to_all:])
    return Command("say_all" if is_to_all else "say", line, text=text) if text else None


def is_command_line(line: str) -> bool:
    """Return True if `line`, alone in the text of a mail, would be obeyed."""
    return bool(commands_of(line) or _among_words(line))


def keyword_of(line: str) -> tuple[str, str]:
    """Return the keyword of a command that `line` begins with, in lower case, and what follows it; empty if with none.

    A word of another language is one where it is in capitals or alone.
    """
    first, _, rest = bare(line).partition(" ")
    word = first.strip(":,").lower()
    if word not in _FORMS:
        word = _KEYWORDS.get(folded(word), "") if first.isupper() or not rest else ""
    return (word, rest) if word else ("", "")


def only_looks(line: str) -> bool:
    """Return True if `line`, or a clause of it with a number, begins with a command that moves nothing."""
    clauses = filter(embedded.may_have_number, _CLAUSE_END.split(folded(bare(line))))
    begun = [[*dropwhile(_AROUND_COMMANDS.__contains__, split(_polite(clause)))] for clause in clauses]
    first = {" ".join(words[:n]) for words in begun for n in (1, 2) if not may_be_move(words[:1])}
    return keyword_of(line)[0] in _LOOKING or any(not _misspelt(word).isdisjoint(_LOOKS) for word in first)


def _misspelt(word: str) -> set[str]:
    """Return a word, and it without one of its letters: two that have one of these in common differ by a letter."""
    return {word, *(word[:i] + word[i + 1 :] for i in range(len(word)))} if len(word) > 1 else set()


_PIN = re.compile(r"(?:my )?pin(?:[:=]| is|)? ?[0-9]{3,12}", re.IGNORECASE)

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

_WORDS_OF_A_NAME = 2


class _Aside(str):
    """Words on a line with commands, which do not end the commands of a mail."""

    __slots__ = ()


def _read(lines: Sequence[str], asked: Callable[[str], Commands]) -> list[Commands | str]:
    """Return each line as the commands it is or as it stands, long SAYs put together again."""
    read: list[Commands | str] = []
    is_first = True
    for i, line in enumerate(lines):
        commands = asked(line)
        if commands and not is_first and any(_is_number(command) for command in commands):
            commands = ()
        before = read[-1] if read else ""
        runs_on = i > 0 and may_run_on(lines[i - 1], line)
        if not commands and _is_say(before) and _goes_on(lines, i, runs_on=runs_on):
            (say,) = before
            read[-1] = (replace(say, text=f"{say.text} {plain(line)}".strip()),)
        elif runs_on and isinstance(before, str) and not plain(before).endswith((".", "!", "?", ":")):
            # The end of a sentence, "cover / 46", is no command of its own.
            read.append(line)
        else:
            read += [commands] if commands else _with_asides(line)
        is_first = is_first and not plain(line)
    return read


def _is_say(entry: Commands | str) -> TypeGuard[Commands]:
    return isinstance(entry, tuple) and entry[-1].name in _SAYS


def _with_asides(line: str) -> list[Commands | str]:
    """Return the moves among the words of a line, with the words before and behind them; without moves, the line."""
    found = _among_words(line)
    if found is None:
        return [line]
    moves = tuple(Command("move", found.said, move=move) for move in found.moves)
    return [*map(_Aside, found.before), moves, *map(_Aside, found.behind)]


def _among_words(line: str) -> embedded.Embedded | None:
    """Return the moves of a line that says more; None if there are none, or if the rest has another command in it."""
    found = embedded.beside_staying(line) or embedded.embedded_moves(line)
    if found is None or only_looks(line):
        return None
    others = {command.name for command in map(parse_line, found.rest) if command} - {"yes", "no"}
    return None if others else found


def _unwrapped(lines: Sequence[str], wrapped_off: Collection[str], asked: Callable[[str], Commands]) -> Sequence[str]:
    """Return the lines; join those of a paragraph that a program wrapped if it has a move among its words.

    A paragraph in which a whole line is a command stays as it is.
    """
    found: list[str] = []
    begin = 0
    for end in range(1, len(lines) + 1):
        if end < len(lines) and may_run_on(lines[end - 1], lines[end]):
            continue
        part = lines[begin:end]
        whole = " ".join(map(plain, part))
        is_one = len(part) > 1 and not any(line in wrapped_off for line in part) and not any(map(asked, part))
        found += [whole] if is_one and _among_words(whole) else part
        begin = end
    return found


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


def _ends(entry: Commands | str) -> bool:
    return isinstance(entry, str) and not isinstance(entry, _Aside) and bool(plain(entry))


def _commands(entries: Iterable[Commands | str]) -> Commands:
    return tuple(command for entry in entries if isinstance(entry, tuple) for command in entry)


def _free(entries: Iterable[Commands | str], wrapped_off: Collection[str]) -> list[str]:
    """Return the lines that are no command, or that are a move or one of the words that takes it back."""
    lines = []
    for entry in entries:
        if isinstance(entry, str):
            lines += [entry] if entry not in wrapped_off else []
        elif entry[0].name in _MOVES_OR_BACK:
            lines.append(entry[0].line)
    return lines


_REPLY_PREFIX = re.compile(
    rf"\s*(?:\[[^\[\]]*\]|(?:{lexicon.alternatives(lexicon.words('programs', 'replies'))})(?: ?[\[(]\d+[\])])? ?:)",
    re.IGNORECASE,
)
# The beginnings of the subjects of our own mails: they are not the player's words.
_OURS = re.compile(
    r"(?:[^\]]*\]){0,3}\s{0,2}"
    rf"(?:(?:{lexicon.pattern('programs', 'rounds')})[:,]|{lexicon.pattern('programs', 'ours')})"
)
_AGAINST_MOVES = names_with(Trait.AGAINST_MOVES)
_LOOKING = names_with(Trait.HARMLESS) | _AGAINST_MOVES - names_with(Trait.TAKES_BACK)
_MOVES_OR_BACK = names_with(Trait.TAKES_BACK) | {"move"}


def _bare_subject(subject: str) -> str:
    text = plain(subject)
    while match := _REPLY_PREFIX.match(text):
        text = text[match.end() :]
    return text


def _read_form(form: CommandForm, text: str) -> Command | None:
    if not form.keyword:
        return form.read(text)
    keyword, rest = text[: len(form.keyword)], text[len(form.keyword) :]
    if keyword.lower() != form.keyword or (rest and rest[0] not in " :?"):
        return None
    return form.read(rest.removeprefix(":").strip())


# Words around a command -----------------------------------------------------------------------


def _parse_loosely(line: str, text: str) -> Command | None:
    """Return the command of a line in other words than COMMANDS has, or with words of politeness around it."""
    if answer := answer_in(text):
        return Command(answer, line)
    words = _without_politeness(_polite(text).strip("?!¿¡ ").split(" "))
    if not words or len(words) > _MOST_WORDS:
        return None
    inner = _MR_X.sub("mr x", folded(" ".join(words)))
    keyword = _ALIASES.get(inner, inner)
    if keyword in _ALONE:
        is_other = inner != folded(text) in _AGREE  # "weiter so" is praise
        return None if is_other or keyword == inner == folded(text) else Command(_ALONE[keyword], line)
    return _asked_for(line, inner) or _translated(line, words)


def _with_reason(line: str) -> Command | None:
    """Return the command of a line such as "EXTEND 2 days please, we are moving house"."""
    first, *rest = _REASON.split(line, maxsplit=1)
    if not rest or folded(first).split(" ")[0] not in _MAY_BE_REASONED:
        return None
    command, why = parse_line(first), rest[0]
    is_reason = not (speaks_against(why) or names_move(why) or keyword_of(why)[0] or parse_line(why))
    return replace(command, line=line) if command and command.name in _REASONED and command.text and is_reason else None


def _polite(text: str) -> str:
    """Return `text` with one word for each phrase of politeness of several words."""
    found = list(_PLEASE.finditer(folded(text))) if len(folded(text)) == len(text) else []
    for phrase in reversed(found):
        text = f"{text[: phrase.start()]}please{text[phrase.end() :]}"
    return text


def _without_politeness(words: list[str]) -> list[str]:
    """Return the words without those of politeness at both ends, and without commas there."""
    first, last = 0, len(words)
    while first < last and folded(words[first]).strip(",!.") in _POLITE:
        first += 1
    while first < last and folded(words[last - 1]).strip(",!.") in _POLITE:
        last -= 1
    return " ".join(words[first:last]).lstrip(" ,").rstrip(" ,.!?").split(" ") if first < last else []


def _asked_for(line: str, inner: str) -> Command | None:
    """Return the command of a line such as "show me the map" or "the rules"."""
    before = _ASKING.match(inner)
    rest = (inner[before.end() :] if before else inner).split(" ")
    asked = " ".join(rest[1:] if rest[0] in ARTICLES else rest)
    keyword = _ALIASES.get(asked, asked)
    return Command(_ALONE[keyword], line) if keyword in _ON_REQUEST and asked != inner else None


def _translated(line: str, words: Sequence[str]) -> Command | None:
    """Return the command of a line such as "neues Spiel 3" or "extend 2 days please", in which something follows."""
    words = words[2:] if folded(" ".join(words[:2])) in _CAN_YOU else words
    for length in (3, 2, 1):
        phrase = folded(" ".join(words[:length])).rstrip(":")
        for form in _FORMS.get(_KEYWORDS.get(phrase, phrase), ()):
            if form.verbatim or not words[length:]:
                continue
            given, english = " ".join(words[length:]), _in_english(words[length:])
            is_name = form.keyword != "set" or folded(words[length]) == "name"  # whose words are nobody's but theirs
            command = form.read(given if is_name else english) or form.read(english)
            if command:
                return replace(command, name=form.name, line=line)
    return None


def _in_english(words: Iterable[str]) -> str:
    """Return what stands behind a command in the words that forms have: "vom 3. Mai" is "from 3. may"."""
    return " ".join(filter(None, (_BEHIND.get(folded(word).strip("."), word) for word in words)))


_BECAUSE = lexicon.alternatives(lexicon.words("asking", "because"))
_CLAUSE_END = re.compile("[,;.!?] ")
_REASON = re.compile(rf"(?<=[^\d\s])[.!;] |[,;] | [–—-] | (?=(?:{_BECAUSE})\b)", re.IGNORECASE)
_REASONED = names_with(Trait.REASONED)
_ALIASES, _KEYWORDS = lexicon.table("commands"), lexicon.table("commands_with")
_MAY_BE_REASONED = _REASONED | {words.split(" ")[0] for words, name in _KEYWORDS.items() if name in _REASONED}
_BEHIND = {**lexicon.table("pawns"), **lexicon.table("behind_commands")}
_POLITE = lexicon.words("move", "please") | lexicon.words("move", "lead_ins")
_LOOKS_WRITTEN = [*_LOOKING, *(word for word, name in {**_ALIASES, **_KEYWORDS}.items() if name in _LOOKING)]
_LOOKS = frozenset[str]().union(*(_misspelt(word) for word in _LOOKS_WRITTEN if not may_be_move(word.split(" "))))
_AROUND_COMMANDS = _POLITE | lexicon.words("move", "adverbs")
_PLEASE = re.compile(rf"\b(?:{lexicon.alternatives(entry for entry in _POLITE if ' ' in entry)})\b")
_AGREE = lexicon.words("answers", "agree")
_MOST_WORDS = 12
_CAN_YOU = lexicon.words("asking", "can_you")
_MR_X = re.compile(
    rf"\b(?:(?:{lexicon.alternatives(lexicon.words('asking', 'mr_articles'))}) )?"
    rf"(?:{lexicon.alternatives(lexicon.words('asking', 'mr'))})\.? ?x\b|\bm\. ?x\b"
)
_ASKING = re.compile(rf"(?:{lexicon.alternatives(lexicon.words('asking', 'for'))}) ")
_ON_REQUEST = names_with(Trait.ON_REQUEST)

_SAYS = ("say", "say_all")
# The words for SAY of other languages, which begin nothing else where they are in capitals.
TALK_WORDS = tuple(word.upper() for word in lexicon.entries("commands_with", "say"))
_MOVE = [form for form in COMMANDS if not form.keyword]
_FORMS = {
    keyword: [form for form in COMMANDS if form.keyword == keyword]
    for keyword in {form.keyword for form in COMMANDS if form.keyword}
}
_ALONE = {form.keyword: form.name for form in COMMANDS if form.keyword and form.read("") and not form.verbatim}
