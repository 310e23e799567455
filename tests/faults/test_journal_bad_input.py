"""Bad input and bad disks get a sentence that names the file, and nothing is lost."""

import asyncio
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from turnkeeper.errors import (
    FactUnreadable,
    FolderUnusable,
    JournalCorrupt,
    JournalLocked,
    JournalUnavailable,
)
from turnkeeper.facts.fact import START, Fact, Moment, Position, Source
from turnkeeper.facts.kinds import AgentSpoke, PromptSubmitted, ToolStarted, Usage
from turnkeeper.journal.memory import MemoryJournal
from turnkeeper.journal.sql import SqlJournal
from turnkeeper.ports import Journal, Mark

SOURCES = Path(__file__).parents[2] / "src"

CHILD = """
import asyncio, os, resource, sys
from pathlib import Path
from turnkeeper.errors import TurnkeeperError
from turnkeeper.facts.fact import START, Fact, Moment, Source
from turnkeeper.facts.kinds import PromptSubmitted
from turnkeeper.journal.sql import SqlJournal

def said(key, size=10):
    return Fact(key, "ada", Source.HOOK, Moment(1), Moment(2), PromptSubmitted("x" * size))

async def fill(journal, size):
    written = 0
    while written < 1000:
        try:
            await journal.append([said(f"fill-{written}", size)])
        except TurnkeeperError as error:
            print(type(error).__name__, error)
            return written
        written += 1

async def main(file):
"""

FULL_DISK = """
    ballast = file.parent / "ballast"
    ballast.write_bytes(bytes(1 << 20))
    journal = await SqlJournal.open(file)
    written = await fill(journal, 50_000)
    group = [said("small-1"), said("big", 3_000_000), said("small-2")]
    ballast.unlink()
    answers = await asyncio.gather(
        *(journal.append([fact]) for fact in group), return_exceptions=True
    )
    print(*(type(answer).__name__ for answer in answers))
    keys = [recorded.fact.key for recorded in await journal.after(START)]
    print(keys == [*(f"fill-{nth}" for nth in range(written)), "small-1", "small-2"])
    await journal.close()

asyncio.run(main(Path(sys.argv[1])))
"""

SMALL_FILES = """
    journal = await SqlJournal.open(file)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, resource.RLIM_INFINITY))
    written = await fill(journal, 50_000)
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    await journal.append([said("afterwards")])
    keys = [recorded.fact.key for recorded in await journal.after(START)]
    print(keys == [*(f"fill-{nth}" for nth in range(written)), "afterwards"])
    await journal.close()

asyncio.run(main(Path(sys.argv[1])))
"""

AS_NOBODY = """
    try:
        journal = await SqlJournal.open(file)
        await journal.append([said("a")])
    except TurnkeeperError as error:
        print(type(error).__name__, error)

if os.geteuid() == 0:
    os.setuid(65534)
asyncio.run(main(Path(sys.argv[1])))
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "journal.db"


@pytest.fixture(params=["memory", "sqlite"])
async def journal(request: pytest.FixtureRequest, file: Path) -> AsyncIterator[Journal]:
    journal = MemoryJournal() if request.param == "memory" else await SqlJournal.open(file)
    yield journal
    await journal.close()


@pytest.fixture
def shared_folder() -> Iterator[Path]:
    """A folder that other users can reach, which pytest's own are not."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        yield folder
        folder.chmod(0o700)


def said(key: str, text: str = "hello", session: str = "ada") -> Fact:
    return Fact(key, session, Source.HOOK, Moment(1), Moment(2), PromptSubmitted(text))


