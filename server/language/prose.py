"""The free lines of a mail, those that are no command: what speaks in them against the moves of the same mail.

A line may name a station, or hold a word of taking back, doubt or condition. Which station can be meant depends on the
legal moves, so the numbers are returned and the caller decides.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from server.language import lexicon, other_numbers
from server.language.introductions import asked_pawn, introduced_pawn, names_only_pawn
from server.language.lexicon import folded
from server.language.matching import LegalMove, suggest
from server.language.moves import (
    ARTICLES,
    BY,
    PAWN_WORDS,
    PAWNS,
    TICKETS,
    TO,
    Leg,
    MoveWords,
    is_station,
    legs_of,
    parse_moves,
    with_digits,
)
from server.language.normalise import bare, plain
from server.language.numbers import value_of
from server.language.phrases import matches, split
from server.language.talk import NO_PICTURES, UNTICKED, Weight, has, is_closing, language_of, weigh

MOST = 20_000  # characters of free lines; who writes more is asked about the move


@dataclass(frozen=True)
class FreeLine:
    """A line that is no command.

    `weight`: what it says of a command beside it. `legs`: the stations that it names, each with the ticket beside it.
    `moves`: the moves that it is as a whole, if it stands where commands are not read. `is_subject`: it is the subject
    of the mail, which counts as above the text. `stays`: the pawn that it says does not move. `is_beside`: it is the
    last above the commands, or the first below. `introduces`: the pawn whose move it says the command beside it is.
    `asks`: the pawn that it asks to go somewhere. `ticket`: the one that it names with no more than small words, as "by
    bus". `is_signature`: it stands below the end of the letter.
    """

    text: str
    is_above: bool = False
    weight: Weight = Weight.HARMLESS
    legs: tuple[Leg, ...] = ()
    pawns: frozenset[str] = frozenset()
    moves: tuple[MoveWords, ...] = ()
    is_subject: bool = False
    stays: str | None = None
    is_beside: bool = False
    introduces: str | None = None
    asks: str | None = None
    ticket: str | None = None
    is_signature: bool = False
    language: str = ""

    @property
    def speaks_against(self) -> bool:
        """Return True if it takes something back, doubts, or states a condition or a choice."""
        return self.weight is Weight.AGAINST


def free_lines(above: Sequence[str], below: Sequence[str]) -> tuple[FreeLine, ...]:
    """Return the lines that stand above and below the commands, blank ones and disclaimers left out."""
    if sum(map(len, (*above, *below))) > MOST:
        return (FreeLine(next(iter((*below, *above))), not below, Weight.AGAINST),)
    language = language_of([*above, *below])
    found = [_free_line(line, is_above=True, language=language) for line in above if plain(line)]
    if found:  # right above the commands
        found[-1] = _beside(found[-1])
    is_signature = False
    for i, line in enumerate(_without_disclaimers(below)):
        free = _free_line(line, is_signature=is_signature, language=language)
        found.append(_beside(free) if i == 0 else free)
        is_signature = is_signature or is_closing(line)
    return tuple(found)


def _without_disclaimers(lines: Iterable[str]) -> Iterable[str]:
    """Yield the lines that are not blank, without paragraphs from where they begin to be a disclaimer."""
    is_disclaimer = False
    for line in lines:
        text = plain(line)
        is_disclaimer = bool(text) and (is_disclaimer or has(line, "disclaimers"))
        if text and not is_disclaimer:
            yield line


def _beside(line: FreeLine) -> FreeLine:
    return replace(line, is_beside=True, introduces=introduced_pawn(line.text, is_above=line.is_above))


def free_subject(subject: str) -> FreeLine | None:
    """Return a subject as a line that may speak against the text; None for talk.

    A number among other words is none of a station there, unless a ticket stands beside it.
    """
    introduced = None if names_only_pawn(subject) else introduced_pawn(subject)
    line = replace(_free_line(subject, is_above=True, is_signature=True), is_subject=True, introduces=introduced)
    if folded(bare(subject)).strip(" ()[]<>") in lexicon.words("programs", "no_subject"):
        return None
    is_about_moves = line.weight is not Weight.HARMLESS or line.legs or introduced is not None
    return line if is_about_moves or has_yes(subject) or has(subject, "no") else None


@dataclass(frozen=True)
class Objection:
    """A free line that speaks against moves; `names_another`: by a station that may be meant instead.

    `is_unknown`: nobody can tell what it says of them.
    """

    line: FreeLine
    names_another: bool
    is_unknown: bool = False


def objection(free: Iterable[FreeLine], played: Sequence[str], legal: Sequence[LegalMove]) -> Objection | None:
    """Return what speaks against moves, given in their notation: the first line that names another station, or any.

    `legal` are the moves that the player could have sent. A number is a station if one of them leads there; with a
    ticket beside it every number is one.
    """
    legs = {leg for notation in played for leg in legs_of(notation)}
    stations = {station for _, station in legs}
    reachable = {station for move in legal for _, station in legs_of(str(move))}
    movers = {word for notation in played for word in notation.split()[:1] if word in PAWNS}
    rest = [move for move in legal if move.pawn not in movers]
    own = movers | {move.pawn for move in legal}
    doubts = []
    for line in free:
        if line.asks is not None and line.asks not in own and not line.speaks_against:
            continue  # talk to another player
        others = [leg for leg in line.legs if _is_other(leg, legs, stations) and (leg[0] or leg[1] in reachable)]
        if others and (line.speaks_against or not _is_of_another_pawn(line, movers, legal, rest)):
            return Objection(line, names_another=True)
        if line.speaks_against or line.ticket not in {None, *(ticket for ticket, _ in legs)}:
            doubts.append(Objection(line, names_another=False))
    return next(iter(doubts), None)


def has_yes(line: str) -> bool:
    """Return True if there is a yes anywhere in `line`; "si" is one only with an accent, as it may mean "if"."""
    text = plain(line).lower()
    return has(_SI.sub("", text), "yes") or _YES_WITH_ACCENT.search(text) is not None


def may_tell_of_something_else(sentence: str) -> bool:
    """Return True if with `sentence` beside it on its line a move may be another's, or of another time, or a thought.

    Words in letters that none of our languages has may say anything.
    """
    return any(letter.isalpha() and letter > _LAST_LATIN for letter in sentence) or has(sentence, "telling")


def names_move(line: str, *, is_signature: bool = False) -> bool:
    """Return True if `line` may be meant as a move: it names a pawn, or a station with a ticket or with little else.

    In a signature it is one only with a station and a pawn or a ticket.
    """
    words = _words(line)
    has_station, has_pawn = any(map(is_station, words)), not PAWN_WORDS.keys().isdisjoint(words)
    has_ticket = not TICKETS.keys().isdisjoint(words)
    if is_signature:
        return has_station and (has_pawn or has_ticket)
    return has_pawn or (has_station and (has_ticket or len(words) <= _SHORT))


def stays(line: str) -> bool:
    """Return True if the whole of `line` says that a pawn, or the writer, does not move."""
    return _staying(line) is not None


def without_staying(line: str) -> tuple[str, str]:
    """Return `line` without the part that says that a pawn stays, and that part; both empty unless it has both."""
    parts = _AND.split(plain(line))
    staying = [part for part in parts if stays(part)]
    is_both = len(parts) > 1 and len(staying) == 1
    return (", ".join(part for part in parts if part not in staying), staying[0]) if is_both else ("", "")


def may_be_held(lines: Iterable[str]) -> bool:
    """Return True if words that name a move, in lines that are none as a whole, may well be meant as one.

    Nothing in them speaks against it, and nothing is quoted, asked, tells of something else or speaks of another pawn.
    """
    said = [line for line in lines if plain(line)]
    is_asked = any("?" in plain(line) for line in said) and any(map(_asks, said))
    return not is_asked and not any(
        '"' in plain(line)
        or asks_without_mark(line)
        or weigh(line) is Weight.AGAINST
        or has(line, "telling", "not", "no")
        or asked_pawn(line) is not None
        for line in said
    )


def asks_without_mark(line: str) -> bool:
    """Return True for a line in the order of words of a question: "Could green take ...", "taxi 46 possible".

    "Could green please take ..." bids.
    """
    text = " ".join(_words(line))
    asks_first = _BEGINS_TO_ASK.search(text) is not None and _BIDS.search(text) is None
    return asks_first or _ENDS_ASKING.search(text) is not None


def _asks(line: str) -> bool:
    """Return True if `line` has a verb that asks; "Can you move me to 46? Thanks" and "Can you please" order."""
    words = _words(line)
    is_request = " ".join(words[:2]) in lexicon.words("asking", "can_you") and has(line, "please", "thanks")
    return not _ASKING.isdisjoint(words[2 if is_request and not _MOVED.isdisjoint(words[2:4]) else 0 :])


def names_ticket(line: str) -> bool:
    """Return True if a ticket stands in `line`."""
    return not TICKETS.keys().isdisjoint(_words(line))


def may_not_be_meant(line: str) -> bool:
    """Return True if a move in `line` may be doubted, depend on something, or be another's or of later."""
    is_asking = "?" in line or '"' in plain(line) or asked_pawn(line) is not None or asks_without_mark(line)
    return is_asking or has(line, "doubt", "condition", "telling", "later")


