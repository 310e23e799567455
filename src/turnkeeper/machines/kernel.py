"""A state machine is a table, checked when it is made.

`advance(state, event)` is one look-up among answers that were made with the table: total over the
two enums, pure, reentrant. It has no clock and no guards; a condition is an event of its own.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Final, Generic, TypeAlias, TypeVar

import msgspec

S = TypeVar("S", bound=StrEnum)
E = TypeVar("E", bound=StrEnum)
S_co = TypeVar("S_co", bound=StrEnum, covariant=True)
E_co = TypeVar("E_co", bound=StrEnum, covariant=True)

STAYS: Final = None
"""Written in a table's third column: the state does not change."""

Line: TypeAlias = tuple[tuple[S, ...], E, S | None, str]
"""How a table is written: while one of these, this happens, it becomes (or STAYS), because."""


class Row(msgspec.Struct, Generic[S_co, E_co], frozen=True):
    source: S_co
    event: E_co
    target: S_co
    why: str
    extension: bool = False
    """Not in the seed document; added because reality is wider."""


class Step(msgspec.Struct, Generic[S_co, E_co], frozen=True):
    before: S_co
    event: E_co
    after: S_co
    extension: bool


class Rejected(msgspec.Struct, Generic[S_co, E_co], frozen=True):
    """The table has no such row. The state stays, and the reason is a sentence for a person."""

    state: S_co
    event: E_co
    reason: str


class TableFlawed(ValueError):
    """A table that cannot be a machine. Raised at import, so it never reaches a user."""

    def __init__(self, machine: str, flaws: Sequence[str]) -> None:
        super().__init__(f"The {machine} table is flawed: {'; '.join(flaws)}")
        self.machine = machine
        self.flaws = tuple(flaws)


class Machine(Generic[S, E]):
    """The table of one machine, and its answers to every pair of state and event.

    `situations` says what a state means, for the usual refusal; `refusals` holds the sentences for
    pairs that deserve better. One for a pair that the table allows is a flaw: nobody would read it.
    """

    __slots__ = ("_answers", "events", "final", "initial", "name", "rows", "states")

    def __init__(
        self,
        name: str,
        *,
        states: type[S],
        events: type[E],
        initial: S,
        rows: Sequence[Row[S, E]],
        final: frozenset[S] = frozenset(),
        situations: Mapping[S, str] | None = None,
        refusals: Mapping[tuple[S, E], str] | None = None,
    ) -> None:
        self.name: Final = name
        self.states: Final = tuple(states)
        self.events: Final = tuple(events)
        self.initial: Final = initial
        self.rows: Final = tuple(rows)
        self.final: Final = final
        sentences = refusals or {}
        flaws = [*_flaws(self), *_idle_sentences(self.rows, sentences)]
        if flaws:
            raise TableFlawed(name, flaws)
        self._answers: Final = _answers(self, situations or {}, sentences)

    def advance(self, state: S, event: E) -> Step[S, E] | Rejected[S, E]:
        """Say what this event means in this state. Every pair of the two enums has an answer."""
        return self._answers[state, event]


def spread(lines: Iterable[Line[S, E]], *, extension: bool = False) -> tuple[Row[S, E], ...]:
    """Turn a table written for the eye into rows, one for each state that a line names."""
    return tuple(
        Row(source, event, source if target is STAYS else target, why, extension)
        for sources, event, target, why in lines
        for source in sources
    )


def in_words(name: str) -> str:
    return name.replace("_", " ")


def _answers(
    machine: Machine[S, E], situations: Mapping[S, str], sentences: Mapping[tuple[S, E], str]
) -> dict[tuple[S, E], Step[S, E] | Rejected[S, E]]:
    answers: dict[tuple[S, E], Step[S, E] | Rejected[S, E]] = {}
    for state in machine.states:
        situation = situations.get(state, f"The {machine.name} is {in_words(state)}")
        possible = [row.event for row in machine.rows if row.source is state]
        for event in machine.events:
            usual = _refusal(situation, event, possible)
            answers[state, event] = Rejected(state, event, sentences.get((state, event), usual))
    for row in machine.rows:
        answers[row.source, row.event] = Step(row.source, row.event, row.target, row.extension)
    return answers


def _refusal(situation: str, event: E, possible: Sequence[E]) -> str:
    others = ", ".join(in_words(other) for other in possible) or "nothing"
    return f"{situation}: not the time for {in_words(event)!r}. Possible: {others}"


def _flaws(machine: Machine[S, E]) -> list[str]:
    strangers = _strangers(machine)
    return strangers or [
        *_doubles(machine.rows),
        *_unused(machine),
        *_unreachable(machine),
        *_wrong_exits(machine),
    ]


def _strangers(machine: Machine[S, E]) -> list[str]:
    states, events = machine.states, machine.events
    named = [
        machine.initial,
        *machine.final,
        *(state for row in machine.rows for state in (row.source, row.target)),
    ]
    return [
        *(f"unknown state {state!r}" for state in named if not _is_one_of(state, states)),
        *(
            f"unknown event {row.event!r}"
            for row in machine.rows
            if not _is_one_of(row.event, events)
        ),
    ]


def _is_one_of(word: StrEnum, words: Sequence[StrEnum]) -> bool:
    """Whether it is the very member: words of two enums may be spelt alike and compare equal."""
    return any(word is member for member in words)


def _doubles(rows: Sequence[Row[S, E]]) -> list[str]:
    times = Counter((row.source, row.event) for row in rows)
    return [f"{n} rows for {state} + {event}" for (state, event), n in times.items() if n > 1]


def _unused(machine: Machine[S, E]) -> list[str]:
    used = {row.event for row in machine.rows}
    return [f"no row for the event {event}" for event in machine.events if event not in used]


def _unreachable(machine: Machine[S, E]) -> list[str]:
    reached = {machine.initial}
    while found := {row.target for row in machine.rows if row.source in reached} - reached:
        reached |= found
    return [
        f"{state} cannot be reached from {machine.initial}"
        for state in machine.states
        if state not in reached
    ]


def _wrong_exits(machine: Machine[S, E]) -> list[str]:
    left = {row.source for row in machine.rows if row.target is not row.source}
    return [
        *(f"no exit from {state}" for state in machine.states if state not in left | machine.final),
        *(
            f"an exit from {state}, which is final"
            for state in machine.states
            if state in left & machine.final
        ),
    ]


def _idle_sentences(rows: Sequence[Row[S, E]], sentences: Mapping[tuple[S, E], str]) -> list[str]:
    allowed = {(row.source, row.event) for row in rows}
    return [
        f"a refusal for {state} + {event}, which the table allows"
        for state, event in sentences
        if (state, event) in allowed
    ]
