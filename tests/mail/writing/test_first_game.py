"""The rules in brief come once: with the first turn of somebody's first game."""

from typing import Any

from server.engine import Edition
from server.wording.rules import in_brief
from tests.scenes import text_of
from tests.table import Person, Playing, Table

TOLD = "The rules of your first game, in short:"


def told(person: Person) -> list[bool]:
    """Whether each mail to somebody has the rules."""
    return [TOLD in text_of(mail) for mail in person.mails]


def first_round(table: Table, people: list[Person]) -> Playing:
    game = table.game(people, "condensed")
    table.tick()
    game.move(people[0], game.legal(people[0])[0])
    table.tick()
    return game


def words(mail: Any) -> str:
    return " ".join(text_of(mail).split())


def test_each_side_gets_them_with_its_first_turn_and_never_again(table: Table):
    people = table.people(2)
    game = first_round(table, people)
    assert [sum(told(person)) for person in people] == [1, 1]
    for _ in range(4):  # the pawns of the one detective
        mover = game.mover()
        game.move(mover, game.legal(mover)[0])
        table.tick()
    assert game.mover() is people[0]
    assert [sum(told(person)) for person in people] == [1, 1]


def test_they_are_those_of_the_edition(table: Table):
    people = table.people(2)
    first_round(table, people)
    (mail,) = [mail for mail in people[1].mails if TOLD in text_of(mail)]
    assert all(line in words(mail) for line in in_brief(Edition.named("condensed")))


def test_somebody_who_has_played_before_gets_none(table: Table):
    people = table.people(2)
    first_round(table, people)
    before = [len(person.mails) for person in people]
    first_round(table, people)
    assert [sum(told(person)[number:]) for person, number in zip(people, before, strict=True)] == [0, 0]
