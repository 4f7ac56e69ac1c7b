"""The template context of mails: a game as it stood at one event, as one player may know it.

A mail may be rendered long after its event, when more has happened.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from functools import cache, partial
from typing import Any

from sqlalchemy import bindparam, select

from server import clock, engine
from server.application.game import pace, projection, reply_addresses
from server.application.game.as_of import AsOf
from server.application.game.state import edition_of
from server.application.mail.outgoing import Mail
from server.house_rules.draft import PublicEvent
from server.house_rules.standing import Seat, Standing, Timer
from server.house_rules.timers import SHARED
from server.mail.writing import sentences
from server.mail.writing.first_game import rules_in_brief
from server.mail.writing.wrapping import FOLD
from server.models import Event, Game, Motion, Player, rows, session
from server.runtime import runtime
from server.sealing.hash_chain import shown_in_mail
from server.vocabulary.by_name import ByName
from server.vocabulary.durations import parse_duration, say_duration
from server.vocabulary.events import EVENT_KINDS
from server.vocabulary.lines import has_link
from server.vocabulary.mails import MAIL_KINDS
from server.wording.rules import changed
from server.wording.seats import bot_name, seat_label, seating_in_words


def template_context(mail: Mail, player: Player, then: AsOf) -> dict[str, object]:
    """Return all that a template may use, made from the view of this recipient."""
    game, seat = then.game, seat_for(mail, then.game, player)
    filled = clock.with_defaults(game.clock)
    paused, details = _paused(mail, game, player), mail.details or {}
    known: dict[str, object] = {
        "game": game, "player": player, "seat": seat, "details": details,
        "s": sentences, "say_duration": say_duration, "is_mr_x": seat is not None and seat.role == "mr_x",
        "role": seat_label(seat), "people": lambda: people(game, player, seat), "outcome": then.outcome,
        "verifier": verifier(), "has_transcript": then.transcript is not None,
        "length": lambda text: say_duration(parse_duration(text)),
        # An answer to LOG or BOARD has told above what the situation below would tell once more.
        "is_untold": lambda text: text not in [block["text"] for block in (mail.details or {}).get("blocks", ())],
        "who": _naming(game, _passed_on(game, mail.event or 0)), "fold": FOLD,
        "seats_of": lambda pawns: [seat for seat in game.seats if set(pawns) & set(seat.pawns)],
        "is_on_page": is_on_page(then, seat, player), "site": site(),
        "is_against_bots": game.is_against_bots(seat),
        "paused": paused,
        "until": None, "due_short": None, "is_timed": False, "how": "", "is_late": _is_late(mail.details, seat),
        "longest": lambda: pace.longest_in_words(game),
        "asks": filled["mr_x_late"] == "vote", "covers": filled["cover"],
        "rules_in_brief": lambda: rules_in_brief(then, player),
        "described": clock.describe, "clock": clock.describe(filled),
        "moment": lambda text: sentences.moment(datetime.fromisoformat(text), player.zone),
    }  # fmt: skip
    if (timer := then.running_timer(seat)) is not None:
        known |= _timing(timer, then, seat, player, says_how=not paused)
    if mail.kind in _OWN_CONTEXT:
        known |= _OWN_CONTEXT[mail.kind](mail, game, player)
    if "vacated" in details:
        known["vacated"] = seat_label(game.seats[details["vacated"] - 1])
    if then.has_begun:
        known |= _situation(then, seat, player, mail)
    return known


def is_on_page(then: AsOf, seat: Seat | None, player: Player) -> bool:
    """Return True if mails tell this Mr. X nothing of where he is, as he wishes; a final result tells all."""
    return hides_station(seat, player, is_final=then.outcome is not None and then.outcome["final"])


def hides_station(seat: Seat | None, player: Player, *, is_final: bool) -> bool:
    """Return True if mails tell no station to the player of the seat, who is Mr. X and wants it so."""
    return seat is not None and seat.role == "mr_x" and player.station == "page" and not is_final


def _is_late(details: Mapping[str, Any] | None, seat: Seat | None) -> bool:
    return seat is not None and bool(set(seat.pawns) & set((details or {}).get("pawns", ())))


def _timing(timer: Timer, then: AsOf, seat: Seat | None, player: Player, *, says_how: bool) -> dict[str, object]:
    """Return the deadline, with `says_how` how it came about, and whether it is the reader's own."""
    until, short = sentences.moment(timer.due_at, player.zone), sentences.short_moment(timer.due_at, player.zone)
    is_timed = seat is not None and timer.seat in (SHARED, seat.number)
    has_more = says_how and any(step.kind not in _PLAIN_STEPS for step in clock.read_steps(timer.steps or []))
    moment = partial(sentences.short_moment, zone=player.zone)
    steps = projection.steps(then.game, timer, seat, moment) if has_more else []
    # The first step is when the time began, and the last the deadline, which stands before this.
    how = f" It is counted {steps[0]}: {'; '.join(steps[1:-1])}." if steps else ""
    return {
        "until": until,
        "due_short": short,
        "is_timed": is_timed,
        "how": how,
    }


