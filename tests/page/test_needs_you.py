"""The queue of what waits: its order, who answers first, who is told, and one ask alone."""

import re

import pytest
from playwright.sync_api import Route, expect

from tests.lab.asking import bearing
from tests.lab.daemon import Daemon
from tests.lab.hooked import QUESTIONS
from tests.page.asked import SIMPLE, asks, card, mute, press, waits
from tests.page.conftest import Opens, Starts

# The queue ---------------------------------------------------------------------------------------


def test_the_oldest_comes_first_and_each_says_whose_it_is(
    desk: Daemon, opens: Opens, starts: Starts
) -> None:
    first, second = starts("First", "/home/ada/shop"), starts("Second", "/home/ada/orders")
    first.asks("Bash", {"command": "echo one"})
    second.asks("Bash", {"command": "echo two"})
    page = opens(desk)
    expect(asks(page)).to_have_count(2)

    ask = asks(page).first
    expect(ask).to_contain_text("echo one")
    expect(ask.get_by_role("listitem")).to_have_text(
        [re.compile("First"), re.compile("shop"), re.compile(r"\S")]
    )
    name = ask.get_by_role("heading").get_by_role("link")
    expect(name).to_have_attribute("href", f"#/agents/{first.agent}")
    age = ask.locator("time").inner_text()
    expect(ask.locator("time")).not_to_have_text(age)


def test_many_wait_as_lines_and_open_when_pressed(
    desk: Daemon, opens: Opens, starts: Starts
) -> None:
    for number in range(14):
        starts().asks("Bash", {"command": f"echo number-{number}."})
    page = opens(desk)

    expect(asks(page)).to_have_count(3)
    line = page.get_by_role("button", name="echo number-5.")
    expect(line.get_by_text(re.compile("^shop"))).to_be_visible()
    expect(page.get_by_role("button", name="echo number-13.")).to_have_count(0)
    press(page.locator("main"), "Show 2 more")
    page.get_by_role("button", name="echo number-13.").click()
    expect(card(page, "number-13.").get_by_role("button", name="Allow")).to_be_visible()


def test_a_new_ask_comes_by_itself(desk: Daemon, opens: Opens, starts: Starts) -> None:
    client = starts()
    page = opens(desk)
    expect(page.get_by_role("heading", name="Nothing waits for you.")).to_be_visible()
    client.asks("Bash", SIMPLE)

    expect(card(page, "npm test").get_by_role("button", name="Allow")).to_be_visible()


def test_the_tab_tells_how_many_wait(desk: Daemon, opens: Opens, starts: Starts) -> None:
    hook = starts().asks("Bash", SIMPLE)
    starts().asks("Bash", {"command": "npm run lint"})
    page = opens(desk)

    expect(page).to_have_title("(2) Turnkeeper")
    icon = page.locator("link[rel=icon]")
    expect(icon).to_have_attribute("href", re.compile(r"^data:image/svg\+xml,.*%3E2%3C"))
    press(card(page, "npm test"), "Allow")
    expect(page).to_have_title("(1) Turnkeeper")
    assert hook.decision()


def test_muted_agents_wait_apart_and_are_not_counted(
    desk: Daemon, opens: Opens, starts: Starts
) -> None:
    client = starts()
    client.asks("Bash", SIMPLE)
    mute(desk, client)
    page = opens(desk)

    expect(page).to_have_title("Turnkeeper")
    page.get_by_role("button", name="1 ask of muted agents").click()
    expect(page.get_by_role("button", name="Bash: npm test")).to_be_visible()


# Two who answer ----------------------------------------------------------------------------------


def test_a_second_window_sees_the_answer_of_the_first(
    desk: Daemon, opens: Opens, starts: Starts
) -> None:
    starts().asks("Bash", SIMPLE)
    first, second = opens(desk), opens(desk)
    expect(card(second, "npm test")).to_be_visible()
    press(card(first, "npm test"), "Allow")

    expect(second.locator("main")).to_contain_text(
        re.compile(r"Allowed by the board at \d\d:\d\d:\d\d")
    )
    expect(asks(second)).to_have_count(0)


