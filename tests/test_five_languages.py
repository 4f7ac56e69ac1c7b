"""Each of five players at one table gets mails and pages in their own language, whoever caused them."""

import re
from pathlib import Path

from server.models import Player, session, transaction
from tests.pseudo import ALPHABETS, of_others, offered, untranslated
from tests.scenes import CHASE, name, text_of
from tests.table import Table
from tests.test_translated import LEFT
from tests.web.game.test_page import Browser
from tests.web.test_translated_pages import left

WORDS = {"en": r"\b(?:the|is|you|your|of|and|with)\b", "de": r"\b(?:der|die|das|ist|du|dein|und|mit|nach)\b"}
SPOKEN = {"Ada": "en", "Ben": "de", **dict(zip(("Cleo", "Dan", "Eve"), ALPHABETS, strict=True)), "Finn": "de"}
SAID = "Guten Abend, the hunt is on"
SWITCH = re.compile(r'<form method="post" action="/language.*?</form>', re.DOTALL)  # has the names of all languages


def foreign(text: str, language: str) -> list[str]:
    """Return what of a text is in the language of somebody else."""
    own = text.replace(SAID, "")
    words = untranslated(LEFT.sub("", own)) if language in ALPHABETS else []
    others = [pattern for other, pattern in WORDS.items() if language in WORDS and other != language]
    return [*of_others(own, language), *words, *(word for each in others for word in re.findall(each, own))]


def test_each_of_five_players_reads_their_own_language_alone(tmp_path: Path):
    table = Table(tmp_path, sandbox="1", min_turn="PT1S")
    with offered(*ALPHABETS):
        people = ada, ben, cleo, dan, eve, finn = table.people(6)
        with table.app.app_context(), transaction():
            for player in session.query(Player):
                player.language = SPOKEN[player.name]
        game = table.game(people, position=CHASE)
        name(table, game.id)
        path, pages = f"/games/{game.id}", []

        def look() -> None:
            table.tick()
            pages.extend((person.name, Browser(table, person).get(path).text) for person in people)

        look()
        ada.reply("black 100")
        look()
        ben.reply(f"bus 102\nSAY ALL {SAID}")
        Browser(table, cleo).post(f"{path}/moves", {"turn": str(game.turn), "move": "red taxi 68"})
        dan.reply("TALK\nI think I take the taxi to 140")
        look()
        eve.reply("PAUSE 2 days")
        look()
        for person in (ben, finn):
            person.reply("NO")
        finn.reply("taxi 1")
        look()
        for _ in range(2):
            table.clock.turn(hours=49)
            look()
        for move in ("black 111", "taxi 1"):
            ada.reply(move)
            look()
        cleo.reply("STATUS\nLOG\nHELP")
        dan.reply("RESIGN")
        look()
    mails = [(each, f"{mail['Subject']}\n{text_of(mail)}") for each in people for mail in each.mails]
    found = [(each.name, text[:50], wrong) for each, text in mails if (wrong := foreign(text, SPOKEN[each.name]))]
    for who, page in pages:
        code, shown = SPOKEN[who], SWITCH.sub("", page).replace(SAID, "")
        if wrong := [*of_others(shown, code), *(left(shown) if code in ALPHABETS else ())]:
            found.append((who, "page", wrong))
    assert found == []
    assert all(len(person.mails) > 6 for person in people)
