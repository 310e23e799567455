"""The one place that reads the time."""

import asyncio
import time

from turnkeeper.facts.fact import Moment


class SystemClock:
    def now(self) -> Moment:
        return Moment(time.time_ns() // 1000)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
