"""What is counted is counted once: tokens per answer, and lines nobody has seen before."""

import json
import sqlite3
from contextlib import closing
from itertools import permutations
from pathlib import Path

import pytest

from turnkeeper.desk.verify import tally
from turnkeeper.facts.fact import Fact, Moment, Position, Recorded, Source
from turnkeeper.facts.kinds import AgentSpoke, Usage
from turnkeeper.journal.board_store import BoardStore
from turnkeeper.journal.memory import MemoryJournal
from turnkeeper.projections.board import Board
from turnkeeper.sources.transcripts import Transcripts

ADA, FORK = "11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"
RECORDED = Path(__file__).parents[1] / "recordings"


def spoke(session: str, number: int, output: int, request: str = "req") -> Recorded:
    usage = Usage("msg", request, "model", input=100, output=output)
    said = AgentSpoke(f"part {number}", entry=f"e{number}", message="msg", usage=usage)
    at = Moment(number)
    fact = Fact(f"k{number}", session, Source.TRANSCRIPT, at, at, said)
    return Recorded(Position(number), fact)


def spent(file: Path, told: list[Recorded]) -> list[tuple[str, int]]:
    """Save these one batch each, as a daemon might, and read what the board counts."""
    store, board = BoardStore(file), Board()
    for recorded in told:
        folded = board.take(recorded)
        assert folded is not None
        store.save([folded], board.directory, recorded.position)
    store.close()
    with closing(sqlite3.connect(file)) as connection:
        return connection.execute("SELECT request, output FROM usage ORDER BY request").fetchall()


@pytest.mark.parametrize("outputs", list(permutations((1, 20, 118))), ids=str)
def test_an_answer_told_line_by_line_counts_once_by_its_largest_telling(
    tmp_path: Path, outputs: tuple[int, ...]
) -> None:
    told = [spoke(ADA, number, output) for number, output in enumerate(outputs, 1)]

    assert spent(tmp_path / "board.db", told) == [("req", 118)]


def test_an_answer_copied_into_a_fork_counts_once(tmp_path: Path) -> None:
    told = [spoke(ADA, 1, 118), spoke(FORK, 2, 118)]

    assert spent(tmp_path / "board.db", told) == [("req", 118)]


def test_two_requests_count_twice(tmp_path: Path) -> None:
    told = [spoke(ADA, 1, 118), spoke(ADA, 2, 7, request="another")]

    assert spent(tmp_path / "board.db", told) == [("another", 7), ("req", 118)]


async def test_lines_of_a_type_nobody_has_seen_are_counted_by_type(tmp_path: Path) -> None:
    file = tmp_path / "projects" / "p" / f"{ADA}.jsonl"
    file.parent.mkdir(parents=True)
    lines = [{"type": "mode"}, {"type": "hologram"}, {"type": "hologram", "n": 2}]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    journal = MemoryJournal()
    piece = Transcripts([tmp_path], host="h", marks={}).read(file, Moment(1))
    assert piece is not None
    await journal.append(piece.facts)

    counted = await tally([file], journal, "h")

    assert counted.unknown == {"hologram": 2}
    assert (counted.lines, counted.bookkeeping, counted.missing) == (3, 3, 0)


async def test_no_recorded_client_wrote_a_type_we_do_not_know() -> None:
    counted = await tally(RECORDED.glob("*/*/transcripts/*/*.jsonl"), MemoryJournal(), "h")

    assert counted.lines > 1000
    assert counted.unknown == {}
