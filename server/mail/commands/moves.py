"""Moves by mail, and the questions about them."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, NamedTuple

from server import engine
from server.application.game import projection, reply_addresses
from server.application.game.situations import acting, rehearse
from server.house_rules import submission
from server.house_rules.standing import OR_ELSE, SPECTATOR
from server.house_rules.submission import Chosen, RequestedMove, check_in_order
from server.language import forms, grammar
from server.language.doubts import People, doubt, mover
from server.language.lexicon import folded
from server.language.matching import Ambiguous, resolve, suggest
from server.language.moves import MoveWords
from server.language.prose import FreeLine, Objection
from server.mail.commands import reply as replies
from server.mail.commands.reply import Handler, Mark, Outcome, Question, Reply, UnclearError, reply_from_template
from server.mail.commands.request import Request
from server.mail.writing import sentences
from server.models import Player, session
from server.vocabulary.errors import Problem, refusal
from server.vocabulary.labels import MOVES
from server.vocabulary.translation import gettext, gettext_noop, pgettext
from server.vocabulary.words import either, typed
from server.wording.situation import prospect

WHICH = gettext_noop("YES does not tell which you mean: {moves}, or {line}. Reply with the move itself.")
NOT_BEGUN = gettext_noop("The game has not begun, so there is nothing to move.")
_NO_LETTERS = re.compile(r"[\W\d_]+")
MOST_QUOTED = 60  # characters of a mail, or of a line of it, that a question quotes
FEW = 36  # characters of a line that the mail about a move that waits quotes


@dataclass(frozen=True)
class AboutMoves(Question):
    """A question which moves are meant: those that were read, each in its notation."""

    is_one_of_all = True
    moves: tuple[str, ...]

    def stays(self, request: Request) -> list[str]:
        """Return the moves sent ahead for the pawns that it is about, in quotation marks."""
        queued, asked = request.queue(), set(map(mover, self.moves))
        stays = [queued[pawn] for pawn in request.seat.pawns if pawn in asked & queued.keys()]
        return sentences.moves_quoted(stays)

    @property
    def about_as_typed(self) -> tuple[str, ...]:
        return tuple(map(typed, self.moves))


@dataclass(frozen=True)
class MakeMoves(AboutMoves):
    """The question whether to make these moves."""

    @property
    def played(self) -> tuple[str, ...]:
        return self.moves

    about = played

    def words(self, _request: Request) -> Reply:
        return self.did_you_mean()

    def did_you_mean(self, read: str = "", double: str = "") -> Reply:
        """Return the reply that asks whether to make the moves, which were `read` in the words of a mail.

        `double` is the form of a double move, if the mail may mean one.
        """
        moves = sentences.each_quoted(self.about_as_typed)
        return replace(reply_from_template("did_you_mean", moves=moves, read=read, double=double), question=self)

    def yes(self, request: Request) -> Outcome:
        read = [grammar.parse_line(notation) for notation in self.moves]
        return make(
            request, understood(request, [command.move for command in read if command and command.move]).notations
        )


@dataclass(frozen=True)
class ChooseMove(AboutMoves):
    """The question which of two moves is meant: the moves that were read, or what `against` says, a line of the mail.

    Only a move answers it, such as one of those `offered`, which have links: YES does not say which.
    """

    has_yes = False
    against: str
    offered: tuple[str, ...] = ()

    @property
    def about(self) -> tuple[str, ...]:
        return (*self.moves, self.against)

    @property
    def about_as_typed(self) -> tuple[str, ...]:
        """Return the moves and the line, which is typed otherwise only if it is another move, or several."""
        others = self.offered[1:]
        is_move = self.against in (*others, " or ".join(others))
        return (*map(typed, self.moves), typed(self.against) if is_move else self.against)

    def words(self, _request: Request) -> Reply:
        return which(self.moves, self.against, offered=self.offered)

    def yes(self, _request: Request) -> Outcome:
        *moves_read, against = sentences.each_quoted(self.about_as_typed)
        raise refusal("form", WHICH, moves=sentences.join(moves_read), line=against)


class Understood(NamedTuple):
    """The notations of the moves of a mail; `doubt` is the line for which they are held, "" if there is none."""

    notations: list[str]
    doubt: str = ""


def understood(
    request: Request,
    moves_in_words: Sequence[MoveWords],
    free: Sequence[FreeLine] = (),
    against: FreeLine | None = None,
) -> Understood:
    """Return all moves of the mail, which can be made one after another as far as public facts tell.

    `free` are the lines of the mail that are no command, and `against` is one that is, and takes the moves back.

    Raises:
        Problem: a move that nobody could make, or that does not say which move it is.
        UnclearError: two moves for one pawn, or a line that speaks against the moves; neither is guessed.
    """
    _check_current(request)
    # All are understood from how the game stands before any is made: one move must not lend the next its meaning.
    notations = list(dict.fromkeys(_understand(request, words) for words in moves_in_words))
    for i, notation in enumerate(notations):
        if second := next((other for other in notations[i + 1 :] if mover(notation) == mover(other)), None):
            rest = [other for other in notations if other not in (notation, second)]
            double = sentences.double_example(request.legal_moves())
            asked = which([notation], shortened(second), rest=rest, double=double, offered=(notation, second))
            raise UnclearError(asked, are_moves_told=True)
    rehearse(request.game.id, request.player, check_in_order, [requested(notation) for notation in notations])
    if against is not None:
        raise unclear(notations, against)
    found = _doubt(request, moves_in_words, notations, free)
    if found is not None and found.is_unknown and not grammar.only_looks(found.line.text):
        return Understood(notations, found.line.text)
    if found is not None:
        of_mover = [move for move in request.legal_moves() if [move.pawn] == list(map(mover, notations))]
        other = suggest([found.line.text], of_mover) if found.names_another else None
        raise unclear(notations, found.line, other, is_choice=found.names_another)
    return Understood(notations)


def _doubt(
    request: Request, moves_in_words: Sequence[MoveWords], notations: Sequence[str], free: Sequence[FreeLine]
) -> Objection | None:
    """Return the line that speaks against the moves, or says that one is of a pawn which the mail does not move."""
    if not free:
        return None
    legal, people = legal_beside(request, notations), People(_names_of_author(request), pawns_by_name(request))
    names_all = all(words.pawn is not None for words in moves_in_words)
    can_move = {move.pawn for move in request.legal_moves()}
    return doubt(free, notations, legal, people, can_move=can_move, names_all=names_all)


def _names_of_author(request: Request) -> str:
    """Return the names by which the author of a mail may sign it."""
    address = next(iter(request.reading.from_addresses), "").partition("@")[0]
    return f"{request.player.name} {request.reading.from_name} {_NO_LETTERS.sub(' ', address)}"


def names_of_people(request: Request) -> frozenset[str]:
    """Return the words of the names of all players, folded."""
    return frozenset((*folded(_names_of_author(request)).split(), *pawns_by_name(request)))


def pawns_by_name(request: Request) -> dict[str, str]:
    """Return a pawn of each other player by each word of their name, folded."""
    found: dict[str, str] = {}
    for seat in request.game.seats:
        player = session.get(Player, seat.player_id) if seat.player_id not in (None, request.player.id) else None
        found |= dict.fromkeys(folded(player.name).split() if player else (), seat.pawns[0])
    return {word: pawn for word, pawn in found.items() if word not in folded(request.player.name).split()}


def legal_beside(request: Request, notations: Sequence[str]) -> list[engine.Move]:
    """Return what the player could send instead, for pawns of others that the moves name as well."""
    others = {mover(notation) for notation in notations} - {"mr_x", *request.seat.pawns}
    return [*request.legal_moves(), *(move for pawn in others for move in request.legal_moves(pawn))]


def which(
    notations: Sequence[str],
    line: str,
    found: FreeLine | None = None,
    *,
    is_choice: bool = True,
    rest: Sequence[str] = (),
    double: str = "",
    offered: Sequence[str] = (),
) -> Reply:
    """Return the question about moves that a line of the same mail, or another move, speaks against.

    `found` is that line, and tells where it stands. `rest` are the other moves of the mail, `double` is the form of a
    double move, if the player can make one, and `offered` are the moves that have links.
    """
    where = {"is_above": bool(found and found.is_above), "is_subject": bool(found and found.is_subject)}
    where["is_below"] = not any(where.values())
    choice = ChooseMove(tuple(notations), line, tuple(offered))
    *moves_read, against = sentences.each_quoted(choice.about_as_typed)
    facts = {"moves": moves_read, "line": against, "is_choice": is_choice}
    stayer = sentences.pawn_name(found.stays) if found and found.stays else ""
    asked = reply_from_template(
        "which_move", **facts, **where, rest=sentences.moves_quoted(rest), stayer=stayer, double=double,
        offered=_pressed(offered),
    )  # fmt: skip
    return replace(asked, question=choice if is_choice else MakeMoves(tuple(notations)))


def _pressed(offered: Sequence[str]) -> list[sentences.Press]:
    return [
        sentences.Press(sentences.quoted(typed(move)), label, typed(move))
        for label, move in zip(MOVES, offered, strict=False)
    ]


def unclear(
    notations: Sequence[str], against: FreeLine, other: str | None = None, *, is_choice: bool = True
) -> UnclearError:
    """Return the question about moves that a line of the same mail speaks against; `other` is the move it names."""
    offered = dict.fromkeys([*notations, *([other] if other else [])]) if len(notations) == 1 else ()
    asked = which(notations, shortened(against.text), against, is_choice=is_choice, offered=tuple(offered))
    return UnclearError(asked, are_moves_told=True)


def which_of(notations: Sequence[str]) -> Reply:
    """Return the reply that asks which of several moves is meant, where no line of the mail is one as a whole."""
    first, *others = notations
    reply = reply_from_template("which_of", moves=sentences.moves_quoted(notations), offered=_pressed(notations))
    return replace(reply, question=ChooseMove((first,), " or ".join(others), tuple(notations)))


def example_of(move: engine.Move) -> str:
    """Return the form of a move as its reader types it: with NN for the station, so it is no move."""
    ticket = move.legs[0].ticket
    return typed(f"{ticket} NN" if move.pawn == "mr_x" else f"{move.pawn} {ticket} NN")


def shortened(line: str, most: int = MOST_QUOTED) -> str:
    """Return a line of the mail as a question quotes it."""
    return line if len(line) <= most else f"{line[:most].rstrip()}…"


def make(request: Request, notations: Sequence[str]) -> Outcome:
    """Make moves that are understood, and that nothing takes back: if one ends the game, the others are not made."""
    before = len(request.view()["history"])
    kept = request.queue()
    acted = acting(request.game.id, request.player, submission.place_all, list(map(requested, notations)))
    return acted.then(lambda acted: made(request, notations, acted.answer, kept, before))


def made(
    request: Request, notations: Sequence[str], placed: Sequence[Chosen | Problem], kept: Mapping[str, str], before: int
) -> Reply:
    """Return the reply to moves that were made or queued (`placed`).

    `kept` are the moves that the team had queued before, and `before` is how many moves had been made.
    """
    made, round_ = [chosen for chosen in placed if not isinstance(chosen, Problem)], request.game.round
    refusals = [
        replies.refused(typed(notation), problem)
        for notation, problem in zip(notations, placed, strict=True)
        if isinstance(problem, Problem)
    ]
    request = request.anew()
    orders = [notation for notation in notations if OR_ELSE in notation]
    returned = _returned(request, {pawn: kept[pawn] for pawn in request.seat.pawns if pawn in kept}, before)
    done = _done(request, made, orders, before)
    reply = reply_from_template("moves", Mark.BRIEF, **done, returned=returned)
    is_public = request.seat.role == "mr_x"  # what stands in the first lines of a mail to him names no station
    news = (
        replies.as_sentence(reply.title) if is_public else _understood_in_short(made, is_any_kept=bool(done["queued"]))
    )
    reply = replace(reply, news="" if returned else news, round=round_)
    return replies.combined([reply, *refusals]).marked(Mark.LEADS | Mark.ANSWERS)


def _understood_in_short(made: Sequence[Chosen], *, is_any_kept: bool) -> str:
    """Return what the mail of the next turn tells of moves, which have all been made by then or come back."""
    moves = sentences.join(sentences.moves_quoted(str(chosen.move) for chosen in made))
    return gettext("Understood: {moves}." if is_any_kept else "Understood and played: {moves}.", moves=moves)


def _done(request: Request, made: Sequence[Chosen], orders: Sequence[str], before: int) -> dict[str, Any]:
    """Return what became of the moves that were `made`, and of kept ones of the player that were played with them.

    A move that is kept for its turn is played at once if another of the same mail is what it waited for. So what was
    played is read off the history, behind the first `before` moves in it.
    """
    named = {chosen.move.pawn for chosen in made}
    after = [move for move in request.view()["history"][before:] if mover(move) in named | {*request.seat.pawns}]
    is_any_kept = any(chosen.is_queued for chosen in made)
    kept = request.queue().keys() & named if is_any_kept else set()
    return {
        "count": len(made),
        "played": sentences.moves_quoted(notation for notation in after if mover(notation) in named),
        "followed": sentences.moves_quoted(notation for notation in after if mover(notation) not in named),
        "queued": sentences.moves_quoted(str(chosen.move) for chosen in made if chosen.move.pawn in kept),
        "played_orders": sentences.moves_quoted(order for order in orders if mover(order) in named - kept),
        "kept_orders": sentences.moves_quoted(order for order in orders if mover(order) in kept),
        "left_out": [
            {"notation": sentences.quoted(typed(str(move))), "why": sentences.reason(problem.sentence)}
            for chosen in made
            for move, problem in chosen.left_out
            if chosen.move.pawn in kept
        ],
    }


def _returned(request: Request, kept: Mapping[str, str], before: int) -> list[dict[str, str]]:
    """Return which of the player's moves that were `kept`, by their pawns, came back, and why."""
    if not kept:
        return []
    played = set(map(mover, request.view()["history"][before:]))
    still = request.queue().keys()
    found = []
    for pawn, notation in kept.items():
        if pawn in played | still:
            continue
        try:
            _check_sendable(request, notation)
        except Problem as problem:
            found.append({"notation": sentences.quoted(typed(notation)), "why": sentences.reason(problem.sentence)})
    return found


