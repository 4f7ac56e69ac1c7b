"""The operator's page about people: reports, closing a game, removing a guest or a name, blocking a network.

The forms ask for a tick that says that the operator means it, as most of it cannot be undone.
"""

from collections.abc import Callable

from flask import Response, request

from server.application.operator import operators, remedies
from server.application.people import blocked_networks, players
from server.application.people.accounts import abuse_reports
from server.runtime import runtime
from server.vocabulary.errors import Problem
from server.web import forms
from server.web.operator.pages import act, for_operators
from server.web.problems import page

MOST = 100  # reports of a page
LENGTHS = {"P1D": "a day", "P7D": "a week", "P30D": "30 days", "P365D": "a year"}
DONE = {  # by the endpoint of the form
    "settle_report": "The report is settled.",
    "close_game": "The game is closed, and its people hear of it by mail.",
    "take_name": "The name is taken away, and its player hears of it by mail.",
    "remove_guest": "The guest is removed.",
    "block_network": "The network is blocked.",
    "unblock_network": "The block is ended.",
}
NOT_MEANT = "Tick the box that says that you mean it."


@for_operators
def people() -> Response:
    """Show the reports that wait, what can be done about people, and the networks that are blocked."""
    return _page()


@for_operators
def settle(report_id: str) -> Response:
    """Note that a report needs nothing more."""
    return _act(lambda: abuse_reports.settle(report_id))


@for_operators
def close_game() -> Response:
    """Close a game; everybody in it gets a mail with the reason."""
    return _act(lambda: remedies.close(forms.text("game"), forms.text("reason")), is_grave=True)


@for_operators
def take_name() -> Response:
    """Take the name of a player away."""
    return _act(lambda: operators.take_name(players.named(forms.text("player")).id), is_grave=True)


@for_operators
def remove_guest() -> Response:
    """Delete a guest and their games."""
    return _act(lambda: operators.remove_guest(players.named(forms.text("player")).id), is_grave=True)


@for_operators
def block_network() -> Response:
    """Block a network for a time."""
    own = request.remote_addr or ""
    return _act(lambda: blocked_networks.block(forms.text("network"), forms.text("length"), own), is_grave=True)


@for_operators
def unblock_network() -> Response:
    """End the block of a network."""
    return _act(lambda: blocked_networks.unblock(forms.text("network")))


def _act(change: Callable[[], object], *, is_grave: bool = False) -> Response:
    """Carry out a change and lead to the page; or show it again with the reason. What `is_grave` needs a tick."""
    if is_grave and not forms.text("sure"):
        return _page(Problem("form", NOT_MEANT))
    return act(change, _page, "operator_people", done=(request.endpoint or "").rpartition(".")[2])


def _page(problem: Problem | None = None) -> Response:
    settings = runtime().settings
    return page(
        "operator/people",
        problem,
        reports=abuse_reports.open_reports(MOST),
        most=MOST,
        networks=blocked_networks.blocked(),
        lengths=LENGTHS,
        admission=settings.admission.value,
        has_guests=settings.guests,
        typed=request.values,
        done=DONE.get(request.args.get("done", "")),
    )


ROUTES = (
    ("/operator/people", "operator_people", people, ("GET",)),
    ("/operator/people/reports/<report_id>", "settle_report", settle, ("POST",)),
    ("/operator/people/games", "close_game", close_game, ("POST",)),
    ("/operator/people/names", "take_name", take_name, ("POST",)),
    ("/operator/people/guests", "remove_guest", remove_guest, ("POST",)),
    ("/operator/people/networks", "block_network", block_network, ("POST",)),
    ("/operator/people/networks/end", "unblock_network", unblock_network, ("POST",)),
)
