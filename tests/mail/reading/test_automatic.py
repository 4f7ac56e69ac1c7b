"""Machines are told from people before anything else is looked at."""

import pytest

from server.mail.reading.automatic import LOOP_HEADER, MAX_HOPS, Kind, classify
from server.mail.reading.headers import BrokenAddressesError, addresses, decoded, parse_headers

PLAYER = "vera@example.net"


def kind_of(*fields: str, sender: str | None = PLAYER) -> Kind:
    head = "\n".join(("From: Vera <vera@example.net>", "Subject: Re: your move", *fields))
    return classify(parse_headers(head.encode()), sender)


@pytest.mark.parametrize(
    "field",
    [
        "X-Auto-Response-Suppress: DR, OOF, AutoReply",  # Outlook, in what people write
        "Feedback-ID: 1234:user:proton",  # Proton Mail, likewise
        "Auto-Submitted: no",
        "Auto-Submitted: No (a person)",
        "X-Loop: somebody@example.com",
        "Precedence: normal",
        "Return-Path: <vera@example.net>",
        "Content-Type: multipart/alternative; boundary=b",
    ],
)
def test_what_people_send_is_human(field: str) -> None:
    assert kind_of(field) is Kind.HUMAN


@pytest.mark.parametrize(
    ("field", "kind"),
    [
        ("Auto-Submitted: auto-replied", Kind.AUTO_REPLY),
        ("auto-submitted: AUTO-GENERATED; owner=x", Kind.AUTO_REPLY),
        ("X-Autoreply: yes", Kind.AUTO_REPLY),
        ("Precedence: auto_reply", Kind.AUTO_REPLY),
        ("X-FC-MachineGenerated: true", Kind.AUTO_REPLY),
        ("Content-Type: multipart/report; report-type=disposition-notification", Kind.AUTO_REPLY),
        ("Content-Type: multipart/report; report-type=delivery-status", Kind.BOUNCE),
        ("X-Failed-Recipients: a@example.com", Kind.BOUNCE),
        ("Return-Path: <>", Kind.BOUNCE),
        ("Return-Path: MAILER-DAEMON@example.com", Kind.BOUNCE),
        ("Content-Type: multipart/report; report-type=feedback-report", Kind.COMPLAINT),
        ("Precedence: bulk", Kind.LIST),
        ("List-Id: <players.example.org>", Kind.LIST),
        ("List-Unsubscribe: <mailto:a@example.org>", Kind.LIST),
        ("Content-Type: text/calendar; method=REPLY", Kind.CALENDAR),
        (f"{LOOP_HEADER}: turn", Kind.LOOP),
        ("X-Loop: robot@example.com\nAuto-Submitted: auto-replied", Kind.LOOP),
    ],
)
def test_a_machine_gives_itself_away_by_a_field(field: str, kind: Kind) -> None:
    assert kind_of(field) is kind


def test_the_null_sender_is_a_bounce() -> None:
    assert kind_of(sender="") is Kind.BOUNCE


def test_the_null_sender_of_an_auto_reply_is_still_an_auto_reply() -> None:
    assert kind_of("Auto-Submitted: auto-replied", sender="") is Kind.AUTO_REPLY


def test_without_an_envelope_the_return_path_tells() -> None:
    assert kind_of("Return-Path: <>", sender=None) is Kind.BOUNCE
    assert kind_of("Return-Path: <vera@example.net>", sender=None) is Kind.HUMAN


@pytest.mark.parametrize(
    "subject",
    [
        "Automatic reply: your move",
        "Read: [Foggy Night] Round 1, Red: your turn",
        "Gelesen: [Foggy Night] Round 1, Red: your turn",
        "Out of Office",
        "Automatische Antwort: Ihr Zug",
        "=?utf-8?q?R=C3=A9ponse_automatique_=3A_votre_coup?=",
        "自動返信: turn 5",
        "I am out of the office",
        "AUTO: Vera Lind is away",
        "Außer Haus: Ihr Zug",
        "Frånvaro: Ditt drag",
        "Odpowiedź automatyczna: Twój ruch",
        "Răspuns automat: tura ta",
        "תשובה אוטומטית: תורך",
        "رد تلقائي: دورك",
        "Tự động trả lời: lượt của bạn",
        "[Auto-Reply] your move",
        "Vacation: your move",
        "Urlaub: Ihr Zug",
        "Büroabwesenheit",
        "Message d'absence",
        "Fuera de la oficina",
        "Fora do escritório",
        "Assenza: il tuo turno",
        "Niet op kantoor",
        "Poissa: vuorosi",
        "Poza biurem",
        "Mimo kancelář",
        "Házon kívül",
        "Извън офиса",
        "Вне офиса",
        "Поза офісом",
        "Εκτός γραφείου",
        "Ofis dışında",
        "不在通知",
        "【自動返信】 turn 5",
        "自动回复：turn 5",
        "부재중 자동응답",
        "خارج المكتب",
        "מחוץ למשרד",
        "ตอบกลับอัตโนมัติ",
        "Di luar kantor",
        "Automatski odgovor",
        "Automaatvastus: turn 5",
    ],
)
def test_a_subject_that_says_it_is_automatic_is_believed(subject: str) -> None:
    assert classify(parse_headers(f"Subject: {subject}".encode()), PLAYER) is Kind.AUTO_REPLY


