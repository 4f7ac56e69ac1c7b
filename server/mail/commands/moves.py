"""Moves by mail, and how a player ends a game by mail."""

from collections.abc import Sequence

from server.application.deciding import decided, whole
from server.application.errors import Problem
from server.application.game import queued_moves
from server.application.game.access import check_running
from server.application.play import draws, submission
from server.mail.commands import reply
from server.mail.commands.request import Errand
from server.mail.language import grammar
from server.mail.language.moves import PAWNS, Ambiguous, MoveWords, NotLegal, resolve
from server.mail.writing import sentences


def understood(errand: Errand, wanted: Sequence[MoveWords]) -> list[str]:
    """Return the notations of all moves of the mail, which can be made one after another as far as public facts tell.

    Two for one pawn are two readings, and neither is guessed.
    """
    _check_current(errand)
    # All are understood from how the table stands before any is made: one move must not lend the next its meaning.
    notations = [_understand(errand, words) for words in wanted]
    movers = [notation.split()[0] for notation in notations if notation.split()[0] in PAWNS]
    if len(set(movers)) < len(movers) or (errand.seat.role == "mr_x" and len(notations) > 1):
        told = sentences.join([sentences.quoted(notation) for notation in dict.fromkeys(notations)])
        sentence = f"Your mail has more than one move for a pawn: {told}. None was made; send the one you mean."
        raise Problem("form", sentence)
    submission.check_moves(errand.game, errand.player, [submission.RequestedMove(notation) for notation in notations])
    return notations


def make(errand: Errand, notations: Sequence[str], *, confirmed: bool = False) -> None:
    """Make moves that are understood, and that nothing takes back: where one ends the game, the others are not made.

    The player is asked about them first if they wish that, unless they have `confirmed` them.
    """
    if errand.player.asks_first and not confirmed:
        _ask_first(errand, notations)
        return
    made: list[submission.Submitted] = []
    for notation in notations:
        try:
            with whole():
                made.append(submission.place(errand.game, errand.player, submission.RequestedMove(notation)))
        except Problem as problem:
            errand.refuse(notation, problem)
    if errand.token is not None:
        errand.token.question = None
    reply.tell_moves(errand, made)


def _ask_first(errand: Errand, notations: Sequence[str]) -> None:
    """Show the moves that could be made; YES makes them."""
    decided()
    assert errand.token is not None  # without one nothing but what changes nothing is done
    errand.token.question = {"moves": list(notations)}
    reply.tell_first(errand, notations)


def _check_current(errand: Errand) -> None:
    if errand.stale:
        raise Problem("stale-turn", "Your mail answers a mail about an earlier round, and the game has moved on.")
    if errand.game.status == "open":
        raise Problem("game-not-running", "The game has not begun, so there is nothing to move.")


def _understand(errand: Errand, words: MoveWords) -> str:
    """The notation of what the words mean; whether it may be played is for the rules to tell."""
    found = resolve(words, errand.legal(words.pawn))
    if isinstance(found, Ambiguous):
        meanings = " or ".join(f'"{notation}"' for notation in found.notations)
        raise Problem("form", f"That can mean more than one move: {meanings}. Send the one you mean.")
    if not isinstance(found, NotLegal):
        return found.notation
    if found.notation is None:
        raise Problem("form", _why_not(errand, words))
    return found.notation


def _why_not(errand: Errand, words: MoveWords) -> str:
    """What is wrong with a move that names no ticket, so that the rules cannot be asked."""
    if words.pawn in errand.seat.pawns and all(move.pawn != words.pawn for move in errand.legal()):
        return f"{sentences.pawn_name(words.pawn)} has no move to make now."
    legs = " and on to ".join(str(station) for _, station in words.legs)
    return f"No ticket brings you to {legs} now; a move with its ticket reads like taxi NN."


def attempt(errand: Errand, command: grammar.Command) -> None:
    """TRY: whether a move could be made."""
    assert command.move is not None
    _check_current(errand)
    notation = submission.check_move(errand.game, errand.player, _understand(errand, command.move))
    errand.title = errand.title or "the move could be made"
    errand.told.append(f'The move "{notation}" could be made. It was only tried; nothing was done.')


def cancel(errand: Errand, _command: grammar.Command) -> None:
    """CANCEL what was sent ahead."""
    taken_back = queued_moves.take_back(errand.game.id, errand.player)
    errand.title = errand.title or "what you sent ahead"
    errand.told.append("What you had sent ahead is taken back." if taken_back else "You had sent nothing ahead.")


def resign(errand: Errand, _command: grammar.Command) -> None:
    """RESIGN is asked once more, since it cannot be taken back."""
    if errand.stale or errand.game.status != "running":
        _check_current(errand)
        raise Problem("game-not-running", "The game is over; there is nothing to give up.")
    decided()
    assert errand.token is not None  # without one nothing but what changes nothing is done
    errand.token.question = {"resign": True}
    errand.title = "do you give the game up?"
    errand.told.append(
        "You want to give the game up. Nothing was done yet: answer with the word YES on a line of its own, and "
        "it is so. Mr. X ends the game with it, and so does the last detective; other detectives leave their "
        "pawns to the house."
    )


def draw(errand: Errand, command: grammar.Command) -> None:
    """DRAW; the word that would end the game is asked for once more."""
    check_running(errand.game, draws.NOTHING)
    if command.text:
        draws.withdraw(errand.game.id, errand.player)
        errand.title = errand.title or "you do not offer a draw any more"
        errand.told.append("Your offer is taken back, and the game goes on.")
    elif draws.would_end(errand.game, errand.player):
        decided()
        assert errand.token is not None  # without one nothing but what changes nothing is done
        errand.token.question = {"draw": True}
        errand.title = "do you agree that the game ends?"
        errand.told.append(reply.LAST_WORD)
    else:
        offer_draw(errand)


def offer_draw(errand: Errand) -> None:
    """Offer it, or agree, without asking once more."""
    draws.offer(errand.game.id, errand.player)
    if errand.token is not None:
        errand.token.question = None
    is_over = errand.game.status == "over"
    errand.title = errand.title or ("the game is over" if is_over else "you offer a draw to all")
    errand.told.append(reply.AGREED if is_over else reply.OFFERED)
