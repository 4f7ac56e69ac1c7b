"""The time at which the relay refused a mail for good, until it accepts another: several in a row are an outage."""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None

REFUSED = sa.text("refused_at IS NOT NULL")


def upgrade() -> None:
    with op.batch_alter_table("outbox") as batch:
        batch.add_column(sa.Column("refused_at", sa.DateTime(timezone=True), nullable=True))
        batch.create_index("ix_outbox_refused", ["refused_at"], sqlite_where=REFUSED, postgresql_where=REFUSED)
