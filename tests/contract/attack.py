"""The API under attack: requests that schemathesis makes up from the OpenAPI document, each answer checked against it.

An `Attack` is made by one principal on a world, or `by` several in turn. It has three ways: `boundaries` (every limit
that a schema names, from both sides), `at_random` (valid and invalid requests), and `in_order` (scenarios whose
requests use what earlier ones gave). It goes on after a failure; `failures` tells at the end what was sent and what
came back.
"""

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

import hypothesis
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis.checks import CheckContext
from schemathesis.core.failures import FailureGroup
from schemathesis.generation import GenerationMode
from schemathesis.openapi.checks import RejectedPositiveData
from schemathesis.specs.openapi import checks

from tests.contract.world import API, BODIES, World

# Checks of schemathesis that are not made everywhere, for which operations, and why.
LEFT_OFF: Mapping[str, Mapping[str, str]] = {
    "positive_data_acceptance": {
        "everywhere": "a move that is illegal has the right form and gets a 422 all the same; "
        "`rejects_no_right_form` is in its place"
    },
    "allow_header_conformance": {
        "POST /me/addresses/confirm": "its last step could be the id of an address, which can be deleted",
    },
    "use_after_free": {
        "DELETE /games/{game_id}/ahead": "takes back what a list holds; the list stays, empty",
        "DELETE /games/{game_id}/seats/{seat}": "somebody leaves; the seat stays, open",
    },
}
# Where a request is no matter of form for the document and one for the server, as more is needed than a schema says.
MORE_THAN_A_SCHEMA_SAYS = {
    "POST /games": "which options, clocks, seats and positions go together",
    "POST /games/{game_id}/seats": "how many seats the game has",
    "PUT /games/{game_id}/seats/{seat}": "how many seats the game has, and that one player, address or bot is named",
    "PATCH /games/{game_id}": "what is a name, and that two in one browser keep their seats",
    "POST /games/{game_id}/seats/{seat}/link": "how many seats the game has, and that a guest sits there",
    "POST /games/{game_id}/seats/{seat}/remind": "how many seats the game has",
    "POST /games/{game_id}/reports": "that there is such a message or name of somebody else",
    "POST /games/{game_id}/host": "that somebody sits on the seat",
    "POST /games/{game_id}/moves": "how a move is written, and that it is written in one of three ways",
    "POST /games/{game_id}/messages": "which characters are text",
    "POST /players": "what is a mail address, a name, a time zone",
    "PATCH /me": "what is a name",
    "PATCH /me/preferences": "which time zones there are, and how often mail may be wanted",
    "PATCH /games/{game_id}/preferences": "how often mail may be wanted",
    "POST /me/tokens": "what is a name, and that a time is to come",
    "POST /games/{game_id}/votes": "which members belong to which kind of vote",
    "PUT /games/{game_id}/cover": "that a detective names a teammate",
    "POST /me/absences": "that a day is to come, and that an absence ends after it has begun",
    "POST /me/addresses": "what is a mail address",
    "POST /me/blocks": "that one is named, and somebody who is known",
    "GET /me/deliveries": "that `after` is the id of a mail to the caller",
    "POST /devices": "which URLs are spoken to, and what is a key",
    "POST /webhooks": "which URLs are spoken to",
    "PATCH /webhooks/{webhook_id}": "which URLs are spoken to",
    "DELETE /me": "that the name is one's own",
    "GET /me/events": "that `after` is the `next` of an earlier answer",
}
QUIET = settings(
    database=None, deadline=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck), print_blob=False
)
KEYS = st.sampled_from(["first", "second"])


