"""What agents write is shown as text, whatever it is; and a thumb is enough to answer it."""

import re

from playwright.sync_api import Page, expect

from tests.lab.browser import PHONE
from tests.lab.daemon import Daemon
from tests.lab.hooked import PLAN, QUESTIONS, RULE
from tests.page.asked import SIMPLE, answers_of, asks, card, press
from tests.page.conftest import Opens, Starts

THUMB = 44


BIDI = "\u202e\u2066"
HOSTILE = "<script>hacked=1</script><img src=x onerror=hacked=1>"
HOSTILE_PLAN = f"""# Title {HOSTILE}

{HOSTILE}

[click](javascript:hacked=1) [data](data:text/html,<script>hacked=1</script>) [fine](https://example.org)

![picture](https://example.org/spy.png) <a href="javascript:hacked=1">raw</a>
<iframe src="https://example.org"></iframe> <style>* {{ display: none }}</style>
\x1b[31mred\x1b[0m {BIDI}turned
"""


def unharmed(page: Page) -> None:
    assert page.evaluate("typeof hacked") == "undefined"
    made = page.locator("main").locator("script, img, iframe, style, [onerror], [href^=javascript]")
    expect(made).to_have_count(0)


def test_a_hostile_command_is_shown_to_the_letter(
    desk: Daemon, opens: Opens, starts: Starts
) -> None:
    client = starts(f"Do {HOSTILE} {BIDI}", f"/home/ada/{HOSTILE.replace('/', '|')}")
    command = f"echo {HOSTILE} \x1b[8mhidden\x1b[0m {BIDI}txt.exe \u200b"
    client.asks(f"Bash{HOSTILE}{BIDI}", {"command": command, f"{HOSTILE}key": HOSTILE})
    page = opens(desk)
    ask = card(page, "echo")
    told = ask.get_by_role("group", name="Command")

    expect(told).to_contain_text(f"echo {HOSTILE}")
    expect(told).to_contain_text("␛[8mhidden␛[0m")
    expect(told).to_contain_text("⟨U+202E⟩⟨U+2066⟩txt.exe ⟨U+200B⟩")
    expect(ask).to_contain_text("It holds characters that do not show")
    assert not re.search(f"[\x1b{BIDI}]", ask.inner_text())
    unharmed(page)


def test_a_hostile_plan_is_shown_as_text(desk: Daemon, opens: Opens, starts: Starts) -> None:
    starts().asks("ExitPlanMode", {"plan": HOSTILE_PLAN})
    page = opens(desk)
    ask = card(page, "Title")
    expect(ask.get_by_role("link", name="fine")).to_be_visible()

    expect(ask).to_contain_text("[click](javascript:hacked=1)")
    expect(ask).to_contain_text('<a href="javascript:hacked=1">raw</a>')
    expect(ask).to_contain_text("<script>hacked=1</script>")
    expect(ask).to_contain_text("red turned")
    unharmed(page)


def test_hostile_options_are_shown_as_text_and_sent_as_they_are(
    desk: Daemon, opens: Opens, starts: Starts
) -> None:
    options = [{"label": f"{HOSTILE}{BIDI}", "description": HOSTILE}]
    asked = {"question": f"Well? {HOSTILE}", "header": HOSTILE, "options": options}
    hook = starts().asks("AskUserQuestion", {"questions": [asked]})
    page = opens(desk)
    ask = card(page, "Well?")
    ask.get_by_role("radio").first.check()
    unharmed(page)
    press(ask, "Answer")

    assert answers_of(hook) == {f"Well? {HOSTILE}": f"{HOSTILE}{BIDI}"}


def test_a_hostile_reply_and_a_hostile_error_are_shown_as_text(
    desk: Daemon, opens: Opens, starts: Starts
) -> None:
    starts().says(f"{HOSTILE_PLAN}\n\nShould I go on {HOSTILE}?")
    starts().fails("rate_limit", f"{HOSTILE} \x1b]0;title\x07 {BIDI}")
    page = opens(desk)
    expect(asks(page)).to_have_count(2)
    card(page, "Should I go on").get_by_role("button", name="Show the whole reply").click()
    expect(card(page, "Should I go on").get_by_role("link", name="fine")).to_be_visible()

    expect(card(page, "Rate or usage")).to_contain_text(HOSTILE)
    unharmed(page)


def test_a_thumb_can_answer_on_a_phone(desk: Daemon, opens: Opens, starts: Starts) -> None:
    hook = starts().asks("Bash", SIMPLE, [RULE])
    starts().asks("AskUserQuestion", QUESTIONS)
    starts().asks("ExitPlanMode", {"plan": PLAN})
    page = opens(desk, size=PHONE)
    expect(asks(page)).to_have_count(3)
    for target in asks(page).locator("button:visible, label:visible, textarea").all():
        box = target.bounding_box()
        assert box
        assert box["height"] >= THUMB, target.inner_text()
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]
    card(page, "npm test").get_by_role("button", name="Allow", exact=True).tap()

    assert hook.decision() == {"behavior": "allow"}
