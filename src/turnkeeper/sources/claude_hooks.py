"""Reads Claude Code's hook payloads. Never raises and never drops."""

import re
from collections.abc import Mapping

import msgspec

from turnkeeper.facts.fact import MAIN_THREAD, Fact, Moment, Source
from turnkeeper.facts.identity import digest
from turnkeeper.facts.kinds import (
    UNGIVEN,
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
    What,
)
from turnkeeper.sources.claude_lines import MOST, legible
from turnkeeper.sources.claude_tools import waits_of
from turnkeeper.sources.claude_words import INJECTED, KEPT_RAW, SLASH_TYPED

Payload = Mapping[str, object]
_decoder = msgspec.json.Decoder(dict[str, object])
OFFER = "turnkeeper_offer"
"""Our waiting hook's own mark in a payload that it spools."""

PROMPT_ID = re.compile(rb'"prompt_id":\s*"([\w-]{1,64})"')


def read_hook(raw: bytes, *, key: str, happened_at: Moment, heard_at: Moment) -> list[Fact]:
    """Translate one payload. `key` names it; its facts are told apart by their number.

    A payload that was offered first, and spooled when its hook gave up, keeps the offer's name.
    """
    payload, words = _read(raw)
    if offer := _text(payload, OFFER):
        key = f"offer:{offer}"
    return [
        Fact(
            key=f"{key}.{part}" if part else key,
            session=_text(payload, "session_id"),
            source=Source.HOOK,
            happened_at=happened_at,
            heard_at=heard_at,
            what=word,
            thread=_thread(payload, word),
        )
        for part, word in enumerate(words)
    ]


def event_of(what: What) -> str:
    """The client's own name for what a hook told; empty where several names tell the same."""
    match what:
        case ToolFinished(outcome=Outcome.FAILED):
            return "PostToolUseFailure"
        case TurnEnded(how=Ending.FAILED):
            return "StopFailure"
        case _:
            return _EVENTS.get(type(what), "")


_EVENTS: Mapping[type, str] = {
    SessionStarted: "SessionStart",
    SessionEnded: "SessionEnd",
    PromptSubmitted: "UserPromptSubmit",
    ToolStarted: "PreToolUse",
    ToolFinished: "PostToolUse",
    PermissionAsked: "PermissionRequest",
    Notified: "Notification",
    SubagentStarted: "SubagentStart",
    SubagentEnded: "SubagentStop",
    TurnEnded: "Stop",
    Compacting: "PreCompact",
    Compacted: "PostCompact",
    DirectoryChanged: "CwdChanged",
}


def _read(raw: bytes) -> tuple[Payload, list[What]]:
    """What one payload says. A payload we do not know, or cannot read, is kept whole."""
    try:
        payload = _decoder.decode(legible(raw))
    except (msgspec.DecodeError, UnicodeDecodeError, ValueError, RecursionError) as cause:
        return {}, [_unrecognised(raw, str(cause))]
    event = _text(payload, "hook_event_name")
    words = _known(event, payload) if _text(payload, "session_id") else None
    why = f"the event {event!r} is not known, or lacks what we read in it"
    return payload, words if words is not None else [_unrecognised(raw, why)]


def _known(event: str, payload: Payload) -> list[What] | None:
    if event.startswith("Session"):
        return _session_words(event, payload)
    if event in ("PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionRequest"):
        return _tool_words(event, payload)
    if event in ("UserPromptSubmit", "Stop", "StopFailure"):
        return _turn_words(event, payload)
    return _other_words(event, payload)


def _session_words(event: str, payload: Payload) -> list[What] | None:
    match payload:
        case {"hook_event_name": "SessionStart"}:
            return [
                SessionStarted(
                    cause=_cause(_text(payload, "source")),
                    cwd=_text(payload, "cwd"),
                    transcript=_text(payload, "transcript_path"),
                    model=_text(payload, "model"),
                )
            ]
        case {"hook_event_name": "SessionEnd"}:
            return [SessionEnded(_text(payload, "reason"))]
        case _:
            return None


def _cause(source: str) -> Cause:
    try:
        return Cause(source)
    except ValueError:
        return Cause.UNKNOWN


