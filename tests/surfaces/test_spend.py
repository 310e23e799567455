"""What was spent and by which prices, as the API and the command line tell it."""

import asyncio
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner, Result

from tests.lab.asking import Answer, Caller, bearing
from tests.lab.daemon import Daemon
from tests.lab.house import board_of
from tests.lab.real_client import until
from tests.lab.served import served
from tests.pure.stories import ELSEWHERE, SESSION, fact, it_started, line, was_prompted
from turnkeeper.cli.main import turnkeeper
from turnkeeper.daemon.rebuild import rebuild
from turnkeeper.daemon.stores import open_journal
from turnkeeper.desk.spend import Spend
from turnkeeper.facts.fact import Fact
from turnkeeper.facts.kinds import AgentSpoke, Usage
from turnkeeper.journal.sql import SqlJournal
from turnkeeper.projections.prices import Price
from turnkeeper.sources.claude_prices import LIST_PRICES

NOW = 1_700_000_000
"""A second of the past: 2023-11-14T22:13:20Z."""

MILLION = 1_000_000


def answered(message: str, at: float, model: str, session: str = SESSION, part: int = 0) -> Fact:
    """An answer of a million tokens in, a tenth of that out."""
    usage = Usage(message, f"req-{message}", model, input=MILLION, output=MILLION // 10)
    said = AgentSpoke(f"part {part}", entry=f"{session}-{message}-{part}", usage=usage)
    return line(said, at, session=session)


def story() -> list[Fact]:
    """Two agents in two folders; one answer told twice, one copied, one of nobody's model."""
    ask = was_prompted("Add retries to the  client.", "p-1", entry="u-1")
    more = was_prompted("Now the tests.", "p-2", entry="u-2")
    return [
        fact(it_started(cwd="/home/ada/shop"), NOW),
        line(ask, NOW + 1),
        answered("one", NOW + 2, "claude-opus-4-8"),
        answered("one", NOW + 2, "claude-opus-4-8", part=1),
        line(more, NOW + 100),
        answered("two", NOW + 101, "claude-sonnet-4-5-20250929"),
        fact(it_started(cwd="/srv/site"), NOW + 3, session=ELSEWHERE),
        answered("one", NOW + 4, "claude-opus-4-8", session=ELSEWHERE),
        answered("odd", NOW + 5, "oddity-1", session=ELSEWHERE),
    ]


@dataclass(frozen=True)
class Told:
    data: Path
    owner: Caller
    guest: Caller

    def spend(self, query: str = "") -> Spend:
        answer = self.owner.get(f"/api/spend{query}")
        assert answer.status == 200, answer.body
        told = msgspec.json.decode(answer.body, type=Spend, strict=True)
        assert msgspec.to_builtins(told) == answer.json()
        return told

    def cli(self, *words: str) -> Result:
        return CliRunner(env={"COLUMNS": "200"}).invoke(
            turnkeeper, [*words, "--data", str(self.data)]
        )


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Told]:
    root = tmp_path_factory.mktemp("spend")
    daemon = Daemon(root / "data", root / "claude")
    daemon.data.mkdir()
    asyncio.run(written(daemon.data / "journal.db"))
    daemon.start()
    owner = bearing(daemon.url, daemon.token)
    guest = bearing(daemon.url, (daemon.data / "token-readonly").read_text())
    until(
        lambda: (now := owner.get("/api/health").json())["board"] == now["position"] or None,
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


def put(caller: Caller, model: str, rates: Any) -> Answer:
    return caller.ask("PUT", f"/api/prices/{model}", body=json.dumps(rates).encode())


RATES = {"input": 1.0, "output": 2.0, "cache_read": 0.5, "cache_write": 3.0}


# What was spent ---------------------------------------------------------------------------------


def test_each_answer_counts_once(told: Told) -> None:
    spent = told.spend()

    assert spent.estimated
    assert spent.total.input == 3 * MILLION
    assert spent.total.output == 3 * MILLION // 10


def test_by_agent_each_has_a_row(told: Told) -> None:
    shop, site = told.spend("?by=agent").rows

    assert (shop.project, shop.models) == (
        "/home/ada/shop",
        ["claude-opus-4-8", "claude-sonnet-4-5-20250929"],
    )
    assert shop.cost == 5 + 2.5 + 3 + 1.5
    assert site.project == "/srv/site"


def test_a_model_nobody_has_priced_leaves_the_cost_open(told: Told) -> None:
    spent = told.spend()

    [site] = [row for row in spent.rows if row.project == "/srv/site"]
    assert (site.models, site.cost, site.unpriced) == (["oddity-1"], None, 1_100_000)
    assert (spent.total.cost, spent.total.at_least) == (None, 12.0)


def test_by_command_each_is_named_by_its_first_words(told: Told) -> None:
    rows = told.spend("?by=command").rows

    named = {row.label: row for row in rows}
    assert set(named) == {"Add retries to the client.", "Now the tests.", ""}
    assert named["Add retries to the client."].cost == 7.5
    assert named["Add retries to the client."].command_id is not None
    assert named[""].command_id is None
    assert len({row.key for row in rows}) == len(rows)


def test_by_project_each_folder_has_a_row(told: Told) -> None:
    rows = told.spend("?by=project").rows

    assert [(row.key, row.label) for row in rows] == [
        ("/home/ada/shop", "shop"),
        ("/srv/site", "site"),
    ]
    assert {row.agent_id for row in rows} == {None}


def test_since_a_moment_only_what_came_later_counts(told: Told) -> None:
    spent = told.spend("?since=2023-11-14T22:14Z&by=command")

    assert [row.label for row in spent.rows] == ["Now the tests."]
    assert spent.since == "2023-11-14T22:14:00.000Z"
    assert spent.total.input == MILLION
    assert told.spend("?since=2h").rows == []


def test_rows_that_are_left_out_are_counted(told: Told) -> None:
    spent = told.spend("?by=command&limit=1")

    assert (len(spent.rows), spent.left_out) == (1, 2)
    assert spent.total == told.spend().total


@pytest.mark.parametrize(
    ("query", "status"), [("since=soon", 422), ("by=colour", 400), ("limit=0", 400)]
)
def test_a_question_that_does_not_fit_is_refused(told: Told, query: str, status: int) -> None:
    answer = told.owner.get(f"/api/spend?{query}")

    assert answer.status == status
    assert answer.json()["message"]
    assert answer.json()["hint"]


# Prices -----------------------------------------------------------------------------------------


def test_the_list_prices_are_there_from_the_start(told: Told) -> None:
    answer = told.owner.get("/api/prices")

    prices = msgspec.json.decode(answer.body, type=list[Price], strict=True)
    assert {each.model for each in LIST_PRICES} <= {each.model for each in prices}
    assert [each.model for each in prices] == sorted(each.model for each in prices)


def test_no_list_price_is_given_twice() -> None:
    assert len({each.model for each in LIST_PRICES}) == len(LIST_PRICES)
    assert all(each.input < each.output for each in LIST_PRICES)
    assert all(each.cache_read < each.input < each.cache_write for each in LIST_PRICES)


def test_a_price_that_was_set_is_used_at_once(told: Told) -> None:
    prices = put(told.owner, "dear-model", RATES).json()

    assert {"model": "dear-model", **RATES} in prices
    assert prices == told.owner.get("/api/prices").json()


def test_setting_the_same_price_again_writes_nothing(told: Told) -> None:
    put(told.owner, "same-model", RATES)
    position = told.owner.get("/api/health").json()["position"]

    assert put(told.owner, "same-model", RATES).status == 200
    assert told.owner.get("/api/health").json()["position"] == position


@pytest.mark.parametrize(
    "rates",
    [
        {},
        {**RATES, "input": -1},
        {**RATES, "output": "much"},
        {**RATES, "cache_read": None},
        {**RATES, "input": 1e300},
        [],
    ],
    ids=str,
)
def test_a_price_that_is_none_is_400(told: Told, rates: Any) -> None:
    answer = put(told.owner, "model", rates)

    assert answer.status == 400, answer.body
    assert answer.json()["error"] == "RequestUnreadable"


@pytest.mark.parametrize("model", ["%20", "a%0Ab", "%1B%5B2J"])
def test_a_model_that_cannot_be_a_name_is_422(told: Told, model: str) -> None:
    answer = put(told.owner, model, RATES)

    assert answer.status == 422, answer.body
    assert answer.json()["error"] == "NameUnfit"


def test_who_may_only_read_sets_no_price(told: Told) -> None:
    assert put(told.guest, "model", RATES).status == 403
    assert told.guest.get("/api/prices").status == 200


# On the command line ----------------------------------------------------------------------------


@pytest.mark.parametrize("by", ["agent", "command", "project"])
def test_the_command_line_tells_what_the_api_tells(told: Told, by: str) -> None:
    shown = told.cli("spend", "--by", by, "--limit", "500", "--json")

    assert json.loads(shown.stdout) == told.owner.get(f"/api/spend?by={by}").json()
    assert json.loads(told.cli("prices", "--json").stdout) == told.owner.get("/api/prices").json()


def test_the_command_line_calls_an_estimate_an_estimate(told: Told) -> None:
    shown = told.cli("spend").stdout

    assert "estimated" in shown
    assert "≈ 12.00" in shown
    assert "no price" in shown
    assert "over 12.00" in shown
    assert "1,100,000 tokens are of models without a price" in shown


def test_the_command_line_says_that_nothing_was_spent(told: Told) -> None:
    assert "Nothing was spent since then." in told.cli("spend", "--since", "2h").stdout


def test_the_command_line_sets_a_price(told: Told) -> None:
    done = told.cli("prices", "cheap-model", "0.1", "0.2", "0.01", "0.125")

    assert "cheap-model" in done.stdout
    assert "0.125" in done.stdout
    assert told.cli("prices", "cheap-model", "1").exit_code == 2


# Thrown away and made anew ----------------------------------------------------------------------


async def test_rebuilding_keeps_what_a_person_did(tmp_path: Path) -> None:
    async with served(tmp_path) as here:
        await here.parts.journal.append(story())
        await here.parts.projector.reached(await here.parts.journal.last())
        done = [
            await asked(here.caller, "POST", f"/api/agents/{SESSION}/rename", {"name": "Bob"}),
            await asked(here.caller, "POST", f"/api/agents/{SESSION}/mute", {"muted": True}),
            await asked(here.caller, "PUT", "/api/prices/oddity", RATES),
            await asked(here.caller, "PUT", "/api/prices/oddity", {**RATES, "input": 9}),
        ]
        settings = here.parts.settings
    before = board_of(settings.board)

    async with open_journal(settings) as journal:
        await rebuild(settings, journal, lambda done, total: None)

    assert [answer.status for answer in done] == [200] * 4
    assert board_of(settings.board) == before
    assert before["price"] == [("oddity", 9.0, 2.0, 0.5, 3.0)]
    cards = [json.loads(card) for _, _, _, card, _ in before["agent"]]
    assert ("Bob", True) in {(card["name"], card["muted"]) for card in cards}


async def asked(caller: Caller, method: str, path: str, body: Any) -> Answer:
    return await asyncio.to_thread(caller.ask, method, path, None, json.dumps(body).encode())
