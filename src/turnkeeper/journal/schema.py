"""The shape of the log in a database. The migrations add up to exactly this (a test says so).

Texts that recur (sessions, threads, hosts, sources, kinds) are written once, in `name`, and
a fact holds their numbers: a row and its index stay small. NULL stands for the empty text.
The triggers that refuse UPDATE and DELETE differ by database and live in the migrations.
"""

from typing import Final

from sqlalchemy import (
    BigInteger,
    Column,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
)

metadata: Final = MetaData()

name: Final = Table(
    "name",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("text", Text, nullable=False),
    UniqueConstraint("text", name="name_once"),
)

fact: Final = Table(
    "fact",
    metadata,
    Column(
        "position",
        BigInteger().with_variant(Integer, "sqlite"),
        primary_key=True,
        autoincrement=False,
    ),
    Column("key", Text, nullable=False),
    Column("session", Integer),
    Column("thread", Integer),
    Column("host", Integer),
    Column("source", Integer, nullable=False),
    Column("kind", Integer, nullable=False),
    Column("happened_at", BigInteger, nullable=False),
    Column("heard_at", BigInteger, nullable=False),
    Column("payload", LargeBinary, nullable=False),
    UniqueConstraint("key", name="fact_once"),
    Index("fact_by_session", "session", "position"),
)

mark: Final = Table(
    "mark",
    metadata,
    Column("name", LargeBinary, primary_key=True),
    Column("offset", BigInteger, nullable=False),
    Column("inode", BigInteger, nullable=False),
    Column("memo", LargeBinary, nullable=False),
)
"""File names and memos are bytes here: a path need not be text that a database can hold."""
