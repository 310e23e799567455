"""How failures are told over HTTP: one shape, what, why and what next."""

from collections.abc import Mapping
from typing import Final

import msgspec
from litestar import MediaType, Request, Response
from litestar.datastructures import State
from litestar.exceptions import HTTPException, ValidationException

from turnkeeper.desk.asks import AskTold
from turnkeeper.errors import (
    AgentAmbiguous,
    AgentUnknown,
    AnsweredNo,
    AnswerUnfit,
    AskClosed,
    AskElsewhere,
    AskUnknown,
    CommandRefused,
    CursorUnreadable,
    DaemonAbsent,
    FactUnreadable,
    FolderUnusable,
    JournalCorrupt,
    JournalFull,
    JournalLocked,
    JournalNewer,
    JournalUnavailable,
    LinkSpent,
    MomentUnclear,
    NameUnfit,
    PortTaken,
    ProgramMissing,
    RecordingUnreadable,
    SearchUnclear,
    SettingsUnreadable,
    TurnkeeperError,
    TurnUnknown,
)
from turnkeeper.surfaces.http.wire import Send

STATUS: Final[Mapping[type[TurnkeeperError], int]] = {
    AgentUnknown: 404,
    AnsweredNo: 409,
    AnswerUnfit: 422,
    AskClosed: 409,
    AskElsewhere: 409,
    AskUnknown: 404,
    AgentAmbiguous: 409,
    CommandRefused: 409,
    CursorUnreadable: 422,
    DaemonAbsent: 503,
    FactUnreadable: 422,
    FolderUnusable: 503,
    JournalUnavailable: 503,
    JournalCorrupt: 503,
    JournalFull: 507,
    JournalLocked: 503,
    JournalNewer: 503,
    LinkSpent: 409,
    MomentUnclear: 422,
    NameUnfit: 422,
    PortTaken: 503,
    ProgramMissing: 409,
    RecordingUnreadable: 422,
    SearchUnclear: 422,
    SettingsUnreadable: 409,
    TurnUnknown: 404,
}
"""Every failure we can explain and its status. A test compares it with the tree of errors."""


class Problem(msgspec.Struct, frozen=True):
    """What went wrong, in words, and what to do next."""

    error: str
    message: str
    hint: str = ""


class AskProblem(Problem, frozen=True):
    """Why an answer was not taken, and the ask as it stands: who was first, with what, and when."""

    ask: AskTold | None = None


def explain_ask(
    _: Request[object, object, State], error: AskClosed | AskElsewhere
) -> Response[AskProblem]:
    shown = error.shown if isinstance(error.shown, AskTold) else None
    problem = AskProblem(type(error).__name__, str(error), error.hint, shown)
    return Response(problem, status_code=STATUS[type(error)])


def explain(_: Request[object, object, State], error: TurnkeeperError) -> Response[Problem]:
    status = STATUS.get(type(error), 500)
    return Response(Problem(type(error).__name__, str(error), error.hint), status_code=status)


def explain_http(_: Request[object, object, State], error: HTTPException) -> Response[Problem]:
    """Litestar's own refusals, in our shape."""
    name, hint = HINTS.get(error.status_code, (type(error).__name__, ""))
    message = _sentence(error)
    return Response(
        Problem(name, message, hint),
        status_code=error.status_code,
        headers=error.headers,
        media_type=MediaType.JSON,
    )


def explain_unfit(
    request: Request[object, object, State], error: ValidationException
) -> Response[Problem]:
    """JSON that is no answer, where an answer is meant."""
    wrong = _details(error)
    if any(name == "number" for name, _ in wrong):
        return explain_http(request, error)
    why = "; ".join(f"{name}: {what}" for name, what in wrong)
    problem = Problem(AnswerUnfit.__name__, f"This is no answer: {why}", AnswerUnfit.hint)
    return Response(problem, status_code=STATUS[AnswerUnfit], media_type=MediaType.JSON)


def explain_bug(_: Request[object, object, State], __: Exception) -> Response[Problem]:
    """What we did not foresee: its traceback is for the log, not for whoever asked."""
    name, hint = HINTS[500]
    message = "Something went wrong that we did not foresee"
    return Response(Problem(name, message, hint), status_code=500, media_type=MediaType.JSON)


async def refuse_method(send: Send, meant: str) -> None:
    name, hint = HINTS[405]
    message = f"Only {meant} is meant here"
    await refuse(send, 405, name, message, hint, (b"allow", meant.encode()))


HINTS: Final[Mapping[int, tuple[str, str]]] = {
    400: ("RequestUnreadable", "See /api/openapi.json for what this address takes"),
    404: ("NotFound", "/api/openapi.json lists every address"),
    405: ("MethodNotAllowed", "/api/openapi.json lists what each address takes"),
    413: ("TooLarge", "Send less at a time"),
    500: ("Unexpected", "This is a bug; `turnkeeper logs` has its traceback"),
}


def _sentence(error: HTTPException) -> str:
    details = "; ".join(f"{name}: {what}" for name, what in _details(error))
    return f"{error.detail}: {details}" if details else error.detail


def _details(error: HTTPException) -> list[tuple[str, str]]:
    """What is wrong, by the name of where."""
    extra = error.extra if isinstance(error.extra, list) else []
    return [(str(each.get("key", "")), str(each.get("message", ""))) for each in extra]


async def refuse(
    send: Send, status: int, error: str, message: str, hint: str, *more: tuple[bytes, bytes]
) -> None:
    """Say no from outside of Litestar, in the same shape; `more` are headers."""
    body = msgspec.json.encode(Problem(error, message, hint))
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        *more,
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": False})
