"""What README shows can be typed, and it tells every verb."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from click.testing import CliRunner

from turnkeeper.cli.main import turnkeeper

ROOT: Final = Path(__file__).parents[2]
README: Final = (ROOT / "README.md").read_text(encoding="utf-8")
RECORDED: Final = ROOT / "tests" / "recordings" / "2.1.325" / "question_answered" / "transcripts"
BLOCK: Final = re.compile(
    r"(?:<!-- (?P<mark>not run: [^\n]+?|run beside a daemon) -->\n)?"
    r"```(?:sh|bash|console)\n(?P<body>.*?)```",
    re.DOTALL,
)
BLOCKS: Final = [(found["body"], found["mark"]) for found in BLOCK.finditer(README)]
SECONDS: Final = 60
PATIENCE: Final = 10.0


def marked(mark: str | None) -> list[str]:
    """The commands of the blocks with this mark, one a line."""
    lines = (line for body, said in BLOCKS if said == mark for line in body.splitlines())
    return [line for line in lines if line.strip()]


def typed(command: str, home: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", command],
        cwd=ROOT,
        env=environment(home),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )


def environment(home: Path) -> dict[str, str]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {"HOME": str(home), "PATH": path, "LANG": "C.UTF-8"}


def verbs_in_help() -> list[str]:
    """The verbs as `turnkeeper --help` lists them."""
    shown = CliRunner().invoke(turnkeeper, ["--help"]).output
    return re.findall(r"^  ([a-z-]+) ", shown.partition("Commands:")[2], re.MULTILINE)


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A home with one recorded session, and a daemon that has seen it."""
    home = tmp_path_factory.mktemp("home")
    shutil.copytree(RECORDED, home / ".claude" / "projects")
    daemon = subprocess.Popen(
        [sys.executable, "-m", "turnkeeper", "up", "--port", "0"],
        env=environment(home),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        until_seen(home)
        yield home
    finally:
        daemon.send_signal(signal.SIGINT)
        daemon.wait(PATIENCE)


def until_seen(home: Path) -> None:
    deadline = time.monotonic() + PATIENCE
    while typed("turnkeeper show 1", home).returncode:
        assert time.monotonic() < deadline, "the daemon has seen nothing"


@pytest.mark.parametrize("command", marked(None))
def test_a_command_in_readme_runs(command: str, tmp_path: Path) -> None:
    ran = typed(command, tmp_path)

    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.strip(), "it prints nothing"


@pytest.mark.parametrize("command", marked("run beside a daemon"))
def test_a_command_in_readme_runs_beside_a_daemon(command: str, watched: Path) -> None:
    ran = typed(command, watched)

    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.strip(), "it prints nothing"


def test_readme_begins_with_the_two_commands() -> None:
    first, _ = BLOCKS[0]

    assert [line.split("#")[0].strip() for line in first.splitlines()] == ["make run", "make test"]


def test_readme_lists_exactly_the_verbs_that_help_lists() -> None:
    listed = re.findall(r"^\| `turnkeeper ([a-z-]+)` \|", README, re.MULTILINE)

    assert listed == verbs_in_help()


def test_readme_types_no_verb_that_does_not_exist() -> None:
    shown = {verb for body, _ in BLOCKS for verb in re.findall(r"turnkeeper ([a-z]+)", body)}

    assert shown <= set(verbs_in_help())
