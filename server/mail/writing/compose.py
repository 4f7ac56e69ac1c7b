"""Compose the mail of an outbox row, as of the row's event and for its one recipient.

A mail is text in the language of its reader, with the same as HTML beside it. Its first line says which turn it is
about, and that answers go above it; by that line the server finds the quoted mail below an answer.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from flask import render_template
from sqlalchemy import select

from server.application.game import pictures as boards
from server.application.game import reply_addresses
from server.application.game.as_of import AsOf, of_standing
from server.application.game.reply_addresses import INVITATION, PrintedToken, token_of
from server.application.mail import digest_watermark, presses
from server.application.mail.outgoing import Mail
from server.house_rules.standing import Seat
from server.mail.reading.quoting import MARKER
from server.mail.writing import context, header_fields, html, links, merging, reminders, seating, sentences
from server.mail.writing.attachments import attached
from server.mail.writing.dkim import sign
from server.mail.writing.mime import Attachment, Draft, encode
from server.mail.writing.news import Look, offers_as_one
from server.mail.writing.wrapping import tidy, wrap
from server.models import Incoming, Player, session
from server.runtime import now, runtime
from server.vocabulary.mails import MAIL_KINDS
from server.vocabulary.translation import gettext, gettext_noop, speaking

FOOTER_OF_GAME = gettext_noop('"HELP" explains everything.')
FOOTER_OF_DIGEST = gettext_noop(
    'Less mail, or more? "SET mail usual" sends you each mail at once again; "STOP" ends all mail, and so does the '
    'button "unsubscribe" of a mail program.'
)


@dataclass(frozen=True)
class Composed:
    """A finished mail with its envelope.

    `token` is that of the address to answer to, `others` are those of addresses for other games. `thread` are the ids
    of game and player, between whom mails keep their order.
    """

    message: bytes
    sender: str
    recipient: str
    token: PrintedToken | None
    others: tuple[PrintedToken, ...] = ()
    thread: tuple[str, str] | None = None


def compose(mail: Mail, look: Look = of_standing, told: Sequence[Mail] = ()) -> Composed:
    """Return the finished mail of a row; one that was composed before has the same bytes. The database stays as it is.

    `look` is `of_standing`, or the same with a cache; `told` are mails whose news are in this one too, see `merging`.
    """
    player = seating.recipient(mail)
    then = look(mail.game, mail.event) if mail.game and mail.event is not None else None
    seat = seating.seat_for(mail, then.game, player) if then else None
    token = _token(mail, then, seat) if then and seat else None
    (_, pawns), *news = offers_as_one([mail, *told])
    with speaking(player.language):
        others = reminders.other_games(mail, player) if mail.kind == "reminder" and not mail.message else []
        told_first = [_written_then(mail, player)] if is_outdated(mail) else merging.news_of(news, look)
        message = mail.message or _message(mail, player, then, token, others, told_first, pawns)
    tokens = tuple(other.token for other in others)
    thread = (mail.game_id, mail.player_id) if mail.game_id and mail.player_id else None
    return Composed(message, reply_addresses.bounce_address(mail.id), player.email, token, tokens, thread)


def _token(mail: Mail, then: AsOf, seat: Seat) -> PrintedToken:
    """Return the address for answers that is printed in a mail; its details may say what the answer is about."""
    details = mail.details or {}
    return token_of(then.game, seat, details.get("go", then.phase[1] or INVITATION), details.get("about", ""))


def is_outdated(mail: Mail) -> bool:
    """Return True for an answer about a game that has gone on since, if it is two minutes old or the game is over."""
    tells = mail.kind == "advice" or (mail.kind == "answer" and bool((mail.details or {}).get("situation")))
    if not tells or mail.game is None or mail.event is None or mail.game.events <= mail.event:
        return False
    return mail.game.status == "over" or now() - mail.created_at >= LATE


LATE = timedelta(minutes=2)


def _written_then(mail: Mail, player: Player) -> str:
    is_over = mail.game is not None and mail.game.status == "over"
    written = sentences.moment(mail.created_at, player.zone)
    return render_template("mail/answer/_late.txt", written=written, is_over=is_over).strip()


# The mail --------------------------------------------------------------------------------------


def _message(
    mail: Mail, player: Player, then: AsOf | None, token: PrintedToken | None, others: Sequence[reminders.OtherGame],
    news: Sequence[str], pawns: Sequence[str],
) -> bytes:  # fmt: skip
    template_context = _template_context(mail, player, then, others) | {"pawns": pawns}
    files = (*_boards(mail, player, then), transcript(mail, then), _forwarded(mail), *attached(mail))
    attachments = [file for file in files if file is not None]
    pawn = seating.colour_pawn(seating.seat_for(mail, then.game, player) if then else None)
    return finish(mail, player, then, token, template_context, pawn=pawn, attachments=attachments, news=news)


def finish(
    mail: Mail, player: Player, then: AsOf | None, token: PrintedToken | None, template_context: Mapping[str, Any],
    *, pawn: str = "", attachments: Sequence[Attachment] = (), news: Sequence[str] = (),
    parts: Sequence[tuple[Mapping[str, Any], PrintedToken | None, str]] = (),
) -> bytes:  # fmt: skip
    """Return the bytes of a mail, from the templates of its kind.

    `then` is the game that it is about, with the sealed log in the last line of some; `pawn` gives the mail its colour;
    `news` stand below the first line; `parts`, of a mail about several games, are the context, the token and the text
    of each.
    """
    subject = _subject(mail, template_context)
    body = render_template(f"mail/{mail.kind}/body.txt", **template_context)
    first_line, _, rest = body.partition("\n")
    body = "\n\n".join((first_line, *news, rest)) if news else body
    is_known = mail.kind == "turn" and bool(template_context.get("has_moved_before"))
    text = tidy(f"{body}\n\n{_footer(mail, then, is_known=is_known)}")
    talk = presses.talk_token(then.game, then.game.seat_of_number(token.seat), token.round) if then and token else None
    text, pressed = links.pressed(text, token, talk, (mail.details or {}).get("offer"), subject)
    seal = context.seal_line(then) if then and _is_sealed(mail) else ""
    pictures = [html.Picture(file.cid, file.alt) for file in attachments if file.cid]
    choices = [
        offered
        for known, answered_to, part in parts or [(template_context, None if is_outdated(mail) else token, text)]
        for offered in links.of_choices(known, answered_to, subject)
        if offered.heading in part
    ]
    as_html = html.page(
        tidy(text), marker=gettext(MARKER), pawn=pawn, seal=seal, pictures=pictures, choices=choices, pressed=pressed
    )
    fields = header_fields.of_mail(mail, player, then, token, subject)
    return sign(
        encode(Draft(mail.id, fields, wrap(text, runtime().line_ends) + seal, as_html, attachments)), runtime().settings
    )


def subject_of(mail: Mail, player: Player, then: AsOf) -> str:
    """Return the subject of a mail about a game, in the language of its reader."""
    with speaking(player.language):
        return _subject(mail, _template_context(mail, player, then, ()))


def _subject(mail: Mail, template_context: Mapping[str, Any]) -> str:
    return " ".join(render_template(f"mail/{mail.kind}/subject.txt", **template_context).split())


def _is_sealed(mail: Mail) -> bool:
    """Return True for a mail that shows how the game stands, for a digest, and for the answer to STATUS."""
    shows = MAIL_KINDS[mail.kind].is_pictured or mail.kind == digest_watermark.DIGEST
    return shows or (mail.details or {}).get("situation") == "whole"


def _footer(mail: Mail, then: AsOf | None, *, is_known: bool) -> str:
    """Return the line on how to get less mail, or more; of HELP, unless that `is_known` from an earlier mail."""
    if not header_fields.can_be_stopped(mail):
        return ""
    if mail.kind == digest_watermark.DIGEST:
        return gettext(FOOTER_OF_DIGEST)
    return gettext(FOOTER_OF_GAME) if then is not None and not is_known else ""


def _template_context(
    mail: Mail, player: Player, then: AsOf | None, others: Sequence[reminders.OtherGame]
) -> dict[str, object]:
    known: dict[str, object] = {
        "kind": mail.kind, "details": mail.details or {}, "marker": gettext(MARKER), "s": sentences,
        "site": links.site(), "is_outdated": is_outdated(mail),
    }  # fmt: skip
    if then is not None:
        known |= context.template_context(mail, player, then) | reminders.content(mail, then, player, others)
    return known


# Attachments -------------------------------------------------------------------------------------


def transcript(mail: Mail, then: AsOf | None, name: str = "transcript.json") -> Attachment | None:
    """Return the transcript of the whole game, for the mails of its end."""
    if then is None or not MAIL_KINDS[mail.kind].is_end or then.transcript is None:
        return None
    return Attachment(name, "application/json", json.dumps(then.transcript, indent=1).encode())


def _boards(mail: Mail, player: Player, then: AsOf | None) -> list[Attachment]:
    """Return the pictures of the board, for the mails that show how the game stands."""
    if then is None or not MAIL_KINDS[mail.kind].is_pictured:
        return []
    return boards_of(then, seating.seat_for(mail, then.game, player), player)


def boards_of(then: AsOf, seat: Seat | None, player: Player) -> list[Attachment]:
    """Return the pictures of the board as the reader may see it; none if they want its secrets on the page only."""
    if seating.is_on_page(then, seat, player):
        return []
    made = boards.of_mail(then, player)
    return [Attachment(f"{one.name}.png", "image/png", one.png, cid=one.name, alt=one.words) for one in made]


def _forwarded(mail: Mail) -> Attachment | None:
    """Return the mail that a mail to the operator is about, as a file that no mail program opens unasked."""
    inbox_id = (mail.details or {}).get("attached")
    raw = session.scalar(select(Incoming.raw).where(Incoming.id == inbox_id)) if inbox_id else None
    return Attachment("mail.eml", "application/octet-stream", raw) if raw else None
