"""The compose files name services, volumes, settings and commands that exist, and give no needless rights."""

import re
import shlex
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from server.cli import main
from server.settings import PREFIX, Settings
from tests.docs.pages import ROOT, page

DEPLOY = ROOT / "deploy"
FILES = ("compose.yaml", "compose-postgresql.yaml")
OURS = [
    ("compose.yaml", "serve"),
    *(("compose-postgresql.yaml", name) for name in ("upgrade", "web", "mail", "worker")),
]
SAID = {"DOMAIN": "play.example.org"}


def read(name: str) -> dict[str, Any]:
    """Return a compose file with its variables filled in."""
    text = re.sub(r"\$\{(\w+)(?::\?[^}]*)?\}", lambda found: SAID[found[1]], (DEPLOY / name).read_text())
    return yaml.safe_load(text)  # type: ignore[no-any-return]


DATABASE_URL = re.compile(r"printf '(postgresql://[^']*)'")


def made_by_the_page(form: re.Pattern[str]) -> str:
    """Return the URL of the database as docs/operating.md has it written, with a password."""
    (found,) = form.findall(page("docs/operating.md"))
    return str(found).replace("%s", "c0ffee")


def image_settings() -> dict[str, str]:
    """Return the settings that the image gives."""
    text = (DEPLOY / "Dockerfile").read_text().replace("\\\n", " ")
    words = [word for line in text.splitlines() if line.startswith("ENV ") for word in shlex.split(line[4:])]
    return dict(word.split("=", 1) for word in words if word.startswith(PREFIX))


@pytest.mark.parametrize(
    ("name", "services"),
    [("compose.yaml", {"serve", "caddy"}), (FILES[1], {"upgrade", "web", "mail", "worker", "postgres", "caddy"})],
)
def test_each_file_has_its_services_and_declares_what_they_use(name: str, services: set[str]):
    file = read(name)
    assert set(file["services"]) == services
    for service in file["services"].values():
        assert set(service.get("networks", [])) == set(file["networks"])
        assert set(service.get("depends_on", [])) <= services
        for mount in service.get("volumes", []):
            source = mount.split(":")[0]
            assert (DEPLOY / source).is_file() if source.startswith(".") else source in file["volumes"]
        assert set(service.get("secrets", [])) <= set(file.get("secrets", []))


@pytest.mark.parametrize(("name", "service"), OURS)
def test_the_settings_of_a_service_are_taken_by_the_server(name: str, service: str, tmp_path: Path):
    given = image_settings() | read(name)["services"][service]["environment"]
    if "BLACKTICKET_DATABASE_URL_FILE" in given:
        (tmp_path / "database-url").write_text(made_by_the_page(DATABASE_URL))
        assert given["BLACKTICKET_DATABASE_URL_FILE"] == "/run/secrets/database-url"
        given["BLACKTICKET_DATABASE_URL_FILE"] = str(tmp_path / "database-url")
    settings = Settings.from_environ(given, tmp_path)
    assert settings.public_url == "https://play.example.org"
    assert not settings.is_for_trying_out
    assert settings.http_listen.host == "0.0.0.0"
    assert settings.database_url.startswith("postgresql" if "postgresql" in name else "sqlite")
    assert [listen.protocol for listen in settings.mail_listen] == (["lmtp"] if service in ("serve", "mail") else [])


@pytest.mark.parametrize(("name", "service"), OURS)
def test_a_service_runs_a_command_that_exists(name: str, service: str):
    found: click.Command = main
    for word in read(name)["services"][service]["command"]:
        assert isinstance(found, click.Group)
        found = found.commands[word]
    assert not isinstance(found, click.Group)


@pytest.mark.parametrize(("name", "service"), OURS)
def test_the_server_gets_no_rights_and_writes_to_its_volume_alone(name: str, service: str):
    given = read(name)["services"][service]
    assert (given["read_only"], given["cap_drop"]) == (True, ["ALL"])
    assert given["security_opt"] == ["no-new-privileges:true"]
    assert given["ulimits"] == {"core": 0}
    assert given["volumes"] == ["data:/var/lib/blackticket"]
    assert {"mem_limit", "pids_limit", "stop_grace_period"} <= set(given)


@pytest.mark.parametrize("name", FILES)
def test_only_the_proxy_can_be_reached_from_outside_and_it_reaches_a_service(name: str):
    services = read(name)["services"]
    for service, given in services.items():
        outside = [port for port in given.get("ports", []) if not port.startswith("127.0.0.1:")]
        assert outside == (["80:80", "443:443"] if service == "caddy" else [])
    upstream, port = services["caddy"]["environment"]["UPSTREAM"].split(":")
    assert services[upstream]["command"] in (["serve"], ["web"])
    assert image_settings()["BLACKTICKET_HTTP_LISTEN"].endswith(f":{port}")
    assert "data:" not in "".join(services["caddy"]["volumes"]), "the proxy must not see the secret key"


@pytest.mark.parametrize("name", FILES)
def test_the_server_believes_the_network_in_which_its_proxy_is(name: str):
    file = read(name)
    networks = [each["subnet"] for each in file["networks"]["inside"]["ipam"]["config"]]
    served = file["services"]["serve" if name == FILES[0] else "web"]
    assert [served["environment"]["BLACKTICKET_TRUSTED_PROXIES"]] == networks


def test_the_password_of_the_database_stands_in_files_that_only_their_readers_can_read():
    file = read(FILES[1])
    assert {name: given["file"] for name, given in file["secrets"].items()} == {
        "database-url": "./database-url",
        "postgres-password": "./postgres-password",
    }
    assert "PASSWORD:" not in (DEPLOY / FILES[1]).read_text()
    for _, service in OURS[1:]:
        assert file["services"][service]["secrets"] == ["database-url"]
    postgres = file["services"]["postgres"]
    assert postgres["environment"]["POSTGRES_PASSWORD_FILE"] == "/run/secrets/postgres-password"
    assert (postgres["secrets"], "secrets" in file["services"]["caddy"]) == (["postgres-password"], False)
    text = page("docs/operating.md")
    assert "install -m 600 -o 10001 /dev/stdin deploy/database-url" in text
    assert "install -m 600 -o 70 /dev/stdin deploy/postgres-password" in text
    assert {"deploy/database-url", "deploy/postgres-password"} <= {*(ROOT / ".gitignore").read_text().split()}


def test_workers_can_be_scaled_and_are_started_again():
    """Two of a service cannot have the same port of the machine."""
    services = read(FILES[1])["services"]
    assert "ports" not in services["worker"]
    for name in ("web", "mail", "worker"):
        assert services[name]["restart"] == "unless-stopped"


def test_the_database_has_a_version_and_a_limit():
    postgres = read(FILES[1])["services"]["postgres"]
    assert re.fullmatch(r"postgres:\d+-alpine@sha256:[0-9a-f]{64}", postgres["image"])
    assert {"mem_limit", "pids_limit", "shm_size", "stop_grace_period"} <= set(postgres)
