"""How the queue looks in the terminal: each ask with all that a person needs to decide."""

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from turnkeeper.cli.tables import ago, plain_table
from turnkeeper.facts.fact import Moment

if TYPE_CHECKING:
    from turnkeeper.desk.asks import AskTold
    from turnkeeper.sources.claude_asks import Question

SHAPES = {
    "permission": ("!", "magenta"),
    "question": ("?", "yellow"),
    "plan": ("▤", "blue"),
    "words": ("…", "yellow"),
    "error": ("✗", "red"),
}
MOST_LINES = 12
LONGEST_LINE = 400
QUIET = "bright_black"
_STEERING = {code: 0x2400 + code for code in range(0x20) if chr(code) not in "\t\n"}
_STEERING |= {0x7F: 0x2421} | dict.fromkeys(range(0x80, 0xA0), 0xFFFD)
_STEERING |= dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A)], 0xFFFD)


def asks_table(asks: "Iterable[AskTold]", now: Moment) -> Table:
    table = plain_table("ask", "kind", "for", "what")
    table.columns[-1].ratio = 1
    table.expand = True
    for name in ("ask", "kind", "for"):
        next(each for each in table.columns if each.header == name).no_wrap = True
    for each in asks:
        shape, colour = SHAPES.get(each.kind, ("·", "white"))
        kind = Text(f"{shape} {each.kind}", style=colour)
        table.add_row(str(each.id), kind, ago(each.opened_at, now), _what(each))
        table.add_row()
    return table


def _what(ask: "AskTold") -> Text:
    shown = Text(harmless(ask.agent), style="bold")
    shown.append(f"  {harmless(ask.project)}", style=f"not bold {QUIET}")
    for line in _lines(ask):
        shown.append(f"\n{line}", style="not bold")
    shown.append(f"\n→ {_how(ask)}", style="not bold italic")
    for each in ask.suggestions if "always" in ask.decisions else ():
        shown.append(f"\n  always: {harmless(each)}", style="not bold italic")
    return shown


def _lines(ask: "AskTold") -> Iterator[str]:
    """What is asked, line by line. What is left out is said: nobody allows what they cannot see."""
    title, body = harmless(ask.title), harmless(ask.body).strip()
    match ask.kind:
        case "permission" if ask.diff:
            yield title
            yield from _bounded(harmless(ask.diff).splitlines()[2:])
        case "permission" if title.endswith("…") or _of_several_lines(ask.input):
            yield f"{harmless(ask.tool or '')}:"
            yield from _bounded(body.splitlines())
        case "question" if ask.questions:
            for question in ask.questions:
                yield from _options(question)
        case "plan" | "error":
            yield from _bounded([line for line in body.splitlines() if line.strip()] or [title])
        case _:
            yield title


def _of_several_lines(given: Mapping[str, object] | None) -> bool:
    command = (given or {}).get("command")
    return isinstance(command, str) and "\n" in command.strip()


def _bounded(lines: list[str]) -> Iterator[str]:
    for line in lines[:MOST_LINES]:
        cut = len(line) - LONGEST_LINE
        yield f"{line[:LONGEST_LINE]} … and {cut} more characters" if cut > 0 else line
    if len(lines) > MOST_LINES:
        yield f"… and {len(lines) - MOST_LINES} more lines; --json has all of it"


def _options(question: "Question") -> Iterator[str]:
    several = " (any of them)" if question.multiple else ""
    header = f"[{harmless(question.header)}] " if question.header else ""
    yield f"{header}{harmless(question.question)}{several}"
    for option in question.options:
        about = f": {harmless(option.description)}" if option.description else ""
        yield f"  - {harmless(option.label)}{about}"


def _how(ask: "AskTold") -> str:
    if not ask.decisions:
        return "in the terminal"
    if ask.kind == "words":
        return "in the terminal; dismiss, if it is no question"
    if ask.kind == "question":
        return "--option LABEL or --text WORDS, deny"
    return ", ".join(ask.decisions)


def harmless(text: str) -> str:
    """What an agent wrote, as a terminal may show it: what would steer the terminal, or turn the
    order of its words around, becomes a sign. Who allows a command sees all of it."""
    return text.translate(_STEERING)
