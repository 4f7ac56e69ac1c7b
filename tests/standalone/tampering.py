"""Ways to tamper with a transcript, as tables: a name, and a function that does it or finds nothing to change.

Each gets a transcript of its own, chance, and the transcript of another game; it returns what came of it, or None.
"""

import itertools
import random
from functools import cache

from server.engine import Board, Edition

from .transcripts import honest, opened_of, opening_of, relinked, resealed

PLAIN = ("taxi", "bus", "underground")
# From which another game is taken.
GAMES = 60
BY_PLAY = {"captured", "log_full", "rounds_over", "detectives_stranded", "mr_x_trapped", "both_stuck"}

# The chain is left as it was: only the head tells, unless the rules do before.
LEFT = {}
# The chain is made anew, with every commitment where need be: only the rules and the opening tell.
RELINKED = {}
# The chain is made anew, and what comes out might have been an honest game: only a mail of the true one tells.
SEEN_IN_MAILS = {}

# No tampering, so not in the tables. `name` is for people and not bound. Mails apart, a game may as well have had
# another edition's name over the same options, an option that never came to bear, other times that do not go back, a
# move by the house instead of a player, other events without a part in the game, a reason outside the rules (who
# won a game that was given up), or no last move before it was given up. All of it is bound by the chain; so it is in
# LEFT and SEEN_IN_MAILS.


def into(table):
    def keep(function):
        table[function.__name__.replace("_", " ")] = function
        return function

    return keep


def tampered(table, name, seed):
    """(true transcript, what came of it) of the first random game from `seed` on to which `name` can be done."""
    found, number = None, seed
    while found is None:
        rng = random.Random(f"{name} {number}")
        found = table[name](honest(number), rng, honest(rng.randrange(GAMES)))
        number += 1
    return honest(number - 1), found


# Changes anywhere --------------------------------------------------------------------------------


@into(LEFT)
def a_value_of_the_header(data, rng, _):
    return _with_another_value(data, rng, data["header"])


@into(LEFT)
def an_option(data, rng, _):
    return _with_another_value(data, rng, data["header"]["options"])


@into(LEFT)
def a_value_of_an_event(data, rng, _):
    return _with_another_value(data, rng, rng.choice(data["events"]))


@into(LEFT)
def a_value_of_a_move(data, rng, _):
    moves = _moves(data)
    return _with_another_value(data, rng, rng.choice(moves)["data"]) if moves else None


@into(LEFT)
def a_value_of_the_opening(data, rng, _):
    return _with_another_value(data, rng, opening_of(data)) if opening_of(data) else None


@into(LEFT)
def the_head(data, rng, _):
    place = rng.randrange(len(data["head"]))
    return data | {"head": _with_another_letter(data["head"], place, "abc234", rng)}


@into(LEFT)
def the_head_of_another_game(data, rng, other):
    return data | {"head": other["head"]} if other["head"] != data["head"] else None


@into(LEFT)
def the_number_of_the_last_event(data, rng, _):
    return data | {"event": data["event"] + rng.choice([-1, 1])}


@into(LEFT)
def the_format(data, rng, _):
    return data | {"format": "blackticket-seal-2"}


@into(LEFT)
def an_event_dropped(data, rng, _):
    del data["events"][rng.randrange(len(data["events"]))]
    return data


@into(LEFT)
def an_event_dropped_and_the_rest_numbered_anew(data, rng, _):
    del data["events"][rng.randrange(len(data["events"]))]
    return _numbered(data)


@into(LEFT)
def an_event_twice(data, rng, _):
    place = rng.randrange(len(data["events"]))
    data["events"].insert(place, data["events"][place])
    return data


@into(LEFT)
def two_events_swapped(data, rng, _):
    events = data["events"]
    if len(events) < 2:
        return None
    place = rng.randrange(len(events) - 1)
    events[place], events[place + 1] = events[place + 1], events[place]
    return _numbered(data) if rng.random() < 0.5 else data


