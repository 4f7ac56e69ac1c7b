"""Command dispatch: find out from the address of a mail who may act by it, and in which game."""

from sqlalchemy import func, select

from server.application.game import reply_addresses
from server.application.game.access import locked
from server.application.game.look import look_at_any, standing_of
from server.application.play import vacation
from server.mail.commands import conversation, invitees, joining, play_address, strangers, unknown_senders
from server.mail.commands.authors import player_in_from, seat_of_token
from server.mail.commands.request import Request, parse
from server.mail.language import grammar
from server.mail.language.forms import Trait, names_with
from server.mail.reading.message import Kind, Reading
from server.mail.trust.results import Authentication
from server.models import Game, Incoming, Player, ReplyToken, Seat, session
from server.runtime import runtime

LOCK_GAMES = names_with(Trait.LOCKS_GAMES)


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
    if purpose == reply_addresses.OFFER and player_in_from(reading) is None:
        return strangers.answer_to_offer(row, reading, authentication, answer_id)
    if purpose != reply_addresses.OFFER and not reply_addresses.is_play(row.recipient):
        return "unknown-address"
    return play_address.obey(row, reading, authentication, parse(reading))


def _with_token(row: Incoming, reading: Reading, authentication: Authentication, token: ReplyToken) -> str:
    parsed = parse(reading)
    game = standing_of(_locked(token, parsed))
    seat = seat_of_token(game, token)
    if seat is None:
        if authentication.is_failing:
            return "forged"
        too_late = invitees.answer_too_late(row, reading, token)
        return too_late or play_address.obey(row, reading, authentication, parsed, dead=game)
    holder = seat.player_id or seat.invited_id
    if holder is None:
        if authentication.is_failing:
            return "forged"
        return invitees.obey(row, reading, token, session.get_one(Seat, (game.id, seat.number)), authentication)
    writer = player_in_from(reading)  # usually the holder, whom the session has loaded then
    player = session.get_one(Player, holder)
    request = Request(row, reading, token, look_at_any(game.id, player), seat, player)
    return unknown_senders.turn_away(request, writer, authentication) or conversation.obey(request, parsed)


def _locked(token: ReplyToken, parsed: grammar.Parsed) -> Game:
    """Lock the game of a token, and with it those that the mail joins, in one order; return the game.

    Before them, in the order of `vacation.lock_with_games`, the player whom the mail may change.
    """
    games = [token.game_id, *joining.joined(parsed.commands)]
    if LOCK_GAMES & {command.name for command in parsed.commands}:
        whose = select(func.coalesce(Seat.player_id, Seat.invited_id))
        holder = session.scalar(whose.where(Seat.game_id == token.game_id, Seat.number == token.seat))
        if holder is not None:
            vacation.lock_with_games(holder, *games)
    elif len(games) > 1:
        session.execute(select(Game.id).where(Game.id.in_(games)).order_by(Game.id).with_for_update())
    return locked(token.game_id)
