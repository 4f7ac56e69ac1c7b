"""A player who gives up ends the game for their side, unless teammates play on."""

from tests.table import Person, Playing


def test_when_mr_x_gives_up_the_detectives_have_won_and_see_where_he_was(game: Playing):
    answer = game.people[0].post(f"{game.path}/resign")
    assert answer.status_code == 200
    outcome = game.view(game.people[1])["outcome"]
    assert (outcome["winner"], outcome["reason"], outcome["final"]) == ("detectives", "resigned", True)
    assert "mr_x" in game.view(game.people[1])["starts"]


def test_where_somebody_was_late_before_it_stays_secret_until_the_result_is_final(game: Playing):
    game.table.clock.turn(days=2)
    game.table.tick()
    game.move(game.people[0])
    game.people[0].post(f"{game.path}/resign")
    outcome = game.view(game.people[1])["outcome"]
    assert (outcome["reason"], outcome["final"]) == ("resigned", False)
    assert "mr_x" not in game.view(game.people[1])["starts"]


def test_a_detective_who_gives_up_leaves_his_pawns_to_the_house(game: Playing):
    game.move(game.people[0])
    assert game.people[1].post(f"{game.path}/resign").status_code == 200
    seat = game.view()["seats"][1]
    assert (seat["player"], seat["bot"]) == (None, "constable")
    game.table.clock.turn(seconds=2)
    game.table.tick()
    assert game.view()["history"][-1].startswith("purple")


def test_the_others_are_told_of_a_resignation_by_mail(game: Playing):
    game.table.tick()
    game.people[1].post(f"{game.path}/resign")
    game.table.tick()
    assert "Ben (Purple) has resigned" in game.people[2].mails[-1]["Subject"]
    assert "has resigned" not in game.people[1].mails[-1]["Subject"]


def test_the_reply_addresses_of_who_gave_up_are_dead(game: Playing):
    game.move(game.people[0])
    game.table.tick()
    ben: Person = game.people[1]
    ben.post(f"{game.path}/resign")
    ben.reply("SAY hello")
    before = game.view()["history"]
    ben.reply(game.legal(game.people[2])[0])
    game.table.tick()
    assert game.view()["history"] == before
