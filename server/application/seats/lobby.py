"""From an idea to a running game: open, invite, join, leave, start."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.exc import IntegrityError

from server import bots, engine
from server.application.deciding import decided
from server.application.errors import Problem
from server.application.game import notices, sealed_log
from server.application.game.access import locked, visible
from server.application.game.events import record_event
from server.application.game.state import edition_of
from server.application.game.timers import checked
from server.application.news import talk
from server.application.people import mail_frequency
from server.application.play import endings
from server.application.play.flow import begin_phase
from server.application.seats import hosting, invitations, substitution
from server.application.seats.invitations import Guest
from server.application.seats.seating import WAYS, give_out
from server.models import Deadline, Game, Player, Seat, session, transaction
from server.runtime import now, runtime

_FIRST = ("Foggy", "Rainy", "Silent", "Midnight", "Gaslit", "Hidden", "Winding", "Frosty", "Crooked", "Amber")
_SECOND = ("Thames", "Chelsea", "Whitehall", "Soho", "Lambeth", "Mayfair", "Camden", "Pimlico", "Southwark", "Strand")
INVITES = "invites players"
MOST_OPEN = 30  # games of one host that have not begun


def open_game(
    host: Player,
    edition: str,
    *,
    options: Mapping[str, Any] | None = None,
    players: int | None = None,
    seats: Sequence[Mapping[str, Any]] | None = None,
    clock: Mapping[str, Any] | None = None,
    visibility: str = "public",
    label: str | None = None,
    seating: str = "chosen",
    position: Mapping[str, Any] | None = None,
    is_limited: bool = True,
) -> Game:
    """A game with its seats, open to be joined. Seat 1 is Mr. X; pawns follow from the edition.

    `seats` are `{"role": "mr_x" or "detective", "player": id}`, or in the place of the player `"invite"`, an address or
    a name, or `"bot": name`; a seat without any is open. Or `players` gives a number of open seats. The host sits where
    they name themselves; everybody else who is named gets an invitation. `seating` is one of `seating.WAYS`. With
    `is_limited` the host may have so many open games, and invite so often; the operator who opens one is not limited.
    """
    chosen = edition_with(edition, options)
    people = players if seats is None else len(seats)
    if players not in (None, people):
        raise Problem("form", f"players says {players}, and seats lists {people}; one of them is enough.")
    hands = _hands(chosen, people) if position is None else _hands_of_position(chosen, people, position)
    wanted = [Guest()] * len(hands) if seats is None else _wanted(host, seats)
    if seating not in WAYS:
        raise Problem("form", f"seating: one of {', '.join(WAYS)}.")
    checked_clock = checked(clock, runtime().settings.min_turn)
    with transaction():
        if is_limited:
            _check_not_too_many(host)
            invitations.check_how_often(host, wanted)
        decided()
        game = Game(
            id=runtime().new_id("game"),
            name=_name(),
            host_id=host.id,
            edition=chosen.name,
            options=chosen.options,
            clock=checked_clock,
            visibility=visibility,
            code=runtime().new_id("code"),
            label=label,
            seating=seating,
            position=position,
            created_at=now(),
            events=0,
        )
        session.add(game)
        session.flush()
        for number, (hand, whom) in enumerate(zip(hands, wanted, strict=True), 1):
            seat = Seat(game=game, number=number, pawns=list(hand), bot=whom.bot, nonce=runtime().new_id("nonce"))
            seat.player_id = whom.player_id if whom.player_id == host.id else None
            session.add(seat)
        session.flush()
        record_event(game, "opened", host=host.name)
        for seat, whom in zip(game.seats, wanted, strict=True):
            if not seat.is_taken and whom != Guest():
                invitations.keep(seat, whom, host, is_limited=is_limited)
    return game


def _check_not_too_many(host: Player) -> None:
    session.get_one(Player, host.id, with_for_update={"key_share": True})  # until the game is there to be counted
    theirs = (Game.host_id == host.id, Game.status == "open")
    if (session.scalar(select(func.count()).select_from(Game).where(*theirs)) or 0) >= MOST_OPEN:
        told = f"You host {MOST_OPEN} games that have not begun, as many as there may be"
        raise Problem("enough", f"{told}; start one of them, or hand one over.")


def join(
    game_id: str, player: Player, *, seat: int | None = None, role: str | None = None, code: str | None = None
) -> Game:
    """Take a seat: the one asked for, the one kept for the player, or the first open one of `role`.

    In a running game it is one that is offered, as whoever sits there is late too often.
    """
    try:
        with transaction():
            game = visible(game_id, player, code=code, lock=True)
            if game.status == "running":
                _check_not_seated(game, player)
                return substitution.take_over(game, player, seat, role)
            check_open(game)
            _check_not_seated(game, player)
            chosen = _choose(game, player, seat, role)
            talk.check_has_not_heard(chosen, player)
            decided()
            _sit_down(chosen, player)
    except IntegrityError:
        # Two requests of one player at once, on a database that lets both look before either writes.
        raise Problem("already-seated", "You have a seat in this game already.") from None
    return game


def invite(
    game_id: str, host: Player, number: int | None, wanted: Mapping[str, Any], *, is_limited: bool = True
) -> Game:
    """Keep an open seat for somebody, who gets an invitation; only the host may. Himself he seats, and bots.

    `wanted` has one of `player`, `invite` and `bot`, as a seat of `open_game`. Without a number it is the first seat
    that is open, and fits. Twice the same is the same as once. `is_limited` is as in `open_game`.
    """
    with transaction():
        game = visible(game_id, host, lock=True)
        hosting.check_host(game, host, INVITES)
        seat = _open_seat(game, wanted) if number is None else _seat(game, number)
        guest = invitations.guest(host, {**wanted, "role": seat.role})
        if guest == Guest():
            raise Problem("form", "Name one for the seat: player, invite or bot.")
        check_open(game)
        if guest != _guest_of(seat):
            _check_free_for(seat, guest, host)
            if is_limited:
                invitations.check_how_often(host, [guest])
            decided()
            _put(seat, guest, host, is_limited=is_limited)
    return game


def leave(game_id: str, player: Player, seat: int | None = None) -> Game:
    """Give a seat back, or decline an invitation to it, before the start. The host may clear any seat."""
    with transaction():
        game = visible(game_id, player, lock=True)
        given = [s for s in game.seats if s.is_taken or s.is_kept]
        if seat is None or player.id != game.host_id:
            given = [s for s in given if player.id in (s.player_id, s.invited_id)]
        wanted = [s for s in given if seat in (None, s.number)]
        if not wanted:
            raise Problem("forbidden", "That seat is not yours to give back.")
        check_open(game, "This game has started; RESIGN ends it for your side.")
        decided()
        for one in wanted:
            former = one.player_id
            _free(one, "left" if former else "declined", told=player.id != game.host_id)
            if former is not None and former != player.id:
                notices.cleared(one, former)
            elif former is not None:
                hosting.seat_left(one, former)
    return game


def decline(seat: Seat) -> None:
    """Whoever reads the mail of an invited address wants no seat; the caller has locked the game."""
    _free(seat, "declined")


def lapse(game: Game, row: Deadline) -> None:
    """A seat has been kept long enough."""
    seat = _seat(game, row.seat)
    if game.status == "open" and seat.is_kept:
        _free(seat, "lapsed")


def undelivered(invitation_id: str) -> None:
    """The mail to an invited address came back for good: the host may have mistyped it, and hears of it at once."""
    game_id = session.scalar(select(Seat.game_id).where(Seat.invitation_id == invitation_id))
    game = locked(game_id) if game_id else None
    seat = next((seat for seat in game.seats if seat.invitation_id == invitation_id), None) if game else None
    if seat is not None and seat.invitation is not None and seat.game.status == "open":
        is_his = seat.invitation.host_id == seat.game.host_id  # an address is told to nobody but who wrote it
        _free(seat, "undelivered", whom=(seat.invitation.email or "") if is_his else "")


def unreached(game_id: str, player_id: str) -> None:
    """No mail reaches a player who is invited by name: the host hears of it, and the seat is kept, as he may look."""
    game = locked(game_id)
    named = (seat for seat in game.seats if seat.is_kept and not invitations.is_by_address(seat))
    guest = session.get_one(Player, player_id)
    seat = next((seat for seat in named if invitations.is_for(seat, guest)), None)
    if seat is not None and game.status == "open" and not notices.is_vacancy_told(game):
        notices.vacant(seat, "unreached")


def start(game_id: str, player: Player) -> Game:
    """Deal and begin. Only the host may, and only when every seat is taken."""
    with transaction():
        game = visible(game_id, player, lock=True)
        hosting.check_host(game, player, "starts the game")
        check_open(game, "This game has started already.")
        missing = [seat.number for seat in game.seats if not seat.is_taken]
        if missing:
            who = "Mr. X (seat 1) is missing" if 1 in missing else "seats are open"
            raise Problem(
                "seats-open", f"The game cannot start: {who}; still to be taken: {_list(missing)}.", open=missing
            )
        decided()
        give_out(game)
        table = _deal(game)
        game.status = "running"
        game.started_at = now()
        game.turn = table.turn
        sealed_log.begin(game, table)
        record_event(game, "started", starts=game.starts)
        notices.started(game)
        if table.outcome is None:
            begin_phase(game, table)
        else:  # a position can be decided as it stands
            game.round = table.round
            endings.end(game, table, endings.by_play(table.outcome))
    return game


def _name() -> str:
    rng = runtime().rng("name")
    return f"{rng.choice(_FIRST)} {rng.choice(_SECOND)}"


def practice(host: Player, role: str, edition: str, players: int | None = None) -> Game:
    """A game of `host` in that role against the house, begun at once."""
    people = players or max(edition_with(edition, None).options["players"])
    mine: dict[str, Any] = {"role": role, "player": host.id}
    mr_x = mine if role == "mr_x" else {"role": "mr_x", "bot": "fugitive"}
    detectives = [mine] * (role == "detective")
    while len(detectives) < people - 1:
        detectives.append({"role": "detective", "bot": "constable"})
    with transaction():
        game = open_game(host, edition, seats=[mr_x, *detectives])
        return start(game.id, host)


def around(
    host: Player,
    edition: engine.Edition,
    guests: Sequence[Mapping[str, str]],
    *,
    people: int | None = None,
    sits: str | None = None,
) -> list[dict[str, Any]]:
    """The `seats` of a game with these guests, each as `whom` has it, in their order, Mr. X's seat first.

    `sits` is mr_x, detective or anywhere for a host who plays. The game is for so many `people`, the guests if nobody
    says how many, or as many as the edition allows.
    """
    fewest, most = min(edition.options["players"]), max(edition.options["players"])
    named = len(guests) + (sits is not None)
    people = people or (max(fewest, named) if guests else most)
    if named > people:
        raise Problem("form", f"That names {named} players for a game of {people}.")
    seats: list[dict[str, Any]] = [{"role": "detective" if n else "mr_x"} for n in range(people)]
    bound = ("mr_x", "detective", *bots.names("mr_x"))
    wanted: list[tuple[Mapping[str, str], str | None]] = [(guest, guest.get("bot")) for guest in guests]
    if sits is not None:
        wanted.insert(0, ({"player": host.id}, sits if sits in bound else None))
    # Who cannot sit anywhere else goes first.
    for guest, place in sorted(wanted, key=lambda pair: pair[1] not in bound):
        free = [seat for seat in seats if len(seat) == 1 and _fits(seat, place)]
        if not free:
            raise Problem("form", f"There is no seat for {place} in this game besides those that are named.")
        free[0].update(guest)
    return seats


def _fits(seat: Mapping[str, Any], place: str | None) -> bool:
    return place in (None, seat["role"], *bots.names(seat["role"]))


def whom(named: str) -> dict[str, str]:
    """Whom somebody means by a player of the house, an address or a name, as a seat of `open_game` has it."""
    of_the_house = bots.names("mr_x") + bots.names("detective")
    return {"bot": named} if named in of_the_house else {"invite": named}


def publish(game_id: str, host: Player) -> Game:
    """Let everybody see a game that has not begun, and join it; the host only."""
    with transaction():
        game = visible(game_id, host, lock=True)
        hosting.check_host(game, host, "lists a game")
        check_open(game, "This game has started already.")
        decided()
        game.visibility = "public"
    return game


def _deal(game: Game) -> engine.Game:
    edition = edition_of(game)
    if game.position is not None:
        table = engine.Game.at(edition, game.position)
    else:
        table = engine.Game.deal(edition, players=len(game.seats), rng=runtime().rng("deal"))
        game.mr_x_start = table.starts["mr_x"]
    game.starts = {pawn: station for pawn, station in table.starts.items() if pawn != "mr_x"}
    return table


def edition_with(name: str, options: Mapping[str, Any] | None) -> engine.Edition:
    """The edition of that name with these options; `Problem` form when there is none."""
    try:
        return engine.Edition.named(name).with_options(**(options or {}))
    except engine.OptionError as error:
        raise Problem("form", str(error)) from None


def _hands(edition: engine.Edition, people: int | None) -> Sequence[tuple[str, ...]]:
    """The pawns of each seat, Mr. X's first; as many seats as the edition has when nobody says how many."""
    try:
        return edition.seats(max(edition.options["players"]) if people is None else people)
    except engine.OptionError as error:
        raise Problem("form", str(error)) from None


