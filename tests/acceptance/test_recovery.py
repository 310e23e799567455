"""One test for each way back (001 NFR10): whatever goes wrong, every turn is there in the end."""

import asyncio
import json
import os
import random
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from msgspec import structs
from msgspec.json import encode

from tests.conftest import Delay
from tests.lab.daemon import Daemon
from tests.lab.house import House, Json, board_of, until, words_of
from tests.lab.scenarios import HELLO, SCENARIOS, bash, role_in, which_database
from turnkeeper.daemon.keeper import Keeper
from turnkeeper.daemon.logs import EVENTS, start_log, stop_log
from turnkeeper.daemon.projector import Projector
from turnkeeper.daemon.rebuild import rebuild
from turnkeeper.daemon.stores import open_board, open_journal
from turnkeeper.errors import JournalFull
from turnkeeper.facts.fact import START, Fact, Moment, Recorded, Source
from turnkeeper.facts.kinds import AgentSpoke
from turnkeeper.journal.memory import MemoryJournal
from turnkeeper.ports import Appended, Mark
from turnkeeper.projections.board import Board, Folded
from turnkeeper.scripted.agent import ScriptedAgent
from turnkeeper.scripted.body import Role
from turnkeeper.scripted.faults import NO_FAULTS, Faults
from turnkeeper.scripted.spool import Spool
from turnkeeper.scripted.stage import Part, Stage, crowd
from turnkeeper.scripted.steps import FOREVER, Exit, Finish, Kill, Prompt
from turnkeeper.sources.clock import SystemClock
from turnkeeper.sources.registry import Registry
from turnkeeper.sources.spool import Spool as SpoolReader
from turnkeeper.sources.transcripts import Transcripts

TOOL = SCENARIOS["tool_call"]
KILLS = 5


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)


@pytest.fixture
async def stage(house: House) -> AsyncIterator[Stage]:
    async with house.stage() as stage:
        yield stage


def role(house: House, project: str = "project") -> Role:
    return Role(house.place.data.parent / project)


def wordy(house: House) -> Role:
    """An agent without a process: its transcript is all there is of it."""
    return role_in(house.place, process=False)


def append(file: Path, raw: bytes) -> None:
    with file.open("ab", buffering=0) as transcript:
        transcript.write(raw)


async def written(stage: Stage, house: House, faults: Faults = NO_FAULTS) -> ScriptedAgent:
    """An agent that has said hello, with nobody watching."""
    agent = await stage.enter(wordy(house), structs.replace(faults, no_spool=True))
    await agent.play(HELLO)
    return agent


def entry(session: str, number: int, **fields: object) -> bytes:
    """One more line of a transcript, without its newline."""
    line = {
        "parentUuid": None,
        "isSidechain": False,
        "type": "user",
        "message": {"role": "user", "content": f"prompt {number}"},
        "uuid": f"00000000-0000-4000-8000-{number:012}",
        "timestamp": f"2027-01-01T00:00:{number:02}.000Z",
        "sessionId": session,
        "cwd": "/work",
        "version": "2.1.325",
    }
    return json.dumps(line | fields).encode()


def prompts(*numbers: int) -> list[tuple[str, str]]:
    return [("user", f"prompt {number}") for number in numbers]


GREETING = words_of(*HELLO)


# The hooks fail ---------------------------------------------------------------------------------


@pytest.mark.parametrize("dropped", [1.0, 0.5])
async def test_lost_hooks_cost_no_turn_and_no_state(
    house: House, stage: Stage, delay: Delay, dropped: float
) -> None:
    async with house.up():
        agent = await stage.enter(role(house), Faults(drop_hooks=dropped, seed=3))
        await agent.play(TOOL)

        delay("transcript to turns, hooks lost", await house.hears(agent.session, words_of(*TOOL)))
        delay("transcript to state, hooks lost", await house.sees(agent.session, "idle"))
        await house.complete()


