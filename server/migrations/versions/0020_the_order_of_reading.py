"""The index of the mails that wait to be read has all columns that their order depends on."""

from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("inbox") as batch:
        batch.drop_index("ix_inbox_waiting")
        batch.create_index("ix_inbox_waiting", ["state", "received_at", "id", "game_id", "sender"])
