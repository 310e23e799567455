"""What can happen to a session. Adding a class here is adding a word.

The same word is used whoever tells it: a prompt heard from a hook and the same
prompt read in a transcript are both `PromptSubmitted`; the fact's source says
how we know, and `entry` names the transcript line where there is one.
"""

from enum import StrEnum

import msgspec

UNGIVEN = msgspec.Raw(b"")
"""JSON that nobody gave."""


class Word(msgspec.Struct, frozen=True, tag_field="kind", omit_defaults=True):
    """A kind of happening. The class is the type; its tag is how the journal spells it."""


class Cause(StrEnum):
    """Why a session began."""

    STARTUP = "startup"
    RESUME = "resume"
    CLEAR = "clear"
    COMPACT = "compact"
    FORK = "fork"
    UNKNOWN = "unknown"


class Origin(StrEnum):
    """Who put a prompt into the conversation."""

    HUMAN = "human"
    INTERJECTED = "interjected"
    BACKGROUND = "background"
    SLASH = "slash"
    SUMMARY = "summary"


class Waits(StrEnum):
    """What a tool call opens for a person, if anything."""

    NOTHING = ""
    QUESTION = "question"
    PLAN = "plan"


class Outcome(StrEnum):
    """How a tool call ended."""

    DONE = "done"
    FAILED = "failed"
    DENIED = "denied"
    INTERRUPTED = "interrupted"


class Ending(StrEnum):
    """How a turn ended. DONE: the agent says so. CLOSED: it is over for good, however it went."""

    DONE = "done"
    CLOSED = "closed"
    INTERRUPTED = "interrupted"
    FAILED = "failed"


class Activity(StrEnum):
    """What a client says of itself. UNSAID: it is there and has no opinion."""

    BUSY = "busy"
    IDLE = "idle"
    SHELL = "shell"
    WAITING = "waiting"
    UNSAID = ""


class Decision(StrEnum):
    """What a person can say to an ask (rulings F4)."""

    ALLOW = "allow"
    ALWAYS = "always"
    DENY = "deny"
    ANSWER = "answer"
    APPROVE = "approve"
    REJECT = "reject"
    DISMISS = "dismiss"


class Usage(msgspec.Struct, frozen=True, omit_defaults=True):
    """Tokens of one model answer, which `message` and `request` name so that it counts once."""

    message: str
    request: str = ""
    model: str = ""
    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0


class SessionStarted(Word, frozen=True, tag="session_started"):
    cause: Cause
    cwd: str = ""
    transcript: str = ""
    branch: str = ""
    model: str = ""


class SessionEnded(Word, frozen=True, tag="session_ended"):
    reason: str = ""


class SessionSeen(Word, frozen=True, tag="session_seen"):
    """Where a session lives, as far as its transcript tells: changes only."""

    cwd: str = ""
    transcript: str = ""
    branch: str = ""
    version: str = ""
    entrypoint: str = ""
    parent: str = ""


class PromptSubmitted(Word, frozen=True, tag="prompt_submitted"):
    text: str
    prompt: str = ""
    origin: Origin = Origin.HUMAN
    entry: str = ""


class AgentSpoke(Word, frozen=True, tag="agent_spoke"):
    """Words of the agent. `final` is None while nobody can say whether more follows."""

    text: str
    prompt: str = ""
    final: bool | None = None
    entry: str = ""
    message: str = ""
    synthetic: bool = False
    usage: Usage | None = None


class ToolStarted(Word, frozen=True, tag="tool_started"):
    tool: str
    call: str
    waits: Waits = Waits.NOTHING
    input: msgspec.Raw = UNGIVEN
    prompt: str = ""
    entry: str = ""
    message: str = ""
    usage: Usage | None = None


class ToolFinished(Word, frozen=True, tag="tool_finished"):
    call: str
    tool: str = ""
    outcome: Outcome = Outcome.DONE
    text: str = ""
    duration_ms: int | None = None
    prompt: str = ""
    entry: str = ""


class PermissionAsked(Word, frozen=True, tag="permission_asked"):
    tool: str
    input: msgspec.Raw = UNGIVEN
    waits: Waits = Waits.NOTHING
    suggestions: msgspec.Raw = UNGIVEN
    prompt: str = ""
    offer: str = ""
    """Names the hook that waits beside the terminal's dialog, where one does."""


class OfferEnded(Word, frozen=True, tag="offer_ended"):
    """The hook that waited for an answer is gone: only the terminal can answer now."""

    offer: str


class AskAnswered(Word, frozen=True, tag="ask_answered"):
    """A person answered what an agent waits for. `answers` are the words chosen or written, by
    question."""

    ask: int
    decision: Decision
    message: str = ""
    answers: dict[str, list[str]] = {}
    by: str = ""


