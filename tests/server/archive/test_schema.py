"""The migrations lead to the tables that the code uses."""

import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from tavla_server.archive.archive import Archive
from tavla_server.archive.database import MIGRATIONS, Database
from tavla_server.archive.schema import REVISION, metadata


def test_the_revision_is_that_of_the_last_migration() -> None:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    assert ScriptDirectory.from_config(config).get_current_head() == REVISION


async def test_the_migrations_make_the_tables_as_they_are_described(archive_url: str) -> None:
    database = Database(archive_url)
    await Archive(database).ping()

    def differences(connection: sa.Connection) -> list[object]:
        return list(compare_metadata(MigrationContext.configure(connection), metadata))

    async with database.reading() as connection:
        assert await connection.run_sync(differences) == []
    await database.close()