async def test_a_recovered_question_makes_the_agent_await_input(house: House, stage: Stage) -> None:
    question = structs.replace(which_database("SQLite"), after=FOREVER)
    async with house.up():
        asks = await stage.enter(role(house, "asks"), Faults(drop_hooks=1.0))
        playing = asyncio.create_task(asks.play((Prompt("which one"), question)))
        in_words = await stage.enter(role(house, "words"), Faults(drop_hooks=1.0, seed=1))
        await in_words.play((Prompt("ask me"), Finish("Which one would you prefer?")))

        await house.sees(asks.session, "awaiting_input")
        await house.sees(in_words.session, "awaiting_input")
        playing.cancel()
    card = house.card(in_words.session)
    assert card is not None
    assert card.state == "awaiting_input"


async def test_a_question_of_a_time_before_us_makes_the_agent_await_input(
    house: House, stage: Stage
) -> None:
    agent = await stage.enter(role(house), Faults(drop_hooks=1.0))
    await agent.play((Prompt("ask me"), Finish("Which one would you prefer?")))

    async with house.up():
        await house.sees(agent.session, "awaiting_input")


# The state machine refuses ----------------------------------------------------------------------


async def test_a_rejected_transition_leaves_the_turn_and_the_state(
    house: House, stage: Stage
) -> None:
    unasked = Finish("The migration is done.")
    async with house.up():
        agent = await stage.enter(role(house))
        await agent.play((*HELLO, unasked))
        await house.hears(agent.session, words_of(*HELLO, unasked))
        await house.sees(agent.session, "idle")
        await house.complete()
    card = house.card(agent.session)
    [rejected] = house.log("transition.rejected")
    assert card is not None
    assert card.state == "idle"
    assert rejected["level"] == "warning"
    assert rejected["session"] == agent.session
    assert "not possible while" in rejected["reason"]


# Interpretation fails ---------------------------------------------------------------------------


@dataclass
class Flawed:
    """A fold that fails at one fact until it is mended."""

    at: int
    mended: bool = False

    def take(self, board: Board, recorded: Recorded) -> Folded | None:
        if recorded.position == self.at and not self.mended:
            raise RuntimeError("a bug of ours")
        return board.take(recorded)


async def played(house: House, *parts: Part) -> list[str]:
    """Let agents play before a daemon, and stop it: the sessions they had."""
    async with house.up():
        async with house.stage() as stage:
            agents = await stage.play(parts)
            for part, agent in zip(parts, agents, strict=True):
                await house.hears(agent.session, words_of(*part.story))
        for agent in agents:
            await house.sees(agent.session, "closed")
    return [agent.session for agent in agents]


def visible(house: House) -> list[Json]:
    """What a person sees of every agent. Under which position a turn became known is no part of
    it: what failed first is known later."""
    cards = [json.loads(encode(card)) for card in house.cards()]
    for card in cards:
        card["last_turn"].pop("position")
    return cards


async def test_a_failing_interpretation_loses_nothing_and_heals(house: House) -> None:
    [session] = await played(house, Part(role(house), (*TOOL, *HELLO)))
    before, wholly = visible(house), board_of(house.settings.board)
    start_log(house.settings.log, "info")
    async with open_journal(house.settings) as journal:
        facts = await journal.after(START)
        failing = next(
            each.position
            for each in facts
            if isinstance(each.fact.what, AgentSpoke) and each.fact.what.text == "I have listed."
        )
        house.settings.board.unlink()
        flaw = Flawed(failing)
        with open_board(house.settings) as store:
            projector = Projector(journal, store, SystemClock(), take=flaw.take)
            following = asyncio.create_task(projector.run())
            await projector.reached(await journal.last())
            troubled = set(store.troubles())
            await projector.retry()
            still_troubled = set(store.troubles())
            flaw.mended = True
            await projector.retry()
            following.cancel()
        assert troubled == still_troubled == {failing}
        assert await house.words(session) == words_of(*TOOL, *HELLO)
        assert visible(house) == before
        told = house.log("interpretation.failed", "interpretation.healed")
        assert [line["level"] for line in told] == ["warning", "warning", "info"]
        assert {line["position"] for line in told} == {failing}

        await rebuild(house.settings, journal, lambda done, total: None)
        assert board_of(house.settings.board) == wholly
    stop_log()


