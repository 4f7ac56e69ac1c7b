"""No word of a page for players is left in English: in a language of wide letters there are no others."""

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest
from werkzeug.exceptions import default_exceptions

from server.application.operator import operators
from server.drawing import map_pictures, printing
from server.engine import Board
from server.models import Game, Player, session, transaction
from server.vocabulary import translation
from server.vocabulary.resources import templates
from server.vocabulary.translation import speaking
from server.web.problems import page_for_browser
from server.web.scripts import SAID
from tests import pseudo
from tests.pseudo import untranslated_in
from tests.scenes import chase, hunt
from tests.table import Person, Table
from tests.web.game.test_page import Browser
from tests.web.new_game.test_form import USUAL
from tests.web.test_accessibility import OPEN, OWN, paths_of

IN_ENGLISH = ("/docs/", "/dev", "{mail}", "/operator")  # pages of programmers and of the operator; guides
# Guides that are there in English only, and are said to be in English.
MARKED = re.compile(r'<(article|dt|dd) lang="en">.*?</\1>', re.DOTALL)
ERRORS = (400, 404, 405, 413, 415, 416)
# Names, and what is said; what is chosen among names of zones; words of tokens; addresses.
NAMES = {
    "Ada", "Ben", "Cleo", "Dan", "Eve", "Finn", "Hello", "Black", "Ticket", "Deutsch", "English", "Milton", "Bradley",
    "Ravensburger", "Firefox", "Linux", "Europe", "London", "UTC", "Foggy", "Thames", "Murky", "Strand",
    "first", "play", "read", "host", "admin",
}  # fmt: skip
ZONES = re.compile(r'<select name="zone".*?</select>', re.DOTALL)
ADDRESSES = re.compile(r"https?://[\w./]*|[\w.+-]+@[\w.-]+")
# A literal of a script: in words, if there is a capital and a blank in it.
LITERAL = re.compile(r'"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`')
CAPTURE = ("black 124", "purple taxi 115", "red underground 111", "green taxi 140", "yellow bus 124")
COMMENT = re.compile(r"(?:^|\s)//\s.*$", re.MULTILINE)


@pytest.fixture(autouse=True)
def _offered() -> Iterator[None]:
    with pseudo.offered():
        yield


def speak_all(table: Table, language: str = pseudo.CODE) -> None:
    """Let all players read a language, else that of wide letters; all games get one name."""
    with table.app.app_context(), transaction():
        session.query(Player).update({"language": language})
        session.query(Game).update({"name": "Foggy Thames"})


def browser_of(table: Table, person: Person | None, language: str = pseudo.CODE) -> Browser:
    browser = Browser(table, person)
    browser.client.environ_base["HTTP_ACCEPT_LANGUAGE"] = language
    return browser


def left(html: str) -> list[str]:
    """Return the words of a page that nobody could translate."""
    names = NAMES | pseudo.on_boards()
    shown = ADDRESSES.sub("", ZONES.sub("", MARKED.sub("", html)))
    return [word for word in untranslated_in(shown) if word not in names]


def test_no_word_of_a_page_is_left_in_english(tmp_path: Path):
    table = Table(tmp_path, dev_mail="yes")
    people = table.people(6)
    paths = paths_of(table, people)
    with table.app.app_context():
        operators.change(people[0].id, granted=False)  # whose pages have links to those of the operator
    found = {path: left(html) for path, html in pages_of(table, people, paths, pseudo.CODE).items()}
    assert {path: words for path, words in found.items() if words} == {}


def test_no_word_of_a_page_lacks_its_german(tmp_path: Path, caplog: pytest.LogCaptureFixture):
    table = Table(tmp_path, dev_mail="yes")
    people = table.people(6)
    translation.report.cache_clear()
    pages_of(table, people, paths_of(table, people), "de")
    assert [record.getMessage() for record in caplog.records if record.name == translation.__name__] == []


def pages_of(
    table: Table, people: list[Person], paths: dict[str, str], language: str
) -> dict[tuple[str, str | None], str]:
    """Return the pages for players as somebody unknown, the host and another player read them in a language."""
    speak_all(table, language)
    found = {}
    for who, wanted in ((None, OPEN), (people[0], OWN), (people[1], ("{running}", "{open}", "/tour"))):
        for path in wanted:
            if not path.startswith(IN_ENGLISH):
                page = browser_of(table, who, language).get(path.format(**paths))
                assert page.status_code in (200, 303, 404), path
                found[path, who and who.name] = page.text if page.status_code != 303 else ""
    return found


