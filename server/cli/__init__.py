"""The `blackticket` commands: run a server, look after it, look into it."""

from server.cli.declared import games, operating, people  # noqa: F401 which add their commands to `main`
from server.cli.group import main

__all__ = ["main"]
