"""Lists the transcripts under a folder again and again, at the price of one stat per folder."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple


class Shelf(NamedTuple):
    """A folder as it was listed: its time then, and what lay in it.

    A change within the same tick of the file system's clock leaves the time as it was. So a
    listing is `settled` only when a later one found the same time.
    """

    time: int
    settled: bool
    files: list[tuple[str, Path]]
    folders: list[Path]


class Listing:
    """Files by name: `name` says what a file is called, and None of a file that is no concern."""

    def __init__(self, name: Callable[[Path], str | None]) -> None:
        self._name = name
        self._shelves: dict[Path, Shelf] = {}

    def under(self, folder: Path) -> Iterator[tuple[str, Path]]:
        """Every file in this folder and those below it, with its name."""
        shelf = self._shelf(folder)
        if shelf is not None:
            yield from shelf.files
            for each in shelf.folders:
                yield from self.under(each)

    def _shelf(self, folder: Path) -> Shelf | None:
        known = self._shelves.pop(folder, None)
        try:
            time = folder.stat().st_mtime_ns
            if known is None or known.time != time:
                known = self._listed(folder, time, settled=False)
            elif not known.settled:
                known = self._listed(folder, time, settled=True)
        except OSError:
            return None
        self._shelves[folder] = known
        return known

    def _listed(self, folder: Path, time: int, *, settled: bool) -> Shelf:
        with os.scandir(folder) as found:
            entries = list(found)
        folders = [Path(entry.path) for entry in entries if entry.is_dir(follow_symlinks=False)]
        files = [Path(entry.path) for entry in entries if entry.name.endswith(".jsonl")]
        named = [(name, file) for file in files if (name := self._name(file)) is not None]
        return Shelf(time, settled, named, folders)