def wanted_parts(line: str) -> Iterable[str]:
    """Yield the parts of `line`, up to commas and the like, each without what stands behind a word that denies.

    "no wait, taxi 46 instead of bus 58" wants "taxi 46"; a no right before a word of taking back denies nothing.
    """
    for part in _CLAUSE.split(folded(plain(line))):
        words = split(part)
        found = matches(words)
        is_no = bool(words) and words[0] in lexicon.words("answers", "no")
        begin = 1 if is_no and any(match.begin == 1 and match.kind in ("back", "undo") for match in found) else 0
        denying = [match.begin for match in found if match.kind == "not" and match.begin >= begin]
        yield " ".join(words[begin : min(denying, default=len(words))])


def is_unwanted(line: str) -> bool:
    """Return True if `line` says of what it names that it is not to be done."""
    is_undone = not line.isascii() and not NO_PICTURES.isdisjoint(line)
    return is_undone or UNTICKED.match(plain(line)) is not None or has(line, "not")


_CLAUSE = re.compile(r"[,.;:!?()]| -+ |…")
_LAST_LATIN = "\u024f"
_AND_WORDS = lexicon.alternatives(lexicon.words("move", "and"))
_AND = re.compile(rf"[,;.] |,? (?:{_AND_WORDS}) ")
_SHORT = 3  # words
_ASKING = lexicon.words("move", "should") | lexicon.words("asking", "verbs")
_MOVED = PAWN_WORDS.keys() | lexicon.words("move", "subjects") | lexicon.words("move", "please")
_LEAD = lexicon.alternatives(lexicon.words("talk", "greetings") | lexicon.words("move", "lead_ins"))
_BEGIN, _END, _BIDDING = (lexicon.alternatives(lexicon.words("asking", name)) for name in ("begin", "end", "bidding"))
_SOMEBODY = (*PAWN_WORDS, *lexicon.words("counted", "self"), *lexicon.words("asking", "somebody"))
_ASKED = lexicon.alternatives((*_SOMEBODY, *(ticket for ticket in TICKETS if len(ticket) > 1)))
_BEGINS_TO_ASK = re.compile(
    rf"(?:^|[^\w\s'] )(?:(?:{_LEAD})(?: \w+)?(?: ,)? )?(?:(?:{_AND_WORDS}) )?"
    rf"(?:{_BEGIN}) (?:(?:{lexicon.alternatives(ARTICLES)}) )?(?:{_ASKED})\b"
)
_ENDS_ASKING = re.compile(rf"\d (?:, )?(?:{_END})(?: (?:[.!,;]|{_BIDDING}))*$")
_BIDS = re.compile(rf"\b(?:{_BIDDING})\b")
_SI = re.compile(r"\bsi\b")
_YES_WITH_ACCENT = re.compile(r"\bs[íì]\b")
_MR_X = re.compile(r"\bmr\.?[ _]?x\b")
_WORD = re.compile(r"[^\W\d]+|\d+|[^\w\s]")
_LONG_TO = lexicon.alternatives(word for word in TO if len(word) > 1)
_GLUED = re.compile(rf"(?<![\w.])([tbux]|{_LONG_TO})(\d{{1,3}})(?!\w)")
_GLUED_OTHER = re.compile(r"(?<!\w)(?:[a-z]+\d\w*|\d+[a-z]\w*)")


