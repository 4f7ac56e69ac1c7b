"""Order of the test files for a run in several processes: none of those that take long is left for the end.

It needs `--no-loadscope-reorder`; otherwise xdist puts the files with the most tests first, and the longest of all have
few.
"""

from collections import Counter
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
# By the seconds that they take, but those that wait for processes of their own are between those that compute.
LONGEST = (
    "mail/test_real_servers.py",
    "worlds/test_outlets.py",
    "mail/corpus_of_answers/test_corpus_of_answers.py",
    "application/time/test_races.py",
    "mail/writing/test_templates.py",
    "worlds/test_leaks.py",
    "e2e/test_browser_games.py",
    "web/test_accessibility.py",
    "cli/test_serve.py",
    "application/time/outages/test_outages.py",
    "contract/test_attack.py",
    "web/test_browser.py",
    "web/test_news_in_browser.py",
    "docs/test_readme.py",
    "worlds/test_views.py",
    "e2e/test_demo.py",
    "refusals/test_refusals.py",
    "leaks/test_canary.py",
    "cli/test_backups.py",
    "leaks/test_oracles.py",
    "cli/test_worker_process.py",
    "mail/reading/test_growth.py",
    "mail/commands/test_how_often.py",
    "application/operator/test_rebuilding.py",
    "mail/test_relay_that_refuses.py",
    "standalone/test_verifier_of_games.py",
    "application/play/test_substitution.py",
    "deploy/test_proxies.py",
    "examples/test_examples.py",
    "cli/test_service_manager.py",
    "application/limits/test_idempotency.py",
    "migrations/test_migrations.py",
    "postgresql/test_at_once.py",
    "engine/test_properties.py",
    "application/play/test_talk.py",
    "e2e/test_shipped.py",
    "application/time/test_year.py",
    "mail/examination/test_supervisor.py",
    "api/test_whole_games.py",
    "worlds/test_several_lines.py",
    "worlds/test_twins.py",
    "test_translated.py",
    "wording/test_board_text.py",
    "contract/test_reading.py",
    "contract/test_authorisation.py",
    "mail/test_correspondents.py",
    "mail/test_how_much_mail.py",
    "standalone/test_wheel.py",
    "deploy/test_dmarc.py",
    "docs/test_pictures_of_mails.py",
    "migrations/test_released.py",
    "deploy/test_evening.py",
    "house_rules/test_draft.py",
)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """In one of several processes, put the files that take longest first, and then those with the most tests."""
    if not hasattr(config, "workerinput"):
        return
    place = {TESTS / name: number for number, name in enumerate(LONGEST)}
    tests = Counter(item.path for item in items)
    items.sort(key=lambda item: (place.get(item.path, len(place)), -tests[item.path], item.path))
