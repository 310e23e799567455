"""The shape of the stored projections. All of it can be thrown away and made anew.

There are no migrations here: a file of another shape is rebuilt from the journal.
"""

from typing import Final

from sqlalchemy import (
    BigInteger,
    Column,
    Float,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
)

SHAPE: Final = 5
"""Raise it with every change here or in what is stored in the columns."""

metadata: Final = MetaData()
_Big: Final = BigInteger().with_variant(Integer, "sqlite")

about: Final = Table(
    "about",
    metadata,
    Column("name", Text, primary_key=True),
    Column("value", LargeBinary, nullable=False),
)
"""The shape, the checkpoint, and the directory's small parts."""

agent: Final = Table(
    "agent",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("standing", Text, nullable=False),
    Column("last_at", BigInteger, nullable=False),
    Column("card", LargeBinary, nullable=False),
    Column("state", LargeBinary, nullable=False),
)

session: Final = Table(
    "session",
    metadata,
    Column("id", Text, primary_key=True),
    Column("agent", Integer, nullable=False),
)

turn: Final = Table(
    "turn",
    metadata,
    Column("position", _Big, primary_key=True, autoincrement=False),
    Column("agent", Integer, nullable=False),
    Column("session", Text, nullable=False),
    Column("thread", Text, nullable=False),
    Column("actor", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("source", Text, nullable=False),
    Column("happened_at", BigInteger, nullable=False),
    Column("words_at", BigInteger, nullable=False),
    Column("hash", Text, nullable=False),
    Column("entry", Text, nullable=False),
    Column("call", Text, nullable=False),
    Column("tool", Text, nullable=False),
    Column("intent", Text),
    Column("confidence", Float),
    Column("because", Text),
    Column("command_id", BigInteger),
    Index("turn_in_order", "agent", "happened_at", "position"),
)

command: Final = Table(
    "command",
    metadata,
    Column("id", _Big, primary_key=True, autoincrement=False),
    Column("agent", Integer, nullable=False),
    Column("state", Text, nullable=False),
    Column("origin", Text, nullable=False),
    Column("opened_at", BigInteger, nullable=False),
    Column("completed_at", BigInteger),
    Column("outcome", Text, nullable=False),
    Index("command_of_agent", "agent", "id"),
)

transition: Final = Table(
    "transition",
    metadata,
    Column("position", _Big, primary_key=True, autoincrement=False),
    Column("nth", Integer, primary_key=True, autoincrement=False),
    Column("agent", Integer, nullable=False),
    Column("machine", Text, nullable=False),
    Column("from_state", Text, nullable=False),
    Column("to_state", Text, nullable=False),
    Column("trigger", Text, nullable=False),
    Column("event", Text, nullable=False),
    Column("confidence", Float, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("command_id", BigInteger),
    Index("transition_of_agent", "agent", "position"),
)

ask: Final = Table(
    "ask",
    metadata,
    Column("id", _Big, primary_key=True, autoincrement=False),
    Column("agent", Integer, nullable=False),
    Column("opened_at", BigInteger, nullable=False),
    Column("closed_at", BigInteger, nullable=False),
    Column("offer", Text, nullable=False),
    Column("data", LargeBinary, nullable=False),
    Index("ask_in_order", "closed_at", "opened_at"),
    Index("ask_of_offer", "offer"),
)
"""Everything that waits, or waited, for a person. An open one was closed at the start of time."""

stood: Final = Table(
    "stood",
    metadata,
    Column("position", _Big, primary_key=True, autoincrement=False),
    Column("agent", Integer, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("standing", Text, nullable=False),
    Index("stood_of_agent", "agent", "position"),
    Index("stood_in_time", "at"),
)
"""Every change of an agent's standing."""

usage: Final = Table(
    "usage",
    metadata,
    Column("message", Text, primary_key=True),
    Column("request", Text, primary_key=True),
    Column("agent", Integer, nullable=False),
    Column("session", Text, nullable=False),
    Column("model", Text, nullable=False),
    Column("input", BigInteger, nullable=False),
    Column("output", BigInteger, nullable=False),
    Column("cache_read", BigInteger, nullable=False),
    Column("cache_write", BigInteger, nullable=False),
    Column("total", BigInteger, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("command_id", BigInteger),
    Index("usage_in_time", "at"),
)

price: Final = Table(
    "price",
    metadata,
    Column("model", Text, primary_key=True),
    Column("input", Float, nullable=False),
    Column("output", Float, nullable=False),
    Column("cache_read", Float, nullable=False),
    Column("cache_write", Float, nullable=False),
)
"""The prices a person set. They concern no agent."""

refusal: Final = Table(
    "refusal",
    metadata,
    Column("position", _Big, primary_key=True, autoincrement=False),
    Column("agent", Integer, nullable=False),
    Column("reason", Text, nullable=False),
)

trouble: Final = Table(
    "trouble",
    metadata,
    Column("position", _Big, primary_key=True, autoincrement=False),
    Column("why", Text, nullable=False),
)
"""Facts whose interpretation failed. They are tried again; the journal still holds them."""

frame: Final = Table(
    "frame",
    metadata,
    Column("position", _Big, primary_key=True, autoincrement=False),
    Column("data", LargeBinary, nullable=False),
)
"""What the live stream was told lately, so that a reader who comes back misses nothing."""
