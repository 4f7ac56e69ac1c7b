"""The list of those from whom a player wants to hear nothing."""

from flask import Response

from server.application.people.accounts import blocks
from server.models import Player
from server.vocabulary.errors import Problem, refusal
from server.web import forms, visitors
from server.web.problems import page


def show() -> Response:
    """Show whom the player has blocked."""
    return _page(visitors.with_address())


def add() -> Response:
    """Block somebody, named by a name or an address."""
    player = visitors.with_address()
    if not forms.text("who"):
        return _page(player, refusal("form", "Write the name or the address of somebody."))
    return forms.carry_out(lambda player: blocks.add(player, {"who": forms.text("who")}), "blocks", _page)


def remove(block_id: str) -> Response:
    return forms.carry_out(lambda player: blocks.remove(player, block_id), "blocks", _page)


def _page(player: Player, problem: Problem | None = None) -> Response:
    return page(
        "me/blocks",
        problem,
        blocks=blocks.blocks_of(player),
        people=blocks.names_known_to(player),
        given=forms.text("who") if problem else "",
        wrong={"who": problem.sentence} if problem else {},
    )
