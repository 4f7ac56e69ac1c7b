"""A client for the REST API of Black Ticket.

It is one file, because players download it and copy it beside their script. It needs Python 3.11 and nothing else.

    client = Client("http://127.0.0.1:8000", "bt_...")
    for game in client.waiting():
        legal = client.legal_moves(game["id"])
        client.move(game["id"], legal["turn"], legal["moves"][0]["notation"])

If the server refuses a request, the client raises a `Problem`. The client takes care of the rest:

* it sends a GET with the ETag of the last answer from its address; while nothing has changed, it returns the same
  object again, so that `is` shows if there is something new;
* it repeats a request whose answer is lost if that is safe: if the request changes nothing, if doing it twice has the
  same effect as once, or under the Idempotency-Key that it made for the request;
* if the server asks it to come back later (429, or 503, with Retry-After), it waits and tries again.

One client is for one thread.
"""

import http.client
import json
import re
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Literal, NamedTuple, NotRequired, Self, TypedDict, cast
from urllib.parse import quote, urlencode, urljoin, urlsplit

API = "/api/v1"
KEPT = 256  # answers that may be returned again
SOON = 5.0  # seconds until the next question for events, where no stream says when to ask
AGAIN = 1.0  # seconds until the next stream, behind one that ended
PATIENCE = 300.0  # the longest Retry-After that the client obeys, in seconds
SAFE = ("GET", "HEAD", "PUT", "PATCH", "DELETE")  # requests that have the same effect if they are sent twice
# The types of a `Problem` that this client finds itself: nobody answered, or somebody else did.
NO_ANSWER, FOREIGN = "no-answer", "foreign-answer"
LOST = (502, 503, 504)  # from a proxy: the server may have carried out the request, or not

Json = Any
Ticket = Literal["taxi", "bus", "underground", "black"]


# What comes back --------------------------------------------------------------------------------


class Player(TypedDict):
    """The player to whom the token belongs."""

    id: str
    name: str
    email: str
    zone: str


class You(TypedDict):
    """A seat and its pawns."""

    seat: int
    pawns: list[str]


class Seat(You):
    """A seat of a game; `state` is open, invited or taken. The rest is about lateness, or for the host."""

    role: str
    player: str | None
    bot: str | None
    level: str | None
    state: str
    invite: str | None
    bank: str | None
    misses: int
    offered: bool
    cover: int | None
    bounces: bool
    guest: bool


class LastSeen(TypedDict):
    """The window and station at which Mr. X last showed himself."""

    window: int
    station: int


class Pawn(TypedDict):
    """A pawn on the board; `station` is None if you may not know it, and unlimited tickets are None."""

    station: int | None
    tickets: dict[str, int | None]
    seat: int
    state: NotRequired[str]
    last_seen: NotRequired[LastSeen | None]


class Window(TypedDict):
    """One entry of the travel log."""

    window: int
    ticket: Ticket
    station: int | None
    surfaced: NotRequired[bool]
    transport: NotRequired[str]


class Outcome(TypedDict):
    """The end of a game; `winner` is mr_x, detectives or draw."""

    winner: str
    reason: str
    final: bool
    final_at: str | None


class Seal(TypedDict):
    """The number of the newest event, and the head of the sealed chain after it."""

    event: int
    head: str


class Kept(TypedDict):
    """A queued move."""

    pawn: str
    notation: str


class GuestRules(TypedDict):
    """What people without an address may do before the start; `seats` is none, detectives or any."""

    seats: str
    talk: bool
    stay: str


class Summary(TypedDict):
    """A game in a list; `status` is open, running or over."""

    id: str
    name: str
    edition: str
    options: dict[str, Json]
    clock: dict[str, Json]
    visibility: str
    label: str | None
    seating: str
    guests: GuestRules
    starts_when_full: bool
    status: str
    host: str
    seats: list[Seat]
    turn: int | None
    round: int | None
    created_at: str
    you: You | None
    to_move: list[str]
    due_at: str | None
    outcome: Outcome | None


