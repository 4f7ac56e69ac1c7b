"""Nothing that a player wrote is dropped without a word: what was not obeyed is quoted in the answer."""

import pytest

from server.language import grammar
from tests.mail.commands.test_dispatch import answer
from tests.mail.test_phrasings import forget, queued
from tests.scenes import pairs
from tests.table import Person, Playing, Table

# What Cleo says of Yellow beside a move of Green's, in forms that are not read.
FORMS = {
    "with a": "yellow with a taxi to 38",
    "a verb": "Yellow sails over to 38",
    "no station": "Yellow goes to the river",
    "a question": "should yellow go to 38?",
    "a condition": "yellow taxi 38 if Blue is gone",
    "later": "Yellow follows tomorrow",
    "two stations": "yellow 37 or 38",
    "staying": "Yellow stays",
    "German": "Gelb geht vielleicht mal nach 38 rüber",
    "French": "le jaune file gentiment jusqu'à la 38",
    "Spanish": "amarilla quizás hacia la 38 luego",
    "Dutch": "geel gaat straks misschien wel naar 38",
    "a misspelt command": "BOARD of yellow",
    "another's": "Blue could cover 38",
}
FRAMES = {
    "below": "green bus 46\n{}",
    "above": "{}\ngreen bus 46",
    "below a greeting": "Hi all!\n\ngreen bus 46\n{}\n\nThanks\nCleo",
    "beside a move that cannot be": "green bus 199\n{}",
    "beside two moves": "green bus 46\ngreen bus 63\n{}",
    "beside taking back": "green bus 46\nno, wait\n{}",
    "beside another command": "SET zone Europe/Paris\n{}",
    "beside a yes": "YES\n{}",
    "on one line": "Green bus 46, {}",
    "alone": "{}",
    "below a signature": "green bus 46\n\nBest regards\nCleo\n\nP.S. {}",
}
# Every second form in the first frame, and every frame with the first form; all of all in a campaign.
CASES = [
    pytest.param(
        frame.format(form),
        form,
        marks=[pytest.mark.campaign] * (kind != "with a" and (place != "below" or bool(number % 2))),
        id=f"{place}: {kind}",
    )
    for place, frame in FRAMES.items()
    for number, (kind, form) in enumerate(FORMS.items())
]
SMALL_TALK = ("Hi all!", "Thanks", "Cleo", "Best regards")


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Playing:
    game = pairs(Table(tmp_path_factory.mktemp("unread"), sandbox="1", min_turn="PT1S"))
    game.table.tick()
    return game


@pytest.fixture
def cleo(shared: Playing) -> Person:
    """Cleo, who moves Green and Yellow after Purple and Red; the others' moves are still to come."""
    person = shared.people[2]
    forget(shared, person)
    return person


def told(cleo: Person, text: str) -> str:
    """Return the one answer to a mail, which answers that of the turn."""
    turn = next(mail for mail in cleo.mails if "Reply-To" in mail and "Green" in mail["Subject"])
    before = len(cleo.mails)
    cleo.reply(text, to=turn)
    cleo.table.tick()
    (mail,) = cleo.mails[before:]
    return " ".join(mail.get_body(("plain",)).get_content().split())


@pytest.mark.parametrize(("text", "form"), CASES)
def test_what_came_of_no_line_is_quoted(shared: Playing, cleo: Person, text: str, form: str):
    said = told(cleo, text)
    moved = queued(shared)
    assert moved in ([], ["green bus 46"])
    is_held = "I play it" in said or "I play them" in said  # the moves that its words may well mean
    assert is_held or is_quoted(form, said)
    if not moved and not is_held and "SET" not in text:  # asked or refused
        lines = [line.removeprefix("P.S. ") for line in text.splitlines() if line not in ("", *SMALL_TALK)]
        assert [line for line in lines if not is_quoted(line, said)] == []


