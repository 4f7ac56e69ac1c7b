"""Devices: browsers that call their player when it is their turn, by web push.

A device is a row of the webhooks, so that its messages are leased, sent and repeated as those are. Its id is a keyed
hash of the URL at which a push service takes messages for it: one browser is one device, whoever is signed in.
"""

import base64
from collections.abc import Collection, Sequence
from typing import TypedDict

from sqlalchemy import exists, select

from server.application.game.look import look
from server.application.people import webhooks
from server.models import BrowserSession, Player, PushKey, Webhook, execute, insert_new, session, transaction
from server.runtime import now, outbound_urls, runtime
from server.runtime.outbound_urls import OutboundUrl
from server.vocabulary.durations import rfc3339
from server.vocabulary.errors import Problem, refusal
from server.vocabulary.translation import gettext

MOST = 8  # of one player
LENGTHS = (65, 16)  # bytes of the two keys of a subscription


class DeviceView(TypedDict):
    """A device as its owner sees it; `service` is the host that takes its messages, `games` is None for all games."""

    id: str
    device: str
    service: str
    games: list[str] | None
    created_at: str


def add(
    player: Player, url: OutboundUrl, keys: str, device: str, *,
    game_id: str | None = None, session_digest: str | None = None,
) -> Webhook:  # fmt: skip
    """Let a device call its player about a game, or about all; return it. One that called somebody else ends that.

    `url` is as `webhooks.check` returns it, `keys` as `check_keys` does; `session_digest` is of the browser's session.
    """
    player_id = player.id
    if not runtime().settings.push:
        raise refusal("not-admitted", "This server calls no devices: its operator has not switched that on.")
    if game_id:
        look(game_id, player)  # they may see it, or there is none
    device_id = runtime().keyring.fingerprint(f"device\0{url}".encode())[:32]
    with transaction():
        session.get_one(Player, player_id, with_for_update={"key_share": True})
        known = session.get(Webhook, device_id, with_for_update=True)
        if known is not None and known.player_id != player_id:
            webhooks.forget(known)
            session.flush()
            known = None
        if known is None and len(devices_of(player_id)) >= MOST:
            sentence = gettext(
                "{most} devices call you, which is as many as there may be; stop one of them first.", most=MOST
            )
            raise Problem("enough", sentence)
        games = f" {game_id} " if game_id else None
        if games and known is not None and known.games:
            games = known.games if games in known.games else f"{known.games}{game_id} "
        if known is None:
            known = Webhook(id=device_id, player_id=player_id, not_before=now(), created_at=now())
            session.add(known)
        known.url, known.target, known.secret = str(url), webhooks.fingerprint(url), keys
        known.session = session_digest
        known.games, known.device = games, device[:60]
        known.retry_at = known.failing_since = None
    return known


def check_keys(p256dh: str, auth: str) -> str:
    """Return the keys of a subscription as they are stored; `Problem` form if they are none.

    `p256dh` is a point of the curve P-256 that a browser makes for a subscription, `auth` its secret; in base64url.
    """
    from cryptography.hazmat.primitives.asymmetric import ec  # noqa: PLC0415 only who has a device needs it

    try:
        if (len(from_text(p256dh)), len(from_text(auth))) != LENGTHS:
            raise ValueError
        ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), from_text(p256dh))
    except ValueError:
        sentence = "the keys of a push subscription: a point of P-256 of 65 bytes and a secret of 16, in base64url."
        raise Problem("form", sentence, field="keys") from None
    return f"{p256dh} {auth}"


def from_text(text: str) -> bytes:
    """Return the bytes of base64url, with or without the signs at its end; `ValueError` if it is something else."""
    text = text.rstrip("=")
    return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)


def devices_of(player_id: str) -> Sequence[Webhook]:
    """Return the devices that call the player, the oldest first."""
    query = select(Webhook).where(Webhook.player_id == player_id, Webhook.device.is_not(None))
    return session.scalars(query.order_by(Webhook.created_at, Webhook.id)).all()


def facts(device: Webhook) -> DeviceView:
    """Return a device as its owner sees it."""
    return {
        "id": device.id,
        "device": device.device or "",
        "service": outbound_urls.parse(device.url, loopback=True).host,
        "games": device.games.split() if device.games else None,
        "created_at": rfc3339(device.created_at),
    }


def remove(player_id: str, device_id: str) -> None:
    """Let a device call its player no more; `Problem` not-found if it does not."""
    with transaction():
        device = next((each for each in devices_of(player_id) if each.id == device_id), None)
        if device is None:
            raise refusal("not-found", "There is no such device.")
        webhooks.forget(device)


def forget_all(player_id: str) -> None:
    """Forget the devices and the webhooks of a player, in the transaction under way."""
    for each in (*webhooks.webhooks_of(player_id), *devices_of(player_id)):
        webhooks.forget(each)


def forget_signed_out(players: Collection[str] = ()) -> None:
    """Forget devices on which their player is not signed in any more, of these players or of all."""
    is_signed_in = exists().where(BrowserSession.digest == Webhook.session, BrowserSession.expires_at > now())
    query = select(Webhook).where(Webhook.session.is_not(None), ~is_signed_in)
    with transaction():
        for device in session.scalars(query.where(Webhook.player_id.in_(players)) if players else query):
            webhooks.forget(device)


# The key of this server ------------------------------------------------------------------------


def make_key() -> None:
    """Make the key by which push services know this server, if there is none yet."""
    from cryptography.hazmat.primitives.asymmetric import ec  # noqa: PLC0415 as above
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat  # noqa: PLC0415

    if session.scalar(select(PushKey.number)) is None:
        made = ec.derive_private_key(runtime().rng("push key").randrange(1, 2**255), ec.SECP256R1())
        private = made.private_numbers().private_value.to_bytes(32)
        public = made.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        with transaction():
            execute(insert_new(PushKey), {"number": 1, "value": " ".join(map(as_text, (private, public)))})


def key_pair() -> list[str]:
    """Return its private half, which signs, and the public one, which a browser hands to its service; in base64url."""
    return session.scalars(select(PushKey.value)).one().split()


def as_text(data: bytes) -> str:
    """Return bytes in base64url, without signs at its end."""
    return base64.urlsafe_b64encode(data).decode().rstrip("=")
