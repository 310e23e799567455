"""Words for telling what happened to an agent, and ways to play them.

Times are seconds; a story without times goes by one second per fact.
"""

from collections.abc import Iterable

import msgspec
from hypothesis import strategies as st

from turnkeeper.facts.codec import encode
from turnkeeper.facts.fact import MAIN_THREAD, Fact, Moment, Position, Recorded, Source
from turnkeeper.facts.identity import digest
from turnkeeper.facts.kinds import (
    Activity,
    AgentMuted,
    AgentRenamed,
    AgentSpoke,
    AnswerLost,
    AskAnswered,
    Cause,
    ClientMissing,
    ClientReported,
    ClientUnlisted,
    Compacted,
    Decision,
    Ending,
    Notified,
    OfferEnded,
    Origin,
    Outcome,
    PermissionAsked,
    ProcessExited,
    ProcessFound,
    PromptSubmitted,
    SessionEnded,
    SessionSeen,
    SessionStarted,
    StalenessFound,
    Titled,
    ToolFinished,
    ToolStarted,
    TurnEnded,
    Usage,
    Waits,
    What,
    Word,
)
from turnkeeper.projections.agent import Agent, Changes
from turnkeeper.projections.board import Board, Folded

SESSION = "5413d6c7-305f-49b6-aa4c-b1ad0b89fa6a"
CLEARED = "c1ea4ed0-0000-4000-8000-000000000002"
ELSEWHERE = "e15e0000-0000-4000-8000-000000000003"
HOST = "desk"
PID = 4711
BORN = "811750"
SECOND = 1_000_000
P1, P2 = "prompt-1", "prompt-2"


# What happens ---------------------------------------------------------------------------------


def it_started(cause: Cause = Cause.STARTUP, cwd: str = "") -> SessionStarted:
    return SessionStarted(cause, cwd)


def it_ended(reason: str = "prompt_input_exit") -> SessionEnded:
    return SessionEnded(reason)


def was_prompted(text: str = "Add retries.", prompt: str = P1, **more: str) -> PromptSubmitted:
    return PromptSubmitted(text, prompt, entry=more.get("entry", ""))


def was_notified(text: str = "<task-notification>done", prompt: str = P2) -> PromptSubmitted:
    return PromptSubmitted(text, prompt, Origin.BACKGROUND)


def was_interjected(text: str = "and one more thing") -> PromptSubmitted:
    return PromptSubmitted(text, P1, Origin.INTERJECTED)


def spoke(
    text: str, *, final: bool | None = False, prompt: str = P1, entry: str = ""
) -> AgentSpoke:
    return AgentSpoke(text, prompt, final, entry)


def began(tool: str = "Bash", call: str = "call-1", prompt: str = P1) -> ToolStarted:
    return ToolStarted(tool, call, prompt=prompt)


def asked_the_user(call: str = "call-q") -> ToolStarted:
    return ToolStarted("AskUserQuestion", call, Waits.QUESTION, prompt=P1)


def showed_its_plan(call: str = "call-p") -> ToolStarted:
    return ToolStarted("ExitPlanMode", call, Waits.PLAN, prompt=P1)


def ended_a_call(
    call: str = "call-1", tool: str = "Bash", outcome: Outcome = Outcome.DONE
) -> ToolFinished:
    return ToolFinished(call, tool, outcome, prompt=P1)


def asked_for_approval(
    tool: str = "Bash", *, offer: str = "", waits: Waits = Waits.NOTHING
) -> PermissionAsked:
    return PermissionAsked(tool, waits=waits, prompt=P1, offer=offer)


def ended_its_turn(how: Ending = Ending.DONE, prompt: str = P1, error: str = "") -> TurnEnded:
    return TurnEnded(how, prompt, error)


def reported(
    activity: Activity, pid: int = PID, started: str = BORN, **more: str
) -> ClientReported:
    return ClientReported(pid, started, activity, more.get("waiting_for", ""))


def exited(pid: int = PID, started: str = BORN) -> ProcessExited:
    return ProcessExited(pid, started)


def was_answered(ask: int, decision: Decision = Decision.ALLOW, by: str = "ada") -> AskAnswered:
    return AskAnswered(ask, decision, by=by)


def its_hook_left(offer: str) -> OfferEnded:
    return OfferEnded(offer)


def the_answer_was_lost(ask: int, offer: str) -> AnswerLost:
    return AnswerLost(ask, offer)


# Who tells it ---------------------------------------------------------------------------------

_SOURCES: dict[type[Word], Source] = {
    ClientReported: Source.REGISTRY,
    ClientUnlisted: Source.REGISTRY,
    ClientMissing: Source.PROCESS,
    ProcessExited: Source.PROCESS,
    ProcessFound: Source.PROCESS,
    StalenessFound: Source.HEALTH,
    AskAnswered: Source.PERSON,
    OfferEnded: Source.HOOK,
    AnswerLost: Source.HOOK,
    SessionSeen: Source.TRANSCRIPT,
    Titled: Source.TRANSCRIPT,
    AgentRenamed: Source.PERSON,
    AgentMuted: Source.PERSON,
}


