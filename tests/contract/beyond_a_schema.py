"""What no JSON schema can say of a request: the closed list of refusals of requests that are as the document says.

Each such refusal is a 422 that the document lists for the operation.
"""

import re
from typing import Any, NamedTuple

from tests.contract.world import NOWHERE
from tests.positions import position
from tests.webhooks.subscription import DEVICE

NAME = "what is a name is a matter of Unicode, and of the words that players mail to this server"
GAME = "it depends on the game: its seats, who sits there, what stands in it, whether it is public or paused"
PEOPLE = "it depends on who there is, and on whom the caller knows"
TIME = "it depends on the time now, or compares two members"
TOGETHER = "values that are right one by one and not together"
NOTATION = "a notation is read as a sentence, in any case of letters"
URL = "it depends on the name service and on the settings of the server"
EARLIER = "the server made it, for an earlier answer"
ZONE = "the tz database of the server says which zones there are"
OPEN = {"edition": "ravensburger-2000", "players": 3}
SEATS = [{"role": "mr_x"}, {"role": "detective"}]


class Refusal(NamedTuple):
    """A refusal of a request that is as the document says, with an example.

    sentence: a pattern, which its detail begins with
    why: the reason why the document cannot say so
    operation, body, query, who, game: a request that is refused so, who makes it, and in which game of the world
    """

    sentence: str
    why: str
    operation: str
    body: Any = None
    query: str = ""
    who: str = "host"
    game: str = "private"


def _opened(**members: Any) -> dict[str, Any]:
    return OPEN | members


def _clock(**values: object) -> dict[str, Any]:
    return _opened(clock={"kind": "schedule", **values} if "days" in values else values)


def _options(**values: object) -> dict[str, Any]:
    return _opened(options=values)


REFUSALS = (
    Refusal(".* reads as a command", NAME, "PATCH /me", {"name": "taxi 46"}),
    Refusal("(A name|A letter of a name|The name of a token) ", NAME, "PATCH /me", {"name": "..."}),
    Refusal("A text of your own ", NAME, "PUT /games/{game_id}/seats/{seat}",
            {"invite": "ivy@example.org", "words": "see www.example.org"}, game="offered"),
    Refusal("name: your own name", PEOPLE, "DELETE /me", {"name": "Ivy"}),
    Refusal(".* is no time zone", ZONE, "PATCH /me/preferences", {"zone": "Europe/Atlantis"}),
    Refusal("clock.zone: .* is no time zone", ZONE, "POST /games", _clock(zone="Atlantis")),
    Refusal("A night has at most 12 hours", TOGETHER, "PATCH /me/preferences", {"night": "10:00-23:00"}),
    Refusal("station: this server has no PUBLIC_URL", URL, "PATCH /me/preferences", {"station": "page"}),
    Refusal(".* is an address of this server", URL, "POST /me/addresses", {"email": "play@localhost"}),
    Refusal(".* is no mail address", "who is invited is an address, or a name", "PUT /games/{game_id}/seats/{seat}",
            {"invite": "@"}),
    Refusal("(Nobody|More than one) of those you have met", PEOPLE, "PUT /games/{game_id}/seats/{seat}",
            {"invite": "Ivy"}),
    Refusal("There is no player|There is nobody|Nobody|You cannot block", PEOPLE, "POST /me/blocks",
            {"player": NOWHERE}),
    Refusal("(A player|An address) can .* one seat only", TOGETHER, "POST /games",
            {"edition": "condensed", "seats": [{**seat, "invite": "ivy@example.org"} for seat in SEATS]}),
    Refusal("expires_at: a time to come", TIME, "POST /me/tokens",
            {"name": "robot", "scopes": ["read"], "expires_at": "2020-01-01T00:00:00Z"}),
    Refusal("An absence (begins|is over)|This absence would end|You are away", TIME, "POST /me/absences",
            {"from": "2020-01-01", "to": "2020-01-02"}),
    Refusal("(url|endpoint): ", URL, "POST /webhooks", {"url": "https://localhost.localdomain.lan/"}),
    Refusal("keys: ", "the point has to be one of the curve", "POST /devices",
            DEVICE | {"keys": {"p256dh": "BA" + 85 * "A", "auth": 22 * "A"}}),
    Refusal("after: the id of a mail", EARLIER, "GET /me/deliveries", query="after=aaaa"),
    Refusal("after: take the `next`", EARLIER, "GET /me/events", query="after=aaaa"),
    Refusal("turn: a number from 1 to", GAME, "GET /games/{game_id}/seats/{seat}/view", query="turn=99999",
            game="over"),
    # Games
    Refusal("This game is for|This position has", "it depends on the edition", "POST /games",
            {"edition": "ravensburger-2013", "players": 3}),
    Refusal("The option .*|There are too few start cards|The start card|Mr. X has no ticket", TOGETHER, "POST /games",
            _options(players=[6, 2])),
    Refusal(r"clock\.\w+: .* is not between", "MIN_TURN, and lengths that one can write in many ways", "POST /games",
            _clock(mr_x="P366D")),
    Refusal(r"clock\.(cap|days): |clock.reminders: shares", TOGETHER, "POST /games",
            _clock(days=["mon"], days_off=["mon"])),
    Refusal("position: ", "it depends on the edition, and its pawns on each other", "POST /games",
            _opened(position=position(104, red=104), players=2)),
    Refusal("There is no such seat|seat: (no guest|no person|a guest|who sits)|That (address|player) |guests: ", GAME,
            "POST /games/{game_id}/host", {"seat": 6}),
    Refusal("bot: .* for (mr_x|detective)", GAME, "PUT /games/{game_id}/seats/{seat}", {"bot": "fugitive"}),
    Refusal("A detective names a teammate", GAME, "PUT /games/{game_id}/cover", {"seat": 6}, who="detective"),
    Refusal("This game is public", GAME, "PUT /games/{game_id}/replay", {"shows": "name"}, "", "detective", "public"),
    Refusal("There is no (such message|other player)|You are not invited", GAME, "POST /games/{game_id}/reports",
            {"kind": "name", "number": 6}, who="detective"),
    Refusal("Mr. X has no team|Who is Mr. X is settled", GAME, "POST /games/{game_id}/messages",
            {"to": "team", "text": "Where am I?"}, who="mr-x"),
    Refusal("length: choose more than zero", TOGETHER, "POST /games/{game_id}/votes",
            {"kind": "extend", "length": "P8D"}, who="detective"),
    Refusal("The game is (paused already|not paused)|There is no deadline", GAME, "POST /games/{game_id}/votes",
            {"kind": "resume"}, who="detective"),
    Refusal('Say which pawn|.*(A move is written like|is no ticket;|it was given for|Two tickets are|After "surface")',
            NOTATION, "POST /games/{game_id}/moves", {"turn": 2, "notation": "taxi"}, who="detective"),
)  # fmt: skip


def is_beyond_a_schema(detail: str) -> bool:
    """Return True if a refusal with these words is one of the list."""
    return any(re.match(refusal.sentence, detail) for refusal in REFUSALS)
