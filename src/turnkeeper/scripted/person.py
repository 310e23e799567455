"""What a person does at the terminal besides answering: Esc, an interjection, another mode,
/clear, /compact."""

from turnkeeper.scripted import lines
from turnkeeper.scripted.body import WITH_THE_FIRST_REQUEST, Body
from turnkeeper.scripted.bookkeeping import cost_state, file_history_snapshot, queue_operation
from turnkeeper.scripted.registry import Status
from turnkeeper.scripted.speech import attach
from turnkeeper.scripted.steps import Clear, Compact, Interject, Interrupt, Mode, PersonStep
from turnkeeper.scripted.transcript import Json
from turnkeeper.scripted.turns import mark_interrupted, refuse, rest

HELPERS_OF_A_COMPACTION = 2
TOLD_AFTER_COMPACTION = (
    *("deferred_tools_delta", "agent_listing_delta", "skill_listing"),
    *("environment", "model"),
)


async def perform(body: Body, step: PersonStep) -> None:
    match step:
        case Interrupt():
            await interrupt(body)
        case Interject():
            await interject(body, step.text)
        case Mode():
            body.mode = step.mode
        case Clear():
            await clear(body)
        case Compact():
            await compact(body, step.summary)


async def interrupt(body: Body) -> None:
    """Esc ends the turn. No hook tells; the registry and the transcript do."""
    call, body.running = body.running, None
    body.session.voice.message = None
    if call is None:
        await mark_interrupted(body, "[Request interrupted by user]")
    else:
        await refuse(body, [call])
        await mark_interrupted(body, interruptedMessageId=call.message)
    await body.keep_books()
    rest(body)


async def interject(body: Body, text: str) -> None:
    body.interjected = text
    await body.call_hook("UserPromptSubmit", {"prompt": text})
    queued = queue_operation(body.session.id, "enqueue", body.pace.now(), content=text)
    await body.session.voice.thread.note(queued)


async def clear(body: Body) -> None:
    """/clear: the old session ends, a new one begins in the same process."""
    old = body.session
    old.prompt = body.names.uuid()
    await body.call_hook("SessionEnd", {"reason": "clear"})
    if old.opened:
        spent = cost_state(old.id, body.role.model, body.begun, body.pace.now())
        await old.voice.thread.note(spent)
    await old.voice.thread.file.close()
    body.tell(Status.BUSY)
    body.session = body.new_session()
    body.session.opened = True
    body.session.repeats = ("mode", "atis-latch")
    if body.registry is not None:
        body.registry.rename(body.session.id, body.pace.now())
    await body.call_hook("SessionStart", {"source": "clear"})
    await _tell_of_clearing(body)
    body.tell(Status.IDLE)


async def _tell_of_clearing(body: Body) -> None:
    thread = body.session.voice.thread
    await body.keep_states()
    stamp = body.stamp()
    await thread.note(file_history_snapshot(stamp.uuid, stamp.at))
    caveat = lines.user(lines.CAVEAT, body.stamp(), None, isMeta=True)
    await thread.add(caveat, own=False)
    await thread.add(lines.user(lines.slash_command("clear"), stamp, None), own=False)
    await thread.add(lines.local_command(body.stamp(), "clear"), own=False)


async def compact(body: Body, summary: str) -> None:
    """/compact: the same session goes on from a summary of itself."""
    body.session.prompt = body.names.uuid()
    body.hook("PreCompact", {"trigger": "manual", "custom_instructions": None})
    body.tell(Status.BUSY)
    await body.pace.think()
    for _ in range(HELPERS_OF_A_COMPACTION):
        _tell_of_helper(body, summary)
    started: Json = {"source": "compact", "model": body.role.model}
    body.hook("SessionStart", started, carried=("prompt_id",))
    body.hook("PostCompact", {"trigger": "manual", "compact_summary": summary})
    await _tell_of_compaction(body, summary)
    body.tell(Status.IDLE)


def _tell_of_helper(body: Body, words: str) -> None:
    session = body.session
    helper = body.names.subagent()
    folder = body.transcript_of(session.id).with_suffix("") / "subagents"
    voice = body.voice(folder / f"agent-{helper}.jsonl", session.id, helper)
    ending: Json = {"stop_hook_active": False}
    ending |= {"agent_transcript_path": str(voice.thread.file.path)}
    ending |= {"last_assistant_message": words, "background_tasks": [], "session_crons": []}
    body.hook("SubagentStop", ending, voice)


async def _tell_of_compaction(body: Body, summary: str) -> None:
    session = body.session
    thread = session.voice.thread
    stamp = body.stamp()
    await thread.note(file_history_snapshot(stamp.uuid, stamp.at))
    await body.keep_books()
    thread.nickname = thread.nickname or "swirling-imagining-heron"
    await thread.begin_again(lines.compact_boundary(body.stamp()))
    continued = (
        "This session is being continued from a previous conversation that ran out of context. "
        f"The summary below covers the earlier portion of the conversation.\n\n{summary}"
    )
    marks = {"isVisibleInTranscriptOnly": True, "isCompactSummary": True}
    told = lines.user(continued, body.stamp(), session.prompt, **marks)
    await thread.add(told | {"turnPosition": session.position()})
    await thread.add(lines.user(lines.CAVEAT, body.stamp(), session.prompt, isMeta=True))
    await thread.add(lines.user(lines.slash_command("compact"), stamp, session.prompt))
    done = "<local-command-stdout>\x1b[2mCompacted (ctrl+o to see full summary)\x1b[22m"
    shown = f"{done}</local-command-stdout>"
    await thread.add(lines.user(shown, body.stamp(), session.prompt, repeatsCompactSummary=True))
    await attach(body, session.voice, TOLD_AFTER_COMPACTION)
    session.greeting = WITH_THE_FIRST_REQUEST
    session.voice.settled = False
    session.voice.requests = body.new_requests(session.id)
    session.voice.meter.forget(thread.spoken)
