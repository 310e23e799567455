"""Drives a real Claude Code in tmux against the scripted model; its home is a throwaway folder.

The client gets an empty environment, a home and a configuration folder of its own, and talks
to loopback alone. Nothing here reads or writes the person's own ~/.claude.
"""

import itertools
import json
import os
import shlex
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import psutil

from tests.lab.scripted_model import SCRIPTS, ScriptedModel

KEY = "sk-ant-scripted-model"
PATIENCE_SECONDS = 30.0
GLANCE_SECONDS = 0.02
ANSWER_SECONDS = 0.5
PROMPT_SIGN = "❯"
DIALOG_SIGN = "❯ 1."

Json = dict[str, object]
T = TypeVar("T")

_numbers = itertools.count(1)


class NeverHappened(AssertionError):
    """Something was awaited and did not come; the message shows what was there instead."""


def until(
    look: Callable[[], T | None],
    what: str,
    *,
    instead: Callable[[], object] = str,
    seconds: float = PATIENCE_SECONDS,
) -> T:
    """Look again and again until there is something to see, and return it."""
    deadline = time.monotonic() + seconds
    while True:
        seen = look()
        if seen:
            return seen
        if time.monotonic() > deadline:
            raise NeverHappened(f"{what} did not happen within {seconds:g} s:\n{instead()}")
        time.sleep(GLANCE_SECONDS)


def spool_command(data: Path) -> str:
    """The hook command of rulings C1, to the letter."""
    spool = f'"{data}/spool/${{CLAUDE_CODE_SESSION_ID:-x}}.$$.jsonl"'
    return f"{{ cat >> {spool} || cat; }} >/dev/null 2>&1 || :"


def hooks(command: str, *events: str) -> Json:
    """Settings that run one command at each of these events, and ask before anything else."""
    entry = [{"matcher": "", "hooks": [{"type": "command", "command": command}]}]
    return {"hooks": dict.fromkeys(events, entry), "permissions": {"defaultMode": "default"}}


