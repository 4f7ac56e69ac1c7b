"""Acts of everybody but Mr. X in both worlds, drawn by seed; and acts of Mr. X alone in one of them.

run(twin, random.Random(7), moves=20)
"""

import random
from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import datetime
from itertools import takewhile
from typing import Any

from server.engine import Move
from server.language import forms
from tests.refusals.cases import LINES
from tests.worlds.one_world import World
from tests.worlds.twins import Twin

# What is there once the result is final, and before that is not, whoever asks for whatever seat and turn.
OF_THE_END = ("/seats/1/view", "/seats/2/view?turn=2", "/seats/9/view")
OUTLETS = (
    "",
    "/log",
    "/record",
    "/transcript",
    "/deadline",
    "/legal-moves",
    "/ahead",
    "/events",
    "/messages",
    "/deduction",
    "/hint",
    "/board.svg",
    *OF_THE_END,
    "/board",
    "/nothing",
)
SERVER = ("/api/v1/games", "/api/v1/games?limit=1",
          "/api/v1/games?mine=true", "/api/v1/games?waiting=true&status=running",
          "/api/v1/me", "/api/v1/me/waiting", "/api/v1/me/events", "/api/v1/me/stream", "/healthz",
          "/readyz", "/dev/mail")  # fmt: skip
COMMANDS = (("game", "show", "{game}"), ("game", "show", "{game}", "--json"), ("game", "list", "--json"),
            ("game", "replay", "{game}", "--step"), ("game", "replay", "{game}", "--json"),
            ("player", "list"))  # fmt: skip
# The examples of the commands that change nothing are behind these, so that a new one is tried without a word here.
_MAILS = ("STATUS", "LEGAL", "LOG", "REPLAY", "RULES", "MAP",
          "BOARD", "BOARD {n}", "BOARD {n} {m}", "HELP", "TRY taxi {n}", "TRY {n}", "YES",
          "NO",
          "START", "LEAVE", "SAY hello", "SAY ALL hello", "RESIGN", "PAUSE", "EXTEND 2 days", "STOP", "taxi {n}",
          "black {n}", "double taxi {n} bus {m}", "taxi {n}\nbus {m}", "I take the taxi to {n}, I think", "{n}",
          "Thanks for the game!", "mr_x taxi {n}", "SET zone UTC", "SET mail moves here", "NEW condensed 9",
          "JOIN abcdefgh", "INVITE Gus", "REMATCH", "AWAY today",
          "RESUME", "CANCEL")  # fmt: skip
MAILS = tuple(
    dict.fromkeys([*_MAILS, *(form.syntax for form in forms.COMMANDS if forms.Trait.HARMLESS in form.traits)])
)
# After these the game is not the one of the pair any more, or the next mail to answer is not about it.
DERAILING = frozenset({"yes", "start", "leave", "stop", "new", "join"})
AS_BEFORE = "SET mail usual\nSET mail inherit here\nSET hold doubtful\nSET vacation off"
MACHINES = ({"Auto-Submitted": "auto-replied"}, {"Precedence": "bulk"}, {"X-Black-Ticket": "localhost"},
            {"List-Id": "<list.example.org>"}, {"Subject": "Out of office"})  # fmt: skip


def run(twin: Twin, rng: random.Random, moves: int, acts: float = 1.5) -> None:
    """The game of the pair with so many of its moves, and about `acts` acts of others before each; then all sleep.

    Where the two worlds must part (a capture in one of them, or the end that opens everything) it stops.
    """
    twin.open()
    _some(twin, rng, acts)
    twin.start()
    for _ in range(moves):
        if twin.is_over or twin.status != "running" or twin.turn > len(twin.pair.moves):
            break
        if twin.noise:
            _some_noise(twin, rng)
        _some(twin, rng, acts)
        if twin.turn <= len(twin.pair.moves):
            twin.play(rng.choice(("rest", "rest", "mail", "key")))
    if twin.pair.capture and twin.turn > len(twin.pair.moves) and not twin.is_over:
        try_capture(twin)
    sleep(twin, rng, acts)


