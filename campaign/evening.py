"""The rehearsal of docs/hosting.md: from a bare Debian to a game by mail, and on another machine when that one is lost.

    python -m campaign.evening --folder /var/tmp/evening

It needs root, the network, and from Debian debootstrap, systemd-container, iproute2, iptables, postfix, dovecot-imapd
and dovecot-lmtpd. A machine is a container with a systemd of its own, in a network of its own. In that network are also
Postfix and Dovecot, as the provider of the server's mailbox and of the players'. The commands are those of the page,
block by block; `INSTEAD` lists the few lines that are replaced.
"""

import argparse
import ctypes
import os
import re
import shutil
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path

from tests.mail.real_servers import Servers, running
from tests.mail.test_real_servers import Correspondent, moves_told, until

ROOT = Path(__file__).parents[1]
BLOCKS = re.findall(r"^```sh\n(.*?)^```$", (ROOT / "docs" / "hosting.md").read_text(), re.MULTILINE | re.DOTALL)
NETWORK = "evening"
YARD = "yard@mail.test"
CLONE_NEWNET = 0x40000000
LIVE = "/etc/letsencrypt/live/play.example.org"
FIRST_PAGE = (
    f'import ssl, urllib.request as u; print(u.urlopen("https://play.example.org/", '
    f'context=ssl.create_default_context(cafile="{LIVE}/fullchain.pem")).read())'
)
# A line of the page, and what is done in its place.
INSTEAD = {
    # Nobody is there to type.
    "blackticket setup": f"echo secret | blackticket setup --address {YARD} --name 'Foggy Yard' --password-file - "
    "--operator you@mail.test --imap imap://127.0.0.1:{imap} --smtp smtp://127.0.0.1:{smtp}",
    # No authority can reach the machine.
    # Nobody reads you@example.com.
    "blackticket game new": "blackticket game new ada@example.org --edition condensed --players 2 --invite fugitive "
    "--invite you-of-a-whole-game@mail.test",
    "certbot certonly": f"install -d {LIVE} && openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=play.example.org "
    f"-addext subjectAltName=DNS:play.example.org -keyout {LIVE}/privkey.pem -out {LIVE}/fullchain.pem 2>/dev/null",
}