def _check_sendable(request: Request, notation: str) -> str:
    """Return the whole notation of a move that the player could send now; raise its `Problem` otherwise."""
    dry_run = RequestedMove(notation, dry_run=True)
    return str(rehearse(request.game.id, request.player, submission.place, dry_run).move)


def _check_current(request: Request) -> None:
    if request.is_stale and not _is_stranded(request):  # who is stranded has got no newer mail
        is_from_before = request.token is not None and request.token.round == reply_addresses.INVITATION
        raise refusal("stale-turn", _BEFORE_THE_START if is_from_before else _EARLIER_ROUND)
    if request.game.status == "open":
        raise refusal("game-not-running", NOT_BEGUN)
    request.game.check_running(gettext_noop("there is nothing to move"))


_EARLIER_ROUND = gettext_noop("Your mail answers a mail about an earlier round, and the game has moved on.")
_BEFORE_THE_START = gettext_noop(
    "Your mail answers a mail from before the start, and the game has begun. Answer the newest mail about it."
)


def _is_stranded(request: Request) -> bool:
    pawns = request.view()["pawns"]
    return all(pawns[pawn].get("state") == "stranded" for pawn in request.seat.pawns)


def requested(notation: str) -> RequestedMove:
    """Return a move in its notation, with its second choices, as it is sent."""
    first, *others = notation.split(OR_ELSE)
    return RequestedMove(first, otherwise=tuple(others))


