"""Mails around games: of strangers, accounts, the operator, votes, and hosts."""

from datetime import timedelta
from email.message import EmailMessage
from typing import Any
from unicodedata import normalize

from sqlalchemy import select

from server import worker
from server.application.lobby import hosting
from server.application.lobby.seats import substitute
from server.application.operator import alerts, operators, remedies
from server.application.people import webhooks
from server.models import Game, Incoming, Move, Outage, Player, Webhook, session, transaction
from tests.injected import START
from tests.mail.album.pages import Album, operate
from tests.scenes import CHASE, PASSED, Stranger, chase, dealing, hunt, name, quiet, write
from tests.table import Table


def at_the_play_address(album: Album, table: Table) -> None:
    game = chase(table)
    quiet(table, "Cleo", "Dan", "Eve", "Finn")
    _ada, ben, *_ = game.people
    guest = table.person("Gwen")
    others = [*game.people[:1], ben, guest]
    open_id = others[0].post("/games", {"edition": "milton-bradley-1985", "players": 3}).json["id"]
    with table.app.app_context(), transaction():
        session.get_one(Game, open_id).name = "Rainy Soho"
    ben.post(f"/games/{open_id}/seats", {"seat": 2})
    table.tick()
    game.move(game.people[0], "black 100")
    table.tick()
    write(ben, "taxi 115")
    table.tick()
    album.keep("advice-no-proof", ben)
    write(ben, "status")
    table.tick()
    album.keep("answer-status-at-play", ben)
    write(guest, "help")
    table.tick()
    album.keep("advice-no-game", guest)


def a_detective_gives_up(album: Album, table: Table) -> None:
    game = hunt(table)
    quiet(table, "Ben", "Eve", "Finn")
    cleo = game.people[2]
    cleo.reply("RESIGN")
    table.tick()
    album.keep("answer-resign", cleo)
    cleo.reply("yes")
    table.tick()
    album.keep("answer-resigned", cleo)
    album.keep("resigned", game.people[3])


def the_operator_steps_in(album: Album, table: Table) -> None:
    """Two seats change hands, one of them Mr. X's, then the glass is broken."""
    game = hunt(table)
    quiet(table, "Dan", "Eve", "Finn")
    gwen, hugo = table.person("Gwen"), table.person("Hugo")
    for number, newcomer in ((2, gwen), (1, hugo)):
        with table.app.app_context():
            player = session.get_one(Player, newcomer.id)
            substitute(game.id, number, player, "nothing was heard of the player for more than two weeks")
            session.remove()
        table.tick()
    album.mails["substituted"], album.mails["substituted-others"] = gwen.mails[0], game.people[2].mails[-2]
    album.keep("substituted-mr-x", hugo)
    gwen.reply("taxi 115", to=gwen.mails[0])
    table.tick()
    with table.app.app_context():
        arrived = session.scalar(select(Incoming.id))
        remedies.unseal(game.id, "whether a move was read as it was written", arrived)
        session.remove()
    table.tick()
    album.keep("unsealed-mail", gwen)
    with table.app.app_context():
        remedies.unseal(game.id, "a complaint about the log")
        session.remove()
    table.tick()
    album.keep("unsealed", gwen)
    album.keep("unsealed-mr-x", hugo)


def a_stranger_is_invited(album: Album, table: Table) -> None:
    """Anna asks what it is about, declines, is invited again, and sits; Lou lets his invitation lapse."""
    ada, _ = table.people(2)
    guests = [{"role": "detective", "invite": f"{name}@example.org"} for name in ("anna", "lou", "ben")]
    seats = [{"role": "mr_x", "player": ada.id}, *guests]
    game_id = ada.post("/games", {"edition": "ravensburger-2000", "seats": seats}).json["id"]
    name(table, game_id)
    table.tick()
    anna = Stranger(table, "Anna")
    album.keep("invitation-stranger", anna)
    for text, title in (("What is this?", "advice-invitation"), ("NO", "answer-stranger-declined"),
                        ("YES", "advice-invitation-too-late")):  # fmt: skip
        anna.reply(text, to=album.mails["invitation-stranger"])
        table.tick()
        album.keep(title, anna)
    album.keep("vacant-declined", ada)
    ada.reply("INVITE anna@example.org")
    table.tick()
    album.keep("answer-invite", ada)
    anna.reply("YES")  # to the newest mail, which is the new invitation
    table.tick()
    album.keep("answer-stranger-accepted", anna)
    table.clock.turn(days=30)
    table.tick()
    album.mails["vacant-lapsed"] = ada.mails[-1]
    ada.request("DELETE", f"/games/{game_id}/seats/2")
    table.tick()
    album.keep("cleared", anna)


