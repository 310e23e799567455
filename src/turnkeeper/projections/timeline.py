"""How each agent stood over time, as bands.

A change of standing is kept when a fact makes it, as the board shows it then. The newest word on a
moment is believed: a change heard later that reaches back takes the place of what was thought.
"""

from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from turnkeeper.facts.fact import Moment, Position
from turnkeeper.machines.session import SessionStatus
from turnkeeper.projections.board import Folded
from turnkeeper.projections.cards import Card, when


class Stood(NamedTuple):
    """From then on an agent stood so, as was known at `position`."""

    position: Position
    agent: int
    at: Moment
    standing: SessionStatus


class Band(msgspec.Struct, frozen=True, rename={"start": "from", "end": "to"}):
    """A time in which an agent stood the same."""

    start: str
    end: str
    standing: str


class Lane(msgspec.Struct, frozen=True):
    """One agent's bands, in order and without gaps."""

    agent_id: int
    name: str
    project: str
    bands: list[Band]


class Timeline(msgspec.Struct, frozen=True):
    """The agents that lived in this window, the one last heard of first."""

    since: str
    until: str
    agents: list[Lane]


def stood(folded: Folded) -> Stood | None:
    """The change of standing a fact made, if it made one. An agent that took another in says how
    both stand now."""
    before, agent = folded.before, folded.agent
    standing = agent.standing
    if before is not None and before.standing is standing and folded.absorbed is None:
        return None
    at = agent.since
    if before is not None and before.status is agent.status:
        # The status is older: it is what its command has come to that changed.
        at = max(at, folded.recorded.fact.happened_at)
    at = at or folded.recorded.fact.happened_at
    return Stood(folded.recorded.position, agent.id, at, standing)


def lanes(
    changes: Iterable[Stood], cards: Iterable[Card], since: Moment, until: Moment
) -> list[Lane]:
    """The bands of each agent that lived in the window, in the order of the cards."""
    of_agent: dict[int, list[Stood]] = {}
    for each in changes:
        of_agent.setdefault(each.agent, []).append(each)
    found = [(card, bands(of_agent.get(card.id, []), since, until)) for card in cards]
    return [
        Lane(card.id, card.name, card.cwd, drawn)
        for card, drawn in found
        if any(band.standing != SessionStatus.CLOSED for band in drawn)
    ]


def bands(changes: Iterable[Stood], since: Moment, until: Moment) -> list[Band]:
    """What these changes of one agent come to between two moments."""
    believed = _believed(changes)
    ends = (*(each.at for each in believed[1:]), until)
    spans = (
        (max(each.at, since), min(end, until), each.standing)
        for each, end in zip(believed, ends, strict=False)
    )
    return [
        Band(when(start) or "", when(end) or "", standing)
        for start, end, standing in spans
        if start < end
    ]


def _believed(changes: Iterable[Stood]) -> list[Stood]:
    """The changes in order of time, without those that a later word has taken the place of."""
    kept: list[Stood] = []
    for each in sorted(changes):
        while kept and kept[-1].at >= each.at:
            kept.pop()
        if not kept or kept[-1].standing is not each.standing:
            kept.append(each)
    return kept
