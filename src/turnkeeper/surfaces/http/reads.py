"""What can be asked of the board over HTTP. A handler reads the request, asks, and shows."""

import asyncio
from typing import Annotated, Final

from litestar import Router, get, post
from litestar.di import NamedDependency
from litestar.params import Parameter, QueryParameter
from litestar.response import Stream

from turnkeeper import __version__
from turnkeeper.desk.export import Form, export
from turnkeeper.desk.inquiry import (
    MOST,
    Why,
    card,
    commands,
    number_of,
    transitions,
    turn,
    turns,
    why,
)
from turnkeeper.desk.reconcile import Reconciled
from turnkeeper.desk.search import Found, search, since_of
from turnkeeper.desk.timeline import timeline
from turnkeeper.facts.words import Actor
from turnkeeper.projections.cards import Card
from turnkeeper.projections.shown import CommandTold, TransitionTold, TurnTold
from turnkeeper.projections.timeline import Timeline
from turnkeeper.surfaces.http.desk import Desk, Health

AgentName = Annotated[
    str,
    Parameter(
        description="An agent's number, a session id, or at least six characters of one.",
        max_length=200,
    ),
]
EXPORT: Final = "/agents/{name:str}/export"
FORMS: Final = {Form.MARKDOWN: "text/markdown", Form.JSON: "application/json"}
Cursor = Annotated[str | None, Parameter(description="A turn's `cursor`, as it was given.")]
CursorOrFirst = Annotated[
    str | None,
    Parameter(description="A turn's `cursor`, or `first`: everything comes after that."),
]


@get("/health", summary="Whether the daemon is well")
async def health(desk: NamedDependency[Desk]) -> Health:
    return await desk.health(__version__)


@get("/agents", summary="Every agent, the one last heard of first")
async def list_agents(
    desk: NamedDependency[Desk],
    *,
    closed: Annotated[bool, Parameter(description="Whether closed ones are told of too.")] = True,
) -> list[Card]:
    return await asyncio.to_thread(desk.store.cards, closed=closed)


@get("/agents/{name:str}", summary="One agent")
async def show_agent(desk: NamedDependency[Desk], name: AgentName) -> Card:
    return await asyncio.to_thread(card, desk.store, name)


@get("/agents/{name:str}/turns", summary="What was said, in the order it happened")
async def list_turns(
    desk: NamedDependency[Desk],
    name: AgentName,
    *,
    before: Cursor = None,
    after: CursorOrFirst = None,
    since_position: Annotated[
        int | None,
        Parameter(description="Only turns first told after this.", ge=-(2**53), le=2**53),
    ] = None,
    limit: Annotated[int, Parameter(ge=1, le=1000)] = 200,
) -> list[TurnTold]:
    number = await asyncio.to_thread(number_of, desk.store, name)
    return await turns(
        desk.store,
        desk.journal,
        number,
        before=before,
        after=after,
        since_position=since_position,
        limit=limit,
    )


@get("/agents/{name:str}/turns/{position:int}", summary="One turn")
async def show_turn(
    desk: NamedDependency[Desk],
    name: AgentName,
    position: Annotated[
        int, Parameter(description="The turn's `position`.", ge=-(2**53), le=2**53)
    ],
) -> TurnTold:
    number = await asyncio.to_thread(number_of, desk.store, name)
    return await turn(desk.store, desk.journal, number, position)


@get("/agents/{name:str}/transitions", summary="The audit trail: each change of state, in order")
async def list_transitions(
    desk: NamedDependency[Desk],
    name: AgentName,
    *,
    before_position: Annotated[
        int | None,
        Parameter(
            description="Only those before this: the first `position` of an answer leads on.",
            ge=-(2**53),
            le=2**53,
        ),
    ] = None,
    limit: Annotated[
        int,
        Parameter(
            description="The newest so many; changes of one position are told together.",
            ge=1,
            le=MOST,
        ),
    ] = MOST,
) -> list[TransitionTold]:
    number = await asyncio.to_thread(number_of, desk.store, name)
    return await asyncio.to_thread(transitions, desk.store, number, before_position, limit)


@get("/agents/{name:str}/commands", summary="What an agent was asked for, and what came of it")
async def list_commands(
    desk: NamedDependency[Desk],
    name: AgentName,
    *,
    first: Annotated[
        int | None, Parameter(description="Only from this command on.", ge=-(2**53), le=2**53)
    ] = None,
    last: Annotated[
        int | None, Parameter(description="Only up to this command.", ge=-(2**53), le=2**53)
    ] = None,
    limit: Annotated[int, Parameter(description="The newest so many.", ge=1, le=MOST)] = 200,
) -> list[CommandTold]:
    number = await asyncio.to_thread(number_of, desk.store, name)
    return await asyncio.to_thread(commands, desk.store, number, first, last, limit)


@get("/agents/{name:str}/why", summary="What an agent's standing rests on")
async def show_why(desk: NamedDependency[Desk], name: AgentName) -> Why:
    return await asyncio.to_thread(why, desk.store, name)


@post(
    "/agents/{name:str}/reconcile",
    status_code=200,
    summary="Read an agent's transcripts again, now",
)
async def reconcile_agent(desk: NamedDependency[Desk], name: AgentName) -> Reconciled:
    return await desk.reconcile(name)


@get("/search", summary="The turns that hold all these words, the newest first")
async def find_words(
    desk: NamedDependency[Desk],
    words: Annotated[str, Parameter(max_length=2000)],
    *,
    agent: Annotated[str | None, Parameter(max_length=200)] = None,
    project: Annotated[str | None, Parameter(max_length=4096)] = None,
    since: Annotated[str | None, Parameter(description="`2h`, `3d`, or a date.")] = None,
    actor: Annotated[Actor | None, Parameter(description="Who said it.")] = None,
    limit: Annotated[int, Parameter(ge=1, le=500)] = 50,
) -> Found:
    return await search(
        desk.store,
        desk.journal,
        words,
        agent=agent,
        project=project,
        since=since_of(since, desk.clock.now()) if since else None,
        actor=actor,
        limit=limit,
    )


@get(
    EXPORT,
    summary="A whole conversation as a file: Markdown to read, or JSON to work with",
)
async def export_agent(
    desk: NamedDependency[Desk],
    name: AgentName,
    form: Annotated[Form, QueryParameter(name="format", description="What to make of it.")] = (
        Form.MARKDOWN
    ),
) -> Stream:
    made = await asyncio.to_thread(export, desk.store, desk.journal, name, form)
    return Stream(
        made.pieces,
        media_type=FORMS[form],
        headers={"Content-Disposition": f'attachment; filename="{made.file}"'},
    )


@get("/timeline", summary="How each agent stood over time, as bands without gaps")
async def show_timeline(
    desk: NamedDependency[Desk],
    *,
    since: Annotated[str, Parameter(description="`2h`, `3d`, or a date.")] = "4h",
    until: Annotated[str | None, Parameter(description="The same; now, if absent.")] = None,
) -> Timeline:
    return await asyncio.to_thread(timeline, desk.store, since, until, desk.clock.now())


reads = Router(
    "/api",
    route_handlers=[
        health,
        list_agents,
        show_agent,
        list_turns,
        show_turn,
        list_transitions,
        list_commands,
        show_why,
        reconcile_agent,
        find_words,
        export_agent,
        show_timeline,
    ],
)
