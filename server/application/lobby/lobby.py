"""Join, invite and leave: how the seats of a game are filled before it starts."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import select
from sqlalchemy.exc import IntegrityError

from server import bots
from server.application.deciding import begin_to_write
from server.application.errors import Problem
from server.application.game import guest_rules, outbox_rows
from server.application.game.access import locked, locked_visible
from server.application.game.events import record_event
from server.application.game.look import look
from server.application.lobby import game_names, hosting, invitations
from server.application.lobby.invitations import Guest
from server.application.lobby.vacancies import free_seat
from server.application.mail import mail_frequency
from server.application.play import substitution, talk
from server.house_rules.standing import Sight
from server.models import Game, Player, Seat, session, transaction

INVITES = "invites players"


def join(
    game_id: str, player: Player, *, seat: int | None = None, role: str | None = None, code: str | None = None
) -> Game:
    """Take a seat: the one asked for, the one reserved for the player, or the first open one of `role`.

    In a running game it is a seat that is offered because its player was late too often.
    """
    try:
        with transaction():
            game = locked_visible(game_id, player, code=code)
            if game.status == "running":
                check_not_seated(game, player)
                _check_has_address(player)
                return substitution.take_over(game, player, seat, role)
            check_open(game)
            check_not_seated(game, player)
            chosen = _choose(game, player, seat, role)
            if player.is_guest and not invitations.is_for(chosen, player):
                guest_rules.check_may_sit(game, chosen.role)
            talk.check_has_not_heard(chosen, player)
            begin_to_write()
            _sit_down(chosen, player)
    except IntegrityError:
        # Two requests of one player at once, on a database that lets both look before either writes.
        raise Problem("already-seated", "You have a seat in this game already.") from None
    return game


def with_code(code: str, player: Player | None) -> Sight:
    """Return the game that is joined with this code.

    `Problem` not-found if there is none that `player`, or somebody who has not signed in, may see.
    """
    game_id = session.scalar(select(Game.id).where(Game.code == code)) if code.isalnum() else None
    return look(game_id or "", player, code=code)


def invite(
    game_id: str, host: Player, number: int | None, wanted: Mapping[str, Any], *, is_limited: bool = True
) -> Game:
    """Reserve an open seat for a guest, who gets an invitation; the host and bots sit down at once. Only the host may.

    `wanted` has one of `player`, `invite` and `bot`, as a seat of `open_game`, and perhaps the host's own `words` to
    whom they invite. Without a number it is the first open
    seat that fits. To invite the same guest again does nothing. `is_limited` is as in `open_game`.
    """
    with transaction():
        game = locked_visible(game_id, host)
        hosting.check_host(game.host_id, host, INVITES)
        seat = _open_seat(game, wanted) if number is None else _seat(game, number)
        guest = invitations.guest(host, {**wanted, "role": seat.role})
        words = str(wanted.get("words") or "")
        if guest == Guest():
            raise Problem("form", "Name one for the seat: player, invite or bot.")
        check_open(game)
        if guest != _guest_of(seat):
            _check_free_for(seat, guest, host)
            if is_limited:
                invitations.check_how_often(host, [guest])
            words = invitations.check_words(host, words) if words else ""
            begin_to_write()
            _put(seat, guest, host, words, is_limited=is_limited)
    return game


def remind(game_id: str, host: Player, number: int) -> Game:
    """Mail the invitation to a seat once more. Only the host may, once a day."""
    with transaction():
        game = locked_visible(game_id, host)
        hosting.check_host(game.host_id, host, INVITES)
        check_open(game)
        invitations.remind(_seat(game, number), host)
    return game


def fill_with_bots(game_id: str, host: Player, level: str | None = None) -> Game:
    """Put bots of a level on all seats that nobody has taken; invitations to them are withdrawn. Only the host may."""
    checked = invitations.checked_level(level)
    with transaction():
        game = locked_visible(game_id, host)
        hosting.check_host(game.host_id, host, "lets bots play")
        check_open(game)
        if not any(seat.player_id for seat in game.seats):
            raise Problem("seats-open", "Somebody has to play: take a seat first, or wait for somebody who does.")
        begin_to_write()
        for seat in [seat for seat in game.seats if not seat.is_taken]:
            if seat.is_reserved:
                free_seat(seat, "declined", told=False)
            _put(seat, Guest(bot=bots.names(seat.role)[0], level=checked), host, is_limited=False)
    return game


def rename(game_id: str, host: Player, name: str) -> Game:
    """Give a game that has not started a name of the host's choice. Only the host may."""
    with transaction():
        game = locked_visible(game_id, host)
        hosting.check_host(game.host_id, host, "names the game")
        check_open(game, "This game has started already.")
        checked = game_names.check(name)
        begin_to_write()
        game.name = checked
    return game


def leave(game_id: str, player: Player, seat: int | None = None) -> Game:
    """Give a seat back, or decline an invitation to it, before the start. The host may clear any seat."""
    with transaction():
        game = locked_visible(game_id, player)
        given = [s for s in game.seats if s.is_taken or s.is_reserved]
        if seat is None or player.id != game.host_id:
            given = [s for s in given if player.id in (s.player_id, s.invited_id)]
        wanted = [s for s in given if seat in (None, s.number)]
        if not wanted:
            raise Problem("forbidden", "That seat is not yours to give back.")
        check_open(game, "This game has started; RESIGN ends it for your side.")
        begin_to_write()
        for one in wanted:
            former = one.player_id
            free_seat(one, "left" if former else "declined", told=player.id != game.host_id)
            if former is not None and former != player.id:
                outbox_rows.post_cleared(one, former)
            elif former is not None:
                hosting.pass_on_after_leaving(one, former)
    return game


