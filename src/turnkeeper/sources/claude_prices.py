"""List prices of the Claude models, as of writing. They change: a person edits them on the board.

US dollars for a million tokens. A cache write is that of five minutes; one of an hour costs 1.6
times as much, and a client does not say in one number which it was. `claude-haiku-5-5` costs five
times as much for prompts above 100,000 tokens. So what comes of this is an estimate.

Each model is named, not each family: a model that nobody has priced yet costs nobody knows what.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from turnkeeper.projections.prices import Price

Rates = tuple[float, float, float, float]
"""Input, output, cache read, cache write."""

_RATES: Final[Mapping[Rates, tuple[str, ...]]] = {
    (10, 50, 1, 12.5): ("claude-fable-5", "claude-mythos-5"),
    (10, 50, 0.25, 12.5): ("claude-fable-5-1", "claude-mythos-5-1"),
    (8, 40, 0.2, 10): ("claude-fable-5-2", "claude-mythos-5-2"),
    (4, 20, 0.2, 5): ("claude-opus-5-5",),
    (5, 25, 0.5, 6.25): (
        "claude-opus-4-5",
        "claude-opus-4-6",
        "claude-opus-4-7",
        "claude-opus-4-8",
        "claude-opus-5",
    ),
    (15, 75, 1.5, 18.75): (
        "claude-3-opus",
        "claude-opus-4-0",
        "claude-opus-4-1",
        "claude-opus-4-2025",
    ),
    (2, 10, 0.1, 2.5): ("claude-sonnet-5-5",),
    (2, 10, 0.2, 2.5): ("claude-sonnet-5",),
    (3, 15, 0.3, 3.75): (
        "claude-3-5-sonnet",
        "claude-3-7-sonnet",
        "claude-sonnet-4-0",
        "claude-sonnet-4-2025",
        "claude-sonnet-4-5",
        "claude-sonnet-4-6",
    ),
    (0.1, 0.5, 0.01, 0.125): ("claude-haiku-5-5",),
    (1, 5, 0.1, 1.25): ("claude-haiku-4-5",),
    (0.8, 4, 0.08, 1): ("claude-3-5-haiku",),
    (0.25, 1.25, 0.03, 0.3): ("claude-3-haiku",),
}


def _prices() -> Iterator[Price]:
    for rates, models in _RATES.items():
        yield from (Price(model, *rates) for model in models)


LIST_PRICES: Final = tuple(_prices())
