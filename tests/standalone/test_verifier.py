"""The verifier accepts what is honest, says what it checked, and takes whatever else it is given calmly."""

import ast
import json
import random
from email.message import EmailMessage
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

from blackticket.standalone import verifier
from server import engine
from server.sealing import commitments
from tests.engine.playing import any_move, crowded, dealt
from tests.positions import position

from .mails import heads, letter, line, of_mailboxes, verdict, write_maildir
from .transcripts import (
    FINAL_OUT_OF_TIME,
    MIXES,
    OUT_OF_TIME,
    REINSTATED,
    RUNNING,
    Book,
    board_digest,
    honest,
    kept,
    opening_of,
    relinked,
)

GAMES = range(24)  # the campaign has more
SOURCE = Path(verifier.__file__)


def some(many: int) -> list:
    """Return `many` seeds, half of which are left to campaigns."""
    return [pytest.param(seed, marks=[pytest.mark.campaign] * (seed >= many // 2)) for seed in range(many)]


# Honest games ------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", GAMES)
def test_an_honest_game_is_accepted(seed, tmp_path):
    status, _, sentences = verdict(tmp_path, honest(seed))
    assert status == 0, sentences


@pytest.mark.parametrize("seed", range(0, 24, 4))
def test_an_honest_game_is_accepted_while_it_runs(seed, tmp_path):
    transcript = honest(seed)
    for last, following in list(pairwise(transcript["events"]))[::7]:
        if following["kind"] != "ended":
            number = last["number"] - transcript["header"]["first"] + 1
            begun = relinked(transcript | {"events": transcript["events"][:number]})
            status, _, sentences = verdict(tmp_path, begun)
            assert status == 0, sentences


@pytest.mark.parametrize("ending", [RUNNING, OUT_OF_TIME, FINAL_OUT_OF_TIME, REINSTATED])
def test_an_honest_game_is_accepted_however_it_is_interrupted(ending, tmp_path):
    for seed in range(4):
        status, _, sentences = verdict(tmp_path, kept(seed, ending=ending, crowd=False).transcript())
        assert status == 0, sentences


def test_the_sample_has_games_that_ended_in_every_way():
    ends = {event["data"]["reason"] for seed in GAMES for event in honest(seed)["events"] if event["kind"] == "ended"}
    assert ends >= {"captured", "log_full", "rounds_over", "detectives_stranded", "mr_x_trapped", "out_of_time"}


def test_when_both_sides_are_stuck_the_end_is_checked_by_its_option(tmp_path):
    # Taxis alone leave 2, and he has none; the detective has nothing at all.
    edition = engine.Edition.named("ravensburger-2013")
    stuck = position(2, his={"bus": 3}, purple=(199, {}))
    transcript = Book(engine.Game.at(edition, stuck), random.Random(1)).transcript()
    assert transcript["events"][-1]["data"]["reason"] == "both_stuck"
    assert verdict(tmp_path, transcript)[0] == 0
    transcript["events"][-1]["data"]["winner"] = "mr_x"
    assert verdict(tmp_path, relinked(transcript))[0] == 1


def test_a_double_move_that_ends_on_its_first_leg_has_one_window(tmp_path):
    edition = engine.Edition.named("ravensburger-2000").with_options(mr_x_onto_detective="loses")
    book = Book(engine.Game.at(edition, position(111, purple=124, red=67)), random.Random(1))
    book.play(engine.Move.parse("double taxi 124 taxi 111", "mr_x"))
    assert [sealed["window"] for sealed in book.events[-2]["data"]["sealed"]] == [1]
    assert verdict(tmp_path, book.transcript())[0] == 0


def test_a_capture_before_his_first_move_opens_the_start(tmp_path):
    edition = engine.Edition.named("ravensburger-2000")
    start = position(111, log_used=12, to_move="purple", purple=124, red=67)
    book = Book(engine.Game.at(edition, start), random.Random(1))
    book.play(engine.Move.parse("purple taxi 111"))
    assert book.events[-2]["data"]["opened"][0]["window"] == 0
    assert verdict(tmp_path, book.transcript())[0] == 0


def test_an_open_game_is_told_to_be_checked_to_the_last_station(tmp_path):
    _, facts, sentences = verdict(tmp_path, kept(1, ending=FINAL_OUT_OF_TIME, crowd=False).transcript())
    assert facts["opened"]
    assert "Every station, transport and start card fits" in sentences


def test_a_running_game_is_told_not_to_be_open_yet(tmp_path):
    _, facts, sentences = verdict(tmp_path, kept(1, ending=RUNNING, crowd=False).transcript())
    assert not facts["opened"]
    assert "It is not open yet." in sentences


def test_it_says_what_it_does_not_prove(tmp_path):
    assert "does not prove: that the operator kept the secret" in verdict(tmp_path, honest(1))[2]


# The rules, compared with the engine -------------------------------------------------------------


@pytest.mark.parametrize("name", ["london", "london-milton-bradley"])
def test_the_boards_are_those_of_the_engine(name):
    mine, theirs = verifier.Board(name), engine.Board.named(name)
    lines = {way: {(a, b) for a, ends in stops.items() for b in ends if a < b} for way, stops in mine.lines.items()}
    assert lines == {way: set(pairs) for way, pairs in theirs.lines.items()}
    assert mine.digest() == board_digest(name)


@pytest.mark.parametrize("name", ["london", "london-milton-bradley"])
def test_the_stations_passed_over_are_those_of_the_engine(name):
    mine, theirs = verifier.Board(name), engine.Board.named(name)
    for (way, a, b), over in theirs.passes_over.items():
        assert mine.passed(way, a, b) == set(over)


@pytest.mark.parametrize("seed", some(80))
def test_it_finds_a_move_legal_exactly_when_the_engine_does(seed, tmp_path):
    rng = random.Random(f"agreement {seed}")
    book = Book((crowded if seed % 3 == 0 else dealt)(MIXES[seed % len(MIXES)], rng), rng)
    for _ in range(rng.randrange(12)):
        if book.game.outcome is None:
            book.play(any_move(book.game, rng))
    if book.game.outcome is not None:
        return
    before = len(book.events)
    is_legal = tried(book, rng)
    if book.events[-1]["kind"] != "ended":
        book.end("detectives", "out_of_time", final=True)
    elif not book.events[-1]["data"]["final"]:
        book.become_final()
    status, facts, sentence = verdict(tmp_path, book.transcript())
    assert status == (0 if is_legal else 1), sentence
    if not is_legal:
        assert facts["event"] == book.first + before, sentence


def tried(book, rng):
    """Play a random move as it comes, if the engine lets it; else write it down as if it had. Whether it is legal."""
    game, board = book.game, book.game.edition.board
    pawn = rng.choice([*game.to_move, *game.to_move, "mr_x", *game.pawns])
    station = game.station(pawn)
    kinds = ["taxi", "bus", "underground"] + ["black"] * (pawn == "mr_x")
    rides, ways = [], []
    for _ in range(2 if pawn == "mr_x" and rng.random() < 0.3 else 1):
        ticket = rng.choice(kinds)
        reach = sorted(board.reach[rng.choice(kinds)].get(station, ()))
        near = [other for other in game.pawns if game.station(other) in reach]
        to = rng.choice(reach or sorted(board.stations))
        to = game.station(rng.choice(near)) if near and rng.random() < 0.3 else to
        ways.append(way_between(board, ticket, station, to))
        rides.append((ticket, to))
        station = to
    text = " ".join(f"{ticket} {to}" for ticket, to in rides)
    move = engine.Move.parse(f"double {text}" if len(rides) == 2 else text, pawn)
    try:
        game.check(move)
    except engine.MoveError:
        write_down(book, move, rides, ways)
        return False
    book.play(move)
    return True


def way_between(board, ticket, start, to):
    """A transport that the ticket pays for, the right one if there is one."""
    ways = ["taxi", "bus", "underground", "ferry"] if ticket == "black" else [ticket]
    return next((way for way in ways if to in board.links[way].get(start, ())), ways[0])


def write_down(book, move, rides, ways):
    """Enter an illegal move with all its commitments, and open it at the end."""
    data = {"pawn": move.pawn, "notation": str(move), "by": "player", "passed_over": []}
    if move.pawn == "mr_x":
        windows = list(enumerate(zip(rides, ways, strict=True), book.game.log_used + 1))
        surfacing = book.game.edition.option("surfacing")
        words = [f"{ticket} {to if window in surfacing else '?'}" for window, ((ticket, to), _) in windows]
        data["notation"] = " ".join(["double"] * (len(rides) - 1) + words)
        data["sealed"] = [book.sealed(window, to, way) for window, ((_, to), way) in windows]
        opened = [book.opened(window, to) for window, ((_, to), _) in windows if window in surfacing]
        data |= {"opened": opened} if opened else {}
    book.happened("moved", **data)
    truth = book.opening()
    if move.pawn == "mr_x":
        truth["stations"] += [to for _, to in rides]
        truth["transports"] += ways
    book.opening = lambda: truth


# Mails -------------------------------------------------------------------------------------------


@pytest.fixture
def told():
    """A transcript with the mails of two players about it."""
    first, second = letters()
    return honest(1), [*first], [*second]


@cache
def letters():
    """The mails of both, which no test changes."""
    transcript = honest(1)
    sealed = heads(transcript)
    first = [letter(transcript, one) for one in sealed[::2]]
    second = [letter(transcript, one, "q7d2m5t4kx3hv6pa") for one in sealed[::3]]
    return first, second


def test_mails_that_agree_are_counted(told, tmp_path):
    transcript, mails, _ = told
    status, facts, _ = verdict(tmp_path, transcript, mails)
    assert (status, facts["mails"], facts["lines"]) == (0, len(mails), len(mails))


def test_a_maildir_is_read_as_an_mbox_is(told, tmp_path):
    transcript, mails, _ = told
    (tmp_path / "transcript.json").write_text(json.dumps(transcript))
    paths = [str(tmp_path / "transcript.json"), str(write_maildir(tmp_path / "mails", mails))]
    assert verifier.examine(paths)[1]["lines"] == len(mails)


def test_a_single_saved_mail_is_read_too(told, tmp_path):
    (tmp_path / "saved.eml").write_bytes(bytes(told[1][0]))
    assert verifier.examine([str(tmp_path / "saved.eml")])[1]["lines"] == 1


def as_reply(mail):
    answer = EmailMessage()
    answer["Subject"], answer["References"] = f"Re: {mail['Subject']}", mail["References"]
    answer.set_content("taxi 46\n\n" + "\n".join(f"> > {text}" for text in mail.get_content().splitlines()))
    return answer


def as_forwarded(mail):
    answer = EmailMessage()
    answer["Subject"], answer["References"] = f"Fwd: {mail['Subject']}", "<abc@example.org>"
    answer.set_content("Look.\n\n---- Forwarded message ----\n" + mail.get_content())
    return answer


def as_attachment(mail):
    answer = EmailMessage()
    answer["Subject"] = "Look"
    answer.set_content("Here it is.")
    answer.add_attachment(mail)
    return answer


def as_base64(mail):
    answer = EmailMessage()
    answer["Subject"], answer["References"] = mail["Subject"], mail["References"]
    answer.set_content(f"{mail.get_content()}\u2026", cte="base64")
    return answer


def as_html(mail):
    answer = EmailMessage()
    answer["Subject"], answer["References"] = mail["Subject"], mail["References"]
    answer.set_content("<p>" + mail.get_content().replace("\n", "<br>\n") + "</p>", subtype="html")
    return answer


def as_wrapped(mail):
    answer = EmailMessage()
    answer["Subject"], answer["References"] = mail["Subject"], mail["References"]
    text, _, end = mail.get_content().rstrip().rpartition(" ")
    answer.set_content(f"> {text}\n> {end}\n".replace("\n\n", "\n> \n> "))
    return answer


WAYS = [as_reply, as_forwarded, as_attachment, as_base64, as_html, as_wrapped]


@pytest.mark.parametrize("way", WAYS)
def test_a_mail_is_read_however_it_comes(way, told, tmp_path):
    transcript, mails, _ = told
    status, facts, sentences = verdict(tmp_path, transcript, [way(mails[0])])
    assert (status, facts.get("lines")) == (0, 1), sentences


@pytest.mark.parametrize("way", WAYS)
def test_a_mail_with_another_head_is_refused_however_it_comes(way, told, tmp_path):
    transcript, _, _ = told
    event, window, _ = heads(transcript)[2]
    mail = letter(transcript, (event, window, heads(honest(2))[2][2]))
    status, facts, sentence = verdict(tmp_path, transcript, [way(mail)])
    assert (status, facts["event"]) == (1, event)
    assert "0.mbox" in sentence or "mails.mbox" in sentence


def test_a_mail_with_another_window_is_refused(told, tmp_path):
    event, window, head = heads(told[0])[3]
    mail = letter(told[0], (event, window + 1, head))
    assert verdict(tmp_path, told[0], [mail])[1]["event"] == event


def test_a_transcript_that_ends_before_a_mail_is_refused(told, tmp_path):
    transcript, _, _ = told
    cut = relinked(transcript | {"events": transcript["events"][:4]})
    last = heads(transcript)[-1]
    status, facts, sentence = verdict(tmp_path, cut, [letter(transcript, last)])
    assert (status, facts["event"]) == (1, last[0])
    assert "events were taken away" in sentence


def test_mails_about_other_games_are_left_alone(told, tmp_path):
    other = honest(2) | {"name": "Rainy Soho"}
    other["header"]["game"] = "bbbbbbbbbbbbbbbb"
    mails = [letter(other, one) for one in heads(other)]
    assert verdict(tmp_path, told[0], [*mails, told[1][0]])[1]["lines"] == 1


def test_a_mailbox_without_a_mail_about_the_game_is_no_answer(told, tmp_path):
    other = honest(2) | {"name": "Rainy Soho"}
    other["header"]["game"] = "bbbbbbbbbbbbbbbb"
    status, _, sentence = verdict(tmp_path, told[0], [letter(other, heads(other)[0])])
    assert status == 2
    assert "No mail with a seal line about the game 'Foggy Thames' was found" in sentence


def test_two_mailboxes_that_agree_hold(told, tmp_path):
    _, first, second = told
    status, facts, _ = of_mailboxes(tmp_path, first, second)
    assert status == 0
    assert facts["compared"] == len(range(0, len(heads(told[0])), 6))


def test_two_mailboxes_that_disagree_name_both_mails(told, tmp_path):
    transcript, first, second = told
    event, window, _ = heads(transcript)[6]
    second[2] = letter(transcript, (event, window, heads(honest(2))[2][2]))
    status, facts, sentence = of_mailboxes(tmp_path, first, second)
    assert (status, facts["event"]) == (1, event)
    assert "0.mbox" in sentence
    assert "1.mbox" in sentence


def test_a_forwarded_mail_is_compared_with_the_game_of_that_name(told, tmp_path):
    transcript, first, _ = told
    event, window, _ = heads(transcript)[0]
    lie = as_forwarded(letter(transcript, (event, window, heads(honest(2))[2][2])))
    assert of_mailboxes(tmp_path, first, [lie])[0] == 1


def test_mails_of_two_games_may_tell_different_things_of_an_event(told, tmp_path):
    other = honest(2)
    other["header"]["game"] = "bbbbbbbbbbbbbbbb"
    event, window, _ = heads(told[0])[0]
    mail = letter(other, (event, window, heads(other)[0][2]))
    status, facts, _ = of_mailboxes(tmp_path, told[1], [mail])
    assert (status, facts["games"]) == (0, 2)


def test_a_mailbox_without_a_seal_is_no_answer(tmp_path):
    mail = EmailMessage()
    mail.set_content("Dear all, the Seal is in the zoo.")
    status, _, sentence = of_mailboxes(tmp_path, [mail])
    assert status == 2
    assert "No mail with a seal line was found" in sentence


# Whatever it is given ----------------------------------------------------------------------------

BROKEN = {
    "nothing": b"",
    "bytes": bytes(range(256)),
    "another text": b"Dear Sir or Madam, hello",
    "no json": b'{"format": ',
    "deep objects": b'{"a":' * 100_000,
    "deep lists": b'{"a":' + b"[" * 100_000,
    "nested": b'{"a":' * 800 + b"1" + b"}" * 800,
    "a huge number": b'{"a": ' + b"9" * 100_000 + b"}",
    "a fraction": b'{"a": 1.5}',
    "a huge fraction": b'{"a": 1e999999}',
    "not a number": b'{"a": NaN}',
    "not utf-8": b'{"a": "\xff"}',
    "a name twice": b'{"format": "blackticket-seal-1", "format": "blackticket-seal-2"}',
    "very long": b"{" + b" " * 3_000_000,
    "another format": b'{"format": "blackticket-seal-9"}',
    "a list of formats": b'{"format": []}',
    "only a format": b'{"format": "blackticket-seal-1"}',
    "an endless line": b"From x" + b"x" * 3_000_000,
    "parts in parts": b"From x\nSubject: Seal\n"
    + b"".join(b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (n, n) for n in range(3000)),
    "an unknown charset": b"From x\nContent-Type: text/plain; charset=klingon\nSubject: =?klingon?q?Seal?=\n\nSeal\n",
}


@pytest.mark.parametrize("what", BROKEN)
def test_what_is_no_transcript_and_no_mailbox_is_answered_with_a_sentence(what, tmp_path):
    (tmp_path / "given").write_bytes(BROKEN[what])
    status, facts, sentence = verifier.examine([str(tmp_path / "given")])
    assert status == 2
    assert sentence.endswith((".", "Seal, event."))
    assert facts["holds"] is None


def test_a_path_that_is_not_there_is_answered_with_a_sentence(tmp_path):
    assert "There is no file" in verifier.examine([str(tmp_path / "nowhere")])[2]


def test_a_folder_that_is_no_maildir_is_answered_with_a_sentence(tmp_path):
    assert "no Maildir" in verifier.examine([str(tmp_path)])[2]


def test_a_second_transcript_is_refused_with_a_sentence(tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).write_text(json.dumps(honest(1)))
    status, _, sentence = verifier.examine([str(tmp_path / "one"), str(tmp_path / "two")])
    assert status == 2
    assert "one at a time" in sentence


STRANGE = [
    None, True, -1, 0, 10**14, 2**31, "", "\ud800", "\x1b[31m", "red", "mr_x", [], {}, [[]], [None], {"a": []}, 46,
    "taxi ?", "taxi 46 surface", "double taxi ? taxi ?", "taxi 46 surface red:red red:red", ["red", "red"], "?" * 500,
]  # fmt: skip


@pytest.mark.parametrize("seed", some(90))
def test_a_strange_value_anywhere_raises_nothing(seed, tmp_path):
    rng = random.Random(seed)
    transcript = honest(rng.choice(GAMES))
    event = rng.choice(transcript["events"])["data"]
    holders = [
        transcript,
        transcript["header"],
        transcript["header"]["options"],
        event,
        opening_of(transcript) or event,
    ]
    holder = rng.choice([holder for holder in holders if holder])
    holder[rng.choice(sorted(holder))] = rng.choice(STRANGE)
    if set(transcript) >= {"header", "events"} and all(isinstance(e, dict) for e in transcript["events"] or [1]):
        transcript = relinked(transcript)
    assert verdict(tmp_path, transcript)[0] in (0, 1, 2)


def test_nothing_from_outside_is_printed_as_it_came(tmp_path, capsys):
    transcript = honest(1) | {"name": "\x1b[31m\ud800\n"}
    (tmp_path / "t.json").write_text(json.dumps(transcript))
    assert verifier.main([str(tmp_path / "t.json")]) == 0
    printed = capsys.readouterr().out
    assert "\x1b" not in printed
    assert printed.isascii()


# As a program ------------------------------------------------------------------------------------


def test_it_can_be_read_by_python_3_9():
    ast.parse(SOURCE.read_text(), feature_version=(3, 9))


def test_its_hashes_are_those_of_the_server():
    key = bytes(range(32))
    salt = verifier.salt_of(key, "S", 7)
    assert salt == commitments.salt(key, commitments.STATION, 7)
    assert verifier.commit("abc", "S", 7, salt, [46]) == commitments.commitment(key, "abc", commitments.STATION, 7, 46)


def test_the_line_of_a_mail_is_what_it_looks_for():
    found = verifier.SEAL.findall(line(20, 4, "k7m2q6xw4dlrt3pavh2e" + "a" * 32))
    assert found == [("", "20", "4", "k7m2 q6xw 4dlr t3pa vh2e")]


# Games that the operator ended -------------------------------------------------------------------


def unfinished(ending):
    """The book of a game that play has not ended."""
    return next(book for book in (kept(seed, ending=ending) for seed in range(60)) if book.game.outcome is None)


def ended_void(damaged=True, **told):
    """The transcript of a game that the operator ended, as it was damaged; `told` is what its end says."""
    book = unfinished(RUNNING)
    book.happened("voided", reason="Its moves were lost.", **({"damaged": True} if damaged else {}))
    book.happened("ended", **{"winner": "draw", "reason": "voided", "final": True, **told})
    return book.transcript()


def test_a_game_that_was_ended_as_damaged_holds_and_is_said_to_be_closed(tmp_path):
    status, facts, sentences = verdict(tmp_path, ended_void())
    assert (status, facts["opened"]) == (0, False), sentences
    assert "his hidden stations cannot be checked" in sentences


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"damaged": False}, "the log is not opened as it should be"),
        ({"winner": "mr_x"}, "has no winner"),
        ({"winner": "mr_x", "reason": "resigned"}, "the log is not opened as it should be"),
    ],
)
def test_no_other_game_may_stay_closed(tmp_path, given, why):
    status, _, sentences = verdict(tmp_path, ended_void(**given))
    assert status == 1
    assert why in sentences


