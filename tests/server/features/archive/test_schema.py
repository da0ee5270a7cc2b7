"""The migrations lead to the tables that the code uses."""

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from tavla_server.errors import StartError
from tavla_server.features.archive.archive import Archive
from tavla_server.features.archive.database import MIGRATIONS, Database
from tavla_server.features.archive.schema import REVISION, metadata


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
        assert await connection.call(lambda opened: opened.run_sync(differences)) == []
    await database.close()


async def test_an_archive_that_is_newer_is_refused_in_a_sentence(archive_url: str) -> None:
    database = Database(archive_url)
    await Archive(database).ping()
    async with database.writing() as connection:
        await connection.execute(sa.text("update alembic_version set version_num = '9999'"))
    await database.close()
    newer = Database(archive_url)
    with pytest.raises(StartError, match="the archive is newer than this server"):
        await Archive(newer).ping()
    await newer.close()