def _understand(request: Request, words: MoveWords) -> str:
    """Return the notation of the move that the words mean; whether it may be played is for the rules to say.

    With second choices it is that of all of them, in their order.
    """
    choices = [replace(words, otherwise=()), *words.otherwise]
    notations = [notation for choice in choices if (notation := _understand_one(request, choice)) is not None]
    if not notations:
        raise Problem("form", _why_not(request, words))
    return OR_ELSE.join(dict.fromkeys(notations))


def _understand_one(request: Request, words: MoveWords) -> str | None:
    """Return the notation of the move that the words mean; None if they name no ticket, and no move fits them."""
    if words.pawn == "mr_x" and request.seat.role != "mr_x":  # a notation does not name him
        raise refusal("forbidden", "{pawn} is not yours.", pawn=sentences.pawn_name("mr_x"))
    found = resolve(words, request.legal_moves(words.pawn))
    if isinstance(found, Ambiguous):
        each = sentences.moves_quoted(found.notations)
        raise refusal("form", "That can mean more than one move: {moves}. Send the one you mean.", moves=either(each))
    return found.notation


def _why_not(request: Request, words: MoveWords) -> str:
    """Return what is wrong with a move that names no ticket, so that the rules cannot be asked."""
    if words.pawn in request.seat.pawns and all(move.pawn != words.pawn for move in request.legal_moves()):
        name = sentences.pawn_name(words.pawn)
        if words.pawn in sentences.moved_this_round(request.view()):
            return gettext("{pawn} has already moved in this round.", pawn=name)
        return gettext("{pawn} has no move to make now.", pawn=name)
    stations = [str(station) for _, station in words.legs]
    if not words.double and _stands_at(request, words):
        return gettext("You are at {station} already, and a pawn that can move has to move.", station=stations[0])
    legs = reduce(lambda first, then: pgettext("legs", "{first} and on to {then}", first=first, then=then), stations)
    if words.double:
        return gettext(
            "No tickets bring you to {stations} now; a double move with its tickets reads like double taxi NN bus NN.",
            stations=legs)  # fmt: skip
    return gettext("No ticket brings you to {stations} now; a move with its ticket reads like taxi NN.", stations=legs)


def _stands_at(request: Request, words: MoveWords) -> bool:
    """Return True if a detective of the player stands at the station that the move names."""
    pawns = [words.pawn] if words.pawn else request.seat.pawns
    return any(pawn != "mr_x" and request.view()["pawns"][pawn]["station"] == words.legs[0][1] for pawn in pawns)


def attempt(request: Request, command: forms.Command) -> Reply:
    """TRY: say whether a move could be made, and to Mr. X where he could be for the others afterwards."""
    assert command.move is not None
    _check_current(request)
    first = replace(command.move, otherwise=())
    notation = _check_sendable(request, _understand(request, first))
    then = ""
    if request.seat.role == "mr_x":
        then = prospect(projection.engine_view(request.game, SPECTATOR), engine.Move.parse(notation))
    return reply_from_template("try", notation=typed(notation), then=then)


HANDLERS: dict[str, Handler] = {"try": attempt}