def _free_line(line: str, *, is_above: bool = False, is_signature: bool = False, language: str = "") -> FreeLine:
    return FreeLine(
        plain(line),
        is_above,
        weigh(line, language=language),
        _legs(line, is_signature=is_signature),
        frozenset(PAWN_WORDS[word] for word in _words(line) if word in PAWN_WORDS),
        parse_moves(line),
        stays=_staying(line) or None,
        asks=asked_pawn(line),
        ticket=_only_ticket(line),
        is_signature=is_signature,
        language=language,
    )


def _only_ticket(line: str) -> str | None:
    """Return the ticket that `line` names with nothing but small words around it, as "with the bus please"."""
    words = _words(bare(line))
    tickets = [TICKETS[word] for word in words if word in TICKETS and len(word) > 1]
    is_whole = all(word in TICKETS or word in _AROUND_TICKET for word in words)
    return tickets[0] if len(tickets) == 1 and is_whole else None


def _staying(line: str) -> str | None:
    """Return the pawn that the whole of `line` says does not move, "" for the writer; None for any other line."""
    words = [word for word in _WORD.findall(_MR_X.sub("mr_x", folded(bare(line)))) if word.isalpha() or word == "mr_x"]
    pawn = PAWN_WORDS[words.pop(0)] if words and words[0] in PAWN_WORDS else ""
    said = " ".join(words[1:] if words and not pawn and words[0] in lexicon.words("move", "subjects") else words)
    is_whole = said in _STAYING or (said.partition(" ")[2] in _STAYING and said.partition(" ")[0] in _WILL)
    return pawn if is_whole else None


