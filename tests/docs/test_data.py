"""The page that says what is stored."""

import re

import pytest

from server.models.base import Base
from server.vocabulary.resources import docs


@pytest.mark.parametrize("path", ["data.md", "de/data.md"])
def test_the_page_names_every_table_there_is_and_no_other(path: str):
    tables = (docs() / path).read_text(encoding="utf-8").rpartition("\n## ")[2]
    assert set(re.findall(r"`(\w+)`", tables)) == set(Base.metadata.tables)
