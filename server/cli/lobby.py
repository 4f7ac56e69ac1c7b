"""`blackticket game new`, `invite`, `close`, `rematch` and others, on behalf of players.

PLAYER and HOST are an id or a mail address; GUEST is a player's id, any mail address, or a bot.
"""

import json
from collections.abc import Sequence
from typing import Any

import click

from server.application.game import pace
from server.application.game.look import look_at_any
from server.application.game.projection import Summary, summaries
from server.application.lobby import hosting, opening, rematches, seats, starting
from server.application.lobby.opening import read_guest
from server.application.people.accounts import guests
from server.application.people.players import named
from server.cli.context import writing
from server.cli.records import look_up
from server.cli.terminal import Shown
from server.house_rules.standing import Standing
from server.models import Player, session
from server.runtime import runtime
from server.vocabulary.errors import Problem
from server.wording import rules as editions


@writing()
def new(
    host: str,
    edition: str,
    players: int | None,
    role: str | None,
    guests: tuple[str, ...],
    options: tuple[str, ...],
    clock: str | None,
    visibility: str,
    seating: str,
    starts_when_full: bool,
    label: str | None,
    name: str | None,
    rules: tuple[str, ...],
) -> Shown:
    player, chosen = named(host), opening.edition_with(edition_named(edition), dict(map(option, options)))
    seats = opening.arrange_seats(player, chosen, [_whom(guest) for guest in guests], people=players, sits=role)
    opened = opening.open_game(
        player, chosen.name, options=chosen.options, seats=seats, clock=_json("--clock", clock) if clock else None,
        visibility=visibility, seating=seating, starts_when_full=starts_when_full, label=label, name=name,
        guests=_rules(rules), is_limited=False,
    )  # fmt: skip
    link = f"{_site()}/join/{opened.code}"
    standing = look_at_any(opened.id)
    facts = _facts(opened) | {"code": opened.code, "link": link, "longest": pace.longest(standing)}
    longest = pace.longest_in_words(standing)
    sentence = f"{opened.name} ({opened.id}) is open; its code is {opened.code}. {longest}"
    return facts, f"{sentence}\nWho is to take a seat can do so here: {link}"


@writing()
def change(game_id: str, name: str | None, public: bool, rules: tuple[str, ...]) -> Shown:
    host = _host(game_id)
    if name:
        hosting.rename(game_id, host, name)
    if public:
        hosting.publish(game_id, host)
    if rules:
        hosting.admit_guests(game_id, host, _rules(rules) or {})
    return _with_seats(look_up(game_id))


@writing()
def close(game_id: str) -> Shown:
    closed = hosting.close(game_id, _host(game_id))
    return _facts(closed), f"{closed.name} is closed."


@writing()
def remind(game_id: str, seat: int) -> Shown:
    return _with_seats(seats.remind(game_id, _host(game_id), seat))


@writing()
def link(game_id: str, seat: int) -> Shown:
    name, code = guests.link_from_host(game_id, _host(game_id), seat)
    facts = {"name": name, "link": f"{_site()}/continue/{code}"}
    return facts, f"{name} goes on with this link, which is shown only now: {facts['link']}"


@writing()
def invite(game_id: str, guest: str, seat: int | None) -> Shown:
    return _with_seats(seats.invite(game_id, _host(game_id), seat, _whom(guest), is_limited=False))


@writing()
def join(game_id: str, player: str, seat: int | None, role: str | None) -> Shown:
    return _with_seats(seats.join(game_id, named(player), seat=seat, role=role, code=look_up(game_id).code))


@writing()
def leave(game_id: str, player: str, seat: int | None) -> Shown:
    return _with_seats(seats.leave(game_id, named(player), seat))


@writing()
def start(game_id: str) -> Shown:
    begun = starting.start(game_id, _host(game_id))
    return _facts(begun), f"{begun.name} has begun; the turn mails say what to do."


@writing()
def rematch(game_id: str, player: str) -> Shown:
    following = rematches.rematch(game_id, named(player))
    return _facts(following), f"The rematch is {following.name} ({following.id})."


def _host(game_id: str) -> Player:
    """Return the host of a game; needs `application`, as do the next ones."""
    return session.get_one(Player, look_up(game_id).host_id)


def _whom(guest: str) -> dict[str, str]:
    """Return the guest as a seat names them; `guest` may be a player's id too."""
    return {"player": guest} if session.get(Player, guest) else read_guest(guest)


def _site() -> str:
    """Return where browsers reach the pages, without a slash at the end; without a PUBLIC_URL on this machine."""
    settings = runtime().settings
    return (settings.public_url or str(settings.http_listen.local)).rstrip("/")


def _facts(game: Standing) -> Summary:
    return summaries([look_at_any(game.id)])[0]


def _with_seats(game: Standing) -> Shown:
    facts = _facts(game)
    lines = [f"{seat['seat']}  {', '.join(seat['pawns'])}: {seat['state']}" for seat in facts["seats"]]
    return facts, "\n".join([f"{facts['name']} ({facts['id']})", *lines])


def edition_named(words: str) -> str:
    """Return the name of the edition that words such as `1985` name, or else the words."""
    edition = editions.named(words)
    return edition.name if edition else words


def _rules(texts: Sequence[str]) -> dict[str, object] | None:
    """Return the rules for guests in `any`, which is about seats, `talk=true` and so on; None for none."""
    return dict(option(text if "=" in text else f"seats={text}") for text in texts) or None


def option(text: str) -> tuple[str, object]:
    """Return name and value of `cut_off=true`; a value that is not JSON is a text."""
    name, is_given, value = text.partition("=")
    if not is_given:
        raise click.BadParameter(f"{text!r} has no value; write NAME=VALUE.")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def _json(what: str, text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        raise Problem("form", f"{what}: that is not JSON.") from None
