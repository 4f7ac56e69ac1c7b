"""Our own mails come back quoted as every program quotes them: what the player wrote is found, and nothing of ours."""

import re
import textwrap
from collections.abc import Callable, Sequence
from functools import cache
from html import escape, unescape
from pathlib import Path

import inscriptis
from hypothesis import given
from hypothesis import strategies as st

from server.language.grammar import Parsed, parse
from server.mail.reading.message import read
from server.mail.reading.quoting import MARKER
from tests.mail.reading.introductions import APPLE, GMAIL, ORIGINAL, OTHERS, OUTLOOK, THUNDERBIRD
from tests.profiles import HALF

Quote = Callable[[Sequence[str], str, int], list[str]]
GOLDEN = Path(__file__).parents[1] / "golden"
ANSWERS = ("taxi 46", "Bus to 58.", "red taxi 46\nblue bus 34", "SAY he is south of the river\ntaxi 46", "YES", "LEGAL")
# What stands above our first line: introductions are known by themselves, see the tests of reading.
INTRODUCTIONS = [
    "",
    *(text for table in (GMAIL, APPLE, THUNDERBIRD, OTHERS) for text in table.values()),
    *(f"-----{text}-----" for text in ORIGINAL.values()),
]
ADDRESS = "turn+0123456789abcdef@localhost"
SENDER = {"s": f"Black Ticket <{ADDRESS}>", "n": "Black Ticket", "a": ADDRESS}
MARKS = ("> ", ">", "| ", "BT> ", ">> ", "=> ", "~>", "* > ", "}")


@cache
def texts() -> dict[str, list[str]]:
    """The text of every mail that can be answered, by name."""
    found = {path.stem: path.read_text("utf-8").partition("\n\n")[2].splitlines() for path in GOLDEN.glob("*.txt")}
    return {name: lines for name, lines in sorted(found.items()) if MARKER in lines[0]}


@cache
def pages() -> dict[str, str]:
    """The body of every mail that is kept as HTML, by name."""
    found = {path.stem: path.read_text("utf-8") for path in GOLDEN.glob("*.html")}
    bodies = {name: re.split(r"<body[^>]*>|</body>", page)[1] for name, page in sorted(found.items())}
    return {name: body for name, body in bodies.items() if MARKER in body}


def obeyed(body: str, kind: str = "plain") -> Parsed:
    head = f"From: ada@example.org\nSubject: Re: your move\nContent-Type: text/{kind}; charset=utf-8\n"
    reading = read(f"{head}\n{body}\n".encode(), marker=MARKER)
    assert reading.problem is None
    return parse(reading.lines, reading.subject, wrapped_off=reading.wrapped_off)


def check(found: Parsed, answer: str) -> None:
    """Nothing but the answer is obeyed, and nothing is taken for other words of the player."""
    assert found == Parsed(parse(answer.splitlines()).commands)


# Text -----------------------------------------------------------------------------------------------


def as_it_is(lines: Sequence[str], mark: str, _width: int) -> list[str]:
    return [f"{mark}{line}".rstrip() for line in lines]


def filled(lines: Sequence[str], mark: str, width: int) -> list[str]:
    """Each line wrapped, and every piece of it marked."""
    return as_it_is([piece for line in lines for piece in textwrap.wrap(line, width - 3) or [""]], mark, width)


def run_together(lines: Sequence[str], mark: str, width: int) -> list[str]:
    """Paragraphs put together and wrapped anew."""
    paragraphs = "\n".join(lines).split("\n\n")
    return as_it_is([piece for text in paragraphs for piece in [*textwrap.wrap(text, width - 3), ""]], mark, width)


def broken(lines: Sequence[str], mark: str, width: int) -> list[str]:
    """Marked, and then wrapped: what falls out of a line has no mark. The last line is too short for that."""
    marked = as_it_is([*lines, ""], mark, width)
    return [piece for line in marked for piece in textwrap.wrap(line, width, break_long_words=False) or [""]]


def introduced(introduction: str, width: int) -> list[str]:
    lines = introduction.format(**SENDER).split("|")
    return [piece for line in lines for piece in textwrap.wrap(line, width, break_on_hyphens=False)]


quoted = st.sampled_from([as_it_is, filled, run_together, broken])
widths = st.integers(56, 100)
answers = st.sampled_from(ANSWERS)
marks = st.sampled_from(MARKS)
marks_or_none = st.sampled_from([*MARKS, ""])
above_quotes = st.sampled_from([*GMAIL.values(), *THUNDERBIRD.values()])


@HALF
@given(st.data(), answers, quoted, widths, marks_or_none, st.sampled_from(INTRODUCTIONS))
def test_an_answer_above_a_mail_of_ours_is_found_and_nothing_of_ours(
    data: st.DataObject, answer: str, quote: Quote, width: int, mark: str, introduction: str
):
    lines = texts()[data.draw(st.sampled_from(list(texts())))]
    below = [*introduced(introduction, width), "", *quote(lines, mark, width)]
    check(obeyed("\n".join([answer, "", *below])), answer)
    assert obeyed("\n".join(below)) == Parsed()


