"""How what was spent looks in the terminal."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from turnkeeper.cli.tables import brief
from turnkeeper.projections.prices import Price
from turnkeeper.projections.spending import KINDS, SpendRow, Sums

if TYPE_CHECKING:
    from turnkeeper.desk.spend import Spend

HEADS = ("input", "output", "cache read", "cache write")


def spend_table(spend: "Spend") -> Table:
    since = f" since {spend.since}" if spend.since else ""
    table = _table(str(spend.by), "models", title=f"Spent{since}, at estimated cost in US dollars")
    table.add_column("estimated", justify="right")
    for row in spend.rows:
        models = Text(", ".join(row.models), "bright_black")
        table.add_row(_label(row), models, *_counts(row), _cost(row))
    table.add_section()
    table.add_row(Text("total", "bold"), "", *_counts(spend.total), _cost(spend.total))
    return table


def prices_table(prices: Iterable[Price]) -> Table:
    title = "US dollars for a million tokens, by how a model's name begins"
    table = _table("model", title=title)
    for each in prices:
        table.add_row(Text(each.model), *(f"{getattr(each, kind):g}" for kind in KINDS))
    return table


def _table(*columns: str, title: str) -> Table:
    table = Table(box=None, title=title, title_justify="left", header_style="bold", pad_edge=False)
    for column in columns:
        table.add_column(column, overflow="fold")
    for head in HEADS:
        table.add_column(head, justify="right")
    return table


def _label(row: SpendRow) -> Text:
    number = f"{row.agent_id}  " if row.agent_id is not None else ""
    return Text.assemble(
        number, brief(row.label) or "(no prompt)", (f"\n{row.project}", "bright_black")
    )


def _counts(sums: SpendRow | Sums) -> list[str]:
    return [f"{getattr(sums, kind):,}" for kind in KINDS]


def _cost(sums: SpendRow | Sums) -> str:
    if sums.cost is not None:
        return f"≈ {_dollars(sums.cost)}"
    return f"over {_dollars(sums.at_least)}" if sums.at_least else "no price"


def _dollars(amount: float) -> str:
    """In cents, or finer where cents would show nothing."""
    return f"{amount:,.2f}" if amount >= 1 or not amount else f"{amount:.4f}"
