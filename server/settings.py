"""The settings, read from the environment once at the start.

Every one is `BLACKTICKET_<NAME>`; secrets may lie in a file named by `BLACKTICKET_<NAME>_FILE`.
A wrong value stops the start with one sentence that names the setting.
"""

import difflib
import ipaddress
import os
import re
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from datetime import timedelta
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import SplitResult, unquote, urlsplit

from server.durations import parse_duration

PREFIX = "BLACKTICKET_"
SECRETS = (
    "SECRET_KEY", "DATABASE_URL", "SMTP_URL", "METRICS_TOKEN", "IMAP_URL", "POSTMARK_SECRET", "MAILGUN_SIGNING_KEY",
    "DKIM_KEY",
    "ALERT_URL",
)  # fmt: skip
# Read at the start by every command, where it is: what `blackticket setup` writes.
SETTINGS_FILE = "blackticket.env"


class SettingError(Exception):
    """A setting that cannot be used; the message is one sentence for the operator."""


@dataclass(frozen=True)
class Listen:
    """An address to listen on; `protocol` is `http`, `smtp` or `lmtp`."""

    protocol: str
    host: str
    port: int

    def __str__(self) -> str:
        return f"{self.protocol}://{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}"

    @property
    def is_loopback(self) -> bool:
        """Whether nobody but this machine can reach it."""
        return is_loopback(self.host)


@dataclass(frozen=True)
class Rate:
    """How much of something there may be: `most` in every `window`, written `600/PT1M`."""

    most: int
    window: timedelta


@dataclass(frozen=True)
class Relay:
    """Where mail is handed over, from `SMTP_URL`; TLS from the first byte for `smtps`."""

    host: str
    port: int
    user: str | None
    password: str | None = field(repr=False)
    tls: bool
    starttls: bool


@dataclass(frozen=True)
class Mailbox:
    """A mailbox that is read by IMAP, from `IMAP_URL`; TLS from the first byte for `imaps`."""

    host: str
    port: int
    user: str
    password: str = field(repr=False)
    folder: str
    tls: bool
    starttls: bool

    @property
    def name(self) -> str:
        """What tells it from others, without its password."""
        return f"{self.user}@{self.host}/{self.folder}"


@dataclass(frozen=True)
class Settings:
    """All settings, checked. `var` is the data folder."""

    var: Path
    database_url: str = field(repr=False)
    secret_key: str = field(repr=False)
    public_url: str | None = None
    http_listen: Listen = Listen("http", "127.0.0.1", 8000)
    mail_listen: tuple[Listen, ...] = (Listen("smtp", "127.0.0.1", 2525),)
    mail_domain: str = "localhost"
    play_address: str = "play@localhost"
    reply_address: str = "turn+{token}@localhost"
    bounce_address: str = "turn+{token}@localhost"
    mail_name: str = "Black Ticket"
    imap_url: Mailbox | None = None
    authserv_id: str | None = None
    smtp_url: Relay | None = None
    postmark_secret: str | None = field(default=None, repr=False)
    mailgun_signing_key: str | None = field(default=None, repr=False)
    dkim_key: str | None = field(default=None, repr=False)
    dkim_selector: str = "blackticket"
    dev_mail: bool = False
    alert_url: str | None = field(default=None, repr=False)
    tick_seconds: float = 5.0
    min_turn: timedelta = timedelta(minutes=10)
    sandbox: bool = False
    mail_limit: Rate | None = None
    rate_limit: Rate | None = Rate(600, timedelta(minutes=1))
    metrics_token: str | None = field(default=None, repr=False)

    @property
    def is_for_trying_out(self) -> bool:
        """Whether nothing here faces the world. A proxy in front would not show, but a domain or a relay does."""
        faces_it = self.public_url or self.smtp_url or self.imap_url or self.mail_domain != "localhost"
        return self.http_listen.is_loopback and not faces_it

    @classmethod
    def from_environ(cls, environ: Mapping[str, str], var: Path | None = None) -> "Settings":
        """Read and check them; `SettingError` names the first that is wrong.

        Makes the data folder and, on the first start, the secret key.
        """
        given = _given(environ)
        folder = Path(var or "var").resolve()
        make_folder(folder)
        values: dict[str, object] = {
            setting.name: _read(name, _READERS[name], given[name])
            for setting in fields(cls)
            if (name := setting.name.upper()) in given and name in _READERS
        }
        domain = str(values.setdefault("mail_domain", cls.mail_domain))
        for name in ("play_address", "reply_address"):
            form = str(values.get(name, getattr(cls, name).replace("@localhost", "@{domain}")))
            values[name] = form.replace("{domain}", domain)
        bounces = str(values.get("bounce_address", _bounces(values)))
        values["bounce_address"] = bounces.replace("{domain}", domain)
        values.setdefault("database_url", f"sqlite:///{folder / 'blackticket.db'}")
        if "secret_key" not in values:
            values["secret_key"] = _kept_secret(folder)
        return cls(var=folder, **values)  # type: ignore[arg-type]


