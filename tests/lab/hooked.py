"""A client as its hooks tell of it: a session with a process and no client behind it."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from uuid import uuid4

from tests.lab.asking import bearing
from tests.lab.daemon import Daemon
from tests.lab.offering import Json, Waiting
from tests.lab.real_client import until
from turnkeeper.scripted.process import Leash
from turnkeeper.scripted.registry import RegistryFile, entry
from turnkeeper.sources.clock import SystemClock


class Client:
    """One session that has just been given a prompt: its process, its registry file, its hooks."""

    def __init__(self, daemon: Daemon, prompt: str, cwd: str = "/home/ada/shop") -> None:
        self._caller = bearing(daemon.url, daemon.token)
        self._hooks: list[Waiting] = []
        self.session = str(uuid4())
        self.cwd = cwd
        self._turns = 0
        self._leash = Leash()
        self._process = self._leash.child(Path("/"))
        self.hears("SessionStart", source="startup")
        self._registry = RegistryFile(daemon.claude_dir / "sessions", self._entry())
        self.prompt(prompt)
        self.agent = until(self._number, "an agent with a process")

    def _entry(self) -> Json:
        """Without a status: what it does, the hooks say."""
        return entry(
            self._process,
            session=self.session,
            cwd=Path(self.cwd),
            version="2.1.325",
            name=Path(self.cwd).name,
            at=SystemClock().now(),
        )

    def _number(self) -> int | None:
        answer = self._caller.get(f"/api/agents/{self.session}")
        if answer.status != 200 or answer.json()["pid"] is None:
            return None
        return int(answer.json()["id"])

    def hears(self, event: str, **more: object) -> None:
        """A hook that does not wait."""
        body = json.dumps(self._payload(event, more)).encode()
        answer = self._caller.post("/api/hooks/claude", body)
        assert answer.status == 202, answer.body

    def prompt(self, text: str) -> None:
        self._turns += 1
        self.hears("UserPromptSubmit", prompt=text)

    def asks(
        self, tool: str, given: Mapping[str, object], suggestions: Sequence[Json] = ()
    ) -> Waiting:
        """Ask for leave, through a hook that waits."""
        more = {"tool_name": tool, "tool_input": given, "permission_suggestions": suggestions}
        self._hooks.append(Waiting(self._caller, self._payload("PermissionRequest", more)))
        return self._hooks[-1]

    def says(self, text: str) -> None:
        """The last words of a turn."""
        self.hears("Stop", last_assistant_message=text)

    def fails(self, error: str, text: str) -> None:
        self.hears("StopFailure", error=error, last_assistant_message=text)

    def goes_on(self, tool: str) -> None:
        """Somebody has allowed it in the terminal, and it is done."""
        self.hears("PostToolUse", tool_name=tool, tool_use_id=f"toolu_{uuid4().hex}")

    def ends(self) -> None:
        self.hears("SessionEnd", reason="other")
        for hook in self._hooks:
            hook.leave()
        self._registry.remove()
        self._process.kill()
        self._leash.close()

    def _payload(self, event: str, more: Mapping[str, object]) -> Json:
        return {
            "hook_event_name": event,
            "session_id": self.session,
            "prompt_id": f"{self.session}-{self._turns}",
            "cwd": self.cwd,
            **more,
        }


RULE: Json = {
    "type": "addRules",
    "rules": [{"toolName": "Bash", "ruleContent": "npm test:*"}],
    "behavior": "allow",
    "destination": "localSettings",
}
"""What a client offers to do on "always"."""

QUESTIONS: Json = {
    "questions": [
        {
            "question": "Which database should the orders live in?",
            "header": "Database",
            "multiSelect": False,
            "options": [
                {"label": "PostgreSQL", "description": "What production runs; needs a server"},
                {"label": "SQLite", "description": "One file, nothing to set up"},
            ],
        },
        {
            "question": "Which checks should run before a commit?",
            "header": "Checks",
            "multiSelect": True,
            "options": [
                {"label": "Types", "description": "mypy, strict"},
                {"label": "Tests", "description": "Only those within three seconds"},
                {"label": "Style", "description": "ruff"},
            ],
        },
    ]
}

PLAN = """# Tax by country

Orders are taxed by the **ship-to** country, not by the shop's.

1. `tax/rates.py`: a table of rates, read from `rates.toml`
2. `orders/total.py`: ask it, instead of the constant
3. Tests for the three countries we ship to

```python
def rate(country: str) -> Decimal:
    return RATES[country]
```

Nothing changes for orders that are paid already. See <https://example.org/vat>.
"""
