"""The pages of games: who sees what, and moves by a form."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from werkzeug.test import TestResponse

from server.application.operator import remedies
from server.application.people.accounts import browsers
from server.models import FormerHolder, Game, session, transaction
from server.vocabulary.words import pawn_names
from tests.scenes import hunt, pairs, text_of
from tests.table import Person, Playing, Table

HERE = {"Sec-Fetch-Site": "same-origin"}
BROWSER = {"Accept": "text/html", "User-Agent": "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0"}


class Browser:
    """A browser that finds the server at `host`, in which `person` is signed in if there is one."""

    def __init__(self, table: Table, person: Person | None = None, host: str = "localhost") -> None:
        self.client, self.host = table.app.test_client(), host
        if person is not None:
            with table.app.app_context():
                is_over_tls = (table.app.extensions["blackticket"].settings.public_url or "").startswith("https:")
                name = "__Host-blackticket" if is_over_tls else "blackticket"
                secret = browsers.sign_in(person.id, "Firefox on Linux")
                self.client.set_cookie(name, secret, domain=host.partition(":")[0])

    def get(self, path: str) -> TestResponse:
        return self.client.get(path, headers=BROWSER | {"Host": self.host})

    def post(self, path: str, form: Mapping[str, Any] | None = None, **headers: str) -> TestResponse:
        """Send a form, and once more where the answer asks for that."""
        answer = self.client.post(path, data=form or {}, headers=BROWSER | {"Host": self.host} | (headers or HERE))
        return self.post(answer.headers["Location"], form, **headers) if answer.status_code == 307 else answer


@pytest.fixture
def hunted(table: Table) -> Playing:
    return hunt(table)


def choices(page: str) -> list[str]:
    """Return the notations of the moves that a page offers."""
    return re.findall(r'name="move" value="([^"]+)"', page)


def test_a_detective_moves_by_a_form(hunted: Playing):
    table, ben = hunted.table, hunted.people[1]
    browser = Browser(table, ben)
    page = browser.get(f"/games/{hunted.id}").text
    assert "It is your turn" in page
    answer = browser.post(f"/games/{hunted.id}/moves", {"turn": hunted.view()["turn"], "move": choices(page)[0]})
    assert (answer.status_code, answer.headers["Location"]) == (303, f"/games/{hunted.id}")
    assert hunted.view()["turn"] > 2
    assert "It is your turn" not in browser.get(f"/games/{hunted.id}").text


def test_a_move_that_is_refused_shows_the_game_with_the_reason(hunted: Playing):
    before = hunted.view()
    for form, status, sentence in (
        ({"turn": "1", "move": "purple taxi 1"}, 409, "turn"),
        ({"turn": "{turn}", "move": "purple taxi 1"}, 422, "purple"),
        ({"turn": "{turn}"}, 422, "Choose a move first."),
        ({"turn": "now", "move": "purple taxi 1"}, 422, "turn: the number of the turn"),
    ):
        filled = {name: value.format(turn=before["turn"]) for name, value in form.items()}
        answer = Browser(hunted.table, hunted.people[1]).post(f"/games/{hunted.id}/moves", filled)
        assert answer.status_code == status, form
        assert 'role="alert"' in answer.text, form
        assert sentence.lower() in answer.text.lower(), form
        assert hunted.view() == before, form


def test_a_form_of_another_site_does_nothing(hunted: Playing):
    browser = Browser(hunted.table, hunted.people[1])
    move = choices(browser.get(f"/games/{hunted.id}").text)[0]
    before = hunted.view()
    for headers in ({"Sec-Fetch-Site": "cross-site"}, {"Origin": "https://example.net"}, {"X-No": "1"}):
        answer = browser.post(f"/games/{hunted.id}/moves", {"turn": before["turn"], "move": move}, **headers)
        assert (answer.status_code, hunted.view()) == (403, before), headers


def test_an_old_browser_says_with_origin_where_its_form_comes_from(hunted: Playing):
    browser = Browser(hunted.table, hunted.people[1])
    move = choices(browser.get(f"/games/{hunted.id}").text)[0]
    form = {"turn": hunted.view()["turn"], "move": move}
    assert browser.post(f"/games/{hunted.id}/moves", form, Origin="http://localhost").status_code == 303


PUBLIC = "https://play.example.org"


def test_with_a_public_url_a_form_comes_from_there_or_from_the_machine_itself(tmp_path: Path):
    hosts: tuple[dict[str, str], ...] = (
        {"Host": "play.example.org", "Origin": PUBLIC} | HERE,
        {"Host": "play.example.org", "Origin": PUBLIC},  # an old browser
        {"Host": "play.example.org", "Origin": "null"} | HERE,  # a proxy that adds a Referrer-Policy
        {"Host": "play.example.org:443"} | HERE,
        {"Host": "127.0.0.1:8000", "Origin": PUBLIC} | HERE,  # a proxy with a Host of its own
        {"Host": "localhost:8000", "Origin": "http://localhost:8000"} | HERE,  # beside the server, or through a tunnel
        {"Host": "[::1]:8000", "Origin": "http://[::1]:8000"},
    )
    for number, sent in enumerate(hosts):
        browser = Browser(Table(tmp_path / str(number), public_url=PUBLIC))  # guests are five of a network
        assert browser.post("/practice", {"role": "mr_x"}, **sent).status_code == 303, sent


def test_with_a_public_url_a_form_from_another_name_does_nothing_and_hears_where_to_go(tmp_path: Path):
    table = Table(tmp_path, public_url=PUBLIC)
    for sent in (
        {"Host": "evil.example", "Origin": "http://evil.example"} | HERE,
        {"Host": "evil.example", "Origin": "http://evil.example"},
        {"Host": "evil.example"} | HERE,
        {"Host": "127.0.0.1:8000", "Origin": "http://evil.example"} | HERE,
        {"Host": "play.example.org", "Origin": f"{PUBLIC}.evil.example"} | HERE,
        {"Host": "play.example.org", "Origin": f"{PUBLIC}:8443"} | HERE,
        {"Host": "play.example.org", "Origin": f"{PUBLIC}:port"} | HERE,
        {"Host": "play.example.org", "Origin": "http://play.example.org"},  # what came without TLS may be anybody's
        {"Host": "play.example.org", "Origin": "http://localhost:8000"},
        {"Host": "play.example.org"},
    ):
        answer = Browser(table).post("/practice", {"role": "mr_x"}, **sent)
        assert answer.status_code == 403, sent
        assert f"Open {PUBLIC}/ and try again there." in answer.text, sent


def test_a_private_game_is_the_page_of_one_that_does_not_exist(hunted: Playing):
    with hunted.table.app.app_context(), transaction():
        session.connection().exec_driver_sql("UPDATE games SET visibility = 'private'")
    stranger = Browser(hunted.table)
    hidden, missing = (stranger.get(f"/games/{game}") for game in (hunted.id, "a" * 16))
    assert hidden.status_code == missing.status_code == 404
    assert hidden.text.replace(hunted.id, "a" * 16) == missing.text
    assert stranger.get(f"/games/{hunted.id}/board.svg").status_code == 404
    assert "sign in" in hidden.text


def test_everybody_may_watch_a_public_game_and_sees_what_a_spectator_sees(hunted: Playing):
    page = Browser(hunted.table).get(f"/games/{hunted.id}")
    assert page.status_code == 200
    assert choices(page.text) == []
    drawn = Browser(hunted.table).get(f"/games/{hunted.id}/board.svg").text
    spectator = hunted.table.person("Zoe")
    assert spectator.get(f"/games/{hunted.id}/board.svg").text == drawn


def test_a_game_with_a_former_mr_x_is_shown_to_nobody_who_has_not_signed_in(hunted: Playing):
    zoe = hunted.table.person("Zoe")
    with hunted.table.app.app_context(), transaction():
        session.add(FormerHolder(game_id=hunted.id, player_id=zoe.id, role="mr_x"))
    anybody = Browser(hunted.table)
    assert [anybody.get(f"/games/{hunted.id}{part}").status_code for part in ("", "/board.svg")] == [404, 404]
    assert hunted.id not in anybody.get("/").text
    assert Browser(hunted.table, zoe).get(f"/games/{hunted.id}").status_code == 404
    assert Browser(hunted.table, hunted.people[1]).get(f"/games/{hunted.id}").status_code == 200


def test_every_page_of_a_game_is_missing_for_its_former_mr_x(hunted: Playing):
    zoe = hunted.table.person("Zoe")
    with hunted.table.app.app_context(), transaction():
        session.add(FormerHolder(game_id=hunted.id, player_id=zoe.id, role="mr_x"))
        code = session.get_one(Game, hunted.id).code
    browser, asked = Browser(hunted.table, zoe), 0
    for rule in hunted.table.app.url_map.iter_rules():
        if rule.endpoint.startswith("pages.") and "game_id" in rule.arguments:
            for method in sorted((rule.methods or set()) & {"GET", "POST"}):
                send = browser.get if method == "GET" else browser.post
                here, nowhere = (
                    send(rule.rule.replace("<game_id>", name).replace("<int:seat>", "2"))
                    for name in (hunted.id, "a" * 16)
                )
                assert (here.status_code, here.text.replace(hunted.id, "a" * 16)) == (404, nowhere.text), rule.rule
                asked += 1
            path = rule.rule.replace("<game_id>", hunted.id).replace("<int:seat>", "2")
            browser.post(path, {"code": code})
    assert asked > 6


def test_what_a_player_may_know_is_kept_by_no_cache(hunted: Playing):
    browser = Browser(hunted.table, hunted.people[0])
    spoken = "Cookie, Accept-Language"
    for path, vary in ((f"/games/{hunted.id}", spoken), (f"/games/{hunted.id}/board.svg", "Cookie"), ("/me", spoken)):
        answer = browser.get(path)
        assert (answer.headers["Cache-Control"], answer.headers["Vary"]) == ("no-store", vary), path


def test_the_page_of_a_finished_game_names_no_last_round(table: Table):
    game = table.dealt(2, "condensed")
    browser, limit = Browser(table, game.people[0]), re.compile(r"Round 1 of at most \d+")
    assert limit.search(browser.get(f"/games/{game.id}").text)
    game.people[0].post(f"/games/{game.id}/resign")
    for path in ("", "/log"):
        page = browser.get(f"/games/{game.id}{path}").text
        assert ("Round 1<" in page, limit.search(page)) == (True, None), path


def test_a_queued_move_is_shown_and_can_be_taken_back(hunted: Playing):
    cleo = hunted.people[2]
    browser = Browser(hunted.table, cleo)
    page = browser.get(f"/games/{hunted.id}").text
    assert "it is played when your turn comes" in page
    browser.post(f"/games/{hunted.id}/moves", {"turn": hunted.view()["turn"], "move": "red taxi 68"})
    sent = browser.get(f"/games/{hunted.id}").text
    assert "Sent ahead" in sent
    assert "Red goes by taxi to 68 when it is Red&#39;s turn." in sent
    assert ("You can send another move in its place." in sent, "press the button" in sent) == (True, False)
    browser.post(f"/games/{hunted.id}/ahead")
    assert "Sent ahead" not in browser.get(f"/games/{hunted.id}").text


def test_a_link_leads_a_player_to_a_seat_of_a_private_game(table: Table):
    ada, ben = table.people(2)
    host, guest = Browser(table, ada), Browser(table, ben)
    form = {"edition": "condensed", "players": "2", "seat": "mr_x", "others": "open", "visibility": "private"}
    path = host.post("/games", form).headers["Location"]
    page = host.get(path).text
    link = re.search(r"http://localhost(/join/\w+)", page)
    assert link is not None
    assert guest.get(path).status_code == 404
    assert guest.get(link[1]).status_code == 200
    answer = guest.post(link[1])
    assert answer.status_code == 303
    assert host.post(f"{path}/start").status_code == 303
    assert "Move Mr. X" in host.get(path).text


def test_bots_take_the_other_seats_of_a_new_game(table: Table):
    (ada,) = table.people(1)
    form = {"edition": "ravensburger-2000", "players": "3", "seat": "detective", "others": "bots"}
    answer = Browser(table, ada).post("/games", form)
    page = Browser(table, ada).get(answer.headers["Location"])
    assert "The bots are moving." in page.text
    assert '<noscript><meta http-equiv="refresh" content="3"></noscript>' in page.text


def test_a_wrong_form_is_shown_again_with_the_reason(table: Table):
    (ada,) = table.people(1)
    for wrong in ({"players": "9"}, {"edition": "chess"}, {"seat": "queen"}, {"visibility": "secret"}):
        form = {"edition": "condensed", "players": "3", "seat": "mr_x", "others": "open"} | wrong
        answer = Browser(table, ada).post("/games", form)
        assert (answer.status_code, 'role="alert"' in answer.text) == (422, True), wrong


def test_the_link_in_a_turn_mail_shows_a_stranger_what_a_stranger_sees(tmp_path: Path):
    table = Table(tmp_path, public_url="https://play.example.org")
    game = table.dealt(3)
    with table.app.app_context(), transaction():
        session.get_one(Game, game.id).visibility = "private"
    game.move(game.people[0])
    table.tick()
    (link,) = re.findall(r"https://play\.example\.org(/games/\w+)", text_of(game.people[1].mails[-1]))
    assert link == f"/games/{game.id}"
    forwarded = Browser(table).get(link)
    assert forwarded.status_code == 404
    assert Browser(table, game.people[1]).get(link).status_code == 200


def test_what_happened_is_told_oldest_first_in_whole_rounds_of_which_the_earlier_ones_are_folded(hunted: Playing):
    def rounds() -> list[tuple[int, list[str]]]:
        page = Browser(hunted.table).get(f"/games/{hunted.id}").text
        told = page.partition('class="happened"')[2].partition("</section>")[0]
        parts = re.split(r"<h3>Round (\d+)</h3>", told)[1:]
        return [
            (int(number), re.findall(r'<p data-number="\d+">(.*?)</p>', sentences))
            for number, sentences in zip(parts[::2], parts[1::2], strict=True)
        ]

    assert rounds() == [(1, ["Mr. X took a black ticket."])]
    for _ in range(3):
        hunted.play_round()
    assert [number for number, _ in rounds()] == [3, 2]
    hunted.move(hunted.people[0])
    found = rounds()
    assert [number for number, _ in found] == [3, 4, 2], "the last round, as far as it has come, with the one before"
    assert [len(sentences) for _, sentences in found] == [2, 1, 2]
    assert all(sentences[0].startswith("Mr. X took") for _, sentences in found)


def test_an_offer_of_a_draw_stands_in_the_round_in_which_it_was_made(hunted: Playing):
    Browser(hunted.table, hunted.people[1]).post(f"/games/{hunted.id}/draw", {"agrees": "yes"})
    hunted.play_round()
    hunted.move(hunted.people[0])
    page = Browser(hunted.table).get(f"/games/{hunted.id}").text
    told = page.partition('class="happened"')[2].partition("</section>")[0]
    assert told.index("Round 1") < told.index("offered a draw") < told.index("Round 2")


def test_the_log_tells_all_rounds_from_the_first_as_the_reader_may_know_them(hunted: Playing):
    for _ in range(3):
        hunted.play_round()
    mr_x, ben = (Browser(hunted.table, person) for person in hunted.people[:2])
    pages = {name: reader.get(f"/games/{hunted.id}/log").text for name, reader in (("x", mr_x), ("ben", ben))}
    for page in pages.values():
        assert re.findall(r"<h3>Round (\d+)</h3>", page) == ["1", "2", "3"]
        told = page.partition("<h3>Round 1</h3>")[2].partition("<h3>Round 2")[0]
        assert "Mr. X took a black ticket." in told
        assert "Purple" in told
    at = '<i><span class="unseen">at </span>100</i>'
    assert (at in pages["x"], at in pages["ben"]) == (True, False), "where he went first only he knows"
    linked = f'href="/games/{hunted.id}/log"'
    assert linked in ben.get(f"/games/{hunted.id}").text
    assert "Round 1<" not in ben.get(f"/games/{hunted.id}").text, "it stays as small as it was"


def test_his_start_in_mr_xs_own_log_is_marked_as_known_to_him_alone(table: Table):
    game = table.dealt(3)
    start = game.view(game.people[0])["pawns"]["mr_x"]["station"]
    his, bens = (Browser(table, person).get(f"/games/{game.id}/log").text for person in game.people[:2])
    assert f'At the start: Mr. X <i>at {start}</i><span class="unseen">, which only you know</span>; ' in his
    assert "At the start: Purple at " in bens


def lead(game: Playing, who: int) -> str:
    """Return what the page of a player says first, without its marks."""
    page = Browser(game.table, game.people[who]).get(f"/games/{game.id}").text
    return " ".join(re.sub("<[^>]+>", "", page.partition('class="lead">')[2].partition("</p>")[0]).split())


def test_a_page_begins_with_who_its_reader_is_and_who_is_to_move(table: Table):
    game = pairs(table)
    assert lead(game, 0).startswith("You are Mr. X. Purple (Ben) is to move.")
    assert lead(game, 1).startswith("It is your turn, Purple.")
    assert lead(game, 2).startswith("You are Green and Yellow. Purple (Ben) is to move. You can send your move now")
    moves = choices(Browser(table, game.people[2]).get(f"/games/{game.id}").text)
    for number, pawn in enumerate(("green", "yellow")):
        ahead = next(move for move in moves if move.startswith(pawn))
        game.people[2].post(f"{game.path}/moves", {"turn": game.turn, "notation": ahead})
        assert ("You can send your move now" in lead(game, 2)) == (number == 0)
    assert "Your move is sent, and played when your turn comes." in lead(game, 2)


def test_everybody_reads_that_mr_x_has_his_last_chance(table: Table):
    people = table.people(2)
    for late, then in (
        ("forfeit", "the game is over and the detectives have won"),
        ("vote", "the detectives are asked"),
    ):
        clock = {"kind": "per_phase", "mr_x": "PT1H", "detectives": "PT1H", "mr_x_late": late}
        game = table.game(people, "condensed", clock=clock)
        his, hers = (Browser(table, person) for person in people)
        assert "pass again" not in his.get(f"/games/{game.id}").text
        table.clock.turn(hours=1)
        table.tick()
        assert f"<p>Your time ran out once. If you let it pass again, {then}" in his.get(f"/games/{game.id}").text
        assert f"<p>Mr. X let his time pass once. If he does it again, {then}" in hers.get(f"/games/{game.id}").text
        game.move(game.people[0])
        assert "time pass once" not in hers.get(f"/games/{game.id}").text


def test_the_page_of_a_game_says_that_it_is_paused_and_until_when(hunted: Playing):
    path = f"/games/{hunted.id}"
    ben, cleo, *others = (Browser(hunted.table, person) for person in hunted.people[1:])
    ben.post(f"{path}/votes", {"kind": "pause", "number": "3", "unit": "days"})
    assert "The game is paused" not in ben.get(path).text
    (vote,) = re.findall(rf"{path}/votes/(\w+)", cleo.get(path).text)
    for voter in (cleo, *others):
        voter.post(f"{path}/votes/{vote}", {"for": "yes"})
    lead, clock = (
        ben.get(path).text.partition(f'class="{name}"')[2].partition("</p>")[0] for name in ("lead", "clock")
    )
    assert "The game is paused." in lead
    assert re.search(r"The pause ends <time .*?>\w+ \d+ \w+, \d\d:\d\d in London</time>", clock)
    assert "It is your turn, Purple" in lead
    hunted.table.clock.turn(days=3)
    assert "The game is paused" not in ben.get(path).text


def test_the_page_and_the_log_tell_what_the_operator_did_and_why_and_until_when_the_result_is_provisional(
    hunted: Playing,
):
    path, ben = f"/games/{hunted.id}", Browser(hunted.table, hunted.people[1])
    with hunted.table.app.app_context():
        remedies.extend(hunted.id, "P2D", "the mail of a provider is late")
        remedies.void(hunted.id, "The game was only a test.")
    for page in (ben.get(path).text, ben.get(f"{path}/log").text):
        assert "2 days more for these moves. The reason: &#34;the mail of a provider is late&#34;." in page
        assert "The operator ended the game. The reason: &#34;The game was only a test.&#34;<" in page
    for page in (ben.get(path).text, ben.get("/me/archive").text):
        told = r"The result is provisional, and becomes final <time \S+>\w+ \d+ \w+, \d\d:\d\d in London</time>\."
        assert re.search(told, page)
    assert "so until then the operator can undo it; then the travel log is opened." in ben.get(path).text


def test_a_pawn_that_is_moved_for_a_teammate_is_told_from_ones_own(hunted: Playing):
    _, ben, cleo, *_ = hunted.people
    path, says = f"/games/{hunted.id}", "Ben plays Purple. You may move for them."
    assert says not in Browser(hunted.table, cleo).get(path).text
    Browser(hunted.table, ben).post(f"{path}/cover", {"seat": "3"})
    assert says in Browser(hunted.table, cleo).get(path).text
    assert says not in Browser(hunted.table, ben).get(path).text


def test_who_opens_the_link_to_a_seat_when_none_is_free_is_told_so(hunted: Playing):
    ben, zoe = (Browser(hunted.table, person) for person in (hunted.people[1], hunted.table.person("Zoe")))
    code = hunted.view(hunted.people[0])["code"]
    join = f"/join/{code}"
    assert "You have a seat in this game." in ben.get(join).text
    page = zoe.get(join).text
    assert "This game has begun, and no seat of it is free." in page
    assert "Take a seat" not in page


def test_a_game_that_has_not_started_has_no_log_yet(table: Table):
    (ada,) = table.people(1)
    game = ada.post("/games", {"edition": "condensed", "seats": [{"role": "mr_x"}, {"role": "detective"}]}).json["id"]
    answer = Browser(table, ada).get(f"/games/{game}/log")
    assert (answer.status_code, answer.headers["Location"]) == (303, f"/games/{game}")


def test_a_host_without_a_seat_can_take_one_while_one_is_open(table: Table):
    ada, ben = table.people(2)
    seats = [{"role": "mr_x", "player": ben.id}, {"role": "detective"}]
    game = ada.post("/games", {"edition": "condensed", "seats": seats}).json["id"]
    host, path = Browser(table, ada), f"/games/{game}"
    assert f'href="{path}/seats">Take a seat' in host.get(path).text
    assert host.post(f"{path}/seats").status_code == 303
    assert "Take a seat" not in host.get(path).text
    assert "<small>Ada, you</small>" in host.get(path).text


def test_a_team_reads_whose_moves_are_not_sent_yet_and_nobody_else_does(table: Table):
    game = table.game(table.people(4), "ravensburger-2000")
    game.move(game.people[0])
    said = "No move yet from {}."
    dan = lead(game, 3)
    assert said.format("Cleo") in dan
    assert all("No move yet" not in lead(game, who) for who in (0, 1))
    cleo = game.people[2]
    first = next(move for move in choices(Browser(table, cleo).get(f"/games/{game.id}").text))
    assert game.move(cleo, first).status_code == 202
    assert "No move yet" not in lead(game, 3)
    assert said.format("Dan") in lead(game, 2)


def test_a_player_of_two_pawns_reads_which_of_them_has_not_moved_yet(table: Table):
    game = table.game(table.people(3), "ravensburger-2000")
    game.move(game.people[0])
    ben = game.people[1]
    awaited = []
    while due := sorted(set(game.view(ben)["to_move"]) & set(game.view(ben)["seats"][1]["pawns"])):
        assert lead(game, 1).startswith(f"It is your turn, {pawn_names(due)}.")
        awaited.append(due)
        game.move(ben, choices(Browser(table, ben).get(f"/games/{game.id}").text)[0])
        for person in game.people[2:]:
            game.move(person)
    assert len(awaited) == 2
