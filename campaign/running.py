"""The runner of campaigns, which runs them in processes, stores their progress, and reports the cases that failed.

How far they are is kept after each batch of seeds, whole or not at all, so that a run may be killed at any time.
"""

import argparse
import importlib
import json
import multiprocessing
import os
import threading
import time
import traceback
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import asdict, dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

# The revision of the state file; a file of another revision is discarded.
REVISION = 1
SECONDS_BETWEEN_LINES = 10.0


class Campaign(NamedTuple):
    """A campaign. `case(seed)` of `module` returns a number of cases. `goal` is in cases, `batch` in seeds."""

    name: str
    module: str
    goal: int
    batch: int


@dataclass
class Progress:
    """The progress of a campaign: the next seed, the cases done, the seeds that failed, the seconds it took."""

    next: int = 0
    done: int = 0
    failed: list[int] = field(default_factory=list)
    seconds: float = 0.0


class Batch(NamedTuple):
    """The result of some seeds: the number of cases, and the fault of each seed that failed."""

    done: int
    failed: dict[int, str]


def main(campaigns: Sequence[Campaign], arguments: Sequence[str] | None = None) -> int:
    """Run campaigns; return the exit code: 1 if a case failed, now or when it was last tried."""
    asked = _arguments(campaigns, arguments)
    chosen = [campaign for campaign in campaigns if campaign.name in asked.names or not asked.names]
    if asked.seed is not None:
        for campaign in chosen:
            _load(campaign.module).case(asked.seed)
        return 0
    state = State(asked.state)
    for campaign in chosen:
        run(campaign, asked.to or campaign.goal, state, asked.processes)
    return int(any(state.of(campaign.name).failed for campaign in chosen))


def _arguments(campaigns: Sequence[Campaign], arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m campaign", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="name", help=", ".join(campaign.name for campaign in campaigns))
    parser.add_argument("--to", type=int, help="how many cases, all runs together")
    parser.add_argument("--seed", type=int, help="run the case of this seed alone, here")
    parser.add_argument(
        "--state", type=Path, default=Path("var/campaign.json"), help="the file that says how far it is"
    )
    parser.add_argument("--processes", type=int, default=2)
    asked = parser.parse_args(arguments)
    for name in asked.names:
        if name not in [campaign.name for campaign in campaigns]:
            parser.error(f"there is no campaign {name}")
    return asked


class State:
    """The file with the progress of each campaign."""

    def __init__(self, path: Path) -> None:
        self._path = path
        kept = json.loads(path.read_text()) if path.exists() else {}
        known = kept.get("campaigns", {}) if kept.get("revision") == REVISION else {}
        self._progress = {name: Progress(**facts) for name, facts in known.items()}

    def of(self, name: str) -> Progress:
        return self._progress.setdefault(name, Progress())

    def keep(self) -> None:
        """Write the file, whole or not at all."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        campaigns = {name: asdict(progress) for name, progress in self._progress.items()}
        beside = self._path.with_suffix(".new")
        beside.write_text(json.dumps({"revision": REVISION, "campaigns": campaigns}, indent=1))
        beside.replace(self._path)


def run(campaign: Campaign, goal: int, state: State, processes: int) -> None:
    """Continue until enough cases are done. Seeds that failed before come first."""
    progress = state.of(campaign.name)
    teller = Teller(campaign.name, goal, progress)
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, context, _end_with_parent) as pool:
        again = pool.submit(_cases, campaign.module, progress.failed).result()
        progress.failed = []
        teller.take(again)
        batches = _in_order(pool, campaign, progress.next, ahead=processes + 1)
        while progress.done < goal:
            batch = next(batches)
            progress.next += campaign.batch
            progress.done += batch.done
            teller.take(batch)
            state.keep()
        pool.shutdown(cancel_futures=True)
    state.keep()
    teller.end()


class Teller:
    """The time and the failures of a run, with its printed progress."""

    def __init__(self, name: str, goal: int, progress: Progress) -> None:
        self._name, self._goal, self._progress = name, goal, progress
        self._before, self._done_before = progress.seconds, progress.done
        self._began = self._said = time.monotonic()

    def take(self, batch: Batch) -> None:
        for seed, why in batch.failed.items():
            alone = f"python -m campaign {self._name} --seed {seed}"
            print(f"{self._name}: seed {seed} failed; alone: {alone}\n{why}", flush=True)
        now, progress = time.monotonic(), self._progress
        progress.failed = sorted({*progress.failed, *batch.failed})
        progress.seconds = round(self._before + now - self._began, 1)
        if now - self._said >= SECONDS_BETWEEN_LINES:
            self._said = now
            rate = (progress.done - self._done_before) / (now - self._began)
            failed = len(progress.failed)
            print(
                f"{self._name}: {progress.done:,} of {self._goal:,}, {rate:,.0f} a second, {failed} failed", flush=True
            )

    def end(self) -> None:
        progress = self._progress
        facts = {"name": self._name, "done": progress.done, "goal": self._goal, "failed": len(progress.failed)}
        print(json.dumps({**facts, "seconds": progress.seconds}), flush=True)


def _in_order(pool: ProcessPoolExecutor, campaign: Campaign, first: int, ahead: int) -> Iterator[Batch]:
    """Yield the result of each batch, in the order of the seeds, while others are running."""
    under_way: deque[Future[Batch]] = deque()
    for start in count(first, campaign.batch):
        under_way.append(pool.submit(_cases, campaign.module, range(start, start + campaign.batch)))
        if len(under_way) > ahead:
            yield under_way.popleft().result()


def _cases(module: str, seeds: Sequence[int]) -> Batch:
    """Run a batch, in a separate process."""
    case = _load(module).case
    done, failed = 0, {}
    for seed in seeds:
        try:
            done += case(seed)
        except Exception:  # noqa: BLE001 - whatever it is, it is this case's failure
            failed[seed] = traceback.format_exc(limit=-3)
    return Batch(done, failed)


def _load(module: str) -> Any:
    return importlib.import_module(module)


def _end_with_parent() -> None:
    """End this process with its parent, as it would wait for work for ever."""
    parent = multiprocessing.parent_process()
    assert parent is not None

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
