"""Accounts: a code by mail, tokens that can be told from other text, everything that is held, and going."""

from datetime import timedelta

import pytest
from sqlalchemy import event, select
from sqlalchemy.exc import OperationalError

from server.application.people import names, players, tokens
from server.application.people.accounts.deletion import delete_account
from server.application.people.accounts.sign_up import request_code
from server.models import SCOPES, Incoming, Outgoing, Player, SignUp, Token, db, session
from server.vocabulary.errors import Problem
from tests.databases import stored
from tests.injected import START
from tests.statements import before, failing
from tests.table import Table
from tests.tokens import authenticate


def test_a_token_with_any_letter_changed_is_refused_without_a_look_at_the_database(table: Table):
    secret = table.person("Ada").token
    with table.app.app_context():
        for letter in range(3, 41):
            other = "a" if secret[letter] != "a" else "b"
            assert not tokens._is_token(secret[:letter] + other + secret[letter + 1 :]), letter


def test_what_cannot_be_a_token_is_not_looked_for(table: Table):
    with table.app.app_context(), failing(table, "SELECT"):
        for secret in ("", "bt_", "bt_wrong", "x" * 10_000, "bt_" + "a" * 38, "BT_" + "a" * 32, "bt_" + "é" * 32):
            assert authenticate(secret) is None


def test_the_checksum_is_the_crc_32_of_the_letters_in_base32():
    assert tokens.checksum("123456789") == "zp2dsj"  # whose CRC-32 is CBF43926


def test_a_token_of_the_old_form_goes_on_working(table: Table):
    ada, old = table.person("Ada"), "bt_" + "a" * 32
    with table.app.app_context(), players.transaction():
        session.add(Token(digest=tokens._digest(old), player_id=ada.id, created_at=START))
    with table.app.app_context():
        assert authenticate(old).player.id == ada.id


def test_the_first_token_may_do_everything(table: Table):
    ada = table.person("Ada")
    with table.app.app_context():
        assert authenticate(ada.token).scopes == SCOPES


def test_the_day_of_the_last_use_is_written_once_a_day(table: Table):
    ada, written = table.person("Ada"), []
    with before(table, "UPDATE tokens", written.append):
        ada.get("/me")
        ada.get("/me")
        table.clock.turn(days=1)
        ada.get("/me")
    assert len(written) == 2


def test_a_last_use_that_cannot_be_written_spoils_no_answer(table: Table):
    ada = table.person("Ada")

    locked = OperationalError("UPDATE", {}, Exception("database is locked"))
    with failing(table, "UPDATE tokens", error=locked):
        assert ada.get("/me").status_code == 200


# Signing up


def test_nothing_of_who_signs_up_can_be_read_in_the_database(table: Table):
    with table.app.app_context():
        request_code("Gwen", "gwen@example.org")
        session.remove()
    table.tick()
    code = table.post.of("gwen@example.org")[0].get_content().partition('code is "')[2][:16]
    dump = stored(table.app)
    assert not [text for text in (b"Gwen", b"gwen@example.org", code.encode()) if text in dump]


def test_signing_up_writes_the_same_rows_for_a_known_address_and_an_unknown_one(table: Table):
    table.person("Ada")
    with table.app.app_context():
        for email in ("ada@example.org", "gwen@example.org"):
            request_code("Somebody", email)
        known, unknown = session.scalars(select(SignUp).order_by(SignUp.id)).all()
        assert (known.digest is None, known.wanted.keys()) == (unknown.digest is None, unknown.wanted.keys())
        assert session.query(Outgoing).count() == 2


def test_signing_up_asks_the_database_the_same_for_a_known_address_and_an_unknown_one(table: Table):
    table.person("Ada")
    asked: dict[str, list[str]] = {}
    with table.app.app_context():
        for email in ("first@example.org", "ada@example.org", "gwen@example.org"):
            said = asked.setdefault(email, [])

            def note(_connection, _cursor, statement, *_rest, said=said):
                said.append(statement)

            event.listen(db.engine, "before_cursor_execute", note)
            request_code("Somebody", email)
            event.remove(db.engine, "before_cursor_execute", note)
    assert asked["ada@example.org"] == asked["gwen@example.org"]
    assert len(asked["gwen@example.org"]) > 3


def test_a_code_is_only_good_when_it_was_mailed(table: Table):
    """That of a known address is told to nobody."""
    table.person("Ada")
    with table.app.app_context():
        request_code("Somebody", "ada@example.org")
        assert "code" not in session.query(Outgoing).one().details


def test_requests_older_than_a_day_are_forgotten(table: Table):
    with table.app.app_context():
        request_code("Gwen", "gwen@example.org")
        table.clock.turn(days=1)
        request_code("Hugo", "hugo@example.org")
        assert [row.wanted["name"] for row in session.query(SignUp)] == ["Hugo"]


def test_a_code_that_waited_for_a_day_to_be_sent_is_not_sent(table: Table):
    with table.app.app_context():
        request_code("Gwen", "gwen@example.org")
        session.remove()
    table.clock.turn(days=1)
    table.tick()
    assert table.post.sent == []


def test_a_token_expires_in_time_to_come(table: Table):
    ada = table.person("Ada")
    for expires in (timedelta(0), timedelta(days=-1), timedelta(days=3661)):
        with table.app.app_context(), pytest.raises(Problem, match="expires_at"):
            tokens.add(ada.id, "late", ["read"], START + expires)


# Going


def test_what_is_left_of_an_account_is_a_row_that_says_nothing(table: Table):
    ada = table.person("Ada")
    with table.app.app_context():
        delete_account(ada.id, "Ada")
        left = session.get_one(Player, ada.id)
        assert (left.name, left.zone, left.mail) == (names.FORMER, "UTC", "off")
        assert left.email.endswith("@gone.invalid")


def test_mails_from_and_to_a_former_player_say_nothing_any_more(table: Table):
    ada = table.person("Ada")
    table.deliver(b"From: ada@example.org\n\nHELP\n", ada.address, "play@localhost")
    table.tick()
    table.deliver(b"From: ada@example.org\n\nSTATUS\n", ada.address, "play@localhost")
    with table.app.app_context():
        delete_account(ada.id, "Ada")
        assert {(row.sender, row.raw, row.state) for row in session.query(Incoming)} == {("", None, "done")}
        assert {(row.message, row.details) for row in session.query(Outgoing)} == {(None, None)}
    sent = len(table.post.sent)
    table.tick()
    assert len(table.post.sent) == sent


def test_who_is_gone_is_named_by_nobody_any_more(table: Table):
    ada = table.person("Ada")
    with table.app.app_context():
        delete_account(ada.id, "Ada")
        for named in (ada.id, ada.address):
            with pytest.raises(Problem):
                players.named(named)