class Attack:
    """The requests of one principal to a world, and the faults of the answers."""

    def __init__(self, world: World, who: str) -> None:
        self.world = world
        self.by(who)
        self.requests = 0
        config = schemathesis.Config()  # whatever file may lie about
        self._schema: Any = schemathesis.openapi.from_wsgi("/openapi.json", world.table.app, config=config)
        self._schema.config.generation.update(with_security_parameters=False)
        self.operations = [found.ok() for found in self._schema.get_all_operations()]

    def by(self, who: str) -> None:
        """Go on as another principal, without a failure so far."""
        self.who, self.headers = who, self.world.headers(who)
        self.failures: dict[tuple[str, ...], str] = {}

    def told(self) -> str:
        """Every failure, with what was sent and what came back."""
        return "\n\n".join(f"{kind}\n{told}" for kind, told in self.failures.items())

    # Three ways

    def boundaries(self, *, first: int = 0, every: int = 1) -> None:
        """Send all requests on both sides of a limit; with `every` 3 each third, from number `first` on."""
        for case in self._boundaries[first::every]:
            self._place(case)
            self._try(case)

    @cached_property
    def _boundaries(self) -> list[Any]:
        """All requests on both sides of a limit; each can be made once."""
        generation = self._schema.config.generation
        return [
            case
            for operation in self.operations
            for case in self._schema.iter_coverage_cases(
                operation, generation_modes=list(GenerationMode), generation_config=generation
            )
        ]

    def at_random(self, examples: int, seed: int | None = None, *, first: int = 0, every: int = 1) -> None:
        """So many requests to each operation, valid and invalid; the same ones each time unless there is a seed.

        With `every` 3, each third operation gets them, from number `first` on.
        """
        for operation in self.operations[first::every]:
            self._try_some(operation, GenerationMode.POSITIVE, examples, seed)
            if operation.body or operation.query or operation.headers:  # else nothing can be wrong with it
                self._try_some(operation, GenerationMode.NEGATIVE, examples, seed)

    def in_order(self, scenarios: int, seed: int | None = None) -> None:
        """So many scenarios of up to eight requests each."""
        run = settings(QUIET, max_examples=scenarios, stateful_step_count=8, derandomize=seed is None)
        machine = _seeded(self._machine, seed)
        machine.run(settings=run)

    def _try_some(self, operation: Any, mode: GenerationMode, examples: int, seed: int | None) -> None:
        @settings(QUIET, max_examples=examples, derandomize=seed is None)
        @given(operation.as_strategy(generation_mode=mode), st.data())
        def attack(case: Any, data: st.DataObject) -> None:
            self._place(case, data)
            self._try(case)

        _seeded(attack, seed)()

    @cached_property
    def _machine(self) -> Any:
        """The scenarios that the document has links for; to work them out takes long."""
        attack = self

        class Scenario(self._schema.as_state_machine()):  # type: ignore[misc]
            def setup(self) -> None:
                attack.world.restore()

            def get_call_kwargs(self, case: Any) -> dict[str, Any]:
                return {"headers": attack.headers}

            def validate_response(self, response: Any, case: Any, *_: Any, **kwargs: Any) -> None:
                attack._check(response, case, recorder=self.recorder)

        return Scenario

    # One request

    def _place(self, case: Any, data: st.DataObject | None = None) -> None:
        """Make a request one about things that are there, most of the time."""

        def perhaps(given: Iterable[Any]) -> Any:
            """One of `given`, or None; without chance the first."""
            given = list(given)
            return given[0] if data is None else data.draw(st.sampled_from([*given, None]))

        games, things = self.world.games.values(), {**self.world.ids, "vote_id": self.world.votes["private"]}
        for name in case.path_parameters or {}:
            value = perhaps(games) if name == "game_id" else perhaps([things.get(name)])
            if value is not None and case.path_parameters[name]:
                case.path_parameters[name] = value
        if data is None or case.meta.generation.mode is GenerationMode.NEGATIVE:
            return
        if (body := perhaps([BODIES.get(_name(case)), None])) is not None:
            case.body = body
        if "Idempotency-Key" in (case.headers or {}) and (key := data.draw(st.none() | KEYS)):
            case.headers["Idempotency-Key"] = key

    def _try(self, case: Any) -> None:
        self.world.restore()
        self._check(case.call(headers=self.headers), case)

    def _check(self, response: Any, case: Any, **context: Any) -> None:
        self.requests += 1
        left_off = [
            getattr(checks, check) for check, where in LEFT_OFF.items() if {"everywhere", _name(case)} & where.keys()
        ]
        try:
            case.validate_response(
                response,
                headers=self.headers,
                transport_kwargs={"headers": self.headers},
                excluded_checks=left_off,
                additional_checks=[rejects_no_right_form],
                **context,
            )
        except FailureGroup as found:
            for failure in found.exceptions:
                kind = (_name(case), type(failure).__name__, str(response.status_code))
                self.failures.setdefault(kind, self._tell(failure, case, response))

    def _tell(self, failure: Any, case: Any, response: Any) -> str:
        return f"as {self.who}: {case!r}\n{str(failure)[:1000]}\nAnswer: {response.text[:500]}"


def rejects_no_right_form(ctx: CheckContext, response: Any, case: Any) -> None:
    """Fail on a `form` error for a body of the documented form, unless more is asked for than a schema can say."""
    if _name(case) in MORE_THAN_A_SCHEMA_SAYS or _holds_a_whole_float(case.body):
        return
    if b'"type": "form"' in response.content:
        try:
            checks.positive_data_acceptance(ctx, response, case)
        except RejectedPositiveData as failure:
            raise failure from None


def _holds_a_whole_float(body: Any) -> bool:
    """3.0 is an integer to a JSON schema, and none to the server."""
    if isinstance(body, Mapping):
        return any(map(_holds_a_whole_float, body.values()))
    if isinstance(body, list):
        return any(map(_holds_a_whole_float, body))
    return isinstance(body, float)


def _name(case: Any) -> str:
    return f"{case.operation.method.upper()} {case.operation.path.removeprefix(API)}"


def _seeded(attack: Any, seed: int | None) -> Any:
    return attack if seed is None else hypothesis.seed(seed)(attack)
