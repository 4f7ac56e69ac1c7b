"""Commands in the words of all languages: whole lines only, and never a word within prose."""

import pytest

from server.language import lexicon
from server.language.grammar import parse_line


def read(line: str) -> str | None:
    command = parse_line(line)
    return f"{command.name} {command.text}".strip() if command else None


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Hilfe!", "help"), ("Ayuda, por favor", "help"), ("¿Cómo funciona?", "help"), ("hulp graag", "help"),
        ("Die Regeln, bitte.", "rules"), ("règles du jeu svp", "rules"), ("¿Cómo se juega?", "rules"),
        ("What are the rules?", "rules"), ("Zeig mir die Karte", "map"), ("Can you send me the map please?", "map"),
        ("Ich möchte spielen", "play"), ("I'd like to play, please!", "play"), ("Je voudrais jouer", "play"),
        ("Ik wil graag spelen", "play"), ("¡Quiero jugar!", "play"), ("spielen 3", "play 3"),
        ("bitte abmelden", "stop"), ("Bitte melden Sie mich ab!", "stop"), ("please unsubscribe me", "stop"),
        ("désabonnez-moi svp", "stop"), ("Darme de baja, gracias", "stop"), ("uitschrijven aub", "stop"),
        ("Wer ist dran?", "status"), ("Is it my turn?", "status"), ("C'est à qui ?", "status"),
        ("offene Spiele", "list"), ("JOIN", "list"), ("beitreten k7m2-q6xw", "join k7m2-q6xw"),
        ("neues Spiel 3", "new 3"), ("Nouvelle partie, svp", "new"), ("new game 4", "new 4"),
        ("Ich gebe auf", "resign"), ("j'abandonne", "resign"), ("me rindo", "resign"), ("ik geef op", "resign"),
        ("Zug zurücknehmen bitte", "cancel"), ("take back my move", "cancel"), ("annuler", "cancel"),
        ("Fahrtenbuch", "log"), ("logboek", "log"), ("Wohin kann ich?", "legal"), ("Où suis-je ?", "board"),
        ("Where is Monsieur X?", "board"), ("Où est monsieur X ?", "board"), ("Where is el Señor X?", "board"),
        ("¿Dónde está el señor X?", "board"), ("where is meneer X", "board"), ("Waar is de heer X?", "board"),
        ("Wo ist Herr X?", "board"), ("Where is il signor X?", "board"), ("Where is M. X?", "board"),
        ("HELP ALL", "help ALL"), ("Hilfe alles", "help alles"),
        ("PAUSE three days", "pause P3D"), ("Pause für zwei Wochen", "pause P2W"), ("pause une semaine", "pause P1W"),
        ("Pausa por tres días", "pause P3D"), ("pauze drie dagen", "pause P3D"), ("Pause: a day please", "pause P1D"),
        ("EXTEND two days", "extend P2D"), ("extend by twenty-four hours", "extend PT24H"),
        ("Verlängern um zwei Tage", "extend P2D"), ("prolonger de deux jours", "extend P2D"),
        ("prolongar dos días más", "extend P2D"), ("verlengen met een dag", "extend P1D"),
        ("Can you extend the deadline by 2 days?", "extend P2D"), ("please pause the game for a week", "pause P1W"),
        ("Please undo purple", "cancel purple"), ("new 3 please", "new 3"), ("Please BOARD: 46", "board"),
    ],
)  # fmt: skip
def test_a_command_is_known_by_the_words_of_its_reader(line: str, expected: str):
    assert read(line) == expected


@pytest.mark.parametrize(
    "line",
    [
        "I want to stop", "Can I stop the taxi?", "abmelden kann ich mich später", "Spielen wir morgen?", "neu hier",
        "rejoindre nous", "the map is beautiful", "Regeln sind Regeln", "I give up on the weather", "play nice",
        "Hilfe, das war knapp!", "unsubscribe Ben, not me", "I want to resign myself to it", "quiero que ganes",
    ],
)  # fmt: skip
def test_prose_with_such_a_word_is_no_command(line: str):
    assert read(line) is None


def test_every_phrase_stands_for_a_command():
    assert {phrase for phrase in lexicon.table("commands") if parse_line(phrase) is None} == set()
