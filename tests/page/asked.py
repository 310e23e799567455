"""What tests look for on the page when something waits for a person."""

from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.lab.asking import bearing
from tests.lab.daemon import Daemon
from tests.lab.hooked import Client
from tests.lab.offering import Waiting

Json = dict[str, Any]
SIMPLE = {"command": "npm test", "description": "Run the tests"}


def asks(page: Page) -> Locator:
    """The cards that are shown in full."""
    return page.locator("[id^=ask-][role=group]")


def card(page: Page, words: str) -> Locator:
    found = asks(page).filter(has_text=words)
    expect(found).to_have_count(1)
    return found


def press(where: Locator, name: str) -> None:
    where.get_by_role("button", name=name, exact=True).click()


def settled(page: Page) -> None:
    """Wait until all is there and nothing moves: only then do keys answer."""
    expect(page.locator("[id^=ask-][role=group]:not(:has(form))")).to_have_count(0)
    expect(page.locator(".moving")).to_have_count(0)


def answers_of(hook: Waiting) -> Json:
    told = hook.decision()
    assert told["behavior"] == "allow"
    answers: Json = told["updatedInput"]["answers"]
    return answers


def mute(desk: Daemon, client: Client) -> None:
    caller = bearing(desk.url, desk.token)
    assert caller.post(f"/api/agents/{client.agent}/mute", b'{"muted": true}').status == 200


def waits(desk: Daemon, hook: Waiting) -> bool:
    """Whether nobody has answered it yet."""
    return any(ask["session_id"] == hook.session for ask in desk.get("/api/asks"))
