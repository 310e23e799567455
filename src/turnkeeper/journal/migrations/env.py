"""How Alembic runs our steps: on the connection and in the transaction that migrate.py opened."""

from alembic import context

from turnkeeper.journal.schema import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
context.run_migrations()
