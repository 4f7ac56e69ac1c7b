"""Merging: mails about a game that wait for the same player become one, and none waits for another.

One of them is sent, and has the news of the others above its own words. So a move and the talk that comes with it, or
many lines of talk, are one mail, whatever they were caused by.
"""

from collections.abc import Iterable, Sequence
from itertools import groupby

from server.application.mail.outgoing import Mail
from server.mail.writing.news import Look, news_in
from server.vocabulary.mails import mails

KINDS = mails(lambda kind: kind.merged != "")
# These have news only where they answer a move.
ANSWERS = mails(lambda kind: kind.merged == "answer")
# These tell their reader the whole situation; with one event the first is sent.
WHOLE = mails(lambda kind: kind.merged in ("whole", "turn"))
# Their news can stand in another mail, be it of the same kind.
_NEWS = mails(lambda kind: kind.merged == "news")
# The same where the other mail tells the situation; of some of them nothing else is left to tell.
_NEWS_OF_TURN = mails(lambda kind: kind.merged == "turn")


def merged(waiting: Iterable[Mail]) -> list[tuple[Mail, Sequence[Mail]]]:
    """Return each mail that is to be sent, with those that it tells too; `waiting` is in the order of sending."""
    found: list[tuple[Mail, Sequence[Mail]]] = []
    ordered = sorted(waiting, key=_thread)
    for thread, group in groupby(ordered, _thread):
        mails = list(group)
        if not all(thread) or len(mails) == 1:
            found += [(mail, ()) for mail in mails]
            continue
        sent = _the_one(mails)
        told = [mail for mail in mails if mail is not sent and _is_told_by(mail, sent)]
        found += [(mail, told if mail is sent else ()) for mail in mails if mail not in told]
    return found


def may_be_merged(mail: Mail) -> bool:
    """Return True if the mail can be told in another, or tell others."""
    has_news = mail.kind not in ANSWERS or bool((mail.details or {}).get("news"))
    return mail.kind in KINDS and has_news and mail.message is None and mail.game_id is not None


def news_of(told: Sequence[tuple[Mail, Sequence[str]]], look: Look) -> list[str]:
    """Return the news of mails that another mail tells too, each with its pawns, in their order; nothing twice."""
    ordered = sorted(told, key=lambda mail: _place(mail[0]))
    texts = [news_in(mail, mail.player, look, pawns) for mail, pawns in ordered if mail.player is not None]
    return list(dict.fromkeys(filter(None, texts)))


def _thread(mail: Mail) -> tuple[str, str]:
    """Return what mails that become one have in common; nothing for a mail that stays as it is."""
    return (str(mail.game_id), str(mail.player_id)) if may_be_merged(mail) and mail.player_id else ("", "")


def _the_one(mails: Sequence[Mail]) -> Mail:
    """Return the mail that tells the others: the newest that has the situation, or the last that says most."""
    whole = [mail for mail in mails if mail.kind in WHOLE]
    if whole:
        return max(whole, key=lambda mail: (mail.event or 0, -WHOLE.index(mail.kind)))
    return min(sorted(mails, key=_place, reverse=True), key=lambda mail: KINDS.index(mail.kind))


def _is_told_by(mail: Mail, sent: Mail) -> bool:
    is_later = (mail.event or 0) > (sent.event or 0)
    if mail.kind in ANSWERS or sent.kind in ANSWERS:
        return mail.kind in ANSWERS and sent.kind in WHOLE and not is_later
    if is_later and (mail.kind in ("go", "turn") or _moves_deadline(mail)):  # `sent` tells the deadline of before
        return False
    return mail.kind in _NEWS or (sent.kind in WHOLE and mail.kind in _NEWS_OF_TURN)


def _moves_deadline(mail: Mail) -> bool:
    """Return True if a mail tells of more time, or of a pause, that the operator gave or the players decided on."""
    return mail.kind == "extended" or (mail.kind == "decided" and bool((mail.details or {}).get("carried")))


def _place(mail: Mail) -> tuple[int, int]:
    """Return the place of a mail among others: by their events, and of talk by the order of the messages."""
    return (mail.event or 0, mail.said.serial if mail.said else 0)
