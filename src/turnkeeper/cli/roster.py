"""The list of agents in the terminal: two lines each, as wide as there is room.

Not a table of rich's: that measures every cell of every row, which takes a second for a thousand.
"""

import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.segment import Segment, Segments
from rich.style import Style

from turnkeeper.cli.tables import SHAPES, ago, brief, place
from turnkeeper.facts.fact import Moment
from turnkeeper.projections.cards import Card
from turnkeeper.projections.wording import one_line

STANDING: Final = 2 + max(map(len, SHAPES))
"""Columns of the longest standing with its shape."""

SINCE: Final = 6
LONGEST: Final = 200
GAP: Final = "  "
BOLD, SOFT, PLAIN = Style(bold=True), Style(color="bright_black"), Style()

Span = tuple[str, Style]


def print_roster(cards: Sequence[Card], now: Moment) -> None:
    """Show the agents. Where it is not a person who reads, no line is cut to a width."""
    console = Console(markup=False, emoji=False)
    width = console.width if sys.stdout.isatty() else None
    numbers = max(len(str(card.id)) for card in cards)
    lines = (line for card in cards for line in _lines(card, numbers, now))
    console.print(Segments(_segments(lines, width)), end="", soft_wrap=True)


def _lines(card: Card, numbers: int, now: Moment) -> Iterator[list[Span]]:
    shape, colour = SHAPES.get(card.standing, ("·", "white"))
    standing = f"{shape} {card.standing.replace('_', ' ')}"
    since = ago(card.since, now)
    doing = brief(card.command.text, LONGEST) if card.command else ""
    last = brief(card.last_turn.text, LONGEST) if card.last_turn else ""
    yield [
        (f"{card.id:>{numbers}}{GAP}", SOFT),
        (f"{standing:<{STANDING}}{GAP}", Style(color=colour)),
        (f"{since:>{SINCE}}{GAP}", PLAIN),
        (one_line(card.name), BOLD),
        (f"{GAP}❯ {doing}" if doing else "", PLAIN),
    ]
    indent = " " * (numbers + STANDING + SINCE + 3 * len(GAP))
    yield [(f"{indent}{place(card)}", SOFT), (f"{GAP}{last}" if last else "", PLAIN)]


def _segments(lines: Iterable[list[Span]], width: int | None) -> Iterator[Segment]:
    for line in lines:
        yield from (Segment(text, style) for text, style in _cut(line, width) if text)
        yield Segment.line()


def _cut(line: list[Span], width: int | None) -> Iterator[Span]:
    """As much of a line as fits, and a sign where there is more."""
    if width is None or sum(cell_len(text) for text, _ in line) <= width:
        yield from line
        return
    left = width - 1
    for text, style in line:
        room = min(left, cell_len(text))
        yield set_cell_size(text, room), style
        left -= room
    yield "…", SOFT
