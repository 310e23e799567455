"""The cost page tells tokens and estimates by prices that a person may edit."""

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.lab.browser import PHONE, link, window
from tests.lab.daemon import Daemon
from tests.lab.past import written
from tests.page.conftest import Opens, watching
from tests.pure.stories import ELSEWHERE, SESSION, fact, it_started, line, was_prompted
from turnkeeper.facts.fact import Fact
from turnkeeper.facts.kinds import AgentSpoke, Usage
from turnkeeper.scripted.body import Place
from turnkeeper.scripted.stage import throwaway

MILLION = 1_000_000
MINUTE = 60
WEEK = 7 * 24 * 3600


def answered(message: str, at: float, model: str, session: str = SESSION, **kinds: int) -> Fact:
    usage = Usage(message, f"req-{message}", model, **kinds)
    return line(AgentSpoke("Done.", entry=f"e-{message}", usage=usage), at, session=session)


def story(now: float) -> list[Fact]:
    """The shop spent 7.58 by list price just now and 5 long before; the site's model has none."""
    ask = was_prompted("Add retries to the client.", "p-1", entry="u-1")
    opus = "claude-opus-4-8"
    return [
        fact(it_started(cwd="/home/ada/shop"), now - 2 * WEEK),
        answered("old", now - 2 * WEEK + 1, opus, input=MILLION),
        line(ask, now - MINUTE),
        answered("one", now - 50, opus, input=MILLION, output=MILLION // 10),
        answered("two", now - 40, opus, cache_read=160_000),
        fact(it_started(cwd="/srv/site"), now - 30, session=ELSEWHERE),
        answered("odd", now - 20, "oddity-1", ELSEWHERE, input=2000, output=500),
    ]


@contextmanager
def shop_and_site(place: Place) -> Iterator[Daemon]:
    written(place.data, story(time.time()))
    with watching(place) as daemon:
        yield daemon


@pytest.fixture(scope="module")
def spent(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """For those who only look."""
    with shop_and_site(throwaway(tmp_path_factory.mktemp("spent"))) as daemon:
        yield daemon


@pytest.fixture
def priced(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """A daemon of its own for each test: prices that are set stay set."""
    with shop_and_site(throwaway(tmp_path_factory.mktemp("priced"))) as daemon:
        yield daemon


def rows(page: Page) -> Locator:
    return page.get_by_role("table", name="Tokens and estimated cost").locator("tbody tr")


def total(page: Page) -> Locator:
    return page.locator("dl div").filter(has_text="Estimated cost")


def since(page: Page, word: str) -> None:
    page.get_by_text(word, exact=True).click()


def edit(page: Page, model: str) -> None:
    page.get_by_role("button", name=f"Edit the price of {model}").click()


def test_each_agent_has_its_tokens_and_an_estimate(spent: Daemon, opens: Opens) -> None:
    page = opens(spent, "#/cost")
    since(page, "24 h")

    shop = rows(page).filter(has_text="shop")
    expect(shop).to_contain_text("≈ $7.58")
    expect(shop).to_contain_text("opus-4-8")
    expect(shop).to_contain_text("14 %")
    expect(page.get_by_role("columnheader", name="Estimated cost")).to_be_visible()
    expect(page.locator("h1")).to_contain_text("estimated")


def test_tokens_without_a_price_are_said_plainly(spent: Daemon, opens: Opens) -> None:
    page = opens(spent, "#/cost")
    since(page, "24 h")

    expect(total(page)).to_contain_text("over $7.58")
    expect(page.locator("main")).to_contain_text("2,500 tokens are of models without a price")
    expect(rows(page).filter(has_text="site")).to_contain_text("no price")


def test_an_edited_price_changes_the_estimate(priced: Daemon, opens: Opens) -> None:
    page = opens(priced, "#/cost")
    since(page, "24 h")
    expect(rows(page).filter(has_text="shop")).to_contain_text("≈ $7.58")
    edit(page, "claude-opus-4-8")
    page.get_by_label("Output, dollars").fill("125,0")
    page.keyboard.press("Enter")

    expect(rows(page).filter(has_text="shop")).to_contain_text("≈ $17.58")
    expect(page.get_by_role("button", name="Edit the price of claude-opus-4-8")).to_be_focused()
    assert {"claude-opus-4-8": 125.0}.items() <= {
        price["model"]: price["output"] for price in priced.get("/api/prices")
    }.items()


def test_a_model_without_a_price_is_given_one(priced: Daemon, opens: Opens) -> None:
    page = opens(priced, "#/cost")
    since(page, "24 h")
    page.get_by_role("button", name="Set a price for oddity-1").click()
    for name in ("Input", "Output", "Cache read", "Cache write"):
        page.get_by_label(f"{name}, dollars").fill("1000")
    page.get_by_role("button", name="Save").click()

    expect(rows(page).filter(has_text="site")).to_contain_text("≈ $2.50")
    expect(total(page)).to_contain_text("≈ $10.08")
    expect(page.get_by_text("without a price")).to_have_count(0)


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("much", "“much” is not a number"),
        ("-1", "cannot be less than 0"),
        ("", "a price is missing"),
        ("1000001", "cannot be more than 1,000,000"),
    ],
)
def test_a_price_that_is_none_is_refused_in_words(
    spent: Daemon, opens: Opens, typed: str, words: str
) -> None:
    page = opens(spent, "#/cost")
    since(page, "24 h")
    before = spent.get("/api/prices")
    edit(page, "claude-opus-4-8")
    field = page.get_by_label("Input, dollars")
    field.fill(typed)
    page.get_by_role("button", name="Save").click()

    expect(page.get_by_role("alert")).to_contain_text(words)
    expect(field).to_have_attribute("aria-invalid", "true")
    assert spent.get("/api/prices") == before
    page.keyboard.press("Escape")
    expect(field).to_have_count(0)


def test_what_the_daemon_refuses_is_told_in_its_words(spent: Daemon, browser: Browser) -> None:
    with window(browser, link(spent)) as opened:
        page = opened.page
        page.goto(f"{spent.url}/#/cost")
        page.get_by_role("button", name="Add a price").click()
        page.get_by_label("How the model’s name begins").fill("odd\u202eity")
        for name in ("Input", "Output", "Cache read", "Cache write"):
            page.get_by_label(f"{name}, dollars").fill("1")
        page.get_by_role("button", name="Save").click()

        expect(page.get_by_role("alert")).to_contain_text("a character that is not for reading")


def test_tabs_count_by_command_and_by_project(spent: Daemon, opens: Opens) -> None:
    page = opens(spent, "#/cost")
    since(page, "24 h")
    page.get_by_role("tab", name="By agent").focus()
    page.keyboard.press("ArrowRight")

    expect(page.get_by_role("tab", name="By command")).to_be_focused()
    expect(rows(page).filter(has_text="Add retries to the client.")).to_contain_text("≈ $7.58")
    page.get_by_role("tab", name="By project").click()
    expect(rows(page).filter(has_text="/home/ada/shop")).to_contain_text("≈ $7.58")
    expect(page).to_have_url(re.compile("by=project"))


def test_all_time_counts_what_is_old(spent: Daemon, opens: Opens) -> None:
    page = opens(spent, "#/cost")
    since(page, "7 d")
    expect(total(page)).to_contain_text("over $7.58")
    since(page, "All")

    expect(total(page)).to_contain_text("over $12.58")
    page.reload()
    expect(page.get_by_role("radio", name="All")).to_be_checked()


def test_the_context_of_a_live_agent_is_a_meter(spent: Daemon, opens: Opens) -> None:
    page = opens(spent, "#/cost")

    meter = page.get_by_role("meter", name="Context of shop")
    expect(meter).to_have_attribute("aria-valuenow", "160000")
    expect(meter).to_have_attribute("aria-valuetext", re.compile(r"% ?, 160,000 of [\d,]+ tokens"))


def test_nothing_spent_is_told_with_what_to_do(empty: Daemon, opens: Opens) -> None:
    page = opens(empty, "#/cost")

    expect(page.locator("main")).to_contain_text("Nothing was spent today")
    page.get_by_role("button", name="Look at all time").click()
    expect(page.locator("main")).to_contain_text("Nothing was spent yet")


def test_prices_are_edited_with_a_thumb(priced: Daemon, opens: Opens) -> None:
    page = opens(priced, "#/cost", size=PHONE)
    since(page, "24 h")
    edit(page, "claude-opus-4-8")

    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]
    for name in ("Input", "Output", "Cache read", "Cache write"):
        box = page.get_by_label(f"{name}, dollars").bounding_box()
        assert box is not None
        assert box["x"] + box["width"] <= PHONE[0]
        assert box["height"] >= 44