def test_an_answer_that_comes_too_late_is_told_who_was_first(
    desk: Daemon, opens: Opens, starts: Starts
) -> None:
    hook = starts().asks("Bash", SIMPLE)
    page = opens(desk)

    def another_is_first(route: Route) -> None:
        body = b'{"decision": "deny", "message": "No", "by": "the command line"}'
        number = desk.get("/api/asks")[0]["id"]
        bearing(desk.url, desk.token).post(f"/api/asks/{number}/answer", body)
        route.continue_()

    page.route("**/answer", another_is_first)
    press(card(page, "npm test"), "Allow")

    expect(page.locator("main")).to_contain_text(
        re.compile(r"Too late: Denied by the command line at \d\d:\d\d:\d\d")
    )
    assert hook.decision() == {"behavior": "deny", "message": "No"}


def test_a_button_turns_until_the_daemon_has_answered(
    desk: Daemon, opens: Opens, starts: Starts
) -> None:
    hook = starts().asks("Bash", SIMPLE)
    page = opens(desk)
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/answer", hold)
    ask = card(page, "npm test")
    press(ask, "Allow")

    busy = ask.get_by_role("button", name="Allowing…")
    expect(busy).to_be_disabled()
    expect(ask.get_by_role("button", name="Deny", exact=True)).to_be_disabled()
    assert waits(desk, hook)
    held[0].continue_()
    expect(page.locator("main")).to_contain_text("Allowed by the board")


def test_an_answer_that_does_not_reach_the_daemon_can_be_given_again(
    desk: Daemon, opens: Opens, starts: Starts
) -> None:
    hook = starts().asks("Bash", SIMPLE)
    page = opens(desk)
    ask = card(page, "npm test")
    page.context.set_offline(True)
    press(ask, "Allow")

    expect(ask.get_by_role("alert")).to_contain_text("Turnkeeper does not answer")
    assert waits(desk, hook)
    page.context.set_offline(False)
    press(ask, "Allow")
    assert hook.decision() == {"behavior": "allow"}


def test_what_the_terminal_answers_leaves_with_a_word(
    desk: Daemon, opens: Opens, starts: Starts
) -> None:
    client = starts()
    hook = client.asks("Bash", SIMPLE)
    page = opens(desk)
    expect(card(page, "npm test")).to_be_visible()
    client.goes_on("Bash")

    expect(page.locator("main")).to_contain_text("It was answered in the terminal")
    expect(page.get_by_role("heading", name="Nothing waits for you.")).to_be_visible()
    assert hook.printed() is None


def test_what_was_typed_is_kept_when_the_ask_is_withdrawn(
    desk: Daemon, opens: Opens, starts: Starts
) -> None:
    client, other = starts(), starts()
    client.asks("Bash", SIMPLE)
    still_waits = other.asks("Bash", {"command": "npm run lint"})
    page = opens(desk)
    ask = card(page, "npm test")
    press(ask, "Deny with a message…")
    page.keyboard.type("Not y")
    client.goes_on("Bash")

    expect(ask.get_by_role("alert")).to_contain_text("It was answered in the terminal")
    page.keyboard.type("et, yes y")
    expect(ask.get_by_role("textbox")).to_have_value("Not yet, yes y")
    expect(ask.get_by_role("button", name="Deny")).to_have_count(0)
    assert waits(desk, still_waits)
    press(ask, "Close")
    expect(asks(page)).to_have_count(1)


# Telling those who look elsewhere ----------------------------------------------------------------


RECORD = """
window.told = [];
window.Notification = class extends Notification {
  constructor(title, options) { super(title, options); told.push({ title, ...options }); }
  close() { told.push({ closed: this.tag }); super.close(); }
};
Document.prototype.hasFocus = () => window.focused ?? false;
"""
"""The browser's own notifications, written down as well. A page under test always has the focus."""