def _some(twin: Twin, rng: random.Random, number: float) -> None:
    for _ in range(int(rng.expovariate(1 / number))):
        rng.choice(ACTS)(twin, rng)


def try_capture(twin: Twin) -> None:
    """The move that takes Mr. X in one world only, in every form that is not irrevocable."""
    move = twin.pair.capture
    assert move is not None
    who = twin.holder(move.pawn)
    twin.submit(who, {"notation": str(move)}, "?dry_run=true")
    twin.ask(who, "GET", "/legal-moves")
    twin.mail(who, f"TRY {move}")
    twin.tick()


def sleep(twin: Twin, rng: random.Random, acts: float = 0) -> None:
    """Nobody moves any more: the house does, Mr. X is late, and the operator takes the game up again once."""
    reinstated = False
    for _ in range(30):
        if twin.is_over or twin.status == "open":
            return
        if twin.status == "over" and not reinstated:
            reinstated = True
            twin.command("game", "reinstate", "{game}", "--reason", "the mail was down")
        twin.wait(hours=rng.choice((13, 25, 48, 49)))
        if acts and not twin.is_over:
            _some(twin, rng, acts / 2)


# What others do ---------------------------------------------------------------------------------


def reads(twin: Twin, rng: random.Random) -> None:
    """Anybody asks for anything."""
    twin.ask(_anybody(twin, rng), rng.choice(("GET", "GET", "GET", "HEAD")), rng.choice((*OUTLETS, *SERVER)))


def reads_again(twin: Twin, rng: random.Random) -> None:
    """Somebody asks for what he has, for a part of it, or for what only another should get."""
    who, path = _somebody(twin, rng), rng.choice(OUTLETS)
    tag = twin.ask(who, "GET", path).headers.get("ETag", '"none"')
    condition = rng.choice((
        {"If_None_Match": tag}, {"If_Match": tag}, {"If_Match": '"other"'}, {"Range": "bytes=0-99"},
        {"If_None_Match": "*"}, {"If_Modified_Since": "Sun, 22 Nov 2026 18:00:00 GMT"}, {"Accept": "text/html"},
    ))  # fmt: skip
    twin.ask(rng.choice((who, _anybody(twin, rng))), "GET", path, **condition)


def tries(twin: Twin, rng: random.Random) -> None:
    """Somebody tries a move, be it his, legal, or onto Mr. X."""
    who = _somebody(twin, rng)
    body: dict[str, Any] = {"turn": twin.turn + rng.choice((0, 0, 0, 0, 1, -1))}
    ticket, station = rng.choice(("taxi", "bus", "underground", "black")), _station(twin, rng)
    body |= rng.choice((
        {"notation": f"{ticket} {station}"}, {"notation": f"{_pawn(twin, rng)} {ticket} {station}"},
        {"ticket": ticket, "to": station}, {"pawn": _pawn(twin, rng), "ticket": ticket, "to": station},
        {"double": [{"ticket": "taxi", "to": station}, {"ticket": ticket, "to": _station(twin, rng)}]},
        {"notation": f"{ticket} {station} surface"},
    ))  # fmt: skip
    twin.submit(who, body, rng.choice(("?dry_run=true", "?dry_run=true", "?dry_run=1")))


def tries_a_legal_move(twin: Twin, rng: random.Random) -> None:
    who = rng.choice(twin.detectives)
    moves = twin.ask(who, "GET", "/legal-moves").json["moves"]  # type: ignore[index]
    if moves:
        twin.submit(who, {"notation": rng.choice(moves)["notation"]}, "?dry_run=true")


