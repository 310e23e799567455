"""What a person does to an agent on the board. Each deed is a fact, so a rebuild keeps it."""

import asyncio
import unicodedata
from collections.abc import Iterable
from typing import Final

from turnkeeper.desk.inquiry import agent_of
from turnkeeper.errors import NameUnfit
from turnkeeper.facts.fact import Fact, Moment, Position, Source
from turnkeeper.facts.kinds import AgentMuted, AgentRenamed, What
from turnkeeper.journal.board_store import BoardStore
from turnkeeper.ports import Journal
from turnkeeper.sources.clock import fresh_id

LONGEST_NAME: Final = 200
STEERS: Final = frozenset({"Cc", "Cs", "Zl", "Zp"})
"""The kinds of character that end a line, steer a terminal or cannot be written."""

TURNS_AROUND: Final = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""What would show the words beside a name in another order."""


async def rename(
    store: BoardStore, journal: Journal, agent: str, name: str, *, at: Moment, host: str
) -> Position | None:
    """Give an agent a name; an empty one takes it back. None where it is called so already.

    Raises AgentUnknown, AgentAmbiguous and NameUnfit.
    """
    given = fit_name(name)
    found = await asyncio.to_thread(agent_of, store, agent)
    if found.given == given:
        return None
    return await tell(journal, AgentRenamed(given), session=found.session, at=at, host=host)


async def mute(
    store: BoardStore, journal: Journal, agent: str, *, muted: bool, at: Moment, host: str
) -> Position | None:
    """Leave a person alone with this agent, or not any more. None where it is so already."""
    found = await asyncio.to_thread(agent_of, store, agent)
    if found.muted is muted:
        return None
    return await tell(journal, AgentMuted(muted), session=found.session, at=at, host=host)


async def tell(journal: Journal, what: What, *, session: str, at: Moment, host: str) -> Position:
    """Write a deed down. Two people may do the same at the same moment: it is two deeds."""
    deed = Fact(f"p:{fresh_id()}", session, Source.PERSON, at, at, what, host=host)
    appended = await journal.append([deed])
    return appended.positions[0]


def fit_name(name: str) -> str:
    """The name without white space around it, if it fits on a card and harms no terminal."""
    if any(_harmful(name)):
        raise NameUnfit(name, "it holds a character that is not for reading")
    fit = name.strip()
    if len(fit) > LONGEST_NAME:
        raise NameUnfit(name, f"it has {len(fit):,} characters")
    return fit


def _harmful(name: str) -> Iterable[bool]:
    return (each in TURNS_AROUND or unicodedata.category(each) in STEERS for each in name)
