"""`turnkeeper doctor`: what is wrong, and what to do about it."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from turnkeeper.cli.options import claude_option, data_option, json_option

if TYPE_CHECKING:
    from turnkeeper.daemon.settings import Settings
    from turnkeeper.desk.doctor import Check

PATIENCE = 2.0


@click.command()
@data_option
@claude_option
@json_option
def doctor(data: Path | None, claude_dirs: tuple[Path, ...], *, as_json: bool) -> None:
    """Look for what may be wrong, and say what to do. Exits 1 if there is a problem."""
    import msgspec

    from turnkeeper.daemon.lock import running
    from turnkeeper.daemon.settings import settings
    from turnkeeper.desk.doctor import Verdict, worst

    chosen = settings(data, claude_dirs)
    told = running(chosen)
    checks = [*_of_the_house(chosen, told), *_of_the_clients(chosen, told)]
    if as_json:
        click.echo(msgspec.json.encode(checks))
    else:
        from turnkeeper.cli.tables import checks_table, print_table

        print_table(checks_table(checks))
    if worst(checks) is Verdict.PROBLEM:
        raise SystemExit(1)


def _of_the_house(chosen: "Settings", told: Mapping[str, Any] | None) -> "Iterator[Check]":
    from turnkeeper.daemon.lock import pid_in
    from turnkeeper.daemon.stores import watched
    from turnkeeper.desk import doctor as ask
    from turnkeeper.sources.claude_processes import since
    from turnkeeper.sources.clock import SystemClock

    pid, runs = pid_in(told or {}), told is not None
    url = str((told or {}).get("url") or "")
    now = SystemClock().now()
    yield ask.check_version()
    yield ask.check_daemon(pid, since(pid) if pid else None, held=runs)
    if url:
        yield ask.check_health(_health(url, chosen.data))
    yield ask.check_data_folder(chosen.data)
    yield ask.check_files(chosen.data)
    yield ask.check_disk(chosen.data)
    yield ask.check_database(
        "journal", chosen.journal, "stop the daemon, keep the file, restore a backup"
    )
    board = ask.check_database("board", chosen.board, "turnkeeper stop; turnkeeper rebuild")
    yield board
    if board.verdict is ask.Verdict.OK and chosen.board.exists():
        yield ask.check_troubles(_troubles(chosen))
    yield ask.check_spool(chosen.spool)
    yield ask.check_taken(chosen.spool, now, runs=runs)
    yield ask.check_port(chosen.bind.host, chosen.bind.port, url)
    yield ask.check_inotify(watched(chosen))


def _of_the_clients(chosen: "Settings", told: Mapping[str, Any] | None) -> "Iterator[Check]":
    from turnkeeper.cli.hooks import report
    from turnkeeper.desk import doctor_clients as ask
    from turnkeeper.desk.doctor import warning
    from turnkeeper.errors import TurnkeeperError
    from turnkeeper.sources.claude_processes import running_clients
    from turnkeeper.sources.claude_version import client_version
    from turnkeeper.sources.clock import SystemClock

    folders = [Path(each) for each in (told or {}).get("folders", [])] or list(chosen.claude_dirs)
    clients, now = running_clients(), SystemClock().now()
    installed = True
    for folder in folders:
        try:
            said = report(chosen.data, folder, last_heard={})
        except TurnkeeperError as problem:
            yield warning("hooks", str(problem), problem.hint)
            continue
        installed = installed and said.complete
        yield ask.check_hooks_installed(
            said.settings, complete=said.complete, hindrances=said.hindrances
        )
    yield ask.check_hooks_heard(_living(chosen), now, installed=installed)
    yield ask.check_unwatched(clients, folders)
    yield ask.check_old_clients(clients)
    yield ask.check_registry(clients, now)
    yield ask.check_client_version(client_version(folders[0]))
    yield ask.check_clock(folders, now)


def _health(url: str, data: Path) -> dict[str, object] | None:
    """What the daemon says of itself, if it answers us."""
    import json
    import urllib.request

    try:
        token = (data / "token").read_text().strip()
        asked = urllib.request.Request(
            f"{url.rstrip('/')}/api/health", headers={"Authorization": f"Bearer {token}"}
        )
        with urllib.request.urlopen(asked, timeout=PATIENCE) as answer:
            said = json.load(answer)
    except (OSError, ValueError):
        return None
    return said if isinstance(said, dict) else None


def _troubles(chosen: "Settings") -> int:
    from turnkeeper.daemon.stores import open_board

    with open_board(chosen) as store:
        return len(store.troubles())


def _living(chosen: "Settings") -> list[Any]:
    """The agents that are alive by the board. One that cannot be read is another check's matter."""
    from turnkeeper.daemon.stores import open_board
    from turnkeeper.errors import TurnkeeperError

    if not chosen.board.exists():
        return []
    try:
        with open_board(chosen) as store:
            return list(store.living())
    except TurnkeeperError:
        return []
