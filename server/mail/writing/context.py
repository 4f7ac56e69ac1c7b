"""The template context of mails: a game as it stood at one event, as one player may know it.

A mail may be rendered long after its event, when more has happened.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import cache, partial

from sqlalchemy import bindparam, select

from server import clock, engine
from server.application.game import hunt, pace, projection, reply_addresses
from server.application.game.as_of import AsOf
from server.application.game.state import edition_of
from server.application.mail.outgoing import Mail
from server.house_rules.draft import PublicEvent
from server.house_rules.standing import OR_ELSE, Seat, Standing, Timer
from server.house_rules.timers import SHARED
from server.mail.writing import sentences
from server.mail.writing.first_game import rules_in_brief
from server.mail.writing.links import site, verifier
from server.mail.writing.seating import is_on_page, people, player_of, seat_for
from server.mail.writing.wrapping import FOLD
from server.models import Event, Game, Motion, Player, rows, session
from server.sealing.hash_chain import shown_in_mail
from server.vocabulary.by_name import ByName
from server.vocabulary.durations import parse_duration, say_duration
from server.vocabulary.events import EVENT_KINDS
from server.vocabulary.lines import has_link
from server.vocabulary.mails import MAIL_KINDS
from server.vocabulary.translation import gettext
from server.wording import hunt as words
from server.wording.rules import changed
from server.wording.seats import seat_label, seating_in_words


class GameMail:
    """The context of a mail about a game, made from the view of its recipient; a kind with more has a class of its own.

    Templates may use the names that begin with a letter, and call the methods where they need them.
    """

    s, fold = sentences, FOLD

    def __init__(self, mail: Mail, player: Player, then: AsOf) -> None:
        self._then, self.player = then, player
        self.game = game = then.game
        self.seat = seat = seat_for(mail, game, player)
        self.details = mail.details or {}
        self.role, self.is_mr_x = seat_label(seat), seat is not None and seat.role == "mr_x"
        self.outcome, self.has_transcript = then.outcome, then.transcript is not None
        self.is_on_page, self.is_against_bots = is_on_page(then, seat, player), game.is_against_bots(seat)
        self.site, self.verifier = site(), verifier()
        self.who = _naming(game, _passed_on(game, mail.event or 0))
        paused = game.paused_until(mail.created_at)  # by a vote
        self.paused = self.moment(paused) if paused else ""
        timer = then.running_timer(seat)
        self.until = self.moment(timer.due_at) if timer else None
        self.due_short = sentences.short_moment(timer.due_at, player.zone) if timer else None
        self.is_timed = timer is not None and seat is not None and timer.seat in (SHARED, seat.number)
        self.how = _how_it_came(timer, then, seat, player) if timer and not paused else ""
        self._add(mail)

    def _add(self, mail: Mail) -> None:
        """Add what the templates of one kind of mail use more."""

    def moment(self, at: datetime | str) -> str:
        """Return a moment in words, by the reader's clock."""
        return sentences.moment(datetime.fromisoformat(at) if isinstance(at, str) else at, self.player.zone)

    def people(self) -> list[str]:
        """Return a line on each seat and its player."""
        return people(self.game, self.player, self.seat)

    def is_untold(self, text: str) -> bool:
        """Return True but for what an answer to LOG or BOARD has told above the situation."""
        return text not in [block["text"] for block in self.details.get("blocks", ())]

    def moments(self) -> list[str]:
        """Return what decided the game, in sentences; nothing before the result is final."""
        is_open = self.outcome is not None and self.outcome["final"] and self.game.final and self._then.has_begun
        return words.moments(hunt.of(self.game), self.seat) if is_open else []

    def rules_in_brief(self) -> Sequence[str]:
        """Return the rules for somebody's first game."""
        return rules_in_brief(self._then, self.player)


