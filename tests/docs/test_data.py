"""The page that says what is stored."""

import re

from server.models.base import Base
from server.vocabulary.resources import docs


def test_the_page_names_every_table_there_is_and_no_other():
    tables = (docs() / "data.md").read_text(encoding="utf-8").partition("## The tables")[2]
    assert set(re.findall(r"`(\w+)`", tables)) == set(Base.metadata.tables)
