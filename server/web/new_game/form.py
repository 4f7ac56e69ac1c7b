"""The form that opens a game. Show opens nothing, and a refused form keeps all that was typed.

A card above the form fills it in; all fields are folded, as a card is enough to start.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from flask import Response, request, url_for

from server import clock
from server.application.game.pace import pace
from server.application.lobby import game_names, invitations, opening, starting
from server.engine import USUAL, Edition, OptionError
from server.models import Player
from server.vocabulary.clocks import Clock
from server.vocabulary.errors import Problem, refusal
from server.vocabulary.translation import gettext, gettext_noop, ngettext
from server.vocabulary.words import join, pawn_names
from server.web import forms, once, visitors
from server.web.new_game import cards, clocks, options, seats
from server.web.problems import page
from server.wording.clocks import mr_x_late
from server.wording.options import ABOUT, value_in_words
from server.wording.pace import pace_in_words
from server.wording.rules import edition_in_brief, edition_title
from server.wording.seats import FOR_GUESTS, SEATING, bots_in_words

T = TypeVar("T")
PLAYERS = "4"
NIGHTS = gettext_noop("Nobody's time ends in their own night.")
EVENING = gettext_noop("Nights, days off and vacation do not stop so fast a clock.")
VISIBILITY = gettext_noop({
    "private": "Only its players see it, and those to whom you give the link.",
    "public": "Anybody may watch it here, by the players' names, and take an open seat. Mr. X stays hidden.",
})  # fmt: skip


class RequestedGame(NamedTuple):
    """The game that the form describes."""

    edition: Edition
    hands: tuple[tuple[str, ...], ...]
    clock: Clock
    seats: list[dict[str, str]]


def show() -> Response:
    """Show the form; a POST opens the game, and starts it if bots take all seats that are left.

    A GET may name a card, or the edition whose values are shown, as the pages with the rules of one do.
    """
    player = visitors.with_address()
    if request.method != "POST":
        given = _chosen()
        return _form(player, given, *_read(player, given))
    given = {name: value.strip() for name, value in request.form.items()}
    wrong, requested = _read(player, given)
    if wrong or requested is None or "show" in given:
        return _form(player, given, wrong, requested)
    try:
        return once.led_once(player, lambda: _open(player, given, requested))
    except Problem as problem:
        field = "name" if problem.code == "name-taken" else "seats"
        return _form(player, given, {field: problem.sentence}, requested, problem)


def _chosen() -> dict[str, str]:
    """Return the fields that are filled in when the form is shown first."""
    if edition := request.args.get("edition"):
        return {"edition": edition}
    card = request.args.get("card", "")
    name = card if card in cards.CARDS else cards.USUAL_CARD
    return {"card": name, **cards.CARDS[name].fields}


def _open(player: Player, given: Mapping[str, str], requested: RequestedGame) -> str:
    """Open the game, and return the path of its page."""
    game = opening.open_game(
        player,
        requested.edition.name,
        options=options.chosen(given, Edition.named(requested.edition.name)),
        seats=requested.seats,
        clock=requested.clock,
        visibility=given.get("visibility") or "private",
        seating=given.get("seating") or "chosen",
        guests={"seats": given["guests"]} if given.get("guests") else None,
        name=given.get("name") or None,
    )
    if given.get("others") == "bots" and all(seat.is_taken for seat in game.seats):
        starting.start(game.id, player)
    return url_for("pages.game", game_id=game.id)


def _read(player: Player, given: Mapping[str, str]) -> tuple[dict[str, str], RequestedGame | None]:
    """Return what is wrong with the form, by field, and the game it describes, None if it describes none."""
    wrong: dict[str, str] = {}
    for name, words in (("visibility", VISIBILITY), ("seating", SEATING), ("guests", FOR_GUESTS)):
        if given.get(name, "") not in ("", *words):
            wrong[name] = gettext("Choose one of these.")
    if given.get("name"):
        _tried(wrong, "name", lambda: game_names.check(given["name"]))
    edition = _tried(wrong, "edition", lambda: opening.edition_with(given.get("edition") or USUAL, None))
    if edition is None:
        return wrong, None
    changed = _tried(wrong, "options", lambda: edition.with_options(**options.chosen(given, edition)))
    hands = _tried(wrong, "players", lambda: _hands(given, changed or edition))
    clock_ = _tried(wrong, "clock", lambda: clocks.chosen(given, player.zone))
    people = len(hands) if hands else 2
    seated = _tried(wrong, "seats", lambda: seats.chosen(given, player, people))
    if changed is None or hands is None or clock_ is None or seated is None:
        return wrong, None
    return wrong, RequestedGame(changed, hands, clock_, seated)


def _tried(wrong: dict[str, str], field: str, read: Callable[[], T]) -> T | None:
    """Return what `read` returns; or None, with what is wrong noted at the field."""
    try:
        return read()
    except OptionError as error:
        wrong[error.option if error.option in options.offered() else field] = options.in_words(error)
    except Problem as problem:
        wrong[field] = problem.sentence
    return None


def _hands(given: Mapping[str, str], edition: Edition) -> tuple[tuple[str, ...], ...]:
    """Return the pawns of each seat for the number of people on the form, Mr. X's first."""
    people = forms.number(given.get("players") or PLAYERS, 1)
    if people is None:
        raise refusal("form", "Choose a number of players.")
    return edition.seats(people)


