"""Photograph the mails of docs/images/mails in Chromium, on a phone and on a desktop, light and dark.

The mails are those of the golden files, with the pictures of the board drawn. Run it after a change of the mails, from
the repository: `.venv/bin/python -m docs.images.photograph_mails`, with the names of pictures if not all are wanted.
Those that the German guide shows are taken in German too.
"""

import base64
import io
import sys
import tempfile
from collections.abc import Collection
from pathlib import Path
from typing import Any

from PIL import Image

from server.vocabulary.translation import ENGLISH
from tests import scenes
from tests.mail import album
from tests.web import chromium

FOLDER = Path(__file__).parent / "mails"
PHONE, DESKTOP = 390, 800  # pixels across
TALLEST = 844  # pixels: the screen of a phone
COLOURS = 160
LARGEST = 100_000  # bytes of a picture
BACKGROUND = {"light": "#fff", "dark": "#121212"}  # of mail programs
# Each picture, and the golden file of the mail in it.
MAILS = {
    "turn": "turn-ahead",
    "turn-mr-x": "turn-mr-x",
    "reminder": "reminder",
    "question": "advice-two-moves-for-one-pawn",
    "end": "ended",
    "story": "answer-replay-final",
    "invitation": "invitation-stranger",
    "welcome": "welcome",
    "digest": "digest",
}
WIDE = "turn-wide"
WITHOUT_PICTURES = "turn-without-pictures"
NAMES = {*MAILS, WIDE, WITHOUT_PICTURES}
IN_GERMAN = {"turn", "turn-mr-x", "reminder", "question", "end", "digest"}
BY_LANGUAGE = {ENGLISH: NAMES, "de": IN_GERMAN}
TALK = "Who can cover 113?"
TALK_BY_LANGUAGE = {ENGLISH: TALK, "de": "Wer passt auf 113 auf?"}  # what players say is not translated


def page_of(mail: Any, *, has_pictures: bool = True) -> str:
    """Return the HTML of a mail, with its pictures within."""
    html = str(scenes.html_of(mail))
    for part in mail.walk():
        if (name := part["Content-ID"]) is not None:
            data = base64.b64encode(part.get_payload(decode=True)).decode() if has_pictures else ""
            html = html.replace(f"cid:{name.strip('<>')}", f"data:{part.get_content_type()};base64,{data}")
    return html


def shot(browser: Any, html: str, width: int, scheme: str) -> Image.Image:
    """Return what a browser of that width shows of a page from its top."""
    page = browser.new_page(viewport={"width": width, "height": TALLEST}, color_scheme=scheme)
    page.set_content(html.replace("<body", f'<body bgcolor="{BACKGROUND[scheme]}"', 1), timeout=20_000)
    height = min(TALLEST, page.evaluate("document.querySelector('.page').offsetHeight"))
    drawn = page.screenshot(clip={"x": 0, "y": 0, "width": width, "height": height}, timeout=20_000)
    page.close()
    return Image.open(io.BytesIO(drawn)).convert("RGB")


def beside(*pictures: Image.Image) -> Image.Image:
    """Return pictures side by side, from their tops."""
    whole = Image.new("RGB", (sum(picture.width for picture in pictures), max(p.height for p in pictures)), "#888")
    left = 0
    for picture in pictures:
        whole.paste(picture, (left, 0))
        left += picture.width
    return whole


def path_of(folder: Path, language: str, name: str) -> Path:
    """Return the file of a picture; those in another language than English have a folder of its code."""
    return folder / ("" if language == ENGLISH else language) / f"{name}.png"


def save(picture: Image.Image, path: Path) -> None:
    colours = picture.quantize(COLOURS, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    colours.save(path, optimize=True)


def on_phones(browser: Any, html: str) -> Image.Image:
    """Return what two phones show of a page, a light and a dark one."""
    return beside(*(shot(browser, html, PHONE, scheme) for scheme in BACKGROUND))


def photograph(wanted: Collection[str], language: str = ENGLISH) -> None:
    """Take the pictures with these names again."""
    with tempfile.TemporaryDirectory() as folder, chromium.program() as browser:
        mails = album.album(Path(folder), language=language)
        for name in MAILS.keys() & wanted:
            html = page_of(mails[MAILS[name]]).replace(TALK, TALK_BY_LANGUAGE[language])
            save(on_phones(browser, html), path_of(FOLDER, language, name))
        turn = mails[MAILS["turn"]]
        if WIDE in wanted:
            save(shot(browser, page_of(turn), DESKTOP, "light"), path_of(FOLDER, language, WIDE))
        if WITHOUT_PICTURES in wanted:
            picture = on_phones(browser, page_of(turn, has_pictures=False))
            save(picture, path_of(FOLDER, language, WITHOUT_PICTURES))


if __name__ == "__main__":
    for each, names in BY_LANGUAGE.items():
        if some := names & set(sys.argv[1:] or names):
            photograph(some, each)
