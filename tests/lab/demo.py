"""`turnkeeper demo` as a process of its own, seen from outside."""

import json
import os
import re
import signal
import subprocess
from pathlib import Path
from typing import Any

import psutil

from tests.lab.asking import Caller, bearing
from tests.lab.daemon import turnkeeper
from tests.lab.real_client import PATIENCE_SECONDS, until

Json = dict[str, Any]  # whatever the API answers


class Demo:
    """A demo that runs, with a home and a place for temporary files of its own."""

    def __init__(self, root: Path, *options: str, browser: str = "") -> None:
        self.home = root / "home"
        self.temporary = root / "tmp"
        for folder in (self.home, self.temporary):
            folder.mkdir()
        self._out = root / "out"
        env = {"PATH": os.environ["PATH"], "HOME": str(self.home), "TMPDIR": str(self.temporary)}
        shown = [] if browser else ["--no-browser"]
        with self._out.open("wb") as out:
            self.process = subprocess.Popen(
                [*turnkeeper(), "demo", "--port", "0", *options, *shown],
                stdout=out,
                stderr=subprocess.STDOUT,
                env=env | {"BROWSER": browser},
            )

    def told(self) -> str:
        return self._out.read_text()

    def wait_ready(self) -> "Demo":
        until(lambda: "Ctrl-C" in self.told() or None, "ready", instead=self.told)
        return self

    @property
    def folder(self) -> Path:
        [folder] = self.temporary.iterdir()
        return folder

    @property
    def url(self) -> str:
        [url] = re.findall(r"ready at (\S+)/$", self.told(), re.MULTILINE)
        return str(url)

    @property
    def caller(self) -> Caller:
        return bearing(self.url, (self.folder / "data" / "token").read_text().strip())

    def get(self, path: str) -> Any:
        return self.caller.get(path).json()

    def agents(self) -> list[Json]:
        found: list[Json] = self.get("/api/agents")
        return found

    def ask(self, kind: str) -> Json:
        """Wait until an agent asks this, and the board may answer."""

        def look() -> Json | None:
            asks = [ask for ask in self.get("/api/asks") if ask["kind"] == kind]
            return next((ask for ask in asks if ask["answerable"]), None)

        return until(look, f"an ask for {kind}", instead=lambda: self.get("/api/asks"))

    def answer(self, ask: Json, **answer: object) -> None:
        body = json.dumps(answer).encode()
        assert self.caller.post(f"/api/asks/{ask['id']}/answer", body).status == 200

    def says(self, agent: int, words: str) -> None:
        """Wait until an agent says this, or is told it."""

        def look() -> bool | None:
            return words in json.dumps(self.get(f"/api/agents/{agent}/turns")) or None

        until(look, f"{words!r} in the conversation", instead=self.told)

    def started(self) -> list[psutil.Process]:
        """The processes it has started, and those that they have."""
        return psutil.Process(self.process.pid).children(recursive=True)

    def end(self, number: signal.Signals) -> int:
        self.process.send_signal(number)
        return self.process.wait(timeout=PATIENCE_SECONDS)
