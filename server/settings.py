"""The settings, read from the environment once at the start.

Every one is `BLACKTICKET_<NAME>`; secrets may lie in a file named by `BLACKTICKET_<NAME>_FILE`.
A wrong value stops the start with one sentence that names the setting.
"""

import difflib
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
SECRETS = ("SECRET_KEY", "DATABASE_URL", "SMTP_URL")
# Promised for a later version: refused by name, so that nobody believes they work.
NOT_YET = ("IMAP_URL", "AUTHSERV_ID", "MAIL_LIMIT", "ALERT_URL")


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
    smtp_url: Relay | None = None
    dev_mail: bool = False
    tick_seconds: float = 5.0
    min_turn: timedelta = timedelta(minutes=10)
    sandbox: bool = False

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
        values.setdefault("database_url", f"sqlite:///{folder / 'blackticket.db'}")
        if "secret_key" not in values:
            values["secret_key"] = _kept_secret(folder)
        return cls(var=folder, **values)  # type: ignore[arg-type]


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
        if name in NOT_YET:
            raise SettingError(f"{key} is not supported by this version; take it out.")
        if name not in known:
            near = difflib.get_close_matches(name, sorted(known), 1)
            hint = f"; did you mean {PREFIX}{near[0]}?" if near else "."
            raise SettingError(f"{key} is not a setting{hint}")
        if name in given:
            raise SettingError(f"{PREFIX}{name} and {PREFIX}{name}_FILE are both set; keep one of them.")
        given[name] = value
    return given


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


def _domain(text: str) -> str:
    if not re.fullmatch(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?", text.lower()):
        raise ValueError("is no domain; write it like play.example.org")
    return text.lower()


def _address(text: str) -> str:
    if not re.fullmatch(r"[\w.+={}-]+@[\w.{}-]+", text):
        raise ValueError("is no mail address; write it like play@play.example.org")
    return text


def _reply_address(text: str) -> str:
    if text.count("{token}") != 1:
        raise ValueError("has no {token}, by which replies are told apart")
    return _address(text)


def _public_url(text: str) -> str | None:
    wrong = "is no address of a site; write it like https://play.example.org"
    url = _url(text, wrong)
    if text and (url.scheme not in ("http", "https") or not url.netloc):
        raise ValueError(wrong)
    return text.rstrip("/") or None


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
    "SMTP_URL": _relay,
    "DEV_MAIL": _flag,
    "TICK_SECONDS": _seconds,
    "MIN_TURN": _duration,
    "SANDBOX": _flag,
}
