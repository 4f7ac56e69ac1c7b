"""Changes of how a game ended, of what was opened then, and of the whole story, with the chain made anew."""

from server.engine import Edition

from . import parts
from .parts import BY_PLAY, PLAIN
from .transcripts import opening_of, relinked, resealed
from .ways import RELINKED, SEEN_IN_MAILS, into

# The chain made anew: the end --------------------------------------------------------------------


@into(RELINKED)
def another_winner(data, rng, _):
    return parts.with_another_end(data, "winner", rng.choice)


@into(RELINKED)
def another_reason(data, rng, _):
    return parts.with_another_end(data, "reason", rng.choice)


@into(RELINKED)
def a_reason_outside_the_rules_for_an_end_by_play(data, rng, _):
    return parts.with_another_end(data, "reason", lambda _: "out_of_time")


@into(RELINKED)
def an_end_by_play_for_a_game_that_was_given_up(data, rng, _):
    end = parts.end_of(data)
    if end is None or end["reason"] in BY_PLAY or not opening_of(data):
        return None
    end |= {"winner": "detectives", "reason": "mr_x_trapped"}
    return relinked(data)


@into(RELINKED)
def an_end_that_is_not_told(data, rng, _):
    end = parts.end_of(data)
    if end is None or end["reason"] not in BY_PLAY or not opening_of(data):
        return None
    if end["reason"] in ("mr_x_trapped", "both_stuck", "captured"):
        return None  # without the opening nobody could know
    data["events"] = [event for event in data["events"] if event["kind"] not in ("ended", "final")]
    return parts.relinked_in_time(data)


@into(RELINKED)
def a_move_after_the_end(data, rng, _):
    if parts.end_of(data) is None or not parts.moves_of(data):
        return None
    data["events"].append(dict(rng.choice(parts.moves_of(data))))
    return parts.relinked_in_time(data)


@into(RELINKED)
def an_end_by_play_that_is_undone(data, rng, _):
    end = parts.end_of(data)
    if end is None or end["reason"] not in BY_PLAY:
        return None
    place = next(place for place, event in enumerate(data["events"]) if event["data"] is end)
    data["events"].insert(place + 1, {"number": 0, "kind": "reinstated", "at": "", "data": {"reason": "A whim."}})
    return parts.relinked_in_time(data)


@into(RELINKED)
def an_end_by_a_player_s_move_that_stays_provisional(data, rng, _):
    end = parts.end_of(data)
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
    end = parts.end_of(data)
    if end is None or end["final"] or not opening_of(data):
        return None
    end["opening"] = opening_of(data)
    return relinked(data)


@into(RELINKED)
def another_key(data, rng, _):
    return parts.with_the_opening(data, lambda opening: opening | {"key": parts.random_hex(rng)})


@into(RELINKED)
def another_station_in_the_opening(data, rng, _):
    def lie(opening):
        place = rng.randrange(len(opening["stations"]))
        opening["stations"][place] = opening["stations"][place] % 199 + 1

    return parts.with_the_opening(data, lie)


@into(RELINKED)
def another_transport_in_the_opening(data, rng, _):
    def lie(opening):
        place = rng.randrange(len(opening["transports"]))
        opening["transports"][place] = parts.other([*PLAIN, "ferry"], opening["transports"][place], rng)

    return parts.with_the_opening(data, lie) if parts.his_moves(data) else None


@into(RELINKED)
def another_order_of_the_deck(data, rng, _):
    def lie(opening):
        cards = opening["deck"][0]
        cards[-1], cards[-2] = cards[-2], cards[-1]

    return parts.with_the_opening(data, lie) if data["header"]["deck"] else None


@into(RELINKED)
def a_window_too_many_in_the_opening(data, rng, _):
    def lie(opening):
        opening["stations"].append(1)
        opening["transports"].append("taxi")

    return parts.with_the_opening(data, lie)


@into(RELINKED)
def a_window_too_few_in_the_opening(data, rng, _):
    def lie(opening):
        opening["stations"].pop()
        opening["transports"].pop()

    return parts.with_the_opening(data, lie) if parts.his_moves(data) else None


# All made anew: another story, told consistently -------------------------------------------------


@into(RELINKED)
def a_step_that_no_line_takes(data, rng, _):
    if not parts.windows(data):
        return None
    place, board, opening = rng.randrange(len(parts.windows(data))), parts.board_of(data), opening_of(data)
    start = opening["stations"][place]
    near = {to for stops in board.reach.values() for to in stops.get(start, ())}
    opening["stations"][place + 1] = rng.choice(sorted(set(board.stations) - near))
    return resealed(data)


@into(RELINKED)
def a_step_by_another_transport_than_the_ticket_s(data, rng, _):
    places = [place for place, ticket in enumerate(parts.tickets(data)) if ticket != "black"]
    if not places or not opening_of(data):
        return None
    transports, place = opening_of(data)["transports"], rng.choice(places)
    transports[place] = parts.other([*PLAIN, "ferry"], transports[place], rng)
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
    cards, board = {card for deck in opening["deck"] for card in deck}, parts.board_of(data)
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
        for place, (move, _) in enumerate(parts.windows(data))
        for station in parts.standing(data, move).values()
        if parts.fits(data, place, station)
    ]
    if not found:
        return None
    place, station = rng.choice(found)
    parts.lead(data, place, station)
    return resealed(data)


@into(RELINKED)
def a_capture_that_was_missed(data, rng, _):
    """Another story of his, legal but for one thing: a detective ended a move where he then was."""
    found = [
        (place, station)
        for place, (move, is_last) in enumerate(parts.windows(data))
        for station in parts.destinations_after(data, move)
        if is_last and parts.fits(data, place, station) and parts.leads_on(data, place, station)
    ]
    if not found:
        return None
    place, station = rng.choice(found)
    parts.lead(data, place, station)
    return resealed(data)


@into(RELINKED)
def a_capture_that_is_kept_quiet(data, rng, _):
    """Instead, the detectives are said to have resigned."""
    if not parts.moves_of(data):
        return None
    end, capture = parts.end_of(data), parts.moves_of(data)[-1]
    if not opening_of(data) or end["reason"] != "captured" or capture["data"]["pawn"] == "mr_x":
        return None
    opening = opening_of(data)
    capture["data"].pop("opened")
    del data["events"][data["events"].index(capture) + 1 :]
    data["events"] += [
        {"number": 0, "kind": "ended", "at": "", "data": {"winner": "mr_x", "reason": "resigned", "final": True}}
    ]
    data["events"][-1]["data"]["opening"] = opening
    parts.relinked_in_time(data)
    return resealed(data)


# What only mails tell ----------------------------------------------------------------------------


@into(SEEN_IN_MAILS)
def another_edition_s_name(data, rng, _):
    data["header"]["edition"] = parts.other(Edition.names(), data["header"]["edition"], rng)
    return relinked(data)


@into(SEEN_IN_MAILS)
def an_option_that_did_not_come_to_bear(data, rng, _):
    data["header"]["options"]["team_talk"] = parts.other(
        ["private", "open"], data["header"]["options"]["team_talk"], rng
    )
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
    opening_of(data)["key"] = parts.random_hex(rng)
    return resealed(data)


@into(SEEN_IN_MAILS)
def another_game_of_the_same_name(data, rng, other):
    if other["header"]["start"] == data["header"]["start"]:
        return None
    return other
