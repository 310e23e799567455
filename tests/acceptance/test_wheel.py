"""What is installed from a wheel has its migrations with it."""

import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
BUILD = ("pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w")
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


def test_a_new_journal_is_made_from_the_wheel_alone(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", *BUILD, str(tmp_path), str(ROOT)], check=True)
    site = tmp_path / "site"
    with zipfile.ZipFile(next(tmp_path.glob("turnkeeper-*.whl"))) as wheel:
        wheel.extractall(site)

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
