"""The archive's tables, and the revision at which they are so (`migrations/`)."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    String,
    Table,
    Text,
)

REVISION = "0002"

metadata = MetaData()

# A match that is over. The journal says all; the other columns are what lists need of it, and are made from it.
# rules: the options that differ from the default, as JSON. listed: others than the players may see it. results,
# experience: what of it counted for ratings (record/rating.Tally). seq: the last entry. journal: match/journal entries,
# packed (packing.py).
matches = Table(
    "matches",
    metadata,
    Column("id", String(16), primary_key=True),
    Column("name", String(30), nullable=False),
    Column("rules", Text, nullable=False),
    Column("score_0", Integer, nullable=False),
    Column("score_1", Integer, nullable=False),
    Column("winner", SmallInteger),
    Column("ending", String(20), nullable=False),
    Column("started_ms", BigInteger, nullable=False),
    Column("ended_ms", BigInteger, nullable=False),
    Column("rated", Boolean, nullable=False),
    Column("listed", Boolean, nullable=False),
    Column("results", Integer, nullable=False),
    Column("experience", Integer, nullable=False),
    Column("seq", Integer, nullable=False),
    Column("journal", LargeBinary, nullable=False),
    Index("matches_by_end", "ended_ms", "id"),
)

# Who sat where: two rows a match, found by player or by the name as it was. change: of the rating.
seats = Table(
    "seats",
    metadata,
    Column("match", String(16), ForeignKey("matches.id", ondelete="CASCADE"), primary_key=True),
    Column("seat", SmallInteger, primary_key=True, autoincrement=False),
    Column("player", String(16), nullable=False),
    Column("name", String(20), nullable=False),
    Column("name_key", String(20), nullable=False),
    Column("kind", String(10), nullable=False),
    Column("rating", Float),
    Column("change", Float, nullable=False),
    Column("ended_ms", BigInteger, nullable=False),
    Index("seats_by_player", "player", "ended_ms", "match"),
    Index("seats_by_name", "name_key", "ended_ms", "match"),
)

# How well a match was played; without `--analysis` there are none. owner: who has begun to judge it, the tries-th time,
# and has it until then, in ms since 1970. result: judge.Judgement, as JSON; null = there is none yet.
analyses = Table(
    "analyses",
    metadata,
    Column("match", String(16), ForeignKey("matches.id", ondelete="CASCADE"), primary_key=True),
    Column("owner", String(32), nullable=False),
    Column("tries", Integer, nullable=False),
    Column("until_ms", BigInteger, nullable=False),
    Column("result", Text),
)