async def test_whichever_fact_fails_the_board_ends_as_without_the_failure(house: House) -> None:
    await played(house, Part(role(house), (*TOOL, *SCENARIOS["question_in_text"])))
    async with open_journal(house.settings) as journal:
        facts = await journal.after(START)
    without = folded(facts)

    for failing in facts:
        others = [each for each in facts if each is not failing]
        assert folded([*others, failing]) == without, failing


def folded(facts: list[Recorded]) -> tuple[list[str], list[tuple[object, ...]]]:
    """Where each agent ends, and every turn as it ends, by its place in time."""
    board, turns = Board(), {}
    for recorded in facts:
        done = board.take(recorded)
        for told in done.changes.told if done else ():
            turns[told.turn.position] = told.turn
    ends = [f"{each.standing} {each.state} {each.turns}" for each in board.agents.values()]
    seen = [(turn.happened_at, turn.actor, turn.kind, turn.hash) for turn in turns.values()]
    return ends, sorted(seen, key=repr)


# The daemon is not there ------------------------------------------------------------------------


async def test_what_happens_while_no_daemon_runs_is_there_after_its_start(
    house: House, stage: Stage, delay: Delay
) -> None:
    story = (*TOOL, *SCENARIOS["question_in_text"])
    agent = await stage.enter(role(house))
    async with house.up():
        await agent.play(HELLO)
        await house.sees(agent.session, "idle")
    await agent.play(story)
    later = await stage.enter(role(house, "later"), Faults(seed=1))
    await later.play(TOOL)

    async with house.up():
        delay("start to turns", await house.hears(agent.session, words_of(*HELLO, *story)))
        await house.hears(later.session, words_of(*TOOL))
        await house.sees(agent.session, "idle")
        await house.complete()
    times = [turn.happened_at for turn in await house.turns(agent.session)]
    assert times == sorted(times)


async def test_agents_that_end_while_no_daemon_runs_are_closed_after_its_start(
    house: House, stage: Stage
) -> None:
    async with house.up():
        leaves = await stage.enter(role(house))
        dies = await stage.enter(role(house, "dies"), Faults(seed=1))
        await leaves.play(HELLO)
        await dies.play((Prompt("sleep"), bash("sleep 40", None)))
        await house.sees(leaves.session, "idle")
        await house.sees(dies.session, "running")
    await leaves.perform(Exit())
    await dies.perform(Kill())

    async with house.up():
        await house.sees(leaves.session, "closed")
        await house.sees(dies.session, "closed")


async def test_a_daemon_killed_again_and_again_under_load_loses_nothing(house: House) -> None:
    chance = random.Random(7)
    daemon = Daemon(house.place.data, house.place.claude_dir)
    parts = crowd(
        [Part(role(house, f"p{number}"), TOOL * 8, LATE_AND_TORN[number]) for number in range(4)],
        8,
    )
    with closing(daemon):
        async with house.stage(speed=20) as stage:
            playing = asyncio.create_task(stage.play(parts))
            for _ in range(KILLS):
                await asyncio.to_thread(daemon.start)
                await until(lambda: daemon.board.position() > 0, "a fact", str)
                await asyncio.sleep(chance.uniform(0, 0.3))  # the moment is random, that is all
                daemon.kill()
            agents = await playing
            await asyncio.to_thread(daemon.start)
            for part, agent in zip(parts, agents, strict=True):
                await house.hears(agent.session, words_of(*part.story))
        for agent in agents:
            await house.sees(agent.session, "closed")

    verified = await house.verify()
    assert len(verified) == len(parts)
    assert all(each.lines and not each.missing and not each.duplicates for each in verified)
    kept = board_of(house.settings.board)
    async with open_journal(house.settings) as journal:
        await rebuild(house.settings, journal, lambda done, total: None)
    assert board_of(house.settings.board) == kept


LATE_AND_TORN = (
    NO_FAULTS,
    Faults(torn_lines=True),
    Faults(drop_hooks=0.5),
    Faults(late_flush_seconds=0.5, torn_lines=True),
)


# The disk is full -------------------------------------------------------------------------------


class Bounded(MemoryJournal):
    """A journal whose disk can be full."""

    full = False

    async def append(self, facts: Sequence[Fact], marks: Sequence[Mark] = ()) -> Appended:
        if self.full:
            raise JournalFull("in memory", "no room is left")
        return await super().append(facts, marks)


