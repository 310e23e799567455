"""How a client begins, names what it does, ends, is killed, and goes on."""

from turnkeeper.scripted import lines
from turnkeeper.scripted.body import Body
from turnkeeper.scripted.bookkeeping import cost_state, file_history_snapshot, title
from turnkeeper.scripted.registry import Status
from turnkeeper.scripted.steps import Exit, Kill, LifeStep, Resume, Title, Wait

START_SECONDS = 0.25


async def perform(body: Body, step: LifeStep) -> None:
    match step:
        case Wait():
            await body.pace.pause(step.seconds)
        case Title():
            await body.session.voice.thread.note(title(body.session.id, step.text))
        case Exit():
            await leave(body)
        case Kill():
            await be_killed(body)
        case Resume():
            await resume(body)


async def start(body: Body) -> None:
    """Begin as a client does: registered first, at the prompt a moment later."""
    body.be_born(body.session.id)
    body.hook("SessionStart", {"source": "startup", "model": body.role.model})
    await body.pace.pause(START_SECONDS)
    body.tell(Status.IDLE)


async def resume(body: Body) -> None:
    """Begin anew on the last session; the registry first holds an id that never comes to be."""
    body.begun = body.pace.now()
    body.be_born(body.names.uuid())
    await body.pace.pause(START_SECONDS)
    if body.registry is not None:
        body.registry.rename(body.session.id, body.pace.now())
    body.session.prompt = ""
    waited = {"seconds_since_last_response": 4, "context_tokens": 135}
    cost = {"prompt_cache_likely_expired": False, "estimated_cache_write_usd": 0.0007}
    body.hook("SessionStart", {"source": "resume", **waited, **cost})
    body.tell(Status.IDLE)


async def leave(body: Body) -> None:
    """/exit: the registry file goes first, then the hook is called, then the process ends."""
    session = body.session
    thread = session.voice.thread
    session.prompt = body.names.uuid()
    if session.opened:
        stamp = body.stamp()
        await thread.note(file_history_snapshot(stamp.uuid, stamp.at))
        await thread.note(cost_state(session.id, body.role.model, body.begun, stamp.at))
    await thread.file.close()
    if body.registry is not None:
        body.registry.remove()
    await body.call_hook("SessionEnd", {"reason": "prompt_input_exit"})
    body.die()


async def be_killed(body: Body) -> None:
    """SIGKILL: no hook tells and the registry file stays. Errands die with their agent."""
    body.die()
    torn = lines.turn_duration(body.stamp(), milliseconds=0, entries=0, subagents=0)
    await body.session.voice.thread.file.abandon(torn)
    for errand in body.errands:
        if errand.voice is not None:
            await errand.voice.thread.file.abandon(torn)
    body.errands.clear()
    body.interjected = None
