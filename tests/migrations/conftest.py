"""One migration more than there are, as the next version may have it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from server import migrations
from server.migrations import newest

NEWEST = newest()
ONE_MORE = """
import sqlalchemy as sa
from alembic import op
revision, down_revision, branch_labels, depends_on = "r9999", "{newest}", None, None
def upgrade():
    with op.batch_alter_table("players") as players:
        players.alter_column("name", type_=sa.String(60))
    {more}
"""


@pytest.fixture
def one_more_migration(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[str], None]:
    """Adds a migration after the last one: it makes a table again, and then does what it is given."""

    def add(more: str) -> None:
        scripts = tmp_path / "migrations"
        (scripts / "versions").mkdir(parents=True)
        first = Path(migrations.__file__).parent
        for name in ("env.py", *(f"versions/{path.name}" for path in (first / "versions").glob("0*.py"))):
            (scripts / name).write_text((first / name).read_text())
        (scripts / "versions/9999_another.py").write_text(ONE_MORE.format(more=more, newest=NEWEST))
        monkeypatch.setattr(migrations, "__file__", str(scripts / "__init__.py"))

    return add
