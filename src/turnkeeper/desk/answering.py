"""Answers a person gives: each ask takes one that fits, and the first one wins."""

import re
from typing import Final

import msgspec

from turnkeeper.desk.asks import AskTold, ask
from turnkeeper.errors import AnswerUnfit, AskClosed, AskElsewhere, TurnkeeperError
from turnkeeper.facts.fact import Fact, Position, Source
from turnkeeper.facts.kinds import AnswerRefused, AskAnswered, Decision
from turnkeeper.journal.board_store import BoardStore
from turnkeeper.ports import Clock, Journal
from turnkeeper.projections.cards import when
from turnkeeper.sources.claude_asks import Question
from turnkeeper.sources.clock import fresh_id

LONGEST: Final = 20_000
"""Characters of a message or of one answer. More belongs in a file."""

LONGEST_NAME: Final = 200
LONGEST_REASON: Final = 500
_STEERING: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""What would steer a terminal; line ends and tabs may stay."""

IN_THE_TERMINAL: Final = (
    "Answer in the terminal; `turnkeeper hooks install` lets later sessions ask here"
)


class Answer(msgspec.Struct, frozen=True):
    """What a person says to an ask (rulings F4). A list holds labels that must be on offer; a text
    is a label or words of one's own."""

    decision: Decision
    message: str = ""
    answers: dict[str, str | list[str]] = {}
    by: str = ""


async def answer(
    store: BoardStore, journal: Journal, clock: Clock, number: int, said: Answer
) -> Position:
    """Record a person's answer, if it fits and nobody was first; returns where it stands."""
    shown = await ask(store, journal, number)
    if shown.outcome is not None:
        raise AskClosed(number, _closed_why(shown))
    fitting = fit(shown, said)
    now = clock.now()
    fact = Fact(
        key=f"ask:{number}:answer",
        session=shown.session_id,
        source=Source.PERSON,
        happened_at=now,
        heard_at=now,
        what=fitting,
        host=shown.host,
    )
    appended = await journal.append([fact])
    if not appended.new[0]:
        raise AskClosed(number, await _winner(journal, appended.positions[0]))
    return appended.positions[0]


async def note_refusal(
    journal: Journal, clock: Clock, number: int, said: Answer, problem: TurnkeeperError
) -> Position:
    """Record an answer that was not taken, and why (rulings D4); returns where it stands."""
    now = clock.now()
    what = AnswerRefused(
        number, said.decision, str(problem)[:LONGEST_REASON], said.by[:LONGEST_NAME]
    )
    key = f"ask:{number}:refused:{fresh_id()}"
    appended = await journal.append([Fact(key, "", Source.PERSON, now, now, what)])
    return appended.positions[0]


def _closed_why(shown: AskTold) -> str:
    at = shown.answer.at if shown.answer else shown.closed_at
    return f"{shown.why}, at {at}"


async def _winner(journal: Journal, position: Position) -> str:
    """Who was first, in words; the board may not know yet."""
    [first] = await journal.at([position])
    what = first.fact.what
    if not isinstance(what, AskAnswered):
        return "it was answered"
    return f"{what.by} answered {what.decision} first, at {when(first.fact.happened_at)}"


def fit(shown: AskTold, said: Answer) -> AskAnswered:
    """The answer as it is recorded; refused in words where it does not fit the ask."""
    if str(said.decision) not in shown.decisions:
        if not shown.decisions:
            raise AskElsewhere(shown.id, IN_THE_TERMINAL)
        possible = ", ".join(shown.decisions)
        raise AnswerUnfit(shown.id, f"it takes {possible}, not {said.decision}")
    _legible(shown.id, "the message", said.message)
    _legible(shown.id, "who answers", said.by, LONGEST_NAME)
    answers = _fitting_answers(shown, said)
    by = said.by or "the API"
    return AskAnswered(shown.id, said.decision, said.message, answers, by)


def _legible(number: int, name: str, text: str, longest: int = LONGEST) -> None:
    if len(text) > longest:
        raise AnswerUnfit(number, f"{name} has {len(text):,} characters, and {longest:,} fit")
    if _STEERING.search(text):
        raise AnswerUnfit(number, f"{name} holds control characters")


def _fitting_answers(shown: AskTold, said: Answer) -> dict[str, list[str]]:
    if said.decision is not Decision.ANSWER:
        if said.answers:
            raise AnswerUnfit(shown.id, f"{said.decision} takes no answers")
        return {}
    questions = {each.question: each for each in shown.questions}
    unknown = [name for name in said.answers if name not in questions]
    if unknown:
        raise AnswerUnfit(shown.id, f"it does not ask {unknown[0][:80]!r}")
    missing = [name for name in questions if not said.answers.get(name)]
    if missing or not questions:
        # An allow without answers would answer with nothing: the client takes it.
        lacking = missing[0][:80] if missing else "the question"
        raise AnswerUnfit(shown.id, f"{lacking!r} has no answer yet")
    return {name: _chosen(shown.id, questions[name], words) for name, words in said.answers.items()}


def _chosen(number: int, question: Question, said: str | list[str]) -> list[str]:
    """The words of one answer: labels on offer, each once, or a text of one's own."""
    asked = repr(question.question[:80])
    if isinstance(said, str):
        _legible(number, "an answer", said)
        if not said.strip():
            raise AnswerUnfit(number, f"{asked} has no answer yet")
        return [said]
    offered = [option.label for option in question.options]
    strange = next((each for each in said if each not in offered), None)
    if strange is not None:
        listed = ", ".join(offered)
        raise AnswerUnfit(number, f"{strange[:80]!r} is not on offer; these are: {listed}")
    if len(said) > 1 and not question.multiple:
        raise AnswerUnfit(number, f"{asked} takes one answer")
    if len(set(said)) < len(said):
        raise AnswerUnfit(number, f"{asked} has the same answer twice")
    return said
