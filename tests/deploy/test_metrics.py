"""The dashboard and the alerts: they ask for metrics that the server has, and raise alarms when they should."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from server.application.health import metrics
from server.application.time import heartbeat
from tests.docs.pages import ROOT
from tests.table import Table

FOLDER = ROOT / "deploy/metrics"
ALERTS, DASHBOARD = FOLDER / "alerts.yaml", FOLDER / "dashboard.json"
RULES = [rule for group in yaml.safe_load(ALERTS.read_text())["groups"] for rule in group["rules"]]
PANELS = json.loads(DASHBOARD.read_text())["panels"]
SHOWN = [target["expr"] for panel in PANELS for target in panel["targets"]]
OF_PROMETHEUS = {"up"}  # which it makes itself of each job


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """The names of all metrics of a server on which a worker has looked."""
    with Table(tmp_path_factory.mktemp("metrics")).app.app_context():
        heartbeat.note(heartbeat.TICK)
        return {f"blackticket_{measure.name}" for measure in metrics.measures()}


def asked_for(expression: str) -> Iterator[str]:
    """Yield the names of the metrics in an expression: words that are no function, label or unit of time."""
    yield from re.findall(r"\b([a-z_]+)\b(?![(=])", re.sub(r"\[\w+\]|\"[^\"]*\"", "", expression))


@pytest.mark.parametrize("expression", [*SHOWN, *(rule["expr"] for rule in RULES)])
def test_what_is_asked_for_is_exported(exported: set[str], expression: str):
    names = set(asked_for(expression))
    assert names
    assert names <= exported | OF_PROMETHEUS


def test_the_dashboard_shows_every_metric(exported: set[str]):
    assert {name for expression in SHOWN for name in asked_for(expression)} == exported


def test_no_panel_lies_on_another():
    cells = [
        (x, y)
        for place in (panel["gridPos"] for panel in PANELS)
        for x in range(place["x"], place["x"] + place["w"])
        for y in range(place["y"], place["y"] + place["h"])
    ]
    assert len(cells) == len(set(cells))
    assert len({panel["id"] for panel in PANELS}) == len(PANELS)


def test_every_alert_says_how_grave_it_is_and_what_to_do():
    for rule in RULES:
        assert rule["labels"]["severity"] in ("critical", "warning", "info")
        assert rule["annotations"].keys() == {"summary", "description"}


# With promtool: each alert is raised by what it is about, and a server on which all is well raises none.

FAULTS = {
    "BlackTicketDown": ('up{job="blackticket"}', "0x60"),
    "BlackTicketNoWorker": ("blackticket_last_tick_age_seconds", "301x60"),
    "BlackTicketDeadlineOverdue": ("blackticket_oldest_overdue_deadline_seconds", "301x60"),
    "BlackTicketMailsUnsent": ("blackticket_oldest_unsent_mail_seconds", "3601x60"),
    "BlackTicketRelayOut": ("blackticket_relay_out_seconds", "301x60"),
    "BlackTicketMailsUnread": ("blackticket_mails_unread", "1x60"),
    "BlackTicketMailsDead": ("blackticket_mails_dead", "2x30 3x30"),
    "BlackTicketClockOff": ("blackticket_clock_ahead_seconds", "-90x60"),
    "BlackTicketWebhooksDisabled": ("blackticket_webhooks_disabled", "0x30 1x30"),
}
WELL = {
    'up{job="blackticket"}': "1x60", "blackticket_last_tick_age_seconds": "0+1x60",
    "blackticket_oldest_overdue_deadline_seconds": "0x60", "blackticket_oldest_unsent_mail_seconds": "60x60",
    "blackticket_relay_out_seconds": "60x60",
    "blackticket_mails_unread": "0x20 1x5 0x35", "blackticket_mails_dead": "2x60",
    "blackticket_webhooks_disabled": "1x60", "blackticket_clock_ahead_seconds": "1.5x60",
}  # fmt: skip


def test_there_is_a_fault_for_every_alert():
    assert FAULTS.keys() == {rule["alert"] for rule in RULES}


@pytest.mark.skipif(shutil.which("promtool") is None, reason="promtool is not installed: apt-get install prometheus")
class TestPromtool:
    def test_takes_the_rules(self):
        told = subprocess.run(["promtool", "check", "rules", ALERTS], capture_output=True, text=True, check=False)
        assert told.returncode == 0, told.stderr

    def test_raises_each_alert_when_it_should_and_none_when_all_is_well(self, tmp_path: Path):
        cases = [self.case(WELL, {})]
        cases += [self.case(WELL | dict([fault]), {alert: 1}) for alert, fault in FAULTS.items()]
        file = tmp_path / "cases.yaml"
        file.write_text(yaml.safe_dump({"rule_files": [str(ALERTS)], "evaluation_interval": "1m", "tests": cases}))
        told = subprocess.run(["promtool", "test", "rules", file], capture_output=True, text=True, check=False)
        assert told.returncode == 0, told.stdout + told.stderr

    @staticmethod
    def case(series: dict[str, str], raised: dict[str, int]) -> dict[str, object]:
        """Return a case of promtool's: an hour of metrics, and how many alerts of each name fire at its end."""
        return {
            "interval": "1m",
            "input_series": [{"series": name, "values": values} for name, values in series.items()],
            "promql_expr_test": [
                {
                    "expr": f'count by (alertname) (ALERTS{{alertname="{rule["alert"]}", alertstate="firing"}})',
                    "eval_time": "60m",
                    "exp_samples": [
                        {"labels": f'{{alertname="{rule["alert"]}"}}', "value": number}
                        for number in [raised.get(rule["alert"])]
                        if number
                    ],
                }
                for rule in RULES
            ],
        }
