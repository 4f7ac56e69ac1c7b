"""Keep the answer under an Idempotency-Key for a day, index fewer mails that were sent, keep what the relay said."""

import sqlalchemy as sa
from alembic import op

revision = "r0004"
down_revision = "r0002"
branch_labels = None
depends_on = None

UNFINISHED = sa.text("state = 'pending' OR state = 'dead'")
TOLD = sa.text("told_in IS NOT NULL")


def upgrade() -> None:
    is_sqlite = op.get_context().dialect.name == "sqlite"
    with op.batch_alter_table("answered") as answered:
        answered.drop_index("ix_answered_look_at")
        answered.alter_column("look_at", new_column_name="expires_at")
        answered.alter_column("answer", existing_type=sa.LargeBinary(), nullable=True)
        answered.add_column(sa.Column("game_id", sa.String(32), nullable=True))
    op.create_index("ix_answered_expires_at", "answered", ["expires_at"])
    # A request that opened a game names it in its encrypted answer alone; its key is kept for 30 days.
    find = "instr" if is_sqlite else "strpos"
    rest = f"substr(route, {find}(route, '/games/') + 7) || '/'"
    op.execute(f"UPDATE answered SET game_id = substr({rest}, 1, {find}({rest}, '/') - 1) WHERE route LIKE '%/games/%'")  # noqa: S608 constants
    tomorrow = "strftime('%Y-%m-%d %H:%M:%S.000000', created_at, '+1 day')"
    tomorrow = tomorrow if is_sqlite else "created_at + interval '1 day'"
    op.execute(f"UPDATE answered SET expires_at = {tomorrow}")  # noqa: S608 constants
    op.add_column("outbox", sa.Column("refusal", sa.LargeBinary(), nullable=True))
    for name, columns, where in (("waiting", ["state", "not_before"], UNFINISHED), ("told_in", ["told_in"], TOLD)):
        op.drop_index(f"ix_outbox_{name}", "outbox")
        op.create_index(f"ix_outbox_{name}", "outbox", columns, sqlite_where=where, postgresql_where=where)
