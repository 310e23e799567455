"""A turn: a prompt, messages and tool calls, an end."""

from collections.abc import Sequence

from turnkeeper.scripted import lines
from turnkeeper.scripted.body import BEFORE_THE_FIRST_REQUEST, Body, Call
from turnkeeper.scripted.bookkeeping import file_history_snapshot, queue_operation
from turnkeeper.scripted.pace import milliseconds
from turnkeeper.scripted.registry import Status
from turnkeeper.scripted.speech import (
    BY_RULE,
    announce,
    attach,
    begin_calls,
    conclude,
    end_call,
    keep_result,
    say,
    settle,
)
from turnkeeper.scripted.spool import spool_command
from turnkeeper.scripted.steps import Fail, Finish, Prompt, Result, Say, Together, Tool, TurnStep
from turnkeeper.scripted.transcript import Json

REST_SECONDS = 0.03
PLAN_NICKNAMES = ("atomic-axolotl", "zesty-patterson", "quiet-heron", "brisk-otter")


async def perform(body: Body, step: TurnStep) -> None:
    match step:
        case Prompt():
            await begin(body, step.text)
        case Say():
            await say(body, body.session.voice, step.text)
        case Tool():
            await call_tools(body, [step])
        case Together():
            await call_tools(body, step.calls)
        case Result():
            await end_running(body, step.text)
        case Finish():
            await finish(body, step.text)
        case Fail():
            await fail(body, step)


async def begin(body: Body, text: str) -> None:
    session = body.session
    session.prompt = body.names.uuid()
    session.last_prompt = text
    session.prompts += 1
    session.turns += 1
    session.turn_begun = body.pace.now()
    body.tell(Status.BUSY)
    await body.call_hook("UserPromptSubmit", {"prompt": text})
    await open_transcript(body)
    stamp = body.stamp()
    await session.voice.thread.note(file_history_snapshot(stamp.uuid, stamp.at))
    await own_up(body)
    if body.mode == "plan":
        session.voice.thread.nickname = f"plan-{PLAN_NICKNAMES[session.turns % 4]}"
    said = lines.prompt(text, stamp, session.prompt, mode=body.mode, position=session.position())
    await session.voice.thread.add(said, own=False)
    await greet(body)


async def open_transcript(body: Body) -> None:
    """A client makes the file with the first prompt, not before."""
    if not body.session.opened:
        body.session.opened = True
        await body.keep_states()


async def own_up(body: Body) -> None:
    """A resumed client first says of the call it was killed in that nobody knows its end."""
    call, body.running = body.running, None
    if call is None:
        return
    voice = body.session.voice
    cut = lines.refused(call.id, lines.CUT_OFF)
    marks: Json = {"toolDenialKind": "interrupted"}
    await keep_result(body, voice, call, cut, lines.CUT_OFF, marks=marks, own=False)
    filler = lines.synthetic(
        "No response requested.",
        body.stamp(),
        body.names.uuid(),
        isApiErrorMessage=False,
        madeBy="other",
    )
    await voice.thread.add(filler, own=False)


async def greet(body: Body) -> None:
    """Write once per context what the model is told beside the prompt."""
    due, body.session.greeting = body.session.greeting, ()
    early = [kind for kind in due if kind in BEFORE_THE_FIRST_REQUEST]
    planning = ["plan_mode"] if early and body.mode == "plan" else []
    await attach(body, body.session.voice, [*early, *planning], own=False)
    await attach(body, body.session.voice, [kind for kind in due if kind not in early])


async def call_tools(body: Body, tools: Sequence[Tool]) -> None:
    voice = body.session.voice
    calls = await begin_calls(body, voice, tools)
    for call in calls:
        announce(body, voice, call)
    for call in calls:
        if call.tool.result is None:
            body.running = call
            return
        await body.pace.pause(call.tool.seconds)
        await end_call(body, voice, call, call.tool.result, BY_RULE)
    await settle(body, voice)


