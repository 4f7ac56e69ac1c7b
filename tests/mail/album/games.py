"""Mails of games: from the invitation to the end, in time and late."""

from server.application.operator import remedies
from server.models import Game, session, transaction
from tests.mail.album.pages import Album
from tests.scenes import CHASE, chase, dealing, hunt, name, new_hunt, quiet
from tests.table import Playing, Table


def a_game_by_mail(album: Album, table: Table) -> None:
    """From the invitation to moves of both sides."""
    ada, ben, cleo, dan, _eve, finn = people = table.people(6)
    seats = [{"role": "mr_x", "player": ada.id}, *({"role": "detective", "player": person.id} for person in people[1:])]
    game_id = ada.post("/games", {"edition": "ravensburger-2000", "position": CHASE, "seats": seats}).json["id"]
    name(table, game_id)
    table.tick()
    album.keep("invitation", ben)
    for person in people[1:]:
        person.reply("Yes")
        table.tick()
    album.keep("answer-invitation-accepted", finn)
    quiet(table, "Eve", "Finn")
    album.keep("complete", ada)
    ada.reply("START")
    table.tick()
    album.keep("turn-mr-x", ada)
    album.keep("started", ben)
    ada.reply("black 100", to=album.mails["turn-mr-x"])
    table.tick()
    album.keep("answer-mr-x-moved", ada)
    album.keep("turn-on-go", ben)
    album.keep("turn-ahead", cleo)
    cleo.reply("b 102")
    dan.reply("I'll take the taxi to 140, I think", to=dan.mails[-1])
    table.tick()
    album.keep("answer-kept", cleo)
    album.keep("advice-did-you-mean", dan)
    dan.reply("yes!")
    table.tick()
    album.keep("answer-yes", dan)
    ben.reply("bus 102")
    table.tick()
    album.keep("answer-moved", ben)
    album.keep("returned", cleo)
    cleo.reply("CANCEL")
    table.tick()
    album.keep("answer-cancel", cleo)


def a_game_that_lateness_ends(album: Album, table: Table) -> None:
    """The house moves for detectives, then Mr. X sleeps, is taken up again, and sleeps once more."""
    game = chase(table)
    quiet(table, "Cleo", "Dan", "Eve")
    ada, ben, *_, finn = game.people
    game.move(ada, "double taxi 112 black 100")
    table.clock.turn(hours=36)
    table.tick()
    album.keep("reminder", ben)
    table.clock.turn(hours=12)
    table.tick()
    album.keep("late", finn)
    quiet(table, "Finn")
    album.keep("turn-mr-x-after-the-house", ada)
    table.clock.turn(hours=36)
    table.tick()
    album.keep("reminder-mr-x", ada)
    table.clock.turn(hours=12)
    table.tick()
    album.keep("granted", ben)
    album.keep("granted-mr-x", ada)
    for text in ("LOG", "REPLAY"):
        ada.reply(text)
        table.tick()
        album.keep(f"answer-{text.lower()}-mr-x", ada)
    table.clock.turn(hours=48)
    table.tick()
    album.keep("ended-provisional", ben)
    album.keep("ended-provisional-mr-x", ada)
    table.clock.turn(hours=1)
    with table.app.app_context():
        remedies.reinstate(game.id, "the mail server was down")
        session.remove()
    table.tick()
    album.keep("reinstated", ben)
    album.keep("reinstated-mr-x", ada)
    table.clock.turn(hours=48)
    table.tick()
    table.clock.turn(hours=48)
    table.tick()
    table.clock.turn(hours=24)
    table.tick()
    album.keep("final", ben)
    album.keep("final-mr-x", ada)
    ben.reply("REPLAY")
    table.tick()
    album.keep("answer-replay-final", ben)


