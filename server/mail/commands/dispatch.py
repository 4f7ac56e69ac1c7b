"""Command dispatch: who may act by a mail, and the one answer to it.

The answer goes to the registered address and nowhere else.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import func, select

from server.application.deciding import all_or_nothing
from server.application.errors import Problem
from server.application.game import notices, reply_addresses, views
from server.application.game.access import locked
from server.application.game.waiting import awaited_seats
from server.application.people.players import with_email
from server.application.time import vacation
from server.application.upkeep import answers
from server.mail.commands import handlers, invitees, joining, questions, strangers, unknown_senders, unread, yes
from server.mail.commands import reply as replies
from server.mail.commands.misunderstood import misunderstood, quoted_as_read
from server.mail.commands.questions import MakeMoves, Question, UnclearError
from server.mail.commands.reply import Reply, reply_from_template
from server.mail.commands.request import Request, parse
from server.mail.language import forms, grammar
from server.mail.language.courtesies import Courtesy, courtesy_in
from server.mail.language.matching import suggest
from server.mail.language.prose import is_unwanted
from server.mail.language.retractions import retraction
from server.mail.reading.message import Kind, Reading
from server.mail.trust.results import Authentication
from server.mail.writing import context, sentences
from server.models import Game, Incoming, Player, ReplyToken, Seat, session
from server.runtime import runtime

# Done at the play address too, where only From says who writes: they change nothing.
HARMLESS = frozenset({"status", "legal", "log", "replay", "rules", "map", "board", "help", "try", "list", "signup"})
# These change the player, and by that what waits for them in other games; a YES may be to one of them.
OF_THE_PLAYER = frozenset({"away", "set", "set_mail", "stop", "yes"})
OF_NO_GAME = frozenset({"help", "list", "signup"})  # commands that are about no game in particular
NEEDS_REPLY = "Send that line as an answer to this mail: the sender of a mail to this address can be forged."
COURTESY = "courtesy"  # the verdict on friendly words alone
_ANSWERS = {"yes", "no"}


def obey(row: Incoming, reading: Reading, authentication: Authentication) -> str:
    """Do what the mail asks for within the open transaction; return the verdict on it."""
    if any(map(runtime().settings.owns, reading.from_addresses)):
        return Kind.LOOP  # a machine, or somebody who pretends to be this server: neither is answered
    token = reply_addresses.find(row.recipient)
    if token is not None:
        return _with_token(row, reading, authentication, token)
    if authentication.is_failing:
        return "forged"
    purpose, answer_id = reply_addresses.of_mail(row.recipient) or ("", "")
    if purpose == reply_addresses.OFFER and _author(reading) is None:
        return strangers.answer_to_offer(row, reading, authentication, answer_id)
    if purpose != reply_addresses.OFFER and not reply_addresses.is_play(row.recipient):
        return "unknown-address"
    return _without_seat(row, reading, authentication)


def _with_token(row: Incoming, reading: Reading, authentication: Authentication, token: ReplyToken) -> str:
    parsed = parse(reading)
    game = _locked(token, parsed)
    seat = next((seat for seat in game.seats if seat.number == token.seat), None)
    holder = (seat.player_id or seat.invited_id) if seat else None
    if seat is None or not reply_addresses.is_good(token, seat) or not (seat.is_taken or seat.is_reserved):
        if authentication.is_failing:
            return "forged"
        too_late = invitees.answer_too_late(row, reading, token)
        return too_late or _without_seat(row, reading, authentication, dead=game)
    if holder is None:
        return "forged" if authentication.is_failing else invitees.obey(row, reading, token, seat, authentication)
    author = _author(reading)  # mostly the holder, who is then in the session already
    request = Request(row, reading, token, game, seat, session.get_one(Player, holder))
    return unknown_senders.turn_away(request, author, authentication) or _obey(request, parsed)


def _locked(token: ReplyToken, parsed: grammar.Parsed) -> Game:
    """Lock the game of a token, and with it those that the mail joins, in one order; return the game.

    Before them, in the order of `vacation.lock_with_games`, the player whom the mail may change.
    """
    games = [token.game_id, *joining.joined(parsed.commands)]
    if OF_THE_PLAYER & {command.name for command in parsed.commands}:
        whose = select(func.coalesce(Seat.player_id, Seat.invited_id))
        holder = session.scalar(whose.where(Seat.game_id == token.game_id, Seat.number == token.seat))
        if holder is not None:
            vacation.lock_with_games(holder, *games)
    elif len(games) > 1:
        session.execute(select(Game.id).where(Game.id.in_(games)).order_by(Game.id).with_for_update())
    return locked(token.game_id)


def _obey(request: Request, parsed: grammar.Parsed) -> str:
    names = {command.name for command in parsed.commands}
    request = replace(request, is_urgent=_is_urgent(request, names))
    if request.reading.problem is not None or not parsed.commands:
        return _answer_unreadable(request, parsed)
    withdrawn = _withdraw_question(request, names)
    request = replace(request, is_urgent=request.is_urgent or bool(withdrawn))
    try:
        request, reply = handlers.carry_out(request, parsed)
    except Problem as problem:
        refusal = unread.refusal_with_remark(replies.refused_whole(problem), parsed)
        return replies.advise(request, replies.with_remarks(refusal, withdrawn), problem.code)
    except UnclearError as unclear:
        asked = unread.question_with_remark(unclear, parsed)
        return _ask(request, replies.with_remarks(asked, withdrawn), unclear.question)
    reply = replies.with_remarks(replies.combined([reply, _remark_on_the_rest(request, parsed)]), withdrawn)
    # A question is sent at once, or a YES could answer it before it was read.
    request = replace(request, is_urgent=request.is_urgent or questions.open_at(request.token) is not None)
    if names == {"help"}:
        return replies.advise(request, reply, "helped")
    return replies.answer(request, reply)


def _withdraw_question(request: Request, names: Collection[str]) -> tuple[str, ...]:
    """Close the question whether the player ends the game if a mail does not answer it; return what to tell.

    Its address is that of the round, so a later YES may be meant for another mail, and nobody can take it back. The
    mark that stays keeps such a YES from a vote that is open.
    """
    asked = {questions.Resign: "resign", questions.AgreeToDraw: "draw"}
    command = asked.get(type(questions.open_at(request.token)))
    if request.token is None or command is None or not {"yes", "no", command}.isdisjoint(names):
        return ()
    questions.ask(request.token, questions.Withdrawn(command))
    return reply_from_template("question_withdrawn", is_draw=command == "draw").paragraphs


def _is_urgent(request: Request, names: Collection[str]) -> bool:
    """Return True if the answer waits for nothing: it is about a move, or about what the player was asked."""
    is_answer = not _ANSWERS.isdisjoint(names) and yes.is_asked(request)
    return is_answer or questions.open_at(request.token) is not None or not replies.ALWAYS_ANSWERED.isdisjoint(names)


def _ask(request: Request, reply: Reply, question: Question | None) -> str:
    """Ask a question about a mail of which nothing was done; it is open only if the player was asked.

    Without a `question` to keep, the one before stays open.
    """
    at_once = replace(request, is_urgent=request.is_urgent or question is not None)
    verdict = replies.advise(at_once, _with_replaced_question(request, reply, question), "asked")
    if verdict == "asked" and request.token is not None and question is not None:
        questions.ask(request.token, question)
    return verdict


def _with_replaced_question(request: Request, reply: Reply, question: Question | None) -> Reply:
    """Return the reply with the remark that `question` takes the place of one that was about other moves."""
    before = questions.open_at(request.token)
    if not isinstance(question, _ABOUT_MOVES) or not isinstance(before, _ABOUT_MOVES):
        return reply
    about = [sentences.quoted(notation) for notation in before.notations if notation not in question.notations]
    return replies.with_remarks(
        reply, reply_from_template("question_replaced", about=about).paragraphs if about else ()
    )


_ABOUT_MOVES = (questions.ChooseMove, MakeMoves)


def _remark_on_the_rest(request: Request, parsed: grammar.Parsed) -> Reply:
    """Return the remark on the lines that were not read, beside what was done.

    If one of them may be meant for the one pawn that the moves leave, as "yelow taxi 46", it asks about that.
    """
    meant = _meant_by_the_rest(request, parsed)
    if meant is None or request.token is None:
        return unread.remark_if_done(parsed)
    questions.ask(request.token, MakeMoves((meant,)))
    told = unread.remark_if_nothing_done(replace(parsed, commands=()), (), are_moves_told=True)
    asked = reply_from_template("nearly", move=sentences.quoted(meant)).paragraphs
    return Reply(remarks=(*told.remarks, *asked))


def _meant_by_the_rest(request: Request, parsed: grammar.Parsed) -> str | None:
    """Return the one move that the free lines name for a pawn that the moves of the mail leave, else None."""
    token = request.token
    if (
        token is None
        or questions.open_at(token) is not None
        or {"move"} != {command.name for command in parsed.commands}
    ):
        return None
    if not parsed.free:
        return None
    queued = {ahead["pawn"] for ahead in views.team_queue(request.game)}
    return suggest(
        [line.text for line in parsed.free], [move for move in request.legal_moves() if move.pawn not in queued]
    )


def _answer_unreadable(request: Request, parsed: grammar.Parsed) -> str:
    """Answer a mail without a command; if its words name exactly one legal move, ask whether that was meant."""
    token, problem = request.token, request.reading.problem
    if problem is not None:
        said = _with_open_question(request, reply_from_template("unreadable", problem=problem))
        return replies.advise(request, said, "unreadable", problem)
    lines = grammar.own_words(request.reading.lines, request.reading.subject)
    if courtesy := courtesy_in(lines):
        return _answer_courtesy(request, courtesy)
    if (unclear := _hedged_answer(request, parsed)) is not None:
        return _ask(request, unclear, None)
    withdrawn = _withdraw_question(request, ())
    request = replace(request, is_urgent=request.is_urgent or bool(withdrawn))
    wanted = [line for line in lines if not is_unwanted(line)]
    meant = suggest(wanted, request.legal_moves()) if token is not None else None
    if token is None or meant is None:
        said = replies.with_remarks(_with_open_question(request, misunderstood(lines, request)), withdrawn)
        return replies.advise(request, said, "unreadable", " ".join(lines))
    asked = reply_from_template("did_you_mean", move=sentences.quoted(meant), read=quoted_as_read(lines))
    return _ask(request, replies.with_remarks(asked, withdrawn), MakeMoves((meant,)))


def _hedged_answer(request: Request, parsed: grammar.Parsed) -> Reply | None:
    """Return the question whether "YES but not sure" is a yes; None without such a line, or with nothing to answer."""
    if questions.open_at(request.token) is None and not yes.is_asked(request):
        return None
    found = retraction(parsed)
    return yes.unclear_answer(found) if found else None


def _answer_courtesy(request: Request, courtesy: Courtesy) -> str:
    question = questions.open_at(request.token)
    reply = replies.courteous(replace(request, question=question), courtesy)
    if reply is None:
        return COURTESY
    words = " ".join(request.reading.lines)
    return replies.advise(request, _with_open_question(request, reply), COURTESY, words)


def _with_open_question(request: Request, reply: Reply) -> Reply:
    """Return the reply with the remark that a question is open, and about which moves, if one is."""
    question = questions.open_at(request.token)
    if question is None:
        return reply
    is_choice = isinstance(question, questions.ChooseMove)
    about = [*question.notations] if isinstance(question, _ABOUT_MOVES) else []
    about += [question.against] if isinstance(question, questions.ChooseMove) else []
    remark = reply_from_template("question_open", is_choice=is_choice, about=list(map(sentences.quoted, about)))
    return replace(reply, remarks=remark.paragraphs)


# Mails that prove nothing -----------------------------------------------------------------------


def _without_seat(row: Incoming, reading: Reading, authentication: Authentication, *, dead: Game | None = None) -> str:
    """Handle a mail without a good token: nothing is changed on its word.

    A player gets what changes nothing, and for everything else an answer with a token that carries proof. `dead` is the
    game of a reply address that is no longer valid.
    """
    player = _author(reading)
    if player is None:
        return strangers.answer_at_play(row, reading, authentication)
    if not authentication.is_proven and answers.is_spent(player.id):
        return "unproven-unanswered"  # and not obeyed: nobody would hear of it
    answered = _at_dead_address(row, reading, authentication, player, dead) if dead is not None else None
    return answered or _of_player(row, reading, authentication, player)


def _at_dead_address(
    row: Incoming, reading: Reading, authentication: Authentication, player: Player, game: Game
) -> str | None:
    """Answer a mail at a reply address of `game` that is no longer valid; None if it asks for what is about no game.

    What it asks for must not be done in another game of the player's.
    """
    names = {command.name for command in parse(reading).commands}
    is_start = names == {"start"} and joining.hosted_without_seat(player)
    if is_start or (names and names <= OF_NO_GAME | joining.WAYS_IN.keys()):
        return None
    lines = grammar.own_words(reading.lines, reading.subject)
    if not names and courtesy_in(lines) is Courtesy.THANKS:
        return COURTESY
    games = _games_of(player)
    details = replies.at_dead_address(player, game, games, reading.message_id)
    words = None if names else " ".join(lines)
    verdict = "no-proof" if games else "no-game"
    return _post_without_seat(row, reading, authentication, player, details, verdict, words=words)


def _of_player(row: Incoming, reading: Reading, authentication: Authentication, player: Player) -> str:
    parsed = parse(reading)
    names = {command.name for command in parsed.commands}
    if names == {"start"} and (hosted := joining.hosted_without_seat(player)):
        return _start_for(row, reading, authentication, player, hosted)
    games = _games_of(player)
    is_way_in = bool(names & joining.WAYS_IN.keys())
    may_be_done = names <= HARMLESS | joining.WAYS_IN.keys()
    if not games and is_way_in:
        return _enter(row, reading, authentication, player, parsed.commands)
    if not games:
        lines = grammar.own_words(reading.lines, reading.subject)
        courtesy = None if names else courtesy_in(lines)
        if courtesy is Courtesy.THANKS:
            return COURTESY
        is_misread = not names and courtesy is None
        reply = misunderstood(lines) if is_misread else handlers.reply_without_game(player, parsed.commands)
        return _without_game(row, reading, authentication, player, reply)
    (_, seat), *others = games
    request = _at_play(row, reading, authentication, seat, player, others)
    if may_be_done:
        return _obey(request, parsed)
    return replies.advise(request, reply_from_template("no_proof"), "no-proof")


def _at_play(
    row: Incoming,
    reading: Reading,
    authentication: Authentication,
    seat: Seat,
    player: Player,
    others: Sequence[tuple[Game, Seat]] = (),
) -> Request:
    """Return the request of a mail that carries no proof but what is found of its sender."""
    request = Request(row, reading, None, seat.game, seat, player, tuple(others))
    return replace(request, is_authentic=authentication.is_proof, has_passed=authentication.is_passed)


def _author(reading: Reading) -> Player | None:
    """Return the player to whom the one address in From belongs; it is not proved that they wrote."""
    return with_email(reading.from_addresses[0]) if len(reading.from_addresses) == 1 else None


def _games_of(player: Player) -> list[tuple[Game, Seat]]:
    """Return the games a player sits in or is invited to, those that wait for them first, then by deadline."""
    mine = (Seat.player_id == player.id) | (Seat.invited_id == player.id)
    query = select(Game).join(Seat).where(mine, Game.status.in_(("running", "open")))
    found = []
    for game in session.scalars(query.order_by(Game.status.desc(), Game.due_at, Game.created_at)).unique():
        seat = context.find_seat(game, player)
        assert seat is not None
        found.append((game, seat))
    return sorted(found, key=lambda pair: pair[1] not in awaited_seats(pair[0]))


def _without_game(
    row: Incoming,
    reading: Reading,
    authentication: Authentication,
    player: Player,
    reply: Reply,
    *,
    game: Game | None = None,
) -> str:
    """Answer a player who has no seat; `game` is one that has begun, and of which they are the host."""
    details = replies.for_host(game, reading.message_id) if game else replies.without_game(reply, reading.message_id)
    return _post_without_seat(row, reading, authentication, player, details, "no-game", kept=reply.kept, game=game)


def _post_without_seat(
    row: Incoming,
    reading: Reading,
    authentication: Authentication,
    player: Player,
    details: dict[str, Any],
    verdict: str,
    *,
    kept: dict[str, Any] | None = None,
    game: Game | None = None,
    words: str | None = None,
) -> str:
    """Post an answer that comes from no seat; return the verdict on the mail. `words` as in `replies.advise`."""
    is_urgent = parse(reading).commands != ()
    at = answers.schedule(player.id, is_proven=authentication.is_proven, is_urgent=is_urgent, words=words, kept=kept)
    if at is None:
        return f"{verdict}-unanswered"
    notices.post(player.id, "answer" if game else "advice", game, details=details, cause=row.id, at=at)
    return "obeyed" if game else verdict


def _enter(
    row: Incoming, reading: Reading, authentication: Authentication, player: Player, commands: Sequence[forms.Command]
) -> str:
    """Let a player who has no game enter one; the other commands of the mail are about that game."""
    first = next(command for command in commands if command.name in joining.WAYS_IN)
    try:
        with all_or_nothing():
            entered = joining.WAYS_IN[first.name](player, first, is_proved=authentication.is_proof)
    except Problem as problem:
        return _without_game(row, reading, authentication, player, replies.refused_whole(problem))
    seat = entered.entered
    assert seat is not None
    request = _at_play(row, reading, authentication, seat, player)
    handlers.keep_question(request, entered)
    rest = [command for command in commands if command is not first]
    allowed = [command for command in rest if request.is_authentic or command.name in HARMLESS | joining.WAYS_IN.keys()]
    needs_reply = Problem("forbidden", NEEDS_REPLY)
    refused = [replies.refused(command.line, needs_reply) for command in rest if command not in allowed]
    request, behind = handlers.carry_out_rest(request, [command for command in allowed if command.name != "move"])
    return replies.answer(request, replies.combined([entered, *behind, *refused]))


def _start_for(
    row: Incoming, reading: Reading, authentication: Authentication, host: Player, games: Sequence[Game]
) -> str:
    """Start the game of a host without a seat, who has no reply address in it and may do nothing else by mail."""
    try:
        with all_or_nothing():
            game = joining.start_one(host, games)
    except Problem as problem:
        return _without_game(row, reading, authentication, host, replies.refused_whole(problem))
    return _without_game(row, reading, authentication, host, Reply(), game=game)
