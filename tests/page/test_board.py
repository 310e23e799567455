"""The board shows every agent as it stands, live, and says so when it no longer knows."""

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.lab.browser import PHONE, link, window
from tests.lab.daemon import Daemon
from tests.lab.hooked import Client
from tests.page.conftest import NOBODY_THERE, Opens, Starts, watching
from turnkeeper.scripted.stage import throwaway

STANDS = {
    "Clean up the branches.": "awaiting approval",
    "There are 213.": "idle",
    "API Error": "error",
}

BACK_MS = 30_000
"""A page asks less and less often whether its daemon is back."""

WATCH_WORDS = """() => {
    window.words = '';
    const keep = () => (words += document.body?.innerText ?? '');
    new MutationObserver(keep).observe(document, { childList: true, subtree: true });
}"""


def card(page: Page, words: str) -> str:
    """The whole text of the card that holds these words, once it is there."""
    found = page.locator("article").filter(has_text=words)
    expect(found).to_have_count(1)
    return found.inner_text()


def test_every_agent_has_a_card_with_the_word_of_its_standing(daemon: Daemon, opens: Opens) -> None:
    page = opens(daemon)

    for words, standing in STANDS.items():
        article = page.locator("article").filter(has_text=words)
        expect(article).to_contain_text(standing)


def test_who_waits_for_a_person_comes_first(daemon: Daemon, opens: Opens) -> None:
    page = opens(daemon)
    expect(page.locator("article")).to_have_count(3)
    page.get_by_text("Standing", exact=True).click()

    expect(page.locator("article").first).to_contain_text("awaiting approval")
    expect(page.locator("section.group > h3").nth(1)).to_contain_text("error")


def test_the_chosen_grouping_is_remembered(daemon: Daemon, opens: Opens) -> None:
    page = opens(daemon)
    page.get_by_text("Standing", exact=True).click()
    page.reload()

    expect(page.get_by_role("radio", name="Standing")).to_be_checked()


def test_the_filter_finds_words_on_cards(daemon: Daemon, opens: Opens) -> None:
    page = opens(daemon)
    expect(page.locator("article")).to_have_count(3)
    page.keyboard.press("/")
    page.keyboard.type("feature/tax branches")

    expect(page.locator("article")).to_have_count(1)
    expect(page).to_have_url(re.compile("filter=feature"))
    page.keyboard.press("Escape")
    expect(page.locator("article")).to_have_count(3)


def test_closed_agents_move_to_history(daemon: Daemon, opens: Opens) -> None:
    page = opens(daemon)
    page.get_by_role("button", name="History").click()

    expect(page.get_by_role("region", name="History")).to_contain_text("attic")


def test_reconcile_tells_what_it_came_to(daemon: Daemon, opens: Opens) -> None:
    page = opens(daemon)
    card(page, "There are 213.")
    article = page.locator("article").filter(has_text="There are 213.")
    article.get_by_role("button", name="Actions").click()
    page.get_by_role("menuitem", name="Reconcile now").click()

    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("nothing was missing")
    expect(dialog).to_contain_text("missing still")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)


def test_the_menu_is_used_with_the_keyboard_alone(daemon: Daemon, opens: Opens) -> None:
    page = opens(daemon)
    card(page, "There are 213.")
    button = page.locator("article").filter(has_text="There are 213.").get_by_role("button")
    button.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("menuitem").first).to_be_focused()
    page.keyboard.press("w")
    page.keyboard.press("Enter")

    expect(page).to_have_url(re.compile(r"#/agents/\d+/why$"))


def test_a_newcomer_is_told_what_to_do(empty: Daemon, opens: Opens) -> None:
    page = opens(empty)

    expect(page.locator("main")).to_contain_text("turnkeeper hooks install")
    expect(page.locator("main")).to_contain_text("turnkeeper demo")


def test_a_browser_without_a_cookie_is_told_how_to_get_in(empty: Daemon, browser: Browser) -> None:
    with window(browser, empty.url) as opened:
        expect(opened.page.locator("main")).to_contain_text("turnkeeper link")
        opened.page.goto(link(empty))
        expect(opened.page.locator("main")).to_contain_text("No agent has been seen yet")


def test_a_lost_connection_is_said_and_found_again(daemon: Daemon, opens: Opens) -> None:
    page = opens(daemon)
    expect(page.locator("article")).to_have_count(3)
    page.context.set_offline(True)
    page.evaluate("dispatchEvent(new Event('online'))")

    bar = page.get_by_role("status").filter(has_text="Connection lost")
    expect(bar).to_contain_text(re.compile(r"as of \d\d:\d\d:\d\d"))
    expect(page.locator("article")).to_have_count(3)
    page.context.set_offline(False)
    expect(bar).to_have_count(0)
    expect(page.locator("header")).to_contain_text("Live")


@pytest.fixture
def mortal(tmp_path: Path) -> Iterator[Daemon]:
    """A daemon that comes back where it was."""
    with watching(throwaway(tmp_path)) as daemon:
        daemon.port = urlsplit(daemon.url).port or 0
        yield daemon


