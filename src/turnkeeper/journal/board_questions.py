"""Questions to the stored projections that are answered where the rows are."""

from sqlalchemy import ColumnElement, Connection, func, null, or_, select

from turnkeeper.facts.fact import Moment, Position
from turnkeeper.journal.board_tables import agent, stood, usage
from turnkeeper.machines.session import SessionStatus
from turnkeeper.projections.spending import KINDS, Used
from turnkeeper.projections.timeline import Stood


def used_since(connection: Connection, since: int | None, *, by_command: bool) -> list[Used]:
    """Tokens of each agent and model, or of each of its commands and model."""
    whose = [usage.c.agent, usage.c.model, *([usage.c.command_id] if by_command else [])]
    command = usage.c.command_id if by_command else null().label("command_id")
    sums = [func.sum(usage.c[kind]).label(kind) for kind in KINDS]
    query = select(usage.c.agent, usage.c.model, command, *sums).group_by(*whose)
    if since is not None:
        query = query.where(usage.c.at >= since)
    return [Used(**row) for row in connection.execute(query).mappings()]


def living_since(connection: Connection, since: Moment) -> list[bytes]:
    """The cards of agents that may have lived since then, the one last heard of first."""
    query = select(agent.c.card).where(_living(since)).order_by(agent.c.last_at.desc())
    return list(connection.execute(query).scalars())


def stood_between(connection: Connection, since: Moment, until: Moment) -> list[Stood]:
    """Each change of standing in this time, and the last word on the time before it for every
    agent that may have lived since."""
    last = (
        select(stood.c.position)
        .where(stood.c.agent == agent.c.id, stood.c.at < since)
        .order_by(stood.c.position.desc())
        .limit(1)
        .correlate(agent)
        .scalar_subquery()
    )
    within = (stood.c.at >= since) & (stood.c.at < until)
    query = select(stood).where(
        or_(within, stood.c.position.in_(select(last).where(_living(since))))
    )
    return [
        Stood(Position(row.position), row.agent, Moment(row.at), SessionStatus(row.standing))
        for row in connection.execute(query)
    ]


def _living(since: Moment) -> ColumnElement[bool]:
    """One that is closed, and was not heard of since, was closed all the time."""
    return or_(agent.c.last_at >= since, agent.c.standing != SessionStatus.CLOSED)
