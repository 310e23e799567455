"""A whole conversation to take away, from the API and the command line."""

import asyncio
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result
from markdown_it import MarkdownIt

from tests.lab.asking import Answer, Caller, bearing
from tests.lab.daemon import Daemon
from tests.lab.real_client import until
from tests.pure.stories import SESSION, fact, it_started, line, was_prompted
from turnkeeper.cli.main import turnkeeper
from turnkeeper.desk.export import PAGE
from turnkeeper.errors import AgentUnknown
from turnkeeper.facts.fact import Fact
from turnkeeper.facts.kinds import AgentSpoke, Outcome, ToolFinished, ToolStarted
from turnkeeper.journal.sql import SqlJournal

TURNS = 2 * PAGE + 7
BEGUN = 1_700_000_000
FENCES = "```\n````\n# no heading"
HOSTILE = '../../etc/"passwd"; rm -rf ~ \u00e9\u6570'


def story() -> list[Fact]:
    """Two commands, a tool whose result is full of fences, and more turns than fit on a page."""
    given = msgspec.Raw(json.dumps({"command": "cat a.md"}).encode())
    called = ToolStarted("Bash", "call-1", input=given, prompt="p-1", entry="t-1")
    gave = ToolFinished("call-1", outcome=Outcome.DONE, text=FENCES, prompt="p-1", entry="t-2")
    more = [
        line(AgentSpoke(f"step {number}", "p-2", False, entry=f"a-{number}"), BEGUN + 10 + number)
        for number in range(TURNS)
    ]
    return [
        fact(it_started(cwd="/home/ada/shop"), BEGUN),
        line(was_prompted("Read the <notes>.", "p-1", entry="u-1"), BEGUN + 1),
        line(called, BEGUN + 2),
        line(gave, BEGUN + 3),
        line(AgentSpoke("Done.", "p-1", True, entry="s-1"), BEGUN + 4),
        line(was_prompted("Now go on.", "p-2", entry="u-2"), BEGUN + 5),
        *more,
    ]


@dataclass(frozen=True)
class Told:
    data: Path
    owner: Caller
    guest: Caller

    def export(self, query: str = "", agent: str = SESSION) -> Answer:
        return self.owner.get(f"/api/agents/{agent}/export{query}")

    def cli(self, *words: str) -> Result:
        return CliRunner().invoke(turnkeeper, ["export", *words, "--data", str(self.data)])


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Told]:
    root = tmp_path_factory.mktemp("export")
    daemon = Daemon(root / "data", root / "claude")
    daemon.data.mkdir()
    asyncio.run(written(daemon.data / "journal.db"))
    daemon.start()
    owner = bearing(daemon.url, daemon.token)
    guest = bearing(daemon.url, (daemon.data / "token-readonly").read_text())
    until(
        lambda: (health := owner.get("/api/health").json())["board"] == health["position"] or None,
        "the board to follow",
    )
    try:
        yield Told(daemon.data, owner, guest)
    finally:
        daemon.close()


async def written(file: Path) -> None:
    journal = await SqlJournal.open(file)
    await journal.append(story())
    await journal.close()


def test_markdown_has_a_title_and_a_heading_for_each_command(told: Told) -> None:
    answer = told.export()

    assert answer.status == 200
    assert answer.headers["content-type"] == "text/markdown; charset=utf-8"
    tokens = MarkdownIt().parse(answer.body.decode())
    headings = [
        (token.tag, tokens[nth + 1].content)
        for nth, token in enumerate(tokens)
        if token.type == "heading_open"
    ]
    assert headings == [("h1", "shop"), ("h2", "Read the \\<notes\\>."), ("h2", "Now go on.")]


def test_markdown_holds_every_turn_and_tools_in_fences(told: Told) -> None:
    text = told.export("?format=markdown").body.decode()

    assert re.findall(r"^> step (\d+)$", text, re.MULTILINE) == [str(n) for n in range(TURNS)]
    fences = [each for each in MarkdownIt().parse(text) if each.type == "fence"]
    assert [each.content for each in fences] == ['{"command": "cat a.md"}\n', f"{FENCES}\n"]
    assert "<summary>Bash gave · done" in text


def test_json_holds_the_agent_and_its_turns_as_the_api_tells_them(told: Told) -> None:
    answer = told.export("?format=json")

    whole = answer.json()
    assert answer.headers["content-type"] == "application/json"
    assert whole["agent"] == told.owner.get(f"/api/agents/{SESSION}").json()
    assert len(whole["turns"]) == TURNS + 5
    assert whole["turns"][-200:] == told.owner.get(f"/api/agents/{SESSION}/turns").json()


def test_a_file_has_a_name_that_leads_nowhere(told: Told) -> None:
    body = json.dumps({"name": HOSTILE}).encode()
    told.owner.post(f"/api/agents/{SESSION}/rename", body)

    told_name = told.export("?format=json").headers["content-disposition"]

    told.owner.post(f"/api/agents/{SESSION}/rename", b'{"name": ""}')
    assert told_name == f'attachment; filename="turnkeeper-etc-passwd-rm-rf-{SESSION[:8]}.json"'
    ordinary = told.export().headers["content-disposition"]
    assert ordinary == f'attachment; filename="turnkeeper-shop-{SESSION[:8]}.md"'


def test_who_may_only_read_may_take_it_away(told: Told) -> None:
    assert told.guest.get(f"/api/agents/{SESSION}/export").status == 200


def test_nobody_has_no_conversation(told: Told) -> None:
    assert told.export(agent="nobody-at-all").status == 404
    assert told.export("?format=pdf").status == 400


@pytest.mark.parametrize("form", ["markdown", "json"])
def test_the_command_line_writes_what_the_api_gives(told: Told, tmp_path: Path, form: str) -> None:
    file = tmp_path / "out"

    printed = told.cli(SESSION, "--format", form)
    kept = told.cli(SESSION, "--format", form, "-o", str(file))

    assert printed.stdout_bytes == told.export(f"?format={form}").body
    assert kept.exit_code == 0
    assert file.read_bytes() == printed.stdout_bytes


def test_an_unknown_agent_leaves_a_file_alone(told: Told, tmp_path: Path) -> None:
    file = tmp_path / "out"
    file.write_text("kept")

    refused = told.cli("nobody-at-all", "-o", str(file))

    assert isinstance(refused.exception, AgentUnknown)
    assert file.read_text() == "kept"


def test_a_place_that_cannot_be_written_is_told(told: Told, tmp_path: Path) -> None:
    refused = told.cli(SESSION, "-o", str(tmp_path / "nowhere" / "out"))

    assert refused.exit_code != 0
    assert "nowhere" in refused.output
