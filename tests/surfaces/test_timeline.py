"""How agents stood over time, as the API and the command line tell it."""

import asyncio
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result

from tests.lab.asking import Caller, bearing
from tests.lab.daemon import Daemon
from tests.lab.real_client import until
from tests.pure.stories import (
    CLEARED,
    ELSEWHERE,
    SECOND,
    ended_its_turn,
    fact,
    it_ended,
    it_started,
    spoke,
    was_prompted,
)
from turnkeeper.cli.main import turnkeeper
from turnkeeper.cli.timeline_table import standings
from turnkeeper.facts.fact import Fact
from turnkeeper.journal.sql import SqlJournal
from turnkeeper.projections.timeline import Band, Timeline
from turnkeeper.sources.clock import SystemClock

HOUR = 3600


def story(now: int) -> list[Fact]:
    """One works, asks in words and waits; one has been idle since yesterday; one ended then."""
    return [
        fact(it_started(cwd="/srv/site"), now - 25 * HOUR, session=ELSEWHERE),
        fact(it_started(), now - 30 * HOUR, session=CLEARED),
        fact(it_ended(), now - 29 * HOUR, session=CLEARED),
        fact(it_started(cwd="/home/ada/shop"), now - 2 * HOUR),
        fact(was_prompted(), now - HOUR),
        fact(spoke("Shall I use the new client?", final=True), now - HOUR // 2),
        fact(ended_its_turn(), now - HOUR // 2 + 1),
    ]


@dataclass(frozen=True)
class Told:
    data: Path
    owner: Caller

    def timeline(self, query: str = "") -> Timeline:
        answer = self.owner.get(f"/api/timeline{query}")
        assert answer.status == 200, answer.body
        told = msgspec.json.decode(answer.body, type=Timeline, strict=True)
        assert msgspec.to_builtins(told) == answer.json()
        return told

    def cli(self, *words: str) -> Result:
        return CliRunner(env={"COLUMNS": "80"}).invoke(
            turnkeeper, [*words, "--data", str(self.data)]
        )


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Told]:
    root = tmp_path_factory.mktemp("timeline")
    daemon = Daemon(root / "data", root / "claude")
    daemon.data.mkdir()
    asyncio.run(written(daemon.data / "journal.db", story(SystemClock().now() // SECOND)))
    daemon.start()
    owner = bearing(daemon.url, daemon.token)
    until(
        lambda: (health := owner.get("/api/health").json())["board"] == health["position"] or None,
        "the board to follow",
    )
    try:
        yield Told(daemon.data, owner)
    finally:
        daemon.close()


async def written(file: Path, facts: list[Fact]) -> None:
    journal = await SqlJournal.open(file)
    await journal.append(facts)
    await journal.close()


def test_each_agent_has_its_bands(told: Told) -> None:
    shop, site = sorted(told.timeline().agents, key=lambda lane: lane.project)

    assert [band.standing for band in shop.bands] == ["idle", "running", "awaiting_input"]
    assert [band.standing for band in site.bands] == ["idle"]
    assert shop.project == "/home/ada/shop"
    assert shop.name == "shop"


def test_the_bands_of_a_window_have_its_edges(told: Told) -> None:
    timeline = told.timeline("?since=4h")

    [site] = [lane for lane in timeline.agents if lane.project == "/srv/site"]
    assert (site.bands[0].start, site.bands[-1].end) == (timeline.since, timeline.until)
    for lane in timeline.agents:
        assert lane.bands[-1].end == timeline.until


def test_the_last_band_is_what_the_board_says(told: Told) -> None:
    standing = {card["id"]: card["standing"] for card in told.owner.get("/api/agents").json()}

    for lane in told.timeline().agents:
        assert lane.bands[-1].standing == standing[lane.agent_id]


def test_who_did_not_live_in_the_window_is_not_told(told: Told) -> None:
    assert len(told.timeline("?since=4h").agents) == 2
    assert told.timeline("?since=28h&until=27h").agents == []
    [site] = told.timeline("?since=26h&until=20h").agents
    assert site.project == "/srv/site"
    assert len(told.timeline("?since=2d").agents) == 3


def test_nobody_is_told_what_comes(told: Told) -> None:
    assert told.timeline("?until=2999-01-01").until < "2999"


@pytest.mark.parametrize(
    "query", ["since=soon", "until=later", "since=1h&until=2h", "since=2999-01-01"]
)
def test_a_window_that_is_none_is_422(told: Told, query: str) -> None:
    answer = told.owner.get(f"/api/timeline?{query}")

    assert answer.status == 422
    assert answer.json()["error"] == "MomentUnclear"
    assert answer.json()["message"]


def test_the_command_line_tells_what_the_api_tells(told: Told) -> None:
    window = ("--since", "2020-01-01", "--until", "2020-01-02")

    shown = told.cli("timeline", *window, "--json").stdout

    asked = told.owner.get("/api/timeline?since=2020-01-01&until=2020-01-02")
    assert json.loads(shown) == asked.json()
    one = json.loads(told.cli("timeline", "--json").stdout)["agents"][0]
    assert set(one) == {"agent_id", "name", "project", "bands"}
    assert set(one["bands"][0]) == {"from", "to", "standing"}


def test_the_command_line_draws_shapes_that_need_no_colour(told: Told) -> None:
    shown = told.cli("timeline", "--since", "4h").stdout

    [strip] = [line for line in shown.splitlines() if "shop" in line]
    cells = strip.split("shop")[1].strip()
    assert set(cells) == {"○", "▶", "?"}
    assert cells.index("○") < cells.index("▶") < cells.index("?")
    assert max(map(len, shown.splitlines())) <= 80
    assert "? awaiting input" in shown
    assert "No agent lived" in told.cli("timeline", "--since", "28h", "--until", "27h").stdout


# As a strip -------------------------------------------------------------------------------------


def band(start: int, end: int, standing: str) -> Band:
    return Band(f"2026-11-16T08:00:{start:02}Z", f"2026-11-16T08:00:{end:02}Z", standing)


def strip(*drawn: Band) -> list[str | None]:
    begin = 1_794_816_000.0
    return standings(drawn, begin, begin + 40, 4)


def test_a_piece_of_a_strip_is_how_an_agent_stood_for_most_of_it() -> None:
    assert strip(band(0, 14, "idle"), band(14, 40, "running")) == ["idle", *["running"] * 3]
    assert strip(band(0, 16, "idle"), band(16, 40, "running")) == ["idle"] * 2 + ["running"] * 2


def test_a_strip_is_empty_where_an_agent_was_not_there() -> None:
    assert strip(band(10, 20, "idle")) == [None, "idle", None, None]
    assert strip() == [None] * 4
