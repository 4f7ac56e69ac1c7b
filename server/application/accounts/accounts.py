"""Accounts: signing up, preferences, everything that is held of a player, and taking the account away."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import delete, func, select, update
from sqlalchemy.exc import IntegrityError

from server.application.accounts import addresses, blocks
from server.application.deciding import decided
from server.application.errors import Problem
from server.application.game import views
from server.application.game.access import closed_to, locked, roles_once_held
from server.application.mail import deliveries
from server.application.news import digest_watermark, mail_choices, webhooks
from server.application.people import codes, mail_frequency, names
from server.application.people.names import FORMER
from server.application.people.players import (
    add_person,
    add_player,
    add_token,
    check_email,
    check_name,
    check_night,
    check_zone,
    name_like,
    tokens_for_others,
    tokens_of,
)
from server.application.seats import hosting, invitations, lobby
from server.application.time import vacation as absences
from server.durations import rfc3339
from server.lookalikes import digest
from server.models import (
    Absence,
    Address,
    Answered,
    Event,
    FormerHolder,
    Game,
    Incoming,
    MailWish,
    Message,
    Move,
    MoveAhead,
    Muted,
    Outgoing,
    Player,
    Seat,
    Token,
    Told,
    session,
    transaction,
)
from server.runtime import now, runtime

ASK = {True: "on", False: "off"}
PICTURE = ("on", "own", "off")


# Signing up ------------------------------------------------------------------------------------


def sign_up(name: str, email: str, zone: str = "UTC", *, network: str = "") -> None:
    """Send a code to the address; or if it is known, word that somebody tried. Nothing tells the caller which.

    `network` is where the request came from, as `networks.network` has it. `Problem` name-taken, or too-many when the
    address or the network has had its mails for the day, or too many come from everywhere.
    """
    wanted = {"name": check_name(name), "email": check_email(email), "zone": check_zone(zone)}
    names.check_free(wanted["name"])
    codes.send("code", wanted, network=network)


def confirm(code: str, name: str | None = None) -> tuple[Player, str]:
    """The player who signed up or was invited, and his first token; he sits where he was invited.

    `name` is what he wants to be called, if not as he signed up, or as his address begins. `Problem` bad-code when the
    code is not, or no longer, good.
    """
    try:
        with transaction():
            seat = invitations.with_code(code)
            if seat is None:
                return add_player(**codes.redeem(code) | ({} if name is None else {"name": name}))
            player = accept(seat, name)
            return player, add_token(player.id)[1]
    except IntegrityError:
        # Two codes for one address or name, used at once on a database that lets both look before either writes.
        raise Problem("email-taken", "That address, or the name, belongs to a player already.") from None


def accept(seat: Seat, name: str | None = None) -> Player:
    """Whoever reads the mail of the address for which `seat` is kept becomes a player, and takes it at once."""
    with transaction():
        locked(seat.game_id)
        session.refresh(seat)
        if seat.invitation is None or seat.invitation.email is None:
            raise Problem("bad-code", "This invitation is good no longer.")
        lobby.check_open(seat.game)
        email = seat.invitation.email
        player = add_person(names.free_like(name_like(email.partition("@")[0])) if name is None else name, email)
        lobby.join(seat.game_id, player, seat=seat.number)
    return player


# The name --------------------------------------------------------------------------------------


def rename(player_id: str, name: str) -> Player:
    """Be called something else from now on, in games that have begun as well; `Problem` form or name-taken."""
    name = check_name(name)
    try:
        with transaction():
            player = session.get_one(Player, player_id, with_for_update={"key_share": True}, populate_existing=True)
            if name != player.name:  # who has a name from before names were kept apart may keep it
                names.check_free(name, player_id)
                decided()
                _rename_in_events(player, name)
                player.name, player.skeleton = name, digest(name)
                session.flush()
    except IntegrityError:
        raise Problem("name-taken", f"A player has the name {name!r}, or one that looks like it.") from None
    return player


def _rename_in_events(player: Player, name: str) -> None:
    """In what happened before a start, which is in no chain; later events name nobody."""
    for kind, member in (("opened", "host"), ("joined", "name")):
        query = select(Event).where(Event.kind == kind, Event.head.is_(None))
        for event in session.scalars(query.where(Event.data[member].as_string() == player.name)).all():
            if not _is_of_a_namesake(event, player):
                event.data = {**event.data, member: name}


def _is_of_a_namesake(event: Event, player: Player) -> bool:
    if event.kind == "opened":
        handed_over = select(Event.number).where(Event.game_id == event.game_id, Event.kind == "host")
        # Who it was that opened a game is not kept, so once it has another host the name goes in any case.
        is_host = session.get_one(Game, event.game_id).host_id == player.id
        return not is_host and session.scalar(handed_over.limit(1)) is None
    seat = session.get_one(Seat, (event.game_id, event.data["seat"]))
    holder = session.get(Player, seat.player_id) if seat.player_id else None
    return holder is not None and holder.id != player.id and holder.name == player.name


# Preferences -----------------------------------------------------------------------------------


def preferences(player: Player) -> dict[str, str]:
    """`zone`; `mail`: how much of it; `ask`: whether a move by mail is shown before it counts, on or off.

    `night` is when no deadline is to fall, such as 23:00-07:00, or off; `vacation`: whether days of it are taken before
    the player is late, on or off. `picture`: whether his mails of a game have the board as a picture, off or on; own is
    the same, but to Mr. X it shows where he himself is.
    """
    return {
        "zone": player.zone,
        "mail": player.mail,
        "ask": ASK[player.asks_first],
        "night": player.night or "off",
        "vacation": ASK[player.spends_vacation],
        "picture": player.picture,
    }


def prefer(
    player_id: str,
    zone: str | None = None,
    mail: str | None = None,
    ask: str | None = None,
    night: str | None = None,
    vacation: str | None = None,
    picture: str | None = None,
) -> Player:
    """Change what is given; `Problem` form when it cannot be.

    Deadlines under way that fall into the night, as it is now, move to its end; none comes nearer.
    """
    for name, given, words in (
        ("ask", ask, ASK.values()), ("vacation", vacation, ASK.values()),
        ("picture", picture, PICTURE),
    ):  # fmt: skip
        if given not in (None, *words):
            raise Problem("form", f"{name}: {' or '.join(words)}.")
    amount = None if mail is None else mail_frequency.read(mail)
    zone = None if zone is None else check_zone(zone)
    hours = None if night is None else check_night(night)
    with transaction():
        player = absences.hold(player_id)
        decided()
        slept = player.night, player.zone
        player.zone = player.zone if zone is None else zone
        player.asks_first = player.asks_first if ask is None else ask == ASK[True]
        player.night = player.night if night is None else hours
        player.picture = player.picture if picture is None else picture
        player.spends_vacation = player.spends_vacation if vacation is None else vacation == ASK[True]
        if (player.night, player.zone) != slept:
            session.flush()
            absences.tell_games(player)
            digest_watermark.release(player_id)
        if amount is not None:
            mail_choices.choose(player_id, amount)
    return player


# Everything that is held -----------------------------------------------------------------------


def export(player: Player) -> dict[str, Any]:
    """What the server holds of the player himself: nothing of others, and nothing of a game that is closed to him."""
    closed = set(session.scalars(closed_to(player)))
    return {
        "player": {
            "id": player.id,
            "name": player.name,
            "email": player.email,
            "created_at": rfc3339(player.created_at),
            **preferences(player),
        },
        "addresses": addresses.of(player),
        "tokens": tokens_of(player),
        "absences": absences.of(player)["absences"],
        "webhooks": [webhooks.facts(webhook) for webhook in webhooks.of(player.id)],
        "blocks": blocks.of(player),
        "games": [_held_of(game, player) for game in _games_of(player) if game.id not in closed],
        "mails_to_me": deliveries.of(player),
        "mails_from_me": _mails_from(player, closed),
        "kept_answers": _kept_answers(player, closed),
        "sign_ups": codes.asked_for(player.id, addresses.of_player(player.id)),
        "invitations": invitations.received_by(player.id, addresses.of_player(player.id)),
    }


def outline(player: Player) -> dict[str, Any]:
    """What the operator sees of a player: nothing that a spectator of his games does not see, but for his account."""
    return {
        "id": player.id,
        "name": player.name,
        "email": player.email,
        "created_at": rfc3339(player.created_at),
        **preferences(player),
        "addresses": addresses.of(player),
        "tokens": tokens_for_others(player),
        "games": [_in_outline(game, player) for game in _games_of(player)],
    }


def _in_outline(game: Game, player: Player) -> dict[str, Any]:
    seat = views.own_seat(game, player)
    return {
        "id": game.id,
        "name": game.name,
        "status": game.status,
        "is_host": game.host_id == player.id,
        "seat": seat and seat.number,
    }


def _games_of(player: Player) -> Sequence[Game]:
    seated = select(Seat.game_id).where((Seat.player_id == player.id) | (Seat.invited_id == player.id))
    formerly = select(FormerHolder.game_id).where(FormerHolder.player_id == player.id)
    own = Game.id.in_(seated) | Game.id.in_(formerly) | (Game.host_id == player.id)
    return session.scalars(select(Game).where(own).order_by(Game.id)).all()


def _held_of(game: Game, player: Player) -> dict[str, Any]:
    seat = views.own_seat(game, player)
    return {
        **_in_outline(game, player),
        "is_invited": any(other.invited_id == player.id for other in game.seats),
        "formerly": sorted(roles_once_held(game, player)),
        "pawns": seat.pawns if seat else [],
        "moves": _moves_of(seat) if seat else [],
        "ahead": _ahead_of(seat) if seat else [],
        "messages": _messages_of(game, player),
        "is_muted": session.get(Muted, (game.id, player.id)) is not None,
        "mail": mail_frequency.of(player, game.id),
    }


def _moves_of(seat: Seat) -> list[dict[str, Any]]:
    query = select(Move).where(Move.game_id == seat.game_id, Move.pawn.in_(seat.pawns)).order_by(Move.turn)
    return [
        {"turn": move.turn, "notation": move.notation, "by": move.by, "made_at": rfc3339(move.made_at)}
        for move in session.scalars(query)
    ]


def _ahead_of(seat: Seat) -> list[dict[str, Any]]:
    query = select(MoveAhead).where(MoveAhead.game_id == seat.game_id, MoveAhead.seat == seat.number)
    return [
        {"notation": kept.notation, "kept_at": rfc3339(kept.kept_at)}
        for kept in session.scalars(query.order_by(MoveAhead.pawn))
    ]


def _messages_of(game: Game, player: Player) -> list[dict[str, Any]]:
    query = select(Message).where(Message.game_id == game.id, Message.player_id == player.id).order_by(Message.serial)
    return [
        {"to": message.audience, "text": message.text, "at": rfc3339(message.at)} for message in session.scalars(query)
    ]


def _mails_from(player: Player, closed: set[str]) -> list[dict[str, Any]]:
    """That they came, and not what they say: anybody may have written them in his name."""
    columns = (Incoming.game_id, Incoming.received_at, Incoming.state)
    from_him = func.lower(Incoming.sender).in_(addresses.of_player(player.id))
    query = select(*columns).where(from_him).order_by(Incoming.received_at, Incoming.id)
    return [
        {"game": game, "received_at": rfc3339(at), "state": state}
        for game, at, state in session.execute(query)
        if game not in closed
    ]


def _kept_answers(player: Player, closed: set[str]) -> list[dict[str, Any]]:
    columns = (Answered.route, Answered.key, Answered.created_at)
    query = select(*columns).where(Answered.player_id == player.id).order_by(Answered.created_at, Answered.route)
    return [
        {"request": route, "key": key, "created_at": rfc3339(at)}
        for route, key, at in session.execute(query)
        if not closed & set(route.split("/"))
    ]


# Going -----------------------------------------------------------------------------------------


def take_away(player_id: str, name: str) -> None:
    """End the account: what is left is a row without name and address, for the games that refer to it.

    `name` is his own, so that nobody does it by mistake. `Problem` still-playing while a result of his is not final.
    """
    with transaction():
        player = session.get_one(Player, player_id, with_for_update={"key_share": True}, populate_existing=True)
        if name != player.name:
            raise Problem("form", "name: your own name, to say that you mean it.")
        games = _locked_games_of(player)
        playing = [game.id for game in games if _is_playing(game, player)]
        if playing:
            raise Problem("still-playing", f"You sit in a game that is not over: {', '.join(playing)}.", games=playing)
        _rename_in_events(player, FORMER)
        for game in games:
            _leave(game, player)
        _forget(player)


def _locked_games_of(player: Player) -> list[Game]:
    """In one order, so that of two who lock them neither waits for the other for ever."""
    ids = [game.id for game in _games_of(player)]
    return [session.get_one(Game, game_id, with_for_update=True, populate_existing=True) for game_id in ids]


def _is_playing(game: Game, player: Player) -> bool:
    """A provisional result counts as running: the game may be taken up again."""
    return game.status != "open" and not game.final and views.own_seat(game, player) is not None


def _leave(game: Game, player: Player) -> None:
    if game.status == "open" and any(player.id in (seat.player_id, seat.invited_id) for seat in game.seats):
        lobby.leave(game.id, player)
    if game.host_id == player.id and not game.final and not hosting.pass_on(game):
        _close(game)
    for seat in game.seats:
        if seat.player_id == player.id:
            seat.nonce = runtime().new_id("nonce")


def _close(game: Game) -> None:
    """A game in which nobody sits is offered to nobody any more."""
    game.visibility = "private"
    for seat in game.seats:
        invitations.end(seat)


def _forget(player: Player) -> None:
    """Everything but the row itself, and that there were mails."""
    his, to_him = addresses.of_player(player.id), Outgoing.player_id == player.id
    codes.forget(player.id, his)
    blocks.forget(player.id)
    invitations.forget(player.id, his)
    addresses.forget_mails_from(his)
    for webhook in webhooks.of(player.id):
        webhooks.forget(webhook)
    for statement in (
        delete(Token).where(Token.player_id == player.id),
        delete(Absence).where(Absence.player_id == player.id),
        delete(Address).where(Address.player_id == player.id),
        delete(Muted).where(Muted.player_id == player.id),
        delete(Answered).where(Answered.player_id == player.id),
        delete(MailWish).where(MailWish.player_id == player.id),
        delete(Told).where(Told.player_id == player.id),
        update(Outgoing).where(to_him, Outgoing.state.in_(("pending", "held"))).values(state="suppressed"),
        update(Outgoing).where(to_him).values(message=None, details=None, error=None),
    ):
        session.execute(statement, execution_options={"synchronize_session": False})
    player.name, player.zone, player.mail, player.night = FORMER, "UTC", mail_frequency.OFF, None
    player.skeleton = None
    player.asks_first = False
    player.email = f"{runtime().new_id('former player')}@gone.invalid"
    player.gone_at = now()