def sends_nonsense(twin: Twin, rng: random.Random) -> None:
    """Bodies without sense, wrong tokens, methods that are not there."""
    who = _anybody(twin, rng)
    if who == "Hana" and twin.status == "open":  # the host, for whom clearing a seat has sense
        return
    method, path, body = rng.choice((
        ("POST", "/moves", b"{"), ("POST", "/moves", b"[1]"), ("POST", "/moves", {"turn": "1"}), ("POST", "/moves", {}),
        ("PUT", "", {}), ("PATCH", "/moves", {}), ("DELETE", "", None), ("POST", "/seats", {"seat": 1}),
        ("POST", "/seats", {"role": "mr_x"}), ("POST", "/start", None), ("DELETE", "/seats/1", None),
        ("DELETE", "/seats/9", None), ("OPTIONS", "/moves", None),
        ("POST", "/moves", {"turn": 10**5, "notation": "taxi 1"}),
        ("GET", "/api/v1/games?limit=0", None), ("GET", "/api/v1/games?after=zzzz", None),
    ))  # fmt: skip
    twin.ask(
        who, method, path, body, **rng.choice(({}, {}, {"Authorization": "Bearer bt_wrong"}, {"Authorization": "x"}))
    )


def uses_a_key(twin: Twin, rng: random.Random) -> None:
    """One key for one request, for it again, for another one, and for another's request."""
    key, who = f"key {rng.randrange(9)}", rng.choice(twin.detectives)
    for by, station in ((who, 1), (who, 1), (who, _station(twin, rng)), (rng.choice((*twin.detectives, "Gus")), 1)):
        twin.submit(by, {"notation": f"taxi {station}"}, "?dry_run=true", Idempotency_Key=key)


def sends_ahead(twin: Twin, rng: random.Random) -> None:
    """A detective sends the move ahead that he makes later, by REST or by mail."""
    later = list(later_in_round(twin))
    if later:
        move = rng.choice(later)
        if rng.random() < 0.7:
            twin.submit(twin.holder(move.pawn), {"notation": str(move)})
        else:
            twin.tick()
            twin.mail(twin.holder(move.pawn), str(move))
            twin.tick()


def takes_back(twin: Twin, rng: random.Random) -> None:
    """A detective takes back what he sent ahead."""
    who = rng.choice(twin.detectives)
    if rng.random() < 0.5:
        twin.ask(who, "DELETE", "/ahead")
    else:
        twin.mail(who, "CANCEL")
        twin.tick()


def thinks_again(twin: Twin, rng: random.Random) -> None:
    """A detective sends any move ahead and takes it back at once."""
    later = list(later_in_round(twin))
    if later:
        who = twin.holder(rng.choice(later).pawn)
        moves = twin.ask(who, "GET", "/legal-moves").json["moves"]  # type: ignore[index]
        mine = [move for move in moves if move["pawn"] in {move.pawn for move in later}]
        if mine:
            twin.submit(who, {"notation": rng.choice(mine)["notation"]})
            twin.ask(rng.choice(("Ada", *twin.detectives)), "GET", "/ahead")
            twin.ask(who, "DELETE", "/ahead")


def writes(twin: Twin, rng: random.Random) -> None:
    """A mail that is no move of the pair: a question, a command, nonsense; perhaps of a machine or a stranger."""
    who = rng.choice((*twin.detectives, *twin.detectives, "Gus", "Hana"))
    here = twin.turn
    text = rng.choice(MAILS).format(n=no_way(twin, rng), m=no_way(twin, rng))
    to = rng.choice((None, None, None, "play@localhost", twin.address_of(rng.choice(("Ada", *twin.detectives)))))
    more = rng.choice(({}, {}, {}, {}, *MACHINES))
    sender = rng.choice((None, None, None, None, "mallory@evil.example", ""))
    if text in ("YES", "LEAVE", "START") or twin.address_of("Ada") == to:
        sender = "mallory@evil.example"
    twin.mail(who, text, to, sender, **more)
    if text == "STOP":  # who gets no mail cannot move by it
        twin.mail(who, "SET mail usual")
    if rng.random() < 0.7:
        twin.tick()
    assert twin.turn == here or text.startswith("CANCEL") or twin.noise  # in which a second passes, and a deadline


def writes_several_lines(twin: Twin, rng: random.Random) -> None:
    """A detective writes a mail of up to four lines, with or without moves of the pair; it may be refused."""
    if twin.status != "running":
        return
    twin.tick()
    who, here = rng.choice(twin.detectives), twin.turn
    mine = [move for move in coming_moves(twin) if twin.holder(Move.parse(move).pawn) == who]
    text = several_lines(twin, rng, mine, without=DERAILING)
    twin.mail(who, text)
    twin.tick()
    if not twin.is_over and "SET" in text:
        twin.mail(who, AS_BEFORE)
        twin.tick()
    assert twin.is_over or twin.turn >= here


