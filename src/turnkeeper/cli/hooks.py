"""`turnkeeper hooks`: let Claude Code tell us what happens, and stop it again."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypeVar

import click

from turnkeeper.facts.fact import Moment

Verb = TypeVar("Verb", bound=Callable[..., None])


@dataclass(frozen=True, slots=True)
class EventReport:
    event: str
    state: str
    pace: str
    writes: str
    last_heard: str | None


@dataclass(frozen=True, slots=True)
class Report:
    """What `status` says. `complete`: every event this client knows is installed and current."""

    settings: str
    data: str
    client_version: str | None
    complete: bool
    spool: bool
    hindrances: list[str]
    events: list[EventReport]


def _folders(verb: Verb) -> Verb:
    folder = click.Path(file_okay=False, path_type=Path)
    data = click.option(
        "--data",
        type=folder,
        envvar="TURNKEEPER_DATA",
        default=_default_data,
        help="Turnkeeper's own folder.  [env: TURNKEEPER_DATA]",
    )
    claude_dir = click.option(
        "--claude-dir",
        type=folder,
        envvar="CLAUDE_CONFIG_DIR",
        default=lambda: Path.home() / ".claude",
        help="The client's folder.  [env: CLAUDE_CONFIG_DIR; default: ~/.claude]",
    )
    return data(claude_dir(verb))


def _default_data() -> Path:
    from platformdirs import user_data_dir

    return Path(user_data_dir("turnkeeper"))


_dry_run = click.option("--dry-run", is_flag=True, help="Show the change and make none.")


@click.group()
def hooks() -> None:
    """Let Claude Code tell Turnkeeper what happens, at no cost to it."""


@hooks.command()
@_folders
@_dry_run
def install(data: Path, claude_dir: Path, dry_run: bool) -> None:
    """Add Turnkeeper's hooks to settings.json. Everything else in it stays as it is."""
    from turnkeeper.sources import claude_settings_file as files
    from turnkeeper.sources.claude_hook_commands import EVENTS, entries
    from turnkeeper.sources.claude_version import client_version

    file, version = files.settings_file(claude_dir), client_version(claude_dir)
    wanted = entries(data, version)
    if dry_run:
        before = files.read(file)
        _show(file, before, files.after_install(before, wanted, file))
        return
    change = files.install(file, wanted, data)
    if change.before == change.after:
        click.echo(f"The hooks are installed in {file} already; nothing changed.")
    else:
        click.echo(f"Installed hooks for {len(wanted)} events in {file} ({_client(version)}).")
        _say_backup(files.recall(data, file), data)
    left_out = [event for event in EVENTS if event not in wanted]
    if left_out:
        click.echo(f"This client does not know {_listed(left_out)}; they are left out.")
    _warn(_hindrances(file))
    click.echo("Next: `turnkeeper up`. Sessions that already run take the hooks up by themselves.")


@hooks.command()
@_folders
@_dry_run
def uninstall(data: Path, claude_dir: Path, dry_run: bool) -> None:
    """Take Turnkeeper's hooks out of settings.json again."""
    from turnkeeper.sources import claude_settings_file as files

    file = files.settings_file(claude_dir)
    memory = files.recall(data, file)
    if dry_run:
        before = files.read(file)
        _show(file, before, files.after_uninstall(before, memory, file))
        return
    change = files.uninstall(file, data)
    if change.before == change.after:
        click.echo(f"No hooks of Turnkeeper are in {file}; nothing changed.")
    elif change.after is None:
        click.echo(f"Removed the hooks, and {file} with them: it did not exist before.")
    elif memory is not None and change.after == memory.original:
        click.echo(f"Removed the hooks; {file} is what it was before, byte for byte.")
    else:
        click.echo(
            f"Removed the hooks from {file}; the rest of it has changed since they were installed "
            "and is left as it is."
        )


@hooks.command()
@_folders
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@_dry_run
def status(data: Path, claude_dir: Path, as_json: bool, dry_run: bool) -> None:
    """Say what is installed, for which client, and when each event was last heard."""
    del dry_run  # status changes nothing anyway
    said = report(data, claude_dir, last_heard=heard(data))
    if as_json:
        click.echo(json.dumps(asdict(said), ensure_ascii=False, indent=2))
        return
    _show_report(said)


