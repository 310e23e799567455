"""Change a JSON text in one place and leave every other character alone. Pure.

A small scanner says where things stand; insertions take the file's own style. The texts given
here are JSON already: `decode` refuses what is not.
"""

import json
from dataclasses import dataclass
from typing import Final, NoReturn

WHITE: Final = " \t\n\r"


@dataclass(frozen=True, slots=True)
class Item:
    """One member of an object or element of an array: where it starts, its value, its end."""

    key: str
    start: int
    value: int
    end: int


@dataclass(frozen=True, slots=True)
class Box:
    """An object or array: its brackets, and what lies between them."""

    opening: int
    items: tuple[Item, ...]
    closing: int

    def last(self, key: str) -> Item | None:
        """The member that counts: readers of JSON take the last of equal keys."""
        return next((item for item in reversed(self.items) if item.key == key), None)


@dataclass(frozen=True, slots=True)
class Style:
    """How a file is written: line ends, one step of indentation, what parts key and value."""

    eol: str
    unit: str
    colon: str

    @property
    def gap(self) -> str:
        return " " if self.colon.endswith(" ") else ""

    def render(self, value: object, indent: str | None) -> str:
        """Write a value that starts on a line indented so, or stands within a line."""
        if indent is None:
            separators = ("," + self.gap, self.colon)
            return json.dumps(value, ensure_ascii=False, separators=separators)
        separators = (",", self.colon)
        said = json.dumps(value, ensure_ascii=False, indent=self.unit, separators=separators)
        return said.replace("\n", self.eol + indent)

    def member(self, key: str, value: object, indent: str | None) -> str:
        return f"{json.dumps(key)}{self.colon}{self.render(value, indent)}"


@dataclass(frozen=True, slots=True)
class Spot:
    """A box, how its own line is indented, and how its next item is. None: within a line."""

    box: Box
    outer: str | None
    indent: str | None


def box_at(text: str, opening: int) -> Box:
    items: list[Item] = []
    keyed = text[opening] == "{"
    at = skip(text, opening + 1)
    while text[at] not in "]}":
        start, key = at, ""
        if keyed:
            said, at = value_at(text, at)
            key, at = str(said), skip(text, skip(text, at) + 1)
        _, end = value_at(text, at)
        items.append(Item(key, start, at, end))
        at = skip(text, end)
        if text[at] == ",":
            at = skip(text, at + 1)
    return Box(opening, tuple(items), at)


def spot_at(text: str, opening: int, outer: str | None, style: Style) -> Spot:
    box = box_at(text, opening)
    if box.items:
        return Spot(box, outer, _indent_before(text, box.items[-1]))
    return Spot(box, outer, None if outer is None else outer + style.unit)


def add(text: str, spot: Spot, body: str, style: Style) -> str:
    """Insert after the last item; into an empty box, right after its opening bracket."""
    box, indent = spot.box, spot.indent
    if box.items:
        at = box.items[-1].end
        gap = style.gap if indent is None else style.eol + indent
        return f"{text[:at]},{gap}{body}{text[at:]}"
    at = box.opening + 1
    if indent is None:
        return text[:at] + body + text[at:]
    closes_on_its_own_line = "\n" in text[at : box.closing]
    tail = "" if closes_on_its_own_line else style.eol + (spot.outer or "")
    return f"{text[:at]}{style.eol}{indent}{body}{tail}{text[at:]}"


def cut(text: str, box: Box, index: int) -> str:
    """Take one item out, with its comma and the white space that led to it."""
    items = box.items
    if len(items) == 1:
        return text[: box.opening + 1] + text[box.closing :]
    if index:
        return text[: items[index - 1].end] + text[items[index].end :]
    return text[: items[0].start] + text[items[1].start :]


def style_of(text: str) -> Style:
    """The style of an object's text, judged by its first member."""
    root = box_at(text, skip(text, 0))
    eol = "\r\n" if "\r\n" in text else "\n"
    if not root.items:
        return Style(eol, "  ", ": ")
    first = root.items[0]
    unit = _indent_before(text, first)
    colon = text[first.start : first.value].rpartition('"')[2]
    return Style(eol, "  " if unit is None else unit, ": " if "\n" in colon else colon)


def _indent_before(text: str, item: Item) -> str | None:
    lead = text[len(text[: item.start].rstrip(WHITE)) : item.start]
    return lead.rpartition("\n")[2] if "\n" in lead else None


def skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in WHITE:
        at += 1
    return at


def place(text: str, *keys: str) -> str:
    """Say where the value under these keys stands, as people count."""
    at = skip(text, 0)
    for key in keys:
        found = box_at(text, at).last(key)
        at = found.value if found else at
    line, start = text.count("\n", 0, at) + 1, text.rfind("\n", 0, at)
    return f"line {line}, column {at - start}"


def _refuse(word: str) -> NoReturn:
    raise ValueError(f"it holds {word}, which is no value in JSON")


# Numbers stay text: they are never computed with, and one may be longer than Python converts.
_decoder = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=_refuse)


def as_read(value: object) -> object:
    """A value as `decode` would give it back."""
    return decode(json.dumps(value))


def decode(text: str) -> object:
    """Read a whole text. Raises ValueError whose words complete the sentence "unreadable: …"."""
    try:
        value: object = _decoder.decode(text)
    except json.JSONDecodeError as cause:
        raise ValueError(_what_is_wrong(text, cause)) from cause
    except RecursionError as cause:
        raise ValueError("it is nested too deeply") from cause
    return value


def value_at(text: str, at: int) -> tuple[object, int]:
    value, end = _decoder.raw_decode(text, at)
    return value, end


def _what_is_wrong(text: str, error: json.JSONDecodeError) -> str:
    where = f"line {error.lineno}, column {error.colno}"
    if text[skip(text, error.pos) :].startswith(("//", "/*")):
        return f"{where}: there is a comment, and JSON has none"
    return f"{where}: it is not JSON ({error.msg[0].lower()}{error.msg[1:]})"
