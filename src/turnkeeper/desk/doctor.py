"""What may be wrong with this house: one small question per function, each with what to do."""

import os
import shutil
import socket
import sqlite3
import stat
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from enum import StrEnum
from pathlib import Path
from typing import Final

import msgspec

from turnkeeper import __version__
from turnkeeper.facts.fact import Moment

MEGABYTE: Final = 1024 * 1024
LOW_DISK: Final = 1024 * MEGABYTE
NO_DISK: Final = 100 * MEGABYTE
LARGE_SPOOL: Final = 100 * MEGABYTE
FEW_INSTANCES: Final = 32
LEFT_BEHIND: Final = 60_000_000
"""Microseconds after which a running daemon has read whatever it took."""

INOTIFY: Final = Path("/proc/sys/fs/inotify")
OURS: Final = ("*.db", "*.db-wal", "*.db-shm", "daemon.json", "token*", "hooks/*", "runs/*")


class Verdict(StrEnum):
    OK = "ok"
    WARNING = "warning"
    PROBLEM = "problem"


class Check(msgspec.Struct, frozen=True):
    name: str
    verdict: Verdict
    what: str
    what_to_do: str = ""


def ok(name: str, what: str) -> Check:
    return Check(name, Verdict.OK, what)


def warning(name: str, what: str, what_to_do: str) -> Check:
    return Check(name, Verdict.WARNING, what, what_to_do)


def problem(name: str, what: str, what_to_do: str) -> Check:
    return Check(name, Verdict.PROBLEM, what, what_to_do)


def check_version() -> Check:
    python = ".".join(map(str, sys.version_info[:3]))
    return ok("version", f"Turnkeeper {__version__} on Python {python}, {sys.platform}")


def check_daemon(pid: int | None, since: str | None, *, held: bool) -> Check:
    if pid is not None:
        return ok("daemon", f"it runs as pid {pid} since {since}")
    if held:
        return ok("daemon", "its folder is held, but it has not said who it is: it is starting")
    return warning("daemon", "it does not run: nobody watches", "turnkeeper up")


def check_health(health: Mapping[str, object] | None) -> Check:
    """What the daemon says of itself; None where it does not answer, though it should."""
    if health is None:
        return problem("health", "the daemon does not answer", "turnkeeper logs --level warning")
    failing = health.get("failing")
    if isinstance(failing, list) and failing:
        tasks = ", ".join(map(str, failing))
        what = f"failed within the last minute, and started again: {tasks}"
        return problem("health", what, "turnkeeper logs --level error")
    return ok("health", "every part of the daemon works")


def check_data_folder(data: Path) -> Check:
    name = "data folder"
    if not data.exists():
        return ok(name, f"{data} does not exist yet; `turnkeeper up` makes it")
    if not os.access(data, os.R_OK | os.W_OK | os.X_OK):
        return problem(name, f"{data} cannot be written", f"chmod u+rwx {data}")
    mode = stat.S_IMODE(data.stat().st_mode)
    if mode & 0o077:
        return problem(name, f"{data} is open to others (mode {mode:04o})", f"chmod 700 {data}")
    return ok(name, f"{data} is yours alone")


def check_files(data: Path) -> Check:
    """Whether what holds words or secrets can be read by nobody else."""
    found = (file for pattern in OURS for file in data.glob(pattern) if file.is_file())
    open_to_others = [file for file in found if _mode(file) & 0o077]
    if open_to_others:
        names = ", ".join(sorted(file.name for file in open_to_others))
        paths = " ".join(sorted(map(str, open_to_others)))
        return problem("files", f"others may read {names}", f"chmod 600 {paths}")
    return ok("files", "nobody else may read what is kept")


def check_disk(data: Path) -> Check:
    place = next(folder for folder in (data, *data.parents) if folder.exists())
    free = shutil.disk_usage(place).free
    told = f"{free // MEGABYTE} MB are free where {data} lies"
    if free < NO_DISK:
        return problem("disk", told, "make room: nothing can be kept on a full disk")
    if free < LOW_DISK:
        return warning("disk", told, "make room soon")
    return ok("disk", told)