def is_quoted(line: str, said: str) -> bool:
    """Return True if an answer quotes a line: whole, in its parts, or the words behind the command that it is."""
    command, _, words = line.partition(" ")
    behind = f'{command} is a command, but "{words}" cannot follow'
    return all(part.lower() in said.lower() for part in line.split(", ")) or behind in said


def test_with_the_ticket_is_by_the_ticket():
    for text in (
        "yellow with the taxi to 38", "yellow with taxi to 38", "yellow to 38 with the taxi", "yellow with my taxi 38"
    ):  # fmt: skip
        moves = [command.move.canonical() for command in grammar.parse(["green bus 46", text]).commands if command.move]
        assert moves == ["green bus 46", "yellow taxi 38"], text


def test_every_form_is_among_the_lines_that_the_answer_can_quote():
    for place, frame in FRAMES.items():
        for form in FORMS.values():
            parsed = grammar.parse(frame.format(form).splitlines())
            lines = (*parsed.unread, *(line.text for line in parsed.free))
            assert any(form in line for line in lines), (place, form)


def test_a_correction_of_two_moves_asks_about_both(shared: Playing, cleo: Person):
    said = told(cleo, "Hi, sorry! I meant:\ngreen to 46 by bus\nyellow with the taxi to 38")
    assert 'I read "green bus 46" and "yellow taxi 38", and above it "Hi, sorry! I meant:".' in said
    assert queued(shared) == []


def test_a_pawn_that_can_move_does_not_stay(shared: Playing, cleo: Person):
    said = told(cleo, "green bus 46\nYellow stays")
    assert "Yellow cannot stay" in said
    assert "Nothing was done yet" in said
    assert queued(shared) == []
    answer(cleo, "YES")
    assert queued(shared) == ["green bus 46"]


def test_somebody_elses_pawn_may_be_said_to_stay(shared: Playing, cleo: Person):
    assert '"Purple stays"' in told(cleo, "green bus 46\nPurple stays")
    assert queued(shared) == ["green bus 46"]


def test_what_people_write_by_the_way_is_not_quoted_beside_a_move(shared: Playing, cleo: Person):
    said = told(cleo, "green bus 46\n\nWhat a week, the children are ill.\n\nBest regards\nCleo Green\n12 Baker Street")
    assert "I did not understand" not in said


def test_of_many_lines_eight_are_quoted_and_the_others_counted(shared: Playing, cleo: Person):
    said = told(cleo, "green bus 46\n" + "\n".join(f"yellow drifts {word}" for word in "abcdefghijk"))
    assert '"yellow drifts i" and two more' in said


def test_the_parser_returns_what_it_did_not_read():
    text = "Hello all,\nlook at 46\ntaxi 46\nred hops over\nSTATUS\nbest regards\nBob\n46 Mill Lane"
    assert grammar.parse(text.splitlines()).unread == ("look at 46", "red hops over")


def test_a_line_wrapped_off_a_quote_is_not_the_players():
    assert grammar.parse(["taxi 46", "red and"], wrapped_off=["red and"]).unread == ()


def test_a_move_below_a_line_that_takes_the_first_one_back_is_quoted(shared: Playing, cleo: Person):
    said = told(cleo, "green bus 46\nno wait\nyellow taxi 37")
    assert queued(shared) == []
    for line in ("green bus 46", "no wait", "yellow taxi 37"):
        assert f'"{line}"' in said


@pytest.mark.parametrize("above", ["Sorry, was ill.", "Was ill, the budgerigar too!"])
def test_a_move_that_is_refused_for_its_own_reason_is_given_no_other(shared: Playing, cleo: Person, above: str):
    for text in (f"{above} Green bus to 199 please!", f"{above}\ngreen bus 199"):
        said = told(cleo, text)
        assert "no line joins it to 199" in said, text
        assert "So nothing came of" not in said, text
        assert f'Nothing came of "{text.splitlines()[-1].removeprefix(above).strip()}" either.' in said, text
    assert queued(shared) == []
