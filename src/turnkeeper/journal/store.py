"""What the journal needs to know of a database. Each kind of database makes one of these."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Dialect, Engine
from sqlalchemy.exc import SQLAlchemyError

from turnkeeper.errors import JournalUnavailable

WRITES: Final = "turnkeeper_writes"
"""Execution option: a transaction of this connection keeps other writers out from its start."""


@dataclass(frozen=True, slots=True)
class Store:
    """An engine, the name a person knows the database by, and how to explain its errors.

    The engine must honour WRITES: positions are counted on from the newest one, so nobody
    else may write between the counting and the commit. `positional` is its dialect with
    parameters by place: `?` here, `%s` there.
    """

    engine: Engine
    name: str
    explain: Callable[[Exception], JournalUnavailable]
    positional: Dialect

    @property
    def writing(self) -> Engine:
        return self.engine.execution_options(**{WRITES: True})

    @property
    def errors(self) -> tuple[type[Exception], ...]:
        """What the database, and what SQLAlchemy on its behalf, may raise."""
        return (SQLAlchemyError, self.engine.dialect.loaded_dbapi.Error)
