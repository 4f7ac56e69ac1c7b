"""Settings of a player: name, time zone, night, and how mails and moves by mail behave."""

from collections.abc import Mapping

from flask import Response

from server.application.people.accounts import renaming
from server.application.people.accounts.preferences import change_preferences, offered, preferences_of
from server.application.people.players import check_night, check_zone
from server.clock import zones
from server.models import Player
from server.vocabulary.errors import Problem, refusal
from server.vocabulary.preferences import PREFERENCES, Preference
from server.web import forms, visitors
from server.web.problems import page

AREAS = ("Africa", "America", "Antarctica", "Arctic", "Asia", "Atlantic", "Australia", "Europe", "Indian", "Pacific")
# The zone and the night have fields of their own.
_FIELDS = ("zone", *(row.name for row in PREFERENCES if row.choices))


def show() -> Response:
    return _page(visitors.signed_in())


def rename() -> Response:
    """Change the player's name."""

    def again(player: Player, problem: Problem) -> Response:
        return _page(player, problem, {"name": problem.sentence}, name=forms.text("name"))

    return forms.carry_out(lambda player: renaming.rename(player.id, forms.text("name")), "settings", again)


def change() -> Response:
    """Change all other settings of the page; a field that the form lacks stays as it is."""
    player = visitors.signed_in()
    wrong = forms.checked({name: check for name, check in _CHECKS.items() if forms.text(name)})
    night = _night()
    try:
        if bool(forms.text("night_from")) != bool(forms.text("night_to")):
            raise refusal("form", "Fill in both times of your night, or neither.")
        check_night(night or "off")
    except Problem as problem:
        wrong["night"] = problem.sentence
    if wrong:
        return _page(player, Problem("form", next(iter(wrong.values()))), wrong, **_typed())
    wanted = {name: typed for name in _FIELDS if (typed := forms.text(name))}
    try:
        change_preferences(player.id, **wanted, **({"night": night} if night else {}))
    except Problem as problem:
        return _page(player, problem, {"": problem.sentence}, **_typed())
    return forms.led_to("settings")


def use_zone() -> Response:
    """Change the time zone alone, to the one that the browser suggests."""

    def again(player: Player, problem: Problem) -> Response:
        return _page(player, problem, {"zone": problem.sentence})

    return forms.carry_out(lambda player: change_preferences(player.id, zone=forms.text("zone")), "settings", again)


def _night() -> str | None:
    """Return the night of the form as `check_night` reads it, None if the form has none."""
    begin, end = forms.text("night_from"), forms.text("night_to")
    if begin or end:
        return f"{begin[:5]}-{end[:5]}"
    return "off" if forms.text("night") else None


def _typed() -> dict[str, str]:
    return {name: typed for name in (*_FIELDS, "night_from", "night_to") if (typed := forms.text(name))}


def _page(
    player: Player, problem: Problem | None = None, wrong: Mapping[str, str] | None = None, **typed: str
) -> Response:
    known = preferences_of(player)
    begin, _, end = ("" if known["night"] == "off" else known["night"]).partition("-")
    given = {"name": player.name, **known, "night_from": begin, "night_to": end} | typed
    return page(
        "me/settings",
        problem,
        given=given,
        wrong=wrong or {},
        zones=_zones(player.zone),
        choices=_choices(player),
    )


def _choices(player: Player) -> list[Preference]:
    """Return the preferences to choose, those about mail behind the others."""
    rows = [row for row in offered(player) if not (row.is_about_mail and player.is_guest)]
    return sorted(rows, key=lambda row: row.is_about_mail)


def _zones(own: str) -> dict[str, list[str]]:
    """Return the time zones to choose from, by their areas."""
    found: dict[str, list[str]] = {"": sorted({"UTC", *([] if own.partition("/")[0] in AREAS else [own])})}
    for zone in sorted(zones()):
        area, slash, _ = zone.partition("/")
        if slash and area in AREAS:
            found.setdefault(area, []).append(zone)
    return found


_CHECKS = {"zone": check_zone}
