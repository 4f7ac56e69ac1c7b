"""The last round on the page of a game: trails with tickets, Mr. X's tickets since he was seen, and a sentence."""

import random
import re

import pytest

from server import engine
from server.drawing import figures
from server.drawing.figures import Box
from server.drawing.look import Piece
from server.engine import Edition, Game
from server.web.game import trails
from tests.positions import position
from tests.scenes import CHASE, hunt
from tests.table import Playing, Table
from tests.web.game.test_board import halos, page_of

EDITION = Edition.named("ravensburger-2000")
LONDON = engine.Board.named("london")
THEIRS = ("purple taxi 126", "red taxi 66", "green taxi 141", "yellow taxi 139", "blue taxi 170")


def trails_of(page: str) -> dict[str, str]:
    """Return the tickets on the trail of each pawn."""
    found = dict(re.findall(r'<g class="trail" data-pawn="(\w+)" data-number="(\d+)"', page))
    paid = re.findall(r'<use href="#t-(\w+)"[^>]* data-number="(\d+)"', page)
    return {pawn: " ".join(ticket for ticket, at in paid if at == number) for pawn, number in found.items()}


def strip_of(page: str) -> str:
    found = re.search(r'<p class="strip".*?</p>', page)
    return " ".join(re.sub("<[^>]+>", " ", re.sub(r'<use href="#t-(\w+)"', r"\1<u", found[0])).split()) if found else ""


@pytest.fixture
def round_over(table: Table) -> Playing:
    """The chase after a round in which Mr. X took a black ticket to 100, and the others taxis."""
    game = hunt(table)
    for person, notation in zip(game.people[1:], THEIRS, strict=True):
        assert game.move(person, notation).status_code == 201
    return game


def test_the_last_ride_of_each_pawn_is_a_trail_with_its_ticket_and_his_own_is_for_him_alone(round_over: Playing):
    his, theirs, watched = (page_of(round_over, person) for person in (0, 1, None))
    taxis = dict.fromkeys(("purple", "red", "green", "yellow", "blue"), "taxi")
    assert trails_of(theirs) == trails_of(watched) == taxis
    assert trails_of(his) == taxis | {"mr_x": "black"}


def test_a_trail_leads_from_where_the_pawn_was_to_where_it_is(round_over: Playing):
    page = page_of(round_over, 1)
    board = engine.Board.named("london")
    (way,) = re.findall(r'data-pawn="purple" data-number="2" data-points="([^"]+)"', page)
    assert way == " ".join(f"{board.stations[at].x},{board.stations[at].y}" for at in (127, 126))


def test_while_a_round_is_under_way_those_who_have_not_moved_have_the_trail_of_the_one_before(round_over: Playing):
    round_over.move(round_over.people[0])
    round_over.move(round_over.people[1])
    page = page_of(round_over, 1)
    assert trails_of(page).keys() == {"purple", "red", "green", "yellow", "blue"}
    numbers = dict(re.findall(r'<g class="trail" data-pawn="(\w+)" data-number="(\d+)"', page))
    assert (numbers["purple"], numbers["red"]) == ("8", "3")


def test_mr_xs_tickets_since_he_was_seen_stand_as_a_strip(round_over: Playing):
    assert strip_of(page_of(round_over, 1)) == strip_of(page_of(round_over, None)) == "since 111 black"
    round_over.move(round_over.people[0], "taxi 101")
    assert strip_of(page_of(round_over, 1)) == "since 111 black taxi"


def test_a_double_move_that_shows_him_on_its_way_leaves_a_trail_for_what_is_known():
    game = Game.at(EDITION, position(18, purple=100, log_used=6))
    for notation in ("double taxi 8 taxi 1", "purple taxi 101"):
        game.play(notation)
    public, his = (trails.moves_of_last_round(game.view(viewer)) for viewer in ("spectator", "mr_x"))
    assert public[0].legs == (("taxi", None, None), ("taxi", None, 1))
    assert his[0].legs == (("taxi", 18, 8), ("taxi", 8, 1))
    assert [trail.pawn for trail in trails.drawn(game.edition.board, public, [])] == ["purple"]


