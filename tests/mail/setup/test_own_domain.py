"""`doctor` names each DNS record of the server's own domain that is missing or wrong, and says what to write."""

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import dns.zone
import pytest
from click.testing import CliRunner
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from server.cli import main
from server.mail.setup import own_domain
from server.vocabulary.dns import PATIENCE, DnsClient, Unanswered
from tests.injected import for_command
from tests.mail.trust.signing import Names
from tests.table import Table

DOMAIN = "play.example.org"
RELAY = {"mail_domain": DOMAIN, "smtp_url": "smtp://127.0.0.1:25", "operator_email": "me@home.example"}
KEY = rsa.generate_private_key(65537, 2048).private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
SIGNS = {"dkim_key": KEY, "dkim_selector": "2026"}
PUBLISHED = f"v=DKIM1; k=rsa; p={own_domain._public_key(KEY)}".encode()
WRITTEN = f'"{PUBLISHED[:255].decode()}" "{PUBLISHED[255:].decode()}"'  # a string of a TXT record has 255 characters
# The records of docs/hosting.md.
RECORDS: dict[tuple[str, str], list[Any]] = {
    (DOMAIN, "MX"): [(10, f"mx.{DOMAIN}")],
    (f"mx.{DOMAIN}", "A"): ["192.0.2.10"],
    (f"mx.{DOMAIN}", "AAAA"): ["2001:db8::10"],
    ("10.2.0.192.in-addr.arpa", "PTR"): [f"mx.{DOMAIN}"],
    (f"0.1.{'0.' * 22}8.b.d.0.1.0.0.2.ip6.arpa", "PTR"): [f"mx.{DOMAIN}"],
    (DOMAIN, "TXT"): [b"another", b"v=spf1 mx -all"],
    (f"_dmarc.{DOMAIN}", "TXT"): [b"v=DMARC1; p=quarantine; adkim=s; aspf=s"],
    (f"2026._domainkey.{DOMAIN}", "TXT"): [PUBLISHED],
}

Says = Callable[..., list[str]]


def knowing(records: Mapping[tuple[str, str], list[Any]]) -> Names:
    """Return a name service with these records and no other."""
    names = Names()
    names.told = dict(records)
    return names


class Weary(Names):
    """A name service that answers nothing from the first look-up of a kind on."""

    def __init__(self, kind: str) -> None:
        super().__init__()
        self.kind = kind

    def __call__(self, name: str, kind: str, patience: float) -> list[Any]:
        found = super().__call__(name, kind, patience)
        if kind == self.kind:
            raise Unanswered
        return found


@pytest.fixture
def says(tmp_path: Path) -> Says:
    """Returns the warnings about these records, for a server with these settings."""

    tables: dict[str, Table] = {}

    def say(names: Names | Mapping[tuple[str, str], list[Any]], **settings: str) -> list[str]:
        if repr(settings) not in tables:
            tables[repr(settings)] = Table(tmp_path, **{**RELAY, **SIGNS, **settings})
        table = tables[repr(settings)]
        table.app.extensions["blackticket"].dns = DnsClient(names if isinstance(names, Names) else knowing(names))
        with table.app.app_context():
            return own_domain.warnings()

    return say


def test_the_records_that_the_page_names_are_all_that_is_needed(says: Says):
    assert says(RECORDS) == []


def without(*names: tuple[str, str]) -> dict[tuple[str, str], list[Any]]:
    return {name: found for name, found in RECORDS.items() if name not in names}


PTR = f"0.1.{'0.' * 22}8.b.d.0.1.0.0.2.ip6.arpa"


