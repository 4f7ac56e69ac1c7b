"""Where bots alone move in between, an answer to a move is told in the mail of the next turn."""

from typing import Any

import pytest

from server import worker
from server.application.lobby import opening
from server.models import Player, session, transaction
from tests.positions import position
from tests.scenes import CHASE, text_of
from tests.table import Person, Playing, Table


def practice(table: Table, role: str, **wanted: Any) -> Playing:
    """A practice game in which it is the turn of the one person, who has the mail about it."""
    ada = table.person("Ada")
    with table.app.app_context(), transaction():
        game = opening.practice(session.get_one(Player, ada.id), role, "ravensburger-2000", **wanted)
    table.tick()
    table.tick()
    return Playing(table, game.id, [ada])


def first_moves(game: Playing, person: Person) -> str:
    """A line for each pawn that the person can send now."""
    moves = {move.split()[0] if len(game.view(person)["you"]["pawns"]) > 1 else "": move for move in game.legal(person)}
    return "\n".join(moves.values())


def answered(game: Playing, text: str) -> list[Any]:
    """The mails that come when the person answers their newest mail, once all bots have moved."""
    (person, *_) = game.people
    before = len(person.mails)
    person.reply(text)
    game.table.tick()
    game.table.tick()
    return person.mails[before:]


def bots_stand_still(table: Table) -> None:
    """The mail is read and sent, and no bot moves."""
    with table.app.app_context():
        worker.read_mail()
        worker.send_mail(table.post)
        session.remove()


@pytest.mark.parametrize("players", [6, 4, 3])
def test_a_detective_in_practice_gets_one_mail_a_move(table: Table, players: int):
    game = practice(table, "detective", players=players)
    for number in (2, 3):
        (mail,) = answered(game, first_moves(game, game.people[0]))
        assert f"Round {number}: " in mail["Subject"]
        assert "your move by" in mail["Subject"]
        assert text_of(mail).split("\n\n")[1].startswith("Understood")


def test_mr_x_in_practice_gets_one_mail_a_move_which_tells_no_station_before_what_others_did(table: Table):
    game = practice(table, "mr_x")
    for number in (2, 3):
        (mail,) = answered(game, game.legal(game.people[0])[0])
        assert f"Round {number}: Mr. X, your move by" in mail["Subject"]
        assert text_of(mail).split("\n\n")[1] == "Your move is played."


def test_where_the_bots_take_too_long_the_answer_goes_by_itself(table: Table):
    game = practice(table, "detective")
    (ada,) = game.people
    before = len(ada.mails)
    ada.reply(game.legal(ada)[0])
    bots_stand_still(table)
    assert len(ada.mails) == before
    table.clock.turn(minutes=1)
    bots_stand_still(table)
    (answer,) = ada.mails[before:]
    assert "your move is played" in answer["Subject"]
    table.tick()
    table.tick()
    (turn,) = ada.mails[before + 1 :]
    assert "Understood" not in text_of(turn)


def test_a_worker_that_dies_while_it_sends_loses_and_doubles_nothing(table: Table):
    class Dies(type(table.post)):  # type: ignore[misc]
        def send(self, *_: Any) -> None:
            raise SystemExit

    game = practice(table, "detective")
    (ada,) = game.people
    before = len(ada.mails)
    ada.reply(game.legal(ada)[0])
    with table.app.app_context():
        worker.read_mail()
        worker.fire_due()
        with pytest.raises(SystemExit):
            worker.send_mail(Dies())
        session.remove()
    assert len(ada.mails) == before
    table.clock.turn(minutes=6)  # the lease of the dead one is over
    table.tick()
    table.tick()
    (mail,) = ada.mails[before:]
    assert "Understood and played" in text_of(mail)


def test_a_move_that_ends_the_game_is_answered_by_the_mail_of_the_end(table: Table):
    people = table.people(5)
    caught = position(46, to_move="purple", purple=45, red=1, green=140, yellow=150)
    table.game(people, position=caught)
    table.tick()
    ben = people[1]
    before = len(ben.mails)
    ben.reply("purple taxi 46")
    table.tick()
    (mail,) = ben.mails[before:]
    assert "the detectives have won" in mail["Subject"]
    assert 'Understood and played: "purple taxi 46".' in text_of(mail)


def test_who_wants_one_mail_a_day_is_answered_at_once(table: Table):
    game = practice(table, "detective")
    (ada,) = game.people
    ada.request("PATCH", "/me/preferences", json={"mail": "daily 18:00"})
    (answer,) = answered(game, game.legal(ada)[0])
    assert "your move is played" in answer["Subject"]


def with_bots(table: Table, *seats: str) -> Playing:
    """The chase; Mr. X's seat comes first, and each is a bot's, or that of the person with the name."""
    people = table.people(2)
    ids = {person.name: {"player": person.id} for person in people}
    bots = [{"bot": "fugitive", "level": "easy"}, *[{"bot": "constable", "level": "easy"}] * 5]
    roles = ["mr_x", *["detective"] * 5]
    wanted = [{"role": role} | ids.get(who, bot) for role, who, bot in zip(roles, seats, bots, strict=True)]
    body = {"edition": "ravensburger-2000", "position": CHASE, "seats": wanted}
    game = Playing(table, people[0].post("/games", body).json["id"], people)
    people[1].post(f"{game.path}/seats", {"seat": seats.index("Ben") + 1})
    assert people[0].post(f"{game.path}/start").status_code == 200
    table.tick()
    return game


def wait_for_bots(table: Table) -> None:
    """Among people, a bot takes two seconds for a move."""
    for _ in range(7):
        table.clock.turn(seconds=2)
        table.tick()


def test_where_another_person_moves_first_the_answer_comes_at_once(table: Table):
    game = with_bots(table, "Ada", "Ben", "bot", "bot", "bot", "bot")
    ada, ben = game.people
    ada.reply("black 100")
    table.tick()
    assert "your move is played" in ada.mails[-1]["Subject"]
    before = len(ada.mails)
    ben.reply("taxi 126")
    wait_for_bots(table)
    (turn,) = ada.mails[before:]
    assert "your move by" in turn["Subject"]
    assert "Your move is played" not in text_of(turn)


def test_among_people_the_last_of_a_round_before_bots_gets_one_mail(table: Table):
    game = with_bots(table, "bot", "Ada", "Ben", "bot", "bot", "bot")
    ada, ben = game.people
    wait_for_bots(table)
    before = len(ada.mails), len(ben.mails)
    ada.reply("taxi 126")
    table.tick()
    assert len(ada.mails) == before[0] + 1
    ben.reply("taxi 66")
    wait_for_bots(table)
    (mail,) = ben.mails[before[1] :]
    assert "your move by" in mail["Subject"]
    assert 'Understood and played: "red taxi 66".' in text_of(mail)
