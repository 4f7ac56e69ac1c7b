"""The answer to a mail: what was understood and done, or why not, and how things stand now.

An answer to Mr. X names no station in its first characters, as far as previews reach: what was understood of
his move stands at the end.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from server.application import projection
from server.application.deadlines import waiting
from server.application.games import edition_of, rebuild
from server.application.moves import choices
from server.mail import sentences
from server.mail.compose import MARKER
from server.models import Seat

if TYPE_CHECKING:
    from server.mail.commands import Errand

DISCREET = (
    "Your mail has been read. What was understood of it stands further down and not here, because the first lines "
    "of a mail can be seen on a locked screen or over a shoulder, and where you are is nobody's business but yours."
)


def role(seat: Seat) -> str:
    """`Red and Green`."""
    return sentences.join([sentences.pawn_name(pawn) for pawn in seat.pawns])


def tell_move(errand: "Errand", notation: str, *, kept: bool) -> None:
    """Say how a move was understood and what became of it."""
    errand.title = "your move is kept for its turn" if kept else "your move is played"
    became = "is kept, and is played when its turn comes" if kept else "is played"
    errand.told.append(f'Understood: your move "{notation}" {became}.')


def tell_try(errand: "Errand", notation: str) -> None:
    """Say that a move could be made."""
    errand.title = "the move could be made"
    errand.told.append(f'The move "{notation}" could be made; it was only tried and nothing was done.')


def tell_question(errand: "Errand", notation: str) -> None:
    """Ask about a move that was nearly understood."""
    errand.told.append(
        f'Nothing was done yet: did you mean "{notation}"? Answer with the word YES on a line of its own to play it, '
        "or send the move you mean."
    )


def tell_board(errand: "Errand", stations: Sequence[int]) -> None:
    """Describe stations: which lines leave, and who stands near."""
    board = edition_of(errand.game).board
    if not stations:
        errand.told.append('Name a station, such as "BOARD 46", and its lines are described.')
    for station in stations:
        if station not in board.stations:
            errand.told.append(f"There is no station {station} on this board.")
            continue
        lines = []
        for transport, word in (("taxi", "taxi"), ("bus", "bus"), ("underground", "underground"), ("ferry", "ferry")):
            stops = [str(stop) for stop in board.links[transport].get(station, ())]
            if stops:
                lines.append(f"by {word} to {sentences.join(stops)}")
        errand.told.append(f"From station {station} you get {'; '.join(lines)}: these are all the lines there.")


def details(errand: "Errand") -> dict[str, Any]:
    """What the mail is made of: title, first line, paragraphs."""
    game, seat = errand.game, errand.seat
    who = role(seat)
    turn = f"Turn {game.turn}" if game.turn else "Before the start"
    head = [DISCREET] if seat.role == "mr_x" else []
    return {
        "title": f"{turn}, {who}: {errand.title or 'done'}",
        "first_line": f"{turn}, {who}. {MARKER}",
        "paragraphs": [*head, *errand.told, *_situation(errand)],
        "in_reply_to": errand.reading.message_id,
    }


def without_token(games: int, waited_for: int, message_id: str | None) -> dict[str, Any]:
    """The answer to a mail that came without a reply token."""
    why = (
        "At this address nothing is changed, because the sender of a mail can be forged. Your games are played by "
        "answering the mails about them, each of which has a reply address of its own."
    )
    state = (
        f"You are in {sentences.number(games)} running game{'s' * (games != 1)}, and "
        f"{sentences.number(waited_for)} of them wait{'s' * (waited_for == 1)} for you. "
        + ("A turn mail to answer is on its way." if waited_for else "There is nothing for you to do now.")
    )
    return {
        "title": "please answer the mail about your game",
        "first_line": "Your mail to the table. No move was made.",
        "paragraphs": [why, state],
        "in_reply_to": message_id,
    }


def _situation(errand: "Errand") -> list[str]:
    """How the game stands for the player after all that."""
    game, seat, player = errand.game, errand.seat, errand.player
    if game.status == "open":
        return ["The game has not begun yet."]
    view = projection.table_view(game, projection.viewer_of(game, player))
    if game.status == "over":
        outcome = projection.outcome(game)
        assert outcome is not None
        return [sentences.result(outcome), sentences.travel_log(view)]
    table = rebuild(game)
    paragraphs = []
    if seat in waiting(game):
        assert game.due_at is not None
        paragraphs.append(f"You have until {sentences.moment(game.due_at, player.zone)}.")
        for pawn in seat.pawns:
            facts = view["pawns"][pawn]
            lines = sentences.choices(choices(table, pawn), facts["tickets"])
            if lines:
                name = "You stand" if len(seat.pawns) == 1 else f"{sentences.pawn_name(pawn)} stands"
                paragraphs.append(f"{name} at {facts['station']}. Choices:\n" + "\n".join(f" - {ln}" for ln in lines))
    else:
        nexts = sentences.join([sentences.pawn_name(pawn) for pawn in table.to_move], "or")
        paragraphs.append(f"There is nothing for you to do now; {nexts} is to move.")
    detectives = [pawn for pawn in view["pawns"] if pawn != "mr_x"]
    paragraphs += [
        f"The detectives, with tickets left (taxi/bus/underground): {sentences.stand(view, detectives)}.",
        f"Mr. X holds {sentences.mr_x_holds(view)}. {sentences.next_surfacing(view)}",
        sentences.travel_log(view),
    ]
    return paragraphs
