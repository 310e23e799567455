"""`turnkeeper wait A --for STANDING`: for scripts that go on when an agent has got there."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from turnkeeper.cli.options import data_option, json_option

if TYPE_CHECKING:
    from turnkeeper.cli.listening import Event
    from turnkeeper.projections.cards import Card

STANDINGS = (
    "starting",
    "running",
    "idle",
    "awaiting_input",
    "awaiting_approval",
    "error",
    "closed",
)
TIMED_OUT = 124
FOREVER = 10.0**9


@click.command()
@click.argument("agent")
@click.option("--for", "standing", type=click.Choice(STANDINGS), required=True)
@click.option("--timeout", type=click.FloatRange(min=0), help="Seconds to wait at most.")
@data_option
@json_option
def wait(
    agent: str, standing: str, timeout: float | None, data: Path | None, *, as_json: bool
) -> None:
    """Wait until an agent stands as asked; exits 124 if it does not in time.

    AGENT is its number, a session id, or at least six characters of one.
    """
    import time

    import msgspec

    from turnkeeper.cli.listening import listen
    from turnkeeper.daemon.lock import running
    from turnkeeper.daemon.settings import settings
    from turnkeeper.errors import DaemonAbsent

    chosen = settings(data)
    if running(chosen) is None:
        raise DaemonAbsent(str(chosen.data))
    seconds = FOREVER if timeout is None else timeout
    for event in listen(chosen, time.monotonic() + seconds):
        for card in _cards(event):
            if _is(card, agent) and card.standing == standing:
                shown = msgspec.json.encode(card) if as_json else f"{card.name} is {standing}"
                click.echo(shown)
                return
    click.echo(f"turnkeeper: {agent} was not {standing} within {seconds:g} s", err=True)
    raise SystemExit(TIMED_OUT)


def _cards(event: "Event") -> "list[Card]":
    import msgspec

    from turnkeeper.projections.cards import Card
    from turnkeeper.projections.events import Snapshot

    if event.name == "snapshot":
        return msgspec.json.decode(event.data, type=Snapshot).agents
    if event.name == "agent_updated":
        return [msgspec.json.decode(event.data, type=Card)]
    return []


def _is(card: "Card", agent: str) -> bool:
    """Whether a person means this agent: by number, or by the beginning of a session id."""
    if agent == str(card.id):
        return True
    return len(agent) >= 6 and any(each.startswith(agent) for each in card.sessions)
