"""The hook that waits: offers a permission request to the daemon and prints what a person decides.

Claude Code runs this file by its path, with an interpreter that knows nothing of our package: it
imports the standard library alone. Whatever goes wrong it exits 0 and prints nothing, and then the
terminal's own dialog, which is open all the while, is all there is. A request that no daemon took
is left in the spool, like that of any other hook.
"""

import fcntl
import http.client
import json
import os
import sys
import time
import uuid
from pathlib import Path

RETRY_FOR = 60.0
"""Seconds in which a daemon that was lost is looked for (rulings C7)."""

RETRY_EVERY = 0.25
CONNECT_WITHIN = 5.0
OFFER = "turnkeeper_offer"
AGAIN = b'"again"'
"""What a daemon says that stops before the ask is settled."""


class Refused(Exception):
    """The daemon is there and does not want this offer."""


def main(data: Path, retry_for: float = RETRY_FOR) -> None:
    at = time.time_ns() // 1000
    payload = json.loads(sys.stdin.buffer.read())
    offer = str(uuid.uuid4())
    body = json.dumps({"offer": offer, "at": at, "payload": payload}).encode()
    decision = asked(data, body, retry_for)
    if decision is None:
        leave(data, {**payload, OFFER: offer})
    elif decision:
        sys.stdout.buffer.write(decision)
        sys.stdout.buffer.flush()


def asked(data: Path, body: bytes, retry_for: float) -> bytes | None:
    """What was decided; None where no daemon could be asked, or the last one did not come back."""
    deadline = 0.0
    while True:
        try:
            connection = connected(data)
        except (OSError, ValueError, KeyError):
            connection = None
        if connection is not None:
            try:
                return offered(connection, body, data)
            except Refused:
                return None
            except (OSError, http.client.HTTPException):
                # It was there, and is lost only now: the next one is worth looking for.
                deadline = time.monotonic() + retry_for
            finally:
                connection.close()
        if time.monotonic() >= deadline:
            return None
        time.sleep(RETRY_EVERY)


def connected(data: Path) -> http.client.HTTPConnection:
    if not runs(data):
        raise ConnectionRefusedError
    url = json.loads((data / "daemon.json").read_bytes())["url"]
    host, _, port = url.split("://", 1)[1].rstrip("/").rpartition(":")
    connection = http.client.HTTPConnection(host.strip("[]"), int(port), timeout=CONNECT_WITHIN)
    connection.connect()
    connection.sock.settimeout(None)
    return connection


def runs(data: Path) -> bool:
    """Whether a daemon holds the folder. The address of one that was killed stays behind, and who
    listens there by now is to see neither the token nor the request."""
    with (data / "daemon.lock").open("rb") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            return True
    return False


def offered(connection: http.client.HTTPConnection, body: bytes, data: Path) -> bytes:
    """Wait for the decision, however long a person takes: the client's own limit is a day."""
    token = (data / "token").read_text().strip()
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    connection.request("POST", "/api/offers", body, headers)
    response = connection.getresponse()
    decision = response.read()
    if response.status != http.client.OK:
        raise Refused
    if decision == AGAIN:
        raise ConnectionResetError
    return decision


def leave(data: Path, payload: dict[str, object]) -> None:
    """Put the request where every other hook puts its own."""
    name = f"{os.environ.get('CLAUDE_CODE_SESSION_ID') or 'x'}.{os.getpid()}.jsonl"
    with (data / "spool" / name).open("a", encoding="utf-8") as file:
        file.write(json.dumps(payload) + "\n")


if __name__ == "__main__":
    try:
        main(Path(sys.argv[1]))
    except BaseException:
        os._exit(0)
