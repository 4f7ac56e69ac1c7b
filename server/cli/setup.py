"""`blackticket setup`: from an ordinary mailbox to the settings of a server."""

import os
import secrets
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO
from urllib.parse import quote

import click

from server.cli.group import is_for_program
from server.cli.terminal import Shown
from server.mail.setup import discovery, self_test
from server.mail.setup.discovery import SHOWN, Server
from server.mail.setup.self_test import Form, Outside
from server.mail.transport.imap import LoginRefused, MailboxFailure
from server.settings import PREFIX, Mailbox, check_operator, parse_setting
from server.vocabulary.errors import Problem

_ABOUT_RESULTS = {
    True: "The provider says under the name {} whether SPF and DKIM have passed: that is AUTHSERV_ID.",
    False: "The provider did not say whether SPF and DKIM have passed. If it does with mails of others, set AUTHSERV_ID"
    " to what their Authentication-Results begin with; else, of people without an account, only those are answered"
    " whose DKIM signature holds.",
}
Tell = Callable[[str], None]
HEAD = """\
# Settings of a Black Ticket server, as `blackticket setup` found them. Every command reads them in this folder.
# The password of the mailbox is among them: keep this file to yourself.
"""


def setup(
    address: str | None, name: str | None, password_file: TextIO | None, operator: str | None, user: str | None,
    imap: str | None, smtp: str | None, is_own: bool | None, patience: float, yes: bool, target: Path,
) -> Shown:  # fmt: skip
    with _sentences():
        host = _Host.asked(address, name, password_file, operator, is_own)
        tell = _silent if is_for_program() else click.echo
        servers = [_find(kind, host.domain, given, tell) for kind, given in (("imap", imap), ("smtp", smtp))]
        if not yes:
            _confirm(host, [server for server, given in zip(servers, (imap, smtp), strict=True) if given is None])
        box, offers = _log_in(servers[0], host, user)
        tell(f"The mailbox opens for the user {box.user}; there is {', '.join(offers) or 'nothing special'}.")
        form, tried, authserv_id = _find_form(servers[1], box, host.address, patience, tell)
        tell(_ABOUT_RESULTS[bool(authserv_id)].format(authserv_id))
        lines = _settings(host, servers, box, form) | ({"AUTHSERV_ID": authserv_id} if authserv_id else {})
        _write(target, lines)
    facts = {
        "address": host.address, "user": box.user, "imap": str(servers[0]), "smtp": str(servers[1]),
        "advertised": {"imap": offers, "smtp": servers[1].advertised},
        "reply_address": form.address, "authserv_id": authserv_id, "is_own": host.is_own,
        "tried": tried, "settings_file": str(target.resolve()),
    }  # fmt: skip
    done = f"The settings are in {target.resolve()}. In that folder, `blackticket serve` starts the server."
    return facts, done


@contextmanager
def _sentences() -> Iterator[None]:
    """End the command with a sentence if something fails."""
    try:
        yield
    except (MailboxFailure, ValueError) as error:
        sentence = str(error)
        raise Problem("form", f"{sentence[:1].upper()}{sentence[1:]}.") from None


def _outside() -> Outside:
    """Return the outside: of who calls the command from Python, the object of click's context."""
    given = click.get_current_context().obj
    return given if isinstance(given, Outside) else Outside(time.sleep)


def _silent(_sentence: str) -> None:
    """Print nothing, because a program reads the facts at the end."""


@dataclass(frozen=True)
class _Host:
    """The answers that only the operator can give."""

    address: str
    name: str
    password: str
    operator: str = ""
    is_own: bool = False

    @property
    def domain(self) -> str:
        return self.address.rpartition("@")[2]

    @classmethod
    def asked(
        cls, address: str | None, name: str | None, password_file: TextIO | None, operator: str | None,
        is_own: bool | None,
    ) -> "_Host":  # fmt: skip
        """Return the answers from options, and ask for the others at the terminal."""

        address = address or click.prompt("Address of the mailbox that the server shall use", err=True)
        parse_setting("PLAY_ADDRESS", address)
        name = name or click.prompt("Name under which its mails are sent", default="Black Ticket", err=True)
        parse_setting("MAIL_NAME", name)
        if password_file is None:
            password = click.prompt(f"Password of {address}", hide_input=True, err=True)
            if operator is None:
                question = "Your own address, to hear of trouble and get mail to postmaster and abuse (empty: none)"
                operator = click.prompt(question, default="", show_default=False, err=True)
            if is_own is None:
                question = "Is the mailbox for the server alone? Then it answers all that players write there"
                is_own = click.confirm(question, default=True, err=True)
        else:
            password = password_file.read().strip("\r\n")
        if not password:
            raise ValueError("there is no password in that file")
        host = cls(address, name, password, operator or "", bool(is_own))
        forms = dict.fromkeys(("play_address", "reply_address", "bounce_address"), address)
        reader = parse_setting("OPERATOR_EMAIL", host.operator)
        check_operator({"operator_email": reader, "mail_domain": host.domain.lower(), **forms})
        return host


