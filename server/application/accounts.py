"""Accounts: signing up, preferences, everything that is held of a player, and taking the account away.

Whether an address is known here is nobody's business: signing up does the same and says the same for every address.
"""

import hashlib
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import delete, select, text, update
from sqlalchemy.exc import IntegrityError

from server.application import lobby, notices, projection
from server.application.errors import Problem
from server.application.games import closed_to, roles_once_held
from server.application.players import add_player, check_email, check_name, check_zone, tokens_of, with_email
from server.durations import rfc3339
from server.models import (
    Answered,
    Event,
    FormerHolder,
    Game,
    Incoming,
    Message,
    Move,
    MoveAhead,
    Muted,
    Outgoing,
    Player,
    Seat,
    SignUp,
    Token,
    session,
    transaction,
)
from server.runtime import now, runtime

DAY = timedelta(days=1)  # as long as a code is good, and mails are counted
MOST_PER_ADDRESS = 3
MOST_A_DAY = 200
FORMER = "a former player"
MAIL = {True: "all", False: "off"}


# Signing up ------------------------------------------------------------------------------------


def sign_up(name: str, email: str, zone: str = "UTC") -> None:
    """Send a code to the address; or if it is known, word that somebody tried. Nothing tells the caller which.

    `Problem` too-many when the address has had its mails for the day, or the server has.
    """
    name, email, zone = check_name(name), check_email(email), check_zone(zone)
    code, address = runtime().new_id("sign-up code"), _address(email)
    with transaction():
        _one_after_the_other()
        session.execute(delete(SignUp).where(SignUp.created_at <= now() - DAY))
        _check_how_often(address)
        owner = with_email(email)
        session.add(
            SignUp(
                id=runtime().new_id("sign-up"),
                address=address,
                digest=_digest(code),
                wanted={"name": name, "email": email, "zone": zone},
                created_at=now(),
            )
        )
        if owner is None:
            notices.post(None, "code", details={"to": email, "code": code})
        else:
            notices.post(owner.id, "tried", details={"to": email})


def confirm(code: str) -> tuple[Player, str]:
    """The player who signed up, and his first token; `Problem` bad-code when the code is not, or no longer, good."""
    try:
        with transaction():
            query = select(SignUp).where(
                SignUp.digest == _digest(code.strip().lower()), SignUp.created_at > now() - DAY
            )
            pending = session.scalar(query.with_for_update())
            if pending is None or pending.wanted is None:
                raise Problem("bad-code", "This code is not good: a code is good for one day, and once.")
            made = add_player(**pending.wanted)
            pending.digest = pending.wanted = None
    except IntegrityError:
        # Two codes for one address, used at once on a database that lets both look before either writes.
        raise Problem("email-taken", "That address belongs to a player already.") from None
    return made


def _one_after_the_other() -> None:
    """Only one counts mails at a time; the embedded database sees to that by itself."""
    if session.get_bind().dialect.name == "postgresql":
        session.execute(text("LOCK TABLE sign_ups IN EXCLUSIVE MODE"))


def _check_how_often(address: str) -> None:
    rows = session.execute(select(SignUp.created_at, SignUp.address).order_by(SignUp.created_at)).all()
    own = [row.created_at for row in rows if row.address == address]
    for times, most in ((own, MOST_PER_ADDRESS), ([row.created_at for row in rows], MOST_A_DAY)):
        if len(times) >= most:
            _refuse_until(times[-most] + DAY)


def _refuse_until(moment: datetime) -> None:
    seconds = max(1, int((moment - now()).total_seconds()) + 1)
    raise Problem("too-many", "Enough mails were asked for today; try again later.", retry_after=seconds)


def _address(email: str) -> str:
    return runtime().keyring.fingerprint(b"sign-up\0" + email.encode())


def _digest(code: str) -> str:
    return hashlib.sha256(code.encode()).hexdigest()


# Preferences -----------------------------------------------------------------------------------


def preferences(player: Player) -> dict[str, str]:
    """`zone`, and `mail`: all or off."""
    return {"zone": player.zone, "mail": MAIL[player.wants_mail]}


def prefer(player_id: str, zone: str | None = None, mail: str | None = None) -> Player:
    """Change what is given; `Problem` form when it cannot be."""
    if mail not in (None, *MAIL.values()):
        raise Problem("form", "mail: all or off.")
    with transaction():
        player = session.get_one(Player, player_id)
        player.zone = player.zone if zone is None else check_zone(zone)
        player.wants_mail = player.wants_mail if mail is None else mail == "all"
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
        "tokens": tokens_of(player),
        "games": [_held_of(game, player) for game in _games_of(player) if game.id not in closed],
        "mails_to_me": _mails_to(player, closed),
        "mails_from_me": _mails_from(player, closed),
        "kept_answers": _kept_answers(player, closed),
        "sign_ups": [rfc3339(at) for at in session.scalars(_sign_ups(player))],
    }


