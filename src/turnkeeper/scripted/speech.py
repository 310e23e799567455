"""How a voice speaks and calls tools: the lines and hooks of one message of the model."""

from collections.abc import Sequence
from typing import Final

from turnkeeper.scripted import lines
from turnkeeper.scripted.body import Body, Call, Voice
from turnkeeper.scripted.bookkeeping import bulk, tools_used
from turnkeeper.scripted.pace import milliseconds
from turnkeeper.scripted.steps import Tool
from turnkeeper.scripted.transcript import Json

BY_RULE: Final[Json] = {
    "decision": "accept",
    "source": "config",
    "reasonType": "rule",
    "ruleSource": "userSettings",
}
BY_PERSON: Final[Json] = {
    "decision": "accept",
    "source": "user_temporary",
    "grantScope": "once",
    "reasonCode": "unknown",
}


async def attach(body: Body, voice: Voice, kinds: Sequence[str], *, own: bool = True) -> None:
    for kind in kinds:
        content = bulk(kind, body.role.ballast)
        await voice.thread.add(lines.attachment(kind, body.stamp(), content), own=own)


async def settle(body: Body, voice: Voice) -> None:
    """After the first answer of a context, a client writes once more what it was told."""
    if not voice.settled:
        voice.settled = True
        await attach(body, voice, ["prompt_snapshot"])


async def speak(body: Body, voice: Voice, block: Json, *, stop: str) -> str:
    """Say one block; the first of a message takes a request and the time to think."""
    if voice.message is None:
        source = f"agent:builtin:{voice.kind}" if voice.kind else "repl_main_thread"
        for line in voice.requests.lines(body.pace.now(), source):
            await voice.thread.note(line)
        await body.pace.think()
        at, thread = body.pace.now(), voice.thread
        tokens = voice.meter.count(thread.spoken, said=len(str(block)), at=at)
        voice.message = lines.Message(
            body.names.message(), voice.requests.last, tokens, body.role.model
        )
    said = lines.assistant(block, body.stamp(), voice.message, stop=stop, role=voice.kind)
    return await voice.thread.add(said)


async def say(body: Body, voice: Voice, text: str) -> None:
    await speak(body, voice, {"type": "text", "text": text}, stop="tool_use")


async def conclude(body: Body, voice: Voice, text: str) -> None:
    voice.message = None
    await speak(body, voice, {"type": "text", "text": text}, stop="end_turn")
    voice.message = None
    await settle(body, voice)


async def begin_calls(body: Body, voice: Voice, tools: Sequence[Tool]) -> list[Call]:
    """Write the calls of one message, which they end."""
    calls = [await _begin_call(body, voice, tool) for tool in tools]
    voice.message = None
    session = body.session
    new = [tool.name for tool in tools if tool.name not in session.tools]
    if new:
        session.tools.extend(dict.fromkeys(new))
        await session.voice.thread.note(tools_used(session.id, list(session.tools)))
    if voice is session.voice:
        await body.keep_books()
    return calls


async def _begin_call(body: Body, voice: Voice, tool: Tool) -> Call:
    call = body.names.call()
    block: Json = {"type": "tool_use", "id": call, "name": tool.name, "input": tool.input}
    entry = await speak(body, voice, block, stop="tool_use")
    message = voice.message.id if voice.message else ""
    return Call(call, tool, entry, message, body.pace.now())


def announce(body: Body, voice: Voice, call: Call, heard: Json | None = None) -> None:
    """PreToolUse. Hooks hear the input as the client reads it, which is not always as written."""
    told = call.tool.input if heard is None else heard
    fields: Json = {"tool_name": call.tool.name, "tool_input": told, "tool_use_id": call.id}
    body.hook("PreToolUse", fields, voice)


def report(
    body: Body, voice: Voice, call: Call, response: object, heard: Json | None = None
) -> None:
    """PostToolUse, or PostToolUseFailure where the call failed."""
    told = call.tool.input if heard is None else heard
    took = milliseconds(body.pace.now()) - milliseconds(call.begun)
    fields: Json = {"tool_name": call.tool.name, "tool_input": told}
    if call.tool.failed:
        ending: Json = {"tool_use_id": call.id, "error": response, "is_interrupt": False}
        body.hook("PostToolUseFailure", fields | ending | {"duration_ms": took}, voice)
    else:
        ending = {"tool_response": response, "tool_use_id": call.id, "duration_ms": took}
        body.hook("PostToolUse", fields | ending, voice)


async def end_call(body: Body, voice: Voice, call: Call, text: str, decided: Json) -> None:
    """Let a call end with this text: the hook hears it, the transcript keeps it."""
    response = response_of(call.tool, text)
    report(body, voice, call, response)
    shown = text or f"({call.tool.name} completed with no output)"
    content = lines.result(call.id, shown, failed=call.tool.failed)
    marks: Json = {"sandboxed": False} if call.tool.name == "Bash" else {}
    await keep_result(body, voice, call, content, response, marks=marks, decided=decided)


async def keep_result(
    body: Body,
    voice: Voice,
    call: Call,
    content: list[Json],
    response: object,
    *,
    marks: Json | None = None,
    decided: Json | None = None,
    own: bool = True,
) -> None:
    line = lines.user(content, body.stamp(), body.session.prompt)
    line |= {"toolUseResult": response, **(marks or {}), "sourceToolAssistantUUID": call.entry}
    line |= {"permissionDecision": decided} if decided else {}
    await voice.thread.add(line, parent=call.entry, own=own)


def response_of(tool: Tool, text: str) -> object:
    """The structured twin of a result, where the tool has one."""
    if tool.failed:
        return f"Error: {text}"
    if tool.name == "Bash":
        flags = {"interrupted": False, "isImage": False, "noOutputExpected": False}
        return {"stdout": text, "stderr": "", **flags}
    if tool.name == "Read":
        count = text.count("\n") + 1
        span = {"numLines": count, "startLine": 1, "totalLines": count}
        file = {"filePath": tool.input.get("file_path"), "content": text, **span}
        return {"type": "text", "file": file}
    return {"type": "text", "text": text}
