"""Sender authentication: what signatures and the mail server in front say, and the consequences."""

import itertools
from typing import Any

import pytest

from server.mail.trust.authentication import authenticate, stated
from server.mail.trust.mail import Handover
from server.mail.trust.results import Authentication
from server.vocabulary.dns import MOST, PATIENCE, REST, DnsClient, Unanswered
from tests.mail.trust.signing import COVERED, MX, NOW, TO, Names, mail, signed


def found(raw: bytes, names: Names, **more: Any) -> Authentication:
    handover = Handover("ben@example.org", TO, more.get("at"))
    author = more.get("author", "ben@example.org")
    ask = DnsClient(names).for_mail_from("example.org", NOW, lambda: 0)
    return authenticate(raw, author, handover, more.get("authserv_id"), ask)


# What we find ---------------------------------------------------------------------------------------


def table_of_signatures() -> dict[str, tuple[bytes, Names, bool]]:
    """A mail, what the name service says, and whether it is turned away."""
    other = signed(mail(), "evil.example")
    broken = signed(mail()).replace(b"taxi 46", b"taxi 73")
    return {
        "no signature, and nobody who says anything": (mail(), Names(), False),
        "a signature of the domain": (signed(mail()), Names(), False),
        "one of a domain below it": (signed(mail(), "mail.example.org"), Names(), False),
        "a body that was changed": (broken, Names(), True),
        "a changed body, and one good signature": (signed(broken), Names(), False),
        "a signature without the From": (signed(mail()).replace(b"h=from :", b"h="), Names(), True),
        "a part of the body alone": (signed(mail(), length=True), Names(), True),
        "no such key": (signed(mail(), "none.example.org"), Names(), True),
        "another's signature": (other, Names(), False),
        "a signature in letters nobody knows": (b"DKIM-Signature: \xff;;=;d=example.org\r\n" + mail(), Names(), False),
        "a signature by a method of its own": (signed(mail()).replace(b"rsa-sha256", b"rsa-sha1"), Names(), False),
        "an answer to somebody else that was sent on to us": (
            signed(mail(to="eve@else.example")), Names(), True,
        ),
    }  # fmt: skip


@pytest.mark.parametrize("title", table_of_signatures())
def test_signatures_speak_for_and_against_a_sender(title: str):
    raw, names, is_refused = table_of_signatures()[title]
    result = found(raw, names)
    assert (result.is_failing, result.is_proof) == (is_refused, title in PROOFS)


# What proves at the play address that it was he who wrote.
PROOFS = ("a signature of the domain", "one of a domain below it", "a changed body, and one good signature")


@pytest.mark.parametrize(
    ("results", "proves"),
    [
        ("dmarc=pass header.from=example.org", True), ("dmarc=pass header.from=evil.example", False),
        ("dkim=pass", False), ("dkim=pass header.d=example.org", False), ("spf=pass", False), ("dmarc=none", False),
    ],
)  # fmt: skip
def test_of_what_the_server_in_front_says_only_its_dmarc_is_proof(results: str, proves: bool):
    assert found(mail(above=f"{ABOVE}{results}\n{RECEIVED}"), Names(), authserv_id=MX).is_proof == proves


def test_dns_is_asked_for_keys_of_the_domain_of_the_from_alone():
    names = Names()
    found(signed(signed(mail()), "evil.example"), names)
    assert {name for name, _ in names.asked} == {"s._domainkey.example.org"}


def test_a_silent_name_service_speaks_against_nobody():
    names = Names()
    names.told["s._domainkey.example.org", "TXT"] = ["silent"]
    assert not found(signed(mail()), names).is_failing


def test_all_look_ups_about_a_mail_have_one_time_and_a_number():
    seconds = itertools.count()
    names = Names()
    ask = DnsClient(names).for_mail_from("example.org", NOW, lambda: float(next(seconds)))
    for number in range(10):
        if number < PATIENCE - 1:
            ask(f"{number}.example.org")
        else:
            with pytest.raises(Unanswered):
                ask(f"{number}.example.org")
    assert names.patience == [PATIENCE - 1, PATIENCE - 2]
    many = DnsClient(names).for_mail_from("example.org", NOW, lambda: 0)
    for number in range(MOST):
        many(f"{number}.example.org")
    with pytest.raises(Unanswered):
        many("one.more.example.org")


