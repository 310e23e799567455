"""How a database comes to its shape: the sum of the steps, all of them or none."""

import asyncio
import os
import re
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine

from turnkeeper.errors import JournalNewer
from turnkeeper.facts.fact import START
from turnkeeper.journal.migrate import HEAD, REVISIONS, SCRIPTS, migrate
from turnkeeper.journal.schema import metadata
from turnkeeper.journal.sql import SqlJournal
from turnkeeper.journal.sqlite import sqlite_store
from turnkeeper.journal.store import Store

KILLED_AT_STATEMENT = """
import os, signal, sys
from pathlib import Path
from sqlalchemy import event
from turnkeeper.journal.migrate import migrate
from turnkeeper.journal.sqlite import sqlite_store

store = sqlite_store(Path(sys.argv[1]), patience=5)
changes = 0

def count(connection, cursor, statement, *_):
    global changes
    changes += statement.lstrip().startswith(("CREATE", "INSERT"))
    if str(changes) == sys.argv[2]:
        os.kill(os.getpid(), signal.SIGKILL)

event.listen(store.engine, "after_cursor_execute", count)
migrate(store)
store.engine.dispose()
"""

OPENED_AGAIN = """
import asyncio, sys
from pathlib import Path
from turnkeeper.journal.sql import SqlJournal

async def main():
    await (await SqlJournal.open(Path(sys.argv[1]))).close()

asyncio.run(main())
print("alembic" in sys.modules)
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "journal.db"


@pytest.fixture
def store(file: Path) -> Iterator[Store]:
    store = sqlite_store(file, patience=5)
    yield store
    store.engine.dispose()


def child(program: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2] / "src")}
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=60, check=False
    )


def shape(file: Path) -> set[str]:
    """Every table and index, but Alembic's own, as the database spells them."""
    query = "SELECT sql FROM sqlite_master WHERE type IN ('table', 'index') AND sql NOT NULL"
    with closing(sqlite3.connect(file)) as connection:
        spelled = {re.sub(r"\s+", " ", sql) for (sql,) in connection.execute(query)}
    return {sql for sql in spelled if "alembic_version" not in sql}


def test_the_schema_is_the_sum_of_the_migrations(store: Store, file: Path, tmp_path: Path) -> None:
    migrate(store)
    drawn = create_engine(f"sqlite:///{tmp_path / 'drawn.db'}")
    metadata.create_all(drawn)
    drawn.dispose()

    with store.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, metadata) == []
    assert shape(file) == shape(tmp_path / "drawn.db")


def test_every_step_that_is_shipped_is_named_in_order() -> None:
    config = Config()
    config.set_main_option("script_location", str(SCRIPTS))
    steps = ScriptDirectory.from_config(config)

    assert tuple(step.revision for step in steps.walk_revisions())[::-1] == REVISIONS
    assert steps.get_current_head() == HEAD


def test_migrating_again_changes_nothing(store: Store, file: Path) -> None:
    migrate(store)
    before = shape(file)

    migrate(store)

    assert shape(file) == before


async def test_two_who_open_a_new_journal_at_once_both_may_use_it(file: Path) -> None:
    journals = await asyncio.gather(*(SqlJournal.open(file) for _ in range(4)))

    assert [await journal.last() for journal in journals] == [START] * 4
    for journal in journals:
        await journal.close()


def test_a_newer_database_is_refused_and_kept(store: Store, file: Path) -> None:
    migrate(store)
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    before = shape(file)

    with pytest.raises(JournalNewer, match=r"9999") as refusal:
        migrate(store)

    assert str(file) in str(refusal.value)
    assert shape(file) == before


async def test_a_newer_database_cannot_be_opened(store: Store, file: Path) -> None:
    migrate(store)
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")

    with pytest.raises(JournalNewer, match="newer version wrote it"):
        await SqlJournal.open(file)


@pytest.mark.parametrize("statement", [1, 3, 6, 11])
def test_a_killed_migration_leaves_nothing(file: Path, statement: int) -> None:
    killed = child(KILLED_AT_STATEMENT, str(file), str(statement))
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert shape(file) == set()

    finished = child(KILLED_AT_STATEMENT, str(file), "never")

    assert finished.returncode == 0, finished.stderr
    assert len(shape(file)) == len(metadata.tables) + 1


def test_alembic_is_loaded_only_when_there_is_something_to_do(file: Path) -> None:
    first = child(OPENED_AGAIN, str(file))
    second = child(OPENED_AGAIN, str(file))

    assert (first.stdout.strip(), second.stdout.strip()) == ("True", "False"), first.stderr
