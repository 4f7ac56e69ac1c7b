"""The HTML of mails: what is a link, and what is not."""

import pytest

from server.mail.writing.html import page


@pytest.mark.parametrize(
    ("line", "is_link"),
    [
        ("The board: https://play.example.org/games/abc", True),
        (" - Play now: https://play.example.org/answer/abc/play-now", True),
        ('Ben says: "https://evil.example.net"', False),
        ('Player two is played by "x: https://evil.example.net', False),
        ("See https://play.example.org for more.", False),
    ],
)
def test_a_url_of_ours_at_the_end_of_a_line_is_a_link_and_no_word_of_a_player_is(line: str, is_link: bool):
    assert ("<a " in page(f"Heading. M\n\n{line}", marker="M", pawn="red")) == is_link