def test_a_domain_that_was_silent_is_left_alone_for_a_while_and_no_other():
    names = Names()
    names.told["slow.example", "TXT"] = ["silent"]
    client = DnsClient(names)
    for domain, at in (("slow.example", NOW), ("slow.example", NOW + REST / 2), ("slow.example", NOW + REST)):
        with pytest.raises(Unanswered):
            client.for_mail_from(domain, at, lambda: 0)("slow.example")
    assert client.for_mail_from("example.org", NOW, lambda: 0)("_dmarc.example.org") == []
    assert names.asked.count(("slow.example", "TXT")) == 2


@pytest.mark.parametrize("body", [" " * 900_000, "x" + " " * 900_000 + "x", "\r\n" * 450_000, " \r\n" * 300_000])
def test_a_signed_mail_of_blanks_is_read_to_its_end(body: str):
    """It takes a tenth of a second; an expression that tried every blank again would never end."""
    assert found(signed(mail()).replace(b"taxi 46", body.encode()), Names()).dkim == "fail"


def test_a_body_with_odd_blanks_passes_as_it_was_signed():
    for canonicalize in ((b"relaxed", b"relaxed"), (b"simple", b"simple"), (b"relaxed", b"simple")):
        raw = signed(mail("taxi \t 46  \n\n   \t\n \nend \t\n\n\n"), canonicalize=canonicalize)
        assert found(raw, Names()).dkim == "pass"
        assert found(raw.replace(b"\r\n", b"\n"), Names()).dkim == "pass"


# What the server in front found ---------------------------------------------------------------------

ABOVE = f"Authentication-Results: {MX}; "
RECEIVED = f"Received: from mail.example.org by {MX}; Mon, 2 Nov 2026 18:22:10 +0100\n"


@pytest.mark.parametrize(
    ("header", "is_refused"),
    [
        (ABOVE + "dmarc=fail header.from=example.org\n", True),
        (ABOVE + "dmarc=fail (p=NONE sp=NONE dis=NONE) header.from=example.org\n", False),
        (ABOVE + "dmarc=fail action=none header.from=example.org;compauth=pass reason=109\n", False),
        (ABOVE + "dmarc=fail (p=REJECT dis=REJECT) header.from=example.org\n", True),
        (ABOVE + "dmarc=fail header.from=other.example\n", False),
        (ABOVE + "dkim=fail (bad signature) header.d=example.org\n", True),
        (ABOVE + 'dkim=fail reason="signature (did) not; verify" header.i=@example.org\n', True),
        (ABOVE + "dkim=fail header.d=list.example; dkim=pass header.d=example.org\n", False),
        (ABOVE + "dkim=fail header.d=list.example\n", False),
        (ABOVE + "dkim=fail header.d=example.org; dmarc=pass header.from=example.org\n", False),
        (ABOVE + "spf=fail smtp.mailfrom=ben@example.org; dmarc=pass header.from=example.org\n", False),
        (ABOVE + "spf=fail smtp.mailfrom=ben@example.org\n", False),
        *((ABOVE + f"dmarc={result} header.from=example.org\n", False) for result in ("none", "temperror")),
        *((ABOVE + f"dkim={result} header.d=example.org\n", False) for result in ("none", "neutral", "temperror")),
        (
            f"Authentication-Results: {MX.upper()} 1;\n\tdmarc (a (nested; one)) = fail\n header.from=example.org\n",
            True,
        ),
        (f'Authentication-Results: "{MX}" (our own); dkim/1=none; dmarc=FAIL header.from=EXAMPLE.ORG\n', True),
        (f"Authentication-Results: {MX}; none\n", False),
        (f"Authentication-Results: {MX}.evil.example; dmarc=fail\n", False),
        ("Authentication-Results: ;;; dmarc=fail\n", False),
        (f"Authentication-Results: (((((; {MX}; dmarc=fail\n", False),
        # Two fields, as two filters write them.
        (ABOVE + "dkim=fail header.d=example.org\n" + ABOVE + "dmarc=pass header.from=example.org\n", False),
    ],
)  # fmt: skip
def test_the_server_in_front_is_believed_in_all_forms_of_its_field(header: str, is_refused: bool):
    assert found(mail(above=header + RECEIVED), Names(), authserv_id=MX).is_failing == is_refused


def test_it_is_asked_for_by_its_name_only():
    above = ABOVE + "dmarc=fail header.from=example.org\n"
    assert not found(mail(above=above), Names()).is_failing
    assert not found(mail(above=above), Names(), authserv_id="mx.other.example").is_failing


