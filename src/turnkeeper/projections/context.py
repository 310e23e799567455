"""How full an agent's context is: what its newest answer was given."""

from typing import Final

import msgspec

from turnkeeper.facts.fact import MAIN_THREAD, NEVER, Fact, Moment
from turnkeeper.facts.kinds import Compacted, Usage

ORDINARY: Final = 200_000
WIDE: Final = 1_000_000
ASKED_WIDE: Final = "[1m]"
"""How a model's name ends where a person chose the wide window."""

BORN_WIDE: Final = (
    "claude-opus-4-7",
    "claude-opus-4-8",
    "claude-opus-5",
    "claude-sonnet-5",
    "claude-haiku-5",
    "claude-fable-5",
    "claude-mythos-5",
)
"""How the names of models begin that have the wide window in any case."""


class Context(msgspec.Struct, frozen=True):
    """The newest word on it. Without tokens: nothing is known, or all of it was just let go."""

    tokens: int = 0
    model: str = ""
    at: Moment = NEVER


def filled(context: Context, fact: Fact) -> Context:
    """Take one fact of the agent's session in. What a sub-agent reads fills its own context."""
    if fact.thread != MAIN_THREAD or fact.happened_at < context.at:
        return context
    if isinstance(fact.what, Compacted):
        return Context(at=fact.happened_at)
    usage: Usage | None = getattr(fact.what, "usage", None)
    if usage is None:
        return context
    given = usage.input + usage.cache_read + usage.cache_write
    return Context(given, usage.model, fact.happened_at)


def window(context: Context, chosen: str) -> int:
    """How many tokens fit. `chosen` is the model a client said it began with: an answer names its
    model without the mark of the wide window. What holds more than an ordinary one is wide."""
    names = (context.model, chosen if chosen.startswith(context.model) else "")
    asked = any(name.endswith(ASKED_WIDE) for name in names)
    wide = asked or context.model.startswith(BORN_WIDE) or context.tokens > ORDINARY
    return WIDE if wide else ORDINARY