@pytest.mark.parametrize(
    "subject",
    [
        "on the bus", "AWAY: 24 Dec to 2 Jan", "Vacation", "Urlaub in London", "I am away next week", "Autobus 46",
        "delivery of tickets", "Read: the log", "Absent friends", "Automatic weapons", "vacation plans",
    ],
)  # fmt: skip
def test_a_subject_of_a_person_is_not_taken_for_a_machines(subject: str) -> None:
    assert classify(parse_headers(f"Subject: {subject}".encode()), PLAYER) is Kind.HUMAN


@pytest.mark.parametrize(
    "subject",
    [
        "Undeliverable: your move", "Delivery Status Notification (Failure)", "Mail delivery failed: returning message",
        "failure notice", "Returned mail: see transcript for details", "Unzustellbar: Ihr Zug", "Nicht zustellbar: x",
        "Échec de la remise", "Impossibile recapitare: x", "Onbestelbaar: x", "Não é possível entregar: x",
        "Недоставленное сообщение", "配信不能: x", "系统退信", "Your message to a@example.org couldn't be delivered",
    ],
)  # fmt: skip
def test_a_subject_that_says_a_mail_came_back_is_believed(subject: str) -> None:
    assert classify(parse_headers(f"Subject: {subject}".encode()), PLAYER) is Kind.BOUNCE


def test_an_answer_to_an_automatic_reply_is_human() -> None:
    assert classify(parse_headers(b"Subject: Re: Out of Office"), PLAYER) is Kind.HUMAN


def test_a_mail_that_has_been_everywhere_is_a_loop() -> None:
    hops = ["Received: from a by b; now"]
    assert kind_of(*hops * MAX_HOPS) is Kind.HUMAN
    assert kind_of(*hops * (MAX_HOPS + 1)) is Kind.LOOP


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("vera@example.net", ("vera@example.net",)),
        ("Vera Lind <vera@example.net>", ("vera@example.net",)),
        ('"Lind, Vera" <vera@example.net>', ("vera@example.net",)),
        ("vera@example.net (Vera, at home)", ("vera@example.net",)),
        ("a@example.net, b@example.net,", ("a@example.net", "b@example.net")),
        ("friends: a@example.net, B <b@example.net>;", ("a@example.net", "b@example.net")),
        ("undisclosed-recipients:;", ()),
        ('"vera@example.net" <mallory@evil.example>', ("mallory@evil.example",)),
        ("=?utf-8?q?vera=40example=2Enet?=", ()),
        ("vera@example.net mallory@evil.example", ()),
        ("MAILER-DAEMON <>", ()),
        ("", ()),
    ],
)
def test_addresses_are_read_as_they_stand(value: str, expected: tuple[str, ...]) -> None:
    assert addresses(value) == expected


@pytest.mark.parametrize(
    "value", ["<<a@b.example>>", "<a@b.example", "(c):, a@b.example", '"a@b.example', "a@b.example>", "(" * 5000]
)
def test_addresses_nobody_can_be_sure_of_are_refused(value: str) -> None:
    with pytest.raises(BrokenAddressesError):
        addresses(value)


def test_an_encoded_subject_stays_on_one_line() -> None:
    assert decoded("=?utf-8?q?taxi_46=0D=0ABcc=3A_a=40b?= =?iso-8859-1?q?=E9?=") == "taxi 46 Bcc: a@bé"


@pytest.mark.parametrize(
    "word", ["=?rot13?q?gnkv_46?=", "=?utf-7?q?taxi+ADQANg-?=", "=?utf-8?b?dGF4aSA0N?=", "=?zlib?b?eJwr?="]
)
def test_no_codec_but_those_of_mail_is_ever_used(word: str) -> None:
    assert "taxi 46" not in decoded(word)
