"""The development mailbox: the mails of the Maildir in a browser on the same machine, only with DEV_MAIL.

A person is picked by their address, reads their mails as a mail program shows them, and answers. The answer goes into
the inbox as one that came by SMTP does.
"""

import hmac
import mailbox
import re
from base64 import b64encode
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from email.errors import MessageError
from email.headerregistry import Address
from email.message import EmailMessage
from email.parser import BytesParser
from email.policy import SMTP, default
from email.utils import format_datetime
from functools import wraps
from html import escape, unescape
from itertools import count
from urllib.parse import parse_qs, urlsplit

from flask import Response, abort, make_response, redirect, request, url_for

from server.application.game import reply_addresses
from server.application.mail import arrivals
from server.application.people import players
from server.runtime import now, runtime
from server.settings import is_loopback
from server.vocabulary.errors import Problem
from server.web import csrf, forms, headers
from server.web.problems import page as rendered

NEWEST = 200
LONGEST = 20_000  # characters of an answer
AGAIN = 2  # seconds until the list is loaded again after an answer
_MAILTO = re.compile(r'href="mailto:([^"]*)"')
_CID = re.compile(r'src="cid:([^"]*)"')
# Of the page with a mail in a frame, and of that frame, which may have the styles of the mail and nothing that runs.
_FRAMING = headers.POLICY + "; frame-src 'self'"
_SANDBOX = "sandbox allow-top-navigation-by-user-activation"
_FRAMED = (
    f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; "
    f"frame-ancestors 'self'; {_SANDBOX}"
)


@dataclass(frozen=True)
class Letter:
    """A mail as the list shows it."""

    key: str
    to: str
    subject: str
    date: str


def on_this_machine(view: Callable[[], Response]) -> Callable[[], Response]:
    """Return a page that is missing for other machines, and a form that only our own pages can send."""

    @wraps(view)
    def guarded() -> Response:
        if not (_is_here(request.remote_addr) and _is_here(request.host.rpartition(":")[0] or request.host)):
            abort(404)
        if request.method == "POST" and not (csrf.is_from_here() and _has_token()):
            abort(403, csrf.refusal())
        response = view()
        response.headers["Cache-Control"] = "no-store"  # mails tell what a seat knows
        return response

    return guarded


@on_this_machine
def page() -> Response:
    """Return the page of all mails, of one person's with `?who=`, or of one mail with `?key=`."""
    key = request.args.get("key")
    return _list() if key is None else _one(key, _mail(key))


@on_this_machine
def html() -> Response:
    """Return the HTML of a mail as a document that can run nothing, for the frame on its page."""
    key = request.args.get("key", "")
    message = _mail(key)
    body = message.get_body(("html",))
    if body is None:
        abort(404)
    response = Response(_shown(body.get_content(), message, key), mimetype="text/html")
    response.headers["Content-Security-Policy"] = _FRAMED
    return response


@on_this_machine
def send() -> Response:
    """Put an answer to a mail, or a new mail, into the inbox, from the address of the person."""
    forms.refuse_doubled()
    key = request.form.get("key")
    original = _mail(key) if key else None
    try:
        sender, recipient, raw = _written(original)
    except Problem as problem:
        return _one(key, original, problem) if key and original else _list(problem)
    is_known = original is not None or players.with_email(sender) is not None
    is_answered = is_known or runtime().settings.believes_senders
    # As at the SMTP listener, which is on this machine too.
    arrivals.store(raw, sender, [recipient], "smtp", peer=request.remote_addr)
    return make_response(redirect(url_for("mailbox", who=sender, sent="yes" if is_answered else "unproven"), 303))


def _is_here(host: str | None) -> bool:
    """Return True if `host` is this machine. The Host header is checked too: it shows a proxy, or DNS rebinding."""
    return is_loopback((host or "").strip("[]"))


def _token() -> str:
    """Return the word that our own forms hold, which no page of another site can read."""
    return runtime().keyring.fingerprint(b"forms of the development mailbox")[:32]


def _has_token() -> bool:
    return hmac.compare_digest(request.form.get("token", "").encode(), _token().encode())


# Reading ----------------------------------------------------------------------------------------


def _folder() -> mailbox.Maildir:
    return mailbox.Maildir(runtime().settings.var / "mail")


def _mail(key: str) -> EmailMessage:
    folder = _folder()
    if key not in folder:
        abort(404)
    message = BytesParser(policy=default).parsebytes(folder.get_bytes(key))
    assert isinstance(message, EmailMessage)
    return message


def _list(problem: Problem | None = None) -> Response:
    letters = _newest()
    who = request.values.get("who", "")
    response = rendered(
        "mailbox",
        problem,
        letters=[letter for letter in letters if who in ("", letter.to)],
        people=sorted({letter.to for letter in letters}),
        who=who,
        play_address=runtime().settings.play_address,
        form=_typed(),
        token=_token(),
        sent=request.args.get("sent"),
    )
    if request.args.get("sent") == "yes":
        response.headers["Refresh"] = f"{AGAIN}; url={url_for('mailbox', who=who)}"
    return response