def several_lines(twin: Twin, rng: random.Random, moves: Sequence[str], without: Collection[str] = ()) -> str:
    """Return one to four lines of the whole grammar but the commands `without`, right and wrong.

    `moves` are those that can be made now, one after another.
    """
    others = [line for name, lines in LINES.items() if name not in ("move", *without) for line in lines]
    lines = []
    for _ in range(rng.randint(1, 4)):
        wrong = f"{_pawn(twin, rng)} {rng.choice(('taxi', 'bus', 'black'))} {no_way(twin, rng)}"
        lines.append(rng.choice((*moves[:1] * 3, *moves[1:], wrong, f"TRY {wrong}", *rng.sample(others, 3))))
    code = twin.worlds[0].asked("SELECT code FROM games ORDER BY rowid DESC LIMIT 1")[0]
    return "\n".join(line.format(code=code) for line in lines)


def coming_moves(twin: Twin) -> list[str]:
    """The moves of the pair that the detectives make before Mr. X moves again, the capture included."""
    coming = [mine for mine, _ in twin.pair.moves[twin.turn - 1 :]] + [str(twin.pair.capture)] * bool(twin.pair.capture)
    return list(takewhile(lambda move: Move.parse(move).pawn not in ("", "mr_x"), coming))


def waits(twin: Twin, rng: random.Random) -> None:
    """Time passes, but nobody is late for it."""
    due = twin.worlds[0].asked("SELECT due_at FROM games ORDER BY rowid LIMIT 1")[0]
    if due:
        left = datetime.fromisoformat(due) - twin.worlds[0].table.clock().replace(tzinfo=None)
        twin.wait(minutes=int(left.total_seconds() / 60 * rng.random() * 0.95))


def ticks(twin: Twin, _rng: random.Random) -> None:
    twin.tick()


def restarts(twin: Twin, rng: random.Random) -> None:
    if rng.random() < 0.4:
        twin.restart()


def commands(twin: Twin, rng: random.Random) -> None:
    """The operator looks."""
    if rng.random() < 0.2:
        twin.tick()  # so that no mail waits
        twin.command("doctor")
    else:
        twin.command(*rng.choice(COMMANDS))


ACTS: tuple[Callable[[Twin, random.Random], None], ...] = (
    reads, reads, reads_again, tries, tries, tries_a_legal_move, sends_nonsense, uses_a_key, sends_ahead, sends_ahead,
    takes_back, thinks_again, writes, writes, writes_several_lines, waits, ticks, restarts, commands,
)  # fmt: skip


def _anybody(twin: Twin, rng: random.Random) -> str | None:
    return rng.choice((*twin.detectives, "Gus", "Hana", None))


def _somebody(twin: Twin, rng: random.Random) -> str:
    return rng.choice((*twin.detectives, *twin.detectives, "Gus", "Hana"))


def _pawn(twin: Twin, rng: random.Random) -> str:
    return rng.choice(("mr_x", *twin.pair.one.pawns))


def _station(twin: Twin, rng: random.Random) -> int:
    """Return Mr. X's station in one of the worlds, his next one, or any number."""
    following = [
        int(word)
        for moves in twin.pair.moves[twin.turn - 1 :][:1]
        for m in moves
        for word in m.split()
        if word.isdigit()
    ]
    return rng.choice((*twin.stations, *twin.stations, *following, rng.randrange(1, 200), 0, 200, -5))


def no_way(twin: Twin, rng: random.Random) -> int:
    """A station nobody can go to now, though Mr. X may be there; what is sent with it is never played."""
    reach = {
        int(words[words.index(w) + 1])
        for words in _legal_words(twin)
        for w in words[:-1]
        if words[words.index(w) + 1].isdigit()
    }
    now = twin.worlds[0].now()
    reach |= {now.station(pawn) for pawn in now.pawns} if now else set()  # from where one may go, and another come
    free = [station for station in (*twin.stations, *twin.stations, *range(1, 200)) if station not in reach]
    return rng.choice(free[:4]) if rng.random() < 0.7 else rng.choice(free)


