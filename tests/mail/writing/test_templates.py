"""Every mail we send: its words, and what must never stand in it.

UPDATE_GOLDEN=1 writes the golden files anew; look at the difference before you believe it.
"""

import ast
import os
import random
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from server.engine import Edition
from server.language.forms import COMMANDS
from server.language.grammar import is_command_line, parse
from server.mail.reading.message import read
from server.mail.reading.quoting import MARKER
from server.models import Player, session, transaction
from server.vocabulary.translation import ENGLISH, speaking
from tests.language.subjects import is_command_subject
from tests.mail.album import SITE, album
from tests.mail.wrapped import commands_in
from tests.profiles import IS_CAMPAIGN
from tests.rows import for_each
from tests.scenes import CHASE, KEY, chase_announced, html_of, quiet, shown, text_of, write, written_out
from tests.table import Person, Table

GOLDEN = Path(__file__).parents[1] / "golden"
TEMPLATES = Path(__file__).parents[3] / "templates" / "mail"
CODE_OF_MAILS = Path(__file__).parents[3] / "server" / "mail"
# Of these the HTML is kept too; it is made from the text, so that of the others it is known by that.
WITH_HTML = (
    "turn-on-go", "turn-mr-x", "turn-two-pawns", "reminder-two-games", "talk", "invitation-stranger", "code", "ended",
    "advice-help", "answer-mr-x-moved", "substituted", "vote-clock", "moved", "digest", "digest-two-games",
)  # fmt: skip
# These are kept as a server with a PUBLIC_URL sends them too, which adds links to pages.
LINKED = (
    "turn-on-go", "turn-mr-x", "turn-two-pawns", "reminder", "moved", "returned", "answer-held", "answer-stopped",
    "answer-words-kept",
    "answer-moved", "answer-mr-x-moved", "digest", "vote", "invitation", "invitation-stranger", "stranger-play",
    "welcome", "code", "sign_in", "substituted", "ended",
)  # fmt: skip
LINKS = {"mailto:turn%2B@localhost", "cid:board", "cid:surroundings"}  # without the tokens of reply addresses
_MOVE_OF_DETECTIVE = re.compile(r"(?:Purple|Red|Green|Yellow|Blue)\s+to\s+\d+")  # everybody knows it
PREVIEW = 200  # characters that a mail program shows of a mail before it is opened


Albums = Callable[..., dict[str, Any]]
LANGUAGES = pytest.mark.parametrize("language", [ENGLISH, "de"])
SITES = pytest.mark.parametrize("site", [None, SITE])


@pytest.fixture(scope="module")
def albums(tmp_path_factory: pytest.TempPathFactory) -> Albums:
    """Return what makes the mails of a language, those of a server with or without an address of its own."""

    @cache
    def made(language: str = ENGLISH, site: str | None = None) -> dict[str, Any]:
        mails = album(tmp_path_factory.mktemp("album"), site, language)
        if os.environ.get("UPDATE_GOLDEN"):
            write_golden(mails, language, site)
        return mails

    return made


@pytest.fixture(scope="module")
def mails(albums: Albums) -> dict[str, Any]:
    return albums()


def write_golden(mails: dict[str, Any], language: str, site: str | None) -> None:
    files = folder(language, site)
    for old in files.glob("*.*"):
        old.unlink()
    for title in LINKED if site else mails:
        (files / f"{title}.txt").write_text(written_out(mails[title]), encoding="utf-8")
    for title in () if site else WITH_HTML:
        (files / f"{title}.html").write_text(html_of(mails[title]), encoding="utf-8")


def folder(language: str = ENGLISH, site: str | None = None) -> Path:
    own = GOLDEN if language == ENGLISH else GOLDEN / language
    return own / "linked" if site else own


@cache
def golden(language: str = ENGLISH, site: str | None = None) -> dict[str, str]:
    return {path.stem: path.read_text(encoding="utf-8") for path in folder(language, site).glob("*.txt")}


# Words ----------------------------------------------------------------------------------------


@LANGUAGES
def test_a_mail_reads_as_its_golden_file(albums: Albums, language: str):
    assert {title: written_out(mail) for title, mail in albums(language).items()} == golden(language)


