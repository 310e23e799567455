"""What a transcript line says (facts B5), and what a damaged one still says."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from turnkeeper.facts.codec import decode, encode
from turnkeeper.facts.fact import Fact, Moment, Source
from turnkeeper.facts.kinds import (
    AgentSpoke,
    Compacted,
    Ending,
    LinePassed,
    Origin,
    Outcome,
    PromptSubmitted,
    SessionSeen,
    Titled,
    ToolFinished,
    ToolStarted,
    TurnEnded,
    Unrecognised,
    Usage,
    Waits,
    What,
)
from turnkeeper.sources.claude_lines import legible
from turnkeeper.sources.claude_transcript import (
    Place,
    Reading,
    count_line,
    first_moment,
    moment_of,
    read_line,
)
from turnkeeper.sources.claude_words import KEPT_RAW

SESSION = "5413d6c7-305f-49b6-aa4c-b1ad0b89fa6a"
HEARD = Moment(1_794_792_999_000_000)

Json = dict[str, Any]  # a transcript line is any JSON


def read(*lines: Json | bytes, reading: Reading | None = None) -> list[Fact]:
    reading = reading or Reading(SESSION)
    facts: list[Fact] = []
    for line in lines:
        raw = line if isinstance(line, bytes) else json.dumps(line).encode()
        facts += read_line(raw, reading, Place(0, len(raw), HEARD))
    return facts


def words(*lines: Json | bytes) -> list[What]:
    """What the lines say, but for where the session lives."""
    return [each.what for each in read(*lines) if not isinstance(each.what, SessionSeen)]


def entry(type_: str, **fields: object) -> Json:
    return {
        "parentUuid": None,
        "isSidechain": False,
        "type": type_,
        "uuid": "4afc758c",
        "timestamp": "2026-11-16T01:34:30.512Z",
        "sessionId": SESSION,
        **fields,
    }


def user(content: object, **fields: object) -> Json:
    return entry("user", message={"role": "user", "content": content}, promptId="p1", **fields)


def typed(text: object) -> Json:
    return user(text, origin={"kind": "human"}, promptSource="typed", permissionMode="default")


def assistant(*content: Json, stop: str | None = "end_turn", **message: object) -> Json:
    inner = {"id": "msg_1", "model": "claude-x", "content": list(content), "stop_reason": stop}
    return entry("assistant", message=inner | message, requestId="req_1")


def text(said: str) -> Json:
    return {"type": "text", "text": said}


def result(**fields: object) -> Json:
    return {"type": "tool_result", "tool_use_id": "toolu_1", "content": "ok", **fields}


# The order of facts B5, first match wins --------------------------------------------------------


@pytest.mark.parametrize(
    ("mark", "thread"),
    [
        ({"isSidechain": True, "agentId": "a7b898"}, "a7b898"),
        ({"isSidechain": True}, "sidechain"),
        ({"teamName": "reviewers"}, "reviewers"),
    ],
)
def test_1_a_sidechain_or_a_team_is_not_the_main_thread(mark: Json, thread: str) -> None:
    assert [each.thread for each in read(typed("look") | mark)] == [thread]


def test_1_a_file_of_a_sub_agent_is_not_the_main_thread_either() -> None:
    facts = read(typed("look"), reading=Reading(SESSION, thread="a7b898"))

    assert [each.thread for each in facts] == ["a7b898"]


@pytest.mark.parametrize("kind", ["mode", "last-prompt", "file-history-snapshot", "of-tomorrow"])
def test_2_metadata_is_passed_as_type_hash_and_place(kind: str) -> None:
    (passed,) = words({"type": kind, "sessionId": SESSION})

    assert isinstance(passed, LinePassed)
    assert (passed.type, passed.start, passed.end > 0) == (kind, 0, True)


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ({"type": "custom-title", "customTitle": "payments"}, Titled("payments", chosen=True)),
        ({"type": "agent-name", "agentName": "ann"}, Titled("ann", chosen=True)),
        ({"type": "ai-title", "aiTitle": "Add retries"}, Titled("Add retries")),
        ({"type": "summary", "summary": "Retries"}, Titled("Retries")),
    ],
)
def test_2_a_title_is_metadata_that_a_person_reads(line: Json, title: Titled) -> None:
    assert words(line) == [title]


@pytest.mark.parametrize(
    ("subtype", "how"), [("turn_duration", Ending.CLOSED), ("stop_hook_summary", Ending.DONE)]
)
def test_3_the_system_tells_the_end_of_a_turn(subtype: str, how: Ending) -> None:
    asked, ended = words(typed("hello"), entry("system", subtype=subtype))

    assert isinstance(asked, PromptSubmitted)
    assert ended == TurnEnded(how, "p1", entry="4afc758c")


def test_3_other_system_lines() -> None:
    printed = entry("system", subtype="local_command", content="<local-command-stdout>3 files")
    named = entry("system", subtype="local_command", content="<command-name>/cost</command-name>")

    assert words(entry("system", subtype="compact_boundary")) == [Compacted(entry="4afc758c")]
    assert words(printed) == [TurnEnded(Ending.CLOSED, entry="4afc758c")]
    assert isinstance(words(named)[0], LinePassed)
    assert isinstance(words(entry("system", subtype="api_error"))[0], LinePassed)


@pytest.mark.parametrize(
    "line",
    [
        user("Summary: …", isCompactSummary=True),
        user("This session is being continued from a previous conversation that ran out"),
    ],
)
def test_4_a_summary_is_nobodys_prompt(line: Json) -> None:
    (summary,) = words(line)

    assert isinstance(summary, PromptSubmitted)
    assert summary.origin is Origin.SUMMARY


@pytest.mark.parametrize(
    ("denial", "outcome"),
    [
        ("user-rejected", Outcome.DENIED),
        ("interrupted", Outcome.INTERRUPTED),
        ("permission-rule", Outcome.DENIED),
    ],
)
def test_5_a_refusal_says_how_the_call_ended(denial: str, outcome: Outcome) -> None:
    (refused,) = words(user([result(is_error=True)], toolDenialKind=denial))

    assert isinstance(refused, ToolFinished)
    assert refused.outcome is outcome


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("ok", "ok"),
        ([text("one"), text("two")], "one\ntwo"),
        (None, "null"),
        ({"a": 1}, '{"a": 1}'),
    ],
)
def test_6_a_tool_result_is_kept_whatever_its_shape(content: object, said: str) -> None:
    (ended,) = words(user([result(content=content)]))

    assert ended == ToolFinished("toolu_1", text=said, prompt="p1", entry="4afc758c")


def test_6_a_failed_call_says_so_and_parallel_results_are_each_a_fact() -> None:
    line = user([result(is_error=True), result(tool_use_id="toolu_2")])

    outcomes = [(each.call, each.outcome) for each in words(line) if isinstance(each, ToolFinished)]

    assert outcomes == [("toolu_1", Outcome.FAILED), ("toolu_2", Outcome.DONE)]
    assert len({each.key for each in read(line)}) == 2


@pytest.mark.parametrize(
    "line",
    [
        user("<task-notification>\n<task-id>b1", origin={"kind": "task-notification"}),
        user("<task-notification>\n<task-id>b1"),
        user("hello from afar", origin={"kind": "peer"}),
        user("of a kind we do not know", origin={"kind": "teleport"}),
        user("<scheduled-task name='nightly'>"),
        user("<<autonomous-loop>> go on"),
    ],
)
def test_7_and_11_what_no_person_typed_is_background(line: Json) -> None:
    (injected,) = words(line)

    assert isinstance(injected, PromptSubmitted)
    assert injected.origin is Origin.BACKGROUND


@pytest.mark.parametrize(
    "line",
    [
        user("Caveat: …", isMeta=True),
        user("<local-command-caveat>The command below"),
        user("<session-start-hook>"),
        user("<tick>"),
        user("<bash-input>ls</bash-input>"),
        user("<bash-stdout>made.txt</bash-stdout>"),
        user("<ide_opened_file>pay.py</ide_opened_file>"),
        user("<system-reminder>the date is"),
        user(""),
        user([]),
    ],
)
def test_8_and_9_noise_is_passed(line: Json) -> None:
    (passed,) = words(line)

    assert isinstance(passed, LinePassed)


def test_9_a_slash_command_reads_as_it_was_typed() -> None:
    markup = "<command-message>review</command-message>\n<command-name>/review</command-name>"
    with_args = markup + "<command-args>pay.py\nand tests</command-args>"

    assert words(user(markup)) == [PromptSubmitted("/review", "p1", Origin.SLASH, "4afc758c")]
    (typed_out,) = words(user(with_args))
    assert isinstance(typed_out, PromptSubmitted)
    assert typed_out.text == "/review pay.py\nand tests"


@pytest.mark.parametrize("marker", ["", " for tool use"])
@pytest.mark.parametrize("block", [True, False])
def test_10_the_interrupt_marker_ends_the_turn(marker: str, block: bool) -> None:
    said = f"[Request interrupted by user{marker}]"

    ended = words(user([text(said)] if block else said))

    assert ended == [TurnEnded(Ending.INTERRUPTED, "p1", entry="4afc758c")]


def test_10_a_person_may_speak_of_the_marker() -> None:
    (asked,) = words(typed("Why does it say [Request interrupted by user]?"))

    assert isinstance(asked, PromptSubmitted)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("add retries", "add retries"),
        ([text("add"), text("retries")], "add\nretries"),
        ([text("see"), {"type": "image", "source": {}}], "see\n[image]"),
    ],
)
def test_12_the_rest_is_a_users_prompt(content: object, said: str) -> None:
    assert words(typed(content)) == [PromptSubmitted(said, "p1", Origin.HUMAN, "4afc758c")]


def test_12_a_prompt_typed_mid_turn_is_an_attachment_and_joins_the_running_turn() -> None:
    queued = {
        "type": "queued_command",
        "prompt": "and one more thing",
        "commandMode": "prompt",
        "origin": {"kind": "human"},
    }
    notified = queued | {"prompt": "<task-notification>", "origin": {"kind": "task-notification"}}

    _, joined = words(typed("first"), entry("attachment", attachment=queued))
    (passed,) = words(entry("attachment", attachment=notified))

    assert joined == PromptSubmitted("and one more thing", "p1", Origin.INTERJECTED, "4afc758c")
    assert isinstance(passed, LinePassed)


@pytest.mark.parametrize(
    ("stop", "final"),
    [("end_turn", True), ("stop_sequence", True), ("tool_use", False), (None, None)],
)
def test_13_a_reply_says_whether_it_is_final(stop: str | None, final: bool | None) -> None:
    (reply,) = words(assistant(text("Done."), stop=stop))

    assert reply == AgentSpoke("Done.", "", final, "4afc758c", "msg_1")


def test_13_a_call_keeps_its_input_and_knows_whether_it_waits_for_a_person() -> None:
    asked = {"type": "tool_use", "id": "toolu_1", "name": "AskUserQuestion", "input": {"a": [1]}}

    (begun,) = words(assistant(asked, stop="tool_use"))

    assert isinstance(begun, ToolStarted)
    assert (begun.tool, begun.call, begun.waits) == ("AskUserQuestion", "toolu_1", Waits.QUESTION)
    assert json.loads(bytes(begun.input)) == {"a": [1]}


def test_13_thinking_is_passed() -> None:
    (passed,) = words(assistant({"type": "thinking", "thinking": "", "signature": "c2ln"}))

    assert isinstance(passed, LinePassed)


def test_13_usage_names_its_message_and_request() -> None:
    tokens = {"input_tokens": 3, "output_tokens": 118, "cache_read_input_tokens": 41_000}

    (reply,) = words(assistant(text("Hi."), usage=tokens | {"cache_creation_input_tokens": None}))

    assert isinstance(reply, AgentSpoke)
    assert reply.usage == Usage("msg_1", "req_1", "claude-x", 3, 118, 41_000, 0)


def test_13_what_the_client_says_itself_is_synthetic_and_may_be_a_failure() -> None:
    filler = assistant(text("No response requested."), model="<synthetic>")
    banner = assistant(text("API Error: 400"), model="<synthetic>")
    failure = banner | {"isApiErrorMessage": True, "error": "unknown"}

    assert [type(each) for each in words(filler)] == [AgentSpoke]
    spoken, failed = words(failure)
    assert isinstance(spoken, AgentSpoke)
    assert spoken.synthetic
    assert failed == TurnEnded(Ending.FAILED, "", "unknown", entry="4afc758c")


# Where and when -----------------------------------------------------------------------------------


def test_where_a_session_lives_is_told_when_it_changes() -> None:
    home = {"cwd": "/home/ann", "version": "2.1.325", "gitBranch": "main", "entrypoint": "cli"}
    elsewhere = home | {"cwd": "/srv"}
    lines = (typed("a") | home, typed("b") | home, typed("c") | elsewhere)

    seen = [each.what.cwd for each in read(*lines) if isinstance(each.what, SessionSeen)]

    assert seen == ["/home/ann", "/srv"]


def test_a_fork_names_its_parent() -> None:
    forked = typed("a") | {"cwd": "/home/ann", "session_id": "the-original"}

    (where,) = [each.what for each in read(forked) if isinstance(each.what, SessionSeen)]

    assert where.parent == "the-original"


def test_a_line_without_a_time_happened_when_the_line_before_it_did() -> None:
    first, second = read(typed("hello"), {"type": "mode", "sessionId": SESSION})

    assert first.happened_at == second.happened_at == 1_794_792_870_512_000
    assert first.source is Source.TRANSCRIPT


@pytest.mark.parametrize("odd", ["", "yesterday", "2026-11-16T01:34:30", "\0"])
def test_a_time_that_cannot_be_read_is_none(odd: str) -> None:
    assert moment_of(odd) is None


def test_lines_without_a_uuid_are_told_apart_by_how_often_they_were_written() -> None:
    mode = {"type": "mode", "sessionId": SESSION}

    assert len({each.key for each in read(mode, mode, mode)}) == 3
    assert [each.key for each in read(mode, mode)] == [each.key for each in read(mode, mode)]


@pytest.mark.parametrize(
    "raw",
    [b'{"type":"mode"}', b'{"type":"mode"', b'{"type":"mode"}{"type":"tag"}', b"\0\0"],
    ids=["whole", "torn", "spliced", "NUL"],
)
def test_a_reader_that_counts_what_an_earlier_one_read_goes_on_where_it_stopped(
    raw: bytes,
) -> None:
    reading = Reading(SESSION)
    count_line(raw, reading)

    in_one = [each.key for each in read(raw, raw)]
    resumed = [each.key for each in read(raw, reading=reading)]

    assert resumed == in_one[len(in_one) // 2 :]


# Damage -------------------------------------------------------------------------------------------

WHOLE = json.dumps(typed("kept")).encode()
KEPT = PromptSubmitted("kept", "p1", Origin.HUMAN, "4afc758c")


def spoken_in(raw: bytes) -> list[str]:
    return [each.text for each in words(raw) if isinstance(each, PromptSubmitted)]


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"\0" * 4096,
        b"\xff\xfe",
        b"null",
        b"[]",
        b"7",
        WHOLE[:40],
        b'{"type":"user"',
        b'{"type":["user"]}',
        b'{"type":"user","message":"no object"}',
        b'{"type":"user","message":{"content":[null]}}',
        b'{"type":"user","x":' + b"[" * 20_000 + b"]" * 20_000 + b"}",
        b'{"type":"user","x":' + b"9" * 5_000 + b"}",
    ],
    ids=lambda raw: repr(raw[:24]),
)
def test_what_cannot_be_read_is_kept_for_a_later_version(raw: bytes) -> None:
    facts = [each.what for each in read(raw)]

    assert len(facts) == 1
    assert isinstance(facts[0], Unrecognised | LinePassed)


def test_of_a_huge_line_the_beginning_the_hash_and_the_size_are_kept() -> None:
    raw = b'{"type":"user","message":{"content":"' + b"x" * (2 * KEPT_RAW)

    (kept,) = words(raw)

    assert isinstance(kept, Unrecognised)
    assert (len(kept.raw), kept.size) == (KEPT_RAW, len(raw))
    assert kept.hash


def test_ten_megabytes_are_a_prompt_like_any_other() -> None:
    assert len(spoken_in(json.dumps(typed("x" * 10_000_000)).encode())[0]) == 10_000_000


@pytest.mark.parametrize(
    "raw",
    [
        WHOLE + WHOLE.replace(b"kept", b"also"),
        b"\0" * 512 + WHOLE + WHOLE.replace(b"kept", b"also"),
        WHOLE[:60] + WHOLE + WHOLE.replace(b"kept", b"also"),
        WHOLE + WHOLE.replace(b"kept", b"also") + WHOLE[:30],
    ],
    ids=["two in one line", "after a run of NUL", "after a torn one", "before a torn one"],
)
def test_records_spliced_into_one_line_are_read_each(raw: bytes) -> None:
    assert spoken_in(raw) == ["kept", "also"]


def test_what_is_torn_beside_a_whole_record_is_kept_with_its_place() -> None:
    (torn, whole) = words(WHOLE[:60] + WHOLE)

    assert isinstance(torn, Unrecognised)
    assert (torn.start, torn.size) == (0, 60)
    assert whole == KEPT


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (WHOLE.replace(b"kept", b"ke\xffpt"), "ke\ufffdpt"),
        (WHOLE.replace(b"kept", b"ke\\ud83dpt"), "ke\ufffdpt"),
        (WHOLE.replace(b"kept", b"ke\\udc00pt"), "ke\ufffdpt"),
        (WHOLE.replace(b"kept", b"\\ud83d\\ude00"), "\U0001f600"),
        (WHOLE.replace(b"kept", b"\\\\ud83d"), "\\ud83d"),
        (WHOLE.replace(b"kept", b"ke\\u0000pt"), "ke\0pt"),
    ],
    ids=["bad byte", "half a pair", "other half", "a whole pair", "a backslash", "NUL"],
)
def test_a_letter_that_is_none_does_not_cost_the_line(raw: bytes, said: str) -> None:
    assert spoken_in(raw) == [said]


@pytest.mark.parametrize(
    "raw",
    [
        json.dumps(user([result(content="~")])).encode().replace(b"~", b"\xff"),
        json.dumps(entry("system", subtype="local_command", content="~"))
        .encode()
        .replace(b"~", b"\xff"),
        json.dumps(assistant({"type": "tool_use", "id": "c", "name": "B", "input": {"a": "~"}}))
        .encode()
        .replace(b"~", b"\xff"),
    ],
    ids=["a result", "an output", "an input"],
)
def test_a_bad_byte_in_what_is_kept_raw_is_mended_too(raw: bytes) -> None:
    for what in words(raw):
        assert decode(encode(what)) == what
        assert encode(what).decode()


def test_lines_before_the_first_time_happened_at_that_time() -> None:
    untimed, timed = {"type": "mode", "mode": "normal"}, entry("user")
    whole = b"\n".join(
        json.dumps(line, separators=(",", ":")).encode() for line in (untimed, timed)
    )
    reading = Reading(SESSION, at=first_moment(whole))

    facts = read(untimed, timed, {"type": "ai-title", "aiTitle": "A name"}, reading=reading)

    assert {fact.happened_at for fact in facts} == {moment_of(timed["timestamp"])}


def test_lines_that_tell_no_time_at_all_happened_when_they_were_heard() -> None:
    untimed = b'{"type":"mode","mode":"normal"}'

    (fact,) = read(untimed, reading=Reading(SESSION, at=first_moment(untimed)))

    assert fact.happened_at == HEARD


def test_numbers_no_client_can_mean_are_not_counted() -> None:
    (reply,) = words(assistant(text("Hi."), usage={"input_tokens": 10**30, "output_tokens": -1}))

    assert isinstance(reply, AgentSpoke)
    assert reply.usage == Usage("msg_1", "req_1", "claude-x")


# Never raises, never drops ------------------------------------------------------------------------

odd = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner, max_size=2)
    ),
    max_leaves=4,
)
types = st.sampled_from(["user", "assistant", "system", "attachment", "ai-title", "mode"])
blocks = st.fixed_dictionaries(
    {"type": st.sampled_from(["text", "tool_use", "tool_result", "image"])},
    optional=dict.fromkeys(("text", "id", "name", "input", "tool_use_id", "content"), odd),
)
messages = odd | st.fixed_dictionaries(
    {"content": odd | st.text(max_size=20) | st.lists(blocks, max_size=2)},
    optional={"id": odd, "model": odd, "stop_reason": odd, "usage": odd},
)
FIELDS = [
    "uuid",
    "timestamp",
    "origin",
    "promptId",
    "requestId",
    "agentId",
    "teamName",
    "isSidechain",
    "isMeta",
    "error",
    "cwd",
    "version",
    "isCompactSummary",
    "isApiErrorMessage",
    "toolDenialKind",
    "session_id",
    "customTitle",
    "summary",
    "content",
]
objects = st.fixed_dictionaries(
    {"type": types | odd},
    optional={"message": messages, "attachment": odd, "subtype": st.text(max_size=5)}
    | dict.fromkeys(FIELDS, odd),
)


@settings(max_examples=20, deadline=None)
@given(objects)
def test_fields_of_any_type_make_at_least_one_fact(line: Json) -> None:
    for each in read(msgspec.json.encode(line)):
        assert decode(encode(each.what)) == each.what
    assert words(msgspec.json.encode(line))


@settings(max_examples=20, deadline=None)
@given(st.binary(max_size=60), st.integers(0, len(WHOLE)), st.integers(0, len(WHOLE)))
def test_bytes_of_any_kind_make_at_least_one_fact(noise: bytes, start: int, end: int) -> None:
    for raw in (noise, WHOLE[:start] + noise + WHOLE[end:]):
        facts = read(raw)
        assert facts
        assert all(decode(encode(each.what)) == each.what for each in facts)


@settings(max_examples=20, deadline=None)
@given(st.binary(max_size=60))
def test_legible_bytes_are_utf8_and_stay_as_they_are(noise: bytes) -> None:
    mended = legible(noise)

    assert mended.decode().encode() == mended
    assert legible(mended) == mended
