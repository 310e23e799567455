"""Sums over the stored projections, made where the rows are."""

from sqlalchemy import Connection, func, null, select

from turnkeeper.journal.board_tables import usage
from turnkeeper.projections.spending import KINDS, Used


def used_since(connection: Connection, since: int | None, *, by_command: bool) -> list[Used]:
    """Tokens of each agent and model, or of each of its commands and model."""
    whose = [usage.c.agent, usage.c.model, *([usage.c.command_id] if by_command else [])]
    command = usage.c.command_id if by_command else null().label("command_id")
    sums = [func.sum(usage.c[kind]).label(kind) for kind in KINDS]
    query = select(usage.c.agent, usage.c.model, command, *sums).group_by(*whose)
    if since is not None:
        query = query.where(usage.c.at >= since)
    return [Used(**row) for row in connection.execute(query).mappings()]
