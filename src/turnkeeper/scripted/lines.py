"""What the entries of a transcript say: the fields of 2.1.325, in its order."""

from collections.abc import Mapping
from dataclasses import dataclass

from turnkeeper.facts.fact import Moment
from turnkeeper.scripted.pace import iso
from turnkeeper.scripted.tokens import Tokens

MODEL = "claude-opus-5-5"
EFFORT = "medium"
REFUSED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it "
    "was a file edit, the new_string was NOT written to the file). STOP what you are doing and "
    "wait for the user to tell you how to proceed."
)
CUT_OFF = (
    "[Tool call interrupted: the session ended before this call's result was recorded, so its "
    "outcome is unknown. Check whether it took effect before relying on it or running it again.]"
)
CAVEAT = (
    "<local-command-caveat>The command below was run directly in the terminal by the user. Do "
    "not answer it unless the user asks for it.</local-command-caveat>"
)
RENDERED_FOR_USER = ("session_context", "remote_session_change")

Json = dict[str, object]


@dataclass(frozen=True, slots=True)
class Stamp:
    """An entry's own name and time."""

    uuid: str
    at: Moment

    def fields(self) -> Json:
        return {"uuid": self.uuid, "timestamp": iso(self.at)}


@dataclass(slots=True)
class Message:
    """One answer of the model: a line per block, all under one name."""

    id: str
    request: str
    tokens: Tokens
    model: str = MODEL
    blocks: int = 0


def user(content: object, stamp: Stamp, prompt: str | None, /, **marks: object) -> Json:
    """A line of type user that is no prompt: `marks` say what else it is."""
    named = {"promptId": prompt} if prompt else {}
    message = {"role": "user", "content": content}
    return {**named, "type": "user", "message": message, **marks, **stamp.fields()}


def prompt(text: str, stamp: Stamp, prompt_id: str, *, mode: str, position: Json) -> Json:
    return user(text, stamp, prompt_id) | {
        "permissionMode": mode,
        "origin": {"kind": "human"},
        "promptSource": "typed",
        "turnOrigin": "human",
        "turnPosition": position,
    }


def notice(text: str, stamp: Stamp, prompt_id: str, *, mode: str, position: Json, run: str) -> Json:
    return user(text, stamp, prompt_id) | {
        "permissionMode": mode,
        "origin": {"kind": "task-notification", "producer": "session-task", "runId": run},
        "promptSource": "system",
        "turnOrigin": "task_notification",
        "turnPosition": position,
        "queueSkipAttachments": True,
    }


def attachment(kind: str, stamp: Stamp, content: Mapping[str, object] | None = None) -> Json:
    fields: Json = {"attachment": {"type": kind, **(content or {})}, "type": "attachment"}
    fields |= stamp.fields()
    if kind != "prompt_snapshot":
        fields["renderedRole"] = "user" if kind in RENDERED_FOR_USER else "system"
    if kind == "remote_session_change":
        fields["renderedBesideToolResult"] = True
    return fields


def assistant(block: Json, stamp: Stamp, message: Message, *, stop: str, role: str = "") -> Json:
    """One block of the model's answer; `role` names a sub-agent's."""
    call = {"toolInputStreamMs": 1} if block["type"] == "tool_use" else {}
    fields: Json = {"message": model_message(block, message, stop), **call}
    fields |= {
        "apiBlockIndex": message.blocks,
        "requestRef": message.request,
        "requestedModel": message.model,
        "promptCacheRequested": "5m",
        **({"attributionAgent": role} if role else {}),
        "type": "assistant",
    }
    fields |= stamp.fields() | {"effort": EFFORT, "perTurnEffort": EFFORT, "madeBy": "model"}
    message.blocks += 1
    return fields


