"""REST: `/api/v1`, JSON, bearer tokens, errors as problem+json, OpenAPI at `/openapi.json`."""

from typing import Any

from flask import Flask
from flask_smorest import Api, Blueprint

from server.api import events, games, messages, moves, players, problems, rules

PREFIX = "/api/v1"


class LateApi(Api):  # type: ignore[misc]
    """Describes itself when it is first asked to: that takes longer than all the rest of the start."""

    def register_blueprint(self, blp: Blueprint, *, parameters: Any = None, **options: Any) -> None:
        """Serve a blueprint now; describe it later."""
        self._undescribed: list[Blueprint] = [*getattr(self, "_undescribed", ()), blp]
        self._app.extensions["flask-smorest"]["blp_name_to_api"][blp.name] = self
        self._app.register_blueprint(blp, **options)

    def _openapi_json(self) -> Any:
        while self._undescribed:
            blueprint = self._undescribed.pop(0)
            blueprint.register_views_in_doc(self, self._app, self.spec, name=blueprint.name, parameters=None)
            self.spec.tag({"name": blueprint.name, "description": blueprint.description})
        return super()._openapi_json()


def register(app: Flask) -> None:
    """Add the API to `app`."""
    app.config.update(
        API_TITLE="Black Ticket",
        API_VERSION="v1",
        OPENAPI_VERSION="3.1.0",
        OPENAPI_URL_PREFIX="/",
        OPENAPI_JSON_PATH="openapi.json",
        API_SPEC_OPTIONS={
            "info": {"description": "Scotland Yard by correspondence. Every answer is what the asker may know."},
            "components": {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
            "security": [{"token": []}],
        },
    )
    api = LateApi(app)
    api.spec.components.response("PROBLEM", problems.DESCRIBED)
    api.DEFAULT_ERROR_RESPONSE_NAME = "PROBLEM"
    for module in (rules, players, games, moves, messages, events):
        api.register_blueprint(module.blueprint, url_prefix=PREFIX)
    problems.register(app)
