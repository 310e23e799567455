"""What a Claude Code transcript line says: prompts, replies, tool calls, a turn's end."""

import re

import msgspec

from turnkeeper.facts.kinds import (
    AgentSpoke,
    Compacted,
    Ending,
    Origin,
    Outcome,
    PromptSubmitted,
    Titled,
    ToolFinished,
    ToolStarted,
    TurnEnded,
    Usage,
    What,
)
from turnkeeper.sources.claude_lines import (
    MOST,
    Block,
    Line,
    Message,
    blocks_decoder,
    text_decoder,
)
from turnkeeper.sources.claude_tools import waits_of

KEPT_RAW = 64 * 1024
SYNTHETIC = "<synthetic>"
INTERRUPTED = ("[Request interrupted by user]", "[Request interrupted by user for tool use]")
TURN_ENDS = {"turn_duration": Ending.CLOSED, "stop_hook_summary": Ending.DONE}
"""A Stop hook may still send the agent back to work; `turn_duration` is the turn's last word."""

INJECTED = re.compile(r"\s*<(?:task-notification|scheduled-task|<autonomous-loop)")
SLASH = re.compile(r"\s*<command-(?:name|message)>")
SLASH_TYPED = re.compile(r"/[a-zA-Z][\w:-]*(?:\s|$)")
"""A slash command as it is typed: `/home/ann` is a path."""

COMMAND_NAME = re.compile(r"<command-name>\s*([^<]*?)\s*</command-name>")
COMMAND_ARGS = re.compile(r"<command-args>(.*?)</command-args>", re.DOTALL)
LOCAL_OUTPUT = re.compile(r"\s*<local-command-std(?:out|err)>")
NOISE = re.compile(
    r"\s*<(?:local-command-(?:stdout|stderr|caveat)|session-start-hook|tick|goal|bash-(?:input|stdout|"
    r"stderr)|ide_opened_file|ide_selection|system-reminder)\b"
)
CONTINUED = "This session is being continued from a previous conversation"


SPEAKING = frozenset(
    {"user", "assistant", "system", "custom-title", "ai-title", "agent-name", "summary"}
)
QUEUED = "queued_command"


def may_speak(line: Line) -> bool:
    """Whether `words_of` may find words in this line."""
    return line.type in SPEAKING or (line.attachment is not None and line.attachment.type == QUEUED)


def words_of(line: Line, prompt: str) -> list[What]:
    """What a line says to a person; nothing for bookkeeping."""
    match line.type:
        case "user":
            return _user_words(line, prompt)
        case "assistant":
            return _agent_words(line, prompt)
        case "system":
            return _system_words(line, prompt)
        case "attachment":
            return _queued_words(line, prompt)
        case "custom-title" | "ai-title" | "agent-name" | "summary":
            return _title(line)
        case _:
            return []


def _user_words(line: Line, prompt: str) -> list[What]:
    blocks = _blocks(line.message)
    results = [block for block in blocks if block.type == "tool_result"]
    if results:
        return [_result(block, line, prompt) for block in results]
    text = "\n".join(_text_of(block) for block in blocks)
    if text in INTERRUPTED:
        return [TurnEnded(Ending.INTERRUPTED, prompt, entry=line.uuid)]
    if LOCAL_OUTPUT.match(text):
        return [TurnEnded(Ending.CLOSED, prompt, entry=line.uuid)]
    origin = _origin(line, text)
    if origin is None:
        return []
    said = _typed(text) if origin is Origin.SLASH else text
    return [PromptSubmitted(said, prompt, origin, line.uuid)]


def _typed(markup: str) -> str:
    """A slash command as its user typed it, which is how a hook tells it."""
    name, args = COMMAND_NAME.search(markup), COMMAND_ARGS.search(markup)
    typed = [match.group(1).strip() for match in (name, args) if match]
    return " ".join(part for part in typed if part) or markup


def _origin(line: Line, text: str) -> Origin | None:
    """Who put this text into the conversation; None where it is noise of the client's own."""
    if line.is_compact_summary or text.startswith(CONTINUED):
        return Origin.SUMMARY
    kind = line.origin.kind if line.origin else ""
    if kind not in ("", "human") or INJECTED.match(text):
        return Origin.BACKGROUND
    if line.is_meta or not text.strip() or NOISE.match(text):
        return None
    return Origin.SLASH if SLASH.match(text) else Origin.HUMAN


def _result(block: Block, line: Line, prompt: str) -> ToolFinished:
    return ToolFinished(
        call=block.tool_use_id,
        outcome=_outcome(block, line.tool_denial_kind),
        text=_result_text(block),
        prompt=prompt,
        entry=line.uuid,
    )


