"""What README shows can be typed, and it tells every verb."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest
from click.testing import CliRunner

from turnkeeper.cli.main import turnkeeper

ROOT: Final = Path(__file__).parents[2]
README: Final = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCK: Final = re.compile(
    r"(?:<!-- not run: (?P<reason>[^\n]+?) -->\n)?```(?:sh|bash|console)\n(?P<body>.*?)```",
    re.DOTALL,
)
BLOCKS: Final = [(found["body"], found["reason"]) for found in BLOCK.finditer(README)]
RUN: Final = [
    line for body, reason in BLOCKS if not reason for line in body.splitlines() if line.strip()
]
SECONDS: Final = 60


def verbs_in_help() -> list[str]:
    """The verbs as `turnkeeper --help` lists them."""
    shown = CliRunner().invoke(turnkeeper, ["--help"]).output
    return re.findall(r"^  ([a-z-]+) ", shown.partition("Commands:")[2], re.MULTILINE)


@pytest.mark.parametrize("command", RUN)
def test_a_command_in_readme_runs(command: str, tmp_path: Path) -> None:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    own = {"HOME": str(tmp_path), "PATH": path, "LANG": "C.UTF-8"}

    ran = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", command],
        cwd=ROOT,
        env=own,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )

    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.strip(), "it prints nothing"


def test_readme_begins_with_the_two_commands() -> None:
    first, _ = BLOCKS[0]

    assert [line.split("#")[0].strip() for line in first.splitlines()] == ["make run", "make test"]


def test_readme_lists_exactly_the_verbs_that_help_lists() -> None:
    listed = re.findall(r"^\| `turnkeeper ([a-z-]+)` \|", README, re.MULTILINE)

    assert listed == verbs_in_help()


def test_readme_types_no_verb_that_does_not_exist() -> None:
    typed = {verb for body, _ in BLOCKS for verb in re.findall(r"turnkeeper ([a-z]+)", body)}

    assert typed <= set(verbs_in_help())
