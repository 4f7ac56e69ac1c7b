"""Postfix in front and Dovecot behind, as they are on a real host, on free ports of this machine.

Postfix takes mail by SMTP: for `play.test` it hands it over by LMTP to the server under test, for `mail.test` to
Dovecot, whose mailboxes are read by IMAP with the password "secret". Its settings are those of docs/hosting.md below
those that Debian writes, with ports that are free here. Both need root, as they change to users of their own.
"""

import grp
import os
import pwd
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.relays import free_port, wait_for

ROOT = Path(__file__).parents[2]
PATIENCE = 30
PACKAGES = "postfix dovecot-imapd dovecot-lmtpd"


def why_not() -> str | None:
    """Why they cannot be run here; None when they can."""
    if os.geteuid() != 0:
        return "Postfix and Dovecot need root to start; run the tests as root, for example in a container"
    missing = [name for name in ("postfix", "dovecot") if shutil.which(name) is None]
    missing += [f"dovecot's {name}" for name in ("imap", "lmtp") if not Path("/usr/lib/dovecot", name).exists()]
    return f"{' and '.join(missing)} not installed: apt-get install {PACKAGES}" if missing else None


@dataclass(frozen=True)
class Servers:
    """Ports on 127.0.0.1: where Postfix takes mail, where it hands ours over, IMAP of Dovecot in the clear and in TLS.

    `certificate` is the one of Dovecot, for the name localhost.
    """

    smtp: int
    play_lmtp: int
    imap: int
    imaps: int
    folder: Path

    @property
    def certificate(self) -> Path:
        return self.folder / "certificate.pem"

    def queue(self) -> str:
        """Return the mails that Postfix has not delivered yet, as it lists them."""
        return _postfix(self.folder, "postqueue", "-p")

    def try_again(self) -> None:
        """Let Postfix try now what it could not deliver; its own scan may pass over a mail that it has just tried."""
        _postfix(self.folder, "postqueue", "-f")


@contextmanager
def running_in_a_folder() -> Iterator[Servers]:
    """Both servers, in a folder of their own that goes with them."""
    # Not below pytest's own folder, which nobody else may enter: Postfix and Dovecot are several users.
    folder = Path(tempfile.mkdtemp(prefix="blackticket-mail-"))
    folder.chmod(0o755)
    try:
        with running(folder) as found:
            yield found
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def running(folder: Path, more: str = "") -> Iterator[Servers]:
    """Both servers, in `folder`, which every user of the machine has to be able to enter; `more` is for main.cf."""
    servers = Servers(free_port(), free_port(), free_port(), free_port(), folder)
    dovecot_lmtp = free_port()
    _write_dovecot(servers, dovecot_lmtp)
    _write_postfix(servers, dovecot_lmtp, more)
    # Both stay in the foreground, so that what ends the tests ends them too.
    programs = [
        subprocess.Popen(["dovecot", "-F", "-c", folder / "dovecot.conf"]),
        subprocess.Popen(["postfix", "-c", folder / "postfix", "start-fg"], stderr=subprocess.DEVNULL),
    ]
    try:
        for port in (servers.smtp, servers.imap, dovecot_lmtp):
            wait_for(port)
        yield servers
    finally:
        programs[0].terminate()
        _postfix(folder, "postfix", "stop")
        for program in programs:
            program.wait(PATIENCE)


def _postfix(folder: Path, program: str, argument: str) -> str:
    command = [program, "-c", folder / "postfix", argument]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=PATIENCE)
    return done.stdout


def _write_dovecot(servers: Servers, lmtp: int) -> None:
    folder = servers.folder
    nobody = pwd.getpwnam("nobody")
    _write_certificate(servers)
    mails = folder / "mailboxes"
    mails.mkdir()
    os.chown(mails, nobody.pw_uid, nobody.pw_gid)
    (folder / "dovecot.conf").write_text(f"""
base_dir = {folder}/dovecot
state_dir = {folder}/dovecot-state
log_path = {folder}/dovecot.log
protocols = imap lmtp
listen = 127.0.0.1
ssl = yes
ssl_cert = <{servers.certificate}
ssl_key = <{folder}/key.pem
disable_plaintext_auth = no
first_valid_uid = 1
mail_location = maildir:~/Maildir
recipient_delimiter = +
mail_plugins = quota
protocol imap {{
  mail_plugins = quota imap_quota
}}
plugin {{
  quota = count:User
  quota_rule = *:storage=20M
  quota_vsizes = yes
}}
default_internal_user = nobody
default_login_user = nobody
default_internal_group = {grp.getgrgid(nobody.pw_gid).gr_name}
passdb {{
  driver = static
  args = password=secret
}}
userdb {{
  driver = static
  args = uid={nobody.pw_uid} gid={nobody.pw_gid} home={mails}/%u
}}
auth_failure_delay = 0
service anvil {{
  chroot =
  unix_listener anvil-auth-penalty {{
    mode = 0
  }}
}}
service imap-login {{
  chroot =
  inet_listener imap {{
    port = {servers.imap}
  }}
  inet_listener imaps {{
    port = {servers.imaps}
  }}
}}
service lmtp {{
  inet_listener lmtp {{
    port = {lmtp}
  }}
}}
""")


def _write_certificate(servers: Servers) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    today = datetime.now(UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(today - timedelta(days=1))
        .not_valid_after(today + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    servers.certificate.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    (servers.folder / "key.pem").write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )


def documented() -> str:
    """The lines for main.cf that docs/hosting.md tells."""
    page = (ROOT / "docs" / "hosting.md").read_text()
    found = re.search(r"```ini\n# /etc/postfix/main\.cf\n(.*?)```", page, re.DOTALL)
    assert found is not None
    return found[1]


def _write_postfix(servers: Servers, dovecot_lmtp: int, more: str) -> None:
    folder = servers.folder
    config = folder / "postfix"
    config.mkdir()
    for name in ("postfix-queue", "postfix-data"):
        (folder / name).mkdir()
    shutil.chown(folder / "postfix-data", "postfix")
    told = (
        documented()
        .replace("play.example.org", "play.test")
        .replace(r"play\.example\.org", r"play\.test")
        .replace(":2524", f":{servers.play_lmtp}")
    )
    (config / "main.cf").write_text(f"""
compatibility_level = 3.6
queue_directory = {folder}/postfix-queue
data_directory = {folder}/postfix-data
maillog_file = {folder}/postfix.log
maillog_file_prefixes = {folder}
myhostname = vm
mydestination = $myhostname, play.test, localhost.localdomain, localhost
recipient_delimiter = +
mynetworks = 127.0.0.0/8
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
smtp_dns_support_level = disabled
smtp_host_lookup = native
local_transport = error:nobody is local
alias_maps =
default_process_limit = 10
{told}
virtual_mailbox_domains = mail.test
virtual_transport = lmtp:inet:127.0.0.1:{dovecot_lmtp}
{more}
""")
    services = """
{smtp} inet n - n - - smtpd
pickup unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
verify unix - - n - 1 verify
flush unix n - n 1000? 0 flush
proxymap unix - - n - - proxymap
smtp unix - - n - - smtp
relay unix - - n - - smtp
lmtp unix - - n - - lmtp
showq unix n - n - - showq
error unix - - n - - error
retry unix - - n - - error
discard unix - - n - - discard
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
tlsmgr unix - - n 1000? 1 tlsmgr
postlog unix-dgram n - n - 1 postlogd
"""
    (config / "master.cf").write_text(services.replace("{smtp}", f"127.0.0.1:{servers.smtp}"))
