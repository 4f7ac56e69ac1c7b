"""The pages of the links in question mails. Opening one does nothing, because mail programs open every link.

Their reader need not sign in: only they know the address.
"""

from flask import Response, request

from server.application.game.access import not_found
from server.application.mail import presses
from server.vocabulary import labels
from server.web import forms
from server.web.problems import page


def of_mail(token: str, name: str) -> Response:
    """Show the one button of a link; a POST answers the mail."""
    asked, label = presses.find(token), labels.named(name)
    if asked is None or label is None:
        raise not_found("There is no such question.")
    game = presses.name_of_game(asked)
    if request.method == "POST":
        presses.press(asked, label)
        return forms.led_to("answer", token=token, name=name, done="yes")
    return page("answer", label=label, game=game)
