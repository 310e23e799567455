"""Everybody can use the board: with a screen reader, with a keyboard, with any eyes.

axe-core judges every page in both themes and on both sizes; what it cannot see is tested by hand.
"""

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.lab.asking import bearing
from tests.lab.axe import shut_out
from tests.lab.browser import DESKTOP, PHONE, Theme, visit, window
from tests.lab.daemon import Daemon
from tests.lab.gallery import STAND, complete, exhibits, offering
from tests.page.conftest import Opens, watching
from turnkeeper.scripted.stage import throwaway

JSON: Final = "application/json"
SIZES: Final = {"desktop": DESKTOP, "phone": PHONE}
PAGES: Final = {
    "board": "#/",
    "conversation": "#/agents/{talk}",
    "why": "#/agents/{asking}/why",
    "permission": "#/asks/{permission}",
    "question": "#/asks/{question}",
    "plan": "#/asks/{plan}",
    "words": "#/asks/{words}",
    "error": "#/asks/{error}",
    "timeline": "#/timeline",
    "cost": "#/cost",
    "search": "#/search?words=tax",
    "unknown": "#/nowhere",
}
CONTROLS: Final = "a[href], button, input, select, textarea, summary, [tabindex='0'], [role=button]"
MOST_CONTROLS: Final = 500
WATCH_FOCUS: Final = """() => {
    window.reached = new Set();
    window.unseenFocus = [];
    window.wentRound = false;
    window.watched?.abort();
    window.watched = new AbortController();
    document.activeElement?.blur();
    addEventListener('focusin', ({ target }) => {
        wentRound ||= reached.has(target);
        reached.add(target);
        requestAnimationFrame(() => {
            const marked = [[target], [target, '::after'], [target.nextElementSibling]];
            const outline = (each, part) => getComputedStyle(each, part).outlineStyle;
            const shows = ([each, part]) => each && outline(each, part) !== 'none';
            if (document.activeElement === target && !marked.some(shows)) {
                unseenFocus.push(target.outerHTML.slice(0, 200));
            }
        });
    }, { signal: watched.signal });
}"""
NOT_REACHED: Final = """(controls) => {
    // Of radio buttons one is reached with Tab, and the others from there with arrows.
    const byArrows = (each) => each.type === 'radio'
        && [...document.getElementsByName(each.name)].some((other) => reached.has(other));
    return [...document.querySelectorAll(controls)]
        .filter((each) => each.checkVisibility({ visibilityProperty: true }))
        .filter((each) => !each.disabled && each.tabIndex >= 0 && !byArrows(each))
        .filter((each) => !each.closest('dialog:not([open]), [inert]'))
        .filter((each) => !reached.has(each))
        .map((each) => each.outerHTML.slice(0, 200));
}"""
SAID_BY_SHAPE_ALONE: Final = """(words) => {
    const said = (each) => [each.textContent, each.getAttribute('aria-label')].join(' ');
    const spoken = (each) => words.some((word) => said(each).toLowerCase().includes(word));
    const isWord = (each) => words.includes(each.textContent.trim());
    const hidden = (each) => [...each.querySelectorAll('*')].some(
        (inner) => isWord(inner) && getComputedStyle(inner).display === 'none');
    return [...document.querySelectorAll('svg')]
        .filter((svg) => words.some((word) => svg.classList.contains(word.replace(' ', '_'))))
        // What an ask's mark means, its link says.
        .filter((svg) => !/^(permission|question|plan|error)\\b/i.test(
            svg.closest('a')?.getAttribute('aria-label') ?? ''))
        .map((svg) => svg.closest('li, tr, p, h2, h3, section, span'))
        .filter((each) => !spoken(each.closest('section') ?? each) || hidden(each))
        .map((each) => each.outerHTML.slice(0, 300));
}"""
COUNT_PIXELS: Final = """async ([picture, [red, green, blue]]) => {
    const bytes = Uint8Array.from(atob(picture), (sign) => sign.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes]));
    const canvas = new OffscreenCanvas(image.width, image.height).getContext('2d');
    canvas.drawImage(image, 0, 0);
    const { data } = canvas.getImageData(0, 0, image.width, image.height);
    let count = 0;
    for (let at = 0; at < data.length; at += 4) {
        if (data[at] === red && data[at + 1] === green && data[at + 2] === blue) count += 1;
    }
    return count;
}"""
FOCUS: Final = [0x1F, 0x4F, 0xD8]
WORDS: Final = [
    *("awaiting approval", "awaiting input", "error"),
    *("running", "starting", "idle", "closed"),
]