def _legal_words(twin: Twin) -> Iterator[list[str]]:
    """Return the moves that detectives may send now, the same in both worlds."""
    lived = twin.worlds[0].now()
    if lived is None:
        return
    for pawn in lived.pawns:
        moves = lived.legal_moves(pawn) if pawn in lived.to_move else lived.moves_ahead(pawn)
        yield from (str(move).split() for move in moves)


def later_in_round(twin: Twin) -> Iterator[Move]:
    """The moves of the pair that come after the next one and before Mr. X's, of pawns that may not move yet."""
    coming = [Move.parse(mine) for mine, _ in twin.pair.moves[twin.turn - 1 :]]
    now = twin.worlds[0].now()
    if now is not None and coming and coming[0].pawn not in ("", "mr_x"):
        theirs = takewhile(lambda move: move.pawn not in ("", "mr_x"), coming[1:])
        yield from (move for move in theirs if move.pawn not in now.to_move)


# What Mr. X does by himself ---------------------------------------------------------------------


def _some_noise(twin: Twin, rng: random.Random) -> None:
    for _ in range(rng.choice((0, 0, 1, 2))):
        number = rng.randrange(2)
        asks_alone(twin, rng, number) if rng.random() < 0.6 else writes_alone(twin, rng, number)
    twin.tick()


def asks_alone(twin: Twin, rng: random.Random, number: int) -> None:
    """Mr. X reads, tries, is refused: in one world only."""
    own, turn = twin.stations[number], twin.turn
    following = twin.pair.moves[turn - 1][number] if turn <= len(twin.pair.moves) else f"taxi {own}"
    method, path, body = rng.choice((
        ("GET", rng.choice(OUTLETS), None), ("GET", "/legal-moves", None),
        ("POST", "/moves?dry_run=true", {"turn": turn, "notation": following}),
        ("POST", "/moves", {"turn": turn, "notation": f"taxi {own}"}),
        ("POST", "/moves", {"turn": turn + 1, "notation": f"taxi {own}"}),
        ("POST", "/moves", {"turn": turn, "pawn": "red", "notation": "taxi 1"}),
        ("POST", "/moves", {"turn": "x"}), ("DELETE", "/ahead", None), ("POST", "/start", None),
        ("POST", "/seats", {"seat": 2}), ("DELETE", "/seats/1", None),
    ))  # fmt: skip
    given = rng.choice(({}, {"Idempotency-Key": f"alone {rng.randrange(3)}"}, {"Authorization": "Bearer bt_nobody"}))
    more = {"json": body} if body is not None else {}

    def asks(world: World) -> None:
        world.ask("Ada", method, f"/api/v1/games/{{game}}{path}", dict(given), **more)

    twin.alone(number, f"Mr. X asks {method} {path}", asks)


def writes_alone(twin: Twin, rng: random.Random, number: int) -> None:
    """Mr. X writes what is no move: in one world only."""
    own = twin.stations[number]
    texts = ("STATUS", "LEGAL", "LOG", "REPLAY", "HELP", "BOARD {n}", "TRY taxi {n}", "taxi {n}", "NO", "CANCEL",
             "LEAVE", "START", "Where am I?", "double taxi {n} bus {n}", "I go by taxi to {n}", "taxi {n}\ntaxi {n}",
             "RESIGN")  # fmt: skip
    text = rng.choice(texts).format(n=own)
    to = rng.choice((twin.address_of("Ada"), "play@localhost")) or "play@localhost"
    sender = rng.choice(("ada@example.org", "ada@example.org", "ada@elsewhere.example"))
    if to == "play@localhost":  # there a mail from elsewhere is a stranger's, and the operator may hear of strangers
        sender = "ada@example.org"
    headers = rng.choice(({}, {}, *MACHINES))
    twin.writes_alone(number, text, to, sender, headers)
