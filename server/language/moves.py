"""The loose forms of moves.

`MoveWords` holds what the words say and no more: a pawn or a ticket may be missing. `matching.resolve` finds the move
among the legal ones.
"""

import re
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from server.language import lexicon
from server.language.lexicon import folded
from server.language.normalise import bare, plain
from server.language.numbers import in_digits, value_of
from server.language.talk import NO_PICTURES

PAWNS = ("mr_x", "purple", "red", "green", "yellow", "blue")
PAWN_LETTERS = {pawn[0]: pawn for pawn in PAWNS[1:]}  # before a ticket only

STATION_DIGITS = 3
"""The most digits of a station: a longer number is a year, or something else that nobody moves to."""

Leg = tuple[str | None, int]
"""A ticket, or None if the words name none, and a station."""


@dataclass(frozen=True)
class MoveWords:
    """A move in the player's words."""

    legs: tuple[Leg, ...]  # two of a double move
    pawn: str | None = None
    double: bool = False
    surface: tuple[tuple[str, str], ...] | None = None  # pawn and the ticket he takes from it
    otherwise: tuple["MoveWords", ...] = ()  # played in its place if it is not legal, the first that is

    @property
    def is_number(self) -> bool:
        """Return True for "46" alone, or as little with it as leaves the move to the number."""
        return self == MoveWords(((None, self.legs[0][1]),))

    def canonical(self) -> str | None:
        """Return the notation of the move, without a pawn where none is named.

        None if a ticket is missing. Mr. X's moves carry no pawn.
        """
        if any(ticket is None for ticket, _ in self.legs):
            return None
        pawn = [] if self.pawn in (None, "mr_x") else [str(self.pawn)]
        words = [*pawn, *["double"] * self.double]
        words += [f"{ticket} {station}" for ticket, station in self.legs]
        return " ".join(words) + self.surfacing()

    def surfacing(self) -> str:
        """Return the end of the notation that says he shows himself; empty if he does not."""
        if self.surface is None:
            return ""
        return " surface" + "".join(f" {pawn}:{ticket}" for pawn, ticket in self.surface)


def is_station(text: str) -> bool:
    """Return True if `text` can be the number of a station, on any board."""
    return len(text) <= STATION_DIGITS and _DIGITS.fullmatch(text) is not None


def may_be_move(words: Iterable[str]) -> bool:
    """Return False if no move has all these words, each of lower-case letters alone."""
    return _LETTERS_OF_WORDS.issuperset(words)


def parse_move(line: str) -> MoveWords | None:
    """Return the one move that the whole of `line` is, None if anything is left over.

    A number is a move by itself, after "go" or "move", or after a pawn, but not in "to 46": so do
    sentences end.
    """
    return None if is_barred(line) else _parse_order(split_words(line))


def parse_moves(line: str) -> tuple[MoveWords, ...]:
    """Return the moves that the whole of `line` is, of several pawns where each is named; empty if anything is left."""
    if is_barred(line):
        return ()
    words = split_words(line)
    if move := _parse_order(words):
        return (move,)
    moves = [_parse_order(part) for part in _parts(words)]
    pawns = {move.pawn for move in moves if move and not move.double and not move.surface}
    is_whole = len(moves) > 1 and len(pawns) == len(moves) and pawns.isdisjoint((None, "mr_x"))
    return tuple(move for move in moves if move) if is_whole else ()


_SURFACING = re.compile(r" surface(?: [a-z]+:[a-z]+)*")


def legs_of(notation: str) -> tuple[tuple[str, int], ...]:
    """Return the tickets and stations of a canonical notation, or of several with "or else" between them."""
    words = _SURFACING.sub("", notation).split()
    words = [word for word in words if word not in (*PAWNS, "double", "or", "else")]
    return tuple(zip(words[::2], map(int, words[1::2]), strict=True))


# Words ----------------------------------------------------------------------------------------

_of = partial(lexicon.words, "move")
PAWN_WORDS = lexicon.table("pawns")
TICKETS = lexicon.table("tickets")
TO, BY, ARTICLES, VERBS, THEN, DOUBLE = map(_of, ("to", "by", "articles", "verbs", "then", "double"))
_LOOSE_TO, _FOR, _AND = _of("to_behind_a_ticket"), _of("for"), _of("and") | {"&", "+", "/"}
_PLEASE, _ENDINGS, _AT_THE_END = _of("please"), _of("endings"), _of("verbs_at_the_end")
_FILLERS = _of("lead_ins", "please")
_SUBJECTS, _WILL, _MY, _ADVERBS = map(_of, ("subjects", "will", "my", "adverbs"))
_NOUNS_OF_TICKETS, _NOUNS_OF_PAWNS, _BEHIND_STATIONS = _of("ticket"), _of("pawn"), _of("behind_a_station")
_FROM = _of("from")
_STATIONS_AND_ARTICLES = _of("articles", "station")
_OTHERWISE = [phrase.split() for phrase in sorted(_of("otherwise"), key=len, reverse=True)]
_BEGIN_OTHERWISE = frozenset(first for first, *_ in _OTHERWISE)


