"""The commands of the page from a bare Debian to a server: as far as they can be run here, they are."""

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from server.settings import SETTINGS_FILE, Settings
from tests.cli.test_commands import run as run_in_folder  # noqa: F401 a fixture
from tests.cli.test_lobby import run
from tests.docs.pages import ROOT, page
from tests.scenes import text_of
from tests.table import Table

EVENING = page("docs/hosting.md")
BLOCKS = re.findall(r"^```sh\n(.*?)^```$", EVENING, re.MULTILINE | re.DOTALL)
COMMANDS = "\n".join(BLOCKS)
# Programs of Debian's packages that the page installs, or that every Debian has.
PROGRAMS = {
    "apt-get", "blackticket", "cat", "certbot", "chmod", "git", "install", "make", "nginx", "sed", "systemctl",
    "useradd",
}  # fmt: skip


def written(file: str) -> str:
    """Return what a command of the page writes to a file."""
    found = re.search(rf"^cat >>? {re.escape(file)} <<'END'\n(.*?)^END$", COMMANDS, re.MULTILINE | re.DOTALL)
    assert found is not None, file
    return found[1]


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_a_shell_reads_each_block_and_knows_its_programs(block: str):
    subprocess.run(["sh", "-n"], input=block, text=True, check=True, timeout=60)
    lines = re.sub(r"<<'END'\n.*?^END$", "", block, flags=re.MULTILINE | re.DOTALL).splitlines()
    assert {line.split()[0] for line in lines} <= PROGRAMS


def test_every_file_of_the_checkout_and_every_target_of_make_is_there():
    for path in re.findall(r"/opt/blackticket/(deploy/[\w./-]+)", COMMANDS):
        assert (ROOT / path).is_file(), path
    for target in re.findall(r"make -C /opt/blackticket (\S+)$", COMMANDS, re.MULTILINE):
        assert page("Makefile").replace("$(VENV)", ".venv").count(f"\n{target}:") == 1


def test_the_unit_runs_the_program_where_the_page_puts_it():
    unit = page("deploy/blackticket.service")
    assert "ExecStart=/opt/blackticket/.venv/bin/blackticket serve\n" in unit
    assert "WorkingDirectory=/var/lib/blackticket\n" in unit


def test_the_settings_on_the_page_are_taken_by_the_server(tmp_path: Path):
    lines = written("/var/lib/blackticket/blackticket.env").splitlines()
    settings = Settings.from_environ(dict(line.split("=", 1) for line in lines), tmp_path)
    assert settings.public_url == "https://play.example.org"
    assert settings.mail_listen == ()
    assert settings.operator_email is not None


def test_a_command_reads_the_settings_that_the_page_on_a_domain_has_written_for_the_service(
    tmp_path: Path,
    run_in_folder: Callable[..., Result],  # noqa: F811
):
    unit = page("deploy/blackticket.service")
    (file,) = set(re.findall(r"Settings are lines of `([^`]+)`", EVENING))
    assert file == f"/var/lib/blackticket/{SETTINGS_FILE}"
    assert "EnvironmentFile" not in unit, "the service would have settings that commands do not read"
    lines = re.findall(r"^BLACKTICKET_(?!DKIM)\w+=.*$", EVENING, re.MULTILINE)
    (tmp_path / SETTINGS_FILE).write_text("\n".join(lines))
    report = json.loads(run_in_folder("doctor", "--json").stdout)
    assert report["mail_goes_to"] == "127.0.0.1"
    assert not any("No mail leaves this machine" in sentence for sentence in report["faults"])
    run_in_folder("player", "add", "Ada", "ada@example.org")
    assert "https://play.example.org/join/" in run_in_folder("game", "new", "ada@example.org").stdout


def test_the_short_command_runs_the_program_in_its_folder(tmp_path: Path):
    short = tmp_path / "short"
    programs = Path(sys.executable).parent
    text = written("/usr/local/bin/blackticket").replace("/opt/blackticket/.venv/bin", str(programs))
    short.write_text(text.replace("/var/lib/blackticket", str(tmp_path)).replace("runuser -u blackticket --", ""))
    told = subprocess.run(["sh", short, "--version"], capture_output=True, text=True, check=True, timeout=60)
    assert re.search(r"\d+\.\d+\.\d+", told.stdout)


def test_no_file_of_a_package_of_debian_is_written_over():
    written_to = re.findall(r">>? ?(/etc/\S+)", COMMANDS)
    assert written_to == ["/etc/nginx/conf.d/blackticket.conf", "/etc/cron.d/blackticket"]


def test_the_page_ends_with_an_invitation_and_a_move(table: Table):
    opens, starts = BLOCKS[8:10]
    table.person("Ada")
    you = table.person("You")
    words = shlex.split(opens.replace("you@example.com", you.address))
    assert words[:2] == ["blackticket", "game"]
    told = run(table, *words[2:])
    assert told.exit_code == 0, told.output
    table.tick()
    you.reply("YES", to=you.mails[-1])
    table.tick()
    assert "the seat is yours" in you.mails[-1]["Subject"]
    lists, *narrows, start = starts.strip().split(" | ")
    assert (lists, start) == ("blackticket game list", "xargs blackticket game start")
    newest = subprocess.run(
        " | ".join(narrows),
        shell=True,
        input=run(table, "list").stdout,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    ).stdout.strip()
    assert run(table, "start", newest).exit_code == 0
    for _ in range(3):
        table.clock.turn(minutes=1)
        table.tick()
    moves = re.findall(r"^(Purple) can go from \d+\n - by (taxi) to (\d+)", text_of(you.mails[-1]), re.MULTILINE)
    you.reply(" ".join(moves[0]).lower(), to=you.mails[-1])
    table.tick()
    assert " ".join(moves[0]).lower() in text_of(you.mails[-1])


def test_the_domain_of_the_proxy_is_replaced_everywhere():
    sed = re.search(r"^(sed '[^']+') ", COMMANDS, re.MULTILINE)
    assert sed is not None
    program = sed[1].replace("/play.example.org/", "/games.example.net/")
    made = subprocess.run(
        f"{program} deploy/nginx.conf", shell=True, cwd=ROOT, capture_output=True, text=True, check=True, timeout=60
    ).stdout
    assert "play.example.org" not in made
    assert "server_name games.example.net;" in made
    assert "/live/games.example.net/" in made
