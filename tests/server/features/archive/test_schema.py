"""A new archive has the tables that the code uses, and migrations lead to the same."""

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.operations import Operations
from alembic.script import ScriptDirectory
from tavla_server.errors import StartError
from tavla_server.features.archive.archive import Archive
from tavla_server.features.archive.database import MIGRATIONS, Database, upgrade
from tavla_server.features.archive.schema import REVISION, metadata

from tests.support.stores.first_archive import create_first_tables

FIRST = "0001"


@pytest.fixture
def revisions() -> ScriptDirectory:
    """All migrations."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    return ScriptDirectory.from_config(config)


def test_the_revision_is_that_of_the_last_migration(revisions: ScriptDirectory) -> None:
    assert revisions.get_current_head() == REVISION


async def test_a_new_archive_and_the_migrations_have_the_tables_as_they_are_described(
    archive_url: str, revisions: ScriptDirectory
) -> None:
    database = Database(archive_url)
    await Archive(database).ping()

    def differences(connection: sa.Connection) -> list[object]:
        return list(compare_metadata(MigrationContext.configure(connection), metadata))

    def made_by_migrations(connection: sa.Connection) -> list[tuple[object, ...]]:
        metadata.drop_all(connection)
        connection.execute(sa.text("drop table alembic_version"))
        context = MigrationContext.configure(connection)
        create_first_tables(Operations(context))
        context.stamp(revisions, FIRST)
        upgrade(connection)
        return described(connection)

    async with database.writing() as connection:
        assert await connection.call(lambda opened: opened.run_sync(differences)) == []
        new = await connection.call(lambda opened: opened.run_sync(described))
        assert await connection.call(lambda opened: opened.run_sync(made_by_migrations)) == new
        assert await connection.call(lambda opened: opened.run_sync(differences)) == []
    await database.close()


def described(connection: sa.Connection) -> list[tuple[object, ...]]:
    """Description of all tables and indices as the database keeps it, the revision included."""
    of_dialect = {
        "sqlite": "select name, sql from sqlite_master order by name",
        "postgresql": "select table_name, column_name, data_type, is_nullable, character_maximum_length, column_default"
        " from information_schema.columns where table_schema = 'public' order by table_name, ordinal_position",
    }
    rows = connection.execute(sa.text(of_dialect[connection.dialect.name])).all()
    revisions = connection.execute(sa.text("select version_num from alembic_version")).all()
    return [tuple("".join(str(part).split()) for part in row) for row in (*rows, *revisions)]


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