def _phrases() -> dict[str, str]:
    """Return the phrases of several words that are read as one, each with the first word of its list."""
    found = {phrase: name for phrase, name in {**TICKETS, **PAWN_WORDS}.items() if not phrase.isalpha()}
    for name in ("please", "lead_ins", "subjects", "verbs", "will", "my", "double", "then", "to", "endings"):
        for listed in lexicon.by_language("move", name).values():
            word = next(filter(str.isalpha, listed), "")
            found |= {phrase: word for phrase in listed if not phrase.isalpha()}
    return found


_PHRASES = _phrases()
_PHRASE = re.compile(rf"\b(?:{lexicon.alternatives(_PHRASES)})\b")
_ALL_WORDS = _of(
    *(
        "to",
        "by",
        "articles",
        "articles_of_tickets",
        "and",
        "double",
        "then",
        "please",
        "lead_ins",
        "ticket",
        "station",
    ),
    *("subjects", "verbs", "will", "otherwise", "endings", "verbs_at_the_end", "my", "adverbs", "to_behind_a_ticket"),
    *("pawn", "for", "behind_a_station", "from"),
) | {"surface", "with", *PAWN_WORDS, *PAWN_LETTERS, *TICKETS, "let's", "let me"}
# The letters between the numbers and marks of a move, see `parse_moves`; `mr_x` is two words here.
_LETTERS_OF_WORDS = frozenset(part for word in _ALL_WORDS for part in re.findall("[a-z]+", word))
_WITHOUT_BLANKS = re.compile(lexicon.alternatives(word for word in _ALL_WORDS if word > "\u3000"))
_MR_X = re.compile(r"\bmr\.? ?x\b")
_DIGITS = re.compile("[0-9]+")
_TWICE = re.compile(r"\b2 ?x\b(?! ?\d)")
_BETWEEN_DIGITS = re.compile(r"(?<=\d)[-.,:](?=\d)")
_MARKS = ("=", ";", ":", ",", ".", "#", "->")
_SEPARATORS = re.compile(r"[-=]>|[-.,;:#=→()|、。]+|(?<=[^\W_])'(?=[^\W\d_])")
_LETTERS_AND_DIGITS = re.compile(r"(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])")
_GROUP_OF_SEAL = re.compile("(?=[a-z]*[2-7])(?=[2-7]*[a-z])[a-z2-7]{4}")
_BOX = re.compile(r"[(\[] ?[)\]]")
_TICKED = re.compile(r"[(\[] ?[xX✓✔✅☑v] ?[)\]] ?")


def is_barred(line: str) -> bool:
    """Return True for a line that is no move of its writer's, whatever its words say.

    It has a mark in front of what somebody else wrote, a cross, or an empty box; or it is four letters of a seal, which
    a mail program has put on a line of their own: 444x is no station and a ticket, as no board has so many stations.
    """
    text = bare(line)
    return (
        text.startswith(_MARKS)
        or not NO_PICTURES.isdisjoint(line)
        or _BOX.match(plain(line)) is not None
        or _GROUP_OF_SEAL.fullmatch(text) is not None
    )


def split_words(line: str) -> list[str]:
    """Return the words of `line`, folded; letters and digits never share one."""
    text = folded(bare(_TICKED.sub("", plain(line), count=1) if _TICKED.match(plain(line)) else line))
    text = _MR_X.sub("mr_x", text)
    text = _PHRASE.sub(lambda found: _PHRASES[found[0]], text)
    if not text.isascii():
        text = _WITHOUT_BLANKS.sub(r" \g<0> ", text)
    text = _TWICE.sub("double", text)
    text = _BETWEEN_DIGITS.sub("/", text)  # no separator: "4.6" is not two numbers
    text = _SEPARATORS.sub(" ", text)
    words = _LETTERS_AND_DIGITS.sub(" ", text).split()
    return words if any(map(str.isdigit, words)) or not has_number(words) else with_digits(words)


def has_number(words: Iterable[str]) -> bool:
    """Return True if one of the words is a number from twenty on: smaller ones mostly count something."""
    return any((value_of(word) or 0) >= _LEAST_IN_WORDS for word in words)


_LEAST_IN_WORDS = 20


