"""The first tables. A new archive is made at once as `schema.py` has it: no archive is older than this revision."""

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Nothing leads here."""
