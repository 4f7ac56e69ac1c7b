"""The API under attack: requests that schemathesis makes up from the OpenAPI document, each answer checked against it.

An `Attack` is made by one principal on a world, or `by` several in turn. It has three ways: `boundaries` (every limit
that a schema names, from both sides), `at_random` (valid and invalid requests), and `in_order` (scenarios whose
requests use what earlier ones gave). It goes on after a failure; `failures` tells at the end what was sent and what
came back. No body that the document calls valid may be refused for its form, but for those of `beyond_a_schema`, and
no other may be taken.
"""

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

import hypothesis
import jsonschema_rs
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis.checks import CheckContext
from schemathesis.core.failures import FailureGroup
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi import checks

from tests.contract.beyond_a_schema import is_beyond_a_schema
from tests.contract.world import API, BODIES, World

# Checks of schemathesis that are not made everywhere, for which operations, and why.
LEFT_OFF: Mapping[str, Mapping[str, str]] = {
    "positive_data_acceptance": {
        "everywhere": "a move that is illegal has the right form and gets a 422 all the same; "
        "`agrees_with_the_document` is in its place"
    },
    "allow_header_conformance": {
        "POST /me/addresses/confirm": "its last step could be the id of an address, which can be deleted",
    },
    "use_after_free": {
        "DELETE /games/{game_id}/ahead": "takes back what a list holds; the list stays, empty",
        "DELETE /games/{game_id}/seats/{seat}": "somebody leaves; the seat stays, open",
    },
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
        # Conditions on several members hide most boundaries of the single ones; the answers are held against them too.
        self._flat: Any = schemathesis.openapi.from_dict(without_conditions(world.document), config=config)
        self._flat.app = world.table.app
        for schema in (self._schema, self._flat):
            schema.config.generation.update(with_security_parameters=False)
        self._agrees = agrees_with(world.document)
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
        generation = self._flat.config.generation
        return [
            case
            for operation in self._flat.get_all_operations()
            for case in self._flat.iter_coverage_cases(
                operation.ok(), generation_modes=list(GenerationMode), generation_config=generation
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
                additional_checks=[self._agrees],
                **context,
            )
        except FailureGroup as found:
            for failure in found.exceptions:
                kind = (_name(case), type(failure).__name__, str(response.status_code))
                self.failures.setdefault(kind, self._tell(failure, case, response))

    def _tell(self, failure: Any, case: Any, response: Any) -> str:
        return f"as {self.who}: {case!r}\n{str(failure)[:1000]}\nAnswer: {response.text[:500]}"


def without_conditions(part: Any) -> Any:
    """Return a part of the document without the conditions on several members of a body."""
    if isinstance(part, dict):
        return {name: without_conditions(inner) for name, inner in part.items() if name not in ("if", "then")}
    return [without_conditions(inner) for inner in part] if isinstance(part, list) else part


def agrees_with(document: Any) -> Any:
    """Return the check that a JSON body is refused for its form if it is not as the document says, and only then."""
    schemas = {
        f"{method.upper()} {path.removeprefix(API)}": call["requestBody"]["content"]["application/json"]["schema"]
        for path, methods in document["paths"].items()
        for method, call in methods.items()
        if "requestBody" in call
    }
    components = {"components": document["components"]}
    validators = {name: jsonschema_rs.validator_for({**schema, **components}) for name, schema in schemas.items()}

    def agrees_with_the_document(_: CheckContext, response: Any, case: Any) -> None:
        validator = validators.get(_name(case)) if isinstance(case.body, dict | list) else None
        is_valid = validator is None or validator.is_valid(case.body)
        if response.status_code < 300 and not is_valid and case.media_type == "application/json":
            raise AssertionError("A body that is not as the document says was taken.")
        is_as_described = case.meta is not None and case.meta.generation.mode is GenerationMode.POSITIVE and is_valid
        if is_as_described and b'"type": "form"' in response.content:
            detail = response.json()["detail"]
            assert is_beyond_a_schema(detail), f"A request that is as the document says was refused: {detail}"

    return agrees_with_the_document


def _name(case: Any) -> str:
    return f"{case.operation.method.upper()} {case.operation.path.removeprefix(API)}"


def _seeded(attack: Any, seed: int | None) -> Any:
    return attack if seed is None else hypothesis.seed(seed)(attack)
