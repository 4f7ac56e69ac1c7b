"""People at a shipped server: each knows what its pages, its mails, or its views say, and nothing else."""

import random
import re
from collections.abc import Iterator
from contextlib import suppress
from email.utils import formataddr
from typing import Any

from blackticket.standalone.client import Client
from server.engine import Board
from server.engine.ticket_kinds import PLAIN
from tests.e2e.shipped import Shipped, text_of
from tests.patience import eventually

_ON_TURN = "It is your turn"  # on the page of a game
WAYS = re.compile(r" - by (taxi|bus|underground) to (.+?) \((\d+) left\)", re.DOTALL)

# Where a lit station is on the screen, and whether the whole of it is seen.
PLACE = """station => {
  const board = document.querySelector("svg.map");
  const link = board?.querySelector(`.lit:not([display=none]) a[data-station="${station}"]`);
  if (!link) return null;
  board.scrollIntoView({block: "center"});
  const [all, it] = [board, link].map((each) => each.getBoundingClientRect());
  const isSeen = all.left <= it.left && it.right <= all.right && all.top <= it.top && it.bottom <= all.bottom;
  return {isSeen, x: (it.left + it.right) / 2, y: (it.top + it.bottom) / 2};
}"""


def ticket_of(move: str) -> str:
    """Return the ticket of a detective's move in notation, such as `red taxi 46`."""
    return move.split()[1]


class Someone:
    """Somebody with a name and an address, who plays one pawn."""

    def __init__(self, shipped: Shipped, name: str, pawn: str) -> None:
        self.shipped = shipped
        self.name = name
        self.address = f"{name.lower()}@example.org"
        self.pawn = pawn
        self.rng = random.Random(name)

    def play(self) -> str:
        """Make a move if one is asked for; return how the game has ended, empty if it goes on."""
        raise NotImplementedError


class ByRest(Someone):
    """Somebody with a program, which looks at the game."""

    client: Client
    game: str

    def __init__(self, shipped: Shipped, name: str, pawn: str) -> None:
        super().__init__(shipped, name, pawn)
        self.client = shipped.sign_up(name)

    def join(self, game: str, code: str | None = None) -> None:
        self.game = game
        self.client.join(game, code=code)

    def play(self) -> str:
        view = self.client.game(self.game)
        if view["outcome"]:
            return str(view["outcome"]["reason"])
        if self.pawn in view["to_move"]:
            legal = self.client.legal_moves(self.game)
            held = view["pawns"][self.pawn]["tickets"]
            moves = [move["notation"] for move in legal["moves"]]
            most = max(held[ticket_of(move)] for move in moves)
            move = self.rng.choice([move for move in moves if held[ticket_of(move)] == most])
            self.client.move(self.game, legal["turn"], move)
        return ""


class ByMail(Someone):
    """Somebody with a mail program, who answers every mail that asks for a move, ahead of the turn too."""

    def __init__(self, shipped: Shipped, name: str, pawn: str) -> None:
        super().__init__(shipped, name, pawn)
        self.read = 0

    def join(self) -> None:
        """Accept the invitation, by which they become a player."""
        invitation = self.shipped.mail_to(self.address, "invites you")
        self.shipped.answer(invitation, "YES", formataddr((self.name, self.address)))
        self.shipped.mail_to(self.address, "the seat is yours")

    def play(self) -> str:
        mails = self.shipped.mails(self.address)
        news, self.read = mails[self.read :], len(mails)
        if over := [mail for mail in mails if "The game is over" in mail["Subject"]]:
            return " ".join(text_of(over[0]).split())
        if asking := [mail for mail in news if WAYS.search(text_of(mail))]:
            self._move(asking[-1])
        return ""

    def _move(self, mail: Any) -> None:
        """Answer with a move, and another one in case that somebody is there by then."""
        ways = sorted(WAYS.findall(text_of(mail)), key=lambda way: -int(way[2]))
        moves = [f"{line} {station}" for line, stations, _ in ways for station in re.findall(r"\d+", stations)]
        self.shipped.answer(mail, f"{self.pawn} {' or else '.join(moves[:2])}")