def _form(
    player: Player,
    given: Mapping[str, str],
    wrong: Mapping[str, str],
    requested: RequestedGame | None = None,
    problem: Problem | None = None,
) -> Response:
    edition = Edition.named(given["edition"] if given.get("edition") in Edition.names() else USUAL)
    if wrong and problem is None:
        problem = Problem("form", next(iter(wrong.values())))
    described = requested or _usual(player, edition)
    return page(
        "new_game",
        problem,
        once=once.new_key(),
        given=given,
        wrong=wrong,
        edition=edition,
        title=edition_title(edition.name),
        cards=cards.CARDS,
        is_changed=request.method == "POST" or "card" not in given,
        longest_name=game_names.LONGEST,
        is_filled=any(value and name.startswith(("who_", "bot_")) for name, value in given.items()),
        people=invitations.names_met(player),
        zone=player.zone,
        value_in_words=value_in_words,
        **_offered(),
        seats=_seats(described, given),
        clocks=_clocks(player, described),
        summary=_summary(described, given),
    )


def _offered() -> dict[str, object]:
    """Return what everybody can choose from."""
    editions = map(Edition.named, Edition.names())
    return {
        "editions": [(each.name, edition_title(each.name), edition_in_brief(each)) for each in editions],
        "usual": USUAL,
        "numbers": range(2, 7),
        "usual_players": PLAYERS,
        "mine": forms.in_language(seats.MINE),
        "others": forms.in_language(seats.OTHERS),
        "clock_kinds": forms.in_language(clocks.KINDS),
        "units": forms.in_language(clocks.UNITS),
        "days": clock.WEEKDAYS,
        "options": options.offered(),
        "tickets": options.TICKETS,
        "about": ABOUT,
        "visibility": forms.in_language(VISIBILITY),
        "seating": forms.in_language(SEATING),
        "guests": forms.in_language(FOR_GUESTS),
    }


def _usual(player: Player, edition: Edition) -> RequestedGame:
    """Return the game that is described when the form is empty or wrong."""
    fewest, most = edition.options["players"]
    hands = edition.seats(min(max(int(PLAYERS), fewest), most))
    return RequestedGame(edition, hands, clocks.whole("two_days", player.zone), [])


def _seats(requested: RequestedGame, given: Mapping[str, str]) -> list[dict[str, object]]:
    """Return the seats that the host can fill one by one: all but their own."""
    roles = ["mr_x", *["detective"] * (len(requested.hands) - 1)]
    sits = given.get("seat") or "detective"
    own = roles.index(sits) + 1 if sits in roles else 0
    return [
        {"number": number, "label": pawn_names(hand), "bots": bots_in_words(role)}
        for number, (role, hand) in enumerate(zip(roles, requested.hands, strict=True), 1)
        if number != own
    ]


def _clocks(player: Player, requested: RequestedGame) -> list[tuple[str, str, str]]:
    """Return each clock to choose from: its value, its title, and how long a round takes with it."""
    found = []
    for name in clocks.CHOICES:
        whole = clocks.whole(name, player.zone)
        words = f"{clock.describe(whole)} {_pace(requested, whole)}"
        found.append((name, gettext(clocks.TITLES[name]), words))
    return [*found, (clocks.OWN, gettext(clocks.TITLES[clocks.OWN]), gettext("The time that you write below."))]


def _pace(requested: RequestedGame, of_clock: Clock) -> str:
    return pace_in_words(*pace(requested.edition.options, of_clock, requested.hands[1:]))


def _people(edition: str, hands: Sequence[Sequence[str]]) -> str:
    """Return for how many people a game is, and how many detectives the players but Mr. X have, if not one each."""
    held = sorted({len(hand) for hand in hands[1:]})
    if held == [1]:
        return gettext("{edition} for {n} people.", edition=edition, n=len(hands))
    return ngettext(
        "{edition} for {people} people: Mr. X, and a player with {pawns} detectives.",
        "{edition} for {people} people: Mr. X, and {n} players with {pawns} detectives each.",
        len(hands) - 1, edition=edition, people=len(hands), pawns=join([str(number) for number in held], "or"),
    )  # fmt: skip


def _summary(requested: RequestedGame, given: Mapping[str, str]) -> list[str]:
    """Return the game that is described, in sentences."""
    mine = seats.YOU_ARE.get(given.get("seat", ""), seats.YOU_ARE["detective"])
    others = gettext(seats.OTHERS.get(given.get("others", ""), seats.OTHERS["open"]))
    night = (
        EVENING if clock.gives_under_an_hour(requested.clock) else NIGHTS if requested.clock["kind"] != "none" else ""
    )
    described, late = clock.describe(requested.clock), mr_x_late(requested.clock)
    seating = given.get("seating", "")
    yours = SEATING[seating] if seating in SEATING and seating != "chosen" else mine
    return [
        _people(edition_title(requested.edition.name), requested.hands),
        f"{gettext(yours)} {gettext('The other seats {become}.', become=others)}",
        " ".join(filter(None, (described, gettext(night), late, _pace(requested, requested.clock)))),
    ]
