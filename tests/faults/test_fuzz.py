"""Whatever stands in a transcript, a spool or a registry: nobody stops, and what comes later
counts.

Ten thousand and some cases, most of them against the readers alone; some go through a daemon.
"""

import json
import random
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.lab.house import House, until
from turnkeeper.facts.fact import Fact, Moment, Position, Recorded
from turnkeeper.facts.kinds import ClientReported, PromptSubmitted, SessionSeen
from turnkeeper.journal.entry import seal, unseal
from turnkeeper.ports import Mark
from turnkeeper.projections.board import Board
from turnkeeper.sources.registry import Registry
from turnkeeper.sources.spool import Spool, in_order
from turnkeeper.sources.transcripts import Transcripts

SESSION = "0f0f0f0f-0000-4000-8000-000000000001"
NOW = Moment(1_794_830_400_000_000)
LATER = Moment(NOW + 10**15)
"""So late that nothing in a spool is still being written."""

RECORDING = Path(__file__).parents[1] / "recordings" / "2.1.325" / "tool_call"


def cases(tens: int) -> settings:
    """So many times ten cases."""
    return settings(
        max_examples=tens,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )


def recorded_lines() -> list[bytes]:
    [transcript] = RECORDING.glob("transcripts/*/*.jsonl")
    return transcript.read_bytes().splitlines()


def recorded_hooks() -> list[bytes]:
    rows = map(json.loads, (RECORDING / "hooks.jsonl").read_text().splitlines())
    return [json.dumps(row["payload"] | {"session_id": SESSION}).encode() for row in rows]


def recorded_entries() -> list[bytes]:
    rows = map(json.loads, (RECORDING / "registry.jsonl").read_text().splitlines())
    return [json.dumps(row["entry"]).encode() for row in rows if row["entry"]]


LINES, HOOKS, ENTRIES = recorded_lines(), recorded_hooks(), recorded_entries()

# Damage -----------------------------------------------------------------------------------------

NASTY = (
    *(b"", b"\0", b"\0" * 300, b"\r", b"\xff\xfe", b"\xed\xa0\x80", b"\\ud83d", b"}{", b"[[[["),
    *(b"null", b"1e999", b"-0", b'"', b"\\", b"{}", b'{"type":"user"}', b"9" * 400),
)
chances = st.integers(0, 2**64).map(random.Random)
"""Ten cases are drawn from each: drawing them one by one takes longer than reading them."""

CASES = range(10)


def scrap(chance: random.Random) -> bytes:
    return chance.choice((chance.choice(NASTY), chance.randbytes(chance.randrange(12))))


def damaged(chance: random.Random, good: list[bytes]) -> bytes:
    """One of these with pieces cut out and others put in, or as it is, or nothing of the kind."""
    raw = scrap(chance) if chance.random() < 0.1 else chance.choice(good)
    for _ in range(chance.choice((0, 1, 1, 2, 3))):
        begin = chance.randint(0, len(raw))
        end = begin + round(chance.random() ** 3 * (len(raw) - begin))
        raw = raw[:begin] + scrap(chance) + raw[end:]
    return raw


def some(chance: random.Random, good: list[bytes], most: int = 5) -> list[bytes]:
    return [damaged(chance, good) for _ in range(chance.randrange(most))]


def some_lines(chance: random.Random) -> list[bytes]:
    return [line.replace(b"\n", b" ") for line in some(chance, LINES)]


# A place to read from ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def ground() -> Iterator[Path]:
    """In memory where there is such a place: thousands of small files are made here."""
    memory = Path("/dev/shm")
    root = Path(tempfile.mkdtemp(prefix="tk-fuzz-", dir=memory if memory.is_dir() else None))
    yield root
    shutil.rmtree(root)


@contextmanager
def empty(folder: Path) -> Iterator[Path]:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    yield folder


def sentinel(number: int) -> bytes:
    line = {
        "type": "user",
        "uuid": f"sentinel-{number}",
        "timestamp": "2026-11-16T12:00:00.000Z",
        "message": {"role": "user", "content": f"sentinel {number}"},
        "sessionId": SESSION,
    }
    return json.dumps(line).encode()


LATE_PROMPT = (
    f'{{"session_id":"{SESSION}","hook_event_name":"UserPromptSubmit","prompt":"later"}}\n'
).encode()


def prompts(facts: list[Fact]) -> list[str]:
    return [fact.what.text for fact in facts if isinstance(fact.what, PromptSubmitted)]


def take_all(facts: list[Fact]) -> None:
    """Every fact can be written, read back and folded."""
    board = Board()
    for number, fact in enumerate(facts, 1):
        board.take(Recorded(Position(number), unseal(seal(fact))))


def read_on(transcripts: Transcripts, file: Path) -> tuple[list[Fact], list[Mark]]:
    facts, marks = [], []
    while (piece := transcripts.read(file, NOW)) is not None:
        facts += piece.facts
        marks.append(piece.mark)
    return facts, marks


# The cases --------------------------------------------------------------------------------------


