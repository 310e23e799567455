"""What one fact means to the command it belongs to."""

import re

import msgspec

from turnkeeper.facts.fact import Recorded
from turnkeeper.facts.kinds import (
    AgentSpoke,
    Ending,
    Origin,
    Outcome,
    PromptSubmitted,
    ToolFinished,
    ToolStarted,
    TurnEnded,
)
from turnkeeper.facts.words import Actor
from turnkeeper.machines.command import CommandState
from turnkeeper.machines.evidence import Evidence
from turnkeeper.machines.intent import Verdict, detect
from turnkeeper.machines.lifecycle import Lifecycle
from turnkeeper.machines.scenes import Act, Doing

SUMMARY = re.compile(r"<summary>(.*?)</summary>", re.DOTALL)
GIST = 280
"""How much of a prompt is kept beside its command, for a card or a list."""

_PROMPTS = {
    Origin.HUMAN: Doing.PROMPT,
    Origin.INTERJECTED: Doing.INTERJECTION,
    Origin.BACKGROUND: Doing.PROMPT,
    Origin.SLASH: Doing.PROMPT,
}
_ENDINGS = {
    Ending.DONE: Doing.END,
    Ending.CLOSED: Doing.END,
    Ending.INTERRUPTED: Doing.INTERRUPTION,
    Ending.FAILED: Doing.FAILURE,
}


def act_of(recorded: Recorded, lifecycle: Lifecycle, evidence: Evidence) -> Act | None:
    """The act a fact of the main thread amounts to, if it moves a command at all."""
    what = recorded.fact.what
    match what:
        case PromptSubmitted(origin=Origin.SUMMARY) | AgentSpoke(synthetic=True):
            return None
        case PromptSubmitted():
            return _prompt(recorded, what)
        case AgentSpoke():
            return _speech(recorded, what)
        case ToolStarted() | ToolFinished():
            doing = _work(what, lifecycle, evidence)
            return None if doing is None else _act(recorded, doing)
        case TurnEnded(how=how, prompt=prompt):
            return _act(recorded, _ENDINGS[how], prompt)
        case _:
            return None


def _prompt(recorded: Recorded, what: PromptSubmitted) -> Act:
    verdict = detect(Actor.USER, what.text, CommandState.AWAITING_INPUT)
    act = _judged(recorded, _PROMPTS[what.origin], what.prompt, verdict)
    return msgspec.structs.replace(act, origin=what.origin, words=gist(what))


def gist(what: PromptSubmitted) -> str:
    """A prompt as a card shows it: of a notification, what it is about."""
    about = SUMMARY.search(what.text) if what.origin is Origin.BACKGROUND else None
    return (about.group(1) if about else what.text)[:GIST]


def _speech(recorded: Recorded, what: AgentSpoke) -> Act:
    """Only final words ask or complete (rulings B4). While nobody can say whether more follows,
    they are progress, and what they would mean as last words is kept for the turn's end."""
    known_to_end = what.final is not None
    final = what.final if known_to_end else True
    verdict = detect(Actor.AGENT, what.text, CommandState.PROCESSING, final)
    act = _judged(recorded, Doing.SPEECH, what.prompt, verdict)
    if known_to_end:
        return act
    return msgspec.structs.replace(act, intent=None, if_final=verdict.intent)


def _work(
    what: ToolStarted | ToolFinished, lifecycle: Lifecycle, evidence: Evidence
) -> Doing | None:
    """Tool calls are many and say one thing, that the agent works: it is said once."""
    match what:
        case ToolStarted(waits=waits) if waits:
            return Doing.QUESTION
        case ToolFinished(outcome=Outcome.INTERRUPTED):
            return Doing.INTERRUPTION
        case ToolFinished(call=call):
            asked = any(each.id == call and each.waits for each in evidence.open)
            return Doing.ANSWER if asked else None
        case _:
            scenes = lifecycle.scenes
            said = lifecycle.state is CommandState.PROCESSING or (
                bool(scenes) and scenes[-1].act.doing is Doing.WORK
            )
            return None if said else Doing.WORK


def _act(recorded: Recorded, doing: Doing, prompt: str = "") -> Act:
    return Act(recorded.fact.happened_at, recorded.position, doing, prompt=prompt)


def _judged(recorded: Recorded, doing: Doing, prompt: str, verdict: Verdict) -> Act:
    return msgspec.structs.replace(
        _act(recorded, doing, prompt),
        intent=verdict.intent,
        confidence=verdict.confidence,
        because=verdict.because,
    )