# The steps of every deadline; with none but these there is nothing to explain.
_PLAIN_STEPS = {"from", "given", "due", "none"}


def recipient(mail: Mail) -> Player:
    """Return the player that a mail is for, or one without an id or a name for an address that is no player's yet."""
    if mail.player is not None:
        return mail.player
    assert mail.details is not None
    return Player(id="", name="", email=mail.details["to"], zone="UTC", picture="off", bounces=False)


def find_seat(game: Standing, player: Player) -> Seat | None:
    """Return the seat that a mail is about: the player's own, or the one reserved for them."""
    held = projection.own_seat(game, player)
    return held or next((seat for seat in game.seats if seat.invited_id == player.id), None)


def seat_for(mail: Mail, game: Standing, player: Player) -> Seat | None:
    """Return the seat that a mail is about; None if that of an invitation is not reserved for the reader any more."""
    number = (mail.details or {}).get("seat")
    if number is None:
        return find_seat(game, player)
    seat = game.seats[number - 1]
    by_address = seat.invitation is not None and seat.invitation.email == player.email
    return seat if (seat.invited_id == player.id if player.id else by_address) else None


def colour_pawn(seat: Seat | None) -> str:
    """Return the pawn whose colour a mail has; empty where that is still to be drawn."""
    return "" if seat is None or seat.is_to_be_drawn else next(iter(seat.pawns), "")


def people(game: Standing, reader: Player | None = None, own: Seat | None = None) -> list[str]:
    """Return a line on each seat and its player; addresses are named only to the reader who invited them.

    `own` is the seat of the reader, or the one that waits for their answer.
    """
    return [_seated(seat, reader, is_own=seat is own) for seat in game.seats]


def _seated(seat: Seat, reader: Player | None, *, is_own: bool) -> str:
    player = session.get(Player, seat.player_id) if seat.player_id else None
    address = projection.invited_address(seat, reader)
    form, who = "free", ""
    if player:
        form = "guest" if player.is_guest else "unreached" if player.bounces else "played"
        who = sentences.quoted(player.name)
    elif seat.bot:
        form, who = "played", bot_name(seat.bot, seat.level)
    elif seat.is_reserved:
        form = "yours" if is_own else "invited" if address else "somebody's"
        who = sentences.quoted(address or "")
    name = seat_label(seat)
    return (_SEATED_SEVERAL if " and " in name else _SEATED)[form].format(name=name, who=who)


