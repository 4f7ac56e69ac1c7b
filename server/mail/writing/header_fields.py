"""The header fields of our mails: the sender, threads, the address to answer to, and how to unsubscribe."""

import re
from email.utils import format_datetime
from urllib.parse import quote

from server.application.game import reply_addresses
from server.application.game.as_of import AsOf
from server.application.game.reply_addresses import PrintedToken
from server.application.mail.outgoing import Mail
from server.mail.reading.automatic import LOOP_HEADER
from server.mail.writing.mime import mailbox
from server.models import Player
from server.runtime import runtime
from server.vocabulary.mails import MAIL_KINDS


def of_mail(
    mail: Mail, player: Player, then: AsOf | None, token: PrintedToken | None, subject: str
) -> list[tuple[str, str]]:
    """Return the names and values of the fields, in their order; `token` is that of the address to answer to."""
    settings = runtime().settings
    offer = (mail.details or {}).get("offer")
    without_token = reply_addresses.offer_address(offer) if offer else (settings.mail_name, settings.play_address)
    answer_to = (token.name, token.address) if token else without_token
    threads = _threads(mail, player, then)
    fields = {
        "From": mailbox(settings.mail_name, settings.play_address),
        "To": mailbox(player.name, player.email),
        "Reply-To": mailbox(*answer_to),
        "Subject": subject,
        "Date": format_datetime(mail.created_at),
        "Message-ID": f"<{mail.id}@{settings.mail_domain}>",
        "In-Reply-To": threads[-1] if threads else "",
        "References": " ".join(threads),
        "Auto-Submitted": "auto-replied" if MAIL_KINDS[mail.kind].is_answer else "auto-generated",
        "X-Auto-Response-Suppress": "All",
        LOOP_HEADER: settings.mail_domain,
        **(_unsubscribing(mail) if can_be_stopped(mail) else {}),
    }
    return [(name, value) for name, value in fields.items() if value]


def _threads(mail: Mail, player: Player, then: AsOf | None) -> list[str]:
    """Return the ids of the mails that this one follows: the thread of game and player, and the mail it answers."""
    to = player.id or "invited"
    root = [f"<{then.game.id}.{to}@{runtime().settings.mail_domain}>"] if then is not None else []
    answered = (mail.details or {}).get("in_reply_to") or ""
    return [*root, answered] if _MESSAGE_ID.fullmatch(answered) else root


_MESSAGE_ID = re.compile(r"<[!-;=?-~]{1,250}>")


def can_be_stopped(mail: Mail) -> bool:
    """Return True for a mail whose reader can unsubscribe from mails like it."""
    return mail.player_id is not None and not MAIL_KINDS[mail.kind].is_always_sent


def _unsubscribing(mail: Mail) -> dict[str, str]:
    """Return the header fields by which a mail program unsubscribes, by one click or by a mail (RFC 8058, RFC 2369)."""
    settings, token = runtime().settings, reply_addresses.mark(reply_addresses.STOP, mail.id)
    to = reply_addresses.stop_address(token)
    by_mail = f"<mailto:{to}?subject=STOP>" if to else f"<mailto:{settings.play_address}?subject=STOP%20{token}>"
    if settings.public_url is None:
        return {"List-Unsubscribe": by_mail}
    page = f"<{settings.public_url}/stop/{quote(token)}>"
    return {"List-Unsubscribe": f"{page}, {by_mail}", "List-Unsubscribe-Post": "List-Unsubscribe=One-Click"}
