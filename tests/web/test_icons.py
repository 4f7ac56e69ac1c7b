"""The icon of the pages."""

from tests.conftest import Table


def test_the_icon_is_served_from_here_also_to_those_who_ask_unasked(table: Table):
    for path, mimetype in (("/icon.svg", "image/svg+xml"), ("/icon-turn.svg", "image/svg+xml")):
        assert table.client.get(path).mimetype == mimetype
    assert table.client.get("/favicon.ico").data.startswith(b"\x89PNG")
    assert table.client.get("/icon.svg").data != table.client.get("/icon-turn.svg").data
