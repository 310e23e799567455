"""A whole conversation to take away, piece by piece: it may be longer than memory."""

import re
from collections.abc import AsyncIterator
from enum import StrEnum
from typing import Final

import msgspec

from turnkeeper.desk.inquiry import card, first_words, turns
from turnkeeper.facts.fact import Position
from turnkeeper.journal.board_store import BoardStore
from turnkeeper.ports import Journal
from turnkeeper.projections.cards import Card
from turnkeeper.projections.markdown import heading_of, title_of, turn_of
from turnkeeper.projections.shown import BEGINNING, TurnTold

PAGE: Final = 200
"""So many turns are in memory at a time."""

LONGEST_NAME: Final = 60
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9]+")


class Form(StrEnum):
    MARKDOWN = "markdown"
    JSON = "json"


ENDINGS: Final = {Form.MARKDOWN: "md", Form.JSON: "json"}


class Export(msgspec.Struct, frozen=True):
    """A conversation on its way out: what its file may be called, and its pieces."""

    file: str
    pieces: AsyncIterator[bytes]


def export(store: BoardStore, journal: Journal, agent: str, form: Form) -> Export:
    """The conversation of the agent a person means. Raises AgentUnknown and AgentAmbiguous before
    the first piece, never after."""
    found = card(store, agent)
    pages = _pages(store, journal, found.id)
    written = _markdown(found, journal, pages) if form is Form.MARKDOWN else _json(found, pages)
    return Export(file_name(found, form), written)


def file_name(card: Card, form: Form) -> str:
    """A name that every system can hold, whatever the agent is called."""
    words = _UNSAFE.sub("-", card.name).strip("-")[:LONGEST_NAME].strip("-")
    session = _UNSAFE.sub("-", card.session_id)[:8].strip("-")
    return "-".join(filter(None, ("turnkeeper", words, session))) + f".{ENDINGS[form]}"


async def _pages(store: BoardStore, journal: Journal, number: int) -> AsyncIterator[list[TurnTold]]:
    place = BEGINNING
    while page := await turns(store, journal, number, after=place, limit=PAGE):
        yield page
        place = page[-1].cursor


async def _json(card: Card, pages: AsyncIterator[list[TurnTold]]) -> AsyncIterator[bytes]:
    yield b'{"agent":' + msgspec.json.encode(card) + b',"turns":['
    before = b"\n"
    async for page in pages:
        yield before + b",\n".join(map(msgspec.json.encode, page))
        before = b",\n"
    yield b"\n]}\n"


async def _markdown(
    card: Card, journal: Journal, pages: AsyncIterator[list[TurnTold]]
) -> AsyncIterator[bytes]:
    yield title_of(card).encode()
    writer = _Writer()
    async for page in pages:
        commands = {Position(turn.command_id) for turn in page if turn.command_id is not None}
        labels = await first_words(journal, sorted(commands - writer.begun))
        yield "".join(writer.written(turn, labels) for turn in page).encode()


class _Writer:
    """Remembers what a turn is read with: the command it goes on with, and the tools called."""

    def __init__(self) -> None:
        self._command: int | None = None
        self._labels: dict[Position, str] = {}
        self._tools: dict[str, str] = {}

    @property
    def begun(self) -> set[Position]:
        return set(self._labels)

    def written(self, turn: TurnTold, labels: dict[Position, str]) -> str:
        if turn.call and turn.tool:
            self._tools[turn.call] = turn.tool
        tool = turn.tool or self._tools.get(turn.call or "", "")
        return self._heading(turn, labels) + turn_of(turn, tool)

    def _heading(self, turn: TurnTold, labels: dict[Position, str]) -> str:
        if turn.command_id in (None, self._command):
            return ""
        command = Position(turn.command_id or 0)
        continued = command in self._labels
        label = self._labels.setdefault(command, labels.get(command, ""))
        self._command = turn.command_id
        return heading_of(label, continued=continued)
