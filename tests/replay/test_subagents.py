"""What real clients had at work for them: somebody while the sub-agent ran, nobody afterwards."""

from pathlib import Path

import pytest

from tests.replay.stage import FOLDERS, name_of, shuffled, without
from turnkeeper.desk.replay import Heard, fold, heard_in
from turnkeeper.facts.fact import Source
from turnkeeper.projections.cards import SubagentShown, card_of

SENT = [folder for folder in FOLDERS if folder.name == "subagent"]
OTHERS = [folder for folder in FOLDERS if folder not in SENT]
LOSSES = {"nothing lost": (), "hooks lost": (Source.HOOK,)}
every_loss = pytest.mark.parametrize("lost", list(LOSSES.values()), ids=list(LOSSES))


def shown(heard: list[Heard]) -> list[list[SubagentShown]]:
    return [card_of(folded.agent).subagents for _, folded in fold(heard)]


@every_loss
@pytest.mark.parametrize("folder", SENT, ids=name_of)
def test_one_is_at_work_and_nobody_in_the_end(folder: Path, lost: tuple[Source, ...]) -> None:
    steps = shown(without(heard_in(folder), *lost))

    assert max(len(step) for step in steps) == 1
    assert steps[-1] == []


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("folder", SENT, ids=name_of)
def test_in_any_order_nobody_is_at_work_in_the_end(folder: Path, seed: int) -> None:
    assert shown(shuffled(heard_in(folder), seed))[-1] == []


@every_loss
@pytest.mark.parametrize("folder", OTHERS, ids=name_of)
def test_where_nobody_was_sent_nobody_is_at_work(folder: Path, lost: tuple[Source, ...]) -> None:
    assert not any(shown(without(heard_in(folder), *lost)))
