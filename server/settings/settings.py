"""The settings, read from the environment once at the start.

Every one is `BLACKTICKET_<NAME>`; secrets may lie in a file named by `BLACKTICKET_<NAME>_FILE`.
A wrong value stops the start with one sentence that names the setting.
"""

import difflib
import os
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from server.settings import parsing
from server.settings.folder import SECRET_KEY_FILE, kept_secret, make_folder
from server.settings.kinds import Admission, Listen, Mailbox, Network, Rate, Relay, SettingError, is_loopback, is_own

PREFIX = "BLACKTICKET_"
# Settings of `blackticket play`, which may speak to this server or another.
OF_PLAYERS = frozenset({"URL", "TOKEN"})
# The file that `blackticket setup` writes; every command reads it from the folder in which it is started.
SETTINGS_FILE = "blackticket.env"


def _setting(read: Callable[[str], object], default: Any = MISSING, *, is_secret: bool = False) -> Any:
    """Return the field of a setting, whose text `read` reads; a secret may lie in a file, and stays out of messages."""
    return field(default=default, repr=not is_secret, metadata={"read": read, "is_secret": is_secret})


@dataclass(frozen=True)
class Settings:
    """All settings, checked. `var` is the data folder, and `secret_key_from` the setting or file of the secret key.

    `secret_key_path` is that file, or None if the setting itself holds the key.
    """

    var: Path
    secret_key_from: str
    database_url: str = _setting(parsing.read_database, is_secret=True)
    secret_key: str = _setting(parsing.read_secret, is_secret=True)
    secret_key_path: Path | None = None
    database_connections: int = _setting(parsing.read_connections, 8)
    public_url: str | None = _setting(parsing.read_public_url, None)
    http_listen: Listen = _setting(parsing.read_http_listen, Listen("http", "127.0.0.1", 8000))
    trusted_proxies: tuple[Network, ...] = _setting(parsing.read_proxies, ())
    mail_listen: tuple[Listen, ...] = _setting(parsing.read_mail_listen, (Listen("smtp", "127.0.0.1", 2525),))
    mail_domain: str = _setting(parsing.read_domain, "localhost")
    play_address: str = _setting(parsing.read_address, "play@localhost")
    reply_address: str = _setting(parsing.read_reply_address, "turn+{token}@localhost")
    bounce_address: str = _setting(parsing.read_bounce_address, "turn+{token}@localhost")
    mail_name: str = _setting(parsing.read_mail_name, "Black Ticket")
    imap_url: Mailbox | None = _setting(parsing.read_mailbox, None, is_secret=True)
    mailbox_is_own: bool = _setting(parsing.read_flag, False)
    authserv_id: str | None = _setting(parsing.read_authserv_id, None)
    smtp_url: Relay | None = _setting(parsing.read_relay, None, is_secret=True)
    postmark_secret: str | None = _setting(parsing.read_key_of_provider, None, is_secret=True)
    mailgun_signing_key: str | None = _setting(parsing.read_key_of_provider, None, is_secret=True)
    dkim_key: str | None = _setting(parsing.read_dkim_key, None, is_secret=True)
    dkim_selector: str = _setting(parsing.read_domain, "blackticket")
    dev_mail: bool = _setting(parsing.read_flag, False)
    operator_email: str | None = _setting(parsing.read_operator_email, None)
    alert_url: str | None = _setting(parsing.read_alert_url, None, is_secret=True)
    tick_seconds: float = _setting(parsing.read_seconds, 5.0)
    min_turn: timedelta = _setting(parsing.read_duration, timedelta(minutes=10))
    hold: timedelta = _setting(parsing.read_hold, timedelta(minutes=15))
    sandbox: bool = _setting(parsing.read_flag, False)
    admission: Admission = _setting(parsing.read_admission, Admission.EVERYBODY)
    guests: bool = _setting(parsing.read_flag, True)
    webhook_hosts: tuple[tuple[str, str, int], ...] = _setting(parsing.read_webhook_hosts, ())
    push: bool = _setting(parsing.read_flag, False)
    mail_limit: Rate | None = _setting(parsing.read_rate, None)
    rate_limit: Rate | None = _setting(parsing.read_rate, Rate(600, timedelta(minutes=1)))
    metrics_token: str | None = _setting(parsing.read_secret, None, is_secret=True)
    log_format: str = _setting(parsing.read_log_format, "text")

    @property
    def is_for_trying_out(self) -> bool:
        """Return True if nothing here faces the world: no proxy that is known, no domain, no relay."""
        mail = self.smtp_url or self.imap_url or self.mail_domain != "localhost"
        faces_it = self.public_url or self.trusted_proxies or mail
        return self.http_listen.is_loopback and not faces_it

    @property
    def believes_senders(self) -> bool:
        """Return True if a stranger is answered without proof: all mail stays here, for the development mailbox."""
        return self.dev_mail and not (self.smtp_url or self.imap_url)

    def owns(self, address: str) -> bool:
        """Return True if mail to `address` comes to this server itself, so that it can be nobody's."""
        return is_own(address, (self.play_address, self.reply_address, self.bounce_address), self.mail_domain)

    @classmethod
    def from_environ(cls, environ: Mapping[str, str], var: Path | None = None) -> "Settings":
        """Read and check the settings; `SettingError` names the first that is wrong.

        Makes the data folder and, on the first start, the secret key.
        """
        given = _given(environ)
        folder = Path(var or "var").resolve()
        make_folder(folder)
        values: dict[str, object] = {
            name.lower(): parse_setting(name, given[name]) for name in READERS if name in given
        }
        domain = str(values.setdefault("mail_domain", cls.mail_domain))
        for name in ("play_address", "reply_address"):
            form = str(values.get(name, getattr(cls, name).replace("@localhost", "@{domain}")))
            values[name] = form.replace("{domain}", domain)
        bounces = str(values.get("bounce_address", _bounces(values)))
        values["bounce_address"] = bounces.replace("{domain}", domain)
        check_operator(values)
        values.setdefault("database_url", f"sqlite:///{folder / 'blackticket.db'}")
        values["secret_key_from"] = _source_of_key(environ, folder)
        values["secret_key_path"] = _file_of_key(environ, folder)
        if "secret_key" not in values:
            values["secret_key"] = kept_secret(folder)
        settings = cls(var=folder, **values)  # type: ignore[arg-type]
        _check_together(settings)
        return settings


