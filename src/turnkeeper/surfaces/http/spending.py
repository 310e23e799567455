"""What was spent, and by which prices, over HTTP."""

import asyncio
from typing import Annotated

import msgspec
from litestar import Router, get, put
from litestar.di import NamedDependency
from litestar.params import JSONBody, Parameter

from turnkeeper.desk.search import since_of
from turnkeeper.desk.spend import Spend, prices, spend
from turnkeeper.projections.prices import Price
from turnkeeper.projections.spending import By
from turnkeeper.surfaces.http.desk import Desk

Dollars = Annotated[float, msgspec.Meta(ge=0, le=1_000_000)]


class Rates(msgspec.Struct, frozen=True):
    """US dollars for a million tokens."""

    input: Dollars
    output: Dollars
    cache_read: Dollars
    cache_write: Dollars


@get("/spend", summary="What was spent, the most expensive first. Costs are estimates")
async def show_spend(
    desk: NamedDependency[Desk],
    *,
    by: Annotated[By, Parameter(description="Whose tokens are counted together.")] = By.AGENT,
    since: Annotated[str | None, Parameter(description="`2h`, `3d`, or a date.")] = None,
    limit: Annotated[int, Parameter(ge=1, le=10_000)] = 500,
) -> Spend:
    begin = since_of(since, desk.clock.now()) if since else None
    return await spend(desk.store, desk.journal, by=by, since=begin, limit=limit)


@get("/prices", summary="The prices that estimates are made with, by how a model's name begins")
async def list_prices(desk: NamedDependency[Desk]) -> list[Price]:
    return await asyncio.to_thread(prices, desk.store)


@put("/prices/{model:str}", summary="Set the price of models whose names begin so")
async def set_price(
    desk: NamedDependency[Desk],
    model: Annotated[
        str, Parameter(description="How the models' names begin: the longest that fits counts.")
    ],
    data: JSONBody[Rates],
) -> list[Price]:
    return await desk.set_price(Price(model, **msgspec.structs.asdict(data)))


spending = Router("/api", route_handlers=[show_spend, list_prices, set_price])