def with_digits(words: Sequence[str]) -> list[str]:
    """Return words with numbers in digits. One and two are left: they are articles, and count people and turns."""
    said: list[str] = []
    part: list[str] = []
    for i, word in enumerate(words):
        before, after = (words[i - 1 : i] or [""])[0], (words[i + 1 : i + 2] or [""])[0]
        if word == "-" and value_of(before) and value_of(after):
            continue
        alone = not value_of(after) and not value_of(before) and before not in ("-", *TICKETS)
        if value_of(word) in (1, 2) and alone:
            said += [*in_digits(part), word]
            part = []
        else:
            part.append(word)
    return [*said, *in_digits(part)]


class _Words:
    """The words of a line, taken one by one from the front."""

    def __init__(self, words: Sequence[str]) -> None:
        self._left = list(words)[::-1]

    @property
    def next(self) -> str:
        """The next word, empty at the end."""
        return self._left[-1] if self._left else ""

    @property
    def second(self) -> str:
        """The word behind the next, empty at the end."""
        return self._left[-2] if len(self._left) > 1 else ""

    def take(self, known: Container[str]) -> str | None:
        """Take the next word if it is one of `known`."""
        return self._left.pop() if self._left and self._left[-1] in known else None

    def skip(self, known: Container[str]) -> bool:
        return self.take(known) is not None

    def skip_all(self, known: Container[str]) -> None:
        while self._left and self._left[-1] in known:
            self._left.pop()

    def take_pair(self, known: Container[str], then: Container[str]) -> tuple[str, str] | None:
        """Take the next two words if they are one of `known` and one of `then`."""
        if self.next not in known or self.second not in then:
            return None
        return self._left.pop(), self._left.pop()

    def take_pawn(self) -> str | None:
        """Take the name of a pawn, or its first letter before a ticket."""
        if self.next in ARTICLES | BY | _FOR and self.second in PAWN_WORDS:
            self._left.pop()
        if self.next in ARTICLES and self.second in _NOUNS_OF_PAWNS:
            self._left.pop()
        if self.next in PAWN_LETTERS and self.second in TICKETS:
            return PAWN_LETTERS[self._left.pop()]
        if self.next in _NOUNS_OF_PAWNS and self.second in PAWN_WORDS:
            self._left.pop()
        word = self.take(PAWN_WORDS)
        if word:
            self.skip(_NOUNS_OF_PAWNS)
        return PAWN_WORDS[word] if word else None

    def take_ticket(self) -> str | None:
        """Take a ticket, with "a" before it or "ticket" behind."""
        if self.next in _ARTICLES_OF_TICKETS and self.second in TICKETS:
            self._left.pop()
        word = self.take(TICKETS)
        if word:
            self.skip(_NOUNS_OF_TICKETS)
        return TICKETS[word] if word else None

    def skip_by(self, *, is_behind: bool = False) -> bool:
        """Skip "by", or "with" before "taxi", "the taxi" or "my taxi".

        Mails of ours have "46 with a taxi" and "46 with the underground": these are not taken, the second if the ticket
        `is_behind` the station.
        """
        words = self._left[:-4:-1]
        ticket = words[2:] if words[1:2] and words[1] in _DEFINITE else words[1:2]
        if self.next == "with" and ticket and ticket[0] in TICKETS:
            return not (is_behind and ticket[0] == "underground") and self.skip(("with",))
        return self.skip(BY)

    def skip_origin(self) -> None:
        """Skip "from 47": where the pawn stands."""
        if self.next in _FROM and is_station(self.second):
            self._left.pop()
            self._left.pop()

    def take_owner(self) -> str | None:
        """Take "for red" behind a move."""
        left = list(self._left)
        if self.skip(_FOR | BY):
            self.skip(ARTICLES)
            if pawn := self.take_pawn():
                return pawn
            self._left = left
        return None

    def take_station(self) -> int | None:
        self.skip_all(_STATIONS_AND_ARTICLES)
        return int(self._left.pop()) if is_station(self.next) else None


_DEFINITE = frozenset(("the", "my"))
_AND_ON = VERBS | _SUBJECTS | TO
_ARTICLES_OF_TICKETS = _of("articles", "articles_of_tickets")


def _parts(words: Sequence[str]) -> list[list[str]]:
    """Return `words` in parts of which each begins with a pawn, without "and" at their ends."""
    parts: list[list[str]] = [[]]
    for i, word in enumerate(words):
        is_letter = word in PAWN_LETTERS and words[i + 1 : i + 2] and words[i + 1] in TICKETS
        after_station = i > 0 and (is_station(words[i - 1]) or words[i - 1] in _AND or words[i - 1] in TICKETS)
        if (word in PAWN_WORDS or is_letter) and after_station:
            parts.append([])
        parts[-1].append(word)
    return [part[:-1] if part[-1:] and part[-1] in _AND else part for part in parts]