@LANGUAGES
def test_a_mail_with_links_to_pages_reads_as_its_golden_file(albums: Albums, language: str):
    mails = albums(language, SITE)
    assert {title: written_out(mails[title]) for title in LINKED} == golden(language, SITE)


@for_each("kind", sorted(path.name for path in TEMPLATES.iterdir() if path.is_dir()))
def test_every_kind_of_mail_has_a_golden_file(kind: str):
    assert any(title == kind or title.startswith(f"{kind}-") for title in golden())


# A text that an output chooses or joins to another, and one that goes on behind a tag.
_CHOSEN = re.compile(r'\{\{(?=[^}]*(?:\bif\b|~))[^}]*?"([^"}]*[a-z][^"}]*)"[^}]*\}\}')
_GOES_ON = re.compile(r"%\} ?([,;a-z].*)")
_LINE = re.compile(r"(\{\{ public \}\})?(\{\{[^}]*\}\}|\{%-? [^%]*%\}[^%]*)")  # one output, or one tag and its text


def test_what_a_template_chooses_is_whole_sentences_or_whole_lines():
    pieces = {path.relative_to(TEMPLATES): list(_pieces(path)) for path in TEMPLATES.rglob("*.txt")}
    assert {path: found for path, found in pieces.items() if found} == {}


_TRANS = re.compile(r"\{%-? (?:trans[^%]*|endtrans) -?%\}")  # around what is whole, as it is translated


def _pieces(template: Path) -> Iterator[str]:
    for line in _TRANS.sub("", template.read_text(encoding="utf-8")).split("\n"):
        if _LINE.fullmatch(line) is None:
            yield from (text for text in _CHOSEN.findall(line) if not (text[0].isupper() and text[-1] in ".:?"))
            yield from _GOES_ON.findall(line)


def test_nor_does_the_code_choose_a_piece_of_a_sentence():
    code = [path for folder in ("mail", "wording") for path in (CODE_OF_MAILS.parent / folder).rglob("*.py")]
    pieces = {path.name: list(_chosen_pieces(ast.parse(path.read_text(encoding="utf-8")))) for path in code}
    pieces.pop("mime.py")  # words of header fields
    assert {name: found for name, found in pieces.items() if found} == {}


def _chosen_pieces(tree: ast.AST) -> Iterator[str]:
    """Yield the words that an f-string chooses between: `{'are' if several else 'is'}`."""
    values = [node.value for node in ast.walk(tree) if isinstance(node, ast.FormattedValue)]
    choices = [part for value in values if isinstance(value, ast.IfExp) for part in (value.body, value.orelse)]
    constants = (node.value for choice in choices for node in ast.walk(choice) if isinstance(node, ast.Constant))
    return (text for text in constants if isinstance(text, str) and re.search("[a-z]{2}", text))


def test_every_reply_is_given_by_a_command():
    replies = TEMPLATES / "answer" / "replies"
    code = "".join(path.read_text() for path in CODE_OF_MAILS.rglob("*.py"))
    code += "".join(path.read_text() for path in replies.glob("*.txt"))
    unused = [path.stem for path in replies.glob("*.txt") if not re.search(rf"[\"/]{path.stem}(?:\.txt)?\"", code)]
    assert unused == []


def test_no_line_is_longer_than_a_terminal_is_wide(mails: dict[str, Any]):
    lines = [line.strip() for mail in mails.values() for line in text_of(mail).splitlines() if len(line) > 76]
    assert [line for line in lines if " " in line or not line.startswith("mailto:")] == []


def test_a_question_has_at_most_45_words_before_its_links_and_the_mail_of_a_move_that_waits_40(mails: dict[str, Any]):
    words = {}
    for title, mail in mails.items():
        before, link, _ = re.sub(r"\s+", " ", text_of(mail)).partition(": mailto:")
        if link:
            words[title] = len(before.partition(MARKER)[2].rpartition(" - ")[0].split())
    assert {title: number for title, number in words.items() if number > 45} == {}
    assert 0 < words["answer-held"] <= 40
    assert len(words) > 20


