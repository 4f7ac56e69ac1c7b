"""A player who was Mr. X and has left the seat knows what they knew, and hears no more."""

from typing import Any

import pytest

from tests.application.play.test_substitution import substitute
from tests.kept import again
from tests.profiles import IS_CAMPAIGN
from tests.rows import for_each
from tests.scenes import mail_only_to, write
from tests.table import Person, Playing, Table


class TestWhoWasMrX:
    """To him the game is not there until its result is final, whatever else he is."""

    @pytest.fixture(params=["public", "private"])
    def left(self, table: Table, request: pytest.FixtureRequest) -> Playing:
        """Ada, who opened the game, was Mr. X and is not any more."""

        def leave(table: Table) -> Playing:
            people = table.people(3)
            seats = [{"role": "detective" if n else "mr_x", "player": person.id} for n, person in enumerate(people)]
            made = people[0].post("/games", {"edition": "condensed", "seats": seats, "visibility": request.param}).json
            for person in people[1:]:
                person.post(f"/games/{made['id']}/seats")
            people[0].post(f"/games/{made['id']}/start")
            game = Playing(table, made["id"], people)
            people.append(table.person("Gus"))
            game.move(people[0])
            table.tick()
            substitute(game, 1, people[3])
            return game

        return again(table, leave, f"he left a {request.param} game")

    def test_every_endpoint_answers_as_for_a_game_that_is_not_there(self, left: Playing):
        """Of all that the API routes, with and without the game's code and a body; for pages see tests/web."""
        ada, asked = left.people[0], 0
        code = left.view(left.people[1])["code"]
        for rule in left.table.app.url_map.iter_rules():
            if "game_id" not in rule.arguments or not rule.rule.startswith("/api/"):
                continue
            for method in sorted((rule.methods or set()) - {"HEAD", "OPTIONS"}):
                path = rule.rule.removeprefix("/api/v1").replace("<int:seat>", "2")
                bodies = None, {"code": code, "seat": 2}, {"turn": 2, "notation": "taxi 1"}
                for body in bodies[:1] if method == "GET" and not IS_CAMPAIGN else bodies:
                    here, nowhere = (
                        ada.request(method, path.replace("<game_id>", name), json=body)
                        for name in (left.id, "abcdefghijklmnop")
                    )
                    assert here.status_code == 404, (method, path)
                    assert here.data == nowhere.data
                    assert unlike_date(here) == unlike_date(nowhere)
                    asked += 1
        assert asked > 30

    def test_what_he_was_answered_under_a_key_is_not_there_either(self, table: Table, game: Playing, gus: Person):
        ada = game.people[0]
        asked: dict[str, Any] = {"headers": {"Idempotency-Key": "k"}}
        body = {"turn": 1, "notation": game.legal(ada)[0]}
        assert ada.post(f"{game.path}/moves", body, **asked).status_code == 201
        substitute(game, 1, gus)
        here, nowhere = (ada.post(f"/games/{name}/moves", body, **asked) for name in (game.id, "abcdefghijklmnop"))
        assert (here.status_code, here.data) == (404, nowhere.data)

    @for_each("path", ["/games", "/games?mine=true", "/games?waiting=true", "/games?status=running"])
    def test_no_list_has_it(self, left: Playing, path: str):
        assert left.people[0].get(path).json == {"games": []}

    def test_no_event_of_it_is_among_his(self, left: Playing):
        assert left.people[0].get("/me/events").json["events"] == []
        assert {event["game"] for event in left.people[1].get("/me/events").json["events"]} == {left.id}

    def test_it_does_not_wait_for_him(self, table: Table, game: Playing, gus: Person):
        ada = game.people[0]
        assert len(ada.get("/me/waiting").json["games"]) == 1
        substitute(game, 1, gus)
        assert ada.get("/me/waiting").json == {"games": []}
        assert len(gus.get("/me/waiting").json["games"]) == 1

    @pytest.mark.parametrize(
        ("left", "texts"),
        [
            ("public", ("STATUS", "LOG", "taxi 46", "JOIN {code}", "BOARD 46")),
            ("private", ("JOIN {code}",)),
            pytest.param("private", ("STATUS", "LOG", "taxi 46", "BOARD 46"), marks=pytest.mark.campaign),
        ],
        indirect=["left"],
    )
    def test_by_mail_there_is_no_game(self, left: Playing, texts: tuple[str, ...]):
        ada, old = left.people[0], left.people[0].mails[-1]
        mail_only_to(left.table, "Ada")
        left.table.tick()
        name, code = left.view(left.people[3])["name"], left.view(left.people[1])["code"]
        for text in (text.replace("{code}", code) for text in texts):
            before = len(ada.mails)
            write(ada, text)
            ada.reply(text, to=old)
            left.table.tick()
            assert len(ada.mails) == before + 2, text
            for mail in ada.mails[before:]:
                assert "you are in no game" in mail["Subject"].lower(), text
                assert name not in mail.as_string(), text

    def test_all_others_see_it_as_before(self, left: Playing):
        view = left.view(left.people[1])
        assert [taken["player"] for taken in view["seats"]] == [left.people[n].id for n in (3, 1, 2)]
        assert [game["id"] for game in left.people[1].get("/games").json["games"]] == [left.id]

    def test_when_the_result_is_final_he_sees_it_like_everybody(self, left: Playing):
        ada = left.people[0]
        mail_only_to(left.table)
        left.table.clock.turn(days=2)
        left.table.tick()
        for _ in range(2):
            left.table.clock.turn(days=2)
            left.table.tick()
        assert left.view(left.people[1])["outcome"]["final"] is False
        assert ada.get(left.path).status_code == 404, "a provisional result is not the end of it"
        left.table.clock.turn(days=1)
        left.table.tick()
        if left.view(left.people[1])["visibility"] == "private":
            assert ada.get(left.path).status_code == 404, "she is neither its host any more nor at the table"
            return
        assert left.view(ada)["outcome"]["final"] is True
        assert [game["id"] for game in ada.get("/games").json["games"]] == [left.id]
        assert "final" in [event["kind"] for event in ada.get(f"{left.path}/events").json["events"]]

    def test_who_was_a_detective_still_sees_a_public_game_as_a_spectator(self, hunted: Playing):
        ben, gus = hunted.people[1], hunted.people[6]
        hunted.move(hunted.people[2], "bus 102")
        substitute(hunted, 2, gus)
        view = hunted.view(ben)
        assert (view["you"], view["ahead"]) == (None, [])


def unlike_date(answer: Any) -> list[tuple[str, str]]:
    return [(name, value) for name, value in answer.headers if name != "Date"]