_SEATED = {
    "played": "{name} is played by {who}",
    "guest": "{name} is played by {who}, a guest",
    "unreached": "{name} is played by {who}, whom no mail reaches",
    "yours": "{name} is reserved for you",
    "invited": "{name} is reserved for {who}",
    "somebody's": "{name} is reserved for somebody who is invited",
    "free": "{name} is still to be taken",
}
_SEATED_SEVERAL = {
    "played": "{name} are played by {who}",
    "guest": "{name} are played by {who}, a guest",
    "unreached": "{name} are played by {who}, whom no mail reaches",
    "yours": "{name} are reserved for you",
    "invited": "{name} are reserved for {who}",
    "somebody's": "{name} are reserved for somebody who is invited",
    "free": "{name} are still to be taken",
}


def site() -> str | None:
    """Return the URL at which the pages are, without a slash at its end; None where mails hold no links."""
    url = runtime().settings.public_url
    return url.rstrip("/") if url else None


def player_of(game: Standing, pawns: Sequence[str], passed_on: Collection[str] = ()) -> str:
    """Return the players of pawns as `Ben (Red and Green)`; where no person plays them, the pawns alone.

    Nor is anybody named for pawns that were `passed_on`: another player had them.
    """
    seats = [seat for seat in game.seats if set(pawns) & set(seat.pawns)]
    return sentences.join([_called(seat, is_named=not set(seat.pawns) & set(passed_on)) for seat in seats])


def _called(seat: Seat, *, is_named: bool) -> str:
    player = session.get(Player, seat.player_id) if seat.player_id and is_named else None
    return sentences.called(player.name, seat_label(seat)) if player else seat_label(seat)


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


def verifier() -> str | None:
    """Return the URL of the file that checks a transcript; None where mails hold no links."""
    return f"{site()}/verifier.py" if site() else None


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


def _host_of(game: Standing) -> str:
    """Return the name of the host; "Somebody" for an old one that is a link, as strangers read it."""
    name = session.get_one(Player, game.host_id).name
    return "Somebody" if has_link(name) else sentences.quoted(name)


def _rematch_of(game: Standing) -> str | None:
    return session.scalar(select(Game.name).where(Game.rematch_id == game.id))


# What the template of one kind of mail alone may use.
_OWN_CONTEXT: ByName[Callable[[Mail, Standing, Player], dict[str, object]]] = ByName(MAIL_KINDS)


@_OWN_CONTEXT.add
def _talk(mail: Mail, game: Standing, _player: Player) -> dict[str, object]:
    message = mail.said
    assert message is not None
    role = seat_label(game.seat_of_number(message.seat))
    by = sentences.called(message.author, role)
    return {"said": {"by": by, "role": role, "to": message.audience, "text": message.text}}


@_OWN_CONTEXT.add
def _resigned(mail: Mail, _game: Standing, _player: Player) -> dict[str, object]:
    """Return who has resigned, as `Ben (Red)`; `The player of Red` where there is no such account any more."""
    assert mail.details is not None
    role, player = sentences.pawn_names(mail.details["pawns"]), session.get(Player, mail.details["player"])
    return {"resigned": sentences.called(player.name, role) if player else f"The player of {role}"}


@_OWN_CONTEXT.add
def _vote(mail: Mail, _game: Standing, player: Player) -> dict[str, object]:
    """Return when a vote closes: since the mail was posted an outage may have moved that."""
    motion = session.get(Motion, mail.cause)
    closes_at = motion.closes_at if motion else datetime.fromisoformat((mail.details or {})["until"])
    return {"closes": sentences.moment(closes_at, player.zone)}


@_OWN_CONTEXT.add
def _invitation(mail: Mail, game: Standing, _player: Player) -> dict[str, object]:
    invitation = game.seats[(mail.details or {})["seat"] - 1].invitation
    return {
        "words": (invitation.words if invitation else None) or "",
        "changed": changed(edition_of(game)),
        "host": _host_of(game), "rematch_of": _rematch_of(game), "seating": seating_in_words(game),
        "report": reply_addresses.mark(reply_addresses.REPORT, mail.id),
    }  # fmt: skip


