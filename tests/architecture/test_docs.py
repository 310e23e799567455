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
from turnkeeper.daemon.logs import EVENTS, LEVELS
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


def events_logged() -> set[str]:
    """The first argument of every call that logs, wherever it is a name with a dot."""
    calls = (
        node
        for module in (ROOT / "src").rglob("*.py")
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    )
    firsts = (
        call.args[0]
        for call in calls
        if isinstance(call.func, ast.Attribute) and call.func.attr in LEVELS and call.args
    )
    return {
        first.value
        for first in firsts
        if isinstance(first, ast.Constant) and isinstance(first.value, str)
    }


def test_every_event_that_is_logged_is_explained() -> None:
    assert events_logged() <= set(EVENTS)
    assert len(events_logged()) > 10


def test_every_claim_about_security_names_its_test() -> None:
    page = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
    tests = (ROOT / "tests" / "surfaces").glob("test_*.py")
    defined = {
        name
        for file in [*tests, *(ROOT / "tests" / "faults").glob("test_*.py")]
        for name in re.findall(r"def (test_\w+)", file.read_text(encoding="utf-8"))
    }
    claims = [line for line in page.splitlines() if line.startswith("| ") and "| test" not in line]
    named = set(re.findall(r"`(test_\w+)`", page))

    assert claims
    assert [line for line in claims if not re.search(r"`test_\w+`", line)] == []
    assert named - defined == set()
