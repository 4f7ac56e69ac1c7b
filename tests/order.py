"""Order of the test files for a run in several processes: none of those that take long is left for the end.

Each process collects all files, and begins with others: in a fresh clone each then compiles its share, and reads what
the others have compiled. The order needs `--no-loadscope-reorder`; otherwise xdist puts the files with the most tests
first, and the longest of all have few.
"""

from collections import Counter
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
# By the seconds that they take, but those that wait for processes of their own are between those that compute.
LONGEST = (
    "mail/test_real_servers.py",
    "worlds/test_outlets.py",
    "application/time/test_races.py",
    "worlds/test_leaks.py",
    "cli/test_serve.py",
    "application/time/test_outages.py",
    "contract/test_attack.py",
    "docs/test_readme.py",
    "mail/writing/test_templates.py",
    "worlds/test_views.py",
    "e2e/test_demo.py",
    "leaks/test_oracles.py",
    "application/news/test_talk.py",
    "leaks/test_canary.py",
    "cli/test_worker_process.py",
    "application/time/test_year.py",
    "refusals/test_refusals.py",
    "mail/reading/test_growth.py",
    "migrations/test_migrations.py",
    "e2e/test_shipped.py",
    "api/test_whole_games.py",
    "engine/test_properties.py",
    "examples/test_examples.py",
    "contract/test_authorisation.py",
    "contract/test_reading.py",
    "application/decisions/test_draft.py",
    "worlds/test_twins.py",
)


def pytest_configure(config: pytest.Config) -> None:
    """In one of several processes, collect the files from another one on than the other processes do."""
    if hasattr(config, "workerinput") and config.args == config.getini("testpaths"):
        files = sorted(map(str, TESTS.rglob("test_*.py")))
        number = int(config.workerinput["workerid"].removeprefix("gw"))
        first = number * len(files) // config.workerinput["workercount"]
        config.args = files[first:] + files[:first]


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """In one of several processes, put the files that take longest first, and then those with the most tests."""
    if not hasattr(config, "workerinput"):
        return
    place = {TESTS / name: number for number, name in enumerate(LONGEST)}
    tests = Counter(item.path for item in items)
    items.sort(key=lambda item: (place.get(item.path, len(place)), -tests[item.path], item.path))
