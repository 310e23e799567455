"""The timeline shows what each agent did, as bands and as a table, and follows the present."""

import re
import time
from collections.abc import Iterator

import pytest
from playwright.sync_api import FloatRect, Locator, Page, expect

from tests.lab.browser import PHONE
from tests.lab.daemon import Daemon
from tests.lab.past import hook, written
from tests.page.conftest import Opens, watching
from tests.pure.stories import ELSEWHERE, ended_its_turn, fact, it_started, spoke, was_prompted
from turnkeeper.facts.fact import Fact
from turnkeeper.facts.kinds import Ending
from turnkeeper.scripted.stage import throwaway

SESSION = "3f0c9a5e-0000-4000-8000-00000000a002"
HOUR = 3600


def story(now: float) -> list[Fact]:
    """One idles, works for an hour, asks in words and waits; one failed five hours ago."""
    return [
        fact(it_started(cwd="/srv/site"), now - 6 * HOUR, session=ELSEWHERE),
        fact(was_prompted(), now - 5.5 * HOUR, session=ELSEWHERE),
        fact(ended_its_turn(Ending.FAILED, error="529"), now - 5 * HOUR, session=ELSEWHERE),
        fact(it_started(cwd="/home/ada/shop"), now - 3 * HOUR),
        fact(was_prompted(), now - 2 * HOUR),
        fact(spoke("Shall I use the new client?", final=True), now - HOUR),
        fact(ended_its_turn(), now - HOUR + 1),
    ]


@pytest.fixture(scope="module")
def past(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """A daemon that finds hours of work in its journal."""
    place = throwaway(tmp_path_factory.mktemp("past"))
    written(place.data, story(time.time()))
    with watching(place) as daemon:
        yield daemon


def lane(page: Page, name: str) -> Locator:
    """One agent's bands, with its name before and its sums behind them."""
    return page.get_by_role("group", name=name, exact=True)


def standings(row: Locator) -> set[str | None]:
    row.locator("path[data-standing]").first.wait_for()
    paths = row.locator("path[data-standing]").all()
    return {path.get_attribute("data-standing") for path in paths}


def box(found: Locator) -> FloatRect:
    inside = found.bounding_box()
    assert inside is not None
    return inside


def point(page: Page, row: Locator, *, share: float) -> None:
    """Point at a lane, so far from its left."""
    track = box(row.locator("[data-track]"))
    page.mouse.move(track["x"] + track["width"] * share, track["y"] + track["height"] - 11)


def zoom_in(page: Page) -> None:
    """As far as it goes: to five minutes."""
    button = page.get_by_role("button", name="Zoom in")
    while button.is_enabled():
        button.click()


def span(page: Page, name: str) -> Locator:
    return page.get_by_role("radio", name=name, exact=True)


def table(page: Page) -> Locator:
    page.get_by_text("Table", exact=True).click()
    return page.get_by_role("table", name="How long each agent stood how")


# What scripted agents did -----------------------------------------------------------------------


def test_who_works_waits_and_fails_has_bands_that_say_so(daemon: Daemon, opens: Opens) -> None:
    page = opens(daemon, "#/timeline")
    zoom_in(page)
    shop, orders = (
        page.get_by_role("group", name="Project shop"),
        page.get_by_role("group", name="Project orders"),
    )

    expect(shop.locator('path[data-standing="awaiting_approval"]')).to_have_count(1)
    expect(shop.locator('path[data-standing="running"]')).to_have_count(2)
    expect(shop.locator('path[data-standing="idle"]')).not_to_have_count(0)
    expect(orders.locator('path[data-standing="error"]')).to_have_count(1)


def test_the_table_says_the_same(daemon: Daemon, opens: Opens) -> None:
    page = opens(daemon, "#/timeline")
    rows = table(page).locator("tbody tr")

    expect(rows.filter(has_text="awaiting approval")).to_have_count(1)
    expect(rows.filter(has_text="error")).to_contain_text("orders")
    happened = page.get_by_role("table", name="Bands and asks").locator("tbody tr")
    expect(happened.filter(has_text="asked: permission")).to_contain_text("git branch -d old")
    expect(happened.filter(has_text="error").first).to_contain_text(re.compile(r"orders.*error"))


def test_an_ask_is_a_mark_that_leads_to_it(daemon: Daemon, opens: Opens) -> None:
    page = opens(daemon, "#/timeline")
    mark = page.get_by_role("link", name=re.compile("^permission of shop.*git branch -d old"))
    mark.click()

    expect(page).to_have_url(re.compile(r"#/asks/\d+$"))


def test_who_has_left_ends_in_closed(daemon: Daemon, opens: Opens) -> None:
    page = opens(daemon, "#/timeline")
    zoom_in(page)

    attic = page.get_by_role("group", name="Project attic")
    expect(attic.locator('path[data-standing="closed"]')).to_have_count(1)


# Hours of it ------------------------------------------------------------------------------------


def test_pointing_at_a_band_tells_how_long_it_lasted(past: Daemon, opens: Opens) -> None:
    page = opens(past, "#/timeline")
    shop = lane(page, "shop")
    assert standings(shop) == {"idle", "running", "awaiting_input"}

    point(page, shop, share=0.6)
    detail = page.locator(".detail")
    expect(detail).to_contain_text("running")
    expect(detail).to_contain_text(re.compile(r"1 h"))
    expect(detail).to_contain_text(re.compile(r"\d\d:\d\d:\d\d to \d\d:\d\d:\d\d"))
    point(page, shop, share=0.95)
    expect(detail).to_contain_text("awaiting input")
    expect(detail).to_contain_text("to now")


def test_the_sums_are_those_of_the_time_shown(past: Daemon, opens: Opens) -> None:
    page = opens(past, "#/timeline")
    sums = lane(page, "shop").locator("dd")

    expect(sums).to_have_text(
        [re.compile("^1 h$"), re.compile("^(59|1 h)"), re.compile("^(59|1 h)")]
    )
    page.get_by_text("1 h", exact=True).first.click()
    expect(sums.first).to_have_text(re.compile("^(–|1 min|[0-9]+ s)"))


def test_a_longer_time_shows_more(past: Daemon, opens: Opens) -> None:
    page = opens(past, "#/timeline")
    expect(lane(page, "site").locator('path[data-standing="running"]')).to_have_count(0)
    page.get_by_text("12 h", exact=True).click()

    expect(lane(page, "site").locator('path[data-standing="running"]')).to_have_count(1)
    page.reload()
    expect(span(page, "12 h")).to_be_checked()


def test_keys_zoom_and_move(past: Daemon, opens: Opens) -> None:
    page = opens(past, "#/timeline")
    expect(lane(page, "shop")).to_be_visible()
    page.keyboard.press("+")
    for name in ("1 h", "4 h", "12 h", "24 h"):
        expect(span(page, name)).not_to_be_checked()
    page.keyboard.press("-")
    expect(span(page, "4 h")).to_be_checked()
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_role("button", name="Back to now")).to_be_visible()
    page.keyboard.press("n")
    expect(page.get_by_text("until now")).to_be_visible()


