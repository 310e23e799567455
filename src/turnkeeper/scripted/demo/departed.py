"""Agents that worked earlier today and have left: what the board keeps of them."""

from typing import Final

from turnkeeper.scripted.demo.telling import Chapter, Character, ask, edit, md, read, run
from turnkeeper.scripted.steps import Finish, Prompt, Say, Wait

TAX_GUIDE: Final = Chapter(
    "A guide to taxes",
    (
        Prompt("Write the handbook page on taxes. Readers are shop owners, not developers."),
        read("docs/tax.md", "# Taxes\n\nTODO"),
        edit(
            "docs/tax.md",
            "TODO",
            """
            Prices in your shop include tax. You choose the rate once per product; for customers in
            other countries the right rate is used by itself.
            """,
        ),
        run("mkdocs build --strict", "INFO - Documentation built in 2.31 seconds", "Build it"),
        Finish("The page is written, 400 words, with one example per country. It builds strictly."),
        Wait(200),
        Prompt("Shorter. And say what to do when a rate changes."),
        edit("docs/tax.md", "You choose the rate once per product;", "When a rate changes, add it"),
        Finish("Half as long, and a rate that changes has its own paragraph with a date."),
    ),
)

BRANCHES: Final = Chapter(
    "Clean up merged branches",
    (
        Prompt("Delete the remote branches that are merged and older than a month."),
        run(
            "git branch -r --merged origin/main --format='%(refname:short) %(creatordate:human)'",
            """
            origin/feature/tax 7 weeks ago
            origin/fix/rounding 6 weeks ago
            origin/spike/cache 3 months ago
            """,
            "List merged branches with their age",
        ),
        Say("Three branches. Deleting them on the remote needs your word."),
        ask(
            run(
                "git push origin --delete feature/tax fix/rounding spike/cache",
                """
                 - [deleted]         feature/tax
                 - [deleted]         fix/rounding
                 - [deleted]         spike/cache
                """,
                "Delete three merged branches on the remote",
                seconds=4,
            )
        ),
        Finish("The three branches are gone from the remote. Their commits are all in main."),
    ),
)

RELEASE: Final = Chapter(
    "Release notes for 5.2",
    (
        Prompt("Draft the release notes for 5.2 from the commits since 5.1."),
        run("git log --oneline v5.1..v5.2 | wc -l", "64", "Count the commits"),
        Finish(
            md(
                """
                ## 5.2

                **New**
                - Orders placed without a connection are sent later
                - Dark mode on the product page

                **Fixed**
                - The pay button no longer hides behind the keyboard
                - Cart and invoice agree to the cent

                64 commits, 9 of them worth telling. The rest is tests and tools.
                """
            )
        ),
    ),
)

DEPARTED: Final = (
    Character("handbook", "docs/tax", (TAX_GUIDE,), hours=3.4, model="claude-sonnet-5-5"),
    Character("tooling", "main", (BRANCHES,), hours=2.6, model="claude-sonnet-5-5"),
    Character("mobile", "release/5.2", (RELEASE,), hours=2.1, model="claude-sonnet-5-5"),
)
