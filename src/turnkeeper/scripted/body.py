"""What a client consists of while it runs: its process, its session, its four ways to be seen."""

from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from turnkeeper.facts.fact import Moment
from turnkeeper.scripted.bookkeeping import Requests, last_prompt, states
from turnkeeper.scripted.faults import Faults
from turnkeeper.scripted.lines import EFFORT, MODEL, Message, Stamp
from turnkeeper.scripted.names import Names
from turnkeeper.scripted.pace import Pace
from turnkeeper.scripted.process import Child, Leash
from turnkeeper.scripted.registry import RegistryFile, Status, entry
from turnkeeper.scripted.spool import Spool
from turnkeeper.scripted.steps import Tool
from turnkeeper.scripted.tokens import Meter
from turnkeeper.scripted.transcript import Json, Thread, TranscriptFile, slug
from turnkeeper.scripted.waiting import Asking

VERSION = "2.1.325"
HOOK_SECONDS = 0.03
BEFORE_THE_FIRST_REQUEST = (
    "environment",
    "model",
    "deferred_tools_delta",
    "agent_listing_delta",
    "skill_listing",
)
WITH_THE_FIRST_REQUEST = ("session_context", "date", "remote_session_change", "prompt_snapshot")
WHOLE_PROMPT = ("prompt_id", "permission_mode", "agent", "effort")
CARRIED: dict[str, tuple[str, ...]] = {
    "SessionStart": (),
    "SessionEnd": ("prompt_id",),
    "UserPromptSubmit": ("prompt_id", "permission_mode"),
    "StopFailure": ("prompt_id", "effort"),
    "SubagentStart": ("prompt_id", "agent"),
    "PreCompact": ("prompt_id",),
    "PostCompact": ("prompt_id",),
}
"""Which of the common fields a hook carries; those not named here carry all of them."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where agents leave their traces."""

    claude_dir: Path
    data: Path


@dataclass(frozen=True, slots=True)
class Role:
    """Who an agent is. Without a process it has no registry file either: only words.

    `ballast` fills the lines that nobody reads, `weight` counts the tokens of words that a story
    has shortened.
    """

    cwd: Path
    branch: str = "main"
    mode: str = "default"
    version: str = VERSION
    process: bool = True
    ballast: float = 0.0
    model: str = MODEL
    weight: float = 1.0


