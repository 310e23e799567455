"""`turnkeeper run -- claude …`: a client that is known from its first moment to its last."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from turnkeeper.cli.options import data_option

if TYPE_CHECKING:
    from turnkeeper.sources.run_records import RunRecord


@click.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@data_option
@click.option("--tmux", is_flag=True, help="Open it in a tmux window of its own.")
@click.option("--handed", type=click.Path(path_type=Path, dir_okay=False), hidden=True)
@click.argument("command", nargs=-1, type=click.UNPROCESSED, required=True)
def run(data: Path | None, *, tmux: bool, handed: Path | None, command: tuple[str, ...]) -> None:
    """Run a client, and see its start and its end.

    It behaves as if it had been started without us: the terminal, the signals and the exit
    status are its own. It runs whether or not a daemon does.
    """
    import os
    import shutil

    from turnkeeper.cli.tmux import open_window, take_over
    from turnkeeper.daemon.settings import settings
    from turnkeeper.errors import ProgramMissing

    if handed is not None:
        take_over(handed)
    if shutil.which(command[0]) is None:
        raise ProgramMissing(command[0])
    chosen = settings(data)
    if tmux:
        click.echo(open_window(command, chosen.data, dict(os.environ)))
        return
    raise SystemExit(_run(command, chosen.spool))


def _run(command: tuple[str, ...], spool: Path) -> int:
    """Run the client and leave a record of its start and its end, however it comes."""
    import os

    from turnkeeper.sources.claude_launch import environment, plan
    from turnkeeper.sources.clock import fresh_id
    from turnkeeper.sources.run_records import write_record
    from turnkeeper.sources.terminal import run_here

    planned, session = plan(command, fresh_id())
    launches: list[RunRecord] = []

    def launched(pid: int) -> None:
        launches.append(_launch(pid, session, planned[0]))
        write_record(spool, launches[0])

    code: int | None = None
    try:
        code = run_here(planned, environment(os.environ), launched)
        return code
    finally:
        for launch in launches:
            write_record(spool, _end(launch, code))


def _launch(pid: int, session: str, command: str) -> "RunRecord":
    from turnkeeper.sources.clock import SystemClock
    from turnkeeper.sources.process_identity import start_of
    from turnkeeper.sources.run_records import RunRecord

    return RunRecord(
        "launched",
        pid,
        SystemClock().now(),
        session_id=session,
        started=start_of(pid) or "",
        cwd=str(Path.cwd()),
        command=command,
    )


def _end(launch: "RunRecord", code: int | None) -> "RunRecord":
    import msgspec

    from turnkeeper.sources.clock import SystemClock

    return msgspec.structs.replace(
        launch, turnkeeper_event="ended", at=SystemClock().now(), code=code
    )
