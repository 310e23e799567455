"""The registry file of one process: `<claude_dir>/sessions/<pid>.json`."""

from enum import StrEnum
from pathlib import Path

import msgspec

from turnkeeper.facts.fact import Moment
from turnkeeper.scripted.pace import milliseconds
from turnkeeper.scripted.process import Child, domain

PEER_FEATURES = ["notify_idle", "reply_across_default_dirs", "artifact_yield"]

Json = dict[str, object]


class Status(StrEnum):
    BUSY = "busy"
    IDLE = "idle"
    SHELL = "shell"
    WAITING = "waiting"


class RegistryFile:
    """What a client says of itself. Rewritten in place, so a reader may see half of it."""

    def __init__(self, folder: Path, entry: Json) -> None:
        self._path = folder / f"{entry['pid']}.json"
        self._entry = entry
        folder.mkdir(parents=True, exist_ok=True)
        self._write()

    def rename(self, session: str, at: Moment) -> None:
        self._entry |= {"sessionId": session, "updatedAt": milliseconds(at)}
        self._write()

    def tell(self, status: Status, at: Moment, waiting_for: str | None = None) -> None:
        now = milliseconds(at)
        self._entry |= {"status": status, "updatedAt": now, "statusUpdatedAt": now}
        self._entry.pop("waitingFor", None)
        if waiting_for is not None:
            self._entry["waitingFor"] = waiting_for
        self._write()

    def remove(self) -> None:
        self._path.unlink(missing_ok=True)

    def _write(self) -> None:
        self._path.write_bytes(msgspec.json.encode(self._entry))


def entry(child: Child, *, session: str, cwd: Path, version: str, name: str, at: Moment) -> Json:
    """The entry of a client that has just begun: it has no status yet."""
    now = milliseconds(at)
    space = domain()
    return {
        "pid": child.pid,
        "sessionId": session,
        "cwd": str(cwd),
        "startedAt": now,
        "procStart": child.started,
        "version": version,
        "peerProtocol": 1,
        "peerFeatures": PEER_FEATURES,
        "kind": "interactive",
        "entrypoint": "cli",
        **({} if space is None else {"pidDomain": space}),
        "asksForConvertedSkills": None,
        "messagingSocketPath": f"/run/user/1000/cc-socks/{child.pid}.sock",
        "name": name,
        "nameSource": "derived",
        "nameSince": now,
    }
