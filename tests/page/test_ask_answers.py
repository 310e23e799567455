"""What waits for a person is shown and answered on the page; the waiting hook hears what was said.

The hook is played (tests/lab/hooked.py), the daemon and the browser are real.
"""

import re

import pytest
from playwright.sync_api import expect

from tests.lab.daemon import Daemon
from tests.lab.hooked import PLAN, QUESTIONS, RULE
from tests.page.asked import SIMPLE, answers_of, card, press
from tests.page.conftest import Opens, Starts

# Permissions -------------------------------------------------------------------------------------


def test_a_permission_is_allowed(desk: Daemon, opens: Opens, starts: Starts) -> None:
    hook = starts().asks("Bash", SIMPLE)
    page = opens(desk)
    ask = card(page, "npm test")

    expect(ask).to_contain_text("Bash")
    expect(ask).to_contain_text("Run the tests")
    press(ask, "Allow")

    assert hook.decision() == {"behavior": "allow"}
    expect(page.locator("main")).to_contain_text("Allowed by the board")
    expect(page.get_by_role("heading", name="Nothing waits for you.")).to_be_visible()


def test_always_says_what_it_would_do_and_does_it(
    desk: Daemon, opens: Opens, starts: Starts
) -> None:
    hook = starts().asks("Bash", SIMPLE, [RULE])
    ask = card(opens(desk), "npm test")

    expect(ask).to_contain_text("allow Bash(npm test:*) without asking")
    expect(ask).to_contain_text("in this project's local settings")
    press(ask, "Always")

    assert hook.decision() == {"behavior": "allow", "updatedPermissions": [RULE]}


def test_without_a_suggestion_there_is_no_always(
    desk: Daemon, opens: Opens, starts: Starts
) -> None:
    starts().asks("Bash", SIMPLE)
    ask = card(opens(desk), "npm test")

    expect(ask.get_by_role("button", name="Allow", exact=True)).to_be_visible()
    expect(ask.get_by_role("button", name="Always")).to_have_count(0)


def test_a_permission_is_denied_with_one_press(desk: Daemon, opens: Opens, starts: Starts) -> None:
    hook = starts().asks("Bash", SIMPLE)
    press(card(opens(desk), "npm test"), "Deny")

    told = hook.decision()
    assert told["behavior"] == "deny"


def test_a_permission_is_denied_with_a_message(desk: Daemon, opens: Opens, starts: Starts) -> None:
    hook = starts().asks("Bash", SIMPLE)
    ask = card(opens(desk), "npm test")
    press(ask, "Deny with a message…")
    expect(ask.get_by_role("textbox")).to_be_focused()
    ask.get_by_role("textbox").fill("Not today.\nTomorrow.")
    press(ask, "Deny")

    assert hook.decision() == {"behavior": "deny", "message": "Not today.\nTomorrow."}


def test_an_edit_is_shown_as_a_change(desk: Daemon, opens: Opens, starts: Starts) -> None:
    old = "def total(net):\n    rate = 0.19\n-- not a file\n    return net"
    new = "def total(net):\n    rate = RATES[net.to]\n    return net"
    given = {"file_path": "/home/ada/total.py", "old_string": old, "new_string": new}
    starts().asks("Edit", {**given, "replace_all": True})
    ask = card(opens(desk), "total.py")

    changes = ask.get_by_role("group", name="Changes")
    expect(changes.locator(".removed")).to_have_text(["−    rate = 0.19", "−-- not a file"])
    expect(changes.locator(".added")).to_have_text(["+    rate = RATES[net.to]"])
    expect(ask).to_contain_text("+1 −2")
    expect(ask).to_contain_text("replace_all")


def test_everything_a_tool_is_given_is_shown(desk: Daemon, opens: Opens, starts: Starts) -> None:
    given = {**SIMPLE, "timeout": 600_000, "dangerouslyDisableSandbox": True}
    starts().asks("Bash", given)
    ask = card(opens(desk), "npm test")

    expect(ask).to_contain_text("dangerouslyDisableSandbox")
    expect(ask).to_contain_text("600000")