def template_context(mail: Mail, player: Player, then: AsOf) -> dict[str, object]:
    """Return all that a template may use, made from the view of this recipient."""
    context = _KINDS.get(mail.kind, GameMail)(mail, player, then)
    parts = (context, Situation(then, mail, context)) if then.has_begun else (context,)
    return {name: getattr(part, name) for part in parts for name in dir(part) if not name.startswith("_")}


def _how_it_came(timer: Timer, then: AsOf, seat: Seat | None, player: Player) -> str:
    """Return how a deadline came about; empty where there is nothing to explain."""
    if not any(step.kind in _TO_EXPLAIN for step in clock.read_steps(timer.steps or [])):
        return ""
    steps = projection.steps(then.game, timer, seat, partial(sentences.short_moment, zone=player.zone))
    # The first step is when the time began, and the last the deadline, which stands before this.
    if not steps:
        return ""
    return " " + gettext("It is counted {begin}: {steps}.", begin=steps[0], steps="; ".join(steps[1:-1]))


# The steps that not every deadline has; without any of these there is nothing to explain.
_TO_EXPLAIN = {"more", "pause", "night"}


def _passed_on(game: Standing, event: int) -> Callable[[], frozenset[str]]:
    """Return a function that returns the pawns which have got another player since that event; most mails need none."""

    @cache
    def read() -> frozenset[str]:
        changes = rows(_CHANGES_OF_HANDS, game=game.id, number=event)
        return frozenset(pawn for change in changes for pawn in change.data["pawns"])

    return read


def _naming(game: Standing, passed_on: Callable[[], frozenset[str]]) -> Callable[[Sequence[str]], str]:
    """Return the function that names the players of pawns, but nobody for those that were passed on."""
    return lambda pawns: player_of(game, pawns, passed_on())


_CHANGES_OF_HANDS = select(Event.data).where(
    Event.game_id == bindparam("game"), Event.number > bindparam("number"), Event.kind == "substituted"
)


def seal_line(then: AsOf, of: str | None = None) -> str:
    """Return the last line of a mail: the head of the sealed log then; empty before the start.

    In a mail about several games, `of` is the name of this one.
    """
    if then.seal is None:
        return ""
    number, window, head = then.seal
    whose = f"Seal of [{of}]" if of else "Seal"
    when = f"after move {window}" if window else "before the first move"
    return f"{whose}, event {number}, {when}: {shown_in_mail(head)}\n"


# The kinds of mails whose templates may use more, each by its name.
_KINDS: ByName[type[GameMail]] = ByName(MAIL_KINDS)


@_KINDS.add
class Talk(GameMail):
    """The context of a message."""

    def _add(self, mail: Mail) -> None:
        message = mail.said
        assert message is not None
        seat = self.game.seat_of_number(message.seat)
        role = seat_label(seat)
        pawns = 1 if seat is None or seat.is_to_be_drawn else len(seat.pawns)
        by = sentences.called(message.author, role)
        self.said = {"by": by, "role": role, "pawns": pawns, "to": message.audience, "text": message.text}


@_KINDS.add
class Returned(GameMail):
    """The context of moves that came back."""

    def why(self, order: str, turn: int) -> str:
        """Return why the first move of an order was not legal in that turn."""
        return projection.why_illegal(self.game, engine.Move.parse(order.partition(OR_ELSE)[0]), turn - 1)


@_KINDS.add
class Resigned(GameMail):
    """The context with who has resigned, as `Ben (Red)`; `The player of Red` where there is no such account."""

    def _add(self, mail: Mail) -> None:
        role, left = sentences.pawn_names(self.details["pawns"]), session.get(Player, self.details["player"])
        self.resigned = sentences.called(left.name, role) if left else gettext("The player of {pawns}", pawns=role)


@_KINDS.add
class Vote(GameMail):
    """The context with when a vote closes: since the mail was posted an outage may have moved that."""

    described = staticmethod(clock.describe)

    def _add(self, mail: Mail) -> None:
        motion = session.get(Motion, mail.cause)
        self.closes = self.moment(motion.closes_at if motion else self.details["until"])


