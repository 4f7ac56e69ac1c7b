"""The ticker: an APScheduler that keeps its pace when somebody sets the wall clock."""

import logging
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from apscheduler.job import Job
from apscheduler.schedulers.background import BackgroundScheduler
from apscheduler.triggers.interval import IntervalTrigger

from server.runtime import utc_now

# A run that is due while the last one is still under way is left out. The library warns of each, but nothing is wrong:
# on a busy machine some runs take longer than their interval. `server.application.health.health` finds a worker that
# hangs.
logging.getLogger("apscheduler.scheduler").setLevel(logging.ERROR)


class Every(IntervalTrigger):  # type: ignore[misc]
    """A trigger that runs a job again one interval after its last run.

    The library's own trigger counts every run between the last one and now. After the clock was set forward by years
    that takes hours.
    """

    def get_next_fire_time(self, previous_fire_time: datetime | None, now: datetime) -> datetime:
        """Return the time one interval from `now`."""
        return now + self.interval  # type: ignore[no-any-return]


class Ticker(BackgroundScheduler):  # type: ignore[misc]
    """A scheduler that runs each job once in its interval, whatever happens to the wall clock.

    The library sleeps until the wall time of the next run. When the clock is set back by two hours, that is two hours
    away, and nothing wakes it. So this scheduler never sleeps longer than an interval, and each time it wakes up it
    runs the jobs that seem to be more than an interval away.
    """

    def __init__(self) -> None:
        # A missed run is not repeated, and no two run at once: the rows that are due are in the database.
        once = {"misfire_grace_time": None, "coalesce": True, "max_instances": 1}
        super().__init__(timezone="UTC", job_defaults=once)

    def every(self, seconds: float, work: Any) -> None:
        """Run `work` every `seconds` seconds."""
        self.add_job(work, Every(seconds=seconds, timezone=self.timezone))

    def _process_jobs(self) -> float | None:
        now = utc_now()
        for job in self._too_far_away(now):
            job.modify(next_run_time=now)
        pause: float | None = super()._process_jobs()
        intervals = [job.trigger.interval.total_seconds() for job in self.get_jobs()]
        # The clock may be set between the two looks that the library takes at it. At the end there are no jobs.
        return pause if pause is None else min([pause, *intervals])

    def _too_far_away(self, now: datetime) -> Iterator[Job]:
        for job in self.get_jobs():
            if job.next_run_time - now > job.trigger.interval + timedelta(milliseconds=1):
                yield job