def a_table_by_mail(album: Album, table: Table) -> None:
    """Ada opens a game with drawn seats, Ben joins it by its code, and when it is over he wants to play again."""
    ada, ben, cleo = table.people(3)
    write(ada, "NEW condensed 3 with cleo@example.org")
    table.tick()
    album.keep("answer-new", ada)
    with table.app.app_context(), transaction():
        game = session.query(Game).one()
        game.name, code, path = "Foggy Thames", game.code, f"/games/{game.id}"
    ada.reply("YES")
    table.tick()
    album.keep("answer-new-confirmed", ada)
    album.keep("invitation-drawn", cleo)
    write(ben, f"JOIN {code}")
    table.tick()
    album.keep("answer-join", ben)
    cleo.reply("NO")
    ben.reply("LEAVE")
    table.tick()
    album.keep("vacant-left", ada)
    ben.post(f"{path}/seats", {"code": code})
    ada.request("PUT", f"{path}/seats/3", json={"bot": "constable"})
    ada.post(f"{path}/start")
    table.tick()
    mr_x, other = sorted((ada, ben), key=lambda person: person.get(path).json["you"]["seat"])
    mr_x.post(f"{path}/resign")
    table.tick()
    other.reply("REMATCH")
    table.tick()
    album.keep("answer-rematch", other)
    album.keep("invitation-rematch", mr_x)


def a_stranger_writes(album: Album, table: Table) -> None:
    """Zoe asks what this is, and what she can join, and plays; Yul writes PLAY at once, Xia becomes a player."""
    ada = table.person("Ada")
    for name_, visibility in (("Foggy Thames", "public"), ("Rainy Soho", "private")):
        made = ada.post("/games", {"edition": "condensed", "players": 3, "visibility": visibility}).json
        with table.app.app_context(), transaction():
            session.get_one(Game, made["id"]).name = name_
    zoe, yul, xia = (Stranger(table, name_) for name_ in ("Zoe", "Yul", "Xia"))
    for stranger, text, title in ((zoe, "What is this?", "stranger"), (yul, "PLAY", "stranger-play")):
        write(stranger, text, Authentication_Results=PASSED)
        table.tick()
        album.keep(title, stranger)
    write(xia, "LIST", Authentication_Results=PASSED)
    table.tick()
    album.keep("stranger-list", xia)
    xia.reply("JOIN 7")
    table.tick()
    album.keep("welcome-refused", xia)
    zoe.reply("Yes")
    table.tick()
    album.keep("welcome", zoe)
    for text in ("LIST", "SIGNUP"):
        write(zoe, text)
        table.tick()
        album.keep(f"advice-{text.lower()}", zoe)
    with dealing(table, 103, 26, 29, 34, 50, 91):
        yul.reply("YES\nLIST")
        table.tick()
    album.mails["answer-practice"] = _about(("practice game", "Übungsspiel"), yul.mails)


def accounts(album: Album, table: Table) -> None:
    """Somebody signs up, somebody else tries it with an address that is known; settings by mail."""
    game = hunt(table)
    ben, cleo = game.people[1:3]
    for address in ("gwen@example.org", ben.address):
        table.client.post("/api/v1/players", json={"name": "Gwen", "email": address})
    table.tick()
    album.mails["code"] = table.post.of("gwen@example.org")[-1]
    table.client.post("/sign-in", data={"email": "gwen@example.org"}, headers={"Sec-Fetch-Site": "same-origin"})
    table.tick()
    album.mails["sign_in"] = table.post.of("gwen@example.org")[-1]
    album.keep("tried", ben)
    for text, title in (("SET zone America/New_York", "set-zone"), ("STOP", "stop")):
        cleo.reply(text)
        table.tick()
        album.keep(f"answer-{title}", cleo)
    with table.app.app_context():
        operators.take_name(ben.id)
        session.remove()
    table.tick()
    album.keep("renamed", ben)