@_KINDS.add
class Invitation(GameMail):
    """The context with what somebody reads of a game to whom it is new."""

    def _add(self, mail: Mail) -> None:
        invitation = self.game.seats[self.details["seat"] - 1].invitation
        self.words = (invitation.words if invitation else None) or ""
        self.clock = clock.describe(clock.with_defaults(self.game.clock))
        self.changed, self.seating = changed(edition_of(self.game)), seating_in_words(self.game)
        name = session.get_one(Player, self.game.host_id).name
        self.host = gettext("Somebody") if has_link(name) else sentences.quoted(name)  # as strangers read it
        self.rematch_of = session.scalar(select(Game.name).where(Game.rematch_id == self.game.id))
        self.report = reply_addresses.mark(reply_addresses.REPORT, mail.id)


@_KINDS.add
class Complete(GameMail):
    """The context of a game in which every seat is taken."""

    def longest(self) -> str:
        return pace.longest_in_words(self.game)


@_KINDS.add
class Granted(GameMail):
    """The context of grace for Mr. X."""

    def _add(self, mail: Mail) -> None:
        self.asks = clock.with_defaults(self.game.clock)["mr_x_late"] == "vote"


@_KINDS.add
class Extended(GameMail):
    """The context of more time."""

    def length(self, text: str) -> str:
        return say_duration(parse_duration(text))


class OfVacated(GameMail):
    """The context of a seat that its player has lost."""

    def _add(self, mail: Mail) -> None:
        self.vacated = seat_label(self.game.seats[self.details["vacated"] - 1])


@_KINDS.add
class Vacant(OfVacated):
    """The context for the host."""


@_KINDS.add
class Cleared(OfVacated):
    """The context for the former player."""


class AboutLateness(GameMail):
    """The context of a mail about somebody who is late: whether that is the reader, and who covers for them."""

    def _add(self, mail: Mail) -> None:
        self.is_late = self.seat is not None and bool(set(self.seat.pawns) & set(self.details.get("pawns", ())))
        self.covers = clock.with_defaults(self.game.clock)["cover"]


@_KINDS.add
class Overdue(AboutLateness):
    """The context of a deadline that is over."""


@_KINDS.add
class Offered(AboutLateness):
    """The context of a seat that somebody else may take."""

    def seats_of(self, pawns: Sequence[str]) -> list[Seat]:
        """Return the seats with some of these pawns."""
        return [seat for seat in self.game.seats if set(pawns) & set(seat.pawns)]


class Situation:
    """The context of a mail about a game that has begun: how it stood, as the reader may know it."""

    def __init__(self, then: AsOf, mail: Mail, context: GameMail) -> None:
        seat, game = context.seat, context.game
        # Of the view of a spectator no template can tell where Mr. X is.
        self.view = view = then.view(None if context.is_on_page else context.player)
        mine = seat.pawns if seat else []
        can_move, pawns, to_move = then.moves_of(seat), view["pawns"], view["to_move"]
        self.movable = [pawn for pawn, moves in can_move.items() if moves]
        self.on_go = [pawn for pawn in mine if pawn in to_move]
        since = [_without_stranded(event, view) for event in _since(then, mine, MAIL_KINDS[mail.kind].tells)]
        passed_on = _passed_on(game, since[0].number - 1 if since else then.events[-1].number)
        who = _naming(game, passed_on)
        has_own_grant = "mr_x" in mine and any(event.kind == "granted" for event in since)
        reader = [] if has_own_grant and "mr_x" in passed_on() else mine
        ahead = then.team_queue(by=mail.created_at) if seat and seat.role == "detective" else []
        self.possible = lambda: then.possible
        self.turn, self.round = view["turn"], view["round"]
        # They know how, then.
        self.has_moved_before = (view["round"] or 0) > 1 and not context.details.get("is_newcomer")
        self.mine = {} if context.is_on_page else can_move
        self.missing = [pawn for pawn in self.movable if pawn not in {kept["pawn"] for kept in ahead}]
        self.is_stranded = bool(mine) and all(pawns[pawn].get("state") == "stranded" for pawn in mine)
        self.example = _example(can_move, self.movable)
        self.must_move = bool(self.missing if clock.is_shared(game.clock) else self.on_go)
        self.detectives = [pawn for pawn in pawns if pawn != "mr_x"]
        self.others = [pawn for pawn in self.detectives if pawn not in mine]
        self.since = " ".join(sentences.happenings(since, reader, who))
        self.own_untold = _own_untold(can_move, pawns)
        self.moved_this_round = sentences.moved_this_round(view)
        self.moved_since = {event.data["pawn"] for event in since if event.kind == "moved"}
        self.mover = sentences.pawn_names([then.events[-1].data["pawn"]]) if then.events[-1].kind == "moved" else ""
        self.newest = " ".join(sentences.happenings(then.events[-1:], mine, who))
        self.to_move = sentences.join([sentences.pawn_name(pawn) for pawn in to_move], "or") if to_move else ""
        self.ahead = sentences.moves_quoted(kept["notation"] for kept in ahead)


