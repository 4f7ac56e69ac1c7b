"""OpenDKIM and OpenDMARC beside Postfix, with the files of `deploy/`: what they refuse and what the server believes."""

import re
import shutil
import smtplib
import socket
import subprocess
import tempfile
import threading
from base64 import b64encode
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import dns.flags
import dns.message
import dns.rcode
import dns.rdatatype
import dns.rrset
import pytest
from cryptography.hazmat.primitives import serialization

from server.mail.transport.smtp_server import listen
from server.settings import Listen
from tests.docs.pages import page
from tests.mail.real_servers import PATIENCE, Servers, running, why_not
from tests.mail.test_real_servers import Scene, until
from tests.mail.trust.signing import keys, signed
from tests.relays import free_port, wait_for
from tests.scenes import hunt
from tests.table import Table

MISSING = [name for name in ("opendkim", "opendmarc", "unshare") if shutil.which(name) is None]
REASON = why_not() or (
    f"{' and '.join(MISSING)} not installed: apt-get install opendkim opendmarc" if MISSING else None
)
pytestmark = pytest.mark.skipif(REASON is not None, reason=str(REASON))
NAME_SERVER = "127.53.0.1"
OUTSIDE = "203.0.113.9"  # the milters pass over what comes from the machine itself
HOST = "mx.play.test"
FILE = {"opendkim": "-x", "opendmarc": "-c"}


class NameServer:
    """A name server that knows TXT records, until the end of the block."""

    def __init__(self) -> None:
        self.records: dict[str, str] = {}
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind((NAME_SERVER, 53))
        self._thread = threading.Thread(target=self._serve)

    def __enter__(self) -> "NameServer":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.sendto(b"", (NAME_SERVER, 53))
        self._thread.join()
        self._socket.close()

    def _serve(self) -> None:
        while True:
            data, client = self._socket.recvfrom(4096)
            if not data:
                return
            self._socket.sendto(self._answer(dns.message.from_wire(data)).to_wire(), client)

    def _answer(self, asked: dns.message.Message) -> dns.message.Message:
        answer = dns.message.make_response(asked)
        answer.flags |= dns.flags.RA
        name = asked.question[0].name
        text = self.records.get(name.to_text(omit_final_dot=True).lower())
        if text is None:
            answer.set_rcode(dns.rcode.NXDOMAIN)
        elif asked.question[0].rdtype == dns.rdatatype.TXT:
            parts = " ".join(f'"{text[begin : begin + 250]}"' for begin in range(0, len(text), 250))
            answer.answer.append(dns.rrset.from_text(name, 0, "IN", "TXT", parts))
        return answer


@contextmanager
def milter(name: str, folder: Path, port: int, more: str = "") -> Iterator[None]:
    """Run one of the two with its file of `deploy/`, asking `NAME_SERVER`."""
    text = page(f"deploy/{name}.conf").replace("mx.play.example.org", HOST)
    text = re.sub(r"inet:\d+@", f"inet:{port}@", text).replace(f"/run/{name}/", f"{folder}/")
    text = text.replace("Syslog                  ", "Syslog                  false # ")
    (folder / f"{name}.conf").write_text(f"{text}{more}")
    (folder / "resolv.conf").write_text(f"nameserver {NAME_SERVER}\n")
    # It reads /etc/resolv.conf, so it gets another one for itself alone.
    script = f"mount --bind {folder}/resolv.conf /etc/resolv.conf && exec {name} -f {FILE[name]} {folder}/{name}.conf"
    process = subprocess.Popen(["unshare", "--mount", "sh", "-c", script])
    try:
        wait_for(port)
        yield
    finally:
        process.kill()
        process.wait(PATIENCE)


@pytest.fixture(scope="module")
def zone() -> Iterator[NameServer]:
    with NameServer() as found:
        yield found


@pytest.fixture(scope="module")
def servers(zone: NameServer) -> Iterator[Servers]:
    folder = Path(tempfile.mkdtemp(prefix="blackticket-dmarc-"))
    folder.chmod(0o755)
    opendkim, opendmarc = free_port(), free_port()
    told = re.search(r"^smtpd_milters = .*$", page("docs/hosting.md"), re.MULTILINE)
    assert told is not None
    milters = told[0].replace("8891", str(opendkim)).replace("8893", str(opendmarc))
    with ExitStack() as stack:
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        stack.enter_context(milter("opendkim", folder, opendkim, f"Nameservers {NAME_SERVER}\n"))
        stack.enter_context(milter("opendmarc", folder, opendmarc))
        # Only so can a test pretend to be elsewhere.
        yield stack.enter_context(running(folder, f"{milters}\nsmtpd_authorized_xclient_hosts = 127.0.0.1\n"))


