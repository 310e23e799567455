"""A batch of folded facts as rows of the stored projections."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from turnkeeper.projections.agent import Agent, Moved, Spent
from turnkeeper.projections.asks import Ask
from turnkeeper.projections.board import Folded
from turnkeeper.projections.cards import card_of
from turnkeeper.projections.shown import meaning_of, spoken
from turnkeeper.projections.timeline import stood
from turnkeeper.projections.turns import Turn

Row = dict[str, Any]  # a row of any table
CORRECTED = ("happened_at", "source", "entry", "words_at", "kind")


class Batch:
    """What a batch of facts did, with several changes of one row put together."""

    def __init__(self, folded: Sequence[Folded]) -> None:
        self._folded = folded
        self._agents: dict[int, Agent] = {}
        self._turns: dict[int, Row] = {}
        self._changes: dict[int, Row] = {}
        self.absorbed: dict[int, int] = {}
        for each in folded:
            self._take(each)

    def _take(self, folded: Folded) -> None:
        number = folded.agent.id
        self._agents[number] = folded.agent
        if folded.absorbed is not None:
            self._absorb(folded.absorbed, number)
        for told in folded.changes.told:
            if told.new:
                self._turns[told.turn.position] = _turn_row(number, told.turn)
            elif told.corrected:
                fields = {name: getattr(told.turn, name) for name in CORRECTED}
                self._change(told.turn.position, fields)
        for position, scene in spoken(folded.changes.scenes).items():
            self._change(position, meaning_of(scene))

    def _absorb(self, gone: int, into: int) -> None:
        self._agents.pop(gone, None)
        self.absorbed[gone] = into
        for row in self._turns.values():
            if row["agent"] == gone:
                row["agent"] = into

    def _change(self, position: int, fields: Row) -> None:
        target = self._turns.get(position)
        if target is None:
            target = self._changes.setdefault(position, {})
        target.update(fields)

    def _owner(self, number: int) -> int:
        return self.absorbed.get(number, number)

    def agents(self) -> Iterator[Row]:
        for agent in self._agents.values():
            yield {
                "id": agent.id,
                "standing": agent.standing,
                "last_at": agent.last_at,
                "card": msgspec.json.encode(card_of(agent)),
                "state": msgspec.msgpack.encode(agent),
            }

    def sessions(self) -> Iterator[Row]:
        for agent in self._agents.values():
            yield from ({"id": session, "agent": agent.id} for session in agent.sessions)

    def new_turns(self) -> list[Row]:
        return list(self._turns.values())

    def turn_changes(self) -> dict[int, Row]:
        return self._changes

    def commands(self) -> list[Row]:
        rows = {}
        for each in self._folded:
            for command in each.changes.commands:
                rows[command.id] = {
                    "id": command.id,
                    "agent": self._owner(each.agent.id),
                    "state": command.state,
                    "origin": command.origin,
                    "opened_at": command.opened_at,
                    "completed_at": command.completed_at,
                    "outcome": command.outcome,
                }
        return list(rows.values())

    def transitions(self) -> Iterator[Row]:
        for each in self._folded:
            owner = self._owner(each.agent.id)
            for nth, moved in enumerate(each.changes.moves):
                yield _transition_row(each.recorded.position, nth, owner, moved)

    def refusals(self) -> list[Row]:
        rows = {}
        for each in self._folded:
            for refusal in each.changes.refusals:
                owner = self._owner(each.agent.id)
                row = {"position": refusal.position, "agent": owner, "reason": refusal.reason}
                rows[refusal.position] = row
        return list(rows.values())

    def asks(self) -> list[Row]:
        """An ask may be told again by every fact of a batch: the last telling is stored."""
        rows = {}
        for each in self._folded:
            for ask in each.changes.asks:
                rows[ask.id] = _ask_row(self._owner(each.agent.id), ask)
        return list(rows.values())

    def stands(self) -> Iterator[Row]:
        for each in self._folded:
            change = stood(each)
            if change is not None:
                yield {**change._asdict(), "agent": self._owner(change.agent)}

    def usages(self) -> Iterator[Row]:
        for each in self._folded:
            if each.changes.spent is not None:
                yield _usage_row(self._owner(each.agent.id), each.changes.spent)


def _turn_row(agent: int, turn: Turn) -> Row:
    row = msgspec.structs.asdict(turn)
    del row["prompt"]
    row["agent"] = agent
    return row


def _transition_row(position: int, nth: int, agent: int, moved: Moved) -> Row:
    return {"position": position, "nth": nth, "agent": agent, **msgspec.structs.asdict(moved)}


def _ask_row(agent: int, ask: Ask) -> Row:
    return {
        "id": ask.id,
        "agent": agent,
        "opened_at": ask.opened_at,
        "closed_at": ask.closed_at,
        "offer": ask.offer,
        "data": msgspec.msgpack.encode(ask),
    }


def _usage_row(agent: int, spent: Spent) -> Row:
    row = msgspec.structs.asdict(spent.usage)
    total = row["input"] + row["output"] + row["cache_read"] + row["cache_write"]
    return {
        **row,
        "agent": agent,
        "session": spent.session,
        "total": total,
        "at": spent.at,
        "command_id": spent.command_id,
    }
