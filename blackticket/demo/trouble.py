"""The error that stops the demo."""


class DemoFailed(Exception):
    """The demo cannot go on; the message is one sentence for the user."""