def time_runs_out_during_a_question(album: Album, table: Table) -> None:
    """A detective, and then Mr. X, is asked what they meant, and does not answer."""
    game = chase(table)
    quiet(table, "Cleo", "Dan", "Eve", "Finn")
    ada, ben = game.people[:2]
    game.move(ada, "black 100")
    table.tick()
    ben.reply("taxi 115\nor maybe bus 102")
    table.tick()
    table.clock.turn(hours=48)
    table.tick()
    album.keep("late-question", ben)
    ada.reply('Ben says "taxii 101"')
    table.tick()
    table.clock.turn(hours=48)
    table.tick()
    album.keep("granted-question-mr-x", ada)


def a_capture(album: Album, table: Table) -> None:
    game = chase(table)
    quiet(table, "Cleo", "Dan", "Eve", "Finn")
    ada, ben, cleo, dan, eve, _finn = game.people
    game.move(ada, "black 124")
    game.move(ben, "purple taxi 115")
    game.move(cleo, "red underground 111")
    game.move(dan, "green taxi 140")
    game.move(eve, "yellow bus 124")
    table.tick()
    album.keep("ended", ben)
    album.keep("ended-mr-x", ada)


def as_much_as_they_want(album: Album, table: Table) -> None:
    """Ben and Mr. X have one mail a day, Eve wants every move; then Ben has two games."""
    game = chase(table)
    quiet(table, "Cleo", "Dan", "Finn")
    ada, ben, cleo, dan, eve, finn = game.people
    table.tick()
    ben.reply("SET mail daily 19:00\nSET mail daily 18:00 in this game")
    ada.reply("SET mail daily 9:30")
    eve.reply("SET mail every move here")
    table.tick()
    album.keep("answer-set-mail", ben)
    game.move(ada, "black 100")
    table.tick()
    dan.post(f"{game.path}/messages", {"to": "team", "text": "Who can cover 113?"})
    game.move(ben, "taxi 115")
    table.tick()
    album.keep("moved", eve)
    eve.request("PATCH", f"{game.path}/preferences", json={"mail": "off"})
    ben.reply("STATUS")
    table.tick()
    album.keep("answer-status-held", ben)
    for person in (cleo, dan, eve, finn):
        game.move(person)
    table.clock.turn(hours=15, minutes=30)
    table.tick()
    album.keep("digest-mr-x", ada)
    game.move(ada, "taxi 101")
    table.tick()
    game.move(ben, "taxi 127")
    table.clock.turn(hours=8, minutes=30)
    table.tick()
    album.keep("digest", ben)
    ada.request("PATCH", "/me/preferences", json={"mail": "moves"})
    game.move(cleo)
    table.tick()
    album.keep("moved-mr-x", ada)
    in_two_games(album, table, game)


def in_two_games(album: Album, table: Table, game: Playing) -> None:
    ada, ben, cleo, *_ = game.people
    quiet(table, "Eve")
    ben.request("PATCH", f"{game.path}/preferences", json={"mail": "inherit"})
    other = table.game([ada, cleo, ben, *game.people[3:]], position=CHASE)
    with table.app.app_context(), transaction():
        session.get_one(Game, other.id).name = "Murky Strand"
    other.move(ada, "taxi 112")
    table.tick()
    ada.post(f"{game.path}/messages", {"to": "all", "text": "Where am I?"})
    table.tick()
    table.clock.turn(hours=1)
    table.tick()
    album.keep("digest-two-games", ben)
    table.clock.turn(hours=26)
    cleo.post(f"{game.path}/messages", {"to": "team", "text": "Are you there?"})
    table.tick()
    table.clock.turn(minutes=30)
    table.tick()
    album.keep("digest-reminder", ben)
    ben.request("PATCH", "/me/preferences", json={"mail": "daily 22:30"})
    table.clock.turn(hours=24)
    table.tick()
    with table.app.app_context():
        remedies.void(other.id, "it was a trial")
        session.remove()
    table.tick()
    table.clock.turn(hours=1)
    table.tick()
    album.keep("digest-ended", ben)


