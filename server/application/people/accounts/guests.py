"""Guests: players without an address, who practise against bots in one browser, or sit at a friend's table.

A guest becomes a player like any other by confirming an address. One who has not come for some days is deleted, with
the games. But a game among people keeps its guests until its result is final.
"""

import re
from collections.abc import Callable, Mapping
from datetime import date, timedelta
from functools import partial

from sqlalchemy import ColumnElement, ScalarSelect, case, exists, func, select, update

from server.application.game.situations import carry_out, load, load_visible
from server.application.limits import quotas
from server.application.limits.quotas import Branch, served_at, usage_of, who_pays
from server.application.lobby import again, opening, seats
from server.application.lobby.seats import seat_newcomer
from server.application.mail import mail_frequency
from server.application.people import admission, codes, names
from server.application.people.accounts import addresses, browsers, deletion, renaming
from server.application.people.players import check_name, with_email
from server.engine import USUAL
from server.house_rules import before_start, guest_rules
from server.house_rules.draft import Draft
from server.house_rules.situation import Situation
from server.house_rules.standing import Sight, Standing, role_of
from server.house_rules.substitution import pass_seat_on
from server.models import (
    BrowserSession,
    FormerHolder,
    Game,
    Message,
    Move,
    Player,
    Seat,
    execute,
    plain,
    session,
    transaction,
)
from server.runtime import now, runtime
from server.vocabulary.durations import DAY, parse_duration, say_duration, seconds_until
from server.vocabulary.errors import Problem, refusal
from server.vocabulary.limits import GUESTS
from server.vocabulary.lookalikes import digest
from server.vocabulary.translation import current, gettext, gettext_noop, pgettext

MOST_GAMES = 5  # that run, of one guest
MOST_OVER = 5  # games of one guest that are over; older ones are deleted
MOST_RUNNING = 30  # practice games and others of one player
IDLE: timedelta = 7 * DAY  # until a guest is deleted
NEW = timedelta(minutes=15)  # how long a guest is sure to stay
AWAY = DAY  # after so long a guest who has made fewer moves than `FEW` makes room before all others
FEW = 3
WITHOUT_CLOCK = {"kind": "none", "provisional": "PT0S"}  # nobody else could object to the end
BATCH = 20
_GIVEN_NUMBER = re.compile(r"\d{4,}(?: \d+)?")


def begin(
    network: str, browser: str, name: str = "", *, secret: str = "", is_invited: bool = False
) -> tuple[Player, str]:
    """Add a guest who came from this network; return them with the secret of the browser's session.

    The guest has the `name`, with a number behind it if somebody else has it, or without one is `Guest 1234`. A form
    that is sent twice with the `secret` of the session that it begins adds one guest.

    Those who sit at somebody else's table and all others are counted apart, so that nobody who practises takes the
    place of somebody invited. Where many practise, one of those networks that have the most makes room: the guest who
    has been away for the longest time, or the newest one who has never moved. A network that has not had its fair share
    gets a guest in any case.

    Raises:
        Problem: `form` for what is no name; `not-admitted` where there are no guests; `enough` if the network has as
            many guests as it may, or has more than its share where there are many.
    """
    admission.check_guests()
    number = runtime().rng("guest").randrange(1000, 10_000)
    wanted = check_name(name) if name else f"{pgettext('name', 'Guest')} {number}"
    branch = quotas.of_network(network)
    with transaction():
        quotas.lock_table(BrowserSession)
        if secret and (known := browsers.player_of(secret)) is not None:
            return known, secret
        _make_room(branch, is_invited=is_invited)
        free = names.free_like(wanted)
        guest = Player(
            id=runtime().new_id("player"),
            name=free,
            skeleton=digest(free),
            email=f"{runtime().new_id('guest')}@guest.invalid",
            mail=mail_frequency.OFF,
            language=current(),
            network=branch.narrow,
            provider=branch.wide,
            created_at=now(),
        )
        session.add(guest)
        session.flush()
        return guest, browsers.sign_in(guest.id, browser, secret)


def is_unnamed(guest: Player) -> bool:
    """Return True for a guest who has not chosen a name yet."""
    word, _, number = guest.name.partition(" ")
    return word in names.called_guest() and _GIVEN_NUMBER.fullmatch(number) is not None


