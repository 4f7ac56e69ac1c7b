"""A small world in which every kind of caller finds every kind of game, and which can be put back as it was.

Gus hosts three private games and sits in none: one that runs (Ada is Mr. X, Ben and Cleo hunt her), one that is open
(Finn is invited), and one that is public and runs. Eve was Mr. X of a fourth, public, until the operator gave her seat
to another. Dan sits in a game of his own, Hana in none. One game is over, and one more waits for players in public.
"""

import re
from collections.abc import Mapping
from datetime import timedelta
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from werkzeug.test import TestResponse

from server.application.lobby.seats import substitute
from server.application.people import tokens
from server.application.people.accounts import addresses
from server.models import Player, session
from server.runtime import MOST_VIEWS
from server.runtime.game_cache import GameCache
from server.runtime.lru import LRUCache
from tests import databases
from tests.injected import Rngs
from tests.positions import position
from tests.table import Person, Table
from tests.webhooks.subscription import DEVICE

API = "/api/v1"
NOWHERE = "aaaaaaaaaaaaaaaa"  # an id, and nothing has it
CHASE = {"position": position(104, red=117, green=46)}


class Principal(NamedTuple):
    """Somebody who calls, and the game he looks at. `person` None has no token."""

    person: str | None
    game: str
    what: str
    token: str = "whole"


PRINCIPALS = {
    "nobody": Principal(None, "private", "sends no token"),
    "passer-by": Principal(None, "public", "looks at a running public game, and sends no token"),
    "stranger": Principal("Hana", "private", "has an account and no part in the game"),
    "spectator": Principal("Hana", "public", "looks at a running public game"),
    "detective": Principal("Ben", "private", "holds a detective's seat"),
    "mr-x": Principal("Ada", "private", "holds Mr. X's seat"),
    "host": Principal("Gus", "private", "is the host and has no seat, with a token for everything"),
    "elsewhere": Principal("Dan", "private", "holds a seat in another game"),
    "former-mr-x": Principal("Eve", "handed-on", "was Mr. X of a public game, and another player has the seat now"),
    "invited": Principal("Finn", "open", "is invited to a game that has not begun"),
    "read-only": Principal("Ben", "private", "is the detective with a token that has only the scope `read`", "read"),
    "expired": Principal("Ben", "private", "is the detective with an expired token", "expired"),
    "revoked": Principal("Ben", "private", "is the detective with a revoked token", "revoked"),
}
# The six as whom everything is tried at random.
SIX = ("nobody", "stranger", "detective", "mr-x", "spectator", "host")