def report(data: Path, claude_dir: Path, *, last_heard: Mapping[str, Moment]) -> Report:
    """Compare the settings with what this version would install for this client."""
    from turnkeeper.sources import claude_settings_file as files
    from turnkeeper.sources.claude_hook_commands import HOOKS, entries
    from turnkeeper.sources.claude_settings import State, standing
    from turnkeeper.sources.claude_version import client_version

    file, version = files.settings_file(claude_dir), client_version(claude_dir)
    text = files.text_of(files.read(file), file)
    states = standing(text, entries(data, version), file=str(file))
    return Report(
        settings=str(file),
        data=str(data),
        client_version=version,
        complete=set(states.values()) <= {State.INSTALLED, State.LEFT_OUT},
        spool=(data / "spool").is_dir(),
        hindrances=_hindrances(file),
        events=[
            EventReport(
                hook.event,
                states[hook.event],
                hook.pace,
                hook.writes,
                _spoken(last_heard.get(hook.event)),
            )
            for hook in HOOKS
        ],
    )


def heard(data: Path) -> dict[str, Moment]:
    """When each event was last heard, as the daemon noted it. No note means never."""
    try:
        noted: object = json.loads((data / "hooks" / "heard.json").read_bytes())
    except (OSError, ValueError):
        return {}
    moments = noted.items() if isinstance(noted, dict) else ()
    return {event: Moment(at) for event, at in moments if type(at) is int}


def _spoken(moment: Moment | None) -> str | None:
    from datetime import UTC, datetime

    if moment is None:
        return None
    try:
        return datetime.fromtimestamp(moment / 1_000_000, UTC).isoformat(timespec="seconds")
    except (ValueError, OverflowError, OSError):
        return None


def _show_report(said: Report) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table("event", "state", "client waits", "last heard")
    for row in said.events:
        waits = "yes" if row.pace == "sync" else "no"
        table.add_row(row.event, row.state, waits, row.last_heard or "never")
    click.echo(f"Hooks in {said.settings} ({_client(said.client_version)})")
    Console().print(table)
    _warn(said.hindrances)
    click.echo(_next_step(said))


def _next_step(said: Report) -> str:
    if not said.complete or not said.spool:
        return "Next: `turnkeeper hooks install` puts in what is missing or outdated."
    if not any(row.last_heard for row in said.events):
        return "All hooks are installed; nothing was heard yet. Next: `turnkeeper up`."
    return "All hooks are installed."


def _show(file: Path, before: bytes | None, after: bytes | None) -> None:
    from difflib import unified_diff

    from turnkeeper.sources.claude_settings_file import text_of

    if before == after:
        click.echo(f"Nothing would change in {file}.")
        return
    old, new = ("/dev/null" if content is None else str(file) for content in (before, after))
    was, becomes = (_lines(text_of(content, file)) for content in (before, after))
    click.echo("\n".join(unified_diff(was, becomes, old, new, lineterm="")))


def _lines(text: str) -> list[str]:
    """Lines as a diff shows them: only a line feed ends one, and a last one without is marked."""
    *whole, rest = text.split("\n")
    return [*whole, f"{rest}\n\\ No newline at end of file"] if rest else whole


def _hindrances(file: Path) -> list[str]:
    from turnkeeper.sources import claude_settings_file as files
    from turnkeeper.sources.claude_settings import hindrances

    managed = next((path for path in files.MANAGED if path.is_file()), None)
    rules = files.text_of(files.read(managed), managed) if managed else ""
    return hindrances(files.text_of(files.read(file), file), rules)


def _say_backup(memory: object, data: Path) -> None:
    from turnkeeper.sources.claude_settings_file import Memory, backup_file

    if isinstance(memory, Memory) and memory.original is not None:
        click.echo(f"What it was before is kept in {backup_file(data, memory.original)}.")


def _warn(sentences: Iterable[str]) -> None:
    for sentence in sentences:
        click.echo(f"Mind: {sentence}.")


def _client(version: str | None) -> str:
    return f"Claude Code {version}" if version else "no client found, so for the newest"


def _listed(words: list[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if words[1:] else words)
