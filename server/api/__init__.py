"""REST: `/api/v1`, JSON, bearer tokens, errors as problem+json, OpenAPI at `/openapi.json`."""

from flask import Flask
from flask_smorest import Api

from server.api import events, games, messages, moves, players, problems, rules

PREFIX = "/api/v1"


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
    api = Api(app)
    api.spec.components.response("PROBLEM", problems.DESCRIBED)
    api.DEFAULT_ERROR_RESPONSE_NAME = "PROBLEM"
    for module in (rules, players, games, moves, messages, events):
        api.register_blueprint(module.blueprint, url_prefix=PREFIX)
    problems.register(app)
