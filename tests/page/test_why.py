"""The page that says why an agent stands as it does."""

import re

from playwright.sync_api import Browser, Locator, Page, expect

from tests.lab.browser import PHONE, link, window
from tests.lab.daemon import Daemon
from tests.lab.past import hook
from tests.lab.real_client import until
from tests.page.conftest import Opens

SESSION = "3f0c9a5e-0000-4000-8000-00000000a001"


def agent(daemon: Daemon, **like: str) -> int:
    """The number of the agent that is like this, once there is one."""

    def look() -> int | None:
        found = daemon.get("/api/agents")
        return next((each["id"] for each in found if like.items() <= each.items()), None)

    number: int = until(look, f"an agent with {like}")
    return number


def why(daemon: Daemon, **like: str) -> str:
    return f"#/agents/{agent(daemon, **like)}/why"


def signal(page: Page, name: str) -> Locator:
    table = page.get_by_role("table", name="The evidence")
    return table.get_by_role("row").filter(has=page.get_by_role("rowheader", name=name))


def trail(page: Page) -> Locator:
    return page.get_by_role("table", name="Every change of state").locator("tbody tr")


def test_the_word_of_the_registry_is_believed(daemon: Daemon, opens: Opens) -> None:
    page = opens(daemon, why(daemon, standing="awaiting_approval"))

    expect(page.locator("h1")).to_contain_text("is awaiting approval")
    expect(page.get_by_role("region", name="In short")).to_contain_text("Decided by the registry")
    row = signal(page, "Registry")
    expect(row).to_contain_text("waiting")
    expect(row.get_by_role("cell").last).to_have_text("believed")
    expect(row).to_contain_text(re.compile(r"\d\d:\d\d:\d\d"))


def test_who_says_the_same_does_not_disagree(daemon: Daemon, opens: Opens) -> None:
    page = opens(daemon, why(daemon, standing="awaiting_approval"))

    expect(signal(page, "Hooks")).to_contain_text("not needed")
    expect(signal(page, "Hooks")).to_contain_text("says the same")


def test_who_is_overruled_is_named(daemon: Daemon, opens: Opens) -> None:
    page = opens(daemon, why(daemon, standing="awaiting_approval"))

    expect(signal(page, "Transcript").get_by_role("cell").last).to_have_text("not believed")
    expect(page.get_by_role("region", name="In short")).to_contain_text("One signal disagrees")


def test_an_error_is_said_with_its_words(daemon: Daemon, opens: Opens) -> None:
    page = opens(daemon, why(daemon, standing="error"))

    expect(page.locator("h1")).to_contain_text("is in error")
    expect(signal(page, "Last turn")).to_contain_text("529 Overloaded")
    expect(signal(page, "Last turn").get_by_role("cell").last).to_have_text("believed")


def test_the_audit_trail_begins_with_the_newest(daemon: Daemon, opens: Opens) -> None:
    page = opens(daemon, why(daemon, standing="awaiting_approval"))
    # A hook and the registry may be heard in either order: only one machine's order is certain.
    page.get_by_text(re.compile(r"^Session \d+$")).click()

    said = re.compile(r"awaiting approval.*(client_waiting_approval|permission_asked)", re.DOTALL)
    expect(trail(page).first).to_contain_text(said)
    expect(trail(page).first).to_contain_text("100 %")
    expect(trail(page).last).to_contain_text("starting")


def test_the_audit_trail_is_filtered_by_machine(daemon: Daemon, opens: Opens) -> None:
    page = opens(daemon, why(daemon, standing="awaiting_approval"))
    page.get_by_text(re.compile(r"^Command \d+$")).click()

    expect(trail(page).first).to_contain_text("processing")
    for row in trail(page).all():
        expect(row).to_contain_text("command")
    expect(page).to_have_url(re.compile("machine=command"))


def test_evidence_and_trail_are_live(empty: Daemon, opens: Opens) -> None:
    hook(empty, "UserPromptSubmit", SESSION, prompt="Count the tests.", cwd="/home/ada/shop")
    page = opens(empty, why(empty, session_id=SESSION))
    expect(page.locator("h1")).to_contain_text("is running")
    expect(trail(page).first).to_contain_text("running")

    hook(empty, "Stop", SESSION, last_assistant_message="There are 213.")

    expect(page.locator("h1")).to_contain_text("is idle")
    expect(trail(page).first).to_contain_text("idle")
    expect(signal(page, "Hooks")).to_contain_text("at rest")


def test_an_agent_that_is_not_there_is_said_in_words(empty: Daemon, browser: Browser) -> None:
    with window(browser, link(empty)) as opened:
        opened.page.goto(f"{empty.url}/#/agents/99/why")

        expect(opened.page.get_by_role("alert")).to_contain_text("99")
        opened.page.get_by_role("link", name="To the board").click()
        expect(opened.page).to_have_url(re.compile("#/$"))


def test_nothing_is_wider_than_a_phone(daemon: Daemon, opens: Opens) -> None:
    page = opens(daemon, why(daemon, standing="error"), size=PHONE)
    expect(trail(page).first).to_be_visible()

    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]
    box = signal(page, "Last turn").get_by_role("cell").last.bounding_box()
    assert box is not None
    assert box["x"] + box["width"] <= PHONE[0]
