"""Asks are answered without the mouse, and never by mistake."""

from playwright.sync_api import expect

from tests.lab.daemon import Daemon
from tests.lab.hooked import QUESTIONS, RULE
from tests.page.asked import SIMPLE, answers_of, asks, card, settled, waits
from tests.page.conftest import Opens, Starts


def test_y_allows_and_goes_on_to_the_next(desk: Daemon, opens: Opens, starts: Starts) -> None:
    first = starts().asks("Bash", {"command": "echo one"})
    second = starts().asks("Bash", {"command": "echo two"})
    page = opens(desk)
    expect(asks(page)).to_have_count(2)
    settled(page)
    page.keyboard.press("y")
    assert first.decision() == {"behavior": "allow"}
    page.keyboard.press("y")

    expect(page.locator("main")).to_contain_text("Allowed by the board")
    settled(page)
    assert waits(desk, second), "a second press came before anyone could see what it would allow"
    page.keyboard.press("y")
    assert second.decision() == {"behavior": "allow"}


def test_j_and_k_choose_which_ask_is_answered(desk: Daemon, opens: Opens, starts: Starts) -> None:
    hooks = [starts().asks("Bash", {"command": f"echo {number}"}) for number in range(5)]
    page = opens(desk)
    expect(asks(page)).to_have_count(3)
    settled(page)
    for key in "jjjjk":
        page.keyboard.press(key)
    expect(card(page, "echo 3")).to_be_focused()
    page.keyboard.press("y")

    assert hooks[3].decision() == {"behavior": "allow"}
    assert [waits(desk, hook) for hook in hooks] == [True, True, True, False, True]


def test_n_asks_for_the_message_and_enter_sends_it(
    desk: Daemon, opens: Opens, starts: Starts
) -> None:
    hook = starts().asks("Bash", SIMPLE)
    page = opens(desk)
    expect(asks(page)).to_have_count(1)
    settled(page)
    page.keyboard.press("n")
    expect(page.get_by_role("textbox", name="Why not?")).to_be_focused()
    page.keyboard.type("yes, but j is not k")
    page.keyboard.press("Enter")

    assert hook.decision() == {"behavior": "deny", "message": "yes, but j is not k"}


def test_numbers_choose_options_and_enter_sends(desk: Daemon, opens: Opens, starts: Starts) -> None:
    hook = starts().asks("AskUserQuestion", QUESTIONS)
    page = opens(desk)
    expect(card(page, "Which database")).to_be_visible()
    settled(page)
    for key in ("2", "1", "3", "Enter"):
        page.keyboard.press(key)

    assert answers_of(hook) == {
        "Which database should the orders live in?": "SQLite",
        "Which checks should run before a commit?": "Types, Style",
    }


def test_keys_answer_the_ask_that_one_is_busy_with(
    desk: Daemon, opens: Opens, starts: Starts
) -> None:
    other = starts().asks("Bash", SIMPLE)
    hook = starts().asks("AskUserQuestion", QUESTIONS)
    page = opens(desk)
    expect(asks(page)).to_have_count(2)
    settled(page)
    card(page, "Which database").get_by_role("radio", name="SQLite").check()
    page.keyboard.press("2")
    page.keyboard.press("Enter")

    assert answers_of(hook)["Which checks should run before a commit?"] == "Tests"
    assert waits(desk, other)


def test_a_capital_a_allows_always(desk: Daemon, opens: Opens, starts: Starts) -> None:
    hook = starts().asks("Bash", SIMPLE, [RULE])
    page = opens(desk)
    expect(asks(page)).to_have_count(1)
    settled(page)
    page.keyboard.press("Shift+A")

    assert hook.decision() == {"behavior": "allow", "updatedPermissions": [RULE]}


def test_keys_are_silent_while_somebody_types(desk: Daemon, opens: Opens, starts: Starts) -> None:
    hook = starts().asks("Bash", SIMPLE)
    page = opens(desk)
    expect(asks(page)).to_have_count(1)
    settled(page)
    page.keyboard.press("/")
    page.keyboard.type("yAnj?")

    expect(page.get_by_role("searchbox")).to_have_value("yAnj?")
    assert waits(desk, hook)


def test_a_question_mark_lists_the_keys(desk: Daemon, opens: Opens, starts: Starts) -> None:
    hook = starts().asks("Bash", SIMPLE)
    page = opens(desk)
    expect(asks(page)).to_have_count(1)
    settled(page)
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("allow, or approve a plan")
    page.keyboard.press("y")
    page.keyboard.press("Escape")

    expect(page.get_by_role("dialog")).to_have_count(0)
    assert waits(desk, hook)
