"""Settings come from the environment; a wrong one stops the start with one sentence that names it."""

import re
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import make_url

from server.settings import Listen, Mailbox, Rate, Relay, SettingError, Settings
from server.settings.folder import make_secret

KEY = "0123456789abcdef0123456789abcdef"


@pytest.fixture
def read(tmp_path: Path):
    """Reads settings given without their prefix."""

    def read(**given: str) -> Settings:
        return Settings.from_environ({f"BLACKTICKET_{name}": value for name, value in given.items()}, tmp_path / "var")

    return read


def test_nothing_needs_to_be_set(read, tmp_path: Path):
    found = read()
    assert found.var == tmp_path / "var"
    assert found.database_url == f"sqlite:///{tmp_path / 'var' / 'blackticket.db'}"
    assert found.http_listen == found.http_listen.local == Listen("http", "127.0.0.1", 8000)
    assert found.mail_listen == (Listen("smtp", "127.0.0.1", 2525),)
    assert (found.play_address, found.reply_address) == ("play@localhost", "turn+{token}@localhost")
    assert (found.public_url, found.smtp_url, found.dev_mail, found.sandbox) == (None, None, False, False)
    assert found.min_turn == timedelta(minutes=10)


def test_the_secret_key_is_made_once_and_kept_from_other_eyes(read, tmp_path: Path):
    made = read().secret_key
    kept = tmp_path / "var" / "secret_key"
    assert len(made) >= 64
    assert kept.stat().st_mode & 0o777 == 0o600
    assert read().secret_key == made, "a second start keeps it"
    assert read(SECRET_KEY=KEY).secret_key == KEY
    assert kept.read_text() == made


def test_of_several_that_start_at_once_all_take_the_key_of_the_first(read, tmp_path: Path):
    def after_another(path: Path, _whole: Path) -> None:
        path.write_text(KEY)
        raise FileExistsError

    (tmp_path / "var").mkdir(mode=0o700)
    make_secret(tmp_path / "var" / "secret_key", after_another)
    assert read().secret_key == KEY
    assert [path.name for path in (tmp_path / "var").iterdir()] == ["secret_key"]


def test_a_secret_key_is_never_seen_half_written(read, tmp_path: Path):
    def whole(path: Path, written: Path) -> None:
        assert len(written.read_text()) == 64
        assert not path.exists()
        path.hardlink_to(written)

    (tmp_path / "var").mkdir(mode=0o700)
    make_secret(tmp_path / "var" / "secret_key", whole)
    assert len(read().secret_key) == 64


def test_a_key_that_is_gone_from_beside_its_database_is_not_made_anew(read, tmp_path: Path):
    (tmp_path / "var").mkdir()
    (tmp_path / "var" / "blackticket.db").touch()
    with pytest.raises(SettingError, match="secret_key is missing, and the database beside it opens with no other key"):
        read()
    assert read(SECRET_KEY=KEY).secret_key == KEY


def test_a_place_where_no_key_can_be_kept_is_named(read, tmp_path: Path):
    (tmp_path / "var" / "secret_key").mkdir(parents=True)
    with pytest.raises(SettingError, match=r"secret_key \(Is a directory\)\.$"):
        read()


def test_a_secret_key_that_was_lost_half_way_is_not_made_anew(read, tmp_path: Path):
    read()
    (tmp_path / "var" / "secret_key").write_text("")
    with pytest.raises(SettingError, match="secret_key holds no usable key; restore it"):
        read()


def test_the_data_folder_is_for_its_owner_alone(read, tmp_path: Path):
    read()
    assert (tmp_path / "var").stat().st_mode & 0o777 == 0o700
    assert [path.name for path in (tmp_path / "var").iterdir()] == ["secret_key"], "no probe is left"


def test_a_data_folder_that_cannot_be_written_to_is_named(tmp_path: Path):
    (tmp_path / "file").touch()
    with pytest.raises(SettingError) as refused:
        Settings.from_environ({}, tmp_path / "file" / "var")
    assert str(tmp_path / "file" / "var") in str(refused.value)
    assert "cannot be written to (Not a directory)" in str(refused.value)


