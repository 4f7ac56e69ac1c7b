"""What the applications of tests share."""

from pathlib import Path
from unittest import mock

from tests.table import Table


def test_a_template_is_compiled_once_for_all_applications(tmp_path: Path):
    one, other = (Table(tmp_path / name).app.jinja_env for name in ("one", "other"))
    one.get_template("web/page.html")
    with mock.patch.object(other, "compile", side_effect=AssertionError("a template was compiled again")):
        other.get_template("web/page.html")
