"""One observation: who it is about, when it happened, how we know, and what it says."""

from enum import StrEnum
from typing import NewType

import msgspec

from turnkeeper.facts.kinds import What

Moment = NewType("Moment", int)
"""Microseconds since 1970, UTC. One integer sorts, stores and compares alike everywhere."""

Position = NewType("Position", int)
"""A fact's place in the journal. The first fact is at 1."""

START = Position(0)
NEVER = Moment(0)
MAIN_THREAD = ""


class Source(StrEnum):
    """How we know. The order is no precedence: machines/standing.py decides whom to believe."""

    HOOK = "hook"
    REGISTRY = "registry"
    PROCESS = "process"
    TRANSCRIPT = "transcript"
    SCREEN = "screen"
    HEALTH = "health"
    PERSON = "person"
    RUN = "run"


class Fact(msgspec.Struct, frozen=True):
    """What was observed, wrapped once in who, when and how we know.

    `key` names the observation: a second fact with the same key is the same
    observation heard again. `thread` is empty for the conversation itself and
    names the sub-agent otherwise.
    """

    key: str
    session: str
    source: Source
    happened_at: Moment
    heard_at: Moment
    what: What
    thread: str = MAIN_THREAD
    host: str = ""


class Recorded(msgspec.Struct, frozen=True):
    """A fact with its place in the journal."""

    position: Position
    fact: Fact