def test_a_provisional_result_is_undone_where_the_game_is_ended_as_damaged(tmp_path):
    book = unfinished(OUT_OF_TIME)
    book.happened("voided", reason="Its moves were lost.", damaged=True)
    book.happened("ended", winner="draw", reason="voided", final=True)
    status, facts, sentences = verdict(tmp_path, book.transcript())
    assert (status, facts["outcome"]["reason"]) == (0, "voided"), sentences


def test_a_game_that_was_repaired_holds(tmp_path):
    book = unfinished(RUNNING)
    book.happened("repaired", reason="Its timers were lost.", due_at=None)
    assert verdict(tmp_path, book.transcript())[0] == 0


def test_a_move_after_a_game_was_said_to_be_void_takes_that_back(tmp_path):
    book = unfinished(RUNNING)
    book.happened("voided", reason="Its moves were lost.", damaged=True)
    book.play(any_move(book.game, random.Random(1)))
    book.happened("ended", winner="draw", reason="voided", final=True)
    assert verdict(tmp_path, book.transcript())[0] == 1


@pytest.mark.parametrize("words", ["window 4", "after move 4", "after\nmove 4"])
def test_the_seal_lines_of_all_releases_are_read(words: str):
    (found,) = verifier.SEAL.findall(f"Seal of [Foggy Thames], event 20, {words}: k7m2 q6xw 4dlr t3pa vh2e")
    assert found == ("Foggy Thames", "20", "4", "k7m2 q6xw 4dlr t3pa vh2e")


@pytest.mark.parametrize("words", ["before the first move", "after move 0", "before\nthe first move"])
def test_the_seal_line_of_the_start_is_read(words: str, tmp_path: Path):
    mail = tmp_path / "start.eml"
    mail.write_text(f"Subject: [Foggy Thames]\n\nSeal, event 3, {words}: k7m2 q6xw 4dlr t3pa vh2e\n")
    (read,) = verifier.mails_in([str(mail)])
    assert [(line.event, line.window) for line in read.lines] == [(3, 0)]
