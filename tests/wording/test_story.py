"""The story of a game in sentences."""

from server.application.game.story import DetectiveMove, Leg, Round
from server.vocabulary.translation import speaking
from server.wording.story import log_in_parts, told


def entry(window: int, ticket: str, station: int | None = None, **more: object) -> dict[str, object]:
    return {"window": window, "ticket": ticket, "station": station, **more}


def test_the_log_is_told_in_parts_that_end_when_he_shows_himself():
    log = [entry(1, "taxi"), entry(2, "black"), entry(3, "bus", 46, surfaced=True), entry(4, "taxi")]
    assert log_in_parts({"log": log}) == [
        "Moves 1 to 3: a taxi; a black ticket; a bus to 46, where he was seen.",
        "Move 4: a taxi; still unseen.",
    ]


def test_an_empty_log_has_no_parts():
    assert log_in_parts({"log": []}) == []


def test_the_log_of_somebody_who_knows_names_stations_and_the_line_under_a_black_ticket():
    log = [entry(1, "black", 108, transport="ferry")]
    assert log_in_parts({"log": log}) == ["Move 1: a black ticket for the ferry to 108; still unseen."]


def test_a_round_says_who_moved_from_where_to_where():
    legs = [Leg(1, "taxi", None, None, False), Leg(2, "black", 46, None, True)]
    (line,) = told([Round(1, None, legs, [DetectiveMove("red", 26, "bus", 15)], None)])
    assert line == (
        "Round 1: Mr. X with a taxi and then to 46 with a black ticket, where he was seen; Red 26 to 15 with a bus."
    )


def test_a_round_of_a_game_that_is_open_says_where_he_was_and_could_be():
    (line,) = told([Round(2, 46, [Leg(3, "black", 58, "bus", False)], [], 12)])
    assert (
        line
        == "Round 2: Mr. X from 46 to 58 with a black ticket for a bus. By his tickets he could be on twelve stations."
    )


def test_a_round_in_which_he_was_seen_says_where_he_could_have_been():
    (line,) = told([Round(3, 51, [Leg(3, "taxi", 38, "taxi", True)], [], 32)])
    assert line == (
        "Round 3: Mr. X from 51 to 38 with a taxi, where he was seen. Unseen, he could have been on 32 stations."
    )


def test_a_round_in_which_nobody_could_move_says_so():
    assert told([Round(3, None, [], [], None)]) == ["Round 3: nobody could move."]


def test_the_german_log_names_tickets_that_nobody_is_said_to_have_taken():
    log = [
        {"window": n, "ticket": ticket, "station": None} for n, ticket in enumerate(("bus", "taxi", "underground"), 1)
    ]
    with speaking("de"):
        assert log_in_parts({"log": log}) == ["Züge 1 bis 3: ein Bus; ein Taxi; die U-Bahn; noch nicht gesehen."]