def model_message(block: Json, message: Message, stop: str) -> Json:
    return {
        "id": message.id,
        "type": "message",
        "role": "assistant",
        "model": message.model,
        "stop_sequence": None,
        "content": [block],
        "stop_reason": stop,
        "usage": {
            "input_tokens": message.tokens.input,
            "cache_creation_input_tokens": message.tokens.cache_write,
            "cache_read_input_tokens": message.tokens.cache_read,
            "output_tokens": message.tokens.output,
            "output_tokens_details": {"thinking_tokens": 0},
            "server_tool_use": {"web_search_requests": 0, "web_fetch_requests": 0},
            "service_tier": "standard",
            "cache_creation": {"ephemeral_1h_input_tokens": 0, "ephemeral_5m_input_tokens": 0},
            "inference_geo": "",
            "iterations": [],
            "speed": "standard",
            "fallback_credit": None,
        },
        "stop_details": None,
    }


def synthetic(text: str, stamp: Stamp, message_id: str, /, **marks: object) -> Json:
    """Words the client puts into the model's mouth: an error, or a filler."""
    message = {
        "diagnostics": None,
        "id": message_id,
        "container": None,
        "model": "<synthetic>",
        "role": "assistant",
        "stop_details": None,
        "stop_reason": "stop_sequence",
        "stop_sequence": "",
        "type": "message",
        "usage": {
            "output_tokens_details": None,
            "input_tokens": 0,
            "output_tokens": 0,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
            "server_tool_use": {"web_search_requests": 0, "web_fetch_requests": 0},
            "service_tier": None,
            "cache_creation": {"ephemeral_1h_input_tokens": 0, "ephemeral_5m_input_tokens": 0},
            "inference_geo": None,
            "iterations": None,
            "speed": None,
            "fallback_credit": None,
        },
        "content": [{"type": "text", "text": text}],
        "context_management": None,
    }
    return {"type": "assistant", **stamp.fields(), "message": message, **marks}


def result(call: str, content: object, *, failed: bool = False) -> list[Json]:
    return [
        {"tool_use_id": call, "type": "tool_result", "content": content, "is_error": failed},
    ]


def answered(call: str, content: object) -> list[Json]:
    return [{"type": "tool_result", "content": content, "tool_use_id": call}]


def refused(call: str, content: str = REFUSED) -> list[Json]:
    return [{"type": "tool_result", "content": content, "is_error": True, "tool_use_id": call}]


def stop_hook_summary(stamp: Stamp, command: str, tool_use: str) -> Json:
    return {
        "type": "system",
        "subtype": "stop_hook_summary",
        "hookCount": 1,
        "hookInfos": [{"command": command, "durationMs": 20}],
        "hookErrors": [],
        "hookAdditionalContext": [],
        "preventedContinuation": False,
        "stopReason": "",
        "hasOutput": False,
        "level": "suggestion",
        "timestamp": iso(stamp.at),
        "uuid": stamp.uuid,
        "toolUseID": tool_use,
    }


def turn_duration(stamp: Stamp, *, milliseconds: int, entries: int, subagents: int) -> Json:
    pending = {"pendingBackgroundAgentCount": subagents} if subagents else {}
    return {
        "type": "system",
        "subtype": "turn_duration",
        "durationMs": milliseconds,
        "messageCount": entries,
        **pending,
        "timestamp": iso(stamp.at),
        "uuid": stamp.uuid,
        "isMeta": False,
    }


def slash_command(name: str) -> str:
    pad = "\n            "
    return (
        f"<command-name>/{name}</command-name>{pad}"
        f"<command-message>{name}</command-message>{pad}<command-args></command-args>"
    )


def local_command(stamp: Stamp, name: str) -> Json:
    return {
        "type": "system",
        "subtype": "local_command",
        "content": "<local-command-stdout></local-command-stdout>",
        "level": "info",
        "timestamp": iso(stamp.at),
        "uuid": stamp.uuid,
        "isMeta": False,
        "commandRun": {"command": name, "args": ""},
    }


def compact_boundary(stamp: Stamp) -> Json:
    metadata = {
        "trigger": "manual",
        "preTokens": 135,
        "postTokens": 2798,
        "cumulativeDroppedTokens": 0,
        "durationMs": 181,
    }
    return {
        "type": "system",
        "subtype": "compact_boundary",
        "content": "Conversation compacted",
        "level": "info",
        "compactMetadata": metadata,
        **stamp.fields(),
    }