def _parse_order(words: Sequence[str]) -> MoveWords | None:
    """Return the move of all these words, with those to be played in its place if it is not legal."""
    choices = _choices(words)
    moves = [_parse(choice) for choice in choices]
    first, *others = moves
    if first is None or not all(moves):
        return None
    rest = [replace(move, pawn=move.pawn or first.pawn) for move in others if move]
    return replace(first, otherwise=tuple(rest))


def _choices(words: Sequence[str]) -> list[Sequence[str]]:
    """Return `words` in parts, divided by such as "or else"."""
    if _BEGIN_OTHERWISE.isdisjoint(words):
        return [words]
    for phrase in _OTHERWISE:
        for i in range(1, len(words) - len(phrase) + 1):
            if words[i : i + len(phrase)] == phrase:
                return [words[:i], *_choices(words[i + len(phrase) :])]
    return [words]


def _tells_a_place(words: Sequence[str]) -> bool:
    """Return True for words that say where somebody is, such as "Red is on 46", and the end of "You are on 46 now".

    "On" would else be French for "we"; behind a ticket it is "to".
    """
    triples = zip(("", *words), words, words[1:], strict=False)
    is_on = any(word == "on" and before not in TICKETS and is_station(after) for before, word, after in triples)
    return is_on or (len(words) == 2 and is_station(words[0]) and words[1] == "now")


def _parse(line: Sequence[str]) -> MoveWords | None:
    """Return the one move of all these words."""
    if _tells_a_place(line):
        return None
    words = _Words(line)
    words.skip_all(_PLEASE)
    is_greeted = words.skip(_of("lead_ins"))
    words.skip_all(_FILLERS)
    pawn = words.take_pawn()
    is_asked = pawn and line[0] not in _FOR  # "Blue, please go to 46" asks somebody else
    please = frozenset() if is_asked else _PLEASE
    words.skip_all(_SUBJECTS | _WILL | _MY | please)
    if words.next in TO and words.second in VERBS:  # "I would like to take"
        words.skip(TO)
    verb = words.skip(VERBS)
    words.skip_all(_WILL | _SUBJECTS | _ADVERBS | please if verb else _WILL)  # "fahre ich"
    if verb:
        words.take_pair(TO, VERBS)  # "I choose to take"
        words.skip(VERBS)  # "je vais prendre"
        words.skip(("with",))
    pawn = pawn or words.take_pawn()
    double = words.take(DOUBLE) is not None
    if double:
        words.skip(_NOUNS_OF_TICKETS | VERBS)
        words.skip(VERBS)
    dangling = not (pawn or verb or double) and (is_greeted or words.next in TO)  # "Hello 46" says too little
    legs = [_take_leg(words, is_last=not double)]
    if double:
        words.skip_all(_AND)
        words.skip_all(THEN)
        legs.append(_take_leg(words, is_last=False))
    surface = _take_surfacing(words)
    pawn = pawn or words.take_owner()
    words.skip_all(_PLEASE | _ENDINGS | _AT_THE_END)
    found = [leg for leg in legs if leg is not None]
    if words.next or len(found) < len(legs) or (dangling and found[0][0] is None):
        return None
    return MoveWords(tuple(found), pawn, double, surface)


def _take_leg(words: _Words, *, is_last: bool) -> Leg | None:
    """Take "taxi to 46", "by taxi to 46", "46 by taxi", "46" or, where nothing follows, "46 taxi"."""
    by = words.next not in TO and words.skip_by()
    is_letter = len(words.next) == 1
    if ticket := words.take_ticket():
        if words.next in TO | _AND and words.second in _AND_ON:  # "a bus to go to 46", "a bus and I go to 46"
            words.skip_all(TO | _AND)
            words.skip(_SUBJECTS)
        words.skip(VERBS)
        words.skip_origin()
        words.skip(TO if is_letter else TO | _LOOSE_TO)
        station = words.take_station()
        words.skip_all(_BEHIND_STATIONS)
        return None if station is None else (ticket, station)
    words.skip(TO)
    station = words.take_station()
    if by or station is None:
        return None
    words.skip_all(_BEHIND_STATIONS)
    if words.skip_by(is_behind=True):
        ticket = words.take_ticket()
        return (ticket, station) if ticket else None
    return (words.take_ticket() if is_last else None, station)


def _take_surfacing(words: _Words) -> tuple[tuple[str, str], ...] | None:
    """Take "surface" and the pawns with the tickets taken from them; what does not fit is left."""
    if not words.skip(("surface",)):
        return None
    takings: dict[str, str] = {}
    while words.next not in takings and (pair := words.take_pair(PAWNS[1:], TICKETS)):
        takings[pair[0]] = TICKETS[pair[1]]
    return tuple(takings.items())
