"""Open a game: its edition, its clock, its seats, and the guest each seat is for."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sqlalchemy import func, select

from server import bots, engine
from server.application.game.deciding import Decided, use_case
from server.application.game.situations import add_newcomer, add_webhooks_of, decided_for
from server.application.game.state import edition_of
from server.application.lobby import game_names, invitations
from server.house_rules import before_start, guest_rules
from server.house_rules.before_start import Person
from server.house_rules.dealing import WAYS, deal_and_begin
from server.house_rules.draft import Draft
from server.house_rules.invitations import Guest
from server.house_rules.reasons import sentence_of
from server.house_rules.situation import COLUMNS, Lobby, Situation
from server.house_rules.standing import Sight
from server.house_rules.timers import check_clock
from server.models import Game, Player, session
from server.runtime import now, runtime
from server.vocabulary.errors import Problem, refusal
from server.vocabulary.translation import pgettext

MOST_OPEN = 30  # games of one host that have not started
MOST_OPEN_OF_GUEST = 3
MOST_OF_GUEST = 8  # that are not over
# The clock of a practice game. Its result is final at once, as nobody else could object to it.
UNHURRIED = {"kind": "per_phase", "mr_x": "P14D", "detectives": "P14D", "provisional": "PT0S"}


@use_case
def open_game(
    host: Player,
    edition: str,
    *,
    options: Mapping[str, object] | None = None,
    players: int | None = None,
    seats: Sequence[Mapping[str, object]] | None = None,
    clock: Mapping[str, object] | None = None,
    visibility: str = "private",
    label: str | None = None,
    seating: str = "chosen",
    guests: Mapping[str, object] | None = None,
    starts_when_full: bool = False,
    position: Mapping[str, object] | None = None,
    seed: str | None = None,
    name: str | None = None,
    team: bool = False,
    is_limited: bool = True,
    then: Callable[[Draft], None] = lambda _draft: None,
) -> Decided[Sight]:
    """Open a game with its seats. Seat 1 is Mr. X; the pawns of a seat follow from the edition.

    A host who names themselves on a seat sits there; every other person who is named gets an invitation.

    Args:
        seats: `{"role": "mr_x" or "detective", "player": id}` for each, or instead of the player `"invite"`, an address
            or a name, or `"bot": name` with a `"level"`; a seat without any is open.
        players: a number of open seats, in place of `seats`.
        seating: one of `dealing.WAYS`.
        guests: as in `guest_rules.GuestRules`; what is left out is as usual.
        starts_when_full: the game starts as soon as somebody takes its last seat; else its host starts it.
        seed: practice games with the same one, seats and rules are dealt alike, and bots draw alike in them.
        name: of the host's choice; without one the game gets one such as `Foggy Thames`.
        team: for two, of whom one has all detectives, as many as `players` people have, by default the most. An edition
            that is for two as well keeps its own way.
        is_limited: whether the number of the host's open games and invitations is limited; the operator's is not.
        then: is done in the same decision; nothing of it may be refused.

    Raises:
        Problem: `form` or `name-taken` if the arguments are not valid, `enough` or `too-many` if a limit is reached,
            `forbidden` for a public game of a guest.
    """
    chosen = edition_with(edition, options)
    if team:
        hands = _hands(chosen, players or (2 if 2 in chosen.options["players"] else None))
        chosen = chosen if len(hands) == 2 else chosen.with_whole_team(sum(map(len, hands[1:])))
        players = 2
    people = players if seats is None else len(seats)
    if players not in (None, people):
        raise Problem("form", f"This game is for {players} players, and seats lists {people}.")
    hands = _hands(chosen, people) if position is None else _hands_of_position(chosen, people, position)
    wanted = [Guest()] * len(hands) if seats is None else _guests(host, seats)
    if seed is not None and sum(whom.bot is None for whom in wanted) != 1:
        raise Problem("form", "only a game of one player against bots has one, as it repeats the deal.", field="seed")
    guest_rules.check_may_host(visibility, is_guest=host.is_guest)
    if seating not in WAYS:
        raise Problem("form", f"one of {', '.join(WAYS)}.", field="seating")
    checked_name = game_names.check(name) if name else None
    checked_guests = guest_rules.check(guests, seating)
    checked_clock = check_clock(clock, runtime().settings.min_turn)
    if is_limited:
        _check_not_too_many(host)
        invitations.check_how_often(host, wanted)

    def write() -> Sight:
        game = _without_seats(
            name=checked_name or game_names.new(), host_id=host.id, edition=chosen.name, options=chosen.options,
            clock=checked_clock, visibility=visibility, label=label, seating=seating, guests=checked_guests, seed=seed,
            starts_when_full=starts_when_full, lobby=Lobby(None if position is None else dict(position)),
        )  # fmt: skip
        person = Person(add_newcomer(game, host), host.name)
        invited = [whom for whom in wanted if whom.bot is None and whom not in (Guest(), Guest(host.id))]
        invitees = {whom: invitations.invitee(host, whom, is_limited=is_limited) for whom in invited}
        for each in invitees.values():
            add_webhooks_of(game, each.player_id)

        def command(draft: Draft) -> None:
            before_start.open_seats(draft, person, hands, wanted, invitees)
            then(draft)

        opened = decided_for(game, host, command).write()
        invitations.forget_old()
        return opened

    return Decided(write)


def _without_seats(**chosen: Any) -> Situation:
    """Return a game that is not opened yet; `chosen` are its own columns."""
    nothing: dict[str, Any] = dict.fromkeys(COLUMNS)
    numbers = {"events": 0, "outages": 0, "mr_x_misses": 0, "is_contestable": False, "repaired": 0, "pauses": [],
               "final": False, "version": ""}  # fmt: skip
    around = ("seats", "timers", "queue", "held", "motions", "absences", "draw_changes", "owed", "webhooks")
    empty: dict[str, Any] = {part: [] for part in around}
    made = {"id": runtime().new_id("game"), "code": runtime().new_id("code"), "status": "open", "created_at": now()}
    return Situation(**nothing | empty | numbers | made | {"state": None} | chosen)


def _check_not_too_many(host: Player) -> None:
    session.get_one(Player, host.id, with_for_update={"key_share": True})  # until the game is there to be counted
    theirs = select(func.count()).select_from(Game).where(Game.host_id == host.id)
    most = MOST_OPEN_OF_GUEST if host.is_guest else MOST_OPEN
    if (session.scalar(theirs.where(Game.status == "open")) or 0) >= most:
        raise refusal(
            "enough",
            "You host {most} games that have not begun, as many as there may be; start one of them, or hand one over.",
            most=most,
        )
    if host.is_guest and (session.scalar(theirs.where(Game.status != "over")) or 0) >= MOST_OF_GUEST:
        raise refusal(
            "enough", "You host {most} games that are not over. Finish one, or add your address.", most=MOST_OF_GUEST
        )


@use_case
def practice(
    host: Player,
    role: str,
    edition: str,
    players: int | None = None,
    clock: Mapping[str, object] | None = None,
    level: str | None = None,
    options: Mapping[str, object] | None = None,
) -> Decided[Sight]:
    """Open and start a private game of `host` with bots in all other seats; easy ones if none is named.

    Nobody waits for them, so they have long for each turn unless `clock` says otherwise. `role` is `mr_x`, `detective`
    or `team`, which moves all detectives that so many `players` have.
    """
    is_team = role == "team"
    people = 2 if is_team else players or max(edition_with(edition, options).options["players"])
    return open_game.decide(
        host, edition, seats=seats_of_practice(host, role, people, level or bots.FIRST), clock=clock or UNHURRIED,
        options=options, players=players if is_team else None, team=is_team,
        is_limited=not host.is_guest,  # `guests.practise` limits theirs
        then=lambda draft: deal_and_begin(draft, edition_of(draft.game), {}),
    )  # fmt: skip


def seats_of_practice(host: Player, role: str, people: int, level: str) -> list[dict[str, Any]]:
    """Return the `seats` of `open_game` for a practice game: the host is Mr. X, or has the first detective's seat."""
    roles = ["mr_x", *["detective"] * (people - 1)]
    seats: list[dict[str, Any]] = [{"role": each, "bot": bots.names(each)[0], "level": level} for each in roles]
    mine = 0 if role == "mr_x" else 1
    seats[mine] = {"role": roles[mine], "player": host.id}
    return seats


