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


def milliseconds_per_call(client: RealClient) -> float:
    """One run of thirty calls, from the model's first message to its last."""
    before = set(client.transcripts())
    done = client.headless(f"@@{SCRIPT}", "--allowedTools", "Bash")
    (written,) = set(client.transcripts()) - before
    lines = map(json.loads, written.read_text().splitlines())
    said = [at(line) for line in lines if line["type"] == "assistant"]
    if len(said) <= CALLS:
        raise RuntimeError(f"the client made {len(said)} of {CALLS} calls: {done.stdout}")
    return (max(said) - min(said)) / CALLS * 1000


def at(line: dict[str, str]) -> float:
    return datetime.fromisoformat(line["timestamp"]).timestamp()


def measure(binary: Path, scripts: Path) -> dict[str, list[float]]:
    """By turns, after one round that does not count: a busy moment meets all of them."""
    paces: dict[str, list[float]] = {way: [] for way in WAYS}
    with ExitStack() as stack:
        clients = {
            way: stack.enter_context(dressed(binary, scripts, dress)) for way, dress in WAYS.items()
        }
        stack.enter_context(listening(clients[HEARD]))
        for _ in range(ROUNDS + 1):
            for way, client in clients.items():
                paces[way].append(milliseconds_per_call(client))
    return {way: paces_of[1:] for way, paces_of in paces.items()}


def taxes(paces: dict[str, list[float]], way: str) -> list[float]:
    """What each round cost more than the round without hooks beside it."""
    return [with_ - without for with_, without in zip(paces[way], paces[NONE], strict=True)]


def show(way: str, paces: dict[str, list[float]], floor: float) -> None:
    pace, tax = statistics.median(paces[way]), statistics.median(taxes(paces, way))
    spread = f"{min(paces[way]):.1f} to {max(paces[way]):.1f}"
    print(f"{way:18}{pace:9.1f} ms{spread:>18}{tax:+9.1f} ms{tax / floor:9.2f} x")


def main() -> None:
    binary = bundled(pins().bundled)
    if binary is None:
        print("no client is bundled here: nothing was measured")
        return
    with tempfile.TemporaryDirectory(prefix="tk-bench-") as scripts:
        write_script(Path(scripts))
        paces = measure(binary, Path(scripts))
    floor = statistics.median(taxes(paces, FLOOR))
    print(f"Claude Code {version_of(binary)}, per tool call, median of {ROUNDS} runs of {CALLS}")
    print(f"{'hooks':18}{'median':>12}{'all runs':>18}{'tax':>12}{'of `true`':>11}")
    for way in WAYS:
        show(way, paces, floor)
    ratio = statistics.median(taxes(paces, OURS)) / floor
    print(f"aim: at most {AIM:.1f} x `true`: {'met' if ratio <= AIM else 'MISSED'}")


if __name__ == "__main__":
    main()
