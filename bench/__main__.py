"""Run the benchmarks: `python -m bench [--record] [name ...]`.

A benchmark is a module of this folder with a `main()` that prints its numbers.
"""

import io
import os
import platform
import subprocess
import sys
from collections.abc import Callable, Iterable
from contextlib import redirect_stdout
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import Final, TextIO

import click

HERE: Final = Path(__file__).parent
RESULTS: Final = HERE / "RESULTS.md"


class Both(io.StringIO):
    """Keeps what is printed, and shows it as it comes."""

    def __init__(self, shown: TextIO) -> None:
        super().__init__()
        self._shown = shown

    def write(self, text: str) -> int:
        self._shown.write(text)
        self._shown.flush()
        return super().write(text)


def found() -> dict[str, Callable[[], object]]:
    """Every benchmark by its name."""
    names = sorted(file.stem for file in HERE.glob("*.py") if not file.stem.startswith("_"))
    modules = {name: import_module(f"bench.{name}") for name in names}
    return {name: module.main for name, module in modules.items() if hasattr(module, "main")}


def printed(benchmark: Callable[[], object]) -> str:
    both = Both(sys.stdout)
    with redirect_stdout(both):
        benchmark()
    return both.getvalue()


def section(numbers: Iterable[tuple[str, str]]) -> str:
    now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    parts = [f"\n## {now}, {commit()}\n", f"{machine()}\n"]
    parts += [f"### {name}\n\n```text\n{text.rstrip()}\n```\n" for name, text in numbers]
    return "\n".join(parts)


def commit() -> str:
    """The commit these numbers speak for, and whether the tree had moved on from it."""
    described = ("git", "-C", str(HERE), "describe", "--always", "--dirty", "--abbrev=10")
    said = subprocess.run(described, capture_output=True, text=True, check=False).stdout.strip()
    return f"commit {said}" if said else "no commit"


def machine() -> str:
    return f"{processor()}, {os.cpu_count()} cores, Python {platform.python_version()}"


def processor() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.processor() or platform.machine()


@click.command()
@click.option("--record", is_flag=True, help="Append the numbers to bench/RESULTS.md.")
@click.argument("names", nargs=-1)
def bench(names: tuple[str, ...], *, record: bool) -> None:
    """Run these benchmarks, or all."""
    benchmarks = found()
    unknown = [name for name in names if name not in benchmarks]
    if unknown:
        known = ", ".join(benchmarks)
        raise click.UsageError(f"No benchmark {', '.join(unknown)}; there are: {known}")
    numbers: list[tuple[str, str]] = []
    for name in names or benchmarks:
        click.echo(f"── {name}")
        numbers.append((name, printed(benchmarks[name])))
    if record:
        with RESULTS.open("a", encoding="utf-8") as results:
            results.write(section(numbers))
        click.echo(f"recorded in bench/{RESULTS.name}")


if __name__ == "__main__":
    bench()