def test_a_record_that_is_missing_or_wrong_is_named_with_what_mends_it(says: Says):
    for records, wrong, mended_by in (
        (without((DOMAIN, "TXT")), "no SPF record", '"v=spf1 mx -all"'),
        (RECORDS | {(DOMAIN, "TXT"): [b"v=spf1 mx -all", b"V=SPF1 -all"]}, "has 2 SPF records", "keep one"),
        (without((f"_dmarc.{DOMAIN}", "TXT")), "no DMARC record", f'_dmarc.{DOMAIN}. TXT "v=DMARC1; p=quarantine'),
        (without((f"2026._domainkey.{DOMAIN}", "TXT")), f"2026._domainkey.{DOMAIN} has no DKIM", WRITTEN),
        (RECORDS | {(f"2026._domainkey.{DOMAIN}", "TXT"): [b"v=DKIM1; p="]}, "has no DKIM key", WRITTEN),
        (
            RECORDS | {(f"2026._domainkey.{DOMAIN}", "TXT"): [b"v=DKIM1; k=rsa; p=MIIB"]},
            "is not that of DKIM_KEY", WRITTEN,
        ),
        (without((PTR, "PTR")), "2001:db8::10 has no PTR record", f"set it to mx.{DOMAIN}"),
        (
            RECORDS | {("10.2.0.192.in-addr.arpa", "PTR"): ["static.example.net"]},
            "The PTR record of 192.0.2.10 names static.example.net, which does not lead back", f"set it to mx.{DOMAIN}",
        ),
        (without((DOMAIN, "MX")), "has no MX record", f'"{DOMAIN}. MX 10"'),
    ):  # fmt: skip
        (sentence,) = says(records)
        assert wrong in sentence
        assert mended_by in sentence, wrong


def test_a_mail_server_without_an_address_is_named(says: Says):
    records = without((f"mx.{DOMAIN}", "A"), (f"mx.{DOMAIN}", "AAAA"))
    assert says(records) == [f"The mail server mx.{DOMAIN} of {DOMAIN} has no address in DNS: add an A record."]


def test_a_dkim_record_may_be_written_with_blanks(says: Says):
    spaced = PUBLISHED.replace(b"p=", b"p = ").replace(b";", b" ;")
    assert says(RECORDS | {(f"2026._domainkey.{DOMAIN}", "TXT"): [spaced]}) == []


def test_of_a_relay_elsewhere_only_the_records_of_the_domain_are_asked(says: Says):
    relay = {"smtp_url": "smtps://relay.example.net", "dkim_key": ""}
    of_the_domain = {name: found for name, found in RECORDS.items() if name[1] == "TXT"}
    assert says(of_the_domain, **relay) == []
    (sentence,) = says({}, **relay)[1:]
    assert sentence.endswith("add a TXT record, the record that your relay's provider names.")


@pytest.mark.parametrize("settings", [{"mail_domain": "localhost"}, {"smtp_url": ""}])
def test_nobody_is_asked_where_no_mail_leaves_under_a_domain(says: Says, settings: dict[str, str]):
    names = Names()
    assert says(names, **settings) == []
    assert names.asked == []


def test_a_name_service_that_is_silent_is_asked_once_and_named(says: Says):
    names = Weary("TXT")
    (sentence,) = says(names)
    assert sentence.startswith(f"The name service does not answer, so not all records of {DOMAIN} were checked: see ")
    assert len(names.asked) == 1
    assert names.patience[0] <= PATIENCE


def test_what_was_found_before_the_name_service_fell_silent_is_told(says: Says):
    names = Weary("MX")
    assert [sentence.split()[0] for sentence in says(names)] == [f"2026._domainkey.{DOMAIN}", DOMAIN, "The"]


def test_records_can_be_copied_into_a_zone_file_as_they_are_told(says: Says):
    names = (f"_dmarc.{DOMAIN}", f"2026._domainkey.{DOMAIN}")
    missing = {key: value for key, value in RECORDS.items() if key[0] not in names}
    told = says(knowing(missing))
    lines = [re.search(r"\S+\. TXT .*", sentence)[0] for sentence in told]  # type: ignore[index]
    zone = dns.zone.from_text("\n".join(lines).replace(" TXT ", " 300 IN TXT "), DOMAIN, check_origin=False)
    for name in names:
        (record,) = zone.find_rdataset(name.removesuffix(f".{DOMAIN}"), "TXT")
        assert b"".join(record.strings) == RECORDS[name, "TXT"][0]


def test_doctor_prints_them_as_faults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    environ = {f"BLACKTICKET_{name.upper()}": value for name, value in {**RELAY, **SIGNS}.items()}
    environ["BLACKTICKET_AUTHSERV_ID"] = "mx.play.example.org"
    for records, number in ((RECORDS, 0), (without((DOMAIN, "MX")), 1)):
        told = CliRunner(env=environ).invoke(
            main, ["doctor", "--json"], obj=for_command(dns=DnsClient(knowing(records)))
        )
        assert len([each for each in json.loads(told.stdout)["faults"] if DOMAIN in each]) == number, told.output