# Servers ---------------------------------------------------------------------------------------


def _find(kind: str, domain: str, given: str | None, tell: Tell) -> Server:
    """Return the server of a kind, imap or smtp: the given one, or the first found that answers."""
    outside = _outside()
    purpose = {"imap": "read from", "smtp": "send by"}[kind]
    servers = (
        iter([discovery.read_server(kind, given)]) if given else discovery.candidates(kind, domain, outside.lookup)
    )
    try:
        server = discovery.first_that_answers(kind, servers, outside.probe)
    except MailboxFailure as failure:
        hint = "" if given else f"; name one with --{kind}, as your provider's help pages have it"
        raise MailboxFailure(f"no server to {purpose} was found ({failure}){hint}") from None
    tell(f"The server to {purpose} is {server}; it offers {', '.join(server.advertised) or 'nothing special'}.")
    return server


def _confirm(host: _Host, found: list[Server]) -> None:
    """Ask before the password goes to a server outside the domain: nobody vouches for what DNS says."""
    for server in found:
        if not f".{server.host}".endswith(f".{host.domain}"):
            click.confirm(f"The domain names {server.host}. Tell it the password?", abort=True, err=True)


def _log_in(server: Server, host: _Host, user: str | None) -> tuple[Mailbox, list[str]]:
    """Return the mailbox with the user name that it accepts, and what it offers after the login."""
    why = ""
    for name in [user] if user else [host.address, host.address.rpartition("@")[0]]:
        box = server.mailbox(name, host.password)
        try:
            connection = _outside().connect(box)
        except LoginRefused as refused:
            why = str(refused)
            continue
        connection.close()
        return box, [word for word in SHOWN if word in connection.capabilities]
    raise LoginRefused(
        f"{why}. Check both; many providers want a password made for programs, and IMAP switched on, in the "
        "settings of the mailbox"
    )


# Reply addresses -------------------------------------------------------------------------------


def _find_form(
    server: Server, box: Mailbox, address: str, patience: float, tell: Tell
) -> tuple[Form, list[dict[str, object]], str]:
    """Return the first reply address by which a mail comes back, the result of each, and the AUTHSERV_ID if known."""
    outside = _outside()
    relay = outside.relay_at(_relay(server, box))
    tried: list[dict[str, object]] = []
    for form in self_test.forms(address):
        outcome = self_test.round_trip(box, address, form.address, patience, relay=relay, outside=outside)
        tried.append({"form": form.name, "came": outcome.came, "sentence": outcome.sentence})
        if outcome.came:
            tell(f"Replies are told apart by {form.sentence}: a mail to {form.address} came back.")
            return form, tried, outcome.authserv_id
        tell(f"A mail to {form.address} did not come back: {outcome.sentence}.")
    raise MailboxFailure(f"no mail from the mailbox to itself came back; of the last one: {tried[-1]['sentence']}")


def _relay(server: Server, box: Mailbox) -> Any:
    """Return the relay, with a login if it wants one."""
    return server.relay(box.user, box.password) if "AUTH" in server.advertised else server.relay(None, None)


# The file --------------------------------------------------------------------------------------


def _settings(host: _Host, servers: list[Server], box: Mailbox, form: Form) -> dict[str, str]:
    imap, smtp = servers
    values = {
        "MAIL_NAME": host.name,
        "MAIL_DOMAIN": host.domain.lower(),
        "PLAY_ADDRESS": host.address,
        "REPLY_ADDRESS": form.address,
        "IMAP_URL": _with_login(imap, box) + "/INBOX",
        "SMTP_URL": _with_login(smtp, box) if "AUTH" in smtp.advertised else str(smtp),
        "MAILBOX_IS_OWN": str(int(host.is_own)),
        "MAIL_LISTEN": "",  # mail comes from the mailbox, and nobody else has a way in
        **({"OPERATOR_EMAIL": host.operator} if host.operator else {}),
    }
    for name, value in values.items():
        parse_setting(name, value)
    return values


def _with_login(server: Server, box: Mailbox) -> str:
    return server.url(f"{quote(box.user, safe='')}:{quote(box.password, safe='')}@")


def _write(target: Path, values: Mapping[str, str]) -> None:
    """Write the settings into the file, readable by its owner only; other lines of it stay."""
    names = {f"{PREFIX}{name}{ending}" for name in values for ending in ("", "_FILE")}
    try:
        before = target.read_text().splitlines() if target.exists() else HEAD.splitlines()
        kept = [line for line in before if line.partition("=")[0].strip() not in names]
        text = "\n".join([*kept, *(f"{PREFIX}{name}={value}" for name, value in values.items())]) + "\n"
        whole = target.with_name(f".{target.name}-{secrets.token_hex(4)}")
        with os.fdopen(os.open(whole, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as file:
            file.write(text)
        whole.replace(target)
    except OSError as error:
        raise ValueError(f"{target} cannot be written ({error.strerror}); name another file with --to") from None
