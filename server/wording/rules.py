"""The rules of the game for players, made from the options of an edition.

The mail that answers RULES, the ten lines for somebody's first game and `docs/how-to-play.md` all come from `rules`, so
they cannot differ from each other or from what the engine plays.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from server.clock import describe, with_defaults
from server.engine import PAWNS, USUAL, Edition, Options
from server.engine.seats import PAWN_RULES
from server.engine.ticket_kinds import PLAIN
from server.vocabulary.clocks import Clock
from server.vocabulary.translation import gettext, gettext_noop, ngettext, pgettext, pgettext_noop
from server.vocabulary.words import counted, join, number, pawn_name

IN_BRIEF = 10  # rules that somebody needs for a first game; the others explain rare cases
# What each rule is about, within a sentence: its title with a small letter.
_TOPICS = pgettext_noop("rule", (
    "the hunt", "when the detectives win", "when Mr. X wins", "the order of a round", "moves", "tickets",
    "the travel log", "when Mr. X shows himself", "black tickets", "double moves", "taken stations",
    "detectives who cannot move", "lines that are cut off", "help and talk", "players", "time",
))  # fmt: skip


class Rule(NamedTuple):
    """A rule by its English title: one short sentence, and what has to be known as well, which may be empty."""

    name: str
    lead: str
    more: str = ""

    @property
    def title(self) -> str:
        """Return what the rule is about."""
        return gettext(self.name)

    @property
    def anchor(self) -> str:
        """Return what links to it are called in every language."""
        return self.name.lower().replace(" ", "-").replace(".", "")

    @property
    def text(self) -> str:
        return f"{self.lead} {self.more}".strip()


def rules(edition: Edition, detectives: int | None = None, pawns: Sequence[str] = ()) -> list[Rule]:
    """Return the rules of an edition in the order in which a newcomer needs them.

    With a number of `detectives` they are those of one game; without, they say how many people can play. `pawns` are
    the detectives of that game, by default the first of all.
    """
    options = edition.options
    movers = [pawn for pawn in PAWNS[1:] if pawn in pawns] or PAWNS[1 : (detectives or len(PAWNS)) + 1]
    made = [_round(options, movers) if make is _round else make(options) for make in _RULES]
    made.insert(_BLACK, _black_tickets(edition, detectives))
    made += [_cut_off()] if options["cut_off"] else []
    made.append(_help_and_talk(options))
    return made if detectives else [*made, _players(edition)]


def time(clock: Clock) -> Rule:
    """Return the rule on the time that the players of a game have, given its clock."""
    return Rule("Time", describe(with_defaults(clock)))


def in_brief(edition: Edition) -> list[str]:
    """Return the first sentences of the rules that somebody needs for a first game."""
    return [rule.lead for rule in rules(edition, 1)[:IN_BRIEF]]


def edition_in_brief(edition: Edition, players: int | None = None) -> str:
    """Return what tells an edition from others: for how many people it is, when Mr. X wins, what is not as usual.

    `players`: how many there are in the one game that is told of.
    """
    options = edition.options
    fewest, most = (players, players) if players else options["players"]
    people = gettext("{n} people.", n=_how_many(fewest, most))
    told = f"{_begun(people)} {_mr_x_wins(options).lead} {_surfacing(options).lead}"
    different = differences(edition, Edition.named(USUAL)) if edition.name != USUAL else []
    if not different:
        return told
    differs = gettext("It differs from {edition} in: {rules}.", edition=edition_title(USUAL), rules=topics(different))
    return f"{told} {differs}"


def topics(told: Sequence[Rule]) -> str:
    """Return what these rules are about, to stand within a sentence; empty if there are none."""
    return join([pgettext("rule", rule.name[0].lower() + rule.name[1:]) for rule in told]) if told else ""


def differences(edition: Edition, other: Edition) -> list[Rule]:
    """Return the rules of `edition` that `other` does not have word for word."""
    usual = set(rules(other))
    return [rule for rule in rules(edition) if rule not in usual]


def changed(edition: Edition) -> list[str]:
    """Return in full the rules of a game that its host has changed from those of the edition."""
    return [rule.text for rule in differences(edition, Edition.named(edition.name))]


def named(words: str) -> Edition | None:
    """Return the edition that these words name, such as `1985` or `Ravensburger`; None if none or several fit.

    Where the usual edition fits it is meant.
    """
    wanted = set(words.lower().replace("-", " ").split())
    fitting = [name for name in Edition.names() if wanted <= {*name.split("-"), *edition_title(name).lower().split()}]
    if USUAL in fitting:
        return Edition.named(USUAL)
    return Edition.named(fitting[0]) if len(fitting) == 1 else None


def edition_title(name: str) -> str:
    """Return the name of an edition as people write it: `Ravensburger 2000`."""
    return pgettext("edition", "Condensed") if name == "condensed" else name.replace("-", " ").title()


def _begun(sentence: str) -> str:
    """Return a sentence with a capital at its beginning, where a number in words can stand."""
    return sentence[0].upper() + sentence[1:]


def _how_many(fewest: int, most: int) -> str:
    if fewest == most:
        return number(most)
    if fewest + 1 == most:
        return pgettext("two numbers", "{fewest} to {most}", fewest=number(fewest), most=number(most))
    return gettext("{fewest} to {most}", fewest=number(fewest), most=number(most))


# One rule each ----------------------------------------------------------------------------------


def _hunt(_options: Options) -> Rule:
    lead = gettext("Mr. X moves through London in secret, and the detectives hunt him.")
    return Rule("The hunt", lead, gettext("Everybody draws a station to start from, and only his stays secret."))


def _detectives_win(options: Options) -> Rule:
    lead = gettext("The detectives win when one of them moves onto Mr. X's station.")
    more = gettext("They also win when he cannot move on his turn.")
    if options["mr_x_onto_detective"] == "loses":
        more = gettext(
            "They also win when he moves onto the station of a detective, and when he cannot move on his turn."
        )
    return Rule("When the detectives win", lead, more)


def _mr_x_wins(options: Options) -> Rule:
    rounds, windows, more = options["max_rounds"], options["log_windows"], []
    ways = [pgettext("wins", _STRANDED[options["both_stuck"]])]
    if options["full_log_wins"] != "no":
        ways.insert(0, pgettext("wins", _FULL_LOG[options["full_log_wins"]], n=windows))
    if rounds is not None:
        ways.insert(
            0, counted(rounds, "when nobody has caught him in one round", "when nobody has caught him in {n} rounds")
        )
    first, *others = ways
    if len(others) == 1:
        more.append(gettext("He also wins {when}.", when=others[0]))
    if len(others) == 2:
        more.append(gettext("He also wins {when}, and {other}.", when=others[0], other=others[1]))
    if options["full_log_wins"] == "no":
        more.append(ngettext(
            "A full log of {n} moves leaves him no move.", "A full log of {n} moves leaves him no move.", windows
        ))  # fmt: skip
    return Rule("When Mr. X wins", gettext("Mr. X wins {when}.", when=first), " ".join(more))


# Each stands in "Mr. X wins {when}." or "He also wins {when}, and {other}."
_FULL_LOG = pgettext_noop("wins", {
    "after_reply": "when his travel log of {n} moves is full and the detectives have moved once more",
    "at_once": "as soon as his travel log of {n} moves is full",
})  # fmt: skip
_STRANDED = pgettext_noop("wins", {
    "mr_x": "when no detective can move any more",
    "draw": "when no detective can move any more; if he cannot move either, the game is a draw",
    "detectives": "when no detective can move any more; if he cannot move either, the detectives win",
})  # fmt: skip


def _round(options: Options, pawns: Sequence[str] = PAWNS[1:]) -> Rule:
    return Rule(
        "The order of a round",
        gettext("In each round Mr. X moves first, and then every detective."),
        gettext(_ORDERS[options["turn_order"]], pawns=join([pawn_name(pawn) for pawn in pawns])),
    )


_ORDERS = gettext_noop({
    "fixed": "The detectives move in the order {pawns}.",
    "seats": "The players move one after the other, each with all their detectives in the order they like.",
    "any": "The detectives move in the order they like.",
})  # fmt: skip


def _moves(_options: Options) -> Rule:
    lead = gettext("A move goes to the next stop of a line, and costs one ticket of its kind.")
    return Rule("Moves", lead, gettext("Lines run both ways. Nobody may stay where they are."))


def _tickets(options: Options) -> Rule:
    held, his = _tickets_in_words(options["detective_tickets"]), _tickets_in_words(options["mr_x_tickets"])
    more = gettext("Each one they spend goes to Mr. X, who begins with {tickets}.", tickets=his)
    if options["mr_x_supply"] == "unlimited":
        more = gettext("Mr. X has as many of these as he needs.")
    return Rule("Tickets", gettext("Each detective has {tickets}, and gets no more.", tickets=held), more)


def _tickets_in_words(held: Mapping[str, int | None]) -> str:
    numbers = {kind: number(held[kind]) for kind in PLAIN}
    return gettext("{taxi} taxi, {bus} bus and {underground} underground tickets", **numbers)


def _travel_log(options: Options) -> Rule:
    room = counted(
        options["log_windows"],
        "His travel log shows them; it has room for one move.",
        "His travel log shows them; it has room for {n} moves.",
    )
    return Rule("The travel log", gettext("Everybody sees which tickets Mr. X uses, and not where he goes."), room)


def _surfacing(options: Options) -> Rule:
    shown = [str(window) for window in options["surfacing"]]
    more = []
    lead = gettext("Mr. X never has to show his station.")
    if shown:
        lead = ngettext(
            "On move {moves} of the log Mr. X shows his station.",
            "On moves {moves} of the log Mr. X shows his station.", len(shown), moves=join(shown),
        )  # fmt: skip
        more.append(gettext("With his next move he hides again."))
    if options["voluntary_surfacing"]:
        more.append(gettext(
            "After any other move he may show himself as well, and then takes one ticket of his choice from each "
            "detective."
        ))  # fmt: skip
    return Rule("When Mr. X shows himself", lead, " ".join(more))


def _black_tickets(edition: Edition, detectives: int | None) -> Rule:
    black = edition.options["black"]
    if black == 0:
        return Rule("Black tickets", gettext("Mr. X has no black tickets, so he cannot take the ferry."))
    if black == "per_pawn" and not detectives:
        has = gettext("He has as many as there are detectives.")
    else:
        has = counted(detectives if black == "per_pawn" else black, "He has one.", "He has {n}.")
    piers = join([str(pier) for pier in _ferry(edition)])
    ferry = gettext("The ferry between {piers} takes nothing else.", piers=piers)
    lead = gettext("A black ticket fits every line and hides which one Mr. X took.")
    return Rule("Black tickets", lead, f"{has} {ferry}")


def _ferry(edition: Edition) -> list[int]:
    """Return the piers in the order in which the ferry calls at them."""
    links = edition.board.links["ferry"]
    way = [max(pier for pier, stops in links.items() if len(stops) == 1)]
    while ahead := [stop for stop in links[way[-1]] if stop not in way]:
        way.append(ahead[0])
    return way


def _double_moves(options: Options) -> Rule:
    cards = options["mr_x_tickets"]["double"]
    if not cards:
        return Rule("Double moves", gettext("There are no double moves: Mr. X makes one move in a turn."))
    how_often = pgettext("double moves", _HOW_OFTEN[min(cards, 3)], n=number(cards))
    lead = gettext("{how_often} in a game Mr. X may make a double move: two moves in one turn.", how_often=how_often)
    return Rule("Double moves", _begun(lead), gettext("Each of the two costs its ticket."))


_HOW_OFTEN = pgettext_noop("double moves", {1: "once", 2: "twice", 3: "{n} times"})


def _taken_stations(options: Options) -> Rule:
    loses = options["mr_x_onto_detective"] == "loses"
    his = gettext("Mr. X has lost if he moves onto one." if loses else "Mr. X cannot move onto one either.")
    return Rule("Taken stations", gettext("No detective can move onto the station of another."), his)


def _stuck(options: Options) -> Rule:
    lead = gettext("A detective without a ticket for any line at their station stays there to the end.")
    hemmed_in = gettext("One whose next stops are all taken misses that round only.")
    if options["blocked"] == "out":
        hemmed_in = gettext("So does one whose next stops are all taken.")
    return Rule("Detectives who cannot move", lead, hemmed_in)


def _cut_off() -> Rule:
    return Rule(
        "Lines that are cut off", gettext("Mr. X cannot pass over a detective's station by bus or underground.")
    )


def _help_and_talk(options: Options) -> Rule:
    talk = gettext("What the detectives write to each other Mr. X cannot read.")
    if options["team_talk"] == "open":
        talk = gettext("Mr. X reads what the detectives write to each other.")
    helped = gettext("Where Mr. X can be you find out yourselves.")
    if options["deduction"]:
        helped = gettext("The server lists the stations where Mr. X can be.")
    return Rule("Help and talk", talk, helped)


def _players(edition: Edition) -> Rule:
    fewest, most = edition.options["players"]
    people = _begun(gettext("{n} people play, Mr. X included.", n=_how_many(fewest, most)))
    holders = PAWN_RULES[edition.options["pawns"]].holders
    if most == 2:
        return Rule("Players", people, gettext("The other plays all {n} detectives.", n=number(len(holders[2][0]))))
    if all(sum(map(len, holders[n])) == len(PAWNS) - 1 for n in range(fewest, most + 1)) and fewest < most:
        always = gettext("There are always five detectives, whom the others share out among them.")
        return Rule("Players", people, always)
    several = [
        gettext("with {n} people {each} each", n=number(n), each=number(max(map(len, holders[n]))))
        for n in range(fewest, most + 1)
        if max(map(len, holders[n])) > 1
    ]
    if not several:
        return Rule("Players", people, gettext("Each of the others plays one detective."))
    more = gettext("Each of the others plays one detective; {several}.", several=join(several))
    return Rule("Players", people, more)


_RULES: Sequence[Callable[[Options], Rule]] = (
    _hunt, _detectives_win, _mr_x_wins, _round, _moves, _tickets, _travel_log, _surfacing, _double_moves,
    _taken_stations, _stuck,
)  # fmt: skip
_BLACK = _RULES.index(_double_moves)  # black tickets come before double moves
