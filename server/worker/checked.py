"""Sending that first checks if this worker may still send."""

from collections.abc import Callable
from typing import ParamSpec

from server.mail.transport.smtp_client import Transport

Given = ParamSpec("Given")


class Checked:
    """A transport that calls `check` before each mail."""

    def __init__(self, transport: Transport, check: Callable[[], None]) -> None:
        self._transport, self._check = transport, check
        self.knock, self.close = transport.knock, transport.close

    def send(self, message: bytes, sender: str, recipient: str) -> None:
        """Check, and send `message`."""
        self._check()
        self._transport.send(message, sender, recipient)


def checked_post(post: Callable[Given, str], check: Callable[[], None]) -> Callable[Given, str]:
    """Return `post`, with a call of `check` before it."""

    def send(*given: Given.args, **named: Given.kwargs) -> str:
        check()
        return post(*given, **named)

    return send