def test_addresses_follow_from_the_domain(read):
    found = read(MAIL_DOMAIN="Play.Example.org")
    assert (found.play_address, found.reply_address) == ("play@play.example.org", "turn+{token}@play.example.org")
    found = read(MAIL_DOMAIN="example.org", PLAY_ADDRESS="yard@{domain}", REPLY_ADDRESS="t-{token}@mx.{domain}")
    assert (found.play_address, found.reply_address) == ("yard@example.org", "t-{token}@mx.example.org")


def test_several_listeners_are_a_list_and_none_is_an_empty_one(read):
    listed = read(MAIL_LISTEN="smtp://127.0.0.1:2525, smtp://[::1]:25").mail_listen
    assert listed == (Listen("smtp", "127.0.0.1", 2525), Listen("smtp", "::1", 25))
    assert [str(listen) for listen in listed] == ["smtp://127.0.0.1:2525", "smtp://[::1]:25"]
    assert read(MAIL_LISTEN="").mail_listen == ()


def test_a_relay_is_read_with_its_escapes_and_usual_ports(read):
    assert read(SMTP_URL="smtps://ada%40home:p%2Fw@mx.example.org").smtp_url == Relay(
        "mx.example.org", 465, "ada@home", "p/w", tls=True, starttls=False
    )
    assert read(SMTP_URL="smtp://mx:2526").smtp_url == Relay("mx", 2526, None, None, tls=False, starttls=False)
    assert read(SMTP_URL="smtp+starttls://mx").smtp_url.port == 587
    assert read(SMTP_URL="").smtp_url is None


def test_a_mailbox_is_read_with_its_escapes_and_usual_ports(read):
    assert read(IMAP_URL="imaps://ada%40home.example:p%2Fw@mx.example.org").imap_url == Mailbox(
        "mx.example.org", 993, "ada@home.example", "p/w", "INBOX", tls=True, starttls=False
    )
    found = read(IMAP_URL="imap://ada:pw@mx.example.org:1143/Games%20here/").imap_url
    assert (found.port, found.folder, found.tls, found.starttls) == (1143, "Games here", False, True)
    assert found.name == "ada@mx.example.org/Games here"
    assert "pw" not in repr(found)
    assert read(IMAP_URL="").imap_url is None


@pytest.mark.parametrize(
    ("text", "rate"),
    [("400/P1D", Rate(400, timedelta(days=1))), ("1/PT1S", Rate(1, timedelta(seconds=1))), ("", None)],
)
def test_a_rate_is_so_much_in_so_long_a_time_or_none(read, text: str, rate: Rate | None):
    assert read(RATE_LIMIT=text).rate_limit == rate


@pytest.mark.parametrize(
    "given",
    [{"HTTP_LISTEN": "0.0.0.0:8000"}, {"HTTP_LISTEN": "play.example.org:8000"}, {"MAIL_DOMAIN": "play.example.org"},
     {"PUBLIC_URL": "https://play.example.org"}, {"SMTP_URL": "smtp://mx"}, {"IMAP_URL": "imaps://a:b@mx"}],
    ids=lambda given: next(iter(given)),
)  # fmt: skip
def test_a_server_is_for_trying_out_until_anything_faces_the_world(read, given: dict[str, str]):
    assert read().is_for_trying_out
    assert read(HTTP_LISTEN="[::1]:9000").is_for_trying_out
    assert not read(**given).is_for_trying_out


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.9.9.9", "[::1]"])
def test_a_mailbox_on_this_machine_needs_no_tls(read, host: str):
    assert read(IMAP_URL=f"imap://ada:pw@{host}").imap_url.starttls is False


def test_tokens_may_stand_in_the_name_where_a_mailbox_has_one_address(read):
    form = "Black Ticket {token} <yard@example.org>"
    assert read(REPLY_ADDRESS=form).reply_address == form
    assert read(REPLY_ADDRESS="Yard {token} <play@{domain}>", MAIL_DOMAIN="a.example").reply_address.endswith(
        "@a.example>"
    )


@pytest.mark.parametrize(("text", "flag"), [("1", True), ("Yes", True), ("true", True), ("0", False), ("off", False)])
def test_flags_are_said_in_many_ways(read, text: str, flag: bool):
    assert read(SANDBOX=text).sandbox is flag


