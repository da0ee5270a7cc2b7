"""Collections of matches in files, and analyses of them, too: an analysis is of either kind of match."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Make the table of collections, and that of analyses anew."""
    op.create_table(
        "collected",
        sa.Column("id", sa.String(16), primary_key=True),
        sa.Column("player", sa.String(16), nullable=False),
        sa.Column("added_ms", sa.BigInteger, nullable=False),
        sa.Column("about", sa.Text, nullable=False),
        sa.Column("document", sa.LargeBinary, nullable=False),
    )
    op.create_index("collected_by_player", "collected", ["player", "added_ms", "id"])
    op.rename_table("analyses", "old")
    op.create_table(
        "analyses",
        sa.Column("match", sa.String(16), primary_key=True),
        sa.Column("owner", sa.String(32), nullable=False),
        sa.Column("tries", sa.Integer, nullable=False),
        sa.Column("until_ms", sa.BigInteger, nullable=False),
        sa.Column("rough", sa.Boolean, nullable=False),
        sa.Column("seen", sa.Integer, nullable=False),
        sa.Column("plays", sa.Integer, nullable=False),
        sa.Column("result", sa.Text),
    )
    op.execute("INSERT INTO analyses SELECT match, owner, tries, until_ms, rough, seen, plays, result FROM old")
    op.drop_table("old")