def webhooks_are_given_up(album: Album, table: Table) -> None:
    """A webhook says that it is gone, and another fails for days."""
    ben = hunt(table).people[1]
    ben.post("/webhooks", {"url": "http://127.0.0.1:9000/"})
    for why, title in (("gone", "webhook-gone"), ("failures", "webhook")):
        with table.app.app_context(), transaction():
            webhooks.give_up(session.scalars(select(Webhook)).one(), why)
        table.tick()
        album.keep(title, ben)


def the_operator_is_written_to(album: Album, table: Table, operator: str) -> None:
    """A mail to abuse@, the same with a mail of ours below it, and what the operator hears once a day."""
    words = "Somebody here invites me every day. Please stop that."
    below = "\n\n> Please write your answer above this line.\n> You are invited to a game.\n"
    for title, text in (("forwarded", words), ("forwarded-with-ours", words + below)):
        mail = EmailMessage()
        mail["From"], mail["To"], mail["Subject"] = "Jo <jo@example.org>", "abuse@localhost", "Invitations"
        mail["Message-ID"] = f"<{title}@example.org>"
        mail.set_content(text)
        table.deliver(mail.as_bytes(), "jo@example.org", "abuse@localhost")
        table.tick()
        album.mails[title] = table.post.of(operator)[-1]
    with table.app.app_context(), transaction():
        session.add(Outage(number=1, cause="mailbox", begin=START, end=START + timedelta(hours=5), state="done"))
    table.clock.turn(hours=5)
    with table.app.app_context():
        alerts.tell()
        session.remove()
    table.tick()
    album.mails["alert"] = table.post.of(operator)[-1]


def time_is_voted_on(album: Album, table: Table) -> None:
    """More time, another clock, an absence; at last Mr. X is late twice, and the detectives are asked."""
    game = chase(table)
    quiet(table, "Dan", "Eve", "Finn")
    with table.app.app_context(), transaction():
        row = session.get_one(Game, game.id)
        row.clock = {**row.clock, "mr_x_late": "vote"}
    table.tick()
    ada, ben, cleo, dan, *_ = game.people
    ben.reply("AWAY 24 Dec to 2 Jan")
    table.tick()
    album.keep("answer-away", ben)
    ada.reply("EXTEND 2 days")
    table.tick()
    album.keep("answer-extend", ada)
    album.keep("vote", cleo)
    cleo.reply("YES")
    table.tick()
    vote = ada.get(f"{game.path}/votes").json["votes"][-1]["id"]
    for person in (dan, ben):
        person.post(f"{game.path}/votes/{vote}", {"for": True})
    table.tick()
    album.keep("decided", cleo)
    dan.post(f"{game.path}/votes", {"kind": "clock", "clock": {"kind": "bank", "mr_x_late": "vote"}})
    table.tick()
    album.keep("vote-clock", cleo)
    for days in (4, 2):
        table.clock.turn(days=days)
        table.tick()
    album.keep("vote-claim", cleo)


def each_has_his_own_time(album: Album, table: Table) -> None:
    """A waiting player is told that the timer has not started; a reminder names the other games that wait."""
    people = table.people(6)
    quiet(table, "Ada", "Dan", "Eve", "Finn")
    for _ in range(2):
        game = table.game(people, position=CHASE, clock={"kind": "per_move", "detectives": "P1D"})
        name(table, game.id)
        game.move(people[0], "black 100")
    table.tick()
    album.keep("turn-own-time-ahead", people[2])
    table.clock.turn(hours=18)
    table.tick()
    album.keep("reminder-two-games", people[1])
    game.move(people[1], "taxi 115")
    table.tick()
    album.keep("go", people[2])


def somebody_is_late(album: Album, table: Table) -> None:
    game = table.game(table.people(6), position=CHASE, clock={"grace": "PT12H", "cover": True, "open_after": 1})
    name(table, game.id)
    quiet(table, "Ada", "Dan", "Eve", "Finn")
    ada, ben, cleo, *_ = game.people
    game.move(ada, "black 100")
    game.move(ben, "taxi 115")
    table.clock.turn(days=2)
    table.tick()
    album.keep("overdue", cleo)
    album.keep("overdue-others", ben)
    table.clock.turn(hours=12)
    table.tick()
    album.mails["offered"] = _about(("may take the seat of", "kann übernommen werden"), ben.mails)


