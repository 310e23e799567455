"""Reads an agent's transcripts again in full and reports what that mended (001 FR23)."""

from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path

import msgspec

from turnkeeper.desk.verify import tally
from turnkeeper.facts.fact import Position
from turnkeeper.journal.board_store import BoardStore
from turnkeeper.ports import Journal
from turnkeeper.projections.cards import Card

Reread = Callable[[Path], Awaitable[None]]
Reached = Callable[[Position], Awaitable[None]]


class Reconciled(msgspec.Struct, frozen=True):
    """What reading again came to. `missing` is what the journal lacks even so: nothing."""

    id: int
    session_id: str
    entries: int
    added: int
    corrected: int
    states: int
    missing: int
    standing: str


async def reconcile(
    card: Card,
    files: Iterable[Path],
    *,
    journal: Journal,
    store: BoardStore,
    reread: Reread,
    reached: Reached,
) -> Reconciled:
    """Read the files from their start; known entries are known by name and added once."""
    files = list(files)
    before, kept = await journal.last(), (await tally(files, journal, card.host)).kept
    for file in files:
        await reread(file)
    await reached(await journal.last())
    counted = await tally(files, journal, card.host)
    after = store.card(card.id) or card
    return Reconciled(
        id=card.id,
        session_id=after.session_id,
        entries=counted.lines,
        added=counted.kept - kept,
        corrected=store.corrected_since(card.id, before),
        states=store.moved_since(card.id, before),
        missing=counted.missing,
        standing=after.standing,
    )
