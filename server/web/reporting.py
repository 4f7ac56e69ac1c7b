"""Reports to the operator: the page of a game, and that of a mailed invitation. Opening either reports nothing."""

from flask import Response, request

from server.application.game import reply_addresses
from server.application.game.access import not_found
from server.application.game.look import look
from server.application.people import players
from server.application.people.accounts import abuse_reports
from server.application.play import talk
from server.house_rules.standing import Standing
from server.models import Player
from server.vocabulary.errors import Problem
from server.vocabulary.translation import gettext
from server.web import forms, visitors
from server.web.game.holders import seats_in_words
from server.web.problems import page

MOST = 30  # messages that are offered, the newest
MOST_DIGITS = 9  # of the number of a message or a seat


def in_game(game_id: str) -> Response:
    """Ask what in a game is to be reported; a POST reports it."""
    player = visitors.with_address()
    game = look(game_id, player)
    wanted = forms.text("what")

    def act(reporter: Player) -> None:
        what, _, number = wanted.partition("-")
        abuse_reports.report(game_id, reporter, what, forms.number(number, MOST_DIGITS))

    def again(reporter: Player, problem: Problem) -> Response:
        return _page(game, reporter, problem)

    if request.method == "POST":
        return forms.carry_out(act, "report", again, game_id=game_id)
    return _page(game, player)


def _page(game: Standing, player: Player, problem: Problem | None = None) -> Response:
    names = players.names_of([game.host_id, *(seat.player_id for seat in game.seats)])
    labels = {seat["number"]: seat["label"] for seat in seats_in_words(game, names)}
    people: list[dict[str, object]] = [
        {"seat": seat.number, "name": names[seat.player_id], "label": labels[seat.number]}
        for seat in game.seats
        if seat.player_id not in (None, player.id)
    ]
    if game.host_id not in (player.id, *(seat.player_id for seat in game.seats)):
        people.append({"seat": 0, "name": names.get(game.host_id, ""), "label": gettext("the host")})
    number = talk.number_heard(game, player)
    heard = talk.rows_heard(game, player, max(0, number - MOST), MOST)
    messages = [
        {"number": at, "to": message.audience, "text": message.text, "label": labels[message.seat]}
        for at, message in enumerate(heard, max(0, number - MOST) + 1)
        if message.player_id != player.id
    ]
    return page(
        "report",
        problem,
        game=game,
        people=people,
        messages=messages[::-1],
        is_invited=any(seat.invited_id == player.id for seat in game.seats),
        chosen=request.values.get("what", ""),
        is_final=game.final,
    )


def of_mail(token: str) -> Response:
    """Ask whether the invitation in a mail is to be reported; a POST reports it. Its reader needs no account."""
    mail_id = reply_addresses.marked(token, reply_addresses.REPORT)
    if mail_id is None:
        raise not_found(gettext("There is no such invitation."))
    mail = abuse_reports.invitation_mail(mail_id)
    assert mail.game is not None
    if request.method == "POST":
        abuse_reports.report_mailed_invitation(mail_id)
        return forms.led_to("report_invitation", token=token)
    return page("report_invitation", name=mail.game.name)
