"""How rows of the stored projections are written.

The statements are Core's, compiled once and run by the driver: for a batch of a few rows Core
would take longer over each statement than the database does.
"""

from collections.abc import Iterable, Mapping
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

from sqlalchemy import Connection, Dialect, Table, bindparam, update
from sqlalchemy.sql.dml import ValuesBase

from turnkeeper.journal.board_tables import usage

Row = Mapping[str, Any]  # a row of any table
WHERE = "where_position"


class Prepared(NamedTuple):
    """A statement in the words of the driver, and the order in which it takes its values."""

    sql: str
    names: tuple[str, ...]

    def values(self, row: Row) -> tuple[Any, ...]:
        return tuple([row[name] for name in self.names])


def put(connection: Connection, table: Table, rows: Iterable[Row]) -> None:
    """Insert these rows, or replace those of the same name. All of them have the same fields."""
    rows = list(rows)
    if rows:
        prepared = _replacing(connection.dialect, table, tuple(rows[0]))
        connection.exec_driver_sql(prepared.sql, list(map(prepared.values, rows)))


def put_usage(connection: Connection, rows: Iterable[Row]) -> None:
    """An answer is told several times, and grows: its largest telling counts, once."""
    rows = list(rows)
    if rows:
        prepared = _growing(connection.dialect)
        connection.exec_driver_sql(prepared.sql, list(map(prepared.values, rows)))


def change(connection: Connection, table: Table, changes: Mapping[int, Row]) -> None:
    """Change these fields of the rows at these positions."""
    for position, fields in changes.items():
        prepared = _changing(connection.dialect, table, tuple(fields))
        connection.exec_driver_sql(prepared.sql, prepared.values({**fields, WHERE: position}))


def _upsert(dialect: Dialect) -> Any:
    """Both databases have ON CONFLICT; Core spells it in a dialect of its own for each."""
    return import_module(f"sqlalchemy.dialects.{dialect.name}").insert


@cache
def _replacing(dialect: Dialect, table: Table, names: tuple[str, ...]) -> Prepared:
    keys = [column.name for column in table.primary_key]
    statement = _upsert(dialect)(table)
    fresh = {name: statement.excluded[name] for name in names if name not in keys}
    replacing = statement.on_conflict_do_update(index_elements=keys, set_=fresh)
    return _prepared(dialect, replacing, names)


@cache
def _growing(dialect: Dialect) -> Prepared:
    statement = _upsert(dialect)(usage)
    names = tuple(column.name for column in usage.columns)
    growing = statement.on_conflict_do_update(
        index_elements=["message", "request"],
        set_={name: statement.excluded[name] for name in names},
        where=statement.excluded.total > usage.c.total,
    )
    return _prepared(dialect, growing, names)


@cache
def _changing(dialect: Dialect, table: Table, names: tuple[str, ...]) -> Prepared:
    changing = update(table).where(table.c.position == bindparam(WHERE))
    return _prepared(dialect, changing, names)


def _prepared(dialect: Dialect, statement: ValuesBase, names: tuple[str, ...]) -> Prepared:
    compiled = statement.compile(dialect=dialect, column_keys=list(names))
    return Prepared(str(compiled), tuple(getattr(compiled, "positiontup", None) or ()))
