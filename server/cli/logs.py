"""The log of a process as JSON, an object a line, for programs that collect logs."""

import json
import logging
from datetime import UTC, datetime

from server.runtime.faults import fault
from server.settings import Settings


class JsonLines(logging.Formatter):
    """Writes a record with its time, level, logger and message; of an error the kind and place, never its text."""

    def format(self, record: logging.LogRecord) -> str:
        """Return one line of JSON."""
        found = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        error = record.exc_info[1] if record.exc_info else None
        return json.dumps(found | ({"fault": fault(error)} if error is not None else {}))


def set_up_log(settings: Settings, log: logging.Logger | None = None) -> None:
    """Have warnings and errors of `log`, by default of all, written to the terminal as JSON if the settings say so."""
    if settings.log_format != "json":
        return
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines())
    handler.setLevel(logging.WARNING)
    (log or logging.getLogger()).addHandler(handler)
