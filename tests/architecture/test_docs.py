"""The reference is made from code, complete and fresh, and the documents' links lead somewhere."""

import ast
import re
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from tools.reference import REFERENCE, ROOT, situation
from turnkeeper import errors
from turnkeeper.errors import TurnkeeperError
from turnkeeper.facts.codec import KINDS

DOCUMENTS: Final = sorted(
    [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("bench/*.md")]
)


def explained() -> list[type[TurnkeeperError]]:
    """The error classes that errors.py itself defines, read from its text."""
    tree = ast.parse(Path(errors.__file__).read_text(encoding="utf-8"))
    classes = (getattr(errors, node.name) for node in tree.body if isinstance(node, ast.ClassDef))
    return [each for each in classes if each is not TurnkeeperError]


def test_the_reference_says_what_the_code_says() -> None:
    """In a process of its own: click remembers how other tests have called a verb."""
    checked = subprocess.run(
        [sys.executable, "-m", "tools.reference", "--check"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert checked.returncode == 0, checked.stderr


@pytest.mark.parametrize("error", explained(), ids=lambda error: error.__name__)
def test_every_failure_is_explained(error: type[TurnkeeperError]) -> None:
    told = (REFERENCE / "errors.md").read_text(encoding="utf-8")

    assert f"| `{error.__name__}` |" in told
    assert situation(error), "it is missing from the tree that errors.py draws"


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_fact_is_told(kind: str) -> None:
    told = (REFERENCE / "facts.md").read_text(encoding="utf-8")

    assert f"## `{kind}`\n" in told


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda page: page.name)
def test_links_within_the_documents_lead_somewhere(document: Path) -> None:
    targets = re.findall(r"\]\((?!http)([^)#]+)\)", document.read_text(encoding="utf-8"))

    assert [target for target in targets if not (document.parent / target).exists()] == []


def test_every_decision_has_context_choice_and_price() -> None:
    for page in sorted((ROOT / "docs" / "decisions").glob("*.md")):
        chapters = re.findall(r"^## (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
        assert chapters == ["Context", "Choice", "Price"], page.name
