"""A real client asks, a person answers on the page in a real browser, and the terminal goes on."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.lab.browser import chromium, link, window
from tests.lab.daemon import Daemon, run_turnkeeper
from tests.lab.real_client import DIALOG_SIGN, RealClient

ASKING = {"permissions": {"defaultMode": "default"}}


@pytest.fixture
def client(client_binary: Path) -> Iterator[RealClient]:
    client = RealClient(client_binary, ASKING)
    yield client
    client.close()


@pytest.fixture
def daemon(client: RealClient, tmp_path: Path) -> Iterator[Daemon]:
    """A daemon whose hooks the client calls."""
    daemon = Daemon(tmp_path / "data", client.claude_dir)
    folders = ("--data", str(daemon.data), "--claude-dir", str(client.claude_dir))
    assert run_turnkeeper("hooks", "install", *folders).returncode == 0
    daemon.start()
    yield daemon
    daemon.close()


@pytest.fixture
def page(daemon: Daemon) -> Iterator[Page]:
    with chromium() as browser, window(browser, link(daemon)) as opened:
        yield opened.page
        assert opened.complaints == []


def test_a_permission_allowed_on_the_page_lets_the_terminal_go_on(
    client: RealClient, daemon: Daemon, page: Page
) -> None:
    pane = client.start()
    pane.type("make the file @@permission")
    pane.wait_screen(DIALOG_SIGN)
    ask = page.get_by_role("group", name="Permission")
    expect(ask).to_contain_text("touch made.txt", timeout=10_000)
    ask.get_by_role("button", name="Allow", exact=True).click()

    expect(page.locator("main")).to_contain_text("Allowed by the board")
    pane.wait_status("idle")
    assert (client.project / "made.txt").exists()
    assert DIALOG_SIGN not in pane.screen()
    expect(page.get_by_role("heading", name="Nothing waits for you.")).to_be_visible(timeout=10_000)


def test_what_the_terminal_answers_leaves_the_page(
    client: RealClient, daemon: Daemon, page: Page
) -> None:
    pane = client.start()
    pane.type("make the file @@permission")
    ask = page.get_by_role("group", name="Permission")
    expect(ask).to_contain_text("touch made.txt", timeout=10_000)
    pane.wait_screen(DIALOG_SIGN)
    pane.answer("Enter")

    expect(page.locator("main")).to_contain_text("It was answered in the terminal", timeout=10_000)
    pane.wait_status("idle")
