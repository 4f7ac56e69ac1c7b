"""Devices: browsers, or programs that stand in for one, which call you by web push when it is your turn."""

from flask.typing import ResponseReturnValue
from marshmallow import Schema, fields, post_load, validate

from server.api.access import current_player, for_player
from server.api.endpoints import Section
from server.api.reading import body
from server.api.schemas.values import URL, Answer, answer, described, line
from server.application.people import devices, webhooks
from server.runtime import runtime

section = Section("devices", __name__, "Devices: web push, when it is your turn")


# A point of P-256 and a secret, in base64url.
POINT, SECRET = "^B[A-P][A-Za-z0-9_+/-]{85}=*$", "^[A-Za-z0-9_+/-]{22}=*$"


class Keys(Schema):
    p256dh = fields.String(required=True, validate=validate.Length(1, 100), metadata={"pattern": POINT})
    auth = fields.String(required=True, validate=validate.Length(1, 40), metadata={"pattern": SECRET})


class NewDevice(Schema):
    endpoint = fields.String(required=True, **URL)
    keys = fields.Nested(Keys, required=True)
    device = fields.String(load_default="a program", validate=line(60), **described("your name for it"))
    game = fields.String(validate=validate.Length(1, 32), **described("the only game to be called about"))

    @post_load
    def check_subscription(self, sent: dict[str, object], **_: object) -> dict[str, object]:
        """Check the keys, and look the host up, now that no transaction waits for it."""
        keys = devices.check_keys(**sent.pop("keys"))  # type: ignore[arg-type]
        game = sent.pop("game", None)
        return {"url": webhooks.check(str(sent.pop("endpoint")), "endpoint"), "keys": keys, "game_id": game, **sent}


DeviceView = answer(
    "DeviceView",
    devices.DeviceView,
    service="the host of the push service",
    games="the games it calls about; null for all",
)


class DeviceList(Answer):
    key = fields.String(
        allow_none=True, **described("the applicationServerKey to subscribe with; null if this server calls no devices")
    )
    devices = fields.List(fields.Nested(DeviceView))


@section.endpoint("GET /devices", access=for_player("read"), answers=DeviceList)
def all_of_mine() -> ResponseReturnValue:
    """List the devices that call you, and the key that a new one needs."""
    found = [devices.facts(device) for device in devices.devices_of(current_player().id)]
    return {"key": devices.key_pair()[1] if runtime().settings.push else None, "devices": found}


@section.endpoint(
    "POST /devices", access=for_player("admin"), body=NewDevice, answers=DeviceView, status=201, problems=(404,)
)
def add() -> ResponseReturnValue:
    """Let a device call you, by its push subscription (RFC 8030); one that called somebody else ends that."""
    return devices.facts(devices.add(current_player(), **body()))


@section.endpoint("DELETE /devices/<device_id>", access=for_player("admin"), answers=None, status=204)
def remove(device_id: str) -> None:
    """Let a device call you no more."""
    devices.remove(current_player().id, device_id)
