"""Subjects of mails, for tests."""

from server.language.grammar import parse


def is_command_subject(subject: str) -> bool:
    """Return True if `subject`, with or without "Re:" before it, would be obeyed."""
    return bool(parse((), subject).commands)
