"""nginx and Caddy as processes in front of a server: the files of `deploy/`, with ports and certificates for here."""

import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from email.message import Message
from http.client import HTTPSConnection
from pathlib import Path

from tests.docs.pages import page
from tests.relays import free_port

NGINX, CADDY = page("deploy/nginx.conf"), page("deploy/Caddyfile")
PATIENCE = 30


@dataclass(frozen=True)
class Reply:
    status: int
    headers: Message
    content: bytes


@dataclass(frozen=True)
class Proxy:
    """A proxy that runs on 127.0.0.1 for the name localhost; `authority` is the certificate that clients trust."""

    folder: Path
    authority: Path
    http: int = field(default_factory=free_port)
    https: int = field(default_factory=free_port)
    is_buffering: bool = True

    @property
    def clients(self) -> tuple[str, str]:
        """Addresses of this machine that no other proxy is asked from."""
        high, low = divmod(self.https, 256)
        return f"127.1.{high}.{low}", f"127.2.{high}.{low}"

    def connect(self, client: str = "127.0.0.1") -> ssl.SSLSocket:
        """Return a connection with TLS from an address of this machine."""
        line = socket.create_connection(("127.0.0.1", self.https), PATIENCE, (client, 0))
        return ssl.create_default_context(cafile=self.authority).wrap_socket(line, server_hostname="localhost")

    def ask(
        self, method: str, path: str, body: bytes | None = None, *, client: str = "127.0.0.1", **headers: str
    ) -> Reply:
        """Return the answer to a request with TLS."""
        connection = HTTPSConnection("localhost", self.https, timeout=PATIENCE)
        connection.sock = self.connect(client)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        # A request that is refused on the way need not be taken to its end.
        with suppress(BrokenPipeError, ConnectionResetError, ssl.SSLEOFError):
            connection.request(method, path, body, named)
        answer = connection.getresponse()
        reply = Reply(answer.status, answer.headers, answer.read())
        connection.close()
        return reply


def program(name: str) -> str | None:
    """Return the path of a proxy's program, or None where it is not installed."""
    return shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")


@contextmanager
def nginx(program: str, folder: Path, *upstreams: int) -> Iterator[Proxy]:
    """Run nginx in front of ports of this machine."""
    proxy = Proxy(folder, folder / "cert.pem")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
         "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
         "-keyout", folder / "key.pem", "-out", folder / "cert.pem"],
        capture_output=True, check=True, timeout=PATIENCE,
    )  # fmt: skip
    live, text = "/etc/letsencrypt/live/play.example.org", NGINX
    for old, new in (
        (f"{live}/fullchain.pem", str(folder / "cert.pem")), (f"{live}/privkey.pem", str(folder / "key.pem")),
        ("/var/log/nginx", str(folder)),
        ("listen 80;", f"listen 127.0.0.1:{proxy.http};"), ("listen 443 ", f"listen 127.0.0.1:{proxy.https} "),
        ("listen [::]:80;", ""), ("listen [::]:443 ssl http2;", ""),
        ("server 127.0.0.1:8000;", "".join(f"server 127.0.0.1:{port};" for port in upstreams)),
        ("play.example.org", "localhost"),
    ):  # fmt: skip
        assert old in text, old
        text = text.replace(old, new)
    (folder / "blackticket.conf").write_text(text)
    (folder / "nginx.conf").write_text(_nginx_of_debian(folder, proxy))
    command = [program, "-p", str(folder), "-c", str(folder / "nginx.conf"), "-g", "daemon off;"]
    with _running(command, proxy, {}):
        yield proxy


def _nginx_of_debian(folder: Path, proxy: Proxy) -> str:
    """Return a configuration like that of Debian, with its default site, which takes in the file of this server."""
    kept = "".join(
        f"    {kind}_temp_path {folder}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    return f"""{"user root;" if os.geteuid() == 0 else ""}
pid {folder}/pid;
events {{ worker_connections 768; }}
http {{
    include /etc/nginx/mime.types;
    access_log {folder}/access.log;
    error_log {folder}/error.log;
{kept}    include {folder}/blackticket.conf;
    server {{
        listen 127.0.0.1:{proxy.http} default_server;
        return 200 "the default site";
    }}
}}
"""


@contextmanager
def caddy(program: str, folder: Path, *upstreams: int) -> Iterator[Proxy]:
    """Run Caddy in front of ports of this machine, with an authority of its own for TLS."""
    authority = folder / "pki" / "authorities" / "local" / "root.crt"
    proxy = Proxy(folder, authority, is_buffering=_knows_buffers(program))
    options = f"""{{
	admin off
	local_certs
	skip_install_trust
	http_port {proxy.http}
	https_port {proxy.https}
	default_bind 127.0.0.1
	storage file_system {folder}
}}
"""
    text = CADDY
    if not proxy.is_buffering:
        text = re.sub(r"^\t+(request|response)_buffers .*\n", "", text, flags=re.MULTILINE)
    (folder / "Caddyfile").write_text(options + text)
    environ = {
        "DOMAIN": "localhost",
        "UPSTREAM": " ".join(f"127.0.0.1:{port}" for port in upstreams),
        "HOME": str(folder),
    }
    command = [program, "run", "--config", str(folder / "Caddyfile"), "--adapter", "caddyfile"]
    with _running(command, proxy, environ):
        yield proxy


def _knows_buffers(caddy: str) -> bool:
    """Return whether a Caddy is 2.7 or later, which knows how to buffer."""
    told = subprocess.run([caddy, "version"], capture_output=True, text=True, check=True, timeout=PATIENCE).stdout
    found = re.search(r"(\d+)\.(\d+)", told)
    return found is not None and (int(found[1]), int(found[2])) >= (2, 7)


@contextmanager
def _running(command: list[str], proxy: Proxy, environ: dict[str, str]) -> Iterator[None]:
    """Run a program until the end of the block, from when clients can connect."""
    with (proxy.folder / "log").open("w") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, env=os.environ | environ, start_new_session=True)
    try:
        until = time.monotonic() + PATIENCE
        while True:
            try:
                proxy.connect().close()
                break
            except OSError:
                is_coming = process.poll() is None and time.monotonic() < until
                assert is_coming, (proxy.folder / "log").read_text()
                time.sleep(0.02)
        yield
    finally:
        os.killpg(process.pid, signal.SIGKILL)  # the workers of nginx too; at SIGTERM all wait for open connections
        process.wait(PATIENCE)
