"""How the code stands against the aims: `python -m tools.measure [folder]` (default src)."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Final

ROOT: Final = Path(__file__).parent.parent
LONG_MODULE: Final = 300
LONG_FUNCTION: Final = 40


def functions(file: Path) -> Iterator[tuple[str, int]]:
    """Each function with its length in lines, its docstring included."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert node.end_lineno is not None
            yield (
                f"{file.relative_to(ROOT)}:{node.lineno} {node.name}",
                (node.end_lineno - node.lineno + 1),
            )


def main(arguments: list[str]) -> int:
    files = sorted((ROOT / (arguments[0] if arguments else "src")).rglob("*.py"))
    lines = {file: file.read_text(encoding="utf-8").splitlines() for file in files}
    lengths = dict(pair for file in files for pair in functions(file))
    total = sum(map(len, lines.values()))
    comments = sum(line.lstrip().startswith("#") for each in lines.values() for line in each)
    sizes = [len(each) for each in lines.values() if each]
    print(f"{len(files)} modules, {total} lines; median module {median(sizes):.0f} lines")
    print(f"{len(lengths)} functions; median function {median(lengths.values()):.0f} lines")
    print(f"comment lines {comments / total:.1%}")
    for file, each in lines.items():
        if len(each) > LONG_MODULE:
            print(f"  {len(each):>4} lines  {file.relative_to(ROOT)}")
    for name, length in lengths.items():
        if length > LONG_FUNCTION:
            print(f"  {length:>4} lines  {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
