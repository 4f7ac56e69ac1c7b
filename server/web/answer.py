"""The pages of the links in question mails. Opening one does nothing, because mail programs open every link.

Their reader need not sign in: only they know the address.
"""

from flask import Response, request

from server.application.game.access import not_found
from server.application.mail import presses
from server.vocabulary import labels
from server.vocabulary.translation import gettext
from server.web import forms
from server.web.problems import page


def of_mail(token: str, name: str) -> Response:
    """Show the one button of a link; a POST answers the mail."""
    asked, label = presses.find(token), labels.named(name)
    words = presses.words_of(asked, label) if asked and label else None
    if asked is None or label is None or (words is None and (request.method == "POST" or "done" not in request.args)):
        raise not_found(gettext("There is no such question, or it is answered."))
    if request.method == "POST":
        assert words is not None
        presses.press(asked, label, words)
        return forms.led_to("answer", token=token, name=name, done="yes")
    return page("answer", name=name, label=gettext(label), game=presses.name_of_game(asked))
