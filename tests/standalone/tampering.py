"""Changes anywhere in a transcript, and changes of its header and its events under a chain that is made anew."""

import itertools

from . import parts, tampering_ends
from .parts import PLAIN
from .transcripts import opened_of, opening_of, relinked, resealed
from .ways import LEFT, RELINKED, SEEN_IN_MAILS, into, tampered

__all__ = ["LEFT", "RELINKED", "SEEN_IN_MAILS", "tampered", "tampering_ends"]

# Changes anywhere --------------------------------------------------------------------------------


@into(LEFT)
def a_value_of_the_header(data, rng, _):
    return parts.with_another_value(data, rng, data["header"])


@into(LEFT)
def an_option(data, rng, _):
    return parts.with_another_value(data, rng, data["header"]["options"])


@into(LEFT)
def a_value_of_an_event(data, rng, _):
    return parts.with_another_value(data, rng, rng.choice(data["events"]))


@into(LEFT)
def a_value_of_a_move(data, rng, _):
    moves = parts.moves_of(data)
    return parts.with_another_value(data, rng, rng.choice(moves)["data"]) if moves else None


@into(LEFT)
def a_value_of_the_opening(data, rng, _):
    return parts.with_another_value(data, rng, opening_of(data)) if opening_of(data) else None


@into(LEFT)
def the_head(data, rng, _):
    place = rng.randrange(len(data["head"]))
    return data | {"head": parts.with_another_letter(data["head"], place, "abc234", rng)}


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
    return parts.numbered(data)


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
    return parts.numbered(data) if rng.random() < 0.5 else data


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
    data["header"]["board"] = parts.random_hex(rng)
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
    spent = parts.spent(data)
    if data["header"]["position"] or not spent:
        return None
    (_, kind), number = rng.choice(sorted(spent.items()))
    data["header"]["options"]["detective_tickets"][kind] = number - 1
    return relinked(data)


@into(RELINKED)
def fewer_black_tickets_than_he_spent(data, rng, _):
    spent = sum(move["data"]["notation"].count("black") for move in parts.his_moves(data))
    if data["header"]["position"] or not spent:
        return None
    data["header"]["options"]["black"] = spent - 1
    return relinked(data)


@into(RELINKED)
def fewer_double_moves_than_he_made(data, rng, _):
    made = sum(move["data"]["notation"].startswith("double") for move in parts.his_moves(data))
    if data["header"]["position"] or not made:
        return None
    data["header"]["options"]["mr_x_tickets"]["double"] = made - 1
    return relinked(data)


@into(RELINKED)
def a_shorter_log(data, rng, _):
    windows = [sealed["window"] for move in parts.his_moves(data) for sealed in move["data"]["sealed"]]
    if len(windows) < 2:
        return None
    data["header"]["options"]["log_windows"] = windows[-1] - 1
    return relinked(data)


@into(RELINKED)
def one_more_window_to_surface_on(data, rng, _):
    hidden = [move for move in parts.his_moves(data) if "opened" not in move["data"]]
    if not hidden:
        return None
    data["header"]["options"]["surfacing"].append(rng.choice(hidden)["data"]["sealed"][0]["window"])
    return relinked(data)


@into(RELINKED)
def one_window_less_to_surface_on(data, rng, _):
    surfacing = data["header"]["options"]["surfacing"]
    shown = {opened["window"] for move in parts.his_moves(data) for opened in opened_of(move)} & set(surfacing)
    shown -= parts.caught_on(data)
    shown -= {
        move["data"]["sealed"][-1]["window"] for move in parts.his_moves(data) if "surface" in move["data"]["notation"]
    }
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
    data["header"]["start"] = parts.random_hex(rng)
    return relinked(data)


@into(RELINKED)
def another_commitment_to_the_deck(data, rng, _):
    if not opening_of(data) or not data["header"]["deck"]:
        return None
    data["header"]["deck"] = parts.random_hex(rng)
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
    return parts.relinked_in_time(data)


@into(RELINKED)
def no_start(data, rng, _):
    if len(data["events"]) < 2:
        return None
    del data["events"][0]
    return parts.relinked_in_time(data)


@into(RELINKED)
def a_move_that_became_talk(data, rng, _):
    moves = parts.moves_before_his_last(data)
    if not moves:
        return None
    rng.choice(moves)["kind"] = "talk"
    return relinked(data)


@into(RELINKED)
def a_move_dropped(data, rng, _):
    moves = parts.moves_before_his_last(data)
    if not moves:
        return None
    data["events"].remove(rng.choice(moves))
    return parts.relinked_in_time(data)


@into(RELINKED)
def a_move_twice(data, rng, _):
    moves = parts.moves_of(data)
    if not moves:
        return None
    move = rng.choice(moves)
    data["events"].insert(data["events"].index(move), dict(move))
    return parts.relinked_in_time(data)


@into(RELINKED)
def his_move_after_the_detective_s_that_followed_it(data, rng, _):
    pairs = [
        place
        for place, (first, second) in enumerate(itertools.pairwise(data["events"]))
        if first in parts.his_moves(data) and second in parts.moves_of(data)
    ]
    if not pairs:
        return None
    place, events = rng.choice(pairs), data["events"]
    events[place], events[place + 1] = events[place + 1], events[place]
    return parts.relinked_in_time(data)


