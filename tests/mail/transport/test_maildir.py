"""The Maildir that takes the mail of a server without a relay."""

from pathlib import Path

from server.mail.transport.smtp_client import MaildirTransport


def test_a_mail_lies_in_the_maildir_as_a_text_file_that_any_tool_reads(tmp_path: Path) -> None:
    MaildirTransport(tmp_path / "mail").send(
        b"To: ada@example.org\r\n\r\nYour move.\r\n", "play@localhost", "ada@example.org"
    )
    (mail,) = (tmp_path / "mail" / "new").iterdir()
    assert mail.read_bytes() == b"To: ada@example.org\n\nYour move.\n"
