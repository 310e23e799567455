"""What every journal promises, asked of every engine."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Iterable
from pathlib import Path

import pytest

from turnkeeper.errors import FactUnreadable, JournalUnavailable
from turnkeeper.facts.fact import START, Fact, Moment, Position, Recorded, Source
from turnkeeper.facts.kinds import AgentSpoke, PromptSubmitted, ToolStarted, Usage, What
from turnkeeper.journal.memory import MemoryJournal
from turnkeeper.journal.sql import SqlJournal
from turnkeeper.ports import Appended, Journal, Mark

ENGINES = ("memory", "sqlite")


async def opened(engine: str, folder: Path) -> Journal:
    if engine == "memory":
        return MemoryJournal()
    return await SqlJournal.open(folder / "journal.db")


@pytest.fixture(params=ENGINES)
async def journal(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Journal]:
    journal = await opened(request.param, tmp_path)
    yield journal
    await journal.close()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "journal.db"


def said(key: str, text: str = "hello", session: str = "ada") -> Fact:
    return Fact(key, session, Source.HOOK, Moment(1), Moment(2), PromptSubmitted(text))


def keys(facts: Iterable[Recorded]) -> list[str]:
    return [recorded.fact.key for recorded in facts]


async def test_an_empty_journal_stands_at_zero(journal: Journal) -> None:
    assert await journal.last() == START
    assert await journal.after(START) == []
    assert await journal.marks() == {}


async def test_what_was_appended_is_read_back_as_it_was(journal: Journal) -> None:
    what: tuple[What, ...] = (
        PromptSubmitted("Grüße, 世界 🎈", prompt="p1"),
        AgentSpoke("done", final=True, usage=Usage("m1", input=3)),
        ToolStarted("Bash", "call-1"),
    )
    facts = [
        Fact(f"k{nth}", "ada", source, Moment(-5), Moment(2**60), word, f"thread{nth}", "host")
        for nth, (source, word) in enumerate(zip(Source, what, strict=False))
    ]

    await journal.append(facts)

    assert [recorded.fact for recorded in await journal.after(START)] == facts


async def test_positions_start_at_one_and_leave_no_gap(journal: Journal) -> None:
    first = await journal.append([said("a"), said("b")])
    second = await journal.append([said("c")])

    assert first == Appended((Position(1), Position(2)), (True, True))
    assert second == Appended((Position(3),), (True,))
    assert await journal.last() == 3


async def test_a_known_key_keeps_its_position_and_its_words(journal: Journal) -> None:
    await journal.append([said("a", "first"), said("b")])

    again = await journal.append([said("c"), said("a", "second"), said("d")])

    assert again == Appended((Position(3), Position(1), Position(4)), (True, False, True))
    (kept,) = await journal.at([Position(1)])
    assert kept.fact == said("a", "first")


async def test_a_key_said_twice_in_one_append_is_written_once(journal: Journal) -> None:
    appended = await journal.append([said("a"), said("a"), said("b")])

    assert appended == Appended((Position(1), Position(1), Position(2)), (True, False, True))


async def test_of_many_who_say_the_same_at_once_exactly_one_was_first(journal: Journal) -> None:
    answers = await asyncio.gather(*(journal.append([said("a")]) for _ in range(50)))

    assert [answer.new for answer in answers].count((True,)) == 1
    assert {answer.positions for answer in answers} == {(Position(1),)}


async def test_many_writers_at_once_fill_the_journal_without_a_gap(journal: Journal) -> None:
    async def write(writer: int) -> None:
        for nth in range(20):
            await journal.append([said(f"{writer}-{nth}")])

    await asyncio.gather(*(write(writer) for writer in range(30)))

    facts = await journal.after(START)
    assert [recorded.position for recorded in facts] == list(range(1, 601))
    assert set(keys(facts)) == {f"{writer}-{nth}" for writer in range(30) for nth in range(20)}


async def test_one_append_of_thousands_is_one_append(journal: Journal) -> None:
    facts = [said(str(nth)) for nth in range(3000)]

    await journal.append(facts[::2])
    appended = await journal.append(facts)

    assert sum(appended.new) == 1500
    assert await journal.last() == 3000


async def test_appending_nothing_changes_nothing(journal: Journal) -> None:
    assert await journal.append([]) == Appended((), ())
    assert await journal.last() == START


async def test_reading_stops_at_the_limit_and_goes_on_from_there(journal: Journal) -> None:
    await journal.append([said(key) for key in "abcde"])

    assert keys(await journal.after(START, limit=2)) == ["a", "b"]
    assert keys(await journal.after(Position(2), limit=2)) == ["c", "d"]
    assert keys(await journal.after(Position(9))) == []


async def test_facts_are_found_by_position(journal: Journal) -> None:
    await journal.append([said(key) for key in "abcde"])

    found = await journal.at([Position(4), Position(99), Position(2), Position(4), Position(0)])

    assert keys(found) == ["b", "d"]


async def test_facts_are_found_by_session(journal: Journal) -> None:
    sessions = ("ada", "bob", "ada", "", "ada")
    facts = [said(str(nth), session=session) for nth, session in enumerate(sessions)]
    await journal.append(facts)

    assert keys(await journal.of_session("ada")) == ["0", "2", "4"]
    assert keys(await journal.of_session("ada", after=Position(1), limit=1)) == ["2"]
    assert keys(await journal.of_session("")) == ["3"]
    assert keys(await journal.of_session("nobody")) == []


async def test_a_session_asked_for_before_it_spoke_is_found_afterwards(journal: Journal) -> None:
    assert await journal.of_session("ada") == []

    await journal.append([said("a")])

    assert keys(await journal.of_session("ada")) == ["a"]


async def test_a_reader_never_sees_half_an_append(journal: Journal) -> None:
    async def write_pairs() -> None:
        for nth in range(50):
            await journal.append([said(f"{nth}-left"), said(f"{nth}-right")])

    async def read() -> list[int]:
        return [len(await journal.after(START)) for _ in range(50)]

    seen, _ = await asyncio.gather(read(), write_pairs())

    assert all(count % 2 == 0 for count in seen)


async def test_a_follower_hears_the_past_and_then_the_present(journal: Journal) -> None:
    await journal.append([said("a"), said("b")])
    follower = journal.follow(Position(1))

    assert keys(await anext(follower)) == ["b"]
    waiting = asyncio.ensure_future(anext(follower))
    await journal.append([said("c")])
    assert keys(await waiting) == ["c"]


async def test_a_follower_never_skips_a_position(journal: Journal) -> None:
    async def write(writer: int) -> None:
        for nth in range(25):
            await journal.append([said(f"{writer}-{nth}")])

    writing = asyncio.gather(*(write(writer) for writer in range(20)))
    heard: list[Position] = []
    async for batch in journal.follow(START):
        assert batch
        heard += [recorded.position for recorded in batch]
        if len(heard) >= 500:
            break
    await writing

    assert heard == list(range(1, 501))


async def test_a_repeated_fact_is_not_news_to_a_follower(journal: Journal) -> None:
    await journal.append([said("a")])
    follower = journal.follow(Position(1))
    waiting = asyncio.ensure_future(anext(follower))

    await journal.append([said("a")])
    await journal.append([said("b")])

    assert keys(await waiting) == ["b"]


async def test_closing_ends_the_followers(journal: Journal) -> None:
    async def listen() -> list[str]:
        return [key async for batch in journal.follow(START) for key in keys(batch)]

    await journal.append([said("a")])
    listening = [asyncio.create_task(listen()) for _ in range(3)]
    assert keys(await anext(journal.follow(START))) == ["a"]

    await journal.close()

    for heard in await asyncio.gather(*listening):
        assert heard in (["a"], [])


async def test_a_closed_journal_says_so(journal: Journal) -> None:
    await journal.close()

    for attempt in (journal.append([said("a")]), journal.after(START), journal.last()):
        with pytest.raises(JournalUnavailable, match="closed"):
            await attempt


async def test_marks_are_kept_and_the_newest_of_a_name_counts(journal: Journal) -> None:
    await journal.append([said("a")], [Mark("one", 10), Mark("two", 5, inode=7, memo="p1")])
    await journal.append([], [Mark("one", 20), Mark("one", 30)])

    assert await journal.marks() == {
        "one": Mark("one", 30),
        "two": Mark("two", 5, inode=7, memo="p1"),
    }


async def test_a_mark_may_name_any_file_a_disk_can_hold(journal: Journal) -> None:
    odd = Mark("/home/\udcff\udc80/a\nb", 2**40, inode=2**64 - 1, memo="\ud800\0")

    await journal.append([], [odd])

    assert await journal.marks() == {odd.name: odd}


async def test_an_append_with_a_bad_fact_leaves_neither_facts_nor_marks(journal: Journal) -> None:
    bad = Fact("b", "ada", Source.HOOK, Moment(1), Moment(2), PromptSubmitted(5))  # type: ignore[arg-type]

    with pytest.raises(FactUnreadable):
        await journal.append([said("a"), bad], [Mark("one", 1)])

    assert await journal.last() == START
    assert await journal.marks() == {}


async def test_a_bad_fact_fails_alone(journal: Journal) -> None:
    bad = said("")
    attempts = [journal.append([fact]) for fact in (said("a"), bad, said("b"))]

    answers = await asyncio.gather(*attempts, return_exceptions=True)

    assert isinstance(answers[1], FactUnreadable)
    assert keys(await journal.after(START)) == ["a", "b"]


async def test_what_was_appended_outlives_the_process_that_wrote_it(file: Path) -> None:
    first = await SqlJournal.open(file)
    await first.append([said("a")], [Mark("one", 1)])
    await first.close()

    second = await SqlJournal.open(f"sqlite:///{file}")

    assert keys(await second.after(START)) == ["a"]
    assert keys(await second.of_session("ada")) == ["a"]
    assert await second.marks() == {"one": Mark("one", 1)}
    assert (await second.append([said("a"), said("b")])).positions == (1, 2)
    await second.close()


async def test_closing_writes_what_still_waits(file: Path) -> None:
    journal = await SqlJournal.open(file)
    waiting = [asyncio.create_task(journal.append([said(str(nth))])) for nth in range(200)]
    await asyncio.sleep(0)

    await journal.close()

    assert [answer.new for answer in await asyncio.gather(*waiting)] == [(True,)] * 200


async def test_two_programs_may_write_the_same_journal(file: Path) -> None:
    one, other = await SqlJournal.open(file), await SqlJournal.open(file)

    async def write(journal: Journal, name: str) -> None:
        for nth in range(40):
            await journal.append([said(f"{name}-{nth}", session=name), said(f"shared-{nth}")])

    await asyncio.gather(write(one, "one"), write(other, "other"))

    facts = await one.after(START)
    assert [recorded.position for recorded in facts] == list(range(1, 121))
    assert keys(await other.of_session("one")) == [f"one-{nth}" for nth in range(40)]
    await one.close()
    await other.close()


async def test_a_follower_hears_what_another_program_writes(file: Path) -> None:
    here, there = await SqlJournal.open(file), await SqlJournal.open(file)
    waiting = asyncio.ensure_future(anext(here.follow(START)))

    await there.append([said("a")])

    assert keys(await waiting) == ["a"]
    await here.close()
    await there.close()


def test_a_loop_that_ended_before_its_append_was_told_harms_nothing(file: Path) -> None:
    async def leave_in_a_hurry() -> SqlJournal:
        journal = await SqlJournal.open(file)
        asyncio.ensure_future(journal.append([said("a")])).add_done_callback(lambda _: None)
        await asyncio.sleep(0)
        return journal

    async def come_back(journal: SqlJournal) -> list[str]:
        appended = await journal.append([said("b")])
        found = await journal.at([Position(1), *appended.positions])
        await journal.close()
        return keys(found)

    journal = asyncio.run(leave_in_a_hurry())

    assert asyncio.run(come_back(journal)) == ["a", "b"]


@pytest.mark.parametrize(
    "attempt",
    [
        "UPDATE fact SET payload = x'00'",
        "DELETE FROM fact",
        "INSERT OR REPLACE INTO fact SELECT position, 'other', session, thread, host, source,"
        " kind, happened_at, heard_at, payload FROM fact",
        "INSERT OR REPLACE INTO fact SELECT 99, key, session, thread, host, source,"
        " kind, happened_at, heard_at, payload FROM fact",
        "UPDATE name SET text = 'eve'",
        "DELETE FROM name",
    ],
)
async def test_the_database_itself_refuses_to_change_the_log(file: Path, attempt: str) -> None:
    journal = await SqlJournal.open(file)
    await journal.append([said("a")])

    stranger = sqlite3.connect(file)
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        stranger.execute(attempt)
    stranger.close()

    assert [recorded.fact for recorded in await journal.after(START)] == [said("a")]
    await journal.close()


async def test_nobody_but_its_owner_may_read_the_file(file: Path) -> None:
    journal = await SqlJournal.open(file)
    await journal.append([said("a")])

    modes = {found.name: found.stat().st_mode & 0o777 for found in file.parent.iterdir()}

    assert modes == {f"journal.db{ending}": 0o600 for ending in ("", "-wal", "-shm")}
    await journal.close()


def test_a_file_that_others_could_read_is_closed_to_them(file: Path) -> None:
    async def open_and_close() -> None:
        await (await SqlJournal.open(file)).close()

    file.touch(mode=0o644)

    asyncio.run(open_and_close())

    assert file.stat().st_mode & 0o777 == 0o600


async def test_every_commit_is_synced(file: Path) -> None:
    journal = await SqlJournal.open(file)

    with journal._store.engine.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2

    await journal.close()
