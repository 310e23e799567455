"""What an agent, its person and its machine can do. A story is a list of these.

A turn begins with a `Prompt` (or a `Notification`) and is over with `Finish`, `Fail`,
`Interrupt`, or an ask that is turned down.
"""

import math

import msgspec

FOREVER = math.inf


class Step(msgspec.Struct, frozen=True, tag_field="step", omit_defaults=True):
    """One step of a story."""


class Prompt(Step, frozen=True, tag="prompt"):
    text: str


class Say(Step, frozen=True, tag="say"):
    """Words before a tool call: the same message goes on with the call."""

    text: str


class Tool(Step, frozen=True, tag="tool"):
    """A call that needs nobody's leave. Without a result it still runs when the next step comes."""

    name: str
    input: dict[str, object]
    result: str | None = ""
    seconds: float = 0.2
    failed: bool = False


class Together(Step, frozen=True, tag="together"):
    """Several calls in one message."""

    calls: tuple[Tool, ...]


class Result(Step, frozen=True, tag="result"):
    """The call that still ran ends."""

    text: str = ""


class Finish(Step, frozen=True, tag="finish"):
    """The last words of a turn."""

    text: str


class Fail(Step, frozen=True, tag="fail"):
    """The model service refuses, and the turn is over."""

    text: str = "API Error: 529 Overloaded"
    error: str = "server_error"
    status: int = 529
    kind: str = "overloaded_error"


class Permission(Step, frozen=True, tag="permission"):
    """Calls that need a person's leave, asked for one after another.

    The story's own answer comes `after` so many seconds, unless somebody answers first.
    """

    calls: tuple[Tool, ...]
    granted: bool = True
    after: float = 2.0


class Option(msgspec.Struct, frozen=True):
    label: str
    description: str = ""


class Question(Step, frozen=True, tag="question"):
    """A question with options. The answer None dismisses it."""

    text: str
    header: str
    options: tuple[Option, ...]
    answer: str | None
    after: float = 2.0


class Plan(Step, frozen=True, tag="plan"):
    """A plan to approve. Hooks hear its words only where the agent has kept them in a file."""

    text: str
    approved: bool = True
    after: float = 2.0
    filed: bool = False


class Interrupt(Step, frozen=True, tag="interrupt"):
    """A person presses Esc."""


class Interject(Step, frozen=True, tag="interject"):
    """A person types while a call runs; the words reach the agent with the call's `Result`."""

    text: str


class Mode(Step, frozen=True, tag="mode"):
    """Shift+Tab: from here on the agent plans, or works."""

    mode: str


class Clear(Step, frozen=True, tag="clear"):
    """/clear: the same process, a new session."""


class Compact(Step, frozen=True, tag="compact"):
    """/compact: the same session, told anew."""

    summary: str


class Delegate(Step, frozen=True, tag="delegate"):
    """A sub-agent starts and works; its report comes with `Notification`."""

    description: str
    prompt: str
    report: str
    calls: tuple[Tool, ...] = ()


class Background(Step, frozen=True, tag="background"):
    """A command starts in the background; its end comes with `Notification`."""

    command: str
    description: str


class Notification(Step, frozen=True, tag="notification"):
    """The oldest thing in the background has ended: a turn begins that nobody typed."""


class Wait(Step, frozen=True, tag="wait"):
    seconds: float


class Title(Step, frozen=True, tag="title"):
    """The client names the conversation."""

    text: str


class Exit(Step, frozen=True, tag="exit"):
    """/exit."""


class Kill(Step, frozen=True, tag="kill"):
    """SIGKILL: nothing is told and the registry file stays."""


class Resume(Step, frozen=True, tag="resume"):
    """--continue: a new process goes on with the last session."""


TurnStep = Prompt | Say | Tool | Together | Result | Finish | Fail
AskStep = Permission | Question | Plan
PersonStep = Interrupt | Interject | Mode | Clear | Compact
ErrandStep = Delegate | Background | Notification
LifeStep = Wait | Title | Exit | Kill | Resume
AnyStep = TurnStep | AskStep | PersonStep | ErrandStep | LifeStep
