"""What a mail makes happen: who may act, and the one answer to it.

The answer goes to the registered address and nowhere else.
"""

from collections.abc import Sequence

from sqlalchemy import func, select

from server.application.deciding import whole
from server.application.errors import Problem
from server.application.game import notices, reply_addresses, views
from server.application.game.access import locked
from server.application.game.waiting import awaited_seats
from server.application.people.players import with_email
from server.application.time import vacation
from server.mail.commands import invitees, joining, reply, table, unknown_senders
from server.mail.commands.request import Errand
from server.mail.language import grammar
from server.mail.language.moves import suggest
from server.mail.reading.message import Reading
from server.mail.trust.results import Authentication
from server.mail.writing import context, sentences
from server.models import Game, Incoming, Player, ReplyToken, Seat, session

# Done at the play address too, where From alone tells who writes: they change nothing.
HARMLESS = frozenset({"status", "legal", "log", "board", "help", "try"})
# These change the player himself, and by that what waits for him in other games; a YES may be to one of them.
OF_THE_PLAYER = frozenset({"away", "set", "set_mail", "stop", "yes"})


def obey(row: Incoming, reading: Reading, authentication: Authentication) -> str:
    """Do what the mail says within the open transaction; a word on what became of it."""
    token = reply_addresses.find(row.recipient)
    if token is not None:
        return _with_token(row, reading, authentication, token)
    if authentication.is_failing:
        return "forged"
    if not reply_addresses.is_play(row.recipient):
        return "unknown-address"
    return _without_seat(row, reading, authentication, reply.NO_PROOF)


def _with_token(row: Incoming, reading: Reading, authentication: Authentication, token: ReplyToken) -> str:
    parsed = grammar.parse(reading.lines, reading.subject)
    game = _locked(token, parsed)
    seat = next((seat for seat in game.seats if seat.number == token.seat), None)
    holder = (seat.player_id or seat.invited_id) if seat else None
    if seat is None or not reply_addresses.is_good(token, seat) or not (seat.is_taken or seat.is_kept):
        if authentication.is_failing:
            return "forged"
        late = invitees.too_late(row, reading, token)
        return late or _without_seat(row, reading, authentication, reply.CHANGED_HANDS)
    if holder is None:
        return "forged" if authentication.is_failing else invitees.obey(row, reading, token, seat)
    author = _author(reading)  # mostly the holder himself, who then need not be looked for again
    errand = Errand(row, reading, token, game, seat, session.get_one(Player, holder))
    return unknown_senders.turned_away(errand, author, authentication) or _obey(errand, parsed)


def _locked(token: ReplyToken, parsed: grammar.Parsed) -> Game:
    """The game of a token, and with it those that the mail joins, in one order.

    Before them, in the order of `absences.hold`, the player whom the mail may change.
    """
    games = [token.game_id, *joining.joined(parsed.commands)]
    if OF_THE_PLAYER & {command.name for command in parsed.commands}:
        whose = select(func.coalesce(Seat.player_id, Seat.invited_id))
        holder = session.scalar(whose.where(Seat.game_id == token.game_id, Seat.number == token.seat))
        if holder is not None:
            vacation.hold(holder, *games)
    elif len(games) > 1:
        session.execute(select(Game.id).where(Game.id.in_(games)).order_by(Game.id).with_for_update())
    return locked(token.game_id)


def _obey(errand: Errand, parsed: grammar.Parsed) -> str:
    if errand.reading.problem is not None or not parsed.commands:
        return _unreadable(errand)
    try:
        table.carry_out(errand, parsed.commands)
    except Problem as problem:
        return _refuse(errand, problem)
    if parsed.later:
        reply.tell_unread(errand, [command.line for command in parsed.later])
    else:
        _ask_of_the_rest(errand, parsed)
    if {command.name for command in parsed.commands} == {"help"}:
        return reply.advise(errand, "helped")
    _answer(errand)
    return "obeyed"


def _ask_of_the_rest(errand: Errand, parsed: grammar.Parsed) -> None:
    """A line that is no command may have been meant for the one pawn that the others leave: "yelow taxi 46"."""
    if errand.token is None or errand.token.question is not None or {"move"} != {c.name for c in parsed.commands}:
        return
    unread = [line for line in errand.reading.lines if line.strip() and grammar.parse_line(line) is None]
    if not unread:
        return
    kept = {ahead["pawn"] for ahead in views.team_ahead(errand.game)}
    legal = [move for move in errand.legal() if move.pawn not in kept]
    meant = suggest(unread, legal)
    if meant is not None:
        errand.token.question = {"moves": [meant]}
        errand.told.append(reply.NEARLY.format(sentences.quoted(meant)))


def _refuse(errand: Errand, problem: Problem) -> str:
    errand.title = "nothing was done"
    errand.told = [f"{sentences.reason(problem.sentence)} Nothing was done."]
    return reply.advise(errand, problem.code)