def _games_of(player: Player) -> Sequence[Game]:
    seated = select(Seat.game_id).where((Seat.player_id == player.id) | (Seat.invited_id == player.id))
    formerly = select(FormerHolder.game_id).where(FormerHolder.player_id == player.id)
    own = Game.id.in_(seated) | Game.id.in_(formerly) | (Game.host_id == player.id)
    return session.scalars(select(Game).where(own).order_by(Game.id)).all()


def _held_of(game: Game, player: Player) -> dict[str, Any]:
    seat = projection.own_seat(game, player)
    return {
        "id": game.id,
        "name": game.name,
        "status": game.status,
        "is_host": game.host_id == player.id,
        "is_invited": any(other.invited_id == player.id for other in game.seats),
        "formerly": sorted(roles_once_held(game, player)),
        "seat": seat and seat.number,
        "pawns": seat.pawns if seat else [],
        "moves": _moves_of(seat) if seat else [],
        "ahead": _ahead_of(seat) if seat else [],
        "messages": _messages_of(game, player),
        "is_muted": session.get(Muted, (game.id, player.id)) is not None,
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


def _mails_to(player: Player, closed: set[str]) -> list[dict[str, Any]]:
    query = select(Outgoing).where(Outgoing.player_id == player.id).order_by(Outgoing.created_at, Outgoing.id)
    return [
        {
            "game": mail.game_id,
            "kind": mail.kind,
            "state": mail.state,
            "created_at": rfc3339(mail.created_at),
            "sent_at": rfc3339(mail.sent_at),
        }
        for mail in session.scalars(query)
        if mail.game_id not in closed
    ]


def _mails_from(player: Player, closed: set[str]) -> list[dict[str, Any]]:
    """That they came, and not what they say: anybody may have written them in his name."""
    columns = (Incoming.game_id, Incoming.received_at, Incoming.state)
    query = select(*columns).where(Incoming.sender == player.email).order_by(Incoming.received_at, Incoming.id)
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


def _sign_ups(player: Player) -> Any:
    return select(SignUp.created_at).where(SignUp.address == _address(player.email)).order_by(SignUp.created_at)


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
        _take_name_from_events(player)
        for game in games:
            _leave(game, player)
        _forget(player)


def _locked_games_of(player: Player) -> list[Game]:
    """In one order, so that of two who lock them neither waits for the other for ever."""
    ids = [game.id for game in _games_of(player)]
    return [session.get_one(Game, game_id, with_for_update=True, populate_existing=True) for game_id in ids]


def _is_playing(game: Game, player: Player) -> bool:
    """A provisional result counts as running: the game may be taken up again."""
    return game.status != "open" and not game.final and projection.own_seat(game, player) is not None


def _leave(game: Game, player: Player) -> None:
    if game.status == "open":
        if any(player.id in (seat.player_id, seat.invited_id) for seat in game.seats):
            lobby.leave(game.id, player)
        if game.host_id == player.id:
            _hand_on(game)
    for seat in game.seats:
        if seat.player_id == player.id:
            seat.nonce = runtime().new_id("nonce")


def _hand_on(game: Game) -> None:
    """A game that has not begun goes to who sits there first; one in which nobody sits is offered to nobody."""
    heir = next((seat.player_id for seat in game.seats if seat.player_id), None)
    if heir is not None:
        game.host_id = heir
        return
    game.visibility = "private"
    for seat in game.seats:
        seat.invited_id = None


def _take_name_from_events(player: Player) -> None:
    """Out of what happened before a start, which is in no chain; later events name nobody."""
    for kind, member in (("opened", "host"), ("joined", "name")):
        query = select(Event).where(Event.kind == kind, Event.head.is_(None))
        for event in session.scalars(query.where(Event.data[member].as_string() == player.name)).all():
            if not _is_of_a_namesake(event, player):
                event.data = {**event.data, member: FORMER}


def _is_of_a_namesake(event: Event, player: Player) -> bool:
    if event.kind == "opened":
        return session.get_one(Game, event.game_id).host_id != player.id
    seat = session.get_one(Seat, (event.game_id, event.data["seat"]))
    holder = session.get(Player, seat.player_id) if seat.player_id else None
    return holder is not None and holder.id != player.id and holder.name == player.name


def _forget(player: Player) -> None:
    """Everything but the row itself, and that there were mails."""
    to_him, from_him = Outgoing.player_id == player.id, Incoming.sender == player.email
    for statement in (
        delete(Token).where(Token.player_id == player.id),
        delete(Muted).where(Muted.player_id == player.id),
        delete(Answered).where(Answered.player_id == player.id),
        delete(SignUp).where(SignUp.address == _address(player.email)),
        update(Outgoing).where(to_him, Outgoing.state == "pending").values(state="suppressed"),
        update(Outgoing).where(to_him).values(message=None, details=None, error=None),
        update(Incoming).where(from_him, Incoming.state == "new").values(state="done"),
        update(Incoming).where(from_him).values(sender="", raw=None),
    ):
        session.execute(statement, execution_options={"synchronize_session": False})
    player.name, player.zone, player.wants_mail = FORMER, "UTC", False
    player.email = f"{runtime().new_id('former player')}@gone.invalid"
    player.gone_at = now()