class Game(Summary):
    """A game as you may see it."""

    code: str | None
    rematch: str | None
    starts: dict[str, int]
    pawns: dict[str, Pawn]
    log: list[Window]
    history: list[str]
    draw: list[int]
    ahead: list[Kept]
    seal: Seal | None
    players: NotRequired[int]
    position: NotRequired[dict[str, Json]]


class Trip(TypedDict):
    """One trip of a double move."""

    ticket: Ticket
    to: int


class LegalMove(TypedDict):
    """A legal move: `ticket` and `to`, or `double`; its notation says the same."""

    pawn: str
    notation: str
    ticket: NotRequired[Ticket]
    to: NotRequired[int]
    double: NotRequired[list[Trip]]


class LegalMoves(TypedDict):
    """The moves you may send now, and the turn they are for."""

    turn: int | None
    moves: list[LegalMove]


class Tried(TypedDict):
    """A checked move that could be played, or queued."""

    notation: str
    ahead: bool


class Go(TypedDict):
    """The deadline of a seat, or of the whole side if `seat` is None; `steps` explain it."""

    seat: int | None
    due_at: str
    steps: list[str]


class Deadline(TypedDict):
    """Your deadline, or the earliest one if you have none; `goes` are all of them."""

    due_at: str | None
    steps: list[str]
    goes: list[Go]


class Deduction(TypedDict):
    """The stations on which Mr. X can be, from the public log."""

    turn: int
    stations: list[int]


class Likelihood(TypedDict):
    """A station, and how likely Mr. X is there."""

    station: int
    chance: float


class Hint(TypedDict):
    """The stations on which Mr. X may be after his last move, the likeliest first."""

    round: int
    stations: list[Likelihood]


class Event(TypedDict):
    """An event; in lists over all games it has a `game`. What you alone are told has no number, such as `said`."""

    number: int | None
    kind: str
    at: str
    data: dict[str, Json]
    game: NotRequired[str]


class GameEvent(TypedDict):
    """An event of one game; in a practice game `why` says what the move of a bot detective was for."""

    number: int
    kind: str
    at: str
    data: dict[str, Json]
    why: NotRequired[str]


class Events(TypedDict):
    """Events of one game; `next` is the `after` of the next request."""

    events: list[GameEvent]
    next: int


class MyEvents(TypedDict):
    """Events of all your games."""

    events: list[Event]
    next: str


Message = TypedDict("Message", {"number": int, "at": str, "from": You, "to": str, "text": str})


class Messages(TypedDict):
    """Messages; `next` is the `after` of the next request."""

    messages: list[Message]
    next: int


class Webhook(TypedDict):
    """A webhook to which your events are sent; the `secret` is shown once."""

    id: str
    url: str
    format: str
    games: list[str] | None
    enabled: bool
    disabled_because: str | None
    retry_at: str | None
    failing_since: str | None
    created_at: str
    secret: NotRequired[str]


class Moved(NamedTuple):
    """An accepted move: the new view, and whether the move is queued."""

    game: Game
    kept: bool


class Problem(Exception):
    """A refusal by the server; `type` is a word that does not change, `detail` a sentence for people.

    An illegal move comes with `reason` and `legal`; `facts` is the whole answer. `status` is 0 and `type` is
    "no-answer" if no answer came; `type` is "foreign-answer" if it came from another program.
    """

    def __init__(self, status: int, facts: Mapping[str, Json]) -> None:
        self.status = status
        self.type: str = facts.get("type", "about:blank")
        self.title: str = facts.get("title", "")
        self.detail: str = facts.get("detail", "")
        self.reason: str | None = facts.get("reason")
        self.legal: list[LegalMove] = facts.get("legal", [])
        self.facts = dict(facts)
        super().__init__(f"{self.title}: {self.detail}")


# How it is sent ---------------------------------------------------------------------------------


