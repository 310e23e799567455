"""A real browser on a daemon's page: let in by a one-time link, with all that it complained of."""

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final, Literal

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, sync_playwright

from tests.lab.asking import bearing
from tests.lab.daemon import Daemon
from tests.lab.needs import do_without

PROGRAMS: Final = ("chromium", "chromium-browser", "google-chrome", "chrome")
DESKTOP: Final = (1280, 800)
PHONE: Final = (360, 740)
TWO_FRAMES: Final = """() => new Promise((done) =>
    requestAnimationFrame(() => requestAnimationFrame(done)))"""

Theme = Literal["dark", "light"]
Profile = BrowserContext
"""What the browser itself calls that: cookies, storage, and what it has fetched."""


def program() -> str:
    """Where the machine keeps a Chromium; none is downloaded."""
    found = next((path for name in PROGRAMS if (path := shutil.which(name))), None)
    return found or do_without("chromium", "apt-get install chromium, or: brew install chromium")


@dataclass
class Window:
    """A page, and what its console and its network said against it."""

    page: Page
    complaints: list[str] = field(default_factory=list)

    def notes(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(f"{message.type}: {message.text}")


@contextmanager
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program(), args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()


def link(daemon: Daemon) -> str:
    """A one-time link, as `turnkeeper link` prints it."""
    made = bearing(daemon.url, daemon.token).post("/api/links").json()
    return f"{daemon.url}{made['path']}"


def profile(browser: Browser, size: tuple[int, int] = DESKTOP, theme: Theme = "light") -> Profile:
    """A browser of its own: no cookie, nothing remembered. Nothing turns in it: without a graphics
    card that would cost a whole core."""
    width, height = size
    return browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme=theme,
        reduced_motion="reduce",
        has_touch=size == PHONE,
        device_scale_factor=2 if size == PHONE else 1,
    )


def opened(profile: Profile, address: str) -> Window:
    window = Window(profile.new_page())
    window.page.on("console", window.notes)
    window.page.on("pageerror", lambda error: window.complaints.append(f"thrown: {error}"))
    window.page.goto(address)
    return window


def visit(page: Page, address: str) -> None:
    """Go to an address, until the page that was there before is gone and cannot be taken for it."""
    page.goto(address)
    page.evaluate(TWO_FRAMES)


@contextmanager
def window(
    browser: Browser,
    address: str,
    *,
    size: tuple[int, int] = DESKTOP,
    theme: Theme = "light",
) -> Iterator[Window]:
    """Open an address in a browser of its own."""
    own = profile(browser, size, theme)
    try:
        yield opened(own, address)
    finally:
        own.close()


def close(windows: Sequence[Window]) -> None:
    """Close windows, and let their profiles forget them: first what they run, then what they know,
    lest one that still asks be refused."""
    origins = [each.page.evaluate("location.origin") for each in windows]
    for each in windows:
        each.page.context.set_offline(False)
        each.page.goto("about:blank")
    for each, origin in zip(windows, origins, strict=True):
        profile, everything = each.page.context, {"origin": origin, "storageTypes": "all"}
        profile.new_cdp_session(each.page).send("Storage.clearDataForOrigin", everything)
        profile.clear_permissions()
        profile.clear_cookies()
        each.page.close()