def environment(environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """`environ`, and what it does not say from the settings file of this folder, if there is one.

    A line is `BLACKTICKET_NAME=value`, as systemd reads it too; `#` begins a comment. `SettingError` names a wrong one.
    """
    path = Path(SETTINGS_FILE)
    try:
        lines = path.read_text().splitlines() if path.exists() else []
    except (OSError, ValueError):
        raise SettingError(f"{path.resolve()} is there, and cannot be read as text.") from None
    written: dict[str, str] = {}
    for number, line in enumerate(map(str.strip, lines), 1):
        name, equals, value = line.partition("=")
        if not line or line.startswith("#"):
            continue
        if not equals or not name.startswith(PREFIX):
            raise SettingError(f"Line {number} of {path.resolve()} is no setting; write {PREFIX}NAME=value.")
        written[name.strip()] = value.strip()
    said = {name.removesuffix("_FILE") for name in environ}
    return {name: value for name, value in written.items() if name.removesuffix("_FILE") not in said} | dict(environ)


def make_folder(folder: Path) -> None:
    """Make the data folder; `SettingError` when it cannot be written to."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        probe = folder / f".probe-{secrets.token_hex(4)}"
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise SettingError(
            f"The data folder {folder} cannot be written to ({error.strerror}); "
            "start Black Ticket in a folder its user owns."
        ) from None


def _given(environ: Mapping[str, str]) -> dict[str, str]:
    known = {setting.name.upper() for setting in fields(Settings)} - {"VAR"}
    given: dict[str, str] = {}
    for key, value in environ.items():
        if not key.startswith(PREFIX):
            continue
        name = key.removeprefix(PREFIX)
        if name.endswith("_FILE") and name.removesuffix("_FILE") in SECRETS:
            name = name.removesuffix("_FILE")
            try:
                value = Path(value).read_text().strip()  # noqa: PLW2901 the file stands for the value
            except (OSError, ValueError) as error:
                why = error.strerror if isinstance(error, OSError) else "it is not text"
                raise SettingError(f"{key} names a file that cannot be read: {why}.") from None
        if name not in known:
            near = difflib.get_close_matches(name, sorted(known), 1)
            hint = f"; did you mean {PREFIX}{near[0]}?" if near else "."
            raise SettingError(f"{key} is not a setting{hint}")
        if name in given:
            raise SettingError(f"{PREFIX}{name} and {PREFIX}{name}_FILE are both set; keep one of them.")
        given[name] = value
    return given


def read_setting(name: str, text: str) -> object:
    """What a setting means; `SettingError` when it cannot be that."""
    return _read(name, _READERS[name], text)


def _read(name: str, reader: Callable[[str], object], text: str) -> object:
    try:
        return reader(text.strip())
    except ValueError as error:
        # The value of a secret stays out of the message: it ends in a terminal or a log.
        shown = "its value" if name in SECRETS else repr(text)
        raise SettingError(f"{PREFIX}{name} is wrong: {shown} {error}.") from None


def _kept_secret(folder: Path) -> str:
    path = folder / "secret_key"
    if (folder / "blackticket.db").exists() and not path.exists():  # in this order, as the key is there first
        raise SettingError(f"{path} is missing, and the database beside it opens with no other key; restore it.")
    try:
        if not path.exists():
            _make_secret(path)
        kept = path.read_text().strip()
    except OSError as error:
        raise SettingError(f"The secret key cannot be kept in {path} ({error.strerror}).") from None
    if len(kept) < 32:
        raise SettingError(f"{path} holds no usable key; restore it from a backup.")
    return kept


def _make_secret(path: Path) -> None:
    """Several processes may start at once: the key of the first appears, whole, and the others read it."""
    whole = path.with_name(f".secret_key-{secrets.token_hex(4)}")
    with os.fdopen(os.open(whole, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as file:
        file.write(secrets.token_hex(32))
        file.flush()
        os.fsync(file.fileno())
    try:
        path.hardlink_to(whole)
    except FileExistsError:
        pass
    finally:
        whole.unlink()


def _flag(text: str) -> bool:
    if text.lower() in ("1", "true", "yes", "on"):
        return True
    if text.lower() in ("0", "false", "no", "off", ""):
        return False
    raise ValueError("is neither yes nor no")


def _url(text: str, wrong: str) -> SplitResult:
    """`text` as a URL; `ValueError` with the words `wrong`, since those of the library may quote a password."""
    try:
        url = urlsplit(text)
        url.port  # noqa: B018 read for the error it may raise
    except ValueError:
        raise ValueError(wrong) from None
    return url


def _listen(text: str, protocols: tuple[str, ...], example: str) -> Listen:
    wrong = f"is no address with a port; write it like {example}"
    url = _url(text if "://" in text else f"{protocols[0]}://{text}", wrong)
    if url.scheme not in protocols or not url.hostname or url.port is None or url.path.strip("/"):
        raise ValueError(wrong)
    return Listen(url.scheme, url.hostname, url.port)


def _http_listen(text: str) -> Listen:
    return _listen(text, ("http",), "http://127.0.0.1:8000")


def _mail_listen(text: str) -> tuple[Listen, ...]:
    parts = [part.strip() for part in text.split(",")]
    return tuple(_listen(part, ("smtp", "lmtp"), "smtp://127.0.0.1:2525") for part in parts if part)


def _relay(text: str) -> Relay | None:
    if not text:
        return None
    wrong = "is no relay; write it like smtps://user:password@mail.example.org"
    url = _url(text, wrong)
    if url.scheme not in ("smtp", "smtps", "smtp+starttls") or not url.hostname:
        raise ValueError(wrong)
    return Relay(
        url.hostname,
        url.port or {"smtps": 465, "smtp": 25}.get(url.scheme, 587),
        unquote(url.username) if url.username else None,
        unquote(url.password) if url.password else None,
        tls=url.scheme == "smtps",
        starttls=url.scheme == "smtp+starttls",
    )


def _mailbox(text: str) -> Mailbox | None:
    if not text:
        return None
    wrong = "is no mailbox; write it like imaps://user:password@mail.example.org/INBOX"
    url = _url(text, wrong)
    if url.scheme not in ("imap", "imaps") or not (url.hostname and url.username and url.password):
        raise ValueError(wrong)
    return Mailbox(
        url.hostname,
        url.port or {"imaps": 993}.get(url.scheme, 143),
        unquote(url.username),
        unquote(url.password),
        unquote(url.path).strip("/") or "INBOX",
        tls=url.scheme == "imaps",
        starttls=url.scheme == "imap" and not is_loopback(url.hostname),
    )


def is_loopback(host: str) -> bool:
    """Whether `host` is this machine: nobody else can reach it, and nobody listens on the way."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _mail_name(text: str) -> str:
    if not text or len(text) > 60 or not text.isprintable() or set(text) & set('<>"@,;:\\'):
        raise ValueError("is no name for a sender; write it like Black Ticket")
    return text


def _key_of_provider(text: str) -> str | None:
    if text and len(text) < 16:
        raise ValueError("is shorter than 16 characters, so it could be guessed")
    return text or None


def _dkim_key(text: str) -> str | None:
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey  # noqa: PLC0415 few set it
    from cryptography.hazmat.primitives.serialization import load_pem_private_key  # noqa: PLC0415

    if not text:
        return None
    try:
        key = load_pem_private_key(text.encode(), None)
    except (ValueError, TypeError):
        key = None
    if not isinstance(key, RSAPrivateKey) or key.key_size < 2048:
        raise ValueError("is no RSA key of 2048 bits or more, as PEM and without a password")
    return text


def _domain(text: str) -> str:
    if not re.fullmatch(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?", text.lower()):
        raise ValueError("is no domain; write it like play.example.org")
    return text.lower()


def _authserv_id(text: str) -> str | None:
    if not re.fullmatch(r"[\w.-]{0,100}", text, re.ASCII):
        raise ValueError("is not what a mail server calls itself in Authentication-Results; write mx.example.org")
    return text.lower() or None


def _address(text: str) -> str:
    if not re.fullmatch(r"[\w.+={}-]+@[\w.{}-]+", text):
        raise ValueError("is no mail address; write it like play@play.example.org")
    return text


def _reply_address(text: str) -> str:
    """With the token in the address; or, where a mailbox has one address only, in the name before it."""
    if text.count("{token}") != 1:
        raise ValueError("has no {token}, by which replies are told apart")
    named = re.fullmatch(r"([\w .'-]*\{token\}[\w .'-]*) <([^<>]+)>", text)
    return f"{named[1].strip()} <{_address(named[2])}>" if named else _address(text)


def _bounces(values: Mapping[str, object]) -> str:
    """Where reports go: to an address of each mail's own where the domain is ours.

    A provider of mailboxes may refuse any sender but the one address, so there it is that.
    """
    form = str(values["reply_address"])
    return str(values["play_address"]) if values.get("imap_url") or " <" in form else form


def _bounce_address(text: str) -> str:
    if text.count("{token}") > 1:
        raise ValueError("has more than one {token}")
    return _address(text)


def _public_url(text: str) -> str | None:
    return _site(text, "is no address of a site; write it like https://play.example.org").rstrip("/") or None


def _alert_url(text: str) -> str | None:
    wrong = "is no address that could be called; write it like https://watchdog.example.org/ping"
    if not text.isascii() or not text.isprintable() or " " in text:
        raise ValueError(wrong)
    return _site(text, wrong) or None


def _site(text: str, wrong: str) -> str:
    url = _url(text, wrong)
    if text and (url.scheme not in ("http", "https") or not url.netloc):
        raise ValueError(wrong)
    return text


def _seconds(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = 0
    if not 0.05 <= number <= 3600:
        raise ValueError("is not a number of seconds between 0.05 and 3600")
    return number


def _duration(text: str) -> timedelta:
    try:
        length = parse_duration(text)
    except ValueError:
        raise ValueError("is not a duration; write P2D for two days or PT10M for ten minutes") from None
    if length < timedelta(seconds=1):
        raise ValueError("is shorter than a second")
    return length


def _rate(text: str) -> Rate | None:
    if not text:
        return None
    wrong = "is no rate; write 600/PT1M for 600 in a minute, or nothing for no limit"
    most, _, window = text.partition("/")
    try:
        rate = Rate(int(most), parse_duration(window))
    except ValueError:
        raise ValueError(wrong) from None
    if not (1 <= rate.most <= 10**9 and timedelta(seconds=1) <= rate.window <= timedelta(days=31)):
        raise ValueError(f"{wrong}, with a window of 1 second to 31 days")
    return rate


def _database(text: str) -> str:
    from sqlalchemy import make_url  # noqa: PLC0415 what runs on the default does not load it for this
    from sqlalchemy.exc import ArgumentError  # noqa: PLC0415

    wrong = "is no database; write sqlite:////path/to/file or postgresql://user@host/name"
    if not re.match(r"(sqlite|postgresql(\+psycopg)?)://", text):
        raise ValueError(wrong)
    try:
        url = make_url(re.sub(r"^postgresql://", "postgresql+psycopg://", text))
    except (ArgumentError, ValueError):
        raise ValueError(wrong) from None
    if url.get_backend_name() == "sqlite" and url.database in (None, "", ":memory:"):
        raise ValueError("names no file, so nothing would be kept; write sqlite:////path/to/file")
    if url.get_backend_name() == "postgresql" and find_spec("psycopg") is None:
        raise ValueError('needs psycopg, which is not installed; install blackticket with its extra "postgres"')
    return url.render_as_string(hide_password=False)


def _secret(text: str) -> str:
    if len(text) < 32:
        raise ValueError("is shorter than 32 characters, so it could be guessed")
    return text


_READERS: dict[str, Callable[[str], object]] = {
    "DATABASE_URL": _database,
    "SECRET_KEY": _secret,
    "PUBLIC_URL": _public_url,
    "HTTP_LISTEN": _http_listen,
    "MAIL_LISTEN": _mail_listen,
    "MAIL_DOMAIN": _domain,
    "PLAY_ADDRESS": _address,
    "REPLY_ADDRESS": _reply_address,
    "BOUNCE_ADDRESS": _bounce_address,
    "MAIL_NAME": _mail_name,
    "IMAP_URL": _mailbox,
    "AUTHSERV_ID": _authserv_id,
    "SMTP_URL": _relay,
    "POSTMARK_SECRET": _key_of_provider,
    "MAILGUN_SIGNING_KEY": _key_of_provider,
    "DKIM_KEY": _dkim_key,
    "DKIM_SELECTOR": _domain,
    "DEV_MAIL": _flag,
    "ALERT_URL": _alert_url,
    "TICK_SECONDS": _seconds,
    "MIN_TURN": _duration,
    "SANDBOX": _flag,
    "MAIL_LIMIT": _rate,
    "RATE_LIMIT": _rate,
    "METRICS_TOKEN": _secret,
}
