"""The commands about games, those that a player plays by them, and games without a server."""

import click

from server.cli.group import command, group, reason

ROLES = click.Choice(["mr_x", "detective"])
USUAL = "ravensburger-2000"  # as in the engine, and the levels as of the bots, which take longer to load than help
edition = click.option("--edition", default=USUAL, show_default=True, help="A word of its name is enough.")
options = click.option(
    "--option", "options", metavar="NAME=VALUE", multiple=True, help="Of the edition; the value is JSON."
)
level = click.option("--level", type=click.Choice(["easy", "fair", "good"]), default="easy", show_default=True,
                     help="Of the bots.")  # fmt: skip
guest_rules = click.option(
    "--guests",
    "rules",
    metavar="RULE",
    multiple=True,
    help="What people without an address may do: none, detectives or any; or talk=true, stay=P3D, pairs=false.",
)

group("game", "Games, as a spectator sees them.")


@command("game list", "games.list_", "--json")
def game_list() -> None:
    """List the games."""


@command("game show", "games.show_", "qdkh42kairbh6ktx")
@click.argument("game_or_file")
def game_show() -> None:
    """Show one game: seats, pawns, the travel log, whose turn it is.

    A file is a game record, text or JSON; it is shown with its moves, round by round.
    """


@command("game replay", "games.replay", "qdkh42kairbh6ktx")
@click.argument("game_or_file")
@click.option("--ply", type=click.IntRange(0), help="Stop after so many moves.")
@click.option("--step", is_flag=True, help="A line for every move, with the stations of all pawns after it.")
def game_replay() -> None:
    """Replay a game record, text or JSON, and show where all pawns are.

    Until its result is final, a game of this server is replayed as everybody saw it. A record without Mr. X's stations
    is checked against the rules all the same.
    """


@command("game reinstate", "games.reinstate", 'qdkh42kairbh6ktx --reason "the provider was out"')
@click.argument("game_id")
@reason
def game_reinstate() -> None:
    """Reinstate a game that ended by something else than play, while its result is provisional."""


@command("game end", "games.end", 'qdkh42kairbh6ktx --reason "all have left"')
@click.argument("game_id")
@reason
def game_end() -> None:
    """End a running game without a winner, or close one that has not begun; everybody in it gets a mail.

    The result of a running game is provisional for as long as the game's clock says. A game that `blackticket doctor`
    calls broken can be ended in any case; one that cannot be rebuilt is over for good.
    """


@command("game host", "games.host", 'qdkh42kairbh6ktx 2 --reason "the host is away"')
@click.argument("game_id")
@click.argument("seat", type=int)
@reason
def game_host() -> None:
    """Make the player of a seat the host of the game, if the host is gone."""


@command("game practice", "games.practice", "ada@example.org --as mr_x --edition 1985")
@click.argument("player")
@click.option("--as", "role", type=click.Choice(["mr_x", "detective", "team"]), default="detective", show_default=True)
@edition
@click.option("--players", type=click.IntRange(2, 6), help="How many; the most the edition allows, if left out.")
@level
@options
def game_practice() -> None:
    """Start a game of one player, named by id or mail address, with bots on all other seats.

    As `team` they move all detectives; as `detective`, one.
    """


@command("game substitute", "games.substitute", 'qdkh42kairbh6ktx 3 bob@example.org --reason "Ada is ill"')
@click.argument("game_id")
@click.argument("seat", type=int)
@click.argument("player")
@reason
def game_substitute() -> None:
    """Give a seat of a running game to another player, named by id or mail address.

    Reply addresses, queued moves and mails of the old player are no longer valid; the new one gets a full turn.
    """


@command("game unseal", "games.unseal", 'qdkh42kairbh6ktx --reason "a complaint that the log is wrong"')
@click.argument("game_id")
@reason
@click.option("--mail", "mail_id", metavar="ID", help="Look at one mail of the game instead; the lists name them.")
def game_unseal() -> None:
    """Unseal a game: show its record as Mr. X sees it, before the result is final.

    The sealed log of the game notes at once that you did and why, and every player gets a mail about it.
    """


@command("demo", "blackticket.demo.play", has_json=False)
@click.option("--seed", type=int, help="Settle the players' choices; the deal is always the server's own.")
def demo() -> None:
    """Play a whole game on a server of its own: three by mail, three by REST, one asleep for a deadline."""


@command("game new", "lobby.new", "ada@example.org")
@click.argument("host")
@edition
@click.option("--players", type=int, help="How many players, Mr. X included; the guests, or the most, if left out.")
@click.option(
    "--as",
    "role",
    type=ROLES,
    help="The role of the host; without it they only look after the game.",
)
@click.option("--invite", "guests", metavar="GUEST", multiple=True, help="Several times; Mr. X's seat is given first.")
@options
@click.option("--clock", metavar="JSON", help="As in the API; the default clock, if left out.")
@click.option("--visibility", type=click.Choice(["public", "private"]), default="private", show_default=True)
@click.option("--seating", type=click.Choice(["chosen", "lot", "rotation"]), default="chosen", show_default=True)
@click.option("--start-when-full", "starts_when_full", is_flag=True, help="Start when the last seat is taken.")
@click.option("--label", help="A line of text to find the game by.")
@click.option("--name", help="Of the game; one such as Foggy Thames, if left out.")
@guest_rules
def game_new() -> None:
    """Open a game for a host, and invite players to it."""


