"""Keep the answer under an Idempotency-Key for a day, index fewer mails that were sent, keep what the relay said."""

import sqlalchemy as sa
from alembic import op

revision = "r0004"
down_revision = "r0002"
branch_labels = None
depends_on = None

UNFINISHED = sa.text("state = 'pending' OR state = 'dead'")
TOLD = sa.text("told_in IS NOT NULL")
_ID = "substr(route, {find}(route, '/games/') + 7)"


def upgrade() -> None:
    is_sqlite = op.get_context().dialect.name == "sqlite"
    with op.batch_alter_table("answered") as answered:
        answered.drop_index("ix_answered_look_at")
        answered.alter_column("look_at", new_column_name="expires_at")
        answered.alter_column("answer", existing_type=sa.LargeBinary(), nullable=True)
        answered.add_column(sa.Column("game_id", sa.String(32), nullable=True))
    op.create_index("ix_answered_expires_at", "answered", ["expires_at"])
    # A request that opened a game names it in its encrypted answer alone; its key is kept for 30 days.
    id_and_rest = _ID.format(find="instr" if is_sqlite else "strpos")
    id_alone = f"substr({id_and_rest}, 1, {'instr' if is_sqlite else 'strpos'}({id_and_rest} || '/', '/') - 1)"
    op.execute(f"UPDATE answered SET game_id = {id_alone} WHERE route LIKE '%/games/%'")  # noqa: S608 constants
    tomorrow = (
        "strftime('%Y-%m-%d %H:%M:%S.000000', created_at, '+1 day')" if is_sqlite else "created_at + interval '1 day'"
    )
    op.execute(f"UPDATE answered SET expires_at = {tomorrow}")  # noqa: S608 constants
    op.add_column("outbox", sa.Column("refusal", sa.LargeBinary(), nullable=True))
    op.drop_index("ix_outbox_waiting", "outbox")
    op.drop_index("ix_outbox_told_in", "outbox")
    op.create_index(
        "ix_outbox_waiting", "outbox", ["state", "not_before"], sqlite_where=UNFINISHED, postgresql_where=UNFINISHED
    )
    op.create_index("ix_outbox_told_in", "outbox", ["told_in"], sqlite_where=TOLD, postgresql_where=TOLD)
