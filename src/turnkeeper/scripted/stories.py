"""Conversations that agents play: a developer's ordinary day, with its questions and failures."""

from pathlib import Path
from typing import Final

from turnkeeper.scripted.body import Role
from turnkeeper.scripted.faults import Faults
from turnkeeper.scripted.stage import Part
from turnkeeper.scripted.steps import (
    FOREVER,
    AnyStep,
    Background,
    Compact,
    Delegate,
    Fail,
    Finish,
    Interject,
    Interrupt,
    Notification,
    Option,
    Permission,
    Plan,
    Prompt,
    Question,
    Result,
    Say,
    Together,
    Tool,
    Wait,
)

Story = tuple[AnyStep, ...]


def bash(
    command: str, result: str | None = "", *, seconds: float = 1.5, failed: bool = False
) -> Tool:
    said: dict[str, object] = {"command": command, "description": command.split(maxsplit=1)[0]}
    return Tool("Bash", said, result, seconds=seconds, failed=failed)


def read(path: str, result: str) -> Tool:
    return Tool("Read", {"file_path": path}, result, seconds=0.3)


def edit(path: str, old: str, new: str) -> Tool:
    said: dict[str, object] = {"file_path": path, "old_string": old, "new_string": new}
    return Tool("Edit", said, f"The file {path} has been updated.", seconds=0.4)


REFACTORING: Final[Story] = (
    Prompt("Split the pricing module: tax and discount should not know each other."),
    Say("Let me see who imports what before I move anything."),
    Together(
        (
            bash("rg -n 'from shop.pricing' src", "src/shop/cart.py:4\nsrc/shop/invoice.py:7"),
            read("src/shop/pricing.py", "def net(price): ...\ndef tax(price): ..."),
        )
    ),
    Say("Two callers. I move tax first and keep the old name for one release."),
    edit("src/shop/pricing.py", "def tax(price)", "from shop.tax import tax"),
    bash("pytest -q tests/test_pricing.py", "14 passed in 0.41s", seconds=3),
    Finish(
        "`tax` lives in `shop/tax.py`, `discount` in `shop/discount.py`; neither imports the "
        "other. The 14 pricing tests pass. `shop.pricing.tax` still works and warns."
    ),
    Wait(6),
    Prompt("Good. Remove the old name as well."),
    edit("src/shop/pricing.py", "from shop.tax import tax", ""),
    bash("pytest -q", "1 failed, 212 passed in 9.80s", seconds=4, failed=True),
    Say("One test still imports the old name; that one is mine to change."),
    edit("tests/test_invoice.py", "from shop.pricing import tax", "from shop.tax import tax"),
    bash("pytest -q", "213 passed in 9.77s", seconds=4),
    Finish("The old name is gone. All 213 tests pass."),
)

FLAKY_TEST: Final[Story] = (
    Prompt("test_reconnect fails about once in twenty runs. Find out why."),
    Say("I run it until it fails, to have a trace."),
    Background("pytest -q --count=200 tests/test_reconnect.py", "Run the test 200 times"),
    Finish("200 runs are under way in the background. I come back to it when they are done."),
    Wait(8),
    Notification(),
    read("tests/test_reconnect.py", "await client.close()\nassert server.connections == 0"),
    Finish(
        "11 of 200 runs failed, all at the same line: the test counts connections before the "
        "server has seen the close. Shall I wait for the server's event instead of counting at "
        "once?"
    ),
    Wait(5),
    Prompt("yes, please"),
    edit("tests/test_reconnect.py", "assert server", "await server.idle()\nassert server"),
    bash("pytest -q --count=200 tests/test_reconnect.py", "200 passed in 41.2s", seconds=5),
    Finish("It waits for the server now. 200 runs, no failure."),
)

MIGRATION: Final[Story] = (
    Prompt("orders.total is a float. Make it exact without stopping the shop."),
    Say("This has two shapes, and they differ in what happens to old rows."),
    Question(
        "How should old totals be converted?",
        "Old totals",
        (
            Option("Round to cents", "what invoices already show"),
            Option("Keep every digit", "numeric without scale; sums may differ from invoices"),
        ),
        answer="Round to cents",
        after=12,
    ),
    edit("migrations/0042_exact_totals.py", "", "op.add_column('orders', 'total_cents')"),
    Permission((bash("alembic upgrade head", "Running upgrade 0041 -> 0042"),), after=8),
    bash("pytest -q tests/orders", "88 passed in 6.02s", seconds=3),
    Finish(
        "Totals are stored in cents beside the float. New rows write both, a backfill of 40,112 "
        "rows is ready as `scripts/backfill_totals.py`. I have not run it."
    ),
)

