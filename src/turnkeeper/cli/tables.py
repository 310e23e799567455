"""How tables look in the terminal: a word and a shape beside every colour."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from turnkeeper.facts.fact import Moment
from turnkeeper.projections.cards import Card
from turnkeeper.projections.shown import TurnTold
from turnkeeper.projections.wording import one_line

if TYPE_CHECKING:
    # What these come from opens databases; a table needs none.
    from turnkeeper.desk.doctor import Check
    from turnkeeper.desk.inquiry import Why
    from turnkeeper.desk.life import Life
    from turnkeeper.desk.replay import Shown
    from turnkeeper.desk.search import Hit
    from turnkeeper.desk.verify import Verified

SHAPES = {
    "starting": ("◌", "cyan"),
    "running": ("▶", "green"),
    "idle": ("○", "bright_black"),
    "awaiting_input": ("?", "yellow"),
    "awaiting_approval": ("!", "magenta"),
    "error": ("✗", "red"),
    "closed": ("■", "bright_black"),
}


def standing_text(standing: str) -> Text:
    shape, colour = SHAPES.get(standing, ("·", "white"))
    return Text(f"{shape} {standing.replace('_', ' ')}", style=colour)


def plain_table(*columns: str, title: str | None = None) -> Table:
    table = Table(box=None, title=title, title_justify="left", header_style="bold", pad_edge=False)
    for column in columns:
        table.add_column(column, overflow="fold")
    return table


def print_table(table: Table) -> None:
    """Show a table. What people and agents say is no markup, whatever it looks like."""
    Console(markup=False, emoji=False).print(table)


def replay_table(shown: "Iterable[Shown]") -> Table:
    table = plain_table("time", "session", "standing", "status", "command")
    for each in shown:
        when = datetime.fromtimestamp(each.at / 1000, UTC).strftime("%H:%M:%S.%f")[:-3]
        table.add_row(when, each.session[:8], standing_text(each.standing), each.status, each.state)
    return table


def place(card: Card) -> str:
    return one_line(f"{card.cwd} ({card.branch})" if card.branch else card.cwd)


def card_table(card: Card) -> Table:
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    rows: dict[str, str | Text] = {
        "agent": f"{card.id}  {one_line(card.name)}",
        "standing": standing_text(card.standing),
        "status": card.status,
        "command": f"{card.state}: {one_line(card.command.text)}" if card.command else card.state,
        "since": card.since or "",
        "waits for": card.waiting_for or "",
        "tool": f"{card.doing.tool}, since {card.doing.since}" if card.doing else "",
        "context": filling(card),
        "muted": "yes" if card.muted else "",
        "error": one_line(card.error or ""),
        "folder": place(card),
        "session": card.session_id,
        "earlier": ", ".join(card.sessions[:-1]),
        "process": str(card.pid or ""),
        "client": f"{card.version} {card.entrypoint}".strip(),
        "background": "a shell still runs" if card.background else "",
        "note": "open twice: two live processes share this session" if card.open_twice else "",
        "turns": str(card.turns),
        "last words": last_words(card),
    }
    for name, value in rows.items():
        if value:
            table.add_row(name, value)
    return table


def last_words(card: Card) -> str:
    last = card.last_turn
    return f"{last.actor}: {one_line(last.text)}" if last else ""


def filling(card: Card) -> str:
    held = card.context
    return f"{held.tokens:,} of {held.window:,} tokens" if held else ""


def why_table(why: "Why") -> Table:
    title = f"{why.session_id[:8]} is {why.standing} (status {why.status}, command {why.state})"
    table = plain_table("source", "says", "at", "believed", "note", title=title)
    for sign in why.evidence:
        believed = "yes" if sign.believed else "no"
        table.add_row(sign.source, sign.says, sign.at or "", believed, sign.note)
    return table


def turns_table(turns: Iterable[TurnTold]) -> Table:
    table = plain_table("time", "who", "intent", "words")
    for each in turns:
        who = Text(each.actor, style="cyan" if each.actor == "user" else "green")
        words = f"{each.tool or 'result'}: {each.text}" if each.kind == "tool" else each.text
        table.add_row(
            each.happened_at[11:19], who, each.intent or each.kind, Text(brief(words, 600))
        )
    return table


def hits_table(hits: "Iterable[Hit]") -> Table:
    table = plain_table("time", "agent", "who", "words")
    for hit in hits:
        said_by = hit.actor if hit.kind != "tool" else hit.tool or "result"
        who = Text(said_by, style="cyan" if hit.actor == "user" else "green")
        when = hit.happened_at[:16].replace("T", " ")
        table.add_row(when, f"{hit.agent_id}  {one_line(hit.name)}", who, marked(hit))
    return table


def marked(hit: "Hit") -> Text:
    """The snippet with «marks» around what was found, which also stand out without colour."""
    shown, reached = Text(), 0
    for start, end in hit.highlights:
        shown.append(hit.snippet[reached:start])
        shown.append(f"«{hit.snippet[start:end]}»", style="bold")
        reached = end
    return shown.append(hit.snippet[reached:])


def verify_table(verified: "Iterable[Verified]") -> Table:
    names = ("lines", "turns", "bookkeeping", "unreadable", "missing", "duplicates")
    heads = ("lines", "turns", "books", "unread", "missing", "twice")
    table = plain_table("", "session", *heads, "verdict")
    for each in verified:
        counts = [str(getattr(each, name)) for name in names]
        verdict = Text("complete", "green") if each.complete else Text("INCOMPLETE", "bold red")
        table.add_row(str(each.id), each.session_id[:8], *counts, verdict)
    return table


VERDICTS = {"ok": ("✓", "green"), "warning": ("!", "yellow"), "problem": ("✗", "bold red")}


def checks_table(checks: "Iterable[Check]") -> Table:
    table = plain_table("", "check", "what", "what to do")
    for each in checks:
        shape, colour = VERDICTS[each.verdict]
        verdict = Text(f"{shape} {each.verdict}", style=colour)
        table.add_row(verdict, each.name, Text(each.what), Text(each.what_to_do))
    return table


def life_table(life: "Life") -> Table:
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    runs = Text("▶ runs", "green") if life.running else Text("■ does not run", "red")
    held = f"{life.board} of {life.position} facts" + (f", {life.lag} behind" if life.lag else "")
    rows: dict[str, str | Text] = {
        "daemon": runs,
        "version": life.version,
        "pid": str(life.pid or ""),
        "since": life.since or "",
        "at": life.url or "",
        "data": life.data,
        "watches": ", ".join(life.folders),
        "board": held,
        "agents": ", ".join(f"{count} {name}" for name, count in life.agents.items()),
    }
    for name, value in rows.items():
        if value:
            table.add_row(name, value)
    return table


def brief(text: str, longest: int = 80) -> str:
    """One line of a text, without what would steer the terminal."""
    flat = one_line(text)
    return flat if len(flat) <= longest else flat[: longest - 1] + "…"


def ago(moment: str | None, now: Moment) -> str:
    if moment is None:
        return ""
    seconds = int(now / 1_000_000 - datetime.fromisoformat(moment).timestamp())
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= size:
            return f"{seconds // size} {unit}"
    return f"{max(seconds, 0)} s"