_STAYING = frozenset(" ".join(_WORD.findall(entry)).replace(" ' ", " ") for entry in lexicon.words("move", "stays"))
_WILL = lexicon.words("move", "will") | lexicon.words("move", "should")


def _words(line: str) -> list[str]:
    """Return the words of a line, with numbers in digits. What is no station, such as an hour, is left out."""
    text = _MR_X.sub("mr_x", folded(plain(line)))
    text = other_numbers.pattern().sub(" , ", text)
    words = _WORD.findall(_GLUED_OTHER.sub(" , ", _GLUED.sub(r"\1 \2", text)))
    if not any(map(value_of, words)):
        return words
    return _WORD.findall(other_numbers.pattern().sub(" , ", " ".join(with_digits(words))))


def _legs(line: str, *, is_signature: bool) -> tuple[Leg, ...]:
    """Return the stations that `line` names, each with the ticket beside it.

    In a signature only those with a ticket, or behind a word such as "to", unless the line is a postscript.
    """
    words = [word for word in _words(line) if word not in _BETWEEN]
    words = [word for word in words if len(word) > 1 or not word.isalpha()] if is_signature else words
    found = [(_ticket_beside(words, i), int(word)) for i, word in enumerate(words) if is_station(word)]
    text = folded(plain(line))
    if not is_signature or is_station(bare(line)) or _POSTSCRIPT.match(text):
        return tuple(found)
    towards = set(map(int, _TOWARDS.findall(text)))
    return tuple(leg for leg in found if leg[0] or leg[1] in towards)


_POSTSCRIPT = re.compile(r"\W*(?:p\.? ?)+s\b")
_TOWARDS = re.compile(rf"(?:\b(?:{_LONG_TO})|[-=]>|→) ?(\d{{1,3}})\b")
_BETWEEN = ARTICLES | TO | lexicon.words("move", "station") | {"-", ">", ":", "#", "ticket"}
_BESIDE_TICKETS = ("please", "articles_of_tickets")  # not "ticket": our name is "Black Ticket"
_AROUND_TICKET = frozenset(word for name in _BESIDE_TICKETS for word in lexicon.words("move", name))
_AROUND_TICKET |= ARTICLES | BY | TO | {"with", "!"}


def _ticket_beside(words: Sequence[str], i: int) -> str | None:
    """Return the ticket right before the number at `i`, or right after it, as in "46 by taxi"."""
    if i and words[i - 1] in TICKETS:
        return TICKETS[words[i - 1]]
    after = words[i + 2 : i + 3] if words[i + 1 : i + 2] and words[i + 1] in BY else ()
    after = after or words[i + 1 : i + 2]
    is_taken = words[i + 2 : i + 3] and words[i + 2].isdigit()  # "46 bus 58": the ticket is that of 58
    return TICKETS[after[0]] if after and after[0] in TICKETS and not is_taken else None


def _is_other(leg: Leg, legs: set[tuple[str, int]], stations: set[int]) -> bool:
    """Return True unless `leg` is one of those that are played, which may be named without its ticket."""
    return leg not in legs and (leg[0] is not None or leg[1] not in stations)


def _is_of_another_pawn(
    line: FreeLine, movers: set[str], legal: Sequence[LegalMove], rest: Sequence[LegalMove]
) -> bool:
    """Return True if what the line names can only be meant for a pawn that the mail does not move."""
    if not rest or not movers:
        return False
    if line.pawns & {move.pawn for move in rest} and line.pawns.isdisjoint(movers):
        return True
    of_movers = [move for move in legal if move.pawn in movers]
    return suggest([line.text], rest) is not None and suggest([line.text], of_movers) is None
