"""Write docs/reference/{api,cli,errors,events,facts}.md and README's list of verbs from the code.

python -m tools.reference            write them
python -m tools.reference --check    fail if one is stale
"""

import sys
from collections.abc import Callable, Iterator, Mapping
from inspect import cleandoc
from pathlib import Path
from typing import Final

import click
import msgspec

from tools.api_reference import api_page, events_page
from turnkeeper.cli.main import VERBS, turnkeeper
from turnkeeper.errors import TurnkeeperError
from turnkeeper.facts.kinds import Word

ROOT: Final = Path(__file__).parent.parent
REFERENCE: Final = ROOT / "docs" / "reference"
README: Final = ROOT / "README.md"
WIDTH: Final = 100
VERBS_BEGIN: Final = "<!-- verbs: made by tools/reference.py -->"
VERBS_END: Final = "<!-- end of verbs -->"

MADE: Final = "<!-- Made by tools/reference.py from {source}. Do not edit: run it again. -->\n"


def cli_page() -> str:
    """Every verb's own --help, verbs within verbs too."""
    parts = [MADE.format(source="the verbs themselves"), "# The command line\n"]
    for context in contexts(turnkeeper, "turnkeeper", None):
        level = "#" * (context.command_path.count(" ") + 2)
        lines = (line.rstrip() for line in context.get_help().splitlines())
        shown = "\n".join(lines)
        parts.append(f"{level} `{context.command_path}`\n\n```text\n{shown}\n```\n")
    return "\n".join(parts)


def contexts(
    command: click.Command, name: str, parent: click.Context | None
) -> Iterator[click.Context]:
    context = click.Context(
        command,
        parent,
        name,
        terminal_width=WIDTH,
        max_content_width=WIDTH,
        help_option_names=["-h", "--help"],
    )
    yield context
    if isinstance(command, click.Group):
        for verb in command.list_commands(context):
            child = command.get_command(context, verb)
            assert child is not None
            yield from contexts(child, verb, context)


def errors_page() -> str:
    """Every failure we can explain, with its exit status and what to do about it."""
    rows = (
        f"| `{error.__name__}` | {situation(error)} | {error.exit_code} | {error.hint} |"
        for error in errors(TurnkeeperError)
    )
    parts = (
        MADE.format(source="src/turnkeeper/errors.py"),
        "# What can go wrong\n",
        "Each of these is told in one sentence on standard error, with a hint where there is one.",
        "Anything else that goes wrong is a bug and keeps its traceback.\n",
        "| error | situation | exit status | what to do |",
        "|---|---|---|---|",
        *rows,
    )
    return "\n".join(parts) + "\n"


def errors(root: type[TurnkeeperError]) -> Iterator[type[TurnkeeperError]]:
    for error in root.__subclasses__():
        yield error
        yield from errors(error)


def situation(error: type[TurnkeeperError]) -> str:
    """The words beside the error in the tree that errors.py draws."""
    tree = sys.modules[TurnkeeperError.__module__].__doc__ or ""
    for line in tree.splitlines():
        name, _, said = line.lstrip(" │├└─").partition(" ")
        if name == error.__name__:
            return said.strip()
    return ""


def facts_page() -> str:
    """Every word of the journal, with its fields."""
    parts = (
        MADE.format(source="src/turnkeeper/facts/kinds.py"),
        "# Kinds of fact\n",
        "What can happen to a session, as the journal spells it. Every fact also carries its key,",
        "session, source, the time it happened and the time it was heard (`facts/fact.py`).\n",
        *(fact_chapter(word) for word in Word.__subclasses__()),
    )
    return "\n".join(parts)


def fact_chapter(word: type[Word]) -> str:
    lines = [f"## `{word.__struct_config__.tag}`", ""]
    if word.__doc__ and "__doc__" in vars(word):
        lines += [*cleandoc(word.__doc__).splitlines(), ""]
    lines += ["| field | type | if absent |", "|---|---|---|"]
    lines += [field_row(field) for field in msgspec.structs.fields(word)]
    return "\n".join(lines) + "\n"


def field_row(field: msgspec.structs.FieldInfo) -> str:
    shown = getattr(field.type, "__name__", None) if isinstance(field.type, type) else None
    kind = (shown or str(field.type)).replace("turnkeeper.facts.kinds.", "").replace("|", "or")
    absent = "*required*" if field.required else absent_value(field.default)
    return f"| `{field.name}` | {kind} | {absent} |"


def absent_value(default: object) -> str:
    if isinstance(default, msgspec.Raw):
        default = bytes(default).decode()
    empty = default == "" or default is msgspec.NODEFAULT  # one that is made anew each time
    return "empty" if empty else f"`{default}`"


def readme_page() -> str:
    """README as it is, with the list of verbs between its marks made anew."""
    before, begin, rest = README.read_text(encoding="utf-8").partition(VERBS_BEGIN)
    _, end, after = rest.partition(VERBS_END)
    if not begin or not end:
        raise SystemExit(f"README.md has lost the marks {VERBS_BEGIN} and {VERBS_END}")
    rows = "\n".join(f"| `turnkeeper {verb}` | {said} |" for verb, said in sorted(VERBS.items()))
    return f"{before}{begin}\n| verb | what it does |\n|---|---|\n{rows}\n{end}{after}"


PAGES: Final[Mapping[Path, Callable[[], str]]] = {
    REFERENCE / "api.md": lambda: api_page(MADE),
    REFERENCE / "events.md": lambda: events_page(MADE),
    REFERENCE / "cli.md": cli_page,
    REFERENCE / "errors.md": errors_page,
    REFERENCE / "facts.md": facts_page,
    README: readme_page,
}


def stale() -> list[Path]:
    return [
        page
        for page, made in PAGES.items()
        if not page.exists() or page.read_text(encoding="utf-8") != made()
    ]


def main(arguments: list[str]) -> int:
    behind = stale()
    if "--check" in arguments:
        for page in behind:
            print(f"{page.relative_to(ROOT)} is stale: run `make reference`", file=sys.stderr)
        return 1 if behind else 0
    REFERENCE.mkdir(parents=True, exist_ok=True)
    for page in behind:
        page.write_text(PAGES[page](), encoding="utf-8")
        print(f"wrote {page.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
