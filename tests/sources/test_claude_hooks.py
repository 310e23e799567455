"""What a hook payload says, and that no payload is dropped."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from turnkeeper.facts.codec import decode, encode
from turnkeeper.facts.fact import MAIN_THREAD, Fact, Moment, Source
from turnkeeper.facts.kinds import (
    AgentSpoke,
    Cause,
    Compacted,
    Compacting,
    DirectoryChanged,
    Ending,
    Notified,
    Origin,
    Outcome,
    PermissionAsked,
    PromptSubmitted,
    SessionEnded,
    SessionStarted,
    SubagentEnded,
    SubagentStarted,
    ToolFinished,
    ToolStarted,
    TurnEnded,
    Unrecognised,
    Waits,
    What,
)
from turnkeeper.sources.claude_hooks import read_hook

Json = dict[str, Any]  # a payload is any JSON


def read(payload: Json | bytes) -> list[Fact]:
    raw = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    return read_hook(raw, key="s:spool", happened_at=Moment(12), heard_at=Moment(13))


def words(payload: Json | bytes) -> list[What]:
    return [each.what for each in read(payload)]


def heard(event: str, **fields: object) -> Json:
    return {
        "session_id": "5413d6c7",
        "transcript_path": "/home/dev/.claude/projects/-home-dev-project/5413d6c7.jsonl",
        "cwd": "/home/dev/project",
        "prompt_id": "p1",
        "hook_event_name": event,
        **fields,
    }


# What each event says ---------------------------------------------------------------------------


@pytest.mark.parametrize("cause", [each for each in Cause if each is not Cause.UNKNOWN])
def test_a_session_starts_for_a_cause(cause: Cause) -> None:
    (started,) = words(heard("SessionStart", source=cause.value, model="claude-x"))

    assert started == SessionStarted(
        cause,
        "/home/dev/project",
        "/home/dev/.claude/projects/-home-dev-project/5413d6c7.jsonl",
        model="claude-x",
    )


@pytest.mark.parametrize("source", ["teleport", None, 7])
def test_a_cause_nobody_knows_is_not_guessed(source: object) -> None:
    (started,) = words(heard("SessionStart", source=source))

    assert isinstance(started, SessionStarted)
    assert started.cause is Cause.UNKNOWN


def test_a_prompt_is_a_persons_unless_it_was_injected() -> None:
    typed = heard("UserPromptSubmit", prompt="add retries")
    injected = heard("UserPromptSubmit", prompt="<task-notification>\n<task-id>b1")

    assert words(typed) == [PromptSubmitted("add retries", "p1")]
    (notified,) = words(injected)
    assert isinstance(notified, PromptSubmitted)
    assert notified.origin is Origin.BACKGROUND


def test_a_stop_carries_the_last_words_and_then_the_end() -> None:
    stop = heard("Stop", last_assistant_message="Done.", background_tasks=[{"id": "b1"}])

    spoken, ended = words(stop)

    assert spoken == AgentSpoke("Done.", "p1", final=True)
    assert ended == TurnEnded(Ending.DONE, "p1", background=1)
    assert [each.key for each in read(stop)] == ["s:spool", "s:spool.1"]


@pytest.mark.parametrize("last", [None, "", "  \n", 7])
def test_a_stop_without_words_is_an_end_alone(last: object) -> None:
    assert words(heard("Stop", last_assistant_message=last)) == [TurnEnded(Ending.DONE, "p1")]


def test_a_failure_says_of_what_kind_and_in_which_words() -> None:
    failed = heard("StopFailure", error="rate_limit", last_assistant_message="API Error: 429")

    assert words(failed) == [TurnEnded(Ending.FAILED, "p1", "rate_limit: API Error: 429")]
    assert words(heard("StopFailure")) == [TurnEnded(Ending.FAILED, "p1")]


def test_only_the_input_of_a_call_that_waits_for_a_person_is_kept() -> None:
    bash = heard("PreToolUse", tool_name="Bash", tool_use_id="c", tool_input={"command": "ls"})
    question = bash | {"tool_name": "AskUserQuestion", "tool_input": {"questions": []}}

    assert words(bash) == [ToolStarted("Bash", "c", prompt="p1")]
    (asked,) = words(question)
    assert isinstance(asked, ToolStarted)
    assert (asked.waits, bytes(asked.input)) == (Waits.QUESTION, b'{"questions":[]}')


def test_a_call_ends_well_or_badly() -> None:
    done = heard("PostToolUse", tool_name="Bash", tool_use_id="c", duration_ms=12.6)
    failed = heard("PostToolUseFailure", tool_name="Bash", tool_use_id="c", error="no")

    assert words(done) == [ToolFinished("c", "Bash", duration_ms=13, prompt="p1")]
    assert words(failed) == [ToolFinished("c", "Bash", Outcome.FAILED, prompt="p1")]


@pytest.mark.parametrize("odd", [True, -1, 10**30, 1e300, "fast", None, []])
def test_a_duration_nobody_can_mean_is_not_kept(odd: object) -> None:
    (ended,) = words(heard("PostToolUse", tool_use_id="c", duration_ms=odd))

    assert isinstance(ended, ToolFinished)
    assert ended.duration_ms is None


def test_a_permission_keeps_what_it_is_asked_for_and_what_is_suggested() -> None:
    wish = {"tool_name": "Bash", "tool_input": {"command": "touch x"}}

    (asked,) = words(heard("PermissionRequest", **wish, permission_suggestions=[{"type": "a"}]))
    (plain,) = words(heard("PermissionRequest", **wish))

    assert isinstance(asked, PermissionAsked)
    assert bytes(asked.input) == b'{"command":"touch x"}'
    assert bytes(asked.suggestions) == b'[{"type":"a"}]'
    assert decode(encode(plain)) == plain


@pytest.mark.parametrize(
    ("payload", "what"),
    [
        (heard("SessionEnd", reason="clear"), SessionEnded("clear")),
        (heard("Notification", notification_type="idle_prompt"), Notified("idle_prompt")),
        (heard("SubagentStart", agent_id="a7", agent_type="x"), SubagentStarted("a7", "x")),
        (heard("SubagentStop", agent_id="a7", agent_type=""), SubagentEnded("a7")),
        (heard("PreCompact", trigger="manual"), Compacting("manual")),
        (heard("PostCompact", trigger="auto"), Compacted("auto")),
        (heard("CwdChanged", new_cwd="/srv"), DirectoryChanged("/srv")),
    ],
)
def test_the_other_events(payload: Json, what: What) -> None:
    assert words(payload) == [what]


def test_inside_a_sub_agent_tools_are_its_own_and_its_coming_and_going_is_not() -> None:
    tool = heard("PostToolUse", tool_use_id="c", agent_id="a7")
    going = heard("SubagentStop", agent_id="a7", last_assistant_message="Found it.")

    assert [each.thread for each in read(tool)] == ["a7"]
    assert [each.thread for each in read(going)] == [MAIN_THREAD]
    assert words(going) == [SubagentEnded("a7")]


def test_a_stop_inside_a_sub_agent_is_no_end_of_the_main_thread() -> None:
    assert {each.thread for each in read(heard("Stop", agent_id="a7"))} == {"a7"}


def test_a_fact_says_who_when_and_how_we_know() -> None:
    (fact,) = read(heard("SessionEnd", reason="other"))

    assert (fact.session, fact.source) == ("5413d6c7", Source.HOOK)
    assert (fact.happened_at, fact.heard_at) == (12, 13)


# What cannot be read is kept --------------------------------------------------------------------


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"{",
        b"null",
        b"[]",
        b"\0\0\0",
        b'{"session_id":"s"}{"session_id":"s"}',
        b'{"x":' + b"[" * 20_000 + b"]" * 20_000 + b"}",
        b'{"x":' + b"9" * 5_000 + b"}",
        heard("OfTomorrow"),
        heard("SessionPaused"),
        heard("UserPromptSubmit"),
        heard("UserPromptSubmit", prompt=["no", "text"]),
        heard("PreToolUse", tool_name="Bash"),
        heard("PermissionRequest"),
        heard("SubagentStop"),
        heard("CwdChanged"),
        heard("Stop") | {"session_id": ""},
        heard("Stop") | {"session_id": 7},
    ],
    ids=lambda payload: str(payload)[:40],
)
def test_what_cannot_be_read_is_kept_whole(payload: Json | bytes) -> None:
    (kept,) = words(payload)

    assert isinstance(kept, Unrecognised)
    assert kept.hash
    assert kept.why


def test_a_letter_that_is_none_does_not_cost_the_payload() -> None:
    half = json.dumps(heard("UserPromptSubmit", prompt="cut \ud83d")).encode()
    bad = json.dumps(heard("UserPromptSubmit", prompt="cut ~")).encode().replace(b"~", b"\xff")

    assert words(half) == words(bad) == [PromptSubmitted("cut \ufffd", "p1")]


odd = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner, max_size=2)
    ),
    max_leaves=4,
)
EVENTS = [
    *("SessionStart", "SessionEnd", "UserPromptSubmit", "Stop", "StopFailure", "PreToolUse"),
    *("PostToolUse", "PermissionRequest", "Notification", "SubagentStop", "PreCompact"),
]
FIELDS = [
    *("prompt_id", "prompt", "tool_name", "tool_input", "tool_use_id", "agent_id", "source"),
    *("permission_suggestions", "duration_ms", "last_assistant_message", "background_tasks"),
]
payloads = st.fixed_dictionaries(
    {"hook_event_name": st.sampled_from(EVENTS) | odd, "session_id": st.just("s") | odd},
    optional=dict.fromkeys(FIELDS, odd),
)


@settings(max_examples=20, deadline=None)
@given(payloads)
def test_fields_of_any_type_make_at_least_one_fact(payload: Json) -> None:
    facts = read(msgspec.json.encode(payload))

    assert facts
    assert all(decode(encode(each.what)) == each.what for each in facts)


@settings(max_examples=20, deadline=None)
@given(st.binary(max_size=60))
def test_bytes_of_any_kind_make_one_fact(noise: bytes) -> None:
    (kept,) = words(noise)

    assert decode(encode(kept)) == kept
