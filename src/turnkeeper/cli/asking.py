"""Asks the daemon over HTTP: quicker than opening its database, and one derivation for all."""

import http.client
import json
from pathlib import Path
from urllib.parse import quote, urlsplit

from turnkeeper import errors
from turnkeeper.errors import AnsweredNo, DaemonAbsent, TurnkeeperError

PATIENCE = 30.0


def agent_path(agent: str, what: str = "") -> str:
    """The address of an agent as a person names it."""
    return f"/api/agents/{quote(agent, safe='')}{what}"


def ask(data: Path | None, path: str, method: str = "GET", body: object = None) -> bytes:
    """What the daemon answers, as JSON; its refusals are raised in its own words."""
    from turnkeeper.daemon.settings import settings

    chosen = settings(data)
    where = urlsplit(url_of(data))
    token = (chosen.data / "token").read_text().strip()
    connection = http.client.HTTPConnection(where.hostname or "", where.port, timeout=PATIENCE)
    try:
        connection.request(
            method,
            path,
            body=None if body is None else json.dumps(body),
            headers={"Authorization": f"Bearer {token}", "Content-Type": "application/json"},
        )
        answer = connection.getresponse()
        body = answer.read()
    except OSError as cause:
        raise DaemonAbsent(str(chosen.data)) from cause
    finally:
        connection.close()
    if answer.status >= 400:
        raise _refusal(body)
    return body


def url_of(data: Path | None) -> str:
    """Where the daemon of this folder listens, without a slash at the end."""
    from turnkeeper.daemon.lock import running
    from turnkeeper.daemon.settings import settings

    chosen = settings(data)
    told = running(chosen) or {}
    if "url" not in told:
        raise DaemonAbsent(str(chosen.data))
    return str(told["url"]).rstrip("/")


def _refusal(body: bytes) -> AnsweredNo:
    problem = json.loads(body)
    known = getattr(errors, problem["error"], TurnkeeperError)
    return AnsweredNo(problem["message"], hint=problem["hint"], exit_code=known.exit_code)