def check_database(name: str, file: Path, cure: str) -> Check:
    """Whether SQLite finds its own file in order."""
    if not file.exists():
        return ok(name, f"{file.name} does not exist yet")
    try:
        address = f"{file.resolve().as_uri()}?mode=ro"
        with closing(sqlite3.connect(address, uri=True, timeout=5.0)) as connection:
            said = [row[0] for row in connection.execute("PRAGMA quick_check(3)")]
    except sqlite3.Error as cause:
        return problem(name, f"{file} cannot be read: {cause}", cure)
    if said != ["ok"]:
        return problem(name, f"{file} is damaged: {'; '.join(said)}", cure)
    return ok(name, f"{file.name} is in order ({file.stat().st_size // MEGABYTE} MB)")


def check_troubles(troubles: int) -> Check:
    if not troubles:
        return ok("interpretation", "every fact was understood")
    what = f"{troubles} facts could not be interpreted; they are kept and tried again"
    return warning("interpretation", what, "turnkeeper logs --level warning, and report it")


def check_spool(spool: Path) -> Check:
    size = sum(_size(file) for file in spool.rglob("*"))
    if size > LARGE_SPOOL:
        what = f"{size // MEGABYTE} MB wait in {spool}"
        return warning("spool", what, "turnkeeper up reads them; or turnkeeper hooks uninstall")
    return ok("spool", f"{size // 1024} KB wait to be read")


def check_taken(spool: Path, now: Moment, *, runs: bool) -> Check:
    """Files that were taken and not finished: a crash leaves some, a running daemon none."""
    files = [file for file in (spool / "taken").glob("*") if file.is_file()]
    old = [file for file in files if now - _changed(file) > LEFT_BEHIND]
    if old and runs:
        what = f"{len(old)} files in {spool / 'taken'} are taken and not yet kept"
        return problem("taken files", what, "turnkeeper logs --level warning")
    if files and not runs:
        what = f"{len(files)} files were taken by a daemon that has ended"
        return warning("taken files", what, "turnkeeper up: it goes on with them")
    return ok("taken files", "none is left behind")


def check_port(host: str, port: int, url: str | None) -> Check:
    """Whether the daemon could listen. One that runs has its port already."""
    if url:
        return ok("port", f"the daemon listens at {url}")
    with closing(socket.socket(socket.AF_INET, socket.SOCK_STREAM)) as caller:
        caller.settimeout(1.0)
        taken = caller.connect_ex((host, port)) == 0
    if taken:
        what = f"another program listens on {host}:{port}"
        return problem("port", what, "turnkeeper up --port 0, or stop that program")
    return ok("port", f"{host}:{port} is free")


def check_inotify(folders: Sequence[Path], limits: Path = INOTIFY) -> Check:
    """Whether the kernel lets us watch all these folders. Others watch too, so half is much."""
    watches, instances = (_number(limits / f"max_user_{each}") for each in ("watches", "instances"))
    if watches is None or instances is None:
        return ok("inotify", "this system has no such limits")
    wanted = sum(1 + _folders_in(folder) for folder in folders)
    if wanted * 2 > watches:
        what = f"{wanted} folders are to be watched, {watches} may be by all programs together"
        return warning("inotify", what, f"sysctl fs.inotify.max_user_watches={wanted * 8}")
    if instances < FEW_INSTANCES:
        what = f"only {instances} programs may watch files at once"
        return warning("inotify", what, "sysctl fs.inotify.max_user_instances=128")
    return ok("inotify", f"{wanted} of {watches} watches are needed")


def worst(checks: Iterable[Check]) -> Verdict:
    order = list(Verdict)
    return max((check.verdict for check in checks), key=order.index, default=Verdict.OK)


def _mode(file: Path) -> int:
    try:
        return stat.S_IMODE(file.stat().st_mode)
    except OSError:
        return 0


def _size(file: Path) -> int:
    try:
        return file.stat().st_size if file.is_file() else 0
    except OSError:
        return 0


def _changed(file: Path) -> int:
    try:
        return file.stat().st_mtime_ns // 1000
    except OSError:
        return 0


def _number(file: Path) -> int | None:
    try:
        return int(file.read_text())
    except (OSError, ValueError):
        return None


def _folders_in(folder: Path) -> int:
    return sum(len(folders) for _, folders, _ in os.walk(folder))
