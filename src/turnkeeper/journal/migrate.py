"""Bring a database up to the shape the code knows. Forward only.

Alembic takes a quarter of a second to import, so the stored revision is read by hand and
Alembic is loaded only when there is something to do.
"""

import threading
from pathlib import Path
from typing import Final

from sqlalchemy import Connection, column, inspect, select, table

from turnkeeper.errors import JournalNewer
from turnkeeper.journal.store import Store

REVISIONS: Final = ("0001",)
"""Every step we ship, oldest first."""

HEAD: Final = REVISIONS[-1]
SCRIPTS: Final = Path(__file__).parent / "migrations"

_version: Final = table("alembic_version", column("version_num"))
_one_at_a_time: Final = threading.Lock()


def migrate(store: Store) -> None:
    """Run the steps a database lacks, all in one transaction: a killed run leaves nothing.

    Refuses to guess: a database that holds a step we do not ship was written by a newer
    version, and running an older one against it could misread facts.
    """
    try:
        with store.engine.connect() as connection:
            stored = revision(connection)
        if stored is not None and stored not in REVISIONS:
            raise JournalNewer(store.name, f"a newer version wrote it (its step is {stored})")
        if stored != HEAD:
            _upgrade(store)
    except store.errors as cause:
        raise store.explain(cause) from cause


def revision(connection: Connection) -> str | None:
    """The last step this database has seen."""
    if not inspect(connection).has_table(_version.name):
        return None
    stored = connection.execute(select(_version.c.version_num)).scalar()
    return None if stored is None else str(stored)


def _upgrade(store: Store) -> None:
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(SCRIPTS).replace("%", "%%"))
    with _one_at_a_time, store.writing.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, HEAD)
