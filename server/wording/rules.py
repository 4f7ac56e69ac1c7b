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
from server.vocabulary.words import counted, join, number, pawn_name

IN_BRIEF = 10  # rules that somebody needs for a first game; the others explain rare cases


class Rule(NamedTuple):
    """A rule: what it is about, one short sentence, and what has to be known as well, which may be empty."""

    title: str
    lead: str
    more: str = ""

    @property
    def text(self) -> str:
        """Return the rule in full."""
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
    fewest, most = (players, players) if players else edition.options["players"]
    counted = f"{number(fewest)} to {number(most)}" if fewest < most else number(most)
    people = f"{counted.capitalize()} people"
    options = edition.options
    usual = Edition.named(USUAL)
    titles = [rule.title[0].lower() + rule.title[1:] for rule in differences(edition, usual)]
    told = f" It differs from {edition_title(USUAL)} in: {join(titles)}." if edition.name != USUAL and titles else ""
    return f"{people}. {_mr_x_wins(options).lead} {_surfacing(options).lead}{told}"


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
    fitting = [name for name in Edition.names() if wanted <= set(name.split("-"))]
    if USUAL in fitting:
        return Edition.named(USUAL)
    return Edition.named(fitting[0]) if len(fitting) == 1 else None


def edition_title(name: str) -> str:
    """Return the name of an edition as people write it: `Ravensburger 2000`."""
    return name.replace("-", " ").title()


# One rule each ----------------------------------------------------------------------------------


def _hunt(_options: Options) -> Rule:
    return Rule(
        "The hunt",
        "Mr. X moves through London in secret, and the detectives hunt him.",
        "Everybody draws a station to start from, and only his stays secret.",
    )


def _detectives_win(options: Options) -> Rule:
    also = "when he cannot move on his turn"
    if options["mr_x_onto_detective"] == "loses":
        also = f"when he moves onto the station of a detective, and {also}"
    return Rule(
        "When the detectives win",
        "The detectives win when one of them moves onto Mr. X's station.",
        f"They also win {also}.",
    )


def _mr_x_wins(options: Options) -> Rule:
    windows, rounds = options["log_windows"], options["max_rounds"]
    full = {
        "after_reply": f"when his travel log of {windows} moves is full and the detectives have moved once more",
        "at_once": f"as soon as his travel log of {windows} moves is full",
        "no": "",
    }[options["full_log_wins"]]
    unless = {
        "mr_x": "",
        "draw": "; if he cannot move either, the game is a draw",
        "detectives": "; if he cannot move either, the detectives win",
    }[options["both_stuck"]]
    stranded = f"when no detective can move any more{unless}"
    by_rounds = (
        f"when nobody has caught him in {counted(rounds, 'one round', '{n} rounds')}" if rounds is not None else ""
    )
    first, *others = filter(None, (by_rounds, full, stranded))
    blocked = f"A full log of {windows} moves leaves him no move." if not full else ""
    more = f"He also wins {', and '.join(others)}." if others else ""
    return Rule("When Mr. X wins", f"Mr. X wins {first}.", f"{more} {blocked}".strip())


def _round(options: Options, pawns: Sequence[str] = PAWNS[1:]) -> Rule:
    order = {
        "fixed": f"The detectives move in the order {join([pawn_name(pawn) for pawn in pawns])}.",
        "seats": "The players move one after the other, each with all their detectives in the order they like.",
        "any": "The detectives move in the order they like.",
    }[options["turn_order"]]
    return Rule("The order of a round", "In each round Mr. X moves first, and then every detective.", order)


def _moves(_options: Options) -> Rule:
    return Rule(
        "Moves",
        "A move goes to the next stop of a line, and costs one ticket of its kind.",
        "Lines run both ways. Nobody may stay where they are.",
    )


def _tickets(options: Options) -> Rule:
    held = _tickets_in_words(options["detective_tickets"])
    lead = f"Each detective has {held}, and gets no more."
    his = {kind: options["mr_x_tickets"][kind] for kind in PLAIN}
    if options["mr_x_supply"] == "unlimited":
        return Rule("Tickets", lead, "Mr. X has as many of these as he needs.")
    return Rule("Tickets", lead, f"Each one they spend goes to Mr. X, who begins with {_tickets_in_words(his)}.")


def _tickets_in_words(held: Mapping[str, int | None]) -> str:
    return f"{join([f'{number(held[kind])} {kind}' for kind in PLAIN])} tickets"


def _travel_log(options: Options) -> Rule:
    return Rule(
        "The travel log",
        "Everybody sees which tickets Mr. X uses, and not where he goes.",
        f"His travel log shows them; it has room for {counted(options['log_windows'], 'one move', '{n} moves')}.",
    )


