"""Mails as tests look at them, and transports that keep what they are handed."""

import email
import threading
from collections.abc import Iterator
from email.headerregistry import HeaderRegistry
from email.message import EmailMessage, Message
from email.policy import default
from functools import cached_property, lru_cache
from typing import Any


class Mail(EmailMessage):
    """A mail, whose content is its text: that is complete without the HTML beside it."""

    def get_body(self, preferencelist: Any = ("plain",)) -> Any:
        return super().get_body(preferencelist)

    def get_content(self, *args: Any, **kwargs: Any) -> Any:
        if self.is_multipart():
            return self.get_body().get_content()
        return super().get_content(*args, **kwargs)


class HeaderCache(HeaderRegistry):
    """A parser of header lines that parses each once: taking a mail apart asks thirty times for the type of a part."""

    def __init__(self) -> None:
        super().__init__()
        self._parsed = lru_cache(4096)(super().__call__)

    def __call__(self, name: str, value: Any) -> Any:
        return self._parsed(name, value)


_MAIL_POLICY = default.clone(message_factory=Mail, header_factory=HeaderCache())


def opened(raw: bytes) -> Any:
    """A mail, taken apart."""
    return email.message_from_bytes(raw, policy=_MAIL_POLICY)


class Letter:
    """A pair: who was written to, and the mail, which is taken apart when somebody looks at it."""

    def __init__(self, recipient: str, raw: bytes) -> None:
        self.recipient = recipient
        self.raw = raw

    def __iter__(self) -> Iterator[Any]:
        return iter((self.recipient, self.mail))

    def __getitem__(self, index: int) -> Any:
        return tuple(self)[index]

    @cached_property
    def mail(self) -> Message:
        return opened(self.raw)


class Postbox:
    """A transport that keeps what it is handed."""

    def __init__(self) -> None:
        self.sent: list[Letter] = []

    def send(self, message: bytes, sender: str, recipient: str) -> None:
        self.sent.append(Letter(recipient, message))

    def close(self) -> None:
        """Nothing is open."""

    def of(self, address: str) -> list[Any]:
        return [letter.mail for letter in self.sent if letter.recipient == address]


class Doorbell(Postbox):
    """A transport that says when it was handed something."""

    def __init__(self) -> None:
        super().__init__()
        self.rung = threading.Event()

    def send(self, message: bytes, sender: str, recipient: str) -> None:
        super().send(message, sender, recipient)
        self.rung.set()
