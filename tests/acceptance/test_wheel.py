"""What is installed from a wheel has its migrations and its page with it."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.lab.asking import Caller
from tests.lab.daemon import Daemon

ROOT = Path(__file__).parents[2]
BUILD = ("pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w")
SDIST = ("hatchling", "build", "-t", "sdist", "-d")
OPENING = """
import asyncio, sys
import turnkeeper
from turnkeeper.journal.sql import SqlJournal
async def main():
    journal = await SqlJournal.open(sys.argv[1])
    print(turnkeeper.__file__, await journal.last())
    await journal.close()
asyncio.run(main())
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel made from a source archive alone, as an installer unpacks it."""
    made = tmp_path_factory.mktemp("made")
    subprocess.run([sys.executable, "-m", *SDIST, str(made)], cwd=ROOT, check=True)
    source = next(made.glob("turnkeeper-*.tar.gz"))
    subprocess.run([sys.executable, "-m", *BUILD, str(made), str(source)], check=True)
    with zipfile.ZipFile(next(made.glob("turnkeeper-*.whl"))) as wheel:
        wheel.extractall(made / "site")
    return made / "site"


@pytest.mark.timeout(300)
def test_a_new_journal_is_made_from_the_wheel_alone(site: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", OPENING, str(tmp_path / "journal.db")],
        env={"PYTHONPATH": str(site), "HOME": str(tmp_path)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [str(site / "turnkeeper" / "__init__.py"), "0"]


@pytest.mark.timeout(300)
def test_the_page_is_served_from_the_wheel_alone(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", os.fspath(site))
    (tmp_path / "claude").mkdir()
    daemon = Daemon(tmp_path / "data", tmp_path / "claude")
    daemon.start()
    try:
        shell = Caller(daemon.url, {}).get("/").body.decode()
    finally:
        daemon.close()

    assert shell == (site / "turnkeeper/surfaces/http/page/index.html").read_text()
    assert "/assets/index-" in shell
