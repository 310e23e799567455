"""Agents that say, everywhere they can, what must never be more than text.

Every text begins with the name of the place it was put in, so that it can be found again.
"""

from pathlib import Path
from typing import Final

from turnkeeper.scripted.body import Role
from turnkeeper.scripted.faults import Faults
from turnkeeper.scripted.stage import Part
from turnkeeper.scripted.steps import (
    FOREVER,
    Background,
    Compact,
    Delegate,
    Fail,
    Finish,
    Interject,
    Notification,
    Option,
    Permission,
    Plan,
    Prompt,
    Question,
    Result,
    Say,
    Title,
    Tool,
)
from turnkeeper.scripted.stories import Story, bash, edit

LONG: Final = 1_000_000
MARKUP: Final = (
    "<script>hurt('{0}')</script>",
    "<img src=x onerror=hurt('{0}') class=hurt>",
    "<svg onload=hurt('{0}')><a xlink:href='javascript:hurt()'><text>x</text></a></svg>",
    "<a href='javascript:hurt()' onclick=hurt('{0}') id=hurt>raw</a>",
    "<iframe srcdoc='<script>parent.hurt()</script>'></iframe>",
    "<style>* {{ display: none !important }}</style>",
    "<link rel=stylesheet href=https://hurt.invalid/x.css>",
    "<base href=https://hurt.invalid/><form action=/x><button formaction=/y>send</button></form>",
    "<meta http-equiv=refresh content='0;url=https://hurt.invalid'>",
    "<div id=main name=live class=hurt style='position:fixed;inset:0'>cover</div>",
    "<math><mtext><table><mglyph><style><img src=x onerror=hurt()></style></mglyph></table></math>",
    "\"' onmouseover=hurt('{0}') autofocus onfocus=hurt() x='",
    "{{@html '<b>'}} ${{hurt()}} {{{{constructor.constructor('hurt()')()}}}}",
)
MARKDOWN: Final = (
    "[link](javascript:hurt('{0}')) [entity](&#106;avascript:hurt()) [tab](java\tscript:hurt())",
    "![pixel](https://hurt.invalid/pixel.png) [data](data:text/html,<script>hurt()</script>)",
    "<javascript:hurt()> [ref][r]\n\n[r]: javascript:hurt() 'x' onclick='hurt()'\n",
    '[title](https://example.com "\\" onclick=hurt() class=hurt")',
    "```html\n<script>hurt('{0}')</script>\n```",
    "| <img src=x onerror=hurt()> | `<b class=hurt>` |\n|---|---|\n| <i id=hurt>cell</i> | x |",
)
SIGNS: Final = (
    "\x1b[31mred\x1b[0m \x1b]0;title\x07 \x9b1m \x08\x7f nul\x00nul "
    "\u202egnp.exe\u202c \u2066alone\u2069 zero\u200bwidth\ufeff שלום עולם مرحبا "
    "👩\u200d👩\u200d👧 🦆 line\u2028line Z̸̢͝a̶͙͂l̷̻̈g̵̱̾o̴̰̅"
)


def hostile(place: str) -> str:
    return " ".join([place, *(each.format(place) for each in MARKUP), SIGNS])


def hostile_markdown(place: str) -> str:
    return "\n\n".join([hostile(place), *(each.format(place) for each in MARKDOWN), SIGNS])


TALK: Final[Story] = (
    Prompt(hostile("in-prompt")),
    Title(hostile("in-title")),
    Say(hostile_markdown("in-words")),
    Tool(
        hostile("in-tool"),
        {hostile("in-key"): hostile("in-value"), "nested": [{"<b>": hostile("in-nested")}, None]},
        hostile("in-output"),
    ),
    edit(hostile("in-path"), hostile("in-old"), hostile("in-new")),
    bash(hostile("in-command"), hostile("in-failure"), failed=True),
    Delegate(
        hostile("in-errand"),
        hostile("in-task"),
        hostile("in-report"),
        (bash(hostile("in-helper"), hostile("in-found")),),
    ),
    bash("make docs", None),
    Interject(hostile("in-interjection")),
    Result(hostile("in-result")),
    Finish(hostile_markdown("in-reply")),
    Notification(),
    Finish(hostile_markdown("in-later")),
    Compact(hostile("in-summary")),
)
LONG_LINES: Final[Story] = (
    Prompt("in-long-prompt " + "z" * LONG),
    bash("cat big", "in-long-output " + "x" * LONG),
    Tool("Write", {"file_path": "/big", "content": "in-long-value " + "<" * LONG}, "ok"),
    Finish("in-long-reply " + "*" * LONG),
)
STORIES: Final[dict[str, Story]] = {
    "talk": TALK,
    "long": LONG_LINES,
    "error": (
        Prompt("Fail."),
        Fail(text=hostile("in-error"), error=hostile("in-error-kind")),
    ),
    "words": (Prompt("Ask."), Finish(hostile_markdown("in-asked") + "\n\nShall I go on?")),
    "tool": (
        Prompt("Use it."),
        Permission(
            (Tool(hostile("in-asked-tool"), {hostile("in-asked-key"): hostile("in-asked-value")}),),
            after=FOREVER,
        ),
    ),
    "command": (
        Prompt("Run it."),
        Permission((bash(hostile("in-asked-command")),), after=FOREVER),
    ),
    "change": (
        Prompt("Change it."),
        Permission(
            (edit(hostile("in-asked-path"), hostile("in-asked-old"), hostile("in-asked-new")),),
            after=FOREVER,
        ),
    ),
    "huge": (
        Prompt("Write it."),
        Permission((bash("in-huge-command " + "x" * LONG),), after=FOREVER),
    ),
    "question": (
        Prompt("Choose."),
        Question(
            hostile("in-question"),
            hostile("in-header"),
            (
                Option(hostile("in-option"), hostile("in-description")),
                Option("in-second-option <b>x</b>"),
            ),
            answer=None,
            after=FOREVER,
        ),
    ),
    "plan": (
        Prompt("Plan."),
        Plan(hostile_markdown("in-plan"), after=FOREVER, filed=True),
    ),
    "background": (
        Prompt("Send it off."),
        Background(hostile("in-background"), hostile("in-purpose")),
        Finish("Sent off."),
    ),
}


def crew(projects: Path) -> list[Part]:
    """Everybody, each in a folder and on a branch of a hostile name."""
    return [
        Part(_role(projects, name), story, Faults(seed=nth))
        for nth, (name, story) in enumerate(STORIES.items(), 1)
    ]


def _role(projects: Path, name: str) -> Role:
    folder = f"in-folder-{name}<img src=x onerror=hurt()>'\"\u202egnp\x1b[1m{{x}}🦆"
    return Role(projects / folder, branch=hostile("in-branch"), model=hostile("in-model")[:200])
