"""The watchdog of the operator, which raises an alarm when the worker does not call it for a while."""

import logging
import urllib.request
from collections.abc import Callable, Sequence
from http.client import HTTPException

from server.runtime.faults import fault

log = logging.getLogger(__name__)
PATIENCE = 10  # seconds


class Watchdog:
    """A client of the watchdog at `url`, which the operator has set; it does nothing without one."""

    def __init__(self, url: str | None) -> None:
        self._url = url
        self._failed = False

    def call(self, troubles: Callable[[], Sequence[str]]) -> None:
        """Call the watchdog unless there are troubles; log once that it cannot be reached."""
        if self._url is None or troubles():
            return
        request = urllib.request.Request(self._url, headers={"User-Agent": "blackticket"})  # noqa: S310 checked as a setting
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE):  # noqa: S310
                self._failed = False
        except (OSError, HTTPException, ValueError) as error:
            if not self._failed:
                log.warning("the watchdog at ALERT_URL could not be called: %s", fault(error))
            self._failed = True
