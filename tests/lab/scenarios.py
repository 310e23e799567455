"""The recorded scenarios as stories for scripted agents, and what it takes to play them."""

import json
from pathlib import Path

from tests.lab.shapes import Json, in_order
from turnkeeper.facts.fact import Moment
from turnkeeper.scripted.agent import ScriptedAgent
from turnkeeper.scripted.body import Place, Role
from turnkeeper.scripted.stage import throwaway
from turnkeeper.scripted.steps import (
    AnyStep,
    Background,
    Clear,
    Compact,
    Delegate,
    Exit,
    Fail,
    Finish,
    Interject,
    Interrupt,
    Kill,
    Notification,
    Option,
    Permission,
    Plan,
    Prompt,
    Question,
    Result,
    Resume,
    Say,
    Together,
    Tool,
    Wait,
)

NOON = Moment(1_794_830_400_000_000)

Story = tuple[AnyStep, ...]


def bash(command: str, result: str | None = "") -> Tool:
    return Tool("Bash", {"command": command, "description": "Run it"}, result)


HELLO: Story = (Prompt("say hello"), Finish("Hello! The greeting is done."))
CREATE = Say("Creating the file.")
TOUCH = bash("touch made.txt")
DATABASES = (Option("SQLite", "embedded"), Option("PostgreSQL", "a server"))


def which_database(answer: str | None) -> Question:
    return Question("Which database?", "Database", DATABASES, answer)


SCENARIOS: dict[str, Story] = {
    "plain_reply": (*HELLO, Exit()),
    "tool_call": (Prompt("list"), Say("I will list."), bash("ls"), Finish("I have listed.")),
    "parallel_tools": (
        Prompt("run both"),
        Say("Running two commands."),
        Together((bash("echo one", "one"), bash("echo two", "two"))),
        Finish("Both commands ran."),
    ),
    "permission_granted": (Prompt("make it"), CREATE, Permission((TOUCH,)), Finish("Created.")),
    "permission_denied": (Prompt("make it"), CREATE, Permission((TOUCH,), granted=False)),
    "parallel_permissions": (
        Prompt("make both"),
        Say("Two files."),
        Permission((bash("touch one.txt"), bash("touch two.txt"))),
        Finish("Both are there."),
    ),
    "question_answered": (
        Prompt("which one"),
        Say("I need a decision."),
        which_database("SQLite"),
        Finish("Thank you. Finished."),
    ),
    "question_dismissed": (Prompt("which one"), Say("A decision."), which_database(None)),
    "question_in_text": (
        *(Prompt("ask me in words"), Finish("Which one would you prefer?")),
        *(Prompt("yes, please go on"), Finish("Hello! The greeting is done.")),
    ),
    "plan_approved": (
        Prompt("plan it"),
        Say("Here is my plan."),
        Plan("1. Read\n2. Change"),
        Finish("The plan is carried out."),
    ),
    "plan_rejected": (Prompt("plan it"), Say("My plan."), Plan("1. Read", approved=False)),
    "interrupted_tool": (
        *(Prompt("sleep"), Say("Starting the long job."), bash("sleep 40", None)),
        *(Wait(2.5), Interrupt()),
    ),
    "subagent": (
        Prompt("delegate"),
        Say("Delegating."),
        Delegate("Look around", "look around", "There is one folder.", (bash("ls"),)),
        Finish("The helper has reported. All done."),
        Notification(),
        Finish("The script has ended."),
    ),
    "api_error": (Prompt("fail"), Fail(), *HELLO),
    "cleared": (*HELLO, Clear(), *HELLO),
    "compacted": (*HELLO, Compact("We said hello."), *HELLO),
    "killed_and_resumed": (
        *(Prompt("sleep"), Say("Starting the long job."), bash("sleep 40", None)),
        *(Wait(2.5), Kill(), Resume(), *HELLO),
    ),
    "prompt_while_busy": (
        *(Prompt("do the first thing"), Say("On it."), bash("sleep 6", None)),
        *(Interject("and one more thing"), Result(), Finish("The first thing is done.")),
    ),
    "background_shell": (
        *(Prompt("start it"), Say("Starting it."), Background("sleep 7", "In the background")),
        *(Finish("It runs."), Wait(7), Notification(), Finish("The background job has ended.")),
    ),
}


def open_place(root: Path) -> Place:
    """A throwaway place whose spool a daemon would hold open."""
    place = throwaway(root)
    (place.data / "spool" / ".open").touch()
    return place


def role_in(place: Place, *, mode: str = "default", process: bool = True) -> Role:
    return Role(place.data.parent / "project", mode=mode, process=process)


def spooled(place: Place) -> list[Json]:
    files = list((place.data / "spool").glob("*.jsonl"))
    files.sort(key=lambda path: int(path.suffixes[-2][1:]))
    return [json.loads(line) for path in files for line in path.read_text().splitlines()]


def transcripts(place: Place) -> list[list[Json]]:
    return in_order((place.claude_dir / "projects").glob("*/*.jsonl"))


def heard(place: Place) -> list[object]:
    return [payload["hook_event_name"] for payload in spooled(place)]


def registry_file(place: Place, pid: int) -> Path:
    return place.claude_dir / "sessions" / f"{pid}.json"


def registry_entry(place: Place, pid: int) -> Json:
    entry: Json = json.loads(registry_file(place, pid).read_text())
    return entry


def pid_of(agent: ScriptedAgent) -> int:
    assert agent.pid is not None
    return agent.pid


def kernel_start(pid: int) -> str:
    """When a process began, in the kernel's own words: the 22nd field of its stat file."""
    return Path(f"/proc/{pid}/stat").read_text().split()[21]
