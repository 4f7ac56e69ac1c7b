"""The time since which a webhook has failed."""

import sqlalchemy as sa
from alembic import op

from server.models.types import UtcTime

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("webhooks") as batch:
        batch.add_column(sa.Column("failing_since", UtcTime(), nullable=True))