@HALF
@given(st.data(), answers, quoted, widths, marks, above_quotes)
def test_an_answer_below_or_in_the_middle_of_a_marked_mail_is_found(
    data: st.DataObject, answer: str, quote: Quote, width: int, mark: str, introduction: str
):
    lines = texts()[data.draw(st.sampled_from(list(texts())))]
    above = [*introduced(introduction, width), *quote(lines, mark, width)]
    check(obeyed("\n".join([*above, "", answer])), answer)
    if quote is not broken:  # what fell out of a line below the answer would end it, as it should
        at = data.draw(st.integers(1, len(lines)))
        middle = [*quote(lines[:at], mark, width), "", answer, "", *quote(lines[at:], mark, width)]
        check(obeyed("\n".join([*introduced(introduction, width), *middle])), answer)


# HTML -----------------------------------------------------------------------------------------------

VALUES = ("Black Ticket &lt;turn@localhost&gt;", "24.11.2026 18:00", "ben@example.org", "x")  # from, sent, to, subject
HEAD = "<br>".join(f"<b>{{{number}}}:</b> {value}" for number, value in enumerate(VALUES))
INTRODUCTION = escape(GMAIL["en"].format(**SENDER))
PAGES = {
    "gmail": f'<div dir="ltr">{{answer}}</div><br><div class="gmail_quote"><div class="gmail_attr">{INTRODUCTION}</div>'
    '<blockquote class="gmail_quote">{ours}</blockquote></div>',
    "gmail without a quotation": f'<div>{{answer}}</div><div class="gmail_quote">{INTRODUCTION}<br>{{ours}}</div>',
    "apple": '{answer}<div><br><blockquote type="cite">{ours}</blockquote></div>',
    "thunderbird": f'<p>{{answer}}</p><div class="moz-cite-prefix">{INTRODUCTION}</div>'
    '<blockquote type="cite">{ours}</blockquote>',
    "outlook on the web": '<div>{answer}</div><hr><div id="divRplyFwdMsg">{head}</div><div>{ours}</div>',
    "outlook": '<div class="WordSection1"><p>{answer}</p><div style="border:none;border-top:solid #E1E1E1 1.0pt">'
    '<p class="MsoNormal">{head}</p></div>{ours}</div>',
    "a head and nothing else": "<div>{answer}</div><div>{head}</div>{ours}",
    "nothing at all": "<div>{answer}</div>{ours}",
    "proton": f'<div>{{answer}}</div><div class="protonmail_quote">{INTRODUCTION}<br>'
    "<blockquote>{ours}</blockquote></div>",
    "yahoo": '<div>{answer}</div><div id="ydp1yahoo_quoted_1" class="ydp1yahoo_quoted">{ours}</div>',
    "a table": "<table><tr><td>{answer}</td></tr></table><table><tr><td>{ours}</td></tr></table>",
}


@HALF
@given(st.data(), answers, st.sampled_from(list(PAGES)), st.sampled_from(list(OUTLOOK.values())))
def test_an_answer_above_the_html_of_a_mail_of_ours_is_found_and_nothing_of_ours(
    data: st.DataObject, answer: str, program: str, labels: str
):
    ours = pages()[data.draw(st.sampled_from(list(pages())))]
    head = HEAD.format(*labels.split("|"))
    page = PAGES[program]
    check(obeyed(page.format(answer=answer.replace("\n", "<br>"), ours=ours, head=head), "html"), answer)
    assert obeyed(page.format(answer="", ours=ours, head=head), "html") == Parsed()


def stripped(page: str) -> str:
    """Convert HTML as the plainest converters do: an end of a block ends the line, and tags are left out."""
    return re.sub(r"<[^>]+>", "", re.sub(r"<br>|</(?:p|div|li|h\d)>", "\n", page.replace("\n", " ")))


def starred(page: str) -> str:
    """Convert HTML as converters to Markdown do."""
    bold = re.sub(r'<span class="heading"[^>]*>(.*?)</span>', r"**\1**", page)
    return stripped(re.sub(r"<li[^>]*>", "* ", bold))


def linked(form: str) -> Callable[[str], str]:
    """Return a converter that writes each link with its address: a move of ours is one that writes a mail."""
    return lambda page: unescape(stripped(re.sub(r'<a [^>]*href="([^"]*)"[^>]*>(.*?)</a>', form, page)))


def footnoted(page: str) -> str:
    """Convert HTML as terminal programs do: the addresses of links stand below, each with a number."""
    found: list[str] = []

    def numbered(link: re.Match[str]) -> str:
        found.append(unescape(link[1]))
        return f"[{len(found)}]{link[2]}"

    text = unescape(stripped(re.sub(r'<a [^>]*href="([^"]*)"[^>]*>(.*?)</a>', numbered, page)))
    return "\n".join([text, "", "References", "", *(f"{number}. {url}" for number, url in enumerate(found, 1))])


LINKED = [linked(form) for form in (r"\2 &lt;\1>", r"\2&lt;\1>", r"[\2](\1)", r"\2 (\1)", r"\2 [\1]", r"\1")]
converters = st.sampled_from([inscriptis.get_text, stripped, starred, footnoted, *LINKED])


@HALF
@given(st.data(), answers, converters, quoted, widths, marks_or_none)
def test_an_answer_above_the_text_that_a_program_makes_of_our_html_is_found(
    data: st.DataObject, answer: str, convert: Callable[[str], str], quote: Quote, width: int, mark: str
):
    ours = convert(pages()[data.draw(st.sampled_from(list(pages())))]).splitlines()
    below = ["", *introduced(GMAIL["en"], width), "", *quote(ours, mark, width)]
    check(obeyed("\n".join([answer, *below])), answer)
    assert obeyed("\n".join(below)) == Parsed()