@cases(400)
@given(chances)
def test_every_line_of_a_damaged_transcript_is_kept_and_the_next_is_read(
    ground: Path, chance: random.Random
) -> None:
    for _ in CASES:
        written = some_lines(chance)
        mixed = [each for n, line in enumerate(written) for each in (line, sentinel(n))]
        with empty(ground / "projects" / "-p") as folder:
            file = folder / f"{SESSION}.jsonl"
            file.write_bytes(b"".join(line + b"\n" for line in mixed))
            facts, _ = read_on(Transcripts([ground], host="", marks={}), file)

        heard = [text for text in prompts(facts) if text.startswith("sentinel")]
        assert heard == [f"sentinel {n}" for n in range(len(written))], written
        assert len(facts) >= sum(bool(line.strip()) for line in mixed), written
        take_all(facts)


@cases(150)
@given(chances)
def test_a_transcript_read_in_pieces_and_lives_is_the_same_transcript(
    ground: Path, chance: random.Random
) -> None:
    for _ in CASES:
        written = some_lines(chance)
        raw = b"".join(line + b"\n" for line in [*written, *written, sentinel(0)])
        stops = sorted(chance.randint(0, len(raw)) for _ in range(chance.randrange(4)))
        with empty(ground / "projects" / "-p") as folder:
            whole, growing = folder / f"{SESSION}.jsonl", folder / "grows" / f"{SESSION}.jsonl"
            whole.write_bytes(raw)
            at_once, _ = read_on(Transcripts([ground], host="", marks={}), whole)
            growing.parent.mkdir()
            in_pieces = list(lives(growing, raw, [*stops, len(raw)], ground, chance))

        assert keys(in_pieces) == keys(at_once), (written, stops)


def lives(
    file: Path, raw: bytes, stops: list[int], ground: Path, chance: random.Random
) -> Iterator[Fact]:
    """Read a file as it grows; now and then the reader dies, and another goes on by its marks."""
    marks: dict[str, Mark] = {}
    transcripts = Transcripts([ground], host="", marks=marks)
    for start, end in pairwise([0, *stops]):
        append(file, raw[start:end])
        facts, told = read_on(transcripts, file)
        yield from facts
        marks |= {mark.name: mark for mark in told}
        if chance.random() < 0.5:
            transcripts = Transcripts([ground], host="", marks=marks)


def keys(facts: list[Fact]) -> set[str]:
    """What was read; where a session lives names the file, which is another one here."""
    return {fact.key for fact in facts if not isinstance(fact.what, SessionSeen)}


@cases(200)
@given(chances)
def test_a_damaged_spool_is_emptied_and_the_next_payload_is_heard(
    ground: Path, chance: random.Random
) -> None:
    for _ in CASES:
        with empty(ground / "spool") as folder:
            spool = Spool(folder, host="here")
            spool.open()
            for number in range(3):
                file = folder / f"{SESSION}.{number}.jsonl"
                file.write_bytes(chance.choice((b"\n", b"")).join(some(chance, HOOKS, 3)))
            taken = spool.take(LATER)
            emptied = [spool.discard(each) for each in taken]
            (folder / f"{SESSION}.9.jsonl").write_bytes(LATE_PROMPT)
            later = in_order(spool.take(LATER))

        facts = in_order(taken)
        assert emptied == [True] * 3
        assert prompts(later) == ["later"]
        assert len({fact.key for fact in facts}) == len(facts)
        take_all(facts)


@cases(300)
@given(chances)
def test_a_damaged_registry_is_looked_at_again_and_the_next_entry_counts(
    ground: Path, chance: random.Random
) -> None:
    whole = {"pid": 77, "sessionId": SESSION, "status": "idle", "updatedAt": 1}
    for _ in CASES:
        with empty(ground / "sessions") as folder:
            registry, facts = Registry([ground], "here"), []
            for entry in some(chance, ENTRIES):
                (folder / "77.json").write_bytes(entry)
                facts += registry.look(NOW)
            (folder / "77.json").write_bytes(json.dumps(whole).encode())
            later = registry.look(NOW)

        reported = [fact.session for fact in later if isinstance(fact.what, ClientReported)]
        assert reported == [SESSION]
        take_all([*facts, *later])


# Through a daemon -------------------------------------------------------------------------------

ROUNDS = 60


async def test_a_daemon_fed_with_rubbish_from_every_side_goes_on(tmp_path: Path) -> None:
    house, chance = House(tmp_path), random.Random(3)
    transcript = house.place.claude_dir / "projects" / "-p" / f"{SESSION}.jsonl"
    transcript.parent.mkdir()
    spool, sessions = house.place.data / "spool", house.place.claude_dir / "sessions"
    writes: list[Callable[[int], object]] = [
        lambda n: append(transcript, damaged(chance, LINES) + b"\n" + sentinel(n) + b"\n"),
        lambda n: (spool / f"{SESSION}.{n}.jsonl").write_bytes(damaged(chance, HOOKS)),
        lambda n: (sessions / f"{900_000 + n % 7}.json").write_bytes(damaged(chance, ENTRIES)),
    ]
    async with house.up():
        for number in range(ROUNDS):
            for write in writes:
                write(number)
        (spool / f"{SESSION}.x.jsonl").write_bytes(LATE_PROMPT)
        wanted = {f"sentinel {number}" for number in range(ROUNDS)} | {"later"}
        heard: set[str] = set()
        while not wanted <= heard:
            await until(lambda: house.card(SESSION), "an agent", house.log)
            heard = {text for actor, text in await house.words(SESSION) if actor == "user"}
        await house.complete()
    assert house.log("task.failed") == []
    assert house.log("interpretation.failed") == []


def append(file: Path, raw: bytes) -> None:
    with file.open("ab", buffering=0) as transcript:
        transcript.write(raw)
