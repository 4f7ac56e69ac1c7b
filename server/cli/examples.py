"""An example for every command, which `--help` shows below its options."""

from collections.abc import Iterator

import click

EXAMPLES = {
    "setup": "--address yard@example.org --operator you@example.com",
    "serve": "",
    "web": "",
    "worker": "",
    "db upgrade": "",
    "backup": "/var/backups/blackticket/2026-11-21.db",
    "restore": "/var/backups/blackticket/2026-11-21.db --replace",
    "release": "--drop-mails",
    "key rotate": "",
    "doctor": "--mail",
    "player add": "Ada ada@example.org --zone Europe/London",
    "player import": "club.csv",
    "player show": "ada@example.org",
    "player rename": 'ada@example.org "Ada L."',
    "player list": "--json",
    "player grant": "ada@example.org operator",
    "player withdraw": "ada@example.org operator",
    "player address add": "ada@example.org ada@example.net --primary",
    "player address remove": "ada@example.org",
    "player token add": "ada@example.org",
    "player token list": "ada@example.org",
    "player token revoke": "6wq2m4xk",
    "game list": "--json",
    "game show": "qdkh42kairbh6ktx",
    "game replay": "qdkh42kairbh6ktx",
    "game reinstate": 'qdkh42kairbh6ktx --reason "the provider was out"',
    "game end": 'qdkh42kairbh6ktx --reason "all have left"',
    "game repair": 'qdkh42kairbh6ktx --reason "the disk was full"',
    "game host": 'qdkh42kairbh6ktx 2 --reason "the host is away"',
    "game practice": "ada@example.org --as mr_x --edition 1985",
    "game substitute": 'qdkh42kairbh6ktx 3 bob@example.org --reason "Ada is ill"',
    "game unseal": 'qdkh42kairbh6ktx --reason "a complaint that the log is wrong"',
    "game results": "--label league --csv",
    "game late": "--label league",
    "game new": "ada@example.org",
    "game change": 'qdkh42kairbh6ktx --name "Friday night" --guests any',
    "game close": "qdkh42kairbh6ktx",
    "game remind": "qdkh42kairbh6ktx 2",
    "game link": "qdkh42kairbh6ktx 2",
    "game invite": "qdkh42kairbh6ktx bob@example.org",
    "game join": "qdkh42kairbh6ktx bob@example.org",
    "game leave": "qdkh42kairbh6ktx bob@example.org",
    "game start": "qdkh42kairbh6ktx",
    "game rematch": "qdkh42kairbh6ktx ada@example.org",
    "abuse list": "--json",
    "abuse report": "qdkh42kairbh6ktx ada@example.org message 3",
    "abuse settle": "6wq2m4xkbd7lzzpa",
    "network list": "--json",
    "network block": "203.0.113.0/24 --for P30D",
    "network unblock": "203.0.113.0/24",
    "inbox list": "--state aside",
    "inbox retry": "6wq2m4xkbd7lzzpa",
    "outbox list": "--state dead",
    "outbox show": "6wq2m4xkbd7lzzpa",
    "outbox retry": "6wq2m4xkbd7lzzpa",
    "deadline list": "--json",
    "deadline extend": 'qdkh42kairbh6ktx "2 days" --reason "mail was down"',
    "deadline credit": "--none",
    "demo": "",
    "verify": "transcript.json",
    "play": "Foggy taxi 46",
    "arena": "good fair --games 100",
}


def add_examples(name: str, command: click.Command) -> None:
    """Give the help of the command of that name, or of each one of its group, its example."""
    for words, single in commands(command, name):
        single.epilog = f"Example: blackticket {words} {EXAMPLES[words]}".rstrip()


def commands(command: click.Command, words: str = "") -> Iterator[tuple[str, click.Command]]:
    """Yield the command with its words, such as `player add`; of a group every command that is no group."""
    if not isinstance(command, click.Group):
        yield words, command
        return
    for name, inner in command.commands.items():
        yield from commands(inner, f"{words} {name}".lstrip())
