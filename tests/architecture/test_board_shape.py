"""What the board stores has a number, raised when it changes: what is older is made anew."""

import hashlib
import json

import msgspec
from sqlalchemy.schema import CreateTable

from turnkeeper.journal.board_tables import SHAPE, metadata
from turnkeeper.projections.agent import Agent
from turnkeeper.projections.cards import Card
from turnkeeper.projections.directory import Cleared, Directory, Found, Orphan, Started

KNOWN = (5, "9fb85fe55bec")


def bare(schema: object) -> object:
    """Without docstrings: words may change."""
    if isinstance(schema, dict):
        return {name: bare(each) for name, each in schema.items() if name != "description"}
    return [bare(each) for each in schema] if isinstance(schema, list | tuple) else schema


def test_whoever_changes_what_is_stored_raises_its_number() -> None:
    tables = [str(CreateTable(table)) for table in metadata.sorted_tables]
    stored = msgspec.json.schema_components([Agent, Card, Cleared, Found, Started, Orphan])
    book = [f"{each.name}: {each.type}" for each in msgspec.structs.fields(Directory)]
    written = json.dumps([tables, bare(stored), book], sort_keys=True)
    digest = hashlib.sha256(written.encode()).hexdigest()[:12]

    assert (SHAPE, digest) == KNOWN, "raise SHAPE, then write both here"
