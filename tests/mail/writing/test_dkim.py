"""With a key set, every mail is signed so that whoever gets it can tell it comes from our domain."""

import base64
from pathlib import Path

import dkim
import pytest
from cryptography.hazmat.primitives.asymmetric import ed25519, rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from server.settings import SettingError, Settings
from tests.scenes import chase_announced
from tests.table import Table

KEY = rsa.generate_private_key(65537, 2048)
PEM = KEY.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
NAME = b"2026._domainkey.play.example.org."
RECORD = b"v=DKIM1; k=rsa; p=" + base64.b64encode(
    KEY.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
)


@pytest.fixture(scope="module")
def sent(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A turn mail with a name that is not ASCII, as it is handed over."""
    table = Table(
        tmp_path_factory.mktemp("signed"), sandbox="1", mail_domain="play.example.org", mail_name="Zoë's server",
        dkim_key=PEM, dkim_selector="2026",
    )  # fmt: skip
    chase_announced(table)
    return table.post.sent[-1].raw


def is_good(raw: bytes) -> bool:
    found: bool = dkim.verify(raw, dnsfunc=lambda name, timeout=5: RECORD if name == NAME else None)
    return found


def test_a_signed_mail_is_good(sent: bytes):
    assert is_good(sent)
    assert b"d=play.example.org" in sent.partition(b"From:")[0].replace(b"\r\n ", b" ")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"Answer above this line", b"Answer below this line"),
        (b"Subject: ", b"Subject: Not "),
        (b"Reply-To: ", b"Reply-To: eve@example.org, "),
        (b"List-Unsubscribe: ", b"List-Unsubscribe: <https://eve.example>, "),
    ],
)
def test_nothing_that_a_reader_sees_can_be_changed(sent: bytes, old: bytes, new: bytes):
    assert old in sent
    assert not is_good(sent.replace(old, new))


@pytest.mark.parametrize("field", [b"From: Eve <eve@example.org>", b"To: eve@example.org", b"Subject: Hello"])
def test_no_second_field_can_be_put_above_ours(sent: bytes, field: bytes):
    assert not is_good(field + b"\r\n" + sent)


def test_without_a_key_nothing_is_signed(table: Table):
    chase_announced(table)
    assert not any(b"DKIM-Signature" in letter.raw for letter in table.post.sent)


@pytest.mark.parametrize(
    "key",
    [
        "no key",
        ed25519.Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode(),
        rsa.generate_private_key(65537, 1024).private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode(),
    ],
    ids=["no key", "another kind", "too short"],
)
def test_what_is_no_good_key_stops_the_start_and_is_not_shown(tmp_path: Path, key: str):
    with pytest.raises(SettingError, match="BLACKTICKET_DKIM_KEY is wrong: its value is no RSA key") as refused:
        Settings.from_environ({"BLACKTICKET_DKIM_KEY": key}, tmp_path)
    assert key not in str(refused.value)


def test_the_key_may_lie_in_a_file(tmp_path: Path):
    (tmp_path / "key.pem").write_text(PEM)
    settings = Settings.from_environ({"BLACKTICKET_DKIM_KEY_FILE": str(tmp_path / "key.pem")}, tmp_path)
    assert settings.dkim_key == PEM.strip()
    assert "PRIVATE" not in repr(settings)
