"""Listing again costs a stat per folder, and misses nothing."""

import os
from pathlib import Path

import pytest

from turnkeeper.sources.listing import Listing


class Names:
    """Calls a file by its stem, and counts how often it was asked to."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self, file: Path) -> str | None:
        self.asked += 1
        return None if file.stem == "noise" else file.stem


@pytest.fixture
def names() -> Names:
    return Names()


@pytest.fixture
def listing(names: Names) -> Listing:
    return Listing(names)


def found(listing: Listing, folder: Path) -> set[str]:
    return {name for name, _ in listing.under(folder)}


def test_files_are_found_in_folders_below(listing: Listing, tmp_path: Path) -> None:
    below = tmp_path / "ada" / "subagents"
    below.mkdir(parents=True)
    (tmp_path / "ada.jsonl").touch()
    (tmp_path / "noise.jsonl").touch()
    (tmp_path / "ada.txt").touch()
    (below / "agent-1.jsonl").touch()

    assert found(listing, tmp_path) == {"ada", "agent-1"}


def test_a_folder_that_is_missing_holds_nothing(listing: Listing, tmp_path: Path) -> None:
    assert found(listing, tmp_path / "nowhere") == set()


def test_what_comes_and_goes_is_seen(listing: Listing, tmp_path: Path) -> None:
    (tmp_path / "ada.jsonl").touch()
    assert found(listing, tmp_path) == {"ada"}

    (tmp_path / "bob.jsonl").touch()
    assert found(listing, tmp_path) == {"ada", "bob"}

    (tmp_path / "ada.jsonl").unlink()
    assert found(listing, tmp_path) == {"bob"}


def test_a_file_made_within_the_same_tick_of_the_clock_is_seen(
    listing: Listing, tmp_path: Path
) -> None:
    (tmp_path / "ada.jsonl").touch()
    time = tmp_path.stat().st_mtime_ns
    assert found(listing, tmp_path) == {"ada"}

    (tmp_path / "bob.jsonl").touch()
    os.utime(tmp_path, ns=(time, time))

    assert found(listing, tmp_path) == {"ada", "bob"}


def test_a_folder_at_rest_is_not_listed_again(
    listing: Listing, names: Names, tmp_path: Path
) -> None:
    (tmp_path / "ada.jsonl").touch()
    for _ in range(5):
        assert found(listing, tmp_path) == {"ada"}

    assert names.asked == 2


def test_a_link_below_leads_nowhere(listing: Listing, tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path)
    (tmp_path / "ada.jsonl").touch()

    assert found(listing, tmp_path) == {"ada"}
