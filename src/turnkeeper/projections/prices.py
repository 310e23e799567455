"""What tokens cost: a table of prices, and the edits a person made to it."""

from collections.abc import Iterable

import msgspec

from turnkeeper.facts.fact import Recorded
from turnkeeper.facts.kinds import PriceSet


class Price(msgspec.Struct, frozen=True):
    """US dollars for a million tokens, of every model whose name begins with `model`."""

    model: str
    input: float
    output: float
    cache_read: float
    cache_write: float


def edits(batch: Iterable[Recorded]) -> list[Price]:
    """The prices a person set in these facts; of several for one model, the last."""
    told = [each.fact.what for each in batch if isinstance(each.fact.what, PriceSet)]
    return list({each.model: Price(**msgspec.structs.asdict(each)) for each in told}.values())


def listed(table: Iterable[Price], edited: Iterable[Price]) -> list[Price]:
    """The prices in force, by model: a person's edits beat the table."""
    prices = {each.model: each for each in (*table, *edited)}
    return [prices[model] for model in sorted(prices)]


def price_of(prices: Iterable[Price], model: str) -> Price | None:
    """What this model costs: the price that names most of it. None where nobody has said."""
    fitting = [each for each in prices if model.startswith(each.model)]
    return max(fitting, key=lambda each: len(each.model), default=None)