@into(RELINKED)
def his_move_of_another_game(data, rng, other):
    mine, others = parts.his_moves(data), parts.his_moves(other)
    if not mine or not others or not opening_of(data):
        return None
    move = rng.choice(mine)
    move["data"] = rng.choice(others)["data"]
    return relinked(data) if move["data"] not in [event["data"] for event in mine if event is not move] else None


@into(RELINKED)
def somebody_else_passed_over(data, rng, _):
    moves = parts.moves_of(data)
    if not moves:
        return None
    passed = rng.choice(moves)["data"]["passed_over"]
    passed[:] = passed[1:] if passed else [rng.choice(sorted(data["header"]["starts"]))]
    return relinked(data)


@into(RELINKED)
def a_move_that_came_in_no_way_there_is(data, rng, _):
    moves = parts.moves_of(data)
    if not moves:
        return None
    rng.choice(moves)["data"]["by"] = "operator"
    return relinked(data)


@into(RELINKED)
def a_detective_s_move_to_where_no_line_goes(data, rng, _):
    move, pawn, ticket, _ = parts.detective_s(data, rng)
    if move is None:
        return None
    start, board = parts.standing(data, move)[pawn], parts.board_of(data)
    far = [station for station in board.stations if station not in board.reach[ticket].get(start, ())]
    move["data"]["notation"] = f"{pawn} {ticket} {rng.choice(far)}"
    return relinked(data)


@into(RELINKED)
def a_detective_s_move_with_a_ticket_for_no_such_line(data, rng, _):
    move, pawn, _, to = parts.detective_s(data, rng)
    if move is None:
        return None
    start, board = parts.standing(data, move)[pawn], parts.board_of(data)
    wrong = [kind for kind in PLAIN if to not in board.reach[kind].get(start, ())]
    move["data"]["notation"] = f"{pawn} {rng.choice(wrong)} {to}" if wrong else "red black 1"
    return relinked(data)


@into(RELINKED)
def a_detective_s_move_onto_a_teammate(data, rng, _):
    move, pawn, ticket, _ = parts.detective_s(data, rng)
    if move is None or len(data["header"]["starts"]) < 2:
        return None
    others = [station for other, station in parts.standing(data, move).items() if other != pawn]
    move["data"]["notation"] = f"{pawn} {ticket} {rng.choice(others)}"
    return relinked(data)


@into(RELINKED)
def a_move_of_another_pawn(data, rng, _):
    move, pawn, ticket, to = parts.detective_s(data, rng)
    others = sorted(set(data["header"]["starts"]) - {pawn})
    if move is None or not others:
        return None
    other = rng.choice(others)
    standing, board = parts.standing(data, move), parts.board_of(data)
    if data["header"]["options"]["turn_order"] != "fixed" and to in board.reach[ticket].get(standing[other], ()):
        return None
    move["data"] |= {"pawn": other, "notation": f"{other} {ticket} {to}"}
    return relinked(data)


@into(RELINKED)
def a_commitment_left_out(data, rng, _):
    his = parts.his_moves(data)
    if not his:
        return None
    rng.choice(his)["data"]["sealed"].pop()
    return relinked(data)


@into(RELINKED)
def a_commitment_twice(data, rng, _):
    his = parts.his_moves(data)
    if len(his) < 2:
        return None
    first, second = rng.sample(his, 2)
    second["data"]["sealed"][0]["transport"] = first["data"]["sealed"][0]["transport"]
    return relinked(data)


@into(RELINKED)
def another_commitment_to_a_window(data, rng, _):
    his = parts.his_moves(data)
    if not his or not opening_of(data):
        return None
    rng.choice(rng.choice(his)["data"]["sealed"])[rng.choice(["station", "transport"])] = parts.random_hex(rng)
    return relinked(data)


@into(RELINKED)
def another_salt_of_a_surfacing(data, rng, _):
    return parts.with_a_surfacing(data, rng, lambda opened: opened | {"salt": parts.random_hex(rng)})


@into(RELINKED)
def another_station_of_a_surfacing(data, rng, _):
    def lie(opened):
        return opened | {"station": opened["station"] % 100 + 1}

    return parts.with_a_surfacing(data, rng, lie)


@into(RELINKED)
def a_surfacing_left_out(data, rng, _):
    shown = [move for move in parts.his_moves(data) if "opened" in move["data"]]
    if not shown:
        return None
    move = rng.choice(shown)
    del move["data"]["opened"]
    return resealed(data) if opening_of(data) else None


@into(RELINKED)
def a_surfacing_on_a_window_that_is_hidden(data, rng, _):
    his = [move for move in parts.his_moves(data) if "opened" not in move["data"]]
    if not his or not opening_of(data):
        return None
    move = rng.choice(his)["data"]
    move["opened"] = [{"window": move["sealed"][0]["window"]}]
    return resealed(data)


@into(RELINKED)
def a_surfacing_one_move_too_late(data, rng, _):
    pairs = [(one, two) for one, two in itertools.pairwise(parts.his_moves(data)) if "opened" in one["data"]]
    if not pairs or not opening_of(data):
        return None
    one, two = rng.choice(pairs)
    two["data"]["opened"] = one["data"].pop("opened") + two["data"].get("opened", [])
    return resealed(data)


@into(RELINKED)
def a_notation_that_shows_what_was_not_opened(data, rng, _):
    his = [move for move in parts.his_moves(data) if "?" in move["data"]["notation"]]
    if not his:
        return None
    move = rng.choice(his)["data"]
    move["notation"] = move["notation"].replace("?", "46", 1)
    return relinked(data)
