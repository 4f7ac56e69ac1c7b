"""The disposition of an outbox row: whether its mail is still worth sending, and wanted."""

from collections.abc import Callable
from datetime import timedelta

from sqlalchemy import select

from server.application.game.access import roles_once_held
from server.application.game.as_of import AsOf, is_current_phase, of_standing
from server.application.game.look import look_at_any
from server.application.mail import digest_queue
from server.application.mail.outgoing import SUPERSEDED_BY, Mail, load
from server.application.people import codes
from server.application.people.accounts import deliverability
from server.application.play import talk
from server.house_rules.standing import Seat, Standing
from server.house_rules.votes import open_motions, unanswered
from server.mail.writing import reminders, seating
from server.mail.writing.news import Look
from server.models import Outgoing, Player, session
from server.runtime import now
from server.vocabulary.by_name import ByName
from server.vocabulary.mails import MAIL_KINDS

OLDEST = timedelta(days=14)  # a mail that waited longer, at a relay that was down or as a dead letter, is not sent


def disposition(mail: Mail, look: Look = of_standing) -> str:
    """Return `send`, or the state that the row gets instead.

    `superseded` if the mail would tell what is no longer so; `suppressed` or `held` by the player's wish. `look` is
    `of_standing`, or the same with a cache.
    """
    game = mail.game
    if mail.player_id is None and game is None:
        life = OLDEST if MAIL_KINDS[mail.kind].to == "operator" else codes.GOOD_FOR
        return "send" if now() < mail.created_at + life else "superseded"
    if mail.player_id is None and mail.details is None:  # the invitation was withdrawn, and its address deleted
        return "superseded"
    player = seating.recipient(mail)
    is_unreached = player.bounces if mail.kind == "withheld" else deliverability.is_given_up(player)
    is_closed = game is not None and _is_closed_to(game, mail, player)
    if is_unreached or is_closed or player.is_guest or not digest_queue.is_wanted(mail):
        return "suppressed"
    if mail.kind == "withheld" or now() > mail.created_at + OLDEST:
        return "superseded"
    if game and (_is_in_digest(mail) or not _is_current(mail, game, seating.seat_for(mail, game, player), look)):
        return "superseded"
    return "held" if mail.message is None and digest_queue.is_to_be_held(mail) else "send"


def is_call_due(mail: Mail, look: Look = of_standing) -> bool:
    """Return True if a mail about a turn still tells what is so, whatever mail its reader wants."""
    game, player = mail.game, mail.player
    if game is None or player is None or mail.is_overtaken or now() > mail.created_at + OLDEST:
        return False
    return _is_awaited(mail, game, seating.seat_for(mail, game, player), look)


def _is_closed_to(game: Standing, mail: Mail, player: Player) -> bool:
    """Return True for a mail about play to a host who was Mr. X before: until the end it is closed to them."""
    is_about_play = MAIL_KINDS[mail.kind].is_pictured or MAIL_KINDS[mail.kind].merged == "news"
    if game.host_id != player.id or game.final or not is_about_play or game.seat_held_by(player.id) is not None:
        return False
    return "mr_x" in roles_once_held(game.id, player)


def _is_in_digest(mail: Mail) -> bool:
    """Return True if a digest has told it all, as it tells the situation; a mail that is written already is sent."""
    is_plain = MAIL_KINDS[mail.kind].is_plain and mail.message is None and mail.event is not None
    return is_plain and mail.told is not None and mail.told >= (mail.event or 0)


def _is_current(mail: Mail, game: Standing, seat: Seat | None, look: Look) -> bool:
    """Return True if the mail still tells what is so; kinds without a check tell what happened, and that stays so."""
    if mail.kind in SUPERSEDED_BY:
        return not mail.is_overtaken
    check = MAIL_KINDS[mail.kind].only_if
    return not check or _CHECKS[check](mail, game, seat, look)


# Each returns True while a mail tells what is so.
_CHECKS: ByName[Callable[[Mail, Standing, Seat | None, Look], bool]] = ByName(
    {kind.only_if for kind in MAIL_KINDS.values()}
)


@_CHECKS.add
def _is_untold(mail: Mail, game: Standing, seat: Seat | None, look: Look) -> bool:
    """Return True if no other mail, sent or to be sent, tells the move too, and all that happened up to it."""
    query = select(Outgoing.id).where(
        Outgoing.game_id == mail.game_id, Outgoing.player_id == mail.player_id, Outgoing.event >= mail.event,
        Outgoing.kind.in_(MAIL_KINDS[mail.kind].superseded_by),
        Outgoing.state.in_(("pending", "held", "sent", "bounced")),
    )  # fmt: skip
    others = load(session.scalars(query).all()).values()
    return not any(other.state in ("sent", "bounced") or _is_current(other, game, seat, look) for other in others)


@_CHECKS.add
def _may_be_heard(mail: Mail, game: Standing, _seat: Seat | None, _look: Look) -> bool:
    assert mail.said is not None
    assert mail.player is not None
    return talk.may_hear(mail.said, game, mail.player)


@_CHECKS.add
def _is_awaited(mail: Mail, game: Standing, seat: Seat | None, look: Look) -> bool:
    if mail.kind == "reminder" and (not reminders.is_needed(game, seat) or reminders.is_in_another(mail)):
        return False
    return reminders.is_awaited(_then(mail, look), seat)


@_CHECKS.add
def _has_vote(mail: Mail, game: Standing, seat: Seat | None, _look: Look) -> bool:
    if seat is None:
        return False
    sight = look_at_any(game.id)
    is_about_him = seat.role == "mr_x" and (mail.details or {})["what"] == "claim"
    asked = open_motions(sight) if is_about_him else unanswered(sight, seat, now())
    return any(motion.id == mail.cause for motion in asked)


@_CHECKS.add
def _is_same_phase(mail: Mail, _game: Standing, _seat: Seat | None, look: Look) -> bool:
    return is_current_phase(_then(mail, look))


def _then(mail: Mail, look: Look) -> AsOf:
    assert mail.game is not None
    assert mail.event is not None
    return look(mail.game, mail.event)


@_CHECKS.add
def _has_reserved_seat(_mail: Mail, game: Standing, seat: Seat | None, _look: Look) -> bool:
    return game.status == "open" and seat is not None


@_CHECKS.add
def _is_complete(_mail: Mail, game: Standing, _seat: Seat | None, _look: Look) -> bool:
    return game.status == "open" and all(seat.is_taken for seat in game.seats)


@_CHECKS.add
def _is_open(_mail: Mail, game: Standing, _seat: Seat | None, _look: Look) -> bool:
    return game.status == "open"


@_CHECKS.add
def _is_to_host(mail: Mail, game: Standing, _seat: Seat | None, _look: Look) -> bool:
    return game.host_id == mail.player_id


@_CHECKS.add
def _has_draw_offer(_mail: Mail, game: Standing, _seat: Seat | None, _look: Look) -> bool:
    return any(seat.wants_draw for seat in game.seats)
