"""Some weeks in which everything happens to time that can; a year of it is a campaign."""

from datetime import timedelta
from pathlib import Path

from year import Year


def test_nobody_is_late_by_an_outage_and_nothing_comes_twice_or_never(tmp_path: Path):
    weeks = Year(tmp_path, games=7, days=28, seed=1, tick=timedelta(hours=1), people=8)
    weeks.run()
    report = weeks.report()
    assert report["violations"] == []
    assert report["games"] == 7
    assert {"granted", "outage", "postponed", "substituted", "decided"} <= report["events"].keys()
    assert min(report["moves of people"], report["moves of the house"], report["fired"]["reminder"]) > 10
