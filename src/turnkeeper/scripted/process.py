"""A real process for an agent to be: small, quiet, and gone when its stage is."""

import os
import subprocess
import sys
from pathlib import Path


class Leash:
    """One pipe that every child reads and nobody writes. When its holder dies, so do they."""

    def __init__(self) -> None:
        self._reading, self._writing = os.pipe()

    def child(self, cwd: Path) -> "Child":
        return Child(
            subprocess.Popen(
                ["cat"],
                stdin=self._reading,
                stdout=subprocess.DEVNULL,
                cwd=cwd,
                start_new_session=True,  # nothing typed at our terminal is meant for it
            )
        )

    def close(self) -> None:
        os.close(self._writing)
        os.close(self._reading)


class Child:
    """The process that an agent's pid names."""

    def __init__(self, running: subprocess.Popen[bytes]) -> None:
        self._running = running
        self.pid = running.pid
        self.started = started(running.pid)

    @property
    def alive(self) -> bool:
        return self._running.poll() is None

    def kill(self) -> None:
        """End it for good, and leave no zombie that would look alive."""
        self._running.kill()
        self._running.wait()


def started(pid: int) -> str:
    """When this process began, as a client's registry spells it: (pid, start) is its identity."""
    if sys.platform == "linux":
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    told = subprocess.run(
        ["ps", "-o", "lstart=", "-p", str(pid)], capture_output=True, text=True, check=True
    )
    return told.stdout.strip()


def domain() -> str | None:
    """Whose pids these are, as a client's registry spells it; None where we do not know how."""
    machine = Path("/etc/machine-id")
    space = Path("/proc/self/ns/pid")
    if not (machine.exists() and space.is_symlink()):
        return None
    return f"linux:{machine.read_text().strip()}:{space.readlink()}"