_OTHERS = ("house", "cover")  # may move in place of a player who is late


def _example(can_move: Mapping[str, Sequence[engine.Move]], movable: Sequence[str]) -> str:
    """Return a move of a detective with NN for its station, such as `red taxi NN`; empty if there is none."""
    return sentences.typed(f"{movable[0]} {can_move[movable[0]][0].legs[0].ticket} NN") if movable else ""


def _own_untold(can_move: Mapping[str, Sequence[engine.Move]], pawns: Mapping[str, engine.ShownPawn]) -> list[str]:
    """Return the reader's detectives, of which a list of tickets tells; none if their choices tell all of that."""
    own = [pawn for pawn in can_move if pawn in pawns and pawn != "mr_x"]
    is_told = all(sentences.are_tickets_told(can_move[pawn], pawns[pawn]["tickets"]) for pawn in own)
    return [] if is_told else own


def _since(then: AsOf, pawns: list[str], told: str) -> Sequence[PublicEvent]:
    """Return the events after the last move that the player of `pawns` sent; the newest not if it is of kind `told`.

    A player who has not moved for rounds has read of them in earlier mails; here the last round is enough. Of events
    that no mail of their own tells, all of that round are returned, as there may have been no mail before the move.
    """
    rounds = [i for i, event in enumerate(then.events) if event.kind == "moved" and event.data["pawn"] == "mr_x"]
    own = [_known_until(i, then.events, rounds) for i, event in enumerate(then.events) if _is_own_move(event, pawns)]
    round_began = rounds[-2] + 1 if len(rounds) > 1 else 0
    begin = max(own[-1] + 1 if own else 0, round_began)
    end = len(then.events) - (then.events[-1].kind == told)
    missed = [event for event in then.events[round_began:begin] if EVENT_KINDS[event.kind].has_no_mail]
    return [*missed, *(event for event in then.events[begin:end] if not _is_own_move(event, pawns))]


def _known_until(own: int, events: Sequence[PublicEvent], rounds: Sequence[int]) -> int:
    """Return the event up to which a player knew of all when they sent their move, the event `own`.

    What others did before a move that was sent ahead is news to them; it was sent after the move of Mr. X before it.
    """
    if events[own].data["by"] != "ahead":
        return own
    return next((i for i in reversed(rounds) if i < own), own)


def _without_stranded(event: PublicEvent, view: engine.BoardView) -> PublicEvent:
    """Return the event without pawns that it passed over because they are stranded: the list of tickets says so."""
    if not event.data.get("passed_over"):
        return event
    others = [pawn for pawn in event.data["passed_over"] if view["pawns"][pawn].get("state") != "stranded"]
    return event._replace(data=event.data | {"passed_over": others})


def _is_own_move(event: PublicEvent, pawns: list[str]) -> bool:
    return event.kind == "moved" and event.data["pawn"] in pawns and event.data["by"] not in _OTHERS
