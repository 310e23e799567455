"""Put our hooks into the text of a settings file, and take them out again. Pure.

Nothing is parsed and written anew: a person's file keeps its indentation, its order of keys, its
line ends, its escapes and its numbers. Entries are inserted in the file's own style, replaced
where they stand, or cut out; every other character stays where it is. The file itself is read and
written in claude_settings_file.py.
"""

from collections.abc import Collection, Iterator, Mapping
from enum import StrEnum
from typing import Final

from turnkeeper.errors import SettingsUnreadable
from turnkeeper.sources.claude_hook_commands import EVENTS, MARK, Entry
from turnkeeper.sources.json_text import (
    WHITE,
    Box,
    add,
    as_read,
    box_at,
    cut,
    decode,
    place,
    skip,
    spot_at,
    style_of,
    value_at,
)

BOM: Final = "\ufeff"
HOOKS: Final = "hooks"
FILE: Final = "settings.json"


class State(StrEnum):
    """How one event stands in a settings file."""

    INSTALLED = "installed"
    MISSING = "missing"
    OUTDATED = "outdated"
    LEFT_OUT = "not known to this client"


def plan_install(text: str, entries: Mapping[str, Entry], *, file: str = FILE) -> str:
    """Say how the file reads with exactly these entries of ours in it.

    Entries of ours that differ are replaced where they stand, those for other events are cut
    out, and those that are right stay: asking again changes nothing. An empty text is a file
    that does not exist yet.
    """
    bom, body = _without_bom(text)
    body = body if body.strip(WHITE) else "{}\n"
    _check(body, entries, file)
    for event, entry in entries.items():
        body = _put(body, event, entry)
    return bom + _taken_out(body, but=entries, kept=())


def plan_uninstall(text: str, *, before: str = "", file: str = FILE) -> str:
    """Say how the file reads without any entry of ours.

    Lists and objects that are empty without us go too, unless they stood in `before`, the text
    as it was when we came.
    """
    bom, body = _without_bom(text)
    if not body.strip(WHITE):
        return text
    _check(body, (), file)
    return bom + _taken_out(body, but=(), kept=_containers(before))


def standing(text: str, entries: Mapping[str, Entry], *, file: str = FILE) -> dict[str, State]:
    """Say for each event we know of how it stands, measured by the entries that should be there."""
    body = _without_bom(text)[1]
    if body.strip(WHITE):
        _check(body, entries, file)
    found: dict[str, list[object]] = {}
    for event, array, index in _own(body):
        found.setdefault(event, []).append(value_at(body, array.items[index].value)[0])
    return {event: _state(found.get(event, []), entries.get(event)) for event in EVENTS}


def says(text: str, key: str) -> object:
    """The value of one top-level setting, or None. A text that cannot be read says nothing."""
    try:
        document = decode(_without_bom(text)[1])
    except ValueError:
        return None
    return document.get(key) if isinstance(document, dict) else None


def hindrances(text: str, managed: str = "") -> list[str]:
    """Say what keeps installed hooks from being run, in sentences."""
    said = {
        "disableAllHooks is set in the settings, so the client runs no hook": says(
            text, "disableAllHooks"
        ),
        "An administrator has set disableAllHooks, so the client runs no hook": says(
            managed, "disableAllHooks"
        ),
        "An administrator allows only managed hooks (allowManagedHooksOnly)": says(
            managed, "allowManagedHooksOnly"
        ),
    }
    return [sentence for sentence, value in said.items() if value is True]


def _state(found: list[object], wanted: Entry | None) -> State:
    if wanted is None:
        return State.OUTDATED if found else State.LEFT_OUT
    if not found:
        return State.MISSING
    return State.INSTALLED if found == [as_read(wanted)] else State.OUTDATED


def _put(text: str, event: str, entry: Entry) -> str:
    style = style_of(text)
    root = spot_at(text, skip(text, 0), "", style)
    hooks_item = root.box.last(HOOKS)
    if hooks_item is None:
        body = style.member(HOOKS, {event: [entry]}, root.indent)
        return add(text, root, body, style)
    hooks = spot_at(text, hooks_item.value, root.indent, style)
    event_item = hooks.box.last(event)
    if event_item is None:
        return add(text, hooks, style.member(event, [entry], hooks.indent), style)
    array = spot_at(text, event_item.value, hooks.indent, style)
    own = [index for index in range(len(array.box.items)) if _is_own(text, array.box, index)]
    if not own:
        return add(text, array, style.render(entry, array.indent), style)
    for index in reversed(own[1:]):
        text = cut(text, array.box, index)
    first = array.box.items[own[0]]
    if value_at(text, first.value)[0] == as_read(entry):
        return text
    return text[: first.start] + style.render(entry, array.indent) + text[first.end :]


def _taken_out(text: str, *, but: Collection[str], kept: Collection[str]) -> str:
    """Cut our entries for all events but these, and what is empty without them."""
    while (found := next((own for own in _own(text) if own[0] not in but), None)) is not None:
        event, array, index = found
        text = cut(text, array, index)
        if len(array.items) == 1 and event not in kept:
            text = _without_event(text, event, kept)
    return text


def _without_event(text: str, event: str, kept: Collection[str]) -> str:
    root = box_at(text, skip(text, 0))
    at = _index(root, HOOKS)
    hooks = box_at(text, root.items[at].value)
    if len(hooks.items) == 1 and HOOKS not in kept:
        return cut(text, root, at)
    return cut(text, hooks, _index(hooks, event))


def _index(box: Box, key: str) -> int:
    return max(index for index, item in enumerate(box.items) if item.key == key)


def _own(text: str) -> Iterator[tuple[str, Box, int]]:
    """Our entries: the event, the list, and the place in it."""
    hooks = _hooks(text)
    for item in hooks.items if hooks else ():
        if hooks and hooks.last(item.key) is item and text[item.value] == "[":
            array = box_at(text, item.value)
            for index in range(len(array.items)):
                if _is_own(text, array, index):
                    yield item.key, array, index


def _is_own(text: str, array: Box, index: int) -> bool:
    value, _ = value_at(text, array.items[index].value)
    return isinstance(value, dict) and MARK in value


def _containers(text: str) -> frozenset[str]:
    """The names that stand in this text: its events, and the word hooks itself."""
    hooks = says(text, HOOKS)
    return frozenset({HOOKS, *hooks}) if isinstance(hooks, dict) else frozenset()


def _hooks(text: str) -> Box | None:
    found = box_at(text, skip(text, 0)).last(HOOKS) if text.strip(WHITE) else None
    return box_at(text, found.value) if found else None


def _without_bom(text: str) -> tuple[str, str]:
    return (BOM, text[1:]) if text.startswith(BOM) else ("", text)


def _check(text: str, events: Collection[str], file: str) -> None:
    """Refuse a text in which our entries would have no safe place."""
    try:
        document = decode(text)
    except ValueError as cause:
        raise SettingsUnreadable(file, str(cause)) from cause
    if not isinstance(document, dict):
        raise SettingsUnreadable(file, "line 1: it holds something else than an object { … }")
    hooks = document.get(HOOKS, {})
    if not isinstance(hooks, dict):
        where = place(text, HOOKS)
        raise SettingsUnreadable(file, f'{where}: "hooks" is not an object {{ … }}')
    for event in events:
        if not isinstance(hooks.get(event, []), list):
            where = place(text, HOOKS, event)
            raise SettingsUnreadable(file, f"{where}: the hooks of {event} are not a list [ … ]")
