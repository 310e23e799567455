"""The shape of a Claude Code transcript line, as far as we read it.

The format is internal to the client and changes between versions, so every field is
optional and everything else is skipped unread, which is also what makes reading quick.
"""

import re

import msgspec

MOST = 2**53
"""The largest number a client can mean: beyond it JavaScript loses count."""

ESCAPE = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    rb"|(?P<lone>u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)


KNOWN_TYPES = frozenset(
    [
        "agent-name",
        "agent-setting",
        "ai-title",
        "api-request",
        "api-request-blob",
        "api-request-shape",
        "assistant",
        "atis-latch",
        "attachment",
        "bridge-session",
        "content-replacement",
        "continued-in",
        "cost-state",
        "custom-title",
        "ended-by-model",
        "file-history-delta",
        "file-history-snapshot",
        "fork-context-ref",
        "frame-link",
        "last-prompt",
        "mode",
        "permission-mode",
        "pr-link",
        "progress",
        "queue-operation",
        "relocated",
        "summary",
        "system",
        "tag",
        "tools-used",
        "user",
        "worktree-state",
    ]
)
"""The types of line that clients were seen to write. Another one is kept, and counted."""


class Block(msgspec.Struct):
    type: str = ""
    text: str = ""
    id: str = ""
    name: str = ""
    input: msgspec.Raw = msgspec.Raw(b"")
    tool_use_id: str = ""
    content: msgspec.Raw = msgspec.Raw(b"")
    is_error: bool | None = None


class Tokens(msgspec.Struct):
    input_tokens: int | None = 0
    output_tokens: int | None = 0
    cache_read_input_tokens: int | None = 0
    cache_creation_input_tokens: int | None = 0


class Message(msgspec.Struct):
    id: str = ""
    model: str = ""
    content: str | list[Block] = ""
    stop_reason: str | None = None
    usage: Tokens | None = None


class Provenance(msgspec.Struct):
    kind: str = ""


class Attachment(msgspec.Struct):
    type: str = ""
    prompt: msgspec.Raw = msgspec.Raw(b"")
    origin: Provenance | None = None
    command_mode: str = msgspec.field(default="", name="commandMode")


class Line(msgspec.Struct, rename="camel"):
    """One line of a transcript."""

    type: str = ""
    subtype: str = ""
    uuid: str = ""
    timestamp: str = ""
    message: Message | None = None
    attachment: Attachment | None = None
    origin: Provenance | None = None
    prompt_id: str | None = None
    prompt_source: str = ""
    request_id: str | None = None
    agent_id: str | None = None
    team_name: str | None = None
    is_sidechain: bool | None = None
    is_meta: bool | None = None
    is_compact_summary: bool | None = None
    is_api_error_message: bool | None = None
    error: msgspec.Raw = msgspec.Raw(b"")
    tool_denial_kind: str | None = None
    cwd: str | None = None
    version: str | None = None
    git_branch: str | None = None
    entrypoint: str | None = None
    snake_session_id: str | None = msgspec.field(default=None, name="session_id")
    custom_title: str | None = None
    ai_title: str | None = None
    agent_name: str | None = None
    summary: str | None = None
    content: msgspec.Raw = msgspec.Raw(b"")


class Loose(msgspec.Struct):
    """The little we can say of a line whose other fields are not what we expect."""

    type: str = ""
    uuid: str = ""
    timestamp: str = ""


line_decoder = msgspec.json.Decoder(Line)
loose_decoder = msgspec.json.Decoder(Loose)
blocks_decoder = msgspec.json.Decoder(str | list[Block])
text_decoder = msgspec.json.Decoder(str)


def legible(raw: bytes) -> bytes:
    """The same line in UTF-8 that can be read: what is none becomes U+FFFD, and so does half of
    a surrogate pair, which a client writes where it cut a text in the middle of an emoji."""
    if not raw.isascii():
        raw = _utf8(raw)
    if rb"\ud" not in raw and rb"\uD" not in raw:
        return raw
    return ESCAPE.sub(lambda found: rb"\ufffd" if found["lone"] else found[0], raw)


def _utf8(raw: bytes) -> bytes:
    try:
        raw.decode()
    except UnicodeDecodeError:
        return raw.decode("utf-8", "replace").encode()
    return raw
