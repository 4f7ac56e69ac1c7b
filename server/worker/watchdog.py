"""Calls the operator's watchdog, so that silence raises an alarm that needs no mail of ours."""

import logging
import urllib.request
from collections.abc import Callable, Sequence
from http.client import HTTPException

from server.faults import fault

log = logging.getLogger(__name__)
PATIENCE = 10  # seconds


class Watchdog:
    """At `url`, which the operator has set; None where there is none."""

    def __init__(self, url: str | None) -> None:
        self._url = url
        self._failed = False

    def call(self, troubles: Callable[[], Sequence[str]]) -> None:
        """Say that all is well, unless there are troubles. That it cannot be reached is told once, and does no harm."""
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