def test_a_pass_counts_above_the_first_received_only():
    """Below it anybody may have written it; what speaks against a sender nobody forges."""
    broken = signed(mail()).replace(b"taxi 46", b"taxi 73")
    ok = (ABOVE + "dmarc=pass header.from=example.org\n").replace("\n", "\r\n").encode()
    border = RECEIVED.replace("\n", "\r\n").encode()
    assert not found(ok + border + broken, Names(), authserv_id=MX).is_failing
    assert found(border + ok + broken, Names(), authserv_id=MX).is_failing
    fail = ok.replace(b"pass", b"fail")
    assert found(border + fail + mail(), Names(), authserv_id=MX).is_failing
    assert not found(ok + border + fail + mail(), Names(), authserv_id=MX).is_failing


def test_a_pass_in_another_name_where_ours_would_stand_is_a_forgery():
    for said, is_refused in (("dmarc=pass header.from=example.org", True), ("dmarc=none", False), ("spf=pass", False)):
        header = f"Authentication-Results: mx.evil.example; {said}\n"
        assert found(mail(above=header), Names(), authserv_id=MX).is_failing == is_refused
        assert not found(mail(above=RECEIVED + header), Names(), authserv_id=MX).is_failing
        assert not found(mail(above=header), Names()).is_failing


def test_fields_without_end_are_read_at_once():
    for value in ("(" * 60_000, '"' * 60_000, "; a=b" * 12_000, "dkim=pass " * 6_000, "\\" * 60_000):
        stated([("authentication-results", f"{MX}; {value}")], MX, "example.org")


@pytest.mark.parametrize(
    ("results", "is_passed"),
    [
        ("spf=pass smtp.mailfrom=ben@example.org", True), ("spf=pass smtp.mailfrom=mail.example.org", True),
        ("spf=pass smtp.mailfrom=x@evil.example", False), ("spf=pass", False),
        ("spf=softfail smtp.mailfrom=ben@example.org", False), ("dkim=pass header.d=example.org", True),
        ("dkim=pass header.i=@example.org", True), ("dkim=pass header.d=evil.example", False), ("dkim=pass", False),
        ("dmarc=pass header.from=example.org", True), ("dmarc=pass", False), ("none", False),
        ("spf=pass smtp.mailfrom=ben@example.org; dmarc=fail (p=REJECT) header.from=example.org", False),
    ],
)  # fmt: skip
def test_who_passed_for_a_domain_aligned_with_the_from_may_be_answered(results: str, is_passed: bool):
    raw = mail(above=f"{ABOVE}{results}\n{RECEIVED}")
    assert found(raw, Names(), authserv_id=MX).is_passed == is_passed
    assert not found(mail(above=f"{RECEIVED}{ABOVE}{results}\n"), Names(), authserv_id=MX).is_passed, "anybody's field"
    assert not found(raw, Names()).is_passed, "no server in front is named"


def test_what_is_not_known_of_a_sender_counts_as_failed():
    assert found(signed(mail()), Names()).is_passed
    assert not found(mail(), Names()).is_passed
    assert not found(signed(mail(), "evil.example"), Names()).is_passed
    assert not found(signed(mail(to="eve@else.example")), Names()).is_passed, "a copy of a mail to somebody else"


# Sent again by somebody else ------------------------------------------------------------------------


def on_top(raw: bytes, *lines: str) -> bytes:
    return "".join(f"{line}\r\n" for line in lines).encode() + raw


def two(text: str, name: str, value: str) -> bytes:
    """A mail with one field twice."""
    return on_top(signed(mail(text)), f"{name}: {value}")


EVE = "eve@else.example"
SHORT = [b"from", b"to", b"subject"]
REPLAYED = {
    "another Subject on top": two("Hi", "Subject", "taxi 46"),
    "another To on top": on_top(signed(mail(to=EVE)), f"To: {TO}"),
    "another To and Subject on top": on_top(signed(mail("Hi", to=EVE)), f"To: {TO}", "Subject: taxi 46"),
    "the To twice": two("taxi 46", "To", TO),
    "two Cc": on_top(signed(mail(above="Cc: a@b.example\n")), "Cc: c@d.example"),
    "two dates": on_top(signed(mail(above="Date: Mon, 2 Nov 2026 18:22:10 +0100\n")), "Date: x"),
    "another Message-ID on top": two("taxi 46", "Message-ID", "<2@x>"),
    "another From on top": two("taxi 46", "From", "ben@example.org"),
    "a field on top in another case": two("taxi 46", "sUBJECT", "taxi 46"),
    "another address of ours": signed(mail(to="turn+other@play.example.org")),
    "an address of ours in the name of another": signed(mail(to=f'"{TO}" <{EVE}>')),
    "a part of the body": signed(mail(), length=True) + b"taxi 73\r\n",
}  # fmt: skip


