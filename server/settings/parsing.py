"""Parsers of the settings: from a text to a value, or `ValueError` with the rest of the sentence "its value ..."."""

import ipaddress
import re
from datetime import timedelta
from importlib.util import find_spec
from urllib.parse import SplitResult, quote, unquote, urlsplit

from server.settings.kinds import Admission, Listen, Mailbox, Network, Rate, Relay, is_loopback, is_private
from server.vocabulary.durations import parse_duration

LONGEST_HOLD = timedelta(hours=2)  # beyond, a player would take their move for made


def read_flag(text: str) -> bool:
    if text.lower() in ("1", "true", "yes", "on"):
        return True
    if text.lower() in ("0", "false", "no", "off", ""):
        return False
    raise ValueError("is neither yes nor no")


def _url(text: str, wrong: str) -> SplitResult:
    """Return `text` as a URL; `ValueError` with the words `wrong`, since those of the library may quote a password."""
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


def read_http_listen(text: str) -> Listen:
    return _listen(text, ("http",), "http://127.0.0.1:8000")


def read_proxies(text: str) -> tuple[Network, ...]:
    parts = [part.strip() for part in text.split(",")]
    try:
        return tuple(ipaddress.ip_network(part) for part in parts if part)
    except ValueError:
        raise ValueError("is no list of addresses or networks; write it like 127.0.0.1,10.0.0.0/8") from None


def read_webhook_hosts(text: str) -> tuple[tuple[str, str, int], ...]:
    """Return the id of a player, a host and a port for each part."""
    hosts = []
    for part in filter(None, map(str.strip, text.lower().split(","))):
        named = re.fullmatch(r"([a-z0-9]{1,32})@([a-z0-9._-]+|\[[a-f0-9:.]+\]):([0-9]{1,5})", part)
        if named is None or not 0 < int(named[3]) < 2**16:
            raise ValueError("is no list of players with hosts; write it like yoaaduoisnbghix4@192.168.1.20:8123")
        host = named[2].strip("[]")
        if (":" in host or host.replace(".", "").isdigit()) and not is_private(host):
            raise ValueError(f"holds {host}, which is no address of a private network such as 192.168.1.20")
        hosts.append((named[1], host, int(named[3])))
    return tuple(hosts)


def read_mail_listen(text: str) -> tuple[Listen, ...]:
    parts = [part.strip() for part in text.split(",")]
    return tuple(_listen(part, ("smtp", "lmtp"), "smtp://127.0.0.1:2525") for part in parts if part)


def read_relay(text: str) -> Relay | None:
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


def read_mailbox(text: str) -> Mailbox | None:
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


def read_mail_name(text: str) -> str:
    if not text or len(text) > 60 or not text.isprintable() or set(text) & set('<>"@,;:\\'):
        raise ValueError("is no name for a sender; write it like Black Ticket")
    return text


def read_key_of_provider(text: str) -> str | None:
    if text and len(text) < 16:
        raise ValueError("is shorter than 16 characters, so it could be guessed")
    return text or None


def read_dkim_key(text: str) -> str | None:
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