@into(LEFT)
def an_event_of_another_game(data, rng, other):
    place = rng.randrange(min(len(data["events"]), len(other["events"])))
    if data["events"][place] == other["events"][place]:
        return None
    data["events"][place] = other["events"][place]
    return data


@into(LEFT)
def the_header_of_another_game(data, rng, other):
    return data | {"header": other["header"]} if other["header"] != data["header"] else None


@into(LEFT)
def the_events_of_another_game(data, rng, other):
    return data | {"events": other["events"]} if other["events"] != data["events"] else None


@into(LEFT)
def the_last_events_cut_off(data, rng, _):
    keep = rng.randrange(len(data["events"]))
    return data | {"events": data["events"][:keep]}


# The chain made anew: the header -----------------------------------------------------------------


@into(RELINKED)
def the_other_board(data, rng, _):
    options = data["header"]["options"]
    options["board"] = {"london": "london-milton-bradley"}.get(options["board"], "london")
    return relinked(data)


@into(RELINKED)
def the_hash_of_another_board(data, rng, _):
    data["header"]["board"] = _hex(rng)
    return relinked(data)


@into(RELINKED)
def another_game_s_id(data, rng, _):
    if not opening_of(data):
        return None
    data["header"]["game"] = "aaaaaaaaaaaaaaaa"
    return relinked(data)


@into(RELINKED)
def the_header_of_another_game_under_an_opening(data, rng, other):
    if not opening_of(data) or other["header"] == data["header"]:
        return None
    return relinked(data | {"header": other["header"]})


@into(RELINKED)
def an_option_left_out(data, rng, _):
    del data["header"]["options"][rng.choice(sorted(data["header"]["options"]))]
    return relinked(data)


@into(RELINKED)
def an_option_without_meaning(data, rng, _):
    data["header"]["options"][rng.choice(sorted(data["header"]["options"]))] = rng.choice([-1, 1.5, [None], {"a": 1}])
    return relinked(data)


@into(RELINKED)
def fewer_tickets_than_a_detective_spent(data, rng, _):
    spent = _spent(data)
    if data["header"]["position"] or not spent:
        return None
    (_, kind), number = rng.choice(sorted(spent.items()))
    data["header"]["options"]["detective_tickets"][kind] = number - 1
    return relinked(data)


@into(RELINKED)
def fewer_black_tickets_than_he_spent(data, rng, _):
    spent = sum(move["data"]["notation"].count("black") for move in _his(data))
    if data["header"]["position"] or not spent:
        return None
    data["header"]["options"]["black"] = spent - 1
    return relinked(data)


@into(RELINKED)
def fewer_double_moves_than_he_made(data, rng, _):
    made = sum(move["data"]["notation"].startswith("double") for move in _his(data))
    if data["header"]["position"] or not made:
        return None
    data["header"]["options"]["mr_x_tickets"]["double"] = made - 1
    return relinked(data)


@into(RELINKED)
def a_shorter_log(data, rng, _):
    windows = [sealed["window"] for move in _his(data) for sealed in move["data"]["sealed"]]
    if len(windows) < 2:
        return None
    data["header"]["options"]["log_windows"] = windows[-1] - 1
    return relinked(data)


@into(RELINKED)
def one_more_window_to_surface_on(data, rng, _):
    hidden = [move for move in _his(data) if "opened" not in move["data"]]
    if not hidden:
        return None
    data["header"]["options"]["surfacing"].append(rng.choice(hidden)["data"]["sealed"][0]["window"])
    return relinked(data)


@into(RELINKED)
def one_window_less_to_surface_on(data, rng, _):
    surfacing = data["header"]["options"]["surfacing"]
    shown = {opened["window"] for move in _his(data) for opened in opened_of(move)} & set(surfacing)
    shown -= _caught_on(data)
    shown -= {move["data"]["sealed"][-1]["window"] for move in _his(data) if "surface" in move["data"]["notation"]}
    if not shown:
        return None
    surfacing.remove(rng.choice(sorted(shown)))
    return relinked(data)


