"""A guest who becomes a player: by an address that they show to be theirs, in this browser or by the link of the mail.

If the address is a player's already, the guest's seats pass to that player. A detective whose browser has lost its
cookie goes on by a link from the host.
"""

from collections.abc import Mapping
from functools import partial

from sqlalchemy import select, update

from server.application.game.situations import carry_out, load, load_visible, publish_event
from server.application.lobby import seats
from server.application.people import codes
from server.application.people.accounts import addresses, browsers, deletion, renaming
from server.application.people.players import with_email
from server.application.play.newcomers import seat_newcomer
from server.house_rules import before_start, guest_rules
from server.house_rules.situation import Situation
from server.house_rules.standing import Standing, role_of
from server.house_rules.substitution import pass_seat_on
from server.models import FormerHolder, Game, Message, Player, Seat, execute, session, transaction
from server.vocabulary.errors import Problem

WRONG_DIGITS = (
    "These digits are not good, or not in this browser. Look at the newest mail; its link works in every browser."
)


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
        raise Problem("email-taken", f"{wanted['email']} belongs to a player already.")
    _pass_on(guest, owner)
    return browsers.sign_in(owner.id, browser)


def _pass_on(guest: Player, owner: Player) -> None:
    """Give all seats of a guest to a player, with what the guest was and heard before, and delete the guest."""
    for was in session.scalars(select(FormerHolder).where(FormerHolder.player_id == guest.id)).all():
        _check_may_have_been(was, owner)
        session.merge(FormerHolder(game_id=was.game_id, player_id=owner.id, role=was.role))
    session.flush()
    renaming.rename_in_events(guest, owner.name)
    sits_in = select(Seat.game_id).where(Seat.player_id == guest.id).order_by(Seat.game_id)
    for game_id in session.scalars(sits_in).all():
        game = load(game_id)
        if game.host_id != guest.id and game.status == "running":
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
        known = "who Mr. X was" if was.role == "mr_x" else "what the detectives said"
        raise Problem("forbidden", f"As a guest you know {known} in {game.name}, where this account plays.")


def link_from_host(game_id: str, host: Player, number: int) -> tuple[str, str]:
    """Return the name of the guest on a seat of a running game, and a code with which they go on in another browser.

    The host might use it too, so it opens no seat that has seen a secret, and all at the table see when it is used.

    Raises:
        Problem: `forbidden` for others than the host, as of `guest_rules.refusal_of_link`, and if the guest has a seat
            in another game too; `form` if no guest sits there; `game-not-running`; `too-many`.
    """
    with transaction():
        game = load_visible(game_id, host, with_board=False)
        game.check_host(host.id, "gives a guest a new link")
        seat = next((seat for seat in game.seats if seat.number == number and seat.player_id), None)
        guest = session.get_one(Player, seat.player_id) if seat else None
        if guest is None or not guest.is_guest:
            raise Problem("form", f"no guest sits on seat {number}.", field="seat")
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
    publish_event(game.id, "regained", seat=seat.number, pawns=seat.pawns)
    # The host may have read what the detectives say, and so never becomes Mr. X there.
    session.merge(FormerHolder(game_id=game.id, player_id=game.host_id, role="detective"))


def _check_may_regain(game: Standing, guest: Player) -> None:
    """Raise `Problem` unless the host of a game may let a guest of it go on elsewhere, who plays in no other game."""
    seat = game.seat_held_by(guest.id)
    if not guest.is_guest or seat is None:
        raise Problem("bad-code", "This link is not good any more.")
    if (refusal := guest_rules.refusal_of_link(game, seat)) is not None:
        raise refusal
    elsewhere = (Seat.player_id == guest.id, Game.id != game.id, Game.host_id != guest.id, Game.final.is_(False))
    if session.scalar(select(Game.id).join(Seat, Seat.game_id == Game.id).where(*elsewhere).limit(1)) is not None:
        raise Problem("forbidden", "They have seats in other games too, which a link of yours would open.")


def _give(game: Situation, guest: Player, owner: Player) -> None:
    """Give the guest's seat in a game of their own, or in one that does not run, to the player."""
    account = seats.newcomer(game, owner)
    carry_out(game, lambda draft: before_start.give_to_account(draft, guest.id, account))
