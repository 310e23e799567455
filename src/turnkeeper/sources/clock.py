"""The one place that reads the time, and draws what nobody can foresee."""

import time
import uuid

from turnkeeper.facts.fact import Moment


class SystemClock:
    def now(self) -> Moment:
        return Moment(time.time_ns() // 1000)

    async def sleep(self, seconds: float) -> None:
        import asyncio  # Verbs that only ask the time need not wait for it.

        await asyncio.sleep(seconds)


def fresh_id() -> str:
    """An id that nobody has used."""
    return str(uuid.uuid4())
