"""What was spent: to which command it belongs, what it cost, and where nobody can say."""

import msgspec
import pytest

from tests.pure.stories import (
    SESSION,
    agent_of,
    changes_of,
    ended_its_turn,
    fact,
    it_started,
    line,
    numbered,
    was_prompted,
)
from turnkeeper.facts.fact import Fact, Position, Source
from turnkeeper.facts.kinds import AgentSpoke, PriceSet, Usage, What
from turnkeeper.projections.board import Board
from turnkeeper.projections.cards import Card, card_of
from turnkeeper.projections.prices import Price, edits, listed, price_of
from turnkeeper.projections.spending import By, SpendRow, Used, spend_rows, sums

CHEAP = Price("claude-opus", 1, 10, 0.1, 2)
DEAR = Price("claude-opus-4-1", 10, 100, 1, 20)
PRICES = (CHEAP, DEAR)


def used(model: str = "claude-opus-5", *, agent: int = 1, command: int | None = None) -> Used:
    number = None if command is None else Position(command)
    return Used(agent, number, model, 1_000_000, 100_000, 2_000_000, 500_000)


def card(number: int, name: str, cwd: str) -> Card:
    shown = card_of(agent_of(it_started(cwd=cwd)))
    return msgspec.structs.replace(shown, id=number, name=name)


CARDS = {
    1: card(1, "Ada", "/home/ada/shop"),
    2: card(2, "Bob", "/home/ada/shop"),
    3: card(3, "Eve", "/srv/site"),
}


# Prices -----------------------------------------------------------------------------------------


def test_the_price_that_names_most_of_a_model_counts() -> None:
    assert price_of(PRICES, "claude-opus-4-1-20250805") == DEAR
    assert price_of(PRICES, "claude-opus-4-8") == CHEAP
    assert price_of(reversed(PRICES), "claude-opus-4-1") == DEAR


@pytest.mark.parametrize("model", ["", "claude", "gpt-5", "Claude-opus-5", "my-claude-opus-5"])
def test_a_model_that_no_price_names_has_none(model: str) -> None:
    assert price_of(PRICES, model) is None


def test_a_persons_price_beats_the_table() -> None:
    mine = Price("claude-opus", 0, 0, 0, 0)

    assert listed(PRICES, [mine]) == [mine, DEAR]


def test_of_several_prices_for_a_model_the_last_counts() -> None:
    told = [price("a", 1), price("b", 2), price("a", 3)]

    assert edits(numbered(told)) == [Price("a", 3, 3, 3, 3), Price("b", 2, 2, 2, 2)]


def price(model: str, rate: float) -> Fact:
    return fact(PriceSet(model, rate, rate, rate, rate), rate, session="", source=Source.PERSON)


@pytest.mark.parametrize("session", ["", SESSION])
def test_a_price_concerns_no_agent(session: str) -> None:
    board = Board()
    told = fact(PriceSet("a", 1, 1, 1, 1), session=session, source=Source.PERSON)

    assert board.take(numbered([told])[0]) is None
    assert board.agents == {}


# Sums -------------------------------------------------------------------------------------------


def test_each_kind_of_token_has_its_price() -> None:
    counted = sums([used()], PRICES)

    assert counted.cost == 1 + 1 + 0.2 + 1
    assert (counted.at_least, counted.unpriced) == (counted.cost, 0)


def test_tokens_of_a_model_nobody_has_priced_are_counted_and_cost_nobody_knows_what() -> None:
    counted = sums([used("gpt-5")], PRICES)

    assert counted.input == 1_000_000
    assert counted.cost is None
    assert counted.at_least == 0
    assert counted.unpriced == 3_600_000


def test_one_model_without_a_price_leaves_the_whole_cost_open() -> None:
    counted = sums([used(), used("gpt-5")], PRICES)

    assert counted.models == ["claude-opus-5", "gpt-5"]
    assert counted.input == 2_000_000
    assert (counted.cost, counted.at_least) == (None, 3.2)


def test_nothing_spent_costs_nothing() -> None:
    assert sums([], PRICES).cost == 0


def rows(by: By, *spent: Used) -> list[SpendRow]:
    return spend_rows(spent, by, CARDS, PRICES)


def test_what_an_agent_spent_on_several_models_is_one_row() -> None:
    [row] = rows(By.AGENT, used(), used("claude-opus-4-1"))

    assert (row.key, row.agent_id, row.label, row.project) == ("1", 1, "Ada", "/home/ada/shop")
    assert row.models == ["claude-opus-4-1", "claude-opus-5"]
    assert row.input == 2_000_000


def test_the_agents_of_a_folder_are_one_project() -> None:
    shop, site = rows(By.PROJECT, used(agent=1), used(agent=2), used(agent=3))

    assert (shop.key, shop.label, shop.agent_id) == ("/home/ada/shop", "shop", None)
    assert (site.key, site.label, site.input) == ("/srv/site", "site", 1_000_000)
    assert shop.input == 2_000_000


def test_what_belongs_to_no_command_is_a_row_of_its_agent() -> None:
    found = rows(By.COMMAND, used(command=7), used(command=7), used(), used(agent=2))

    assert [(row.agent_id, row.command_id) for row in found] == [(1, 7), (1, None), (2, None)]
    assert len({row.key for row in found}) == 3


def test_the_most_expensive_comes_first() -> None:
    found = rows(By.AGENT, used("gpt-5", agent=3), used(agent=1), used("claude-opus-4-1", agent=2))

    assert [row.agent_id for row in found] == [2, 1, 3]


# To which command it belongs --------------------------------------------------------------------


def answered(at: float, thread: str = "") -> Fact:
    said = AgentSpoke("Well.", entry=f"e-{at}", usage=Usage(f"msg-{at}", input=1))
    return line(said, at, thread=thread)


def commands(*happenings: What | Fact) -> list[Position | None]:
    """The command of each answer, in the order in which they were heard."""
    found = [changes.spent for changes in changes_of(*happenings)]
    return [each.command_id for each in found if each is not None]


def test_tokens_belong_to_the_command_that_is_open() -> None:
    assert commands(it_started(), was_prompted(), answered(3), answered(4)) == [2, 2]


def test_last_words_read_after_their_turns_end_belong_to_it() -> None:
    ended = (it_started(), was_prompted(), fact(ended_its_turn(), 5))

    assert commands(*ended, answered(4)) == [2]
    assert commands(*ended, answered(5.1)) == [2]


def test_tokens_read_late_belong_to_the_command_of_their_time() -> None:
    two = (
        it_started(),
        was_prompted(),
        fact(ended_its_turn(), 5),
        fact(was_prompted("More.", "prompt-2"), 7),
    )

    assert commands(*two, answered(4), answered(8)) == [2, 4]


def test_a_subagents_tokens_belong_to_the_command_it_works_for() -> None:
    assert commands(it_started(), was_prompted(), answered(3, thread="a7b898")) == [2]


def test_tokens_that_nobody_asked_for_belong_to_no_command() -> None:
    assert commands(it_started(), answered(3)) == [None]
