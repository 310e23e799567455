"""What an agent asks of a person: leave, an answer, a plan's approval."""

from collections.abc import Sequence
from typing import Final

from turnkeeper.scripted import lines
from turnkeeper.scripted.body import Body, Call
from turnkeeper.scripted.registry import Status
from turnkeeper.scripted.speech import (
    BY_PERSON,
    announce,
    attach,
    begin_calls,
    end_call,
    keep_result,
    report,
    settle,
)
from turnkeeper.scripted.steps import AskStep, Permission, Plan, Question, Tool
from turnkeeper.scripted.transcript import Json
from turnkeeper.scripted.turns import refuse, turn_down
from turnkeeper.scripted.waiting import Reply

UNHEARD: Final[Json] = {}
"""A hook hears nothing of a plan without a file: its words are in the transcript alone."""


async def perform(body: Body, step: AskStep) -> None:
    match step:
        case Permission():
            await ask_leave(body, step)
        case Question():
            await ask_question(body, step)
        case Plan():
            await ask_approval(body, step)


async def wait_for(body: Body, why: str, own: Reply, after: float) -> Reply:
    body.tell(Status.WAITING, why)
    reply = await body.asking.decision(own, after)
    if reply.accepted:
        body.tell(Status.BUSY)
    return reply


async def ask_leave(body: Body, step: Permission) -> None:
    voice = body.session.voice
    calls = await begin_calls(body, voice, step.calls)
    for number, call in enumerate(calls):
        announce(body, voice, call)
        asked: Json = {"tool_name": call.tool.name, "tool_input": call.tool.input}
        body.request(asked | {"permission_suggestions": suggestions(body)})
        reply = await wait_for(body, "permission prompt", Reply(step.granted), step.after)
        if not reply.accepted:
            await decline(body, calls[number:], reply)
            return
        await body.pace.pause(call.tool.seconds)
        await end_call(body, voice, call, call.tool.result or "", BY_PERSON)
    await settle(body, voice)


async def decline(body: Body, calls: Sequence[Call], reply: Reply) -> None:
    """No. At the terminal that ends the turn; from the board the agent hears it and goes on."""
    if reply.at_board:
        body.tell(Status.BUSY)
        await refuse(body, calls, reply.words)
    else:
        await turn_down(body, calls)


def suggestions(body: Body) -> list[Json]:
    return [
        {
            "type": "addDirectories",
            "directories": [str(body.role.cwd)],
            "destination": "session",
        },
        {"type": "setMode", "mode": "acceptEdits", "destination": "session"},
    ]


async def ask_question(body: Body, step: Question) -> None:
    options = [
        {"label": option.label, "description": option.description} for option in step.options
    ]
    question: Json = {"question": step.text, "header": step.header}
    written: Json = {"questions": [question | {"multiSelect": False, "options": options}]}
    heard: Json = {"questions": [question | {"options": options, "multiSelect": False}]}
    call = await _ask(body, Tool("AskUserQuestion", written), heard)
    own = Reply(step.answer is not None, step.answer or "")
    reply = await wait_for(body, "input needed", own, step.after)
    if not reply.accepted:
        await decline(body, [call], reply)
        return
    told = heard | {"answers": {step.text: reply.words}, "annotations": {}}
    report(body, body.session.voice, call, told, told)
    words = (
        f'Your questions have been answered: "{step.text}"="{reply.words}". '
        "You can now continue with these answers in mind."
    )
    await _keep_answer(body, call, words, told, BY_PERSON)


async def ask_approval(body: Body, step: Plan) -> None:
    file = body.place.claude_dir / "plans" / f"{body.session.voice.thread.nickname}.md"
    heard: Json = {"plan": step.text, "planFilePath": str(file)} if step.filed else UNHEARD
    call = await _ask(body, Tool("ExitPlanMode", {"plan": step.text}), heard)
    reply = await wait_for(body, "permission prompt", Reply(step.approved), step.after)
    if not reply.accepted:
        await decline(body, [call], reply)
        return
    body.mode = "default"
    response: Json = {
        "plan": step.text if step.filed else None,
        "isAgent": False,
        "filePath": str(file),
    }
    report(body, body.session.voice, call, response, heard)
    words = "User has approved exiting plan mode. You can now proceed."
    await _keep_answer(body, call, words, response, BY_PERSON | {"grantScope": "session"})
    await attach(body, body.session.voice, ["plan_mode_exit"])


async def _ask(body: Body, tool: Tool, heard: Json) -> Call:
    voice = body.session.voice
    [call] = await begin_calls(body, voice, [tool])
    announce(body, voice, call, heard)
    body.request({"tool_name": tool.name, "tool_input": heard})
    return call


async def _keep_answer(body: Body, call: Call, words: str, response: Json, decided: Json) -> None:
    voice = body.session.voice
    content = lines.answered(call.id, words)
    await keep_result(body, voice, call, content, response, decided=decided)
    await settle(body, voice)
