"""Whole mails of any length that a reader could need long for, each a shape that is repeated until it is so long."""

import base64
from collections.abc import Callable

Shape = Callable[[int], bytes]
"""From a length in bytes to a mail of about that length."""

AUTHOR = "bob@example.net"
ADDRESS = "turn@play.example.org"
HEAD = f"From: Bob <{AUTHOR}>\nTo: {ADDRESS}\nSubject: Re: Turn 5\nMessage-ID: <1@x>\n"
SIGNED = "DKIM-Signature: v=1; a=rsa-sha256; c={}; d=example.net; s=s; h=from; bh=YQ==; b=YQ==\n"
BOUNCE = "Return-Path: <>\nContent-Type: multipart/report; boundary=b\n"
MIXED = "Content-Type: multipart/mixed; boundary=b\n"
HTML = "Content-Type: text/html; charset=utf-8\n"
QUOTED_PRINTABLE = "Content-Transfer-Encoding: quoted-printable\n"


def _wired(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape").replace(b"\n", b"\r\n")


def body(piece: str, head: str = "", end: str = "", before: str = "") -> Shape:
    """Return the shape of a mail whose body is `piece` again and again."""
    return lambda size: _wired(
        f"{HEAD}{head}\n{before}{piece * (size // len(piece.encode('utf-8', 'surrogateescape')) + 1)}{end}\n"
    )


def field(start: str, piece: str, end: str = "", head: str = "") -> Shape:
    """Return the shape of a mail with one field that is `piece` again and again."""
    return lambda size: _wired(f"{HEAD}{head}{start}{piece * (size // len(piece) + 1)}{end}\n\ntaxi 46\n")


def instead(name: str, piece: str, end: str = "") -> Shape:
    """Return the shape of a mail in which the field `name` of the header is `piece` again and again."""
    lines = [line for line in HEAD.splitlines() if not line.startswith(f"{name}:")]
    head = "".join(f"{line}\n" for line in lines)
    return lambda size: _wired(f"{head}{name}: {piece * (size // len(piece) + 1)}{end}\n\ntaxi 46\n")


def fields(line: str, after: str = "\ntaxi 46\n") -> Shape:
    """Return the shape of a mail with as many header lines as fit; `{}` in a line is its number."""

    def shape(size: int) -> bytes:
        count = size // (len(line.format(0)) + 1) + 1
        return _wired(HEAD + "".join(f"{line.format(number)}\n" for number in range(count)) + after)

    return shape


def nested(size: int) -> bytes:
    """Return multiparts in multiparts, as many as fit, and padding where no more are allowed."""
    parts = "".join(f"Content-Type: multipart/mixed; boundary=b{n}\n\n--b{n}\n" for n in range(9))
    return _wired(HEAD + parts + "\n" + "taxi 46\n" * (size // 8))


def encoded(piece: bytes, head: str = "") -> Shape:
    """Return the shape of a mail in base64."""
    return lambda size: _wired(
        f"{HEAD}{head}Content-Transfer-Encoding: base64\n\n"
        + base64.encodebytes(piece * (size * 3 // 4 // len(piece) + 1)).decode()
    )


def unclosed(piece: str) -> Shape:
    """Return the shape of a report in the form of no standard."""
    return body(piece, "Return-Path: <>\n")


INTRODUCTION = "On Mon, 2 Nov 2026 at 18:22, Bob <bob@example.net> wrote:\n"
BODIES = {
    "short lines": "a\n",
    "empty lines": "\n",
    "commands": "taxi 46\n",
    "talk": "SAY hello\n",
    "long words": "x",
    "blanks": " ",
    "blank lines": " \n",
    "tabs": "\t\n",
    "one long quote": "> a ",
    "quoted lines": "> a\n",
    "quote levels": ">",
    "lines of quote levels": f"{'>' * 60}\n",
    "bars": "| x\n",
    "introductions": INTRODUCTION,
    "introductions without an end": "On Mon, 2 Nov 2026 at 18:22, Bob\n",
    "dates": "2 Nov 2026 18:22\n",
    "dates on one line": "2 Nov 2026 18:22 ",
    "verbs": "wrote\n",
    "verbs with a colon": "he wrote:\n",
    "addresses": "<a@b.example>\n",
    "at signs": "a@",
    "angle brackets": "<",
    "header labels": "From: x\n",
    "unknown labels": "abc: y\n",
    "blocks of labels": "From: x\nSent: 2 Nov 2026\n\n",
    "rules": "-----Original\n",
    "ruled lines": "------ x\n",
    "underscores": "_",
    "lines of underscores": f"{'_' * 19}\n",
    "stars": "*_",
    "brackets": "[",
    "parentheses": "(a",
    "backticks": "`",
    "digits": "4 6 ",
    "dotted digits": "4.6.",
    "letters and digits": "t4",
    "colons": ": ",
    "emoji": "😀",
    "emoji lines": "😀 taxi 46\n",
    "marks": "a\u0301",
    "no-width": "\u200b",
    "full-width": "４６\n",
    "right-to-left": "\u202e46\n",
    "raw bytes": "\udcff",
    "NUL": "\0",
    "signature marks": "-- \n",
    "double": "double taxi 46 bus 58\n",
    "surfaces": "surface red taxi\n",
    "away": "AWAY 24 Dec to 2 Jan\n",
    "away on one line": "AWAY " + "24 Dec, " * 20 + "\n",
    "new": f"NEW {'as lot by rotation ' * 9}\n",
    "invited": f"NEW 4 with {'a@b.c, ' * 25}\n",
    "sets": "SET mail daily 18:00 here\n",
    "wrapped talk": f"SAY {'hello ' * 11}\nhello\n",
    "names": "Aa Bb ",
    "supercites": "AB> x\n",
    "superciting names": "Aa.b-c'd>\n",
    "separators": "\u2028",
    "form feeds": "\f",
    "carriage returns": "\r",
    "our first line": "Turn 5: it is your turn\n",
    "pgp": "-----BEGIN PGP SIGNED MESSAGE-----\n",
    "calendar": "METHOD:REPLY\n",
    "boundaries of none": "--b\n",
}
TAGS = {
    "div": "<div>",
    "closed div": "<div>x</div>",
    "table": "<table><tr><td>",
    "cells": "<td>",
    "lists": "<ul><li>",
    "b": "<b>",
    "p": "<p>",
    "blockquote": "<blockquote>",
    "unclosed tag": "<a ",
    "attributes": "<p a=b c=d>",
    "one attribute list": " a=b",
    "entities": "&lt;",
    "bad entities": "&",
    "entity without an end": "&#",
    "comments": "<!-- ",
    "closed comments": "<!-- x -->",
    "comment dashes": "<!--->",
    "cdata": "<![CDATA[",
    "script": "<script>",
    "style": "<style>",
    "pre": "<pre>",
    "br": "<br>",
    "forms": "<form><input>",
    "closers": "</div>",
    "headings": "<h1>",
    "processing": "<?xml ",
    "angle": "<",
    "angles": "<>",
    "quotes": '<p title="',
    "classes": '<p class="gmail_quote">',
    "ids": "<p id=x_x_x_signature>",
    "hr": "<hr>",
    "frames": "<frameset>",
    "select": "<select><option>",
    "nobr": "<p>x\u00a0",
    "newlines": "<p>\n",
    "nested quotes": "<blockquote>x<div>",
    "svg": "<svg>",
    "a in a": "<a href=x>",
    "font": "<font>",
}
STYLES = {
    "text-decoration": "text-decoration",
    "text-decoration:": "text-decoration:",
    "display": "display",
    "display:": "display: ",
    "display blanks": " ",
    "visibility": "visibility  ",
    "border": "border:none;",
    "border blanks": "border: ",
    "opacity": "opacity:0.",
    "font-size": "font-size:0.",
}
FIELDS = {
    "comments": "(",
    "closed comments": "(a)",
    "quotes": '"',
    "escapes": "\\",
    "angles": "<",
    "groups": "a:",
    "members": ",",
    "at signs": "a@",
    "addresses": "bob@example.net, ",
    "named addresses": "Bob <bob@example.net>, ",
    "quoted at": '"a"@',
    "dots": "a.b",
    "words": "=?utf-8?q?a?= ",
    "words at once": "=?utf-8?q?a?=",
    "openings": "=?",
    "unclosed words": "=?utf-8?q?a",
    "base64": "=?utf-8?b?YQ==?=",
    "charsets": "=?utf-8?q?a?= =?iso-2022-jp?q?=1b?= ",
    "question marks": "?",
    "ids": "<1@x> ",
    "blanks": " ",
    "folds": "\n ",
    "folds of text": "a\n b",
    "equal signs": "=",
    "semicolons": ";",
    "parameters": "; a=b",
    "quoted parameters": '; a="',
    "continuations": "; a*0*=b",
    "prefixes": "Re: ",
    "brackets": "[x]",
    "automatic": "out of the ",
    "colons": ":",
    "mailer": "mailer-",
    "tab": "\t",
    "results": "; dkim=pass header.d=example.net",
    "properties": " a.b=c",
    "undelivered": "your message to ",
    "word": "a ",
    "apostrophes": "a'",
}

SHAPES: dict[str, Shape] = {
    **{f"body of {name}": body(piece) for name, piece in BODIES.items()},
    **{f"body of {name} behind a command": body(piece, before="taxi 46\n\n") for name, piece in BODIES.items()},
    **{
        f"flowed {name}": body(piece, "Content-Type: text/plain; format=flowed; delsp=yes\n")
        for name, piece in (("lines", "a \n"), ("quotes", "> a \n"), ("blanks", " \n"))
    },
    **{f"HTML of {name}": body(piece, HTML, before="<p>taxi 46</p>") for name, piece in TAGS.items()},
    **{f"HTML in one tag of {name}": body(piece, HTML, '">', '<p a="') for name, piece in TAGS.items()},
    **{f"style of {name}": body(piece, HTML, '">taxi 46', '<p style="') for name, piece in STYLES.items()},
    **{f"styles of {name}": body(f'<p style="{piece * 40}">', HTML) for name, piece in STYLES.items()},
    **{
        f"class of {name}": body(piece, HTML, '">taxi 46', '<p class="')
        for name, piece in (
            ("x_", "x_"),
            ("ydp", "ydp1"),
            ("-quote", "-quote"),
            ("words", "a "),
            ("reply", "reply-mail_"),
        )
    },
    **{
        f"class names of {name}": body(f'<p class="{piece * 40}">', HTML)
        for name, piece in (
            ("x_", "x_"),
            ("ydp", "ydp1"),
            ("-quote", "-quote"),
            ("words", "a "),
            ("reply", "reply-mail_"),
        )
    },
    **{
        f"{name} in {label}": instead(label, piece)
        for name, piece in FIELDS.items()
        for label in ("From", "To", "Subject")
    },
    **{
        f"{name} in a {label}": field(f"{label}: ", piece)
        for name, piece in FIELDS.items()
        for label in (
            "Content-Type",
            "Auto-Submitted",
            "References",
            "Received",
            "Authentication-Results",
            "DKIM-Signature",
            "Content-Transfer-Encoding",
        )
    },
    **{
        f"{name} in a DKIM-Signature of the author": field(
            "DKIM-Signature: v=1; a=rsa-sha256; d=example.net; s=s; h=from; b=", piece
        )
        for name, piece in FIELDS.items()
    },
    **{
        f"{name} in a type": field("Content-Type: text/plain; charset=utf-8; a=", piece)
        for name, piece in FIELDS.items()
    },
    "header lines": fields("X-{}: y"),
    "header lines of one name": fields("X: y"),
    "Received": fields("Received: from a by b; now"),
    "short header lines": fields("a:"),
    "Authentication-Results": fields("Authentication-Results: mx.play.example.org; dkim=fail header.d=example.net"),
    "From fields": fields("From: a@b.example"),
    "To fields": fields("To: a@b.example"),
    "signatures": fields("DKIM-Signature: v=1; a=rsa-sha256; d=example.net; s=s; h=from; bh=YQ==; b=YQ=="),
    "Content-Type fields": fields("Content-Type: text/plain"),
    "lines without a field": fields("x"),
    "lines without an end of the header": fields("X-{}: y", ""),
    "continuation lines": fields(" y"),
    "parts": body("--b\n\ntaxi 46\n", MIXED),
    "parts with fields": body("--b\nX: y\n\n\n", MIXED),
    "parts of HTML": body("--b\nContent-Type: text/html\n\n<p>\n", MIXED),
    "parts in few": body("taxi 46\n", MIXED, before="--b\n\n"),
    "parts that are none": body("--c\n\n", MIXED, before="--b\n\n"),
    "nested parts": nested,
    "parts of Apple Mail": body("--Apple-Mail=b\n\nx\n", 'Content-Type: multipart/mixed; boundary="Apple-Mail=b"\n'),
    "header fields of a part": body("X: y\n", MIXED, before="--b\n"),
    "Content fields of a part": body("Content-Type: text/plain\n", MIXED, before="--b\n"),
    "Content fields": body("Content-X:\n x\n"),
    "folded Content field": body(" x\n", before="Content-X:\n"),
    "attached mails": body("--b\nContent-Type: message/rfc822\n\nFrom: a@b.example\n\nx\n", MIXED),
    "lines that begin boundaries": body("\n--", MIXED),
    "a boundary of pattern signs": body("--(.*)+$\n", 'Content-Type: multipart/mixed; boundary="(.*)+$"\n'),
    "one long preamble": body("a", MIXED),
    "ends": body("--b--\n", MIXED, before="--b\n"),
    **{
        f"quoted-printable {name}": body(piece, QUOTED_PRINTABLE)
        for name, piece in (
            ("equal signs", "="),
            ("breaks", "=\n"),
            ("letters", "=41"),
            ("blanks", " "),
            ("blank ends", " \n"),
            ("bad", "=G"),
        )
    },
    "base64": encoded(b"taxi 46\n"),
    "base64 of HTML": encoded(b"<div>", HTML),
    "base64 of blanks": encoded(b" "),
    "base64 of padding": body("=", "Content-Transfer-Encoding: base64\n"),
    "base64 of short lines": body("YQ==\n", "Content-Transfer-Encoding: base64\n"),
    "base64 of dirt": body("!", "Content-Transfer-Encoding: base64\n"),
    "uuencode": body("begin 644 x\n", "Content-Transfer-Encoding: x-uuencode\n"),
    "uuencoded lines": body("#86)C\n", "Content-Transfer-Encoding: x-uuencode\n", before="begin 644 x\n"),
    **{
        f"charset {charset}": encoded(piece, f"Content-Type: text/plain; charset={charset}\n")
        for charset, piece in (
            ("utf-16", b"\0a"),
            ("iso-2022-jp", b"\x1b$B!!\x1b(B"),
            ("iso-2022-kr", b"\x0e!!\x0f"),
            ("gb18030", b"\x81\x30\x81\x30"),
            ("euc-jp", b"\x8f\xa1"),
            ("big5", b"\xff"),
            ("utf-8", b"\xc3"),
            ("unknown", b"\xff\xc3"),
        )
    },
    **{
        f"signed {way} {name}": body(piece, SIGNED.format(way))
        for way in ("relaxed/relaxed", "simple/simple", "relaxed/simple")
        for name, piece in (
            ("blanks", " "),
            ("lines", "\n"),
            ("blank lines", " \n"),
            ("ends", "x \n"),
            ("words", "a "),
            ("tabs", "\t "),
        )
    },
    **{
        f"signed field of {name}": field("X: ", piece, head=SIGNED.format("relaxed/relaxed"))
        for name, piece in FIELDS.items()
    },
    "signed header lines": lambda size: _wired(
        HEAD + SIGNED.format("relaxed/relaxed") + "a:\n" * (size // 3) + "\nx\n"
    ),
    "signed names of fields": field(
        "DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=example.net; s=s; bh=YQ==; b=YQ==; h=", "from:"
    ),
    **{f"report of {name}": unclosed(piece) for name, piece in BODIES.items()},
    **{
        f"report with {name}": body(piece, BOUNCE, before="--b\nContent-Type: message/delivery-status\n\n")
        for name, piece in (
            ("groups", "Action: failed\nStatus: 5.1.1\n\n"),
            ("fields", "Action: failed\n"),
            ("lines", "a: b\n"),
            ("empty lines", "\n"),
            ("continuations", " a\n"),
            ("recipients", "Final-Recipient: rfc822; a@b.example\n"),
            ("long", "a"),
        )
    },
    **{
        f"report in the words of {name}": unclosed(piece)
        for name, piece in {
            "exim": "A message that you sent could not be delivered to all of its recipients.\n",
            "qmail": "Hi. This is the qmail-send program\n",
            "qmail addresses": "<a@b.example>:\n",
            "postfix": "The Postfix program\n",
            "yahoo": "Message from yahoo.com\n",
            "simple": "The following addresses had permanent fatal errors\n<a@b.example>\n",
            "smtp": "550 5.1.1 <a@b.example>: user unknown\n",
            "aol": "-----The following addresses\n",
            "exchange": "did not reach the following recipient(s):\n",
            "groupwise": "The message that you sent\n",
            "bounces": "<a@b.example>... User unknown\n",
            "equal": "a@b.example on ",
        }.items()
    },
}