@into(RELINKED)
def seats_that_hold_other_pawns(data, rng, _):
    seats = data["header"]["seats"]
    if len(seats) < 3:
        return None
    seats[1], seats[2] = seats[2], seats[1]
    return relinked(data)


@into(RELINKED)
def another_start_of_a_detective(data, rng, _):
    starts = data["header"]["starts"]
    pawn = rng.choice(sorted(starts))
    starts[pawn] = rng.choice([station for station in range(1, 108) if station not in starts.values()])
    if not data["header"]["position"] and not opening_of(data):
        return None
    data["events"][0]["data"]["starts"] = starts
    return relinked(data)


@into(RELINKED)
def starts_that_the_start_does_not_repeat(data, rng, _):
    data["events"][0]["data"]["starts"] = {}
    return relinked(data)


@into(RELINKED)
def another_commitment_to_his_start(data, rng, _):
    if not opening_of(data):
        return None
    data["header"]["start"] = _hex(rng)
    return relinked(data)


@into(RELINKED)
def another_commitment_to_the_deck(data, rng, _):
    if not opening_of(data) or not data["header"]["deck"]:
        return None
    data["header"]["deck"] = _hex(rng)
    return relinked(data)


@into(RELINKED)
def no_commitment_to_the_deck(data, rng, _):
    if not data["header"]["deck"]:
        return None
    data["header"]["deck"] = None
    return relinked(data)


# The chain made anew: the events -----------------------------------------------------------------


@into(RELINKED)
def a_gap_in_the_numbers(data, rng, _):
    for event in data["events"][rng.randrange(len(data["events"])) :]:
        event["number"] += 1
    return relinked(data)


@into(RELINKED)
def a_time_that_goes_back(data, rng, _):
    if len(data["events"]) < 2:
        return None
    rng.choice(data["events"][1:])["at"] = "2020-01-01T00:00:00Z"
    return relinked(data)


@into(RELINKED)
def a_second_start(data, rng, _):
    data["events"].insert(rng.randrange(1, len(data["events"]) + 1), dict(data["events"][0]))
    return _relinked_in_time(data)


@into(RELINKED)
def no_start(data, rng, _):
    if len(data["events"]) < 2:
        return None
    del data["events"][0]
    return _relinked_in_time(data)


@into(RELINKED)
def a_move_that_became_talk(data, rng, _):
    moves = _moves_before_his_last(data)
    if not moves:
        return None
    rng.choice(moves)["kind"] = "talk"
    return relinked(data)


@into(RELINKED)
def a_move_dropped(data, rng, _):
    moves = _moves_before_his_last(data)
    if not moves:
        return None
    data["events"].remove(rng.choice(moves))
    return _relinked_in_time(data)


@into(RELINKED)
def a_move_twice(data, rng, _):
    moves = _moves(data)
    if not moves:
        return None
    move = rng.choice(moves)
    data["events"].insert(data["events"].index(move), dict(move))
    return _relinked_in_time(data)


@into(RELINKED)
def his_move_after_the_detective_s_that_followed_it(data, rng, _):
    pairs = [
        place
        for place, (first, second) in enumerate(itertools.pairwise(data["events"]))
        if first in _his(data) and second in _moves(data)
    ]
    if not pairs:
        return None
    place, events = rng.choice(pairs), data["events"]
    events[place], events[place + 1] = events[place + 1], events[place]
    return _relinked_in_time(data)


@into(RELINKED)
def his_move_of_another_game(data, rng, other):
    mine, others = _his(data), _his(other)
    if not mine or not others or not opening_of(data):
        return None
    move = rng.choice(mine)
    move["data"] = rng.choice(others)["data"]
    return relinked(data) if move["data"] not in [event["data"] for event in mine if event is not move] else None


@into(RELINKED)
def somebody_else_passed_over(data, rng, _):
    moves = _moves(data)
    if not moves:
        return None
    passed = rng.choice(moves)["data"]["passed_over"]
    passed[:] = passed[1:] if passed else [rng.choice(sorted(data["header"]["starts"]))]
    return relinked(data)


