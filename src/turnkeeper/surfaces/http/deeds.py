"""What a person can do to an agent over HTTP. The guard has seen that they may change something."""

import msgspec
from litestar import Router, post
from litestar.di import NamedDependency
from litestar.params import JSONBody

from turnkeeper.desk.delivery import Delivery
from turnkeeper.projections.cards import Card
from turnkeeper.surfaces.http.desk import Desk
from turnkeeper.surfaces.http.reads import AgentName


class Renaming(msgspec.Struct, frozen=True):
    """A name for an agent; an empty one takes it back."""

    name: str


class Muting(msgspec.Struct, frozen=True):
    """Whether a person wants to be left alone by an agent."""

    muted: bool


@post("/agents/{name:str}/rename", status_code=200, summary="Give an agent a name")
async def rename_agent(
    desk: NamedDependency[Desk], name: AgentName, data: JSONBody[Renaming]
) -> Card:
    return await desk.rename(name, data.name)


@post("/agents/{name:str}/mute", status_code=200, summary="Be left alone by an agent, or not")
async def mute_agent(desk: NamedDependency[Desk], name: AgentName, data: JSONBody[Muting]) -> Card:
    return await desk.mute(name, muted=data.muted)


@post("/agents/{name:str}/interrupt", status_code=200, summary="Press Escape where it works")
async def interrupt_agent(desk: NamedDependency[Desk], name: AgentName) -> Delivery:
    return await desk.interrupt(name)


deeds = Router("/api", route_handlers=[rename_agent, mute_agent, interrupt_agent])
