"""The answer to a mail: what was understood and done, or why not, and how things stand now.

An answer to Mr. X names no station in its first characters, as far as previews reach: what was understood of
his move stands at the end.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import func, select

from server.application.game import notices, reply_addresses, timers, views
from server.application.game.state import edition_of
from server.application.game.waiting import awaited_seats
from server.application.mail import deliveries
from server.application.news import mail_choices
from server.application.people import mail_frequency
from server.application.play.submission import Submitted
from server.engine import Board
from server.mail.commands.request import Errand
from server.mail.language import grammar
from server.mail.reading.quoting import MARKER
from server.mail.writing import sentences
from server.mail.writing.context import people
from server.models import Game, Outgoing, Player, Seat, session
from server.runtime import now
from server.wording import board_text
from server.wording.seats import role

# Answers to mails that could not be obeyed, and help: whoever writes nonsense in a loop is not answered in one.
MOST_ERRORS = 3
MOST_A_DAY = 10
MOST_UNREAD = 5
MOST_MAILS = 5  # of those that STATUS tells of
DISCREET = (
    "Your mail has been read. What was understood of it stands further down and not here, because the first lines "
    "of a mail can be seen on a locked screen or over a shoulder, and where you are is nobody's business but yours."
)
ELSEWHERE = (
    "A mail came to your reply address in this game, and who sent it cannot be told. Nothing was done, and "
    "whoever wrote it got no answer. If it was you, send it again from this address. This is told once."
)
NO_PROOF = (
    "Your mail came to the address of the whole server, where nothing can be changed, because the sender of a mail can "
    "be forged. Nothing was done. Send the same line as an answer to this mail, and it is."
)
CHANGED_HANDS = (
    "Your mail came to a reply address that is good no longer: the seat it belongs to has changed hands, or was given "
    "back. Nothing was done."
)
OFFERED = (
    "You would end the game without a winner. It is so when everybody at the table agrees; the others know, and until "
    'then the game goes on. The line "DRAW off" in an answer to this mail takes your word back.'
)
LAST_WORD = (
    "All others at the table agree to end the game without a winner, so that yours is the last word. Nothing was done "
    "yet: answer with the word YES on a line of its own, and the game is over."
)
AGREED = "You have agreed as the last at the table, and the game is over without a winner."
NO_PIN = (
    "Your mail has a line with a PIN, and this server has none: what keeps others from moving for you is the reply "
    "address alone. Nothing was done; send the mail again without that line."
)
MOVE_AND_ANSWER = (
    "Your mail answers a question that is open and makes a move as well, so it is not clear which move you mean. Send "
    "the answer and the move in two mails."
)
MOVE_AND_CANCEL = (
    "Your mail takes moves back and makes one as well, so it is not clear which counts. A move that you send replaces "
    "the one that was sent ahead for the same pawn: send the move alone, or CANCEL alone."
)
NO_GAME = (
    "There is no game that you play in or are invited to at the moment. A line such as "
    '"NEW 4 with ben@example.org" opens one; "JOIN" and its code take a seat in one that somebody else has opened.'
)
NO_COMMAND = (
    "Your mail was read, but no line of it is a command, so nothing was done. A command stands on a line of its own, "
    "above the quoted text, and with nothing else beside it; HELP is one, and tells all others."
)
YES_OR_NO = "A question is open: the word YES or NO, alone on a line of its own, answers it."
NEARLY = (
    "One line of your mail was not understood. Did you mean {}? Answer with the word YES on a line of its own, and it "
    "is played; or send the move you mean."
)
LAST_ADVICE = (
    "What is done is always answered. But this was the third answer of this kind to mails at this address: if another "
    "mail to it cannot be understood, you hear nothing of it."
)
UNREADABLE = {
    "too-large": "Your mail is too large to be read, so nothing was done; a line of text is enough.",
    "encrypted": "Your mail is encrypted, and this server has no key to read it with; nothing was done.",
    "bad-charset": "The letters of your mail cannot be read, so nothing was done; please send it as plain text.",
}
BROKEN = "Your mail arrived in a form that cannot be read for certain, so nothing was done; please send it again."


# What was done ---------------------------------------------------------------------------------


def tell_moves(errand: Errand, made: Sequence[Submitted]) -> None:
    """How the moves of a mail were understood, and what became of each."""
    kept = [submitted.notation for submitted in made if submitted.is_queued]
    played = [submitted.notation for submitted in made if not submitted.is_queued]
    if played:
        errand.told.append(f"Understood and played: {sentences.join([sentences.quoted(text) for text in played])}.")
    if kept:
        errand.told.append(
            f"Understood and kept: {sentences.join([sentences.quoted(text) for text in kept])}. "
            f"{'It is' if len(kept) == 1 else 'They are'} played in turn; until then you can send another, "
            "and the word CANCEL on a line of its own takes all that is kept back."
        )
    became = "played" if not kept else "kept for its turn" if not played else "played or kept for its turn"
    errand.title = f"your move is {became}" if len(made) == 1 else f"your moves are {became.replace('its', 'their')}"


def tell_refused(errand: Errand) -> None:
    """Tell which lines were not done, and why, although the mail as a whole was obeyed."""
    for line, problem in errand.refused:
        errand.told.append(f"Not done: {sentences.quoted(line)}. {sentences.reason(problem.sentence)}")


def tell_unread(errand: Errand, lines: Sequence[str]) -> None:
    """Which lines were not obeyed: a player who changed his mind further down should know."""
    unread = sentences.join([sentences.quoted(line) for line in lines[:MOST_UNREAD]])
    errand.told.append(
        f"These lines stand below other text and were not read as commands: {unread}. Nothing came of them."
    )


def tell_question(errand: Errand, notation: str) -> None:
    """Ask about a move that was nearly understood."""
    errand.title = "did you mean this?"
    errand.told.append(
        f"Nothing was done yet: did you mean {sentences.quoted(notation)}? Answer with the word YES on a line of its "
        "own, and it is played; or send the move you mean."
    )


def tell_first(errand: Errand, notations: Sequence[str]) -> None:
    """Moves that are made when the player says so once more, as it is his wish to be asked."""
    could = sentences.join([sentences.quoted(notation) for notation in notations])
    errand.title = "shall that be your move?"
    errand.told.append(
        f"Nothing was done yet, as you want to be asked first. Understood: {could}, which you could send now. Answer "
        "with the word YES on a line of its own, and it counts; or send the move you mean."
    )


def tell_mails(errand: Errand) -> None:
    """How much mail the player gets of the game, and what became of the newest mails of it to him."""
    player, game = errand.player, errand.game
    mails = deliveries.of(player, limit=MOST_MAILS, game=game)
    items = [f"{mail['kind']}, of {_when(mail['created_at'], player)}: {_became(mail, player)}" for mail in mails]
    listed = "\n".join(f" - {item}" for item in items)
    newest = f" The newest mails of it to you:\n{listed}" if items else ""
    mail = mail_frequency.of(player, game.id)
    comes = _NONE_HERE if mail == mail_frequency.OFF != player.mail else how_much(mail)
    errand.told.append(f"How much mail comes of {game.name}: {comes}{newest}")


def _when(at: str, player: Player) -> str:
    return sentences.short_moment(datetime.fromisoformat(at), player.zone)


def _became(mail: Mapping[str, Any], player: Player) -> str:
    at = mail["not_before"] if mail["state"] == "held" else mail["sent_at"]
    return _STATES[mail["state"]].format(at and _when(at, player))


_STATES = {
    "held": "held back, to be told in one mail with others by {}",
    "gathered": "told in one mail with others",
    "pending": "about to be sent",
    "sent": "sent on {}",
    "bounced": "sent, and it came back",
    "superseded": "not sent, as it was overtaken",
    "suppressed": "not sent, as you did not want it or none reaches you",
    "dead": "not sent, as nobody would take it",
}


def tell_log(errand: Errand) -> None:
    """The travel log, before all else that an answer tells."""
    if errand.game.turn is not None:
        view = views.table_view(errand.game, views.viewer_of(errand.game, errand.player))
        errand.told.append(sentences.travel_log(view))


def tell_board(errand: Errand, stations: Sequence[int]) -> None:
    """Describe a station and who is near it, or the ways between two."""
    errand.title = errand.title or "the board"
    board = edition_of(errand.game).board
    view = views.table_view(errand.game, views.viewer_of(errand.game, errand.player))
    if not stations:
        errand.told += _surroundings(errand.seat, board, view)
    for station in stations:
        errand.told.append(board_text.station(board, view, station))
    if len(stations) == 2:
        errand.told.append(board_text.between(board, stations[0], stations[1]))


def _surroundings(seat: Seat, board: Board, view: dict[str, Any]) -> list[str]:
    """What lies around the pawns of a seat, how far they are from where Mr. X was seen, and all places he can be at."""
    own = {pawn: view["pawns"][pawn]["station"] for pawn in seat.pawns if pawn in view["pawns"]}
    told = [board_text.station(board, view, at) for at in own.values()]
    seen = view["pawns"].get("mr_x", {}).get("last_seen")
    if seat.role != "mr_x" and seen:
        far = [f"{sentences.pawn_name(pawn)} {board_text.far(board, at, seen['station'])}" for pawn, at in own.items()]
        told.append(f"From {seen['station']}, where Mr. X was seen on window {seen['window']}: {sentences.join(far)}.")
    if seat.role != "mr_x" and own:
        told.append(sentences.places(view, in_full=True))
    hint = 'Name a station, such as "BOARD 46", or two of them, such as "BOARD 91 46", and get the ways.'
    return [*filter(None, told), hint]


def tell_settings(errand: Errand) -> None:
    """All that the player has set: of several changes in one mail once, as it stands after the last."""
    errand.told = [told for told in errand.told if not told.startswith(_IN_ZONE)] + [settings(errand.player)]


_IN_ZONE = "Times are told to you in the zone"


def settings(player: Player) -> str:
    """What the player has set: his zone, his night, and whether he gets mail."""
    told = f'{_IN_ZONE} "{player.zone}".'
    if player.asks_first:
        told += " A move that you mail is shown to you first, and counts when you answer YES to that."
    if player.night:
        told += f" No deadline falls in your night, {player.night.replace('-', ' to ')}, and no reminder comes then."
    if player.picture != "off":
        seen = "" if player.picture == "own" else ", in which Mr. X is shown to himself as to everybody else"
        told += f" Mails of a game have the board as a picture{seen}."
    if player.spends_vacation:
        told += " Before you are late, days of your vacation are taken."
    return " ".join([told, how_much(player.mail), *own_choices(player)])


def how_much(mail: str) -> str:
    """How much mail comes by a choice, in words."""
    kind, _, value = mail.partition(" ")
    return _AMOUNTS[kind].format(value)


_AMOUNTS = {
    mail_frequency.USUAL: "You get all mail that is meant for you.",
    mail_frequency.MOVES: "You get all mail that is meant for you, and one for every move besides.",
    mail_frequency.GATHERED: "Your mail is gathered, and comes as one when {} minutes have passed since the first of it.",
    mail_frequency.DAILY: "Your mail is gathered, and comes once a day, at {} by the clock of your zone.",
    mail_frequency.REMINDERS: "You get reminders, and what is put to you to be answered by some time, and no other mail.",
    mail_frequency.OFF: (
        "You get no more mail from this server, but for answers to what you write, and you are not told when "
        'it is your turn; the line "SET mail usual" in an answer to this mail brings it back.'
    ),
}
_NONE_HERE = (
    "You get no mail of this game, but for answers to what you write, and you are not told when it is your turn; "
    'the line "SET mail inherit here" in an answer to this mail brings it back.'
)


def own_choices(player: Player) -> list[str]:
    """A sentence for each game of which another amount of mail comes."""
    return [
        f"Of {game.name} you have chosen {sentences.quoted(mail)}; "
        'the line "SET mail inherit here" in an answer to a mail of that game ends that.'
        for game, mail in mail_choices.own_choices(player)
        if game.status != "over"
    ]


def help_lines(names: Sequence[str]) -> str:
    """The commands of these names, an item for each."""
    forms = [form for form in grammar.COMMANDS if form.name in names]
    return "These commands are understood:\n" + "\n".join(f' - "{form.syntax}" {form.help}.' for form in forms)


HOW_TO = (
    'A command stands on a line of its own, above the quoted text. A move can be written loosely: "t 46", "46 by taxi" '
    'and "Taxi to 46." are all the same; with several pawns, "red taxi 46". All lines of a mail are checked first: if '
    "one cannot be done, nothing is."
)


# The mail --------------------------------------------------------------------------------------


def advise(errand: Errand, verdict: str) -> str:
    """Answer what was not obeyed, or help: so many times for a token, of which the last says so, and so many a day.

    `verdict`, or that it was not answered.
    """
    if errand.token is None:
        return warn(errand, verdict)
    if errand.token.errors_told >= MOST_ERRORS:
        return f"{verdict}-unanswered"
    errand.token.errors_told += 1
    if errand.token.errors_told == MOST_ERRORS:
        errand.told.append(LAST_ADVICE)
    return warn(errand, verdict)


def warn(errand: Errand, verdict: str) -> str:
    """The same for what the player has not brought about himself: that it has happened, so many times a day."""
    if told_today(errand.player) >= MOST_A_DAY:
        return f"{verdict}-unanswered"
    notices.post(errand.player.id, "advice", errand.game, details=details(errand), cause=errand.row.id)
    return verdict


def told_today(player: Player) -> int:
    """How many such answers the player got within a day."""
    advice = (
        Outgoing.player_id == player.id,
        Outgoing.kind == "advice",
        Outgoing.created_at > now() - timedelta(days=1),
    )
    return session.scalar(select(func.count()).select_from(Outgoing).where(*advice)) or 0


def details(errand: Errand) -> dict[str, Any]:
    """What the answer is made of: title, first line, paragraphs."""
    game, seat = errand.game, errand.seat
    turn = f"Turn {game.turn}" if game.turn else "Before the start"
    discreet = [DISCREET] if seat.role == "mr_x" and game.turn else []
    others = [_other_game(*other, errand.player) for other in errand.others]
    # Who has just given his seat up is not told what it would show him.
    holds = game.status == "open" or seat.player_id == errand.player.id
    return {
        "title": f"{turn}, {role(seat)}: {errand.title or 'done'}",
        "first_line": f"{turn}, {role(seat)}. {MARKER}",
        "paragraphs": [*discreet, *dict.fromkeys(errand.told)],
        "situation": holds,
        "others": others,
        "in_reply_to": errand.reading.message_id,
    } | ({"go": errand.token.go, "about": errand.about} if errand.about and errand.token else {})


def without_game(told: Sequence[str], message_id: str | None) -> dict[str, Any]:
    """The answer to a player who has no game."""
    return {
        "title": "You are in no game",
        "first_line": f"You are in no game. {MARKER}",
        "paragraphs": [*told, NO_GAME],
        "in_reply_to": message_id,
    }


def of_host(game: Game, message_id: str | None) -> dict[str, Any]:
    """The answer to a host without a seat, whose game has begun."""
    return {
        "title": "the game has begun",
        "first_line": f"The start cards are dealt, and {game.name} has begun. {MARKER}",
        "paragraphs": ["At the table:\n" + "\n".join(f" - {person}" for person in people(game))],
        "in_reply_to": message_id,
    }


def _other_game(game: Game, seat: Seat, player: Player) -> str:
    """A line about another game of the player's, with the address that carries proof for it."""
    token = reply_addresses.token_of(game, seat, reply_addresses.go_of(game))
    reply_addresses.remember([token])
    if game.status == "open":
        state = "which has not begun" if seat.player_id else "where the seat is kept for you"
    else:
        time = timers.time_of(game, seat)
        by = f" by {sentences.moment(time.due_at, player.zone)}" if time else ""
        state = f"your move{by}" if seat in awaited_seats(game) else "not your turn"
    return f"You are also {role(seat)} in {game.name} ({state}); for that game write to {token.written} instead."