@into(RELINKED)
def a_move_that_came_in_no_way_there_is(data, rng, _):
    moves = _moves(data)
    if not moves:
        return None
    rng.choice(moves)["data"]["by"] = "operator"
    return relinked(data)


@into(RELINKED)
def a_detective_s_move_to_where_no_line_goes(data, rng, _):
    move, pawn, ticket, _ = _detective_s(data, rng)
    if move is None:
        return None
    start, board = _standing(data, move)[pawn], _board(data)
    far = [station for station in board.stations if station not in board.reach[ticket].get(start, ())]
    move["data"]["notation"] = f"{pawn} {ticket} {rng.choice(far)}"
    return relinked(data)


@into(RELINKED)
def a_detective_s_move_with_a_ticket_for_no_such_line(data, rng, _):
    move, pawn, _, to = _detective_s(data, rng)
    if move is None:
        return None
    start, board = _standing(data, move)[pawn], _board(data)
    wrong = [kind for kind in PLAIN if to not in board.reach[kind].get(start, ())]
    move["data"]["notation"] = f"{pawn} {rng.choice(wrong)} {to}" if wrong else "red black 1"
    return relinked(data)


@into(RELINKED)
def a_detective_s_move_onto_a_teammate(data, rng, _):
    move, pawn, ticket, _ = _detective_s(data, rng)
    if move is None or len(data["header"]["starts"]) < 2:
        return None
    others = [station for other, station in _standing(data, move).items() if other != pawn]
    move["data"]["notation"] = f"{pawn} {ticket} {rng.choice(others)}"
    return relinked(data)


@into(RELINKED)
def a_move_of_another_pawn(data, rng, _):
    move, pawn, ticket, to = _detective_s(data, rng)
    others = sorted(set(data["header"]["starts"]) - {pawn})
    if move is None or not others:
        return None
    other = rng.choice(others)
    standing, board = _standing(data, move), _board(data)
    if data["header"]["options"]["turn_order"] != "fixed" and to in board.reach[ticket].get(standing[other], ()):
        return None
    move["data"] |= {"pawn": other, "notation": f"{other} {ticket} {to}"}
    return relinked(data)


@into(RELINKED)
def a_commitment_left_out(data, rng, _):
    his = _his(data)
    if not his:
        return None
    rng.choice(his)["data"]["sealed"].pop()
    return relinked(data)


@into(RELINKED)
def a_commitment_twice(data, rng, _):
    his = _his(data)
    if len(his) < 2:
        return None
    first, second = rng.sample(his, 2)
    second["data"]["sealed"][0]["transport"] = first["data"]["sealed"][0]["transport"]
    return relinked(data)


@into(RELINKED)
def another_commitment_to_a_window(data, rng, _):
    his = _his(data)
    if not his or not opening_of(data):
        return None
    rng.choice(rng.choice(his)["data"]["sealed"])[rng.choice(["station", "transport"])] = _hex(rng)
    return relinked(data)


@into(RELINKED)
def another_salt_of_a_surfacing(data, rng, _):
    return _with_a_surfacing(data, rng, lambda opened: opened | {"salt": _hex(rng)})


@into(RELINKED)
def another_station_of_a_surfacing(data, rng, _):
    def lie(opened):
        return opened | {"station": opened["station"] % 100 + 1}

    return _with_a_surfacing(data, rng, lie)


@into(RELINKED)
def a_surfacing_left_out(data, rng, _):
    shown = [move for move in _his(data) if "opened" in move["data"]]
    if not shown:
        return None
    move = rng.choice(shown)
    del move["data"]["opened"]
    return resealed(data) if opening_of(data) else None


@into(RELINKED)
def a_surfacing_on_a_window_that_is_hidden(data, rng, _):
    his = [move for move in _his(data) if "opened" not in move["data"]]
    if not his or not opening_of(data):
        return None
    move = rng.choice(his)["data"]
    move["opened"] = [{"window": move["sealed"][0]["window"]}]
    return resealed(data)


