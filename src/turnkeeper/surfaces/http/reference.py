"""The API's own description: Litestar's document, completed by hand for the raw handlers, and a
page of it that needs nothing from elsewhere."""

from html import escape
from typing import Any, Final

import msgspec

from turnkeeper.projections.events import SCHEMAS
from turnkeeper.surfaces.http.guard import is_open_path
from turnkeeper.surfaces.http.replies import AskProblem, Problem

Document = dict[str, Any]  # an OpenAPI document is any JSON

REFUSALS: Final = {
    "400": "The request cannot be read",
    "401": "No token, or a wrong one",
    "403": "A foreign Host or Origin, a missing mark, or a token that may only read",
    "404": "Nobody and nothing of that name",
    "405": "Another method is meant",
    "408": "The body came too slowly",
    "409": "It cannot be done now, or a name is ambiguous",
    "413": "The body is too large",
    "422": "The words do not fit",
    "500": "A bug of ours",
    "503": "The journal cannot be used now",
    "507": "No room is left on the disk",
}

ANSWERING: Final = "/api/asks/{number}/answer"
"""Where a refusal shows the ask, too."""


def completed(document: Document) -> Document:
    """Add what Litestar cannot know: the two raw handlers, the events, the refusals, the token."""
    events, definitions = msgspec.json.schema_components(
        [*SCHEMAS.values(), Problem, AskProblem], ref_template="#/components/schemas/{name}"
    )
    components = document.setdefault("components", {})
    components.setdefault("schemas", {}).update(definitions)
    components["securitySchemes"] = {
        "token": {"type": "http", "scheme": "bearer"},
        "cookie": {"type": "apiKey", "in": "cookie", "name": "turnkeeper"},
    }
    document["paths"][EXPORT]["get"]["responses"]["200"] = _EXPORTED
    document["security"] = [{"token": []}, {"cookie": []}]
    document["paths"] = dict(sorted({**document["paths"], **_raw_paths(events)}.items()))
    for path, methods in document["paths"].items():
        for operation in methods.values():
            _may_be_refused(operation)
            if is_open_path(path):
                operation["security"] = []
    too_late = document["paths"][ANSWERING]["post"]["responses"]["409"]
    too_late["content"] = _json(_named(AskProblem))
    return document


def _may_be_refused(operation: Document) -> None:
    for status, why in REFUSALS.items():
        content = _json(_named(Problem))
        operation["responses"][status] = {"description": why, "content": content}


def _named(record: type) -> Document:
    return {"$ref": f"#/components/schemas/{record.__name__}"}


def _raw_paths(events: Any) -> Document:
    named = dict(zip(SCHEMAS, events, strict=False))
    return {
        "/api/hooks/claude": {"post": _intake()},
        "/api/offers": {"post": _offer()},
        "/api/stream": {"get": _stream(named)},
        "/metrics": {"get": _metrics()},
    }


def _intake() -> Document:
    return {
        "summary": "One hook payload, as the client gives it to a command hook",
        "operationId": "PostHook",
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": _HOOK}},
        },
        "responses": {"202": {"description": "It is in the journal", "content": _json(_POSITION)}},
    }


def _offer() -> Document:
    offer = {"type": "string", "pattern": "^[A-Za-z0-9_-]{8,64}$"}
    at = {"type": "integer", "description": "Microseconds since 1970"}
    return {
        "summary": "A waiting hook offers a permission request; answers once it is settled",
        "operationId": "PostOffer",
        "requestBody": {
            "required": True,
            "content": _json(
                {
                    "type": "object",
                    "required": ["offer", "at", "payload"],
                    "properties": {"offer": offer, "at": at, "payload": _HOOK},
                }
            ),
        },
        "responses": {
            "200": {
                "description": (
                    "What the hook is to print; nothing where it was settled elsewhere; "
                    '`"again"` where the daemon stops, and the next one is to be asked'
                ),
                "content": _json({"anyOf": [{"type": "object"}, {"type": "string"}]}),
            }
        },
    }


_HOOK: Final = {
    "type": "object",
    "required": ["hook_event_name", "session_id"],
    "properties": {
        "hook_event_name": {"type": "string"},
        "session_id": {"type": "string"},
    },
}
_POSITION: Final = {"type": "object", "properties": {"position": {"type": "integer"}}}


EXPORT: Final = "/api/agents/{name}/export"
_EXPORTED: Final = {
    "description": "The file",
    "headers": {
        "Content-Disposition": {
            "description": "What the file may be called",
            "schema": {"type": "string"},
        }
    },
    "content": {
        "text/markdown": {"schema": {"type": "string"}},
        "application/json": {
            "schema": {
                "type": "object",
                "required": ["agent", "turns"],
                "properties": {
                    "agent": {"$ref": "#/components/schemas/Card"},
                    "turns": {
                        "type": "array",
                        "items": {"$ref": "#/components/schemas/TurnTold"},
                    },
                },
            }
        },
    },
}
"""Litestar describes one kind of answer for each address; this one has two."""


def _json(schema: Document) -> Document:
    return {"application/json": {"schema": schema}}


def _stream(events: Document) -> Document:
    place = {"schema": {"type": "integer", "minimum": 0}, "required": False}
    return {
        "summary": "The board, live: server-sent events; the id is the journal position",
        "operationId": "ReadStream",
        "parameters": [
            {"name": "last_event_id", "in": "query", **place},
            {"name": "Last-Event-ID", "in": "header", **place},
        ],
        "responses": {
            "200": {
                "description": "snapshot, or what was missed; then events as they come",
                "content": {"text/event-stream": {"schema": {"type": "string"}}},
            }
        },
        "x-events": events,
    }


def _metrics() -> Document:
    text = {"text/plain": {"schema": {"type": "string"}}}
    return {
        "summary": "Counters and histograms in Prometheus' format",
        "operationId": "ReadMetrics",
        "responses": {"200": {"description": "The metrics", "content": text}},
    }


def page(document: Document) -> str:
    """The description as one plain page: no script, nothing fetched."""
    sections = "".join(
        _section(path, method, operation)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    )
    title = escape(document["info"]["title"])
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        f"<title>{title}</title><h1>{title}</h1>"
        '<p>The same, for programs: <a href="/api/openapi.json">openapi.json</a></p>'
        f"{sections}</html>"
    )


def _section(path: str, method: str, operation: Document) -> str:
    parameters = "".join(
        f"<li><code>{escape(each['name'])}</code> ({escape(each['in'])}) "
        f"{escape(each.get('description', ''))}</li>"
        for each in operation.get("parameters", [])
    )
    answers = "".join(
        f"<li><code>{status}</code> {escape(answer['description'])}</li>"
        for status, answer in sorted(operation["responses"].items())
    )
    events = "".join(
        f"<li><code>{escape(name)}</code></li>" for name in operation.get("x-events", ())
    )
    return (
        f"<h2><code>{method.upper()} {escape(path)}</code></h2>"
        f"<p>{escape(operation.get('summary', ''))}</p>"
        f"<ul>{parameters}</ul><details><summary>answers</summary><ul>{answers}</ul></details>"
        + (f"<p>Events</p><ul>{events}</ul>" if events else "")
    )