@pytest.fixture(scope="module")
def gallery(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """A daemon with one agent of each kind, each where its story leaves it."""
    root = tmp_path_factory.mktemp("gallery")
    place = throwaway(root)
    with watching(place) as daemon, offering(place, exhibits(root / "projects")):
        complete(daemon)
        muted = f"/api/agents/{agents(daemon)['background']}/mute"
        caller = bearing(daemon.url, daemon.token)
        assert caller.post(muted, b'{"muted": true}', content_type=JSON).status == 200
        yield daemon


def agents(daemon: Daemon) -> dict[str, int]:
    """The agents' numbers by the names of their exhibits."""
    return {Path(card["cwd"]).name: card["id"] for card in daemon.get("/api/agents")}


def address(daemon: Daemon, page: str) -> str:
    """Where a page is, with the numbers that this daemon has given."""
    known = agents(daemon)
    asks = {ask["kind"]: ask["id"] for ask in daemon.get("/api/asks")}
    return PAGES[page].format(talk=known["talk"], asking=known["permission"], **asks)


def settled(page: Page) -> Page:
    """The page once it shows what it has fetched."""
    expect(page.locator("h1")).to_be_visible()
    expect(page.locator(".late")).to_have_count(0)
    return page


def actions(page: Page, name: str = "idle") -> Locator:
    """The button of an agent's menu."""
    return page.locator("article").get_by_role("button", name=f"Actions for {name}-")


def open_dialog(page: Page, entry: str) -> Locator:
    actions(page).focus()
    page.keyboard.press("Enter")
    page.get_by_role("menuitem", name=entry).press("Enter")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    return dialog


# What axe finds ----------------------------------------------------------------------------------


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
def test_axe_finds_nothing_serious_on_any_page(
    gallery: Daemon, opens: Opens, size: str, theme: Theme
) -> None:
    page = opens(gallery, size=SIZES[size], theme=theme)
    found = {}
    for name in PAGES:
        visit(page, f"{gallery.url}/{address(gallery, name)}")
        found[name] = shut_out(settled(page))

    assert {name: each for name, each in found.items() if each} == {}


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_serious_in_menus_and_dialogs(
    gallery: Daemon, opens: Opens, theme: Theme
) -> None:
    page = settled(opens(gallery, "#/", theme=theme))
    actions(page).click()
    expect(page.get_by_role("menu")).to_be_visible()
    found = shut_out(page)
    page.keyboard.press("Escape")
    for entry in ("Rename", "Reconcile now"):
        dialog = open_dialog(page, entry)
        expect(dialog.get_by_text("Reading its transcripts")).to_have_count(0)
        found += shut_out(page)
        page.keyboard.press("Escape")

    assert found == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_serious_when_there_is_nothing_to_show(
    empty: Daemon, opens: Opens, browser: Browser, theme: Theme
) -> None:
    pages = ("#/", "#/timeline", "#/cost", "#/search", "#/agents/1", "#/agents/1/why", "#/asks/1")
    page = opens(empty, theme=theme)
    found = []
    for each in pages:
        visit(page, f"{empty.url}/{each}")
        found += shut_out(settled(page))
    with window(browser, empty.url, theme=theme) as outside:
        expect(outside.page.locator("h1")).to_contain_text("not let in")
        found += shut_out(outside.page)

    assert found == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_serious_in_a_board_that_lost_its_connection(
    gallery: Daemon, opens: Opens, theme: Theme
) -> None:
    page = settled(opens(gallery, "#/", theme=theme))
    page.get_by_role("button", name="History").click()
    page.context.set_offline(True)
    page.evaluate("dispatchEvent(new Event('online'))")
    expect(page.get_by_text("Connection lost")).to_be_visible()

    assert shut_out(page) == []


# The keyboard ------------------------------------------------------------------------------------


def test_tab_reaches_every_control_of_every_page_and_shows_where_it_is(
    gallery: Daemon, opens: Opens
) -> None:
    page = opens(gallery)
    for name in PAGES:
        visit(page, f"{gallery.url}/{address(gallery, name)}")
        settled(page).evaluate(WATCH_FOCUS)
        go_round(page)

        assert page.evaluate(NOT_REACHED, CONTROLS) == [], name
        assert page.evaluate("unseenFocus") == [], name


def go_round(page: Page) -> None:
    """Press Tab until the focus is where it has been before."""
    for _ in range(MOST_CONTROLS):
        if page.evaluate("wentRound"):
            return
        page.keyboard.press("Tab")


def test_a_card_that_has_the_focus_has_a_ring_around_it(gallery: Daemon, opens: Opens) -> None:
    page = settled(opens(gallery, "#/"))
    card = page.locator("li:has(> article)").filter(has_text="There are 213.")
    page.keyboard.press("Tab")  # From here on the focus is the keyboard's.
    assert blue_pixels(page, card) == 0
    card.get_by_role("link").focus()

    box = card.bounding_box()
    assert box is not None
    assert blue_pixels(page, card) > box["width"] + box["height"]


def blue_pixels(page: Page, what: Locator) -> int:
    """How much of a picture has exactly the colour of the focus. Styles do not tell what is seen:
    a ring can be cut off."""
    picture = base64.b64encode(what.screenshot(animations="disabled")).decode()
    counted: int = page.evaluate(COUNT_PIXELS, [picture, FOCUS])
    return counted


@pytest.mark.parametrize("entry", ["Rename", "Reconcile now"])
def test_a_dialog_keeps_the_focus_and_gives_it_back(
    gallery: Daemon, opens: Opens, entry: str
) -> None:
    page = settled(opens(gallery, "#/"))
    dialog = open_dialog(page, entry)
    outside = "!document.querySelector('dialog').contains(document.activeElement)"
    for _ in range(8):
        page.keyboard.press("Tab")
        # Between the last control and the first, the focus is the browser's own.
        assert not page.evaluate(f"{outside} && document.activeElement !== document.body")
    page.keyboard.press("Escape")

    expect(dialog).to_have_count(0)
    expect(actions(page)).to_be_focused()


def test_escape_closes_a_menu_and_gives_the_focus_back(gallery: Daemon, opens: Opens) -> None:
    page = settled(opens(gallery, "#/"))
    actions(page).focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("menuitem").first).to_be_focused()
    page.keyboard.press("Escape")

    expect(page.get_by_role("menu")).to_have_count(0)
    expect(actions(page)).to_be_focused()


