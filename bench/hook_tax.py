"""What hooks cost per tool call, on a real client: none, `true`, and ours.

A scripted model has a headless client call Bash thirty times. The client's own transcript says when
each message came, so starting the client does not count. The floor is `true` as hook of PreToolUse
and PostToolUse: the least that being asked twice can cost. Ours are what `turnkeeper hooks install`
installs, while a daemon listens as far as the hook can see, and once more while one really does.
"""

import json
import statistics
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime
from itertools import chain, pairwise
from pathlib import Path
from typing import Final

from tests.lab.clients import bundled, pins, version_of
from tests.lab.daemon import Daemon, turnkeeper
from tests.lab.real_client import RealClient, hooks

CALLS: Final = 30
ROUNDS: Final = 7
AIM: Final = 1.0
SCRIPT: Final = "thirty"
NONE: Final = "no hooks"
FLOOR: Final = "`true` (floor)"
OURS: Final = "turnkeeper's"
HEARD: Final = "... with a daemon"

Dress = Callable[[RealClient], None]
Average = Callable[[list[list[float]]], float]


def write_script(scripts: Path) -> None:
    call = {"tool": "Bash", "input": {"command": "true", "description": "Do nothing"}}
    messages = [[call]] * CALLS + [[{"text": "All done."}]]
    (scripts / f"{SCRIPT}.json").write_text(json.dumps(messages))


def wear_nothing(_: RealClient) -> None:
    pass


def wear_true(client: RealClient) -> None:
    client.write_settings(hooks("true", "PreToolUse", "PostToolUse"))


def wear_ours(client: RealClient) -> None:
    place = ("--data", str(data_of(client)), "--claude-dir", str(client.claude_dir))
    subprocess.run([*turnkeeper(), "hooks", "install", *place], check=True, capture_output=True)
    spool = data_of(client) / "spool"
    spool.mkdir(parents=True, exist_ok=True)
    (spool / ".open").touch()


def data_of(client: RealClient) -> Path:
    return client.root / "data"


WAYS: Final[dict[str, Dress]] = {
    NONE: wear_nothing,
    FLOOR: wear_true,
    OURS: wear_ours,
    HEARD: wear_ours,
}


@contextmanager
def dressed(binary: Path, scripts: Path, dress: Dress) -> Iterator[RealClient]:
    client = RealClient(binary, scripts=scripts)
    try:
        dress(client)
        yield client
    finally:
        client.close()


@contextmanager
def listening(client: RealClient) -> Iterator[None]:
    daemon = Daemon(data_of(client), client.claude_dir)
    daemon.start()
    try:
        yield
    finally:
        daemon.close()


def waits(client: RealClient) -> list[float]:
    """One run of thirty calls: the milliseconds from each message of the model to the next."""
    before = set(client.transcripts())
    done = client.headless(f"@@{SCRIPT}", "--allowedTools", "Bash")
    (written,) = set(client.transcripts()) - before
    lines = map(json.loads, written.read_text().splitlines())
    said = sorted(at(line) for line in lines if line["type"] == "assistant")
    if len(said) != CALLS + 1:
        raise RuntimeError(f"the client spoke {len(said)} times: {done.stdout}{done.stderr}")
    return [(after - before) * 1000 for before, after in pairwise(said)]


def at(line: dict[str, str]) -> float:
    return datetime.fromisoformat(line["timestamp"]).timestamp()


def measure(binary: Path, scripts: Path) -> dict[str, list[list[float]]]:
    """By turns, after one round that does not count: a busy moment meets all of them."""
    runs: dict[str, list[list[float]]] = {way: [] for way in WAYS}
    with ExitStack() as stack:
        clients = {
            way: stack.enter_context(dressed(binary, scripts, dress)) for way, dress in WAYS.items()
        }
        stack.enter_context(listening(clients[HEARD]))
        for _ in range(ROUNDS + 1):
            for way, client in clients.items():
                runs[way].append(waits(client))
    return {way: each[1:] for way, each in runs.items()}


def typical(runs: list[list[float]]) -> float:
    """The median over every call of every run."""
    return statistics.median(chain.from_iterable(runs))


def best(runs: list[list[float]]) -> float:
    """The mean call of the quickest run: what another program's burst cannot reach."""
    return min(map(statistics.fmean, runs))


def show(measured: dict[str, list[list[float]]], said: str, of: Average) -> dict[str, float]:
    """Print one way to look at all runs; returns each tax as a ratio to the floor's."""
    paces = {way: of(runs) for way, runs in measured.items()}
    taxes = {way: pace - paces[NONE] for way, pace in paces.items()}
    print(f"{said:22}{'per call':>12}{'tax':>12}{'of `true`':>12}")
    for way, pace in paces.items():
        ratio = taxes[way] / taxes[FLOOR]
        print(f"  {way:20}{pace:9.1f} ms{taxes[way]:9.1f} ms{ratio:10.2f} x")
    return {way: tax / taxes[FLOOR] for way, tax in taxes.items()}


def main() -> None:
    binary = bundled(pins().bundled)
    if binary is None:
        print("no client is bundled here: nothing was measured")
        return
    with tempfile.TemporaryDirectory(prefix="tk-bench-") as scripts:
        write_script(Path(scripts))
        measured = measure(binary, Path(scripts))
    print(f"Claude Code {version_of(binary)}, {ROUNDS} runs of {CALLS} tool calls by turns")
    show(measured, "mean of the best run", best)
    ratios = show(measured, "median of all calls", typical)
    for way in (OURS, HEARD):
        print(f"{way}: aim at most {AIM:.1f} x: {'met' if ratios[way] <= AIM else 'MISSED'}")


if __name__ == "__main__":
    main()