def test_a_long_command_is_folded_and_its_end_is_seen(
    desk: Daemon, opens: Opens, starts: Starts
) -> None:
    lines = "\n".join(f"echo step {number}" for number in range(60))
    starts().asks("Bash", {"command": f"{lines}\nrm -rf build"})
    ask = card(opens(desk), "echo step 0")

    expect(ask).to_contain_text("rm -rf build")
    expect(ask).not_to_contain_text("echo step 40")
    ask.get_by_role("button", name="show all").click()
    expect(ask).to_contain_text("echo step 40")


def test_a_line_of_a_megabyte_does_not_stop_the_page(
    desk: Daemon, opens: Opens, starts: Starts
) -> None:
    hook = starts().asks("Bash", {"command": f"echo {'x' * 900_000} end"})
    page = opens(desk)
    ask = card(page, "echo xxx")
    ask.get_by_role("button", name="show all").click()
    expect(ask).to_contain_text("more characters are not shown here")
    press(ask, "Allow")

    assert hook.decision() == {"behavior": "allow"}


# Questions and plans -----------------------------------------------------------------------------


def test_questions_are_answered_when_each_has_an_answer(
    desk: Daemon, opens: Opens, starts: Starts
) -> None:
    hook = starts().asks("AskUserQuestion", QUESTIONS)
    ask = card(opens(desk), "Which database")
    answer = ask.get_by_role("button", name="Answer")

    expect(ask).to_contain_text("What production runs; needs a server")
    expect(answer).to_be_disabled()
    ask.get_by_role("radio", name="SQLite").check()
    expect(answer).to_be_disabled()
    ask.get_by_role("checkbox", name="Types").check()
    ask.get_by_role("checkbox", name="Style").check()
    answer.click()

    assert answers_of(hook) == {
        "Which database should the orders live in?": "SQLite",
        "Which checks should run before a commit?": "Types, Style",
    }


def test_questions_are_answered_in_words_of_ones_own(
    desk: Daemon, opens: Opens, starts: Starts
) -> None:
    hook = starts().asks("AskUserQuestion", QUESTIONS)
    ask = card(opens(desk), "Which database")
    own = ask.get_by_role("textbox", name="Other")
    own.first.fill("DuckDB, if it is quick")
    expect(ask.get_by_role("radio", name="Other")).to_be_checked()
    ask.get_by_role("checkbox", name="Tests").check()
    own.last.fill("a spelling check")
    own.last.press("Enter")

    assert answers_of(hook) == {
        "Which database should the orders live in?": "DuckDB, if it is quick",
        "Which checks should run before a commit?": "Tests, a spelling check",
    }


def test_a_question_is_denied(desk: Daemon, opens: Opens, starts: Starts) -> None:
    hook = starts().asks("AskUserQuestion", QUESTIONS)
    press(card(opens(desk), "Which database"), "Deny")

    told = hook.decision()
    assert told["behavior"] == "deny"


def test_a_plan_is_rendered_and_approved(desk: Daemon, opens: Opens, starts: Starts) -> None:
    hook = starts().asks("ExitPlanMode", {"plan": PLAN})
    ask = card(opens(desk), "Tax by country")

    expect(ask.get_by_role("heading", name="Tax by country")).to_be_visible()
    expect(ask.locator("ol > li")).to_have_count(3)
    link = ask.get_by_role("link", name="https://example.org/vat")
    expect(link).to_have_attribute("rel", "noopener noreferrer")
    press(ask, "Approve")

    told = hook.decision()
    assert told["behavior"] == "allow"


def test_a_plan_is_rejected_with_feedback(desk: Daemon, opens: Opens, starts: Starts) -> None:
    hook = starts().asks("ExitPlanMode", {"plan": PLAN})
    ask = card(opens(desk), "Tax by country")
    press(ask, "Reject")
    ask.get_by_role("textbox").fill("Begin with the tests")
    press(ask, "Reject")

    assert hook.decision() == {"behavior": "deny", "message": "Begin with the tests"}


# What the page cannot answer ---------------------------------------------------------------------


