"""Time on stage: what the clock says, how a pause is spent, how long the model thinks."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from turnkeeper.facts.fact import Moment

SECOND = 1_000_000
THINKING_SECONDS = 0.7


@dataclass(frozen=True, slots=True)
class Pace:
    """A clock and a way to wait, both handed in. `speed` 10 makes every pause ten times shorter."""

    now: Callable[[], Moment]
    sleep: Callable[[float], Awaitable[None]]
    speed: float = 1.0
    thinking: Callable[[], float] = lambda: THINKING_SECONDS

    async def pause(self, seconds: float) -> None:
        await self.sleep(seconds / self.speed)

    async def think(self) -> None:
        await self.pause(self.thinking())


def wall() -> Moment:
    return Moment(time.time_ns() // 1000)


def live(speed: float = 1.0) -> Pace:
    """The time of the wall."""
    return Pace(wall, asyncio.sleep, speed)


def simulated(start: Moment) -> Pace:
    """A time of one's own: waiting costs nothing and moves the clock. For one agent only."""
    passed = 0.0

    async def sleep(seconds: float) -> None:
        nonlocal passed
        passed += seconds
        await asyncio.sleep(0)

    return Pace(lambda: Moment(start + round(passed * SECOND)), sleep)


def catching_up(start: Moment, thinking: Callable[[], float]) -> Pace:
    """A time that begins in the past: waiting costs nothing until it has reached the time of the
    wall, and from there on it is that. For one agent only."""
    behind = (wall() - start) / SECOND

    async def sleep(seconds: float) -> None:
        nonlocal behind
        skipped = min(seconds, behind)
        behind -= skipped
        await asyncio.sleep(seconds - skipped)

    return Pace(lambda: Moment(wall() - round(behind * SECOND)), sleep, thinking=thinking)


def milliseconds(moment: Moment) -> int:
    return moment // 1000


def iso(moment: Moment) -> str:
    """As a client writes it: UTC, three decimals, Z."""
    at = datetime.fromtimestamp(moment / SECOND, UTC)
    return f"{at:%Y-%m-%dT%H:%M:%S}.{at.microsecond // 1000:03}Z"
