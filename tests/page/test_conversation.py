"""A conversation is told whole and in order, live at its end, and nothing in it becomes markup."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, Dialog, Locator, Page, Route, expect

from tests.lab.browser import PHONE, link, window
from tests.lab.daemon import Daemon
from tests.lab.puppets import Puppets, puppets
from tests.lab.real_client import until
from tests.page.conftest import Opens, watching
from turnkeeper.scripted.agent import ScriptedAgent
from turnkeeper.scripted.body import Role
from turnkeeper.scripted.faults import Faults
from turnkeeper.scripted.stage import throwaway
from turnkeeper.scripted.steps import (
    FOREVER,
    Delegate,
    Fail,
    Finish,
    Interrupt,
    Notification,
    Permission,
    Prompt,
    Say,
    Tool,
    Wait,
)
from turnkeeper.scripted.stories import bash, edit, read

TURNS: Final = 2000
REST: Final = """async (box) => {
    const frame = () => new Promise(requestAnimationFrame);
    for (let still = 0, top; still < 5; top = box.scrollTop) {
        await frame();
        still = box.scrollTop === top ? still + 1 : 0;
    }
}"""
PER_STEP: Final = 4
REPORT: Final = """## What changed

`tax` lives in **its own** module.

```python
def tax(price: int) -> int:
    return price * 19 // 100
```

| module | tests |
|---|---|
| tax | 9 |

See [the record](https://example.com/adr)."""

WORK: Final = (
    Prompt("Split the pricing module."),
    Say("I look first."),
    read("src/pricing.py", "def net(price): ..."),
    bash("make docs", "\n".join(f"page {number}" for number in range(300)), seconds=2),
    edit("src/pricing.py", "kept\nold line\n", "kept\nnew line\n"),
    bash("pytest -q", "1 failed", failed=True),
    Finish(REPORT),
)
SENT_OFF: Final = (
    Prompt("Look for SQL that is made by hand."),
    Delegate(
        "Look for SQL",
        "List every string that is SQL.",
        "Three places.",
        (bash("rg -n execute src", "src/search.py:88"),),
    ),
    Finish("A helper is searching."),
    Notification(),
    Finish("There are three places."),
)
IMAGE: Final = "<img src=x onerror=alert(1)>"
HOSTILE: Final = (
    Prompt(f"{IMAGE}<script>alert('prompt')</script>"),
    Say(
        f"{IMAGE} <svg onload=alert(2)> <a href='javascript:alert(3)'>raw</a>\n\n"
        "[click](javascript:alert(4)) ![pic](https://example.com/x.png) [in](#/search)\n\n"
        "<javascript:alert(5)> [d](data:text/html,<script>alert(6)</script>)\n\n"
        "```html\n<script>alert('code')</script>\n```\n\n"
        "\x1b[31mred\x1b[0m \u202ereversed\u202c שלום עולם 🦆 | `<b>tick</b>`"
    ),
    Tool(IMAGE, {IMAGE: IMAGE, "<b>": ["<script>alert(7)</script>"]}, IMAGE),
    Tool("Edit", {"file_path": IMAGE, "old_string": IMAGE, "new_string": "<i>new</i>"}, "ok"),
    bash("\x1b[1mecho\x1b[0m <hr>", "\x1b]0;title\x07\x1b[32mgreen\x1b[0m <iframe src=x>"),
    bash("cat big", "x" * 1_000_000),
    Finish("y" * 1_000_000),
    Prompt("z" * 300_000),
    Finish("> " * 5000 + "deep"),
    Prompt("Are you there?"),
    Finish("Nothing happened to you."),
)


@dataclass
class Room:
    """A daemon, and agents that do as they are told."""

    daemon: Daemon
    puppets: Puppets
    root: Path

    def enter(self, project: str, *, branch: str = "main", seed: int = 0) -> ScriptedAgent:
        return self.puppets.enter(Role(self.root / project, branch=branch), Faults(seed=seed))

    def number(self, agent: ScriptedAgent, turns: int) -> int:
        """The agent's number, once so many turns of it are known."""

        def look() -> int | None:
            card = self.daemon.card(agent.session)
            return card.id if card is not None and card.turns >= turns else None

        return until(look, f"{turns} turns", instead=lambda: self.daemon.card(agent.session))

    def turns(self, number: int, query: str = "limit=1000") -> list[dict[str, Any]]:
        return list(self.daemon.get(f"/api/agents/{number}/turns?{query}"))


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Room]:
    root = tmp_path_factory.mktemp("room")
    place = throwaway(root)
    with watching(place) as daemon, puppets(place) as played:
        yield Room(daemon, played, root / "projects")