class Answer(NamedTuple):
    """A response; the names of `headers` are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


Transport = Callable[[str, str, Mapping[str, str], bytes | None], Answer]
"""`transport(method, url, headers, body)`; OSError where no answer came."""


class Wire:
    """A connection to the server that is kept open."""

    def __init__(self, url: str, timeout: float) -> None:
        self._connection = _connection(url, timeout)

    def __call__(self, method: str, url: str, headers: Mapping[str, str], body: bytes | None) -> Answer:
        """Send a request and return the response; OSError if there is none."""
        parts = urlsplit(url)
        if not _is_safe(method, headers):
            self._connection.close()  # an old connection may be dead, and this request must not be sent twice
        try:
            self._connection.request(method, f"{parts.path}?{parts.query}".rstrip("?"), body, dict(headers))
            response = self._connection.getresponse()
            return Answer(response.status, {n.lower(): value for n, value in response.getheaders()}, response.read())
        except http.client.HTTPException as error:
            self._connection.close()
            raise ConnectionError(f"the answer is no HTTP ({type(error).__name__})") from None
        except OSError:
            self._connection.close()
            raise

    def close(self) -> None:
        """Hang up; the next request calls again."""
        self._connection.close()


class Stream:
    """A stream of the server, on a connection of its own, that says when there may be news."""

    def __init__(self, url: str, headers: Mapping[str, str]) -> None:
        """Open the stream; OSError if there is none."""
        self._connection = _connection(url, SOON)
        parts = urlsplit(url)
        try:
            self._connection.request("GET", parts.path, headers=dict(headers))
            self._line = self._connection.sock
            self._answer = self._connection.getresponse()
        except http.client.HTTPException as error:
            raise ConnectionError(f"the answer is no HTTP ({type(error).__name__})") from None
        if self._answer.status != 200:
            self.close()
            raise ConnectionError(f"no stream, but the status {self._answer.status}")

    def wait(self, seconds: float) -> bool:
        """Wait until it says that there may be news, for so many seconds at most; return False if it has ended."""
        ends_at, came = time.monotonic() + seconds, b""
        while b"data:" not in came and (left := ends_at - time.monotonic()) > 0:
            self._line.settimeout(left)  # not the answer: its reader cannot go on after a time limit
            try:
                more = self._line.recv(65_536)
            except TimeoutError:
                break
            except OSError:
                more = b""
            if not more:
                return False
            came = came[-5:] + more
        return True

    def close(self) -> None:
        """Hang up."""
        self._connection.close()


class Stored(NamedTuple):
    """An answer that may be returned again: its ETag, its content, and the address of the next page."""

    etag: str
    content: Json
    following: str | None


class Client:
    """A client of the server at `url`, with a player's token.

    tries: the most times a request is sent
    sleep, transport, listen: replacements for the clock, the connection and streams
    """

    def __init__(
        self,
        url: str,
        token: str = "",
        *,
        timeout: float = 60,
        tries: int = 6,
        sleep: Callable[[float], object] = time.sleep,
        transport: Transport | None = None,
        listen: Callable[[str, Mapping[str, str]], Stream] = Stream,
    ) -> None:
        if not (token.isascii() and token.isprintable()):
            raise ValueError("A token is bt_ and letters and digits; this one has other characters.")
        self.url = url.rstrip("/")
        self.token = token
        # After how many seconds it makes sense to ask again, as the last answer said; None where it said nothing.
        self.ask_again_after: float | None = None
        self._tries = tries
        self._sleep = sleep
        self._wire = Wire(url, timeout)
        self._transport: Transport = transport or self._wire
        self._listen = listen
        self._stream: Stream | None = None
        self._kept: OrderedDict[str, Stored] = OrderedDict()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Hang up; the next request calls again."""
        self._wire.close()
        if self._stream is not None:
            self._stream.close()
            self._stream = None

    def is_ready(self) -> bool:
        """Return True if the server and its database answer; the request is not repeated."""
        try:
            return self._transport("GET", f"{self.url}/readyz", {}, None).status == 200
        except OSError:
            return False

    # Players

    def me(self) -> Player:
        """Return the player to whom the token belongs."""
        return cast("Player", self._object("/me"))

    def waiting(self) -> list[Summary]:
        """Return the running games that wait for a move of mine."""
        return cast("list[Summary]", self._list("/me/waiting", "games"))

    def sign_up(self, name: str, email: str, zone: str | None = None) -> None:
        """Have a code mailed to an address."""
        self._body(self._ask("POST", "/players", _given(name=name, email=email, zone=zone)))

    def confirm(self, code: str) -> str:
        """Become a player with the code; return the token, which this client uses from now on."""
        made = self._body(self._ask("POST", "/players/confirm", {"code": code}))
        self.token = str(made["token"])
        return self.token

    def add_token(self, name: str, scopes: list[str], expires_at: str | None = None) -> str:
        """Make a token of some scopes (read, play, host, admin); it is shown this once."""
        wanted = {"name": name, "scopes": scopes, **_given(expires_at=expires_at)}
        return str(self._body(self._ask("POST", "/me/tokens", wanted))["token"])

    def add_webhook(self, url: str) -> Webhook:
        """Have my events sent to a URL; the secret they are signed with is shown this once."""
        return cast("Webhook", self._body(self._ask("POST", "/webhooks", {"url": url})))

    # Rules

    def editions(self) -> list[dict[str, Json]]:
        """Return every edition with its options."""
        return cast("list[dict[str, Json]]", self._list("/editions", "editions"))

    def board(self, name: str) -> dict[str, Json]:
        """Return a board: stations, lines, start cards."""
        return self._object(f"/boards/{quote(name)}")

    # Games

    def open_game(self, edition: str, **wanted: Json) -> Game:
        """Open a game; `wanted` are other fields of `POST /games`: options, clock, seats or players, and so on."""
        return cast("Game", self.post("/games", {"edition": edition, **wanted}))

    def games(
        self,
        *,
        status: str | None = None,
        mine: bool | None = None,
        waiting: bool | None = None,
        label: str | None = None,
        limit: int | None = None,
    ) -> Iterator[Summary]:
        """Yield all games I may see, page after page; `limit` is the number on one page."""
        wanted = _given(status=status, mine=mine, waiting=waiting, label=label, limit=limit)
        url: str | None = self._url("/games", wanted)
        while url is not None:
            page = self._fetch(url)
            yield from self._list_in(page.content, "games")
            url = page.following

    def game(self, game_id: str) -> Game:
        """Return one game as I may see it."""
        return cast("Game", self._object(_path(game_id)))

    def change_game(self, game_id: str, **wanted: Json) -> Game:
        """Change a game before the start; `wanted` are the fields of `PATCH /games/{game_id}`. The host only."""
        return cast("Game", self.patch(_path(game_id), wanted))

    def close_game(self, game_id: str) -> Game:
        """Close a game before the start; the host only."""
        return cast("Game", self.delete(_path(game_id)))

    def join(self, game_id: str, *, seat: int | None = None, role: str | None = None, code: str | None = None) -> Game:
        """Take a seat, or accept the one to which I am invited."""
        return cast("Game", self.post(f"{_path(game_id)}/seats", _given(seat=seat, role=role, code=code)))

    def leave(self, game_id: str, seat: int, *, to_bot: bool = False) -> Game:
        """Leave a seat before the start; the host may clear any. In a running game a bot has mine, with `to_bot`."""
        return cast("Game", self.delete(f"{_path(game_id)}/seats/{seat}{'?to_bot=true' * to_bot}"))

    def start(self, game_id: str) -> Game:
        """Deal and begin; the host only."""
        return cast("Game", self.post(f"{_path(game_id)}/start"))

    def resign(self, game_id: str) -> Game:
        """Give the game up."""
        return cast("Game", self.post(f"{_path(game_id)}/resign"))

    # Moves

    def legal_moves(self, game_id: str) -> LegalMoves:
        """Return the moves I may send now, including double moves and moves ahead, for pawns without a queued move."""
        return cast("LegalMoves", self._object(f"{_path(game_id)}/legal-moves"))

    def move(
        self, game_id: str, turn: int | None, move: str | Mapping[str, Json], *, key: str | None = None, **more: Json
    ) -> Moved:
        """Submit a move: notation such as "red taxi 46", or an object; `more` is `pawn` or `surface`.

        The key is made here, and kept if the request is repeated. Pass a key if your script may be restarted in
        between.
        """
        answer = self._ask("POST", f"{_path(game_id)}/moves", _move(turn, move, more), key=key or _new_key())
        return Moved(cast("Game", self._body(answer)), answer.status == 202)

    def dry_run(self, game_id: str, turn: int | None, move: str | Mapping[str, Json], **more: Json) -> Tried:
        """Check a move as if it were submitted; nothing changes."""
        path = f"{_path(game_id)}/moves?dry_run=true"
        return cast("Tried", self._body(self._ask("POST", path, _move(turn, move, more), safe=True)))

    def ahead(self, game_id: str) -> list[Kept]:
        """Return my queued moves."""
        return cast("list[Kept]", self._list(f"{_path(game_id)}/ahead", "moves"))

    def forget_ahead(self, game_id: str) -> None:
        """Delete my queued moves."""
        self.delete(f"{_path(game_id)}/ahead")

    # What can be looked at

    def log(self, game_id: str) -> list[Window]:
        """Return the travel log."""
        return cast("list[Window]", self._list(f"{_path(game_id)}/log", "log"))

    def record(self, game_id: str) -> dict[str, Json]:
        """Return the game record, redacted until the result is final."""
        return self._object(f"{_path(game_id)}/record")

    def transcript(self, game_id: str) -> dict[str, Json]:
        """Return the transcript of the sealed log, which `verifier.py` checks."""
        return self._object(f"{_path(game_id)}/transcript")

    def deadline(self, game_id: str) -> Deadline:
        """Return the deadlines."""
        return cast("Deadline", self._object(f"{_path(game_id)}/deadline"))

    def deduction(self, game_id: str) -> list[int]:
        """Return the stations on which Mr. X can be, from the public log; `Problem` if the game's options forbid it."""
        return cast("list[int]", self._list(f"{_path(game_id)}/deduction", "stations"))

    def hint(self, game_id: str) -> Hint:
        """Return how likely Mr. X was on each station after his last move, in practice; `Problem` in other games."""
        return cast("Hint", self._object(f"{_path(game_id)}/hint"))

    def picture(self, game_id: str, form: Literal["svg", "png"] = "svg") -> bytes:
        """Return the board as I may see it."""
        return cast("bytes", self.get(f"{_path(game_id)}/board.{form}"))

    # News and talk

    def events(self, game_id: str, after: int | None = None, *, limit: int | None = None) -> Events:
        """Return the events of a game since `after`."""
        return cast("Events", self._object(f"{_path(game_id)}/events", after=after, limit=limit))

    def my_events(self, after: str | None = None, *, limit: int | None = None) -> MyEvents:
        """Return the events of all my games since `after`, which is the `next` of an earlier answer."""
        return cast("MyEvents", self._object("/me/events", after=after, limit=limit))

    def wait_for_events(self, after: str | None = None, *, seconds: int = 30, limit: int = 1000) -> MyEvents | None:
        """Wait for events of all my games since `after`; return None if there were none for so many seconds.

        The server says over a stream when to ask. Where it has none, this asks every few seconds.
        """
        left = float(seconds)
        while not (found := self.my_events(after, limit=limit))["events"]:
            if left <= 0:
                return None
            left -= self._wait_for_news(left)
        return found

    def _wait_for_news(self, most: float) -> float:
        """Wait until it makes sense to ask for events, for so many seconds at most; return how long it was."""
        if self._stream is None:
            try:
                self._stream = self._listen(f"{self.url}{API}/me/stream", self._headers())
                return 0.0  # something may have happened before there was a stream
            except OSError:
                self._sleep(min(most, SOON))
                return SOON
        began = time.monotonic()
        if not self._stream.wait(most):
            self._stream.close()
            self._stream = None
            self._sleep(min(most, AGAIN))
        return time.monotonic() - began

    def messages(self, game_id: str, after: int | None = None, *, limit: int | None = None) -> Messages:
        """Return the messages of a game since `after`."""
        return cast("Messages", self._object(f"{_path(game_id)}/messages", after=after, limit=limit))

    def say(self, game_id: str, text: str, to: str = "team") -> Message:
        """Write to my team, or to all."""
        return cast("Message", self.post(f"{_path(game_id)}/messages", {"to": to, "text": text}))

    # Whatever else there is

    def get(self, path: str, **wanted: Json) -> Json:
        """Return the answer at `path` below /api/v1; the same object as before while it has not changed."""
        return self._fetch(self._url(path, _given(**wanted))).content

    def post(self, path: str, body: Json = None, *, key: str | None = None) -> Json:
        """Return the answer to a POST under an Idempotency-Key, which is made here if none is given."""
        return self._body(self._ask("POST", path, body, key=key or _new_key()))

    def put(self, path: str, body: Json) -> Json:
        """Return the answer to a PUT."""
        return self._body(self._ask("PUT", path, body))

    def patch(self, path: str, body: Json) -> Json:
        """Return the answer to a PATCH."""
        return self._body(self._ask("PATCH", path, body))

    def delete(self, path: str, body: Json = None) -> Json:
        """Return the answer to a DELETE; None if it is empty."""
        return self._body(self._ask("DELETE", path, body))

    # How it is done

    def _url(self, path: str, wanted: Mapping[str, Json]) -> str:
        query = urlencode({name: json.dumps(v) if isinstance(v, bool) else v for name, v in wanted.items()})
        return f"{self.url}{API}{path}{'?' if query else ''}{query}"

    def _fetch(self, url: str) -> Stored:
        known = self._kept.get(url)
        answer = self._send("GET", url, {"If-None-Match": known.etag} if known else {}, None, safe=True)
        if answer.status == 304 and known:
            self._kept.move_to_end(url)
            return known
        found = Stored(answer.headers.get("etag", ""), self._body(answer), self._following(url, answer))
        if found.etag:
            self._kept[url] = found
            if len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        return found

    def _following(self, url: str, answer: Answer) -> str | None:
        """Return the next page, if the Link header names one on this server; another would get the token."""
        named = re.search(r'<([^>]*)>;\s*rel="?next"?', answer.headers.get("link", ""))
        following = urljoin(url, named[1]) if named else None
        return following if following and following.startswith(f"{self.url}/") else None

    def _ask(self, method: str, path: str, body: Json, *, key: str | None = None, safe: bool = False) -> Answer:
        content = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"} | ({"Idempotency-Key": key} if key else {})
        return self._send(method, self._url(path, {}), headers, content, safe=safe or _is_safe(method, headers))

    def _send(self, method: str, url: str, headers: Mapping[str, str], body: bytes | None, *, safe: bool) -> Answer:
        """Return the answer, repeating the request if necessary; a request that is not `safe` is sent once."""
        said = {**self._headers(), **headers}
        for number in range(1, self._tries + 1):
            answer = self._try(method, url, said, body)
            wait = _wait(answer, number, safe=safe)
            if wait is None or number == self._tries or wait > PATIENCE:
                break
            self._sleep(wait)
        if isinstance(answer, Problem):
            raise answer
        self.ask_again_after = _retry_after(answer)
        return answer

    def _headers(self) -> dict[str, str]:
        return {"Accept": "*/*"} | ({"Authorization": f"Bearer {self.token}"} if self.token else {})

    def _try(self, method: str, url: str, headers: Mapping[str, str], body: bytes | None) -> Answer | Problem:
        try:
            return self._transport(method, url, headers, body)
        except OSError as error:
            why = f"{self.url}: {error.strerror or error}."
            return Problem(0, {"type": NO_ANSWER, "title": "There is no answer", "detail": why})

    def _body(self, answer: Answer) -> Json:
        kind = answer.headers.get("content-type", "").partition(";")[0]
        if kind not in ("application/json", "application/problem+json"):
            if answer.status in (413, *LOST):  # of a proxy before the server
                raise Problem(answer.status, {"title": f"HTTP status {answer.status}", "detail": self.url})
            if answer.status >= 300:
                raise self._foreign(answer.status)
            return answer.body or None
        try:
            content = json.loads(answer.body) if answer.body else None
        except (ValueError, RecursionError):
            raise self._foreign(answer.status) from None
        if answer.status >= 300:
            if isinstance(content, dict) and isinstance(content.get("title"), str):
                raise Problem(answer.status, content)
            raise self._foreign(answer.status)
        return content

    def _foreign(self, status: int) -> Problem:
        """Return the error for an answer that no Black Ticket server gives, such as the page of another program."""
        why = f"{self.url} answers, with HTTP status {status}, but not as Black Ticket does."
        return Problem(status, {"type": FOREIGN, "title": "The answer is not one of this API", "detail": why})

    def _object(self, path: str, **wanted: Json) -> dict[str, Json]:
        """Return an answer that is a JSON object; raise `Problem` for any other."""
        content = self.get(path, **wanted)
        if not isinstance(content, dict):
            raise self._foreign(200)
        return content

    def _list(self, path: str, name: str) -> list[Json]:
        """Return the list of that name in an answer; raise `Problem` if there is none."""
        return self._list_in(self.get(path), name)

    def _list_in(self, content: Json, name: str) -> list[Json]:
        found = content.get(name) if isinstance(content, dict) else None
        if not isinstance(found, list):
            raise self._foreign(200)
        return found


