"""Views are cached for their viewer alone, and change only when what he may know changes."""

from tests.positions import position
from tests.table import Person, Playing, Table


def test_an_unchanged_view_is_not_sent_again(game: Playing):
    ada = game.people[0]
    first = ada.get(game.path)
    again = ada.get(game.path, headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")
    assert again.headers["ETag"] == first.headers["ETag"]


def test_a_view_that_changed_is_sent(game: Playing):
    ada, ben = game.people[:2]
    before = ben.get(game.path).headers["ETag"]
    game.move(ada)
    after = ben.get(game.path, headers={"If-None-Match": before})
    assert after.status_code == 200
    assert after.headers["ETag"] != before


def test_every_viewer_has_an_etag_of_his_own(game: Playing):
    tags = {person.get(game.path).headers["ETag"] for person in game.people}
    assert len(tags) == 6


def test_caches_are_told_that_an_answer_is_private(game: Playing):
    ada = game.people[0]
    for path in (game.path, f"{game.path}/log", f"{game.path}/legal-moves", f"{game.path}/ahead", "/me", "/games"):
        answer = ada.get(path)
        assert answer.headers["Cache-Control"] == "private, no-cache", path
        assert answer.headers["Vary"] == "Authorization", path
    unchanged = ada.get(game.path, headers={"If-None-Match": ada.get(game.path).headers["ETag"]})
    assert unchanged.headers["Cache-Control"] == "private, no-cache"
    assert unchanged.headers["Vary"] == "Authorization"


def test_the_answer_to_a_move_is_not_stored_at_all(game: Playing):
    assert game.move(game.people[0]).headers["Cache-Control"] == "no-store"


def test_errors_are_private_too(game: Playing):
    gus = game.table.person("Gus")
    assert gus.get("/games/aaaa").headers["Vary"] == "Authorization"
    assert gus.post(f"{game.path}/moves", {}).headers["Cache-Control"] == "no-store"


def test_a_head_request_has_the_headers_of_the_view(game: Playing):
    ada = game.people[0]
    head = ada.request("HEAD", game.path)
    assert (head.status_code, head.data) == (200, b"")
    assert head.headers["ETag"] == ada.get(game.path).headers["ETag"]


def test_what_mr_x_tries_does_not_change_the_others_etag(table: Table):
    game = table.dealt(2, position=position(104, red=117))
    ada, ben = game.people
    gus = table.person("Gus")
    before = [person.get(game.path).headers["ETag"] for person in (ben, gus)]
    ada.post(f"{game.path}/moves", {"turn": 1, "notation": "taxi 999"})
    ada.post(f"{game.path}/moves?dry_run=true", {"turn": 1, "notation": "taxi 86"})
    ada.get(f"{game.path}/legal-moves")
    assert [person.get(game.path).headers["ETag"] for person in (ben, gus)] == before


def test_a_view_that_was_kept_ends_with_each_change_of_the_teams_queue(game: Playing):
    ada, ben, cleo, gus = *game.people[:3], game.table.person("Gus")
    game.move(ada)
    game.people[2].get(game.path)
    tags = [tag_of(cleo, game)]
    queued = {"turn": game.view()["turn"], "notation": game.legal(cleo)[0]}
    assert cleo.post(f"{game.path}/moves", queued).status_code == 202
    assert ben.get(game.path).json["ahead"] == cleo.get(game.path).json["ahead"] != []
    tags.append(tag_of(cleo, game))
    spectators = tag_of(ada, game), tag_of(gus, game)
    assert cleo.request("DELETE", f"{game.path}/ahead").status_code == 200
    assert ben.get(game.path).json["ahead"] == cleo.get(game.path).json["ahead"] == []
    tags.append(tag_of(cleo, game))
    assert tags[0] == tags[2] != tags[1]
    assert spectators == (tag_of(ada, game), tag_of(gus, game))


def tag_of(person: Person, game: Playing) -> str:
    return person.get(game.path).headers.get("ETag", "")