def two_pawns_each(album: Album, table: Table) -> None:
    people = table.people(3)
    with dealing(table, 103, 26, 29, 34, 50):
        game = table.game(people)
    name(table, game.id)
    ada, ben, cleo = people
    game.move(ada, "taxi 86")
    table.tick()
    album.keep("turn-two-pawns", ben)
    album.keep("turn-two-pawns-ahead", cleo)
    ben.reply("purple taxi 15")
    table.tick()
    album.keep("answer-one-of-two", ben)


def advice(album: Album, table: Table) -> None:
    game = chase(table)
    ada, ben, cleo, dan, eve, finn = game.people
    table.tick()
    ada.reply("taxi 46")
    table.tick()
    album.keep("advice-illegal-mr-x", ada)
    game.move(ada, "black 100")
    table.tick()
    for person, text, title in (
        (ben, "taxi 103", "illegal"),
        (cleo, "102\nunderground 13", "two-moves-for-one-pawn"),
        (dan, "127", "ambiguous"),
        (eve, "I think that we have him.", "no-command"),
    ):
        person.reply(text)
        table.tick()
        album.keep(f"advice-{title}", person)
    old = finn.mails[1]
    for text in ("HELP", "HELP ALL"):
        finn.reply(text, to=old)
        table.tick()
        album.keep(f"advice-{text.lower().replace(' ', '-')}", finn)
    finn.reply("Good evening, everybody!", to=old)
    table.tick()
    album.keep("advice-courteous", finn)
    finn.reply("taxi 170", sender="Finn", to=old)
    table.tick()
    album.keep("advice-other-sender", finn)
    for text in ("STATUS", "LEGAL", "LOG", "REPLAY", "RULES", "MAP", "BOARD 100", "BOARD 91 46", "TRY taxi 84"):
        cleo.reply(text)
        table.tick()
        album.keep(f"answer-{text.lower().replace(' ', '-')}", cleo)
    table.clock.turn(hours=48)
    table.tick()
    dan.reply("taxi 140", to=dan.mails[1])
    table.tick()
    album.keep("advice-late", dan)
    ada.reply("STATUS")
    table.tick()
    album.keep("answer-status-mr-x", ada)


def from_elsewhere(album: Album, table: Table) -> None:
    """Mails to reply addresses from other addresses than those of the players they were printed for."""
    # Not `hunt`: these mails arrive at one instant, and ids that are drawn decide which is read first.
    _, ben, cleo, dan, *_ = new_hunt(table).people
    ben.reply("Hello!\nbus 102\nSAY From my telephone", sender="Ben <ben@phone.example>")
    cleo.reply("taxi 66", sender="Dan <dan@example.org>")
    dan.reply("taxi 140", DKIM_Signature="v=1; a=rsa-sha256; d=example.org; s=x; h=from; l=1; bh=YQ==; b=YQ==")
    table.tick()
    album.keep("advice-unknown-sender", ben)
    album.keep("advice-other-player", cleo)
    album.keep("advice-forged", dan)
    ben.reply("YES")
    table.tick()
    album.keep("answer-unknown-sender", ben)


def talk(album: Album, table: Table) -> None:
    """A detective writes to the team, another to all, and Mr. X back."""
    game = hunt(table)
    quiet(table, "Eve", "Finn")
    ada, ben, cleo, dan, *_ = game.people
    dan.reply('SAY Who can cover 100? If he took the "ferry" he may be at 115, or anywhere down the river')
    table.tick()
    album.keep("answer-said", dan)
    album.keep("talk", ben)
    ben.reply("SAY ALL Good evening, Mr. X")
    table.tick()
    album.keep("talk-all", cleo)
    album.keep("talk-all-mr-x", ada)
    ada.reply("SAY ALL You will never find me")
    table.tick()
    album.keep("answer-said-mr-x", ada)
    ada.reply("SAY to nobody in particular")
    table.tick()
    album.keep("advice-no-team", ada)