def test_no_word_of_a_page_on_which_something_is_done_or_refused_is_left_in_english(table: Table):
    game = hunt(table)
    ada, ben, cleo, *_ = game.people
    speak_all(table)
    host, his, hers = (browser_of(table, each) for each in (ada, ben, cleo))
    path, turn = f"/games/{game.id}", str(game.turn)
    made = host.post("/games", USUAL | {"players": "3", "visibility": "public"}).headers["Location"]
    pages = []

    def done(browser: Browser, where: str, **form: str) -> None:
        answer = browser.post(where, form)
        speak_all(table)
        if answer.status_code == 303:
            answer = browser.get(answer.headers["Location"])
        assert answer.status_code < 500, where
        pages.append((where, form, answer.status_code, left(answer.text)))

    done(his, f"{path}/moves", turn="1", move="purple taxi 1")
    done(his, f"{path}/moves", turn=turn, move="purple taxi 1")
    done(his, f"{path}/moves", turn=turn, move="")
    done(his, f"{path}/moves", turn=turn, move="purple taxi 115")
    done(hers, f"{path}/moves", turn=turn, move="red taxi 68")
    done(hers, f"{path}/ahead", pawn="red")
    done(hers, f"{path}/talk", text="Hello", to="team")
    done(hers, f"{path}/talk", text="", to="team")
    done(hers, f"{path}/draw", agrees="yes")
    done(hers, f"{path}/votes", kind="pause", number="3", unit="days")
    done(his, f"{path}/votes", kind="pause", number="-1", unit="weeks")
    done(his, f"{path}/cover", seat="3")
    done(his, f"{path}/resign")
    done(hers, "/me/vacation", begin="1", end="2")
    done(hers, "/me/zone", zone="London")
    done(hers, "/me/addresses", email="Hello")
    done(hers, "/me/mail", game=game.id, mail="daily", at="25")
    done(hers, "/me/delete", name="Ben")
    done(hers, "/me/tokens", name="play", scope_read="on", life="30")
    done(hers, "/me/tokens", name="play", scope_read="on", life="x")
    done(hers, "/me/blocks", who="")
    done(hers, f"{path}/draw")
    done(hers, f"{path}/votes/1", **{"for": "x"})
    done(hers, f"{path}/moves", move="red taxi 68")
    done(hers, f"{path}/leave", to_bot="x")
    done(hers, "/practice", role="99")
    done(hers, "/me/blocks", who="Hello")
    done(host, "/games", players="99")
    done(host, f"{made}/seats/2", who="Ben")
    done(his, made)
    done(host, f"{made}/seats/2/clear")
    done(host, f"{made}/seats/2", who="kim@example.org")
    done(host, f"{made}/seats/2", who="Hello")
    done(host, f"{made}/seats/2/link")
    done(host, f"{made}/start")
    done(host, f"{made}/seats/3", bot="constable")
    done(browser_of(table, None), "/sign-in", email="ada@example.org")
    done(browser_of(table, None), "/sign-in/code", code="12")
    done(browser_of(table, None), "/practice", role="mr_x")
    done(browser_of(table, None), "/friends", names="")
    for browser in (host, his, hers, browser_of(table, None)):
        pages += [(each, {}, 200, left(browser.get(each).text)) for each in (path, made)]
    assert [page for page in pages if page[-1]] == []


