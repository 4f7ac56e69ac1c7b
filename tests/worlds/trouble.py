"""Scenes of the fixed run in which something fails, comes by another way, or goes to programs."""

import hmac
from base64 import b64encode
from contextlib import suppress

from werkzeug.test import encode_multipart

from server import worker
from server.application.mail import imap_progress
from server.application.time import outages
from server.application.time.outages import Watch
from server.mail.examination.supervisor import CannotRead
from server.mail.transport.imap import MailboxFailure
from server.mail.transport.imap_reader import MOST_ATTEMPTS, ImapReader
from server.models import Unavailable, session
from server.webhooks.transport import DELIVERED, GONE, UNREACHABLE
from server.worker.watchdog import Watchdog
from tests.injected import START
from tests.mail.transport.fake_mailbox import Server
from tests.webhooks.subscription import DEVICE
from tests.worlds.one_world import KEY, World
from tests.worlds.twins import Twin


def webhooks(twin: Twin) -> None:
    """A detective, Mr. X and the host have programs that are told; the first has trouble with his."""
    api = "/api/v1/webhooks"
    hooks = {}
    for who in ("Ben", "Ada", "Hana"):
        made = twin.ask(who, "POST", api, {"url": f"https://{who.lower()}.example.org/"}).json
        hooks[who] = f"{api}/{made['id']}"  # type: ignore[index]
    for url in ("https://127.0.0.1/", *["https://more.example.org/"] * 5):
        twin.ask("Hana", "POST", api, {"url": url})
    chats = {
        "ntfy": "https://ntfy.example.org/a", "discord": "https://discord.com/api/webhooks/1/a",
        "slack": "https://hooks.slack.com/services/a",
    }  # fmt: skip
    for kind, url in chats.items():
        twin.ask("Cleo", "POST", api, {"url": url, "format": kind, "games": [twin.worlds[0].game]})
        twin.ask("Ada", "POST", api, {"url": url, "format": kind})
    twin.ask("Ben", "POST", f"{hooks['Ben']}/secret")
    _devices(twin)
    while twin.play() != "Ada":
        twin.tick()
    twin.ask("Ben", "POST", f"{hooks['Ben']}/test")
    twin.ask("Ben", "POST", f"{hooks['Ben']}/test")
    for says, wait in ((UNREACHABLE, 1), (GONE, 60)):
        _hooks_say(twin, says)
        twin.play()
        twin.wait(minutes=wait)
    _hooks_say(twin, DELIVERED)
    twin.ask("Ben", "PATCH", hooks["Ben"], {"enabled": True})
    with twin.failing("server.application.people.webhooks.good_secrets"):
        twin.play()
        twin.tick()
    for to in ("team", "all"):
        twin.ask("Cleo", "POST", "/messages", {"to": to, "text": "Who covers 100?"})
    twin.ask("Cleo", "POST", "/votes", {"kind": "extend", "length": "P1D"})
    twin.ask("Cleo", "POST", "/draw")
    twin.wait(hours=37)
    for who in ("Ada", "Ben", "Cleo", "Hana", "Gus"):
        twin.ask(who, "GET", "/api/v1/me/events?limit=1000")
        twin.ask(who, "GET", "/api/v1/me/waiting")
        twin.ask(who, "GET", "/api/v1/labels/league")
    for who in ("Ben", "Gus"):
        for path in (api, hooks["Ben"], f"{hooks['Ben']}/deliveries"):
            twin.ask(who, "GET", path)
            twin.ask(who, "HEAD", path)
    machine_looks(twin)
    twin.ask("Ben", "DELETE", hooks["Ben"])


def _devices(twin: Twin) -> None:
    """A detective and Mr. X have devices that call them, and another detective has one no more."""
    api = "/api/v1/devices"
    made = {}
    for who in ("Ada", "Ben", "Cleo"):
        made[who] = twin.ask(who, "POST", api, DEVICE | {"endpoint": f"https://push.example.org/{who}"})
    twin.ask("Ben", "POST", api, DEVICE | {"game": twin.worlds[0].game})
    twin.ask("Cleo", "DELETE", f"{api}/{made['Cleo'].json['id']}")  # type: ignore[index]
    for url in ("https://127.0.0.1/", "x"):
        twin.ask("Ben", "POST", api, DEVICE | {"endpoint": url})
    for method in ("GET", "HEAD"):
        twin.ask("Ben", method, api)


