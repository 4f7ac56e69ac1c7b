"""The labels of Mr. X's way: each is beside its own station, and hides no number and no other label."""

import random

import pytest

from server.drawing import figures, labels, replay_picture
from server.drawing.labels import Label, distance
from server.engine import Board

LONDON = Board.named("london")
PAWNS = ("mr_x", "purple", "red", "green", "yellow", "blue")
LONGEST = 30  # moves, of which six are the second legs of doubles
NUMBER = 13  # from the middle of a station to beyond its number


def near(station: int) -> list[int]:
    return sorted({stop for stops in LONDON.links.values() for stop in stops.get(station, ())})


def visits(chance: random.Random, *, keeps_near: bool) -> dict[int, list[str]]:
    """Return for each station of a way by chance when he was there; one that keeps near comes back again and again."""
    at = chance.choice(list(LONDON.stations))
    found = {at: ["start"]}
    for move in range(1, chance.randint(1, LONGEST) + 1):
        known = [station for station in near(at) if station in found]
        at = chance.choice(known if known and keeps_near and chance.random() < 0.7 else near(at))
        found.setdefault(at, []).append(str(move))
    return found


def wrong(labelled: list[Label]) -> list[tuple[int, str]]:
    found = []
    for i, label in enumerate(labelled):
        away = {station: distance(label.room, point) for station, point in LONDON.stations.items()}
        own = away.pop(label.station)
        found += [(label.station, "hides a number")] * (min(own, *away.values()) < NUMBER)
        found += [(label.station, "is nearer to another")] * (own >= min(away.values()))
        found += [(label.station, "hides a label") for other in labelled[:i] if label.room.shared(other.room)]
    return found


@pytest.mark.parametrize("keeps_near", [False, True], ids=["far", "near"])
def test_no_label_hides_a_number_or_another_and_each_is_nearest_to_its_own_station(keeps_near: bool):
    chance = random.Random(39)
    for _ in range(40):
        said = visits(chance, keeps_near=keeps_near)
        places = dict(zip(PAWNS, [[*said][-1], *chance.sample(list(LONDON.stations), 5)], strict=True))
        pawns = [figures.box(each.pawn, (each.foot_x, each.foot_y)) for each in replay_picture.placed(LONDON, places)]
        labelled = labels.placed(LONDON, said, pawns)
        assert [label.station for label in labelled] == list(said)
        assert wrong(labelled) == [], said
        assert [label for label in labelled if any(label.room.shared(pawn) for pawn in pawns)] == [], said


@pytest.mark.parametrize("words", [["start"], ["17"], ["10", "12"]], ids=str)
def test_a_label_of_a_word_or_two_finds_room_at_every_station_and_is_as_large_as_can_be(words: list[str]):
    for station in LONDON.stations:
        (label,) = labels.placed(LONDON, {station: words})
        assert wrong([label]) == []
        assert (label.size, label.lines) == (labels.SIZES[0], [" ".join(words)])


def test_a_station_that_he_visited_all_the_time_says_so_in_little_room():
    for station in LONDON.stations:
        (label,) = labels.placed(LONDON, {station: ["start", *map(str, range(2, 25, 2))]})
        assert wrong([label]) == []
        assert label.lines[0].startswith("start")
        assert label.lines[-1].endswith("24")
