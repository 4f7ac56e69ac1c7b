"""PgBouncer in front of PostgreSQL, in transaction mode: each transaction may get another connection of the server."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from psycopg.conninfo import conninfo_to_dict

from tests.relays import free_port, wait_for

SETTINGS = """
[databases]
* = {server}

[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = {size}
max_client_conn = 500
logfile = {folder}/log
"""


def why_not() -> str | None:
    """Return why PgBouncer cannot be run here, None if it can."""
    if program() is None:
        return "PgBouncer is not installed: apt-get install pgbouncer"
    return None


def program() -> str | None:
    """Return the path of PgBouncer."""
    return shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin")


@contextmanager
def pooled(url: str, size: int = 2) -> Iterator[str]:
    """The URL of a database through PgBouncer, which opens `size` connections to the server."""
    given = conninfo_to_dict(url.replace("postgresql+psycopg://", "postgresql://"))
    name = str(given.pop("dbname"))
    folder, port = Path(tempfile.mkdtemp(prefix="blackticket-pooler-")), free_port()
    folder.chmod(0o777)
    server = " ".join(f"{key}={value}" for key, value in given.items())
    (folder / "settings.ini").write_text(SETTINGS.format(server=server, port=port, size=size, folder=folder))
    command = [str(program()), "--quiet", str(folder / "settings.ini")]
    if os.geteuid() == 0:  # which it refuses to be
        host = Path(str(given.get("host", "")))
        command.append(f"--user={host.owner() if host.is_absolute() else 'nobody'}")  # may enter the server's folder
    process = subprocess.Popen(command)
    try:
        wait_for(port)
        yield urlsplit(url)._replace(netloc=f"postgres@127.0.0.1:{port}", path=f"/{name}", query="").geturl()
    finally:
        process.kill()
        process.wait()
        shutil.rmtree(folder)
