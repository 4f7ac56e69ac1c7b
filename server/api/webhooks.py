"""Webhooks: where I want my events sent, and what became of them."""

from typing import Any

from marshmallow import Schema, fields, validate

from server.api.access import caller, player
from server.api.endpoints import Section
from server.api.reading import body
from server.api.schemas.answers import Answer
from server.api.schemas.values import TrueOrFalse
from server.application.news import webhooks
from server.runtime import outbound_urls

section = Section("webhooks", __name__, "Webhooks: my events, sent to a program of mine")


class NewWebhook(Schema):
    url = fields.String(required=True, validate=validate.Length(1, outbound_urls.LONGEST_URL))


class ChangedWebhook(Schema):
    url = fields.String(validate=validate.Length(1, outbound_urls.LONGEST_URL))
    enabled = TrueOrFalse()


class WebhookView(Answer):
    id = fields.String()
    url = fields.String()
    enabled = fields.Boolean()
    disabled_because = fields.String(
        allow_none=True, validate=validate.OneOf([webhooks.OWNER, webhooks.GONE, webhooks.FAILURES])
    )
    retry_at = fields.String(allow_none=True, metadata={"description": "after a failure: when it is tried again"})
    failing_since = fields.String(
        allow_none=True,
        metadata={"description": "since when nothing was taken; after five days of it it is switched off"},
    )
    created_at = fields.String()


class Secret(Answer):
    secret = fields.String(metadata={"description": "shown this once"})


class MadeWebhook(WebhookView, Secret):
    pass


class WebhookList(Answer):
    webhooks = fields.List(fields.Nested(WebhookView))


class WebhookDeliveryView(Answer):
    id = fields.String(metadata={"description": "the webhook-id of the message"})
    type = fields.String(validate=validate.OneOf(["game.event", "webhook.test"]))
    game = fields.String(allow_none=True)
    number = fields.Integer(allow_none=True, metadata={"description": "of the event in its game"})
    at = fields.String()
    state = fields.String(validate=validate.OneOf(["pending", "delivered", "failed", "dropped"]))
    outcome = fields.String(allow_none=True, metadata={"description": "a word on the last attempt"})
    attempts = fields.Integer()
    tried_at = fields.String(allow_none=True)


class WebhookDeliveryList(Answer):
    deliveries = fields.List(fields.Nested(WebhookDeliveryView))


@section.endpoint("GET /webhooks", who=player("read"), answers=WebhookList)
def all_of_mine() -> Any:
    """My webhooks, without their secrets."""
    return {"webhooks": [webhooks.facts(webhook) for webhook in webhooks.of(caller().id)]}


@section.endpoint("POST /webhooks", who=player("admin"), body=NewWebhook, answers=MadeWebhook, status=201)
def add() -> Any:
    """Have my events sent to a URL; the secret they are signed with is shown this once."""
    webhook, secret = webhooks.add(caller().id, **body())
    return {**webhooks.facts(webhook), "secret": secret}


@section.endpoint("GET /webhooks/<webhook_id>", who=player("read"), answers=WebhookView)
def one(webhook_id: str) -> Any:
    """One webhook of mine."""
    return webhooks.facts(webhooks.one(caller().id, webhook_id))


@section.endpoint(
    "PATCH /webhooks/<webhook_id>", who=player("admin"), body=ChangedWebhook, needs_body=False, answers=WebhookView
)
def change(webhook_id: str) -> Any:
    """Another URL; or off, or on again."""
    return webhooks.facts(webhooks.change(caller().id, webhook_id, **body()))


@section.endpoint("DELETE /webhooks/<webhook_id>", who=player("admin"), answers=None, status=204)
def remove(webhook_id: str) -> None:
    """Take a webhook away, with everything that waits for it."""
    webhooks.remove(caller().id, webhook_id)


@section.endpoint("POST /webhooks/<webhook_id>/secret", who=player("admin"), answers=Secret, status=201)
def rotate(webhook_id: str) -> Any:
    """A new secret, shown this once; for a day messages are signed with the old one as well."""
    return {"secret": webhooks.rotate(caller().id, webhook_id)}


@section.endpoint("POST /webhooks/<webhook_id>/test", who=player("admin"), answers=WebhookDeliveryView, status=202)
def test(webhook_id: str) -> Any:
    """Send a test message at once, and once; what became of it stands in the list of deliveries."""
    return webhooks.delivery_facts(webhooks.test(caller().id, webhook_id))


@section.endpoint("GET /webhooks/<webhook_id>/deliveries", who=player("read"), answers=WebhookDeliveryList)
def deliveries(webhook_id: str) -> Any:
    """The newest messages of the last days, and what became of each."""
    return {"deliveries": webhooks.deliveries(webhooks.one(caller().id, webhook_id))}