PLANNED: Final[Story] = (
    Prompt("Plan how we move sessions from cookies to the database."),
    Together(
        (
            bash("rg -l session src", "src/web/session.py\nsrc/web/login.py"),
            read("src/web/session.py", "class CookieSession: ..."),
        )
    ),
    Say("Here is what I would do."),
    Plan(
        "1. Add a `sessions` table and write to both\n2. Read from the table, fall back to the "
        "cookie\n3. Stop reading cookies after 30 days\n4. Remove the fallback",
        after=10,
    ),
    edit("src/web/session.py", "class CookieSession", "class StoredSession"),
    Finish("Step 1 is in place behind a setting that is off. Steps 2 to 4 wait for your word."),
)

OVERLOADED: Final[Story] = (
    Prompt("Why does the nightly export take forty minutes?"),
    bash("rg -n 'def export' src", "src/export/nightly.py:31"),
    Fail(),
    Wait(6),
    Prompt("try again"),
    read("src/export/nightly.py", "for order in orders:\n    order.lines.load()"),
    Finish("It loads the lines of each order on its own: 61,000 queries. One join would do."),
)

INTERRUPTED: Final[Story] = (
    Prompt("Update all dependencies."),
    Say("I take them one by one and run the tests after each."),
    bash("uv lock --upgrade", None),
    Wait(4),
    Interrupt(),
    Wait(2),
    Prompt("Only the patch releases, please."),
    bash("uv lock --upgrade-package httpx --upgrade-package msgspec", "Resolved 94 packages"),
    Finish("Six patch releases, nothing else. The lock file changed in six places."),
)

DELEGATED: Final[Story] = (
    Prompt("Look for every place where we build SQL by hand."),
    Delegate(
        "Look for SQL by hand",
        "List every string that is SQL and is joined with user input.",
        "Three places: search.py:88, admin/report.py:12, admin/report.py:40.",
        (bash("rg -n 'execute\\(f' src", "src/search.py:88\nsrc/admin/report.py:12"),),
    ),
    Finish("A helper is searching. I report when it is back."),
    Wait(3),
    Notification(),
    Finish(
        "There are three places, two of them reachable without a login. Do you want me to fix "
        "those two now?"
    ),
)

LONG_TALK: Final[Story] = (
    Prompt("Document the public functions of shop.tax."),
    read("src/shop/tax.py", "def tax(price): ..."),
    bash("make docs", None),
    Interject("and add one example to each"),
    Wait(2),
    Result("docs: 12 pages"),
    Finish("All nine functions are documented, each with an example that runs as a doctest."),
    Wait(4),
    Compact("Nine functions of shop.tax are documented with examples that run as doctests."),
    Wait(2),
    Prompt("continue with shop.discount"),
    read("src/shop/discount.py", "def discount(price): ..."),
    Finish("shop.discount is done as well: four functions, four examples."),
)

WAITS_FOR_YOU: Final[Story] = (
    Prompt("Clean up the branches that are merged."),
    bash("git branch --merged main", "  feature/tax\n  fix/rounding\n  spike/cache"),
    Say("Three branches are merged. Deleting them cannot be undone from here."),
    Permission(
        (bash("git branch -d feature/tax fix/rounding spike/cache", "Deleted 3"),), after=FOREVER
    ),
    Finish("The three branches are gone."),
)


def cast(root: Path) -> list[Part]:
    """Everybody, each at work in a project of their own under this folder."""
    told: list[tuple[str, str, str, Story]] = [
        ("shop", "refactor/pricing", "default", REFACTORING),
        ("gateway", "fix/flaky-reconnect", "default", FLAKY_TEST),
        ("orders", "feature/exact-totals", "default", MIGRATION),
        ("accounts", "main", "plan", PLANNED),
        ("export", "main", "default", OVERLOADED),
        ("platform", "chore/dependencies", "acceptEdits", INTERRUPTED),
        ("admin", "audit/sql", "default", DELEGATED),
        ("handbook", "docs/tax", "default", LONG_TALK),
        ("housekeeping", "main", "default", WAITS_FOR_YOU),
    ]
    return [
        Part(Role(root / project, branch=branch, mode=mode), story, Faults(seed=number))
        for number, (project, branch, mode, story) in enumerate(told, 1)
    ]