def fact(
    what: What,
    at: float = 1,
    *,
    session: str = SESSION,
    source: Source | None = None,
    thread: str = MAIN_THREAD,
) -> Fact:
    told_by = source or _SOURCES.get(type(what), Source.HOOK)
    moment = Moment(round(at * SECOND))
    key = digest(session, told_by, thread, str(moment), encode(what))
    return Fact(key, session, told_by, moment, moment, what, thread, HOST)


def line(what: What, at: float = 1, *, session: str = SESSION, thread: str = MAIN_THREAD) -> Fact:
    """A fact as the transcript tells it."""
    return fact(what, at, session=session, source=Source.TRANSCRIPT, thread=thread)


def in_order(*happenings: What | Fact) -> list[Fact]:
    """One second per happening; what is already a fact keeps its time."""
    return [
        each if isinstance(each, Fact) else fact(each, second)
        for second, each in enumerate(happenings, 1)
    ]


# What comes of it -----------------------------------------------------------------------------


def numbered(facts: Iterable[Fact], start: int = 1) -> list[Recorded]:
    """As the journal holds them: each once, at the place where it was first heard."""
    seen: dict[str, Fact] = {}
    for each in facts:
        seen.setdefault(each.key, each)
    return [Recorded(Position(n), each) for n, each in enumerate(seen.values(), start)]


def folded(*happenings: What | Fact) -> tuple[Board, list[Folded]]:
    board = Board()
    told = [board.take(each) for each in numbered(in_order(*happenings))]
    return board, [each for each in told if each is not None]


def board_of(*happenings: What | Fact) -> Board:
    return folded(*happenings)[0]


def agent_of(*happenings: What | Fact) -> Agent:
    """The one agent that these happenings are about."""
    (agent,) = board_of(*happenings).agents.values()
    return agent


def changes_of(*happenings: What | Fact) -> list[Changes]:
    return [each.changes for each in folded(*happenings)[1]]


# Anything that can be told --------------------------------------------------------------------

texts = st.sampled_from(["yes", "Add retries.", "Done.", "Which one?", "", "\0"])
prompts = st.sampled_from(["", P1, P2])
calls = st.sampled_from(["call-1", "call-2"])
tools = st.sampled_from(["Bash", "Read", "AskUserQuestion"])
pids = st.sampled_from([PID, PID + 1])
births = st.sampled_from(["", BORN, "99"])
offers = st.sampled_from(["", "offer-1", "offer-2"])
asks = st.integers(1, 20)


happenings: st.SearchStrategy[What] = st.one_of(
    st.builds(SessionStarted, cause=st.sampled_from(Cause)),
    st.builds(SessionEnded, reason=st.sampled_from(["clear", "resume", "other"])),
    st.builds(PromptSubmitted, text=texts, prompt=prompts, origin=st.sampled_from(Origin)),
    st.builds(
        AgentSpoke,
        text=texts,
        prompt=prompts,
        final=st.sampled_from([None, True, False]),
        synthetic=st.booleans(),
        usage=st.sampled_from([None, Usage("msg", input=7), Usage("msg-2", input=9, output=5)]),
    ),
    st.builds(ToolStarted, tool=tools, call=calls, waits=st.sampled_from(Waits), prompt=prompts),
    st.builds(ToolFinished, call=calls, tool=tools, outcome=st.sampled_from(Outcome)),
    st.builds(PermissionAsked, tool=tools, offer=offers),
    st.builds(AskAnswered, ask=asks, decision=st.sampled_from(Decision)),
    st.builds(OfferEnded, offer=offers),
    st.builds(AnswerLost, ask=asks, offer=offers),
    st.builds(TurnEnded, how=st.sampled_from(Ending), prompt=prompts),
    st.builds(Notified, about=st.sampled_from(["idle_prompt", "permission_prompt"])),
    st.builds(
        ClientReported,
        pid=pids,
        started=births,
        activity=st.sampled_from(Activity),
        waiting_for=st.sampled_from(["", "dialog open", "input needed"]),
    ),
    st.builds(ClientUnlisted, pid=pids),
    st.builds(ClientMissing),
    st.builds(ProcessFound, pid=pids, started=births),
    st.builds(ProcessExited, pid=pids, started=births),
    st.builds(StalenessFound, transcript_at=st.just(5), last_event_at=st.just(1)),
    st.builds(SessionSeen, cwd=st.sampled_from(["/a", "/b"])),
    st.builds(Titled, title=texts, chosen=st.booleans()),
    st.builds(Compacted),
    st.builds(AgentRenamed, name=texts),
    st.builds(AgentMuted, muted=st.booleans()),
)


@st.composite
def told(draw: st.DrawFn, sessions: tuple[str, ...] = (SESSION, CLEARED, ELSEWHERE)) -> Fact:
    what = draw(happenings)
    by_anyone = st.sampled_from([Source.HOOK, Source.TRANSCRIPT])
    source = _SOURCES.get(type(what)) or draw(by_anyone)
    return fact(
        what,
        draw(st.integers(0, 40)),
        session=draw(st.sampled_from(sessions)),
        source=source,
        thread=draw(st.sampled_from([MAIN_THREAD, MAIN_THREAD, "a7b898"])),
    )


stories = st.lists(told(), max_size=20)
of_one_session = st.lists(told(sessions=(SESSION,)), max_size=15)


def written_down(board: Board) -> bytes:
    """Everything a board is, as it is stored."""
    return msgspec.msgpack.encode((board.directory, sorted(board.agents.items())))
