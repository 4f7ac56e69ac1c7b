"""Two weeks in which everything happens to time that can; a year of it is a campaign."""

from datetime import timedelta
from pathlib import Path

import pytest

from server.application.time import deadlines
from tests.year import Year


def test_nobody_is_late_by_an_outage_and_nothing_comes_twice_or_never(tmp_path: Path):
    weeks = Year(tmp_path, games=6, days=14, seed=4, tick=timedelta(hours=1), people=6)
    weeks.run()
    report = weeks.report()
    assert report["violations"] == []
    assert report["games"] == 6
    assert {"granted", "outage", "postponed", "substituted", "decided"} <= report["events"].keys()
    assert min(report["moves of people"], report["moves of the house"], report["fired"]["reminder"]) > 10


def test_it_would_be_seen_if_deadlines_fired_while_mail_is_not_to_be_relied_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(deadlines, "_may_fire", lambda _at: ())
    weeks = Year(tmp_path, 5, 7, 2, timedelta(hours=1), 6, breakdowns=14, breaks=("mailbox", "relay"))
    weeks.run()
    assert any("was late in an outage" in violation for violation in weeks.report()["violations"])
