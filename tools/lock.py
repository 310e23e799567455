"""Write requirements.lock: every dependency of pyproject.toml, and theirs, as installed here.

python tools/lock.py

Addresses of package indexes never come into it, so the file works behind any mirror.
"""

import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Final

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT: Final = Path(__file__).parent.parent
LOCK: Final = ROOT / "requirements.lock"

EDITABLE: Final = "editables"
"""What hatchling asks for on top when it installs a checkout in place."""

HEAD: Final = """\
# Every dependency, pinned. Made by tools/lock.py (`make lock`) from pyproject.toml and .venv.
# `make run` takes it as constraints and installs what running needs; `make test` installs it all.
"""


def wanted() -> list[Requirement]:
    """What pyproject.toml asks for: to run, to build and to develop."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    lists = (
        project["project"]["dependencies"],
        project["build-system"]["requires"],
        [EDITABLE],
        project["dependency-groups"]["dev"],
    )
    return [Requirement(line) for lines in lists for line in lines]


def closure(requirements: Iterable[Requirement]) -> dict[str, Distribution]:
    """Follow requirements through what is installed, extras and all."""
    found: dict[str, Distribution] = {}
    open_ones = list(requirements)
    seen: set[tuple[str, frozenset[str]]] = set()
    while open_ones:
        each = open_ones.pop()
        name = canonicalize_name(each.name)
        if (name, frozenset(each.extras)) in seen:
            continue
        seen.add((name, frozenset(each.extras)))
        found[name] = distribution(each.name)
        open_ones.extend(needs(found[name], each.extras))
    return found


def needs(package: Distribution, extras: Iterable[str]) -> Iterator[Requirement]:
    for line in package.requires or ():
        requirement = Requirement(line)
        marker = requirement.marker
        if marker is None or any(marker.evaluate({"extra": extra}) for extra in ("", *extras)):
            yield requirement


def pinned() -> dict[str, str]:
    """What the lock file says now: canonical names and versions."""
    lines = LOCK.read_text(encoding="utf-8").splitlines()
    pins = (re.match(r"([A-Za-z0-9._-]+)==(\S+)$", line) for line in lines)
    return {canonicalize_name(pin[1]): pin[2] for pin in pins if pin}


def main() -> int:
    try:
        found = closure(wanted())
    except PackageNotFoundError as missing:
        print(f"{missing.name} is not installed; run `make test` first", file=sys.stderr)
        return 1
    lines = [f"{name}=={found[name].version}\n" for name in sorted(found)]
    LOCK.write_text(HEAD + "".join(lines), encoding="utf-8")
    print(f"wrote {LOCK.name}: {len(lines)} packages")
    return 0


if __name__ == "__main__":
    sys.exit(main())
