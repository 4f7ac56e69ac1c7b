"""A program can do everything that a person can: each form and each command of mail has an operation of REST."""

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from types import CodeType, ModuleType
from typing import Any

import pytest
from flask import Flask

from server.application.game.deciding import UseCase
from server.language.forms import COMMANDS
from server.mail.commands.handlers import HANDLERS
from server.settings import Settings
from server.vocabulary.resources import templates
from tests.injected import application

# The operations that do together what a form or a command does; or one sentence that says why there is none.
Same = tuple[str, ...] | str

PLAY = "POST /games/<game_id>/moves"
JOIN = "POST /games/<game_id>/seats"
PREFERENCES = "PATCH /me/preferences"
CHANGE = "PATCH /games/<game_id>"
SIGN_UP = ("POST /players", "POST /players/confirm")
PRACTICE = ("POST /games", "POST /games/<game_id>/start")
PROPOSE = ("POST /games/<game_id>/votes", "POST /games/<game_id>/votes/<vote_id>")
OF_BROWSERS = "It is about browsers and their sessions; a program has a token, see /me/tokens."
OF_A_SECRET = "Whoever has the secret address of a mail does it without an account; a player has the other ways."
OF_OPERATOR = "The operator's; `blackticket` does it on the command line, with --json for programs."

FORMS: Mapping[str, Same] = {
    "pages.practise": PRACTICE,
    "pages.sign_in": SIGN_UP,
    "pages.enter_code": SIGN_UP,
    "pages.use_code": SIGN_UP,
    "pages.sign_out": OF_BROWSERS,
    "pages.link_device": OF_BROWSERS,
    "pages.use_device_link": OF_BROWSERS,
    "pages.revoke_browser": OF_BROWSERS,
    # a game before its start
    "pages.new_game": PRACTICE,
    "pages.play_with_friends": ("POST /games",),
    "pages.enter_code_of_game": (JOIN,),
    "pages.invitation": (JOIN,),
    "pages.join": (JOIN,),
    "pages.leave": ("DELETE /games/<game_id>/seats/<int:seat>",),
    "pages.invite": ("PUT /games/<game_id>/seats/<int:seat>",),
    "pages.remind": ("POST /games/<game_id>/seats/<int:seat>/remind",),
    "pages.clear": ("DELETE /games/<game_id>/seats/<int:seat>",),
    "pages.publish": (CHANGE,),
    "pages.rename_game": (CHANGE,),
    "pages.admit_guests": (CHANGE,),
    "pages.close": ("DELETE /games/<game_id>",),
    "pages.renew_code": ("POST /games/<game_id>/code",),
    "pages.start": ("PUT /games/<game_id>/seats/<int:seat>", "POST /games/<game_id>/start"),
    # a game that runs or is over
    "pages.game": ("GET /games/<game_id>",),
    "pages.replay": (
        "GET /games/<game_id>/record", "GET /games/<game_id>/seats/<int:seat>/view", "GET /games/<game_id>/story",
    ),
    "pages.stations": ("GET /boards/<name>", "GET /games/<game_id>"),
    "pages.move": (PLAY,),
    "pages.begin_double": ("GET /games/<game_id>/legal-moves",),
    "pages.take_back": ("DELETE /games/<game_id>/ahead",),
    "pages.held_on_page": (PLAY, "DELETE /games/<game_id>/ahead"),
    "pages.answer": OF_A_SECRET,
    "pages.say": ("POST /games/<game_id>/messages",),
    "pages.mute": ("PUT /games/<game_id>/messages/muted",),
    "pages.propose": PROPOSE,
    "pages.vote": PROPOSE,
    "pages.agree_on_draw": ("POST /games/<game_id>/draw", "DELETE /games/<game_id>/draw"),
    "pages.cover": ("PUT /games/<game_id>/cover",),
    "pages.hand_over": ("POST /games/<game_id>/host",),
    "pages.link_for_guest": ("POST /games/<game_id>/seats/<int:seat>/link",),
    "pages.resign": ("POST /games/<game_id>/resign",),
    "pages.rematch": ("POST /games/<game_id>/rematch",),
    "pages.try_again": ("POST /games/<game_id>/again",),
    "pages.show_replay": ("PUT /games/<game_id>/replay",),
    "pages.report": ("POST /games/<game_id>/reports",),
    "pages.report_invitation": OF_A_SECRET,
    # a player
    "pages.rename": ("PATCH /me",),
    "pages.change_settings": (PREFERENCES,),
    "pages.use_zone": (PREFERENCES,),
    "pages.use_language": (PREFERENCES,),
    "pages.choose_mail": (PREFERENCES,),
    "pages.choose_mail_of_game": ("PATCH /games/<game_id>/preferences",),
    "pages.ask_for_address": ("POST /me/addresses",),
    "pages.confirm_address": ("POST /me/addresses/confirm",),
    "pages.confirm_link": ("POST /me/addresses/confirm",),
    "pages.make_primary": ("POST /me/addresses/<address_id>/primary",),
    "pages.remove_address": ("DELETE /me/addresses/<address_id>",),
    "pages.take_vacation": ("POST /me/absences",),
    "pages.end_vacation": ("DELETE /me/absences/<absence_id>",),
    "pages.block": ("POST /me/blocks",),
    "pages.unblock": ("DELETE /me/blocks/<block_id>",),
    "pages.add_token": ("POST /me/tokens",),
    "pages.add_calendar": ("POST /me/tokens",),
    "pages.revoke_token": ("DELETE /me/tokens/<token_id>",),
    "pages.add_webhook": ("POST /webhooks",),
    "pages.change_webhook": (
        "PATCH /webhooks/<webhook_id>", "DELETE /webhooks/<webhook_id>", "POST /webhooks/<webhook_id>/secret",
        "POST /webhooks/<webhook_id>/test",
    ),
    "pages.add_device": ("POST /devices",),
    "pages.remove_device": ("DELETE /devices/<device_id>",),
    "pages.delete_account": ("DELETE /me",),
    "stop": (PREFERENCES,),
    # those who run the server
    **dict.fromkeys(
        (
            "pages.read_again", "pages.send_again", "pages.close_game", "pages.remove_guest", "pages.take_name",
            "pages.block_network", "pages.unblock_network", "pages.settle_report",
        ),
        OF_OPERATOR,
    ),
    "send_dev_mail": "It stands for the mail program of somebody who tries the server on their machine.",
}  # fmt: skip

