"""Webhooks: URLs to which the server sends a player's events, and what became of the messages."""

from flask.typing import ResponseReturnValue
from marshmallow import Schema, fields, post_load, validate

from server.api.access import current_player, for_player
from server.api.endpoints import Section
from server.api.reading import body
from server.api.schemas.values import URL, Answer, TrueOrFalse, answer, described
from server.application.people import webhooks

section = Section("webhooks", __name__, "Webhooks: your events, sent to a program of yours")


class NewWebhook(Schema):
    url = fields.String(required=True, **URL)
    format = fields.String(
        load_default=webhooks.JSON, validate=validate.OneOf(webhooks.FORMATS),
        **described("json for a program; a chat is told whose turn it is, and the result"),
    )  # fmt: skip
    games = fields.List(
        fields.String(validate=validate.Length(1, 32)), allow_none=True, load_default=None,
        validate=validate.Length(1, webhooks.MOST_GAMES),
        **described("the ids of the games that it is about; null for all of yours"),
    )  # fmt: skip

    @post_load
    def check_url(self, sent: dict[str, object], **_: object) -> dict[str, object]:
        """Look the host up, now that no transaction waits for it."""
        made = {"kind": str(sent.pop("format"))} if "format" in sent else {}
        if "url" not in sent:
            return sent
        return sent | made | {"url": webhooks.check(str(sent["url"]), player_id=current_player().id, **made)}


class ChangedWebhook(NewWebhook):
    class Meta:
        exclude = ("format", "games")

    url = fields.String(**URL)
    enabled = TrueOrFalse()


WebhookView = answer(
    "WebhookView",
    webhooks.WebhookView,
    format=fields.String(validate=validate.OneOf(webhooks.FORMATS)),
    games="the games that it is about; null for all of yours",
    disabled_because=fields.String(
        allow_none=True, validate=validate.OneOf([webhooks.OWNER, webhooks.GONE, webhooks.FAILURES])
    ),
    retry_at="after a failure: when the server tries again",
    failing_since="the time since which no message was accepted; after five days the webhook is switched off",
)


class Secret(Answer):
    secret = fields.String(**described("shown this once"))


MadeWebhook = answer(
    "MadeWebhook",
    webhooks.WebhookView,
    WebhookView,
    secret=fields.String(**described("shown this once")),
)


class WebhookList(Answer):
    webhooks = fields.List(fields.Nested(WebhookView))


WebhookDeliveryView = answer(
    "WebhookDeliveryView",
    webhooks.DeliveryView,
    id="the webhook-id of the message",
    type=fields.String(validate=validate.OneOf(["game.event", "game.notice", "webhook.test"])),
    number="of the event in its game; null for a notice",
    state=fields.String(validate=validate.OneOf(["pending", "delivered", "failed", "dropped"])),
    outcome="the result of the last attempt, in a word",
)


class WebhookDeliveryList(Answer):
    deliveries = fields.List(fields.Nested(WebhookDeliveryView))


@section.endpoint("GET /webhooks", access=for_player("read"), answers=WebhookList)
def all_of_mine() -> ResponseReturnValue:
    """List your webhooks, without their secrets."""
    return {"webhooks": [webhooks.facts(webhook) for webhook in webhooks.webhooks_of(current_player().id)]}


@section.endpoint(
    "POST /webhooks", access=for_player("admin"), body=NewWebhook, answers=MadeWebhook, status=201, problems=(404,)
)
def add() -> ResponseReturnValue:
    """Add a webhook: the server sends your events to its URL, or whose turn it is to a chat.

    The secret that signs the messages is shown only now.
    """
    webhook, secret = webhooks.add(current_player(), **body())
    return {**webhooks.facts(webhook), "secret": secret}


@section.endpoint("GET /webhooks/<webhook_id>", access=for_player("read"), answers=WebhookView)
def one(webhook_id: str) -> ResponseReturnValue:
    """Return one of your webhooks."""
    return webhooks.facts(webhooks.one(current_player().id, webhook_id))


@section.endpoint(
    "PATCH /webhooks/<webhook_id>",
    access=for_player("admin"),
    body=ChangedWebhook,
    needs_body=False,
    answers=WebhookView,
)
def change(webhook_id: str) -> ResponseReturnValue:
    """Change the URL of a webhook, or switch it off or on."""
    return webhooks.facts(webhooks.change(current_player().id, webhook_id, **body()))


@section.endpoint("DELETE /webhooks/<webhook_id>", access=for_player("admin"), answers=None, status=204)
def remove(webhook_id: str) -> None:
    """Remove a webhook, with the messages that wait for it."""
    webhooks.remove(current_player().id, webhook_id)


@section.endpoint("POST /webhooks/<webhook_id>/secret", access=for_player("admin"), answers=Secret, status=201)
def rotate(webhook_id: str) -> ResponseReturnValue:
    """Make a new secret, shown only now. For a day messages are signed with the old one as well."""
    return {"secret": webhooks.rotate(current_player().id, webhook_id)}


@section.endpoint(
    "POST /webhooks/<webhook_id>/test", access=for_player("admin"), answers=WebhookDeliveryView, status=202
)
def test(webhook_id: str) -> ResponseReturnValue:
    """Send a test message at once, without retries. The list of deliveries says what became of it."""
    return webhooks.delivery_facts(webhooks.test(current_player().id, webhook_id))


@section.endpoint("GET /webhooks/<webhook_id>/deliveries", access=for_player("read"), answers=WebhookDeliveryList)
def deliveries(webhook_id: str) -> ResponseReturnValue:
    """List the newest messages of the last days, and what became of each."""
    return {"deliveries": webhooks.deliveries(webhooks.one(current_player().id, webhook_id))}
