"""The bound of seed 002: a session that is stuck in a wait recovers within twelve seconds."""

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from turnkeeper.daemon.health import keep_checking
from turnkeeper.facts.fact import Fact, Moment, Source
from turnkeeper.facts.kinds import (
    Activity,
    AgentSpoke,
    Cause,
    ClientReported,
    Ending,
    PermissionAsked,
    PromptSubmitted,
    SessionStarted,
    ToolStarted,
    TurnEnded,
    Waits,
    What,
)
from turnkeeper.journal.board_store import BoardStore
from turnkeeper.journal.memory import MemoryJournal
from turnkeeper.machines import recovery
from turnkeeper.machines.recovery import ATTENTION, MAX_RECOVERY_TIME_SECS, is_stale
from turnkeeper.projections.board import Board

SOURCES = Path(recovery.__file__).parents[1]
NOON = 1_794_830_400_000_000
SECOND = 1_000_000
SESSION = "stuck"


class Enough(Exception):
    """The story is over."""


def fact(source: Source, seconds: float, what: What) -> Fact:
    at = Moment(NOON + round(seconds * SECOND))
    return Fact(f"{source}-{seconds}-{type(what).__name__}", SESSION, source, at, at, what)


class Story:
    """A clock that passes no time but its own, and what happens as it passes."""

    def __init__(self, store: BoardStore, facts: list[Fact], until: float) -> None:
        self._store = store
        self._waiting = sorted(facts, key=lambda each: each.happened_at)
        self._end = Moment(NOON + round(until * SECOND))
        self._now = Moment(NOON)
        self.journal = MemoryJournal()
        self.shown: list[tuple[float, str]] = []

    def now(self) -> Moment:
        return self._now

    async def sleep(self, seconds: float) -> None:
        await self._fold()
        wakes = Moment(self._now + round(seconds * SECOND))
        while self._waiting and self._waiting[0].happened_at <= wakes:
            happens = self._waiting.pop(0)
            self._now = max(self._now, happens.happened_at)
            await self.journal.append([happens])
            await self._fold()
        self._now = wakes
        if wakes > self._end:
            raise Enough

    async def _fold(self) -> None:
        position = self._store.position()
        facts = await self.journal.after(position)
        if not facts:
            return
        board = Board(self._store.directory(), self._store.load)
        folded = [each for recorded in facts if (each := board.take(recorded)) is not None]
        self._store.save(folded, board.directory, facts[-1].position)
        self.shown.append(((self._now - NOON) / SECOND, self._store.cards()[0].standing))

    def standing_at(self, seconds: float) -> str:
        return [standing for at, standing in self.shown if at <= seconds][-1]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[BoardStore]:
    store = BoardStore(tmp_path / "board.db")
    yield store
    store.close()


def tell(store: BoardStore, facts: list[Fact], until: float) -> Story:
    story = Story(store, facts, until)
    with pytest.raises(Enough):
        asyncio.run(keep_checking(store, story.journal, story))
    return story


WAITS: dict[str, What] = {
    "awaiting_input": ToolStarted("AskUserQuestion", "call", Waits.QUESTION),
    "awaiting_approval": PermissionAsked("Bash"),
    "error": TurnEnded(Ending.FAILED, error="overloaded"),
}


def stuck(wait: str, at: float, moved_on: float) -> list[Fact]:
    """A session that waits, and whose transcript moves on with nobody telling that it is over."""
    return [
        fact(Source.HOOK, 0, SessionStarted(Cause.STARTUP)),
        fact(Source.HOOK, 0.1, PromptSubmitted("do it", "p")),
        fact(Source.HOOK, at, WAITS[wait]),
        fact(Source.TRANSCRIPT, moved_on, AgentSpoke("On it.", "p", final=False)),
    ]


def test_the_three_constants_of_the_proof_stand_in_one_place() -> None:
    names = re.compile(
        r"^(HEALTH_CHECK_INTERVAL|STALENESS_THRESHOLD|MAX_RECOVERY_TIME)\w*\b.*=", re.MULTILINE
    )
    places = [file.name for file in SOURCES.rglob("*.py") if names.search(file.read_text())]

    assert recovery.HEALTH_CHECK_INTERVAL_SECS == 10
    assert recovery.STALENESS_THRESHOLD_SECS == 2
    assert recovery.MAX_RECOVERY_TIME_SECS == 12
    assert places == ["recovery.py"]


@pytest.mark.parametrize(
    ("transcript", "event", "stale"),
    [(102, 100, False), (102.000001, 100, True), (103, 100, True), (99, 100, False), (0, 0, False)],
)
def test_a_transcript_is_stale_more_than_two_seconds_after_the_last_event(
    transcript: float, event: float, *, stale: bool
) -> None:
    moments = (Moment(round(at * SECOND)) for at in (transcript, event))

    assert is_stale(*moments) is stale


@pytest.mark.parametrize("phase", range(0, 100, 7))
@pytest.mark.parametrize("wait", WAITS)
def test_a_stuck_session_recovers_within_the_bound(
    store: BoardStore, wait: str, phase: int
) -> None:
    begins, moves_on = 5.0, 7.1 + phase / 10
    story = tell(store, stuck(wait, begins, moves_on), until=40)

    assert story.standing_at(begins) == wait
    recovered = next(
        at for at, standing in story.shown if at >= moves_on and standing not in ATTENTION
    )
    assert recovered - moves_on <= MAX_RECOVERY_TIME_SECS
    assert story.shown[-1][1] not in ATTENTION


@pytest.mark.parametrize("wait", WAITS)
def test_a_session_that_really_waits_is_left_alone(store: BoardStore, wait: str) -> None:
    story = tell(store, stuck(wait, 5, 6)[:3], until=200)

    assert story.shown[-1][1] == wait


def test_a_client_that_says_it_waits_is_believed(store: BoardStore) -> None:
    waiting = ClientReported(7, "", Activity.WAITING, "permission prompt")
    facts = [*stuck("awaiting_approval", 5, 9), fact(Source.REGISTRY, 5.1, waiting)]

    story = tell(store, facts, until=100)

    assert story.shown[-1][1] == "awaiting_approval"
