"""The lines a client writes for itself: most of a transcript, and nothing to a reader."""

from turnkeeper.facts.fact import Moment
from turnkeeper.scripted.lines import EFFORT
from turnkeeper.scripted.names import Names
from turnkeeper.scripted.pace import iso, milliseconds

BULK = {
    "environment": 900,
    "model": 350,
    "deferred_tools_delta": 900,
    "agent_listing_delta": 5_600,
    "skill_listing": 13_100,
    "session_context": 850,
    "remote_session_change": 800,
    "prompt_snapshot": 33_000,
    "api-request-shape": 40_000,
    "api-request-blob": 6_200,
}
"""How many characters a real client's line of this kind holds beyond its frame."""

Json = dict[str, object]


def bulk(kind: str, ballast: float) -> Json:
    """Filler of a real line's weight, times `ballast`. For loads that must weigh what they do."""
    size = round(BULK.get(kind, 0) * ballast)
    return {"content": "x" * size} if size else {}


def file_history_snapshot(message: str, at: Moment) -> Json:
    snapshot = {"messageId": message, "trackedFileBackups": {}, "timestamp": iso(at)}
    return {
        "type": "file-history-snapshot",
        "messageId": message,
        "snapshot": snapshot,
        "isSnapshotUpdate": False,
    }


def tools_used(session: str, tools: list[str]) -> Json:
    return {"type": "tools-used", "tools": tools, "sessionId": session}


def last_prompt(session: str, text: str, leaf: str | None) -> Json:
    flat = " ".join(text.split())
    shown = flat if len(flat) <= 200 else f"{flat[:200]}…"
    return {"type": "last-prompt", "lastPrompt": shown, "leafUuid": leaf, "sessionId": session}


def states(session: str, mode: str) -> dict[str, Json]:
    """The lines that a client repeats again and again, by type."""
    return {
        "mode": {"type": "mode", "mode": "normal", "sessionId": session},
        "permission-mode": {
            "type": "permission-mode",
            "permissionMode": mode,
            "sessionId": session,
        },
        "atis-latch": {"type": "atis-latch", "atis": "", "sessionId": session},
    }


def title(session: str, text: str) -> Json:
    return {"type": "ai-title", "aiTitle": text, "sessionId": session}


def queue_operation(session: str, operation: str, at: Moment, /, **more: object) -> Json:
    return {
        "type": "queue-operation",
        "operation": operation,
        "timestamp": iso(at),
        "sessionId": session,
        **more,
    }


def cost_state(session: str, model: str, started: Moment, at: Moment) -> Json:
    return {
        "type": "cost-state",
        "sessionId": session,
        "totalCostUSD": 0.001702,
        "totalAPIDuration": 110,
        "totalAPIDurationWithoutRetries": 100,
        "totalToolDuration": 137,
        "totalLinesAdded": 0,
        "totalLinesRemoved": 0,
        "totalDuration": milliseconds(at) - milliseconds(started),
        "startTime": milliseconds(started),
        "modelUsage": {model: {"inputTokens": 200, "outputTokens": 40, "costUSD": 0.001702}},
        "hasUnknownModelCost": False,
    }


class Requests:
    """The requests of one session, as a client logs them: a shape once, then what was added."""

    def __init__(
        self, session: str, version: str, model: str, names: Names, ballast: float
    ) -> None:
        self._session = session
        self._version = version
        self._model = model
        self._names = names
        self._ballast = ballast
        self._shape = ""
        self.last = ""

    def lines(self, at: Moment, source: str = "repl_main_thread") -> list[Json]:
        """Log one more request; `last` then names it."""
        before, self.last = self.last, self._names.uuid()
        first = [] if before else [self._new_shape(at)]
        tail = [self._names.hex(64) for _ in range(1 if before else 2)]
        based = {"base": before} if before else {}
        request: Json = {
            "type": "api-request",
            "sessionId": self._session,
            "id": self.last,
            "timestamp": iso(at),
            "version": self._version,
            "querySource": source,
            "shapeHash": self._shape,
            "params": {
                "model": self._model,
                "max_tokens": 128_000,
                "output_config": {"effort": EFFORT},
            },
            **based,
            "keep": 2 if before else 0,
            "tail": tail,
            "cacheControl": [{"path": ["system", 0], "value": {"type": "ephemeral"}}],
            "requestDigest": self._names.hex(64),
        }
        return [*first, *map(self._blob, tail), request]

    def _new_shape(self, at: Moment) -> Json:
        self._shape = self._names.hex(64)
        return {
            "type": "api-request-shape",
            "sessionId": self._session,
            "shapeHash": self._shape,
            "timestamp": iso(at),
            "version": self._version,
            **bulk("api-request-shape", self._ballast),
        }

    def _blob(self, digest: str) -> Json:
        weight = bulk("api-request-blob", self._ballast)
        blob: Json = {"type": "api-request-blob", "sessionId": self._session, "hash": digest}
        return blob | weight
