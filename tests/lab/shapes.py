"""What two runs of the same scenario have in common: everything but names, times and places."""

import json
from collections.abc import Iterable
from pathlib import Path

RECORDINGS = Path(__file__).parents[1] / "recordings"
UNSTEADY_KEYS = {"slug", "serverClassifierRequest", "content", "lastPrompt"}

Json = dict[str, object]
Shape = tuple[object, ...]


def read_lines(path: Path) -> list[Json]:
    return [json.loads(line) for line in path.read_text().splitlines()]


class Recording:
    """What a real client of this version did in this scenario."""

    def __init__(self, version: str, scenario: str) -> None:
        self.folder = RECORDINGS / version / scenario

    def hooks(self) -> list[Json]:
        lines = read_lines(self.folder / "hooks.jsonl")
        return [payload for line in lines if isinstance(payload := line["payload"], dict)]

    def registry(self) -> list[Json | None]:
        lines = read_lines(self.folder / "registry.jsonl")
        return [entry if isinstance(entry := line["entry"], dict) else None for line in lines]

    def transcripts(self) -> list[list[Json]]:
        """The conversations in the order in which they began."""
        return in_order(self.folder.glob("transcripts/*/*.jsonl"))

    def subagents(self) -> list[list[Json]]:
        return in_order(self.folder.glob("transcripts/*/*/subagents/*.jsonl"))


def in_order(paths: Iterable[Path]) -> list[list[Json]]:
    def began(lines: list[Json]) -> str:
        return min(str(line["timestamp"]) for line in lines if "timestamp" in line)

    return sorted(map(read_lines, paths), key=began)


class Ordinals:
    """Turns names into the order of their appearance."""

    def __init__(self) -> None:
        self._seen: dict[object, int] = {}

    def of(self, name: object) -> int | None:
        return None if name is None else self._seen.setdefault(name, len(self._seen))


def conversation(lines: Iterable[Json]) -> list[Shape]:
    """The entries of a transcript: what each is, and which one it answers."""
    entries, prompts, messages = Ordinals(), Ordinals(), Ordinals()
    shapes: list[Shape] = []
    for line in lines:
        if "uuid" not in line:
            continue
        parent = entries.of(line["parentUuid"])
        entries.of(line["uuid"])
        prompt = prompts.of(line.get("promptId"))
        shapes.append((parent, prompt, *entry_shape(line, messages)))
    return shapes


def entry_shape(line: Json, messages: Ordinals) -> Shape:
    match line:
        case {"type": "assistant", "message": {"id": name, "stop_reason": stop, "content": blocks}}:
            error = line.get("isApiErrorMessage")
            return ("assistant", messages.of(name), stop, block_shape(blocks), error)
        case {"type": "user", "message": {"content": blocks}}:
            marks = [key for key in ("isMeta", "isCompactSummary") if line.get(key)]
            denial, source = line.get("toolDenialKind"), line.get("promptSource")
            return ("user", block_shape(blocks), tuple(marks), denial, source)
        case {"type": "attachment", "attachment": {"type": kind}}:
            return ("attachment", kind)
        case _:
            count = line.get("messageCount"), line.get("pendingBackgroundAgentCount")
            return (line["type"], line.get("subtype"), *count)


def block_shape(blocks: object) -> Shape:
    if not isinstance(blocks, list):
        return ("words",)
    return tuple((block["type"], block.get("name"), block.get("is_error")) for block in blocks)


def bookkeeping(lines: Iterable[Json]) -> set[object]:
    """The kinds of line that are no entries. When they come is a race, even in real clients."""
    return {line["type"] for line in lines if "uuid" not in line}


def hook_calls(payloads: Iterable[Json]) -> list[Shape]:
    """The hooks of the conversation itself, in order; those of its helpers come second.

    PostToolBatch is none of ours, and the recorder ended every client with `other`.
    """
    sessions, prompts = Ordinals(), Ordinals()
    shapes: list[Shape] = [
        (
            sessions.of(payload["session_id"]),
            prompts.of(payload.get("prompt_id")),
            payload["hook_event_name"],
            payload.get("tool_name") or payload.get("source") or payload.get("reason"),
            "agent_id" in payload,
        )
        for payload in payloads
        if payload["hook_event_name"] != "PostToolBatch" and payload.get("reason") != "other"
    ]
    own = [shape for shape in shapes if not shape[-1]]
    return own + [shape for shape in shapes if shape[-1]]


def registry_story(entries: Iterable[Json | None]) -> list[Shape]:
    """What a client said of itself, change by change."""
    processes, sessions = Ordinals(), Ordinals()
    shapes: list[Shape] = []
    for entry in entries:
        shape: Shape = ("gone",)
        if entry is not None:
            names = (processes.of(entry["pid"]), sessions.of(entry["sessionId"]))
            shape = (*names, entry.get("status"), entry.get("waitingFor"))
        if shapes[-1:] != [shape]:
            shapes.append(shape)
    return shapes


def keys(line: Json) -> Shape:
    """The keys of a line, in order, without those that come and go by chance."""
    return tuple(key for key in line if key not in UNSTEADY_KEYS)


def kind(line: Json) -> object:
    return line.get("subtype") or line["type"]
