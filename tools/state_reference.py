"""Write docs/reference/state-machines.md from the machines themselves.

python tools/state_reference.py            write it
python tools/state_reference.py --check    fail if it is stale
"""

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from turnkeeper.machines.catalogue import CATALOGUE, Listing

PAGE: Final = Path(__file__).parent.parent / "docs" / "reference" / "state-machines.md"

HEAD: Final = """\
<!-- Made by tools/state_reference.py from src/turnkeeper/machines. Do not edit: run it again. -->

# State machines

`advance(state, event)` answers every pair of state and event: with a step if there is a row below,
otherwise with a refusal in words, and the state stays. Rows marked *extension* (with an asterisk in
the diagrams) are not in the seed documents; reality needs them.

`turnkeeper machines` prints the same tables, `turnkeeper machines --json` the same for programs.
"""


def page() -> str:
    return "\n".join([HEAD, *(chapter(listing) for listing in CATALOGUE)])


def chapter(listing: Listing) -> str:
    parts = (
        f"## {listing.name}",
        listing.about,
        f"Begins as `{listing.initial}`.",
        "\n".join(diagram(listing)),
        "\n".join(row_table(listing)),
        f"### The seed's names for events of `{listing.name}`",
        "\n".join(alias_table(listing)),
    )
    return "\n\n".join(parts) + "\n"


def row_table(listing: Listing) -> Iterable[str]:
    yield "| from | event | to | | why |"
    yield "|---|---|---|---|---|"
    for row in listing.rows:
        mark = "*extension*" if row.extension else ""
        yield f"| {row.source} | `{row.event}` | {row.target} | {mark} | {row.why} |"


def alias_table(listing: Listing) -> Iterable[str]:
    yield "| in the seed | here |"
    yield "|---|---|"
    for name, events in listing.aliases.items():
        names = ", ".join(f"`{alias}`" for alias in name.split(", "))
        yield f"| {names} | {', '.join(f'`{event}`' for event in events)} |"


def diagram(listing: Listing) -> Iterable[str]:
    """Draw one arrow for each pair of states that rows connect."""
    yield "```mermaid"
    yield "stateDiagram-v2"
    yield f"    [*] --> {listing.initial}"
    for (source, target), events in arrows(listing).items():
        yield f"    {source} --> {target} : {', '.join(events)}"
    yield "```"


def arrows(listing: Listing) -> dict[tuple[str, str], list[str]]:
    drawn: dict[tuple[str, str], list[str]] = {}
    for row in listing.rows:
        drawn.setdefault((row.source, row.target), []).append(
            f"{row.event}*" if row.extension else row.event
        )
    return drawn


def main(arguments: list[str]) -> int:
    written = page()
    if "--check" not in arguments:
        PAGE.parent.mkdir(parents=True, exist_ok=True)
        PAGE.write_text(written, encoding="utf-8")
        print(f"wrote {PAGE}")
        return 0
    if PAGE.exists() and PAGE.read_text(encoding="utf-8") == written:
        print(f"{PAGE} is up to date")
        return 0
    print(f"{PAGE} is stale: run `python tools/state_reference.py`", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