def test_dragging_moves_into_the_past(past: Daemon, opens: Opens) -> None:
    page = opens(past, "#/timeline")
    shop = lane(page, "shop")
    point(page, shop, share=0.2)
    page.mouse.down()
    point(page, shop, share=0.9)
    page.mouse.up()

    expect(page.get_by_role("button", name="Back to now")).to_be_visible()
    expect(lane(page, "site").locator('path[data-standing="running"]')).to_have_count(1)


def test_the_wheel_zooms_over_the_axis_and_scrolls_over_the_lanes(
    past: Daemon, opens: Opens
) -> None:
    page = opens(past, "#/timeline")
    point(page, lane(page, "shop"), share=0.5)
    page.mouse.wheel(0, 200)
    expect(span(page, "4 h")).to_be_checked()
    axis = box(page.locator(".axis .ticks"))
    page.mouse.move(axis["x"] + axis["width"] / 2, axis["y"] + 5)
    page.mouse.wheel(0, -200)

    expect(span(page, "4 h")).not_to_be_checked()


def test_the_keyboard_steps_through_agents_and_bands(past: Daemon, opens: Opens) -> None:
    page = opens(past, "#/timeline")
    lane(page, "shop").wait_for()
    page.get_by_role("group", name=re.compile("^Timeline")).focus()
    page.keyboard.press("ArrowDown")
    told = page.locator('[aria-live="polite"]').filter(has_text="shop:")
    expect(told).to_contain_text("shop: awaiting input from")
    page.keyboard.press(",")
    expect(told).to_contain_text(re.compile("shop: running from .* 1 h"))
    page.keyboard.press("Enter")

    expect(page).to_have_url(re.compile(r"#/agents/\d+$"))


def test_names_stay_while_a_phone_scrolls_through_time(past: Daemon, opens: Opens) -> None:
    page = opens(past, "#/timeline", size=PHONE)
    name = lane(page, "shop").get_by_role("link", name="shop", exact=True)
    expect(name).to_be_in_viewport()
    before = box(name)["x"]
    scrolled = "document.querySelector('.scroller').scrollLeft"
    page.wait_for_function(f"{scrolled} > 100")
    page.evaluate(f"{scrolled} = 0")

    expect(name).to_be_in_viewport()
    assert box(name)["x"] == pytest.approx(before, abs=1)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]


# The present ------------------------------------------------------------------------------------


def test_the_present_comes_by_itself(past: Daemon, opens: Opens) -> None:
    page = opens(past, "#/timeline")
    expect(lane(page, "shop")).to_be_visible()
    expect(lane(page, "newcomer")).to_have_count(0)
    zoom_in(page)

    hook(past, "SessionStart", SESSION, source="startup", cwd="/home/ada/newcomer")
    hook(past, "UserPromptSubmit", SESSION, prompt="Count the tests.")
    newcomer = lane(page, "newcomer")
    expect(newcomer.locator('path[data-standing="running"]')).to_have_count(1)
    hook(past, "PermissionRequest", SESSION, tool_name="Bash")

    expect(newcomer.locator('path[data-standing="awaiting_approval"]')).to_have_count(1)
    expect(newcomer.get_by_role("link", name=re.compile("^permission of newcomer"))).to_be_visible()
    rows = table(page).locator("tbody tr")
    expect(rows.filter(has_text="newcomer")).to_contain_text("awaiting approval")


def test_now_moves(past: Daemon, opens: Opens) -> None:
    page = opens(past, "#/timeline")
    now = page.locator("[data-now]")
    before = now.get_attribute("data-now") or ""

    expect(now).not_to_have_attribute("data-now", before)


def test_a_newcomer_is_told_what_will_be_here(empty: Daemon, opens: Opens) -> None:
    page = opens(empty, "#/timeline")

    expect(page.locator("main")).to_contain_text("Nothing has happened yet")
