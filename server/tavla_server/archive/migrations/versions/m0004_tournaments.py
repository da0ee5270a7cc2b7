"""Tournaments."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Those that were over before have left the store, or are archived when a server looks after them next."""
    op.create_table(
        "tournaments",
        sa.Column("id", sa.String(16), primary_key=True),
        sa.Column("ended_ms", sa.BigInteger, nullable=False),
        sa.Column("listed", sa.Boolean, nullable=False),
        sa.Column("shown", sa.Text, nullable=False),
        sa.Column("players", sa.Text, nullable=False),
        sa.Column("journal", sa.LargeBinary, nullable=False),
    )
    op.create_index("tournaments_by_end", "tournaments", ["ended_ms", "id"])