@pytest.mark.parametrize("title", REPLAYED)
def test_a_signed_mail_that_is_sent_again_as_another_one_is_not_obeyed(title: str):
    result = found(REPLAYED[title], Names())
    assert (result.is_failing, result.is_proof) == (True, False)


@pytest.mark.parametrize("name", ["To", "Cc", "Subject", "Date", "Message-ID"])
def test_a_doubled_field_proves_nothing_however_it_came(name: str):
    raw = on_top(mail(), f"{name}: {TO}", f"{name}: {TO}")
    above = (ABOVE + "dmarc=pass header.from=example.org\n" + RECEIVED).replace("\n", "\r\n").encode()
    assert found(above + mail(), Names(), authserv_id=MX).is_proof
    assert not found(above + raw, Names(), authserv_id=MX).is_proof


UNCOVERED = {
    "no To": signed(mail(), include_headers=[b"from", b"subject", b"message-id"]),
    "no Subject": signed(mail(), include_headers=[b"from", b"to", b"message-id"]),
    "no Message-ID": signed(mail(), include_headers=SHORT),
    "a Message-ID that is not there": signed(mail().replace(b"Message-ID: <1@x>\r\n", b"")),
    "a Cc that is not signed": signed(mail(to=EVE, above=f"Cc: {TO}\n")),
}


@pytest.mark.parametrize("title", UNCOVERED)
def test_a_signature_proves_a_command_only_if_it_covers_what_makes_it_one(title: str):
    """It does not speak against the mail either: great providers sign no To, and a reply address is proof enough."""
    raw = UNCOVERED[title]
    result = found(raw, Names())
    assert (result.dkim, result.is_failing, result.is_proof) == ("pass", False, False)
    assert str(result) == "dkim=pass by=us unproven"
    two_signatures = signed(raw, include_headers=[*COVERED, b"cc"])
    assert found(two_signatures, Names()).is_proof == (title != "a Message-ID that is not there")


def test_a_signed_cc_to_us_is_as_good_as_a_to():
    raw = signed(mail(to=EVE, above=f"Cc: Turn <{TO.upper()}>\n"), include_headers=[*COVERED, b"cc"])
    assert found(raw, Names()).is_proof


@pytest.mark.parametrize("title", UNCOVERED)
def test_what_the_server_in_front_found_of_a_signature_proves_no_more(title: str):
    def proves(raw: bytes, results: str) -> bool:
        above = (ABOVE + results + "\n" + RECEIVED).replace("\n", "\r\n").encode()
        return found(above + raw, Names(), authserv_id=MX).is_proof

    result = "dkim=pass header.d=example.org; dmarc=pass header.from=example.org"
    assert proves(signed(mail()), result)
    assert not proves(UNCOVERED[title], result)
    assert not proves(UNCOVERED[title], "dmarc=pass header.from=example.org")
    # That a stranger's server may send mail of a stranger says nothing.
    assert not proves(UNCOVERED[title], f"spf=pass smtp.mailfrom=x@evil.example; {result}")
    assert proves(UNCOVERED[title], f"spf=pass smtp.mailfrom=ben@example.org; {result}")


@pytest.mark.parametrize("title", ["another To and Subject on top", "another address of ours"])
def test_a_replay_is_refused_whatever_the_server_in_front_found_of_its_signature(title: str):
    above = (ABOVE + "dkim=pass header.d=example.org; dmarc=pass header.from=example.org\n" + RECEIVED).replace(
        "\n", "\r\n"
    )
    assert found(above.encode() + REPLAYED[title], Names(), authserv_id=MX).is_failing


def test_a_signature_is_good_until_it_says_and_counts_from_when_the_mail_came():
    raw = signed(mail()).replace(b"; q=dns/txt", b"; x=2000000000; q=dns/txt")
    assert b"x=2000000000" in raw
    assert found(raw, Names(), at=2_000_000_001).dkim == "policy"
    assert found(raw, Names(), at=2_000_000_000).dkim == "fail"  # as the x= was not signed here


def test_a_key_of_any_length_costs_nothing():
    names = Names()
    names.told["s._domainkey.example.org", "TXT"] = [b"v=DKIM1; k=rsa; p=" + b"A" * 3_000]
    assert found(signed(mail()), names).dkim == "fail"


def test_a_signature_over_hundreds_of_fields_is_none():
    raw = signed(mail()).replace(b"h=from", b"h=" + b"a:" * 1_000 + b"from")
    assert found(raw, Names()).dkim == "none"