def _hands_of_position(
    edition: engine.Edition, people: int | None, position: Mapping[str, Any]
) -> Sequence[tuple[str, ...]]:
    """The same for a game set up from a position, in which each pawn is a seat."""
    if not runtime().settings.sandbox:
        raise Problem("forbidden", "Games from a position are played only where SANDBOX is on.")
    try:
        hands = engine.Game.at(edition, position).seats
    except engine.EngineError as error:
        raise Problem("form", f"position: {error}") from None
    if people not in (None, len(hands)):
        raise Problem("form", f"This position has {len(hands)} seats, Mr. X included, not {people}.")
    return hands


def _wanted(host: Player, seats: Sequence[Mapping[str, Any]]) -> list[Guest]:
    """Who is wanted on which seat, seat 1 (Mr. X) first."""
    if [seat["role"] for seat in seats].count("mr_x") != 1:
        raise Problem("form", "seats: exactly one has the role mr_x; all others are detective.")
    return invitations.guests(host, sorted(seats, key=lambda seat: seat["role"] != "mr_x"))


def _check_free_for(seat: Seat, guest: Guest, host: Player) -> None:
    others = seat.game.seats
    if seat.is_taken or seat.is_kept:
        raise Problem("seat-taken", "That seat is taken or kept for somebody; clear it first.")
    if guest.email and any(guest.email == _guest_of(other).email for other in others):
        raise Problem("form", "That address is invited to another seat of this game already.")
    if guest.player_id == host.id:
        _check_not_seated(seat.game, host)
        talk.check_has_not_heard(seat, host)
    elif guest.player_id and any(guest.player_id == other.player_id for other in others):
        raise Problem("form", "That player has a seat in this game already.")