def _paused(mail: Mail, game: Standing, player: Player) -> str:
    """Return until when the game stands still by a vote; empty if it does not, or if it is over."""
    until = game.paused_until(mail.created_at)
    return sentences.moment(until, player.zone) if until else ""


def _situation(then: AsOf, seat: Seat | None, player: Player, mail: Mail) -> dict[str, object]:
    # Of the view of a spectator no template can tell where Mr. X is.
    is_hidden = is_on_page(then, seat, player)
    view = then.view(None if is_hidden else player)
    mine = seat.pawns if seat else []

    can_move = then.moves_of(seat)
    detectives = [pawn for pawn in view["pawns"] if pawn != "mr_x"]
    to_move = view["to_move"]
    movable = [pawn for pawn, moves in can_move.items() if moves]
    on_go = [pawn for pawn in mine if pawn in to_move]
    since = [_without_stranded(event, view) for event in _since(then, mine, MAIL_KINDS[mail.kind].tells)]
    passed_on = _passed_on(then.game, since[0].number - 1 if since else then.recent[-1].number)
    who = _naming(then.game, passed_on)
    has_own_grant = "mr_x" in mine and any(event.kind == "granted" for event in since)
    reader = [] if has_own_grant and "mr_x" in passed_on() else mine
    ahead = then.team_queue(by=mail.created_at) if seat and seat.role == "detective" else []
    missing = [pawn for pawn in movable if pawn not in {kept["pawn"] for kept in ahead}]
    return {
        "view": view,
        "possible": lambda: then.possible,
        "turn": view["turn"],
        "round": view["round"],
        "has_moved_before": (view["round"] or 0) > 1
        and not (mail.details or {}).get("is_newcomer"),  # so they know how
        "mine": {} if is_hidden else can_move,
        "movable": movable,
        "missing": missing,
        "is_stranded": bool(mine) and all(view["pawns"][pawn].get("state") == "stranded" for pawn in mine),
        "example": _example(can_move, movable),
        "on_go": on_go,
        "must_move": bool(missing if clock.is_shared(then.game.clock) else on_go),
        "detectives": detectives,
        "others": [pawn for pawn in detectives if pawn not in mine],
        "since": " ".join(sentences.happenings(since, reader, who)),
        "own_untold": _own_untold(can_move, view["pawns"]),
        "moved_this_round": sentences.moved_this_round(view),
        "moved_since": {event.data["pawn"] for event in since if event.kind == "moved"},
        "mover": sentences.pawn_names([then.recent[-1].data["pawn"]]) if then.recent[-1].kind == "moved" else "",
        "newest": " ".join(sentences.happenings(then.recent[-1:], mine, who)),
        "to_move": sentences.join([sentences.pawn_name(pawn) for pawn in to_move], "or") if to_move else "",
        "ahead": [sentences.quoted(kept["notation"]) for kept in ahead],
    }


_OTHERS = ("house", "cover")  # may move in place of a player who is late


def _example(can_move: Mapping[str, Sequence[engine.Move]], movable: Sequence[str]) -> str:
    """Return a move of a detective with NN for its station, such as `red taxi NN`; empty if there is none."""
    return f"{movable[0]} {can_move[movable[0]][0].legs[0].ticket} NN" if movable else ""


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
    rounds = [i for i, event in enumerate(then.recent) if event.kind == "moved" and event.data["pawn"] == "mr_x"]
    own = [_known_until(i, then.recent, rounds) for i, event in enumerate(then.recent) if _is_own_move(event, pawns)]
    round_began = rounds[-2] + 1 if len(rounds) > 1 else 0
    begin = max(own[-1] + 1 if own else 0, round_began)
    end = len(then.recent) - (then.recent[-1].kind == told)
    missed = [event for event in then.recent[round_began:begin] if EVENT_KINDS[event.kind].has_no_mail]
    return [*missed, *(event for event in then.recent[begin:end] if not _is_own_move(event, pawns))]


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