@pytest.fixture
def scene(servers: Servers, tmp_path: Path) -> Iterator[Scene]:
    """A game in which Ben, at example.org, has to move; the server believes the milters."""
    table = Table(tmp_path, sandbox="1", min_turn="PT1S", mail_domain="play.test", authserv_id=HOST)
    listener = listen(table.app, Listen("lmtp", "127.0.0.1", servers.play_lmtp))
    yield Scene(servers, hunt(table))
    listener.stop()


def mail(scene: Scene, *fields: str) -> bytes:
    """Return Ben's move as a mail."""
    to = f"turn+{scene.token()}@play.test"
    lines = (*fields, "From: ben@example.org", f"To: {to}", "Subject: Re: x", f"Message-ID: <{scene.token()}@x>",
             "Date: Sun, 22 Nov 2026 18:00:00 +0000", "", "bus 102", "")  # fmt: skip
    return "\r\n".join(lines).encode()


def deliver(scene: Scene, raw: bytes) -> None:
    """Bring a mail to Postfix from outside."""
    with smtplib.SMTP("127.0.0.1", scene.servers.smtp, timeout=PATIENCE) as client:
        client.ehlo()
        client.docmd("XCLIENT", f"ADDR={OUTSIDE} NAME=[UNAVAILABLE] HELO=mail.example.org")
        client.ehlo()
        client.sendmail("ben@example.org", [f"turn+{scene.token()}@play.test"], raw)


def outcome(scene: Scene) -> tuple[str, list[str]]:
    """Return what the server found about the one mail, and the moves that were made."""
    (row,) = until(scene.rows)
    scene.table.tick()
    (row,) = scene.rows()
    return str(row.checked), scene.history()


def public_key() -> str:
    """Return the record with the public half of the key of `signed`, as OpenDKIM takes it."""
    private = serialization.load_pem_private_key(keys()[0], None)
    public = private.public_key().public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    return f"v=DKIM1; k=rsa; p={b64encode(public).decode()}"


def test_a_mail_that_its_domain_asks_to_refuse_is_refused_while_the_sender_waits(scene: Scene, zone: NameServer):
    zone.records = {"_dmarc.example.org": "v=DMARC1; p=reject", "example.org": "v=spf1 -all"}
    with pytest.raises(smtplib.SMTPDataError) as refused:
        deliver(scene, mail(scene))
    assert refused.value.smtp_code == 550
    assert b"DMARC" in refused.value.smtp_error
    assert scene.rows() == []


@pytest.mark.parametrize("claim", [(), (f"Authentication-Results: {HOST}; dmarc=pass header.from=example.org",)])
def test_a_mail_that_its_domain_asks_to_quarantine_is_not_obeyed_whatever_it_claims(
    scene: Scene, zone: NameServer, claim: tuple[str, ...]
):
    zone.records = {"_dmarc.example.org": "v=DMARC1; p=quarantine", "example.org": "v=spf1 -all"}
    deliver(scene, mail(scene, *claim))
    checked, history = outcome(scene)
    assert checked == "spf=fail dmarc=fail by=upstream"
    assert history == ["black ?"]


def test_a_mail_from_where_its_domain_sends_is_obeyed(scene: Scene, zone: NameServer):
    zone.records = {"_dmarc.example.org": "v=DMARC1; p=reject", "example.org": f"v=spf1 ip4:{OUTSIDE} -all"}
    deliver(scene, mail(scene))
    checked, history = outcome(scene)
    assert checked == "spf=pass dmarc=pass by=upstream"
    assert history == ["black ?", "purple bus 102"]


def test_a_signed_mail_that_was_passed_on_is_obeyed(scene: Scene, zone: NameServer):
    zone.records = {
        "_dmarc.example.org": "v=DMARC1; p=reject",
        "example.org": "v=spf1 -all",
        "s._domainkey.example.org": public_key(),
    }
    deliver(scene, signed(mail(scene)))
    checked, history = outcome(scene)
    assert checked == "dkim=pass spf=fail dmarc=pass by=upstream"
    assert history == ["black ?", "purple bus 102"]