@into(RELINKED)
def a_surfacing_one_move_too_late(data, rng, _):
    pairs = [(one, two) for one, two in itertools.pairwise(_his(data)) if "opened" in one["data"]]
    if not pairs or not opening_of(data):
        return None
    one, two = rng.choice(pairs)
    two["data"]["opened"] = one["data"].pop("opened") + two["data"].get("opened", [])
    return resealed(data)


@into(RELINKED)
def a_notation_that_shows_what_was_not_opened(data, rng, _):
    his = [move for move in _his(data) if "?" in move["data"]["notation"]]
    if not his:
        return None
    move = rng.choice(his)["data"]
    move["notation"] = move["notation"].replace("?", "46", 1)
    return relinked(data)


# The chain made anew: the end --------------------------------------------------------------------


@into(RELINKED)
def another_winner(data, rng, _):
    return _with_another_end(data, "winner", rng.choice)


@into(RELINKED)
def another_reason(data, rng, _):
    return _with_another_end(data, "reason", rng.choice)


@into(RELINKED)
def a_reason_outside_the_rules_for_an_end_by_play(data, rng, _):
    return _with_another_end(data, "reason", lambda _: "out_of_time")


@into(RELINKED)
def an_end_by_play_for_a_game_that_was_given_up(data, rng, _):
    end = _end(data)
    if end is None or end["reason"] in BY_PLAY or not opening_of(data):
        return None
    end |= {"winner": "detectives", "reason": "mr_x_trapped"}
    return relinked(data)


@into(RELINKED)
def an_end_that_is_not_told(data, rng, _):
    end = _end(data)
    if end is None or end["reason"] not in BY_PLAY or not opening_of(data):
        return None
    if end["reason"] in ("mr_x_trapped", "both_stuck", "captured"):
        return None  # without the opening nobody could know
    data["events"] = [event for event in data["events"] if event["kind"] not in ("ended", "final")]
    return _relinked_in_time(data)


@into(RELINKED)
def a_move_after_the_end(data, rng, _):
    if _end(data) is None or not _moves(data):
        return None
    data["events"].append(dict(rng.choice(_moves(data))))
    return _relinked_in_time(data)


@into(RELINKED)
def an_end_by_play_that_is_undone(data, rng, _):
    end = _end(data)
    if end is None or end["reason"] not in BY_PLAY:
        return None
    place = next(place for place, event in enumerate(data["events"]) if event["data"] is end)
    data["events"].insert(place + 1, {"number": 0, "kind": "reinstated", "at": "", "data": {"reason": "A whim."}})
    return _relinked_in_time(data)


@into(RELINKED)
def an_end_by_a_player_s_move_that_stays_provisional(data, rng, _):
    end = _end(data)
    if end is None or end["reason"] not in BY_PLAY or not end["final"]:
        return None
    end["final"] = False
    del end["opening"]
    return relinked(data)


@into(RELINKED)
def a_final_result_that_opens_nothing(data, rng, _):
    holders = [event["data"] for event in data["events"] if "opening" in event["data"]]
    if not holders:
        return None
    del holders[0]["opening"]
    return relinked(data)


@into(RELINKED)
def a_provisional_result_that_opens_all(data, rng, _):
    end = _end(data)
    if end is None or end["final"] or not opening_of(data):
        return None
    end["opening"] = opening_of(data)
    return relinked(data)


@into(RELINKED)
def another_key(data, rng, _):
    return _with_the_opening(data, lambda opening: opening | {"key": _hex(rng)})


@into(RELINKED)
def another_station_in_the_opening(data, rng, _):
    def lie(opening):
        place = rng.randrange(len(opening["stations"]))
        opening["stations"][place] = opening["stations"][place] % 199 + 1

    return _with_the_opening(data, lie)


@into(RELINKED)
def another_transport_in_the_opening(data, rng, _):
    def lie(opening):
        place = rng.randrange(len(opening["transports"]))
        opening["transports"][place] = _other([*PLAIN, "ferry"], opening["transports"][place], rng)

    return _with_the_opening(data, lie) if _his(data) else None