def test_the_first_line_of_a_mail_that_can_be_answered_has_the_marker(mails: dict[str, Any]):
    unmarked = {title for title, mail in mails.items() if MARKER not in text_of(mail).splitlines()[0]}
    assert {title.split("-")[0] for title in unmarked} == {
        "address",
        "alert",
        "code",
        "forwarded",
        "sign_in",
        "tried",
        "webhook",
    }


def test_help_names_every_command_that_is_offered_and_no_other(mails: dict[str, Any]):
    told = {form.name for form in COMMANDS if f'"{form.syntax}"' in text_of(mails["advice-help-all"])}
    assert told == {form.name for form in COMMANDS}


# The same as HTML -------------------------------------------------------------------------------


@LANGUAGES
def test_the_html_of_a_mail_reads_as_its_golden_file(albums: Albums, language: str):
    for title in WITH_HTML:
        expected = (folder(language) / f"{title}.html").read_text(encoding="utf-8")
        assert html_of(albums(language)[title]) == expected, title


@LANGUAGES
def test_every_mail_says_the_same_as_html_word_for_word(albums: Albums, language: str):
    for title, mail in albums(language).items():
        text = text_of(mail)
        for opening, closing, by_mail in (('"', '"', "by mail"), ("„", "“", "per Mail")):
            label = f"[^{opening}{closing}]+"  # which HTML has, and a move in quotation marks
            text = re.sub(rf"{opening}({label}){closing}:\s+mailto:\S+body=[A-Z]\S+", rf"\1 ({by_mail})", text)
            text = re.sub(rf"({opening}{label}{closing}):\s+mailto:\S+", rf"\1 ({by_mail})", text)
        words = [word for word in text.split() if word != "-"]
        assert [word for word in shown(mail).split() if word != "*"] == words, title


@pytest.mark.parametrize(
    ("language", "choice"),
    [
        (ENGLISH, "by (?:taxi|bus|underground|black|ferry)[^<]* to .*?"),
        ("de", "mit (?:dem|der|einem) (?:Taxi|Bus|U-Bahn|Black Ticket|Fähre) nach .*?"),
    ],
)
def test_each_move_that_a_mail_lists_is_a_link(albums: Albums, language: str, choice: str):
    listed = 0
    for title, mail in albums(language).items():
        for item in re.findall(rf"<li[^>]*>({choice})</li>", html_of(mail)):
            stations = re.findall(r"\d+", re.sub(r"<[^>]*>", "", item).partition(" (")[0])
            links = [unquote(link) for link in re.findall(r'href="mailto:[^"]*&amp;body=([^"]*)"', item)]
            assert [move.split()[-1] for move in links] == stations, (title, item)
            listed += len(stations)
    assert listed > 100


def test_no_html_fetches_runs_or_hides_anything(mails: dict[str, Any]):
    for title, mail in mails.items():
        html = mail.get_body(("html",)).get_content()
        found = re.findall(r"<(?:script|link|iframe|object|form|input)\b|url\(|@import|display:|http", html)
        assert found == [], title
        targets = {target.partition("?")[0] for target in re.findall(r'(?:href|src)="([^"]*)"', html)}
        assert {re.sub(r"%2B\w+@", "%2B@", target) for target in targets} <= LINKS, title


# Nothing of ours is a command -------------------------------------------------------------------


def test_no_line_begins_like_the_next_mail_of_a_mailbox_in_one_file(mails: dict[str, Any]):
    """A program that keeps mails in one file changes such lines, and others take them for the end of the mail."""
    assert [title for title, mail in mails.items() if re.search("^From ", text_of(mail), re.MULTILINE)] == []


@LANGUAGES
@SITES
def test_no_line_of_a_golden_mail_is_a_command_however_it_is_wrapped(albums: Albums, language: str, site: str | None):
    mails = albums(language, site)
    assert {title: found for title, mail in mails.items() if (found := commands_in(text_of(mail)))} == {}


@LANGUAGES
@SITES
def test_nor_is_one_of_the_text_that_a_mail_program_makes_of_the_html(albums: Albums, language: str, site: str | None):
    """It is looked at in one mail of each kind, and in a campaign in all: its words are those of the text above."""
    mails = albums(language, site)
    of_kinds = {title.partition("-")[0]: title for title in mails}
    looked_at = mails.keys() if IS_CAMPAIGN else {*of_kinds.values(), *WITH_HTML}
    assert {title: found for title in looked_at if (found := commands_in(shown(mails[title])))} == {}


