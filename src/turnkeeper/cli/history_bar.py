"""A bar for the first reading of a long past. Shown to people only, and gone when it is done."""

import sys

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

WORTH_A_BAR = 20
"""Fewer files are read before anyone has looked."""


class HistoryBar:
    """Holds the bar while there is one."""

    def __init__(self) -> None:
        self._bar: Progress | None = None

    def show(self, done: int, total: int) -> None:
        if self._bar is None:
            if total < WORTH_A_BAR or not sys.stderr.isatty():
                return
            self._bar = _bar()
            self._bar.add_task("reading what was said before", total=total)
            self._bar.start()
        self._bar.update(self._bar.task_ids[0], completed=done, total=total)
        if done >= total:
            self.close()

    def close(self) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = None


def _bar() -> Progress:
    columns = (
        TextColumn("  {task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("files"),
        TimeRemainingColumn(),
    )
    return Progress(*columns, console=Console(stderr=True), transient=True)
