"""Whatever an agent says is shown as text, on every page: it runs nothing, fetches nothing, hides
nothing, and does not make the page slow."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

from tests.lab.asking import bearing
from tests.lab.browser import DESKTOP, PHONE, visit
from tests.lab.daemon import Daemon
from tests.lab.gallery import offering
from tests.lab.hostile import STORIES, crew, hostile
from tests.lab.real_client import until
from tests.page.conftest import Opens, watching
from turnkeeper.scripted.stage import throwaway

SIZES: Final = {"desktop": DESKTOP, "phone": PHONE}
PATIENT_MS: Final = 1000
UNFOLD: Final = """async () => {
    window.unfolded ??= new WeakSet();
    const folds = () => [
        ...document.querySelectorAll('[aria-expanded=false]:not([aria-haspopup]), summary'),
        ...[...document.querySelectorAll('main button')].filter(
            (each) => /^show\\b/i.test(each.textContent.trim()) && !each.disabled),
    ].filter((each) => !unfolded.has(each));
    for (let tries = 0; tries < 100 && folds().length; tries++) {
        for (const fold of folds()) {
            unfolded.add(fold);
            fold.click();
        }
        await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    }
}"""
WATCH: Final = """() => {
    window.hurts = [];
    window.hurt = (where = 'somewhere') => hurts.push(`ran: ${where}`);
    const FORBIDDEN = 'script, iframe, object, embed, base, meta, link, style, img, video, audio, '
        + 'math, foreignObject, animate, set, marquee, '
        + '[class~=hurt], [id=hurt], [srcdoc], [formaction]';
    const unfit = (href) => !/^(#|https?:|mailto:|\\/api\\/)/i.test(href.trim());
    const judge = (each) => {
        if (!each.matches || each.closest('head')) return;
        if (each.matches(FORBIDDEN)) hurts.push(`element: ${each.outerHTML.slice(0, 200)}`);
        for (const { name, value } of each.attributes) {
            if (name.startsWith('on')) hurts.push(`attribute: ${name}=${value.slice(0, 100)}`);
            if (/href$|^src$|^action$/.test(name) && unfit(value)) hurts.push(`link: ${value}`);
        }
    };
    const judgeAll = (root) => {
        judge(root);
        root.querySelectorAll?.('*').forEach(judge);
    };
    new MutationObserver((changes) => {
        for (const { target, addedNodes } of changes) {
            judge(target);
            addedNodes.forEach(judgeAll);
        }
    }).observe(document, { childList: true, subtree: true, attributes: true });
}"""
UNFIT_SIGNS: Final = r"""() => {
    const control = '\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f';
    const turning = '\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069';
    const unfit = new RegExp(`[${control}${turning}]`);
    const shown = (text) => JSON.stringify(text.substr(Math.max(0, text.search(unfit) - 40), 80));
    const found = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const { data, parentElement } = walker.currentNode;
        if (unfit.test(data)) found.push(`${parentElement.outerHTML.slice(0, 60)} ${shown(data)}`);
    }
    for (const each of document.querySelectorAll('[title], [aria-label], [placeholder], [alt]')) {
        for (const name of ['title', 'aria-label', 'placeholder', 'alt']) {
            const value = each.getAttribute(name) ?? '';
            if (unfit.test(value)) found.push(`${name} of ${each.className}: ${shown(value)}`);
        }
    }
    if (unfit.test(document.title)) found.push(`title: ${shown(document.title)}`);
    return found;
}"""
FRAME: Final = """() => new Promise((done) => {
    const began = performance.now();
    requestAnimationFrame(() => setTimeout(() => done(performance.now() - began)));
})"""
SCROLL_ON: Final = """() => {
    const boxes = [document.scrollingElement, ...document.querySelectorAll('main *')]
        .filter((each) => each.scrollHeight > each.clientHeight + 4)
        .filter((each) => /auto|scroll/.test(getComputedStyle(each).overflowY)
            || each === document.scrollingElement);
    let moved = false;
    for (const box of boxes) {
        const before = box.scrollTop;
        box.scrollBy(0, box.clientHeight * 0.8);
        moved ||= box.scrollTop > before + 1;
    }
    return moved;
}"""
TO_START: Final = """() => {
    scrollTo(0, 0);
    for (const each of document.querySelectorAll('main *')) if (each.scrollTop) each.scrollTop = 0;
}"""
MOST_SCREENS: Final = 60


@dataclass
class Watched:
    """A page, and everything that left it or came of it."""

    page: Page
    origin: str
    said: set[str] = field(default_factory=set)
    gone: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.on("dialog", lambda dialog: self.gone.append(f"dialog: {dialog.message}"))
        self.page.on("popup", lambda popup: self.gone.append(f"popup: {popup.url}"))
        self.page.on("request", lambda request: self._asked(request.url))
        self.page.add_init_script(f"({WATCH})()")
        self.page.reload()

    def _asked(self, url: str) -> None:
        if not url.startswith((self.origin, "blob:")):
            self.gone.append(f"request: {url[:200]}")

    def visit(self, where: str) -> None:
        """Open a page, unfold and scroll all of it, and keep what it says."""
        visit(self.page, f"{self.origin}/{where}")
        expect(self.page.locator("h1").first).to_be_attached()
        expect(self.page.locator(".late")).to_have_count(0)
        self.page.evaluate(TO_START)
        for _ in range(MOST_SCREENS):
            self.page.evaluate(UNFOLD)
            self._read()
            if not self.page.evaluate(SCROLL_ON):
                break
        self._read()

    def _read(self) -> None:
        self.said.add(str(self.page.locator("body").evaluate("body => body.innerText")))

    def hurts(self) -> list[str]:
        found: list[str] = self.page.evaluate("hurts")
        return [*found, *self.gone]

    def unfit(self) -> list[str]:
        found: list[str] = self.page.evaluate(UNFIT_SIGNS)
        return found

    def says(self, text: str) -> bool:
        return any(text in each for each in self.said)

    def wide(self) -> int:
        """By how many pixels it is wider than its window."""
        wider = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        return int(self.page.evaluate(wider))


@pytest.fixture(scope="module")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    root = tmp_path_factory.mktemp("hostile")
    place = throwaway(root)
    with watching(place) as daemon, offering(place, crew(root), speed=50):
        until(lambda: _all_there(daemon) or None, "everybody", instead=lambda: _kinds(daemon))
        yield daemon


def _kinds(daemon: Daemon) -> list[str]:
    return sorted(ask["kind"] for ask in daemon.get("/api/asks"))


def _all_there(daemon: Daemon) -> bool:
    asked = ["error", *["permission"] * 4, "plan", "question", "words"]
    idle = [card for card in daemon.get("/api/agents") if card["standing"] == "idle"]
    return _kinds(daemon) == asked and len(idle) == len(STORIES) - len(asked)


def agent(daemon: Daemon, name: str) -> int:
    cards: list[dict[str, Any]] = daemon.get("/api/agents")
    return int(next(card["id"] for card in cards if f"in-folder-{name}<" in card["cwd"]))


def watched(opens: Opens, daemon: Daemon, size: str = "desktop") -> Watched:
    return Watched(opens(daemon, size=SIZES[size]), daemon.url)


def unhurt(here: Watched) -> None:
    assert [*here.hurts(), *here.unfit()][:5] == []
    assert here.wide() <= 0
    assert here.page.url.startswith(here.origin)
    assert here.page.evaluate(FRAME) < PATIENT_MS


# The pages ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("grouping", ["Project", "Standing"])
def test_the_board_shows_it_as_text(
    crowded: Daemon, opens: Opens, grouping: str, size: str
) -> None:
    here = watched(opens, crowded, size)
    here.page.get_by_text(grouping, exact=True).click()
    here.visit("#/")

    unhurt(here)
    for place in ("in-title", "in-branch"):
        assert here.says(f"{place} <script>")
    assert here.says("in-folder-talk<img src=x onerror=hurt()>")


def test_a_filter_of_hostile_words_is_text(crowded: Daemon, opens: Opens) -> None:
    here = watched(opens, crowded)
    words = "<img src=x onerror=hurt()> \u202ereversed"
    here.visit(f"#/?filter={quote(words)}")

    unhurt(here)
    assert here.says("<img src=x onerror=hurt()>")


@pytest.mark.parametrize("size", SIZES)
def test_every_conversation_shows_it_as_text(crowded: Daemon, opens: Opens, size: str) -> None:
    here = watched(opens, crowded, size)
    for name in STORIES:
        here.visit(f"#/agents/{agent(crowded, name)}")
        unhurt(here)


def test_all_evidence_is_shown_as_text(crowded: Daemon, opens: Opens) -> None:
    here = watched(opens, crowded)
    for name in STORIES:
        here.visit(f"#/agents/{agent(crowded, name)}/why")
        unhurt(here)


@pytest.mark.parametrize("size", SIZES)
def test_what_is_asked_is_shown_as_text(crowded: Daemon, opens: Opens, size: str) -> None:
    here = watched(opens, crowded, size)
    for ask in crowded.get("/api/asks"):
        here.visit(f"#/asks/{ask['id']}")
        unhurt(here)


@pytest.mark.parametrize("size", SIZES)
def test_the_charts_show_it_as_text(crowded: Daemon, opens: Opens, size: str) -> None:
    here = watched(opens, crowded, size)
    for where in ("#/timeline", "#/cost", "#/cost?by=command", "#/cost?by=agent"):
        here.visit(where)
        unhurt(here)


def test_what_is_found_is_shown_as_text(crowded: Daemon, opens: Opens) -> None:
    here = watched(opens, crowded)
    for words in ("in-prompt", "hurt", "<script>", "<img src=x onerror=hurt()>"):
        here.visit(f"#/search?words={quote(words)}")
        unhurt(here)


def test_an_address_is_text_too(crowded: Daemon, opens: Opens) -> None:
    here = watched(opens, crowded)
    for where in (
        "#/<img src=x onerror=hurt()>",
        "#/agents/<script>hurt()</script>",
        "#/agents/%3Cimg%20src=x%20onerror=hurt()%3E/why",
        "#/asks/javascript:hurt()",
        "#javascript:hurt()",
        "#/agents/%00%E2%80%AE",
        "#/%",
    ):
        here.visit(where)
        unhurt(here)


# What is done on them ----------------------------------------------------------------------------


def test_menus_and_dialogs_show_it_as_text(crowded: Daemon, opens: Opens) -> None:
    here = watched(opens, crowded)
    page = here.page
    button = page.locator("article").filter(has_text="in-title").get_by_role("button")
    for entry in ("Rename", "Reconcile now"):
        button.click()
        page.get_by_role("menuitem", name=entry).click()
        expect(page.get_by_role("dialog")).to_be_visible()
        expect(page.get_by_text("Reading its transcripts")).to_have_count(0)
        unhurt(here)
        page.keyboard.press("Escape")

    unhurt(here)


def test_a_hostile_name_is_text_wherever_it_is_told(crowded: Daemon, opens: Opens) -> None:
    number = agent(crowded, "background")
    name = "in-name <script>hurt('name')</script><img src=x onerror=hurt()>"
    told = json.dumps({"name": f"{name} \"' onclick=hurt() 🦆 שלום"}).encode()
    caller = bearing(crowded.url, crowded.token)
    renamed = caller.post(f"/api/agents/{number}/rename", told, content_type="application/json")
    assert renamed.status == 200, renamed.body
    here = watched(opens, crowded)
    for where in ("#/", f"#/agents/{number}", f"#/agents/{number}/why", "#/timeline", "#/cost"):
        here.visit(where)
        unhurt(here)

    assert here.says(name)


def test_an_error_that_repeats_it_is_text(crowded: Daemon, opens: Opens) -> None:
    here = watched(opens, crowded)
    page = here.page
    page.locator("article").filter(has_text="in-title").get_by_role("button").click()
    page.get_by_role("menuitem", name="Rename").click()
    page.get_by_role("textbox").fill(hostile("in-refused")[:200])
    page.get_by_role("dialog").get_by_role("button", name="Rename").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.reload()
    expect(page.locator("article").filter(has_text="in-refused").first).to_be_visible()

    unhurt(here)


def test_what_comes_live_is_text(crowded: Daemon, opens: Opens) -> None:
    here = watched(opens, crowded)
    caller = bearing(crowded.url, crowded.token)
    told = {"session_id": "in-session<script>hurt()</script>", "prompt_id": "<b>p</b>"}
    told |= {"hook_event_name": "UserPromptSubmit", "cwd": hostile("in-live-folder")}
    told |= {"prompt": hostile("in-live-prompt")}
    answer = caller.post("/api/hooks/claude", json.dumps(told).encode())
    assert answer.status == 202, answer.body
    expect(here.page.locator("article").filter(has_text="in-live-prompt")).to_be_visible()

    unhurt(here)
    assert here.page.locator("article").filter(has_text="in-live-prompt <script>").count() == 1