def tell_host_of_unreached(game_id: str, player_id: str) -> None:
    """Write to the host that no mail reaches a player who is invited by name; the seat stays reserved for them."""
    game = locked(game_id)
    named = (seat for seat in game.seats if seat.is_reserved and not invitations.is_by_address(seat))
    guest = session.get_one(Player, player_id)
    seat = next((seat for seat in named if invitations.is_for(seat, guest)), None)
    if seat is not None and game.status == "open" and not outbox_rows.is_vacancy_told(game):
        outbox_rows.post_vacancy(seat, "unreached")


def publish(game_id: str, host: Player) -> Game:
    """List a game that has not started, so that everybody can see and join it. Only the host may."""
    with transaction():
        game = locked_visible(game_id, host)
        hosting.check_host(game.host_id, host, "lists a game")
        check_open(game, "This game has started already.")
        begin_to_write()
        game.visibility = "public"
        game.guests = None  # they were meant for friends who have the link
    return game


def admit_guests(game_id: str, host: Player, rules: Mapping[str, Any]) -> Game:
    """Change the rules for guests of a game that has not started. Only the host may; see `guest_rules.GuestRules`."""
    with transaction():
        game = locked_visible(game_id, host)
        hosting.check_host(game.host_id, host, "says what guests may do")
        check_open(game, "This game has started already.")
        chosen = guest_rules.check({**(game.guests or {}), **rules})
        begin_to_write()
        game.guests = chosen
    return game


def _check_free_for(seat: Seat, guest: Guest, host: Player) -> None:
    others = seat.game.seats
    if seat.is_taken or seat.is_reserved:
        raise Problem("seat-taken", "That seat is taken or reserved for somebody; clear it first.")
    if guest.email and any(guest.email == _guest_of(other).email for other in others):
        raise Problem("form", "That address is invited to another seat of this game already.")
    if guest.player_id == host.id:
        check_not_seated(seat.game, host)
        talk.check_has_not_heard(seat, host)
    elif guest.player_id and any(guest.player_id == other.player_id for other in others):
        raise Problem("form", "That player has a seat in this game already.")


def _put(seat: Seat, guest: Guest, host: Player, words: str = "", *, is_limited: bool) -> None:
    """Keep a free seat for a guest; the host and bots sit down at once."""
    if guest.player_id == host.id:
        _sit_down(seat, host)
    elif guest.bot:
        seat.bot, seat.level = guest.bot, guest.level
        record_event(seat.game, "joined", seat=seat.number, bot=guest.bot)
        _tell_if_complete(seat.game)
    else:
        invitations.reserve(seat, guest, host, words, is_limited=is_limited)


def _guest_of(seat: Seat) -> Guest:
    """Return the guest a seat is for, as the host named them."""
    if seat.invitation is not None:
        return Guest(seat.invitation.guest_id) if seat.invitation.email is None else Guest(email=seat.invitation.email)
    return Guest(seat.player_id or seat.invited_id, seat.bot, seat.level)


def _sit_down(seat: Seat, player: Player) -> None:
    invitations.end(seat)
    seat.player_id = player.id
    mail_frequency.hear_again(seat.game_id, player.id)
    for other in seat.game.seats:
        # A seat reserved for an address stays so: the host must not learn that it is this player's address.
        if invitations.is_for(other, player) and not invitations.is_by_address(other):
            invitations.end(other)
    record_event(seat.game, "joined", seat=seat.number, name=player.name)
    _tell_if_complete(seat.game)


def _tell_if_complete(game: Game) -> None:
    if all(seat.is_taken for seat in game.seats):
        outbox_rows.post_complete(game)


def check_open(game: Game, sentence: str = "This game has started; its seats are given.") -> None:
    if game.status != "open":
        raise Problem("game-not-open", sentence)


def _check_has_address(player: Player) -> None:
    if player.is_guest:
        raise Problem("forbidden", "A seat of a running game is for somebody with an address: add yours first.")


def check_not_seated(game: Game, player: Player) -> None:
    if any(player.id == taken.player_id for taken in game.seats):
        raise Problem("already-seated", "You have a seat in this game already.")


def _seat(game: Game, number: int) -> Seat:
    for seat in game.seats:
        if seat.number == number:
            return seat
    raise Problem("form", f"There is no such seat; the seats are 1 (Mr. X) to {len(game.seats)}.")


def _choose(game: Game, player: Player, number: int | None, role: str | None) -> Seat:
    if number is None:
        role = role or _role_of_guests(game, player)
    seats = [s for s in game.seats if number in (None, s.number) and role in (None, s.role)]
    if not seats:
        raise Problem("form", f"There is no such seat; the seats are 1 (Mr. X) to {len(game.seats)}.")
    for seat in sorted(seats, key=lambda s: not invitations.is_for(s, player)):
        if not seat.is_taken and (invitations.is_for(seat, player) or not seat.is_reserved):
            return seat
    raise Problem("seat-taken", "That seat is taken, or reserved for somebody who was invited.")


def _role_of_guests(game: Game, player: Player) -> str | None:
    """Return the role that a guest gets who does not choose one; None for whichever is open, as for everybody else."""
    return "detective" if player.is_guest and guest_rules.of(game).seats == "detectives" else None


def _open_seat(game: Game, wanted: Mapping[str, Any]) -> Seat:
    check_open(game)
    for seat in game.seats:
        if seat.is_free and wanted.get("bot") in (None, *bots.names(seat.role)):
            return seat
    raise Problem("seat-taken", "Every seat that fits is taken, or reserved for somebody.")
