"""The queue of what waits for a person, as every surface shows it."""

import asyncio
from collections.abc import Sequence
from typing import Any

import msgspec

from turnkeeper.errors import AskUnknown
from turnkeeper.facts.fact import Moment, Position
from turnkeeper.facts.kinds import AgentSpoke, Decision, What
from turnkeeper.journal.board_store import BoardStore
from turnkeeper.ports import Journal
from turnkeeper.projections.ask_words import heading, why
from turnkeeper.projections.asks import Ask, AskKind
from turnkeeper.projections.cards import Card, when
from turnkeeper.sources.claude_asks import Described, Question, described, suggested


class AnswerTold(msgspec.Struct, frozen=True):
    """What a person said, from where, and when."""

    decision: str
    message: str
    answers: dict[str, list[str]]
    by: str
    at: str


class AskTold(msgspec.Struct, frozen=True):
    """Something that waits, or waited, for a person, in the words of the API."""

    id: int
    kind: str
    agent_id: int
    session_id: str
    agent: str
    project: str
    host: str
    title: str
    body: str
    tool: str | None
    input: dict[str, Any] | None
    diff: str | None
    questions: list[Question]
    suggestions: list[str]
    decisions: list[str]
    answerable: bool
    confidence: float | None
    opened_at: str
    closed_at: str | None
    outcome: str | None
    why: str | None
    answer: AnswerTold | None
    link: str


async def asks(
    store: BoardStore, journal: Journal, closed_since: Moment | None = None
) -> list[AskTold]:
    """What waits, the oldest first; with what was closed since then, where that is asked for."""
    held = await asyncio.to_thread(store.asks, closed_since)
    return await _told(store, journal, held)


async def ask(store: BoardStore, journal: Journal, number: int) -> AskTold:
    held = await asyncio.to_thread(store.ask, number)
    if held is None:
        raise AskUnknown(str(number))
    shown = await _told(store, journal, [held])
    if not shown:
        raise AskUnknown(str(number))
    return shown[0]


async def _told(
    store: BoardStore, journal: Journal, held: Sequence[tuple[int, Ask]]
) -> list[AskTold]:
    positions = {at for _, each in held for at in (each.words_at, each.plan_at) if at}
    facts = await journal.at([Position(each) for each in sorted(positions)])
    words = {recorded.position: recorded.fact.what for recorded in facts}
    cards = await asyncio.to_thread(store.cards_of, {number for number, _ in held})
    return [
        told(each, cards[number], words.get(each.words_at), words.get(each.plan_at))
        for number, each in held
        if number in cards  # else it has turned out, just now, to be another one
    ]


def told(held: Ask, card: Card, what: What | None, plan: What | None = None) -> AskTold:
    shown = _described(held, plan or what)
    suggestions = suggested(what)
    return AskTold(
        id=held.id,
        kind=held.kind,
        agent_id=card.id,
        session_id=held.session,
        agent=card.name,
        project=card.cwd,
        host=card.host,
        title=shown.title,
        body=shown.body,
        tool=held.tool or None,
        input=shown.input,
        diff=shown.diff,
        questions=shown.questions,
        suggestions=suggestions,
        decisions=[str(each) for each in decisions(held, suggestions)],
        answerable=bool(held.offer) and held.outcome is None,
        confidence=held.confidence,
        opened_at=when(held.opened_at) or "",
        closed_at=when(held.closed_at),
        outcome=held.outcome,
        why=why(held),
        answer=_answer_told(held),
        link=f"/#/asks/{held.id}",
    )


def _described(held: Ask, what: What | None) -> Described:
    match held.kind:
        case AskKind.WORDS:
            text = what.text if isinstance(what, AgentSpoke) else ""
            return Described(_last_line(text) or heading(held), text)
        case AskKind.ERROR:
            return Described(_last_line(held.text) or heading(held), held.text)
        case _:
            return described(what, held.tool)


def _last_line(text: str) -> str:
    """The line that asks is nearly always the last."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:200] if lines else ""


def decisions(held: Ask, suggestions: Sequence[str]) -> list[Decision]:
    """What may be answered from here, the likeliest first."""
    if held.outcome is not None:
        return []
    if held.kind in (AskKind.WORDS, AskKind.ERROR):
        return [Decision.DISMISS]
    if not held.offer:
        return []
    match held.kind:
        case AskKind.QUESTION:
            return [Decision.ANSWER, Decision.DENY]
        case AskKind.PLAN:
            return [Decision.APPROVE, Decision.REJECT]
        case _:
            always = [Decision.ALWAYS] if suggestions else []
            return [Decision.ALLOW, *always, Decision.DENY]


def _answer_told(held: Ask) -> AnswerTold | None:
    said = held.answer
    if said is None:
        return None
    return AnswerTold(said.decision, said.message, said.answers, said.by, when(said.at) or "")
