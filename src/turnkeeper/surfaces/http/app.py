"""The HTTP application: Litestar inside, the guard around it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from litestar import Litestar, MediaType, Request, Response, Router, get
from litestar.di import Provide
from litestar.exceptions import HTTPException
from litestar.openapi import OpenAPIConfig
from litestar.routes import BaseRoute

from turnkeeper import __version__
from turnkeeper.errors import AskClosed, AskElsewhere, TurnkeeperError
from turnkeeper.ports import Clock
from turnkeeper.surfaces.http.asks import asking
from turnkeeper.surfaces.http.deeds import deeds
from turnkeeper.surfaces.http.desk import Desk
from turnkeeper.surfaces.http.door import door
from turnkeeper.surfaces.http.guard import LOOPBACK, Guard
from turnkeeper.surfaces.http.hub import Hub
from turnkeeper.surfaces.http.intake import intake_handler
from turnkeeper.surfaces.http.keys import Keys
from turnkeeper.surfaces.http.offers import Offers, offers_handler
from turnkeeper.surfaces.http.reads import reads
from turnkeeper.surfaces.http.reference import completed, page
from turnkeeper.surfaces.http.replies import explain, explain_ask, explain_bug, explain_http
from turnkeeper.surfaces.http.shell import page_of
from turnkeeper.surfaces.http.spending import spending
from turnkeeper.surfaces.http.stream import stream_handler
from turnkeeper.surfaces.metrics import Metrics


@dataclass(frozen=True)
class Parts:
    """What the application is made of."""

    desk: Desk
    keys: Keys
    hub: Hub
    offers: Offers
    metrics: Metrics
    clock: Clock
    host: str
    failed: Callable[[Exception], None]


def build(parts: Parts, *, allowed_hosts: frozenset[str] = LOOPBACK) -> Guard:
    """The whole application, guarded."""
    desk, keys = parts.desk, parts.keys

    async def give_desk() -> Desk:
        return desk

    async def give_keys() -> Keys:
        return keys

    app = Litestar(
        route_handlers=[
            reads,
            asking,
            deeds,
            spending,
            *door,
            *page_of(),
            *_descriptions(),
            _metrics(parts),
            intake_handler(desk.journal, parts.clock, parts.host),
            offers_handler(parts.offers, desk.reached),
            stream_handler(parts.hub, desk.store),
        ],
        dependencies={"desk": Provide(give_desk), "keys": Provide(give_keys)},
        exception_handlers={
            AskClosed: explain_ask,
            AskElsewhere: explain_ask,
            TurnkeeperError: explain,
            HTTPException: explain_http,
            Exception: explain_bug,
        },
        after_exception=[_noting(parts.failed)],
        openapi_config=OpenAPIConfig(
            title="Turnkeeper",
            version=__version__,
            openapi_router=Nowhere("/", route_handlers=[]),
        ),
        logging_config=None,
    )
    return Guard(app, keys, allowed_hosts)


class Nowhere(Router):
    """Where Litestar's own pages about the API go: ours know more, and fetch nothing."""

    def register(self, value: Any) -> list[BaseRoute]:
        return []


def document_of(app: Litestar) -> dict[str, Any]:
    """The complete description of what an application serves."""
    return completed(dict(app.openapi_schema.to_schema()))


def _descriptions() -> list[Any]:
    @get("/api/openapi.json", summary="This description, for programs")
    async def document(request: Request[Any, Any, Any]) -> dict[str, Any]:
        return document_of(request.app)

    @get("/api/docs", media_type=MediaType.HTML, summary="This description, for people")
    async def docs(request: Request[Any, Any, Any]) -> str:
        return page(document_of(request.app))

    return [document, docs]


def _metrics(parts: Parts) -> Any:
    @get("/metrics", include_in_schema=False)
    async def show_metrics() -> Response[bytes]:
        now = await parts.desk.health(__version__)
        shown = parts.metrics.text(last=now.position, board=now.board, readers=now.readers)
        return Response(shown, media_type="text/plain; version=0.0.4; charset=utf-8")

    return show_metrics


def _noting(failed: Callable[[Exception], None]) -> Any:
    async def note(exception: Exception, _: object) -> None:
        if not isinstance(exception, TurnkeeperError | HTTPException):
            failed(exception)

    return note
