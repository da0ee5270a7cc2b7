"""The first tables of an archive, as every later version has to take them: revision 0001, which never changes."""

from itertools import product

import sqlalchemy as sa
from alembic.operations import Operations


def create_first_tables(op: Operations) -> None:
    """Make the tables of matches, analyses, dice and tournaments, and no table of the revision."""
    _create_matches(op)
    _create_what_is_found_out(op)
    _create_tournaments(op)


def _create_matches(op: Operations) -> None:
    op.create_table(
        "matches",
        sa.Column("id", sa.String(16), primary_key=True),
        sa.Column("name", sa.String(50), nullable=False),
        sa.Column("rules", sa.Text, nullable=False),
        sa.Column("score_0", sa.Integer, nullable=False),
        sa.Column("score_1", sa.Integer, nullable=False),
        sa.Column("winner", sa.SmallInteger),
        sa.Column("ending", sa.String(20), nullable=False),
        sa.Column("started_ms", sa.BigInteger, nullable=False),
        sa.Column("ended_ms", sa.BigInteger, nullable=False),
        sa.Column("rated", sa.Boolean, nullable=False),
        sa.Column("listed", sa.Boolean, nullable=False),
        sa.Column("results", sa.Integer, nullable=False),
        sa.Column("experience", sa.Integer, nullable=False),
        sa.Column("seq", sa.Integer, nullable=False),
        sa.Column("journal", sa.LargeBinary, nullable=False),
    )
    op.create_index("matches_by_end", "matches", ["ended_ms", "id"])
    op.create_table(
        "seats",
        sa.Column("match", sa.String(16), sa.ForeignKey("matches.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("seat", sa.SmallInteger, primary_key=True, autoincrement=False),
        sa.Column("player", sa.String(16), nullable=False),
        sa.Column("name", sa.String(20), nullable=False),
        sa.Column("name_key", sa.String(20), nullable=False),
        sa.Column("kind", sa.String(10), nullable=False),
        sa.Column("rating", sa.Float),
        sa.Column("change", sa.Float, nullable=False),
        sa.Column("ended_ms", sa.BigInteger, nullable=False),
    )
    op.create_index("seats_by_player", "seats", ["player", "ended_ms", "match"])
    op.create_index("seats_by_name", "seats", ["name_key", "ended_ms", "match"])


def _create_what_is_found_out(op: Operations) -> None:
    op.create_table(
        "analyses",
        sa.Column("match", sa.String(16), sa.ForeignKey("matches.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("owner", sa.String(32), nullable=False),
        sa.Column("tries", sa.Integer, nullable=False),
        sa.Column("until_ms", sa.BigInteger, nullable=False),
        sa.Column("rough", sa.Boolean, nullable=False),
        sa.Column("seen", sa.Integer, nullable=False),
        sa.Column("plays", sa.Integer, nullable=False),
        sa.Column("result", sa.Text),
    )
    op.create_table(
        "rolls",
        sa.Column("match", sa.String(16), sa.ForeignKey("matches.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("whose", sa.SmallInteger, primary_key=True, autoincrement=False),
        sa.Column("proved", sa.Boolean, nullable=False),
        *[sa.Column(f"d{one}{two}", sa.SmallInteger, nullable=False) for one, two in product(range(1, 7), repeat=2)],
        sqlite_with_rowid=False,
    )


def _create_tournaments(op: Operations) -> None:
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