def read_domain(text: str) -> str:
    if not re.fullmatch(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?", text.lower()):
        raise ValueError("is no domain; write it like play.example.org")
    return text.lower()


def read_authserv_id(text: str) -> str | None:
    if not re.fullmatch(r"[\w.-]{0,100}", text, re.ASCII):
        raise ValueError("is not what a mail server calls itself in Authentication-Results; write mx.example.org")
    return text.lower() or None


def read_address(text: str) -> str:
    if not re.fullmatch(r"[\w.+={}-]+@[\w.{}-]+", text):
        raise ValueError("is no mail address; write it like play@play.example.org")
    return text


def read_operator_email(text: str) -> str | None:
    if text and not re.fullmatch(r"[\w.+=-]+@[\w-]+(\.[\w-]+)+", text, re.ASCII):
        raise ValueError("is no mail address; write it like you@example.org")
    return text.lower() or None


def read_reply_address(text: str) -> str:
    """Check a reply address: the token is in it or, for a mailbox with only one address, in the name before it."""
    if text.count("{token}") != 1:
        raise ValueError("has no {token}, by which replies are told apart")
    named = re.fullmatch(r"([\w .'-]*\{token\}[\w .'-]*) <([^<>]+)>", text)
    return f"{named[1].strip()} <{read_address(named[2])}>" if named else read_address(text)


def read_bounce_address(text: str) -> str:
    if text.count("{token}") > 1:
        raise ValueError("has more than one {token}")
    return read_address(text)


def read_public_url(text: str) -> str | None:
    return _site(text, "is no address of a site; write it like https://play.example.org").rstrip("/") or None


def read_alert_url(text: str) -> str | None:
    wrong = "is no address that could be called; write it like https://watchdog.example.org/ping"
    if not text.isascii() or not text.isprintable() or " " in text:
        raise ValueError(wrong)
    return _site(text, wrong) or None


def _site(text: str, wrong: str) -> str:
    url = _url(text, wrong)
    if text and (url.scheme not in ("http", "https") or not url.netloc):
        raise ValueError(wrong)
    return text


def read_seconds(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = 0
    if not 0.05 <= number <= 3600:
        raise ValueError("is not a number of seconds between 0.05 and 3600")
    return number


def read_duration(text: str) -> timedelta:
    try:
        length = parse_duration(text)
    except ValueError:
        raise ValueError("is not a duration; write P2D for two days or PT10M for ten minutes") from None
    if length < timedelta(seconds=1):
        raise ValueError("is shorter than a second")
    return length


def read_hold(text: str) -> timedelta:
    length = read_duration(text)
    if length > LONGEST_HOLD:
        raise ValueError("is longer than two hours; write PT15M for fifteen minutes")
    return length


def read_rate(text: str) -> Rate | None:
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


def read_database(text: str) -> str:
    from sqlalchemy import make_url  # noqa: PLC0415 what runs on the default does not load it for this
    from sqlalchemy.exc import ArgumentError  # noqa: PLC0415

    wrong = "is no database; write sqlite:////path/to/file or postgresql://user@host/name"
    if not re.match(r"(sqlite|postgresql(\+psycopg)?)://", text):
        raise ValueError(wrong)
    # Several hosts as libpq takes them, host:port,host:port, in the form that SQLAlchemy takes.
    if several := re.fullmatch(r"(postgresql[^/]*//(?:[^@/]*@)?)([^@/?]+,[^@/?]+)(/[^?]*)?(?:\?(.*))?", text):
        hosts = [f"host={quote(unquote(host))}" for host in several[2].split(",")]
        text = f"{several[1]}{several[3] or ''}?{'&'.join([*hosts, several[4] or ''])}".rstrip("&")
    try:
        url = make_url(re.sub(r"^postgresql://", "postgresql+psycopg://", text))
    except (ArgumentError, ValueError):
        raise ValueError(wrong) from None
    if url.get_backend_name() == "sqlite" and url.database in (None, "", ":memory:"):
        raise ValueError("names no file, so nothing would be kept; write sqlite:////path/to/file")
    if url.get_backend_name() == "postgresql" and find_spec("psycopg") is None:
        raise ValueError('needs psycopg, which is not installed; install blackticket with its extra "postgres"')
    return url.render_as_string(hide_password=False)


def read_connections(text: str) -> int:
    number = int(text) if re.fullmatch("[0-9]{1,4}", text) else 0
    if not 2 <= number <= 1000:
        raise ValueError("is no number of connections between 2 and 1000")
    return number


def read_secret(text: str) -> str:
    if len(text) < 32:
        raise ValueError("is shorter than 32 characters, so it could be guessed")
    return text


def read_admission(text: str) -> Admission:
    try:
        return Admission(text.lower())
    except ValueError:
        raise ValueError("is none of everybody, invited and nobody") from None


def read_log_format(text: str) -> str:
    if text not in ("text", "json"):
        raise ValueError("is neither text nor json")
    return text