def _outcome(block: Block, denial: str | None) -> Outcome:
    if denial == "interrupted":
        return Outcome.INTERRUPTED
    if denial:
        return Outcome.DENIED
    return Outcome.FAILED if block.is_error else Outcome.DONE


def _agent_words(line: Line, prompt: str) -> list[What]:
    message = line.message or Message()
    if message.model == SYNTHETIC:
        return _synthetic_words(line, message, prompt)
    usage = _usage(line, message)
    final = _final(message)
    words: list[What] = []
    for block in _blocks(message):
        if block.type == "text" and block.text:
            spoken = AgentSpoke(block.text, prompt, final, line.uuid, message.id, usage=usage)
            words.append(spoken)
        elif block.type in ("tool_use", "server_tool_use"):
            words.append(_call(block, line, message, prompt, usage))
    return words


def _call(
    block: Block, line: Line, message: Message, prompt: str, usage: Usage | None
) -> ToolStarted:
    return ToolStarted(
        tool=block.name,
        call=block.id,
        waits=waits_of(block.name),
        input=block.input,
        prompt=prompt,
        entry=line.uuid,
        message=message.id,
        usage=usage,
    )


def _synthetic_words(line: Line, message: Message, prompt: str) -> list[What]:
    text = "\n".join(_text_of(block) for block in _blocks(message))
    spoken = AgentSpoke(text, prompt, None, line.uuid, message.id, synthetic=True)
    if not line.is_api_error_message:
        return [spoken]
    why = _plain(line.error) or text
    return [spoken, TurnEnded(Ending.FAILED, prompt, why, entry=line.uuid)]


def _final(message: Message) -> bool | None:
    """Whether these are a turn's last words; None where the line was written too early to say."""
    if message.stop_reason is None:
        return None
    return message.stop_reason not in ("tool_use", "pause_turn")


def _system_words(line: Line, prompt: str) -> list[What]:
    if line.subtype in TURN_ENDS:
        return [TurnEnded(TURN_ENDS[line.subtype], prompt, entry=line.uuid)]
    if line.subtype == "local_command" and _printed(line):
        return [TurnEnded(Ending.CLOSED, prompt, entry=line.uuid)]
    if line.subtype == "compact_boundary":
        return [Compacted(entry=line.uuid)]
    return []


def _printed(line: Line) -> bool:
    """Whether a command of the client's own has printed its result, which ends it."""
    return LOCAL_OUTPUT.match(_plain(line.content)) is not None


def _queued_words(line: Line, prompt: str) -> list[What]:
    """A prompt typed while the turn ran is written as an attachment."""
    attachment = line.attachment
    if attachment is None or attachment.type != QUEUED:
        return []
    text = _flat(bytes(attachment.prompt))
    kind = attachment.origin.kind if attachment.origin else "human"
    human = kind == "human" and attachment.command_mode in ("", "prompt")
    if not text or INJECTED.match(text) or not human:
        return []
    return [PromptSubmitted(text, prompt, Origin.INTERJECTED, line.uuid)]


def _title(line: Line) -> list[What]:
    chosen = line.custom_title or line.agent_name
    title = chosen or line.ai_title or line.summary
    return [Titled(title, bool(chosen))] if title else []


# Texts and times -------------------------------------------------------------------------


def _blocks(message: Message | None) -> list[Block]:
    if message is None:
        return []
    if isinstance(message.content, str):
        return [Block("text", message.content)]
    return message.content


def _text_of(block: Block) -> str:
    if block.type == "text":
        return block.text
    return f"[{block.type}]" if block.type in ("image", "document") else ""


def _result_text(block: Block) -> str:
    return _flat(bytes(block.content))


def _flat(raw: bytes) -> str:
    """The words in a text or a list of blocks; what is neither is kept as it was written."""
    if not raw:
        return ""
    try:
        content = blocks_decoder.decode(raw)
    except msgspec.DecodeError:
        return raw.decode("utf-8", "replace")
    if isinstance(content, str):
        return content
    return "\n".join(text for text in map(_text_of, content) if text)


def _plain(raw: msgspec.Raw) -> str:
    try:
        return text_decoder.decode(raw)
    except msgspec.DecodeError:
        return ""


def _usage(line: Line, message: Message) -> Usage | None:
    tokens = message.usage
    if tokens is None or not message.id:
        return None
    return Usage(
        message=message.id,
        request=line.request_id or "",
        model=message.model,
        input=_count(tokens.input_tokens),
        output=_count(tokens.output_tokens),
        cache_read=_count(tokens.cache_read_input_tokens),
        cache_write=_count(tokens.cache_creation_input_tokens),
    )


def _count(tokens: int | None) -> int:
    return tokens if tokens is not None and 0 <= tokens < MOST else 0