def _address_in(url: str) -> tuple[str, int | None, bool]:
    """Return the host and port of a server's address, and whether it is https; `ValueError` if it is none."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
        host.encode("idna")
        is_good = parts.scheme in ("http", "https") and host and not re.search(r"[\s?#]", url)
    except ValueError:  # UnicodeError is one, too
        is_good = False
    if not is_good:
        raise ValueError(f"{url!r} is not the address of a server, such as http://127.0.0.1:8000.")
    return host, port, parts.scheme == "https"


def _connection(url: str, timeout: float) -> http.client.HTTPConnection:
    host, port, is_secure = _address_in(url)
    kind = http.client.HTTPSConnection if is_secure else http.client.HTTPConnection
    return kind(host, port, timeout=timeout)


def _is_safe(method: str, headers: Mapping[str, str]) -> bool:
    return method in SAFE or "Idempotency-Key" in headers


def _wait(answer: Answer | Problem, number: int, *, safe: bool) -> float | None:
    """Return the seconds to wait before the `number`th repetition of a request; None if the answer is final."""
    asked = None if isinstance(answer, Problem) else _retry_after(answer)
    if answer.status == 429:  # nothing was done
        return asked
    if not safe:
        return None
    if isinstance(answer, Problem) or answer.status in LOST:
        return asked or 0.25 * 2**number
    return None


def _retry_after(answer: Answer) -> float | None:
    text = answer.headers.get("retry-after", "")
    if text.isdigit():
        return float(text)
    try:
        return max(0.0, (parsedate_to_datetime(text) - datetime.now(UTC)).total_seconds())
    except (TypeError, ValueError):
        return None


def _new_key() -> str:
    return secrets.token_hex(16)


def _given(**wanted: Json) -> dict[str, Json]:
    return {name: value for name, value in wanted.items() if value is not None}


def _path(game_id: str) -> str:
    return f"/games/{quote(game_id, safe='')}"


def _move(turn: int | None, move: str | Mapping[str, Json], more: Mapping[str, Json]) -> dict[str, Json]:
    return {"turn": turn, **({"notation": move} if isinstance(move, str) else move), **_given(**more)}
