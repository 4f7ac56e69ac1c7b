"""Mails as the server sends them, with the seal as their last line, and the verifier's verdict on files of them."""

import json
from email.message import EmailMessage
from functools import cache
from pathlib import Path

from blackticket.standalone import verifier
from server.sealing import hash_chain

# The program makes a board from its text each time it runs; here it runs a thousand times.
verifier.Board = cache(verifier.Board)


def heads(transcript):
    """(event, windows filled by then, head after it) of each event."""
    position = transcript["header"]["position"]
    windows, head = position["log_used"] if position else 0, hash_chain.first_link(transcript["header"])
    found = []
    for event in transcript["events"]:
        windows += len(event["data"].get("sealed", ()))
        head = hash_chain.link(head, event)
        found.append((event["number"], windows, head))
    return found


def line(event, window, head):
    return f"Seal, event {event}, window {window}: {hash_chain.shown_in_mail(head)}"


def letter(transcript, sealed, player="p3xq7m2d6k4t5hva"):
    """The mail that told `player` of an event; `sealed` is one of `heads`."""
    mail = EmailMessage()
    mail["From"] = "Black Ticket <play@localhost>"
    mail["Subject"] = f"[{transcript['name']}] Turn {sealed[0]}: Red, your move by Tue 24 Nov 18:00 London"
    mail["Date"] = "Sun, 22 Nov 2026 18:00:00 +0000"
    mail["Message-ID"] = f"<m{sealed[0]}@localhost>"
    mail["References"] = f"<{transcript['header']['game']}.{player}@localhost>"
    mail.set_content(f"Turn {sealed[0]}, Red. Please write your answer above this line.\n\n{line(*sealed)}\n")
    return mail


def write_mbox(path, mails):
    """An mbox file of the mails."""
    text = b"".join(b"From play@localhost Sun Nov 22 18:00:00 2026\n" + bytes(mail) + b"\n" for mail in mails)
    path.write_bytes(text)
    return path


def write_maildir(path, mails):
    """A Maildir of the mails."""
    for folder in ("cur", "new", "tmp"):
        (path / folder).mkdir(parents=True)
    for number, mail in enumerate(mails):
        (path / ("cur" if number % 2 else "new") / f"{number}.localhost:2,S").write_bytes(bytes(mail))
    return path


def of_mailboxes(folder, *mailboxes):
    """(exit status, facts, sentences) of the verifier on lists of mails."""
    paths = [write_mbox(Path(folder) / f"{number}.mbox", mails) for number, mails in enumerate(mailboxes)]
    return verifier.examine([str(path) for path in paths])


def verdict(folder, transcript, mails=()):
    """(exit status, facts, sentences) of the verifier on a transcript and the mails of one mailbox."""
    paths = [Path(folder) / "transcript.json"]
    paths[0].write_text(transcript if isinstance(transcript, str) else json.dumps(transcript))
    if mails:
        paths.append(write_mbox(Path(folder) / "mails.mbox", mails))
    return verifier.examine([str(path) for path in paths])
