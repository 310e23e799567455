"""A conversation as Markdown. What was said is quoted or fenced, so nothing in it can begin or end
what is ours: no heading, no fence, no markup."""

import re
from html import escape
from typing import Final

from turnkeeper.facts.words import Actor
from turnkeeper.projections.cards import Card
from turnkeeper.projections.shown import TurnTold
from turnkeeper.projections.turns import TurnKind
from turnkeeper.projections.wording import one_line

_MARKS: Final = re.compile(r"([\\`*_{}\[\]<>#|~!])")
_BACKTICKS: Final = re.compile(r"`+")
SHORTEST_FENCE: Final = 3
_PICTURES: Final = {code: 0x2400 + code for code in range(0x20) if chr(code) not in "\t\n"}
_STEERING: Final = _PICTURES | {0x7F: 0x2421} | dict.fromkeys(range(0x80, 0xA0), 0xFFFD)
"""What would steer a terminal, and a character that can be seen instead."""

_KINDS: Final = {
    TurnKind.INJECTED: "Background",
    TurnKind.SLASH: "Slash command",
    TurnKind.SUMMARY: "Summary",
    TurnKind.NOTICE: "Notice",
}


def title_of(card: Card) -> str:
    """How an export begins: who it is, where it worked, and when."""
    branch = f" on {code(card.branch)}" if card.branch else ""
    lines = (
        f"# {plain(card.name)}",
        "",
        f"- Project: {code(card.cwd)}{branch}",
        f"- Sessions: {', '.join(map(code, card.sessions))}",
        f"- Time: {card.first_at or 'unknown'} to {card.last_at or 'unknown'}",
        f"- Standing: {card.standing.replace('_', ' ')}",
    )
    return "\n".join(lines) + "\n"


def heading_of(label: str, *, continued: bool) -> str:
    """Where a command begins, or goes on."""
    return f"\n## {plain(label) or 'A command'}{' (continued)' if continued else ''}\n"


def turn_of(turn: TurnTold, tool: str) -> str:
    """One turn. `tool` is the tool that a result is of."""
    if turn.kind == TurnKind.TOOL:
        return _call(turn, tool)
    who = _KINDS.get(TurnKind(turn.kind)) or turn.actor.capitalize()
    return f"\n**{who}{_aside(turn)}** · {turn.happened_at}\n\n{quoted(turn.text)}\n"


def _call(turn: TurnTold, tool: str) -> str:
    began = turn.actor == Actor.AGENT
    name = escape(one_line(tool)) or "a tool"
    does = name if began else f"{name} gave"
    how = f" · {turn.outcome}" if turn.outcome else ""
    summary = f"{does}{_aside(turn)}{how} · {turn.happened_at}"
    block = fenced(turn.text, "json" if began else "text")
    return f"\n<details><summary>{summary}</summary>\n\n{block}\n\n</details>\n"


def _aside(turn: TurnTold) -> str:
    return f" (sub-agent {escape(one_line(turn.thread))})" if turn.thread else ""


def quoted(text: str) -> str:
    lines = _readable(text).split("\n")
    return "\n".join(f"> {line}".rstrip() for line in lines)


def fenced(text: str, language: str) -> str:
    """A block that nothing inside can end: its fence is longer than any run of backticks."""
    shown = _readable(text)
    fence = "`" * max(SHORTEST_FENCE, _longest_run(shown) + 1)
    return f"{fence}{language}\n{shown}\n{fence}"


def code(text: str) -> str:
    """A few words as they are."""
    shown = one_line(text)
    fence = "`" * (_longest_run(shown) + 1)
    space = " " if shown.startswith("`") or shown.endswith("`") else ""
    return f"{fence}{space}{shown}{space}{fence}" if shown else "unknown"


def plain(text: str) -> str:
    """One line that no mark in it changes."""
    return _MARKS.sub(r"\\\1", one_line(text))


def _longest_run(text: str) -> int:
    return max(map(len, _BACKTICKS.findall(text)), default=0)


def _readable(text: str) -> str:
    """The text with one kind of line end, and nothing in it that steers a terminal."""
    return text.replace("\r\n", "\n").translate(_STEERING)
