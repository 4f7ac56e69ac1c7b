"""Fixed games whose mails are compared with the golden files."""

from pathlib import Path
from typing import Any

from tests.mail.album import games, people
from tests.mail.album.pages import Album
from tests.scenes import KEY
from tests.table import Table


def album(folder: Path) -> dict[str, Any]:
    """A mail of every kind, by the name of its golden file: the kind, and what is special about it."""
    kept = Album()
    games.a_game_by_mail(kept, _table(folder / "by-mail"))
    games.a_game_that_lateness_ends(kept, _table(folder / "late"))
    games.a_capture(kept, _table(folder / "capture"))
    games.two_pawns_each(kept, _table(folder / "pawns"))
    games.advice(kept, _table(folder / "advice"))
    games.from_elsewhere(kept, _table(folder / "elsewhere"))
    games.talk(kept, _table(folder / "talk"))
    people.at_the_play_address(kept, _table(folder / "play"))
    people.a_detective_gives_up(kept, _table(folder / "gives-up"))
    people.the_operator_steps_in(kept, _table(folder / "operator"))
    people.accounts(kept, _table(folder / "accounts"))
    people.a_draw(kept, _table(folder / "draw"))
    people.the_host_goes(kept, _table(folder / "host"))
    people.rows_are_damaged(kept, _table(folder / "damaged"))
    people.asked_first(kept, _table(folder / "asked"))
    people.a_stranger_is_invited(kept, _table(folder / "strangers"))
    people.a_stranger_writes(kept, Table(folder / "unknown", secret_key=KEY, sandbox="1", authserv_id="mx"))
    people.a_table_by_mail(kept, _table(folder / "tables"))
    people.time_is_voted_on(kept, _table(folder / "votes"))
    people.each_has_his_own_time(kept, _table(folder / "own-time"))
    people.somebody_is_late(kept, _table(folder / "grace"))
    games.time_runs_out_during_a_question(kept, _table(folder / "question"))
    people.a_game_does_not_begin(kept, _table(folder / "unstarted"))
    games.as_much_as_they_want(kept, _table(folder / "amounts"))
    operator = "operator@yard.example"
    people.the_operator_is_written_to(kept, Table(folder / "alerts", secret_key=KEY, operator_email=operator), operator)
    return kept.mails


def _table(folder: Path) -> Table:
    return Table(folder, secret_key=KEY, sandbox="1", min_turn="PT1S")
