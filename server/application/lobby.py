"""From an idea to a running game: open, join, leave, start."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import select
from sqlalchemy.exc import IntegrityError

from server import engine, house
from server.application import clock as clocks
from server.application import notices, sealing, talk
from server.application.errors import Problem
from server.application.games import edition_of, happened, visible
from server.application.moves import begin_half, end
from server.models import Game, Player, Seat, session, transaction
from server.runtime import now, runtime

_FIRST = ("Foggy", "Rainy", "Silent", "Midnight", "Gaslit", "Hidden", "Winding", "Frosty", "Crooked", "Amber")
_SECOND = ("Thames", "Chelsea", "Whitehall", "Soho", "Lambeth", "Mayfair", "Camden", "Pimlico", "Southwark", "Strand")


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
    position: Mapping[str, Any] | None = None,
) -> Game:
    """A game with its seats, open to be joined. Seat 1 is Mr. X; pawns follow from the edition.

    `seats` are `{"role": "mr_x" or "detective", "player": id}`, or with `"bot": name` in the place of the player; a
    seat without either is open. Or `players` gives a number of open seats. The host sits where he names himself;
    whoever else is named gets an invitation.
    """
    chosen = _edition(edition, options)
    people = players if seats is None else len(seats)
    if players not in (None, people):
        raise Problem("form", f"players says {players}, and seats lists {people}; one of them is enough.")
    hands = _hands(chosen, people) if position is None else _hands_of_position(chosen, people, position)
    wanted = [_Wanted()] * len(hands) if seats is None else _wanted(seats)
    checked_clock = clocks.check_clock(clock, runtime().settings.min_turn)
    with transaction():
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
            position=position,
            created_at=now(),
            events=0,
        )
        session.add(game)
        session.flush()
        for number, (hand, whom) in enumerate(zip(hands, wanted, strict=True), 1):
            seat = Seat(game=game, number=number, pawns=list(hand), bot=whom.bot, nonce=runtime().new_id("nonce"))
            if whom.player_id == host.id:
                seat.player_id = whom.player_id
            else:
                seat.invited_id = whom.player_id
            session.add(seat)
        session.flush()
        happened(game, "opened", host=host.name)
        notices.invited(game)
    return game


def join(
    game_id: str, player: Player, *, seat: int | None = None, role: str | None = None, code: str | None = None
) -> Game:
    """Take a seat: the one asked for, the one kept for the player, or the first open one of `role`."""
    try:
        with transaction():
            game = visible(game_id, player, code=code, lock=True)
            if game.status != "open":
                raise Problem("game-not-open", "This game has started; its seats are given.")
            if any(player.id == taken.player_id for taken in game.seats):
                raise Problem("already-seated", "You have a seat in this game already.")
            chosen = _choose(game, player, seat, role)
            talk.check_has_not_heard(chosen, player)
            chosen.player_id = player.id
            for other in game.seats:
                if other.invited_id == player.id:
                    other.invited_id = None
            happened(game, "joined", seat=chosen.number, name=player.name)
            if all(taken.is_taken for taken in game.seats):
                notices.complete(game)
    except IntegrityError:
        # Two requests of one player at once, on a database that lets both look before either writes.
        raise Problem("already-seated", "You have a seat in this game already.") from None
    return game


def leave(game_id: str, player: Player, seat: int | None = None) -> Game:
    """Give a seat back, or decline an invitation to it, before the start. The host may clear any seat."""
    with transaction():
        game = visible(game_id, player, lock=True)
        given = [s for s in game.seats if s.is_taken or s.invited_id]
        if seat is None or player.id != game.host_id:
            given = [s for s in given if player.id in (s.player_id, s.invited_id)]
        wanted = [s for s in given if seat in (None, s.number)]
        if not wanted:
            raise Problem("forbidden", "That seat is not yours to give back.")
        if game.status != "open":
            raise Problem("game-not-open", "This game has started; RESIGN ends it for your side.")
        for free in wanted:
            talk.remember_leaving(free)
            free.player_id = free.invited_id = free.bot = None
            free.nonce = runtime().new_id("nonce")
            happened(game, "left", seat=free.number)
    return game


def start(game_id: str, player: Player) -> Game:
    """Deal and begin. Only the host may, and only when every seat is taken."""
    with transaction():
        game = visible(game_id, player, lock=True)
        if player.id != game.host_id:
            raise Problem("forbidden", "Only the host starts the game.")
        if game.status != "open":
            raise Problem("game-not-open", "This game has started already.")
        missing = [seat.number for seat in game.seats if not seat.is_taken]
        if missing:
            who = "Mr. X (seat 1) is missing" if 1 in missing else "seats are open"
            raise Problem(
                "seats-open", f"The game cannot start: {who}; still to be taken: {_list(missing)}.", open=missing
            )
        table = _deal(game)
        game.status = "running"
        game.started_at = now()
        game.turn = table.turn
        sealing.begin(game, table)
        happened(game, "started", starts=game.starts)
        notices.started(game)
        if table.outcome is None:
            begin_half(game, table)
        else:  # a position can be decided as it stands
            game.round = table.round
            end(game, table, table.outcome.winner, table.outcome.reason)
    return game


def _name() -> str:
    dice = runtime().dice("name")
    return f"{dice.choice(_FIRST)} {dice.choice(_SECOND)}"


def practice(host: Player, role: str, edition: str, players: int | None = None) -> Game:
    """A game of `host` in that role against the house, begun at once."""
    people = players or max(_edition(edition, None).options["players"])
    mine: dict[str, Any] = {"role": role, "player": host.id}
    mr_x = mine if role == "mr_x" else {"role": "mr_x", "bot": "fugitive"}
    detectives = [mine] * (role == "detective")
    while len(detectives) < people - 1:
        detectives.append({"role": "detective", "bot": "constable"})
    with transaction():
        game = open_game(host, edition, seats=[mr_x, *detectives])
        return start(game.id, host)


def _deal(game: Game) -> engine.Game:
    edition = edition_of(game)
    if game.position is not None:
        table = engine.Game.at(edition, game.position)
    else:
        table = engine.Game.deal(edition, players=len(game.seats), rng=runtime().dice("deal"))
        game.mr_x_start = table.starts["mr_x"]
    game.starts = {pawn: station for pawn, station in table.starts.items() if pawn != "mr_x"}
    return table


def _edition(name: str, options: Mapping[str, Any] | None) -> engine.Edition:
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


class _Wanted(NamedTuple):
    """Whom the host wants on a seat: a player, a player of the house, or whoever comes."""

    player_id: str | None = None
    bot: str | None = None


def _wanted(seats: Sequence[Mapping[str, Any]]) -> list[_Wanted]:
    """Who is wanted on which seat, seat 1 (Mr. X) first."""
    if [seat["role"] for seat in seats].count("mr_x") != 1:
        raise Problem("form", "seats: exactly one has the role mr_x; all others are detective.")
    in_order = sorted(seats, key=lambda seat: seat["role"] != "mr_x")
    for seat in in_order:
        _check_bot(seat)
    wanted = [_Wanted(seat.get("player"), seat.get("bot")) for seat in in_order]
    named = [whom.player_id for whom in wanted if whom.player_id is not None]
    for player_id in named:
        if session.scalar(select(Player.id).where(Player.id == player_id, Player.gone_at.is_(None))) is None:
            raise Problem("form", f"seats: there is no player {player_id!r}.")
    if len(named) != len(set(named)):
        raise Problem("form", "seats: a player can have one seat only.")
    return wanted


def _check_bot(seat: Mapping[str, Any]) -> None:
    if seat.get("bot") is None:
        return
    if seat.get("player") is not None:
        raise Problem("form", "seats: a seat is for a player or for a bot, not for both.")
    names = house.names(seat["role"])
    if seat["bot"] not in names:
        raise Problem("form", f"seats: as {seat['role']} the house has {' and '.join(names)}, not {seat['bot']!r}.")


def _choose(game: Game, player: Player, number: int | None, role: str | None) -> Seat:
    seats = [s for s in game.seats if number in (None, s.number) and role in (None, s.role)]
    if not seats:
        raise Problem("form", f"There is no such seat; the seats are 1 (Mr. X) to {len(game.seats)}.")
    for seat in sorted(seats, key=lambda s: s.invited_id != player.id):
        if not seat.is_taken and seat.invited_id in (None, player.id):
            return seat
    raise Problem("seat-taken", "That seat is taken, or kept for somebody who was invited.")


def _list(numbers: Sequence[int]) -> str:
    return "seat " + ", ".join(map(str, numbers)) if len(numbers) == 1 else "seats " + ", ".join(map(str, numbers))
