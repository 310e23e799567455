"""What a conversation weighs: the tokens of each answer, as a service counts them."""

from dataclasses import dataclass

from turnkeeper.facts.fact import Moment

CHARACTERS = 4
"""So many make a token, about."""

SHARED = 14_200
"""Tokens of tools and instructions: the same for every session, so somebody has cached them."""

THOUGHTS = 160
"""Tokens that a model spends before it says or calls anything."""

OWN = 6_800
"""Tokens that a session is told before its first prompt."""

CACHE_LIVES = 300_000_000
"""Microseconds after which the service has forgotten what nobody asked for again."""


@dataclass(frozen=True, slots=True)
class Tokens:
    input: int
    output: int
    cache_read: int
    cache_write: int


class Meter:
    """Counts one context. What was sent before is read from the cache; what came since is
    written to it, and so is everything once the cache has forgotten.

    `weight` is how much longer real words are than those of a story.
    """

    def __init__(self, weight: float = 1.0) -> None:
        self._weight = weight
        self._cached = SHARED
        self._heard = 0
        self._last: Moment | None = None

    def count(self, heard: int, *, said: int, at: Moment) -> Tokens:
        """The tokens of an answer of so many characters, in a thread that holds so many."""
        new = round((heard - self._heard) * self._weight) // CHARACTERS
        if self._last is None:
            new += OWN
        elif at - self._last > CACHE_LIVES:
            new, self._cached = new + self._cached, 0
        counted = Tokens(4 + new % 7, THOUGHTS + said // CHARACTERS, self._cached, new)
        self._cached += new
        self._heard, self._last = heard, at
        return counted

    def forget(self, heard: int) -> None:
        """Begin a new context in the same thread."""
        self._cached, self._heard, self._last = SHARED, heard, None