def _surfacing(options: Options) -> Rule:
    title, shown = "When Mr. X shows himself", [str(window) for window in options["surfacing"]]
    will = (
        "After any other move he may show himself as well, and then takes one ticket of his choice from each detective."
        if options["voluntary_surfacing"]
        else ""
    )
    if not shown:
        return Rule(title, "Mr. X never has to show his station.", will)
    moves = f"move{'s' * (len(shown) > 1)} {join(shown)}"
    return Rule(
        title, f"On {moves} of the log Mr. X shows his station.", f"With his next move he hides again. {will}".strip()
    )


def _black_tickets(edition: Edition, detectives: int | None) -> Rule:
    title, black = "Black tickets", edition.options["black"]
    if black == 0:
        return Rule(title, "Mr. X has no black tickets, so he cannot take the ferry.")
    has = "as many as there are detectives" if black == "per_pawn" else number(black)
    if black == "per_pawn" and detectives:
        has = number(detectives)
    piers = join([str(pier) for pier in _ferry(edition)])
    return Rule(
        title,
        "A black ticket fits every line and hides which one Mr. X took.",
        f"He has {has}. The ferry between {piers} takes nothing else.",
    )


def _ferry(edition: Edition) -> list[int]:
    """Return the piers in the order in which the ferry calls at them."""
    links = edition.board.links["ferry"]
    way = [max(pier for pier, stops in links.items() if len(stops) == 1)]
    while ahead := [stop for stop in links[way[-1]] if stop not in way]:
        way.append(ahead[0])
    return way


def _double_moves(options: Options) -> Rule:
    title, cards = "Double moves", options["mr_x_tickets"]["double"]
    if not cards:
        return Rule(title, "There are no double moves: Mr. X makes one move in a turn.")
    times = {1: "Once", 2: "Twice"}.get(cards, f"{number(cards).capitalize()} times")
    return Rule(
        title,
        f"{times} in a game Mr. X may make a double move: two moves in one turn.",
        "Each of the two costs its ticket.",
    )


def _taken_stations(options: Options) -> Rule:
    his = (
        "Mr. X has lost if he moves onto one."
        if options["mr_x_onto_detective"] == "loses"
        else "Mr. X cannot move onto one either."
    )
    return Rule("Taken stations", "No detective can move onto the station of another.", his)


def _stuck(options: Options) -> Rule:
    hemmed_in = {
        "retry": "One whose next stops are all taken misses that round only.",
        "out": "So does one whose next stops are all taken.",
    }[options["blocked"]]
    return Rule(
        "Detectives who cannot move",
        "A detective without a ticket for any line at their station stays there to the end.",
        hemmed_in,
    )


def _cut_off() -> Rule:
    return Rule("Lines that are cut off", "Mr. X cannot pass over a detective's station by bus or underground.")


def _help_and_talk(options: Options) -> Rule:
    talk = (
        "Mr. X reads what the detectives write to each other."
        if options["team_talk"] == "open"
        else "What the detectives write to each other Mr. X cannot read."
    )
    helped = (
        "The server lists the stations where Mr. X can be."
        if options["deduction"]
        else "Where Mr. X can be you find out yourselves."
    )
    return Rule("Help and talk", talk, helped)


def _players(edition: Edition) -> Rule:
    fewest, most = edition.options["players"]
    counted = f"{number(fewest)} to {number(most)}" if fewest < most else number(most)
    people = f"{counted.capitalize()} people play, Mr. X included."
    holders = PAWN_RULES[edition.options["pawns"]].holders
    if most == 2:
        return Rule("Players", people, f"The other plays all {number(len(holders[2][0]))} detectives.")
    if all(sum(map(len, holders[n])) == len(PAWNS) - 1 for n in range(fewest, most + 1)) and fewest < most:
        return Rule("Players", people, "There are always five detectives, whom the others share out among them.")
    several = [
        f"with {number(n)} people {number(max(map(len, holders[n])))} each"
        for n in range(fewest, most + 1)
        if max(map(len, holders[n])) > 1
    ]
    more = "Each of the others plays one detective"
    return Rule("Players", people, f"{more}; {' and '.join(several)}." if several else f"{more}.")


_RULES: Sequence[Callable[[Options], Rule]] = (
    _hunt, _detectives_win, _mr_x_wins, _round, _moves, _tickets, _travel_log, _surfacing, _double_moves,
    _taken_stations, _stuck,
)  # fmt: skip
_BLACK = _RULES.index(_double_moves)  # black tickets come before double moves