def _put(seat: Seat, guest: Guest, host: Player, *, is_limited: bool) -> None:
    """Keep a seat that is free for a guest; the host and players of the house sit down."""
    if guest.player_id == host.id:
        _sit_down(seat, host)
    elif guest.bot:
        seat.bot = guest.bot
        record_event(seat.game, "joined", seat=seat.number, bot=guest.bot)
        _tell_if_complete(seat.game)
    else:
        invitations.keep(seat, guest, host, is_limited=is_limited)


def _guest_of(seat: Seat) -> Guest:
    """Whom a seat is for, as a host would say it."""
    if seat.invitation is not None:
        return Guest(seat.invitation.guest_id) if seat.invitation.email is None else Guest(email=seat.invitation.email)
    return Guest(seat.player_id or seat.invited_id, seat.bot)


def _sit_down(seat: Seat, player: Player) -> None:
    invitations.end(seat)
    seat.player_id = player.id
    mail_frequency.hear_again(seat.game_id, player.id)
    for other in seat.game.seats:
        # One kept for an address stays so: that he could take it is not for the host to know.
        if invitations.is_for(other, player) and not invitations.is_by_address(other):
            invitations.end(other)
    record_event(seat.game, "joined", seat=seat.number, name=player.name)
    _tell_if_complete(seat.game)