def test_a_value_that_no_form_offers_is_refused_in_german(table: Table):
    game = hunt(table)
    ada, _, cleo, *_ = game.people
    speak_all(table, "de")
    host, player, path = browser_of(table, ada, "de"), browser_of(table, cleo, "de"), f"/games/{game.id}"
    made = host.post("/games", USUAL).headers["Location"]
    for browser, where, form, sentence in (
        (player, f"{path}/draw", {}, "Wähle Ja oder Nein."),
        (player, f"{path}/votes", {"kind": "x"}, "Wähle pause oder resume oder extend oder clock, nicht „x“."),
        (player, f"{path}/votes", {"kind": "resume", "number": "3", "unit": "days"}, "Das gehört nicht zu"),
        (player, "/practice", {"role": "x"}, "Wähle eins davon."),
        (player, "/practice", {"level": "x"}, "Wähle eins davon: easy, fair, good; nicht „x“."),
        (player, "/me/blocks", {}, "Schreib den Namen oder die Adresse von jemandem."),
        (host, "/games", USUAL | {"detectives_late": "x"}, "Wähle deduction oder easy."),
        (host, "/games", USUAL | {"mr_x_late": "x"}, "Wähle forfeit oder vote."),
        (host, "/games", USUAL | {"cut_off": "{who}"}, "Die Option cut_off kann nicht '{who}' sein; richtig ist true"),
        (host, "/games", USUAL | {"turn_order": "x"}, 'richtig ist "seats", "fixed" oder "any".'),
        (host, f"{made}/guests", {"seats": "x"}, "„seats“ ist eins von none, detectives, any, nicht „x“."),
        (host, f"{made}/guests", {"seats": "any", "stay": "x"}, "„stay“ ist eins von P1D"),
        (host, f"{made}/seats/2", {"bot": "constable x"}, "Wähle eins davon: easy, fair, good; nicht „x“."),
        (host, f"{made}/seats/2", {"bot": "fugitive"}, "Für detective gibt es constable, nicht „fugitive“."),
    ):
        answer = browser.post(where, form)
        assert (answer.status_code, sentence in unescape(answer.text)) == (422, True), f"{where} {form}"


def test_no_word_of_the_page_of_an_error_is_left_in_english(table: Table):
    found = {}
    for status in ERRORS:
        asked = {"Accept": "text/html", "Accept-Language": pseudo.CODE}
        with table.app.test_request_context("/nowhere", headers=asked):
            table.app.preprocess_request()
            page = page_for_browser(default_exceptions[status]())
            assert page is not None
            assert page.status_code == status
            found[status] = left(page.get_data(as_text=True))
    assert {status: words for status, words in found.items() if words} == {}


def test_no_word_of_the_story_of_a_hunt_is_left_in_english(table: Table):
    game = chase(table)
    for person, move in zip(game.people, CAPTURE, strict=False):
        assert game.move(person, move).status_code == 201
    table.clock.turn(days=3)
    table.tick()
    speak_all(table)
    for who in (*game.people[:2], None):
        for path in ("", "/replay", "/replay?seat=2", "/log"):
            page = browser_of(table, who).get(f"/games/{game.id}{path}")
            assert (page.status_code, left(page.text)) == (200, []), path
        assert 'id="hunt"' in browser_of(table, who).get(f"/games/{game.id}").text


def test_no_word_of_a_picture_is_left_in_english(table: Table):
    game = chase(table)
    speak_all(table)
    with pseudo.drawings() as drawings:

        def load(*files: str) -> None:
            for who in (*game.people[:2], None):
                for file in files:
                    answer = browser_of(table, who).get(f"/games/{game.id}/{file}")
                    assert answer.status_code == 200, file
                    if answer.mimetype == "image/svg+xml":
                        drawings.append(answer.text)

        load("board.svg", "preview.png")
        for person, move in zip(game.people, CAPTURE, strict=False):
            assert game.move(person, move).status_code == 201
        table.clock.turn(days=3)
        table.tick()
        speak_all(table)
        load("board.svg", "preview.png", "replay.svg", "replay.png")
    with speaking(pseudo.CODE):
        for board in map(Board.named, Board.names()):
            drawings += [printing.svg(board), *(map_pictures.drawing(board, style) for style in map_pictures.STYLES)]
    assert pseudo.undrawn(drawings) - NAMES == set()


def test_no_script_says_a_sentence_of_its_own():
    texts = [path.read_text() for path in (templates() / "web" / "scripts").glob("*.js")]
    literals = [each for text in texts for each in LITERAL.findall(SAID.sub("", COMMENT.sub("", text)))]
    said = [re.sub(r"\$\{.*?\}", "", each) for each in literals]
    assert [each for each in said if re.search(r"\b[A-Z][a-z]+ |[a-z]{2}[.?!]\W?$", each)] == []
    assert len(said) > 300