def _unreadable(errand: Errand) -> str:
    """No command was found. If the words name exactly one legal move, ask whether it was meant."""
    problem = errand.reading.problem
    meant = suggest(errand.reading.lines, errand.legal()) if problem is None and errand.token else None
    if meant is None:
        errand.title = "your mail could not be read" if problem else "no command was found"
        errand.told = [reply.UNREADABLE.get(problem, reply.BROKEN) if problem else reply.NO_COMMAND]
        if errand.token is not None and errand.token.question is not None:
            errand.told.append(reply.YES_OR_NO)
        return reply.advise(errand, "unreadable")
    reply.tell_question(errand, meant)
    verdict = reply.advise(errand, "asked")
    if verdict == "asked" and errand.token is not None:
        errand.token.question = {"moves": [meant]}
    return verdict


# Mails that prove nothing -----------------------------------------------------------------------


def _without_seat(row: Incoming, reading: Reading, authentication: Authentication, why: str) -> str:
    """A mail without a token that is good: nothing is changed on its word.

    A player gets what changes nothing, and for everything else an answer with a token that carries proof. Whoever is
    no player gets no answer.
    """
    player = _author(reading)
    if player is None:
        return "stranger"
    parsed = grammar.parse(reading.lines, reading.subject)
    wanted = parsed.commands
    names = {command.name for command in wanted}
    if names == {"start"} and (hosted := joining.hosted_without_seat(player)):
        return _start_for(row, reading, player, hosted)
    games = _games_of(player)
    if not games and names & joining.WAYS_IN.keys() and names <= HARMLESS | joining.WAYS_IN.keys():
        return _enter(row, reading, authentication, player, wanted)
    if not games:
        told = table.help_text() if "help" in names else [] if names else [reply.NO_COMMAND]
        return _without_game(row, reading, player, told)
    errand = Errand(row, reading, None, *games[0], player, games[1:], is_authentic=authentication.is_proof)
    if names <= HARMLESS | joining.WAYS_IN.keys():
        return _obey(errand, parsed)
    errand.title = "please answer this mail"
    errand.told = [why]
    return reply.advise(errand, "no-proof")


def _author(reading: Reading) -> Player | None:
    """The player whom the one address in From belongs to; that it was he who wrote is not proved by it."""
    return with_email(reading.from_addresses[0]) if len(reading.from_addresses) == 1 else None


def _games_of(player: Player) -> list[tuple[Game, Seat]]:
    """The games a player sits in or is invited to, those that wait for him first, then by deadline."""
    mine = (Seat.player_id == player.id) | (Seat.invited_id == player.id)
    query = select(Game).join(Seat).where(mine, Game.status.in_(("running", "open")))
    found = []
    for game in session.scalars(query.order_by(Game.status.desc(), Game.due_at, Game.created_at)).unique():
        seat = context.seat_of(game, player)
        assert seat is not None
        found.append((game, seat))
    return sorted(found, key=lambda pair: pair[1] not in awaited_seats(pair[0]))


def _without_game(row: Incoming, reading: Reading, player: Player, told: Sequence[str]) -> str:
    if reply.told_today(player) >= reply.MOST_A_DAY:
        return "no-game-unanswered"
    details = reply.without_game(told, reading.message_id)
    notices.post(player.id, "advice", details=details, cause=row.id)
    return "no-game"


def _enter(
    row: Incoming, reading: Reading, authentication: Authentication, player: Player, wanted: Sequence[grammar.Command]
) -> str:
    """A player who has no game gets into one; the other commands of the mail are about that game."""
    first = next(command for command in wanted if command.name in joining.WAYS_IN)
    try:
        with whole():
            entered = joining.WAYS_IN[first.name](player, first, is_proved=authentication.is_proof)
    except Problem as problem:
        return _without_game(row, reading, player, [f"{sentences.reason(problem.sentence)} Nothing was done."])
    errand = Errand(row, reading, None, entered.game, entered.seat, player, is_authentic=authentication.is_proof)
    joining.tell(errand, entered)
    for command in wanted:
        if command is not first:
            table.carry_out_behind(errand, command)
    reply.tell_refused(errand)
    _answer(errand)
    return "obeyed"


def _start_for(row: Incoming, reading: Reading, host: Player, games: Sequence[Game]) -> str:
    """A host without a seat has no address of his own in the game; what he may do is to let it begin."""
    try:
        with whole():
            game = joining.start_one(host, games)
    except Problem as problem:
        return _without_game(row, reading, host, [f"{sentences.reason(problem.sentence)} Nothing was done."])
    notices.post(host.id, "answer", game, details=reply.of_host(game, reading.message_id), cause=row.id)
    return "obeyed"


# Answering -------------------------------------------------------------------------------------


def _answer(errand: Errand) -> None:
    notices.post(errand.player.id, "answer", errand.game, details=reply.details(errand), cause=errand.row.id)
