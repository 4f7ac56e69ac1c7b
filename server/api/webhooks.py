"""Webhooks: where I want my events sent, and what became of them."""

from typing import Any

from flask_smorest import Blueprint
from marshmallow import Schema, fields, validate

from server.api.access import body, caller, known, needs, private, takes
from server.api.schemas.answers import Answer
from server.api.schemas.values import TrueOrFalse
from server.application.news import webhooks
from server.runtime import outbound_urls

blueprint = Blueprint("webhooks", __name__, description="Webhooks: my events, sent to a program of mine")
blueprint.after_request(private)


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


@blueprint.get("/webhooks")
@known
@blueprint.response(200, WebhookList)
def all_of_mine() -> Any:
    """My webhooks, without their secrets."""
    return {"webhooks": [webhooks.facts(webhook) for webhook in webhooks.of(caller().id)]}


@blueprint.post("/webhooks")
@known
@needs("admin")
@takes(blueprint, NewWebhook)
@blueprint.response(201, MadeWebhook)
def add() -> Any:
    """Have my events sent to a URL; the secret they are signed with is shown this once."""
    webhook, secret = webhooks.add(caller().id, **body(NewWebhook()))
    return {**webhooks.facts(webhook), "secret": secret}


@blueprint.get("/webhooks/<webhook_id>")
@known
@blueprint.response(200, WebhookView)
def one(webhook_id: str) -> Any:
    """One webhook of mine."""
    return webhooks.facts(webhooks.one(caller().id, webhook_id))


@blueprint.patch("/webhooks/<webhook_id>")
@known
@needs("admin")
@takes(blueprint, ChangedWebhook, required=False)
@blueprint.response(200, WebhookView)
def change(webhook_id: str) -> Any:
    """Another URL; or off, or on again."""
    return webhooks.facts(webhooks.change(caller().id, webhook_id, **body(ChangedWebhook())))


@blueprint.delete("/webhooks/<webhook_id>")
@known
@needs("admin")
@blueprint.response(204)
def remove(webhook_id: str) -> None:
    """Take a webhook away, with everything that waits for it."""
    webhooks.remove(caller().id, webhook_id)


@blueprint.post("/webhooks/<webhook_id>/secret")
@known
@needs("admin")
@blueprint.response(201, Secret)
def rotate(webhook_id: str) -> Any:
    """A new secret, shown this once; for a day messages are signed with the old one as well."""
    return {"secret": webhooks.rotate(caller().id, webhook_id)}


@blueprint.post("/webhooks/<webhook_id>/test")
@known
@needs("admin")
@blueprint.response(202, WebhookDeliveryView)
def test(webhook_id: str) -> Any:
    """Send a test message at once, and once; what became of it stands in the list of deliveries."""
    return webhooks.delivery_facts(webhooks.test(caller().id, webhook_id))


@blueprint.get("/webhooks/<webhook_id>/deliveries")
@known
@blueprint.response(200, WebhookDeliveryList)
def deliveries(webhook_id: str) -> Any:
    """The newest messages of the last days, and what became of each."""
    return {"deliveries": webhooks.deliveries(webhooks.one(caller().id, webhook_id))}
