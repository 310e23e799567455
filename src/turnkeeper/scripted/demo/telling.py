"""How the stories of the demo are written down."""

import re
from dataclasses import dataclass
from textwrap import dedent
from typing import Final

from turnkeeper.scripted.steps import AnyStep, Permission, Tool

Steps = tuple[AnyStep, ...]

BEGINS: Final = re.compile(r"\s*(?:[-*#] |\d+\. |\||```)")
"""How a line begins that is no continuation: of a list, a heading, a table, code."""


@dataclass(frozen=True, slots=True)
class Chapter:
    """One thing a person asks an agent for, and what comes of it.

    Where a chapter opens the demo, the curtain rises between `steps` and `rest`.
    """

    title: str
    steps: Steps
    rest: Steps = ()


@dataclass(frozen=True, slots=True)
class Character:
    """An agent of the demo: where it works, and what it does, chapter by chapter.

    It began `hours` ago. The chapters before `opening` are over when the curtain rises.
    """

    project: str
    branch: str
    chapters: tuple[Chapter, ...]
    hours: float
    opening: int = 0
    model: str = "claude-opus-5-5"


def plain(text: str) -> str:
    """A text of several lines, without the indentation of the code around it."""
    return dedent(text).strip()


def md(text: str) -> str:
    """Markdown as a model writes it: a paragraph is one line, however long."""
    told: list[str] = []
    fenced = False
    for line in plain(text).splitlines():
        fence = line.startswith("```")
        if told and joins(told[-1], line) and not (fence or fenced):
            told[-1] = f"{told[-1]} {line.strip()}"
        else:
            told.append(line)
        fenced ^= fence
    return "\n".join(told)


def joins(before: str, line: str) -> bool:
    """Whether a line goes on with the paragraph or list item before it."""
    alone = before.startswith(("#", "|", "```"))
    return bool(before and line) and not alone and not BEGINS.match(line)


def run(
    command: str, result: str | None, why: str, *, seconds: float = 3.0, failed: bool = False
) -> Tool:
    """A command in the shell; without a result it still runs when the next step comes."""
    said: dict[str, object] = {"command": command, "description": why}
    told = None if result is None else plain(result)
    return Tool("Bash", said, told, seconds=seconds, failed=failed)


def read(path: str, result: str) -> Tool:
    lines = enumerate(plain(result).splitlines(), 1)
    shown = "\n".join(f"{number:>6}\t{line}" for number, line in lines)
    return Tool("Read", {"file_path": path}, shown, seconds=0.4)


def grep(pattern: str, path: str, result: str) -> Tool:
    said: dict[str, object] = {"pattern": pattern, "path": path, "output_mode": "content"}
    return Tool("Grep", said, plain(result), seconds=0.6)


def edit(path: str, old: str, new: str) -> Tool:
    said: dict[str, object] = {
        "file_path": path,
        "old_string": plain(old),
        "new_string": plain(new),
    }
    return Tool("Edit", said, f"The file {path} has been updated successfully.", seconds=0.8)


def write(path: str, content: str) -> Tool:
    said: dict[str, object] = {"file_path": path, "content": plain(content) + "\n"}
    return Tool("Write", said, f"File created successfully at: {path}", seconds=0.8)


def ask(*calls: Tool) -> Permission:
    """Calls that need a person's leave."""
    return Permission(calls)
