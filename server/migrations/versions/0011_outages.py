"""Outages, and an index that finds the due deadlines among any number of rows."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "outages",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("cause", sa.String(length=8), nullable=False),
        sa.Column("begin", TIME, nullable=False),
        sa.Column("end", TIME, nullable=True),
        sa.Column("state", sa.String(length=8), nullable=False),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_outages")),
    )
    with op.batch_alter_table("games") as games:
        games.add_column(sa.Column("outages", sa.Integer(), nullable=False, server_default="0"))
    with op.batch_alter_table("games") as games:
        games.alter_column("outages", existing_type=sa.Integer(), server_default=None)
    op.drop_index(op.f("ix_deadlines_try_at"), "deadlines")
    armed = sa.text("state = 'armed'")
    op.create_index("ix_deadlines_waiting", "deadlines", ["try_at"], sqlite_where=armed, postgresql_where=armed)
    # The time the server was out for this upgrade is given back like that of any other outage.
    op.execute("INSERT INTO pulses (name, at) SELECT 'well', at FROM pulses WHERE name = 'tick'")
