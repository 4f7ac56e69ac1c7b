"""Commands about time: AWAY, PAUSE, RESUME, EXTEND, WAIT, CLAIM, COVER, and YES or NO to a vote."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from zoneinfo import ZoneInfo

from server.application.game.situations import acting
from server.application.play.absences import absences_of, end_absences, take_vacation
from server.house_rules import votes
from server.house_rules.motions import open_ones
from server.house_rules.standing import Motion
from server.house_rules.submission import name_cover
from server.house_rules.vacation import days_left
from server.house_rules.votes import open_motions
from server.language import dates, forms
from server.mail.commands.reply import UNMARKED, Handler, Mark, Outcome, Question, Reply, reply_from_template
from server.mail.commands.request import Request
from server.mail.writing import seating, sentences
from server.models import Motion as MotionRow
from server.models import session
from server.runtime import now
from server.vocabulary.errors import refusal
from server.vocabulary.translation import gettext, gettext_noop, pgettext
from server.vocabulary.votes import PROPOSED
from server.vocabulary.words import counted, join
from server.wording.seats import seat_label

CLAIM = "claim"


@dataclass(frozen=True)
class Vote(Question):
    """The question of a vote, by the id of its motion."""

    may_be_left_open = True
    motion_id: str
    is_claim: bool = False  # whether to wait for a late Mr. X, to which a YES is WAIT

    @staticmethod
    def on(motion: Motion | MotionRow) -> "Vote":
        """Return the question of a motion."""
        return Vote(motion.id, motion.kind == CLAIM)

    @property
    def topic(self) -> Mapping[str, str]:
        """Return what is a word for yes or no to it."""
        return {"waiting": "yes"} if self.is_claim else {"play_on": "no"}

    def motion(self, request: Request) -> Motion | None:
        """Return the motion; None if the vote is closed."""
        return next((motion for motion in open_ones(request.game) if motion.id == self.motion_id), None)

    def is_over(self, request: Request) -> bool:
        """Return True if the vote is closed."""
        return self.motion(request) is None

    def words(self, request: Request) -> Reply:
        """Return the question, with who asks for what until when."""
        return reply_from_template("vote_open", vote=vote_in_words(request, self._open(request)))

    def remark(self, request: Request) -> Reply:
        """Return the question in short."""
        return reply_from_template("still_asked", vote=_in_words(self._open(request)), is_claim=self.is_claim)

    def yes(self, request: Request) -> Outcome:
        return _vote(request, self._open(request), is_for=not self.is_claim)

    def no(self, request: Request) -> Outcome:
        return _vote(request, self._open(request), is_for=self.is_claim)

    def _open(self, request: Request) -> Motion:
        motion = self.motion(request)
        if motion is None:
            raise refusal("form", votes.CLOSED, is_public=True)
        return motion


def away(request: Request, command: forms.Command) -> Outcome:
    """AWAY with days, `list`, or `off`."""
    wish = command.text.lower()
    if wish == "list":
        return _absences(request, "list")
    if wish == "off":
        ended = end_absences.decide(request.player.id)
        return ended.then(lambda number: _absences(request, "ended" if number else "none"))
    today = now().astimezone(ZoneInfo(request.player.zone)).date()
    taken = take_vacation.decide(request.player.id, *dates.span(command.text, today))
    return taken.then(lambda _: _absences(request, "taken"))


def _absences(request: Request, became: str) -> Reply:
    """Return the reply that lists when the player is away; `became` says what the command did."""
    absences, zone = absences_of(request.player), request.player.zone
    spans = [
        gettext("{begin} to {end}", begin=sentences.moment(each.begin, zone), end=sentences.moment(each.end, zone))
        for each in absences if each.end > now()
    ]  # fmt: skip
    left = counted(
        days_left(absences, zone, now()),
        "You have one day of this year's vacation left.",
        "You have {n} days of this year's vacation left.",
    )
    return reply_from_template("away", Mark.OF_PLAYER, became=became, spans=spans, days_left=left)


def propose(request: Request, command: forms.Command) -> Outcome:
    """PAUSE with a length, or for the longest time that is allowed; RESUME; EXTEND with a length."""
    wish = {"length": command.text} if command.text else {}
    proposed = acting(request.game.id, request.player, votes.put_to_vote, command.name, **wish)
    return proposed.then(lambda acted: _voted(request, acted.answer, is_for=True))


def claim(request: Request, _command: forms.Command) -> Outcome:
    """CLAIM: do not wait for Mr. X any longer."""
    return _vote_on_mr_x(request, CLAIM, is_for=True)


def wait(request: Request, _command: forms.Command) -> Outcome:
    """WAIT: give Mr. X his whole time once more."""
    return _vote_on_mr_x(request, "wait", is_for=False)


def cover(request: Request, command: forms.Command) -> Outcome:
    """COVER with the pawn of a teammate, or `off`."""
    pawn = command.text.lower()
    other = next((seat for seat in request.game.seats if pawn in seat.pawns), None)
    if pawn != "off" and other is None:
        raise refusal("form", "Nobody plays {pawn} in this game.", pawn=sentences.pawn_name(pawn))
    acted = acting(request.game.id, request.player, name_cover, other.number if other else None)
    role = seat_label(other) if other else None
    return acted.then(lambda _: reply_from_template("cover", Mark.BRIEF, role=role))


def vote_named(request: Request) -> Vote | None:
    """Return the question of the vote that the address of a mail is about, open or not; None if there is none."""
    motion = session.get(MotionRow, request.about)
    return Vote.on(motion) if motion is not None else None


def open_votes(request: Request) -> list[Vote]:
    """Return the votes that a YES or NO of the player may be to, the oldest first."""
    is_running = request.game.status == "running"
    unanswered = votes.unanswered(request.game, request.seat, now()) if is_running else []
    return list(map(Vote.on, unanswered))


def several_votes(request: Request) -> str:
    """Return the sentence that several votes are open, and which."""
    meant = [pgettext("votes", "to {motion}", motion=_in_words(motion)) for motion in open_motions(request.game)]
    return gettext("Several votes are open: {votes}. Answer the mail about the one you mean.", votes=join(meant))


def _in_words(motion: Motion) -> str:
    return sentences.motion({"what": motion.kind, **motion.wish})


def vote_in_words(request: Request, motion: Motion) -> dict[str, Any]:
    """Return what STATUS tells of an open vote: who asks for what, until when, and how the player has voted."""
    by = next((seat for seat in request.game.seats if seat.number == motion.seat), None)
    cast = motion.ballots.get(request.seat.number)
    return {
        "is_claim": motion.kind == CLAIM,
        "motion": _in_words(motion),
        "by": seating.player_of(request.game, by.pawns) if by else pgettext("asks for a vote", "the server"),
        "until": sentences.moment(motion.closes_at, request.player.zone),
        "choice": cast,
        "is_asked": cast is None and request.seat in votes.voters(request.game, motion, now()),
    }


def why_unanswered(request: Request, answer: str) -> str:
    """Return the sentence that YES or NO answers nothing; of the vote on the newest open motion, that it stands."""
    for motion in reversed(open_motions(request.game)):
        cast = motion.ballots.get(request.seat.number)
        if cast is not None and motion.kind != CLAIM:
            yours, other = map(forms.word_of, ("yes", "no") if cast else ("no", "yes"))
            return gettext(
                "Your {yours} to the vote to {motion} stands. To change it, answer the mail about the vote with "
                "{other}.", yours=yours, motion=_in_words(motion), other=other,
            )  # fmt: skip
    return gettext("There is no open question to answer with {word}.", word=forms.word_of(answer))


def _vote_on_mr_x(request: Request, word: str, *, is_for: bool) -> Outcome:
    request.game.check_running(gettext_noop("there is nothing to answer"))
    motion = next((motion for motion in open_motions(request.game) if motion.kind == CLAIM), None)
    if motion is None:
        raise refusal(
            "form", "There is no open question to answer with {word}: nobody waits for Mr. X beyond his time.",
            word=forms.word_of(word), is_public=True,
        )  # fmt: skip
    return _vote(request, motion, is_for=is_for)


def _vote(request: Request, motion: Motion, *, is_for: bool) -> Outcome:
    cast = acting(request.game.id, request.player, votes.cast_vote, motion.id, is_for=is_for)
    return cast.then(lambda acted: _voted(request, acted.answer, is_for=is_for))


def _voted(request: Request, motion: Motion, *, is_for: bool) -> Reply:
    # The mail about the decision tells it all.
    is_told = motion.kind != CLAIM and motion.state in ("carried", "lost")
    reply = reply_from_template(
        "vote",
        Mark.BRIEF | (Mark.IN_TURN_MAIL if is_told else UNMARKED),
        motion=_in_words(motion),
        is_claim=motion.kind == CLAIM,
        is_for=is_for,
        state=motion.state,
        until=sentences.moment(motion.closes_at, request.player.zone),
    )
    is_own = motion.kind != CLAIM and motion.state == "open" and motion.seat == request.seat.number
    return replace(reply, question=Vote.on(motion)) if is_own else reply


HANDLERS: dict[str, Handler] = {
    **dict.fromkeys({*PROPOSED} & {form.name for form in forms.COMMANDS}, propose),
    "away": away,
    "wait": wait,
    CLAIM: claim,
    "cover": cover,
}