def test_a_page_outlives_its_daemon_and_goes_on_by_itself(
    mortal: Daemon, forgiven: list[str], opens: Opens
) -> None:
    forgiven += NOBODY_THERE
    page = opens(mortal)
    expect(page.locator("main")).to_contain_text("No agent has been seen yet")
    page.evaluate("window.opened = true")
    mortal.stop()
    expect(page.get_by_text("Connection lost")).to_be_visible()
    mortal.start()
    client = Client(mortal, "Here we go again")

    expect(page.locator("article")).to_contain_text("Here we go again", timeout=BACK_MS)
    expect(page.get_by_text("Connection lost")).to_have_count(0)
    assert page.evaluate("window.opened")
    client.ends()


def test_nobody_is_told_that_nobody_is_there_before_it_is_known(
    daemon: Daemon, opens: Opens
) -> None:
    page = opens(daemon)
    page.add_init_script(f"({WATCH_WORDS})()")
    page.reload()
    expect(page.locator("article")).to_have_count(3)

    assert "Turnkeeper" in page.evaluate("words")
    assert "No agent has been seen yet" not in page.evaluate("words")


def test_nothing_is_wider_than_a_phone(daemon: Daemon, opens: Opens) -> None:
    page = opens(daemon, size=PHONE)
    expect(page.locator("article")).to_have_count(3)

    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]


def test_the_theme_is_turned_and_remembered(empty: Daemon, opens: Opens) -> None:
    page = opens(empty)
    button = page.get_by_role("button", name="Theme")
    button.click()
    button.click()
    page.reload()

    expect(page.locator("html")).to_have_attribute("data-theme", "dark")


def test_a_menu_stays_at_its_button_when_the_page_moves(daemon: Daemon, opens: Opens) -> None:
    page = opens(daemon, size=PHONE)
    card(page, "There are 213.")
    button = page.locator("article").filter(has_text="There are 213.").get_by_role("button")
    button.click()
    before = page.evaluate("scrollY")
    page.evaluate("scrollBy(0, scrollY > 60 ? -60 : 60)")
    page.wait_for_function("before => scrollY !== before", arg=before)
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")

    menu, at = page.get_by_role("menu").bounding_box(), button.bounding_box()
    assert menu is not None
    assert at is not None
    below, above = menu["y"] - at["y"] - at["height"], at["y"] - menu["y"] - menu["height"]
    assert 0 <= max(below, above) <= 8


def test_a_card_tells_what_the_agent_has_cost_by_estimate(daemon: Daemon, opens: Opens) -> None:
    agent = opens(daemon).locator("article").filter(has_text="There are 213.")

    expect(agent.get_by_title("Estimated cost so far")).to_have_text(
        re.compile(r"[≈<] \$\d+\.\d\d")
    )


def test_sub_agents_fold_under_who_sent_them(desk: Daemon, opens: Opens, starts: Starts) -> None:
    chief = starts("Look for SQL")
    chief.hears("SubagentStart", agent_id="a1", agent_type="Explore")
    chief.hears("SubagentStart", agent_id="a2", agent_type="Plan")
    card = opens(desk).locator("li.card").filter(has_text="Look for SQL")
    expect(card.get_by_text("Explore, Plan")).to_be_visible()
    card.get_by_role("button", name="2 sub-agents").click()
    expect(card.get_by_role("listitem").filter(has_text="Explore")).to_contain_text("running")
    chief.hears("SubagentStop", agent_id="a1", agent_type="Explore")

    expect(card.get_by_role("button", name="1 sub-agent")).to_be_visible()
    expect(card).not_to_contain_text("Explore")


# Many, and far ----------------------------------------------------------------------------------

MANY = 60


@pytest.fixture(scope="module")
def crowd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """Sixty agents at work, each in a project of its own."""
    with watching(throwaway(tmp_path_factory.mktemp("crowd"))) as daemon:
        names = [f"{nth:02}" for nth in range(MANY)]
        clients = [Client(daemon, f"Do part {nth}.", f"/home/ada/part-{nth}") for nth in names]
        yield daemon
        for client in clients:
            client.ends()


@pytest.mark.parametrize("grouping", ["Project", "Standing"])
def test_of_many_agents_everyone_is_named(crowd: Daemon, opens: Opens, grouping: str) -> None:
    page = opens(crowd)
    page.get_by_text(grouping, exact=True).click()

    expect(page.locator("article")).to_have_count(MANY)
    expect(page.locator("article").filter(has_text="running")).to_have_count(MANY)


def test_who_is_far_is_drawn_in_short_and_whole_when_near(crowd: Daemon, opens: Opens) -> None:
    page = opens(crowd)
    expect(page.locator("article")).to_have_count(MANY)
    last = page.locator("article").last
    expect(last).not_to_contain_text("Do part")
    last.scroll_into_view_if_needed()

    expect(last).to_contain_text("Do part")
    expect(last.get_by_role("button", name="Actions")).to_be_visible()


def test_on_a_wide_window_the_agents_are_beside_what_waits(daemon: Daemon, opens: Opens) -> None:
    page = opens(daemon)
    ask = page.get_by_role("region", name="Needs you").bounding_box()
    agents = page.get_by_role("heading", name="Agents").bounding_box()

    assert ask is not None
    assert agents is not None
    assert agents["x"] >= ask["x"] + ask["width"]
    assert agents["y"] < ask["y"] + ask["height"]
