"""The pages about what the daemon says: its API, its stream and its log, from the code itself."""

import asyncio
import tempfile
from collections.abc import Iterator, Mapping
from inspect import cleandoc
from pathlib import Path
from typing import Any, Final

import msgspec
from litestar import Litestar

from turnkeeper.daemon.logs import EVENTS
from turnkeeper.daemon.settings import Settings
from turnkeeper.daemon.stores import open_board, open_journal
from turnkeeper.daemon.wiring import assemble
from turnkeeper.projections.events import SCHEMAS
from turnkeeper.sources.clock import SystemClock
from turnkeeper.surfaces.http.app import document_of
from turnkeeper.surfaces.http.reference import REFUSALS

Json = Mapping[str, Any]  # any part of an OpenAPI document
NAMES: Final = "#/components/schemas/"


def api_page(made: str) -> str:
    """Every address, what it takes and what it answers."""
    document = description()
    refusals = (f"| {status} | {why} |" for status, why in REFUSALS.items())
    parts = (
        made.format(source="the OpenAPI document"),
        "# The API\n",
        "`/api/openapi.json` says the same to programs. Every call carries `Authorization: Bearer`",
        "and the token in the data folder, except where it says *open*: see",
        "[security](../security.md).\n",
        "## Refusals\n",
        "Any address may answer with one of these, as a `Problem`.\n",
        "| status | why |",
        "|---|---|",
        *refusals,
        "",
        *_chapters(document["paths"]),
        "# Shapes\n",
        *(_shape(name, schema) for name, schema in sorted(_schemas(document).items())),
    )
    return "\n".join(parts).rstrip() + "\n"


def description() -> Json:
    """Our OpenAPI document, as this checkout would serve it."""
    return asyncio.run(_document())


async def _document() -> Json:
    """The description of an application put together on a folder that is thrown away."""
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(Path(folder), (Path(folder),), "here")
        with open_board(settings) as store:
            async with open_journal(settings) as journal:
                parts = await assemble(settings, journal, store, SystemClock())
                assert isinstance(parts.app.app, Litestar)
                return document_of(parts.app.app)


def _schemas(document: Json) -> Json:
    schemas: Json = document["components"]["schemas"]
    return schemas


def _chapters(paths: Json) -> Iterator[str]:
    for path, methods in paths.items():
        for method, operation in methods.items():
            yield _chapter(path, method, operation)


def _chapter(path: str, method: str, operation: Json) -> str:
    is_open = " *(open)*" if operation.get("security") == [] else ""
    lines = [f"## `{method.upper()} {path}`{is_open}\n", f"{operation['summary']}.\n"]
    given = operation.get("parameters", [])
    if given:
        lines += ["| parameter | in | type | |", "|---|---|---|---|"]
        lines += [
            f"| `{each['name']}` | {each['in']} | {_type(each['schema'])} | "
            f"{each.get('description') or each['schema'].get('description', '')} |"
            for each in given
        ]
        lines.append("")
    for each in operation.get("requestBody", {}).get("content", {}).values():
        lines.append(f"Takes {_type(each['schema'])}.\n")
    for status, answer in operation["responses"].items():
        if status not in REFUSALS:
            content = (answer.get("content") or {}).items()
            shapes = [_type(each["schema"]) if "json" in kind else kind for kind, each in content]
            lines.append(f"Answers {status}: {', '.join(shapes) or 'a redirection'}.\n")
    return "\n".join(lines)


def _shape(name: str, schema: Json) -> str:
    lines = [f"## `{name}`\n"]
    if schema.get("description"):
        lines.append(f"{schema['description']}\n")
    if "enum" in schema:
        return "\n".join([*lines, f"One of {', '.join(f'`{each}`' for each in schema['enum'])}.\n"])
    lines += ["| field | type |", "|---|---|"]
    lines += [
        f"| `{field}` | {_type(each)} |" for field, each in schema.get("properties", {}).items()
    ]
    return "\n".join(lines) + "\n"


def _type(schema: Json) -> str:
    if "$ref" in schema:
        name = schema["$ref"].removeprefix(NAMES)
        return f"[`{name}`](#{name.lower()})"
    choices = schema.get("anyOf") or schema.get("oneOf") or schema.get("allOf")
    if choices:
        return " or ".join(_type(each) for each in choices)
    if schema.get("type") == "array":
        return f"list of {_type(schema['items'])}"
    return str(schema.get("type", "anything"))


def events_page(made: str) -> str:
    """What the stream and the log can say."""
    stream = (_stream_event(name, data) for name, data in SCHEMAS.items())
    parts = (
        made.format(source="projections/events.py and daemon/logs.py"),
        "# Events\n",
        "## The stream\n",
        "`GET /api/stream` sends server-sent events; their data is JSON. The events of one journal",
        "position come together and only the last carries the `id`. A reader that comes back",
        "sends it as `Last-Event-ID` and hears what it missed; one that counts events holds those",
        "without an id back until the one with it has come.\n",
        "| event | data | |",
        "|---|---|---|",
        *stream,
        "",
        "## The log\n",
        "`logs/turnkeeper.log` in the data folder holds one JSON object for each line. Words that",
        "anybody said and secrets are in none of them.\n",
        "| event | what it says |",
        "|---|---|",
        *(f"| `{name}` | {says} |" for name, says in sorted(EVENTS.items())),
    )
    return "\n".join(parts) + "\n"


def _stream_event(name: str, data: type) -> str:
    said = cleandoc(data.__doc__ or "").replace("\n", " ")
    fields = ", ".join(f"`{field.name}`" for field in msgspec.structs.fields(data))
    return f"| `{name}` | {fields} | {said} |"