def _newest() -> Sequence[Letter]:
    folder = _folder()
    return [_letter(folder, key) for key in sorted(folder.keys(), reverse=True)[:NEWEST]]


def _letter(folder: mailbox.Maildir, key: str) -> Letter:
    head = BytesParser(policy=default).parsebytes(folder.get_bytes(key), headersonly=True)
    return Letter(key, _address(head["To"]), head["Subject"], head["Date"])


def _address(header: object) -> str:
    """Return the first address of a header."""
    addresses = getattr(header, "addresses", ())
    return addresses[0].addr_spec if addresses else ""


def _one(key: str, message: EmailMessage, problem: Problem | None = None) -> Response:
    subject = str(message["Subject"])
    answer = subject if subject.lower().startswith("re:") else f"Re: {subject}"
    response = rendered(
        "mailbox_mail",
        problem,
        key=key,
        who=_address(message["To"]),
        reply_to=_address(message["Reply-To"]),
        subject=subject,
        date=message["Date"],
        text=_text(message),
        has_html=message.get_body(("html",)) is not None,
        form={"subject": answer, "text": ""} | _linked(message, request.args.get("link", "")) | _typed(),
        token=_token(),
    )
    response.headers["Content-Security-Policy"] = _FRAMING
    return response


def _typed() -> dict[str, str]:
    return {name: request.form[name] for name in ("subject", "text") if name in request.form}


def _text(message: EmailMessage) -> str:
    body = message.get_body(("plain",))
    return str(body.get_content()) if body else ""


def _linked(message: EmailMessage, number: str) -> dict[str, str]:
    """Return the subject and the text of the mail that a link in the HTML of a mail writes; empty without one."""
    body = message.get_body(("html",))
    links = _MAILTO.findall(body.get_content()) if body else []
    chosen = forms.number(number, 4)
    if chosen is None or chosen >= len(links):
        return {}
    asked = parse_qs(urlsplit(unescape(links[chosen])).query)
    return {name: asked[part][0] for name, part in (("subject", "subject"), ("text", "body")) if part in asked}


def _shown(text: str, message: EmailMessage, key: str) -> str:
    """Return the HTML of a mail with its pictures in it. Its links leave the frame; those of moves fill the answer."""
    pictures = {
        str(part["Content-ID"]).strip("<>"): part
        for part in message.walk()
        if part["Content-ID"] and part.get_content_maintype() == "image"
    }

    def picture(found: re.Match[str]) -> str:
        part = pictures.get(unescape(found[1]))
        if part is None:
            return 'src=""'
        encoded = b64encode(part.get_payload(decode=True)).decode()  # type: ignore[arg-type]
        return f'src="data:{part.get_content_type()};base64,{encoded}"'

    numbers = count()

    def answer(_found: re.Match[str]) -> str:
        # The number of the link, as a move of Mr. X's belongs into no address.
        return f'href="{escape(url_for("mailbox", key=key, link=next(numbers)))}#answer"'

    with_pictures = _CID.sub(picture, text)
    return _MAILTO.sub(answer, with_pictures).replace("<a href=", '<a target="_top" href=')


# Answering --------------------------------------------------------------------------------------


def _written(original: EmailMessage | None) -> tuple[str, str, bytes]:
    """Return sender, recipient and bytes of the mail that the form asks for.

    Raises:
        Problem: `form`, with what is wrong with it.
    """
    settings = runtime().settings
    sender = _address(original["To"]) if original else request.form.get("who", "").strip()
    recipient = _address(original["Reply-To"]) if original else reply_addresses.bare(settings.play_address)
    text = request.form.get("text", "").replace("\r\n", "\n")[:LONGEST]
    if not text.strip() and not request.form.get("subject", "").strip():
        raise Problem("form", "Write something first.")
    if not reply_addresses.is_ours(recipient):
        raise Problem("form", f"There is no address {recipient} here any more.")
    mail = EmailMessage(policy=SMTP)
    try:
        mail["From"] = Address(addr_spec=sender)
    except (ValueError, IndexError, MessageError):
        raise Problem("form", "Write the address that the mail is from, such as ada@example.org.") from None
    mail["To"] = original["Reply-To"].addresses if original else Address(addr_spec=recipient)
    mail["Subject"] = " ".join(request.form.get("subject", "").split())[:200]
    mail["Date"] = format_datetime(now())
    mail["Message-ID"] = f"<{runtime().new_id('mail of the development mailbox')}@dev-mail.invalid>"
    if original is not None:
        mail["In-Reply-To"] = mail["References"] = str(original["Message-ID"])
    mail.set_content(text + (_quoted(original) if original is not None else "\n"))
    return sender, recipient, mail.as_bytes()


def _quoted(original: EmailMessage) -> str:
    """Return the original as mail programs quote it below an answer."""
    lines = "\n".join(f"> {line}" for line in _text(original).splitlines())
    return f"\n\nOn {original['Date']}, {original['From']} wrote:\n{lines}\n"
