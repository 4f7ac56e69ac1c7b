"""The server reads the commands that its German mails print, and those that a German types."""

from datetime import date

import pytest

from server.language.dates import span
from server.language.grammar import parse_line
from tests.catalogues import paths, read

TODAY = date(2026, 11, 24)
GERMAN = """
JA = YES
NEIN = NO
HILFE = HELP
HILFE ALLES = HELP ALL
REGELN = RULES
REGELN 1985 = RULES 1985
KARTE = MAP
STATUS = STATUS
ABBRECHEN = CANCEL
WARTEN = WAIT
BEENDEN = CLAIM
WEITER = RESUME
PAUSE = PAUSE
PAUSE 3 Tage = PAUSE 3 days
VERLÄNGERN 2 Tage = EXTEND 2 days
VERLÄNGERN 1 Tag = EXTEND 1 day
ABWESEND 24.12. bis 2.1. = AWAY 24.12. to 2.1.
ABWESEND vom 24. Dezember bis zum 2. Januar = AWAY from 24. Dec to 2. Jan
ABWESEND ab heute bis 3. Mai = AWAY from today to 3. May
ABWESEND Montag bis Mittwoch = AWAY Mon to Wed
ABWESEND heute zurück am 3. Juni = AWAY today back 3 June
ABWESEND aus = AWAY off
ABWESEND Liste = AWAY list
REVANCHE = REMATCH
AUFGEBEN = RESIGN
REMIS = DRAW
REMIS aus = DRAW off
SPIELEN = PLAY
LISTE = LIST
NEU 4 = NEW 4
NEU 4 mit ben@example.org = NEW 4 with ben@example.org
BEITRETEN abc123 = JOIN abc123
EINLADEN ben@example.org = INVITE ben@example.org
STARTEN = START
ANMELDEN = SIGNUP
VERLASSEN = LEAVE
FAHRTENTAFEL = LOG
VERLAUF = REPLAY
WIEDERHOLUNG = REPLAY
BRETT 46 = BOARD 46
BRETT 46 91 = BOARD 46 91
MÖGLICHE ZÜGE = LEGAL
TIPP = HINT
PROBIERE Taxi 46 = TRY taxi 46
ABMELDEN = STOP
GASTGEBER rot = HOST red
VERTRETEN rot = COVER red
VERTRETEN aus = COVER off
VERLÄNGERN 2 Tage, bin krank = EXTEND 2 days, I am ill
VERLÄNGERN um 2 Tage - bin krank = EXTEND 2 days - I am ill
Frist verlängern 2 Tage; wir ziehen um = EXTEND 2 days; I am ill
VERLÄNGERN 2 Tage weil ich krank bin = EXTEND 2 days because I am ill
PAUSE 3 Tage, bin auf Reisen = PAUSE 3 days, I am ill
ABWESEND 24.12. bis 2.1., Urlaub = AWAY 24.12. to 2.1., holidays
BLOCKIEREN Ben = BLOCK Ben
BLOCKIEREN ben@example.org = BLOCK ben@example.org
BLOCKIEREN Liste = BLOCK list
BLOCKIERE "ben und co" = BLOCK "ben und co"
FREIGEBEN Ben = UNBLOCK Ben
EINSTELLEN Zeitzone Europe/Berlin = SET zone Europe/Berlin
EINSTELLEN Name Ada L. = SET Name Ada L.
EINSTELLEN Nacht 23:00 bis 7:00 = SET night 23:00 to 7:00
EINSTELLEN Nacht aus = SET night off
EINSTELLEN Urlaub an = SET vacation on
EINSTELLEN Bild aus = SET picture off
EINSTELLEN Bild eigenes = SET picture own
EINSTELLEN Warten immer = SET hold always
EINSTELLEN Station Seite = SET station page
EINSTELLEN Mail täglich 18:00 hier = SET mail daily 18:00 here
EINSTELLEN Mails normal = SET mail usual
EINSTELLUNG Mail Züge = SET mail moves
EINSTELLEN Mail Erinnerungen = SET mail reminders
EINSTELLEN Mail aus = SET mail off
EINSTELLEN Mail Standard hier = SET mail inherit here
EINSTELLEN Nacht 23:00-07:00 = SET night 23:00-07:00
EINSTELLEN Warten Zweifel = SET hold doubtful
SPIELEN stark = PLAY good
SPIELEN mittel = PLAY fair
SPIELEN Kurzregeln = PLAY condensed
SPIELEN 3 Kurzregeln leicht = PLAY 3 condensed easy
NEU 4 privat mit ben@example.org = NEW 4 private with ben@example.org
NEU 3 kurzregeln mit ben@example.org = NEW 3 condensed with ben@example.org
NEU Kurzregeln als Mr. X mit Ben, constable stark = NEW condensed as Mr. X with Ben, constable good
NEU 4 Spieler öffentlich reihum = NEW 4 players public rotation
SAG hallo = SAY hallo
SAG ALLEN hallo = SAY ALL hallo
SAG ALLEN: hallo = SAY ALL hallo
SAGE: hallo = SAY hallo
EINSTELLEN Sprache Englisch = SET language Englisch
lila taxi 46 = purple taxi 46
doppelzug taxi 46 bus 47 = double taxi 46 bus 47
grün u-bahn 46 = green underground 46
gelb schwarz 46 = yellow black 46
"""
SPELLED = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "AE", "Ö": "OE", "Ü": "UE"})
TALK = """
sag mal, wo bist du
Sag allen: hallo
Sagen wir so
SAG ALLEN
Sag allen einen Gruß
abwesend bin ich nicht
weiter so
wir warten auf Mr. X
beenden wir das
das Spiel geht weiter
verlängern 2 Tage, wenn Blau auch will
blockieren rot
wir blockieren ihn
freigeben wir ihn
ich verlasse mich auf dich
"""


def said(line: str) -> object:
    """Return what a line does, whatever its words are."""
    command = parse_line(line)
    text: object = (
        command.text.lower().replace("alles", "all").replace("hallo", "hello").replace("berlin", "london")
        if command
        else ""
    )
    if command and command.name == "away" and text not in ("off", "list"):
        text = span(command.text, TODAY)
    return command and (command.name, text, command.move, command.stations)


@pytest.mark.parametrize("pair", GERMAN.strip().splitlines())
def test_a_german_word_is_read_as_its_english_one(pair: str):
    german, english = pair.split(" = ")
    assert said(english) is not None
    for line in (german, german.translate(SPELLED), german if " Ben" in german or "SAG" in german else german.lower()):
        assert said(line) == said(english), line


@pytest.mark.parametrize("line", TALK.strip().splitlines())
def test_what_only_begins_like_one_is_none(line: str):
    assert said(line) is None


def test_each_command_that_a_catalogue_has_does_what_the_english_does():
    for path in paths():
        for message in read(path):
            if message.context == "command" and message.string:
                assert said(str(message.string)) == said(str(message.id)) is not None, message.string
