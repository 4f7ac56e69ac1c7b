"""What `doctor` says of the server around the games: whether one runs, and whether its mail gets out."""

import pytest
from sqlalchemy import update

from server.application.game import outbox_rows
from server.application.health import health
from server.models import Outgoing, session, transaction
from tests.scenes import has_run
from tests.table import Table

OPERATOR = "operator@yard.example"


def warnings(table: Table, words: str) -> list[str]:
    """Return the warnings that have these words."""
    with table.app.app_context():
        return [warning for warning in health.report()["warnings"] if words in warning]


@pytest.mark.parametrize(("state", "what"), [("bounced", "came back"), ("dead", "was given up")])
def test_an_operator_whom_no_mail_reaches_is_named(table_of_operator: Table, state: str, what: str):
    table = table_of_operator
    alert(table)
    assert warnings(table, "OPERATOR_EMAIL") == [], "it was sent"
    end(table, state, "550 no such user")
    (warning,) = warnings(table, "OPERATOR_EMAIL")
    assert warning.startswith(f"operator-mail: The last mail to OPERATOR_EMAIL, {OPERATOR}, {what} (550 no such user)")
    table.clock.turn(hours=1)
    alert(table)
    assert warnings(table, "OPERATOR_EMAIL") == [], "a later one arrived"


def test_a_mail_that_came_back_from_a_former_address_of_the_operator_says_nothing_of_the_new_one(
    table_of_operator: Table,
):
    table = table_of_operator
    with table.app.app_context(), transaction():
        outbox_rows.post(None, "alert", details={"to": "former@yard.example", "title": "News", "paragraphs": ["It."]})
    table.tick()
    end(table, "bounced", None)
    assert warnings(table, "OPERATOR_EMAIL") == []


def test_a_database_on_which_no_server_ever_ran_is_told_of(table: Table):
    assert len(warnings(table, "No server has run on this database yet")) == 1
    has_run(table)
    assert warnings(table, "No server has run") == []


def test_mail_comes_in_at_the_mailbox_that_is_read(tmp_path_factory: pytest.TempPathFactory):
    box = "imaps://yard:hush@mail.example.org/INBOX"
    table = Table(tmp_path_factory.mktemp("mailbox"), imap_url=box, mail_listen="")
    with table.app.app_context():
        facts = health.report()
    assert facts["mail_comes_in_at"] == [f"the mailbox {facts['mailboxes'][0]['mailbox']}"]
    assert "hush" not in str(facts)


@pytest.fixture
def table_of_operator(tmp_path_factory: pytest.TempPathFactory) -> Table:
    return Table(tmp_path_factory.mktemp("operator"), operator_email=OPERATOR)


def alert(table: Table) -> None:
    """Send the operator a mail."""
    with table.app.app_context(), transaction():
        outbox_rows.post(None, "alert", details={"to": OPERATOR, "title": "News", "paragraphs": ["It smells."]})
    table.tick()
    assert table.post.of(OPERATOR)


def end(table: Table, state: str, error: str | None) -> None:
    """Let all mails that were sent end so."""
    with table.app.app_context(), transaction():
        session.execute(update(Outgoing).where(Outgoing.state == "sent").values(state=state, error=error))
