"""Mail to a player: how much of it in all games and in each, and what became of what was sent."""

from collections.abc import Mapping
from datetime import datetime

from flask import Response, request

from server.application.lists import listing
from server.application.mail import deliveries, mail_choices, mail_frequency
from server.models import Player
from server.vocabulary.errors import Problem, refusal
from server.web import forms, visitors
from server.web.problems import page
from server.wording import times
from server.wording.deliveries import kind_in_words, state_in_words
from server.wording.mail_frequencies import FREQUENCIES, frequency_in_words

A_PAGE = 20
MOST_GAMES = 100
STOP = "stop"  # no mail at all, whatever was chosen for single games
# What can be chosen for one game with one press; any other choice of a player's stands beside them.
OF_A_GAME = (
    mail_frequency.INHERIT, mail_frequency.USUAL, mail_frequency.MOVES, "daily 08:00", "daily 18:00",
    mail_frequency.REMINDERS, mail_frequency.OFF,
)  # fmt: skip


def show() -> Response:
    """Show how much mail the player gets."""
    return _page(visitors.with_address())


def choose() -> Response:
    """Change how much mail the player gets in one game, or in all that have no choice of their own."""
    visitors.with_address()
    game_id = forms.text("game")

    def again(player: Player, problem: Problem) -> Response:
        return _page(player, problem, {"game" if game_id else "mail": problem.sentence})

    def act(player: Player) -> None:
        if game_id:
            mail_choices.choose_for_game(game_id, player, _chosen())
        elif forms.text("mail") == STOP:
            mail_choices.stop_all(player.id)
        else:
            mail_choices.choose(player.id, mail_frequency.read(_chosen()))

    return forms.carry_out(act, "mail", again)


def choose_for_game(game_id: str) -> Response:
    """Change how much mail the player gets about one game."""
    visitors.with_address()

    def again(player: Player, problem: Problem) -> Response:
        return _page(player, problem, {game_id: problem.sentence})

    def act(player: Player) -> object:
        return mail_choices.choose_for_game(game_id, player, forms.text("mail"))

    return forms.carry_out(act, "mail", again)


def deliveries_page() -> Response:
    """Show what was mailed to the player, the newest first, and what became of it."""
    player = visitors.with_address()
    found = deliveries.mails_to(player, request.args.get("after"), A_PAGE)
    names = listing.game_names([each["game"] for each in found if each["game"]])
    return page(
        "me/deliveries",
        mails=[_mail(each, names, player) for each in found],
        after=found[-1]["id"] if len(found) == A_PAGE else None,
        is_first="after" not in request.args,
    )


def _mail(facts: deliveries.MailView, names: Mapping[str, str], player: Player) -> dict[str, object]:
    at = facts["sent_at"] or facts["created_at"]
    return {
        "kind": kind_in_words(facts["kind"]),
        "game": facts["game"],
        "name": names.get(facts["game"] or "", ""),
        "at": times.short_moment(datetime.fromisoformat(at), player.zone),
        "state": state_in_words(facts["state"]),
        "error": facts["error"] if facts["state"] in ("pending", "dead", "bounced") else None,
        "is_wrong": facts["state"] in ("bounced", "dead"),
    }


def _chosen() -> str:
    """Return the choice of the form in the words of `mail_frequency`."""
    kind = forms.text("mail")
    if kind != mail_frequency.DAILY:
        return kind
    if not forms.text("at"):
        raise refusal("form", "Choose the time of day at which the mail comes.")
    return f"{kind} {forms.text('at')[:5]}"


def _page(player: Player, problem: Problem | None = None, wrong: Mapping[str, str] | None = None) -> Response:
    kind, _, value = player.mail.partition(" ")
    given = {"mail": kind, "at": value or "18:00"}
    typed = {name: forms.text(name) for name in given if problem and forms.text(name)}
    own = {game.id: mail for game, mail in mail_choices.own_choices(player)}
    games = [
        {"id": game["id"], "name": game["name"], "mail": own.get(game["id"], mail_frequency.INHERIT)}
        for status in ("running", "open")
        for game in listing.games(player, mine=True, status=status, limit=MOST_GAMES)
    ]
    return page(
        "me/mail",
        problem,
        given=given | (typed if not wrong or "mail" in wrong else {}),
        typed=given | (typed if wrong and "game" in wrong else {}),
        frequencies=FREQUENCIES,
        games=games,
        choices={choice: frequency_in_words(choice) for choice in OF_A_GAME},
        in_words=frequency_in_words,
        wrong=wrong or {},
    )
