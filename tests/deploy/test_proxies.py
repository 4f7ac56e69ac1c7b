"""The proxies in front: their own programs take the configurations, which agree with the limits of the server."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from server.api.events import LONGEST_WAIT
from server.http.server import IDLE
from tests.docs.pages import ROOT, page

NGINX, CADDY = page("deploy/nginx.conf"), page("deploy/Caddyfile")


def test_both_buffer_requests_and_answers():
    assert "proxy_request_buffering on;" in NGINX
    assert "proxy_buffering on;" in NGINX
    assert re.search(r"request_buffers \d.*response_buffers \d", CADDY, re.DOTALL)


def test_both_close_an_idle_connection_before_the_server_does():
    for pattern, text in ((r"keepalive_timeout (\d+)s;", NGINX), (r"\tkeepalive (\d+)s", CADDY)):
        assert [int(seconds) < IDLE for seconds in re.findall(pattern, text)] == [True]


def test_nginx_waits_longer_than_a_request_for_news():
    assert [int(seconds) > LONGEST_WAIT for seconds in re.findall(r"proxy_read_timeout (\d+)s;", NGINX)] == [True]


def test_nginx_takes_its_file(tmp_path: Path):
    nginx = shutil.which("nginx", path="/usr/sbin:/usr/bin:/usr/local/sbin:/usr/local/bin")
    if nginx is None:
        pytest.skip("nginx not installed: apt-get install nginx")
    key, certificate = tmp_path / "key.pem", tmp_path / "cert.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=play.example.org",
         "-keyout", key, "-out", certificate],
        capture_output=True, check=True, timeout=60,
    )  # fmt: skip
    live, text = "/etc/letsencrypt/live/play.example.org", NGINX.replace("user www-data;", "")
    for old, new in (
        (f"{live}/fullchain.pem", certificate), (f"{live}/privkey.pem", key),
        ("/var/log/nginx", tmp_path), ("/run/nginx.pid", tmp_path / "pid"),
    ):  # fmt: skip
        text = text.replace(old, str(new))
    (tmp_path / "nginx.conf").write_text(text)
    told = subprocess.run(
        [nginx, "-t", "-p", tmp_path, "-c", tmp_path / "nginx.conf"],
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert told.returncode == 0, told.stderr


def test_caddy_takes_its_file():
    caddy = shutil.which("caddy")
    if caddy is None:
        pytest.skip("Caddy not installed: 2.7 or later, from its own packages for Debian")
    version = subprocess.run([caddy, "version"], capture_output=True, text=True, check=True, timeout=60).stdout
    found = re.search(r"(\d+)\.(\d+)", version)
    if found is None or (int(found[1]), int(found[2])) < (2, 7):
        pytest.skip("this Caddy is too old: 2.7 or later, from its own packages for Debian")
    told = subprocess.run(
        [caddy, "validate", "--config", "deploy/Caddyfile", "--adapter", "caddyfile"],
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert told.returncode == 0, told.stderr
