"""What real clients waited for, told again: the queue holds what the terminal asked, no more."""

import json
from pathlib import Path

import pytest

from tests.replay.stage import (
    FOLDERS,
    RECORDINGS,
    Truth,
    asks_of,
    half_of_the_hooks,
    knowable_from_a_transcript,
    name_of,
    queues_at,
    shuffled,
    truths,
    without,
)
from turnkeeper.desk.replay import Heard, heard_in
from turnkeeper.facts.fact import Source
from turnkeeper.facts.kinds import PermissionAsked, ToolStarted
from turnkeeper.projections.asks import AskKind

SEEDS = range(10)
VERSIONS = sorted(folder.name for folder in RECORDINGS.iterdir())
TRANSCRIPT_ALONE = (Source.HOOK, Source.REGISTRY, Source.PROCESS)
LOSSES = {
    "nothing lost": (),
    "hooks lost": (Source.HOOK,),
    "registry lost": (Source.REGISTRY,),
    "transcript alone": TRANSCRIPT_ALONE,
}
every_recording = pytest.mark.parametrize("folder", FOLDERS, ids=name_of)
every_loss = pytest.mark.parametrize("lost", list(LOSSES.values()), ids=list(LOSSES))


def kind_of(folder: Path, truth: Truth) -> list[AskKind]:
    """What the terminal asked for, as far as the recording's name and its truth tell."""
    match truth.truth:
        case "awaiting_approval":
            plan = folder.name.startswith("plan")
            return [AskKind.PLAN if plan else AskKind.PERMISSION]
        case "awaiting_input":
            words = folder.name == "question_in_text"
            return [AskKind.WORDS if words else AskKind.QUESTION]
        case "error":
            return [AskKind.ERROR]
        case _:
            return []


def assert_true(heard: list[Heard], folder: Path, expected: list[Truth]) -> None:
    queues = queues_at(heard, expected)
    told = [
        (truth.note, [ask.kind for ask in queue])
        for truth, queue in zip(expected, queues, strict=True)
    ]
    assert told == [(truth.note, kind_of(folder, truth)) for truth in expected]


def knowable(folder: Path, lost: tuple[Source, ...]) -> list[Truth]:
    known = truths(folder)
    if lost != TRANSCRIPT_ALONE:
        return known
    return [truth for truth in known if knowable_from_a_transcript(folder, truth)]


@every_recording
@every_loss
def test_at_every_checkpoint_the_queue_holds_what_the_terminal_asks(
    folder: Path, lost: tuple[Source, ...]
) -> None:
    assert_true(without(heard_in(folder), *lost), folder, knowable(folder, lost))


@every_recording
@pytest.mark.parametrize("seed", SEEDS)
def test_with_half_of_the_hooks_lost_the_queue_holds_the_same(folder: Path, seed: int) -> None:
    assert_true(half_of_the_hooks(heard_in(folder), seed), folder, truths(folder))


@every_recording
@every_loss
def test_nothing_is_asked_that_the_terminal_did_not_ask(
    folder: Path, lost: tuple[Source, ...]
) -> None:
    """No ask is opened for a moment, none is closed and opened again."""
    expected = [kind for truth in knowable(folder, lost) for kind in kind_of(folder, truth)]

    asks = asks_of(without(heard_in(folder), *lost))

    assert [ask.kind for ask in asks] == expected
    assert [ask for ask in asks if ask.outcome is None] == []


@every_recording
@pytest.mark.parametrize("seed", SEEDS)
def test_however_sources_are_shuffled_the_queue_ends_empty(folder: Path, seed: int) -> None:
    asks = asks_of(shuffled(heard_in(folder), seed))

    assert [ask for ask in asks if ask.outcome is None] == []


ENDINGS = {
    "permission_granted": ["terminal"],
    "permission_denied": ["interrupted"],
    "parallel_permissions": ["terminal", "terminal"],
    "terminal_answers_first": ["terminal"],
    "plan_approved": ["terminal"],
    "plan_rejected": ["interrupted"],
    "question_answered": ["terminal"],
    "question_dismissed": ["interrupted"],
    "question_in_text": ["moved_on"],
    "api_error": ["moved_on"],
}


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", ENDINGS)
@pytest.mark.parametrize("lost", [(), (Source.HOOK,)], ids=["nothing lost", "hooks lost"])
def test_an_ask_says_why_it_vanished(version: str, name: str, lost: tuple[Source, ...]) -> None:
    asks = asks_of(without(heard_in(RECORDINGS / version / name), *lost))

    assert [ask.outcome for ask in asks] == ENDINGS[name]


@pytest.mark.parametrize("version", VERSIONS)
@every_loss
def test_each_of_two_permissions_shows_its_own_command(
    version: str, lost: tuple[Source, ...]
) -> None:
    heard = without(heard_in(RECORDINGS / version / "parallel_permissions"), *lost)
    words = [heard[ask.words_at - 1].fact.what for ask in asks_of(heard)]

    asked = [what for what in words if isinstance(what, PermissionAsked | ToolStarted)]
    commands = [json.loads(bytes(what.input))["command"] for what in asked]
    assert commands == ([] if lost == TRANSCRIPT_ALONE else ["touch one.txt", "touch two.txt"])
