"""Programs of a player: tokens, the address of the calendar, and webhooks. Their secrets are shown once."""

from collections.abc import Callable
from datetime import timedelta

from flask import Response

from server.application.lists import listing
from server.application.people import tokens, webhooks
from server.http.links import link
from server.models import CALENDAR, Player, Webhook, transaction
from server.runtime import now
from server.vocabulary.durations import DAY
from server.vocabulary.errors import Problem, refusal
from server.vocabulary.translation import gettext, gettext_noop
from server.web import forms, visitors
from server.web.problems import page

# What each scope lets a program do, for the people who choose.
SCOPES = gettext_noop({
    "read": "see what you see",
    "play": "move, talk, vote and take vacation for you",
    "host": "open games and fill their seats",
    "admin": "change your settings, addresses and tokens, and delete your account",
})  # fmt: skip
LIVES: dict[str, tuple[str, timedelta | None]] = {
    "": (gettext_noop("until you revoke it"), None), "30": (gettext_noop("for 30 days"), 30 * DAY),
    "365": (gettext_noop("for a year"), 365 * DAY),
}  # fmt: skip
STATES = gettext_noop({
    "pending": "on its way", "delivered": "accepted", "failed": "not accepted", "dropped": "not sent",
})  # fmt: skip
FORMATS = gettext_noop({
    webhooks.JSON: "a program", webhooks.DISCORD: "a channel of Discord", webhooks.SLACK: "a channel of Slack",
    webhooks.NTFY: "a topic of ntfy",
})  # fmt: skip
OFF = gettext_noop({
    webhooks.OWNER: "You switched it off.",
    webhooks.GONE: "It was switched off, as its server said that it is gone.",
    webhooks.FAILURES: "It was switched off, as no message was accepted for days.",
})  # fmt: skip


def show() -> Response:
    """Show the tokens, the calendar and the webhooks."""
    return _page(visitors.with_address())


def add_token() -> Response:
    """Make a token, and show it this once."""

    def act(player: Player) -> dict[str, str]:
        _, length = LIVES[forms.offered("life", LIVES)]
        expires_at = None if length is None else now() + length
        if not (scopes := _chosen_scopes()):
            raise refusal("form", "Choose what the program may do.")
        _, secret = tokens.add(player.id, forms.text("name"), scopes, expires_at)
        return {"token": secret}

    return _shown_once(act, "token")


def _chosen_scopes() -> list[str]:
    """Return what was ticked; each box is a field of its own, as no field may be sent twice."""
    return [scope for scope in SCOPES if forms.text(f"scope_{scope}")]


def revoke_token(token_id: str) -> Response:
    """Revoke a token, or the address of a calendar."""
    visitors.with_address()
    return forms.carry_out(lambda player: tokens.revoke(token_id, player), "programs", _page)


def add_calendar() -> Response:
    """Make an address of a calendar, and show it this once."""

    def act(player: Player) -> dict[str, str]:
        _, secret = tokens.add(player.id, forms.text("name") or "calendar", [CALENDAR])
        return {"calendar": link("calendars.deadlines", secret=secret)}

    return _shown_once(act, "calendar")


def add_webhook() -> Response:
    """Add a webhook, and show its secret this once."""

    player, kind = visitors.with_address(), forms.text("format")
    kind = kind if kind in FORMATS else webhooks.JSON
    try:
        url = webhooks.check(forms.text("url"), kind=kind, player_id=player.id)
    except Problem as problem:
        return _page(player, problem, "url")

    def act(player: Player) -> dict[str, str]:
        webhook, secret = webhooks.add(player, url, kind, [game] if (game := forms.text("game")) else None)
        return {"webhook": secret, "url": webhook.url, "format": kind}

    return _shown_once(act, "url")


def webhook(webhook_id: str) -> Response:
    """Show a webhook, and what became of its newest messages."""
    return _webhook_page(visitors.with_address(), webhook_id)


def change_webhook(webhook_id: str) -> Response:
    """Do with a webhook what the pressed button says: test, switch off or on, replace the secret, or remove it."""
    player, wish = visitors.with_address(), forms.text("do")
    try:
        if wish == "secret":
            with transaction():
                return _webhook_page(player, webhook_id, secret=webhooks.rotate(player.id, webhook_id))
        if wish not in _WISHES:
            raise refusal("form", "Press one of the buttons.")
        _WISHES[wish](player.id, webhook_id)
    except Problem as problem:
        if problem.code == "not-found":
            raise
        return _webhook_page(player, webhook_id, problem)
    if wish == "remove":
        return forms.led_to("programs")
    return forms.led_to("webhook", webhook_id=webhook_id)


_WISHES: dict[str, Callable[[str, str], object]] = {
    "test": webhooks.test,
    "on": lambda player_id, webhook_id: webhooks.change(player_id, webhook_id, enabled=True),
    "off": lambda player_id, webhook_id: webhooks.change(player_id, webhook_id, enabled=False),
    "remove": webhooks.remove,
}


def _shown_once(make: Callable[[Player], dict[str, str]], field: str) -> Response:
    """Return the page with the secret that `make` returns, or with what was wrong at the field."""
    player = visitors.with_address()
    try:
        with transaction():
            return _page(player, made=make(player))
    except Problem as problem:
        return _page(player, problem, field)


def _page(
    player: Player, problem: Problem | None = None, field: str = "", made: dict[str, str] | None = None
) -> Response:
    found = tokens.tokens_of(player)
    return page(
        "me/programs",
        problem,
        tokens=[token for token in found if token["scopes"] != [CALENDAR]],
        calendars=[token for token in found if token["scopes"] == [CALENDAR]],
        webhooks=[_webhook(each) for each in webhooks.webhooks_of(player.id)],
        formats=forms.in_language(FORMATS),
        games=_games(player),
        scopes=forms.in_language(SCOPES),
        lives={life: gettext(words) for life, (words, _) in LIVES.items()},
        given={name: forms.text(name) if problem else "" for name in ("name", "life", "url", "format", "game")},
        chosen=_chosen_scopes() if problem else ["read"],
        made=made or {},
        wrong={field: problem.sentence} if problem else {},
    )


def _games(player: Player) -> dict[str, str]:
    found = (listing.page(player, mine=True, status=status, limit=listing.MOST_SHOWN) for status in ("running", "open"))
    return {game.id: game.name for games in found for game in games}


def _webhook_page(
    player: Player, webhook_id: str, problem: Problem | None = None, secret: str | None = None
) -> Response:
    found = webhooks.one(player.id, webhook_id)
    return page(
        "me/webhook",
        problem,
        webhook=_webhook(found),
        games=[*listing.game_names(found.games.split() if found.games else []).values()],
        messages=[_message(each) for each in webhooks.deliveries(found)],
        secret=secret,
        wrong={"": problem.sentence} if problem else {},
    )


def _webhook(found: Webhook) -> dict[str, object]:
    facts = webhooks.facts(found)
    state = gettext("It works.")
    if facts["failing_since"]:
        state = gettext("No message was accepted lately; the server tries again.")
    if facts["disabled_because"]:
        state = gettext(OFF[facts["disabled_because"]])
    return {**facts, "is_for": gettext(FORMATS[facts["format"]]), "state": state}


def _message(facts: webhooks.DeliveryView) -> dict[str, str]:
    event = gettext("event {number} of game {game}", number=facts["number"], game=facts["game"])
    return {
        "about": gettext("a test") if facts["type"] == "webhook.test" else event,
        "at": facts["at"],
        "state": gettext(STATES[facts["state"]]),
        "outcome": facts["outcome"] or "",
    }
