"""Makes a past: transcripts like those of Claude Code 2.1.325, as many bytes as asked for.

The lines are those of tests/recordings, again and again, with names and times of their own. What
was cut from the recordings is put back in a real line's weight: prompt snapshots, request shapes
and blobs as in turnkeeper.scripted, tool results of a spread that long sessions show (half below
1.5 KB, some far above, each written twice as the client does), and replies of some paragraphs.
What a client writes once per session stands once per file.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import cycle
from pathlib import Path
from pydoc_data.topics import topics
from random import Random
from typing import Any, Final
from uuid import UUID

import msgspec

from turnkeeper.scripted.body import BEFORE_THE_FIRST_REQUEST
from turnkeeper.scripted.bookkeeping import BULK

RECORDINGS: Final = Path(__file__).parents[1] / "tests" / "recordings" / "2.1.325"
FILE_BYTES: Final = 5_000_000
PROSE: Final = "\n".join(topics.values())
SPREAD: Final = {"result": (1_500, 1.3), "reply": (400, 0.9)}
"""Median and spread of a lognormal number of characters."""

UUIDS: Final = re.compile(rb"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
CALLS: Final = re.compile(rb"(?<=_)[0-9a-f]{20}")
TIMES: Final = re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
CUT: Final = re.compile(rb"@@cut-([\w-]+)@@")
ONCE: Final = (*BEFORE_THE_FIRST_REQUEST, "session_context", "date", "remote_session_change")
ONCE_PER_SESSION: Final = re.compile(
    rb'"type":"(?:%b|api-request-shape)"' % "|".join(ONCE).encode()
)
STEP: Final = timedelta(milliseconds=500)

Json = dict[str, Any]  # a recorded line


def make_history(projects: Path, size: int, seed: int = 1) -> int:
    """Write so many bytes of transcripts; returns how many bytes of them are conversation."""
    lines, random = recorded(), Random(seed)
    spoken = written = number = 0
    while written < size:
        pen = Pen(random)
        folder = projects / f"-home-dev-project-{number % 12}"
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / f"{pen.session}.jsonl").open("wb") as file:
            for line in pen.lines(lines, min(FILE_BYTES, size - written)):
                written += file.write(line)
                spoken += len(line) if is_conversation(line) else 0
        number += 1
    return spoken


def is_conversation(line: bytes) -> bool:
    """Whether the user, the agent or the turn itself speaks: what a database must hold."""
    return any(f'"type":"{kind}"'.encode() in line for kind in ("user", "assistant", "system"))


def recorded() -> list[bytes]:
    """Every recorded line of the conversations, with marks where something was cut."""
    files = sorted(RECORDINGS.glob("*/transcripts/*/*.jsonl"))
    lines = [line for file in files for line in file.read_bytes().splitlines()]
    return [msgspec.json.encode(marked(msgspec.json.decode(line))) + b"\n" for line in lines]


def marked(line: Json) -> Json:
    holder = line.get("attachment", line)
    if holder["type"] in BULK:
        holder["content"] = f"@@cut-{holder['type']}@@"
    content = line.get("message", {}).get("content")
    for block in content if isinstance(content, list) else []:
        _mark_block(line, block)
    return line


def _mark_block(line: Json, block: Json) -> None:
    if block["type"] == "text" and line["type"] == "assistant":
        block["text"] = f"@@cut-reply@@{block['text']}"
    elif block["type"] == "tool_result" and isinstance(block["content"], str):
        block["content"] += "@@cut-result@@"
        if isinstance(line.get("toolUseResult"), dict):
            line["toolUseResult"]["stdout"] = "@@cut-result@@"


class Pen:
    """Copies recorded lines as one session's own."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._names: dict[bytes, bytes] = {}
        self._said: set[bytes] = set()
        self._at = datetime.now(UTC) - timedelta(days=random.uniform(1, 30))
        self.session = str(UUID(int=random.getrandbits(128), version=4))

    def lines(self, templates: list[bytes], size: int) -> Iterator[bytes]:
        """The recordings over and over, each time under other names, until they weigh this much."""
        for nth, template in cycle(enumerate(templates)):
            if nth == 0:
                self._names.clear()
            if self._said_before(template):
                continue
            line = self._copy(template)
            size -= len(line)
            yield line
            if size <= 0:
                return

    def _said_before(self, template: bytes) -> bool:
        kind = ONCE_PER_SESSION.search(template)
        if kind is None:
            return False
        known = kind[0] in self._said
        self._said.add(kind[0])
        return known

    def _copy(self, template: bytes) -> bytes:
        self._at += STEP
        now = self._at.isoformat(timespec="milliseconds").replace("+00:00", "Z").encode()
        sessions = re.findall(rb'"(?:sessionId|session_id)":"([^"]+)"', template)
        self._names.update(dict.fromkeys(sessions, self.session.encode()))
        text = UUIDS.sub(self._uuid, TIMES.sub(now, template))
        return CUT.sub(self._filled, CALLS.sub(self._call, text))

    def _uuid(self, found: re.Match[bytes]) -> bytes:
        fresh = UUID(int=self._random.getrandbits(128), version=4)
        return self._names.setdefault(found[0], str(fresh).encode())

    def _call(self, found: re.Match[bytes]) -> bytes:
        fresh = f"{self._random.getrandbits(80):020x}"
        return self._names.setdefault(found[0], fresh.encode())

    def _filled(self, found: re.Match[bytes]) -> bytes:
        kind = found[1].decode()
        median, spread = SPREAD.get(kind, (BULK.get(kind, 0), 0.0))
        size = int(median * self._random.lognormvariate(0, spread))
        start = self._random.randrange(len(PROSE) - 100_000)
        return msgspec.json.encode(PROSE[start : start + min(size, 100_000)])[1:-1]