class World:
    """An application with people and games in it; `restore` puts it back to where `keep` was called."""

    def __init__(self, folder: Path, url: str | None = None, **settings: str) -> None:
        """Make the world; `url` is another way to its database than that of the application."""
        self._url = url
        folder.mkdir(parents=True, exist_ok=True)
        self.table = Table(folder, sandbox="1", min_turn="PT1S", push="yes", **settings)
        self._runtime.resolve = lambda _host: ["93.184.216.34"]  # nobody is asked for a name
        names = ("Ada", "Ben", "Cleo", "Dan", "Eve", "Finn", "Gus", "Hana")
        self.people = {name: self.table.person(name) for name in names}
        self.ids: dict[str, str] = {}  # of things that Ben owns, by the name of the parameter
        self.votes: dict[str, str] = {}  # by the games they are open in
        self.games = self._games()
        self.tokens = {(name, "whole"): person.token for name, person in self.people.items()}
        self._more_of(self.people["Ben"])
        self.table.tick()
        for person in self.people.values():  # a token notes the day of its use
            _went_well(person.get("/me"))
        self.keep()

    def _games(self) -> dict[str, str]:
        ada, ben, cleo, dan, eve, finn, gus, hana = self.people.values()
        offer = [{"role": "mr_x"}, {"role": "detective", "player": finn.id}]
        games = {
            "private": self._running(gus, {"visibility": "private", **CHASE}, ada, ben, cleo),
            "public": self._running(gus, CHASE, ada, ben, cleo),
            "handed-on": self._running(gus, CHASE, eve, ben, cleo),
            "open": self._opened(gus, {"visibility": "private", "seats": offer, "edition": "condensed"}),
            "offered": self._opened(gus, {"players": 3, "label": "anybody"}),
            "over": self._running(gus, {"position": position(104, red=(117, {})), "label": "anybody"}, ada, ben),
            "other": self._running(dan, {"visibility": "private", **CHASE}, dan, eve, finn),
        }
        for name in ("private", "public"):
            path = f"/games/{games[name]}"
            _went_well(ben.post(f"{path}/messages", {"to": "team", "text": "Where is she?"}))
            _went_well(ada.post(f"{path}/messages", {"to": "all", "text": "Catch me"}))
            _went_well(ada.post(f"{path}/moves", {"turn": 1, "notation": "taxi 86"}))
            _went_well(cleo.post(f"{path}/moves", {"turn": 2, "notation": "green bus 78"}))
            vote = _went_well(cleo.post(f"{path}/votes", {"kind": "pause"}))
            self.votes[name] = vote.json["id"]  # type: ignore[index]
        with self.table.app.app_context():
            newcomer = session.get_one(Player, hana.id)
            substitute(games["handed-on"], 1, newcomer, "gone away")
            session.remove()
        return games

    def _opened(self, host: Person, wanted: dict[str, Any]) -> str:
        made = _went_well(host.post("/games", {"edition": "ravensburger-2000", **wanted}))
        return str(made.json["id"])  # type: ignore[index]

    def _running(self, host: Person, wanted: dict[str, Any], *people: Person) -> str:
        seats = [{"role": "detective" if n else "mr_x", "player": person.id} for n, person in enumerate(people)]
        made = self._opened(host, {**wanted, "seats": seats})
        for number, person in enumerate(people, 1):
            if person is not host:  # who names himself sits at once
                _went_well(person.post(f"/games/{made}/seats", {"seat": number}))
        _went_well(host.post(f"/games/{made}/start"))
        return made

    def _more_of(self, ben: Person) -> None:
        """More tokens, a second address, a webhook, an absence."""
        with self.table.app.app_context():
            soon = self.table.clock.time + timedelta(minutes=1)
            made = {
                "read": tokens.add(ben.id, "reader", ["read"]),
                "expired": tokens.add(ben.id, "old", expires_at=soon),
                "revoked": tokens.add(ben.id, "lost"),
                "spare": tokens.add(ben.id, "spare"),
                "calendar": tokens.add(ben.id, "phone", ["calendar"]),
            }
            tokens.revoke(made["revoked"][0].id)
            self.tokens |= {("Ben", name): secret for name, (_, secret) in made.items()}
            self.ids["token_id"] = made["spare"][0].id
            self.ids["secret"] = made["calendar"][1]
            self.ids["address_id"] = addresses.add(ben.id, "ben@example.net")["id"]
            session.remove()
        hook = _went_well(ben.post("/webhooks", {"url": "https://example.org/hook"}))
        self.ids["webhook_id"] = hook.json["id"]  # type: ignore[index]
        called = _went_well(ben.post("/devices", DEVICE))
        self.ids["device_id"] = called.json["id"]  # type: ignore[index]
        held = _went_well(ben.post("/me/blocks", {"who": "somebody@example.org"}))
        self.ids["block_id"] = held.json["id"]  # type: ignore[index]
        away = _went_well(ben.post("/me/absences", {"from": "2026-12-24", "to": "2026-12-26"}))
        self.ids["absence_id"] = away.json["id"]  # type: ignore[index]
        self.table.clock.turn(minutes=2)

    # Asking

    def headers(self, who: str) -> dict[str, str]:
        """The Authorization of a principal."""
        person, _, _, kind = PRINCIPALS[who]
        return {} if person is None else {"Authorization": f"Bearer {self.tokens[person, kind]}"}

    def path(self, template: str, game: str, **more: str) -> str:
        """The path of an operation in one of the games (by what it is, or by its id); other things are Ben's."""
        own = {**self.ids, "vote_id": self.votes.get(game, NOWHERE)}
        given = {"seat": "2", "name": "london", "label": "anybody"}
        values = {"game_id": self.games.get(game, game), **given, **own, **more}
        return re.sub(r"{(\w+)}", lambda found: values.get(found[1], NOWHERE), template)

    def ask(self, who: str, method: str, path: str, body: Any = None, **more: Any) -> TestResponse:
        """A request of a principal; `path` is whole."""
        headers = self.headers(who) | more.pop("headers", {})
        return self.table.client.open(path, method=method, headers=headers, json=body, buffered=True, **more)

    @cached_property
    def document(self) -> Any:
        """The OpenAPI document."""
        return self.table.client.get("/openapi.json").json

    # Keeping

    @property
    def _runtime(self) -> Any:
        return self.table.app.extensions["blackticket"]

    def keep(self) -> None:
        """From now on `restore` puts things back to how they are now."""
        self._kept, self._time = databases.Kept(self.table.app, self._url), self.table.clock.time
        self._games = self._runtime.game_cache.__dict__["_kept"].items()
        self.restore()

    def restore(self) -> None:
        """Put the database back, and the clock, and the random generators."""
        self.table.clock.time = self._time
        self._runtime.rng = Rngs(2)
        if not self._kept.put_back():
            return
        self._runtime.game_cache = GameCache()
        for place, game in self._games:
            self._runtime.game_cache.__dict__["_kept"].put(place, game)
        self._runtime.view_cache = LRUCache(MOST_VIEWS)

    def version(self) -> object:
        """Return what changes with every commit."""
        return self._kept.version()

    def close(self) -> None:
        """Give back every connection."""
        with self.table.app.app_context():
            databases.let_go()


