"""What an agent sends off: sub-agents and background commands, and the notice that they ended."""

from pathlib import Path

import msgspec

from turnkeeper.scripted import lines
from turnkeeper.scripted.body import HOOK_SECONDS, Body, Call, Errand, Voice
from turnkeeper.scripted.bookkeeping import queue_operation
from turnkeeper.scripted.registry import Status
from turnkeeper.scripted.speech import (
    BY_RULE,
    announce,
    attach,
    begin_calls,
    conclude,
    end_call,
    keep_result,
    report,
    settle,
)
from turnkeeper.scripted.steps import Background, Delegate, ErrandStep, Notification, Tool
from turnkeeper.scripted.transcript import Json, slug

KIND = "general-purpose"
TOLD_TO_HELPERS = (
    *("deferred_tools_delta", "environment", "model", "skill_listing"),
    *("session_context", "date", "remote_session_change", "prompt_snapshot"),
)


async def perform(body: Body, step: ErrandStep) -> None:
    match step:
        case Delegate():
            await delegate(body, step)
        case Background():
            await send_to_background(body, step)
        case Notification():
            await notify(body)


def output_of(body: Body, task: str) -> Path:
    folder = body.place.claude_dir / "tmp" / slug(body.role.cwd) / body.session.id
    return folder / "tasks" / f"{task}.output"


async def delegate(body: Body, step: Delegate) -> None:
    voice = body.session.voice
    asked: Json = {"description": step.description, "prompt": step.prompt, "subagent_type": KIND}
    [call] = await begin_calls(body, voice, [Tool("Agent", asked)])
    announce(body, voice, call)
    helper = body.names.subagent()
    folder = body.transcript_of(body.session.id).with_suffix("") / "subagents"
    its = body.voice(folder / f"agent-{helper}.jsonl", body.session.id, helper, KIND)
    body.hook("SubagentStart", {}, its)
    response: Json = {"isAsync": True, "status": "async_launched", "agentId": helper}
    response |= {"description": step.description, "resolvedModel": body.role.model}
    response |= {"prompt": step.prompt, "outputFile": str(output_of(body, helper))}
    response |= {"canReadOutputFile": True, "canContinueAgent": True}
    report(body, voice, call, response)
    words = f"Async agent launched successfully.\nagentId: {helper}"
    content: list[Json] = [
        {
            "tool_use_id": call.id,
            "type": "tool_result",
            "content": [{"type": "text", "text": words}],
        }
    ]
    decided: Json = {"decision": "accept", "source": "config"}
    await keep_result(body, voice, call, content, response, decided=decided)
    await settle(body, voice)
    body.errands.append(Errand(helper, call, step.description, step.report, voice=its))
    await work(body, its, step, call)


async def work(body: Body, voice: Voice, step: Delegate, call: Call) -> None:
    """Let the sub-agent hear its task and make its calls, in a transcript of its own."""
    await voice.thread.add(lines.user(step.prompt, body.stamp(), body.session.prompt))
    describe(voice.thread.file.path.with_suffix(".meta.json"), step, call, body.role.model)
    await attach(body, voice, TOLD_TO_HELPERS)
    for tool in step.calls:
        [its] = await begin_calls(body, voice, [tool])
        announce(body, voice, its)
        await body.pace.pause(tool.seconds)
        await end_call(body, voice, its, tool.result or "", BY_RULE)
        if not voice.settled:
            await settle(body, voice)
            await attach(body, voice, ["agent_listing_delta"])


def describe(path: Path, step: Delegate, call: Call, model: str) -> None:
    told = {
        "agentType": KIND,
        "isBuiltIn": True,
        "launchedWithDefaults": True,
        "description": step.description,
        "toolUseId": call.id,
        "spawnDepth": 1,
        "requestShape": "background",
        "requestNonInteractive": True,
        "pickedEffortModel": model,
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(msgspec.json.encode(told))


async def send_to_background(body: Body, step: Background) -> None:
    voice = body.session.voice
    asked: Json = {"command": step.command, "description": step.description}
    [call] = await begin_calls(body, voice, [Tool("Bash", asked | {"run_in_background": True})])
    announce(body, voice, call)
    task = body.names.task()
    response: Json = {"stdout": "", "stderr": "", "interrupted": False, "isImage": False}
    response |= {"noOutputExpected": False, "backgroundTaskId": task}
    report(body, voice, call, response)
    words = (
        f"Command running in background with ID: {task}. Output is being written to: "
        f"{output_of(body, task)}. You will be notified when it completes."
    )
    content = lines.result(call.id, words)
    await keep_result(
        body, voice, call, content, response, marks={"sandboxed": False}, decided=BY_RULE
    )
    await settle(body, voice)
    body.errands.append(Errand(task, call, step.description, "", command=step.command))


async def notify(body: Body) -> None:
    """The oldest errand is over: a turn begins that nobody typed."""
    errand = body.errands[0]
    if errand.voice is not None:
        await _hear_report(body, errand, errand.voice)
    body.errands.remove(errand)
    text = notice_of(body, errand)
    session = body.session
    thread = session.voice.thread
    session.prompt = body.names.uuid()
    session.turns += 1
    session.turn_begun = body.pace.now()
    await thread.note(queue_operation(session.id, "enqueue", body.pace.now(), content=text))
    await thread.note(queue_operation(session.id, "dequeue", body.pace.now()))
    body.tell(Status.IDLE)
    await body.pace.pause(HOOK_SECONDS)
    body.tell(Status.BUSY)
    await body.call_hook("UserPromptSubmit", {"prompt": text})
    if errand.voice is not None:
        await _remind(body)
    said = lines.notice(
        text,
        body.stamp(),
        session.prompt,
        mode=body.mode,
        position=session.position(),
        run=f"0{body.names.hex(8)}-{body.names.hex(8)}",
    )
    await thread.add(said, own=False)


async def _hear_report(body: Body, errand: Errand, voice: Voice) -> None:
    await conclude(body, voice, errand.report)
    path = voice.thread.file.path
    await voice.thread.file.close()
    told = [running.told() for running in body.errands]
    ending: Json = {"stop_hook_active": False, "agent_transcript_path": str(path)}
    ending |= {"last_assistant_message": errand.report}
    body.hook("SubagentStop", ending | {"background_tasks": told, "session_crons": []}, voice)


async def _remind(body: Body) -> None:
    words = "<system-reminder>\n<tools-used-before-summary>…</tools-used-before-summary>"
    line = lines.user(words, body.stamp(), body.session.prompt, isMeta=True, turnCompanion=True)
    line["queueSkipAttachments"] = True
    await body.session.voice.thread.add(line, own=False)


def notice_of(body: Body, errand: Errand) -> str:
    ended = f'Background command "{errand.description}" completed (exit code 0)'
    rest = ""
    if errand.voice is not None:
        ended = f'Agent "{errand.description}" finished'
        rest = f"\n<result>{errand.report}</result>"
    return (
        f"<task-notification>\n<task-id>{errand.id}</task-id>\n"
        f"<tool-use-id>{errand.call.id}</tool-use-id>\n"
        f"<output-file>{output_of(body, errand.id)}</output-file>\n"
        f"<status>completed</status>\n<summary>{ended}</summary>{rest}\n</task-notification>"
    )
