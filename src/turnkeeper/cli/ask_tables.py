"""How the queue looks in the terminal."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from turnkeeper.cli.tables import ago, brief, plain_table
from turnkeeper.facts.fact import Moment

if TYPE_CHECKING:
    from turnkeeper.desk.asks import AskTold

SHAPES = {
    "permission": ("!", "magenta"),
    "question": ("?", "yellow"),
    "plan": ("▤", "blue"),
    "words": ("…", "yellow"),
    "error": ("✗", "red"),
}
LONGEST_BODY = 400


def asks_table(asks: "Iterable[AskTold]", now: Moment) -> Table:
    table = plain_table("ask", "kind", "agent", "for", "what", "answer")
    for each in asks:
        shape, colour = SHAPES.get(each.kind, ("·", "white"))
        kind = Text(f"{shape} {each.kind}", style=colour)
        name = Text.assemble(each.agent, (f"\n{each.project}", "bright_black"))
        how = _how(each)
        table.add_row(str(each.id), kind, name, ago(each.opened_at, now), _what(each), how)
    return table


def _what(ask: "AskTold") -> Text:
    shown = Text(ask.title, style="bold")
    body = ask.diff or (ask.body if ask.kind == "plan" else "")
    if body:
        shown.append(f"\n{body[:LONGEST_BODY]}", style="not bold")
    for question in ask.questions:
        labels = " / ".join(option.label for option in question.options)
        shown.append(f"\n{brief(question.question)}: {labels}", style="not bold")
    return shown


def _how(ask: "AskTold") -> Text:
    if not ask.decisions:
        return Text("in the terminal", style="italic")
    if ask.kind == "words":
        return Text("in the terminal, or dismiss", style="italic")
    return Text(", ".join(ask.decisions))
