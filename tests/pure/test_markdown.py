"""A conversation as Markdown: whatever was said, the structure is ours."""

import re

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from tests.pure.stories import agent_of, it_started
from turnkeeper.projections.cards import card_of
from turnkeeper.projections.markdown import (
    code,
    fenced,
    heading_of,
    plain,
    quoted,
    title_of,
    turn_of,
)
from turnkeeper.projections.shown import TurnTold
from turnkeeper.projections.wording import one_line

SAID = TurnTold(
    position=1,
    actor="user",
    kind="text",
    intent=None,
    confidence=None,
    because=None,
    text="Hello",
    source="hook",
    entry=None,
    happened_at="2026-11-16T08:00:00.000Z",
    command_id=None,
    session_id="s",
    thread="",
    tool=None,
    call=None,
    outcome=None,
    cursor="",
)
CALLED = msgspec.structs.replace(SAID, actor="agent", kind="tool", text='{"command":"ls"}')
GAVE = msgspec.structs.replace(SAID, kind="tool", text="a.py", outcome="done")
HOSTILE = (
    "# no heading",
    "```",
    "~~~\n````\n",
    "</details><script>alert(1)</script>",
    "<!-- never ends",
    "a\n\n# b\n===\n---",
    "\x1b[2J\x9b1m\x00",
    "> quoted\n- listed",
    "`" * 9,
)
PARSER = MarkdownIt()

texts = st.text(st.sampled_from("`~#>-<!\\a \n\t*_[]"), max_size=40)


def kinds(markdown: str) -> list[str]:
    """The blocks at the top of a document, as a reader of Markdown sees them."""
    return [
        token.type for token in PARSER.parse(markdown) if token.level == 0 and token.nesting >= 0
    ]


@pytest.mark.parametrize("text", HOSTILE)
def test_what_was_said_stays_within_its_quote(text: str) -> None:
    said = turn_of(msgspec.structs.replace(SAID, text=text), "")
    after = heading_of("Next", continued=False)

    assert kinds(said + after) == ["paragraph_open", "blockquote_open", "heading_open"]


@pytest.mark.parametrize("text", HOSTILE)
def test_what_a_tool_was_given_stays_within_its_fence(text: str) -> None:
    called = turn_of(msgspec.structs.replace(CALLED, text=text), "Bash")
    after = heading_of("Next", continued=False)

    assert kinds(called + after) == ["html_block", "fence", "html_block", "heading_open"]


@settings(max_examples=200, deadline=None)
@given(texts)
def test_a_fence_gives_back_what_was_put_in(text: str) -> None:
    [block] = [token for token in PARSER.parse(fenced(text, "text")) if token.type == "fence"]

    assert block.content == text + "\n"


@settings(max_examples=200, deadline=None)
@given(texts)
def test_a_quote_is_one_block_whatever_it_holds(text: str) -> None:
    assert kinds(quoted(text)) == ["blockquote_open"]


@settings(max_examples=200, deadline=None)
@given(texts)
def test_a_name_is_one_plain_line(text: str) -> None:
    heading = PARSER.parse(f"# x{plain(text)}x")[1]

    assert {each.type for each in heading.children or []} == {"text"}
    assert "".join(each.content for each in heading.children or []) == f"x{one_line(text)}x"


@pytest.mark.parametrize("text", ["/home/ada", "a`b", "`", "``a`", "a``"])
def test_a_few_words_are_given_back_as_they_are(text: str) -> None:
    [token] = PARSER.parse(code(text))[1].children or []

    assert (token.type, token.content) == ("code_inline", text)


def test_nothing_steers_a_terminal() -> None:
    shown = quoted("\x1b[2J\x07\r\x9b") + fenced("\x1b[2J\x7f", "text")

    assert re.findall(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", shown) == []
    assert "␛[2J" in shown


def test_the_title_says_who_it_is_and_where_it_worked() -> None:
    card = card_of(agent_of(it_started(cwd="/home/ada/shop")))

    title = title_of(msgspec.structs.replace(card, branch="main", name="<b>Bob</b>"))

    assert title.startswith("# \\<b\\>Bob\\</b\\>\n")
    assert "- Project: `/home/ada/shop` on `main`" in title


def test_a_turn_says_who_spoke_and_when() -> None:
    assert "**User** · 2026-11-16T08:00:00.000Z\n\n> Hello\n" in turn_of(SAID, "")
    notice = msgspec.structs.replace(SAID, kind="notice", actor="agent", thread="a7b898")
    assert "**Notice (sub-agent a7b898)**" in turn_of(notice, "")


def test_a_tool_is_folded_with_what_it_was_given_and_gave() -> None:
    called, gave = turn_of(CALLED, "Bash"), turn_of(GAVE, "<Bash>")

    assert "<details><summary>Bash · 2026" in called
    assert '```json\n{"command":"ls"}\n```' in called
    assert "<details><summary>&lt;Bash&gt; gave · done · 2026" in gave
    assert "```text\na.py\n```" in gave


def test_a_command_that_goes_on_says_so() -> None:
    assert heading_of("Add retries.", continued=False) == "\n## Add retries.\n"
    assert heading_of("", continued=True) == "\n## A command (continued)\n"