@LANGUAGES
def test_no_subject_is_a_command(albums: Albums, language: str):
    assert [mail["Subject"] for mail in albums(language).values() if is_command_subject(mail["Subject"])] == []


@LANGUAGES
def test_no_subject_of_ours_speaks_against_the_answer_to_it(albums: Albums, language: str):
    for text in ("taxi 46", "YES", "JA"):
        found = {title: parse([text], f"Re: {mail['Subject']}").free for title, mail in albums(language).items()}
        assert {title: free for title, free in found.items() if free} == {}


def test_the_check_itself_finds_a_command_that_wrapping_sets_free():
    assert commands_in("This sentence is long enough to be wrapped somewhere before its end, which is: taxi 46") >= {
        "taxi 46",
        "46",
    }
    assert commands_in("It may be wrapped right before the word that begins talk, and then\nsay so to everybody.")


QUOTES = ("> {}", ">{}", "| {}", "{}")


@LANGUAGES
@SITES
@pytest.mark.parametrize("most", [1, pytest.param(len(QUOTES), marks=pytest.mark.campaign)])
def test_a_mail_quoted_back_with_nothing_above_it_gives_no_command(
    albums: Albums, language: str, site: str | None, most: int
):
    """Each mail is quoted back in one way, and in a campaign in all."""
    for number, (title, mail) in enumerate(albums(language, site).items()):
        for quote in (QUOTES * 2)[number % len(QUOTES) :][:most]:
            quoted = "\n".join(quote.format(line) for line in text_of(mail).splitlines())
            for above in ("", "On Sun, 22 Nov 2026 at 18:00, Black Ticket <play@localhost> wrote:\n"):
                raw = f"From: ada@example.org\nSubject: Re: {mail['Subject']}\n\n{above}{quoted}\n".encode()
                reading = read(raw, marker=MARKER)
                assert parse(reading.lines, reading.subject).commands == (), (title, quote)


@LANGUAGES
def test_names_of_players_turn_no_line_into_a_command(tmp_path: Path, language: str):
    table = Table(tmp_path, secret_key=KEY)
    names = ("46", "HELP", "taxi 46", "don't say hello to us all", "Somebody with a name as wide, taxi 46", "SAY Yes")
    with speaking(language):
        host, *people = [table.person(name) for name in ("Ada", *(f"Guest{n}" for n in range(6)))]
    with table.app.app_context(), transaction():
        for person, new_name in zip(people, names, strict=True):
            session.get_one(Player, person.id).name = new_name
    seats = [{"role": "mr_x", "player": people[0].id}] + [{"role": "detective", "player": p.id} for p in people[1:]]
    host.post("/games", {"edition": "milton-bradley-1985", "seats": seats})
    table.tick()
    for person in people:
        person.reply("YES")
        table.tick()
    sent = [mail for _, mail in table.post.sent]
    assert len(sent) == 13
    assert {line for mail in sent for line in commands_in(text_of(mail))} == set()


