"""What may be wrong between us and the clients: one small question per function."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from turnkeeper.desk.doctor import Check, ok, warning
from turnkeeper.facts.fact import Moment
from turnkeeper.machines.absence import REGISTERS_SINCE, registers
from turnkeeper.projections.agent import Agent
from turnkeeper.sources.claude_processes import ClientProcess
from turnkeeper.sources.claude_registry import read_entry

TESTED: Final = "2.1.325"
"""The newest client that the recordings speak for."""

SETTLED: Final = 10_000_000
"""Microseconds that a client may take to register, and a hook to be heard."""

SKEW: Final = 120_000_000
"""Microseconds by which two clocks of one machine may differ."""

FIRST_REGISTERS: Final = ".".join(map(str, REGISTERS_SINCE))


def check_hooks_installed(settings: str, *, complete: bool, hindrances: Sequence[str]) -> Check:
    if hindrances:
        return warning("hooks", f"{settings}: {'; '.join(hindrances)}", "change that setting")
    if not complete:
        what = f"not all hooks are in {settings}: much is only known a little later without"
        return warning("hooks", what, "turnkeeper hooks install")
    return ok("hooks", f"they are installed in {settings}")


def check_hooks_heard(living: Iterable[Agent], now: Moment, *, installed: bool) -> Check:
    """Hooks that are installed and silent: a client that was told not to run them, perhaps."""
    settled = [agent for agent in living if agent.turns and now - agent.first_at > SETTLED]
    silent = [agent for agent in settled if not agent.hooked_at]
    if not installed or not settled:
        return ok("hooks heard", "no session is alive that should have been heard")
    if silent and len(silent) == len(settled):
        what = f"none of {len(settled)} live sessions has called a hook"
        cure = "restart a client that is older than the hooks; look for disableAllHooks"
        return warning("hooks heard", what, cure)
    return ok("hooks heard", f"{len(settled) - len(silent)} of {len(settled)} live sessions call")


def check_unwatched(clients: Iterable[ClientProcess], watched: Iterable[Path]) -> Check:
    """Clients that keep their files where nobody looks (rulings E3)."""
    known = {_resolved(folder) for folder in watched}
    strange = sorted({str(c.folder) for c in clients if _resolved(c.folder) not in known})
    if strange:
        options = " ".join(
            f"--claude-dir {folder}" for folder in (*sorted(map(str, known)), *strange)
        )
        what = f"clients run with folders that are not watched: {', '.join(strange)}"
        return warning("client folders", what, f"turnkeeper up {options}")
    return ok("client folders", "every running client's folder is watched")


def check_old_clients(clients: Iterable[ClientProcess]) -> Check:
    old = [c for c in clients if c.version and not registers(c.version)]
    if old:
        who = ", ".join(f"pid {c.pid} ({c.version})" for c in old)
        what = f"{who} is older than {FIRST_REGISTERS} and does not say what it does"
        return warning("old clients", what, "update Claude Code, or install the hooks")
    return ok("old clients", f"none is older than {FIRST_REGISTERS}")


def check_registry(clients: Iterable[ClientProcess], now: Moment) -> Check:
    """Clients that should have registered and have not: most likely they still ask for trust."""
    silent = [
        c
        for c in clients
        if (not c.version or registers(c.version))
        and now - c.started_at > SETTLED
        and not (c.folder / "sessions" / f"{c.pid}.json").exists()
    ]
    asking = [c for c in silent if c.terminal]
    if asking:
        where = ", ".join(f"{c.cwd} (pid {c.pid}, {c.terminal})" for c in asking)
        what = f"a client is open and has not begun: a trust dialog may wait in {where}"
        return warning("trust dialog", what, "answer it in that terminal")
    if silent:
        pids = ", ".join(f"pid {c.pid}" for c in silent)
        return warning(
            "registry", f"{pids} runs without a registry file", "nothing: it may end soon"
        )
    return ok("registry", "every running client says what it does")


def check_client_version(version: str | None) -> Check:
    if version is None:
        return ok("client", "no Claude Code was found")
    if _numbers(version) > _numbers(TESTED):
        what = f"Claude Code {version} is newer than {TESTED}, the newest we have tested"
        return warning("client", what, "if something looks wrong, update Turnkeeper or report it")
    return ok("client", f"Claude Code {version} is known to us")


def check_clock(folders: Iterable[Path], now: Moment) -> Check:
    """Whether clients, or the disk, live in our future."""
    ahead = [(at - now, file) for folder in folders for file, at in _times(folder, now)]
    late, file = max(ahead, default=(0, Path()))
    if late > SKEW:
        what = f"{file} is {late // 1_000_000} s ahead of this machine's clock"
        return warning(
            "clock", what, "set the clock: `timedatectl` shows whether it is synchronised"
        )
    return ok("clock", "nothing is from the future")


def _times(folder: Path, now: Moment) -> Iterable[tuple[Path, int]]:
    """Each file of a client, and the time it claims."""
    for file in (folder / "sessions").glob("*.json"):
        fact = read_entry(_content(file), heard_at=now, host="")
        if fact is not None:
            yield file, fact.happened_at
    for file in (folder / "projects").glob("*/*.jsonl"):
        yield file, _changed(file)


def _content(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError:
        return b""


def _changed(file: Path) -> int:
    try:
        return file.stat().st_mtime_ns // 1000
    except OSError:
        return 0


def _resolved(folder: Path) -> Path:
    return folder.resolve()


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version)[:3])