async def end_running(body: Body, text: str) -> None:
    """Let the call that still runs end; what was typed meanwhile is heard now."""
    call, body.running = body.running, None
    if call is None:
        return
    voice = body.session.voice
    await end_call(body, voice, call, text, BY_RULE)
    await settle(body, voice)
    await hear_interjection(body)


async def hear_interjection(body: Body) -> None:
    text, body.interjected = body.interjected, None
    if text is None:
        return
    voice = body.session.voice
    source, delivery = body.names.uuid(), body.names.uuid()
    stamp = body.stamp()
    taken = {"reason": "absorbed_mid_turn", "commandUuid": source, "deliveryId": delivery}
    await voice.thread.note(
        queue_operation(body.session.id, "remove", stamp.at, content=text, **taken)
    )
    queued: Json = {"prompt": text, "source_uuid": source, "delivery_id": delivery}
    queued |= {"commandMode": "prompt", "origin": {"kind": "human"}}
    queued |= {"timestamp": stamp.fields()["timestamp"], "humanTurn": True}
    await voice.thread.add(lines.attachment("queued_command", stamp, queued))


async def finish(body: Body, text: str) -> None:
    """Say the last words, call the Stop hooks, and rest."""
    voice = body.session.voice
    await conclude(body, voice, text)
    told = [errand.told() for errand in body.errands]
    ending: Json = {"stop_hook_active": False, "last_assistant_message": text}
    await body.call_hook("Stop", ending | {"background_tasks": told, "session_crons": []})
    if body.hooked:
        command = spool_command(body.place.data)
        summary = lines.stop_hook_summary(body.stamp(), command, body.names.uuid())
        await voice.thread.add(summary)
    await end_turn(body)


async def fail(body: Body, step: Fail) -> None:
    voice = body.session.voice
    for line in voice.requests.lines(body.pace.now()):
        await voice.thread.note(line)
    await body.pace.think()
    said = lines.synthetic(
        step.text,
        body.stamp(),
        body.names.uuid(),
        error=step.error,
        isApiErrorMessage=True,
        apiErrorStatus=step.status,
        apiErrorType=step.kind,
        perTurnEffort=lines.EFFORT,
        failedResponseHadNoToolCall=True,
        madeBy="model",
    )
    await voice.thread.add(said)
    failed: Json = {"error": step.error, "last_assistant_message": step.text}
    await body.call_hook("StopFailure", failed)
    await end_turn(body)


async def turn_down(body: Body, calls: Sequence[Call]) -> None:
    """A person says no: the calls are refused and the turn is over; no hook tells."""
    await refuse(body, calls)
    await mark_interrupted(body)
    await end_turn(body)


async def refuse(body: Body, calls: Sequence[Call], words: str = lines.REFUSED) -> None:
    voice = body.session.voice
    for call in calls:
        marks: Json = {"toolDenialKind": "user-rejected"}
        refusal = lines.refused(call.id, words)
        await keep_result(body, voice, call, refusal, "User rejected tool use", marks=marks)
    await settle(body, voice)


async def mark_interrupted(
    body: Body, words: str = "[Request interrupted by user for tool use]", **marks: object
) -> None:
    content = [{"type": "text", "text": words}]
    line = lines.user(content, body.stamp(), body.session.prompt) | marks
    await body.session.voice.thread.add(line)


async def end_turn(body: Body) -> None:
    session = body.session
    thread = session.voice.thread
    took = milliseconds(body.pace.now()) - milliseconds(session.turn_begun)
    helpers = sum(errand.voice is not None for errand in body.errands)
    ending = lines.turn_duration(
        body.stamp(), milliseconds=took, entries=thread.length, subagents=helpers
    )
    await thread.add(ending, own=False)
    await body.keep_books()
    await body.pace.pause(REST_SECONDS)
    rest(body)


def rest(body: Body) -> None:
    """Say what is left of the turn: helpers keep a client busy, commands leave it at the shell."""
    if any(errand.voice for errand in body.errands):
        body.tell(Status.BUSY)
    else:
        body.tell(Status.SHELL if body.errands else Status.IDLE)