MAIL: Mapping[str, Same] = {
    "move": (PLAY,),
    "try": (PLAY,),
    "status": ("GET /games/<game_id>", "GET /games"),
    "legal": ("GET /games/<game_id>/legal-moves",),
    "hint": ("GET /games/<game_id>/hint",),
    "log": ("GET /games/<game_id>/log",),
    "replay": ("GET /games/<game_id>/record",),
    "rules": ("GET /editions",),
    "map": ("GET /boards/<name>",),
    "board": ("GET /boards/<name>", "GET /games/<game_id>"),
    "help": "It explains how to write mails; a program has /openapi.json.",
    "say": ("POST /games/<game_id>/messages",),
    "say_all": ("POST /games/<game_id>/messages",),
    "yes": "It answers a question of a mail; what was asked has an operation of its own.",
    "no": "The same.",
    "cancel": ("DELETE /games/<game_id>/ahead",),
    "resign": ("POST /games/<game_id>/resign",),
    "draw": ("POST /games/<game_id>/draw", "DELETE /games/<game_id>/draw"),
    "host": ("POST /games/<game_id>/host",),
    "new": ("POST /games",),
    "list": ("GET /games",),
    "join": (JOIN,),
    "play": PRACTICE,
    "signup": SIGN_UP,
    "invite": ("PUT /games/<game_id>/seats/<int:seat>",),
    "start": ("POST /games/<game_id>/start",),
    "leave": ("DELETE /games/<game_id>/seats/<int:seat>",),
    "rematch": ("POST /games/<game_id>/rematch",),
    "away": ("GET /me/absences", "POST /me/absences", "DELETE /me/absences/<absence_id>"),
    "pause": PROPOSE,
    "resume": PROPOSE,
    "extend": PROPOSE,
    "wait": PROPOSE,
    "claim": PROPOSE,
    "cover": ("PUT /games/<game_id>/cover",),
    "set": (PREFERENCES, "PATCH /me"),
    "set_mail": (PREFERENCES, "PATCH /games/<game_id>/preferences"),
    "block": ("POST /me/blocks", "GET /me/blocks"),
    "unblock": ("DELETE /me/blocks/<block_id>",),
    "stop": (PREFERENCES,),
}

# Forms and commands that do not call a function by which one of their operations acts, and why the effect is the same.
ANOTHER_FUNCTION = {
    "pages.practise": "It opens a game with bots and starts it, in one step.",
    "play": "The same.",
    "pages.sign_in": "A page mails somebody who has an account a code, too; to a program that is a token.",
    "pages.enter_code": "The same: what a code gives here is a session.",
    "pages.use_code": "The same.",
    "signup": "A mail proves its sender's address, so no code is sent.",
    "pages.enter_code_of_game": "It only leads to the page of the game with that code.",
    "pages.move": "A page may hold a move; its use case ends in that of the operation.",
    "try": "It is a rehearsal of the same submission; see dry_run.",
    "pages.held_on_page": "A move that is held is played or dropped; a program sends it, or withdraws it.",
    "resign": "It asks first, and the YES calls the use case.",
    "pages.choose_mail": "It sets the one preference by the use case of mails.",
    "pages.confirm_link": "A link counts in every browser, so it has a use case of its own.",
    "unblock": "A mail names whom, and a program the id of the block.",
    "stop": "It sets the preference `mail` to off, as of the mail that it answers.",
}
# What reads a game for anybody, and writes what any function decides, says nothing about what is done.
SAYS_NOTHING = {"look.look", "look.look_at_any", "situations.act", "projection.project", "pace.pace"}


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Flask:
    return application(Settings.from_environ({"BLACKTICKET_DEV_MAIL": "1"}, tmp_path_factory.mktemp("parity")))


