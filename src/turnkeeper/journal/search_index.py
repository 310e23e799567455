"""What a search index promises, whichever database keeps it. It belongs to the stored board.

An index may offer too much and never too little: whoever asks looks at the words themselves,
in the journal, before showing a turn. So it holds no text and no order of words, stays small,
and need not be told when a better source has corrected a turn.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple, Protocol

import msgspec
from sqlalchemy import Connection, RowMapping

from turnkeeper.facts.fact import Moment, Position
from turnkeeper.projections.board import Folded
from turnkeeper.projections.wording import folded as fold_case
from turnkeeper.projections.wording import wording

SPELL: Final = 21_600_000_000
"""Six hours. Within them, turns are numbered as they are heard, so that the index stays dense."""

SINCE: Final = Moment(1_577_836_800_000_000)
"""2020: what is older, or has no time, counts as of then. It keeps places short."""

IN_A_SPELL: Final = 1 << 20
"""How many places a spell has. A turn beyond them goes to the next."""


class Spoken(NamedTuple):
    """A new turn's words."""

    happened_at: Moment
    position: Position
    words: str


class Asked(msgspec.Struct, frozen=True):
    """Which turns are wanted: all terms, and whatever else is not None."""

    terms: tuple[str, ...]
    agents: tuple[int, ...] | None = None
    actor: str | None = None
    since: Moment | None = None


class Page(msgspec.Struct, frozen=True):
    """Turns that may hold the terms, the newest first; `below` is where the next page begins."""

    rows: list[RowMapping]
    below: int | None


class SearchIndex(Protocol):
    """A turn has a place: its spell and a number within. Spells are in the order of time."""

    def make(self, connection: Connection) -> None: ...

    def drop(self, connection: Connection) -> None: ...

    def put(self, connection: Connection, said: Sequence[Spoken]) -> None: ...

    def page(self, connection: Connection, asked: Asked, below: int | None, size: int) -> Page:
        """About so many rows of the turns, with their places: never a part of a spell."""
        ...


def spoken(folded: Sequence[Folded]) -> list[Spoken]:
    """The words of the turns that these facts began."""
    return [
        Spoken(told.turn.happened_at, told.turn.position, fold_case(words))
        for each in folded
        for told in each.changes.told
        if told.new and (words := wording(each.recorded.fact.what))
    ]


def first_place(moment: Moment) -> int:
    """The first place of the spell."""
    return max((moment - SINCE) // SPELL, 0) * IN_A_SPELL


def newest_first(rows: Sequence[RowMapping]) -> list[RowMapping]:
    return sorted(rows, key=lambda row: (row["happened_at"], row["position"]), reverse=True)
