"""Pictures of the board as people see it: `python -m tests.lab.shots FOLDER [HASH ...]`.

A daemon of its own, scripted agents in the middle of their day, a real browser.
"""

import asyncio
import os
import sys
import tempfile
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.lab.browser import DESKTOP, PHONE, Theme, chromium, link, window
from tests.lab.daemon import Daemon
from turnkeeper.scripted.body import Place, Role
from turnkeeper.scripted.pace import live
from turnkeeper.scripted.stage import Part, Stage, crowd, throwaway
from turnkeeper.scripted.steps import Exit, Wait
from turnkeeper.scripted.stories import FLAKY_TEST, LONG_TALK, OVERLOADED, REFACTORING, cast

SIZES = {"desktop": DESKTOP, "phone": PHONE}
THEMES: tuple[Theme, ...] = ("light", "dark")
SETTLED_SECONDS = 10


@contextmanager
def cast_on_stage(place: Place, parts: list[Part], *, speed: float = 1) -> Iterator[None]:
    """Let these play beside whoever enters, until they leave."""
    with performance(place, lambda stage: stage.play(parts), speed=speed):
        yield


@contextmanager
def performance(
    place: Place, played: Callable[[Stage], Coroutine[Any, Any, object]], *, speed: float = 1
) -> Iterator[None]:
    """Have this played on a stage beside whoever enters, until they leave."""
    leave = threading.Event()

    async def perform() -> None:
        async with Stage(place, lambda: live(speed)) as stage:
            playing = asyncio.create_task(played(stage))
            await asyncio.to_thread(leave.wait)
            playing.cancel()
            await asyncio.gather(playing, return_exceptions=True)

    thread = threading.Thread(target=asyncio.run, args=(perform(),))
    thread.start()
    try:
        yield
    finally:
        leave.set()
        thread.join()


def everybody(projects: Path) -> list[Part]:
    """The whole cast, two more at work in the shop, and one who has left."""
    shop = projects / "shop"
    more = [
        Part(Role(shop, branch="docs/tax"), LONG_TALK),
        Part(Role(shop, branch="main"), (Wait(4), *REFACTORING)),
        Part(Role(projects / "export", branch="main"), OVERLOADED[:3]),
        Part(Role(projects / "gateway", branch="main"), (*FLAKY_TEST[:2], Exit())),
    ]
    return crowd([*cast(projects), *more], 13)


def shoot(folder: Path, hashes: list[str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as root:
        os.environ["HOME"] = root
        place = throwaway(Path(root))
        daemon = Daemon(place.data, place.claude_dir)
        daemon.start()
        try:
            with (
                cast_on_stage(place, everybody(Path(root) / "projects")),
                chromium() as browser,
            ):
                threading.Event().wait(SETTLED_SECONDS)
                for name, size in SIZES.items():
                    for theme in THEMES:
                        with window(browser, link(daemon), size=size, theme=theme) as opened:
                            for nth, each in enumerate(hashes):
                                opened.page.goto(f"{daemon.url}/{each}")
                                opened.page.wait_for_selector("h1")
                                opened.page.wait_for_timeout(400)
                                file = folder / f"{nth}-{name}-{theme}.png"
                                opened.page.screenshot(path=file)
                                print(file, *opened.complaints, sep="\n  ")
        finally:
            daemon.close()


if __name__ == "__main__":
    shoot(Path(sys.argv[1]), sys.argv[2:] or ["#/"])