class AnswerRefused(Word, frozen=True, tag="answer_refused"):
    """An answer of a person that was not taken, because it did not fit or came too late. It
    changes nothing."""

    ask: int
    decision: Decision
    why: str
    by: str = ""


class AnswerLost(Word, frozen=True, tag="answer_lost"):
    """An answer found nobody who waited for it: the terminal still asks."""

    ask: int
    offer: str = ""


class TurnEnded(Word, frozen=True, tag="turn_ended"):
    how: Ending
    prompt: str = ""
    error: str = ""
    background: int = 0
    entry: str = ""


class Notified(Word, frozen=True, tag="notified"):
    about: str
    text: str = ""


class SubagentStarted(Word, frozen=True, tag="subagent_started"):
    subagent: str
    role: str = ""


class SubagentEnded(Word, frozen=True, tag="subagent_ended"):
    subagent: str
    role: str = ""


class Compacting(Word, frozen=True, tag="compacting"):
    trigger: str = ""


class Compacted(Word, frozen=True, tag="compacted"):
    trigger: str = ""
    entry: str = ""


class DirectoryChanged(Word, frozen=True, tag="directory_changed"):
    cwd: str


class Titled(Word, frozen=True, tag="titled"):
    """A name for the session. A person's own (`chosen`) outlives one that was made up."""

    title: str
    chosen: bool = False
    entry: str = ""


class ClientLaunched(Word, frozen=True, tag="client_launched"):
    """`turnkeeper run` has started a client; nobody has heard the client itself yet."""

    pid: int
    started: str = ""
    cwd: str = ""
    command: str = ""


class ClientReported(Word, frozen=True, tag="client_reported"):
    """What a client's own registry file says. (pid, started) names the process."""

    pid: int
    started: str
    activity: Activity = Activity.UNSAID
    waiting_for: str = ""
    cwd: str = ""
    version: str = ""
    name: str = ""
    entrypoint: str = ""
    domain: str = ""
    tmux: str = ""


class ClientUnlisted(Word, frozen=True, tag="client_unlisted"):
    """The registry file vanished. Only the process itself can tell whether the client did too."""

    pid: int


class ProcessFound(Word, frozen=True, tag="process_found"):
    """A client process lives, and no registry names its session."""

    pid: int
    started: str = ""
    cwd: str = ""


class ProcessExited(Word, frozen=True, tag="process_exited"):
    pid: int
    started: str = ""


class ClientMissing(Word, frozen=True, tag="client_missing"):
    """No client on this machine runs the session: none lists it, none works in its folder."""


class StalenessFound(Word, frozen=True, tag="staleness_found"):
    """The health check saw a transcript that moved on while we believed it waited."""

    transcript_at: int
    last_event_at: int


class AgentRenamed(Word, frozen=True, tag="agent_renamed"):
    """A person named the agent on the board. An empty name takes that back."""

    name: str


class AgentMuted(Word, frozen=True, tag="agent_muted"):
    """A person wants to be left alone by the agent, or not any more."""

    muted: bool


class InterruptSent(Word, frozen=True, tag="interrupt_sent"):
    """A person had Escape pressed in the agent's terminal. What it then did, the agent tells."""

    pane: str


class CommandTurnedDown(Word, frozen=True, tag="command_turned_down"):
    """A person asked of an agent what could not be done then. It changes nothing."""

    command: str
    why: str


class PriceSet(Word, frozen=True, tag="price_set"):
    """A person said what a million tokens cost, in US dollars, of models whose names begin so.
    It concerns no agent."""

    model: str
    input: float
    output: float
    cache_read: float
    cache_write: float


class LinePassed(Word, frozen=True, tag="line_passed"):
    """A transcript line that says nothing to a person: kept as type, hash and place."""

    type: str
    hash: str
    start: int
    end: int


class Unrecognised(Word, frozen=True, tag="unrecognised"):
    """An outside message we could not read. Its beginning, hash and place are kept, so that a
    later version can read it."""

    raw: str
    why: str
    hash: str = ""
    size: int = 0
    start: int = -1
    prompt: str = ""


What = (
    SessionStarted
    | SessionEnded
    | SessionSeen
    | PromptSubmitted
    | AgentSpoke
    | ToolStarted
    | ToolFinished
    | PermissionAsked
    | OfferEnded
    | AskAnswered
    | AnswerRefused
    | AnswerLost
    | TurnEnded
    | Notified
    | SubagentStarted
    | SubagentEnded
    | Compacting
    | Compacted
    | DirectoryChanged
    | Titled
    | ClientLaunched
    | ClientReported
    | ClientUnlisted
    | ProcessFound
    | ProcessExited
    | ClientMissing
    | StalenessFound
    | AgentRenamed
    | AgentMuted
    | InterruptSent
    | CommandTurnedDown
    | PriceSet
    | LinePassed
    | Unrecognised
)
