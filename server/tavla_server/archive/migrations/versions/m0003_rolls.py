"""Dice of matches."""

from itertools import product

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Three rows a match. Matches that are there are counted by the server, beside play: that takes minutes."""
    op.create_table(
        "rolls",
        sa.Column("match", sa.String(16), sa.ForeignKey("matches.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("whose", sa.SmallInteger, primary_key=True, autoincrement=False),
        sa.Column("proved", sa.Boolean, nullable=False),
        *[sa.Column(f"d{one}{two}", sa.SmallInteger, nullable=False) for one, two in product(range(1, 7), repeat=2)],
        sqlite_with_rowid=False,
    )
