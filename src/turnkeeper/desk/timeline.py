"""How each agent stood over the last hours."""

from turnkeeper.desk.search import since_of
from turnkeeper.errors import MomentUnclear
from turnkeeper.facts.fact import Moment
from turnkeeper.journal.board_store import BoardStore
from turnkeeper.projections.cards import when
from turnkeeper.projections.timeline import Timeline, lanes


def timeline(store: BoardStore, since: str, until: str | None, now: Moment) -> Timeline:
    """The bands of every agent that lived between two moments; nobody knows more than now.

    Raises MomentUnclear, also for a time that ends before it begins.
    """
    begin = since_of(since, now)
    end = min(since_of(until, now), now) if until else now
    if begin >= end:
        raise MomentUnclear(since, f"is not before {when(end)}")
    changes, cards = store.stood(begin, end)
    return Timeline(when(begin) or "", when(end) or "", lanes(changes, cards, begin, end))