def test_a_secret_may_lie_in_a_file(read, tmp_path: Path):
    (tmp_path / "key").write_text(f"{KEY}\n")
    assert read(SECRET_KEY_FILE=str(tmp_path / "key")).secret_key == KEY


@pytest.mark.parametrize(
    ("given", "hosts"),
    [
        ("one,two", ("one", "two")), ("one:5432,two:5433", ("one:5432", "two:5433")),
        ("ada:p%40w@one:5432,two", ("one:5432", "two")), ("%2Frun%2Fone,%2Frun%2Ftwo", ("/run/one", "/run/two")),
    ],
)  # fmt: skip
def test_several_hosts_of_postgresql_are_written_as_libpq_takes_them(read, given: str, hosts: tuple[str, ...]):
    url = make_url(read(DATABASE_URL=f"postgresql://{given}/yard?sslmode=require").database_url)
    assert (url.query["host"], url.query["sslmode"], url.database) == (hosts, "require", "yard")
    assert url.password == ("p@w" if "@" in given else None)


def test_postgresql_is_reached_by_psycopg(read):
    assert read(DATABASE_URL="postgresql://ada@db/yard").database_url == "postgresql+psycopg://ada@db/yard"


def test_environment_variables_of_others_do_not_matter(tmp_path: Path):
    assert Settings.from_environ({"HOME": "/", "TICKET": "x", "SECRET_KEY": "short"}, tmp_path).tick_seconds == 5


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("HTTP_LISTEN", "8000", "http://127.0.0.1:8000"),
        ("HTTP_LISTEN", "", "http://127.0.0.1:8000"),
        ("HTTP_LISTEN", "127.0.0.1:80000", "port"),
        ("HTTP_LISTEN", "127.0.0.1:http", "port"),
        ("HTTP_LISTEN", "smtp://127.0.0.1:25", "http://"),
        ("HTTP_LISTEN", "http://[::1:8000", "http://"),
        ("TRUSTED_PROXIES", "nginx", "127.0.0.1,10.0.0.0/8"),
        ("TRUSTED_PROXIES", "10.0.0.1/8", "127.0.0.1,10.0.0.0/8"),
        ("MAIL_LISTEN", "smtp://127.0.0.1", "smtp://127.0.0.1:2525"),
        ("MAIL_LISTEN", "smtp://127.0.0.1:2525,imap://127.0.0.1:143", "smtp://"),
        ("MAIL_DOMAIN", "not a domain", "domain"),
        ("MAIL_DOMAIN", "", "domain"),
        ("PLAY_ADDRESS", "play", "mail address"),
        ("PLAY_ADDRESS", "play@x\nBcc: y@z", "mail address"),
        ("REPLY_ADDRESS", "turn@localhost", "{token}"),
        ("REPLY_ADDRESS", "{token}+{token}@localhost", "{token}"),
        ("REPLY_ADDRESS", "{token} <yard>", "mail address"),
        ("REPLY_ADDRESS", 'a" {token} <yard@example.org>', "mail address"),
        ("MAIL_NAME", "", "Black Ticket"),
        ("MAIL_NAME", "a\nBcc: y@z", "Black Ticket"),
        ("MAIL_NAME", "Yard <a@b.example>", "Black Ticket"),
        ("PUBLIC_URL", "play.example.org", "https://"),
        ("PUBLIC_URL", "ftp://play.example.org", "https://"),
        ("PUBLIC_URL", "https://[play", "https://"),
        ("TICK_SECONDS", "often", "seconds"),
        ("TICK_SECONDS", "0", "seconds"),
        ("TICK_SECONDS", "nan", "seconds"),
        ("MIN_TURN", "5", "P2D for two days"),
        ("MIN_TURN", "PT0S", "shorter than a second"),
        ("SANDBOX", "perhaps", "neither yes nor no"),
        ("DEV_MAIL", "2", "neither yes nor no"),
        *(("RATE_LIMIT", text, "600/PT1M") for text in ("600", "/PT1M", "0/PT1M", "600/PT0S", "6e2/PT1M", "600/P32D")),
    ],
)
def test_a_wrong_value_is_named_with_what_would_be_right(read, name: str, value: str, says: str):
    with pytest.raises(SettingError) as refused:
        read(**{name: value})
    sentence = str(refused.value)
    assert sentence.startswith(f"BLACKTICKET_{name} is wrong: {value!r} ")
    assert sentence.count(repr(value)) == 1
    assert says in sentence
    assert sentence.endswith(".")