def _hooks_say(twin: Twin, word: str) -> None:
    for world in twin.worlds:
        world.hook_says = word


def machine_looks(twin: Twin) -> None:
    for method in ("GET", "HEAD"):
        twin.ask(None, method, "/metrics", Authorization=f"Bearer {KEY}")


def several_addresses(twin: Twin) -> None:
    """Ben gets a second address, has his mail there for a while, and gives it up; he asks for that of another too."""
    api = "/api/v1/me/addresses"
    for email in ("ben@work.example", "ada@example.org", "cleo@example.org"):
        twin.ask("Ben", "POST", api, {"email": email})
    twin.tick()
    letter = next(letter for letter in twin.worlds[0].post.sent if letter.recipient == "ben@work.example")
    code = letter.read.get_content().partition('code is "')[2][:16]
    second = twin.ask("Ben", "POST", f"{api}/confirm", {"code": code}).json["id"]  # type: ignore[index]
    first = twin.ask("Ben", "GET", api).json["addresses"][0]["id"]  # type: ignore[index]
    twin.ask("Ben", "POST", f"{api}/{second}/primary")
    twin.mail("Ben", "STATUS", sender="ben@work.example")
    twin.tick()
    twin.ask("Ben", "POST", f"{api}/{first}/primary")
    for who in ("Ben", "Cleo"):
        twin.ask(who, "DELETE", f"{api}/{second}")


def faults(twin: Twin) -> None:
    """Everything that can fail does, each time with an error whose text tells where Mr. X is."""
    other_ways_in(twin)
    for target, path in FAULTS:
        with twin.failing(target):
            twin.ask("Ben", "GET", path)
        with twin.failing(target, lambda text: Unavailable(text, None, RuntimeError(text))):
            twin.ask("Ben", "GET", path)
    twin.ask("Ben", "POST", "/moves", b" " * 1_100_000)
    twin.mail("Ben", "STATUS")
    with twin.failing("server.mail.inbox._examined"):
        for _ in range(3):
            twin.wait(minutes=3)
    twin.mail("Ben", "STATUS")
    with twin.failing("server.mail.inbox._examined", lambda _text: CannotRead("no reading process can be started")):
        twin.tick()
    twin.wait(minutes=3)
    twin.mail("Ben", "STATUS")
    with twin.failing("server.mail.composing.compose.compose"):
        twin.tick()
    twin.wait(minutes=10)
    twin.command("doctor")
    twin.mail("Cleo", "STATUS")
    post_fails(twin)
    with twin.failing("server.worker.deadlines.fire"):
        twin.wait(hours=40)
    _outages(twin)
    twin.both("the listener fails", _listener_fails)
    with twin.failing("server.worker.fire_due"):
        twin.both("the worker fails", _worker_fails)


def other_ways_in(twin: Twin) -> None:
    """Mails that providers hand over, and those of a mailbox; some of them fail."""
    raw = "From: ben@example.org\r\nTo: play@localhost\r\nMessage-ID: <%s@x>\r\n\r\nSTATUS\r\n"
    basic = b64encode(f"postmark:{KEY}".encode()).decode()
    told = {"RawEmail": raw % 1, "OriginalRecipient": "play@localhost"}
    for login in (f"Basic {basic}", "Basic x"):
        twin.ask(None, "POST", "/api/v1/inbound/postmark", told, Authorization=login)
    form = {"timestamp": str(int(START.timestamp())), "token": "t" * 50, "recipient": "play@localhost"}
    form["signature"] = hmac.new(KEY.encode(), (form["timestamp"] + form["token"]).encode(), "sha256").hexdigest()
    for number in (2, 3):
        boundary, body = encode_multipart({**form, "body-mime": raw % number})
        kind = f'multipart/form-data; boundary="{boundary}"'
        twin.ask(None, "POST", "/api/v1/inbound/mailgun", body, Content_Type=kind)
    twin.both("a mailbox is read", lambda world: _mailbox_is_read(world, (raw % 4).encode()))
    twin.command("doctor", "--mail")
    twin.ask("Ben", "GET", "/readyz")
    twin.tick()