def _went_well(answer: TestResponse) -> TestResponse:
    assert answer.status_code < 300, answer.json
    return answer


# What is sent to an operation -------------------------------------------------------------------

# A body with which whoever may do it can do it; an operation without one is sent an empty object.
BODIES: Mapping[str, Any] = {
    "POST /players": {"name": "Ivy", "email": "ivy@example.org"},
    "POST /players/confirm": {"code": NOWHERE},
    "PATCH /me": {"name": "Somebody else"},
    "DELETE /me": {"name": "Nobody"},
    "PATCH /me/preferences": {"mail": "off"},
    "POST /me/absences": {"from": "2026-12-01", "to": "2026-12-02"},
    "POST /me/addresses": {"email": "another@example.org"},
    "POST /me/addresses/confirm": {"code": NOWHERE},
    "POST /me/tokens": {"name": "robot", "scopes": ["read"]},
    "POST /me/blocks": {"who": "nobody@example.org"},
    "POST /devices": DEVICE | {"endpoint": "https://push.example.org/another"},
    "POST /webhooks": {"url": "https://example.org/another"},
    "PATCH /webhooks/{webhook_id}": {"enabled": False},
    "POST /games": {"edition": "condensed"},
    "PATCH /games/{game_id}": {"name": "Friday night"},
    "POST /games/{game_id}/seats": {},
    "PUT /games/{game_id}/seats/{seat}": {"bot": "constable"},
    "POST /games/{game_id}/votes": {"kind": "extend", "length": "P1D"},
    "POST /games/{game_id}/votes/{vote_id}": {"for": True},
    "PUT /games/{game_id}/cover": {"seat": 3},
    "POST /games/{game_id}/host": {"seat": 2},
    "POST /games/{game_id}/reports": {"kind": "name", "number": 2},
    "POST /games/{game_id}/moves": {"turn": 2, "notation": "taxi 116"},
    "POST /games/{game_id}/messages": {"to": "all", "text": "Good evening"},
    "PUT /games/{game_id}/messages/muted": {"muted": True},
    "PATCH /games/{game_id}/preferences": {"mail": "off"},
}


class Operation(NamedTuple):
    """One operation of the OpenAPI document; `path` begins behind `/api/v1`."""

    method: str
    path: str
    described: dict[str, Any]

    @property
    def name(self) -> str:
        return f"{self.method} {self.path}"

    @property
    def in_game(self) -> bool:
        return "{game_id}" in self.path

    @property
    def body(self) -> Any:
        return BODIES.get(self.name, {}) if "requestBody" in self.described else None


def operations(world: World) -> list[Operation]:
    """All of them, in the order of the document."""
    return [
        Operation(method.upper(), path.removeprefix(API), described)
        for path, methods in world.document["paths"].items()
        for method, described in methods.items()
        if method != "parameters"
    ]
