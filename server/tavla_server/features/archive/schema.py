"""The archive's tables, and the revision at which they are so (`migrations/`)."""

import sqlalchemy as sa

REVISION = "0002"

metadata = sa.MetaData()

# A match that is over. The journal says all; the other columns are what lists need of it, and are made from it.
# rules: the options that differ from the default, as JSON. listed: others than the players may see it. results,
# experience: what of it counted for ratings (record/rating.Tally). seq: the last entry. journal: match/journal entries,
# packed (packing.py).
matches = sa.Table(
    "matches",
    metadata,
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
    sa.Index("matches_by_end", "ended_ms", "id"),
)

# The players' seats: two rows a match, found by player or by the name as it was. change: of the rating.
seats = sa.Table(
    "seats",
    metadata,
    sa.Column("match", sa.String(16), sa.ForeignKey("matches.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("seat", sa.SmallInteger, primary_key=True, autoincrement=False),
    sa.Column("player", sa.String(16), nullable=False),
    sa.Column("name", sa.String(20), nullable=False),
    sa.Column("name_key", sa.String(20), nullable=False),
    sa.Column("kind", sa.String(10), nullable=False),
    sa.Column("rating", sa.Float),
    sa.Column("change", sa.Float, nullable=False),
    sa.Column("ended_ms", sa.BigInteger, nullable=False),
    sa.Index("seats_by_player", "player", "ended_ms", "match"),
    sa.Index("seats_by_name", "name_key", "ended_ms", "match"),
)

# Analyses of matches, and of collected ones; without `--analysis` there are none. owner: the node that judges it, for
# the tries-th time, and has it until then, in ms since 1970. rough: a better judge has yet to come to it; seen, plays:
# how far that one is, and of how many. result: judge.Judgement, as JSON; null = there is none yet.
analyses = sa.Table(
    "analyses",
    metadata,
    sa.Column("match", sa.String(16), primary_key=True),
    sa.Column("owner", sa.String(32), nullable=False),
    sa.Column("tries", sa.Integer, nullable=False),
    sa.Column("until_ms", sa.BigInteger, nullable=False),
    sa.Column("rough", sa.Boolean, nullable=False),
    sa.Column("seen", sa.Integer, nullable=False),
    sa.Column("plays", sa.Integer, nullable=False),
    sa.Column("result", sa.Text),
)

# Counts of a match's dice (rolls.py): three rows a match, for white, black, and opening rolls, which are a die of
# each; a column for each of the 36 outcomes. proved: all of them follow from the match's seeds. Names are short: the
# description of all tables is to fit on a file's first page (mending.py). These rows are not mended, but counted anew.
WHOSE = "white", "black", "opening"
OUTCOMES = [(one, two) for one in range(1, 7) for two in range(1, 7)]
CELLS = [f"d{one}{two}" for one, two in OUTCOMES]
rolls = sa.Table(
    "rolls",
    metadata,
    sa.Column("match", sa.String(16), sa.ForeignKey("matches.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("whose", sa.SmallInteger, primary_key=True, autoincrement=False),
    sa.Column("proved", sa.Boolean, nullable=False),
    *[sa.Column(name, sa.SmallInteger, nullable=False) for name in CELLS],
    sqlite_with_rowid=False,
)

# A tournament that is over. The journal says all, packed as a match's is. ended_ms: its last entry. listed: others than
# those who have its code may see it. shown: its row in lists, as JSON. players: their ids, each between two spaces.
tournaments = sa.Table(
    "tournaments",
    metadata,
    sa.Column("id", sa.String(16), primary_key=True),
    sa.Column("ended_ms", sa.BigInteger, nullable=False),
    sa.Column("listed", sa.Boolean, nullable=False),
    sa.Column("shown", sa.Text, nullable=False),
    sa.Column("players", sa.Text, nullable=False),
    sa.Column("journal", sa.LargeBinary, nullable=False),
    sa.Index("tournaments_by_end", "ended_ms", "id"),
)

FIRST_TABLES = matches, tournaments, seats, analyses, rolls  # of revision 0001, as they were made

# A match in a file, in the collection of a player. about: messages.CollectedMatch without its analysis, as JSON.
# document: file_match.FileMatch, packed.
collected = sa.Table(
    "collected",
    metadata,
    sa.Column("id", sa.String(16), primary_key=True),
    sa.Column("player", sa.String(16), nullable=False),
    sa.Column("added_ms", sa.BigInteger, nullable=False),
    sa.Column("about", sa.Text, nullable=False),
    sa.Column("document", sa.LargeBinary, nullable=False),
    sa.Index("collected_by_player", "player", "added_ms", "id"),
)
