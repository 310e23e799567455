"""axe-core on an open page: what it finds there that shuts somebody out."""

from functools import cache
from typing import Any, Final

from playwright.sync_api import Page

from tools.page import WEB, install

AXE: Final = WEB / "node_modules" / "axe-core" / "axe.min.js"
SERIOUS: Final = ("serious", "critical")
RUN: Final = "() => axe.run(document, { resultTypes: ['violations'] })"


@cache
def source() -> str:
    install()
    return AXE.read_text(encoding="utf-8")


def shut_out(page: Page) -> list[str]:
    """Every serious or critical finding, with the elements that it is about.

    The source is evaluated from outside, so the page keeps its Content-Security-Policy.
    """
    page.evaluate(source())
    found = page.evaluate(RUN)["violations"]
    return [_told(each) for each in found if each["impact"] in SERIOUS]


def _told(finding: dict[str, Any]) -> str:
    where = [f"{node['html'][:300]}\n    {node['failureSummary']}" for node in finding["nodes"][:5]]
    return f"{finding['id']}: {finding['help']}\n  " + "\n  ".join(where)