def child(program: str, file: Path, *before: str) -> list[str]:
    """Run this, and say what it said. It must not have met anything it could not explain."""
    done = subprocess.run(
        [*before, sys.executable, "-c", CHILD + program, str(file)],
        env=os.environ | {"PYTHONPATH": str(SOURCES)},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


def written(file: Path, *facts: Fact) -> None:
    async def write() -> None:
        journal = await SqlJournal.open(file)
        await journal.append(facts)
        await journal.close()

    asyncio.run(write())


async def read(file: Path) -> list[Fact]:
    journal = await SqlJournal.open(file)
    try:
        return [recorded.fact for recorded in await journal.after(START)]
    finally:
        await journal.close()


WRONG: dict[str, object] = {
    "no fact": "hello",
    "nothing": None,
    "no key": said(""),
    "a key of NUL": said("a\0b"),
    "a key of half a letter": said("a\ud800"),
    "a number as key": msgspec.structs.replace(said("a"), key=5),
    "a number as session": msgspec.structs.replace(said("a"), session=5),
    "a text as time": msgspec.structs.replace(said("a"), happened_at="today"),
    "a time beyond time": msgspec.structs.replace(said("a"), heard_at=2**64),
    "an unknown source": msgspec.structs.replace(said("a"), source="rumour"),
    "a list as source": msgspec.structs.replace(said("a"), source=[]),
    "no word": msgspec.structs.replace(said("a"), what="hello"),
    "a number as text": said("a", text=5),  # type: ignore[arg-type]
    "raw input that is no JSON": msgspec.structs.replace(
        said("a"), what=ToolStarted("Bash", "c", input=msgspec.Raw(b"{oops"))
    ),
}


@pytest.mark.parametrize("wrong", WRONG)
async def test_a_wrong_fact_is_refused_with_a_sentence(journal: Journal, wrong: str) -> None:
    with pytest.raises(FactUnreadable, match="A fact cannot be read: "):
        await journal.append([said("before"), WRONG[wrong]])  # type: ignore[list-item]

    assert await journal.last() == START


@pytest.mark.parametrize("wrong", ["mark", Mark(5, 1), Mark("a", 2**63), Mark("a", 1, inode=-1)])  # type: ignore[arg-type]
async def test_a_wrong_mark_is_refused_with_a_sentence(journal: Journal, wrong: Mark) -> None:
    with pytest.raises(FactUnreadable):
        await journal.append([said("a")], [wrong])

    assert await journal.last() == START


async def test_ten_megabytes_are_a_text_like_any_other(journal: Journal) -> None:
    long = said("long", "ä" * 5_000_000)

    await journal.append([long])

    (kept,) = await journal.after(START)
    assert kept.fact == long


async def test_a_text_with_nul_is_kept_as_it_is(journal: Journal) -> None:
    await journal.append([said("a", "one\0two")])

    (kept,) = await journal.after(START)
    assert kept.fact == said("a", "one\0two")


async def test_half_letters_are_replaced_and_the_fact_is_kept(journal: Journal) -> None:
    await journal.append([said("a", "one\ud800two", session="\ud800\0")])

    (kept,) = await journal.of_session("\ud800\0")
    assert kept.fact == said("a", "one?two", session="?\N{REPLACEMENT CHARACTER}")


async def test_half_letters_deep_inside_a_fact_are_replaced_too(journal: Journal) -> None:
    spoke = AgentSpoke("a", usage=Usage("m\ud800"))

    await journal.append([msgspec.structs.replace(said("a"), what=spoke)])

    (kept,) = await journal.after(START)
    assert kept.fact.what == AgentSpoke("a", usage=Usage("m?"))


async def test_a_kind_nobody_knows_is_named_with_its_place(file: Path) -> None:
    journal = await SqlJournal.open(file)
    await journal.append([said("a"), said("b")])
    with closing(sqlite3.connect(file)) as newer, newer:
        newer.execute("INSERT INTO name (text) VALUES ('martian')")
        newer.execute(
            "INSERT INTO fact SELECT 3, 'c', session, thread, host, source,"
            " (SELECT id FROM name WHERE text = 'martian'), 1, 1, ? FROM fact LIMIT 1",
            (b'{"kind":"martian"}',),
        )

    with pytest.raises(FactUnreadable) as refusal:
        await journal.after(START)

    assert f"position 3 of {file} holds 'martian'" in str(refusal.value)
    assert len(await journal.after(START, limit=2)) == 2
    assert await journal.last() == 3
    await journal.close()


async def test_a_locked_journal_is_named_and_taken_up_again(file: Path) -> None:
    journal = await SqlJournal.open(file, patience=0.05)
    await journal.append([said("a")])
    holder = sqlite3.connect(file, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")

    attempts = (journal.append([said(key)]) for key in "bcd")
    refusals = await asyncio.gather(*attempts, return_exceptions=True)

    assert [type(refusal) for refusal in refusals] == [JournalLocked] * 3
    assert str(file) in str(refusals[0])
    assert [recorded.fact.key for recorded in await journal.after(START)] == ["a"]
    holder.close()
    assert (await journal.append([said("b")])).positions == (Position(2),)
    await journal.close()


def test_a_file_that_is_no_database_is_named_and_kept(file: Path) -> None:
    file.write_bytes(b"these are my notes, not a database " * 300)
    before = file.read_bytes()

    with pytest.raises(JournalCorrupt, match="it is not a database") as refusal:
        asyncio.run(read(file))

    assert str(file) in str(refusal.value)
    assert file.read_bytes() == before


def test_a_damaged_journal_is_named_and_kept(file: Path) -> None:
    written(file, *(said(str(nth), "word " * 100) for nth in range(500)))
    whole = file.read_bytes()
    damaged = whole[:40_960] + b"\xa5" * (len(whole) - 40_960)
    file.write_bytes(damaged)

    with pytest.raises(JournalCorrupt, match="damaged") as refusal:
        asyncio.run(read(file))

    assert str(file) in str(refusal.value)
    assert file.read_bytes() == damaged


def test_a_folder_in_the_way_is_named(tmp_path: Path) -> None:
    with pytest.raises(JournalUnavailable, match=str(tmp_path)):
        asyncio.run(read(tmp_path))


def test_a_file_where_the_folder_should_be_is_named(file: Path) -> None:
    file.touch()

    with pytest.raises(FolderUnusable, match=str(file)):
        asyncio.run(read(file / "journal.db"))


def test_another_kind_of_database_is_refused() -> None:
    with pytest.raises(JournalUnavailable, match="only sqlite"):
        asyncio.run(SqlJournal.open("oracle://somewhere/else"))


def test_a_read_only_folder_is_explained(shared_folder: Path) -> None:
    shared_folder.chmod(0o555)

    (line,) = child(AS_NOBODY, shared_folder / "journal.db")

    assert line.startswith(f"JournalUnavailable The journal {shared_folder / 'journal.db'} cannot")


def test_a_journal_that_may_only_be_read_is_explained_and_kept(shared_folder: Path) -> None:
    file = shared_folder / "journal.db"
    written(file, said("a"))
    file.chmod(0o444)
    shared_folder.chmod(0o555)

    (line,) = child(AS_NOBODY, file)

    assert line.startswith(f"JournalUnavailable The journal {file} cannot be used: it")
    shared_folder.chmod(0o755)
    assert asyncio.run(read(file)) == [said("a")]


def test_a_file_that_may_not_grow_loses_nothing_and_goes_on_later(file: Path) -> None:
    refusal, kept = child(SMALL_FILES, file)

    assert f"The journal {file} cannot be used: " in refusal
    assert kept == "True"


def may_mount() -> bool:
    unshare = shutil.which("unshare")
    return (
        unshare is not None and not subprocess.run([unshare, "-rm", "true"], check=False).returncode
    )


@pytest.mark.skipif(not may_mount(), reason="needs `unshare -rm` (util-linux) for a small disk")
def test_a_full_disk_loses_nothing_and_fails_only_what_does_not_fit(tmp_path: Path) -> None:
    small = f'mount -t tmpfs -o size=3m tmpfs {tmp_path} && exec "$@"'

    refusal, answers, kept = child(
        FULL_DISK, tmp_path / "journal.db", "unshare", "-rm", "sh", "-c", small, "sh"
    )

    assert refusal == (
        f"JournalFull The journal {tmp_path / 'journal.db'} cannot be used: "
        "no room is left on its disk"
    )
    assert answers == "Appended JournalFull Appended"
    assert kept == "True"