@pytest.mark.parametrize("url", ["https://play.example.org", "http://192.0.2.1:8000", "http://localhost.example.org"])
def test_everybodys_mail_is_not_shown_by_a_server_that_others_reach(read, url: str):
    with pytest.raises(SettingError) as refused:
        read(DEV_MAIL="yes", PUBLIC_URL=url)
    assert "BLACKTICKET_DEV_MAIL" in str(refused.value)
    assert "BLACKTICKET_PUBLIC_URL" in str(refused.value)
    assert read(DEV_MAIL="no", PUBLIC_URL=url).public_url == url


@pytest.mark.parametrize("url", ["http://localhost:8000", "http://127.0.0.1", "http://[::1]:8000"])
def test_it_is_shown_by_one_that_only_this_machine_reaches(read, url: str):
    assert read(DEV_MAIL="yes", PUBLIC_URL=url).dev_mail


def test_proxies_are_addresses_and_networks(read):
    found = read(TRUSTED_PROXIES=" 127.0.0.1, 10.0.0.0/8,2001:db8::/32")
    assert [str(proxy) for proxy in found.trusted_proxies] == ["127.0.0.1/32", "10.0.0.0/8", "2001:db8::/32"]
    assert not found.is_for_trying_out, "what stands behind a proxy faces the world"
    assert read(TRUSTED_PROXIES="").trusted_proxies == ()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SECRET_KEY", "hunter2"),
        ("SECRET_KEY", ""),
        ("DATABASE_URL", "mysql://ada:hunter2@db/yard"),
        ("DATABASE_URL", "hunter2"),
        ("DATABASE_URL", "postgresql://ada:hunter2@db:port/yard"),
        ("DATABASE_URL", "sqlite://"),
        ("DATABASE_URL", "sqlite:///:memory:"),
        ("SMTP_URL", "imap://ada:hunter2@mx"),
        ("SMTP_URL", "smtp://ada:hunter2/x@mx"),
        ("SMTP_URL", "smtp://ada:hunter2@mx:99999"),
        ("SMTP_URL", "smtp://ada:hunter2@[mx"),
        ("SMTP_URL", "hunter2"),
        ("IMAP_URL", "hunter2"),
        ("IMAP_URL", "smtp://ada:hunter2@mx"),
        ("IMAP_URL", "imaps://hunter2@mx"),
        ("IMAP_URL", "imaps://ada:hunter2@mx:99999"),
        ("IMAP_URL", "imaps://ada:hunter2@"),
        ("POSTMARK_SECRET", "hunter2"),
        ("MAILGUN_SIGNING_KEY", "hunter2"),
        ("METRICS_TOKEN", "hunter2"),
    ],
)
def test_a_wrong_secret_is_named_and_not_shown(read, name: str, value: str):
    with pytest.raises(SettingError) as refused:
        read(**{name: value})
    sentence = str(refused.value)
    assert sentence.startswith(f"BLACKTICKET_{name} is wrong: its value ")
    assert "hunter2" not in sentence
    assert refused.value.__suppress_context__, "nor in a traceback"


@pytest.mark.parametrize("text", ["hunter2", "\0", "x" * 5_000])
def test_a_secret_in_a_file_is_not_shown_either(read, tmp_path: Path, text: str):
    (tmp_path / "url").write_text(text)
    with pytest.raises(SettingError) as refused:
        read(DATABASE_URL_FILE=str(tmp_path / "url"))
    assert "BLACKTICKET_DATABASE_URL is wrong: its value" in str(refused.value)
    assert text not in str(refused.value)


@pytest.mark.parametrize("path", ["missing", "folder", "binary"])
def test_a_file_of_a_secret_that_cannot_be_read_is_named(read, tmp_path: Path, path: str):
    (tmp_path / "folder").mkdir()
    (tmp_path / "binary").write_bytes(b"\xff\xfe\xfa")
    with pytest.raises(SettingError, match="BLACKTICKET_SECRET_KEY_FILE names a file that cannot be read") as refused:
        read(SECRET_KEY_FILE=str(tmp_path / path))
    assert str(refused.value).endswith(".")


