"""The scenes in which the mails of the corpus are sent: each ends with the mail that is answered."""

from collections.abc import Callable

from tests.mail.commands.test_dispatch import answer
from tests.scenes import (
    CHASE,
    PASSED,
    Stranger,
    chase_announced,
    dealing,
    hunt,
    mail_only_to,
    pairs,
    write,
)  # fmt: skip
from tests.table import Playing, Table

Build = Callable[[Table], Playing]


def _alone(game: Playing, *names: str) -> Playing:
    """Let only these get mails from now on: nobody looks at those of the others."""
    mail_only_to(game.table, *names)
    return game


def _hunted(table: Table) -> Playing:
    return _alone(hunt(table), "Ben", "Cleo")


def _after(*texts: str, by: int = 1) -> Build:
    """Return what builds the hunt after somebody has answered the newest mail with each of these."""

    def build(table: Table) -> Playing:
        game = _alone(hunt(table), "Ben", "Cleo")
        for text in texts:
            answer(game.people[by], text)
        return game

    return build


def _vote(**body: object) -> Build:
    def build(table: Table) -> Playing:
        game = _alone(hunt(table), "Ben")
        assert game.people[0].post(f"{game.path}/votes", body).status_code == 201
        table.tick()
        return game

    return build


def _draw(table: Table) -> Playing:
    game = _alone(hunt(table), "Cleo")
    game.people[1].post(f"{game.path}/draw")
    table.tick()
    return game


def _last_draw(table: Table) -> Playing:
    game = _alone(hunt(table), "Finn")
    for person in game.people[:-1]:
        person.post(f"{game.path}/draw")
    table.tick()
    answer(game.people[-1], "DRAW")
    return game


def _invited(table: Table) -> Playing:
    gil, ben = table.persons("Gil", "Ben")
    return _reserved(Playing(table, "", [gil, ben]), player=ben.id)


def _stranger(table: Table) -> Playing:
    anna = Stranger(table, "Anna")
    return _reserved(Playing(table, "", [table.person("Gil"), anna]), invite=anna.address)


def _reserved(game: Playing, **guest: str) -> Playing:
    seats = [{"role": "mr_x", "player": game.people[0].id}, {"role": "detective", **guest}]
    made = game.people[0].post("/games", {"edition": "condensed", "seats": seats})
    game.table.tick()
    return Playing(game.table, made.json["id"], game.people)


def _leaving(table: Table) -> Playing:
    game = _invited(table)
    answer(game.people[1], "YES")
    answer(game.people[1], "I have to leave the game")
    return game


def _over(table: Table) -> Playing:
    ada, ben = table.people(2)
    game = table.game([ada, ben], edition="condensed")
    table.tick()
    ada.post(f"{game.path}/resign")
    table.tick()
    return game


def _rematch(table: Table) -> Playing:
    game = _over(table)
    ada, ben = game.people
    answer(ada, "REMATCH")
    made = ben.get(game.path).json["rematch"]
    return Playing(table, made, [ada, ben])


def _late(table: Table) -> Playing:
    game = _alone(table.game(table.people(6), position=CHASE, clock={"mr_x_late": "vote"}), "Cleo")
    for _ in range(2):
        table.clock.turn(days=2)
        table.tick()
    return game


def _sender(table: Table) -> Playing:
    game = _alone(hunt(table), "Ben")
    game.people[1].reply("bus 102", sender="Ben <ben@phone.example>")
    table.tick()
    return game


def _practice(table: Table) -> Playing:
    ada = table.person("Ada")
    with dealing(table, 103, 26, 29, 34, 50, 53):
        write(ada, "PLAY", Authentication_Results=PASSED)
        for _ in range(4):
            table.tick()
            table.clock.turn(minutes=1)
    return Playing(table, ada.get("/games?mine=true").json["games"][0]["id"], [ada])


# What builds each, who answers in it, which of their mails (the newest is -1), and their pawn, where they have one.
SCENES: dict[str, tuple[Build, int, int, str]] = {
    "turn": (_hunted, 1, -1, "purple "),
    "ahead": (_hunted, 2, -1, "red "),
    "mrx": (chase_announced, 0, -1, ""),
    "pair": (pairs, 2, -1, ""),
    "practice": (_practice, 0, -1, "purple "),
    "moved": (_after("taxi 115"), 1, -1, "purple "),
    "queued": (_after("taxi 66", by=2), 2, -1, "red "),
    "held": (_after("SET hold always", "taxi 115"), 1, -1, "purple "),
    "held-turn": (_after("SET hold always", "taxi 115"), 1, -3, "purple "),
    "meant": (_after("I think I take the taxi to 115"), 1, -1, "purple "),
    "resign": (_after("RESIGN"), 1, -1, "purple "),
    "wish": (_after("Could we have 2 more days, please?"), 1, -1, "purple "),
    "sender": (_sender, 1, -1, "purple "),
    "pause": (_vote(kind="pause"), 1, -1, "purple "),
    "extend": (_vote(kind="extend", length="P3D"), 1, -1, "purple "),
    "clock": (_vote(kind="clock", clock={"kind": "bank"}), 1, -1, "purple "),
    "draw": (_draw, 2, -1, "red "),
    "lastdraw": (_last_draw, 5, -1, "blue "),
    "invited": (_invited, 1, -1, ""),
    "stranger": (_stranger, 1, -1, ""),
    "leave": (_leaving, 1, -1, ""),
    "again": (_over, 1, -1, ""),
    "rematch": (_rematch, 1, -1, ""),
    "wait": (_late, 2, -1, "red "),
}