async def test_what_could_not_be_kept_is_read_again_when_there_is_room(
    house: House, stage: Stage
) -> None:
    journal, place = Bounded(), house.place
    spool = SpoolReader(house.settings.spool, host="here")
    spool.open()
    registry = Registry([place.claude_dir], "here")
    transcripts = Transcripts([place.claude_dir], host="here", marks={})
    keeper = Keeper(journal, SystemClock(), spool=spool, registry=registry, transcripts=transcripts)
    agent = await stage.enter(role(house))
    await agent.play(TOOL)
    journal.full = True
    for look in (keeper.drain, keeper.ask_registry, lambda: keeper.read(agent.transcript)):
        with pytest.raises(JournalFull):
            await look()
    nothing = await journal.last()

    journal.full = False
    await keeper.look()

    kept = [recorded.fact for recorded in await journal.after(START)]
    assert nothing == START
    assert {fact.source for fact in kept} == {Source.HOOK, Source.REGISTRY, Source.TRANSCRIPT}
    spoken = [fact.what.text for fact in kept if isinstance(fact.what, AgentSpoke)]
    assert sorted(spoken) == ["I have listed.", "I have listed.", "I will list."]
    await keeper.close()


# The transcript is damaged ----------------------------------------------------------------------


async def test_half_a_line_is_read_when_it_is_whole(house: House, stage: Stage) -> None:
    agent = await written(stage, house)
    line = entry(agent.session, 1)
    async with house.up():
        append(agent.transcript, line[:100])
        await house.hears(agent.session, GREETING)
        append(agent.transcript, line[100:])
        append(agent.transcript, b"\n")

        await house.hears(agent.session, [*GREETING, *prompts(1)])
        await house.complete()
    assert house.log("line.unreadable") == []


async def test_half_a_line_is_read_by_the_next_daemon_when_it_is_whole(
    house: House, stage: Stage
) -> None:
    agent = await written(stage, house)
    line = entry(agent.session, 1)
    append(agent.transcript, line[:100])
    async with house.up():
        await house.hears(agent.session, GREETING)
    append(agent.transcript, line[100:] + b"\n")

    async with house.up():
        await house.hears(agent.session, [*GREETING, *prompts(1)])
        await house.complete()


async def test_an_agent_that_tears_every_line_is_heard_in_full(house: House, stage: Stage) -> None:
    async with house.up():
        agent = await stage.enter(role(house), Faults(torn_lines=True, drop_hooks=1.0))
        await agent.play(TOOL)

        await house.hears(agent.session, words_of(*TOOL))
        await house.sees(agent.session, "idle")
        await house.complete()


DAMAGE: dict[str, tuple[Callable[[str], bytes], tuple[int, ...]]] = {
    "a line cut off": (lambda session: entry(session, 1)[:90] + b"\n", ()),
    "a run of NULs": (lambda session: bytes(5000) + b"\n", ()),
    "NULs before a line": (lambda session: bytes(500) + entry(session, 1) + b"\n", (1,)),
    "two lines spliced": (
        lambda session: entry(session, 1) + entry(session, 2) + b"\n",
        (1, 2),
    ),
    "a torn line before a whole one": (
        lambda session: entry(session, 1)[:90] + entry(session, 2) + b"\n",
        (2,),
    ),
    "no UTF-8": (lambda session: b"\xff\xfe\x80\n", ()),
    "no JSON": (lambda session: b"[[[[{]\n", ()),
    "an unknown type": (lambda session: b'{"type":"hologram","uuid":"u-1"}\n', ()),
}


@pytest.mark.parametrize("damage", DAMAGE)
async def test_damage_in_a_transcript_costs_no_other_line(
    house: House, stage: Stage, damage: str
) -> None:
    made, readable = DAMAGE[damage]
    agent = await written(stage, house)
    async with house.up():
        append(agent.transcript, made(agent.session))
        append(agent.transcript, entry(agent.session, 9) + b"\n")

        await house.hears(agent.session, [*GREETING, *prompts(*readable, 9)])
        await house.complete()


