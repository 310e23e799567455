"""Texts that recur, and the numbers that stand for them in the log. NULL is the empty text."""

from collections.abc import Iterable, Sequence
from typing import Final, TypeVar

from sqlalchemy import Connection, bindparam, insert, select

from turnkeeper.errors import FactUnreadable
from turnkeeper.journal.schema import name

T = TypeVar("T")
CHUNK: Final = 512
"""The most values in one IN list; databases bound it."""

_BY_TEXT: Final = select(name.c.text, name.c.id).where(
    name.c.text.in_(bindparam("texts", expanding=True))
)
_BY_ID: Final = select(name.c.id, name.c.text).where(
    name.c.id.in_(bindparam("ids", expanding=True))
)


class Names:
    """What this process knows of the table. A name never changes, so nothing here grows stale.

    Only committed names are remembered: a number given out in a transaction that failed
    would stand for nothing, or later for something else.
    """

    def __init__(self) -> None:
        self._ids: dict[str | None, int | None] = {"": None}
        self._texts: dict[int | None, str] = {None: ""}

    def numbers(self, connection: Connection, texts: Iterable[str]) -> dict[str, int | None]:
        """The numbers of these texts; new ones are written. Call `learn` after the commit."""
        wanted = set(texts)
        unknown = wanted.difference(self._ids)
        found = {text: self._ids[text] for text in wanted - unknown}
        if unknown:
            found |= self._look_up(connection, unknown)
            new = sorted(unknown.difference(found))
            if new:
                connection.execute(insert(name), [{"text": text} for text in new])
                found |= self._look_up(connection, new)
        return found

    def learn(self, numbers: dict[str, int | None]) -> None:
        for text, number in numbers.items():
            self._ids[text] = number
            self._texts[number] = text

    def texts(self, connection: Connection, numbers: set[int | None]) -> dict[int | None, str]:
        """What these numbers stand for."""
        unknown = [number for number in numbers.difference(self._texts) if number is not None]
        for some in chunks(unknown):
            for number, text in connection.execute(_BY_ID, {"ids": some}):
                self._texts[number] = text
        missing = numbers.difference(self._texts)
        if missing:
            raise FactUnreadable(f"it uses names that are not in the table: {missing}")
        return self._texts

    def number(self, connection: Connection, text: str) -> int | None:
        """The number of a text that may never have been named: 0 stands for that."""
        if text not in self._ids:
            return self._look_up(connection, [text]).get(text, 0)
        return self._ids[text]

    @staticmethod
    def _look_up(connection: Connection, texts: Iterable[str]) -> dict[str, int | None]:
        found: dict[str, int | None] = {}
        for some in chunks(list(texts)):
            found.update(connection.execute(_BY_TEXT, {"texts": some}).all())
        return found


def chunks(items: Sequence[T]) -> Iterable[Sequence[T]]:
    return (items[start : start + CHUNK] for start in range(0, len(items), CHUNK))