@into(RELINKED)
def another_order_of_the_deck(data, rng, _):
    def lie(opening):
        cards = opening["deck"][0]
        cards[-1], cards[-2] = cards[-2], cards[-1]

    return _with_the_opening(data, lie) if data["header"]["deck"] else None


@into(RELINKED)
def a_window_too_many_in_the_opening(data, rng, _):
    def lie(opening):
        opening["stations"].append(1)
        opening["transports"].append("taxi")

    return _with_the_opening(data, lie)


@into(RELINKED)
def a_window_too_few_in_the_opening(data, rng, _):
    def lie(opening):
        opening["stations"].pop()
        opening["transports"].pop()

    return _with_the_opening(data, lie) if _his(data) else None


# All made anew: another story, told consistently -------------------------------------------------


@into(RELINKED)
def a_step_that_no_line_takes(data, rng, _):
    if not _windows(data):
        return None
    place, board, opening = rng.randrange(len(_windows(data))), _board(data), opening_of(data)
    start = opening["stations"][place]
    near = {to for stops in board.reach.values() for to in stops.get(start, ())}
    opening["stations"][place + 1] = rng.choice(sorted(set(board.stations) - near))
    return resealed(data)


@into(RELINKED)
def a_step_by_another_transport_than_the_ticket_s(data, rng, _):
    places = [place for place, ticket in enumerate(_tickets(data)) if ticket != "black"]
    if not places or not opening_of(data):
        return None
    transports, place = opening_of(data)["transports"], rng.choice(places)
    transports[place] = _other([*PLAIN, "ferry"], transports[place], rng)
    return resealed(data)


@into(RELINKED)
def a_start_that_is_not_on_top_of_the_deck(data, rng, _):
    opening = opening_of(data)
    if not opening or not opening["deck"] or len(opening["deck"][0]) < 2:
        return None
    deck = opening["deck"][0]
    deck.append(deck.pop(0))
    return resealed(data)


@into(RELINKED)
def a_start_that_is_no_start_card(data, rng, _):
    opening = opening_of(data)
    if not opening or not opening["deck"]:
        return None
    cards, board = {card for deck in opening["deck"] for card in deck}, _board(data)
    near = [to for stops in board.reach.values() for to in stops.get(opening["stations"][0], ())]
    free = [station for station in near if station not in cards]
    if not free:
        return None
    opening["stations"][0] = opening["deck"][0][0] = rng.choice(free)
    return resealed(data)


@into(RELINKED)
def a_step_onto_a_detective(data, rng, _):
    if data["header"]["options"]["mr_x_onto_detective"] != "forbidden":
        return None
    found = [
        (place, station)
        for place, (move, _) in enumerate(_windows(data))
        for station in _standing(data, move).values()
        if _fits(data, place, station)
    ]
    if not found:
        return None
    place, station = rng.choice(found)
    _lead(data, place, station)
    return resealed(data)


@into(RELINKED)
def a_capture_that_was_missed(data, rng, _):
    """Another story of his, legal but for one thing: a detective ended a move where he then was."""
    found = [
        (place, station)
        for place, (move, is_last) in enumerate(_windows(data))
        for station in _destinations_after(data, move)
        if is_last and _fits(data, place, station) and _leads_on(data, place, station)
    ]
    if not found:
        return None
    place, station = rng.choice(found)
    _lead(data, place, station)
    return resealed(data)


@into(RELINKED)
def a_capture_that_is_kept_quiet(data, rng, _):
    """Instead, the detectives are said to have resigned."""
    if not _moves(data):
        return None
    end, capture = _end(data), _moves(data)[-1]
    if not opening_of(data) or end["reason"] != "captured" or capture["data"]["pawn"] == "mr_x":
        return None
    opening = opening_of(data)
    capture["data"].pop("opened")
    del data["events"][data["events"].index(capture) + 1 :]
    data["events"] += [
        {"number": 0, "kind": "ended", "at": "", "data": {"winner": "mr_x", "reason": "resigned", "final": True}}
    ]
    data["events"][-1]["data"]["opening"] = opening
    _relinked_in_time(data)
    return resealed(data)