def _make_room(branch: Branch, *, is_invited: bool) -> None:
    """Make room for a guest of this branch; raise `Problem` enough if they have to wait."""
    held = _held(are_awaited=is_invited)
    is_full = held.get(branch, 0) >= GUESTS.most
    of_both = held.get(branch, 0) + _held(are_awaited=not is_invited).get(branch, 0)
    if is_full or of_both >= 2 * GUESTS.most:  # who leaves a table is of the other kind, which may be full already
        has_place = not (is_full and is_invited) and _makes_way(branch)
    else:
        can_pay = set() if is_invited else _with_idle()
        payer = who_pays(held, branch, GUESTS, can_pay) if sum(held.values()) >= GUESTS.plenty else None
        has_place = payer is not None and _makes_way(payer)
        has_place |= served_at(usage_of(held, branch), 1, GUESTS, now(), now() + DAY) <= now()
    if not has_place:
        raise _no_room(branch, is_invited=is_invited)


def _held(*, are_awaited: bool) -> dict[Branch, int]:
    """Return the number of guests of each branch who have a seat in a game with others that goes on, or of the rest."""
    of_kind = _is_awaited() if are_awaited else ~_is_awaited()
    query = select(Player.provider, Player.network, func.count()).where(Player.network.is_not(None), of_kind)
    counts = session.execute(query.group_by(Player.network, Player.provider)).all()
    return {Branch(provider or "", narrow or ""): number for provider, narrow, number in counts}


