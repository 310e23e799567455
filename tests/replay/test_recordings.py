"""What real clients did, told again: the board must say what a person at the terminal saw."""

from pathlib import Path

import pytest

from tests.replay.stage import (
    FOLDERS,
    Truth,
    half_of_the_hooks,
    knowable_from_a_transcript,
    last_standings,
    name_of,
    said_in_transcripts,
    said_on_the_board,
    shuffled,
    standing_at,
    truths,
    without,
)
from turnkeeper.desk.replay import Heard, heard_in, play
from turnkeeper.facts.fact import Source

SEEDS = range(10)
every_recording = pytest.mark.parametrize("folder", FOLDERS, ids=name_of)


def assert_true(heard: list[Heard], expected: list[Truth]) -> None:
    shown = list(play(heard))
    told = [(truth.note, standing_at(shown, truth)) for truth in expected]
    assert told == [(truth.note, truth.truth) for truth in expected]


def assert_complete(heard: list[Heard], folder: Path) -> None:
    written = {session: said for session, said in said_in_transcripts(folder).items() if said}
    board = said_on_the_board(heard)
    for session, said in written.items():
        of_transcript = [each for each in board.get(session, []) if each[0]]
        assert sorted(of_transcript) == sorted(said)
        assert [each for each in board[session] if not each[0]] == []


def test_there_are_recordings_of_both_versions() -> None:
    assert {folder.parent.name for folder in FOLDERS} == {"2.1.197", "2.1.325"}
    assert len(FOLDERS) >= 44


@every_recording
def test_the_board_shows_the_truth_at_every_checkpoint(folder: Path) -> None:
    assert_true(heard_in(folder), truths(folder))


@every_recording
def test_without_hooks_the_board_shows_the_same_truth(folder: Path) -> None:
    assert_true(without(heard_in(folder), Source.HOOK), truths(folder))


@every_recording
def test_without_the_registry_the_board_shows_the_same_truth(folder: Path) -> None:
    assert_true(without(heard_in(folder), Source.REGISTRY), truths(folder))


@every_recording
def test_from_the_transcript_alone_the_board_shows_what_a_transcript_can_know(
    folder: Path,
) -> None:
    heard = without(heard_in(folder), Source.HOOK, Source.REGISTRY, Source.PROCESS)
    known = [truth for truth in truths(folder) if knowable_from_a_transcript(folder, truth)]
    assert_true(heard, known)


@every_recording
@pytest.mark.parametrize("seed", SEEDS)
def test_with_half_of_the_hooks_lost_the_board_shows_the_same_truth(
    folder: Path, seed: int
) -> None:
    assert_true(half_of_the_hooks(heard_in(folder), seed), truths(folder))


@every_recording
def test_hearing_everything_twice_changes_nothing(folder: Path) -> None:
    heard = heard_in(folder)
    twice = [each for one in heard for each in (one, one)]
    assert list(play(twice)) == list(play(heard))
    assert list(play([*heard, *heard])) == list(play(heard))


@every_recording
@pytest.mark.parametrize("seed", SEEDS)
def test_however_sources_are_shuffled_the_board_ends_the_same(folder: Path, seed: int) -> None:
    heard = heard_in(folder)
    expected, told = last_standings(heard), last_standings(shuffled(heard, seed))
    asked = {truth.session for truth in truths(folder)}
    assert {session: told.get(session) for session in asked} == {
        session: expected[session] for session in asked
    }


@every_recording
@pytest.mark.parametrize(
    "dropped",
    [(), (Source.HOOK,), (Source.REGISTRY,), (Source.HOOK, Source.REGISTRY, Source.PROCESS)],
    ids=["nothing lost", "hooks lost", "registry lost", "transcript alone"],
)
def test_every_word_of_the_transcript_is_a_turn_and_no_word_is_two(
    folder: Path, dropped: tuple[Source, ...]
) -> None:
    assert_complete(without(heard_in(folder), *dropped), folder)


@every_recording
@pytest.mark.parametrize("seed", SEEDS)
def test_shuffled_sources_still_make_each_word_one_turn(folder: Path, seed: int) -> None:
    assert_complete(shuffled(heard_in(folder), seed), folder)
