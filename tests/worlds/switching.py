"""Switching a deliberate leak on: calls of one function of the server go to another."""

import functools
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from importlib import import_module
from typing import Any, NamedTuple
from unittest import mock

from flask import Flask, Response, request

from server.application.game.look import standing_of
from server.application.game.state import rebuild
from server.engine import Game as Table
from server.house_rules.standing import Standing
from server.models import (
    Game,
    Outgoing,
    session,
)

Change = Callable[..., Any]


class Leak(NamedTuple):
    """`way` is what it stands for; `on` switches it on; `scene` is where it would show."""

    name: str
    way: str
    on: Callable[[], AbstractContextManager[Any]]
    scene: str = "short"


def wrap(target: str, change: Change) -> Callable[[], AbstractContextManager[Any]]:
    """Calls of `target` (module:name or module:class.name) go to `change`, with the real one as first argument."""
    module, _, name = target.partition(":")
    owner = functools.reduce(getattr, name.split(".")[:-1], import_module(module))
    return lambda: _wrapped(owner, name.split(".")[-1], change)


@contextmanager
def _wrapped(owner: Any, name: str, change: Change) -> Iterator[None]:
    real = getattr(owner, name)

    def changed(*args: Any, **kwargs: Any) -> Any:
        return change(real, *args, **kwargs)

    with mock.patch.object(owner, name, changed):
        yield


def answers(change: Callable[[Response, int], None]) -> Callable[[], AbstractContextManager[Any]]:
    """Every answer about a game that has begun is changed, with the station of Mr. X at hand."""

    def process(real: Change, app: Flask, response: Response) -> Response:
        given: Response = real(app, response)
        game = session.get(Game, (request.view_args or {}).get("game_id", ""))
        if game is not None and game.status == "running":
            change(given, station(game))
        return given

    return wrap("flask:Flask.process_response", process)


def views(change: Callable[[dict[str, Any], Game, Table], None], finals: bool = False) -> Callable[[], Any]:
    """Every view of a game that is running (or over) is changed, with the table at hand."""

    def project(real: Change, game: Standing, *args: Any) -> Any:
        view = real(game, *args)
        if game.status == ("over" if finals else "running"):
            change(view, game, rebuild(game))
        return view

    return wrap("server.application.game.projection:project", project)


def mails(change: Callable[[bytes, int, bool], bytes]) -> Callable[[], AbstractContextManager[Any]]:
    """Every mail about a running game is changed: its bytes, the station of Mr. X, whether it goes to him."""

    def compose(real: Change, row: Outgoing, *args: Any) -> Any:
        composed = real(row, *args)
        game = session.get(Game, row.game_id) if row.game_id else None
        if game is None or game.status != "running":
            return composed
        return replace(
            composed,
            message=change(composed.message, station(game), row.player_id == game.seats[0].player_id),
        )

    return wrap("server.mail.composing:compose.compose", compose)


def station(game: Standing | Game) -> int:
    """Return Mr. X's station."""
    return rebuild(game if isinstance(game, Standing) else standing_of(game)).station("mr_x")


def side(number: int) -> bool:
    """Something about a station that is one way in the first world and another in the second."""
    return number % 5 > 2


@contextmanager
def knowing(target: str, change: Change) -> Iterator[None]:
    """Wrap as `wrap` does, with Mr. X's station in the game last looked at as second argument."""
    known: list[int] = [0]

    def build(real: Change, game: Table, *args: Any) -> Any:
        known[0] = game.station("mr_x")
        return real(game, *args)

    def changed(real: Change, *args: Any, **kwargs: Any) -> Any:
        return change(real, known[0], *args, **kwargs)

    with wrap("server.engine.view:build", build)(), wrap(target, changed)():
        yield
