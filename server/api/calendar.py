"""The calendar of a player's deadlines, for programs that can send no token: its address is the secret."""

from flask import Response

from server.api.access import CALENDAR_ADDRESS, current_player
from server.api.endpoints import File, Section
from server.api.schemas.values import NoQuery
from server.application.lists import listing
from server.runtime import runtime
from server.vocabulary.translation import gettext, speaking
from server.wording import calendar

NAME = "Black Ticket"

section = Section("calendars", __name__, "Deadlines as a calendar")


@section.endpoint(
    "GET /calendars/<secret>",
    access=CALENDAR_ADDRESS,
    query=NoQuery,
    answers=File("text/calendar"),
    about="The calendar",
)
def deadlines(secret: str) -> Response:  # noqa: ARG001 the access has checked it
    """Return the deadlines of the turns in which a move of yours is missing, as iCalendar.

    The secret is a token that has the scope `calendar` alone.
    """
    domain, player = runtime().settings.mail_domain, current_player()
    with speaking(player.language):
        named = [(due, gettext("Your move in {game}", game=due.game)) for due in listing.deadlines_of(player)]
    entries = [calendar.Entry(f"{due.game_id}-{due.round}@{domain}", name, due.at, due.began_at) for due, name in named]
    return Response(calendar.feed(NAME, entries), mimetype="text/calendar")