class InBrowser(Someone):
    """Somebody at a page of their own."""

    def __init__(self, shipped: Shipped, name: str, pawn: str, page: Any) -> None:
        super().__init__(shipped, name, pawn)
        self.page = page
        self.moves = 0
        self.is_at_a_phone = page.evaluate("navigator.maxTouchPoints > 0")

    def sign_in(self) -> None:
        """Become a player by the code that comes by mail; the page on which they are leads to where it was."""
        self.page.get_by_label("Your mail address").fill(self.address)
        self.page.get_by_role("button", name="Send me a code").click()
        self.page.get_by_label("The code").fill(self.shipped.code_to(self.address))
        self.page.get_by_role("button", name="Sign in").click()
        self.page.get_by_label("Your name").fill(self.name)
        self.page.get_by_role("button", name="Become a player").click()

    def is_on_turn(self) -> bool:
        """Return True if the page asks for a move."""
        return _ON_TURN in self._lead()

    def _lead(self) -> str:
        return str(self.page.locator("p.lead").inner_text())

    def play(self) -> str:
        self.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")  # they turn to the page again
        said = self._lead()
        if _ON_TURN in said:
            self.move()
            self.moves += 1
        return said if "won:" in said or "draw:" in said else ""

    def move(self) -> None:
        """Go to one of the lit stations, with a ticket of which there are most."""
        row = self.page.locator("table.pawns tr").filter(has_text="(you)")
        held = [int(each) for each in row.locator(".number").all_inner_texts()[:3]]
        offered = {kind: left for kind, left in zip(PLAIN, held, strict=True) if self._by(kind).count()}
        ticket = max(offered, key=lambda kind: offered[kind])
        choice = self.rng.choice(self._by(ticket).all())
        self.choose(int(choice.get_attribute("data-station")))
        self.pay(ticket)
        self.send()

    def _by(self, ticket: str) -> Any:
        return self.page.locator(f'form.move input[data-ticket="{ticket}"]')

    @property
    def reach(self) -> list[int]:
        """The stations that are lit."""
        lit = self.page.locator(".lit:not([display=none]) a")
        return [int(each.get_attribute("data-station")) for each in lit.all()]

    def choose(self, station: int) -> None:
        """Click a lit station, or tap it; if it is out of sight, all of the board is shown first.

        News may replace the page at any moment, so a player who sees that nothing is chosen does it again.
        """
        eventually(lambda: self._press(station) and self._has_chosen(station))

    def _has_chosen(self, station: int) -> bool:
        chosen = self.page.locator(f'form.move input[data-station="{station}"]:checked')
        with suppress(AssertionError):
            return bool(eventually(chosen.count, longest=5))
        return False

    def _press(self, station: int) -> bool:
        """Press a station; return False if it has gone meanwhile."""
        at = self.page.evaluate(PLACE, station)
        if at and not at["isSeen"]:
            self.page.get_by_role("button", name="Whole").click()
            at = self.page.evaluate(PLACE, station)
        if not at:
            return False
        if self.is_at_a_phone:
            self.page.touchscreen.tap(at["x"], at["y"])
        else:
            self.page.mouse.click(at["x"], at["y"])
        return True

    def pay(self, ticket: str) -> None:
        """Press the button of a ticket; there is none where only one kind leads, as on the river."""
        button = self.page.get_by_role("group", name="Ticket").get_by_role("button", name=ticket)
        if button.count():
            button.tap() if self.is_at_a_phone else button.click()

    def send(self) -> None:
        """Press the button of the move, and see that it was made."""
        turn = self.page.locator("form.move input[name=turn]").first.input_value()
        self.page.locator(".bar.ready button.main").click()
        # The next move is asked for at once where only bots moved meanwhile.
        of_turn = self.page.locator(f'form.move:has(input[name=turn][value="{turn}"])')
        of_turn.first.wait_for(state="detached")


class MrX(InBrowser):
    """Mr. X, who goes where no detective can follow; the first move is double, the second costs a black ticket."""

    def move(self) -> None:
        """Move once, or twice in the first round."""
        number = self.page.locator(".log li b").count()
        if number == 0:
            self.choose(self._away())
            self.page.get_by_role("button", name="Then move again").click()
            self.page.get_by_text("Nothing is played yet").wait_for()
        self.choose(self._away())
        if number == 2:
            self.pay("black ticket")
        self.send()

    def _away(self) -> int:
        """Return a lit station that no pawn stands next to, if there is one."""
        near = {*self._near(self._board())}
        reach = self.reach
        return self.rng.choice([station for station in reach if station not in near] or reach)

    def _board(self) -> Board:
        """Return the board that the page shows; editions have different ones."""
        href = str(self.page.locator("svg.map image").first.get_attribute("href"))
        return Board.named(re.search(r"/boards/([\w-]+)\.svg", href)[1])

    def _near(self, board: Board) -> Iterator[int]:
        for row in self.page.locator("table.pawns tr").all()[2:]:
            station = int(row.locator("td").nth(1).inner_text())
            yield from (station, *board.reach["black"][station])
