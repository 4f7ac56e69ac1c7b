"""Vacation of a player: taking days, seeing them, and coming back early."""

from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from flask import Response

from server.application.play.absences import absences_of, end_absences, take_vacation
from server.house_rules.vacation import YEARLY, absences_as_json
from server.models import Player
from server.runtime import now
from server.vocabulary.errors import Problem, refusal
from server.vocabulary.translation import gettext
from server.web import forms, visitors
from server.web.problems import page
from server.wording import times


def show() -> Response:
    """Show the player's vacation of this year, and the days that are left."""
    return _page(visitors.signed_in())


def take() -> Response:
    """Take vacation from one day to another, both included."""

    def act(player: Player) -> object:
        return take_vacation(player.id, _day("first"), _day("last"))

    return forms.carry_out(act, "vacation", _page)


def end(absence_id: str) -> Response:
    """End an absence now, or cancel it before it begins."""
    return forms.carry_out(lambda player: end_absences(player.id, absence_id), "vacation", _page)


def _day(name: str) -> date:
    try:
        return date.fromisoformat(forms.text(name))
    except ValueError:
        raise refusal("form", "Choose the first and the last day, such as 2026-12-24.") from None


def _page(player: Player, problem: Problem | None = None) -> Response:
    known, zone = absences_as_json(absences_of(player), player.zone, now()), ZoneInfo(player.zone)
    today = now().astimezone(zone).date()
    return page(
        "me/vacation",
        problem,
        absences=[_in_words(each, zone) for each in known["absences"]],
        days_left=known["days_left"],
        yearly=YEARLY.days,
        today=today.isoformat(),
        given={name: forms.text(name) if problem else "" for name in ("first", "last")},
        spends=player.spends_vacation,
        wrong={"first": problem.sentence} if problem else {},
    )


def _in_words(facts: dict[str, Any], zone: ZoneInfo) -> dict[str, object]:
    """Return an absence by its days, which both count."""
    begin, end = (datetime.fromisoformat(at) for at in (facts["begin"], facts["end"]))
    last = (end - timedelta(seconds=1)).astimezone(zone).date()
    first = begin.astimezone(zone).date()
    return {
        "id": facts["id"],
        "first": gettext("{day} {month}", day=first.day, month=times.month_name(first)),
        "last": gettext("{day} {month} {year}", day=last.day, month=times.month_name(last), year=last.year),
        "is_automatic": facts["automatic"],
        "is_over": end <= now(),
        "has_begun": begin <= now(),
    }
