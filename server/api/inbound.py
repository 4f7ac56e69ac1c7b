"""Incoming mail that a provider received for us and hands over by HTTP."""

import hashlib
import hmac
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from flask import request
from flask.typing import ResponseReturnValue
from marshmallow import EXCLUDE, Schema, fields

from server.api.access import PROVIDER
from server.api.endpoints import Section
from server.api.problems import NOWHERE
from server.api.reading import load_body
from server.api.schemas.values import Answer, described
from server.application.game import reply_addresses
from server.application.mail import arrivals
from server.runtime import now, runtime
from server.vocabulary.errors import Problem

section = Section("inbound", __name__, "Mail that providers hand over")
# With the raw mail the provider sends what it parsed, attachments and all.
LARGEST_REQUEST = 6 * arrivals.LARGEST
# As long as providers retry: a mail signed before an outage of ours is still accepted, and none twice.
WINDOW = 12 * 3600  # seconds


class _Lenient(Schema):
    """A schema that ignores unknown members: providers send more than is needed here."""

    class Meta:
        unknown = EXCLUDE


class PostmarkAddress(_Lenient):
    Email = fields.String(required=True)


class PostmarkHeader(_Lenient):
    Name = fields.String(required=True)
    Value = fields.String(required=True)


class PostmarkMail(_Lenient):
    """The body that Postmark sends, if its raw content is switched on."""

    RawEmail = fields.String(required=True)
    OriginalRecipient = fields.String(load_default="")
    From = fields.String(load_default="")
    ToFull = fields.List(fields.Nested(PostmarkAddress), load_default=list)
    CcFull = fields.List(fields.Nested(PostmarkAddress), load_default=list)
    Headers = fields.List(fields.Nested(PostmarkHeader), load_default=list)


class MailgunMail(_Lenient):
    """The form that Mailgun sends to a URL that ends in `mime`."""

    timestamp = fields.String(required=True)
    token = fields.String(required=True)
    signature = fields.String(required=True)
    recipient = fields.String(required=True)
    sender = fields.String()
    body_mime = fields.String(required=True, data_key="body-mime")


class TakenIn(Answer):
    stored = fields.Integer(required=True, **described("for how many of our addresses; mail for others is not stored"))


@dataclass(frozen=True)
class _Handed:
    """A mail as a provider hands it over; a call with the same `signature` is not accepted twice."""

    raw: bytes
    sender: str
    recipients: Sequence[str]
    signature: str | None = None


@section.endpoint(
    "POST /inbound/<provider>",
    access=PROVIDER,
    bodies={"application/json": PostmarkMail, "multipart/form-data": MailgunMail},
    answers=TakenIn,
)
def take_in(provider: str) -> ResponseReturnValue:
    """Take a mail that Postmark or Mailgun received for one of our addresses. 404 unless that provider is set up."""
    reader, secret = _READERS.get(provider), _secret_for(provider)
    if reader is None or secret is None:
        raise Problem("not-found", NOWHERE)
    request.max_content_length = request.max_form_memory_size = LARGEST_REQUEST
    handed = reader(secret)
    if len(handed.raw) > arrivals.LARGEST:
        raise Problem("too-large", f"A mail may have {arrivals.LARGEST:,} bytes.")
    ours = [address for address in handed.recipients if reply_addresses.is_ours(address)]
    arrivals.store_once(handed.raw, handed.sender, ours, provider, handed.signature)
    return {"stored": len(ours)}


def _secret_for(provider: str) -> str | None:
    settings = runtime().settings
    return {"postmark": settings.postmark_secret, "mailgun": settings.mailgun_signing_key}.get(provider)


def _postmark(secret: str) -> _Handed:
    """Read a mail from Postmark, which signs nothing, but sends the password from the URL it was given."""
    login = request.authorization
    given = login.password if login is not None and login.type == "basic" else None
    if not hmac.compare_digest((given or "").encode(), secret.encode()):
        # Not 403: Postmark would not retry then, and a wrong password here would lose the mail.
        raise Problem("unauthorized", "The URL has to hold the password: https://postmark:PASSWORD@...")
    mail = load_body(PostmarkMail())
    named = [entry["Email"] for entry in (*mail["ToFull"], *mail["CcFull"])]
    original = mail["OriginalRecipient"]
    path = next((entry["Value"] for entry in mail["Headers"] if entry["Name"].lower() == "return-path"), mail["From"])
    recipients = [original] if reply_addresses.is_ours(original) else list(dict.fromkeys(named))
    return _Handed(mail["RawEmail"].encode(errors="replace"), path.strip().strip("<>"), recipients[:_MOST])


def _mailgun(secret: str) -> _Handed:
    """Read a mail from Mailgun, which signs a time and a random token, not the mail."""
    form = request.form
    time, token, signature = (form.get(name, "") for name in ("timestamp", "token", "signature"))
    expected = hmac.new(secret.encode(), f"{time}{token}".encode(), hashlib.sha256).hexdigest()
    if not hmac.compare_digest(signature.encode(), expected.encode()):
        raise Problem("unauthorized", "The signature was not made with the signing key that is set here.")
    if not time.isdecimal() or len(time) > 12 or abs(now().timestamp() - int(time)) > WINDOW:
        raise Problem("forbidden", "The signature is of another time.")
    raw = _mime()
    if raw is None:
        raise Problem("form", "body-mime is missing: the URL of the route has to end in mime, as ...?as=mime.")
    recipients = [address.strip() for address in form.get("recipient", "").split(",")]
    return _Handed(raw, form.get("sender", ""), recipients[:_MOST], signature)


def _mime() -> bytes | None:
    """Return the raw mail, which comes as a field or as a file."""
    file = request.files.get("body-mime")
    if file is not None:
        return bytes(file.read())
    text = request.form.get("body-mime")
    return text.encode(errors="replace") if text is not None else None


_MOST = 10  # recipients of one mail
_READERS: dict[str, Callable[[str], _Handed]] = {"postmark": _postmark, "mailgun": _mailgun}
