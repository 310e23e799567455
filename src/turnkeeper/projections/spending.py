"""What was spent by agent, command or project, and what it cost by a table of prices."""

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Final

import msgspec

from turnkeeper.facts.fact import Position
from turnkeeper.projections.cards import Card
from turnkeeper.projections.prices import Price, price_of

MILLION: Final = 1_000_000
KINDS: Final = ("input", "output", "cache_read", "cache_write")


class By(StrEnum):
    """Whose tokens are counted together."""

    AGENT = "agent"
    COMMAND = "command"
    PROJECT = "project"


class Used(msgspec.Struct, frozen=True):
    """Tokens of one model for one agent, or for one of its commands."""

    agent: int
    command_id: Position | None
    model: str
    input: int
    output: int
    cache_read: int
    cache_write: int


class Sums(msgspec.Struct, frozen=True):
    """Tokens, and what they cost. `unpriced` are those of models nobody has priced: with any, the
    cost is not known, and `at_least` is that of the others."""

    models: list[str]
    input: int
    output: int
    cache_read: int
    cache_write: int
    cost: float | None
    at_least: float
    unpriced: int


class SpendRow(msgspec.Struct, frozen=True):
    """What one agent, command or project came to: `Sums`, and of whom."""

    key: str
    agent_id: int | None
    project: str
    command_id: int | None
    label: str
    models: list[str]
    input: int
    output: int
    cache_read: int
    cache_write: int
    cost: float | None
    at_least: float
    unpriced: int


def spend_rows(
    used: Iterable[Used], by: By, cards: Mapping[int, Card], prices: Sequence[Price]
) -> list[SpendRow]:
    """Put together what belongs together, the most expensive first. The label of a command is not
    known here: its words are in the journal."""
    held: dict[str, list[Used]] = {}
    for each in used:
        held.setdefault(_key(each, by, cards), []).append(each)
    rows = [_row(key, by, together, cards, prices) for key, together in held.items()]
    return sorted(rows, key=lambda row: (-row.at_least, -row.unpriced, row.key))


def sums(used: Iterable[Used], prices: Sequence[Price]) -> Sums:
    used = list(used)
    tokens = {kind: sum(getattr(each, kind) for each in used) for kind in KINDS}
    costs = [_cost(each, prices) for each in used]
    unknown = (each for each, cost in zip(used, costs, strict=True) if cost is None)
    unpriced = sum(getattr(each, kind) for each in unknown for kind in KINDS)
    known = round(sum(cost for cost in costs if cost is not None), 6)
    return Sums(
        models=sorted({each.model for each in used}),
        **tokens,
        cost=None if unpriced else known,
        at_least=known,
        unpriced=unpriced,
    )


def _cost(used: Used, prices: Sequence[Price]) -> float | None:
    price = price_of(prices, used.model)
    if price is None:
        return None
    dollars: float = sum(getattr(used, kind) * getattr(price, kind) for kind in KINDS)
    return dollars / MILLION


def _key(used: Used, by: By, cards: Mapping[int, Card]) -> str:
    match by:
        case By.AGENT:
            return str(used.agent)
        case By.COMMAND:
            return f"{used.agent}:{used.command_id or ''}"
        case By.PROJECT:
            return _project(used, cards)


def _row(
    key: str, by: By, used: Sequence[Used], cards: Mapping[int, Card], prices: Sequence[Price]
) -> SpendRow:
    first, project = used[0], _project(used[0], cards)
    name = cards[first.agent].name if first.agent in cards else ""
    labels = {By.AGENT: name, By.COMMAND: "", By.PROJECT: project.rsplit("/", 1)[-1]}
    return SpendRow(
        key=key,
        agent_id=None if by is By.PROJECT else first.agent,
        project=project,
        command_id=first.command_id if by is By.COMMAND else None,
        label=labels[by],
        **msgspec.structs.asdict(sums(used, prices)),
    )


def _project(used: Used, cards: Mapping[int, Card]) -> str:
    return cards[used.agent].cwd if used.agent in cards else ""