def test_tickets_on_trails_lie_on_no_station_and_on_no_other_ticket(round_over: Playing):
    page = page_of(round_over, 0)
    board = engine.Board.named("london")
    paid = re.findall(r'<use href="#t-\w+" x="(\d+)" y="(\d+)"', page)
    tickets = [(int(x), int(y)) for x, y in paid]
    assert len(tickets) == 6
    for i, (x, y) in enumerate(tickets):
        assert all(abs(x - other) >= 24 or abs(y - down) >= 17 for other, down in tickets[:i])
        assert min((x - at.x) ** 2 + (y - at.y) ** 2 for at in board.stations.values()) > 14**2


def test_the_last_round_is_a_sentence_before_the_board(round_over: Playing):
    page = page_of(round_over, 2)
    told = "The last round: Mr. X black, Purple taxi 126, Red taxi 66, Green taxi 141, Yellow taxi 139, Blue taxi 170."
    assert f'<figcaption class="unseen">{told}</figcaption>' in page
    assert page.index(told) < page.index('<svg class="map"')
    assert len(told.split()) <= 25


def test_a_pawn_that_is_passed_over_and_one_that_the_server_moved_are_told_as_that(table: Table):
    stuck = position(111, red=(67, {"taxi": 8, "bus": 8, "underground": 4}), green=(133, {"taxi": 0, "bus": 0}))
    game = table.game(table.people(3), position=stuck)
    game.move(game.people[0], "taxi 112")
    table.clock.turn(days=3)
    table.tick()
    page = page_of(game, None)
    assert re.search(r"The last round: Mr\. X taxi, Red, out of time, \w+ \d+\. Green could not move\.", page)


def test_where_the_others_find_out_themselves_where_he_can_be_nothing_tells_it(table: Table):
    game = table.game(table.people(6), position=CHASE, options={"deduction": False})
    his = page_of(game, 0)
    assert "You could then be" not in his
    game.move(game.people[0], "black 100")
    for person in (0, 1, None):
        page = page_of(game, person)
        assert halos(page) == []
        assert 'class="place"' not in page
        assert "You could then be" not in page


def test_on_how_many_stations_he_could_be_then_is_on_no_page_but_his(table: Table):
    game = table.game(table.people(6), position=CHASE)
    assert 'data-then="You could then be on' in page_of(game, 0)
    for person in (1, None):
        assert "could then be" not in page_of(game, person)


def hidden(number: int, rooms: list[Box]) -> float:
    """Return how much of the number of a station lies behind figures and tickets."""
    x, y = LONDON.stations[number]
    wide, high = 3.65 * len(str(number)), 5.6
    spots = [(x + wide * (i / 4 - 1), y + high * (j / 3 - 1)) for i in range(9) for j in range(7)]
    behind = sum(any(box.left <= a <= box.right and box.top <= b <= box.bottom for box in rooms) for a, b in spots)
    return behind / len(spots)


def test_no_whole_number_is_behind_pawns_and_tickets_where_six_pawns_crowd():
    chance = random.Random(8)
    pawns = ("mr_x", *engine.DETECTIVES)
    for _ in range(60):
        first = chance.choice(list(LONDON.stations))
        near = {stop for stops in LONDON.links.values() for stop in stops.get(first, ())} | {first}
        near |= {far for stop in near for far in LONDON.links["taxi"][stop]}
        at = chance.sample(sorted(near), min(6, len(near)))
        pieces = [Piece(pawn, "X", *LONDON.stations[station]) for pawn, station in zip(pawns, at, strict=False)]
        placed = figures.placed(LONDON, pieces, ())
        moves = [
            trails.PawnMove(i, piece.pawn, (("taxi", chance.choice(LONDON.links["taxi"][station]), station),))
            for i, (piece, station) in enumerate(zip(pieces, at, strict=True), 1)
        ]
        legs = [leg for trail in trails.drawn(LONDON, moves, placed) for leg in trail.legs]
        rooms = [figures.box(each.pawn, (each.foot_x, each.foot_y)) for each in placed]
        rooms += [Box(leg.ticket_x - 12, leg.ticket_y - 8.5, leg.ticket_x + 12, leg.ticket_y + 8.5) for leg in legs]
        assert [station for station in LONDON.stations if hidden(station, rooms) > 0.9] == [], at