def _no_room(branch: Branch, *, is_invited: bool) -> Problem:
    """Return the refusal of a guest of this branch, which says when there can be room again as far as that is known."""
    if is_invited:
        return refusal(
            "enough",
            "There are too many guests from your network at the moment. Sign in with your mail address, or come back "
            "when one of their games has ended.",
        )
    may_go = (*_is_from(branch), _moves_made() == 0, ~deletion.sits_with_others())
    oldest = session.scalar(select(func.min(Player.created_at)).where(*may_go))
    if oldest is None or oldest + NEW <= now():
        return refusal(
            "enough",
            "There are too many guests from your network at the moment. Sign in with your mail address, or try again "
            "tomorrow, when guests who have left make room.",
        )
    wait = timedelta(minutes=-(-(oldest + NEW - now()) // timedelta(minutes=1)))
    sentence = gettext(
        "There are too many guests from your network at the moment. Sign in with your mail address, or come back in "
        "{time}.",
        time=say_duration(wait),
    )
    return Problem("enough", sentence, retry_after=seconds_until(oldest + NEW, now()))


def _is_from(branch: Branch) -> tuple[ColumnElement[bool], ...]:
    """Return the conditions on guests who came from a branch."""
    return Player.provider == branch.wide, Player.network == branch.narrow


def _moves_made() -> ScalarSelect[int]:
    """Return the number of moves that a guest has made in games of their own."""
    moves = select(func.count()).where(Game.host_id == Player.id, Move.game_id == Game.id, Move.by == "player")
    return moves.correlate(Player).scalar_subquery()


def _is_away() -> ColumnElement[bool]:
    """Return the condition on guests who have not come for a day."""
    has_come = exists().where(BrowserSession.player_id == Player.id, BrowserSession.used_on >= (now() - AWAY).date())
    return ~has_come & (Player.created_at < now() - AWAY)


def _idle() -> tuple[ColumnElement[bool], ...]:
    """Return the conditions on guests who may make room: who never moved, or made few moves and stayed away since.

    Those who came a moment ago are not among them, and none who has a seat among people, unless the result there is
    final and they stayed away since; nor one who waits for friends, until they stayed away.
    """
    made = _moves_made()
    may_go = (made == 0) | ((made < FEW) & _is_away())
    hosts = exists().where(Game.host_id == Player.id, plain(Game.status) == "open").correlate(Player)
    is_free = ~(deletion.sits_with_others() | hosts) | (~_is_awaited() & _is_away())
    return Player.network.is_not(None), Player.created_at <= now() - NEW, may_go, is_free


def _with_idle() -> set[Branch]:
    """Return the branches of guests who may make room."""
    branches = session.execute(select(Player.provider, Player.network).where(*_idle()).distinct())
    return {Branch(provider or "", network or "") for provider, network in branches}


def _makes_way(branch: Branch) -> bool:
    """Delete a guest of a branch who may make room; return False if there is none.

    It is the one who has been away for longest, or else the newest who has never moved.
    """
    visit = select(func.max(BrowserSession.used_on)).where(BrowserSession.player_id == Player.id)
    last = visit.correlate(Player).scalar_subquery()
    order = (case((_is_away(), 0), else_=1), case((_is_away(), last)), Player.created_at.desc(), Player.id.desc())
    guest = session.scalar(select(Player).where(*_is_from(branch), *_idle()).order_by(*order).limit(1))
    if guest is not None:
        deletion.delete_guests([guest])
    return guest is not None


def practise(player: Player, role: str, level: str | None = None, edition: str = USUAL) -> Sight:
    """Open and start a game of the player against bots of a level, without a clock; see `opening.practice`."""
    return _practice_game(player, lambda: opening.practice(player, role, edition, clock=WITHOUT_CLOCK, level=level))


def try_again(player: Player, game_id: str, ply: int, side: str, level: str | None = None) -> Sight:
    """Let the player go on alone from a moment of a game whose result is final; see `again.try_again`."""
    return _practice_game(player, lambda: again.try_again(player, game_id, ply, side, level, WITHOUT_CLOCK))


def _practice_game(player: Player, begin: Callable[[], Sight]) -> Sight:
    """Begin a practice game of the player, of whom, if they are a guest, the oldest games that are over are deleted.

    Raises:
        Problem: `enough` if as many games of the player run as may.
    """
    with transaction():
        session.get_one(Player, player.id, with_for_update={"key_share": True})
        running = select(func.count()).where(Game.host_id == player.id, Game.status == "running")
        most = MOST_GAMES if player.is_guest else MOST_RUNNING
        if (session.scalar(running) or 0) >= most:
            raise refusal(
                "enough",
                "You have {most} games that are not over. Finish one of them first, or add your address to play more."
                if player.is_guest
                else "You have {most} games that are not over. Finish one of them first.",
                most=most,
            )
        begun = begin()
        if player.is_guest:
            _forget_games_of(player)
        return begun


def _forget_games_of(guest: Player) -> None:
    """Delete the games of a guest that are over, but for the last ones."""
    over = select(Game.id).where(Game.host_id == guest.id, plain(Game.status) == "over", ~deletion.was_for_others())
    deletion.delete_games(session.scalars(over.order_by(Game.ended_at.desc(), Game.id).offset(MOST_OVER)).all())


def forget_idle(limit: int = BATCH) -> int:
    """Delete guests who have not come for `IDLE`, with their games; return how many, at most `limit`.

    One who sat at a friend's table goes when no result there can change any more, and leaves a row without a name.
    """
    last = now() - IDLE
    has_come = exists().where(BrowserSession.player_id == Player.id, BrowserSession.used_on > last.date())
    query = select(Player).where(Player.network.is_not(None), Player.created_at <= last, ~has_come, ~_is_awaited())
    with transaction():
        idle = session.scalars(query.order_by(Player.network, Player.id).limit(limit)).all()
        deletion.delete_guests(idle)
    return len(idle)


def keeps_seat(guest: Player) -> bool:
    """Return True for a guest who has a seat in a game with others that has begun, and whose result is not final."""
    has_begun = Game.started_at.is_not(None)
    return session.scalar(select(Player.id).where(Player.id == guest.id, _is_awaited(has_begun))) is not None


def _is_awaited(*also: ColumnElement[bool]) -> ColumnElement[bool]:
    """Return the condition on guests who have a seat in a game with others whose result is not final."""
    return deletion.sits_with_others(Game.final.is_(False), *also)


def free_seats_of_idle() -> int:
    """Free the seats of guests in games that have not started, who stayed away longer than the host wanted.

    Return how many.
    """
    shortest = min(map(parse_duration, guest_rules.STAYS))
    last = select(func.max(BrowserSession.used_on)).where(BrowserSession.player_id == Player.id).scalar_subquery()
    there = select(Player.id, last).where(Player.network.is_not(None), Player.created_at <= now() - shortest)
    visits: dict[str, date | None] = {row.id: row[1] for row in session.execute(there)}
    held = select(Seat.game_id, Seat.player_id).where(Seat.player_id.in_(visits)).order_by(Seat.game_id, Seat.number)
    freed = 0
    for game_id, player_id in session.execute(held).all() if visits else ():
        visit = visits[str(player_id)]
        with transaction():
            game = load(game_id)
            stay = parse_duration(guest_rules.rules_of(game).stay)
            seat = game.seat_held_by(player_id)
            if game.status == "open" and seat is not None and (visit is None or visit < (now() - stay).date()):
                carry_out(game, partial(before_start.free_abandoned_seat, number=seat.number))
                freed += 1
    return freed


WRONG_DIGITS = gettext_noop(
    "These digits are not good, or not in this browser. Look at the newest mail; its link works in every browser."
)


# A guest who becomes a player: by an address that they show to be theirs, in this browser or by the link of the mail.
#
# If the address is a player's already, the guest's seats pass to that player. A detective whose browser has lost its
# cookie goes on by a link from the host.


def confirm_pin(guest: Player, pin: str, secret: str, browser: str) -> str | None:
    """Confirm the address to which these six digits were mailed; return the secret of the session that goes on.

    Args:
        secret: that of the browser's session, in which alone the digits count.
        browser: its name.

    Returns:
        None if the digits are wrong, which is counted: the caller commits, and says so (`WRONG_DIGITS`).

    Raises:
        Problem: as of `confirm_link`.
    """
    with transaction():
        wanted = codes.redeem_pin(guest.id, pin, secret)
        return None if wanted is None else _become(guest.id, wanted, browser, secret)


def asked(code: str) -> tuple[Player, str]:
    """Return the guest who asked for the code of a link, and the address; `Problem` bad-code if it is not good."""
    guest, wanted = codes.asked_by((codes.ADDRESS,), code)
    return guest, wanted["email"]


def confirm_link(code: str, browser: str, secret: str = "") -> str:
    """Confirm the address to whose reader the link with this code was mailed; return the secret of a new session.

    It takes the place of the browser's session with the `secret`, if it has one, and of all sessions of the guest:
    somebody else may have asked for the link.

    Raises:
        Problem: `bad-code`; `already-seated` or `forbidden` if the address is a player's who has, or had, another seat
            in a game of the guest's; `not-admitted` if nobody new may come in.
    """
    with transaction():
        guest_id, wanted = codes.redeem_of_anybody((codes.ADDRESS,), code)
        browsers.sign_out(secret)
        browsers.end_all(guest_id)
        return _become(guest_id, wanted, browser)


def _become(guest_id: str, wanted: Mapping[str, str], browser: str, secret: str = "") -> str:
    """Make the guest the player of the address; return the secret of a session: a new one, unless `secret` goes on."""
    codes.end_links(guest_id)
    owner = with_email(wanted["email"])
    if owner is None or owner.id == guest_id:
        addresses.confirmed(guest_id, wanted)
        return secret or browsers.sign_in(guest_id, browser)
    guest = session.get_one(Player, guest_id)
    if not guest.is_guest:
        raise refusal("email-taken", "{email} belongs to a player already.", email=wanted["email"])
    _pass_on(guest, owner)
    return browsers.sign_in(owner.id, browser)


def _pass_on(guest: Player, owner: Player) -> None:
    """Give all seats of a guest to a player, with what the guest was and heard before, and delete the guest."""
    for was in session.scalars(select(FormerHolder).where(FormerHolder.player_id == guest.id)).all():
        _check_may_have_been(was, owner)
        own = session.get(FormerHolder, (was.game_id, owner.id, was.role))
        heard = [each.team_since for each in (was, own) if each is not None and each.team_since is not None]
        since = min(heard, default=None)
        session.merge(FormerHolder(game_id=was.game_id, player_id=owner.id, role=was.role, team_since=since))
    session.flush()
    renaming.rename_in_events(guest, owner.name)
    sits_in = select(Seat.game_id).where(Seat.player_id == guest.id).order_by(Seat.game_id)
    for game_id in session.scalars(sits_in).all():
        game = load(game_id)
        if game.status == "running" and not game.is_against_bots(game.seat_held_by(guest.id)):
            seat_newcomer(game, owner, partial(pass_seat_on, guest_id=guest.id)).write()
        else:
            _give(game, guest, owner)
        written = (Message.game_id == game_id, Message.player_id == guest.id)
        execute(update(Message).where(*written).values(player_id=owner.id))
    deletion.delete_guests([guest])


def _check_may_have_been(was: FormerHolder, owner: Player) -> None:
    """Raise `Problem` forbidden if the seat that a player has in a game is closed to who had that role there before."""
    game = session.get_one(Game, was.game_id)
    role = next((role_of(seat.pawns) for seat in game.seats if seat.player_id == owner.id), None)
    if game.final or role is None:
        return
    if was.role == "mr_x" or role == "mr_x":
        sentence = gettext(
            "As a guest you know what the detectives said in {game}, where this account plays.", game=game.name
        )
        if was.role == "mr_x":
            sentence = gettext("As a guest you know who Mr. X was in {game}, where this account plays.", game=game.name)
        raise Problem("forbidden", sentence)


def link_from_host(game_id: str, host: Player, number: int) -> tuple[str, str]:
    """Return the name of the guest on a seat of a running game, and a code with which they go on in another browser.

    The host might use it too, so it opens no seat that has seen a secret, and all at the table see when it is used.

    Raises:
        Problem: `forbidden` for others than the host, as of `guest_rules.refusal_of_link`, and if the guest has a seat
            in another game too; `form` if no guest sits there; `game-not-running`; `too-many`.
    """
    with transaction():
        game = load_visible(game_id, host, with_board=False)
        game.check_host(host.id, "Only the host gives a guest a new link.")
        seat = next((seat for seat in game.seats if seat.number == number and seat.player_id), None)
        guest = session.get_one(Player, seat.player_id) if seat else None
        if guest is None or not guest.is_guest:
            raise refusal("form", "no guest sits on seat {number}.", number=number, field="seat")
        _check_may_regain(game, guest)
        return guest.name, codes.for_device(guest.id, game.id)


def regain(guest_id: str, game_id: str) -> None:
    """End all sessions of a guest who goes on by a link from the host of a game, and tell the table.

    It happens in the transaction under way, which begins a session then; `Problem` as of `link_from_host`. Codes that
    were mailed for the guest end too: somebody who used an earlier link may have asked for them.
    """
    game, guest = load(game_id, with_board=False), session.get_one(Player, guest_id)
    _check_may_regain(game, guest)
    browsers.end_all(guest.id)
    codes.end_links(guest.id, (*codes.LINKS, codes.ADDRESS))
    seat = game.seat_of_player(guest.id)

    def tell(draft: Draft) -> None:
        draft.game.is_contestable = True
        draft.publish("regained", seat=seat.number, pawns=seat.pawns)

    carry_out(game, tell)
    # The host may have read what the detectives say, and so never becomes Mr. X there.
    session.merge(FormerHolder(game_id=game.id, player_id=game.host_id, role="detective"))


def _check_may_regain(game: Standing, guest: Player) -> None:
    """Raise `Problem` unless the host of a game may let a guest of it go on elsewhere, who plays in no other game."""
    seat = game.seat_held_by(guest.id)
    if not guest.is_guest or seat is None:
        raise refusal("bad-code", "This link is not good any more.")
    if (problem := guest_rules.refusal_of_link(game, seat)) is not None:
        raise problem
    plays_elsewhere = deletion.sits_with_others(Game.id != game.id, Game.final.is_(False))
    if session.scalar(select(Player.id).where(Player.id == guest.id, plays_elsewhere)) is not None:
        raise refusal("forbidden", "They have seats in other games too, which a link of yours would open.")


def _give(game: Situation, guest: Player, owner: Player) -> None:
    """Give the guest's seat in a game of their own, or in one that does not run, to the player."""
    account = seats.newcomer(game, owner)
    carry_out(game, lambda draft: before_start.give_to_account(draft, guest.id, account))