def _turn_words(event: str, payload: Payload) -> list[What] | None:
    prompt = _text(payload, "prompt_id")
    match payload:
        case {"hook_event_name": "UserPromptSubmit", "prompt": str(text)}:
            return [PromptSubmitted(text, prompt, _origin(text))]
        case {"hook_event_name": "Stop"}:
            tasks = payload.get("background_tasks")
            running = len(tasks) if isinstance(tasks, list) else 0
            ended = TurnEnded(Ending.DONE, prompt, background=running)
            return [*_last_words(payload, prompt), ended]
        case {"hook_event_name": "StopFailure"}:
            why = _text(payload, "last_assistant_message") or _text(payload, "error_details")
            kind = _text(payload, "error")
            said = f"{kind}: {why}" if kind and why else kind or why
            return [TurnEnded(Ending.FAILED, prompt, said)]
        case _:
            return None


def _origin(text: str) -> Origin:
    if INJECTED.match(text):
        return Origin.BACKGROUND
    return Origin.SLASH if SLASH_TYPED.match(text) else Origin.HUMAN


def _last_words(payload: Payload, prompt: str) -> list[What]:
    text = _text(payload, "last_assistant_message")
    return [AgentSpoke(text, prompt, final=True)] if text.strip() else []


def _tool_words(event: str, payload: Payload) -> list[What] | None:
    prompt = _text(payload, "prompt_id")
    match payload:
        case {"hook_event_name": "PreToolUse", "tool_name": str(tool), "tool_use_id": str(call)}:
            waits = waits_of(tool)
            # The transcript has every input; a question is needed before it gets there.
            asked = _json(payload, "tool_input") if waits else UNGIVEN
            return [ToolStarted(tool, call, waits, asked, prompt)]
        case {"hook_event_name": "PostToolUse" | "PostToolUseFailure", "tool_use_id": str(call)}:
            failed = event == "PostToolUseFailure"
            outcome = Outcome.FAILED if failed else Outcome.DONE
            took = _milliseconds(payload.get("duration_ms"))
            tool = _text(payload, "tool_name")
            return [ToolFinished(call, tool, outcome, duration_ms=took, prompt=prompt)]
        case {"hook_event_name": "PermissionRequest", "tool_name": str(tool)}:
            asked = _json(payload, "tool_input")
            suggested = _json(payload, "permission_suggestions")
            return [PermissionAsked(tool, asked, waits_of(tool), suggested, prompt)]
        case _:
            return None


def _other_words(event: str, payload: Payload) -> list[What] | None:
    match payload:
        case {"hook_event_name": "Notification"}:
            return [Notified(_text(payload, "notification_type"), _text(payload, "message"))]
        case {"hook_event_name": "SubagentStart", "agent_id": str(subagent)}:
            return [SubagentStarted(subagent, _text(payload, "agent_type"))]
        case {"hook_event_name": "SubagentStop", "agent_id": str(subagent)}:
            return [SubagentEnded(subagent, _text(payload, "agent_type"))]
        case {"hook_event_name": "PreCompact"}:
            return [Compacting(_text(payload, "trigger"))]
        case {"hook_event_name": "PostCompact"}:
            return [Compacted(_text(payload, "trigger"))]
        case {"hook_event_name": "CwdChanged", "new_cwd": str(cwd)}:
            return [DirectoryChanged(cwd)]
        case _:
            return None


def _thread(payload: Payload, word: What) -> str:
    """Inside a sub-agent, tools and permissions are its own; its coming and going is not."""
    if isinstance(word, SubagentStarted | SubagentEnded):
        return MAIN_THREAD
    return _text(payload, "agent_id")


def _text(payload: Payload, name: str) -> str:
    value = payload.get(name)
    return value if isinstance(value, str) else ""


def _milliseconds(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return round(value) if 0 <= value < MOST else None


def _json(payload: Payload, name: str) -> msgspec.Raw:
    value = payload.get(name)
    return UNGIVEN if value is None else msgspec.Raw(msgspec.json.encode(value))


def _unrecognised(raw: bytes, why: str) -> Unrecognised:
    kept = raw[:KEPT_RAW].decode("utf-8", "replace")
    prompt = PROMPT_ID.search(raw)
    said = prompt[1].decode() if prompt else ""
    return Unrecognised(kept, why, digest(raw), len(raw), prompt=said)