async def test_a_file_that_shrank_is_read_again_and_nothing_is_told_twice(
    house: House, stage: Stage
) -> None:
    agent = await written(stage, house)
    whole = agent.transcript.read_bytes()
    async with house.up():
        await house.hears(agent.session, GREETING)
        half = b"".join(whole.splitlines(keepends=True)[:5])
        agent.transcript.write_bytes(half)
        append(agent.transcript, entry(agent.session, 1) + b"\n")

        await house.hears(agent.session, [*GREETING, *prompts(1)])
        await house.complete()


async def test_a_file_that_was_replaced_is_read_again_and_nothing_is_told_twice(
    house: House, stage: Stage
) -> None:
    agent = await written(stage, house)
    async with house.up():
        await house.hears(agent.session, GREETING)
        fresh = agent.transcript.with_suffix(".tmp")
        first = entry(agent.session, 1)
        fresh.write_bytes(first + b"\n" + agent.transcript.read_bytes())
        fresh.replace(agent.transcript)
        append(agent.transcript, entry(agent.session, 2) + b"\n")

        await house.hears(agent.session, [*GREETING, *prompts(1, 2)])
        await house.complete()


async def test_a_file_that_moved_to_another_project_is_the_same_session(
    house: House, stage: Stage
) -> None:
    agent = await written(stage, house)
    async with house.up():
        await house.hears(agent.session, GREETING)
        elsewhere = agent.transcript.parent.with_name("-elsewhere") / agent.transcript.name
        elsewhere.parent.mkdir()
        agent.transcript.rename(elsewhere)
        append(elsewhere, entry(agent.session, 1) + b"\n")

        await house.hears(agent.session, [*GREETING, *prompts(1)])
        await house.complete()
    assert len(house.cards()) == 1


async def test_a_deleted_file_leaves_its_turns(house: House, stage: Stage) -> None:
    agent = await written(stage, house)
    other = await stage.enter(role(house, "other"), Faults(seed=1))
    async with house.up():
        await house.hears(agent.session, GREETING)
        agent.transcript.unlink()
        await other.play(HELLO)

        await house.hears(other.session, GREETING)
        await house.hears(agent.session, GREETING)
        await house.complete()


async def test_a_sub_agent_speaks_in_a_thread_of_its_own(house: House, stage: Stage) -> None:
    story = SCENARIOS["subagent"]
    async with house.up():
        agent = await stage.enter(role(house), Faults(drop_hooks=1.0))
        await agent.play(story)
        await house.sees(agent.session, "idle")
        await house.complete()

        async def main_thread() -> list[tuple[str, str]]:
            turns = await house.turns(agent.session)
            return [(t.actor, t.text) for t in turns if t.kind == "text" and not t.thread]

        assert await main_thread() == words_of(*story)
        threads = {turn.thread for turn in await house.turns(agent.session)}
        assert len(threads) == 2
    assert len(house.cards()) == 1


# Who said what ----------------------------------------------------------------------------------


@pytest.mark.parametrize("dropped", [0.0, 0.5, 1.0])
async def test_equal_words_stay_as_many_turns_as_there_were(
    house: House, stage: Stage, dropped: float
) -> None:
    again = (Prompt("continue"), Finish("Done."))
    yes = (Prompt("yes"), Finish("Done."))
    story = (*again, *again, Prompt("ask me"), Finish("Shall I go on?"), *yes, *yes)
    async with house.up():
        agent = await stage.enter(role(house), Faults(drop_hooks=dropped, seed=5))
        await agent.play(story)

        await house.hears(agent.session, words_of(*story))
        await house.sees(agent.session, "idle")
        await house.complete()


async def test_agents_at_work_together_do_not_interfere(house: House, stage: Stage) -> None:
    parts = [
        Part(
            role(house, f"p{number}"),
            (Prompt(f"prompt {number}"), bash("ls"), Finish(f"Part {number} is done.")) * 3,
            Faults(seed=number, drop_hooks=number % 3 / 2),
        )
        for number in range(20)
    ]
    async with house.up():
        agents = await stage.play(parts)
        for part, agent in zip(parts, agents, strict=True):
            await house.hears(agent.session, words_of(*part.story))
            await house.sees(agent.session, "idle")
        await house.complete()
    assert len(house.cards()) == len(parts)


# The log tells it -------------------------------------------------------------------------------


