"""The pictures of README and docs, from the demo: `python -m tests.lab.pictures docs/pictures`.

They are looked at before they are committed.
"""

import sys
import tempfile
from pathlib import Path
from typing import Final, NamedTuple

from playwright.sync_api import Page, expect

from tests.lab.browser import PHONE, Theme, chromium, window
from tests.lab.demo import Demo

SIZE: Final = (1280, 900)
BUSY_MS: Final = 180_000
SETTLED_MS: Final = 1500


class Picture(NamedTuple):
    name: str
    where: str
    theme: Theme
    size: tuple[int, int] = SIZE


PICTURES: Final = (
    Picture("board-dark", "#/", "dark"),
    Picture("board-light", "#/", "light"),
    Picture("conversation-dark", "#/agents/{working}", "dark"),
    Picture("timeline-dark", "#/timeline", "dark"),
    Picture("cost-dark", "#/cost", "dark"),
    Picture("phone-light", "#/", "light", PHONE),
)


def take(demo: Demo, page: Page, picture: Picture, folder: Path) -> None:
    running = [card for card in demo.agents() if card["standing"] == "running"]
    working = max(running or demo.agents(), key=lambda card: int(card["turns"]))["id"]
    width, height = picture.size
    page.set_viewport_size({"width": width, "height": height})
    page.emulate_media(color_scheme=picture.theme)
    page.goto(f"{page.url.partition('#')[0]}{picture.where.format(working=working)}")
    page.wait_for_timeout(SETTLED_MS)
    page.screenshot(path=folder / f"{picture.name}.png")
    print(folder / f"{picture.name}.png")


def main(folder: Path) -> None:
    with tempfile.TemporaryDirectory() as root, chromium() as browser:
        demo = Demo(Path(root)).wait_ready()
        try:
            link = demo.caller.post("/api/links").json()["path"]
            with window(browser, f"{demo.url}{link}", size=SIZE) as opened:
                waiting = opened.page.get_by_role("heading", name="Needs you").locator(".number")
                expect(waiting).to_have_text("4", timeout=BUSY_MS)
                for picture in PICTURES:
                    take(demo, opened.page, picture, folder)
        finally:
            demo.process.terminate()
            demo.process.wait()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