@command("game change", "lobby.change", 'qdkh42kairbh6ktx --name "Friday night" --guests any')
@click.argument("game_id")
@click.option("--name", help="The new name of the game.")
@click.option("--public", is_flag=True, help="Let everybody see the game and take an open seat, for good.")
@guest_rules
def game_change() -> None:
    """Change a game that has not begun, in the name of the host."""


@command("game close", "lobby.close", "qdkh42kairbh6ktx")
@click.argument("game_id")
def game_close() -> None:
    """Close a game that has not begun, in the name of the host; its people get a mail."""


@command("game remind", "lobby.remind", "qdkh42kairbh6ktx 2")
@click.argument("game_id")
@click.argument("seat", type=int)
def game_remind() -> None:
    """Mail the invitation to a seat once more, in the name of the host; once a day."""


@command("game link", "lobby.link", "qdkh42kairbh6ktx 2")
@click.argument("game_id")
@click.argument("seat", type=int)
def game_link() -> None:
    """Make a link with which the guest on a seat goes on in another browser; all at the table see when it is used."""


@command("game invite", "lobby.invite", "qdkh42kairbh6ktx bob@example.org")
@click.argument("game_id")
@click.argument("guest")
@click.option("--seat", type=int, help="The first that is open, if left out.")
def game_invite() -> None:
    """Reserve an open seat for somebody, in the name of the host; a bot takes it at once."""


@command("game join", "lobby.join", "qdkh42kairbh6ktx bob@example.org")
@click.argument("game_id")
@click.argument("player")
@click.option("--seat", type=int, help="The one reserved for them, or the first that is open, if left out.")
@click.option("--as", "role", type=ROLES)
def game_join() -> None:
    """Give a player a seat in a game that has not begun."""


@command("game leave", "lobby.leave", "qdkh42kairbh6ktx bob@example.org")
@click.argument("game_id")
@click.argument("player")
@click.option("--seat", type=int, help="Any seat, if PLAYER is the host; their own, if left out.")
def game_leave() -> None:
    """Leave a game before the start or decline an invitation for a player, or clear a seat for the host."""


@command("game start", "lobby.start", "qdkh42kairbh6ktx")
@click.argument("game_id")
def game_start() -> None:
    """Deal and start the game, in the name of the host."""


@command("game rematch", "lobby.rematch", "qdkh42kairbh6ktx ada@example.org")
@click.argument("game_id")
@click.argument("player")
def game_rematch() -> None:
    """Open the rematch of a game that is over in the name of one of its players, or give them their seat in it."""


@command("game table", "games.table", "league --csv players")
@click.argument("label")
@click.option("--csv", "which", type=click.Choice(["players", "games"]), help="Print one of the two as CSV.")
def game_table() -> None:
    """Show the table of the games with a label: wins by player, who owes a move until when, and what is over."""


@command("verify", "verify.verify", "transcript.json")
@click.argument("game_or_path", nargs=-1, required=True)
@click.option("--rebuild", is_flag=True, help="Rebuild the rows of broken games from their moves and public events.")
def verify() -> None:
    """Check the sealed log of a game of this server, or of a transcript; mailboxes too, if they are named.

    It runs the verifier that players download, which shares no code with the server. The exit status is 0 if all
    checks pass, 1 if one fails, 2 if the input cannot be read.

    With --rebuild it does something else: games of this server that `blackticket doctor` calls broken get their rows
    back, and are open to moves again. One whose moves and public events do not agree is refused.
    """


@command("play", "play.play", "Foggy taxi 46")
@click.argument("game", required=False)
@click.argument("move", nargs=-1)
@click.option("--url", envvar="BLACKTICKET_URL", help="The server; the one of this folder, if left out.")
@click.option("--token", envvar="BLACKTICKET_TOKEN", help="Your token, with the scopes read and play; see above.")
@click.option("--try", "only_tried", is_flag=True, help="Say whether the move could be made, and make none.")
def play() -> None:
    """Play from a terminal, on any server: list your games, look at one, move.

    Alone it lists your games, those that wait for you first. With GAME, a name, the beginning of one, or an id, it
    shows that one as you may see it, and what you may send. With a MOVE as well, such as "taxi 46" or "red taxi 46",
    it sends that.

    Without a URL it asks this machine, at the HTTP_LISTEN of the folder you are in.

    Better set BLACKTICKET_URL and BLACKTICKET_TOKEN: other users of your machine can see options.
    """


@command("arena", "arena.arena", "good fair --games 100")
@click.argument("detectives")
@click.argument("mr_x")
@click.option("--edition", default=USUAL, show_default=True)
@click.option("--people", type=click.IntRange(2, 6), default=6, show_default=True, help="Mr. X included.")
@click.option("--games", type=click.IntRange(1), default=20, show_default=True)
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="Of the first game.")
def arena() -> None:
    """Let DETECTIVES and MR_X play games against each other, and tell how often each wins and how long they think.

    Each is a level of the bots (easy, fair, good), `chance`, or a function of yours in a file: my_bot.py:choose. It
    gets the view of the game, the legal moves and a random generator, and returns one of the moves.
    """