@dataclass(slots=True)
class Voice:
    """Whoever speaks in a transcript: the agent itself, or a sub-agent of this id and kind."""

    thread: Thread
    requests: Requests
    meter: Meter
    subagent: str = ""
    kind: str = ""
    message: Message | None = None
    settled: bool = False


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call that has begun. `entry` is the line that made it."""

    id: str
    tool: Tool
    entry: str
    message: str
    begun: Moment


@dataclass(slots=True)
class Session:
    """One session id and what its transcript will need to know."""

    id: str
    voice: Voice
    turn_begun: Moment
    repeats: tuple[str, ...] = ("mode", "permission-mode", "atis-latch")
    greeting: tuple[str, ...] = BEFORE_THE_FIRST_REQUEST + WITH_THE_FIRST_REQUEST
    opened: bool = False
    prompt: str = ""
    last_prompt: str = ""
    prompts: int = 0
    turns: int = 0
    tools: list[str] = field(default_factory=list)

    def position(self) -> Json:
        return {"promptIndex": self.prompts, "turnIndex": self.turns}


@dataclass(frozen=True, slots=True)
class Errand:
    """Something that runs in the background. A sub-agent has a voice, a command has none."""

    id: str
    call: Call
    description: str
    report: str
    command: str = ""
    voice: Voice | None = None

    def told(self) -> Json:
        told: Json = {"id": self.id, "type": "subagent" if self.voice else "shell"}
        told |= {"status": "running", "description": self.description}
        return told | ({"agent_type": self.voice.kind} if self.voice else {"command": self.command})


class Body:
    """The client itself. Others say what it does; here is what it takes to do it."""

    def __init__(
        self, place: Place, role: Role, *, pace: Pace, faults: Faults, random: Random, leash: Leash
    ) -> None:
        self.place = place
        self.role = role
        self.pace = pace
        self.names = Names(random)
        self.mode = role.mode
        self.errands: list[Errand] = []
        self.running: Call | None = None
        self.interjected: str | None = None
        self.asking = Asking(place.data, pace)
        self.child: Child | None = None
        self.registry: RegistryFile | None = None
        self._faults = faults
        self._random = random
        self._leash = leash
        self._spool = Spool(place.data / "spool", random, faults.drop_hooks)
        self.begun = pace.now()
        self.session = self.new_session()

    @property
    def hooked(self) -> bool:
        return not self._faults.no_spool

    def stamp(self) -> Stamp:
        return Stamp(self.names.uuid(), self.pace.now())

    def transcript_of(self, session: str) -> Path:
        return self.place.claude_dir / "projects" / slug(self.role.cwd) / f"{session}.jsonl"

    def new_session(self) -> Session:
        session = self.names.uuid()
        voice = self.voice(self.transcript_of(session), session)
        return Session(session, voice, self.pace.now())

    def voice(self, path: Path, session: str, subagent: str = "", kind: str = "") -> Voice:
        file = TranscriptFile(path, self.pace, self._faults, self._random)
        tail: Json = {
            "userType": "external",
            "entrypoint": "cli",
            "cwd": str(self.role.cwd),
            "sessionId": session,
            "version": self.role.version,
            "gitBranch": self.role.branch,
        }
        thread = Thread(file, tail, subagent or None)
        return Voice(thread, self.new_requests(session), Meter(self.role.weight), subagent, kind)

    def new_requests(self, session: str) -> Requests:
        role = self.role
        return Requests(session, role.version, role.model, self.names, role.ballast)

    def be_born(self, registered_as: str) -> None:
        """Start the process and register it, under an id that may be provisional."""
        if not self.role.process:
            return
        self.role.cwd.mkdir(parents=True, exist_ok=True)
        self.child = self._leash.child(self.role.cwd)
        if not self._faults.no_registry:
            self.registry = RegistryFile(
                self.place.claude_dir / "sessions",
                entry(
                    self.child,
                    session=registered_as,
                    cwd=self.role.cwd,
                    version=self.role.version,
                    name=f"{self.role.cwd.name}-{self.names.hex(2)}",
                    at=self.pace.now(),
                ),
            )

    def die(self) -> None:
        if self.child is not None:
            self.child.kill()

    def tell(self, status: Status, waiting_for: str | None = None) -> None:
        if self.registry is not None:
            self.registry.tell(status, self.pace.now(), waiting_for)

    def hook(
        self,
        event: str,
        fields: Json,
        voice: Voice | None = None,
        carried: tuple[str, ...] | None = None,
    ) -> None:
        """Call the hooks of this event, as the client would from this voice."""
        if self.hooked:
            self._spool.hear(self._payload(event, fields, voice, carried), self.pace.now())

    def request(self, fields: Json) -> None:
        """Call the hook that waits. Where asks are offered it takes this one to the board once
        the client waits, and else it leaves it in the spool."""
        if self.asking.offers and self.hooked:
            self.asking.offered = self._payload("PermissionRequest", fields)
        else:
            self.hook("PermissionRequest", fields)

    def _payload(
        self,
        event: str,
        fields: Json,
        voice: Voice | None = None,
        carried: tuple[str, ...] | None = None,
    ) -> Json:
        common: dict[str, Json] = {
            "prompt_id": {"prompt_id": self.session.prompt} if self.session.prompt else {},
            "permission_mode": {"permission_mode": self.mode},
            "agent": self._agent(voice),
            "effort": {"effort": {"level": EFFORT}},
        }
        payload: Json = {
            "session_id": self.session.id,
            "transcript_path": str(self.transcript_of(self.session.id)),
            "cwd": str(self.role.cwd),
        }
        for name in carried or CARRIED.get(event, WHOLE_PROMPT):
            payload |= common[name]
        return payload | {"hook_event_name": event} | fields

    def _agent(self, voice: Voice | None) -> Json:
        if voice is None or not voice.subagent:
            return {}
        return {"agent_id": voice.subagent, "agent_type": voice.kind}

    async def call_hook(self, event: str, fields: Json) -> None:
        """Call a hook that the client waits for before it goes on."""
        await self.pace.pause(HOOK_SECONDS)
        self.hook(event, fields)
        await self.pace.pause(HOOK_SECONDS)

    async def keep_books(self) -> None:
        """Write the lines that a client repeats while it works."""
        session = self.session
        thread = session.voice.thread
        await thread.note(last_prompt(session.id, session.last_prompt, thread.leaf))
        await self.keep_states()

    async def keep_states(self) -> None:
        kept = states(self.session.id, self.mode)
        for kind in self.session.repeats:
            await self.session.voice.thread.note(kept[kind])
