"""The operator's pages and the two buttons on them."""

from collections.abc import Callable
from datetime import timedelta
from functools import wraps

from flask import Response, abort

from server.application.health import health, metrics
from server.application.lists import reports
from server.application.mail import envelopes
from server.application.time import deadlines
from server.models import transaction
from server.runtime import runtime
from server.settings import READERS, SECRETS, Settings
from server.settings.kinds import Rate
from server.vocabulary.durations import format_duration
from server.vocabulary.errors import Problem
from server.web import forms, visitors
from server.web.problems import page


def act(change: Callable[[], object], shown: Callable[[Problem], Response], then: str, done: str = "yes") -> Response:
    """Carry out a change and lead to the page `then`, or show it again with the `Problem`.

    `done` tells that page what was done. The answer is made in the transaction of the change, so nothing behind the
    commit can fail.
    """
    try:
        with transaction():
            change()
            return forms.led_to(then, done=done)
    except Problem as problem:
        return shown(problem)


def for_operators(view: Callable[..., Response]) -> Callable[..., Response]:
    """Return a page that is missing for everybody who is no operator."""

    @wraps(view)
    def guarded(**arguments: str) -> Response:
        visitor = visitors.visitor()
        if visitor is None or not visitor.is_operator:
            abort(404)
        return view(**arguments)

    return guarded


MOST = 100  # rows of a list
# Lists of mails: the heading, the function that reads them, and the state.
_LISTS = (
    ("Set aside", envelopes.incoming, "aside"),
    ("Dead letters", envelopes.outgoing, "dead"),
    ("Waiting to be sent", envelopes.outgoing, "pending"),
    ("Waiting to be read", envelopes.incoming, "new"),
)
# Facts of `doctor` that the metrics have too.
_COUNTED = ("dead_letters", "overdue_deadlines", "oldest_overdue_deadline", "oldest_unsent_mail", "oldest_unread_mail")
# Shown apart; and a path is for those who are on the machine.
_ELSEWHERE = ("troubles", "warnings", "outages", "mailboxes", "data_folder")


@for_operators
def overview() -> Response:
    """Show how the server is, and who is late."""
    facts = health.overview()
    if runtime().settings.smtp_url is None:
        facts["mail_goes_to"] = "the Maildir of the data folder"
    return page(
        "operator/health",
        warnings=facts["troubles"] + facts["warnings"],
        outages=facts["outages"],
        mailboxes=facts["mailboxes"],
        facts={name: value for name, value in facts.items() if name not in (*_COUNTED, *_ELSEWHERE)},
        is_ticking=health.is_ticking(),
        measures=metrics.measures(),
        late=reports.late(MOST),
        most=MOST,
    )


@for_operators
def mail() -> Response:
    """Show the envelopes of mails that wait, were given up, or are set aside."""
    return _mail()


@for_operators
def send_again(mail_id: str) -> Response:
    """Send a mail again, or now."""
    return act(lambda: envelopes.send_again(mail_id), _mail, "operator_mail")


@for_operators
def read_again(mail_id: str) -> Response:
    """Read a mail again that was set aside."""
    return act(lambda: envelopes.read_again(mail_id), _mail, "operator_mail")


@for_operators
def scheduled() -> Response:
    """Show what is scheduled, the next first."""
    return page("operator/deadlines", deadlines=deadlines.scheduled(limit=MOST), most=MOST)


@for_operators
def settings() -> Response:
    """Show the settings in force, without secrets."""
    return page("operator/settings", settings=in_force(runtime().settings))


def _mail(problem: Problem | None = None) -> Response:
    lists = [(heading, read(state=state, limit=MOST)) for heading, read, state in _LISTS]
    return page("operator/mail", problem, lists=lists, most=MOST)


ROUTES = (
    ("/operator", "operator", overview, ("GET",)),
    ("/operator/mail", "operator_mail", mail, ("GET",)),
    ("/operator/mail/<mail_id>/send", "send_again", send_again, ("POST",)),
    ("/operator/mail/<mail_id>/read", "read_again", read_again, ("POST",)),
    ("/operator/deadlines", "operator_deadlines", scheduled, ("GET",)),
    ("/operator/settings", "operator_settings", settings, ("GET",)),
)


def in_force(settings: Settings) -> list[tuple[str, str]]:
    """Return the name and the value of each setting; of a secret only whether it is set."""
    return [(name, _value(name, getattr(settings, name.lower()))) for name in READERS]


def _value(name: str, value: object) -> str:
    if value is None or value == ():
        return "not set"
    return "set, and not shown" if name in SECRETS else _plain(value)


def _plain(value: object) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case tuple():
            return ", ".join(map(str, value))
        case timedelta():
            return format_duration(value)
        case Rate():
            return f"{value.most}/{format_duration(value.window)}"
    return str(value)