# What only mails tell ----------------------------------------------------------------------------


@into(SEEN_IN_MAILS)
def another_edition_s_name(data, rng, _):
    data["header"]["edition"] = _other(Edition.names(), data["header"]["edition"], rng)
    return relinked(data)


@into(SEEN_IN_MAILS)
def an_option_that_did_not_come_to_bear(data, rng, _):
    data["header"]["options"]["team_talk"] = _other(["private", "open"], data["header"]["options"]["team_talk"], rng)
    return relinked(data)


@into(SEEN_IN_MAILS)
def all_at_another_time(data, rng, _):
    for event in data["events"]:
        event["at"] = event["at"].replace("2026", "2027")
    return relinked(data)


@into(SEEN_IN_MAILS)
def another_key_from_the_beginning(data, rng, _):
    if not opening_of(data):
        return None
    opening_of(data)["key"] = _hex(rng)
    return resealed(data)


@into(SEEN_IN_MAILS)
def another_game_of_the_same_name(data, rng, other):
    if other["header"]["start"] == data["header"]["start"]:
        return None
    return other


# Helpers -----------------------------------------------------------------------------------------


def _with_another_value(data, rng, node):
    """`data` with one value within `node` changed to another one of its kind, or taken away."""
    holder, name = rng.choice(list(_leaves(node)))
    value = holder[name]
    if isinstance(holder, dict) and rng.random() < 0.1:
        del holder[name]
    elif isinstance(value, bool):
        holder[name] = not value
    elif isinstance(value, int):
        holder[name] = value + rng.choice([-1, 1, 7])
    elif isinstance(value, str) and value:
        holder[name] = _with_another_letter(value, rng.randrange(len(value)), "abcdef0123456789", rng)
    elif value is None:
        holder[name] = 1
    else:
        holder[name] = ["red"]
    return data


def _leaves(node):
    for name, value in node.items() if isinstance(node, dict) else enumerate(node):
        if isinstance(value, dict | list) and value:
            yield from _leaves(value)
        else:
            yield node, name


def _with_another_letter(text, place, letters, rng):
    return text[:place] + _other(letters, text[place], rng) + text[place + 1 :]


def _other(values, value, rng):
    return rng.choice([one for one in values if one != value])


def _hex(rng):
    return rng.randbytes(32).hex()


def _numbered(data):
    for number, event in enumerate(data["events"], data["header"]["first"]):
        event["number"] = number
    return data


def _relinked_in_time(data):
    """With numbers and times as if nothing had been taken out or put in."""
    data["events"] = [dict(event) for event in data["events"]]
    at = ""
    for event in data["events"]:
        event["at"] = at = max(at, event["at"])
    return relinked(_numbered(data))


def _moves(data):
    return [event for event in data["events"] if event["kind"] == "moved"]


def _his(data):
    return [move for move in _moves(data) if move["data"]["pawn"] == "mr_x"]


def _moves_before_his_last(data):
    """After these he moved again, so that they cannot be missing."""
    his = _his(data)
    return [move for move in _moves(data) if his and move["number"] < his[-1]["number"]]


def _detective_s(data, rng):
    """A detective's move: the event, pawn, ticket and station."""
    moves = [move for move in _moves(data) if move["data"]["pawn"] != "mr_x"]
    if not moves:
        return None, None, None, None
    move = rng.choice(moves)
    pawn, ticket, station = move["data"]["notation"].split()
    return move, pawn, ticket, int(station)


def _standing(data, move):
    """Return the stations of the detectives before a move."""
    stations = dict(data["header"]["starts"])
    for other in _moves(data):
        if other["number"] < move["number"] and other["data"]["pawn"] != "mr_x":
            pawn, _, station = other["data"]["notation"].split()
            stations[pawn] = int(station)
    return stations