def _tell_if_complete(game: Game) -> None:
    if all(seat.is_taken for seat in game.seats):
        notices.complete(game)


def _free(seat: Seat, why: str, *, told: bool = True, whom: str = "") -> None:
    """Nobody sits there or is invited there any more, and nothing made for him works; `told` is whether the host is."""
    talk.remember_leaving(seat)
    invitations.end(seat)
    seat.player_id = seat.bot = None
    seat.nonce = runtime().new_id("nonce")
    record_event(seat.game, "left", seat=seat.number)
    if told:
        notices.vacant(seat, why, whom)


def check_open(game: Game, sentence: str = "This game has started; its seats are given.") -> None:
    if game.status != "open":
        raise Problem("game-not-open", sentence)


def _check_not_seated(game: Game, player: Player) -> None:
    if any(player.id == taken.player_id for taken in game.seats):
        raise Problem("already-seated", "You have a seat in this game already.")


def _seat(game: Game, number: int) -> Seat:
    for seat in game.seats:
        if seat.number == number:
            return seat
    raise Problem("form", f"There is no such seat; the seats are 1 (Mr. X) to {len(game.seats)}.")


def _choose(game: Game, player: Player, number: int | None, role: str | None) -> Seat:
    seats = [s for s in game.seats if number in (None, s.number) and role in (None, s.role)]
    if not seats:
        raise Problem("form", f"There is no such seat; the seats are 1 (Mr. X) to {len(game.seats)}.")
    for seat in sorted(seats, key=lambda s: not invitations.is_for(s, player)):
        if not seat.is_taken and (invitations.is_for(seat, player) or not seat.is_kept):
            return seat
    raise Problem("seat-taken", "That seat is taken, or kept for somebody who was invited.")


def _open_seat(game: Game, wanted: Mapping[str, Any]) -> Seat:
    check_open(game)
    for seat in game.seats:
        if not seat.is_taken and not seat.is_kept and wanted.get("bot") in (None, *bots.names(seat.role)):
            return seat
    raise Problem("seat-taken", "Every seat that fits is taken, or kept for somebody.")


def _list(numbers: Sequence[int]) -> str:
    return "seat " + ", ".join(map(str, numbers)) if len(numbers) == 1 else "seats " + ", ".join(map(str, numbers))