@pytest.fixture(scope="module")
def worker(room: Room) -> int:
    agent = room.enter("shop", branch="refactor/pricing", seed=1)
    room.puppets.play(agent, *WORK)
    return room.number(agent, 11)


@pytest.fixture(scope="module")
def chief(room: Room) -> int:
    agent = room.enter("admin", seed=2)
    room.puppets.play(agent, *SENT_OFF)
    return room.number(agent, 10)


@pytest.fixture(scope="module")
def talker(room: Room) -> int:
    """Somebody with a long past: nothing but words, read from the transcript."""
    role = Role(room.root / "long", process=False)
    agent = room.puppets.enter(role, Faults(seed=3, no_spool=True))
    for number in range(TURNS // PER_STEP):
        steps = (
            Prompt(f"Do step {number}."),
            bash(f"run {number}", f"ran {number}\n" * (number % 30)),
            Finish(f"Step {number} is **done**."),
        )
        room.puppets.play(agent, *steps)
    return room.number(agent, TURNS)


def opened(opens: Opens, room: Room, number: int, **more: Any) -> Page:
    page = opens(room.daemon, f"#/agents/{number}", **more)
    expect(rows(page).first).to_be_visible()
    return page


def rows(page: Page) -> Locator:
    return page.locator("[data-row]")


def box(page: Page) -> Locator:
    return page.get_by_role("region", name="Conversation")


def place(page: Page) -> float:
    """How far from the top the list stands."""
    return float(box(page).evaluate("box => box.scrollTop"))


def from_end(page: Page) -> float:
    told = box(page).evaluate("box => box.scrollHeight - box.clientHeight - box.scrollTop")
    return float(told)


def size_of(page: Page) -> int:
    return int(box(page).evaluate("box => box.scrollHeight"))


def wheel(page: Page, by: int) -> None:
    box(page).hover()
    page.mouse.wheel(0, by)


def come_to_rest(page: Page) -> None:
    """Wait until the list stands where it stood some frames before: a wheel is heard of first, and
    scrolls later."""
    box(page).evaluate(REST)


# What is told -------------------------------------------------------------------------------


def test_every_turn_is_told_in_order(room: Room, worker: int, opens: Opens) -> None:
    page = opened(opens, room, worker)
    wheel(page, -10_000)

    told = [
        "Split the pricing module.",
        "I look first.",
        "Read",
        "make docs",
        "Edit",
        "pytest -q",
        "What changed",
    ]
    for words, row in zip(told, page.locator("[data-row^=turn]").all(), strict=True):
        expect(row).to_contain_text(words)


def test_a_person_and_the_agent_look_different(room: Room, worker: int, opens: Opens) -> None:
    page = opened(opens, room, worker)
    wheel(page, -10_000)

    mine = page.get_by_role("article", name="You").first
    its = page.get_by_role("article", name="Agent").first
    ground = "element => getComputedStyle(element).backgroundColor"
    expect(mine).to_contain_text("Split the pricing module.")
    expect(its).to_contain_text("I look first.")
    assert mine.evaluate(ground) != its.evaluate(ground)


def test_the_head_tells_whose_conversation_it_is(room: Room, worker: int, opens: Opens) -> None:
    page = opened(opens, room, worker)
    session = room.daemon.get(f"/api/agents/{worker}")["session_id"]

    expect(page.get_by_role("heading", level=1)).to_contain_text("shop")
    expect(page.locator("main header").first).to_contain_text("idle")
    expect(page.locator("main header").first).to_contain_text("refactor/pricing")
    expect(page.get_by_role("button", name="Copy resume command")).to_have_attribute(
        "title", f"claude --resume {session}"
    )
    expect(page.get_by_role("link", name="Why this status")).to_have_attribute(
        "href", f"#/agents/{worker}/why"
    )


@pytest.mark.parametrize("form", ["Markdown", "JSON"])
def test_the_conversation_can_be_taken_along(
    room: Room, worker: int, opens: Opens, form: str
) -> None:
    page = opened(opens, room, worker)
    with page.expect_download() as download:
        page.get_by_role("link", name=form).click()

    assert "Split the pricing module." in download.value.path().read_text()


def test_words_of_the_agent_are_read_as_markdown(room: Room, worker: int, opens: Opens) -> None:
    page = opened(opens, room, worker)
    report = page.get_by_role("article", name="Agent").last

    expect(report.get_by_role("heading", name="What changed")).to_be_visible()
    expect(report.locator("strong")).to_have_text("its own")
    expect(report.get_by_role("cell", name="9")).to_be_visible()
    expect(report.locator(".hljs-keyword").first).to_have_text("def")
    record = report.get_by_role("link", name="the record")
    expect(record).to_have_attribute("rel", re.compile("noopener"))


def test_a_call_is_one_line_that_unfolds(room: Room, worker: int, opens: Opens) -> None:
    page = opened(opens, room, worker)
    call = page.get_by_role("button", name=re.compile("Bash.*pytest -q"))
    row = rows(page).filter(has=call)

    expect(call).to_contain_text("failed")
    expect(call).to_contain_text(re.compile(r"\d\.\d s"))
    expect(row.get_by_role("group", name="Output")).to_have_count(0)
    call.click()
    expect(row.get_by_role("group", name="Output")).to_contain_text("1 failed")
    call.click()
    expect(row.get_by_role("group", name="Output")).to_have_count(0)


def test_an_edit_is_shown_as_what_it_changes(room: Room, worker: int, opens: Opens) -> None:
    page = opened(opens, room, worker)
    page.get_by_role("button", name=re.compile("Edit")).click()

    changed = page.get_by_role("figure")
    expect(changed.locator(".removed .text")).to_have_text("removed: old line")
    expect(changed.locator(".added .text")).to_have_text("added: new line")
    expect(changed.locator(".same .text")).to_have_text("kept")


def test_a_long_output_is_cut_until_all_of_it_is_asked_for(
    room: Room, worker: int, opens: Opens
) -> None:
    page = opened(opens, room, worker)
    page.get_by_role("button", name=re.compile("make docs")).click()
    output = page.get_by_role("group", name="Output")

    expect(output).to_contain_text("page 30")
    expect(output).not_to_contain_text("page 299")
    output.get_by_role("button", name="Show all (300 lines)").click()
    expect(output).to_contain_text("page 299")


def test_a_command_tells_how_it_ended(room: Room, opens: Opens) -> None:
    agent = room.enter("ends", seed=11)
    room.puppets.play(agent, Prompt("Count the tests."), bash("ls"), Finish("There are 213."))
    room.puppets.play(agent, Prompt("Why is it slow?"), Fail())
    room.puppets.play(agent, Prompt("Update all."), bash("uv lock", None), Wait(1), Interrupt())
    page = opened(opens, room, room.number(agent, 8))

    ends = page.locator("[data-row^=command]")
    expect(ends).to_have_count(3)
    expect(ends.nth(0)).to_contain_text(re.compile(r"complete in .*1 tool call"))
    expect(ends.nth(1)).to_contain_text("ended by an error")
    expect(ends.nth(2)).to_contain_text("interrupted")


def test_a_sub_agent_is_folded_under_its_task(room: Room, chief: int, opens: Opens) -> None:
    page = opened(opens, room, chief)
    head = page.get_by_role("button", name=re.compile("Sub-agent.*Look for SQL"))

    expect(head).to_contain_text("1 tool call")
    expect(page.get_by_text("List every string that is SQL.")).to_have_count(0)
    head.click()
    expect(page.get_by_role("article", name="Its task")).to_contain_text("List every string")
    expect(page.get_by_role("button", name=re.compile("rg -n execute"))).to_be_visible()


def test_who_is_not_known_is_said_in_words(room: Room, worker: int, opens: Opens) -> None:
    page = opens(room.daemon, "#/agents/9999")

    expect(page.get_by_role("heading", level=1)).to_have_text("No agent ‘9999’ has been seen")


def test_an_agent_is_found_by_its_session(room: Room, worker: int, opens: Opens) -> None:
    session = room.daemon.get(f"/api/agents/{worker}")["session_id"]
    page = opens(room.daemon, f"#/agents/{session[:8]}")

    expect(page.get_by_role("article", name="Agent").last).to_contain_text("What changed")


# Live -----------------------------------------------------------------------------------------


def test_what_is_said_appears_at_the_end(room: Room, opens: Opens) -> None:
    agent = room.enter("live", seed=12)
    room.puppets.play(agent, Prompt("Begin."), Finish("Begun."))
    page = opened(opens, room, room.number(agent, 2))
    for number in range(30):
        room.puppets.play(agent, Prompt(f"Go on {number}."), Finish(f"Went on {number}."))

    expect(page.get_by_text("Went on 29.")).to_be_in_viewport()


def test_what_is_said_moves_nobody_who_reads_further_up(room: Room, opens: Opens) -> None:
    agent = room.enter("reading", seed=13)
    for number in range(30):
        room.puppets.play(agent, Prompt(f"Step {number}."), Finish(f"Done {number}."))
    page = opened(opens, room, room.number(agent, 60))
    expect(page.get_by_text("Done 29.")).to_be_in_viewport()
    wheel(page, -600)
    expect(page.get_by_role("button", name="Latest")).to_be_visible()
    expect(page.get_by_text("Done 29.")).not_to_be_in_viewport()
    come_to_rest(page)
    before, top = place(page), rows(page).nth(8).bounding_box()
    room.puppets.play(agent, Prompt("Surprise!"), Finish("Surprised."))

    pill = page.get_by_role("button", name="2 new")
    expect(pill).to_be_visible()
    assert place(page) == before
    assert rows(page).nth(8).bounding_box() == top
    pill.click()
    expect(page.get_by_text("Surprised.")).to_be_in_viewport()
    expect(pill).to_have_count(0)


def test_a_call_that_runs_gets_its_result(room: Room, opens: Opens) -> None:
    agent = room.enter("running", seed=14)
    room.puppets.play(agent, Prompt("Build it."), bash("make", None))
    page = opened(opens, room, room.number(agent, 2))
    call = page.get_by_role("button", name=re.compile("Bash.*make"))
    expect(call).to_contain_text("running")
    room.puppets.play(agent, Interrupt())

    expect(call).to_contain_text(re.compile("denied|interrupted"))
    expect(page.locator("[data-row^=turn]")).to_have_count(2)


def test_a_call_that_waits_for_leave_says_so(room: Room, opens: Opens) -> None:
    agent = room.enter("waiting", seed=16)
    asking = Permission((bash("git push", "pushed"),), after=FOREVER)
    room.puppets.begin(agent, Prompt("Push it."), asking, Finish("Pushed."))
    page = opened(opens, room, room.number(agent, 2))

    call = page.get_by_role("button", name=re.compile("git push"))
    expect(call).to_contain_text("waits for approval")


def test_what_was_said_while_the_line_was_down_is_told_afterwards(room: Room, opens: Opens) -> None:
    agent = room.enter("sleeping", seed=15)
    room.puppets.play(agent, Prompt("Begin."), Finish("Begun."))
    page = opened(opens, room, room.number(agent, 2))
    page.context.set_offline(True)
    page.evaluate("dispatchEvent(new Event('online'))")
    room.puppets.play(agent, Prompt("Anybody there?"), Finish("Only me."))
    room.number(agent, 4)
    page.context.set_offline(False)

    expect(page.get_by_text("Only me.")).to_be_visible()
    expect(page.locator("[data-row^=turn]")).to_have_count(4)


def test_a_command_whose_end_was_missed_says_so(room: Room, opens: Opens) -> None:
    agent = room.enter("unheard", seed=17)
    room.puppets.play(agent, Prompt("Begin."), bash("make"))
    page = opened(opens, room, room.number(agent, 3))
    ends = page.locator("[data-row^=command]")
    expect(ends).to_contain_text("in progress")
    page.context.set_offline(True)
    page.evaluate("dispatchEvent(new Event('online'))")
    # It comes back as one who was away for so long that nobody knows any more what was told.
    stream = f"{room.daemon.url}/api/stream"
    page.route(f"{stream}?*", lambda route: route.continue_(url=stream))
    room.puppets.play(agent, Finish("Made."), Prompt("And now?"), Finish("Nothing."))
    room.number(agent, 6)
    page.context.set_offline(False)

    expect(ends).to_have_count(2)
    expect(ends.first).to_contain_text("complete in")


# Long ones -------------------------------------------------------------------------------------


def test_of_a_long_conversation_few_rows_are_drawn(room: Room, talker: int, opens: Opens) -> None:
    page = opened(opens, room, talker)

    expect(page.get_by_text("Step 499 is done.")).to_be_in_viewport()
    assert rows(page).count() < 60


def test_one_can_scroll_from_the_end_to_the_beginning(
    room: Room, talker: int, opens: Opens
) -> None:
    page = opened(opens, room, talker)
    first = box(page).get_by_text("Do step 0.", exact=True)
    seen: list[int] = []
    for _ in range(400):
        wheel(page, -4000)
        page.evaluate("() => new Promise(requestAnimationFrame)")
        seen += [int(number) for number in re.findall(r"Do step (\d+)", box(page).inner_text())]
        if first.count():
            break

    expect(first).to_be_visible()
    assert rows(page).count() < 60
    assert all(earlier >= later - 10 for earlier, later in pairwise(seen))


def test_older_turns_come_without_moving_what_is_read(
    room: Room, talker: int, opens: Opens
) -> None:
    page = opened(opens, room, talker)
    expect(page.get_by_text("Step 499 is done.")).to_be_in_viewport()
    waiting: list[Route] = []

    def hold(route: Route) -> None:
        waiting.append(route)

    page.route(re.compile("before="), hold)
    while not waiting:
        wheel(page, -500)
        page.evaluate("() => new Promise(requestAnimationFrame)")
    expect(page.get_by_text("Loading…")).to_be_visible()
    come_to_rest(page)
    held = page.locator("[data-row]", has_text="Do step").nth(2)
    name = held.get_attribute("data-row")
    top, size = held.bounding_box(), size_of(page)
    waiting[0].continue_()
    until(lambda: size_of(page) > size or None, "more rows", instead=lambda: size_of(page))

    after = page.locator(f"[data-row='{name}']").bounding_box()
    assert top is not None
    assert after is not None
    assert abs(after["y"] - top["y"]) <= 2


def test_the_beginning_and_the_end_are_one_click_away(
    room: Room, talker: int, opens: Opens
) -> None:
    page = opened(opens, room, talker)
    page.get_by_role("button", name="To the beginning").click()
    expect(page.get_by_text("Do step 0.", exact=True)).to_be_in_viewport()
    page.get_by_role("button", name="Latest").click()

    expect(page.get_by_text("Step 499 is done.")).to_be_in_viewport()
    assert from_end(page) < 50


def test_a_command_of_long_ago_tells_how_it_ended(room: Room, talker: int, opens: Opens) -> None:
    page = opened(opens, room, talker)
    page.get_by_role("button", name="To the beginning").click()
    expect(box(page).get_by_text("Do step 0.", exact=True)).to_be_in_viewport()

    expect(page.locator("[data-row^=command]").first).to_contain_text("complete in")


def test_the_trail_of_a_long_conversation_is_whole(room: Room, talker: int, opens: Opens) -> None:
    page = opens(room.daemon, f"#/agents/{talker}/why")
    expect(page.get_by_text(re.compile(r"^All 1,00\d\+$"))).to_be_visible()
    more = page.get_by_role("button", name=re.compile("^Show .*(more|older)"))
    while (shown := page.locator("tbody tr").count()) and more.count():
        more.click()
        expect(page.locator("tbody tr").nth(shown)).to_be_attached()

    commanded = page.get_by_role("cell", name="user_command")
    assert commanded.count() == TURNS // PER_STEP


def test_the_keys_that_scroll_do(room: Room, talker: int, opens: Opens) -> None:
    page = opened(opens, room, talker)
    last = page.get_by_text("Step 499 is done.")
    expect(last).to_be_in_viewport()
    page.keyboard.press("PageUp")
    expect(last).not_to_be_in_viewport()
    page.keyboard.press("End")

    expect(last).to_be_in_viewport()


def test_for_who_wants_no_motion_nothing_glides_into_place(
    room: Room, talker: int, opens: Opens
) -> None:
    page = opened(opens, room, talker)
    page.emulate_media(reduced_motion="reduce")
    page.evaluate("document.addEventListener('transitionrun', () => (window.glided = true))")
    page.get_by_role("button", name="To the beginning").click()
    expect(page.get_by_text("Do step 0.", exact=True)).to_be_in_viewport()

    assert page.evaluate("window.glided ?? false") is False


# Links to turns ---------------------------------------------------------------------------------


def test_a_link_to_a_turn_leads_there_and_marks_it(room: Room, talker: int, opens: Opens) -> None:
    turns = room.turns(talker, "after=first&limit=400")
    turn = next(each for each in turns if each["text"] == "Do step 77.")
    page = opens(room.daemon, f"#/agents/{talker}/turns/{turn['position']}")

    marked = page.locator("[data-row][aria-current=true]")
    expect(marked).to_have_count(1)
    expect(marked).to_contain_text("Do step 77.")
    expect(marked).to_be_in_viewport()
    expect(page.get_by_text("Do step 78.")).to_be_visible()


def test_the_time_of_a_turn_is_a_link_to_it(room: Room, worker: int, opens: Opens) -> None:
    page = opened(opens, room, worker)
    report = page.locator("[data-row]").filter(has_text="What changed")
    report.get_by_role("link", name=re.compile(r"\d\d:\d\d:\d\d")).click()

    expect(page).to_have_url(re.compile(rf"#/agents/{worker}/turns/\d+$"))
    expect(page.locator("[data-row][aria-current=true]")).to_contain_text("What changed")


def test_a_link_to_a_result_leads_to_its_call(room: Room, worker: int, opens: Opens) -> None:
    result = next(each for each in room.turns(worker) if each["outcome"] == "failed")
    page = opens(room.daemon, f"#/agents/{worker}/turns/{result['position']}")

    expect(page.locator("[data-row][aria-current=true]")).to_contain_text("pytest -q")


def test_a_link_into_a_sub_agents_talk_unfolds_it(room: Room, chief: int, opens: Opens) -> None:
    turn = next(each for each in room.turns(chief) if each["thread"])
    page = opens(room.daemon, f"#/agents/{chief}/turns/{turn['position']}")

    marked = page.locator("[data-row][aria-current=true]")
    expect(marked).to_contain_text("List every string that is SQL.")


def test_a_link_to_a_turn_that_nobody_said_says_so(
    room: Room, worker: int, browser: Browser
) -> None:
    with window(browser, link(room.daemon)) as here:
        here.page.goto(f"{room.daemon.url}/#/agents/{worker}/turns/123456")
        alert = here.page.get_by_role("alert")
        expect(alert).to_contain_text("has no turn at position 123456")
        here.page.get_by_role("link", name="To the conversation").click()

        its = here.page.get_by_role("article", name="Agent")
        expect(its.last).to_contain_text("What changed")
        assert [line for line in here.complaints if "404" not in line] == []


# Finding ----------------------------------------------------------------------------------------


def highlights(page: Page, name: str) -> int:
    return int(page.evaluate(f"CSS.highlights.get('{name}')?.size ?? 0"))


def test_words_are_found_marked_and_stepped_through(room: Room, talker: int, opens: Opens) -> None:
    page = opened(opens, room, talker)
    page.keyboard.press("Control+f")
    page.keyboard.type("step 49")
    count = page.locator("search [role=status]")

    expect(count).to_have_text("20 of 20")
    until(lambda: highlights(page, "found-now") or None, "a mark", instead=lambda: None)
    page.keyboard.press("Enter")
    expect(count).to_have_text("1 of 20")
    expect(page.get_by_text("Do step 49.", exact=True)).to_have_count(0)
    expect(page.get_by_text("Do step 490.")).to_be_in_viewport()
    box(page).focus()
    page.keyboard.press("n")
    expect(count).to_have_text("2 of 20")
    page.keyboard.press("N")
    expect(count).to_have_text("1 of 20")


def test_words_in_a_folded_call_unfold_it(room: Room, worker: int, opens: Opens) -> None:
    page = opened(opens, room, worker)
    page.keyboard.press("/")
    page.keyboard.type("page 298")

    expect(page.get_by_role("group", name="Output")).to_contain_text("page 298")
    expect(page.locator("search [role=status]")).to_have_text("1 of 1")
    until(lambda: highlights(page, "found-now") or None, "a mark", instead=lambda: None)
    page.keyboard.press("Escape")
    expect(page.locator("search")).to_have_count(0)
    assert highlights(page, "found") == highlights(page, "found-now") == 0


def test_what_is_not_loaded_is_searched_on_its_own_page(
    room: Room, talker: int, opens: Opens
) -> None:
    page = opened(opens, room, talker)
    page.keyboard.press("Control+f")
    page.keyboard.type("Do step 3.")
    expect(page.locator("search [role=status]")).to_have_text("none")
    page.get_by_role("link", name="Search all that was said").click()
    page.get_by_role("link", name=re.compile("Do step 3\\.")).first.click()

    expect(page.locator("[data-row][aria-current=true]")).to_contain_text("Do step 3.")


# Hostile words ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def attacker(room: Room) -> int:
    agent = room.enter(IMAGE, branch='"><script>alert(8)</script>', seed=21)
    room.puppets.play(agent, *HOSTILE)
    return room.number(agent, 15)


FOREIGN: Final = "main :is(script, img, iframe, object, embed, form, base, hr, [onload])"


@pytest.mark.parametrize("size", [(1280, 800), PHONE])
def test_hostile_words_stay_words(
    room: Room, attacker: int, opens: Opens, size: tuple[int, int]
) -> None:
    page = opens(room.daemon, size=size)
    dialogs: list[str] = []

    def dismiss(dialog: Dialog) -> None:
        dialogs.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", dismiss)
    page.goto(f"{room.daemon.url}/#/agents/{attacker}")
    expect(page.get_by_text("Nothing happened to you.")).to_be_in_viewport()
    page.get_by_role("button", name="To the beginning").click()
    expect(page.get_by_text(f"{IMAGE}<script>alert('prompt')</script>")).to_be_visible()
    links = page.locator("main .words a").evaluate_all("all => all.map(a => a.href)")
    unfold = page.locator("[data-row^=turn] button[aria-expanded=false]:has(b)")
    said = ""
    come_to_rest(page)
    while unfold.count():
        unfold.first.click()
        said += page.locator("main").inner_text()
        come_to_rest(page)  # What grew may push others out of sight, and they are not drawn then.

    for words in (IMAGE, "<script>alert('code')</script>", "<b>tick</b>", "שלום עולם", "🦆"):
        assert words in said
    assert not re.search("[\x1b\u202e\u202c\x07]", said)
    assert "[31m" not in said
    assert links == ["https://example.com/x.png"]
    assert page.locator(FOREIGN).count() == 0
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert dialogs == []


def test_what_is_made_to_be_slow_to_read_is_shown_as_it_is(
    room: Room, attacker: int, opens: Opens
) -> None:
    page = opened(opens, room, attacker)

    expect(page.get_by_role("article", name="Agent").filter(has_text="> > > >")).to_be_attached()


def test_a_line_of_a_megabyte_freezes_nothing(room: Room, attacker: int, opens: Opens) -> None:
    page = opened(opens, room, attacker)
    page.get_by_role("button", name="To the beginning").click()
    big = page.get_by_role("button", name=re.compile("cat big"))
    big.click()
    output = rows(page).filter(has=big).get_by_role("group", name="Output")
    assert len(output.inner_text()) < 10_000
    output.get_by_role("button", name="Show all (1.0 MB)").click()

    expect(output.get_by_role("button", name="Show less")).to_have_count(1)
    assert len(output.text_content() or "") > 1_000_000
    output.get_by_role("button", name="Show less").evaluate("button => button.click()")
    expect(output.get_by_role("button", name="Show all (1.0 MB)")).to_be_visible()


# Phones -----------------------------------------------------------------------------------------


def test_a_phone_shows_it_without_scrolling_sideways(room: Room, worker: int, opens: Opens) -> None:
    page = opened(opens, room, worker, size=PHONE, theme="dark")
    page.get_by_role("button", name=re.compile("Edit")).first.click()

    expect(page.get_by_role("figure")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert box(page).evaluate("box => box.scrollWidth <= box.clientWidth")