def test_notifications_come_only_after_they_were_enabled(
    desk: Daemon, opens: Opens, starts: Starts
) -> None:
    page = opens(desk)
    page.add_init_script(RECORD)
    page.context.grant_permissions(["notifications"])
    quiet, muted, loud = starts(), starts("Hush"), starts("Tell me", "/home/ada/orders")
    page.reload()
    quiet.asks("Bash", SIMPLE)
    expect(asks(page)).to_have_count(1)
    assert page.evaluate("told") == []

    press(page.locator("main"), "Enable notifications")
    expect(page.get_by_role("button", name="Notifications on")).to_be_visible()
    mute(desk, muted)
    muted.asks("Bash", {"command": "echo hush"})
    expect(page.get_by_role("button", name="1 ask of muted agents")).to_be_visible()
    loud.asks("Bash", {"command": "echo secret"})
    expect(asks(page)).to_have_count(2)

    told = page.evaluate("told")
    assert [each["body"] for each in told] == ["Bash wants permission"]
    assert "orders" in told[0]["title"]
    loud.goes_on("Bash")
    page.wait_for_function("tag => told.some(each => each.closed === tag)", arg=told[0]["tag"])


def test_whoever_looks_at_the_page_is_not_notified(
    desk: Daemon, opens: Opens, starts: Starts
) -> None:
    page = opens(desk)
    page.add_init_script(f"{RECORD}; window.focused = true;")
    page.context.grant_permissions(["notifications"])
    client = starts()
    page.reload()
    press(page.locator("main"), "Enable notifications")
    client.asks("Bash", SIMPLE)
    expect(asks(page)).to_have_count(1)

    assert page.evaluate("told") == []


# One alone ---------------------------------------------------------------------------------------


def test_a_deep_link_shows_one_ask_and_then_how_it_ended(
    desk: Daemon, opens: Opens, starts: Starts
) -> None:
    hook = starts().asks("AskUserQuestion", QUESTIONS)
    starts().asks("Bash", {"command": "echo another"})
    page = opens(desk)
    expect(asks(page)).to_have_count(2)
    number = desk.get("/api/asks")[0]["id"]
    page.goto(f"{desk.url}/#/asks/{number}")
    expect(asks(page)).to_have_count(1)
    ask = card(page, "Which database")
    ask.get_by_role("radio", name="PostgreSQL").check()
    ask.get_by_role("checkbox", name="Tests").check()
    press(ask, "Answer")
    assert hook.decision()

    for _ in ("at once", "after a reload"):
        expect(ask).to_contain_text("Answered by the board")
        expect(ask).to_contain_text(re.compile(r"\d s ago"))
        expect(ask.locator("dd")).to_have_text(["PostgreSQL", "Tests"])
        expect(ask.get_by_role("button", name="Answer")).to_have_count(0)
        page.reload()


def test_a_deep_link_to_what_the_terminal_answered_says_so(
    desk: Daemon, opens: Opens, starts: Starts
) -> None:
    client = starts()
    client.asks("Bash", SIMPLE)
    page = opens(desk)
    expect(asks(page)).to_have_count(1)
    number = desk.get("/api/asks")[0]["id"]
    client.goes_on("Bash")
    page.goto(f"{desk.url}/#/asks/{number}")

    expect(card(page, "npm test")).to_contain_text("It was answered in the terminal")


@pytest.mark.parametrize(
    ("name", "words"), [("999999", "There is no ask"), ("<b>x", "named by its number")]
)
def test_a_link_to_an_ask_that_never_was_says_so(
    desk: Daemon, opens: Opens, name: str, words: str
) -> None:
    page = opens(desk, f"#/asks/{name}")

    expect(page.get_by_role("alert")).to_contain_text(words)
