"""Offers permission requests as the waiting hook does, by hand, and the requests themselves."""

import http.client
import json
import time
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

from tests.lab.asking import Caller
from tests.lab.real_client import until

Json = dict[str, Any]  # whatever the API takes and answers
PATIENCE_SECONDS = 10.0
PROMPT = "p-1"
COMMAND = "touch made.txt"
SUGGESTIONS = [
    {
        "type": "addRules",
        "rules": [{"toolName": "Bash", "ruleContent": "touch:*"}],
        "behavior": "allow",
        "destination": "localSettings",
    }
]
QUESTIONS = [
    {
        "question": "Which database?",
        "header": "Database",
        "multiSelect": False,
        "options": [
            {"label": "SQLite", "description": "One file"},
            {"label": "PostgreSQL", "description": "A server"},
        ],
    },
    {
        "question": "Which checks?",
        "header": "Checks",
        "multiSelect": True,
        "options": [{"label": "Types"}, {"label": "Tests"}, {"label": "Both"}],
    },
]


def heard(event: str, session: str, **more: object) -> Json:
    """A hook payload, as a client gives it."""
    about = {"session_id": session, "cwd": "/home/ada/shop", "prompt_id": PROMPT}
    return {"hook_event_name": event, **about, **more}


def permission(session: str, command: str = COMMAND) -> Json:
    given = {"command": command, "description": "Make a file"}
    asked = {"tool_name": "Bash", "tool_input": given, "permission_suggestions": SUGGESTIONS}
    return heard("PermissionRequest", session, **asked)


def edit(session: str) -> Json:
    given = {"file_path": "/home/ada/shop/a.py", "old_string": "x = 1", "new_string": "x = 2"}
    return heard("PermissionRequest", session, tool_name="Edit", tool_input=given)


def question(session: str) -> Json:
    given = {"questions": QUESTIONS}
    return heard("PermissionRequest", session, tool_name="AskUserQuestion", tool_input=given)


def plan(session: str) -> Json:
    given = {"plan": "# The plan\n\n1. Write the tests"}
    return heard("PermissionRequest", session, tool_name="ExitPlanMode", tool_input=given)


def body(payload: Json, offer: str) -> bytes:
    offered = {"offer": offer, "at": time.time_ns() // 1000, "payload": payload}
    return json.dumps(offered).encode()


class Waiting:
    """A hook that waits. Its response begins as soon as the offer is in the journal."""

    def __init__(self, caller: Caller, payload: Json, offer: str = "") -> None:
        self.offer = offer or str(uuid4())
        self.session: str = payload["session_id"]
        where = urlsplit(caller.url)
        self._line = http.client.HTTPConnection(
            where.hostname or "", where.port, timeout=PATIENCE_SECONDS
        )
        self._line.request("POST", "/api/offers", body(payload, self.offer), dict(caller.headers))
        self._answer = self._line.getresponse()

    @property
    def status(self) -> int:
        return self._answer.status

    def printed(self) -> Any:
        """Wait until the ask is settled; what the hook is to print, if anything."""
        said = self._answer.read()
        self.leave()
        return json.loads(said) if said else None

    def decision(self) -> Any:
        return self.printed()["hookSpecificOutput"]["decision"]

    def leave(self) -> None:
        self._answer.close()
        self._line.close()


def offered(caller: Caller, make: Callable[[str], Json] = permission) -> tuple[Waiting, Json]:
    """A hook that waits for a session of its own, and its ask once the queue holds it."""
    hook = Waiting(caller, make(str(uuid4())))
    return hook, waiting(caller, hook.session)


def waiting(caller: Caller, session: str, *, answerable: bool = True) -> Json:
    """Wait until the queue holds an ask of this session."""

    def look() -> Json | None:
        mine = [ask for ask in queue(caller) if ask["session_id"] == session]
        return next((ask for ask in mine if ask["answerable"] is answerable), None)

    return until(look, f"an ask of {session}", instead=lambda: queue(caller))


def queue(caller: Caller) -> list[Json]:
    found: list[Json] = caller.get("/api/asks").json()
    return found


def shown(caller: Caller, ask: Json) -> Json:
    found: Json = caller.get(f"/api/asks/{ask['id']}").json()
    return found


def closed(caller: Caller, ask: Json) -> Json:
    """Wait until an ask is over, and say how it went."""

    def look() -> Json | None:
        now = shown(caller, ask)
        return now if now["outcome"] else None

    return until(look, f"the end of ask {ask['id']}", instead=lambda: queue(caller))