def _mailbox_is_read(world: World, raw: bytes) -> None:
    """One mail is taken in, another can never be fetched, and then the line is dead for another reason."""
    box = world.runtime.settings.imap_url
    server, reader = Server(), ImapReader(world.table.app, box)
    server.arrives(raw)
    server.arrives(raw.replace(b"<4", b"<5"))
    fetched = server.raw

    def raw_of(uid: int, most: int) -> bytes | None:
        if uid == 1:
            return fetched(uid, most)
        raise MailboxFailure(f"Mr. X is at {world.lived.station('mr_x')}")

    server.raw = raw_of  # type: ignore[method-assign]
    with world.table.app.app_context():
        for _ in range(MOST_ATTEMPTS + 1):
            with suppress(MailboxFailure):
                reader.read(server)  # type: ignore[arg-type]
        session.remove()
    reader._connect = lambda _box: reader._stopping.set() or int(f"Mr. X is at {world.lived.station('mr_x')}")  # type: ignore[assignment]
    reader._run()
    with world.table.app.app_context():
        imap_progress.claim(box.name, "reader")
        imap_progress.failed(box.name, "the mail server cannot be reached (it does not answer)")
        session.remove()


FAULTS = (
    ("server.application.game.projection.deadline", "/deadline"),
    ("server.application.game.projection.project", ""),
)


def post_fails(twin: Twin) -> None:
    """The relay refuses a mail, and then breaks down over it."""
    from server.mail.transport.smtp_client import SendingFailure

    failures = [SendingFailure("the relay refused the mail (451)", lasting=False), RuntimeError("broken")]
    for failure in failures:
        for world in twin.worlds:
            world.post.fails = lambda _recipient, failure=failure: failure  # type: ignore[misc]
        twin.wait(minutes=30)
        twin.command("doctor")
    for world in twin.worlds:
        world.post.fails = lambda _recipient: None
    twin.wait(minutes=30)


def _listener_fails(world: World) -> None:
    import asyncio

    from server.mail.transport.smtp_server import Handler

    error = RuntimeError(f"Mr. X is at {world.lived.station('mr_x')}")
    world.leaves("answer of the mail listener", asyncio.run(Handler(world.table.app, "smtp").handle_exception(error)))


def _outages(twin: Twin) -> None:
    """The clock is set, the server is out, in vain a game gets its time back, and for more than a day; all look."""
    twin.both("the clock is set", lambda world: _is_out(world, 50, hours=2))
    with twin.failing("server.house_rules.timers.credit_outage"):
        twin.both("the server is out", lambda world: _is_out(world, 0, hours=2))
    twin.tick()
    twin.wait(minutes=3)
    twin.both("the server is out for days", lambda world: _is_out(world, 0, hours=50))
    twin.command("doctor")
    for method in ("GET", "HEAD"):
        twin.ask("Ben", method, "/readyz")
    twin.command("deadline", "credit")
    twin.both("the clock is days ahead", lambda world: world.table.clock.turn(days=40))
    twin.ask("Ben", "POST", "/votes", {"kind": "extend", "length": "P1D"})
    twin.both("it is right again", lambda world: world.table.clock.turn(days=-40))
    with twin.failing("server.house_rules.timers.restart"):
        twin.both("in vain what began meanwhile is to begin anew", _correct)
    twin.both("what began meanwhile begins anew", _correct)
    for path in ("", "/events", "/deadline"):
        twin.ask("Ben", "GET", path)


def _correct(world: World) -> None:
    with world.table.app.app_context():
        outages.request_correction()
        outages.correct_timers()
        session.remove()


def _is_out(world: World, seconds: float, **length: float) -> None:
    """Turn the clock by this length unobserved; the monotonic clock passes at most so many seconds of it."""
    watch, clock, monotonic = Watch(), iter((0.0, 0.0, seconds, seconds)), world.runtime.monotonic
    with world.table.app.app_context():
        world.runtime.monotonic = lambda: next(clock) if seconds else world.table.clock.time.timestamp()
        watch.look()
        world.table.clock.turn(**length)
        world.table.tick()
        for _ in range(2):
            watch.look()
        worker.correct_timers()
        Watchdog("http://127.0.0.1:1/").call(list)
        world.runtime.monotonic = monotonic
        session.remove()


def _worker_fails(world: World) -> None:
    from server.worker import Worker

    Worker(world.table.app)._tick()
