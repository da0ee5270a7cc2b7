"""An archive on either database, and matches to put there."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from tavla_server.features.archive.archive import Archive

from tests.support.stores.archiving import archive_at
from tests.support.stores.databases import Postgresql, new_postgresql


@pytest.fixture(scope="session")
def postgresql() -> Iterator[Postgresql]:
    """A PostgreSQL that is shared by all tests that leave it alive."""
    yield from new_postgresql()


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)])
def archive_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of an empty database."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path}/archive.sqlite3"
        return
    server: Postgresql = request.getfixturevalue("postgresql")
    with server.database() as url:
        yield url


@pytest.fixture
async def archive(archive_url: str) -> AsyncIterator[Archive]:
    """An empty archive."""
    async with archive_at(archive_url) as archive:
        yield archive


@pytest.fixture
def own_postgresql() -> Iterator[Postgresql]:
    """A PostgreSQL that the test may stop and start again."""
    yield from new_postgresql()
