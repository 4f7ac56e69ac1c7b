"""REST: `/api/v1`, JSON, bearer tokens, errors as problem+json, OpenAPI at `/openapi.json`."""

from importlib import metadata

from flask import Flask

from server.api import (
    calendar,
    devices,
    events,
    games,
    inbound,
    messages,
    moves,
    openapi,
    pictures,
    players,
    reports,
    rules,
    votes_and_absences,
    webhooks,
)
from server.api.access import add_headers
from server.api.endpoints import PREFIX
from server.api.openapi import DescribedApi

SECTIONS = (
    rules,
    players,
    calendar,
    games,
    moves,
    pictures,
    messages,
    votes_and_absences,
    events,
    reports,
    webhooks,
    devices,
    inbound,
)
# Tokens are for players; with the other one Postmark hands over mail.
SCHEMES = {"token": {"type": "http", "scheme": "bearer"}, "provider": {"type": "http", "scheme": "basic"}}


def register(app: Flask) -> None:
    """Add all endpoints of the API to `app`. Its errors are those of `problems`, which the app registers."""
    app.config.update(
        API_TITLE="Black Ticket",
        API_VERSION=metadata.version("blackticket"),
        OPENAPI_VERSION="3.1.0",
        OPENAPI_URL_PREFIX="/",
        OPENAPI_JSON_PATH="openapi.json",
        API_SPEC_OPTIONS={
            "info": {
                "description": "Scotland Yard by correspondence. Every answer holds only what its caller may know."
            },
            "components": {"securitySchemes": SCHEMES},
            "security": [{"token": []}],
            "servers": [{"url": "/", "description": "the server that this document is from"}],
        },
    )
    api = DescribedApi(app)
    openapi.setup(api)
    for module in SECTIONS:
        api.register_blueprint(module.section, url_prefix=PREFIX)
    app.after_request(add_headers)