@pytest.mark.parametrize(
    ("edition", "players", "seed", "most", "language"),
    [
        ("ravensburger-2000", 3, 2, 4, ENGLISH),  # Mr. X shows himself in the third round
        ("ravensburger-2000", 3, 2, 4, "de"),
        pytest.param("ravensburger-2000", 3, 2, 8, ENGLISH, marks=pytest.mark.campaign),
        pytest.param("condensed", 2, 5, 8, ENGLISH, marks=pytest.mark.campaign),
        pytest.param("milton-bradley-1985", 4, 1, 8, ENGLISH, marks=pytest.mark.campaign),
        pytest.param("ravensburger-2013", 6, 3, 8, ENGLISH, marks=pytest.mark.campaign),
        pytest.param("ravensburger-2013", 6, 3, 8, "de", marks=pytest.mark.campaign),
    ],
)
def test_no_mail_of_a_game_played_at_random_has_a_command_in_it(
    tmp_path: Path, edition: str, players: int, seed: int, most: int, language: str
):
    assert edition in Edition.names()
    table = Table(tmp_path, seed, secret_key=KEY, min_turn="PT1S")
    with speaking(language):
        people = table.people(players)
    game = table.game(people, edition)
    dice = random.Random(seed)
    asked = iter(dice.sample(range(1, 200), 100))
    for _ in range(most):
        table.tick()
        if game.view()["status"] != "running":
            break
        mover = game.mover()
        mover.reply(f"taxi {next(asked)}\nunderground {next(asked)}")
        write(mover, f"BOARD {next(asked)} {next(asked)}\nLEGAL\nTRY bus {next(asked)}")
        table.tick()
        mover.reply(dice.choice((f"black {next(asked)}", f"{next(asked)}", "double taxi 1 taxi 2", "Where am I?")))
        table.tick()
        if legal := game.legal(mover):  # none when one of the mails was a move after all
            assert game.move(mover, dice.choice(legal)).status_code in (201, 202)
        table.clock.turn(hours=dice.choice((1, 1, 37, 49)))
    table.tick()
    sent = [mail for _, mail in table.post.sent]
    assert {
        line: text_of(mail) for mail in sent for line in commands_in(text_of(mail)) | commands_in(shown(mail))
    } == {}
    assert [mail["Subject"] for mail in sent if is_command_subject(mail["Subject"])] == []
    assert not any(is_command_line(line) for mail in sent for line in mail.as_string().splitlines())
    assert len(sent) > 2.5 * most


# Where Mr. X is ---------------------------------------------------------------------------------


class World:
    """One of two games that look the same to everybody but Mr. X."""

    def __init__(self, folder: Path) -> None:
        self.table = Table(folder, secret_key=KEY, sandbox="1", min_turn="PT1S")
        self.table.blind_the_seal()
        self.game = self.table.game(self.table.people(6), position=CHASE)
        if not IS_CAMPAIGN:
            quiet(self.table, "Cleo", "Dan", "Eve")  # Ben and Finn hear what they would

    @property
    def mr_x(self) -> Person:
        return self.game.people[0]

    def station(self) -> int:
        return self.game.view(self.mr_x)["pawns"]["mr_x"]["station"]

    def moves(self) -> dict[str, list[str]]:
        """Return Mr. X's legal moves by the tickets they take, without opening his mails."""
        found: dict[str, list[str]] = {}
        for notation in self.game.legal(self.mr_x):
            found.setdefault(" ".join(word for word in notation.split() if not word.isdigit()), []).append(notation)
        return found


@pytest.fixture(scope="module")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> tuple[World, World]:
    """The same game twice, to its end; Mr. X lays down the same tickets and goes elsewhere."""
    dice = random.Random(11)
    pair = World(tmp_path_factory.mktemp("one")), World(tmp_path_factory.mktemp("other"))
    for laid in ("black", "taxi", "double taxi black"):
        one, other = (world.moves()[laid] for world in pair)
        chosen = dice.choice(one)
        unlike = [notation for notation in other if notation.split()[-1] != chosen.split()[-1]]
        for world, notation in zip(pair, (chosen, dice.choice(unlike)), strict=True):
            world.table.tick()
            world.mr_x.reply(f"taxi {world.station()}")  # not legal, and the answer says why
            world.table.tick()
            world.mr_x.reply(notation)
            world.table.tick()
            world.mr_x.reply("STATUS")
            world.table.tick()
        assert pair[0].station() != pair[1].station()
        # Nobody lands on either of the two, so that both games go on; who cannot is left to the house.
        taken = {world.station() for world in pair}
        for index in range(1, 6):
            reach = {int(move.split()[-1]): move for move in pair[0].game.legal(pair[0].game.people[index])}
            if index == 5 and not taken & set(reach):
                break
            notation = next(move for station, move in reach.items() if station not in taken)
            for world in pair:
                assert world.game.move(world.game.people[index], notation).status_code == 201
        for world in pair:
            world.table.clock.turn(hours=49)
            world.table.tick()
        assert [world.game.view()["status"] for world in pair] == ["running"] * 2
    while pair[0].game.view()["status"] == "running":  # and now he sleeps
        for world in pair:
            world.table.clock.turn(hours=37)
            world.table.tick()
    assert pair[0].game.view()["outcome"]["final"] is False
    return pair


