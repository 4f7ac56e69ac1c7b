"""The catalogue of errors that REST, mail and the command line share."""

from dataclasses import dataclass
from typing import Any

from server.vocabulary.translation import ENGLISH, current, gettext

RETRY_AFTER = 10  # seconds, while the database cannot be used


@dataclass(frozen=True)
class Entry:
    """The HTTP status and the title of an error, which is translated where it is shown to people.

    `is_public`: its sentences name no station that a player may go to, and quote nothing of what was sent.
    """

    status: int
    title: str
    is_public: bool = True


CATALOGUE: dict[str, Entry] = {
    "unauthorized": Entry(401, "No valid token was sent"),
    "not-found": Entry(404, "There is nothing here that you may see", is_public=False),
    "forbidden": Entry(403, "That is not yours to do"),
    "not-admitted": Entry(403, "This server does not let you in"),
    "form": Entry(422, "The request has the wrong form", is_public=False),
    "too-large": Entry(413, "The request is too large"),
    "method-not-allowed": Entry(405, "The method is not offered here"),
    "unsupported-media-type": Entry(415, "The body must be JSON"),
    "not-acceptable": Entry(406, "The answer can only be JSON"),
    "email-taken": Entry(409, "The address belongs to a player already"),
    "name-taken": Entry(409, "The name is taken"),
    "bad-code": Entry(422, "The code is not good"),
    "too-many": Entry(429, "That was asked for too often"),
    "enough": Entry(409, "You have as many of these as there may be"),
    "still-playing": Entry(409, "A game of yours is not over"),
    "seat-taken": Entry(409, "The seat is taken"),
    "already-seated": Entry(409, "You have a seat in this game"),
    "game-not-open": Entry(409, "The game has started"),
    "seats-open": Entry(409, "Seats are still open"),
    "game-not-running": Entry(409, "The game is not running"),
    "stale-turn": Entry(409, "The game has moved on"),
    "not-your-turn": Entry(409, "It is not your turn"),
    "illegal": Entry(422, "The move is not legal", is_public=False),
    "key-reused": Entry(422, "The Idempotency-Key was used for another request"),
    "already-done": Entry(409, "The request was carried out before"),
    "unavailable": Entry(503, "The database cannot be used now"),
    "internal": Entry(500, "Something went wrong here"),
}


class Problem(Exception):
    """An error of a request: a code of the catalogue, one sentence for people, and facts for programs.

    `field` is what it is about: the name of a form's field, or the path to a member of the JSON sent, such as
    `clock.grace`. An English sentence begins with it then, for programs; `in_words` leaves it out. `facts` hold public
    facts only, such as the legal moves of the asker. `is_public` as in `Entry`, by default that of the code.
    """

    def __init__(
        self, code: str, sentence: str, *, field: str = "", is_public: bool | None = None, **facts: Any
    ) -> None:
        self.code = code
        self.field = field
        self.in_words = sentence[:1].upper() + sentence[1:] if field else sentence
        self.sentence = f"{field}: {sentence}" if field and current() == ENGLISH else self.in_words
        self.is_public = CATALOGUE[code].is_public if is_public is None else is_public
        self.facts = facts
        super().__init__(self.sentence)

    @property
    def entry(self) -> Entry:
        """Return the status and the title."""
        return CATALOGUE[self.code]


def refusal(code: str, english: str, *, field: str = "", is_public: bool | None = None, **values: object) -> Problem:
    """Return a `Problem` without facts; its English sentence is translated here, and `values` are put in."""
    return Problem(code, gettext(english, **values), field=field, is_public=is_public)


def database_unusable(why: str | None = None) -> str:
    """Return the sentence that says that the database cannot be used; `why` is the reason, without a full stop."""
    return "The database cannot be used." if why is None else f"The database cannot be used: {why}."


def unavailable(*, is_done: bool = False) -> Problem:
    """Return the problem for trouble of the database that passes, or that the operator mends.

    With `is_done` the request was carried out before, and only its answer is missing.
    """
    sentence = gettext(
        "What you asked for was done, but its answer is missing: the database cannot be used now. "
        "Look before you ask for it again."
        if is_done
        else "The database cannot be used. Please send the request again later, with its Idempotency-Key if it had one."
    )
    return Problem("unavailable", sentence, retry_after=RETRY_AFTER)


def uncertain(*, for_page: bool = False) -> Problem:
    """Return the problem of a request of which nobody knows whether it was done: a commit has no answer."""
    sentence = (
        "The connection to the database was lost before it said whether this was done. "
        "Send the request again later: with the same Idempotency-Key it is done once. Without a key, look first."
    )
    if for_page:
        sentence = gettext(
            "The connection to the database was lost before it said whether this was done. "
            "Load the page again later; if it was not done, do it again."
        )
    return Problem("unavailable", sentence, retry_after=RETRY_AFTER)


def internal(number: str, *, is_done: bool = False) -> Problem:
    """Return the problem for a fault of the server, which is logged under `number`; `is_done` as in `unavailable`."""
    return refusal(
        "internal",
        "What you asked for was done, but its answer is missing: the server failed. "
        "Look before you ask for it again. Tell the operator number {number}."
        if is_done
        else "The server failed; the request had no effect. Tell the operator number {number}.",
        number=number,
    )
