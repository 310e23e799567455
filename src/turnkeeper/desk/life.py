"""How the daemon is, as far as it can be known without asking it."""

from collections import Counter
from collections.abc import Iterable

import msgspec

from turnkeeper.projections.cards import Card


class Life(msgspec.Struct, frozen=True):
    """`position` is the journal's newest fact, `board` the newest that the board holds."""

    running: bool
    version: str
    pid: int | None
    since: str | None
    data: str
    folders: list[str]
    url: str | None
    position: int
    board: int
    lag: int
    agents: dict[str, int]


def counted(cards: Iterable[Card]) -> dict[str, int]:
    """How many agents there are of each standing, those of which there are most first."""
    return dict(Counter(card.standing for card in cards).most_common())
