"""The rules of the house: who may know whom, how large a room may grow, what has no name here."""

import re
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path
from typing import Final

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tools.lock import LOCK, pinned, wanted

ROOT: Final = Path(__file__).parents[2]
HOUSE: Final = ROOT / "src" / "turnkeeper"
MODULES: Final = sorted(HOUSE.rglob("*.py"))
PLAN: Final = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
PROJECT: Final = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))

MOST_LINES: Final = 400
AIM_LINES: Final = 300
NO_NAMES: Final = {
    *("util", "utils", "helper", "helpers", "manager", "managers", "service", "services"),
    *("common", "base", "handler", "handlers"),
}

CHANCE: Final = re.compile(
    r"\b(?:datetime\.(?:now|utcnow)\(|time\.time(?:_ns)?\(|uuid[14]\(|random\.)"
)
# The waiting hook runs alone, without our package.
MAY_ASK_CHANCE: Final = (
    "sources/clock.py",
    "sources/claude_waiting_hook.py",
    "daemon/wiring.py",
    "scripted/",
)

INDEXES: Final = re.compile(r"pypi\.org|python[h]osted|registry\.npmjs|deb\.debian")
MACHINE_PATHS: Final = re.compile(r"(?:^|[^A-Za-z0-9_.])/(?:work|farm|root)/", re.MULTILINE)


def inside(module: Path) -> str:
    return module.relative_to(HOUSE).as_posix()


@cache
def tracked() -> dict[str, str]:
    """Every file that is, or is about to be, in the repository, as text."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode:
        pytest.skip("this is no git checkout")
    files = [ROOT / name for name in listed.stdout.split("\0") if name]
    return {
        str(file.relative_to(ROOT)): file.read_text(encoding="utf-8", errors="replace")
        for file in files
        if file.is_file()
    }


def test_imports_point_one_way() -> None:
    linter = Path(sys.executable).with_name("lint-imports")

    checked = subprocess.run(
        [linter, "--no-logo"], cwd=ROOT, capture_output=True, text=True, check=False
    )

    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_no_module_outgrows_a_reader(capsys: pytest.CaptureFixture[str]) -> None:
    lines = {
        inside(module): len(module.read_text(encoding="utf-8").splitlines()) for module in MODULES
    }
    over = [f"{name} ({count})" for name, count in lines.items() if count > AIM_LINES]
    if over:
        with capsys.disabled():
            print(f"\nmodules over the aim of {AIM_LINES} lines: {', '.join(over)}")

    assert {name: count for name, count in lines.items() if count > MOST_LINES} == {}


def test_no_module_has_a_name_that_says_nothing() -> None:
    named = {inside(module): module.relative_to(HOUSE).with_suffix("").parts for module in MODULES}

    nameless = [name for name, parts in named.items() if NO_NAMES & set("_".join(parts).split("_"))]
    assert nameless == []


def test_only_a_few_places_ask_the_clock_or_chance() -> None:
    askers = [
        f"{inside(module)}:{number}: {line.strip()}"
        for module in MODULES
        if not inside(module).startswith(MAY_ASK_CHANCE)
        for number, line in enumerate(module.read_text(encoding="utf-8").splitlines(), 1)
        if CHANCE.search(line)
    ]

    assert askers == []


def test_the_plan_names_every_room_and_no_other() -> None:
    house = PLAN.partition("## The house")[2].partition("Rooms that do not exist yet")[0]
    named = set(re.findall(r"^\| `([a-z]+(?:/|\.py))` \|", house, re.MULTILINE))

    folders = {f"{room.parent.name}/" for room in HOUSE.glob("*/__init__.py")}
    files = {file.name for file in HOUSE.glob("*.py") if not file.name.startswith("_")}
    assert named == folders | files


def test_the_rooms_said_to_be_missing_are_missing() -> None:
    sentence = PLAN.partition("Rooms that do not exist yet:")[2].partition("\n\n")[0]
    missing = re.findall(r"`([a-z]+)/` \(", sentence)

    assert [room for room in missing if (HOUSE / room / "__init__.py").exists()] == []


def test_the_plan_draws_the_layers_that_are_checked() -> None:
    layers = PROJECT["tool"]["importlinter"]["contracts"][0]["layers"]

    drawn = " → ".join(layer for layer in layers if layer != "__main__")
    assert drawn in PLAN


@pytest.mark.parametrize("requirement", wanted(), ids=lambda each: each.name)
def test_every_dependency_is_justified_and_pinned(requirement: Requirement) -> None:
    chapter = PLAN.partition("## Dependencies")[2]
    name = canonicalize_name(requirement.name)

    assert re.search(rf"`{name}`(?: \| | \()\w+", chapter), f"why {name}? Say so in ARCHITECTURE.md"
    assert name in pinned(), "run `make lock`"
    assert requirement.specifier.contains(pinned()[name]), "run `make lock`"


def test_the_lock_file_holds_pins_and_nothing_else() -> None:
    lines = LOCK.read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if not line.startswith("#")]

    assert len(pins) == len(pinned())


@pytest.mark.parametrize("forbidden", [INDEXES, MACHINE_PATHS], ids=["indexes", "machine paths"])
def test_no_tracked_file_names(forbidden: re.Pattern[str]) -> None:
    assert [name for name, text in tracked().items() if forbidden.search(text)] == []


def test_ci_calls_make_test() -> None:
    script = ROOT / ".ci" / "run"

    assert "make test" in script.read_text(encoding="utf-8")
    assert script.stat().st_mode & 0o111
