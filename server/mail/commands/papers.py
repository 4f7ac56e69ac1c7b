"""RULES, MAP, LOG and REPLAY: papers to read, which change nothing."""

from dataclasses import replace

from server.application.game import projection, story
from server.application.game.state import edition_of
from server.engine import USUAL, BoardView, Edition
from server.house_rules.standing import Standing
from server.language import forms
from server.mail.commands.reply import Handler, Mark, Reply, reply_from_template
from server.mail.commands.request import Request
from server.mail.writing import attachments
from server.vocabulary.errors import refusal
from server.vocabulary.translation import pgettext
from server.vocabulary.words import join, pawn_name
from server.wording import rules as rule_book
from server.wording import story as sentences


def rules(request: Request, command: forms.Command) -> Reply:
    """Tell the rules of this game, or of the edition that the command names."""
    return rules_of(command.text) if command.text else rules_of_game(request.game)


def rules_of(words: str) -> Reply:
    """Return the reply with the rules of the edition that these words name, by default of the usual one."""
    edition = _edition(words)
    return _told(rule_book.rules(edition), edition)


def rules_of_game(game: Standing) -> Reply:
    edition = edition_of(game)
    pawns = [pawn for seat in game.seats if seat.role == "detective" for pawn in seat.pawns]
    return _told([*rule_book.rules(edition, len(pawns), pawns), rule_book.time(game.clock)], edition)


def _told(told: list[rule_book.Rule], edition: Edition) -> Reply:
    as_printed = Edition.named(edition.name)
    return reply_from_template(
        "rules",
        Mark.NO_GAME | Mark.REFERENCE,
        rules=told,
        edition=rule_book.edition_title(edition.name),
        usual=rule_book.edition_title(USUAL),
        different=rule_book.topics(rule_book.differences(as_printed, Edition.named(USUAL))),
        chosen=rule_book.topics(rule_book.differences(edition, as_printed)),
    )


def send_map(request: Request, command: forms.Command) -> Reply:
    """Send the board of this game, or of the edition that the command names, as a page to print."""
    return map_of(command.text) if command.text else _map(edition_of(request.game))


def map_of(words: str) -> Reply:
    """Return the reply that brings the board of the edition that these words name, by default of the usual one."""
    return _map(_edition(words))


def _map(edition: Edition) -> Reply:
    reply = reply_from_template("map", Mark.NO_GAME | Mark.REFERENCE, edition=rule_book.edition_title(edition.name))
    return replace(reply, files=(attachments.name_of_map(edition),))


def _edition(words: str) -> Edition:
    edition = rule_book.named(words)
    if edition is None:
        editions = join(list(map(rule_book.edition_title, Edition.names())))
        raise refusal("form", "Which edition? There are {editions}.", editions=editions)
    return edition


def log(request: Request, _command: forms.Command) -> Reply:
    """Show the travel log as this player may know it."""
    view = _view(request)
    parts = sentences.log_in_parts(view)
    return reply_from_template("log", Mark.REFERENCE, view=view, parts=parts, is_mr_x=request.seat.role == "mr_x")


def replay(request: Request, _command: forms.Command) -> Reply:
    """Tell the game round by round, as this player may know it; with pictures once the result is final."""
    game = request.game
    if game.turn is None:
        return reply_from_template("replay_not_begun", Mark.REFERENCE)
    outcome = projection.outcome(game)
    reply = reply_from_template(
        "replay",
        Mark.REFERENCE,
        game=game,
        starts=[
            pgettext("start", "{pawn} at {station}", pawn=pawn_name(pawn), station=station)
            for pawn, station in _view(request)["starts"].items()
        ],
        rounds=sentences.told(story.rounds(game, request.player)),
        outcome=outcome,
        has_pictures=bool(story.scenes(game)),
    )
    return replace(reply, files=(attachments.REPLAY,) if game.final else ())


def _view(request: Request) -> BoardView:
    return request.view() | {"options": edition_of(request.game).options}


HANDLERS: dict[str, Handler] = {"log": log, "replay": replay, "rules": rules, "map": send_map}