def test_the_mails_of_everybody_else_are_the_same_bytes_wherever_mr_x_is(worlds: tuple[World, World]):
    sent = [[pair for pair in world.table.post.sent if pair[0] != world.mr_x.address] for world in worlds]
    for (to, mail), (also_to, other_mail) in zip(*sent, strict=True):
        assert to == also_to
        assert mail.as_bytes() == other_mail.as_bytes()
    assert len(sent[0]) > (30 if IS_CAMPAIGN else 10)


def test_no_preview_of_a_mail_to_mr_x_depends_on_where_he_is(worlds: tuple[World, World]):
    kinds = set()
    for mail, other_mail in zip(*(world.mr_x.mails for world in worlds), strict=True):
        assert mail["Subject"] == other_mail["Subject"]
        assert text_of(mail)[:PREVIEW] == text_of(other_mail)[:PREVIEW]
        assert shown(mail)[:PREVIEW] == shown(other_mail)[:PREVIEW]
        kinds.add(mail["Subject"].split("Mr. X")[-1])
    assert len(kinds) > 6


def test_no_mail_to_mr_x_names_a_station_of_his_in_its_preview(mails: dict[str, Any]):
    seen = {"100", "111", "112", "124"}  # where he stands and stood in the scenes
    for title, mail in mails.items():
        if mail["To"].startswith("Ada"):
            for text in (text_of(mail), shown(mail)):
                preview = _MOVE_OF_DETECTIVE.sub("", f"{mail['Subject']} {text[:PREVIEW]}")
                words = set(preview.replace(".", " ").replace(",", " ").split())
                assert words & seen == set(), title


def test_a_subject_never_repeats_the_one_that_was_received(table: Table):
    game = chase_announced(table)
    game.people[0].reply("taxi 110", Subject="Re: I am at 111 and go to 110")
    write(game.people[0], "status", Subject="I am at 111 and go to 110")
    table.tick()
    assert not any("I am" in mail["Subject"] or "11" in mail["Subject"] for mail in game.people[0].mails)


ANSWERS_TO_MOVES = ("answer-moved", "answer-mr-x-moved", "answer-kept", "answer-yes")
QUESTIONS = (
    "advice-did-you-mean", "advice-two-moves-for-one-pawn", "advice-unknown-sender", "answer-held", "answer-stopped",
    "answer-draw-asked", "answer-resign",
)  # fmt: skip


def test_an_answer_to_a_move_has_less_than_50_words_and_a_question_less_than_90(mails: dict[str, Any]):
    lengths = {title: len(text_of(mails[title]).split()) for title in (*ANSWERS_TO_MOVES, *QUESTIONS)}
    assert {title: n for title, n in lengths.items() if n >= (50 if title in ANSWERS_TO_MOVES else 90)} == {}


def test_an_answer_begins_with_the_answer(mails: dict[str, Any]):
    begins = {title: text_of(mails[title]).split("\n\n")[1].replace("\n", " ") for title in mails if "answer-" in title}
    assert begins["answer-moved"].startswith("Understood and played")
    assert begins["answer-mr-x-moved"] == "Your move is played."
    assert begins["answer-said-mr-x"].startswith("Said to all:")
    assert begins["answer-log-mr-x"] == "The travel log."
    assert begins["answer-resign"].startswith("Do you want to give the game up?")


def test_a_seal_stands_in_mails_that_show_the_game_and_in_the_answer_to_status_alone(mails: dict[str, Any]):
    sealed = {title for title, mail in mails.items() if "Seal, event" in text_of(mail) or "Seal of" in text_of(mail)}
    answers = {title for title in mails if mails[title]["Auto-Submitted"] == "auto-replied"}
    about_status = {title for title in answers if "answer-status" in title}
    assert about_status <= sealed
    assert sealed & answers <= about_status | {"advice-late"}, "which tells how the game stands now"
    assert {"turn-mr-x", "go", "ended"} <= sealed
    assert not {"talk", "vote", "decided", "resigned"} & sealed
