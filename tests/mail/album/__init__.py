"""Fixed games whose mails are compared with the golden files."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from server.vocabulary.translation import ENGLISH, speak, speaking
from tests.mail.album import games, people
from tests.mail.album.pages import Album
from tests.scenes import KEY
from tests.table import Table

SITE = "https://yard.example"


def album(folder: Path, public_url: str | None = None, language: str = ENGLISH) -> dict[str, Any]:
    """A mail of every kind, by the name of its golden file: the kind, and what is special about it.

    All players read this language.
    """

    def table(name: str, **settings: str) -> Table:
        speak(language)
        site = {"public_url": public_url} if public_url else {}
        return Table(folder / name, secret_key=KEY, sandbox="1", min_turn="PT1S", **site, **settings)

    with speaking(ENGLISH):  # whatever the last scene speaks
        return _mails(table, public_url)


def _mails(table: Callable[..., Table], public_url: str | None) -> dict[str, Any]:
    kept = Album()
    games.a_game_by_mail(kept, table("by-mail"))
    games.a_game_that_lateness_ends(kept, table("late"))
    games.a_capture(kept, table("capture"))
    games.two_pawns_each(kept, table("pawns"))
    games.advice(kept, table("advice"))
    games.from_elsewhere(kept, table("elsewhere"))
    games.talk(kept, table("talk"))
    people.at_the_play_address(kept, table("play"))
    people.a_detective_gives_up(kept, table("gives-up"))
    people.the_operator_steps_in(kept, table("operator"))
    people.accounts(kept, table("accounts"))
    if public_url is None:  # a server without one may call this machine
        people.webhooks_are_given_up(kept, table("webhooks"))
    people.a_draw(kept, table("draw"))
    people.the_host_goes(kept, table("host"))
    people.rows_are_damaged(kept, table("damaged"))
    people.asked_first(kept, table("asked"))
    people.a_stranger_is_invited(kept, table("strangers"))
    people.a_stranger_writes(kept, table("unknown", authserv_id="mx"))
    people.a_table_by_mail(kept, table("tables"))
    people.time_is_voted_on(kept, table("votes"))
    people.each_has_his_own_time(kept, table("own-time"))
    people.somebody_is_late(kept, table("grace"))
    games.time_runs_out_during_a_question(kept, table("question"))
    people.a_game_does_not_begin(kept, table("unstarted"))
    games.as_much_as_they_want(kept, table("amounts"))
    operator = "operator@yard.example"
    people.the_operator_is_written_to(kept, table("alerts", operator_email=operator), operator)
    return kept.mails
