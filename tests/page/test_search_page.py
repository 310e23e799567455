"""Words are found in everything that was said, and each place found leads to its turn."""

import re
from collections.abc import Iterator
from typing import Final

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.lab.browser import PHONE, link, window
from tests.lab.daemon import Daemon
from tests.lab.puppets import puppets
from tests.lab.real_client import until
from tests.page.conftest import Opens, watching
from turnkeeper.scripted.body import Role
from turnkeeper.scripted.faults import Faults
from turnkeeper.scripted.stage import throwaway
from turnkeeper.scripted.steps import Finish, Prompt
from turnkeeper.scripted.stories import Story, bash

TALKS: Final[dict[str, Story]] = {
    "shop": (
        Prompt("Move the tax into a module of its own."),
        bash("rg -n tax src", "src/tax.py:1: the tax"),
        Finish("The tax has moved. 🦆 Duck and tax."),
    ),
    "orders": (Prompt("Is the tax exact?"), Finish("It is: <b>tax</b> in cents.")),
    "many": tuple(
        step
        for number in range(60)
        for step in (Prompt(f"Count to {number}."), Finish(f"Counted to {number}."))
    ),
}


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """A daemon that knows what was said in three projects."""
    root = tmp_path_factory.mktemp("told")
    place = throwaway(root)
    with watching(place) as daemon, puppets(place) as played:
        for seed, (project, story) in enumerate(TALKS.items()):
            agent = played.enter(Role(root / project), Faults(seed=seed))
            played.play(agent, *story)
            known(daemon, agent.session, len(story))
        yield daemon


def known(daemon: Daemon, session: str, turns: int) -> None:
    def look() -> bool | None:
        card = daemon.card(session)
        return True if card is not None and card.turns >= turns else None

    until(look, f"{turns} turns", instead=lambda: daemon.card(session))


def hits(page: Page) -> Locator:
    return page.locator("main ol > li")


def test_words_are_found_as_they_are_typed(told: Daemon, opens: Opens) -> None:
    page = opens(told, "#/search")
    expect(page.get_by_text("Type what you remember")).to_be_visible()
    page.keyboard.type("tax exact")

    expect(hits(page)).to_have_count(1)
    expect(hits(page)).to_contain_text("Is the tax exact?")
    expect(hits(page).locator("mark")).to_have_text(["tax", "exact"])
    expect(page).to_have_url(re.compile("words=tax"))


def test_what_is_found_is_marked_also_after_letters_that_take_two_places(
    told: Daemon, opens: Opens
) -> None:
    page = opens(told, "#/search?words=duck")

    expect(hits(page).locator("mark")).to_have_text(["Duck"])


def test_words_of_others_stay_words(told: Daemon, opens: Opens) -> None:
    page = opens(told, "#/search?words=cents")

    expect(hits(page)).to_contain_text("<b>tax</b> in cents.")


def test_a_result_leads_to_its_turn(told: Daemon, opens: Opens) -> None:
    page = opens(told, "#/search?words=exact")
    hits(page).get_by_role("link").click()

    expect(page.locator("[data-row][aria-current=true]")).to_contain_text("Is the tax exact?")


def test_filters_narrow_what_is_found(told: Daemon, opens: Opens) -> None:
    page = opens(told, "#/search?words=tax")
    expect(hits(page)).to_have_count(6)
    page.get_by_label("Said by").select_option("By you")
    expect(hits(page)).to_have_count(2)
    page.get_by_label("Project").select_option("orders")
    expect(hits(page)).to_have_count(1)
    page.get_by_label("Since").select_option("Last hour")
    expect(hits(page)).to_have_count(1)
    page.reload()

    expect(hits(page)).to_have_count(1)
    expect(page.get_by_label("Said by")).to_have_value("user")
    page.get_by_role("button", name="Clear the filters").click()
    expect(hits(page)).to_have_count(6)
    page.get_by_label("Agent", exact=True).select_option(index=2)
    expect(hits(page).first).to_be_visible()
    expect(page).to_have_url(re.compile(r"agent=\d+"))


def test_more_is_shown_on_demand(told: Daemon, opens: Opens) -> None:
    page = opens(told, "#/search?words=counted")
    expect(hits(page)).to_have_count(50)
    page.get_by_role("button", name="Show more").click()

    expect(hits(page)).to_have_count(60)
    expect(page.get_by_role("button", name="Show more")).to_have_count(0)


def test_keys_move_between_the_box_and_what_is_found(told: Daemon, opens: Opens) -> None:
    page = opens(told, "#/search?words=tax")
    box = page.get_by_role("searchbox")
    links = hits(page).get_by_role("link")
    expect(box).to_be_focused()
    expect(links).to_have_count(6)
    page.keyboard.press("ArrowDown")
    expect(links.nth(0)).to_be_focused()
    page.keyboard.press("j")
    expect(links.nth(1)).to_be_focused()
    page.keyboard.press("k")
    page.keyboard.press("ArrowUp")
    expect(box).to_be_focused()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")

    expect(page.locator("[data-row][aria-current=true]")).to_be_visible()


def test_nothing_found_is_said_in_words(told: Daemon, opens: Opens) -> None:
    page = opens(told, "#/search?words=quicksilver")

    expect(page.get_by_role("status").last).to_contain_text(
        "Nothing that was said holds “quicksilver”"
    )


def test_words_that_cannot_be_looked_for_are_refused_in_words(
    told: Daemon, browser: Browser
) -> None:
    with window(browser, link(told)) as here:
        here.page.goto(f"{told.url}/#/search?words=tax&since=yesterday-ish")

        expect(here.page.get_by_role("alert")).to_contain_text("yesterday-ish")
        assert [line for line in here.complaints if "422" not in line] == []


def test_a_phone_shows_it_without_scrolling_sideways(told: Daemon, opens: Opens) -> None:
    page = opens(told, "#/search?words=tax", size=PHONE)

    expect(hits(page)).to_have_count(6)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
