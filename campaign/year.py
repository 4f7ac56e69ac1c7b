"""A simulated year of 200 games, with a report at its end: nobody late by an outage, nothing twice, nothing stuck."""

import json
import tempfile
from datetime import timedelta
from pathlib import Path

from tests.application.time.year import Year

GAMES, DAYS, PEOPLE = 200, 365, 60
MONTH = 30  # after each it says how things stand
TICK = timedelta(minutes=30)
MEMORY = Path("/dev/shm")


def case(seed: int) -> int:
    """Play one year; return the number of games."""
    with tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as folder:
        year = Year(Path(folder), GAMES, DAYS, seed, TICK, PEOPLE)
        for days in range(MONTH, DAYS + MONTH, MONTH):
            year.run(MONTH)
            report = year.report()
            print(json.dumps({"name": f"year {seed}", "days": min(days, DAYS), **report}), flush=True)
            assert not report["violations"], report["violations"][:20]
    return GAMES
