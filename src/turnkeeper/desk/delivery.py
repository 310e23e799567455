"""What became of something that was to reach an agent in its terminal."""

from enum import StrEnum

import msgspec


class Outcome(StrEnum):
    DELIVERED = "delivered"
    REFUSED = "refused"


class Delivery(msgspec.Struct, frozen=True):
    """Whether it was delivered, and a sentence why not, or where to. What the agent then did
    about it, the agent tells."""

    outcome: Outcome
    reason: str