def test_a_secret_is_given_once(read, tmp_path: Path):
    (tmp_path / "key").write_text(KEY)
    with pytest.raises(SettingError, match="BLACKTICKET_SECRET_KEY and BLACKTICKET_SECRET_KEY_FILE"):
        read(SECRET_KEY=KEY, SECRET_KEY_FILE=str(tmp_path / "key"))


@pytest.mark.parametrize(
    ("name", "meant"), [("HTTP_LISTN", "HTTP_LISTEN"), ("SANDBOXES", "SANDBOX"), ("SMTPURL", "SMTP_URL")]
)
def test_a_setting_that_there_is_not_is_refused_with_the_one_that_was_meant(read, name: str, meant: str):
    with pytest.raises(SettingError) as refused:
        read(**{name: "x"})
    assert str(refused.value) == f"BLACKTICKET_{name} is not a setting; did you mean BLACKTICKET_{meant}?"


def test_a_setting_that_resembles_none_is_refused(read):
    told = "BLACKTICKET_XYZZY is not a setting; all settings are listed in docs/settings.md."
    with pytest.raises(SettingError, match=re.escape(told)):
        read(XYZZY="1")


def test_what_a_terminal_speaks_to_a_server_by_is_no_setting_of_one(read):
    assert read(URL="https://play.example.org", TOKEN="bt_...") == read()


def test_no_secret_is_in_the_printed_form_of_the_settings(read):
    found = read(SECRET_KEY=KEY, DATABASE_URL="postgresql://ada:hunter2@db/yard", SMTP_URL="smtp://ada:hunter3@mx")
    assert not [secret for secret in (KEY, "hunter2", "hunter3") if secret in repr(found)]


NAMES = ["HTTP_LISTEN", "MAIL_LISTEN", "MAIL_DOMAIN", "PLAY_ADDRESS", "REPLY_ADDRESS", "PUBLIC_URL", "TICK_SECONDS",
         "MIN_TURN", "SANDBOX", "DATABASE_URL", "SMTP_URL", "SECRET_KEY"]  # fmt: skip
LIKELY = st.from_regex(r"(smtp|http|sqlite|postgresql)s?:/{0,3}[a-z@:\[\].0-9%/]{0,12}", fullmatch=True)


@settings(max_examples=3 * settings.default.max_examples, suppress_health_check=list(HealthCheck))
@given(name=st.sampled_from(NAMES), value=st.text(max_size=12) | LIKELY)
def test_whatever_is_set_is_taken_or_refused_by_name(read, name: str, value: str):
    try:
        read(**{name: value})
    except SettingError as refused:
        assert f"BLACKTICKET_{name}" in str(refused)  # noqa: PT017 either is right


def test_hosts_of_a_private_network_are_named_with_the_players_who_may_reach_them(read):
    assert read().webhook_hosts == ()
    found = read(WEBHOOK_HOSTS="abc2@Ntfy.lan:80, def3@192.168.1.20:8123,abc2@[fd12::1]:443").webhook_hosts
    assert found == (("abc2", "ntfy.lan", 80), ("def3", "192.168.1.20", 8123), ("abc2", "fd12::1", 443))


@pytest.mark.parametrize(
    "wrong",
    ["ntfy.lan:80", "abc2@ntfy.lan", "abc2@ntfy.lan:0", "abc2@ntfy.lan:65536", "abc2@http://ntfy.lan:80", "@a:80",
     "abc2@127.0.0.1:80", "abc2@169.254.169.254:80", "abc2@[fe80::1]:80", "abc2@[fd00:ec2::254]:80", "abc2@0.0.0.0:80",
     "abc2@93.184.216.34:443", "abc2@2130706433:80", "abc2@10.1:80", "abc2@[::1]:80"],
)  # fmt: skip
def test_a_host_that_is_in_no_private_network_stops_the_start(read, wrong: str):
    with pytest.raises(SettingError, match=r"BLACKTICKET_WEBHOOK_HOSTS is wrong: .*192\.168\.1\.20"):
        read(WEBHOOK_HOSTS=wrong)
