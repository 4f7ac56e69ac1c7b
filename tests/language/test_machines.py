"""Notes of an absence that carry no mark of a machine are known by their shape, and people who are away are not."""

from server.language.talk import is_of_machine

NOTES = (
    "I am out of the office until 7 December. For urgent matters please contact help@example.org.",
    "Thank you for your message. I am on annual leave until Monday. I will reply when I am back.",
    "Vielen Dank für Ihre Nachricht. Ich bin bis zum 7.12. nicht im Büro.\nIn dringenden Fällen: hilfe@example.org.",
    "Ich bin im Urlaub und ab dem 7.12. wieder erreichbar. Vertretung: Max Muster, max@example.org",
    "Bonjour, je suis absente du bureau jusqu'au 7 décembre. En cas d'urgence, contactez aide@example.org.",
    "Merci pour votre message. Je suis en congés jusqu'au 7 décembre et vous répondrai à mon retour.",
    "Estoy fuera de la oficina hasta el 7 de diciembre. Para asuntos urgentes escriba a ayuda@example.org.",
    "Ik ben afwezig tot 7 december. Neem bij spoed contact op met hulp@example.org.",
    "Bedankt voor uw bericht. Ik ben op vakantie tot maandag en beantwoord uw mail na terugkomst.",
    "Sono fuori ufficio fino al 7 dicembre. Per urgenze scrivere a aiuto@example.org.",
    "Grazie per il suo messaggio. Sono in ferie fino a lunedì e risponderò al mio rientro.",
)
PEOPLE = (
    "I'm on holiday from 3 May to 10 May.",
    "Sorry, I'm away until Monday, can we pause?",
    "Bin bis 7.12. im Urlaub, schreibt mir an vera.privat@example.net",
    "Thank you for your message, I am thinking about it.",
    "on holiday until the 5th",
    "Can you invite ben@example.org?",
    "I am out of the office",
)


def test_a_note_that_thanks_for_a_message_or_says_whom_to_ask_is_a_machines():
    assert [note for note in NOTES if not is_of_machine(note.split("\n"))] == []


def test_somebody_who_is_away_is_no_machine():
    assert [said for said in PEOPLE if is_of_machine(said.split("\n"))] == []
