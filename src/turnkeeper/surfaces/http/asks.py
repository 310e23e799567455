"""What waits for a person, over HTTP, and the answers to it."""

from typing import Annotated

from litestar import Router, get, post
from litestar.di import NamedDependency
from litestar.exceptions import ValidationException
from litestar.params import JSONBody, Parameter

from turnkeeper.desk.answering import Answer
from turnkeeper.desk.asks import AskTold, ask, asks
from turnkeeper.desk.search import since_of
from turnkeeper.surfaces.http.desk import Desk
from turnkeeper.surfaces.http.replies import explain_unfit

AskId = Annotated[int, Parameter(description="The ask's `id`.", ge=1, le=2**53)]


@get("/asks", summary="What waits for a person, the oldest first")
async def list_asks(
    desk: NamedDependency[Desk],
    *,
    closed_since: Annotated[
        str | None,
        Parameter(description="Also what was closed since: `2h`, `3d`, or a date."),
    ] = None,
) -> list[AskTold]:
    since = since_of(closed_since, desk.clock.now()) if closed_since else None
    return await asks(desk.store, desk.journal, since)


@get("/asks/{number:int}", summary="One ask, open or closed")
async def show_ask(desk: NamedDependency[Desk], number: AskId) -> AskTold:
    return await ask(desk.store, desk.journal, number)


@post(
    "/asks/{number:int}/answer",
    status_code=200,
    summary="Answer an ask, once",
    exception_handlers={ValidationException: explain_unfit},
)
async def answer_ask(desk: NamedDependency[Desk], number: AskId, data: JSONBody[Answer]) -> AskTold:
    return await desk.answer(number, data)


asking = Router("/api", route_handlers=[list_asks, show_ask, answer_ask])
