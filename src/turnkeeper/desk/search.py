"""Finds words in everything that was said.

The index names turns that may hold the words; the journal tells whether they do.
"""

import asyncio
import re
from collections.abc import AsyncIterator, Iterator, Sequence
from datetime import datetime
from typing import Final

import msgspec
from sqlalchemy import RowMapping

from turnkeeper.desk.inquiry import number_of
from turnkeeper.errors import MomentUnclear
from turnkeeper.facts.fact import Moment, Position
from turnkeeper.facts.words import Actor
from turnkeeper.journal.board_store import BoardStore
from turnkeeper.journal.search_index import Asked, Page
from turnkeeper.ports import Journal
from turnkeeper.projections.cards import Card, when
from turnkeeper.projections.shown import cursor_of
from turnkeeper.projections.wording import excerpt, holds, terms_of, wording

MOST_LOOKED_AT: Final = 20_000
"""How many turns are read before the search is given up with `truncated`."""

FIRST_PAGE: Final = 200
LARGEST_PAGE: Final = 4_000
FIRST_READ: Final = 64
LARGEST_READ: Final = 256
SECOND: Final = 1_000_000
UNITS: Final = {"s": 1, "m": 60, "min": 60, "h": 3600, "d": 86400, "w": 604800}
Place = tuple[int, int]
Match = tuple[RowMapping, str]
_AGO: Final = re.compile(r"(\d{1,9}) ?(s|m|min|h|d|w)")


class Hit(msgspec.Struct, frozen=True):
    """A turn that holds the words. Highlights are places in the snippet, in characters."""

    position: int
    agent_id: int
    session_id: str
    name: str
    project: str
    actor: str
    kind: str
    tool: str | None
    happened_at: str
    snippet: str
    highlights: list[list[int]]
    cursor: str


class Found(msgspec.Struct, frozen=True):
    """The newest turns that hold the words. `truncated`: older ones were not looked at."""

    hits: list[Hit]
    truncated: bool


async def search(
    store: BoardStore,
    journal: Journal,
    words: str,
    *,
    agent: str | None = None,
    project: str | None = None,
    since: Moment | None = None,
    actor: Actor | None = None,
    limit: int = 50,
    patience: int = MOST_LOOKED_AT,
) -> Found:
    """The turns that hold all these words, the newest first.

    Upper and lower case are the same, words between double quotes stay together, and a word is
    found inside of others. After looking at `patience` turns the search is given up. Raises
    SearchUnclear and AgentUnknown.
    """
    terms = terms_of(words)
    agents = await asyncio.to_thread(_agents, store, agent, project)
    asked = Asked(terms, agents, actor, since)
    matches: dict[Place, Match] = {}
    truncated = False
    async for page in _pages(store, asked, patience):
        for rows in _slices(page.rows):
            matches |= await _matches(journal, rows, terms)
            if len(matches) >= limit:
                break
        truncated = page.below is not None and len(matches) < limit
        if len(matches) >= limit:
            break
    newest = sorted(matches, reverse=True)[:limit]
    hits = await asyncio.to_thread(_hits, store, [matches[place] for place in newest], terms)
    return Found(hits, truncated)


def since_of(text: str, now: Moment) -> Moment:
    """A moment as people write it: a day or time in ISO form, or how long ago (2h, 3d).
    Raises MomentUnclear."""
    ago = _AGO.fullmatch(text.strip())
    if ago is not None:
        return Moment(max(0, now - int(ago[1]) * UNITS[ago[2]] * SECOND))
    try:
        return Moment(int(datetime.fromisoformat(text.strip()).timestamp() * SECOND))
    except (ValueError, OverflowError) as cause:
        raise MomentUnclear(text) from cause


def _agents(store: BoardStore, agent: str | None, project: str | None) -> tuple[int, ...] | None:
    """The agents whose turns count; None for all."""
    chosen = None if agent is None else number_of(store, agent)
    if project is None:
        return None if chosen is None else (chosen,)
    inside = (card.id for card in store.cards() if _within(card.cwd, project))
    return tuple(number for number in inside if chosen in (None, number))


def _within(folder: str, project: str) -> bool:
    """A project is a folder with all below it, or the last part of its name."""
    wanted = project.rstrip("/")
    return folder == wanted or folder.startswith(f"{wanted}/") or folder.endswith(f"/{wanted}")


async def _pages(store: BoardStore, asked: Asked, patience: int) -> AsyncIterator[Page]:
    """What the index offers, a little first, then more and more at once."""
    below, size, looked_at = None, FIRST_PAGE, 0
    while looked_at < patience:
        page = await asyncio.to_thread(store.search, asked, below, size)
        yield page
        if page.below is None:
            return
        below, looked_at = page.below, looked_at + len(page.rows)
        size = min(size * 4, LARGEST_PAGE)


def _slices(rows: Sequence[RowMapping]) -> Iterator[Sequence[RowMapping]]:
    start, size = 0, FIRST_READ
    while start < len(rows):
        yield rows[start : start + size]
        start, size = start + size, min(size * 2, LARGEST_READ)


async def _matches(
    journal: Journal, rows: Sequence[RowMapping], terms: Sequence[str]
) -> dict[Place, Match]:
    """Those of the offered turns that do hold the words."""
    held = await journal.at([Position(row["words_at"]) for row in rows])
    words = {recorded.position: wording(recorded.fact.what) for recorded in held}
    texts = ((row, words.get(row["words_at"], "")) for row in rows)
    return {
        (row["happened_at"], row["position"]): (row, text)
        for row, text in texts
        if holds(text, terms)
    }


def _hits(store: BoardStore, matches: Sequence[Match], terms: Sequence[str]) -> list[Hit]:
    cards = store.cards_of(row["agent"] for row, _ in matches)
    return [_hit(cards.get(row["agent"]), row, text, terms) for row, text in matches]


def _hit(card: Card | None, row: RowMapping, text: str, terms: Sequence[str]) -> Hit:
    snippet, highlights = excerpt(text, terms)
    return Hit(
        position=row["position"],
        agent_id=row["agent"],
        session_id=row["session"],
        name=card.name if card else "",
        project=card.cwd if card else "",
        actor=row["actor"],
        kind=row["kind"],
        tool=row["tool"] or None,
        happened_at=when(Moment(row["happened_at"])) or "",
        snippet=snippet,
        highlights=highlights,
        cursor=cursor_of(row["happened_at"], row["position"]),
    )