def arrange_seats(
    host: Player,
    edition: engine.Edition,
    guests: Sequence[Mapping[str, str]],
    *,
    people: int | None = None,
    sits: str | None = None,
) -> list[dict[str, Any]]:
    """Return the `seats` of `open_game` for these guests, in their order, Mr. X's seat first.

    Args:
        guests: each as `read_guest` returns it.
        people: the number of seats; by default one for each guest, or as many as the edition allows.
        sits: `mr_x`, `detective` or `anywhere` for a host who plays.
    """
    fewest, most = min(edition.options["players"]), max(edition.options["players"])
    named = len(guests) + (sits is not None)
    people = people or (max(fewest, named) if guests else most)
    if named > people:
        raise refusal("form", "That names {named} players for a game of {people}.", named=named, people=people)
    seats: list[dict[str, Any]] = [{"role": "detective" if n else "mr_x"} for n in range(people)]
    bound = ("mr_x", "detective", *bots.names("mr_x"))
    wanted: list[tuple[Mapping[str, str], str | None]] = [(guest, guest.get("bot")) for guest in guests]
    if sits is not None:
        wanted.insert(0, ({"player": host.id}, sits if sits in bound else None))
    # Guests who can sit on one kind of seat only go first.
    for guest, place in sorted(wanted, key=lambda pair: pair[1] not in bound):
        free = [seat for seat in seats if len(seat) == 1 and place in (None, seat["role"], *bots.names(seat["role"]))]
        if not free:
            names = {"mr_x": pgettext("seat for", "mr_x"), "detective": pgettext("seat for", "detective")}
            raise refusal(
                "form", "There is no further seat for {place} in this game.", place=names.get(place or "", place)
            )
        free[0].update(guest)
    return seats


