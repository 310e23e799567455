"""Time on stage: what the clock says, how a pause is spent, how long the model thinks."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from turnkeeper.facts.fact import Moment

SECOND = 1_000_000


@dataclass(frozen=True, slots=True)
class Pace:
    """A clock and a way to wait, both handed in. `speed` 10 makes every pause ten times shorter."""

    now: Callable[[], Moment]
    sleep: Callable[[float], Awaitable[None]]
    speed: float = 1.0
    thinking_seconds: float = 0.7

    async def pause(self, seconds: float) -> None:
        await self.sleep(seconds / self.speed)

    async def think(self) -> None:
        await self.pause(self.thinking_seconds)


def live(speed: float = 1.0) -> Pace:
    """The time of the wall."""
    return Pace(lambda: Moment(time.time_ns() // 1000), asyncio.sleep, speed)


def simulated(start: Moment) -> Pace:
    """A time of one's own: waiting costs nothing and moves the clock. For one agent only."""
    passed = 0.0

    async def sleep(seconds: float) -> None:
        nonlocal passed
        passed += seconds
        await asyncio.sleep(0)

    return Pace(lambda: Moment(start + round(passed * SECOND)), sleep)


def milliseconds(moment: Moment) -> int:
    return moment // 1000


def iso(moment: Moment) -> str:
    """As a client writes it: UTC, three decimals, Z."""
    at = datetime.fromtimestamp(moment / SECOND, UTC)
    return f"{at:%Y-%m-%dT%H:%M:%S}.{at.microsecond // 1000:03}Z"
