"""Analyses of matches."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """A row for each match that a node has begun to judge."""
    op.create_table(
        "analyses",
        sa.Column("match", sa.String(16), sa.ForeignKey("matches.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("owner", sa.String(32), nullable=False),
        sa.Column("tries", sa.Integer, nullable=False),
        sa.Column("until_ms", sa.BigInteger, nullable=False),
        sa.Column("result", sa.Text),
    )
