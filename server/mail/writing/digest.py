"""The digest: one mail on what happened in all games of a player since the last, for players who want it so.

Each game has a part of its own: what happened, in its order, and then the situation, with the address for answers. The
news of a mail that was held are the block `news` of its template, so that they read the same in both. A digest of one
game has its pictures; those of several games would make too large a mail.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from flask import render_template
from sqlalchemy import bindparam, update

from server.application.game import reply_addresses, timer_rows, waiting
from server.application.game.as_of import AsOf
from server.application.game.reply_addresses import INVITATION, PrintedToken, token_of
from server.application.mail import digest_queue, digest_watermark
from server.application.mail.outgoing import Mail
from server.application.people.accounts import deliverability
from server.house_rules.draft import PublicEvent
from server.house_rules.standing import Seat
from server.house_rules.timers import timer_of
from server.mail.reading.quoting import MARKER
from server.mail.writing import compose, context, reminders, seating, sentences
from server.mail.writing.compose import Composed
from server.mail.writing.disposition import disposition
from server.mail.writing.mime import Attachment
from server.mail.writing.news import Look, news_in, offers_as_one
from server.models import Outgoing, Player, execute, table_of
from server.runtime import now
from server.vocabulary.mails import MAIL_KINDS
from server.vocabulary.translation import gettext, speaking


@dataclass(frozen=True)
class Part:
    """The part of a digest on one game: its text, the held rows in it, and the address for answers.

    `known` is the template context of the text.
    """

    then: AsOf
    seat: Seat | None
    text: str
    rows: Sequence[Mail]
    token: PrintedToken | None
    is_awaited: bool
    until: str | None
    attachments: Sequence[Attachment]
    known: Mapping[str, object]


@dataclass(frozen=True)
class Digest(Composed):
    """A finished digest with the ids of the held rows in it, and the newest event of each of its games."""

    taken: frozenset[str] = frozenset()
    events: tuple[tuple[str, int], ...] = ()


_OUTBOX = table_of(Outgoing)
_SETTLE = update(_OUTBOX).where(_OUTBOX.c.id == bindparam("row"))
_SETTLE = _SETTLE.values(state=bindparam("word"), told_in=bindparam("by"), details=None)


def compose_digest(mail: Mail, look: Look) -> Composed | str:
    """Return the finished digest, or `superseded` when nothing is left to tell; one made before has the same bytes."""
    player = mail.player
    assert player is not None
    if mail.message is not None:
        return Digest(mail.message, reply_addresses.bounce_address(mail.id), player.email, None)
    if deliverability.is_given_up(player):
        return "suppressed"
    with speaking(player.language):
        return _composed(mail, player, look)


def _composed(mail: Mail, player: Player, look: Look) -> Composed | str:
    parts = sorted(_parts(mail, player, look), key=_urgency)
    if not parts:
        return "superseded"
    games = {part.then.game.id for part in parts}
    others = [other for other in reminders.other_games(mail, player) if other.token.game_id not in games]
    only = parts[0] if len(parts) == 1 else None
    known = {
        "marker": gettext(MARKER), "s": sentences, "parts": parts, "only": only,
        "awaited": [part for part in parts if part.is_awaited], "others_waiting": [other.line for other in others],
        "moment": sentences.moment(mail.created_at, player.zone),
    }  # fmt: skip
    message = compose.finish(
        mail, player, only.then if only else None, only.token if only else None, known,
        pawn=next(iter(only.seat.pawns), "") if only and only.seat else "",
        attachments=[file for part in parts for file in part.attachments],
        parts=[(part.known, part.token, part.text) for part in parts],
    )  # fmt: skip
    return Digest(
        message, reply_addresses.bounce_address(mail.id), player.email, None,
        tuple(token for token in (*(part.token for part in parts), *(other.token for other in others)) if token),
        taken=frozenset(held.id for part in parts for held in part.rows),
        events=tuple((part.then.game.id, part.then.events[-1].number) for part in parts),
    )  # fmt: skip


def store(mail: Mail, outcome: Composed | str) -> bool:
    """Record in the open transaction what the digest tells; return False if part of that has changed meanwhile.

    Held rows that need not be told are dropped; others that are not in this digest wait for the next.
    """
    player_id = str(mail.player_id)
    due = {held.id: held for held in digest_queue.due(player_id)}
    taken = outcome.taken if isinstance(outcome, Digest) else frozenset()
    if not taken <= due.keys():
        return False
    states = {held.id: "gathered" if held.id in taken else disposition(held) for held in due.values()}
    settled = [(held_id, state) for held_id, state in states.items() if state not in ("send", "held")]
    execute(_SETTLE, [
        {"row": held_id, "word": state, "by": mail.id if state == "gathered" else None} for held_id, state in settled
    ])  # fmt: skip
    for game_id, event in outcome.events if isinstance(outcome, Digest) else ():
        digest_watermark.advance(player_id, game_id, event)
    return True


# The parts ---------------------------------------------------------------------------------------


def _parts(mail: Mail, player: Player, look: Look) -> Iterator[Part]:
    by_game: dict[str, list[Mail]] = {}
    for held in digest_queue.due(player.id):
        if disposition(held, look) in ("send", "held"):
            by_game.setdefault(str(held.game_id), []).append(held)
    for rows in by_game.values():
        game = rows[0].game
        assert game is not None
        yield _part(mail, player, look(game, game.events), rows, look, is_only=len(by_game) == 1)


def _part(mail: Mail, player: Player, then: AsOf, rows: Sequence[Mail], look: Look, *, is_only: bool) -> Part:
    game = then.game
    seat = seating.find_seat(game, player)
    token = token_of(game, seat, then.phase[1] or INVITATION) if seat else None
    known = context.template_context(mail, player, then)
    is_awaited = waiting.is_awaited(game, seat)
    ends = [held for held in rows if MAIL_KINDS[held.kind].is_end]
    own = seat.pawns if seat else []
    told = _told(then, rows, digest_watermark.covered_until(player.id, game.id), own, player, look)
    text = render_template(
        "mail/digest/_part.txt", **known, told=list(told), is_awaited=is_awaited, ends=ends,
        address=None if is_only else token, seal="" if is_only else context.seal_line(then, of=game.name),
    )  # fmt: skip
    attachments = [file for held in ends[:1] if (file := compose.transcript(held, then, f"transcript-{game.id}.json"))]
    attachments += compose.boards_of(then, seat, player) if is_only else []
    return Part(
        then,
        seat,
        text.strip(),
        rows,
        token,
        is_awaited,
        str(known["due_short"]) if is_awaited and known["due_short"] else None,
        attachments,
        known,
    )


def _told(
    then: AsOf, rows: Sequence[Mail], since: int, own: Sequence[str], player: Player, look: Look
) -> Iterator[str]:
    """Return paragraphs: the events after number `since`, and among them the news of the mails that were held."""
    news = [(held, text) for held, pawns in offers_as_one(rows) if (text := news_in(held, player, look, pawns))]
    one_for_all = [held for held in rows if held.kind == "offered"]
    said = {
        (held.event, kind.tells or kind.name)
        for held in (*one_for_all, *(held for held, _ in news))
        if (kind := MAIL_KINDS[held.kind]).is_event_news
    }
    events = [
        event for event in then.events[since:]
        if (event.number, event.kind) not in said and not _is_own(event, own)
    ]  # fmt: skip
    for held, text in news:
        earlier = [event for event in events if event.number <= (held.event or 0)]
        events = events[len(earlier) :]
        yield from _paragraph(earlier, own)
        yield text
    yield from _paragraph(events, own)


def _paragraph(events: Sequence[PublicEvent], own: Sequence[str]) -> Iterator[str]:
    if told := sentences.happenings(events, own):
        yield " ".join(told)


def _is_own(event: PublicEvent, own: Sequence[str]) -> bool:
    """Return True for a move that the reader made."""
    return event.kind == "moved" and event.data["pawn"] in own and event.data["by"] in ("player", "ahead")


# Their order -------------------------------------------------------------------------------------


def _urgency(part: Part) -> tuple[bool, float, str, str]:
    """Return the key that sorts games that wait for a move first, by their deadlines."""
    game = part.then.game
    timeouts = timer_rows.timeouts_of([game.id])[game.id] if part.is_awaited else []
    timer = timer_of(game, part.seat, timeouts) if part.seat else None
    return (not part.is_awaited, (timer.due_at - now()).total_seconds() if timer else float("inf"), game.name, game.id)
