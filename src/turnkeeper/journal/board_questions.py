"""Questions to the stored projections that are answered where the rows are."""

from sqlalchemy import ColumnElement, Connection, RowMapping, func, null, or_, select

from turnkeeper.facts.fact import START, Moment, Position
from turnkeeper.journal.board_tables import agent, command, stood, transition, usage
from turnkeeper.machines.session import SessionStatus
from turnkeeper.projections.spending import KINDS, Used
from turnkeeper.projections.timeline import Stood


def used_since(connection: Connection, since: int | None, *, by_command: bool) -> list[Used]:
    """Tokens of each agent and model, or of each of its commands and model."""
    whose = [usage.c.agent, usage.c.model, *([usage.c.command_id] if by_command else [])]
    its_command = usage.c.command_id if by_command else null().label("command_id")
    sums = [func.sum(usage.c[kind]).label(kind) for kind in KINDS]
    query = select(usage.c.agent, usage.c.model, its_command, *sums).group_by(*whose)
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


def moved_before(
    connection: Connection, number: int, before: Position, limit: int
) -> list[RowMapping]:
    """An agent's changes of state before a position, the newest so many, in order. The changes of
    one position are told together, if need be by more than so many."""
    within = (transition.c.agent == number) & (transition.c.position < before)
    newest = select(transition.c.position).where(within).order_by(transition.c.position.desc())
    first = newest.offset(limit - 1).limit(1).correlate(None).scalar_subquery()
    query = select(transition).where(within, transition.c.position >= func.coalesce(first, START))
    in_order = query.order_by(transition.c.position, transition.c.nth)
    return list(connection.execute(in_order).mappings().all())


def times_moved_since(connection: Connection, number: int, position: Position) -> int:
    """How often an agent's state has changed by facts after this one."""
    later = (transition.c.agent == number) & (transition.c.position > position)
    return connection.execute(select(func.count()).where(later)).scalar_one()


def commands_between(
    connection: Connection, number: int, first: Position, last: Position, limit: int
) -> list[RowMapping]:
    """An agent's commands with these numbers or one between them, the newest so many, in order."""
    within = (command.c.agent == number) & command.c.id.between(first, last)
    newest_first = select(command).where(within).order_by(command.c.id.desc()).limit(limit)
    return list(reversed(connection.execute(newest_first).mappings().all()))


def _living(since: Moment) -> ColumnElement[bool]:
    """One that is closed, and was not heard of since, was closed all the time."""
    return or_(agent.c.last_at >= since, agent.c.standing != SessionStatus.CLOSED)
