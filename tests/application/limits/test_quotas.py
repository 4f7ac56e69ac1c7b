"""Quotas: while twenty networks use up all they can, whoever comes from elsewhere gets what they ask for."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from email.message import EmailMessage
from pathlib import Path

import pytest
from sqlalchemy import func, select, text

from server.application.game import projection
from server.application.game.look import look
from server.application.game.situations import act
from server.application.limits import answers, quotas
from server.application.limits.quotas import Branch
from server.application.mail import arrivals, envelopes
from server.application.people import codes
from server.application.people.accounts import addresses, guests
from server.house_rules.submission import RequestedMove, place
from server.mail import inbox
from server.models import Incoming, MailAnswer, Player, Quota, SignUp, db, session, transaction
from server.runtime import now
from server.runtime.address_marks import address_mark
from server.vocabulary import limits
from server.vocabulary.durations import DAY
from server.vocabulary.errors import Problem
from server.worker import tidy_up
from tests.profiles import IS_CAMPAIGN
from tests.table import Table

FLOODS = 20
_USED = select(Quota.begin, Quota.amount).where(Quota.purpose == limits.BYTES.what, Quota.branch == "")
TRIES = 20 if IS_CAMPAIGN else 8


@pytest.fixture
def table(tmp_path: Path, database: str) -> Iterator[Table]:
    """A table on each kind of database in turn."""
    table = Table(tmp_path, sandbox="1", database_url=database)
    yield table
    with table.app.app_context():
        db.engine.dispose()


def flooding(act: Callable[[str, int], object], times: int) -> None:
    """Have twenty people do something as often as they can, each from two networks of one provider."""
    for number in range(times):
        for flood in range(FLOODS):
            act(f"11.{flood}.{number % 2}.0/24", flood * 10_000 + number)


def honest(number: int) -> str:
    """Return a network: one of ten with the provider of a flood, or of ten with a provider of their own."""
    return f"11.{number}.250.0/24" if number % 2 else f"12.{number}.0.0/24"


def ask_for_code(network: str, number: int) -> bool:
    try:
        request = {"email": f"x{number}@{network.replace('/', '.')}.example", "name": f"X {number}", "zone": "UTC"}
        codes.send("code", request, network=network)
    except Problem:
        return False
    return True


def come_as_guest(network: str, number: int = 0) -> bool:
    try:
        guests.begin(network, "Firefox")
    except Problem:
        return False
    return True


def guest_who_moves(moves: int) -> str:
    """Add a guest who begins so many games as Mr. X and moves once in each; return the id."""
    guest, _ = guests.begin("198.51.100.0/24", "Firefox")
    for _ in range(moves):
        game = guests.practise(guest, "mr_x")
        move = RequestedMove(str(projection.legal_moves(look(game.id, guest), guest)[0]))
        act(game.id, guest, place, move)
    return guest.id


@pytest.fixture
def plenty() -> int:
    """How much there is of codes and of guests for all strangers."""
    assert limits.CODES.plenty == limits.GUESTS.plenty
    return limits.GUESTS.plenty


def test_a_newcomer_gets_a_code_while_twenty_networks_ask_for_all_they_can(table: Table, plenty: int):
    with table.app.app_context():
        flooding(ask_for_code, plenty // FLOODS + 2)
        assert not ask_for_code("11.3.1.0/24", 9_999), "what floods waits"
        assert [ask_for_code(honest(number), number) for number in range(TRIES)] == [True] * TRIES
        session.remove()


def test_a_player_gets_a_code_to_sign_in_from_a_network_that_floods(table: Table, plenty: int):
    ada = table.person("Ada")
    with table.app.app_context():
        flooding(ask_for_code, plenty // FLOODS + 2)
        for _ in range(TRIES):
            with suppress(Problem):  # the answer is the same to anybody there
                codes.send_to_sign_in(ada.address, network="11.3.1.0/24")
            table.clock.turn(minutes=10)
            flooding(ask_for_code, 1)
        mine = (SignUp.purpose == codes.SIGN_IN, SignUp.address == address_mark(ada.address))
        assert session.scalar(select(func.count()).where(*mine)) == TRIES
        session.remove()


def test_a_guest_practises_while_twenty_networks_bring_all_the_guests_they_can(table: Table, plenty: int):
    with table.app.app_context():
        flooding(come_as_guest, plenty // FLOODS + 1)
        table.clock.turn(minutes=16)
        for number in range(TRIES):
            assert come_as_guest(honest(number)), number
            come_as_guest("11.3.1.0/24")
        there = {quotas.of_network(honest(number)).narrow for number in range(TRIES)}
        assert there <= set(session.scalars(select(Player.network))), "no honest guest makes room"
        assert session.scalar(select(func.count()).select_from(Player)) <= plenty + TRIES
        session.remove()


def test_a_network_of_ipv6_that_brings_guests_makes_room_by_its_newest_and_every_stranger_comes_in(
    table: Table, plenty: int
):
    with table.app.app_context():
        for number in range(plenty):
            assert come_as_guest(f"2001:db8:7:{number:02x}00::/56")
        oldest, *_ = newest = list(session.scalars(select(Player.id).order_by(Player.created_at, Player.id)))
        table.clock.turn(minutes=16)
        assert all(come_as_guest(f"2001:4{number:02}:7:100::/56") for number in range(TRIES))
        left = set(session.scalars(select(Player.id)))
        assert oldest in left
        assert len(set(newest) - left) == TRIES
        session.remove()


def test_a_class_of_fifty_practises_behind_one_network(table: Table):
    with table.app.app_context():
        assert [come_as_guest("198.51.100.0/24") for _ in range(51)] == [True] * 50 + [False]
        session.remove()


def test_a_stranger_beside_a_full_class_takes_the_place_of_the_newest_who_never_moved(table: Table):
    with table.app.app_context():
        for _ in range(limits.GUESTS.most):
            assert come_as_guest("198.51.100.0/24")
            table.clock.turn(seconds=1)
        *children, newest = session.scalars(select(Player.id).order_by(Player.created_at))
        table.clock.turn(minutes=16)
        assert come_as_guest("198.51.100.0/24")
        left = set(session.scalars(select(Player.id)))
        assert (set(children) <= left, newest in left) == (True, False)
        session.remove()


def test_of_a_guest_who_becomes_a_player_nothing_tells_where_they_came_from(table: Table):
    with table.app.app_context():
        guest, _ = guests.begin("198.51.100.0/24", "Firefox")
        addresses.add(guest.id, "jo@y.example")
        player = session.get_one(Player, guest.id, populate_existing=True)
        assert (player.network, player.provider) == (None, None)
        session.remove()


@pytest.mark.parametrize(
    ("moves", "days", "gone"),
    [(0, 0, "last"), (1, 0, None), (2, 1, None), (2, 2, "first"), (0, 2, "first"), (3, 2, None)],
)
def test_who_was_away_for_a_day_after_few_moves_makes_room_before_the_newest_who_never_moved(
    table: Table, monkeypatch: pytest.MonkeyPatch, moves: int, days: int, gone: str | None
):
    monkeypatch.setattr(guests, "GUESTS", replace(limits.GUESTS, most=2))
    with table.app.app_context():
        first = guest_who_moves(moves)
        table.clock.turn(hours=24 * days)
        last = guest_who_moves(moves)
        table.clock.turn(minutes=16)
        assert come_as_guest("198.51.100.0/24") is (gone is not None)
        left = set(session.scalars(select(Player.id)))
        assert {"first": first, "last": last}.get(gone or "") == next(iter({first, last} - left), None)
        session.remove()


def test_a_guest_is_sure_to_stay_for_fifteen_minutes(table: Table):
    with table.app.app_context():
        for _ in range(limits.GUESTS.most):
            guest_who_moves(0)
        table.clock.turn(minutes=14)
        assert not come_as_guest("198.51.100.0/24")
        table.clock.turn(minutes=1)
        assert come_as_guest("198.51.100.0/24")
        session.remove()


# Mail --------------------------------------------------------------------------------------------


def test_forged_mails_in_a_players_name_leave_their_own_answers_alone(table: Table):
    forgers = [Branch(f"wide {number}", f"narrow {number}") for number in range(FLOODS)]
    own = Branch("own provider", "own network")
    with table.app.app_context():
        for _ in range(15):
            for forger in forgers:
                answers.schedule("ada", is_proven=False, branch=forger, words="Hello there")
        proven = [answers.schedule("ada", is_proven=True, branch=own, words=f"Say {n}") for n in range(TRIES)]
        at_reply_address = answers.schedule("ada", is_proven=False)
        claimed = answers.schedule("ada", is_proven=False, branch=own)
        assert None not in (*proven, at_reply_address, claimed)
        assert answers.schedule("ada", is_proven=True, words="Hello there") is not None, "the words of others"
        forged = select(func.count()).where(MailAnswer.kind == answers.CLAIMED)
        assert session.scalar(forged) <= 10 + 3 * (FLOODS + 1), "and the player's mailbox is not flooded"
        session.remove()


def test_a_player_is_answered_at_the_play_address_after_forty_forged_mails(table: Table):
    ada = table.game(table.people(3)).people[1]
    for number in range(40):
        table.deliver(_mail(ada.address, "What now?", number), f"x@{number % 5}.example", "play@localhost")
    table.tick()
    before = len(ada.mails)
    table.deliver(_mail(ada.address, "STATUS", 99), ada.address, "play@localhost")
    table.tick()
    assert len(ada.mails) == before + 1


def test_of_a_hundred_megabytes_of_mail_from_nobody_little_is_kept(table: Table):
    refused, large = 0, b"x" * 900_000
    for number in range(112):
        try:
            store(table, _mail("nobody@x.example", "Hello", number) + large, f"n@{number}.example", f"5.{number}.0.9")
        except Problem:
            refused += 1
    assert refused
    assert kept(table) < 20_000_000
    store(table, _mail("jo@y.example", "HELP", 999), "jo@y.example", "6.6.6.6")
    with table.app.app_context():
        while inbox.process_waiting():
            pass
        session.remove()
    assert kept(table) < 20_000
    store(table, _mail("nobody@x.example", "Hello", 1000) + large, "n@1.example", "5.1.0.9")


def test_mail_to_a_reply_address_is_taken_however_much_comes_from_there(table: Table):
    ada = table.game(table.people(3)).people[1]
    table.tick()
    for number in range(12):
        try:
            store(table, _mail("nobody@x.example", "x" * 900_000, number), ada.address, "5.5.5.5")
        except Problem:
            break
    else:
        pytest.fail("nothing was refused")
    to = ada.mails[-1]["Reply-To"].addresses[0].addr_spec
    store(table, _mail(ada.address, "STATUS", 100, to), ada.address, "5.5.5.5", to)


def test_a_mail_that_is_too_much_is_refused_whole_unless_it_came_to_a_reply_address_as_well(table: Table):
    ada = table.game(table.people(3)).people[1]
    table.tick()
    reply = ada.mails[-1]["Reply-To"].addresses[0].addr_spec
    large = _mail("nobody@x.example", "x" * 900_000, 1)

    def arrives(*to: str) -> int:
        with table.app.app_context(), suppress(Problem):
            arrivals.store(large, "n@x.example", list(to), "imap")
        with table.app.app_context():
            number = session.scalar(select(func.count()).select_from(Incoming)) or 0
            session.remove()
        return number

    number = 0
    while arrives("play@localhost") > number:
        number += 1
    assert arrives("play@localhost", "postmaster@localhost") == number
    assert arrives("play@localhost", reply) == number + 2


def test_a_player_cannot_fill_the_disk_through_a_reply_address_and_nobody_else_notices(table: Table):
    ada, ben = table.game(table.people(3)).people[1:]
    table.tick()
    to, other = (person.mails[-1]["Reply-To"].addresses[0].addr_spec for person in (ada, ben))
    before = kept(table)
    large = [_mail(ada.address, "x" * 930_000, number, to) for number in range(6)]
    for mail in large[:5]:
        store(table, mail, ada.address, "5.5.5.5", to)
    with pytest.raises(Problem):
        store(table, large[5], ada.address, "5.5.5.5", to)
    table.tick()
    assert kept(table) == before, "what was read is dropped"
    store(table, _mail(ben.address, "STATUS", 100, other), ben.address, "5.5.5.5", other)
    table.clock.turn(hours=24)
    store(table, _mail(ada.address, "STATUS", 101, to), ada.address, "5.5.5.5", to)
    table.tick()
    assert kept(table) > before, "what is small is kept"


def test_a_provider_whose_mails_take_long_to_read_is_read_behind_others(table: Table):
    store(table, _mail("nobody@x.example", "Hello", 1), "n@x.example", "5.5.5.5")
    store(table, _mail("jo@y.example", "Hello", 2), "jo@y.example", "6.6.6.6")
    with table.app.app_context():
        with transaction():
            quotas.record_use(limits.READING, quotas.of_network("5.5.9.0/24"), limits.READING.plenty + 1)
        inbox.process_waiting(limit=1)
        assert session.scalars(select(Incoming.sender).where(Incoming.state == "new")).all() == ["n@x.example"]
        inbox.process_waiting(limit=1)
        assert not session.scalars(select(Incoming.sender).where(Incoming.state == "new")).all()
        session.remove()


def test_bytes_are_given_back_to_the_day_in_which_the_mail_arrived_however_late_a_mailbox_is_read(table: Table):
    arrived = table.clock()
    table.clock.turn(days=1)
    with table.app.app_context():
        arrivals.store(_mail("jo@y.example", "HELP", 1), "jo@y.example", ["play@localhost"], "imap", arrived)
        inbox.process_waiting()
        used = dict(map(tuple, session.execute(_USED)))
        assert used == {limits.BYTES.begin(arrived): arrivals.OF_A_ROW}
        session.remove()


def test_where_a_mail_came_from_is_forgotten_when_it_was_read_or_its_sender_asks_for_it(table: Table):
    origins = select(Incoming.network, Incoming.provider)
    store(table, _mail("jo@y.example", "HELP", 1), "jo@y.example", "6.6.6.6")
    with table.app.app_context():
        assert None not in session.execute(origins).one()
        inbox.process_waiting()
        assert session.execute(origins).one() == (None, None)
        session.remove()
    store(table, _mail("jo@y.example", "HELP", 2), "jo@y.example", "6.6.6.6")
    with table.app.app_context():
        addresses.forget_mails_from(["jo@y.example"])
        assert set(session.execute(origins)) == {(None, None)}
        session.rollback()
        session.remove()


def test_where_a_mail_came_from_that_is_set_aside_is_known_as_long_as_it_can_be_read_again(table: Table):
    store(
        table,
        _mail("jo@y.example", "Hello", 1, "postmaster@localhost"),
        "jo@y.example",
        "6.6.6.6",
        "postmaster@localhost",
    )
    with table.app.app_context():
        inbox.process_waiting()
        (row,) = session.scalars(select(Incoming))
        assert (row.state, row.network is None) == ("aside", False)
        envelopes.read_again(row.id)
        inbox.process_waiting()
        table.clock.turn(days=31)
        tidy_up()
        assert session.scalar(select(func.count()).select_from(Incoming)) == 0
        session.remove()


# The table ------------------------------------------------------------------------------------------


def test_what_is_given_back_can_be_taken_again_and_no_count_falls_below_nothing(table: Table):
    plenty = limits.BYTES.plenty
    with table.app.app_context(), transaction():
        branch = quotas.of_domain("x@y.example")
        assert quotas.use_up(limits.BYTES, branch, plenty) is None
        assert quotas.use_up(limits.BYTES, branch, plenty) == now().replace(hour=0, minute=0) + DAY
        quotas.refund(limits.BYTES, branch, 2 * plenty, now())
        left = session.execute(select(Quota.branch, Quota.amount, Quota.branches)).all()
        assert [tuple(row) for row in left] == [("", 0, 0)], "no row is left of a domain that somebody named"
        assert quotas.use_up(limits.BYTES, branch, plenty) is None


def test_who_takes_and_gives_back_is_one_branch_and_others_get_their_share(table: Table):
    plenty = limits.BYTES.plenty
    with table.app.app_context(), transaction():
        first, second = quotas.of_domain("x@y.example"), quotas.of_domain("x@z.example")
        for _ in range(50):
            assert quotas.use_up(limits.BYTES, first, 5_000) is None
            quotas.refund(limits.BYTES, first, 5_000, now())
        assert quotas.use_up(limits.BYTES, first, plenty) is None
        assert quotas.use_up(limits.BYTES, second, plenty // 2) is None
        quotas.refund(limits.BYTES, second, 1, now())
        assert dict(map(tuple, session.execute(select(Quota.branch, Quota.branches)))) == {
            "": 2, first.wide: 1, first.narrow: 0, second.wide: 1, second.narrow: 0,
        }  # fmt: skip


def test_counts_are_forgotten_after_their_time_and_hold_no_address(table: Table):
    with table.app.app_context():
        ask_for_code("198.51.100.0/24", 1)
        come_as_guest("198.51.100.0/24")
        answers.schedule("ada", is_proven=False, branch=quotas.of_domain("x@y.example"))
        stored = str([tuple(row) for row in session.execute(text("SELECT * FROM quotas"))])
        assert "198.51" not in stored
        assert "y.example" not in stored
        assert "ada" not in stored
        table.clock.turn(days=2)
        session.remove()
        tidy_up()
        assert session.scalar(select(func.count()).select_from(Quota)) == 0
        session.remove()


def test_the_networks_of_one_provider_are_one_branch(table: Table):
    with table.app.app_context():
        for one, other, is_same in (
            ("198.51.100.0/24", "198.51.9.0/24", True), ("198.51.100.0/24", "198.52.100.0/24", False),
            ("2001:db8:1:100::/56", "2001:db8:ffff::/56", True), ("2001:db8::/56", "2001:db9::/56", False),
        ):  # fmt: skip
            branches = quotas.of_network(one), quotas.of_network(other)
            assert (branches[0].wide == branches[1].wide) == is_same, one
            assert branches[0].narrow != branches[1].narrow, one


def test_behind_a_relay_and_in_a_mailbox_the_branch_is_the_domain_of_the_envelope(tmp_path: Path):
    behind_relay = Table(tmp_path, authserv_id="mx.example")
    with behind_relay.app.app_context():
        assert quotas.of_mail("8.8.8.8", "jo@a.example") == quotas.of_domain("ann@A.example")
    direct = Table(tmp_path)
    with direct.app.app_context():
        assert quotas.of_mail("8.8.8.8", "jo@a.example") == quotas.of_network("8.8.8.0/24")
        for peer in (None, "127.0.0.1", "10.0.0.1"):
            assert quotas.of_mail(peer, "jo@a.example") == quotas.of_domain("jo@a.example")


def _mail(sender: str, words: str, number: int, to: str = "play@localhost") -> bytes:
    message = EmailMessage()
    message["From"], message["To"], message["Message-ID"] = sender, to, f"<{number}@mail.example>"
    message["Subject"] = "Hello"
    message.set_content(words)
    return message.as_bytes()


def store(table: Table, raw: bytes, sender: str, peer: str | None, to: str = "play@localhost") -> None:
    with table.app.app_context():
        try:
            arrivals.store(raw, sender, [to], "smtp", peer=peer)
        finally:
            session.remove()


def kept(table: Table) -> int:
    """Return how many bytes of mails the database holds."""
    with table.app.app_context():
        number = session.scalar(select(func.sum(func.length(text("raw")))).select_from(Incoming)) or 0
        session.remove()
    return number
