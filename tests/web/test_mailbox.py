"""The development mailbox."""

import pytest

from server import worker
from server.mail.transport.smtp_client import transport_for


@pytest.fixture
def mailbox(tmp_path):
    """A table whose mails lie in the Maildir that the page shows."""
    from tests.conftest import Table

    table = Table(tmp_path, dev_mail="yes")
    table.dealt(3)
    with table.app.app_context():
        worker.send_mail(transport_for(table.app.extensions["blackticket"].settings))
    return table.client


def test_the_mailbox_does_not_exist_unless_it_is_asked_for(table):
    assert table.client.get("/dev/mail").status_code == 404


def test_the_mailbox_lists_the_mails_and_shows_one(mailbox):
    listed = mailbox.get("/dev/mail").text
    assert "ben@example.org" in listed
    link = listed.split('<a href="')[1].split('"')[0]
    assert "Please write your answer above this line." in mailbox.get(link.replace("&amp;", "&")).text


def test_an_unknown_mail_is_not_found(mailbox):
    assert mailbox.get("/dev/mail?key=../../secret_key").status_code == 404


def test_the_mailbox_is_not_shown_under_another_name(mailbox):
    assert mailbox.get("/dev/mail", headers={"Host": "play.example.org"}).status_code == 404


def test_nobody_from_another_machine_sees_the_mailbox(mailbox):
    assert mailbox.get("/dev/mail", environ_base={"REMOTE_ADDR": "192.0.2.7"}).status_code == 404