def read_guest(named: str) -> dict[str, str]:
    """Return the guest that the name of a bot, an address or a name means, as a seat of `open_game` has it.

    Behind the name of a bot its level may stand: `constable good`.
    """
    name, _, level = named.partition(" ")
    if name in (*bots.names("mr_x"), *bots.names("detective")):
        return {"bot": name} | ({"level": level} if level else {})
    return {"invite": named}


def edition_with(name: str, options: Mapping[str, object] | None) -> engine.Edition:
    """Return the edition of that name with these options; raise `Problem` form if there is none."""
    try:
        return engine.Edition.named(name).with_options(**(options or {}))
    except engine.OptionError as error:
        raise Problem("form", sentence_of(error)) from None


def _hands(edition: engine.Edition, people: int | None) -> Sequence[tuple[str, ...]]:
    """Return the pawns of each seat, Mr. X's first, for so many people, by default as many as the edition allows."""
    try:
        return edition.seats(max(edition.options["players"]) if people is None else people)
    except engine.OptionError as error:
        raise Problem("form", sentence_of(error)) from None


def _hands_of_position(
    edition: engine.Edition, people: int | None, position: Mapping[str, object]
) -> Sequence[tuple[str, ...]]:
    """Return the pawns of each seat for a game from a position, in which each pawn has a seat."""
    if not runtime().settings.sandbox:
        raise Problem("forbidden", "Games from a position are played only where SANDBOX is on.")
    try:
        hands = engine.Game.at(edition, position).seats
    except engine.EngineError as error:
        raise Problem("form", str(error).removeprefix("position: "), field="position") from None
    if people not in (None, len(hands)):
        raise Problem("form", f"This position has {len(hands)} seats, Mr. X included, not {people}.")
    return hands


def _guests(host: Player, seats: Sequence[Mapping[str, object]]) -> list[Guest]:
    """Return the guest of each seat, seat 1 (Mr. X) first."""
    if [seat["role"] for seat in seats].count("mr_x") != 1:
        raise Problem("form", "exactly one has the role mr_x; all others are detective.", field="seats")
    return invitations.guests(host, sorted(seats, key=lambda seat: seat["role"] != "mr_x"))
