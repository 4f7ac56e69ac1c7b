"""A log as JSON holds what the lines hold: kinds and places, never the text of an error."""

import json
import logging
import sys
from pathlib import Path

import pytest

from server.cli.processes import JsonLines, set_up_log
from server.settings import SettingError, Settings


def record(message: str, *arguments: object, error: bool = False) -> logging.LogRecord:
    exc_info = sys.exc_info() if error else None
    return logging.LogRecord("server.mail.outbox", logging.ERROR, "outbox.py", 7, message, arguments, exc_info)


def test_a_line_is_an_object_with_time_level_logger_and_message():
    made = record("deadline %s\nfailed", "6wq2")
    made.created = 1_795_000_000.25
    line = JsonLines().format(made)
    assert "\n" not in line
    assert json.loads(line) == {
        "at": "2026-11-18T11:06:40.250Z",
        "level": "error",
        "logger": "server.mail.outbox",
        "message": "deadline 6wq2\nfailed",
    }


def test_the_text_of_an_error_is_left_out():
    try:
        raise ValueError("Mr. X is at 104")
    except ValueError:
        line = JsonLines().format(record("it failed", error=True))
    assert "104" not in line
    assert json.loads(line)["fault"].startswith("ValueError at ")


@pytest.mark.parametrize(("given", "count"), [({}, 0), ({"BLACKTICKET_LOG_FORMAT": "json"}, 1)])
def test_it_is_written_only_if_the_setting_says_so(given: dict[str, str], count: int, tmp_path: Path):
    root = logging.Logger("root")
    set_up_log(Settings.from_environ(given, tmp_path), root)
    assert len(root.handlers) == count


def test_another_format_stops_the_start(tmp_path: Path):
    with pytest.raises(SettingError, match="LOG_FORMAT is wrong: 'xml' is neither text nor json"):
        Settings.from_environ({"BLACKTICKET_LOG_FORMAT": "xml"}, tmp_path)
