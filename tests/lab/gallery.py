"""One agent of each kind that the board can show, and what each of them asks."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tests.lab.daemon import Daemon
from tests.lab.real_client import until
from tests.lab.shots import performance
from turnkeeper.scripted.body import Place, Role
from turnkeeper.scripted.faults import Faults
from turnkeeper.scripted.stage import Part, Stage
from turnkeeper.scripted.steps import (
    FOREVER,
    Background,
    Exit,
    Fail,
    Finish,
    Option,
    Permission,
    Plan,
    Prompt,
    Question,
    Say,
    Title,
    Tool,
    Wait,
)
from turnkeeper.scripted.stories import Story, bash, edit, read

SPEED: Final = 20
PLAN: Final = """# Tax by country

1. `tax/rates.py`: a table of rates
2. `orders/total.py`: ask it, instead of the *constant*

```python
def rate(country: str) -> Decimal: ...
```
"""
REPORT: Final = """## What changed

`tax` lives in **its own** module; see [the record](https://example.com/adr).

| module | tests |
|---|---|
| tax | 9 |

> Nothing else has moved.

```diff
-from shop.pricing import tax
+from shop.tax import tax
```
"""
TALK: Final[Story] = (
    Prompt("Split the pricing module: tax and discount should not know each other."),
    Title("Split the pricing module"),
    Say("I look first."),
    read("src/pricing.py", "def net(price): ..."),
    edit("src/pricing.py", "kept\nold line\n", "kept\nnew line\n"),
    bash("pytest -q", "1 failed, 212 passed in 9.80s", failed=True),
    Tool("TodoWrite", {"todos": [{"content": "move tax", "status": "completed"}]}, "ok"),
    Finish(REPORT),
)
STANDINGS: Final[dict[str, Story]] = {
    "running": (Prompt("Update all dependencies."), bash("uv lock --upgrade", None)),
    "background": (
        Prompt("Run it 200 times."),
        Background("pytest --count=200", "Run the test 200 times"),
        Finish("Under way."),
    ),
    "permission": (
        Prompt("Clean up the branches."),
        Permission((bash("git branch -d feature/tax spike/cache"),), after=FOREVER),
    ),
    "change": (
        Prompt("Correct the rounding."),
        Permission((edit("src/tax.py", "round(x)", "x.quantize(CENT)"),), after=FOREVER),
    ),
    "question": (
        Prompt("Make totals exact."),
        Question(
            "How should old totals be converted?",
            "Old totals",
            (Option("Round to cents", "what invoices show"), Option("Keep every digit")),
            answer=None,
            after=FOREVER,
        ),
    ),
    "plan": (Prompt("Plan the tax by country."), Plan(PLAN, after=FOREVER, filed=True)),
    "words": (Prompt("Find the cause."), Finish("Two causes. Shall I mend both of them?")),
    "error": (Prompt("Why is it slow?"), Fail()),
    "idle": (Prompt("Count the tests."), Finish("There are 213.")),
    "closed": (Prompt("Say goodbye."), Finish("Goodbye."), Wait(1), Exit()),
}
STAND: Final = {
    "running": 1,
    "awaiting_approval": 3,
    "awaiting_input": 2,
    "error": 1,
    "idle": 3,
    "closed": 1,
}
"""How many of the gallery stand how, once all have taken their places."""


def exhibits(projects: Path) -> list[Part]:
    stories = {"talk": TALK, **STANDINGS}
    return [
        Part(Role(projects / name, branch=f"feature/{name}"), story, Faults(seed=nth))
        for nth, (name, story) in enumerate(stories.items(), 1)
    ]


@contextmanager
def offering(place: Place, parts: Sequence[Part], *, speed: float = SPEED) -> Iterator[None]:
    """Let these play; what they ask waits for an answer on the board."""

    async def play(stage: Stage) -> None:
        async with asyncio.TaskGroup() as playing:
            for part in parts:
                playing.create_task(_offer(stage, part))

    with performance(place, play, speed=speed):
        yield


async def _offer(stage: Stage, part: Part) -> None:
    agent = await stage.enter(part.role, part.faults)
    agent.offer_asks()
    await agent.play(part.story)


def complete(daemon: Daemon) -> None:
    """Wait until everybody stands where their story leaves them."""

    def look() -> bool | None:
        stand = [card["standing"] for card in daemon.get("/api/agents")]
        return all(stand.count(each) == number for each, number in STAND.items()) or None

    until(look, "the gallery", instead=lambda: daemon.get("/api/agents"))
