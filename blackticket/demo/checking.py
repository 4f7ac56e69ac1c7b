"""Check the opened travel log against the board, the rules, and everything the detectives were told before."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from blackticket.demo.letters import Entry, Letter
from blackticket.demo.trouble import DemoFailed
from server.engine import Edition, EngineError, Game


class Checked(NamedTuple):
    """The numbers of what was compared with the opened log."""

    windows: int
    mails: int
    views: int


def check(
    edition: Edition,
    record: Mapping[str, Any],
    log: Sequence[Mapping[str, Any]],
    letters: Sequence[Letter],
    views: Sequence[Mapping[str, Any]],
) -> Checked:
    """Compare the opened log with the `letters` and `views` that detectives got; raise `DemoFailed` if they differ."""
    _check_trail(edition, record["starts"]["mr_x"], log)
    _check_replay(record, log)
    public = [_public(entry) for entry in log]
    shown = {entry.station for entry in public if entry.station is not None}
    for letter in letters:
        if not (all(_is_public(entry, public) for entry in letter.log) and letter.sightings <= shown):
            raise DemoFailed(
                f'The mail "{letter.subject}" says something of the travel log that is not public, or is wrong.'
            )
    for view in views:
        _check_view(view, public)
    return Checked(len(log), sum(bool(letter.log) for letter in letters), len(views))


def _check_trail(edition: Edition, start: int, log: Sequence[Mapping[str, Any]]) -> None:
    station = start
    for number, entry in enumerate(log, 1):
        window = f"Window {number} of the opened travel log"
        if entry["window"] != number or entry["transport"] not in edition.board.transports(station, entry["station"]):
            raise DemoFailed(f"{window} is no {entry['transport']} line from {station} to {entry['station']}.")
        if entry["ticket"] not in (entry["transport"], "black"):
            raise DemoFailed(f"{window} shows a {entry['ticket']} ticket for a ride by {entry['transport']}.")
        if entry.get("surfaced", False) != (number in edition.rules["surfacing"]):
            raise DemoFailed(f"{window} was shown, or not, against the rules.")
        station = entry["station"]


def _check_replay(record: Mapping[str, Any], log: Sequence[Mapping[str, Any]]) -> None:
    try:
        game = Game.replay(record)
    except EngineError as error:
        raise DemoFailed(f"The opened record does not replay: {error}") from None
    if game.outcome is None or [window.station for window in game.log] != [entry["station"] for entry in log]:
        raise DemoFailed("The opened record and the opened travel log differ.")


def _check_view(view: Mapping[str, Any], public: Sequence[Entry]) -> None:
    told = [Entry(entry["window"], entry["ticket"], entry["station"]) for entry in view["log"]]
    in_sight = told[-1].station if told else None
    if (
        told != list(public[: len(told)])
        or view["pawns"]["mr_x"]["station"] != in_sight
        or "mr_x" in view["starts"]
        or any("transport" in entry for entry in view["log"])
    ):
        raise DemoFailed(f"A detective's view at turn {view['turn']} says something that is not public, or is wrong.")


def _is_public(told: Entry, public: Sequence[Entry]) -> bool:
    return any(told in (entry, entry._replace(ticket=None)) for entry in public)


def _public(entry: Mapping[str, Any]) -> Entry:
    return Entry(entry["window"], entry["ticket"], entry["station"] if entry.get("surfaced") else None)