def chain_of(house: House, cause: Json) -> list[Json]:
    """What the log says of whatever this line is about, by its correlation id alone."""
    return [line for line in house.log() if line.get("correlation") == cause["correlation"]]


ASKS = (Prompt("ask me"), Finish("Which one would you prefer?"))
LATE = Faults(late_flush_seconds=50)


async def test_the_log_leads_from_a_rejected_hook_to_the_recovered_turn(
    house: House, stage: Stage
) -> None:
    """Journey 4 of seed 001: the prompt's hook is lost, and the transcript comes late."""
    house.with_log("debug")
    async with house.up():
        agent = await stage.enter(role(house), LATE)
        with spooled_by(agent, Deaf):
            await agent.perform(ASKS[0])
        await agent.perform(ASKS[1])

        await house.sees(agent.session, "awaiting_input")
    [rejected] = house.log("transition.rejected")
    chain = chain_of(house, rejected)
    [recovered] = [line for line in chain if line["event"] == "turn.recovered"]
    [updated] = [line for line in chain if line["event"] == "turn.updated"]
    moved = [line for line in chain if line["event"] == "state.moved"]

    assert rejected["level"] == "warning"
    assert recovered["level"] == updated["level"] == moved[0]["level"] == "info"
    assert recovered["actor"] == "user"
    assert updated["turn"] == rejected["position"]
    assert moved[0]["trigger"] == "recovery"
    assert "awaiting_input" in [line["to_state"] for line in moved]
    assert chain.index(rejected) < chain.index(recovered) < chain.index(moved[0])
    before = chain[: chain.index(rejected)]
    assert [line["level"] for line in before] == ["debug"] * len(before)
    assert "fact.recorded" in [line["event"] for line in before]
    known = {turn.position for turn in await house.turns(agent.session)}
    assert {recovered["turn"], updated["turn"]} <= known


async def test_the_log_leads_from_an_unreadable_hook_to_the_recovered_turn(
    house: House, stage: Stage
) -> None:
    async with house.up():
        agent = await stage.enter(role(house), LATE)
        with spooled_by(agent, Spoiled):
            await agent.play(ASKS)

        await house.sees(agent.session, "awaiting_input")
    prompt, end = house.log("hook.unreadable")
    chain = chain_of(house, prompt)
    recovered = [line for line in chain if line["event"] == "turn.recovered"]

    assert prompt["level"] == end["level"] == "warning"
    assert prompt["session"] == end["session"] == agent.session
    assert end in chain
    assert [line["actor"] for line in recovered] == ["user", "agent"]
    assert chain.index(end) < chain.index(recovered[0])
    assert "awaiting_input" in [line.get("to_state") for line in chain]


async def test_the_log_at_info_has_no_words_and_no_debris(house: House, stage: Stage) -> None:
    async with house.up():
        agent = await stage.enter(role(house), Faults(drop_hooks=0.6, seed=2))
        await agent.play(TOOL * 3)
        await house.hears(agent.session, words_of(*TOOL * 3))
        await house.sees(agent.session, "idle")
    lines = house.log()
    assert "turn.recovered" in {line["event"] for line in lines}
    assert {line["level"] for line in lines} <= {"info", "warning"}
    assert {line["event"] for line in lines} <= set(EVENTS)
    assert "I have listed" not in house.settings.log.read_text()


class Deaf(Spool):
    """A spool nothing reaches."""

    def hear(self, payload: dict[str, object], at: Moment) -> None:
        pass


class Spoiled(Spool):
    """A spool in which every payload was cut short, some time ago, as by a killed hook."""

    def hear(self, payload: dict[str, object], at: Moment) -> None:
        half = self._folder / f"{payload['session_id']}.{at}.half"
        half.write_bytes(encode(payload)[:-10])
        before = at * 1000 - 10_000_000_000
        os.utime(half, ns=(before, before))
        half.rename(half.with_suffix(".jsonl"))


@contextmanager
def spooled_by(agent: ScriptedAgent, kind: type[Spool]) -> Iterator[None]:
    own = agent._body._spool
    agent._body._spool = kind(agent._body.place.data / "spool", random.Random(0))
    yield
    agent._body._spool = own