def _spent(data):
    """Return the tickets each pawn used by its own choice, as {(pawn, kind): number}."""
    spent = {}
    for move in _moves(data):
        if move["data"]["pawn"] != "mr_x":
            pawn, kind, _ = move["data"]["notation"].split()
            spent[pawn, kind] = spent.get((pawn, kind), 0) + 1
    return spent


def _board(data):
    return _board_named(data["header"]["options"]["board"])


@cache
def _board_named(name):
    return Board.named(name)


def _end(data):
    """The data of the last end, None while the game runs."""
    ends = [event["data"] for event in data["events"] if event["kind"] == "ended"]
    return ends[-1] if ends else None


def _caught_on(data):
    end, his = _end(data), _his(data)
    caught = end is not None and end["reason"] == "captured" and his
    return {his[-1]["data"]["sealed"][-1]["window"]} if caught else set()


def _with_a_surfacing(data, rng, change):
    shown = [move for move in _moves(data) if opened_of(move)]
    if not shown:
        return None
    opened = rng.choice(shown)["data"]["opened"]
    place = rng.randrange(len(opened))
    opened[place] = change(opened[place])
    return relinked(data)


def _with_another_end(data, field, choose):
    end = _end(data)
    if end is None or end["reason"] not in BY_PLAY:
        return None
    values = {"winner": ["mr_x", "detectives", "draw"], "reason": sorted(BY_PLAY)}[field]
    end[field] = choose([value for value in values if value != end[field]])
    return relinked(data)


def _with_the_opening(data, change):
    holders = [event["data"] for event in data["events"] if "opening" in event["data"]]
    if not holders:
        return None
    holders[0]["opening"] = change(holders[0]["opening"]) or holders[0]["opening"]
    return relinked(data)


def _tickets(data):
    """The ticket on each window."""
    return [ticket for move in _his(data) for ticket in _rides(move)[: len(move["data"]["sealed"])]]


def _rides(move):
    words = move["data"]["notation"].removeprefix("double ").split(" surface")[0].split()
    return words[::2]


def _windows(data):
    """For each window, the move that filled it and whether it was the last of that; none without an opening."""
    moves = _his(data) if opening_of(data) else []
    return [(move, sealed is move["data"]["sealed"][-1]) for move in moves for sealed in move["data"]["sealed"]]


def _fits(data, place, station):
    """Return True if ticket and lines would have allowed `station` on this window instead."""
    opening = opening_of(data)
    if station == opening["stations"][place + 1]:
        return False
    return _way(data, place, opening["stations"][place], station) is not None


def _leads_on(data, place, station):
    """Return True if Mr. X's next step, which must exist, could have begun at `station`."""
    stations = opening_of(data)["stations"]
    return place + 2 < len(stations) and _way(data, place + 1, station, stations[place + 2]) is not None


def _way(data, place, start, station):
    """A transport from `start` to `station` that the ticket on this window pays for."""
    board, ticket = _board(data), _tickets(data)[place]
    ways = ["ferry", *PLAIN] if ticket == "black" else [ticket]
    pairs = {tuple(sorted((start, station)))}
    return next((way for way in ways if pairs & set(map(tuple, map(sorted, board.lines[way])))), None)


def _lead(data, place, station):
    """Let him have gone to `station` on this window, and on from there if he can."""
    opening = opening_of(data)
    opening["transports"][place] = _way(data, place, opening["stations"][place], station)
    if _leads_on(data, place, station):
        opening["transports"][place + 1] = _way(data, place + 1, station, opening["stations"][place + 2])
    opening["stations"][place + 1] = station


def _destinations_after(data, move):
    """Return the stations where detectives ended moves before Mr. X's next move; none if that one surfaces."""
    if "opened" in move["data"]:
        return []
    following = itertools.takewhile(
        lambda event: event["data"]["pawn"] != "mr_x", (m for m in _moves(data) if m["number"] > move["number"])
    )
    return [int(event["data"]["notation"].split()[2]) for event in following]