def test_the_first_tab_offers_to_skip_the_navigation(gallery: Daemon, opens: Opens) -> None:
    page = settled(opens(gallery, "#/"))
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the page")).to_be_focused()
    page.keyboard.press("Enter")

    expect(page.locator("main")).to_be_focused()


def test_whoever_goes_to_a_page_hears_its_heading(gallery: Daemon, opens: Opens) -> None:
    page = settled(opens(gallery, "#/"))
    for word in ("Timeline", "Cost", "Board"):
        page.get_by_role("navigation").get_by_role("link", name=word).press("Enter")
        expect(page.locator("h1")).to_be_focused()


def test_whoever_goes_to_the_search_can_type(gallery: Daemon, opens: Opens) -> None:
    page = settled(opens(gallery, "#/"))
    page.get_by_role("navigation").get_by_role("link", name="Search").press("Enter")

    expect(page.get_by_role("searchbox")).to_be_focused()


# Colours -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES)
def test_no_standing_is_told_by_its_colour_alone(gallery: Daemon, opens: Opens, size: str) -> None:
    page = opens(gallery, size=SIZES[size])
    for name in ("board", "conversation", "why", "timeline"):
        visit(page, f"{gallery.url}/{address(gallery, name)}")
        settled(page)
        if name == "board":
            page.get_by_role("button", name="History").click()

        assert page.evaluate(SAID_BY_SHAPE_ALONE, WORDS) == [], name


@pytest.mark.parametrize("size", SIZES)
def test_a_screen_reader_hears_how_many_stand_how(gallery: Daemon, opens: Opens, size: str) -> None:
    page = settled(opens(gallery, "#/", size=SIZES[size]))
    tally = page.get_by_role("list", name="How many stand how")

    for standing, number in STAND.items():
        if standing != "closed":
            row = tally.get_by_role("listitem").filter(has_text=standing.replace("_", " "))
            expect(row).to_contain_text(str(number))
            assert standing.replace("_", " ") in row.aria_snapshot()


def test_colours_that_a_system_forces_leave_every_word(gallery: Daemon, opens: Opens) -> None:
    page = settled(opens(gallery, "#/"))
    page.emulate_media(forced_colors="active")

    for word in ("awaiting approval", "awaiting input", "error", "running", "idle"):
        expect(page.locator("article").filter(has_text=word).first).to_be_visible()
