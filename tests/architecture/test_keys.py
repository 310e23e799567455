"""The keys that docs/board.md lists are those that the page has."""

import re
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]


def test_the_keys_in_the_docs_are_those_of_the_page() -> None:
    source = (ROOT / "web/src/asks/pressing.ts").read_text()
    listed = re.findall(r"keys: \[(.*?)\]", source)
    of_the_page = [re.findall(r"'(.*?)'", line) for line in listed]
    table = (ROOT / "docs/board.md").read_text().partition("| key | does |")[2]
    rows = re.findall(r"^\| (`.*?) \|", table, re.MULTILINE)
    of_the_docs = [re.findall(r"[^` ]+", row) for row in rows]

    assert of_the_page
    assert of_the_docs == of_the_page
