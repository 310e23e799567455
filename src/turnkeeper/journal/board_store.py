"""The stored projections: written by the projector, read by everyone.

One transaction holds what a batch of facts did and the checkpoint behind it, so a crash
between journal and projections is healed by going on from the checkpoint.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import msgspec
from sqlalchemy import Connection, RowMapping, Select, delete, func, or_, select, tuple_, update
from sqlalchemy.exc import SQLAlchemyError

from turnkeeper.facts.fact import NEVER, START, Moment, Position
from turnkeeper.journal.board_questions import (
    commands_between,
    living_since,
    moved_before,
    stood_between,
    times_moved_since,
    used_since,
)
from turnkeeper.journal.board_rows import Batch
from turnkeeper.journal.board_tables import (
    SHAPE,
    about,
    agent,
    ask,
    command,
    metadata,
    price,
    refusal,
    session,
    stood,
    transition,
    trouble,
    turn,
    usage,
)
from turnkeeper.journal.board_writes import change, put, put_usage
from turnkeeper.journal.frames import KEPT, frames_after, keep_frames
from turnkeeper.journal.search_index import Asked, Page, SearchIndex, spoken
from turnkeeper.journal.sqlite import sqlite_store
from turnkeeper.journal.sqlite_search import SqliteSearch
from turnkeeper.machines.recovery import ATTENTION
from turnkeeper.machines.session import SessionStatus
from turnkeeper.projections.agent import Agent
from turnkeeper.projections.asks import Ask
from turnkeeper.projections.board import Folded
from turnkeeper.projections.cards import Card
from turnkeeper.projections.directory import Directory
from turnkeeper.projections.events import Frame, Snapshot, ask_event
from turnkeeper.projections.prices import Price
from turnkeeper.projections.spending import Used
from turnkeeper.projections.timeline import Stood

PATIENCE: Final = 5.0
Row = Mapping[str, Any]  # a row of any table
_agents: Final = msgspec.msgpack.Decoder(Agent)
_asks: Final = msgspec.msgpack.Decoder(Ask)
_cards: Final = msgspec.json.Decoder(Card)
_directories: Final = msgspec.msgpack.Decoder(Directory)


class BoardStore:
    """The projections' file. Its shape is made at once; an older shape starts empty."""

    def __init__(self, file: Path, search: SearchIndex | None = None) -> None:
        self._store = sqlite_store(file, patience=PATIENCE, synchronous="NORMAL")
        self._search = search or SqliteSearch()
        with self._writing() as connection:
            metadata.create_all(connection)
            if _about(connection, "shape") not in (None, str(SHAPE).encode()):
                self._search.drop(connection)
                metadata.drop_all(connection)
                metadata.create_all(connection)
            self._search.make(connection)
            _put_about(connection, {"shape": str(SHAPE).encode()})

    def close(self) -> None:
        self._store.engine.dispose()

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        try:
            with self._store.writing.begin() as connection:
                yield connection
        except SQLAlchemyError as cause:
            raise self._store.explain(cause) from cause

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        try:
            with self._store.engine.begin() as connection:
                yield connection
        except SQLAlchemyError as cause:
            raise self._store.explain(cause) from cause

    # What the projector needs ---------------------------------------------------------------

    def position(self) -> Position:
        """The last fact these projections hold."""
        with self._reading() as connection:
            return Position(int(_about(connection, "position") or START))

    def directory(self) -> Directory:
        with self._reading() as connection:
            raw = _about(connection, "directory")
            directory = _directories.decode(raw) if raw else Directory()
            rows = connection.execute(select(session.c.id, session.c.agent))
            directory.sessions = {row.id: row.agent for row in rows}
            return directory

    def load(self, number: int) -> Agent | None:
        with self._reading() as connection:
            raw = connection.execute(select(agent.c.state).where(agent.c.id == number)).scalar()
        return None if raw is None else _agents.decode(raw)

    def attention(self) -> list[Agent]:
        """The agents that wait for a person, as far as their status says."""
        query = select(agent.c.state).where(agent.c.standing.in_(ATTENTION))
        with self._reading() as connection:
            return [_agents.decode(raw) for raw in connection.execute(query).scalars()]

    def living(self) -> list[Agent]:
        """The agents whose client was alive when last heard of."""
        query = select(agent.c.state).where(agent.c.standing != SessionStatus.CLOSED)
        with self._reading() as connection:
            return [_agents.decode(raw) for raw in connection.execute(query).scalars()]

    def save(
        self,
        folded: Sequence[Folded],
        directory: Directory,
        position: Position,
        told: Sequence[Frame] | None = None,
        *,
        prices: Sequence[Price] = (),
    ) -> None:
        """Write what these facts did, what the stream is told of it, and that they are done.

        None says that nobody was told: readers of the stream cannot resume before this.
        """
        batch, words = Batch(folded), spoken(folded)
        with self._writing() as connection:
            for gone, into in batch.absorbed.items():
                _reassign(connection, gone, into)
            put(connection, agent, batch.agents())
            put(connection, session, batch.sessions())
            put(connection, turn, batch.new_turns())
            self._search.put(connection, words)
            change(connection, turn, batch.turn_changes())
            put(connection, command, batch.commands())
            put(connection, transition, batch.transitions())
            put(connection, refusal, batch.refusals())
            put(connection, ask, batch.asks())
            put(connection, stood, batch.stands())
            put_usage(connection, batch.usages())
            put(connection, price, map(msgspec.structs.asdict, prices))
            if told is None:
                _put_about(connection, {"told_from": str(position).encode()})
            else:
                keep_frames(connection, told, position)
            rest = msgspec.structs.replace(directory, sessions={})
            done = {"directory": msgspec.msgpack.encode(rest), "position": str(position).encode()}
            _put_about(connection, done)

    def snapshot(self) -> Snapshot:
        """The whole board, and the position at which this was so."""
        open_asks = select(ask.c.agent, ask.c.data).where(ask.c.closed_at == NEVER)
        with self._reading() as connection:
            position = Position(int(_about(connection, "position") or START))
            rows = connection.execute(select(agent.c.card).order_by(agent.c.last_at.desc()))
            cards = [_cards.decode(raw) for (raw,) in rows]
            asks = connection.execute(open_asks.order_by(ask.c.opened_at, ask.c.id))
            told = [ask_event(number, _asks.decode(data)) for number, data in asks]
        return Snapshot(position, cards, told)

    def asks(self, closed_since: Moment | None = None) -> list[tuple[int, Ask]]:
        """What waits for a person and for which agent, the oldest first; and what has waited."""
        closed = ask.c.closed_at == NEVER
        if closed_since is not None:
            closed = or_(closed, ask.c.closed_at >= closed_since)
        query = select(ask.c.agent, ask.c.data).where(closed).order_by(ask.c.opened_at, ask.c.id)
        with self._reading() as connection:
            return [(number, _asks.decode(data)) for number, data in connection.execute(query)]

    def ask(self, number: int) -> tuple[int, Ask] | None:
        query = select(ask.c.agent, ask.c.data).where(ask.c.id == number)
        return self._one_ask(query)

    def ask_of_offer(self, offer: str) -> tuple[int, Ask] | None:
        query = select(ask.c.agent, ask.c.data).where(ask.c.offer == offer)
        return self._one_ask(query.order_by(ask.c.id.desc()).limit(1))

    def _one_ask(self, query: Select[tuple[int, bytes]]) -> tuple[int, Ask] | None:
        with self._reading() as connection:
            row = connection.execute(query).first()
        return None if row is None else (row.agent, _asks.decode(row.data))

    def told_after(self, position: Position) -> tuple[Position, bytes] | None:
        """What the stream was told since, and up to where; None if that is not kept any more."""
        with self._reading() as connection:
            reached = Position(int(_about(connection, "position") or START))
            oldest = max(int(_about(connection, "told_from") or START), reached - KEPT)
            if not oldest <= position <= reached:
                return None
            told = frames_after(connection, position)
            return None if told is None else (reached, told)

    def note_trouble(self, position: Position, why: str) -> None:
        with self._writing() as connection:
            put(connection, trouble, [{"position": position, "why": why}])

    def troubles(self) -> dict[Position, str]:
        with self._reading() as connection:
            rows = connection.execute(select(trouble.c.position, trouble.c.why))
            return {Position(position): why for position, why in rows}

    def heal(self, position: Position) -> None:
        """Forget a trouble. Readers of the stream who were away cannot be told of it in its place:
        whoever comes back from before gets a snapshot."""
        with self._writing() as connection:
            connection.execute(delete(trouble).where(trouble.c.position == position))
            reached = int(_about(connection, "position") or START)
            _put_about(connection, {"told_from": str(reached + 1).encode()})

    # What people ask ------------------------------------------------------------------------

    def cards(self, *, closed: bool = True) -> list[Card]:
        """Every agent, or those that are not closed; the one last heard of first."""
        query = select(agent.c.card).order_by(agent.c.last_at.desc())
        if not closed:
            query = query.where(agent.c.standing != SessionStatus.CLOSED)
        with self._reading() as connection:
            return [_cards.decode(raw) for raw in connection.execute(query).scalars()]

    def numbers_of(self, prefix: str) -> list[int]:
        """The agents that have a session whose id begins like this."""
        with self._reading() as connection:
            found = select(session.c.agent).where(session.c.id.startswith(prefix, autoescape=True))
            return sorted(set(connection.execute(found).scalars()))

    def card(self, number: int) -> Card | None:
        with self._reading() as connection:
            raw = connection.execute(select(agent.c.card).where(agent.c.id == number)).scalar()
        return None if raw is None else _cards.decode(raw)

    def cards_of(self, numbers: Iterable[int]) -> dict[int, Card]:
        """These agents by their numbers; one nobody has seen is left out."""
        query = select(agent.c.id, agent.c.card).where(agent.c.id.in_(set(numbers)))
        with self._reading() as connection:
            return {number: _cards.decode(raw) for number, raw in connection.execute(query)}

    def turns(
        self,
        number: int,
        *,
        before: tuple[int, int] | None = None,
        after: tuple[int, int] | None = None,
        since_position: int | None = None,
        limit: int | None = None,
    ) -> list[RowMapping]:
        """An agent's turns in order; with a limit and no `after`, its newest."""
        place = tuple_(turn.c.happened_at, turn.c.position)
        query = select(turn).where(turn.c.agent == number)
        if before is not None:
            query = query.where(place < before)
        if after is not None:
            query = query.where(place > after)
        if since_position is not None:
            query = query.where(turn.c.position > since_position)
        forward = after is not None or limit is None
        order = (turn.c.happened_at, turn.c.position)
        query = query.order_by(*(order if forward else (each.desc() for each in order)))
        with self._reading() as connection:
            rows = connection.execute(query.limit(limit)).mappings().all()
        return list(rows) if forward else list(reversed(rows))

    def turn(self, number: int, position: int) -> RowMapping | None:
        query = select(turn).where(turn.c.agent == number, turn.c.position == position)
        with self._reading() as connection:
            return connection.execute(query).mappings().first()

    def search(self, asked: Asked, below: int | None, size: int) -> Page:
        """Turns that may hold what is asked for, the newest first."""
        with self._reading() as connection:
            return self._search.page(connection, asked, below, size)

    def transitions(self, number: int, before: Position, limit: int) -> list[RowMapping]:
        with self._reading() as connection:
            return moved_before(connection, number, before, limit)

    def moved_since(self, number: int, position: Position) -> int:
        with self._reading() as connection:
            return times_moved_since(connection, number, position)

    def commands(
        self, number: int, first: Position, last: Position, limit: int
    ) -> list[RowMapping]:
        with self._reading() as connection:
            return commands_between(connection, number, first, last, limit)

    def used(self, since: int | None, *, by_command: bool) -> list[Used]:
        """Tokens of each agent and model, or of each of its commands and model, since then."""
        with self._reading() as connection:
            return used_since(connection, since, by_command=by_command)

    def stood(self, since: Moment, until: Moment) -> tuple[list[Stood], list[Card]]:
        """Each change of standing in this time and the last before it, and whose they are."""
        with self._reading() as connection:
            living = living_since(connection, since)
            return stood_between(connection, since, until), list(map(_cards.decode, living))

    def prices(self) -> list[Price]:
        """What a person set, by model."""
        with self._reading() as connection:
            rows = connection.execute(select(price).order_by(price.c.model)).mappings()
            return [Price(**row) for row in rows]

    def corrected_since(self, number: int, position: int) -> int:
        """How many turns got their words from a newer fact than the one that first told them."""
        query = select(func.count()).where(
            turn.c.agent == number,
            turn.c.words_at > position,
            turn.c.position <= position,
        )
        with self._reading() as connection:
            return connection.execute(query).scalar_one()

    def entries_twice(self, name: str) -> int:
        """How many transcript lines of a session have become more than one turn."""
        twice = (
            select(turn.c.entry)
            .where(turn.c.session == name, turn.c.entry != "", turn.c.kind != "tool")
            .group_by(turn.c.entry, turn.c.hash)
            .having(func.count() > 1)
        )
        with self._reading() as connection:
            return len(connection.execute(twice).all())


def _about(connection: Connection, name: str) -> bytes | None:
    return connection.execute(select(about.c.value).where(about.c.name == name)).scalar()


def _put_about(connection: Connection, values: Mapping[str, bytes]) -> None:
    put(connection, about, [{"name": name, "value": value} for name, value in values.items()])


def _reassign(connection: Connection, gone: int, into: int) -> None:
    """Give what an agent had to the one it turned out to be."""
    for table in (session, turn, command, transition, usage, refusal, ask, stood):
        connection.execute(update(table).where(table.c.agent == gone).values(agent=into))
    connection.execute(delete(agent).where(agent.c.id == gone))