class Machine:
    """A container with Debian and a running systemd, made from `base`."""

    def __init__(self, base: Path, folder: Path, repository: Path) -> None:
        self.root = folder
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run(["cp", "-a", base, folder], check=True)
        (folder / "etc/machine-id").write_text("")
        (folder / "etc/hostname").write_text("play\n")
        (folder / "etc/hosts").write_text("127.0.0.1 localhost play.example.org\n")
        self._program = subprocess.Popen(
            ["systemd-nspawn", "--quiet", "-D", folder, "--machine=evening", "--register=no", "--keep-unit",
             "--resolv-conf=off", f"--bind-ro={repository}:/srv/repository", "--console=pipe", "--boot"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        self._leader = until(self._find_leader)
        assert until(lambda: self.run("systemctl is-system-running || true").strip() in ("running", "degraded"))

    def _find_leader(self) -> str | None:
        """Return the process that is the first inside, once it is the systemd there."""
        children = Path(f"/proc/{self._program.pid}/task/{self._program.pid}/children").read_text().split()
        return next((child for child in children if Path(f"/proc/{child}/comm").read_text() == "systemd\n"), None)

    def run(self, script: str) -> str:
        """Run a script as root inside; return what it prints."""
        environ = {
            "HOME": "/root", "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            "DEBIAN_FRONTEND": "noninteractive", "REPOSITORY": "file:///srv/repository",
            "PIP_CERT": "/etc/ssl/certs/ca-certificates.crt",
        }  # fmt: skip
        inside = ["nsenter", "-t", self._leader, "-m", "-u", "-i", "-p", "-C", "env", "-i"]
        command = [*inside, *(f"{name}={value}" for name, value in environ.items()), "sh", "-e"]
        done = subprocess.run(command, input=script, capture_output=True, text=True, check=False, timeout=1800)
        assert done.returncode == 0, f"{script}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
        return done.stdout

    def follow(self, block: int, servers: Servers, leave_out: str = "") -> str:
        """Run a block of the page, without one of its lines; return what it prints."""
        text = BLOCKS[block].replace(leave_out, "")
        for line, instead in INSTEAD.items():
            found = re.search(rf"^{line}.*$", text, re.MULTILINE)
            if found is not None:
                text = text.replace(found[0], instead.format(imap=servers.imap, smtp=servers.smtp))
                tell(f"  replaced: {found[0]}")
        began = time.monotonic()
        told = self.run(f"cd\n{text}")
        tell(f"  block {block + 1}: {time.monotonic() - began:.0f} s")
        return told

    def lose(self) -> None:
        """End the machine as by pulling the plug, and delete its disk."""
        os.kill(int(self._leader), signal.SIGKILL)
        self._program.wait(60)
        shutil.rmtree(self.root)


def tell(text: str) -> None:
    print(text, flush=True)


@contextmanager
def measured(name: str) -> Iterator[None]:
    """Say how many minutes the block took."""
    began = time.monotonic()
    yield
    tell(f"{name}: {(time.monotonic() - began) / 60:.1f} minutes.")


@contextmanager
def own_network() -> Iterator[None]:
    """Move this process, and all that it starts, into a network of its own, with a way out through the host."""
    home = os.open("/proc/self/ns/net", os.O_RDONLY)
    enter = ctypes.CDLL(None, use_errno=True).setns
    rule = ["POSTROUTING", "-s", "10.99.0.0/24", "-j", "MASQUERADE"]
    for line in (
        f"netns add {NETWORK}",
        f"link add {NETWORK}0 type veth peer name eth0 netns {NETWORK}",
        f"addr add 10.99.0.1/24 dev {NETWORK}0",
        f"link set {NETWORK}0 up",
        f"-n {NETWORK} addr add 10.99.0.2/24 dev eth0",
        f"-n {NETWORK} link set eth0 up",
        f"-n {NETWORK} link set lo up",
        f"-n {NETWORK} route add default via 10.99.0.1",
    ):
        subprocess.run(["ip", *line.split()], check=True)
    Path("/proc/sys/net/ipv4/ip_forward").write_text("1")
    subprocess.run(["iptables", "-t", "nat", "-A", *rule], check=True)
    try:
        assert enter(os.open(f"/run/netns/{NETWORK}", os.O_RDONLY), CLONE_NEWNET) == 0
        yield
    finally:
        enter(home, CLONE_NEWNET)
        subprocess.run(["iptables", "-t", "nat", "-D", *rule], check=False)
        subprocess.run(["ip", "netns", "delete", NETWORK], check=False)


def bare_debian(folder: Path, suite: str) -> Path:
    """Return the folder of a Debian as a hosting provider hands it over; it is made once."""
    base = folder / suite
    if not base.exists():
        made = folder / f"{suite}.new"
        include = "--include=systemd,systemd-sysv,dbus,ca-certificates"
        subprocess.run(["debootstrap", include, suite, made], check=True, stdout=subprocess.DEVNULL)
        made.rename(base)
    # The container has to trust the authorities that its host trusts, such as that of a proxy.
    for own in Path("/usr/local/share/ca-certificates").glob("*.crt"):
        shutil.copy(own, base / "usr/local/share/ca-certificates")
    subprocess.run(["chroot", base, "update-ca-certificates"], check=True, stdout=subprocess.DEVNULL)
    return base


def received(*people: Correspondent) -> Counter[tuple[str, str]]:
    """Return how often each of the mails came, by reader and Message-ID."""
    return Counter(
        (person.name, str(message_from_bytes(file.read_bytes(), policy=policy.default)["Message-ID"]))
        for person in people
        for file in person.maildir.glob("new/*")
    )


def rehearse(base: Path, folder: Path, repository: Path, servers: Servers) -> None:
    """Follow the page on one machine, lose it after a backup, and go on with the game on another.

    Raises:
        AssertionError: a command fails, or somebody gets a mail twice, or before it is released.
    """
    ada, ben = Correspondent(servers, "Ada"), Correspondent(servers, "Ben")
    with measured("From nothing to a mail out and in again"):
        machine = Machine(base, folder / "machine", repository)
        for block in range(5):
            machine.follow(block, servers)
    machine.follow(5, servers)
    assert "Black Ticket" in machine.run(f"python3 -c '{FIRST_PAGE}'")
    machine.follow(6, servers)
    machine.run("echo Cleo,cleo@mail.test > /var/lib/blackticket/friends.csv")
    machine.follow(7, servers)
    play_one_move(machine, Correspondent(servers, "You"), servers)
    machine.run(f"blackticket player add Hosting {ada.address}")
    turn = begin(ada, ben)
    backup = back_up(machine, folder)
    ben.answer(turn, "\n".join(moves_told(turn[1])))
    assert ada.mail("Mr. X, your move")
    before = received(ada, ben)
    machine.lose()

    with measured("The machine is lost; from nothing to a game that goes on"):
        machine = Machine(base, folder / "machine", repository)
        for block in range(4):
            machine.follow(block, servers)
        for file, name in ((backup, "newest.db"), (folder / "secret_key", "secret_key")):
            shutil.copy(file, machine.root / "root" / name)
        tell(machine.follow(10, servers))
        machine.follow(4, servers, leave_out="blackticket doctor --mail")
        assert received(ada, ben) == before, "nothing is sent before the release"
        tell(machine.follow(11, servers))
        machine.run("blackticket doctor --mail")
        for _ in range(2):
            person, turn = until(lambda: whose_turn(ada, ben))
            person.answer(turn, "\n".join(moves_told(turn[1])[: 1 if person is ada else None]))
        assert until(lambda: whose_turn(ada, ben)), "the game goes on"
    for person in (ada, ben):
        tell(f"{person.name} got after the loss: {'; '.join(subjects(person, before))}")
    assert max(received(ada, ben).values()) == 1, "no mail came twice"
    machine.lose()


def play_one_move(machine: Machine, you: Correspondent, servers: Servers) -> None:
    """Do the last step before friends come: be invited, start the game, and move."""
    machine.follow(8, servers)
    you.answer(you.mail("You are invited"), "YES")
    you.mail("the seat is yours")
    machine.follow(9, servers)
    turn = you.mail("your move by")
    you.answer(turn, moves_told(turn[1])[0])
    move = until(lambda: you.unread("Round 1"))
    assert moves_told(turn[1])[0].split()[-1] in move[1], "the answer tells the move"


def begin(mr_x: Correspondent, detective: Correspondent) -> tuple[EmailMessage, str]:
    """Have a game opened, joined and begun by mail; return the first turn mail of the detective."""
    mr_x.write(YARD, f"NEW condensed 2 as mr_x max_rounds=3 with {detective.address}")
    mr_x.answer(mr_x.mail("your game is open"), "YES")
    detective.answer(detective.mail("invites you to a game"), "Yes!")
    mr_x.answer(mr_x.mail("the game can start"), "START")
    turn = mr_x.mail("Mr. X, your move")
    mr_x.answer(turn, moves_told(turn[1])[0])
    return detective.mail("your move by")


def back_up(machine: Machine, folder: Path) -> Path:
    """Copy the secret key and a backup, made by the command of the nightly one, to `folder`; return the backup."""
    cron = re.search(r"^17 3 \* \* \* root (.*)$", BLOCKS[6], re.MULTILINE)
    assert cron is not None
    machine.run(cron[1].replace(r"\%", "%"))
    shutil.copy(machine.root / "var/lib/blackticket/var/secret_key", folder / "secret_key")
    (made,) = (machine.root / "var/backups/blackticket").glob("*.db")
    return Path(shutil.copy(made, folder / "newest.db"))


def whose_turn(mr_x: Correspondent, detective: Correspondent) -> tuple[Correspondent, tuple[EmailMessage, str]] | None:
    """Return the player who has got a new turn mail, and the mail."""
    for person, about in ((mr_x, "Mr. X, your move"), (detective, "your move by")):
        if (turn := person.unread(about)) is not None:
            return person, turn
    return None


def subjects(person: Correspondent, before: Counter[tuple[str, str]]) -> list[str]:
    """Return the subjects of the mails that a player has got since `before`."""
    files = sorted(person.maildir.glob("new/*"))
    mails = [message_from_bytes(file.read_bytes(), policy=policy.default) for file in files]
    return [str(mail["Subject"]) for mail in mails if (person.name, str(mail["Message-ID"])) not in before]


def main() -> None:
    asked = argparse.ArgumentParser(description="Rehearse docs/hosting.md.")
    asked.add_argument("--folder", type=Path, default=Path("/var/tmp/evening"))
    asked.add_argument("--suite", default="bookworm")
    given = asked.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    base = bare_debian(given.folder, given.suite)
    repository, mails = given.folder / "repository", given.folder / "mails"
    for old in (repository, mails):
        shutil.rmtree(old, ignore_errors=True)
    subprocess.run(["git", "clone", "--quiet", "--bare", ROOT, repository], check=True)
    mails.mkdir()
    with own_network(), running(mails) as servers:
        rehearse(base, given.folder, repository, servers)


if __name__ == "__main__":
    main()
