"""The commands about players, their addresses and tokens, what they report, and networks."""

import click

from server.cli.group import command, group

group("player", "Players and their tokens.")
group("player address", "The mail addresses of players. PLAYER is an id or a mail address; you vouch for what you add.")
group("player token", "Tokens for REST. PLAYER is an id or a mail address.")
group("abuse", "Reports of people on messages, names and invitations.")
group(
    "network",
    "Networks from which nobody plays: no page of a game or an account, no answer of the API, no mail in by SMTP.",
)


@command("player add", "players.add", "Ada ada@example.org --zone Europe/London")
@click.argument("name")
@click.argument("email")
@click.option("--zone", default="UTC", show_default=True, help="Time zone for mails, such as Europe/London.")
def player_add() -> None:
    """Add a player; you vouch for the address. They get a mail on how to begin. The token is shown only now."""


@command("player import", "players.import_", "club.csv")
@click.argument("file")
def player_import() -> None:
    """Add all players of a CSV file (- is standard input), or none if anything is wrong with it.

    One line for each player: name,email or name,email,zone. A first line with these words is skipped. You vouch for the
    addresses. Each new token is shown only now. Players who exist already are listed and not changed.
    """


@command("player show", "players.show_", "ada@example.org")
@click.argument("player")
def player_show() -> None:
    """Show one player, named by id or mail address: addresses, settings, tokens, games."""


@command("player rename", "players.rename", 'ada@example.org "Ada L."')
@click.argument("player")
@click.argument("name")
def player_rename() -> None:
    """Change the name of a player, given by id or mail address; also to one that was taken away from them."""


@command("player list", "players.list_", "--json")
def player_list() -> None:
    """List the players."""


@command("player grant", "players.grant", "ada@example.org operator")
@click.argument("player")
@click.argument("capability", metavar="operator", type=click.Choice(["operator"]))
def player_grant() -> None:
    """Let a player open the operator's pages, at /operator."""


@command("player withdraw", "players.withdraw", "ada@example.org operator")
@click.argument("player")
@click.argument("capability", metavar="operator", type=click.Choice(["operator"]))
def player_withdraw() -> None:
    """Take a capability from a player."""


@command("player address add", "players.add_address", "ada@example.org ada@example.net --primary")
@click.argument("player")
@click.argument("email")
@click.option("--primary", is_flag=True, help="Send all mail there from now on.")
def player_address_add() -> None:
    """Give a player one more address; with --primary all their mail goes to it."""


@command("player address remove", "players.remove_address", "ada@example.org")
@click.argument("email")
def player_address_remove() -> None:
    """Remove an address from its player; the primary one cannot be removed."""


@command("player token add", "players.add_token", "ada@example.org")
@click.argument("player")
@click.option("--name", default="by the operator", show_default=True, help="The name that its owner sees.")
@click.option("--scope", "scopes", multiple=True, help="read, play, host or admin; several times; all if left out.")
@click.option("--expires", metavar="DURATION", help="How long it is valid, such as P30D; for ever if left out.")
def player_token_add() -> None:
    """Give a player one more token. It is shown only now."""


@command("player token list", "players.list_tokens", "ada@example.org")
@click.argument("player")
def player_token_list() -> None:
    """List the tokens of a player. Only the player can see when they were used."""


@command("player token revoke", "players.revoke_token", "6wq2m4xk")
@click.argument("token_id")
def player_token_revoke() -> None:
    """Revoke a token, by the id that `token list` shows."""


@command("abuse list", "players.list_reports", "--json")
def abuse_list() -> None:
    """List the reports that wait for you, the oldest first.

    The words of a message to a team are shown only when the result of its game is final.
    """


@command("abuse report", "players.report", "qdkh42kairbh6ktx ada@example.org message 3")
@click.argument("game_id")
@click.argument("player")
@click.argument("kind", metavar="KIND", type=click.Choice(["message", "name", "invitation"]))
@click.argument("number", type=int, required=False)
def abuse_report() -> None:
    """Report for a player: message NUMBER as they read it, the name on seat NUMBER (0: the host), or an invitation."""


@command("abuse settle", "players.settle", "6wq2m4xkbd7lzzpa")
@click.argument("report_id")
def abuse_settle() -> None:
    """Settle a report, by the id that `abuse list` shows: it needs nothing more."""


@command("network list", "players.list_networks", "--json")
def network_list() -> None:
    """List the blocked networks."""


@command("network block", "players.block", "203.0.113.0/24 --for P30D")
@click.argument("network")
@click.option("--for", "length", default="P7D", show_default=True, metavar="DURATION", help="How long, P365D at most.")
def network_block() -> None:
    """Block an address or a network, such as 203.0.113.0/24 or 2001:db8::/48."""


@command("network unblock", "players.unblock", "203.0.113.0/24")
@click.argument("network")
def network_unblock() -> None:
    """End the block of a network."""