def test_a_question_in_words_can_be_called_none(desk: Daemon, opens: Opens, starts: Starts) -> None:
    client = starts()
    client.says("Two workers write one file.\n\nShould I add a lock, or two files?")
    page = opens(desk)
    ask = card(page, "Should I add a lock")

    expect(ask).to_contain_text(re.compile(r"question with \d+ % confidence"))
    ask.get_by_role("button", name="Show the whole reply").click()
    expect(ask).to_contain_text("Two workers write one file.")
    press(ask, "Not a question")

    expect(page.get_by_role("heading", name="Nothing waits for you.")).to_be_visible()
    expect(page.locator("article").filter(has_text="Two workers")).to_contain_text("idle")


def test_a_question_in_words_leads_to_its_terminal(
    desk: Daemon, opens: Opens, starts: Starts
) -> None:
    client = starts(cwd="/home/ada/orders")
    client.says("Should I go on?")
    page = opens(desk)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    ask = card(page, "Should I go on?")

    expect(ask).to_contain_text("Answer in the terminal")
    expect(ask).to_contain_text("/home/ada/orders")
    press(ask, "Copy")
    expect(page.get_by_text("Resume command copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == f"claude --resume {client.session}"


ERRORS = [
    (("rate_limit", "You've hit your session limit · resets 3pm"), "Rate or usage limit"),
    (("server_error", "API Error: Repeated 529 Overloaded errors"), "Overloaded"),
    (("server_error", "API Error: 500 Internal server error"), "Server error"),
    (("unknown", "API Error: 529 overloaded_error"), "Overloaded"),
    (("authentication_failed", "Please run /login"), "Not logged in"),
    (("billing_error", "Credit balance is too low"), "Billing"),
    (("invalid_request", "Prompt is too long"), "Context too long"),
    (("invalid_request", "tool_use ids were found without tool_result"), "Invalid request"),
    (("max_output_tokens", ""), "Answer too long"),
    (("model_not_found", ""), "Model not found"),
    (("", "fetch failed: ECONNREFUSED"), "No connection"),
    (("", "something new"), "The turn failed"),
]


@pytest.mark.parametrize(("error", "name"), ERRORS)
def test_an_error_says_what_it_means_and_what_to_do(
    desk: Daemon, opens: Opens, starts: Starts, error: tuple[str, str], name: str
) -> None:
    kind, text = error
    starts().fails(kind, text)
    ask = card(opens(desk), "What to do")

    expect(ask.get_by_role("heading", name=name)).to_be_visible()
    expect(ask).to_contain_text(text or kind)


def test_an_error_is_dismissed(desk: Daemon, opens: Opens, starts: Starts) -> None:
    starts().fails("rate_limit", "You've hit your limit")
    page = opens(desk)
    press(card(page, "Rate or usage limit"), "Dismiss")

    expect(page.get_by_role("heading", name="Nothing waits for you.")).to_be_visible()


def test_what_only_the_terminal_can_answer_is_marked_so(
    desk: Daemon, opens: Opens, starts: Starts
) -> None:
    client = starts()
    client.hears("PermissionRequest", tool_name="Bash", tool_input={"command": "git push"})
    ask = card(opens(desk), "git push")

    expect(ask.get_by_role("listitem").first).to_have_text("Answer in the terminal")
    expect(ask).to_contain_text("turnkeeper hooks install")
    expect(ask.get_by_role("button", name="Allow")).to_have_count(0)


def test_an_ask_whose_hook_has_gone_is_left_to_the_terminal(
    desk: Daemon, opens: Opens, starts: Starts
) -> None:
    hook = starts().asks("Bash", SIMPLE)
    ask = card(opens(desk), "npm test")
    expect(ask.get_by_role("button", name="Allow")).to_be_visible()
    hook.leave()

    expect(ask.get_by_role("listitem").first).to_have_text("Answer in the terminal")
    expect(ask.get_by_role("button", name="Allow")).to_have_count(0)


def test_what_was_typed_is_kept_when_the_hook_goes(
    desk: Daemon, opens: Opens, starts: Starts
) -> None:
    hook = starts().asks("Bash", SIMPLE)
    page = opens(desk)
    ask = card(page, "npm test")
    press(ask, "Deny with a message…")
    page.keyboard.type("Not n")
    hook.leave()

    expect(ask.get_by_role("alert")).to_contain_text("only its terminal can answer now")
    page.keyboard.type("ow")
    expect(ask.get_by_role("textbox")).to_have_value("Not now")