def a_game_does_not_begin(album: Album, table: Table) -> None:
    ada, ben = table.people(2)
    opened = ada.post("/games", {"edition": "condensed", "players": 2}).json["id"]
    ben.post(f"/games/{opened}/seats", {"seat": 2})
    name(table, opened)
    for days, kind in ((23, "expiring"), (7, "expired")):
        table.clock.turn(days=days)
        with table.app.app_context():
            worker.warn_or_end_neglected_games()
        table.tick()
        album.keep(kind, ben)


def a_draw(album: Album, table: Table) -> None:
    """Five agree on a draw and the last is asked once more; before that the operator had given more time."""
    game = hunt(table)
    quiet(table, "Cleo", "Dan", "Eve")
    operate(table, remedies.extend, game.id, "P1D", "the mail of half of us did not come through")
    album.keep("extended-on-go", game.people[1])
    album.keep("extended-mr-x", game.people[0])
    for person, title in ((game.people[1], "offered"), (game.people[1], "withdrawn")):
        person.reply("DRAW" if title == "offered" else "DRAW off")
        table.tick()
        album.keep(f"answer-draw-{title}", person)
    album.keep("draw", game.people[0])
    game.contest()
    for person in game.people[:-1]:
        person.post(f"{game.path}/draw")
    table.tick()
    finn = game.people[-1]
    for text, title in (("DRAW", "asked"), ("YES", "agreed")):
        finn.reply(text)
        table.tick()
        answers = [mail for mail in finn.mails if mail["Auto-Submitted"] == "auto-replied"]
        album.mails[f"answer-draw-{title}"] = answers[-1]
    album.keep("ended-agreed", game.people[1])
    operate(table, remedies.reinstate, game.id, "not all of you had meant it")
    album.keep("reinstated-in-the-hunt", game.people[1])
    operate(table, remedies.void, game.id, "nobody of you wants to go on")
    album.keep("ended-voided", game.people[1])


def rows_are_damaged(album: Album, table: Table) -> None:
    """The moves of a game that runs are lost."""
    game = hunt(table)
    quiet(table, "Cleo", "Dan", "Eve", "Finn")
    ben = game.people[1]
    with table.app.app_context(), transaction():
        session.query(Move).where(Move.game_id == game.id).delete()
    operate(table, remedies.void, game.id, "the disk was full")
    album.keep("ended-damaged", ben)


def the_host_goes(album: Album, table: Table) -> None:
    """In a game that has not begun, in one that runs, and by an act of the operator."""
    game = hunt(table)
    ada, ben, cleo, *_ = game.people
    open_id = ada.post("/games", {"edition": "milton-bradley-1985", "players": 3}).json["id"]
    with table.app.app_context(), transaction():
        session.get_one(Game, open_id).name = "Rainy Soho"
    for seat, person in ((1, ada), (2, ben)):
        person.post(f"/games/{open_id}/seats", {"seat": seat})
    ada.request("DELETE", f"/games/{open_id}/seats/1")
    table.tick()
    album.keep("host", ben)
    ada.reply("HOST red", to=ada.mails[0])
    table.tick()
    album.keep("answer-host", ada)
    album.keep("host-running", cleo)
    operate(table, hosting.appoint, game.id, 2, "the host is on a ship")
    album.keep("host-appointed", ben)


def asked_first(album: Album, table: Table) -> None:
    game = hunt(table)
    ben = game.people[1]
    said = "taxi 115\n\nI am heading south to cut him off."
    for text, title in (
        ("SET hold always", "set-hold"), ("taxi 115", "held"), ("NO", "stopped"), (said, "words-kept"),
    ):  # fmt: skip
        ben.reply(text)
        table.tick()
        album.keep(f"answer-{title}", ben)
    ben.post("/me/addresses", {"email": "ben@work.example"})
    table.tick()
    album.mails["address"] = table.post.of("ben@work.example")[-1]


def _about(words: tuple[str, ...], mails: list[Any]) -> Any:
    """The first mail that has these words in its subject, in any language."""
    return next(mail for mail in mails if any(each in normalize("NFKC", str(mail["Subject"])) for each in words))
