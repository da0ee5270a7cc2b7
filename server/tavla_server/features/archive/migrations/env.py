"""The run of Alembic on the connection that `features/archive/database.py` hands over, in its transaction."""

from alembic import context

from tavla_server.features.archive.schema import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
context.run_migrations()