_GIVEN = [setting for setting in fields(Settings) if setting.metadata]
READERS: dict[str, Callable[[str], object]] = {setting.name.upper(): setting.metadata["read"] for setting in _GIVEN}
SECRETS = tuple(setting.name.upper() for setting in _GIVEN if setting.metadata["is_secret"])


def environment(environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return `environ`, with what it lacks taken from the settings file of this folder, if there is one.

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


def _given(environ: Mapping[str, str]) -> dict[str, str]:
    given: dict[str, str] = {}
    for key, value in environ.items():
        if not key.startswith(PREFIX):
            continue
        name = key.removeprefix(PREFIX)
        if name in OF_PLAYERS:
            continue
        if name.endswith("_FILE") and name.removesuffix("_FILE") in SECRETS:
            name = name.removesuffix("_FILE")
            try:
                value = Path(value).read_text().strip()  # noqa: PLW2901 the file stands for the value
            except (OSError, ValueError) as error:
                why = error.strerror if isinstance(error, OSError) else "it is not text"
                raise SettingError(f"{key} names a file that cannot be read: {why}.") from None
        if name not in READERS:
            near = difflib.get_close_matches(name, sorted(READERS), 1)
            hint = f"did you mean {PREFIX}{near[0]}?" if near else "all settings are listed in docs/settings.md."
            raise SettingError(f"{key} is not a setting; {hint}")
        if name in given:
            raise SettingError(f"{PREFIX}{name} and {PREFIX}{name}_FILE are both set; keep one of them.")
        given[name] = value
    return given


def _source_of_key(environ: Mapping[str, str], folder: Path) -> str:
    """Return the setting that gives the secret key, with its file if it names one; else the file in the data folder."""
    setting = f"{PREFIX}SECRET_KEY"
    if setting in environ:
        return setting
    named = environ.get(f"{setting}_FILE")
    return f"{named} (the file that {setting}_FILE names)" if named else str(folder / SECRET_KEY_FILE)


def _file_of_key(environ: Mapping[str, str], folder: Path) -> Path | None:
    """Return the file that holds the secret key, or None if a setting does."""
    setting = f"{PREFIX}SECRET_KEY"
    return None if setting in environ else Path(environ.get(f"{setting}_FILE", folder / SECRET_KEY_FILE)).resolve()


def parse_setting(name: str, text: str) -> object:
    """Return the value of a setting; `SettingError` if it is wrong."""
    try:
        return READERS[name](text.strip())
    except ValueError as error:
        # The value of a secret stays out of the message: it ends in a terminal or a log.
        shown = "its value" if name in SECRETS else repr(text)
        raise SettingError(f"{PREFIX}{name} is wrong: {shown} {error}.") from None


def _check_together(settings: Settings) -> None:
    """Raise `SettingError` for settings that are right one by one but must not be used together."""
    url = settings.public_url
    if settings.dev_mail and url and not is_loopback(urlsplit(url).hostname or ""):
        raise SettingError(
            f"{PREFIX}DEV_MAIL shows everybody's mail and {PREFIX}PUBLIC_URL says that others reach this server; "
            "leave one of them out."
        )


def check_operator(values: Mapping[str, object]) -> None:
    """Raise `SettingError` if mail to the operator would come back to this server."""
    operator, domain = values.get("operator_email"), values["mail_domain"]
    if operator is None:
        return
    ours = [str(values[name]) for name in ("play_address", "reply_address", "bounce_address")]
    if is_own(str(operator), ours, str(domain)):
        raise SettingError(f"{PREFIX}OPERATOR_EMAIL is wrong: {operator!r} is an address of this server itself.")


def _bounces(values: Mapping[str, object]) -> str:
    """Return the address for delivery reports: one for each mail if the domain is this server's.

    A mailbox provider may refuse any sender but the mailbox's address, so with a mailbox it is that one.
    """
    form = str(values["reply_address"])
    return str(values["play_address"]) if values.get("imap_url") or " <" in form else form
