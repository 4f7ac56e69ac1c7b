"""Commands about time: AWAY, PAUSE, RESUME, EXTEND, WAIT, CLAIM, COVER, and YES or NO to a vote."""

import re
from datetime import datetime
from zoneinfo import ZoneInfo

from server.application.errors import Problem
from server.application.game import reply_addresses
from server.application.game.access import check_running
from server.application.game.cover import name_cover
from server.application.time import vacation, votes
from server.mail.commands.request import Errand
from server.mail.language import dates, grammar
from server.mail.writing import sentences
from server.models import Motion, session
from server.runtime import now
from server.wording.seats import role

_UNITS = {"m": "PT{}M", "h": "PT{}H", "d": "P{}D", "w": "P{}W"}
_UNANSWERED = "There is no open question to answer with {}."


def away(errand: Errand, command: grammar.Command) -> None:
    """AWAY with days, `list`, or `off`."""
    wish = command.text.lower()
    if wish == "off":
        ended = vacation.cancel(errand.player.id)
        errand.title = errand.title or ("you are there again" if ended else "you were not away")
    elif wish != "list":
        today = now().astimezone(ZoneInfo(errand.player.zone)).date()
        vacation.take(errand.player.id, *dates.span(command.text, today))
        errand.title = errand.title or "you are away then"
    errand.title = errand.title or "when you are away"
    errand.told.append(_absences(errand))


def _absences(errand: Errand) -> str:
    held = vacation.of(errand.player)
    spans = [absence for absence in held["absences"] if datetime.fromisoformat(absence["end"]) > now()]
    left = f"Of this year's vacation you have {sentences.count(held['days_left'], 'day')} left."
    if not spans:
        return f"You are not away, now or later. {left}"
    told = [
        " to ".join(sentences.moment(datetime.fromisoformat(span[end]), errand.player.zone) for end in ("begin", "end"))
        for span in spans
    ]
    return f"You are away from {sentences.join(told)}; no time of yours passes then. {left}"


def pause(errand: Errand, _command: grammar.Command) -> None:
    """PAUSE: for as long as may be, or until RESUME."""
    _propose(errand, "pause")


def resume(errand: Errand, _command: grammar.Command) -> None:
    """RESUME."""
    _propose(errand, "resume")


def extend(errand: Errand, command: grammar.Command) -> None:
    """EXTEND with a length."""
    found = re.fullmatch(r"(?:by )?(\d+) ?([mhdw]).*", command.text.lower())
    assert found is not None  # the grammar takes nothing else
    _propose(errand, "extend", length=_UNITS[found[2]].format(found[1]))


def claim(errand: Errand, _command: grammar.Command) -> None:
    """CLAIM: do not wait for Mr. X any longer."""
    _answer_about_mr_x(errand, "claim", is_for=True)


def wait(errand: Errand, _command: grammar.Command) -> None:
    """WAIT: give Mr. X his whole time once more."""
    _answer_about_mr_x(errand, "wait", is_for=False)


def cover(errand: Errand, command: grammar.Command) -> None:
    """COVER with the pawn of a fellow detective, or `off`."""
    pawn = command.text.lower()
    other = next((seat for seat in errand.game.seats if pawn in seat.pawns), None)
    if pawn != "off" and other is None:
        raise Problem("form", f"Nobody plays {pawn.capitalize()} in this game.")
    name_cover(errand.game.id, errand.player, other.number if other else None)
    errand.title = errand.title or "who may move for you"
    who = f"Whoever plays {role(other)} may move for you in this game" if other else "Nobody may move for you"
    errand.told.append(f"{who}.")


def answer(errand: Errand, *, is_for: bool) -> None:
    """YES or NO to the vote that the mail answers; where it answers no question, to the one open longest of the others.

    `Problem` form when there is none.
    """
    about = reply_addresses.about(errand.token, errand.seat) if errand.token else ""
    meant = session.get(Motion, about) if about else None
    if meant is not None and meant.state != "open":
        raise Problem("form", "That vote is over, and all were told what came of it.")
    waiting = votes.unanswered(errand.game, errand.seat) if errand.game.status == "running" and not about else []
    asked = [motion for motion in ([meant] if meant else waiting) if motion.kind != "claim"]
    if not asked:
        raise Problem("form", _UNANSWERED.format("YES" if is_for else "NO"))
    _tell(errand, votes.vote(errand.game.id, errand.player, asked[0].id, is_for=is_for), is_for=is_for)


def _answer_about_mr_x(errand: Errand, word: str, *, is_for: bool) -> None:
    check_running(errand.game, "there is nothing to answer")
    asked = next((motion for motion in votes.of(errand.game) if motion.kind == "claim"), None)
    if asked is None:
        raise Problem("form", f"{_UNANSWERED.format(word.upper())[:-1]}: nobody waits for Mr. X beyond his time.")
    _tell(errand, votes.vote(errand.game.id, errand.player, asked.id, is_for=is_for), is_for=is_for)


def _propose(errand: Errand, kind: str, **wish: str) -> None:
    _tell(errand, votes.propose(errand.game.id, errand.player, kind, **wish), is_for=True)


def _tell(errand: Errand, motion: Motion, *, is_for: bool) -> None:
    is_claim = motion.kind == "claim"
    what = sentences.motion({"what": motion.kind, **motion.wish})
    voted = "to wait for Mr. X" if is_claim and not is_for else f"{'to' if is_for else 'not to'} {what}"
    errand.title = errand.title or "your vote"
    became = {
        "open": f"The others are asked; it is open until {sentences.moment(motion.closes_at, errand.player.zone)}",
        "carried": "It is decided so",
        "lost": "Mr. X gets his full time once more" if is_claim else "It is decided against",
    }[motion.state]
    errand.told.append(f"You have voted {voted}. {became}.")
