"""What was spent: the tokens of every answer, each counted once, and what they cost by list price.

Nobody asked the vendor: a cost is an estimate, and where a model has no price there is none.
"""

import asyncio
from collections.abc import Sequence

import msgspec

from turnkeeper.desk.deeds import fit_name, tell
from turnkeeper.desk.inquiry import first_words
from turnkeeper.errors import NameUnfit
from turnkeeper.facts.fact import Moment, Position
from turnkeeper.facts.kinds import PriceSet
from turnkeeper.journal.board_store import BoardStore
from turnkeeper.ports import Journal
from turnkeeper.projections.cards import when
from turnkeeper.projections.prices import Price, listed
from turnkeeper.projections.spending import By, SpendRow, Sums, spend_rows, sums
from turnkeeper.sources.claude_prices import LIST_PRICES


class Spend(msgspec.Struct, frozen=True):
    """What was spent, the most expensive first. `left_out`: so many rows more, which the total
    counts too."""

    by: By
    since: str | None
    estimated: bool
    rows: list[SpendRow]
    total: Sums
    left_out: int


async def spend(
    store: BoardStore, journal: Journal, *, by: By, since: Moment | None, limit: int
) -> Spend:
    """Count what was spent since then, or ever."""
    rows, total = await asyncio.to_thread(_counted, store, by, since)
    shown = await _labelled(journal, rows[:limit]) if by is By.COMMAND else rows[:limit]
    return Spend(
        by=by,
        since=None if since is None else when(since),
        estimated=True,
        rows=shown,
        total=total,
        left_out=len(rows) - len(shown),
    )


def prices(store: BoardStore) -> list[Price]:
    """The prices in force: the list, and what a person made of it."""
    return listed(LIST_PRICES, store.prices())


async def set_price(
    store: BoardStore, journal: Journal, price: Price, *, at: Moment, host: str
) -> Position | None:
    """Say what models cost whose names begin so. None where they do already. Raises NameUnfit."""
    model = fit_name(price.model)
    if not model:
        raise NameUnfit(price.model, "it is empty")
    price = msgspec.structs.replace(price, model=model)
    if price in await asyncio.to_thread(prices, store):
        return None
    told = PriceSet(**msgspec.structs.asdict(price))
    return await tell(journal, told, session="", at=at, host=host)


def _counted(store: BoardStore, by: By, since: Moment | None) -> tuple[list[SpendRow], Sums]:
    used = store.used(since, by_command=by is By.COMMAND)
    table = prices(store)
    cards = store.cards_of(each.agent for each in used)
    return spend_rows(used, by, cards, table), sums(used, table)


async def _labelled(journal: Journal, rows: Sequence[SpendRow]) -> list[SpendRow]:
    """Name each command by how its prompt begins."""
    commands = [Position(row.command_id) for row in rows if row.command_id is not None]
    words = await first_words(journal, commands)
    labels = (words.get(Position(row.command_id or 0), "") for row in rows)
    return [
        msgspec.structs.replace(row, label=label) for row, label in zip(rows, labels, strict=True)
    ]
