"""Chats: what a channel of Discord or Slack, or a topic of ntfy, is told of a game.

Anybody may read there, Mr. X too: so it is told no more than a spectator may know, and nothing that is said or asked.
"""

import json
import re
from collections.abc import Callable
from datetime import datetime

from server.application.game.as_of import AsOf, is_current_phase, of_standing
from server.application.game.look import standings_of
from server.application.people.players import names_at
from server.application.people.webhooks import DISCORD, NTFY, SLACK
from server.house_rules.timers import SHARED, seats_on_clock
from server.runtime import runtime
from server.vocabulary.words import join
from server.wording import ending
from server.wording.times import moment

HEADERS = {NTFY: {"Content-Type": "text/plain; charset=utf-8"}}
_TEST = "This is a test: messages about your games come here."
Words = Callable[[str], str]
Time = Callable[[datetime], str]


def message(kind: str, game_id: str | None, event: int) -> bytes | None:
    """Return what a chat is sent about an event, or as a test; None if it is not told of that, or not any more."""
    text = _WORDS[kind](_TEST) if game_id is None else _news(game_id, event, _WORDS[kind], _TIMES[kind])
    if text is None or kind == NTFY:
        return text.encode() if text else None
    body: dict[str, object] = {"text": text, "unfurl_links": False}
    if kind == DISCORD:
        body = {"content": text, "allowed_mentions": {"parse": []}, "flags": 4}  # no previews
    return json.dumps(body, ensure_ascii=False).encode()


def _news(game_id: str, event: int, words: Words, time: Time) -> str | None:
    """Return whose turn has begun with an event and until when, or the result; None if that is no news any more."""
    game = standings_of([game_id])[game_id]
    if game.broken or game.turn is None or event == 1:
        return None
    then, before = of_standing(game, event), of_standing(game, event - 1)
    # Who plays a private game is told to nobody else.
    names = names_at(game.id) if game.visibility == "public" else {}
    if then.outcome is not None:
        if then.outcome == before.outcome or game.status != "over":
            return None
        told = words(ending.full_result(game, names))
        if game.final_at and not game.final:
            told += f" {words('The result is provisional until')} {time(game.final_at)}."
    else:
        new = _awaited(then) - (_awaited(before) if then.phase == before.phase else set())
        if not new or not is_current_phase(then):
            return None
        called = ending.called(game, names)
        who = [called[pawn] for seat in game.seats if seat.number in new for pawn in seat.pawns]
        told = words(f"It is the turn of {join(who)}")
        told += f", until {time(game.due_at)}." if game.due_at else "."
    site = runtime().settings.public_url
    return f"{words(game.name)}: {told}" + (f"\n{site}/games/{game.id}" if site else "")


def _awaited(then: AsOf) -> set[int]:
    """Return the seats whose turn it is: all of the phase, or those on the clock if each has its own time."""
    on_clock = seats_on_clock(then.game, then.to_move) if then.has_begun and not then.outcome else None
    if on_clock in ([], [SHARED]):
        return {seat.number for seat in then.game.seats if str(then.phase[0]).startswith(seat.role)}
    return set(on_clock or ())


def _for_discord(text: str) -> str:
    return re.sub(r"([^\w\s.,;!?]|_)", r"\\\1", text)


def _for_slack(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


# How each writes the words of people, in which nobody is mentioned, and a time, by the reader's own clock if it can.
_WORDS: dict[str, Words] = {DISCORD: _for_discord, SLACK: _for_slack, NTFY: str}
_TIMES: dict[str, Time] = {
    DISCORD: lambda at: f"<t:{int(at.timestamp())}:f>",
    SLACK: lambda at: f"<!date^{int(at.timestamp())}^{{date_short}}, {{time}}|{moment(at, 'UTC')}>",
    NTFY: lambda at: moment(at, "UTC"),
}