def operations(app: Flask) -> dict[str, Callable[..., object]]:
    """Return the view of each operation by its name, such as `POST /games`."""
    return {
        f"{method} {rule.rule.removeprefix('/api/v1')}": app.view_functions[rule.endpoint]
        for rule in app.url_map.iter_rules()
        for method in rule.methods or ()
        if rule.rule.startswith("/api/v1")
    }


def endpoints_of_forms(app: Flask) -> set[str]:
    """Return the endpoints that take a form: by what they accept, and by what the templates write."""
    taking = {rule.endpoint for rule in app.url_map.iter_rules() if "POST" in (rule.methods or ())}
    written = [path.read_text() for path in (templates() / "web").rglob("*.html")]
    named = {name for text in written for form in re.findall("<form[^>]*>", text) for name in _NAMED.findall(form)}
    return {
        endpoint for endpoint in taking | named if endpoint in app.view_functions and not _is_operation(app, endpoint)
    }


_NAMED = re.compile(r"action=\"{{ url_for\('([\w.]+)'")


def _is_operation(app: Flask, endpoint: str) -> bool:
    return all(rule.rule.startswith("/api/v1") for rule in app.url_map.iter_rules(endpoint))


def test_every_form_of_every_page_has_an_operation_that_does_the_same_or_a_reason(app: Flask):
    assert endpoints_of_forms(app) == FORMS.keys()


def test_every_command_of_mail_has_an_operation_that_does_the_same_or_a_reason():
    assert {form.name for form in COMMANDS} == MAIL.keys()


@pytest.mark.parametrize("same", [pytest.param(same, id=name) for name, same in {**FORMS, **MAIL}.items()])
def test_the_operations_are_there(app: Flask, same: Same):
    assert isinstance(same, str) or set(same) <= operations(app).keys()


def test_a_form_or_command_and_its_operations_act_by_the_same_function_or_there_is_a_reason(app: Flask):
    acting = {name: app.view_functions[name] for name in FORMS} | HANDLERS
    apart = {name for name, view in acting.items() if not _do_the_same(app, view, {**FORMS, **MAIL}[name])}
    assert apart == ANOTHER_FUNCTION.keys()


def _do_the_same(app: Flask, view: Any, same: Same) -> bool:
    """Return whether a view and its operations act by the same function; of those that only read nothing is asked."""
    if isinstance(same, str) or all(name.startswith("GET ") for name in same):
        return True
    of_operations = set().union(*(functions(operations(app)[name]) for name in same))
    return bool(functions(view) & of_operations)


def functions(function: Any) -> set[str]:
    """Return the functions of the application that a view or a handler calls, itself or by helpers beside it."""
    names = (f"{each.__module__}.{each.__qualname__}" for each in _called(_unwrapped(function), set()))
    return {name for name in names if ".".join(name.split(".")[-2:]) not in SAYS_NOTHING}


def _unwrapped(function: Any) -> Any:
    """Return a function without its decorators, or the use case on which a view only puts one."""
    return inspect.unwrap(function, stop=lambda each: isinstance(each, UseCase))


def _called(function: Any, seen: set[Any]) -> Iterator[Any]:
    if isinstance(function, UseCase):
        yield function
        return
    if function in seen:
        return
    seen.add(function)
    names = set(_names(function.__code__))
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    for thing in [*cells, *(value for name, value in function.__globals__.items() if name in names)]:
        for found in _functions(thing, names):
            module = found.__module__
            if module.startswith(("server.application", "server.house_rules")):
                yield found
            elif module.startswith(("server.web", "server.mail.commands")):
                yield from _called(inspect.unwrap(found), seen)


def _functions(thing: Any, names: set[str]) -> Iterator[Any]:
    """Yield the functions that a name in code stands for: itself, those of a module, the values of a table."""
    if isinstance(thing, ModuleType):
        for name in names & vars(thing).keys():
            yield from _functions(vars(thing)[name], set())
    elif isinstance(thing, dict):
        for value in thing.values():
            yield from _functions(value, set())
    elif isinstance(thing, UseCase) or inspect.isfunction(thing):
        yield thing


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)