class RealClient:
    """One home with one scripted model; any number of panes can run in it."""

    def __init__(
        self, binary: Path, settings: Mapping[str, object] | None = None, scripts: Path = SCRIPTS
    ) -> None:
        self.binary = binary
        self.root = Path(tempfile.mkdtemp(prefix="tk-lab-")).resolve()
        self.home = self.root / "home"
        self.claude_dir = self.home / ".claude"
        self.project = self.root / "project"
        self.socket = f"tk-lab-{os.getpid()}-{next(_numbers)}"
        for folder in (self.claude_dir, self.project, self.root / "tmp"):
            folder.mkdir(parents=True)
        subprocess.run(["git", "init", "-q", "-b", "main", str(self.project)], check=True)
        self.write_settings(settings or {})
        self._accept_everything()
        self.model = ScriptedModel(scripts)
        self._panes: list[Pane] = []

    def _accept_everything(self) -> None:
        trusted = {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}
        answers = {
            "hasCompletedOnboarding": True,
            "theme": "dark",
            "hasTrustDialogAccepted": True,
            "hasSeenAutoDefaultNudge": True,
            "customApiKeyResponses": {"approved": [KEY[-20:]], "rejected": []},
            "projects": {str(self.project): trusted | {"allowedTools": []}},
        }
        (self.claude_dir / ".claude.json").write_text(json.dumps(answers))

    def write_settings(self, settings: Mapping[str, object]) -> None:
        (self.claude_dir / "settings.json").write_text(json.dumps(settings, indent=1))

    def environment(self, more: Mapping[str, str] | None = None) -> dict[str, str]:
        return {
            "HOME": str(self.home),
            "CLAUDE_CONFIG_DIR": str(self.claude_dir),
            "TMPDIR": str(self.root / "tmp"),
            "PATH": os.environ["PATH"],
            "TERM": "xterm-256color",
            "LANG": "C.UTF-8",
            "SHELL": "/bin/bash",
            "IS_SANDBOX": "1",
            "ANTHROPIC_BASE_URL": self.model.url,
            "ANTHROPIC_API_KEY": KEY,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_TELEMETRY": "1",
            "DISABLE_ERROR_REPORTING": "1",
            **(more or {}),
        }

    def start(
        self, *args: str, env: Mapping[str, str] | None = None, through: Sequence[str] = ()
    ) -> "Pane":
        """Open a pane that runs the client, and wait until it can take a prompt.

        `through` is a command that runs another: the client is then its child.
        """
        name = f"p{next(_numbers)}"
        variables = [f"{key}={value}" for key, value in self.environment(env).items()]
        command = shlex.join(["env", "-i", *variables, *through, str(self.binary), *args])
        place = ["-x", "140", "-y", "45", "-c", str(self.project)]
        # A server whose last pane has just ended would leave while this pane comes.
        stay = ("start-server", ";", "set-option", "-g", "exit-empty", "off", ";")
        self.tmux(*stay, "new-session", "-d", "-s", name, *place, f"exec {command}")
        told = self.tmux("display", "-p", "-t", name, "#{pane_pid} #{socket_path}")
        pid, socket = told.strip().split(" ", 1)
        number = child_of(int(pid)) if through else int(pid)
        pane = Pane(self, name, pid=number, socket=Path(socket))
        self._panes.append(pane)
        pane.wait_status("idle")
        pane.wait_screen(PROMPT_SIGN)
        return pane

    def headless(
        self, prompt: str, *args: str, env: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(self.binary), "-p", prompt, "--output-format", "json", *args],
            cwd=self.project,
            env=self.environment(env),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=2 * PATIENCE_SECONDS,
            check=False,
        )

    def tmux(self, *args: str) -> str:
        done = subprocess.run(
            ["tmux", "-L", self.socket, *args], capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise NeverHappened(f"tmux {shlex.join(args)}: {done.stderr.strip()}")
        return done.stdout

    def registry(self) -> dict[int, Json]:
        """What the client says of its processes, by pid. A file caught half-written is left out."""
        entries: dict[int, Json] = {}
        for path in (self.claude_dir / "sessions").glob("*.json"):
            try:
                entries[int(path.stem)] = json.loads(path.read_text())
            except (ValueError, OSError):
                continue
        return entries

    def transcripts(self) -> list[Path]:
        return sorted((self.claude_dir / "projects").glob("**/*.jsonl"))

    def close(self) -> None:
        """End what was started here, wait until it has ended, and remove every trace of it.

        The clients are killed: one that merely loses its terminal can linger for seven seconds.
        """
        for pane in self._panes:
            pane.kill()
        subprocess.run(["tmux", "-L", self.socket, "kill-server"], capture_output=True, check=False)
        if self._panes:
            self._panes[0].socket.unlink(missing_ok=True)
        self.model.close()
        shutil.rmtree(self.root)


def child_of(pid: int) -> int:
    """The one process that this one has started."""
    parent = psutil.Process(pid)
    children = until(lambda: [each.pid for each in parent.children()], f"a child of {pid}")
    return children[0]


class Pane:
    """One client in one tmux pane. `pid` is the client's own: the pane runs nothing else."""

    def __init__(self, client: RealClient, name: str, *, pid: int, socket: Path) -> None:
        self.client = client
        self.name = name
        self.pid = pid
        self.socket = socket
        self.process = psutil.Process(pid)

    @property
    def session(self) -> str:
        return str(self.entry()["sessionId"])

    def entry(self) -> Json:
        """What the client says of itself right now."""
        return until(lambda: self.client.registry().get(self.pid), f"{self.pid} registering")

    def transcript(self) -> list[Json]:
        """The conversation's lines so far; a line that is still being written is left out."""
        found = [path for path in self.client.transcripts() if path.stem == self.session]
        text = found[0].read_text() if found else ""
        return [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]

    def screen(self) -> str:
        return self.client.tmux("capture-pane", "-p", "-t", self.name)

    def type(self, text: str) -> None:
        """Type a prompt and send it, once the client shows that it has it."""
        self.client.tmux("send-keys", "-t", self.name, "-l", "--", text)
        self.wait_screen(text[-20:])
        self.key("Enter")

    def key(self, name: str) -> None:
        self.client.tmux("send-keys", "-t", self.name, name)

    def answer(self, key: str) -> None:
        """Press a key once a dialog is on the screen, and again while it stays there.

        A dialog of 2.1.325 ignores keys for 0.15 s after it is drawn (2.1.197 does not), and
        nothing outside shows when that time is over.
        """
        asked = self.wait_status("waiting")["statusUpdatedAt"]

        def taken() -> bool:
            return self.entry().get("statusUpdatedAt") != asked

        def press_and_look() -> bool:
            if DIALOG_SIGN in self.screen():
                self.key(key)
            deadline = time.monotonic() + ANSWER_SECONDS
            while not taken() and time.monotonic() < deadline:
                time.sleep(GLANCE_SECONDS)
            return taken()

        until(press_and_look, f"{key} answering", instead=self._account)

    @property
    def alive(self) -> bool:
        """Whether the client runs. One that has ended and waits to be reaped does not."""
        try:
            return self.process.status() != psutil.STATUS_ZOMBIE
        except psutil.NoSuchProcess:
            return False

    def kill(self) -> None:
        """SIGKILL, to this very process: a pid that has changed hands is left alone."""
        if self.alive:
            self.process.kill()
        self.wait_end()

    def wait_end(self) -> None:
        until(lambda: not self.alive, f"{self.pid} ending", instead=self._account)

    def wait_session_other_than(self, session: str) -> None:
        until(lambda: self.session != session, "another session", instead=self._account)

    def wait_screen(self, text: str) -> None:
        """Wait until the screen shows this text, wherever its lines are broken."""
        wanted = "".join(text.split())
        until(
            lambda: wanted in "".join(self.screen().split()),
            f"{text!r} on the screen",
            instead=self.screen,
        )

    def wait_status(self, status: str) -> Json:
        def look() -> Json | None:
            entry = self.client.registry().get(self.pid, {})
            return entry if entry.get("status") == status else None

        return until(look, f"{self.pid} being {status}", instead=self._account)

    def _account(self) -> str:
        return f"{self.client.registry().get(self.pid)}\n{self.screen()}"
